"""Read maps and worlds of the Tiled editor."""
