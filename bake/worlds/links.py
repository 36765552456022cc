"""Links to arcs: ways between two cells that need not be neighbours."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from bake.arrays import Int32Array
from bake.errors import BakeError, BakeErrors, LevelError
from bake.graph import Graph
from bake.level import Cell, GridLevel, Link
from bake.metric import NO_FLANK, NO_LINK, Topology


def link_cost(link: Link, floor_height: int | None) -> float:
    """What taking a link costs in units: what it says, else the straight way, at least 1.

    Floors lie above one another, so the straight way between two of them is that between the same
    places of one floor.
    """
    if link.cost is not None:
        return link.cost
    (x, y), (goal_x, goal_y) = link.start, link.goal
    if floor_height is not None:
        y, goal_y = y % floor_height, goal_y % floor_height
    return max(1.0, math.sqrt((goal_x - x) ** 2 + (goal_y - y) ** 2))


def with_links(
    topology: Topology, cell: Int32Array, level: GridLevel, *, strict: bool
) -> tuple[Topology, tuple[Link, ...]]:
    """Add the level's links to its lattice, each after the steps of the node it leaves.

    Args:
        topology: a lattice, nodes in reading order.
        cell: (n, 2) int32 cell of each node.
        level: whose links.
        strict: whether a link into cells where nobody can stand is a mistake; else it is left out.

    Returns:
        The topology, and the links left out.

    Raises:
        LevelError, BakeErrors: a link starts or ends where no profile can stand.
    """
    links = level.things.links
    if not links:
        return topology, ()
    node_of = _NodeAt(cell, level.width)
    ends = [(node_of(link.start), node_of(link.goal)) for link in links]
    dead = [place for place, pair in enumerate(ends) if min(pair) < 0]
    if dead and strict:
        problems = [_nowhere(level, links[place], ends[place]) for place in dead]
        raise problems[0] if len(problems) == 1 else BakeErrors(problems)
    tails: list[int] = []
    heads: list[int] = []
    taken: list[int] = []
    for place, (start, goal) in enumerate(ends):
        if min(start, goal) < 0:
            continue
        pairs = [(start, goal), (goal, start)] if links[place].both_ways else [(start, goal)]
        for tail, head in pairs:
            tails.append(tail)
            heads.append(head)
            taken.append(place)
    graph, order = Graph.from_arcs(
        topology.graph.node_count,
        np.concatenate([topology.graph.tail(), np.array(tails, dtype=np.int32)]),
        np.concatenate([topology.graph.head, np.array(heads, dtype=np.int32)]),
    )
    costs = np.array([link_cost(links[place], level.floor_height) for place in taken])
    none = np.full((len(tails), 2), NO_FLANK, dtype=np.int32)
    numbers = np.concatenate(
        [
            np.full(topology.graph.arc_count, NO_LINK, dtype=np.int32),
            np.array(taken, dtype=np.int32),
        ]
    )
    joined = replace(
        topology,
        graph=graph,
        length=np.concatenate([topology.length, costs])[order],
        flank=np.concatenate([topology.flank, none])[order],
        link=numbers[order],
        links=links,
    )
    return joined, tuple(links[place] for place in dead)


class _NodeAt:
    """The node of a cell, -1 where there is none."""

    def __init__(self, cell: Int32Array, width: int) -> None:
        self._flat = cell[:, 1].astype(np.int64) * width + cell[:, 0]
        self._width = width

    def __call__(self, cell: Cell) -> int:
        flat = cell[1] * self._width + cell[0]
        place = int(np.searchsorted(self._flat, flat))
        return place if place < len(self._flat) and self._flat[place] == flat else -1


def _nowhere(level: GridLevel, link: Link, nodes: tuple[int, int]) -> BakeError:
    ends = "starts" if nodes[0] < 0 else "ends"
    x, y = link.start if nodes[0] < 0 else link.goal
    terrain = level.terrains[level.terrain[y, x]]
    where = f"({x}, {y})"
    if level.floor_height is not None:
        where = f"({x}, {y % level.floor_height}, {y // level.floor_height})"
    return LevelError(
        f"link {link.name!r} {ends} at {where}, on {terrain!r}, where no profile can stand",
        file=level.source,
        place=link.place,
        expected="a cell some profile can stand on",
        remedy="move the end of the link, or give the terrain a cost",
    )
