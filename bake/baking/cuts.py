"""Compute the nested dissection that orders contractions when a level changes."""

from __future__ import annotations

import numpy as np

from bake.core.arrays import BoolArray, Int64Array, UInt8Array
from bake.core.graph import Graph, positions
from bake.core.level import GridLevel
from bake.search.contraction.order import dissection_heights
from bake.search.contraction.tree import both_ways
from bake.worlds import World, cells_of, locations, near_doors
from levelbake.steps import chart


def cut_heights(world: World, profile: str) -> UInt8Array:
    """Return (n) uint8, the height of each node in a dissection of the nodes a profile may enter.

    These nodes are the profile's rows and the nodes in doors, or beside doors for large agents.
    Other nodes have height 0.
    """
    stands = _may_stand(world, profile)
    node = np.flatnonzero(stands)
    number = positions(node, len(stands))
    arcs = [np.stack([world.graph.tail(), world.graph.head])]
    if world.cell is not None:
        arcs.append(_steps(world, node))
    tail, head = number[np.concatenate(arcs, axis=1)]
    inside = (tail >= 0) & (head >= 0) & (tail != head)
    graph, _ = Graph.from_arcs(len(node), tail[inside], head[inside])
    coordinate = None if world.cell is None else chart(world.cell[node], world.hex_layout)
    height = np.zeros(len(stands), dtype=np.uint8)
    height[node] = dissection_heights(both_ways(graph), coordinate)
    return height


def _may_stand(world: World, profile: str) -> BoolArray:
    stands = world.metrics[profile].passable
    if world.cell is None:
        return stands
    assert isinstance(world.level, GridLevel)
    doors = near_doors(world.level, world.doors, world.movers[profile].size)
    return stands if doors is None else stands | doors[locations(world)]


def _steps(world: World, node: Int64Array) -> Int64Array:
    """Return (2, k) int64, tails and heads of all steps that a change might open.

    The graph lacks steps that no profile can take, such as steps past the corner of a wall.
    """
    level, place = world.level, locations(world)
    assert isinstance(level, GridLevel)
    steps = cells_of(level, world.connectivity).steps_from(place[node].astype(np.int64))
    tail = np.broadcast_to(node[:, None], steps.head.shape)[steps.inside]
    head = positions(place, level.terrain.size)[steps.head[steps.inside]]
    return np.stack([tail, head])[:, head >= 0]
