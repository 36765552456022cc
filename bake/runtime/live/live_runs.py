"""What smoothing goes by on a level that changes: straight runs, kept up version by version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import Int32Array
from bake.greedy import chart
from bake.runtime.hierarchy.paths import Runs, form_of
from bake.runtime.reader.places import Places

if TYPE_CHECKING:
    from bake.search.live.hierarchy import Layout, LiveHierarchy


@dataclass(frozen=True)
class LiveRuns(Runs):
    """One version.

    Attributes:
        low: (2) int32, the chart's lowest coordinates, those of walls included.
        known: (2) int32 ticks of every straight step and every diagonal one, where even.
    """

    low: Int32Array
    known: Int32Array

    @staticmethod
    def of(places: Places, made: LiveHierarchy, layout: Layout) -> LiveRuns:
        """Of a version, all anew."""
        from bake.search.hierarchy.straight_runs import HEADINGS

        y, x = np.divmod(np.arange(places.width * places.height, dtype=np.int32), places.width)
        every = chart(np.stack([x, y], axis=1).astype(np.int32), places.hex_layout)
        low = every.min(axis=0).astype(np.int32)
        width, height = (int(most) + 3 for most in every.max(axis=0) - low)
        none = np.zeros((0, HEADINGS), dtype=np.int32)
        start = LiveRuns(
            form_of(places),
            True,
            none[:, :2],
            np.full(width * height, -1, dtype=np.int32),
            width,
            np.zeros((width * height, HEADINGS), dtype=np.uint8),
            none,
            low,
            np.zeros(2, dtype=np.int32),
        )
        return start.edited(np.arange(len(made.partition.label), dtype=np.int32), made, layout)

    def edited(self, changed: Int32Array, made: LiveHierarchy, layout: Layout) -> LiveRuns:
        """The version after a change.

        Args:
            changed: rows whose arcs are not what they were, and all new ones.
            made: arcs of the version; layout: where its rows lie.
        """
        from bake.search.hierarchy.straight_runs import straight_runs
        from bake.search.live.runs import reprice_steps, rerun

        assert layout.at is not None
        old, rows = len(self.at), len(made.partition.label)
        at, row_at = self.at, self.row_at
        weight = np.zeros((rows, self.weight.shape[1]), dtype=np.int32)
        weight[:old] = self.weight
        if rows > old:
            more = layout.at[old:rows] - self.low + 1
            at = np.ascontiguousarray(np.concatenate([at, more]))
            row_at = row_at.copy()
            row_at[more[:, 1] * self.width + more[:, 0]] = np.arange(old, rows)
        known, arcs = self.known.copy(), made.rows
        even = reprice_steps(changed, arcs.span, arcs.arcs, at, weight, known)
        run = self.run.copy()
        if old:
            spots = at[changed, 1] * np.int32(self.width) + at[changed, 0]
            rerun(spots, row_at, self.width, weight, run)
        else:
            straight_runs(row_at, self.width, weight, run)
        return LiveRuns(
            self.form, self.even and even, at, row_at, self.width, run, weight, self.low, known
        )
