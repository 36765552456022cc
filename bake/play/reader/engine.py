"""Define who answers how to get from one row of a profile to another.

Two classes do: :class:`~bake.play.reader.baked.Baked` looks answers up in what an asset holds,
:class:`~bake.play.live.changed.Changed` works them out, on a level that has changed and where
the asset holds no next hops. Both take the same of several shortest paths (decision 74).
"""

from __future__ import annotations

from typing import Protocol

from bake.arrays import Float64Array, Int32Array, Int64Array
from bake.play.reader.lookup import FastLookup, NextHop
from bake.play.reader.version import Version


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
