"""Keep flow fields of one version of a profile: distances from every row to the goals asked for.

A field is made when there is nothing better to answer from, and kept as long as there is room.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array, offsets
from bake.play.live.state import GraphVersion
from bake.search.live.baked_hops import BakedHops
from bake.search.live.descent import Lanes, follow_down, steps_down
from bake.search.live.flow_field import as_ticks, flow_field
from bake.search.live.next_hops import in_pieces

#: Bytes of flow fields kept for each profile; the newest block is kept even if it takes more.
# limit: the oldest results are dropped and recomputed; lowered by changes
ROOM = 32 * 2**20

#: Fields that are made and used together, whatever room they take.
# limit: the work is done in parts; lowered by changes
FEW = 16


@dataclass(frozen=True, eq=False)
class FieldBlock:
    """The distances from every row to some goals."""

    lanes: Lanes  #: the distances; a goal has one lane

    @property
    def size(self) -> int:
        """Return how many bytes the distances take."""
        return self.lanes.dist.nbytes


class FlowFields:
    """The flow fields of one version of a graph; threads may share it."""

    def __init__(self, arcs: GraphVersion, baked_hops: Callable[[], BakedHops]) -> None:
        """Keep no field of a version's arcs yet.

        Args:
            baked_hops: gives the next hops of the asset.
        """
        self._arcs, self._baked_hops = arcs, baked_hops
        self._lane: dict[int, tuple[FieldBlock, int]] = {}
        # Blocks in the order of their last use, and the goals of each.
        self._goals: dict[FieldBlock, list[int]] = {}
        self._lock = threading.Lock()

    @property
    def most(self) -> int:
        """Return how many fields there is room for, at least a few."""
        return max(FEW, ROOM // (4 * max(self._arcs.row_count, 1)))

    def has(self, goals: Int32Array) -> BoolArray:
        """Return (k) bool, True where the field of a goal is there."""
        known = self._lane
        if not known:
            return np.zeros(len(goals), dtype=np.bool_)
        return np.fromiter((goal in known for goal in goals.tolist()), np.bool_, len(goals))

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32, the rows to step to; at its goal the row itself, -1 without a path."""
        ahead = np.empty(len(rows), dtype=np.int32)
        out, baked = self._arcs.out.arcs, self._baked_hops()
        for lanes, pairs, lane in self._by_block(goals):
            found = np.empty(len(pairs), dtype=np.int32)
            steps_down(out, baked, lanes, rows[pairs], goals[pairs], lane, found)
            ahead[pairs] = found
        return ahead

    def ticks(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks; inf where there is no path."""
        ticks = np.empty(len(rows), dtype=np.float64)
        for (dist, place), pairs, lane in self._by_block(goals):
            ticks[pairs] = as_ticks(dist[place[rows[pairs]], lane])
        return ticks

    def toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to a goal; inf where there is no path."""
        for (dist, place), _, lane in self._by_block(np.array([goal], dtype=np.int32)):
            return as_ticks(dist[place, lane[0]])
        raise AssertionError("one goal has one block")

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return where each path begins, (k + 1) int64, and the rows of all of them."""
        out, baked, parts = self._arcs.out.arcs, self._baked_hops(), []
        for lanes, pairs, lane in self._by_block(goals):
            write = partial(follow_down, out, baked, lanes)
            parts.append((pairs, in_pieces(write, rows[pairs], goals[pairs], lane)))
        return paths_of(parts, len(rows))

    def _by_block(self, goals: Int32Array) -> Iterator[tuple[Lanes, Int64Array, Int32Array]]:
        """Make the fields that are missing, and give each block's lanes, pairs, and their lane."""
        each, place = np.unique(goals, return_inverse=True)
        by_block: dict[FieldBlock, dict[int, int]] = {}
        for goal in each.tolist():
            block, own = self._get(goal)
            by_block.setdefault(block, {})[goal] = own
        for block, lane_of in by_block.items():
            lane_of_each = [lane_of.get(goal, -1) for goal in each.tolist()]
            lane = np.array(lane_of_each, dtype=np.int32)[place]
            pairs = np.flatnonzero(lane >= 0)
            yield block.lanes, pairs, lane[pairs]

    def _get(self, goal: int) -> tuple[FieldBlock, int]:
        with self._lock:
            found = self._lane.get(goal)
            if found is not None:
                # A block just used goes last, so that the one used longest ago is dropped first.
                self._goals[found[0]] = self._goals.pop(found[0])
                return found
        graph = self._arcs.graph
        dist = flow_field(graph.into, goal, graph.shift)
        return self.keep([goal], Lanes(dist[:, None], self._in_order)), 0

    @cached_property
    def _in_order(self) -> Int32Array:
        return np.arange(self._arcs.row_count, dtype=np.int32)

    def keep(self, goals: list[int], lanes: Lanes) -> FieldBlock:
        """Add fields, and drop those used longest ago until the rest fits the room.

        Args:
            goals: rows, as many as there are lanes, or fewer.
            lanes: the distances to them.
        """
        block = FieldBlock(lanes)
        with self._lock:
            self._goals[block] = goals
            self._lane.update((goal, (block, lane)) for lane, goal in enumerate(goals))
            size = sum(each.size for each in self._goals)
            while size > ROOM and len(self._goals) > 1:
                oldest = next(iter(self._goals))
                size -= oldest.size
                for goal in self._goals.pop(oldest):
                    # Two threads may have made the field of one goal, each in a block of its own.
                    if goal in self._lane and self._lane[goal][0] is oldest:
                        del self._lane[goal]
        return block


def paths_of(
    parts: list[tuple[Int64Array, tuple[Int64Array, Int32Array]]], count: int
) -> tuple[Int64Array, Int32Array]:
    """Put paths that were found in parts into the order of their pairs.

    Args:
        parts: which pairs each part answers for, and where their paths begin, and the rows.
        count: how many pairs there are.

    Returns:
        (count + 1) int64 where each path begins, and the rows of all of them.
    """
    if len(parts) == 1:
        return parts[0][1]
    steps = np.zeros(count, dtype=np.int64)
    for pairs, (first, _) in parts:
        steps[pairs] = np.diff(first)
    starts = offsets(steps, np.int64)
    whole = np.empty(int(starts[-1]), dtype=np.int32)
    for pairs, (first, path) in parts:
        # Each place of a part goes as far as its path is moved.
        whole[np.arange(len(path)) + np.repeat(starts[pairs] - first[:-1], np.diff(first))] = path
    return starts, whole
