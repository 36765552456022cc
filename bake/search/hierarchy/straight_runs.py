"""Work out how far one can go straight from every cell of a lattice, at one weight a step.

Two such runs, one after the other, are the shortest way there can be over ground of one cost; two
lookups tell whether they are free. As in jump point search plus (S. Rabin, "JPS+: over 100x faster
than A*", Game AI Pro 2, 2015) runs are worked out beforehand, but along arcs, so corner rules,
one-way steps and differing costs are respected whatever they are. Where steps change, the runs that
lead there are worked out again.

Cells are in chart coordinates (:func:`bake.greedy.chart`), in a frame with a border of one, and
numbered y * width + x; a *heading* numbers the eight directions (dx, dy).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array, UInt8Array
from bake.kernels.jit import inlined, kernel
from bake.search.hierarchy.bundles import END, FIRST, HEAD, TICKS, ClusteredGraph, StraightRuns

#: The longest run there is; longer ones are cut.
LONGEST = 255

HEADINGS = 8

#: A bit for each heading that is diagonal.
SLANTED = 0b10100101


@inlined
def heading(dx: int, dy: int) -> int:
    """Return the number of a direction whose two parts are -1, 0 or 1 and not both 0."""
    way = (dx + 1) * 3 + dy + 1
    return way - 1 if way > 4 else way


@inlined
def offset(way: int, width: int) -> int:
    """Return what a step in a direction adds to the number of a cell."""
    full = way + 1 if way > 3 else way
    return (full % 3 - 1) * width + full // 3 - 1


@kernel
def _price_steps(
    rows: Int32Array, graph: ClusteredGraph, at: Int32Array, ticks: Int32Array, least: Int32Array
) -> tuple[bool, bool]:
    """Find the cheapest step from some rows in every direction.

    Args:
        at: (r, 2) int32 chart coordinates.
        ticks: (r, HEADINGS) int32, filled for the rows; 0 = there is no step.
        least: (2) int32, ticks of the cheapest straight step and diagonal one known, 0 = none;
            lowered by what these rows have.

    Returns:
        Whether all these steps weigh what is known; whether an arc leads farther than a neighbour.
    """
    even, far = True, False
    for i in range(len(rows)):
        row = rows[i]
        ticks[row, :] = 0
        for arc in range(graph.node[row, FIRST], graph.node[row, END]):
            other = graph.arc[arc, HEAD]
            if other < 0 or other == row:
                continue
            dx, dy = at[other, 0] - at[row, 0], at[other, 1] - at[row, 1]
            if abs(dx) > 1 or abs(dy) > 1:
                far = True
                continue
            way = heading(dx, dy)
            if ticks[row, way] == 0 or graph.arc[arc, TICKS] < ticks[row, way]:
                ticks[row, way] = graph.arc[arc, TICKS]
        for way in range(HEADINGS):
            slanted = (SLANTED >> way) & 1
            if ticks[row, way] == 0:
                continue
            if least[slanted] == 0:
                least[slanted] = ticks[row, way]
            even = even and ticks[row, way] == least[slanted]
            least[slanted] = min(least[slanted], ticks[row, way])
    return even, far


@inlined
def _run_from(
    cell: int, way: int, row_at: Int32Array, width: int, ticks: Int32Array, length: UInt8Array
) -> int:
    """Count the steps of a run, given the run from the next cell in its direction."""
    row = row_at[cell]
    steps = 0
    if row >= 0 and ticks[row, way] != 0:
        steps = 1
        beyond = row_at[cell + offset(way, width)]
        if beyond >= 0 and ticks[beyond, way] == ticks[row, way]:
            steps = min(LONGEST, int(length[cell + offset(way, width), way]) + 1)
    return steps


@kernel
def _run_everywhere(row_at: Int32Array, width: int, ticks: Int32Array, length: UInt8Array) -> None:
    """Fill ``length``, which holds zeros before, with the runs from every cell."""
    for way in range(HEADINGS):
        backwards = offset(way, width) > 0
        for count in range(len(row_at)):
            # The next cell of a run is always done before.
            cell = len(row_at) - 1 - count if backwards else count
            if row_at[cell] >= 0:
                length[cell, way] = _run_from(cell, way, row_at, width, ticks, length)


@kernel
def _run_again(
    cells: Int32Array, row_at: Int32Array, width: int, ticks: Int32Array, length: UInt8Array
) -> None:
    """Find the runs again where the steps from some cells are not what they were.

    Args:
        ticks: of the new steps.
        length: of the old runs; becomes that of the new runs.
    """
    for i in range(len(cells)):
        for way in range(HEADINGS):
            cell = cells[i]
            # The run before a changed step may end there now, whatever comes after.
            sure = 2
            while sure > 0 and row_at[cell] >= 0:
                steps = _run_from(cell, way, row_at, width, ticks, length)
                sure -= 1
                if steps != length[cell, way]:
                    length[cell, way] = steps
                    sure = max(sure, 1)
                cell -= offset(way, width)


@dataclass(frozen=True)
class RunsVersion:
    """Straight runs of one version of a lattice.

    Attributes:
        runs: what kernels take.
        low: (2) int32, the lowest coordinates of the chart; those of the frame begin one before.
    """

    runs: StraightRuns
    low: Int32Array

    @staticmethod
    def of(graph: ClusteredGraph, at: Int32Array, frame: Int32Array, form: int) -> RunsVersion:
        """Find the runs of a whole lattice.

        Args:
            at: (r, 2) int32 chart coordinates of its rows.
            frame: (k, 2) int32 chart coordinates of all rows there may ever be.
            form: SQUARE_8, HEX or SQUARE_4: see :mod:`bake.search.hierarchy.smooth`.
        """
        low = frame.min(axis=0, initial=2**30).astype(np.int32)
        low[low == 2**30] = 0
        width, height = (int(most) + 3 for most in frame.max(axis=0, initial=-1) - low)
        none = np.zeros((0, HEADINGS), dtype=np.int32)
        start = StraightRuns(
            form,
            True,
            none[:, :2].copy(),
            np.full(width * height, -1, dtype=np.int32),
            width,
            np.zeros((width * height, HEADINGS), dtype=np.uint8),
            none,
            np.zeros(2, dtype=np.int32),
            False,
        )
        nothing = RunsVersion(start, low)
        return nothing.edited(np.arange(len(at), dtype=np.int32), graph, at)

    def edited(self, changed: Int32Array, graph: ClusteredGraph, at: Int32Array) -> RunsVersion:
        """Find the runs after a change.

        Args:
            changed: rows whose arcs are not what they were, and all new ones.
            graph, at: of the new version; rows of the old version have not moved.
        """
        runs, old, rows = self.runs, len(self.runs.at), len(graph.node)
        ticks = np.zeros((rows, HEADINGS), dtype=np.int32)
        ticks[:old] = runs.ticks
        own, row_at, least = runs.at, runs.row_at, runs.least.copy()
        if rows > old:
            more = at[old:rows] - self.low + 1
            own = np.ascontiguousarray(np.concatenate([own, more]))
            row_at = row_at.copy()
            row_at[more[:, 1] * runs.width + more[:, 0]] = np.arange(old, rows)
        even, far = _price_steps(changed, graph, own, ticks, least)
        far = runs.far or far
        length = runs.length.copy()
        if old:
            cells = own[changed, 1] * np.int32(runs.width) + own[changed, 0]
            _run_again(cells, row_at, runs.width, ticks, length)
        else:
            _run_everywhere(row_at, runs.width, ticks, length)
        made = StraightRuns(
            runs.form,
            bool(runs.even and even and not far),
            own,
            row_at,
            runs.width,
            length,
            ticks,
            least,
            bool(far),
        )
        return RunsVersion(made, self.low)
