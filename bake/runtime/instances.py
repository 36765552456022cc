"""Answer from an asset whose next hops are kept by instances: each interior once for all of them.

A lookup tries the arcs of a row and takes the first on a shortest path, which distances tell. It is
compiled code, or some hundred times slower where nothing is compiled.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from bake.arrays import Float64Array, Int32Array, Int64Array
from bake.asset.schema import profile_path
from bake.graph import INFINITY, Arcs
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.hops import view_of
from bake.runtime.reader.labels import DistanceLabels
from bake.runtime.reader.lookup import WRONG, FastLookup, NextHop, fast_lookup
from bake.runtime.reader.places import Cell, Place
from bake.runtime.things import ThingTables

if TYPE_CHECKING:
    from bake.search.contraction.folded import Folded, Gates

#: Rows that a walk has room for at first.
_ROOM = 512


class InstanceTables(BakedTables):
    """The tables of a profile whose next hops and distances are those of the folded graph."""

    @property
    def has_hops(self) -> bool:
        return True

    @property
    def has_distances(self) -> bool:
        return True

    # -- the folded graph -------------------------------------------------------------------------

    @cached_property
    def _placed(self) -> tuple[Int32Array, Int32Array, int]:
        """Return (r) the folded instance of each row, (r) its node inside, and how many those are.

        Raises:
            CorruptAssetError: instances do not fit the cells on which the profile can stand.
        """
        instance, inner = np.full((2, self.row_count), -1, dtype=np.int32)
        interior = self._read("instance_interior", np.int64)
        first = self._read("interior_first", np.int64)
        cell = self._read("interior_cell", np.int64)
        placed = ThingTables(self.places).placed
        ordered = len(first) and first[0] == 0 and first[-1] == len(cell)
        if not ordered or (np.diff(first) < 0).any() or len(interior) != len(placed):
            raise self.damaged("interiors contradict each other")
        if interior.min(initial=-1) < -1 or interior.max(initial=-1) >= len(first) - 1:
            raise self.damaged("an instance has an interior that is none")
        for number, (each, one) in enumerate(zip(interior.tolist(), placed, strict=True)):
            if each < 0:
                continue
            drawn = cell[first[each] : first[each + 1]]
            if (drawn < 0).any() or (drawn >= [one.width, one.height]).any():
                raise self.damaged("an interior is larger than its prototype")
            x, y = one.placement.cells(drawn, one.width, one.height).T
            rows = self.row_at[y * self.places.width + x]
            if (rows < 0).any() or (instance[rows] >= 0).any():
                raise self.damaged("an interior does not fit where its instance stands")
            instance[rows] = number
            inner[rows] = np.arange(first[each], first[each + 1])
            if (inner[rows] != np.arange(first[each], first[each + 1])).any():
                raise self.damaged("an interior names a cell twice")
        return instance, inner, len(cell)

    @cached_property
    def _folded(self) -> Folded:
        from bake.search.contraction.folded import Folded
        from bake.search.contraction.labels import Labels

        instance, inner, cells = self._placed
        tail, head = self.usable.graph.tail(), self.usable.graph.head
        crosses = instance[tail] != instance[head]
        is_exit = np.zeros(self.row_count, dtype=np.bool_)
        is_exit[tail[crosses]] = True
        is_exit[head[crosses]] = True
        is_exit &= instance >= 0
        outer = (instance < 0) | is_exit
        node = inner.copy()
        node[outer] = cells + np.arange(np.count_nonzero(outer), dtype=np.int32)
        exits = np.flatnonzero(is_exit)
        exits = exits[np.argsort(instance[exits], kind="stable")]
        first_exit = np.zeros(len(self._read("instance_interior", np.int32)) + 1, dtype=np.int64)
        np.cumsum(np.bincount(instance[exits], minlength=len(first_exit) - 1), out=first_exit[1:])
        found = self._folded_labels(cells + int(np.count_nonzero(outer)))
        labels = Labels(
            found.parent, found.depth, found.chain, found.first, found.away, found.toward
        )
        return Folded(labels, node, inner, instance, first_exit, node[exits], inner[exits])

    def _folded_labels(self, nodes: int) -> DistanceLabels:
        parent = self._read("folded_parent", np.int32)
        if len(parent) != nodes:
            raise self.damaged(f"folded_parent has {len(parent)} entries for {nodes} nodes")
        away, toward = (
            self._asset.read(profile_path(self.profile, name)) if self.has(name) else None
            for name in ("folded_away", "folded_toward")
        )
        assert away is not None
        if toward is None and not self.leads_back:
            raise self.damaged("folded_toward is missing, and some arc does not lead back")
        difference = self._read("folded_difference", np.int32)
        return DistanceLabels(parent, difference, away, toward, self.damaged)

    @cached_property
    def _arcs(self) -> Arcs:
        return Arcs.of(self.usable.graph, self.usable.weight)

    def _gates(self) -> Gates:
        """Return scratch; each question has its own, as threads may ask at once."""
        from bake.search.contraction.folded import Gates

        most = max(1, int(np.diff(self._folded.first_exit).max(initial=0)))
        node = np.empty(most, dtype=np.int32)
        ticks, ahead = np.empty((2, most), dtype=np.int64)
        return Gates(node, ticks, ahead)

    # -- answers ----------------------------------------------------------------------------------

    def next_row(self, row: int, goal: int) -> int:
        return int(self.next_rows(*_one(row, goal))[0])

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        first, path = self._walked(rows, goals, 1)
        ahead = np.full(len(rows), -1, dtype=np.int32)
        there = np.flatnonzero(np.diff(first))
        ahead[there] = path[first[1:][there] - 1]
        return ahead

    def ticks(self, row: int, goal: int) -> float:
        return float(self.ticks_between(*_one(row, goal))[0])

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        from bake.search.contraction.folded import folded_distances

        ticks = np.empty(len(rows), dtype=np.int64)
        rows, goals = _plain(rows), _plain(goals)
        folded_distances(self._folded, rows, goals, self._gates(), ticks)
        return np.where(ticks < INFINITY, ticks, np.inf)

    def ticks_toward(self, goal: int) -> Float64Array:
        rows = np.arange(self.row_count, dtype=np.int32)
        return self.ticks_between(rows, np.full_like(rows, goal))

    def path(self, row: int, goal: int) -> Int32Array | None:
        path = self._walked(*_one(row, goal), self.row_count)[1]
        return path if len(path) else None

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        return self._walked(rows, goals, self.row_count)

    def walk_cells(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        first, path = self.walk(rows, goals)
        return first, self.cell_of_row.take(path, axis=0)

    def _walked(
        self, rows: Int32Array, goals: Int32Array, most: int
    ) -> tuple[Int64Array, Int32Array]:
        """Return where each path begins, and the rows along all of them, for so many steps."""
        from bake.search.contraction.folded import ASTRAY, follow_folded

        rows, goals = _plain(rows), _plain(goals)
        first = np.zeros(len(rows) + 1, dtype=np.int64)
        path = np.empty(min(_ROOM, most + 1) * max(1, len(rows)), dtype=np.int32)
        gates, pair = self._gates(), 0
        while pair < len(rows):
            pair = follow_folded(
                self._folded, self._arcs, rows, goals, pair, most, gates, first, path
            )
            if pair == ASTRAY:
                raise self.damaged("next hops do not lead to the goal")
            if pair < len(rows):
                path = np.concatenate([path, np.empty_like(path)])
        return first, path[: first[-1]]

    # -- the single lookup ------------------------------------------------------------------------

    def lookup(self, fallback: NextHop) -> FastLookup:
        return fast_lookup(self.places, self.row_at, self.cell_lookup, fallback)

    def cell_lookup(self, row_at: memoryview[int], fallback: NextHop) -> NextHop:
        width, location, next_row = self.places.width, view_of(self.location), self.next_row

        def next_hop(start: Place, goal: Place) -> Place | None:
            try:
                x, y = cast("Cell", start)
                goal_x, goal_y = cast("Cell", goal)
                if x >= 0 and y >= 0 and goal_x >= 0 and goal_y >= 0:
                    row, goal_row = row_at[y, x], row_at[goal_y, goal_x]
                    if row >= 0 and goal_row >= 0 and row != goal_row:
                        ahead = next_row(row, goal_row)
                        if ahead >= 0:
                            flat = location[ahead]
                            return flat % width, flat // width
            except WRONG:
                pass
            return fallback(start, goal)

        return next_hop


def _one(row: int, goal: int) -> tuple[Int32Array, Int32Array]:
    return np.array([row], dtype=np.int32), np.array([goal], dtype=np.int32)


def _plain(rows: Int32Array) -> Int32Array:
    """Return rows as the one kind of array that kernels are compiled for."""
    return np.ascontiguousarray(rows, dtype=np.int32)
