"""Straight runs of a lattice (``hierarchy.straight_runs``), kept up where steps change."""

from __future__ import annotations

from bake.arrays import Int32Array, UInt8Array
from bake.kernels.jit import inlined, kernel
from bake.search.hierarchy.straight_runs import HEADINGS, LONGEST, SLANTED, heading, offset


@kernel
def reprice_steps(
    rows: Int32Array,
    span: Int32Array,
    arcs: Int32Array,
    at: Int32Array,
    weight: Int32Array,
    known: Int32Array,
) -> bool:
    """Ticks of the cheapest step from some rows in every direction.

    Args:
        rows: the rows; span: (r, 2) int32, arcs: where their arcs are, see
            :class:`bake.search.live.rows.LiveRows`.
        at: (r, 2) int32 chart coordinates.
        weight: (r, HEADINGS) int32, filled for the rows; 0 = no step.
        known: (2) int32, ticks of a straight step and of a diagonal one, 0 = unknown; kept up.

    Returns:
        Whether all these steps weigh what is known, and no arc leads farther than a neighbour.
    """
    even = True
    for place in range(len(rows)):
        row = rows[place]
        weight[row, :] = 0
        for arc in range(span[row, 0], span[row, 1]):
            other = arcs[arc, 0]
            if other < 0 or other == row:
                continue
            dx, dy = at[other, 0] - at[row, 0], at[other, 1] - at[row, 1]
            if abs(dx) > 1 or abs(dy) > 1:
                even = False
                continue
            way = heading(dx, dy)
            ticks = arcs[arc, 1]
            if weight[row, way] == 0 or ticks < weight[row, way]:
                weight[row, way] = ticks
        for way in range(HEADINGS):
            ticks = weight[row, way]
            slanted = (SLANTED >> way) & 1
            if ticks != 0 and known[slanted] == 0:
                known[slanted] = ticks
            even = even and (ticks == 0 or ticks == known[slanted])
    return even


@inlined
def _run_from(
    spot: int,
    way: int,
    row_at: Int32Array,
    width: int,
    weight: Int32Array,
    run: UInt8Array,
) -> int:
    row = row_at[spot]
    length = 0
    if row >= 0 and weight[row, way] != 0:
        length = 1
        beyond = row_at[spot + offset(way, width)]
        if beyond >= 0 and weight[beyond, way] == weight[row, way]:
            length = min(LONGEST, int(run[spot + offset(way, width), way]) + 1)
    return length


@kernel
def rerun(
    spots: Int32Array,
    row_at: Int32Array,
    width: int,
    weight: Int32Array,
    run: UInt8Array,
) -> None:
    """Runs again where the steps from some spots are not what they were.

    Args:
        spots: where; row_at, width, weight: as for
            :func:`bake.search.hierarchy.straight_runs.straight_runs`, of the new steps.
        run: of the old ones; becomes that of the new ones.
    """
    for place in range(len(spots)):
        for way in range(HEADINGS):
            spot = spots[place]
            # The run before a changed step may end there now, whatever comes after.
            sure = 2
            while sure > 0 and row_at[spot] >= 0:
                length = _run_from(spot, way, row_at, width, weight, run)
                sure -= 1
                if length != run[spot, way]:
                    run[spot, way] = length
                    sure = max(sure, 1)
                spot -= offset(way, width)
