"""Levels to worlds."""

from bake.worlds.world import World, build_world

__all__ = ["World", "build_world"]
