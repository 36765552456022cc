"""Provide what the readers of all formats share; nothing here depends on any one format."""
