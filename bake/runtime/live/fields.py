"""Keep next hops that replace those an update made void.

They are flow fields, one for each goal, and runs of goals, one list for each source.
A field is made when its goal is first asked for, and kept as long as there is room.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import Int32Array
from bake.graph import BLOCKED, INFINITY
from bake.runtime.reader.hops import view_of

if TYPE_CHECKING:
    from bake.search.live.graph import LiveGraph

#: Bytes of flow fields kept for each profile.
ROOM = 64 * 2**20

#: The most fields carried over an update; checking one against it takes some 20 microseconds.
CARRIED = 64


class FlowField:
    """The distance and the next step from every row to one goal.

    Attributes:
        dist: (r) int32 ticks, 2**30 where there is no path.
        ahead: (r) int32, the next row; -1 at the goal and where there is no path.
        view: the same as ``ahead``, fast to index.
    """

    def __init__(self, dist: Int32Array, ahead: Int32Array) -> None:
        self.dist = dist
        self.ahead = ahead
        self.view = view_of(ahead)

    @property
    def size(self) -> int:
        """Return how many bytes the field takes."""
        return self.dist.nbytes + self.ahead.nbytes


@dataclass(frozen=True)
class Change:
    """What an edit did to a profile's arcs.

    Attributes:
        tail, head: (k) int32 rows.
        old, new: (k) int32 ticks, BLOCKED where the arc may not be taken.
        gone: int32, rows that nobody can stand on any longer.
    """

    tail: Int32Array
    head: Int32Array
    old: Int32Array
    new: Int32Array
    gone: Int32Array


class FlowFields:
    """The flow fields of one version of a graph, by goal; threads may share it."""

    def __init__(self, graph: LiveGraph, room: int) -> None:
        self.graph = graph
        self.room = room
        self.by_goal: dict[int, FlowField] = {}
        self._size = 0
        self._lock = threading.Lock()

    def get(self, goal: int) -> FlowField:
        """Return the field of a goal, and make it first if it is not there."""
        field = self.by_goal.get(goal)
        if field is None:
            from bake.search.live.flow_field import flow_field

            field = FlowField(*flow_field(self.graph.into, goal, self.graph.shift))
            self.keep(goal, field)
        else:
            self._use(goal, field)
        return field

    def _use(self, goal: int, field: FlowField) -> None:
        # A field just used goes last, so that the one used longest ago is dropped first.
        with self._lock:
            if self.by_goal.pop(goal, None) is not None:
                self.by_goal[goal] = field

    def keep(self, goal: int, field: FlowField) -> None:
        """Add a field, and drop those used longest ago until the rest fits the room."""
        with self._lock:
            if goal in self.by_goal:
                return
            self.by_goal[goal] = field
            self._size += field.size
            while self._size > self.room and len(self.by_goal) > 1:
                oldest = next(iter(self.by_goal))
                self._size -= self.by_goal.pop(oldest).size

    def carried(self, graph: LiveGraph, change: Change) -> FlowFields:
        """Return the fields that a change leaves as they are, for the next version."""
        after = FlowFields(graph, self.room)
        with self._lock:
            kept = list(self.by_goal.items())[-CARRIED:]
        for goal, field in kept:
            if goal not in change.gone and (survivor := _survivor(field, graph, change)):
                after.keep(goal, survivor)
        return after


def _survivor(field: FlowField, graph: LiveGraph, change: Change) -> FlowField | None:
    """Return the field after a change, or None if a distance in it changed.

    Distances stand if no arc undercuts them and every node still has an arc that attains its own.
    """
    more = graph.row_count - len(field.dist)
    dist = np.concatenate([field.dist, np.full(more, INFINITY, np.int32)])
    before = dist.astype(np.int64) if more else dist
    tail, head = change.tail, change.head
    there = before[head].astype(np.int64)
    here = before[tail].astype(np.int64)
    if (there + change.new < here).any():
        return None
    alive = ~np.isin(tail, change.gone)
    lost = (there + change.old == here) & (change.new > change.old) & alive & (here < INFINITY)
    ahead = np.concatenate([field.ahead, np.full(more, -1, np.int32)])
    for row in np.unique(tail[lost]).tolist():
        arcs = slice(graph.out.begin[row], graph.out.end[row])
        weight, to = graph.out.weight[arcs].astype(np.int64), graph.out.to[arcs]
        fits = np.flatnonzero((weight != BLOCKED) & (dist[to] + weight == dist[row]))
        if not len(fits):
            return None
        ahead[row] = to[fits[0]]
    dist[change.gone] = INFINITY
    ahead[change.gone] = -1
    return FlowField(dist, ahead)


class RepairedRow:
    """Next rows from one source toward every goal, as runs of goals; some share their views."""

    __slots__ = ("_begin", "_end", "_start", "_step")

    def __init__(self, start: memoryview, step: memoryview, begin: int, end: int) -> None:
        """Keep runs ``begin`` to ``end``: the first goal of each, and the row stepped to."""
        self._start, self._step = start, step
        self._begin, self._end = begin, end

    def ahead(self, goal: int) -> int:
        """Return the next row toward a goal; -1 at the source, and where there is no path."""
        run = bisect_right(self._start, goal, self._begin, self._end) - 1
        return int(self._step[run])
