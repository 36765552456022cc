"""Cut a part out of a level, to estimate the cost of baking the whole level."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

import numpy as np

from bake.core.arrays import AnyArray, BoolArray
from bake.core.graph import Graph
from bake.core.level import GraphLevel, GridLevel, Level, Things
from bake.search.graph.cut_order import cut_order


def part_of(level: Level, is_open: BoolArray, most: int) -> Level:
    """Return a part of a level with at most `most` walkable cells or nodes, or the level itself.

    The part has no links, doors and instances. A divided plane is not cut, because dividing it took
    longer than a sample of all of it will take.

    Args:
        level: the level.
        is_open: (terrains) bool, True for terrains on which some profile can stand.
        most: the limit.
    """
    if isinstance(level, GridLevel):
        return _window(level, is_open[level.terrain], most)
    if len(level.node_names) <= most or level.areas:
        return level
    return _first_nodes(level, most)


def _window(level: GridLevel, is_open: BoolArray, most: int) -> GridLevel:
    """Return the same window of all floors, found by halving the map until it is small enough.

    Of two halves, the one with more walkable cells is used.
    """
    rows = level.floor_height or level.height
    part, top, left = is_open.reshape(-1, rows, level.width), 0, 0
    if np.count_nonzero(part) <= most:
        return level
    while np.count_nonzero(part) > most and max(part.shape[1:]) > 2:
        axis = 1 if part.shape[1] >= part.shape[2] else 2
        # Every other row or column of hexagons is shifted, so windows begin at even numbers.
        half = (part.shape[axis] // 2 + 1) & ~1
        first, second = np.split(part, [half], axis)
        if np.count_nonzero(first) >= np.count_nonzero(second):
            part = first
        else:
            part, top, left = second, top + half * (axis == 1), left + half * (axis == 2)
    height, width = part.shape[1:]

    def cut(array: AnyArray) -> AnyArray:
        floors = array.reshape(-1, rows, level.width)
        return floors[:, top : top + height, left : left + width].reshape(-1, width)

    return replace(
        level,
        terrain=cut(level.terrain),
        barred=None if level.barred is None else cut(level.barred),
        elevation=None if level.elevation is None else cut(level.elevation),
        floor_height=None if level.floor_height is None else height,
        things=Things(),
        prototypes=(),
        instances=(),
    )


def _first_nodes(level: GraphLevel, most: int) -> GraphLevel:
    """Return the subgraph of the first `most` nodes in cut order."""
    count = len(level.node_names)
    graph, _ = Graph.from_arcs(count, level.tail, level.head)
    inside = np.zeros(count, dtype=np.bool_)
    inside[cut_order(graph)[:most]] = True
    inside_arcs = inside[level.tail] & inside[level.head]
    number = np.cumsum(inside, dtype=np.int32) - np.int32(1)
    return replace(
        level,
        node_names=tuple(compress(level.node_names, inside)),  # type: ignore[arg-type]
        position=None if level.position is None else level.position[inside],
        tail=number[level.tail[inside_arcs]],
        head=number[level.head[inside_arcs]],
        length=level.length[inside_arcs],
        node_terrain=level.node_terrain[inside],
        node_region=level.node_region[inside] if len(level.node_region) else level.node_region,
        elevation=None if level.elevation is None else level.elevation[inside],
    )
