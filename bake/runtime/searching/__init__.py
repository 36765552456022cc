"""Searches on a level's graph for one profile: bounds, what they share, heuristics, methods."""
