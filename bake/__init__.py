"""Bake levels into pathfinding assets at build time; look next hops up at runtime."""

#: PyPI has another project called bake; the command recognizes its own package by this title.
__title__ = "levelbake"
__version__ = "0.1.0"
