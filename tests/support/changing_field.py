"""A field of equal cells whose walls come and go, and what a reader must answer on it."""

import random
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int64Array
from bake.play import Navigator
from bake.project.recipe import LevelRecipe
from tests.support.baked import bake

TICKS = 27720


class ChangingField:
    """An open field with 8 neighbours, where no corner is cut; cells of it are blocked and opened.

    Attributes:
        standing: (height, width) bool, where an agent can stand now.
    """

    def __init__(self, width: int, height: int) -> None:
        self.standing: BoolArray = np.ones((height, width), dtype=np.bool_)

    def baked(self, folder: Path, **settings: object) -> Path:
        """Bake the field as it is now."""
        height, width = self.standing.shape
        rows = ("".join(".@"[not free] for free in row) for row in self.standing)
        source = folder / f"field{width}x{height}.map"
        lines = "\n".join(rows)
        source.write_text(f"type octile\nheight {height}\nwidth {width}\nmap\n{lines}\n")
        return bake(source, LevelRecipe(**settings), 2)

    def turned_into(self, wanted: BoolArray) -> tuple[list[tuple[int, int]], ...]:
        """Take other walls in, and return the cells to block and those to open for that."""
        differs = self.standing & ~wanted, ~self.standing & wanted
        self.standing = wanted.copy()
        return tuple([(x, y) for y, x in np.argwhere(mask).tolist()] for mask in differs)

    def arcs(self) -> csr_array:
        """The steps there are now between cells, numbered row by row, in ticks."""
        free, number = self.standing, np.arange(self.standing.size).reshape(self.standing.shape)
        ends, ticks = [], []
        for near, far, sides in (
            (np.s_[:, :-1], np.s_[:, 1:], ()),
            (np.s_[:-1], np.s_[1:], ()),
            (np.s_[:-1, :-1], np.s_[1:, 1:], (np.s_[:-1, 1:], np.s_[1:, :-1])),
            (np.s_[:-1, 1:], np.s_[1:, :-1], (np.s_[:-1, :-1], np.s_[1:, 1:])),
        ):
            joined = np.logical_and.reduce([free[near], free[far], *(free[side] for side in sides)])
            pair = np.stack([number[near][joined], number[far][joined]])
            ends += [pair, pair[::-1]]
            ticks += [np.full(2 * pair.shape[1], round(TICKS * (2**0.5 if sides else 1)))]
        return csr_array(
            (np.concatenate(ticks).astype(np.float64), np.concatenate(ends, axis=1)),
            shape=(free.size, free.size),
        )

    def step_ticks(self, tail: Int64Array, head: Int64Array) -> Float64Array:
        """Return what single steps cost; inf where nothing leads from one cell to the other."""
        width, free = self.standing.shape[1], self.standing.ravel()
        (y, x), (to_y, to_x) = np.divmod(tail, width), np.divmod(head, width)
        far = np.maximum(abs(to_x - x), abs(to_y - y))
        sides = free[y * width + to_x] & free[to_y * width + x]
        cost = np.where((x != to_x) & (y != to_y), round(TICKS * 2**0.5), TICKS)
        return np.where((far == 1) & free[tail] & free[head] & sides, cost, np.inf)

    def count_wrong(
        self, nav: Navigator, draw: random.Random, goals: int, starts: int
    ) -> tuple[int, int]:
        """Compare distances, next hops and whole paths with Dijkstra's, many in a call and single.

        Args:
            goals: how many goals, to each of which ``starts`` starts are asked about.

        Returns:
            How many answers were wrong, and how many were asked for.
        """
        free, count = np.flatnonzero(self.standing), goals * starts
        at = np.array([draw.choice(free) for _ in range(goals)])
        start = np.array([draw.choice(free) for _ in range(count)])
        row = np.repeat(np.arange(goals), starts)
        goal, dist = at[row], dijkstra(self.arcs(), indices=at)
        wanted = dist[row, start]
        ends = self._cells(start), self._cells(goal)

        wrong = np.count_nonzero(np.rint(nav.distances(*ends) * TICKS) != wanted)
        hop = self._nodes(nav.next_hops(*ends))
        begun = self.step_ticks(start, hop) + dist[row, hop] == wanted
        right = np.where(start == goal, hop == goal, np.where(hop < 0, np.isinf(wanted), begun))
        wrong += np.count_nonzero(~right)
        first, places = nav.paths(*ends)
        way = self._nodes(places)
        ticks = np.concatenate([[0.0], self.step_ticks(way[:-1], way[1:])])
        for pair in range(count):
            begin, end = first[pair : pair + 2]
            told = np.inf if begin == end else ticks[begin + 1 : end].sum()
            fits = begin == end or (way[begin], way[end - 1]) == (start[pair], goal[pair])
            wrong += not (fits and told == wanted[pair])
        some = range(0, count, max(1, starts // 8))
        for pair in some:
            one = ends[0][pair], ends[1][pair]
            wrong += nav.distance(*one) * TICKS != pytest.approx(wanted[pair], rel=1e-12)
            told_hop = nav.next_hop(*one)
            node = -1 if told_hop is None else told_hop[0] + told_hop[1] * self.standing.shape[1]
            after = self.step_ticks(start[pair], np.int64(node)) + dist[row[pair], node]
            wrong += not (node == goal[pair] or after == wanted[pair] or np.isinf(wanted[pair]))
        return wrong, 3 * count + 2 * len(some)

    def _cells(self, node: Int64Array) -> list[tuple[int, int]]:
        width = self.standing.shape[1]
        return [(each % width, each // width) for each in node.tolist()]

    def _nodes(self, cells: AnyArray) -> Int64Array:
        x, y = np.asarray(cells, dtype=np.int64).reshape(-1, 2).T
        return np.where(x < 0, -1, y * self.standing.shape[1] + x)
