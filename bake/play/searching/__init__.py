"""Search a level's graph for one profile: bounds, shared context, heuristics and methods."""
