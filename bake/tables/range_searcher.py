"""Search one range of targets, by whole batches or by the ways into stretches of them.

A batch search takes each of its targets from every row. Where few nodes lead into a stretch of
several batches, as in mazes, in rooms and on large maps, a search to those nodes alone tells which
rows have runs that change in it (:mod:`bake.search.all_pairs.entries`), and only these are looked
at. What comes out is the same, run for run; which way is taken is about time alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array, offsets
from bake.graph import INFINITY, Graph, Subgraph
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.search.all_pairs.entries import (
    Stretch,
    count_entries,
    find_changing,
    find_entries,
    next_piece,
    through_entries,
)
from bake.search.all_pairs.runs import SLOT_BITS, Symbols, TargetBatch
from bake.tables.run_writer import STATE_BYTES, Piece, RunWriter

#: Takes the distances to targets start to stop into a writer, from all rows or from those that
#: change.
Take = Callable[[RunWriter, int, int, Int32Array | Iterator[Piece]], None]

#: Rows from which on entries are looked at: below, a whole batch takes a millisecond.
# limit: another algorithm gives the same answer; lowered by runs
FEWEST_ROWS = 2**13

#: Batches of the longest stretch.
# limit: ranges are split; lowered by runs_by_entries
LONGEST = 32

#: The share of rows that change in a batch, as long as nothing is known; and by which power of its
#: batches the share of a longer stretch grows.
SHARE, GROWTH = 0.02, 0.5

#: Nodes whose distances are worked out at once; they stay in the second cache.
# limit: the work is done in parts; lowered by runs_by_entries
PIECE = 1024

#: What a batch search and its moves take for a node, in sums by way of an entry.
# limit: another algorithm gives the same answer; lowered by runs_by_entries
SEARCHED = 32

#: Bytes of a search by entries beside those of a batch search: pieces, and the inside of a stretch.
ENTRY_BYTES = PIECE * (LANES + 2) * 4 + LONGEST * LANES * (BatchScratch.BYTES + 256)


def search_bytes(rows: int) -> int:
    """Return the bytes that one search at a time takes in (r) rows, and the runs of its range."""
    beside = ENTRY_BYTES if rows >= FEWEST_ROWS else 0
    return rows * (BatchScratch.BYTES + STATE_BYTES) + beside


@dataclass
class _Room:
    """Working memory of one range's search by entries."""

    changing: BoolArray
    place: Int32Array
    rows: Int32Array
    nodes: Int32Array
    dist: Int32Array

    @staticmethod
    def of(rows: int) -> _Room:
        return _Room(
            np.empty(rows, dtype=np.bool_),
            np.full(rows, -1, dtype=np.int32),
            np.empty(PIECE, dtype=np.int32),
            np.empty(PIECE, dtype=np.int32),
            np.empty((PIECE, LANES), dtype=np.int32),
        )


class RangeSearcher:
    """Searches ranges of one graph, one in each thread that asks.

    Attributes:
        by_entries: whether entries are looked at.
    """

    def __init__(self, sub: Subgraph, symbols: Symbols) -> None:
        self._sub, self._symbols = sub, symbols
        self._search = BatchSearch.of(sub.graph, sub.weight)
        self._spare: list[BatchScratch] = []
        self._share = SHARE  # Whichever thread writes it, it is a guess.
        self.by_entries = (
            sub.graph.node_count >= FEWEST_ROWS
            and symbols.unreachable_fits
            and int(sub.graph.out_degree().max(initial=0)) <= SLOT_BITS
        )

    def writer(self, targets: tuple[int, int]) -> RunWriter:
        """Return a writer for a range."""
        return RunWriter(self._sub, self._symbols, *targets)

    def run(self, writer: RunWriter, take: Take) -> None:
        """Search a range, batch after batch.

        Args:
            writer: of the range.
            take: called with every batch, in order.
        """
        # Asking first whether there is a spare one would race with other threads.
        try:
            scratch = self._spare.pop()
        except IndexError:
            scratch = self._search.scratch()
        if self.by_entries:
            self._run_by_entries(writer, take, scratch)
        else:
            self._run_whole(writer, take, scratch, writer.stop)
        self._spare.append(scratch)

    def _run_whole(self, writer: RunWriter, take: Take, scratch: BatchScratch, end: int) -> None:
        for start in range(writer.taken, min(end, writer.stop), LANES):
            stop = min(start + LANES, writer.stop)
            dist = self._search.distances_to(np.arange(start, stop, dtype=np.int32), scratch)
            take(writer, start, stop, dist)

    def _run_by_entries(self, writer: RunWriter, take: Take, scratch: BatchScratch) -> None:
        room = _Room.of(self._sub.graph.node_count)
        while writer.taken < writer.stop:
            stretches = self._stretches(writer.taken, writer.stop)
            if not stretches:
                self._run_whole(writer, take, scratch, writer.taken + LANES)
                continue
            lanes = np.concatenate([each.entry for each in stretches])
            dist = self._search.distances_to(lanes, scratch)
            for stretch in stretches:
                changing = find_changing(
                    self._sub.arcs, dist, stretch, self._symbols, writer.current, room.changing
                )
                share = changing / len(room.changing)
                self._share += (share / stretch.batches**GROWTH - self._share) / 4
                if share * len(stretch.entry) > SEARCHED or self._may_be_too_long(stretch, scratch):
                    # This overwrites the distances to the entries of later stretches.
                    self._run_whole(writer, take, scratch, stretch.stop)
                    break
                self._take_changing(writer, take, stretch, dist, room)

    def _stretches(self, begin: int, stop: int) -> list[Stretch]:
        """Choose stretches whose entries are searched together; none where that does not pay."""
        found = list[Stretch]()
        lane = 0
        while begin < stop:
            end = min(begin + LONGEST * LANES, stop)
            count = np.empty(-(-(end - begin) // LANES), dtype=np.int32)
            count_entries(self._search.arcs, begin, end, count)
            batches = np.arange(1, len(count) + 1)
            together = LANES // np.maximum(count, 1)
            cost = SEARCHED / np.maximum(together, 1) / batches
            cost += self._share * batches**GROWTH * count
            cost[together == 0] = np.inf
            best = int(cost.argmin())
            if cost[best] > SEARCHED or lane + count[best] > LANES:
                break
            end = min(begin + (best + 1) * LANES, stop)
            entry = np.empty(int(count[best]), dtype=np.int32)
            find_entries(self._search.arcs, begin, end, entry)
            found.append(Stretch(begin, end, entry, lane))
            lane += len(entry)
            begin = end
        return found

    def _may_be_too_long(self, stretch: Stretch, scratch: BatchScratch) -> bool:
        """Tell whether a way through an entry may be off the scale, which a whole search checks."""
        heaviest = self._search.heaviest
        inside = (stretch.stop - stretch.begin) * heaviest
        return int(scratch.longest[0]) + inside >= INFINITY - heaviest

    def _take_changing(
        self, writer: RunWriter, take: Take, stretch: Stretch, dist: Int32Array, room: _Room
    ) -> None:
        search = self._inside(stretch)
        scratch = search.scratch()
        for start in range(stretch.begin, stretch.stop, LANES):
            stop = min(start + LANES, stretch.stop)
            targets = np.arange(start - stretch.begin, stop - stretch.begin, dtype=np.int32)
            inside = search.distances_to(targets, scratch)
            pieces = self._pieces(
                TargetBatch(room.dist, room.place, start, stop), stretch, dist, inside, room
            )
            take(writer, start, stop, pieces)

    def _pieces(
        self,
        batch: TargetBatch,
        stretch: Stretch,
        dist: Int32Array,
        inside: Int32Array,
        room: _Room,
    ) -> Iterator[Piece]:
        """Work out the distances from rows that change, some rows at a time."""
        row = 0
        while row < len(room.changing):
            row, count, found = next_piece(
                self._sub.arcs, room.changing, row, room.rows, room.nodes, room.place
            )
            nodes = room.nodes[:found]
            through_entries(stretch, dist, inside, nodes, room.dist)
            yield Piece(room.rows[:count], batch)
            room.place[nodes] = -1

    def _inside(self, stretch: Stretch) -> BatchSearch:
        """Lay out the part of the graph that lies in a stretch."""
        begin, stop = stretch.begin, stretch.stop
        first_out, head = self._sub.graph.first_out, self._sub.graph.head
        arcs = slice(first_out[begin], first_out[stop])
        kept = (head[arcs] >= begin) & (head[arcs] < stop)
        first = offsets(kept)
        within = Graph(
            first[first_out[begin : stop + 1] - first_out[begin]], head[arcs][kept] - begin
        )
        return BatchSearch.of(within, self._sub.weight[arcs][kept])
