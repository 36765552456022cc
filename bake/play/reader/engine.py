"""Answer how to get from one row of a profile to another.

Two classes do: :class:`Baked` looks answers up in what an asset holds,
:class:`~bake.play.live.changed.Changed` works them out, on a level that has changed and where
the asset holds no next hops. Both take the same of several shortest paths (decision 74).
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, Int64Array
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.lookup import FastLookup, NextHop, fast_lookup, lookup_of
from bake.play.reader.version import Version
from levelbake.steps import in_rows, shoved_parity


class Engine(Protocol):
    """The paths between the rows of one version of a profile; threads may share it.

    Any answer may raise a CorruptAssetError, as columns are checked when they are first read.
    """

    @property
    def version(self) -> Version:
        """Return the rows that it answers for."""

    def hop(self, row: int, goal: int) -> int:
        """Return the row to step to, -1 where there is no path. The row must not be the goal."""

    def hops(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32, the rows to step to; at its goal the row itself, -1 without a path."""

    def way(self, row: int, goal: int) -> Int32Array | None:
        """Return the rows of a shortest path, both ends included; None where there is none."""

    def ways(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return the rows of many shortest paths.

        Returns:
            (k + 1) int64 where each path begins, and (s) int32 rows, both ends included; nothing
            where there is no path.
        """

    def ways_in_cells(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return what :meth:`ways` does on a grid level, with (s, 2) int32 cells for rows."""

    def ticks(self, row: int, goal: int) -> float:
        """Return the ticks of a shortest path; inf where there is none."""

    def all_ticks(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks of shortest paths; inf where there is none."""

    def toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one goal; inf where there is no path."""

    def reaches(self, row: int, goal: int) -> bool:
        """Tell whether there is a path."""

    def known_apart(self, row: int, goal: int) -> bool:
        """Tell whether it is known without a look at the whole level that there is no path."""

    def lookup(self, fallback: NextHop) -> FastLookup:
        """Make the fast single lookup; ``fallback`` answers whatever the lookup does not."""


class Baked:
    """An engine for a level as it was baked: see :class:`Engine`.

    Asking for a path where the asset holds no next hops raises a MissingTableError.
    """

    def __init__(self, columns: ProfileColumns, version: Version | None = None) -> None:
        """Read nothing yet.

        Args:
            version: what is known of the profile; None = what its columns tell.
        """
        self.columns = columns
        self.version = columns.version if version is None else version

    def hop(self, row: int, goal: int) -> int:
        columns = self.columns
        arc = columns.steps.arc(row, goal)
        return -1 if arc < 0 else int(columns.head_row[arc])

    def hops(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        return self.columns.steps.next_rows(rows, goals)

    def way(self, row: int, goal: int) -> Int32Array | None:
        return self.columns.steps.path(row, goal)

    def ways(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        columns = self.columns
        if not columns.steps.charted:
            return columns.steps.walk(rows, goals)
        first, cell = self.ways_in_cells(rows, goals)
        return first, columns.row_at[cell[:, 1] * columns.places.width + cell[:, 0]]

    def ways_in_cells(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        columns = self.columns
        if not columns.steps.charted:
            first, path = columns.steps.walk(rows, goals)
            return first, columns.version.cell_of_row.take(path, axis=0)
        first, noted = columns.steps.walk_chart(rows, goals)
        return first, unchart(noted, columns.places.hex_layout)

    def ticks(self, row: int, goal: int) -> float:
        labels = self.columns.labels
        return (self.columns.steps if labels is None else labels).ticks(row, goal)

    def all_ticks(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        labels = self.columns.labels
        return (self.columns.steps if labels is None else labels).ticks_between(rows, goals)

    def toward(self, goal: int) -> Float64Array:
        return self.columns.ticks_toward(goal)

    def reaches(self, row: int, goal: int) -> bool:
        joined = self.version.joined(row, goal)
        return self.hop(row, goal) >= 0 if joined is None else joined

    def known_apart(self, row: int, goal: int) -> bool:
        return self.version.joined(row, goal) is False

    def lookup(self, fallback: NextHop) -> FastLookup:
        columns = self.columns
        return fast_lookup(columns.places, columns.row_at, self.cell_lookup, fallback)

    def cell_lookup(self, row_at: memoryview[int], fallback: NextHop) -> NextHop:
        """Make a lookup between cells of the whole grid: see :func:`lookup_of`."""
        columns = self.columns
        return lookup_of(columns.steps, self._head_at, columns.places.width, row_at, fallback)

    @cached_property
    def _head_at(self) -> Int32Array:
        """Return (m) int32, y * width + x of the cell each arc leads to."""
        places = self.columns.places
        flat: Int32Array = places.flat[places.head]
        return flat


def unchart(at: Int32Array, hex_layout: str | None) -> Int32Array:
    """Return the cells at chart coordinates, as the inverse of :func:`levelbake.steps.chart`."""
    if hex_layout is None:
        return at
    line = int(in_rows(hex_layout))
    found, lines = at.astype(np.int32), at[:, line]
    shoved = -(lines & 1) if shoved_parity(hex_layout) else lines & 1
    found[:, 1 - line] += (lines + shoved) >> 1
    return found
