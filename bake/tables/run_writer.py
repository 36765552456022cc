"""Encode next hops as runs of targets, one batch of targets at a time.

A *range* is a sequence of consecutive targets with runs of its own. Ranges are searched in any
order, by any number of threads or machines, and joined in the order of their targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, UInt8Array, UInt16Array, UInt32Array, UInt64Array
from bake.core.graph import Graph, Subgraph
from bake.core.movement import SECTORS, greedy_slots
from bake.search.all_pairs.batch import LANES
from bake.search.all_pairs.runs import (
    EVERY,
    NONE_BIT,
    SLOT_BITS,
    CurrentRuns,
    EndedRuns,
    PackedRuns,
    RunBuffers,
    Symbols,
    TargetBatch,
    append_runs,
    extend_crowded,
    extend_runs,
    group_by_row,
    join_range,
    name_slots,
    symbols_of,
)
from bake.tables.all_pairs import slot_dtype

#: Rows after which the buffer of ended runs is copied and reused; this bounds its size.
# limit: the work is done in parts; lowered by bakes
SLICE = 4096

#: Smallest number of rows for each range of a level. Smaller ranges cost too much: the first batch
#: of a range reads every arc.
# limit: the work is done in parts; lowered by runs
RANGE_ROWS = 2**11
# limit: ranges are longer; tests/tables/test_compressed.py
MOST_RANGES = 64

#: Bytes of a row while its range is searched.
STATE_BYTES = 30


def target_ranges(rows: int) -> list[tuple[int, int]]:
    """Divide the targets of a level into ranges; the result depends on their number alone.

    The bounds decide bytes, so they are part of the format: see "Same input, same bytes" in
    docs/format-versions.md. There are 2^k ranges, which two, four or eight workers share evenly.

    Returns:
        The first target of each range and the one after its last, in order; at least one range.

    >>> target_ranges(100), len(target_ranges(10_000))
    ([(0, 100)], 4)
    """
    batches = -(-rows // LANES)
    count = 1
    while count < MOST_RANGES and 2 * count * RANGE_ROWS <= rows:
        count *= 2
    return list(pairwise(min(rows, batches * i // count * LANES) for i in range(count + 1)))


@dataclass(frozen=True)
class RunTable:
    """Next hops as runs of targets, row after row."""

    run_count: Int32Array  #: (r) int32, runs of each row, at least one
    #: (k) int32, the first target of each run; the first run of a row begins at 0
    run_start: Int32Array
    #: (k) unsigned, the slot from the row toward any target of the run; or the compass move (all
    #: ones, less one), or no path (all ones). It has no meaning for the row itself, nor for targets
    #: that another table reports as unreachable.
    run_slot: UInt8Array | UInt16Array | UInt32Array


class Piece(NamedTuple):
    """Some rows of the graph, (k) int32, and a batch with distances from them and their heads."""

    rows: Int32Array
    batch: TargetBatch


class RangeRuns(NamedTuple):
    """The runs of a range of targets that was searched completely."""

    #: The first target of the range, and the one after its last.
    begin: int
    stop: int
    #: Each row's current run and the set of its first one, see
    #: :class:`bake.search.all_pairs.runs.CurrentRuns`.
    moves: UInt64Array
    run_start: Int32Array
    first_moves: UInt64Array
    ended: Sequence[EndedRuns]  #: the other runs that ended, in parts

    @property
    def current(self) -> CurrentRuns:
        return CurrentRuns(self.moves, self.run_start, self.first_moves, self.begin)

    @property
    def ended_count(self) -> int:
        """The number of runs that ended."""
        return sum(len(piece.row) for piece in self.ended)

    @property
    def run_count(self) -> int:
        """The number of runs, including each row's current one."""
        first = int(np.count_nonzero(self.run_start != self.begin))
        return self.ended_count + first + len(self.run_start)


def build_symbols(sub: Subgraph, at: Int32Array | None, *, unreachable_fits: bool) -> Symbols:
    """Build the symbols of runs of a graph.

    Args:
        at: (r, 2) int32 chart coordinates of the rows, see :func:`greedy_slots`; None = no compass
            move.
        unreachable_fits: whether any symbol may stand for a target without a path.
    """
    none = int(np.iinfo(slot_dtype(sub)).max)
    greedy_slot: AnyArray = np.empty((0, SECTORS), dtype=np.int16)
    if at is None:
        at = np.empty((0, 2), dtype=np.int32)
    else:
        greedy_slot = greedy_slots(sub.graph.first_out, sub.graph.head, at)
        if (greedy_slot <= np.iinfo(np.int16).max).all():
            greedy_slot = greedy_slot.astype(np.int16)
    return Symbols(at, greedy_slot, none - 1, none, unreachable_fits, _arcs_across(sub.graph))


def _arcs_across(graph: Graph) -> Int32Array:
    """Count the arcs that cross the position before each node, except arcs to distant nodes."""
    tail = graph.tail()
    low, high = np.minimum(tail, graph.head), np.maximum(tail, graph.head)
    near = high - low <= LANES
    change = np.zeros(graph.node_count + 1, dtype=np.int64)
    change += np.bincount(low[near] + 1, minlength=len(change))
    change -= np.bincount(high[near] + 1, minlength=len(change))
    return np.cumsum(change[:-1]).astype(np.int32)


class RunWriter:
    """Extends every row's runs by the targets of a range, batch after batch.

    Attributes:
        begin, stop: the first target of the range, and the one after its last.
        taken: the end of the targets processed.
        current: each row's current run.
    """

    def __init__(self, sub: Subgraph, symbols: Symbols, begin: int, stop: int) -> None:
        self.begin, self.stop, self.taken = begin, stop, begin
        self._sub, self._symbols = sub, symbols
        self._rows = rows = sub.graph.node_count
        self._every = np.arange(rows, dtype=np.int32)
        self.current = CurrentRuns(
            np.full(rows, EVERY, dtype=np.uint64),
            np.full(rows, begin, dtype=np.int32),
            np.full(rows, EVERY, dtype=np.uint64),
            begin,
        )
        self._ended: list[EndedRuns] = []
        self._written = 0
        size = min(SLICE, rows) * LANES
        self._buffer = EndedRuns(*(np.empty(size, dtype=np.int32) for _ in range(3)))
        self._buffers = RunBuffers.allocate(symbols)
        crowded = sub.graph.out_degree() > SLOT_BITS
        self._crowded = crowded if crowded.any() else None

    @property
    def run_count(self) -> int:
        """The number of runs so far, including each row's current one."""
        return self._written + int(np.count_nonzero(self.current.start != self.begin)) + self._rows

    @property
    def runs(self) -> RangeRuns:
        """The runs, once the whole range is processed; arrays are not copied."""
        moves, run_start, first_moves, _ = self.current
        return RangeRuns(self.begin, self.stop, moves, run_start, first_moves, self._ended)

    def take(self, start: int, stop: int, dist: Int32Array | Iterator[Piece]) -> None:
        """Extend the runs by targets [start, stop); batches must come in order.

        Args:
            start, stop: the batch.
            dist: (r, LANES) int32 ticks, INFINITY where there is no path and in lanes after the
                last target; or an iterator over pieces, which cover all rows whose runs may end.
        """
        pieces = dist
        if isinstance(dist, np.ndarray):
            pieces = iter([Piece(self._every, TargetBatch(dist, self._every, start, stop))])
        for piece in pieces:
            for first in range(0, len(piece.rows), SLICE):
                self._extend(piece.batch, piece.rows[first : first + SLICE])
        self.taken = stop

    def _extend(self, batch: TargetBatch, rows: Int32Array) -> None:
        arcs, symbols = self._sub.arcs, self._symbols
        if self._crowded is not None:
            is_crowded = self._crowded[rows]
            chosen = rows[is_crowded]
            self._store_ended(
                extend_crowded(arcs, batch, chosen, symbols, self.current, self._buffer)
            )
            rows = rows[~is_crowded]
        self._store_ended(
            extend_runs(arcs, batch, rows, symbols, self.current, self._buffer, self._buffers)
        )

    def _store_ended(self, count: int) -> None:
        """Copy the ended runs from the buffer."""
        self._written += count
        if count:
            self._ended.append(EndedRuns(*(array[:count].copy() for array in self._buffer)))


def check_runs(runs: RangeRuns, sub: Subgraph, none: int) -> None:
    """Validate runs, so that kernels stay within their arrays.

    Raises:
        ValueError: no writer of the graph's rows can have produced these runs.
    """
    begin, stop, moves, run_start, first_moves, ended = runs
    rows, degree = sub.graph.node_count, sub.graph.out_degree()
    valid = 0 <= begin <= stop <= rows == len(moves) == len(run_start) == len(first_moves)
    valid = valid and _within(run_start, begin, max(begin + 1, stop))
    for sets in (moves, first_moves) if valid else ():
        # Rows of many arcs store one slot instead of a set.
        slot = (degree > SLOT_BITS) & (sets != EVERY) & (sets != NONE_BIT)
        valid = valid and bool((sets[slot] < degree[slot].astype(np.uint64)).all())
    for piece in ended:
        valid = valid and len(piece.row) == len(piece.start) == len(piece.symbol)
        valid = valid and _within(piece.row, 0, rows) and _within(piece.start, begin, stop)
        valid = valid and _within(piece.symbol, 0, none + 1)
    if not valid:
        raise ValueError("the runs do not fit these rows")


def _within(numbers: Int32Array, begin: int, stop: int) -> bool:
    return not len(numbers) or begin <= int(numbers.min()) <= int(numbers.max()) < stop


class RunJoiner:
    """Joins the runs of ranges, in the order of their targets, into one table.

    The runs of a large level take most of the memory of its bake, so they are packed range by
    range.
    """

    def __init__(self, sub: Subgraph, symbols: Symbols) -> None:
        self._sub, self._symbols = sub, symbols
        rows = sub.graph.node_count
        every = np.full(rows, EVERY, dtype=np.uint64)
        self._current = CurrentRuns(every, np.zeros(rows, dtype=np.int32), every, 0)
        self._packed: list[PackedRuns] = []

    def add(self, runs: RangeRuns) -> None:
        """Join the range that follows the last one."""
        degree = self._sub.graph.out_degree()
        seam = join_range(degree, self._current, runs.current, self._symbols)
        self._packed.append(self._pack([seam, *runs.ended], runs.begin, runs.stop))

    def finish(self) -> RunTable:
        """End every row's last run and concatenate the ranges."""
        graph, rows = self._sub.graph, self._sub.graph.node_count
        count = np.ones(rows, dtype=np.int64)
        for packed in self._packed:
            count += packed.of_row
        next_run = np.cumsum(count) - count
        start = np.empty(int(count.sum()), dtype=np.int32)
        symbol = np.empty(len(start), dtype=slot_dtype(self._sub))
        start[next_run] = 0
        for packed in self._packed:
            append_runs(packed, next_run, start, symbol)
        self._packed.clear()
        symbol[next_run] = symbols_of(self._current.moves, graph.out_degree(), self._symbols)
        name_slots(graph.first_out, self._sub.slot, count, self._symbols, symbol)
        return RunTable(count.astype(np.int32), start, symbol)

    def _pack(self, ended: Sequence[EndedRuns], begin: int, stop: int) -> PackedRuns:
        rows = self._sub.graph.node_count
        count = np.zeros(rows, dtype=np.int64)
        for piece in ended:
            count += np.bincount(piece.row, minlength=rows)
        after = np.cumsum(count)
        next_run = after - count
        start = np.empty(int(after[-1]) if rows else 0, dtype=np.int32)
        symbol = np.empty(len(start), dtype=slot_dtype(self._sub))
        for piece in ended:
            group_by_row(piece, next_run, start, symbol)
        # A run ends where the next one of its row begins, which lies in this range.
        follower = np.empty_like(start)
        follower[:-1] = start[1:]
        chosen = count > 0
        follower[after[chosen] - 1] = self._current.start[chosen]
        follower -= begin
        kind = np.uint16 if stop - begin < np.iinfo(np.uint16).max else np.int32
        return PackedRuns(count.astype(kind), follower.astype(kind), symbol, begin)
