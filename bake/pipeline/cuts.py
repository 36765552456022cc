"""The dissection that updates contract a profile's nodes by, made when the level is baked."""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Int64Array, UInt8Array
from bake.graph import Graph
from bake.level import GridLevel
from bake.search.contraction.order import dissection_heights
from bake.search.contraction.tree import both_ways
from bake.worlds import World, near_doors
from levelbake.steps import Lattice, chart


def cut_heights(world: World, profile: str) -> UInt8Array:
    """Return (n) uint8, how high each node lies in a dissection of what a profile may ever enter.

    These are its rows, and the nodes in doors, or beside them for large agents. 0 for other nodes.
    """
    stands = _may_stand(world, profile)
    node = np.flatnonzero(stands)
    number = np.full(len(stands), -1, dtype=np.int32)
    number[node] = np.arange(len(node), dtype=np.int32)
    arcs = [np.stack([world.graph.tail(), world.graph.head])]
    if world.cell is not None:
        arcs.append(_steps(world, node))
    tail, head = number[np.concatenate(arcs, axis=1)]
    inside = (tail >= 0) & (head >= 0) & (tail != head)
    graph, _ = Graph.from_arcs(len(node), tail[inside], head[inside])
    at = None if world.cell is None else chart(world.cell[node], world.hex_layout)
    found = np.zeros(len(stands), dtype=np.uint8)
    found[node] = dissection_heights(both_ways(graph), at)
    return found


def _may_stand(world: World, profile: str) -> BoolArray:
    stands = world.metrics[profile].passable
    if world.cell is None:
        return stands
    assert isinstance(world.level, GridLevel)
    doors = near_doors(world.level, world.doors, world.movers[profile].size)
    return stands if doors is None else stands | doors[_place(world)]


def _place(world: World) -> Int64Array:
    """Return (n) int64, the location of each node of a grid."""
    assert world.cell is not None
    assert isinstance(world.level, GridLevel)
    x, y = world.cell[:, 0].astype(np.int64), world.cell[:, 1].astype(np.int64)
    return y * world.level.width + x


def _steps(world: World, node: Int64Array) -> Int64Array:
    """Return (2, k) int64, tails and heads of all steps that a change might open.

    The graph has no steps that nobody can take, such as those past the corner of a wall.
    """
    level, place = world.level, _place(world)
    assert isinstance(level, GridLevel)
    lattice = Lattice(
        level.width,
        level.height,
        world.connectivity or 8,
        level.hex_layout,
        level.floor_height,
        None,
        level.headings,
    )
    steps = lattice.steps_from(place[node])
    node_at = np.full(level.terrain.size, -1, dtype=np.int64)
    node_at[place] = np.arange(len(place))
    tail = np.broadcast_to(node[:, None], steps.head.shape)[steps.inside]
    head = node_at[steps.head[steps.inside]]
    return np.stack([tail, head])[:, head >= 0]
