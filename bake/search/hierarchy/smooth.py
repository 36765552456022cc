"""Smooth paths: replace stretches of a path by two straight runs where those cost no more.

The method is greedy, as in A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical
path-finding", J. Game Development 1(1), 2004, section 3.4, which tries straight lines alone. Every
path stays one of steps the profile may take, its cost is the sum of their weights, and it never
grows.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.kernels.jit import accessor, allocating, kernel, separate
from bake.search.hierarchy.arcs import end_arc, first_arc, head_of, ticks_of
from bake.search.hierarchy.bundles import (
    FULL,
    ClusteredGraph,
    QueryMemory,
    StraightRuns,
)
from bake.search.hierarchy.straight_runs import (
    cell_at,
    coordinate,
    heading,
    is_free,
    row_in,
    ticks_from,
)

#: How the difference of two cells is taken apart: a diagonal run and a straight one on square
#: lattices with 8 neighbours; only where the signs differ on hexagonal ones; two straight runs.
SQUARE_8, HEX, SQUARE_4 = 0, 1, 2

#: How often lengthening a stretch may fail before the next one begins; 32 find hardly more than 12.
# limit: paths stay valid, and may be longer; lowered by sound_paths
PATIENCE = 12


@accessor
def two_ways(dx: int, dy: int, form: int) -> tuple[int, int, int, int]:
    """Take a difference that is not (0, 0) apart into two headings and the steps along each."""
    sx, sy = int(dx > 0) - int(dx < 0), int(dy > 0) - int(dy < 0)
    ax, ay = abs(dx), abs(dy)
    if (form == SQUARE_8 or (form == HEX and sx * sy < 0)) and ax > 0 and ay > 0:
        few = min(ax, ay)
        # Where both are equal the second run has no steps, and any heading will do.
        second = heading(sx, 0) if ax > ay else heading(0, sy)
        return heading(sx, sy), few, second, max(ax, ay) - few
    first = heading(sx, 0) if ax > 0 else heading(0, sy)
    second = heading(0, sy) if ay > 0 else heading(sx, 0)
    return first, ax, second, ay


@accessor
def corner_of(x: int, y: int, way: int, count: int, runs: StraightRuns) -> int:
    """Return the cell so many steps from another one in a direction."""
    full = way + 1 if way > 3 else way
    return cell_at(runs, x + count * (full // 3 - 1), y + count * (full % 3 - 1))


@accessor
def _ticks_of_runs(
    x: int, y: int, first: int, few: int, second: int, many: int, runs: StraightRuns
) -> int:
    """Price ``few`` steps one way and then ``many`` another; return -1 where they are not free."""
    ticks = -1
    cell = cell_at(runs, x, y)
    if is_free(runs, cell, first, few):
        corner = corner_of(x, y, first, few, runs)
        if is_free(runs, corner, second, many):
            ticks = 0
            if few > 0:
                ticks += few * ticks_from(runs, cell, first)
            if many > 0:
                ticks += many * ticks_from(runs, corner, second)
    return int(ticks)


@accessor
def free_order(x: int, y: int, to_x: int, to_y: int, runs: StraightRuns) -> int:
    """Tell in which order two runs lead from a cell to another: 0 = in none, 1, 2 = swapped."""
    order = 0
    first, few, second, many = two_ways(to_x - x, to_y - y, runs.form)
    if few + many > 0:
        cell = cell_at(runs, x, y)
        if is_free(runs, cell, first, few) and is_free(
            runs, corner_of(x, y, first, few, runs), second, many
        ):
            order = 1
        elif is_free(runs, cell, second, many) and is_free(
            runs, corner_of(x, y, second, many, runs), first, few
        ):
            order = 2
    return order


@kernel
def _farthest_free(
    here: int, there: int, stop: int, runs: StraightRuns, x: Int32Array, y: Int32Array
) -> tuple[int, bool, bool]:
    """Find how far along a path on even ground a stretch from a cell may reach.

    On even ground no way is cheaper than two runs, so being free is enough. Strides double until
    one fails, and halve from there; then the next cells are tried one by one.

    Args:
        here: where the stretch begins; there: how far it is straight already.
        stop: the last cell of the path, or the first, if it is gone over backwards.

    Returns:
        The last cell of the stretch; whether that is ``there``; whether the runs are swapped.
    """
    move = 1 if stop > here else -1
    best, order = there, 0
    stride, growing = 1, True
    vain = 0
    while best != stop and vain < PATIENCE:
        ahead = stride if stride > 0 else vain + 1
        if ahead > abs(stop - best):
            if stride == 0:
                break
            growing, stride = False, abs(stop - best)
            ahead = stride
        other = best + move * ahead
        a, b = (here, other) if move > 0 else (other, here)
        found = free_order(int(x[a]), int(y[a]), int(x[b]), int(y[b]), runs)
        if found > 0:
            best, order, vain = other, found, 0
            stride = 2 * stride if growing else stride // 2
        else:
            growing = False
            vain = vain + 1 if stride <= 1 else 0
            stride //= 2
    return best, order == 0, order == 2


@separate
def _smooth_once(
    here: int,
    stop: int,
    move: int,
    runs: StraightRuns,
    x: Int32Array,
    y: Int32Array,
    step: Int32Array,
    out_x: Int32Array,
    out_y: Int32Array,
) -> int:
    """Go over a path from cell ``here`` to ``stop``, replace stretches, and count its cells.

    Runs in place of an arc that leads farther than a neighbour have more cells than the path had;
    FULL where they do not fit.
    """
    out_x[0], out_y[0] = x[here], y[here]
    filled = 1
    back = 0 if move > 0 else 1
    while here != stop:
        other = here + move
        cost = np.int64(step[here - back])
        # As far as the path is straight already, there is nothing to try.
        dx, dy = x[other] - x[here], y[other] - y[here]
        while (
            other != stop and x[other + move] - x[other] == dx and y[other + move] - y[other] == dy
        ):
            cost += step[other - back]
            other += move
        best, straight_on, swapped = other, True, False
        if runs.even:
            best, straight_on, swapped = _farthest_free(here, other, stop, runs, x, y)
        vain = 0
        while not runs.even and other != stop and vain < PATIENCE:
            cost += step[other - back]
            other += move
            vain += 1
            a, b = (here, other) if move > 0 else (other, here)
            first, few, second, many = two_ways(x[b] - x[a], y[b] - y[a], runs.form)
            if few + many == 0:
                continue
            ticks = _ticks_of_runs(x[a], y[a], first, few, second, many, runs)
            if 0 <= ticks <= cost:
                best, straight_on, swapped, vain = other, False, False, 0
                continue
            ticks = _ticks_of_runs(x[a], y[a], second, many, first, few, runs)
            if 0 <= ticks <= cost:
                best, straight_on, swapped, vain = other, False, True, 0
        if straight_on:
            if filled + abs(best - here) > len(out_x):
                return FULL
            while here != best:
                here += move
                out_x[filled], out_y[filled] = x[here], y[here]
                filled += 1
            continue
        a, b = (here, best) if move > 0 else (best, here)
        first, few, second, many = two_ways(x[b] - x[a], y[b] - y[a], runs.form)
        if filled + few + many > len(out_x):
            return FULL
        if swapped:
            first, few, second, many = second, many, first, few
        if move < 0:
            first, few, second, many = second, many, first, few
        at_x, at_y = x[here], y[here]
        for leg in range(2):
            way, count = (first, few) if leg == 0 else (second, many)
            full = way + 1 if way > 3 else way
            go_x, go_y = move * (full // 3 - 1), move * (full % 3 - 1)
            for _ in range(count):
                at_x += go_x
                at_y += go_y
                out_x[filled], out_y[filled] = at_x, at_y
                filled += 1
        here = best
    return filled


@allocating
def _price(
    count: int,
    graph: ClusteredGraph,
    runs: StraightRuns,
    x: Int32Array,
    y: Int32Array,
    step: Int32Array,
) -> int:
    """Price each step of a path, by the cheapest arc of several, and return the sum of ticks."""
    total = np.int64(0)
    known = np.zeros(2, np.int32)
    for i in range(count - 1):
        dx, dy = x[i + 1] - x[i], y[i + 1] - y[i]
        near = abs(dx) <= 1 and abs(dy) <= 1
        slanted = int(dx != 0 and dy != 0)
        ticks = known[slanted]
        if not (near and runs.even and ticks > 0):
            cell = cell_at(runs, x[i], y[i])
            if near:
                ticks = np.int32(ticks_from(runs, cell, heading(dx, dy)))
                known[slanted] = ticks
            else:
                row = row_in(runs, cell)
                there = row_in(runs, cell_at(runs, x[i + 1], y[i + 1]))
                ticks = np.int32(2**31 - 1)
                for arc in range(first_arc(graph, row), end_arc(graph, row)):
                    if head_of(graph, arc) == there:
                        ticks = min(ticks, np.int32(ticks_of(graph, arc)))
        step[i] = ticks
        total += ticks
    return int(total)


@separate
def smooth_path(
    count: int, graph: ClusteredGraph, runs: StraightRuns, memory: QueryMemory
) -> tuple[int, int]:
    """Smooth a whole path: once from its start, once from its goal.

    Args:
        count: how many rows of ``memory.route[0]`` are the path, no row twice in succession; they
            are replaced by those of the smoothed one; their cells are left in
            ``memory.route[3]`` and ``memory.route[4]``.
        graph: the rows.

    Returns:
        Rows and ticks of the smoothed path; FULL and 0 where ``memory.route`` is too short for it.
    """
    path, x, y = memory.route[0], memory.route[1], memory.route[2]
    out_x, out_y, step = memory.route[3], memory.route[4], memory.route[5]
    for i in range(count):
        x[i], y[i] = coordinate(runs, path[i], 0), coordinate(runs, path[i], 1)
    if not runs.even:
        _price(count, graph, runs, x, y, step)
    count = _smooth_once(0, count - 1, 1, runs, x, y, step, out_x, out_y)
    if count == FULL:
        return FULL, 0
    if not runs.even:
        _price(count, graph, runs, out_x, out_y, step)
    count = _smooth_once(count - 1, 0, -1, runs, out_x, out_y, step, x, y)
    if count == FULL:
        return FULL, 0
    for i in range(count):
        back = count - 1 - i
        path[i] = row_in(runs, cell_at(runs, x[back], y[back]))
        out_x[i], out_y[i] = x[back], y[back]
    ticks = _price(count, graph, runs, out_x, out_y, step)
    return count, ticks
