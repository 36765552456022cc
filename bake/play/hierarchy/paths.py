"""Find paths by HPA*: connect start and goal, search transitions, refine hop by hop, smooth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.kernels.jit import straight
from bake.play.reader.version import Version
from bake.search.hierarchy import hpa
from bake.search.hierarchy.bundles import (
    ASTRAY,
    FULL,
    NO_RUNS,
    LayerStack,
    QueryMemory,
    StraightRuns,
)
from bake.search.hierarchy.layer import Layer

#: How many rows a path has room for at first.
# limit: the search restarts with twice the capacity; lowered by same_paths
ROOM = 4096

#: How many more rows there is room for, for each of many paths.
# limit: the search restarts with twice the capacity; lowered by same_paths
EACH = 512

#: The start of a way, its goal, and the transitions of the first layer between them.
Plan = tuple[int, int, Int32Array]


class Hierarchy(Protocol):
    """The layers of a profile by which paths are found, as they were baked or at one moment.

    Attributes:
        version: the profile.
        layers: the layers, lowest first.
        stack: the layers in the form that is searched.
        most_arcs: the most arcs inside a cluster of rows, in either direction.
        runs: the straight runs by which paths are smoothed; None on graphs.
    """

    @property
    def version(self) -> Version: ...
    @property
    def layers(self) -> tuple[Layer, ...]: ...
    @property
    def stack(self) -> LayerStack: ...
    @property
    def most_arcs(self) -> int: ...
    @property
    def runs(self) -> StraightRuns | None: ...
    def apart(self, row: int, goal: int) -> bool | None:
        """Tell whether the layers show that there is no path; None where components tell."""


@dataclass(frozen=True)
class Way:
    """A plan for getting from one row to another."""

    #: start, goal: rows
    start: int
    goal: int
    #: (k) int32 transitions of the first layer on the way; empty for a way inside a cluster
    plan: Int32Array
    ticks: int  #: what the way costs before smoothing; -1 = there is no way
    #: (e) int32, transitions of the first layer that the search expanded, in order
    expanded: Int32Array


class HierarchyPaths:
    """A finder of one profile's paths over its hierarchy; threads may share it.

    Attributes:
        tables: the hierarchy.
    """

    def __init__(self, tables: Hierarchy) -> None:
        self.tables = tables
        self._kernels = hpa
        self._memory: list[QueryMemory] = []
        self._straight: Callable[..., tuple[int, int, int, int, int]] | None = None

    def path(self, start: int, goal: int) -> tuple[Int32Array | None, int, int]:
        """Find the smoothed path from one row to another.

        Returns:
            Its rows, both ends included, or None where there is no way; its ticks; how many
            transitions were expanded.

        Raises:
            CorruptAssetError: ways that lead nowhere.
        """
        memory, (filled, ticks, expanded, _, _) = self._follow(start, goal, first_piece=False)
        rows = memory.route[0, :filled].copy() if filled >= 0 else None
        self._memory.append(memory)
        return rows, ticks, expanded

    def walk(self, start: int, goal: int) -> Iterator[Int32Array] | None:
        """Return an iterator over pieces of the rows after the start; None where there is no way.

        The first piece is worked out at once, each further one when it is asked for. Each piece is
        smoothed by itself.

        Raises:
            CorruptAssetError: ways that lead nowhere.
        """
        memory, (filled, _, _, length, hop) = self._follow(start, goal, first_piece=True)
        piece, plan = memory.route[0, 1 : max(1, filled)].copy(), memory.plan[0, :length].copy()
        self._memory.append(memory)
        return None if filled < 0 else self._pieces((start, goal, plan), hop, piece)

    def _pieces(self, way: Plan, hop: int, piece: Int32Array) -> Iterator[Int32Array]:
        """Yield a first piece, which leads up to a hop of a way, and those that follow it."""
        if len(piece):
            yield piece
        length = len(way[2])
        while hop <= length:
            until = self._kernels.piece_end(hop, length)
            hop, rows = self._refined(way, hop, until, int(piece[-1]), smooth=True)
            if len(rows) > 1:
                piece = rows[1:]
                yield piece

    def many(
        self, starts: Int32Array, goals: Int32Array, *, first_piece: bool = False
    ) -> tuple[Int64Array, Int32Array]:
        """Find the smoothed paths of many pairs in one call.

        Args:
            starts, goals: (m) int32 rows.
            first_piece: whether to find only the first piece of each walk, for measuring.

        Returns:
            first: (m + 1) int64, and rows: path i is ``rows[first[i]:first[i + 1]]``, both ends
            included, empty where there is no way.
        """
        follow, stack, runs = self._kernels.follow_ways, self.tables.stack, self._runs
        if stack.layers > 1:
            return self._one_by_one(starts, goals, first_piece=first_piece)
        first = np.zeros(len(starts) + 1, dtype=np.int64)
        rows = np.empty(ROOM + EACH * len(starts), dtype=np.int32)
        memory = self._borrow()
        pair = 0
        while pair < len(starts):
            pair = follow(starts, goals, first_piece, stack, runs, memory, pair, first, rows)
            self._check(pair)
            if pair < len(starts) and first[pair] + memory.route.shape[1] > len(rows):
                rows = np.concatenate(
                    [rows[: first[pair]], np.empty_like(rows), np.empty_like(rows)]
                )
            elif pair < len(starts):
                memory = with_room(memory)
        self._memory.append(memory)
        return first, rows[: first[-1]]

    def _one_by_one(
        self, starts: Int32Array, goals: Int32Array, *, first_piece: bool
    ) -> tuple[Int64Array, Int32Array]:
        """Do what :meth:`many` does, with a call for each pair."""
        first = np.zeros(len(starts) + 1, dtype=np.int64)
        pieces: list[Int32Array] = []
        for pair, (start, goal) in enumerate(zip(starts.tolist(), goals.tolist(), strict=True)):
            memory, found = self._follow(start, goal, first_piece=first_piece)
            pieces.append(memory.route[0, : max(0, found[0])].copy())
            self._memory.append(memory)
            first[pair + 1] = first[pair] + len(pieces[-1])
        return first, np.concatenate([np.zeros(0, dtype=np.int32), *pieces])

    def find(self, start: int, goal: int) -> Way:
        """Plan the way between two rows, without refining it.

        Raises:
            CorruptAssetError: ways that lead nowhere.
        """
        memory = self._borrow()
        length, ticks, count = self._planned(start, goal, memory)
        plan, expanded = memory.plan[0, : max(0, length)].copy(), memory.expanded[:count].copy()
        self._memory.append(memory)
        return Way(start, goal, plan, ticks, expanded)

    def _planned(self, start: int, goal: int, memory: QueryMemory) -> tuple[int, int, int]:
        """Call :func:`bake.search.hierarchy.hpa.find_way`; return what it does."""
        planned = self._plan_on(self.tables.stack, start, goal, memory)
        self._check(planned[0])
        return planned

    def _plan_on(
        self, stack: LayerStack, start: int, goal: int, memory: QueryMemory
    ) -> tuple[int, int, int]:
        find = self._kernels.find_way if stack.layers == 1 else self._kernels.find_way_above
        return find(start, goal, stack, memory)

    def rows(self, way: Way) -> Int32Array:
        """Refine a planned way into rows, both ends included, without smoothing.

        Raises:
            CorruptAssetError: ways that lead nowhere.
        """
        hop, rows = 0, np.array([way.start], dtype=np.int32)
        while hop <= len(way.plan):
            ends, until = (way.start, way.goal, way.plan), len(way.plan) + 1
            hop, more = self._refined(ends, hop, until, int(rows[-1]), smooth=False)
            rows = np.concatenate([rows, more[1:]])
        return rows

    def _follow(
        self, start: int, goal: int, *, first_piece: bool
    ) -> tuple[QueryMemory, tuple[int, int, int, int, int]]:
        """Call :func:`bake.search.hierarchy.hpa.follow_way`; return its memory and its answer."""
        stack, runs = self.tables.stack, self._runs
        memory = self._borrow()
        follow = self._straight or self._followed
        found = follow(start, goal, first_piece, stack, runs, memory)
        if found[0] < 0:
            while found[0] == FULL:
                memory = with_room(memory)
                found = follow(start, goal, first_piece, stack, runs, memory)
            self._check(found[0])
        return memory, found

    def _followed(self, *args: Any) -> tuple[int, int, int, int, int]:
        """Call a kernel as usual, and have later calls spared the choice of its code."""
        one = self.tables.stack.layers == 1
        follow = self._kernels.follow_way if one else self._kernels.follow_way_above
        found = follow(*args)
        self._straight = straight(follow, *args)
        return found

    def _refined(
        self, way: Plan, hop: int, until: int, row: int, *, smooth: bool
    ) -> tuple[int, Int32Array]:
        """Refine some hops; return the hop to go on with, and rows from ``row`` on."""
        memory, runs = self._borrow(), self._runs if smooth else NO_RUNS
        while True:
            follow, stack = self._kernels.follow_plan, self.tables.stack
            done, filled = follow(*way, hop, until, row, stack, runs, memory)
            self._check(done)
            if done > hop:
                break
            memory = with_room(memory)
        rows = memory.route[0, :filled].copy()
        self._memory.append(memory)
        return done, rows

    @cached_property
    def _runs(self) -> StraightRuns:
        """Return the straight runs by which paths are smoothed."""
        runs = self.tables.runs
        return NO_RUNS if runs is None else runs

    def _check(self, answer: int) -> None:
        """Refuse an answer by which a kernel reports damaged tables."""
        if answer == ASTRAY:
            version = self.tables.version
            raise version.damaged("ways inside clusters do not lead to their transitions")

    def _borrow(self) -> QueryMemory:
        try:
            return self._memory.pop()
        except IndexError:
            return self._kernels.query_memory(self.tables.stack, self.tables.most_arcs, ROOM)


def with_room(memory: QueryMemory) -> QueryMemory:
    """Make room for paths twice as long; what the memory held of one is lost."""
    return memory._replace(route=np.empty((6, 2 * memory.route.shape[1]), dtype=np.int32))
