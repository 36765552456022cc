"""Bake levels into pathfinding assets at build time; look next hops up at runtime."""

__version__ = "0.1.0"
