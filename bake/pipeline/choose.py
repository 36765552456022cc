"""Which tables a profile gets, and in what form: settled before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bake.errors import BudgetError, in_units
from bake.graph import Subgraph
from bake.level import GraphLevel, Level
from bake.movement import Connectivity
from bake.recipe import LevelRecipe
from bake.tables.all_pairs import slot_dtype
from bake.worlds import AgentProfile

#: "auto" keeps distances only in tables of at most this many bytes: they follow from next hops.
AUTO_DISTANCE_BYTES = 16 * 2**20

#: "auto" keeps next hops dense only in tables of at most this many bytes: runs are as small there.
AUTO_DENSE_BYTES = 64 * 2**10

#: Peak memory of building a world, by node and by arc; measured on lattices of 4 million cells.
NODE_BYTES = 60
ARC_BYTES = 105


@dataclass(frozen=True)
class Choice:
    """What to make of one profile's next hops and distances."""

    hops: Literal["none", "dense", "compressed"]
    distances: bool


def choose(sub: Subgraph, recipe: LevelRecipe) -> Choice:
    """Resolve "auto" for one profile."""
    rows = sub.graph.node_count
    if recipe.tables is None:
        wanted, distances = True, 4 * rows * rows <= AUTO_DISTANCE_BYTES
    else:
        wanted, distances = "next_hops" in recipe.tables, "distances" in recipe.tables
    if not wanted:
        return Choice("none", distances)
    if recipe.storage != "auto":
        return Choice(recipe.storage, distances)
    small = rows * rows * slot_dtype(sub).itemsize <= AUTO_DENSE_BYTES
    return Choice("dense" if small else "compressed", distances)


def world_size(
    level: Level, profiles: tuple[AgentProfile, ...], connectivity: Connectivity
) -> tuple[int, int]:
    """Nodes the graph of a level will have, and the peak memory of building it in bytes."""
    if isinstance(level, GraphLevel):
        nodes = len(level.node_names)
        return nodes, NODE_BYTES * nodes + ARC_BYTES * len(level.head)
    open_to_any = [
        any(name in profile.rules and profile.rules[name].cost is not None for profile in profiles)
        for name in level.terrains
    ]
    count = sum(
        int((level.terrain == code).sum()) for code, is_open in enumerate(open_to_any) if is_open
    )
    arcs = 6 if level.hex_layout else connectivity
    return count, count * (NODE_BYTES + ARC_BYTES * arcs)


def check_world_fits(
    level: Level,
    profiles: tuple[AgentProfile, ...],
    connectivity: Connectivity,
    budget: int,
) -> None:
    """Refuse a level whose graph alone would exceed the budget, before building it.

    Raises:
        BudgetError: with both sizes.
    """
    nodes, needed = world_size(level, profiles, connectivity)
    if needed > budget:
        raise BudgetError(
            f"the graph of this level, {nodes:,} nodes, needs about {in_units(needed)}",
            expected=f"at most {in_units(budget)} (memory_budget)",
            remedy="raise memory_budget, or split the level",
        )
