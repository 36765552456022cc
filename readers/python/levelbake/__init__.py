"""Look up shortest paths in levels that were baked: the reader that a game ships."""
