"""Following next hops: many walks at once, or all walks toward one goal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import UNREACHABLE, Int32Array
from bake.runtime.hops import DenseHops
from bake.runtime.tables import Tables


def walk(
    tables: Tables, rows: Int32Array, goals: Int32Array
) -> tuple[npt.NDArray[np.int64], Int32Array]:
    """Rows along each path.

    Args:
        tables: of one profile.
        rows, goals: (m) int32.

    Returns:
        (m + 1) int64 where each path begins, and (k) int32 rows, both ends included; nothing where
        there is no path.

    Raises:
        CorruptAssetError: hops that do not lead to their goal.
    """
    reachable = (tables.hops.slots(rows, goals) >= 0) | (rows == goals)
    starts = np.where(reachable, rows, -1).astype(np.int32)
    from bake.search.jit import COMPILED

    if COMPILED:
        return _compiled_walk(tables, starts, goals)
    return _stepwise_walk(tables, starts, goals)


def _compiled_walk(
    tables: Tables, starts: Int32Array, goals: Int32Array
) -> tuple[npt.NDArray[np.int64], Int32Array]:
    from bake.search.follow import ASTRAY, follow_runs, follow_table

    hops = tables.hops
    first = np.zeros(len(starts) + 1, dtype=np.int64)
    path = np.empty(max(1024, 64 * len(starts)), dtype=np.int32)
    goals = goals.astype(np.int32, copy=False)
    pair = 0
    while pair < len(starts):
        if isinstance(hops, DenseHops):
            pair = follow_table(
                hops.table,
                tables.first_arc,
                tables.end_arc,
                tables.head_row,
                starts,
                goals,
                pair,
                first,
                path,
            )
        else:
            pair = follow_runs(*hops.compiled, tables.head_row, starts, goals, pair, first, path)
        if pair == ASTRAY:
            raise tables.damaged("next hops do not lead to the goal")
        if pair < len(starts):
            path = np.concatenate([path, np.empty_like(path)])
    return first, path[: first[-1]]


def _stepwise_walk(
    tables: Tables, starts: Int32Array, goals: Int32Array
) -> tuple[npt.NDArray[np.int64], Int32Array]:
    """All walks in step, one array operation a step: no compiler, but slower."""
    under_way = np.flatnonzero(starts >= 0)
    row = starts.copy()
    who = [under_way]
    where = [row[under_way]]
    for _ in range(tables.row_count + 1):
        under_way = under_way[row[under_way] != goals[under_way]]
        if not len(under_way):
            break
        row[under_way] = _step(tables, row[under_way], goals[under_way])
        who.append(under_way)
        where.append(row[under_way])
    else:
        raise tables.damaged("next hops do not lead to the goal")
    pair = np.concatenate(who)
    order = np.argsort(pair, kind="stable")
    first = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(np.bincount(pair, minlength=len(starts)), out=first[1:])
    return first, np.concatenate(where)[order].astype(np.int32)


def _step(tables: Tables, rows: Int32Array, goals: Int32Array) -> Int32Array:
    slot = tables.hops.slots(rows, goals)
    arc = tables.first_arc[rows] + slot
    if (slot < 0).any() or (arc >= tables.end_arc[rows]).any():
        raise tables.damaged("next hops do not lead to the goal")
    ahead: Int32Array = tables.head_row[arc]
    if (ahead < 0).any():
        raise tables.damaged("next hops do not lead to the goal")
    return ahead


def walked_ticks(tables: Tables, rows: Int32Array, goals: Int32Array) -> npt.NDArray[np.float64]:
    """(m) float64 ticks along each path, inf where there is none."""
    first, path = walk(tables, rows, goals)
    ticks = np.where(np.diff(first) == 0, np.inf, 0.0)
    pair = np.repeat(np.arange(len(rows)), np.diff(first))
    # Every place of a path but its last one takes a step.
    step = np.ones(len(path), dtype=np.bool_)
    step[first[1:][np.diff(first) > 0] - 1] = False
    slot = tables.hops.slots(path[step], goals[pair[step]])
    weight = tables.weight[tables.first_arc[path[step]] + slot]
    np.add.at(ticks, pair[step], weight)
    return ticks


def hops_toward(tables: Tables, goal: int) -> tuple[Int32Array, npt.NDArray[np.int64]]:
    """Every row's step toward one goal.

    Returns:
        (r) int32 the row stepped to, a row itself where it stays, and (r) int64 ticks of the step.

    Raises:
        CorruptAssetError: a hop that is no step the profile may take.
    """
    slot = tables.hops.column(goal)
    moves = np.flatnonzero(slot >= 0)
    moves = moves[moves != goal]
    arc = tables.first_arc[moves] + slot[moves]
    if (arc >= tables.places.first_out[tables.node[moves] + 1]).any():
        raise tables.damaged("a next hop leads nowhere")
    head, weight = tables.head_row[arc], tables.weight[arc]
    if (head < 0).any() or (weight == UNREACHABLE).any():
        raise tables.damaged("a next hop leads where the profile cannot go")
    next_row = np.arange(tables.row_count, dtype=np.int32)
    next_row[moves] = head
    ticks = np.zeros(tables.row_count, dtype=np.int64)
    ticks[moves] = weight
    return next_row, ticks


def follow_toward(
    tables: Tables, goal: int, next_row: Int32Array, ticks: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Follow all steps to their end, twice as far each round.

    J. JáJá, "An Introduction to Parallel Algorithms", section 2.2 (pointer jumping).

    Args:
        next_row, ticks: from :func:`hops_toward`.

    Returns:
        (r) int64 ticks to the end, and (r) bool, whether that is the goal.

    Raises:
        CorruptAssetError: steps that lead in a circle, or stop short.
    """
    ticks, end = ticks.copy(), next_row.copy()
    for _ in range(max(1, len(next_row)).bit_length()):
        ticks += ticks[end]
        end = end[end]
    reached = end == goal
    if (~reached & (next_row != np.arange(len(next_row)))).any():
        raise tables.damaged("next hops do not lead to the goal")
    return ticks, reached


def ticks_toward(tables: Tables, goal: int) -> npt.NDArray[np.float64]:
    """(r) float64 ticks from every row to one goal, inf where there is no path."""
    ticks, reached = follow_toward(tables, goal, *hops_toward(tables, goal))
    return np.where(reached, ticks.astype(np.float64), np.inf)
