"""Bake levels into pathfinding assets at build time; look next hops up at runtime."""

#: Another project on PyPI is called bake as well; by this the command knows its own package.
__title__ = "levelbake"
__version__ = "0.1.0"
