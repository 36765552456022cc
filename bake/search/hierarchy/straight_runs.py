"""Work out how far one can go straight from every cell of a lattice, at one weight a step.

Two such runs, one after the other, are the shortest way there can be over ground of one cost; two
lookups tell whether they are free. As in jump point search plus (S. Rabin, "JPS+: over 100x faster
than A*", Game AI Pro 2, 2015) runs are worked out beforehand, but along arcs, so corner rules,
one-way steps and differing costs are respected whatever they are. Where steps change, the runs that
lead there are worked out again.

Cells are in chart coordinates (:func:`levelbake.steps.chart`), in a frame with a border of one, and
numbered y * width + x; a *heading* numbers the eight directions (dx, dy).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import Int32Array, UInt8Array
from bake.core.graph import UNREACHABLE
from bake.core.kernels.jit import accessor, inlined, kernel, ready
from bake.search.hierarchy.arcs import (
    SLANTED,
    beside,
    end_arc,
    first_arc,
    head_of,
    row_on,
    step_ticks,
    ticks_of,
)
from bake.search.hierarchy.bundles import (
    END,
    EVEN_Q,
    EVEN_R,
    FIRST,
    HEAD,
    ODD_Q,
    ODD_R,
    TICKS,
    ClusteredGraph,
    LatticeArcs,
    StraightRuns,
)

#: The longest run there is; longer ones are cut.
# limit: runs are split; paths may be longer; lowered by sound_paths
LONGEST = 255

HEADINGS = 8


@accessor
def heading(dx: int, dy: int) -> int:
    """Return the number of a direction whose two parts are -1, 0 or 1 and not both 0."""
    way = (dx + 1) * 3 + dy + 1
    return way - 1 if way > 4 else way


@accessor
def offset(way: int, width: int) -> int:
    """Return what a step in a direction adds to the number of a cell."""
    full = way + 1 if way > 3 else way
    return (full % 3 - 1) * width + full // 3 - 1


@accessor
def coordinate(runs: StraightRuns, row: int, axis: int) -> int:
    """Return the x (axis 0) or y (axis 1) of a row in the coordinates of the frame."""
    lattice = runs.lattice
    found = 0
    if len(lattice.cell) == 0:
        found = int(runs.at[row, axis])
    else:
        x, y = lattice.cell[row] % runs.width, lattice.cell[row] // runs.width
        found = int(y if axis else x)
        if lattice.layout == ODD_R and axis == 0:
            found -= (y - (y & 1)) >> 1
        elif lattice.layout == EVEN_R and axis == 0:
            found -= (y + (y & 1)) >> 1
        elif lattice.layout == ODD_Q and axis == 1:
            found -= (x - (x & 1)) >> 1
        elif lattice.layout == EVEN_Q and axis == 1:
            found -= (x + (x & 1)) >> 1
    return found


@accessor
def cell_at(runs: StraightRuns, x: int, y: int) -> int:
    """Return the number of the cell at some coordinates of the frame."""
    layout, cell = runs.lattice.layout, y * runs.width + x
    if layout == ODD_R:
        cell += (y - (y & 1)) >> 1
    elif layout == EVEN_R:
        cell += (y + (y & 1)) >> 1
    elif layout == ODD_Q:
        cell += ((x - (x & 1)) >> 1) * runs.width
    elif layout == EVEN_Q:
        cell += ((x + (x & 1)) >> 1) * runs.width
    return cell


@accessor
def cell_count(runs: StraightRuns) -> int:
    """Return how many cells the frame has, or the grid of a lattice."""
    return len(runs.row_at) if len(runs.lattice.cell) == 0 else len(runs.lattice.row_at)


@accessor
def row_in(runs: StraightRuns, cell: int) -> int:
    """Return the row in a cell, -1 where there is none."""
    row = 0
    if len(runs.lattice.cell) == 0:
        row = int(runs.row_at[cell])
    else:
        row = int(row_on(runs.lattice, cell))
    return row


@accessor
def ticks_from(runs: StraightRuns, cell: int, way: int) -> int:
    """Return the ticks of the cheapest step from a cell in a direction in which there is one."""
    ticks = 0
    if len(runs.lattice.cell) == 0:
        ticks = int(runs.ticks[runs.row_at[cell], way])
    else:
        ticks = int(step_ticks(runs.lattice, cell, runs.lattice.slot[way]))
    return ticks


@accessor
def _steps_follow(lattice: LatticeArcs, cell: int, way: int, count: int) -> bool:
    """Tell whether so many steps of one weight follow each other from a cell in a direction."""
    slot = lattice.slot[way]
    if count > LONGEST or (slot < 0 and count > 0):
        return False
    if count > 0 and row_on(lattice, cell) < 0:
        return False
    first = 0
    for step in range(count):
        if not (lattice.steps[cell] >> slot) & 1:
            return False
        other = beside(lattice, cell, slot)
        if row_on(lattice, other) < 0:
            return False
        ticks = int(step_ticks(lattice, cell, slot))
        if step == 0:
            first = ticks
        elif ticks != first:
            return False
        cell = other
    return True


@accessor
def is_free(runs: StraightRuns, cell: int, way: int, count: int) -> bool:
    """Tell whether so many steps of one weight lead from a cell straight in a direction."""
    free = False
    if len(runs.lattice.cell) == 0:
        free = runs.length[cell, way] >= count
    else:
        free = _steps_follow(runs.lattice, cell, way, count)
    return free


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
        for arc in range(first_arc(graph, row), end_arc(graph, row)):
            other = head_of(graph, arc)
            if other < 0 or other == row:
                continue
            dx, dy = at[other, 0] - at[row, 0], at[other, 1] - at[row, 1]
            if abs(dx) > 1 or abs(dy) > 1:
                far = True
                continue
            way = heading(dx, dy)
            if ticks[row, way] == 0 or ticks_of(graph, arc) < ticks[row, way]:
                ticks[row, way] = ticks_of(graph, arc)
        for way in range(HEADINGS):
            slanted = (SLANTED >> way) & 1
            if ticks[row, way] == 0:
                continue
            if least[slanted] == 0:
                least[slanted] = ticks[row, way]
            even = even and ticks[row, way] == least[slanted]
            least[slanted] = min(least[slanted], ticks[row, way])
    return even, far


def _price_all_steps(
    graph: ClusteredGraph, at: Int32Array, ticks: Int32Array, least: Int32Array
) -> tuple[bool, bool]:
    """Do what :func:`_price_steps` does for all rows, by operations on arrays."""
    count = graph.node[:, END] - graph.node[:, FIRST]
    tail = np.repeat(np.arange(len(graph.node)), count)
    arc = np.arange(len(tail)) + np.repeat(graph.node[:, FIRST] - np.cumsum(count) + count, count)
    head, weight = graph.arc[arc, HEAD], graph.arc[arc, TICKS]
    usable = np.flatnonzero((head >= 0) & (head != tail))
    tail, head, weight = tail[usable], head[usable], weight[usable]
    away = at[head] - at[tail]
    near = (np.abs(away) <= 1).all(axis=1)
    way = (away[near, 0] + 1) * 3 + away[near, 1] + 1
    cheapest = np.full(ticks.shape, UNREACHABLE, dtype=np.int32)
    np.minimum.at(cheapest, (tail[near], way - (way > 4)), weight[near])
    ticks[:] = np.where(cheapest == UNREACHABLE, 0, cheapest)
    even = True
    slanted = (SLANTED >> np.arange(HEADINGS)) & 1
    for kind in range(2):
        found = ticks[:, slanted == kind]
        found = found[found != 0]
        if len(found):
            known = found if least[kind] == 0 else np.append(found, least[kind])
            even = even and bool((known == known[0]).all())
            least[kind] = known.min()
    return even, not bool(near.all())


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


def _run_in_rows(row_at: Int32Array, width: int, ticks: Int32Array, length: UInt8Array) -> None:
    """Do what :func:`_run_everywhere` does, row by row or column by column of the frame."""
    if not len(ticks):
        return
    height = len(row_at) // width
    stands = (row_at >= 0).reshape(height, width)
    step = np.where(stands[:, :, None], ticks[row_at].reshape(height, width, HEADINGS), 0)
    run = length.reshape(height, width, HEADINGS)
    for way in range(HEADINGS):
        full = way + 1 if way > 3 else way
        dx, dy = full // 3 - 1, full % 3 - 1
        weight, steps = step[:, :, way], run[:, :, way]
        if dy == 0:
            weight, steps, dx, dy = weight.T, steps.T, dy, dx
        inner = slice(1, weight.shape[1] - 1)
        beyond = slice(1 + dx, weight.shape[1] - 1 + dx)
        lines = range(1, len(weight) - 1)
        for line in reversed(lines) if dy > 0 else lines:
            ahead = weight[line + dy, beyond] == weight[line, inner]
            longer = np.minimum(LONGEST, steps[line + dy, beyond].astype(np.int32) + 1)
            steps[line, inner] = np.where(weight[line, inner] == 0, 0, np.where(ahead, longer, 1))


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


def lattice_runs(lattice: LatticeArcs, form: int, least: Int32Array, *, even: bool) -> StraightRuns:
    """Return the straight runs of a lattice whose arcs follow from its cells; none is worked out.

    Args:
        form: as for :meth:`RunsVersion.of`.
        least, even: from :func:`bake.search.hierarchy.arcs.cheapest_steps`.
    """
    none = np.zeros((0, HEADINGS), dtype=np.int32)
    return StraightRuns(
        form,
        even,
        none[:, :2].copy(),
        none[:, 0].copy(),
        lattice.width,
        none.astype(np.uint8),
        none,
        least,
        False,
        lattice,
    )


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
        length = runs.length.copy()
        if not old and not ready(_price_steps):
            even, far = _price_all_steps(graph, own, ticks, least)
        else:
            even, far = _price_steps(changed, graph, own, ticks, least)
        far = runs.far or far
        if not old and not ready(_run_everywhere):
            _run_in_rows(row_at, runs.width, ticks, length)
        elif old:
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
