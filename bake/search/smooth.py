"""Smoothing: stretches of a path give way to two straight runs, where those are no dearer.

Greedy, as in A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game
Development 1(1), 2004, section 3.4, which tries straight lines alone. Every path stays one of steps
the profile may take, its cost is the sum of their weights, and it never grows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.jit import inlined, kernel

#: How the difference of two places is taken apart: a diagonal run and a straight one on square
#: lattices with 8 neighbours; only where the signs differ on hexagonal ones; two straight runs.
SQUARE_8, HEX, SQUARE_4 = 0, 1, 2

#: Vain tries to lengthen a stretch before the next one begins; 32 find hardly more than 12.
PATIENCE = 12


@inlined
def _ways(dx: int, dy: int, form: int) -> tuple[int, int, int, int]:
    """Two directions and how many steps each."""
    sx, sy = int(dx > 0) - int(dx < 0), int(dy > 0) - int(dy < 0)
    ax, ay = abs(dx), abs(dy)
    slanted = form == SQUARE_8 or (form == HEX and sx * sy < 0)
    if slanted:
        few, many = min(ax, ay), max(ax, ay)
        first = (sx + 1) * 3 + sy + 1
        second = (sx + 1) * 3 + 1 if ax > ay else 3 + sy + 1
        return first, few, second, many - few
    return (sx + 1) * 3 + 1, ax, 3 + sy + 1, ay


@kernel
def _two_runs(
    row: int,
    spot: int,
    first: int,
    few: int,
    second: int,
    many: int,
    row_at: Int32Array,
    width: int,
    run: npt.NDArray[np.uint8],
    weight: Int32Array,
) -> int:
    """Ticks of going ``few`` steps one way and then ``many`` another; -1 where it is not free."""
    if run[row, first] < few:
        return -1
    ticks = np.int64(0)
    if few > 0:
        ticks = np.int64(few) * weight[row, first]
        row = row_at[spot + few * ((first % 3 - 1) * width + first // 3 - 1)]
    if many > 0:
        if run[row, second] < many:
            return -1
        ticks += np.int64(many) * weight[row, second]
    return int(ticks)


@kernel
def smooth_pass(
    path: Int32Array,
    begin: int,
    end: int,
    forward: bool,
    patience: int,
    form: int,
    at: Int32Array,
    row_at: Int32Array,
    width: int,
    run: npt.NDArray[np.uint8],
    weight: Int32Array,
    step: Int32Array,
    out: Int32Array,
) -> int:
    """Go over a path once and replace stretches.

    Args:
        path: rows; those from ``begin`` to ``end`` are smoothed.
        forward: from the first on, else from the last on.
        patience: give up lengthening a stretch after so many vain tries.
        form: SQUARE_8, HEX or SQUARE_4.
        at: (r, 2) int32 chart coordinates, counted from the border of ``row_at``.
        row_at, width: see :func:`bake.search.straight_runs.straight_runs`.
        run, weight: from :mod:`bake.search.straight_runs`.
        step: ticks of each step of the path, by where it starts in ``path``.
        out: filled with the new rows, room for as many.

    Returns:
        How many rows there are.
    """
    filled = 0
    here = begin if forward else end - 1
    stop = end - 1 if forward else begin
    move = 1 if forward else -1
    out[0] = path[here]
    filled = 1
    while here != stop:
        row = path[here]
        best = here + move
        swapped = False
        replaced = False
        cost = np.int64(step[here if forward else here - 1])
        other = best
        vain = 0
        while other != stop and vain < patience:
            cost += step[other if forward else other - 1]
            other += move
            a, b = (row, path[other]) if forward else (path[other], row)
            dx, dy = at[b, 0] - at[a, 0], at[b, 1] - at[a, 1]
            first, few, second, many = _ways(dx, dy, form)
            spot = at[a, 1] * width + at[a, 0]
            ticks = _two_runs(a, spot, first, few, second, many, row_at, width, run, weight)
            vain += 1
            if ticks >= 0 and ticks <= cost:
                best, swapped, replaced, vain = other, False, True, 0
                continue
            ticks = _two_runs(a, spot, second, many, first, few, row_at, width, run, weight)
            if ticks >= 0 and ticks <= cost:
                best, swapped, replaced, vain = other, True, True, 0
        if not replaced:
            out[filled] = path[best]
            filled += 1
        else:
            a, b = (row, path[best]) if forward else (path[best], row)
            first, few, second, many = _ways(at[b, 0] - at[a, 0], at[b, 1] - at[a, 1], form)
            if swapped:
                first, few, second, many = second, many, first, few
            if forward:
                spot = at[a, 1] * width + at[a, 0]
                offset = (first % 3 - 1) * width + first // 3 - 1
                for _ in range(few):
                    spot += offset
                    out[filled] = row_at[spot]
                    filled += 1
                offset = (second % 3 - 1) * width + second // 3 - 1
                for _ in range(many):
                    spot += offset
                    out[filled] = row_at[spot]
                    filled += 1
            else:
                spot = at[b, 1] * width + at[b, 0]
                offset = (second % 3 - 1) * width + second // 3 - 1
                for _ in range(many):
                    spot -= offset
                    out[filled] = row_at[spot]
                    filled += 1
                offset = (first % 3 - 1) * width + first // 3 - 1
                for _ in range(few):
                    spot -= offset
                    out[filled] = row_at[spot]
                    filled += 1
        here = best
    if not forward:
        for place in range(filled // 2):
            kept = out[place]
            out[place] = out[filled - 1 - place]
            out[filled - 1 - place] = kept
    return filled


@kernel
def step_ticks(
    path: Int32Array,
    begin: int,
    end: int,
    row_data: Int32Array,
    arc_data: Int32Array,
    step: Int32Array,
) -> int:
    """Ticks of each step of a path, the cheapest arc of several; returns their sum."""
    total = np.int64(0)
    for place in range(begin, end - 1):
        row, there = path[place], path[place + 1]
        best = np.int32(2**31 - 1)
        for arc in range(row_data[row, 2], row_data[row, 3]):
            if arc_data[arc, 0] == there:
                best = min(best, arc_data[arc, 1])
        step[place] = best
        total += best
    return int(total)


@kernel
def smooth_path(
    path: Int32Array,
    count: int,
    row_data: Int32Array,
    arc_data: Int32Array,
    form: int,
    at: Int32Array,
    row_at: Int32Array,
    width: int,
    run: npt.NDArray[np.uint8],
    weight: Int32Array,
    step: Int32Array,
    spare: Int32Array,
) -> tuple[int, int]:
    """Smooth a whole path: once from its start, once from its goal.

    Args:
        path: the first ``count`` rows; filled with the smoothed path.
        row_data, arc_data: see :mod:`bake.search.inside`.
        step, spare: working memory as long as ``path``.
        form, at, row_at, width, run, weight: as for :func:`smooth_pass`.

    Returns:
        Rows and ticks of the smoothed path.
    """
    for forward in (True, False):
        step_ticks(path, 0, count, row_data, arc_data, step)
        count = smooth_pass(
            path, 0, count, forward, PATIENCE, form, at, row_at, width, run, weight, step, spare
        )
        path[:count] = spare[:count]
    return count, step_ticks(path, 0, count, row_data, arc_data, step)
