"""Flow fields of goals asked for: made on first use, kept as long as there is room."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import Int32Array
from bake.graph import BLOCKED, INFINITY
from bake.runtime.reader.hops import view_of

if TYPE_CHECKING:
    from bake.search.live.graph import LiveGraph

#: Bytes of flow fields kept for each profile, unless the game says otherwise.
ROOM = 64 * 2**20

#: Fields carried over an update; each is checked against it in some 20 microseconds.
CARRIED = 64


class Column:
    """The way from every row to one goal.

    Attributes:
        dist: (r) int32 ticks, 2**30 where there is no path.
        ahead: (r) int32, the next row; -1 at the goal and where there is no path.
        view: of ``ahead``.
    """

    def __init__(self, dist: Int32Array, ahead: Int32Array) -> None:
        self.dist = dist
        self.ahead = ahead
        self.view = view_of(ahead)

    @property
    def size(self) -> int:
        return self.dist.nbytes + self.ahead.nbytes


@dataclass(frozen=True)
class Change:
    """What an edit did to a profile's arcs.

    Attributes:
        tail, head: (k) int32 rows.
        old, new: (k) int32 ticks, BLOCKED where the arc may not be taken.
        gone: int32, rows that can be stood on no longer.
    """

    tail: Int32Array
    head: Int32Array
    old: Int32Array
    new: Int32Array
    gone: Int32Array


class Columns:
    """Flow fields by goal, of one version of a graph; threads may share it."""

    def __init__(self, graph: LiveGraph, room: int) -> None:
        self.graph = graph
        self.room = room
        self.by_goal: dict[int, Column] = {}
        self._size = 0
        self._lock = threading.Lock()

    def get(self, goal: int) -> Column:
        """The column of a goal, made now if it is not there."""
        column = self.by_goal.get(goal)
        if column is None:
            from bake.search.live.flow_field import flow_field

            column = Column(*flow_field(self.graph.into, goal, self.graph.shift))
            self.keep(goal, column)
        else:
            self._use(goal, column)
        return column

    def _use(self, goal: int, column: Column) -> None:
        # Put last, so that the one used longest ago goes first.
        with self._lock:
            if self.by_goal.pop(goal, None) is not None:
                self.by_goal[goal] = column

    def keep(self, goal: int, column: Column) -> None:
        """Add a column and drop those used longest ago, as many as the room asks for."""
        with self._lock:
            if goal in self.by_goal:
                return
            self.by_goal[goal] = column
            self._size += column.size
            while self._size > self.room and len(self.by_goal) > 1:
                oldest = next(iter(self.by_goal))
                self._size -= self.by_goal.pop(oldest).size

    def carried(self, graph: LiveGraph, change: Change) -> Columns:
        """The columns a change leaves as they are, for the next version."""
        after = Columns(graph, self.room)
        with self._lock:
            kept = list(self.by_goal.items())[-CARRIED:]
        for goal, column in kept:
            if goal not in change.gone and (survivor := _survivor(column, graph, change)):
                after.keep(goal, survivor)
        return after


def _survivor(column: Column, graph: LiveGraph, change: Change) -> Column | None:
    """The column after a change if no distance in it changed, else None.

    Distances stand if no arc undercuts them and every node still has an arc that attains its own.
    """
    more = graph.row_count - len(column.dist)
    dist = np.concatenate([column.dist, np.full(more, INFINITY, np.int32)])
    before = dist.astype(np.int64) if more else dist
    tail, head = change.tail, change.head
    there = before[head].astype(np.int64)
    here = before[tail].astype(np.int64)
    if (there + change.new < here).any():
        return None
    alive = ~np.isin(tail, change.gone)
    lost = (there + change.old == here) & (change.new > change.old) & alive & (here < INFINITY)
    ahead = np.concatenate([column.ahead, np.full(more, -1, np.int32)])
    for row in np.unique(tail[lost]).tolist():
        arcs = slice(graph.out.begin[row], graph.out.end[row])
        weight, to = graph.out.weight[arcs].astype(np.int64), graph.out.to[arcs]
        fits = np.flatnonzero((weight != BLOCKED) & (dist[to] + weight == dist[row]))
        if not len(fits):
            return None
        ahead[row] = to[fits[0]]
    dist[change.gone] = INFINITY
    ahead[change.gone] = -1
    return Column(dist, ahead)
