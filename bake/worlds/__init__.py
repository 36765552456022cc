"""Worlds: levels as graphs, with node positions and the cost of every arc for each profile."""

from bake.worlds.division import divided, for_areas
from bake.worlds.doors import DoorStates, near_doors
from bake.worlds.lattice import LatticeWorld, build_lattice_world
from bake.worlds.links import link_cost, link_vias
from bake.worlds.moves import link_moves, locations, usable
from bake.worlds.world import AgentProfile, World, build_world, cells_of

__all__ = [
    "AgentProfile",
    "DoorStates",
    "LatticeWorld",
    "World",
    "build_lattice_world",
    "build_world",
    "cells_of",
    "divided",
    "for_areas",
    "link_cost",
    "link_moves",
    "link_vias",
    "locations",
    "near_doors",
    "usable",
]
