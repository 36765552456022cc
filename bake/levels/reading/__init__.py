"""What the readers of all formats share; nothing here knows any one of them."""
