"""Levels of the Tiled editor."""
