"""Blocks of targets, each proved by itself: some at once, in order, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from bake.arrays import AnyArray, BoolArray, Int32Array, Int64Array
from bake.processors import processors
from bake.verify import bellman, kernels
from bake.verify.hierarchy import Below
from bake.verify.runs import Runs, directions, on_chart

#: Targets looked at together: more share an order of rows, fewer stay in the processor's cache.
LANES = 256

#: Memory the distances of one block may take; what has more rows gets fewer lanes.
BLOCK_BYTES = 2**26

_SAID = {
    kernels.BAD_SLOT: "a hop is no arc",
    kernels.BLOCKED_ARC: "a hop takes an arc the profile may not",
    kernels.BAD_OWN: "a hop leads away from its own goal",
    2: "hops do not lead to their goal",
    bellman.SHORTER: "there is a shorter path",
    bellman.DISAGREES: "components and tables disagree",
    bellman.NOT_ATTAINED: "a distance is not that of any path",
    bellman.DIFFERS: "a stored distance differs from the way its hops lead",
}

#: Row and target of a pair, and what is wrong with it.
Found = tuple[int, int, str]

Split = Callable[[Int32Array, "_Room"], None]

#: Looks at the distances of a block that were proved: targets, and (r, k) ticks. In any thread.
Observer = Callable[[Int32Array, Int32Array], None]


class _Room:
    """What one thread works in."""

    def __init__(self, rows: int, lanes: int) -> None:
        self.dist = np.empty((rows, lanes), dtype=np.int32)
        self.seg_first = np.empty(rows + 1, dtype=np.int64)
        # Only as much of these is ever touched as there are segments.
        self.seg_arc = np.empty(rows * lanes, dtype=np.int32)
        self.seg_stop = np.empty(rows * lanes, dtype=np.int32)
        self.key = np.empty(rows, dtype=np.int64)
        self.order, self.stack = np.empty((2, rows), dtype=np.int32)
        self.buckets = np.empty(min(4 * rows, 2**16) + 2, dtype=np.int64)
        self.wrong = np.zeros(3, dtype=np.int64)


class Blocks:
    """The distances of one profile: those its hops imply, else those stored, else searched for."""

    def __init__(
        self,
        first: Int64Array,
        degree: Int64Array,
        arc_row: Int64Array,
        weight: Int64Array,
        graph: Below,
        label: Int64Array,
        reach: BoolArray | None,
        *,
        one_way: bool,
    ) -> None:
        """Take in the graph.

        Args:
            first, degree: (r) first arc and number of arcs of each row.
            arc_row: (m) row an arc leads to, -1 where the profile may not take it.
            weight: (m) ticks.
            graph: the arcs it may take.
            label: (r) component of each row.
            reach: (components, components) whether one can be reached from another; None where
                that is not stored.
            one_way: whether a path may lead from one component into another.
        """
        self._rows = len(first)
        self._first, self._degree = first.astype(np.int64), degree.astype(np.int64)
        self._arc_row, self._weight = arc_row.astype(np.int32), weight.astype(np.int32)
        self._label = label.astype(np.int32)
        self._how, self._reach = kernels.SAME, np.zeros((1, 1), dtype=np.uint8)
        if reach is not None:
            self._how, self._reach = kernels.MATRIX, np.packbits(reach, axis=1)
        elif one_way:
            self._how = kernels.UNTOLD
        self._split: Split | None = None
        self._edges = bellman.Edges.of(graph.tail, graph.head, graph.weight, graph.count)

    def use_runs(
        self,
        count: Int64Array,
        start: Int64Array,
        symbol: AnyArray,
        cell: Int64Array | None,
        hex_layout: str | None,
    ) -> str | None:
        """Take hops from runs; what is wrong with them at first sight, if anything."""
        runs = Runs(count, start, symbol, self._rows)
        if runs.problem is not None:
            return runs.problem
        if cell is None:
            at = np.zeros((0, 2), dtype=np.int32)
            toward = np.full((self._rows, 3, 3), -1, dtype=np.int32)
            if (runs.symbol == kernels.GREEDY).any():
                runs.symbol[runs.symbol == kernels.GREEDY] = kernels.NO_PATH
            if self._rows:
                at = np.zeros((self._rows, 2), dtype=np.int32)
        else:
            place = on_chart(cell, hex_layout)
            at = place.astype(np.int32)
            toward = directions(place, self._first, self._degree, self._arc_row).astype(np.int32)

        def split(targets: Int32Array, room: _Room) -> None:
            kernels.segments_of_runs(
                targets,
                runs.first,
                runs.start,
                runs.symbol,
                self._label,
                self._how,
                self._reach,
                at,
                toward,
                self._first,
                self._degree,
                self._arc_row,
                room.seg_first,
                room.seg_arc,
                room.seg_stop,
            )

        self._split = split
        return None

    def use_table(self, hop: AnyArray) -> None:
        """Take hops from a dense table, (r, r) slots."""
        none = int(np.iinfo(str(hop.dtype)).max)

        def split(targets: Int32Array, room: _Room) -> None:
            kernels.segments_of_table(
                targets,
                _columns(hop, targets),
                none,
                self._first,
                self._degree,
                self._arc_row,
                room.seg_first,
                room.seg_arc,
                room.seg_stop,
            )

        self._split = split

    def look(
        self,
        targets: Int64Array,
        stored: AnyArray | None,
        observers: Sequence[Observer] = (),
    ) -> Iterator[tuple[int, Found | None]]:
        """Prove blocks of targets, in order.

        Args:
            targets: rows, ascending.
            stored: (r, r) distances to prove too, or None.
            observers: shown the distances of each block, where they are right.

        Yields:
            How many targets were looked at, and what was found to be wrong.
        """
        lanes = max(1, min(LANES, BLOCK_BYTES // (4 * max(1, self._rows))))
        blocks = [
            targets[place : place + lanes].astype(np.int32)
            for place in range(0, len(targets), lanes)
        ]
        threads = max(1, min(len(blocks), processors()))
        rooms = [_Room(self._rows, lanes) for _ in range(threads)]
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[tuple[int, Future[Found | None]]] = deque()
            done = 0
            try:
                for place, block in enumerate(blocks):
                    if len(waiting) == threads:
                        size, future = waiting.popleft()
                        done += size
                        yield done, future.result()
                    room = rooms[place % threads]
                    waiting.append(
                        (len(block), pool.submit(self._one, block, stored, observers, room))
                    )
                while waiting:
                    size, future = waiting.popleft()
                    done += size
                    yield done, future.result()
            finally:
                for _, future in waiting:
                    future.cancel()

    def _one(
        self,
        targets: Int32Array,
        stored: AnyArray | None,
        observers: Sequence[Observer],
        room: _Room,
    ) -> Found | None:
        # The last block may have fewer lanes.
        dist = room.dist.reshape(-1)[: self._rows * len(targets)].reshape(self._rows, len(targets))
        beside = None if stored is None else _columns(stored, targets)
        if self._split is not None:
            self._follow(targets, dist, room)
        elif beside is not None:
            self._take(targets, beside, dist, room.wrong)
        if not room.wrong[2]:
            edges = self._edges
            bellman.first_shortcut(edges.first, edges.other, edges.up, edges.down, dist, room.wrong)
            # Hops that lead to their goals imply distances, even if there are shorter ones.
            if beside is not None and self._split is not None:
                shorter = room.wrong.copy()
                bellman.first_difference(beside, dist, room.wrong)
                if not room.wrong[2]:
                    room.wrong[:] = shorter
        if not room.wrong[2]:
            told = (self._label, self._how, self._reach)
            bellman.first_disagreement(targets, *told, dist, room.wrong)
        row, lane, what = (int(number) for number in room.wrong)
        if what:
            return row, int(targets[lane]), _SAID[what]
        for observer in observers:
            observer(targets, dist)
        return None

    def _follow(self, targets: Int32Array, dist: Int32Array, room: _Room) -> None:
        """Distances the hops imply."""
        assert self._split is not None
        self._split(targets, room)
        segments = (room.seg_first, room.seg_arc, room.seg_stop)
        arcs = (self._arc_row, self._weight)
        kernels.begin(*segments, dist)
        middle = len(targets) // 2
        kernels.order_rows(middle, *segments, *arcs, room.key, room.stack, room.order, room.buckets)
        kernels.resolve(room.order, *segments, *arcs, dist, room.stack, room.wrong)

    def _take(
        self,
        targets: Int32Array,
        stored: AnyArray,
        dist: Int32Array,
        wrong: Int64Array,
    ) -> None:
        """Distances that are stored, with no hops beside them: each must be attained."""
        bellman.load_distances(stored, dist, wrong)
        if not wrong[2]:
            graph = (self._first, self._degree, self._arc_row, self._weight)
            bellman.first_unattained(targets, *graph, dist, wrong)


def _columns(table: AnyArray, targets: Int32Array) -> AnyArray:
    """Some columns of a table that may be mapped from a file; targets ascend."""
    first, last = int(targets[0]), int(targets[-1])
    if last - first + 1 == len(targets):
        return np.ascontiguousarray(table[:, first : last + 1])
    return np.ascontiguousarray(table[:, targets])
