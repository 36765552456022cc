"""Code shared by the readers of all formats; nothing here depends on a single format."""
