"""Following next hops: many walks at once, or all walks toward one goal."""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.graph import UNREACHABLE
from bake.greedy import unchart
from bake.runtime.reader.hops import DenseHops, RunHops
from bake.runtime.reader.tables import Tables

#: Walks in step; more keep too much at hand at once (measured: 2 beats 1 by a sixth, and 4).
WALKERS = 2

#: Steps walked before they are put in order, about: what was written is in the caches still.
PORTION = 2**17


def walk(tables: Tables, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
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
    if tables.updated is not None:
        return tables.updated.walk(rows, goals)
    starts = _with_a_path(tables, rows, goals)
    if not _compiled():
        return _stepwise_walk(tables, starts, goals)
    if isinstance(tables.hops, DenseHops):
        return _walk_table(tables, tables.hops, starts, goals)
    first, noted = _walk_runs(tables, tables.hops, starts, goals)
    if not tables.places.is_grid:
        return first, noted[:, 0]
    cell = unchart(noted, tables.places.hex_layout)
    return first, tables.row_at_cell[cell[:, 1] * tables.places.width + cell[:, 0]]


def walk_cells(
    tables: Tables, rows: Int32Array, goals: Int32Array
) -> tuple[Int64Array, Int32Array]:
    """:func:`walk` on a grid level, with (k, 2) int32 cells in place of rows."""
    if tables.updated is None and isinstance(tables.hops, RunHops) and _compiled():
        starts = _with_a_path(tables, rows, goals)
        first, noted = _walk_runs(tables, tables.hops, starts, goals)
        return first, unchart(noted, tables.places.hex_layout)
    first, path = walk(tables, rows, goals)
    return first, tables.cell_of_row.take(path, axis=0)


def _compiled() -> bool:
    """Whether kernels are compiled; as plain Python they are slower than numpy."""
    from bake.kernels.jit import COMPILED

    return COMPILED


def _with_a_path(tables: Tables, rows: Int32Array, goals: Int32Array) -> Int32Array:
    """(m) int32 rows, -1 where the goal cannot be reached."""
    hops = tables.hops
    if isinstance(hops, RunHops) and not hops.stores_none:
        reached = hops.reaches(rows, goals)
    else:
        reached = (hops.slots(rows, goals) >= 0) | (rows == goals)
    return np.where(reached, rows, np.int32(-1))


def _walk_runs(
    tables: Tables, hops: RunHops, starts: Int32Array, goals: Int32Array
) -> tuple[Int64Array, Int32Array]:
    """Where each path begins, and (k, 2) int32, what ``row_data`` notes of each row."""
    from bake.search.all_pairs.follow import ASTRAY, follow_runs, in_order

    goals = goals.astype(np.int32, copy=False)
    first = np.zeros(len(starts) + 1, dtype=np.int64)
    path = np.empty((64 * len(starts), 2), dtype=np.int32)
    places = np.empty((WALKERS, PORTION, 2), dtype=np.int32)
    walkers = np.empty((WALKERS, 4), dtype=np.int64)
    filled = np.empty(WALKERS, dtype=np.int64)
    begin, count = 0, max(1, PORTION // 256)
    while begin < len(starts):
        end = min(begin + count, len(starts))
        spans = np.empty((end - begin, 3), dtype=np.int64)
        walkers[:] = -1
        filled[:] = 0
        taken = 0
        while True:
            taken = follow_runs(
                hops.compiled,
                tables.head_row,
                starts[begin:end],
                goals[begin:end],
                taken,
                walkers,
                filled,
                spans,
                places,
            )
            if taken == ASTRAY:
                raise tables.damaged("next hops do not lead to the goal")
            if (walkers[:, 2] < 0).all():
                break
            places = np.concatenate([places, np.empty_like(places)], axis=1)
        steps = int(filled.sum())
        if first[begin] + steps > len(path):
            wanted = (first[begin] + steps) * len(starts) / end
            larger = np.empty((int(wanted * 1.2), 2), dtype=np.int32)
            larger[: first[begin]] = path[: first[begin]]
            path = larger
        in_order(spans, places, first[begin : end + 1], path)
        count = max(1, min(PORTION, PORTION * (end - begin) // max(1, steps)))
        begin = end
    return first, path[: first[-1]]


def _walk_table(
    tables: Tables, hops: DenseHops, starts: Int32Array, goals: Int32Array
) -> tuple[Int64Array, Int32Array]:
    from bake.search.all_pairs.follow import ASTRAY, follow_table

    first = np.zeros(len(starts) + 1, dtype=np.int64)
    path = np.empty(max(1024, 64 * len(starts)), dtype=np.int32)
    goals = goals.astype(np.int32, copy=False)
    pair = 0
    while pair < len(starts):
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
        if pair == ASTRAY:
            raise tables.damaged("next hops do not lead to the goal")
        if pair < len(starts):
            path = np.concatenate([path, np.empty_like(path)])
    return first, path[: first[-1]]


def _stepwise_walk(
    tables: Tables, starts: Int32Array, goals: Int32Array
) -> tuple[Int64Array, Int32Array]:
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


def walked_ticks(tables: Tables, rows: Int32Array, goals: Int32Array) -> Float64Array:
    """(m) float64 ticks along each path, inf where there is none."""
    if tables.updated is not None:
        return tables.updated.ticks_between(rows, goals)
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


def hops_toward(tables: Tables, goal: int) -> tuple[Int32Array, Int64Array]:
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
    tables: Tables, goal: int, next_row: Int32Array, ticks: Int64Array
) -> tuple[Int64Array, BoolArray]:
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


def ticks_toward(tables: Tables, goal: int) -> Float64Array:
    """(r) float64 ticks from every row to one goal, inf where there is no path."""
    if tables.updated is not None:
        return tables.updated.ticks_toward(goal)
    ticks, reached = follow_toward(tables, goal, *hops_toward(tables, goal))
    return np.where(reached, ticks.astype(np.float64), np.inf)
