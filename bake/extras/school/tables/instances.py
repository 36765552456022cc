"""Instanced geometry: one table of next hops for all houses of a kind; docs/school.md shows it.

Each kind of house is solved once, as it is drawn. A house in the level is a translator: it takes a
cell of the level to the node of its kind, looks the next hop up there, and takes that back to the
level, however the house is moved, turned and mirrored. Streets are a graph of their own. Its nodes
are the cells outside and the *exits*, from which a step leads out of a house. Ways through a house
are arcs between its exits, whose length its kind's table knows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.errors import LevelError
from bake.core.placement import Placement, all_cells
from bake.extras.school.tables.negative_arcs import PathTable

Cell = tuple[int, int]


def steps(cost: Int32Array) -> Int64Array:
    """Return (m, 3) tail, head and ticks of all steps from a cell to one beside it.

    Args:
        cost: (h, w) ticks to enter each cell, which is node y * w + x; 0 = a wall.
    """
    node = np.arange(cost.size).reshape(cost.shape)
    beside = (node[:, :-1], node[:, 1:]), (node[:-1], node[1:])
    pairs = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in beside])
    tail, head = np.concatenate([pairs, pairs[:, ::-1]]).T
    entered, left = cost.ravel()[head], cost.ravel()[tail]
    arcs: Int64Array = np.stack([tail, head, entered], axis=1)[(entered > 0) & (left > 0)]
    return arcs


class InstancedLevel:
    """A level of streets and houses, in which every house of a kind is answered by one table.

    Args:
        cost: (h, w) int32 ticks to enter each cell; 0 = a wall. What houses cover is ignored.
        kinds: the same of each kind of house, as it is drawn.
        houses: kind and placement of each house; they share no cell.

    Raises:
        LevelError: a house leaves the level, or two of them share a cell.
    """

    def __init__(
        self, cost: Int32Array, kinds: Sequence[Int32Array], houses: Sequence[tuple[int, Placement]]
    ) -> None:
        self.width: int = cost.shape[1]
        self.table = [_table(kind.size, steps(kind)) for kind in kinds]
        self.kind = [kind for kind, _ in houses]
        drawn = cost.copy()
        # These translate: from a cell of the level to a house and its kind's node, and back.
        self.house, self.node = np.full((2, cost.size), -1)
        self.cell: list[Int64Array] = []
        for number, (kind, placement) in enumerate(houses):
            height, width = kinds[kind].shape
            x, y = placement.cells(all_cells(width, height), width, height).T
            inside = min(x.min(), y.min()) >= 0 and x.max() < self.width and y.max() < len(cost)
            at = y.astype(np.int64) * self.width + x
            if not inside or (self.house[at] >= 0).any():
                raise LevelError(f"house {number} leaves the level, or covers another house")
            self.house[at], self.node[at] = number, np.arange(len(at))
            self.cell.append(at)
            drawn[y, x] = kinds[kind].ravel()
        arcs = steps(drawn)
        tail, head = arcs[:, 0], arcs[:, 1]
        crosses = self.house[tail] != self.house[head]
        outer = self.house < 0
        outer[tail[crosses]] = outer[head[crosses]] = True
        self.street = np.where(outer, np.cumsum(outer) - 1, -1)
        self.place = np.flatnonzero(outer)
        self.exits = [at[outer[at]] for at in self.cell]
        through = [
            (start, goal, ticks)
            for house, exits in enumerate(self.exits)
            for start in exits.tolist()
            for goal in exits.tolist()
            if start != goal and (ticks := self._inside(house, start, goal)) < math.inf
        ]
        own = arcs[crosses | (self.house[tail] < 0)]
        every = np.concatenate([own, np.array(through, dtype=np.int64).reshape(-1, 3)])
        every[:, :2] = self.street[every[:, :2]]
        self.streets = _table(len(self.place), every)

    def distance(self, start: Cell, goal: Cell) -> int | None:
        """Return the ticks of a shortest path between two cells; None if unreachable."""
        ticks, _ = self._best(self._number_of(start), self._number_of(goal))
        return int(ticks) if ticks < math.inf else None

    def next_hop(self, start: Cell, goal: Cell) -> Cell | None:
        """Return the next cell, the goal at the goal; None if it is unreachable."""
        at, end = self._number_of(start), self._number_of(goal)
        ticks, target = self._best(at, end)
        if ticks == math.inf:
            return None
        house = self.house[at]
        if at != end and house >= 0 and house == self.house[target]:
            hop = self.table[self.kind[house]].hop[self.node[at], self.node[target]]
            target = self.cell[house][hop]
        return int(target % self.width), int(target // self.width)

    def _best(self, start: int, goal: int) -> tuple[float, int]:
        """Return the ticks left, and a cell beside the start or in its house to go to first."""
        house, ways = self.house[start], [(math.inf, start)]
        if house >= 0 and house == self.house[goal]:
            ways.append((self._inside(house, start, goal), goal))
        for into, last in self._gates(goal, inward=True):
            for out, first in self._gates(start, inward=False):
                here, there = self.street[out], self.street[into]
                via = out if out != start else self.place[self.streets.hop[here, there]]
                ways.append((first + float(self.streets.distance[here, there]) + last, via))
        return (0, goal) if start == goal else min(ways, key=lambda way: way[0])

    def _gates(self, at: int, *, inward: bool) -> list[tuple[int, float]]:
        """Return the nodes of the streets by which a cell is left, or entered, and the ticks."""
        if self.street[at] >= 0:
            return [(at, 0)]
        house = self.house[at]
        return [
            (each, self._inside(house, *((each, at) if inward else (at, each))))
            for each in self.exits[house].tolist()
        ]

    def _inside(self, house: int, start: int, goal: int) -> float:
        """Return the ticks between two cells of a house on paths inside it."""
        distance = self.table[self.kind[house]].distance
        return float(distance[self.node[start], self.node[goal]])

    def _number_of(self, cell: Cell) -> int:
        return cell[1] * self.width + cell[0]


def _table(nodes: int, arcs: Int64Array) -> PathTable[int]:
    """Solve a graph of (m, 3) arcs: tail, head and ticks."""
    return PathTable(map(tuple, arcs.tolist()), range(nodes))
