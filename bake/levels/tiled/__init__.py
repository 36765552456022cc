"""Read levels of the Tiled editor."""
