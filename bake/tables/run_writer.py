"""Write next hops as runs of targets while batch after batch of targets comes in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array, UInt64Array
from bake.graph import Subgraph
from bake.greedy import SECTORS, greedy_slots
from bake.search.all_pairs.batch import LANES
from bake.search.all_pairs.first_moves import SlotArray
from bake.search.all_pairs.runs import (
    EVERY,
    NONE_BIT,
    SLOT_BITS,
    CurrentRuns,
    EndedRuns,
    Symbols,
    TargetBatch,
    end_runs,
    extend_runs,
    group_by_row,
    name_slots,
)
from bake.tables.all_pairs import slot_dtype

#: Rows after which the buffer of ended runs is emptied; this bounds its size.
SLICE = 4096


@dataclass(frozen=True)
class RunTable:
    """Next hops as runs of targets, row after row.

    Attributes:
        run_count: (r) int32, runs of each row, at least one.
        run_start: (k) int32, the first target of each run; the first run of a row begins at 0.
        run_slot: (k) unsigned, the slot to take from the row toward any target of the run; or the
            greedy move (all ones, less one), or no path (all ones). For the row itself, and for
            targets that another table says cannot be reached, it means nothing.
    """

    run_count: Int32Array
    run_start: Int32Array
    run_slot: SlotArray


class RunWriter:
    """Takes in distances, batch after batch of targets, and keeps every row's runs.

    Attributes:
        taken: how many targets were taken in so far.
        moves, run_start: each row's current run, see
            :class:`bake.search.all_pairs.runs.CurrentRuns`.
        ended: runs ended so far, in pieces.
        ended_count: how many runs have ended; every row has one more that has not.
    """

    def __init__(self, sub: Subgraph, at: Int32Array | None, *, unreachable_fits: bool) -> None:
        graph = sub.graph
        self._sub = sub
        self._rows = graph.node_count
        self._dtype = slot_dtype(sub, symbols=2)
        self._none = int(np.iinfo(self._dtype).max)
        self._greedy = self._none - 1
        greedy_slot = np.empty((0, SECTORS), dtype=np.int16)
        if at is None:
            at = np.empty((0, 2), dtype=np.int32)
        else:
            greedy_slot = greedy_slots(graph.first_out, graph.head, at).astype(np.int16)
        self._symbols = Symbols(at, greedy_slot, self._greedy, self._none, unreachable_fits)
        self.moves = np.full(self._rows, EVERY, dtype=np.uint64)
        self.run_start = np.zeros(self._rows, dtype=np.int32)
        self.ended: list[EndedRuns] = []
        self.ended_count = 0
        self.taken = 0
        size = min(SLICE, self._rows) * LANES
        self._buffer = EndedRuns(*(np.empty(size, dtype=np.int32) for _ in range(3)))

    def restart(self) -> None:
        """Forget everything taken in, so that batches can be sampled elsewhere."""
        self.moves[:] = EVERY
        self.run_start[:] = 0
        self.ended.clear()
        self.ended_count = 0
        self.taken = 0

    def go_on_from(
        self,
        taken: int,
        moves: UInt64Array,
        run_start: Int32Array,
        ended: list[EndedRuns],
    ) -> None:
        """Go on from the state of another writer of the same rows; the arrays are its attributes.

        Raises:
            ValueError: no writer of these rows can be in that state; this writer is unchanged then.
        """
        self._check(taken, moves, run_start, ended)
        self.taken, self.moves, self.run_start, self.ended = taken, moves, run_start, ended
        self.ended_count = sum(len(piece.row) for piece in ended)

    def _check(
        self,
        taken: int,
        moves: UInt64Array,
        run_start: Int32Array,
        ended: list[EndedRuns],
    ) -> None:
        """Refuse a state that would lead kernels outside their arrays."""
        rows, degree = self._rows, self._sub.graph.out_degree()
        fine = 0 <= taken <= rows == len(moves) == len(run_start) and _within(run_start, taken)
        if fine:
            # Rows of many arcs keep one slot instead of a set.
            slot = (degree > SLOT_BITS) & (moves != EVERY) & (moves != NONE_BIT)
            fine = bool((moves[slot] < degree[slot].astype(np.uint64)).all())
        for piece in ended:
            fine = fine and _within(piece.row, rows) and _within(piece.start, taken)
            fine = fine and _within(piece.symbol, self._none + 1)
        if not fine:
            raise ValueError("no writer of these rows can have come to that")

    def take(self, start: int, stop: int, dist: Int32Array) -> None:
        """Take in the distances to targets start to stop; batches must come in order."""
        batch = TargetBatch(dist, start, stop)
        current = CurrentRuns(self.moves, self.run_start)
        for first_row in range(0, self._rows, SLICE):
            last_row = min(first_row + SLICE, self._rows)
            count = extend_runs(
                self._sub.arcs, batch, first_row, last_row, self._symbols, current, self._buffer
            )
            self.ended_count += count
            if count:
                self.ended.append(EndedRuns(*(each[:count].copy() for each in self._buffer)))
        self.taken = stop

    def finish(self) -> RunTable:
        """End every row's last run and sort the runs by row."""
        last = np.empty(self._rows, dtype=np.int32)
        end_runs(self._sub.graph.first_out, self.moves, self._greedy, self._none, last)
        rows = np.arange(self._rows, dtype=np.int32)
        self.ended.append(EndedRuns(rows, self.run_start, last))
        count = np.zeros(self._rows, dtype=np.int64)
        for piece in self.ended:
            count += np.bincount(piece.row, minlength=self._rows)
        next_run = np.cumsum(count) - count
        start = np.empty(int(count.sum()), dtype=np.int32)
        symbol = np.empty_like(start)
        for piece in self.ended:
            group_by_row(piece, next_run, start, symbol)
        graph = self._sub.graph
        name_slots(graph.first_out, self._sub.slot, count, self._greedy, self._none, symbol)
        return RunTable(count.astype(np.int32), start, symbol.astype(self._dtype))


def _within(numbers: Int32Array, stop: int) -> bool:
    return not len(numbers) or 0 <= int(numbers.min()) <= int(numbers.max()) < max(1, stop)
