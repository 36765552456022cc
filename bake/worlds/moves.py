"""Number the arcs of a world as in its asset: by moves on grids, by slots on graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import BLOCKED, Subgraph, usable_subgraph
from bake.core.level import GridLevel
from bake.core.movement import LinkMoves, moves_of_arcs
from bake.worlds.world import World, cells_of


def locations(world: World) -> Int32Array:
    """Return (n) int32, the location of each node: y * width + x of its cell, or the node."""
    if not isinstance(world.level, GridLevel) or world.cell is None:
        return np.arange(world.graph.node_count, dtype=np.int32)
    return world.cell[:, 1] * np.int32(world.level.width) + world.cell[:, 0]


def link_moves(world: World) -> LinkMoves:
    """Return the arcs of a grid's links, including those that its graph lacks."""
    level, graph = world.level, world.graph
    assert isinstance(level, GridLevel)
    assert world.link is not None
    at, arcs = locations(world), np.flatnonzero(world.link >= 0)
    wanted = []
    for number, link in enumerate(level.things.links):
        start, goal = (y * level.width + x for x, y in (link.start, link.goal))
        wanted += [(start, goal, number)] + [(goal, start, number)] * link.both_ways
    return LinkMoves.from_arcs(
        at[graph.tail()[arcs]], at[graph.head[arcs]], world.link[arcs], wanted
    )


def usable(world: World, profile: str) -> Subgraph:
    """Return the subgraph that a profile can use; the slot of an arc is its move."""
    metric, level = world.metrics[profile], world.level
    sub = usable_subgraph(world.graph, metric)
    if not isinstance(level, GridLevel):
        return sub
    lattice = cells_of(level, world.connectivity)
    link = np.full(len(metric.weight), -1) if world.link is None else world.link
    graph = world.graph
    move = moves_of_arcs(lattice, locations(world), graph.tail(), graph.head, link >= 0)
    return replace(sub, slot=move[metric.weight != BLOCKED])
