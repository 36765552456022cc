"""Recompute next hops in doubt before anybody asks for them, a few at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import Int32Array
from bake.runtime.live.fields import FlowField, RepairedRow
from bake.runtime.live.versions import ProfileState
from bake.runtime.reader.hops import view_of

if TYPE_CHECKING:
    from bake.search.graph.label_correcting import NodeQueue

#: The part of all rows above which a sweep over all goals takes less time than the searches.
SWEPT = 1 / 7


def pending_sources(state: ProfileState) -> Int32Array:
    """Find the rows in doubt that the profile can stand on and that are not made again yet."""
    doubtful = np.flatnonzero((state.source > 0) & state.standing)
    return np.array([row for row in doubtful.tolist() if row not in state.rows], dtype=np.int32)


def pending_goals(state: ProfileState) -> Int32Array:
    """Find goals near a change that have no flow field, as many as there is room for."""
    from bake.search.live.affected import AFFECTED

    affected = np.flatnonzero((state.goal == AFFECTED) & state.standing).tolist()
    kept = state.fields.by_goal
    room = state.fields.room // (8 * max(1, state.row_count)) - len(kept)
    missing = [goal for goal in affected if goal not in kept]
    return np.array(missing[: max(0, room)], dtype=np.int32)


def repair(state: ProfileState, until: float) -> int:
    """Recompute layers, flow fields and rows, until a given time or until nothing is left.

    Args:
        state: the profile, to which rows and fields are added; each of them is true of it.
        until: a time of ``time.perf_counter``; at least one slice is done.

    Returns:
        How many rows and fields are still to be made.
    """
    from bake.kernels.jit import COMPILED

    if state.clusters is not None and state.clusters.line.has_hierarchy:
        state.clusters.made()
        state.clusters.runs()
    goals, sources = pending_goals(state), pending_sources(state)
    if not COMPILED:
        return _one_by_one(state, goals, until) + len(sources)
    from bake.search.graph.label_correcting import NodeQueue
    from bake.search.live.affected import LINE

    left = len(goals) + len(sources)
    if until == float("inf") and len(sources) > SWEPT * state.row_count:
        _sweep(state, sources)
        sources, left = sources[:0], len(goals)
    slices = [(True, goals[at : at + LINE]) for at in range(0, len(goals), LINE)]
    slices += [(False, sources[at : at + LINE]) for at in range(0, len(sources), LINE)]
    n = state.row_count
    if not slices:
        return 0
    room = np.empty((2, n, LINE), dtype=np.int32)
    queue = NodeQueue.of(n)
    for toward, rows in slices:
        (_fields if toward else _rows)(state, rows, room, queue)
        left -= len(rows)
        if time.perf_counter() >= until:
            break
    return left


def _fields(
    state: ProfileState,
    goals: Int32Array,
    room: Int32Array,
    queue: NodeQueue,
) -> None:
    from bake.search.live.affected import relax_lanes
    from bake.search.live.repair import steps_toward

    graph, (dist, ahead) = state.graph, room
    relax_lanes(graph.into.arcs, goals, graph.shift, dist, queue)
    steps_toward(graph.out.arcs, dist, ahead)
    for lane, goal in enumerate(goals.tolist()):
        state.fields.keep(goal, FlowField(dist[:, lane].copy(), ahead[:, lane].copy()))


def _rows(
    state: ProfileState,
    sources: Int32Array,
    room: Int32Array,
    queue: NodeQueue,
) -> None:
    from bake.search.live.repair import count_runs, relax_sources, write_runs

    graph, (dist, ahead) = state.graph, room
    relax_sources(graph.out.arcs, sources, graph.shift, dist, ahead, queue)
    for lane, row in enumerate(sources.tolist()):
        start, step = np.empty((2, count_runs(ahead, lane)), dtype=np.int32)
        write_runs(ahead, lane, start, step)
        state.rows[row] = RepairedRow(view_of(start), view_of(step), 0, len(start))


def _sweep(state: ProfileState, sources: Int32Array) -> None:
    """Recompute all rows in doubt at once."""
    from bake.search.live.repair import sweep_rows

    first, start, step = sweep_rows(*state.graph.out.compact(), sources)
    starts, steps = view_of(start), view_of(step)
    spans = zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
    for row, (begin, end) in zip(sources.tolist(), spans, strict=True):
        state.rows[row] = RepairedRow(starts, steps, begin, end)


def _one_by_one(state: ProfileState, goals: Int32Array, until: float) -> int:
    left = len(goals)
    for goal in goals.tolist():
        state.fields.get(goal)
        left -= 1
        if time.perf_counter() >= until:
            break
    return left
