"""Levels to worlds."""

from bake.worlds.doors import DoorStates
from bake.worlds.links import link_cost
from bake.worlds.regions import NO_REGION, region_labels
from bake.worlds.world import World, build_world

__all__ = ["NO_REGION", "DoorStates", "World", "build_world", "link_cost", "region_labels"]
