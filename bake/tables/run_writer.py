"""Write next hops as runs of targets while batch after batch of targets comes in.

A *range* is a stretch of consecutive targets, with runs of its own. Ranges are searched in any
order, by any number of threads or machines, and joined in the order of their targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, Int32Array, UInt8Array, UInt16Array, UInt32Array, UInt64Array
from bake.graph import Graph, Subgraph
from bake.movement import SECTORS, greedy_slots
from bake.search.all_pairs.batch import LANES
from bake.search.all_pairs.runs import (
    EVERY,
    NONE_BIT,
    SLOT_BITS,
    CurrentRuns,
    EndedRuns,
    PackedRuns,
    RunRoom,
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

#: Rows after which the buffer of ended runs is emptied; this bounds its size.
# limit: the work is done in parts; lowered by bakes
SLICE = 4096

#: Rows a level has for each of its ranges, at least. Fewer would make the first batch of a range,
#: which looks at every arc, a burden.
# limit: the work is done in parts; lowered by runs
RANGE_ROWS = 2**11
# limit: ranges are longer; tests/tables/test_compressed.py
MOST_RANGES = 64

#: Bytes a row needs while its range is searched.
STATE_BYTES = 30


def target_ranges(rows: int) -> list[tuple[int, int]]:
    """Cut the targets of a level into ranges, by their number alone.

    The cuts decide bytes, so they are part of the format: see "Same input, same bytes" in
    docs/format-versions.md. There are 2^k ranges, which two, four or eight workers share evenly.

    Returns:
        The first target of each range and the one after its last, in order; there is at least one.
    """
    batches = -(-rows // LANES)
    count = 1
    while count < MOST_RANGES and 2 * count * RANGE_ROWS <= rows:
        count *= 2
    return list(pairwise(min(rows, batches * each // count * LANES) for each in range(count + 1)))


@dataclass(frozen=True)
class RunTable:
    """Next hops as runs of targets, row after row."""

    run_count: Int32Array  #: (r) int32, runs of each row, at least one
    #: (k) int32, the first target of each run; the first run of a row begins at 0
    run_start: Int32Array
    #: (k) unsigned, the slot to take from the row toward any target of the run; or the greedy move
    #: (all ones, less one), or no path (all ones). For the row itself, and for targets that another
    #: table says cannot be reached, it means nothing.
    run_slot: UInt8Array | UInt16Array | UInt32Array


class Piece(NamedTuple):
    """Some rows of the graph, (k) int32, and a batch with distances from them and their heads."""

    rows: Int32Array
    batch: TargetBatch


class RangeRuns(NamedTuple):
    """The runs of a range of targets that was searched to its end."""

    #: begin, stop: the first target of the range, and the one after its last
    begin: int
    stop: int
    #: moves, run_start, first_moves: each row's current run and the set of its first one, see
    #: :class:`bake.search.all_pairs.runs.CurrentRuns`
    moves: UInt64Array
    run_start: Int32Array
    first_moves: UInt64Array
    ended: Sequence[EndedRuns]  #: other runs that ended, in pieces

    @property
    def current(self) -> CurrentRuns:
        return CurrentRuns(self.moves, self.run_start, self.first_moves, self.begin)

    @property
    def ended_count(self) -> int:
        """How many runs ended, and are followed by others in their rows."""
        return sum(len(piece.row) for piece in self.ended)

    @property
    def run_count(self) -> int:
        """How many runs there are: each row has at least one."""
        first = int(np.count_nonzero(self.run_start != self.begin))
        return self.ended_count + first + len(self.run_start)


def symbols_for(sub: Subgraph, at: Int32Array | None, *, unreachable_fits: bool) -> Symbols:
    """Return what runs of a graph's rows may say.

    Args:
        at: (r, 2) int32 chart coordinates of the rows, see :func:`greedy_slots`; None = no greedy
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
    """Count the arcs across the place before each node; those to nodes far off do not count."""
    tail = graph.tail()
    low, high = np.minimum(tail, graph.head), np.maximum(tail, graph.head)
    near = high - low <= LANES
    change = np.zeros(graph.node_count + 1, dtype=np.int64)
    change += np.bincount(low[near] + 1, minlength=len(change))
    change -= np.bincount(high[near] + 1, minlength=len(change))
    return np.cumsum(change[:-1]).astype(np.int32)


class RunWriter:
    """Takes in distances to a range of targets, batch after batch, and keeps every row's runs.

    Attributes:
        begin, stop: the first target of the range, and the one after its last.
        taken: the target after the last one that was taken in.
        current: each row's run.
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
        self._room = RunRoom.of(symbols)
        crowded = sub.graph.out_degree() > SLOT_BITS
        self._crowded = crowded if crowded.any() else None

    @property
    def run_count(self) -> int:
        """How many runs there are so far: each row has at least one."""
        return self._written + int(np.count_nonzero(self.current.start != self.begin)) + self._rows

    @property
    def runs(self) -> RangeRuns:
        """What was found, once all of the range was taken in; arrays are not copied."""
        moves, run_start, first_moves, _ = self.current
        return RangeRuns(self.begin, self.stop, moves, run_start, first_moves, self._ended)

    def take(self, start: int, stop: int, dist: Int32Array | Iterator[Piece]) -> None:
        """Take in the distances to targets start to stop; batches must come in order.

        Args:
            start, stop: the batch.
            dist: (r, LANES) int32 ticks, INFINITY where there is no path and in lanes past the
                last target; or pieces of them, with all rows whose runs are not known to go on.
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
            many = self._crowded[rows]
            some = rows[many]
            self._note(extend_crowded(arcs, batch, some, symbols, self.current, self._buffer))
            rows = rows[~many]
        self._note(extend_runs(arcs, batch, rows, symbols, self.current, self._buffer, self._room))

    def _note(self, count: int) -> None:
        """Keep the runs that ended, which the buffer holds."""
        self._written += count
        if count:
            self._ended.append(EndedRuns(*(each[:count].copy() for each in self._buffer)))


def check_runs(runs: RangeRuns, sub: Subgraph, none: int) -> None:
    """Refuse runs that would lead kernels outside their arrays.

    Raises:
        ValueError: no writer of the graph's rows can have found them.
    """
    begin, stop, moves, run_start, first_moves, ended = runs
    rows, degree = sub.graph.node_count, sub.graph.out_degree()
    fine = 0 <= begin <= stop <= rows == len(moves) == len(run_start) == len(first_moves)
    fine = fine and _within(run_start, begin, max(begin + 1, stop))
    for sets in (moves, first_moves) if fine else ():
        # Rows of many arcs keep one slot instead of a set.
        slot = (degree > SLOT_BITS) & (sets != EVERY) & (sets != NONE_BIT)
        fine = fine and bool((sets[slot] < degree[slot].astype(np.uint64)).all())
    for piece in ended:
        fine = fine and len(piece.row) == len(piece.start) == len(piece.symbol)
        fine = fine and _within(piece.row, 0, rows) and _within(piece.start, begin, stop)
        fine = fine and _within(piece.symbol, 0, none + 1)
    if not fine:
        raise ValueError("no writer of these rows can have come to that")


def _within(numbers: Int32Array, begin: int, stop: int) -> bool:
    return not len(numbers) or begin <= int(numbers.min()) <= int(numbers.max()) < stop


class RunJoiner:
    """Joins the runs of ranges, in the order of their targets, to one table.

    The runs of a large level are most of what its bake holds, so they are packed range by range.
    """

    def __init__(self, sub: Subgraph, symbols: Symbols) -> None:
        self._sub, self._symbols = sub, symbols
        rows = sub.graph.node_count
        every = np.full(rows, EVERY, dtype=np.uint64)
        self._current = CurrentRuns(every, np.zeros(rows, dtype=np.int32), every, 0)
        self._packed: list[PackedRuns] = []

    def add(self, runs: RangeRuns) -> None:
        """Join a range that begins where the one before it stopped."""
        degree = self._sub.graph.out_degree()
        seam = join_range(degree, self._current, runs.current, self._symbols)
        self._packed.append(self._pack([seam, *runs.ended], runs.begin, runs.stop))

    def finish(self) -> RunTable:
        """End every row's last run and put the ranges one behind the other."""
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
        # A run ends where the next one of its row begins, and that is in this range.
        follower = np.empty_like(start)
        follower[:-1] = start[1:]
        some = count > 0
        follower[after[some] - 1] = self._current.start[some]
        follower -= begin
        kind = np.uint16 if stop - begin < np.iinfo(np.uint16).max else np.int32
        return PackedRuns(count.astype(kind), follower.astype(kind), symbol, begin)
