"""Levels that change while the game runs: every answer as a fresh bake would give it."""
