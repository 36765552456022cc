"""This package turns levels into worlds."""

from bake.worlds.doors import DoorStates
from bake.worlds.links import link_cost
from bake.worlds.world import AgentProfile, World, build_world

__all__ = ["AgentProfile", "DoorStates", "World", "build_world", "link_cost"]
