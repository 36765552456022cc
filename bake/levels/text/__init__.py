"""Read levels of text: rows of characters, and comma-separated values."""
