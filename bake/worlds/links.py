"""Convert links, connections between any two cells, to arcs."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bake.core.arrays import Float64Array, Int32Array
from bake.core.errors import LevelError, one_error
from bake.core.level import GridLevel, Link
from bake.core.movement import straight_way
from levelbake.errors import BakeError
from levelbake.steps import Vias


class LinkArcs(NamedTuple):
    """The arcs of a level's links, one for each direction of a link."""

    #: (k) int32 nodes
    tail: Int32Array
    head: Int32Array
    link: Int32Array  #: (k) int32, index into the level's links
    cost: Float64Array  #: (k) float64 units


def link_cost(link: Link, floor_height: int | None) -> float:
    """Return the cost of a link in units: as stated, or the length of its straight segments."""
    if link.cost is not None:
        return link.cost
    segments = pairwise((link.start, *link.via, link.goal))
    return math.fsum(straight_way(one, other, floor_height) for one, other in segments)


def complete_over(level: GridLevel) -> GridLevel:
    """Return a level whose links through cells all state the blocked terrains they pass over.

    By default these are the terrains of the cells as drawn.
    """

    def complete(link: Link) -> Link:
        if not link.via or link.over is not None:
            return link
        codes = {int(level.terrain[y, x]) for x, y in link.via}
        return replace(link, over=tuple(level.terrains[code] for code in sorted(codes)))

    links = tuple(map(complete, level.things.links))
    return replace(level, things=replace(level.things, links=links)) if links else level


def link_vias(level: GridLevel) -> Vias | None:
    """Return the cells that a level's links pass through, or None."""
    via_cells = [
        (
            [y * level.width + x for x, y in link.via],
            [level.terrains.index(name) for name in link.over or ()],
        )
        for link in level.things.links
    ]
    return Vias.of(via_cells, len(level.terrains))


def link_arcs(
    level: GridLevel, node_at: Int32Array, *, strict: bool
) -> tuple[LinkArcs, tuple[Link, ...]]:
    """Return the arcs of a level's links, and the omitted links.

    Args:
        level: the level the links belong to.
        node_at: (cells) int32, the node of each cell, -1 where no profile can stand.
        strict: True = a link into cells where no profile can stand is a mistake; False = it is
            omitted.

    Raises:
        LevelError, BakeErrors: a link starts or ends where no profile can stand.
    """
    links = level.things.links
    ends = [
        (int(node_at[y * level.width + x]), int(node_at[goal_y * level.width + goal_x]))
        for (x, y), (goal_x, goal_y) in ((link.start, link.goal) for link in links)
    ]
    dead = [place for place, pair in enumerate(ends) if min(pair) < 0]
    if dead and strict:
        problems = [_link_end_error(level, links[place], ends[place]) for place in dead]
        raise one_error(problems)
    arcs = []
    for place, (start, goal) in enumerate(ends):
        if min(start, goal) >= 0:
            arcs.append((start, goal, place))
            if links[place].both_ways:
                arcs.append((goal, start, place))
    tail, head, link = np.array(arcs, dtype=np.int32).reshape(-1, 3).T
    cost = np.array(
        [link_cost(links[place], level.floor_height) for place in link.tolist()], np.float64
    )
    return LinkArcs(tail, head, link, cost), tuple(links[place] for place in dead)


def _link_end_error(level: GridLevel, link: Link, nodes: tuple[int, int]) -> BakeError:
    ends = "starts" if nodes[0] < 0 else "ends"
    x, y = link.start if nodes[0] < 0 else link.goal
    terrain = level.terrains[level.terrain[y, x]]
    cell = f"({x}, {y})"
    if level.floor_height is not None:
        cell = f"({x}, {y % level.floor_height}, {y // level.floor_height})"
    return LevelError(
        f"link {link.name!r} {ends} at {cell}, on {terrain!r}, where no profile can stand",
        file=level.source,
        place=link.place,
        expected="a cell some profile can stand on",
        remedy="move the end of the link, or give the terrain a cost",
    )
