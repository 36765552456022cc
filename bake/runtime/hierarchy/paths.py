"""Paths by HPA*: connect start and goal, search the transitions, refine hop by hop, smooth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.greedy import chart
from bake.runtime.hierarchy.layers import HierarchyTables
from bake.runtime.reader.places import Places
from bake.runtime.reader.tables import Tables

#: Rows a path has room for at first.
ROOM = 4096

#: And rows for each of many paths.
EACH = 512

#: Hops refined at once: a walk begins with one and then takes ever more, up to this.
MOST_HOPS = 64


@dataclass(frozen=True)
class Way:
    """A plan for getting from one row to another.

    Attributes:
        start, goal: rows.
        plan: (k) int32 transitions of the first layer on the way; empty for a way inside a cluster.
        ticks: what it costs unsmoothed; -1 = there is no way.
        expanded: (e) int32, transitions of the first layer that the search expanded, in order.
    """

    start: int
    goal: int
    plan: Int32Array
    ticks: int
    expanded: Int32Array


class _Scratch:
    """Memory of one query at a time."""

    def __init__(self, tables: HierarchyTables) -> None:
        first, stack = tables.layers[0], tables.stack
        transitions, arcs = len(first.node), len(first.arcs)
        most_rows = int(first.cluster_data[:, 1].max(initial=0))
        most_ends = int(np.diff(first.first_transition).max(initial=0))
        inside = tables.most_arcs_inside
        self.turn = 0
        self.ends = np.zeros((2, most_ends, 2), dtype=np.int64)
        self.local = np.zeros((most_rows, 4), dtype=np.int64)
        self.heap = np.zeros((max(arcs + most_ends, inside) + 2, 2), dtype=np.int64)
        self.state = np.zeros((transitions, 8), dtype=np.int64)
        self.at_goal = np.zeros(stack.landmark.shape[1], dtype=np.int64)
        self.raised = np.zeros((2, stack.most_raised, 2), dtype=np.int64)
        self.expanded = np.zeros(transitions + 2 * most_ends, dtype=np.int32)
        self.plan = np.zeros(transitions, dtype=np.int32)
        self.spare_plan = np.zeros(transitions, dtype=np.int32)
        self.told = np.zeros(4, dtype=np.int64)
        self.room = ROOM + most_rows

    @property
    def room(self) -> int:
        """Rows a path may have."""
        return len(self.path)

    @room.setter
    def room(self, rows: int) -> None:
        self.path = np.empty(rows, dtype=np.int32)
        self.spare = np.empty((5, rows), dtype=np.int32)

    def turns(self, count: int) -> int:
        """The first of so many numbers no search used before."""
        self.turn += count
        return self.turn - count + 1


@dataclass(frozen=True)
class Runs:
    """What smoothing goes by; see :mod:`bake.search.hierarchy.smooth`."""

    form: int
    even: bool
    at: Int32Array
    row_at: Int32Array
    width: int
    run: UInt8Array
    weight: Int32Array


class HierarchyPaths:
    """Paths of one profile over its hierarchy; threads may share it.

    Attributes:
        tables: what the asset holds of it.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = HierarchyTables(tables)
        self._scratch: list[_Scratch] = []

    def find(self, start: int, goal: int) -> Way:
        """Plan the way between two rows; nothing of it is refined yet.

        Raises:
            CorruptAssetError: ways that lead nowhere.
        """
        scratch = self._borrow()
        way = self._find(start, goal, scratch)
        self._scratch.append(scratch)
        return way

    def rows(self, way: Way, *, smooth: bool = True) -> tuple[Int32Array, int]:
        """The rows of a planned way, both ends included, and its ticks."""
        scratch = self._borrow()
        hop, filled = self._refine(way, 0, len(way.plan) + 1, scratch)
        while hop <= len(way.plan):
            kept = scratch.path[:filled].copy()
            scratch.room *= 2
            scratch.path[:filled] = kept
            hop, filled = self._refine(way, hop, len(way.plan) + 1, scratch, filled)
        ticks = way.ticks
        if smooth and self.tables.mode != "exact":
            filled, ticks = self._smooth(filled, ticks, scratch)
        rows = scratch.path[:filled].copy()
        self._scratch.append(scratch)
        return rows, ticks

    def many(
        self, starts: Int32Array, goals: Int32Array, *, first_piece: bool = False
    ) -> tuple[Int64Array, Int32Array]:
        """Smoothed paths of many pairs in one call.

        Args:
            starts, goals: (m) int32 rows.
            first_piece: no more of each than up to its first move, for measuring.

        Returns:
            first: (m + 1) int64, and rows: path i is ``rows[first[i]:first[i + 1]]``, both ends
            included, empty where there is no way.
        """
        from bake.search.hierarchy.hpa_many import follow_ways
        from bake.search.hierarchy.inside import ASTRAY

        tables = self.tables
        layer = tables.layers[0]
        ground = self.ground
        smoothed = ground is not None and tables.mode != "exact"
        if ground is None:
            none = np.zeros((0, 2), dtype=np.int32)
            ground = Runs(0, False, none, none[:, 0], 0, none.astype(np.uint8), none)
        first = np.zeros(len(starts) + 1, dtype=np.int64)
        rows = np.empty(ROOM + EACH * len(starts), dtype=np.int32)
        row_back, arc_back = tables.backwards
        scratch = self._borrow()
        pair = 0
        while pair < len(starts):
            pair = follow_ways(
                starts,
                goals,
                first_piece,
                smoothed,
                tables.row_data,
                tables.arc_data,
                row_back,
                arc_back,
                *tables.stack,
                scratch.turns((len(layer.row) + 8) * (len(starts) - pair)),
                scratch.ends,
                scratch.local,
                scratch.heap,
                scratch.state,
                scratch.raised,
                scratch.at_goal,
                scratch.expanded,
                scratch.plan,
                scratch.spare_plan,
                scratch.told,
                ground.form,
                ground.even,
                ground.at,
                ground.row_at,
                ground.width,
                ground.run,
                ground.weight,
                scratch.spare,
                scratch.path,
                pair,
                first,
                rows,
            )
            if pair == ASTRAY:
                raise tables.tables.damaged("ways inside clusters do not lead to their transitions")
            if pair < len(starts) and first[pair] + scratch.room > len(rows):
                rows = np.concatenate(
                    [rows[: first[pair]], np.empty_like(rows), np.empty_like(rows)]
                )
            elif pair < len(starts):
                scratch.room *= 2
        self._scratch.append(scratch)
        return first, rows[: first[-1]]

    def walk(self, way: Way, *, smooth: bool = True) -> Iterator[Int32Array]:
        """The rows of a way after its start, piece by piece, each refined when it is asked for.

        Each piece is smoothed by itself.
        """
        hop, step, begin = 0, 1, way.start
        while hop <= len(way.plan):
            until = min(hop + step, len(way.plan) + 1)
            scratch = self._borrow()
            scratch.path[0] = begin
            done, filled = self._refine(way, hop, until, scratch, 1)
            if done == hop:
                scratch.room *= 2
                self._scratch.append(scratch)
                continue
            if smooth and self.tables.mode != "exact":
                filled, _ = self._smooth(filled, 0, scratch)
            piece = scratch.path[1:filled].copy()
            self._scratch.append(scratch)
            if len(piece):
                begin = int(piece[-1])
                yield piece
            hop, step = done, min(2 * step, MOST_HOPS)

    def _find(self, start: int, goal: int, scratch: _Scratch) -> Way:
        from bake.search.hierarchy.hpa import TOLD_COST, TOLD_EXPANDED, TURNS, find_way
        from bake.search.hierarchy.inside import ASTRAY

        tables = self.tables
        row_back, arc_back = tables.backwards
        length = find_way(
            start,
            goal,
            tables.row_data,
            tables.arc_data,
            row_back,
            arc_back,
            *tables.stack,
            scratch.turns(TURNS),
            scratch.ends,
            scratch.local,
            scratch.heap,
            scratch.state,
            scratch.raised,
            scratch.at_goal,
            scratch.expanded,
            scratch.plan,
            scratch.spare_plan,
            scratch.told,
        )
        if length == ASTRAY:
            raise tables.tables.damaged("ways inside clusters do not lead to their transitions")
        return Way(
            start,
            goal,
            scratch.plan[: max(0, length)].copy(),
            int(scratch.told[TOLD_COST]),
            scratch.expanded[: int(scratch.told[TOLD_EXPANDED])].copy(),
        )

    def _refine(
        self, way: Way, hop: int, until: int, scratch: _Scratch, filled: int = 0
    ) -> tuple[int, int]:
        from bake.search.hierarchy.hpa import refine
        from bake.search.hierarchy.inside import ASTRAY

        tables = self.tables
        first = tables.layers[0]
        if filled == 0:
            scratch.path[0] = way.start
            filled = 1
        hop, filled = refine(
            way.start,
            way.goal,
            way.plan,
            len(way.plan),
            hop,
            until,
            tables.row_data,
            tables.arc_data,
            first.cluster_data,
            first.row,
            first.field,
            first.bits,
            tables.two_way,
            scratch.turns(until - hop + 1),
            scratch.local,
            scratch.heap,
            scratch.path,
            filled,
        )
        if hop == ASTRAY:
            raise tables.tables.damaged("ways inside clusters do not lead to their transitions")
        return hop, filled

    def _smooth(self, filled: int, ticks: int, scratch: _Scratch) -> tuple[int, int]:
        from bake.search.hierarchy.smooth import smooth_path

        ground = self.ground
        if ground is None or filled < 3:
            return filled, ticks
        return smooth_path(
            scratch.path,
            filled,
            self.tables.row_data,
            self.tables.arc_data,
            ground.form,
            ground.even,
            ground.at,
            ground.row_at,
            ground.width,
            ground.run,
            ground.weight,
            scratch.spare,
        )

    @cached_property
    def ground(self) -> Runs | None:
        """Straight runs of a lattice; None on graphs, whose paths are not smoothed."""
        from bake.search.hierarchy.straight_runs import HEADINGS, step_weights, straight_runs

        tables = self.tables.tables
        places = tables.places
        if places.cell is None:
            return None
        at = chart(places.cell[tables.node], places.hex_layout)
        # A frame of one, so that a step off the edge finds nobody.
        at = np.ascontiguousarray(at - at.min(axis=0, initial=2**30) + 1) if len(at) else at
        width, height = (int(most) + 2 for most in at.max(axis=0, initial=0))
        row_at = np.full(width * height, -1, dtype=np.int32)
        row_at[at[:, 1] * width + at[:, 0]] = np.arange(len(at), dtype=np.int32)
        weight = np.zeros((len(at), HEADINGS), dtype=np.int32)
        even = step_weights(self.tables.row_data, self.tables.arc_data, at, weight)
        graph = tables.usable.graph
        near = np.abs(at[graph.head] - at[graph.tail()]).max(initial=0) <= 1
        run = np.zeros((width * height, HEADINGS), dtype=np.uint8)
        straight_runs(row_at, width, weight, run)
        return Runs(form_of(places), bool(even and near), at, row_at, width, run, weight)

    def _borrow(self) -> _Scratch:
        try:
            return self._scratch.pop()
        except IndexError:
            return _Scratch(self.tables)


def form_of(places: Places) -> int:
    """How a lattice's differences are taken apart: see :mod:`bake.search.hierarchy.smooth`."""
    from bake.search.hierarchy.smooth import HEX, SQUARE_4, SQUARE_8

    if places.hex_layout:
        return HEX
    return SQUARE_4 if places.asset.number("connectivity") == 4 else SQUARE_8
