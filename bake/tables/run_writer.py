"""Runs of next hops, row after row, taken in batch after batch of targets."""

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
    end_runs,
    extend_runs,
    group_by_row,
    name_slots,
)

#: Runs that ended: row, first target and symbol of each.
Piece = tuple[Int32Array, Int32Array, Int32Array]

#: Rows between two visits to the buffer of ended runs; bounds its size.
SLICE = 4096


@dataclass(frozen=True)
class RunTable:
    """Next hops as runs of targets, row after row.

    Attributes:
        run_count: (r) int32, runs of each row, at least one.
        run_start: (k) int32, the first target of each run; the first run of a row begins at 0.
        run_slot: (k) unsigned, the slot to take from the row toward any target of the run; or the
            greedy move (all ones, less one), or no path (all ones). What it says of the row itself,
            and of targets another table says cannot be reached, means nothing.
    """

    run_count: Int32Array
    run_start: Int32Array
    run_slot: SlotArray


def run_dtype(sub: Subgraph) -> np.dtype[np.unsignedinteger]:
    """Smallest unsigned type that holds every slot and, apart from them, two symbols."""
    largest = int(sub.slot.max(initial=0))
    for kind in (np.uint8, np.uint16, np.uint32):
        if largest < np.iinfo(kind).max - 1:
            return np.dtype(kind)
    raise AssertionError("slots are int32")


class RunWriter:
    """Runs of every row, batch after batch.

    Attributes:
        taken: targets taken in so far.
        moves: (r) uint64, set of moves of each row's run under way, see
        :mod:`bake.search.all_pairs.runs`. run_start: (r) int32, the target it began at.
        ended: runs ended so far, in pieces of three (e) int32: row, first target, symbol.
        ended_count: how many; every row has one more under way.
    """

    def __init__(self, sub: Subgraph, at: Int32Array | None, *, unreachable_fits: bool) -> None:
        graph = sub.graph
        self._sub = sub
        self._unreachable_fits = unreachable_fits
        self._rows = graph.node_count
        self._dtype = run_dtype(sub)
        self._none = int(np.iinfo(self._dtype).max)
        self._greedy = self._none - 1
        if at is None:
            self._at = np.empty((0, 2), dtype=np.int32)
            self._greedy_slot = np.empty((0, SECTORS), dtype=np.int16)
        else:
            self._at = at
            self._greedy_slot = greedy_slots(graph.first_out, graph.head, at).astype(np.int16)
        self.moves = np.full(self._rows, EVERY, dtype=np.uint64)
        self.run_start = np.zeros(self._rows, dtype=np.int32)
        self.ended: list[Piece] = []
        self.ended_count = 0
        self.taken = 0
        size = min(SLICE, self._rows) * LANES
        self._buffers = tuple(np.empty(size, dtype=np.int32) for _ in range(3))

    def restart(self) -> None:
        """Forget everything taken in, to sample batches from elsewhere."""
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
        ended: list[Piece],
    ) -> None:
        """Take up what another writer of the same rows came to; arrays as its attributes were.

        Raises:
            ValueError: no writer of these rows can have come to that. Nothing has changed then.
        """
        self._check(taken, moves, run_start, ended)
        self.taken, self.moves, self.run_start, self.ended = taken, moves, run_start, ended
        self.ended_count = sum(len(row) for row, _, _ in ended)

    def _check(
        self,
        taken: int,
        moves: UInt64Array,
        run_start: Int32Array,
        ended: list[Piece],
    ) -> None:
        """Refuse what would lead kernels out of their arrays."""
        rows, degree = self._rows, self._sub.graph.out_degree()
        fine = 0 <= taken <= rows == len(moves) == len(run_start) and _within(run_start, taken)
        if fine:
            # Rows of many arcs keep one slot instead of a set.
            slot = (degree > SLOT_BITS) & (moves != EVERY) & (moves != NONE_BIT)
            fine = bool((moves[slot] < degree[slot].astype(np.uint64)).all())
        for row, start, symbol in ended:
            fine = fine and _within(row, rows) and _within(start, taken)
            fine = fine and _within(symbol, self._none + 1)
        if not fine:
            raise ValueError("no state of these rows")

    def take(self, start: int, stop: int, dist: Int32Array) -> None:
        """Take in the distances to targets start to stop; batches must come in order."""
        graph = self._sub.graph
        ended_row, ended_start, ended_symbol = self._buffers
        for first_row in range(0, self._rows, SLICE):
            count = extend_runs(
                graph.first_out,
                graph.head,
                self._sub.weight,
                dist,
                start,
                stop,
                first_row,
                min(first_row + SLICE, self._rows),
                self._at,
                self._greedy_slot,
                self._unreachable_fits,
                self.moves,
                self.run_start,
                self._greedy,
                self._none,
                ended_row,
                ended_start,
                ended_symbol,
            )
            self.ended_count += count
            if count:
                self.ended.append(
                    (
                        ended_row[:count].copy(),
                        ended_start[:count].copy(),
                        ended_symbol[:count].copy(),
                    )
                )
        self.taken = stop

    def finish(self) -> RunTable:
        """End every row's last run and sort the runs by row."""
        last = np.empty(self._rows, dtype=np.int32)
        end_runs(self._sub.graph.first_out, self.moves, self._greedy, self._none, last)
        rows = np.arange(self._rows, dtype=np.int32)
        self.ended.append((rows, self.run_start, last))
        count = np.zeros(self._rows, dtype=np.int64)
        for row, _, _ in self.ended:
            count += np.bincount(row, minlength=self._rows)
        place = np.cumsum(count) - count
        start = np.empty(int(count.sum()), dtype=np.int32)
        symbol = np.empty_like(start)
        for row, run_start, run_symbol in self.ended:
            group_by_row(row, run_start, run_symbol, place, start, symbol)
        graph = self._sub.graph
        name_slots(graph.first_out, self._sub.slot, count, self._greedy, self._none, symbol)
        return RunTable(count.astype(np.int32), start, symbol.astype(self._dtype))


def _within(numbers: Int32Array, stop: int) -> bool:
    return not len(numbers) or 0 <= int(numbers.min()) <= int(numbers.max()) < max(1, stop)
