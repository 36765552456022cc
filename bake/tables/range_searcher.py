"""Search one range of targets, by whole batches or by the entries of segments.

A batch search computes the distances from every row to its targets. If few nodes lead into a
segment of several batches, as in mazes, rooms and large maps, a search to those entries alone finds
the rows whose runs change in the segment (:mod:`bake.search.all_pairs.entries`), and only these are
compared with its targets. Both methods produce the same runs; the choice affects only time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, offsets
from bake.core.graph import INFINITY, Graph, Subgraph
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.search.all_pairs.entries import (
    TargetSegment,
    compute_through_entries,
    count_entries,
    find_changing,
    find_entries,
    gather_changing,
)
from bake.search.all_pairs.runs import SLOT_BITS, Symbols, TargetBatch
from bake.tables.run_writer import STATE_BYTES, Piece, RunWriter

#: Passes the distances to targets [start, stop) to a writer, from all rows or from those that
#: change.
Take = Callable[[RunWriter, int, int, Int32Array | Iterator[Piece]], None]

#: Smallest number of rows for a search by entries: below, a whole batch takes a millisecond.
# limit: another algorithm gives the same answer; lowered by runs
FEWEST_ROWS = 2**13

#: Batches of the longest segment.
# limit: ranges are split; lowered by runs_by_entries
LONGEST = 32

#: The initial estimate of the share of rows that change in a batch, and the exponent by which the
#: share grows with the batches of a segment.
SHARE, GROWTH = 0.02, 0.5

#: Nodes whose distances are computed at once; they stay in the second-level cache.
# limit: the work is done in parts; lowered by runs_by_entries
PIECE = 1024

#: Cost of a batch search for each node, in sums of distances through an entry.
# limit: another algorithm gives the same answer; lowered by runs_by_entries
SEARCHED = 32

#: Bytes of a search by entries in addition to a batch search: parts, and a segment's subgraph.
ENTRY_BYTES = PIECE * (LANES + 2) * 4 + LONGEST * LANES * (BatchScratch.BYTES + 256)


def search_bytes(rows: int) -> int:
    """Return the bytes of one search at a time over ``rows`` rows, and of the runs of its range."""
    beside = ENTRY_BYTES if rows >= FEWEST_ROWS else 0
    return rows * (BatchScratch.BYTES + STATE_BYTES) + beside


@dataclass
class _Buffers:
    """Buffers of one range's search by entries."""

    changing: BoolArray
    place: Int32Array
    rows: Int32Array
    nodes: Int32Array
    dist: Int32Array

    @staticmethod
    def allocate(rows: int) -> _Buffers:
        return _Buffers(
            np.empty(rows, dtype=np.bool_),
            np.full(rows, -1, dtype=np.int32),
            np.empty(PIECE, dtype=np.int32),
            np.empty(PIECE, dtype=np.int32),
            np.empty((PIECE, LANES), dtype=np.int32),
        )


class RangeSearcher:
    """Searches ranges of one graph, one range in each calling thread.

    Attributes:
        by_entries: whether entries are used.
    """

    def __init__(self, sub: Subgraph, symbols: Symbols) -> None:
        self._sub, self._symbols = sub, symbols
        self._search = BatchSearch.build(sub.graph, sub.weight)
        self._spare: list[BatchScratch] = []
        self._share = SHARE  # An estimate; any thread may overwrite it.
        self.by_entries = (
            sub.graph.node_count >= FEWEST_ROWS
            and symbols.unreachable_fits
            and int(sub.graph.out_degree().max(initial=0)) <= SLOT_BITS
        )

    def writer(self, targets: tuple[int, int]) -> RunWriter:
        """Create a writer for a range."""
        return RunWriter(self._sub, self._symbols, *targets)

    def run(self, writer: RunWriter, take: Take) -> None:
        """Search a range, batch after batch.

        Args:
            writer: the writer of the range.
            take: called with every batch, in order.
        """
        # A test for a spare buffer would race with other threads.
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
        buffers = _Buffers.allocate(self._sub.graph.node_count)
        while writer.taken < writer.stop:
            segments = self._choose_segments(writer.taken, writer.stop)
            if not segments:
                self._run_whole(writer, take, scratch, writer.taken + LANES)
                continue
            lanes = np.concatenate([segment.entry for segment in segments])
            dist = self._search.distances_to(lanes, scratch)
            for segment in segments:
                changing = find_changing(
                    self._sub.arcs, dist, segment, self._symbols, writer.current, buffers.changing
                )
                share = changing / len(buffers.changing)
                self._share += (share / segment.batches**GROWTH - self._share) / 4
                if share * len(segment.entry) > SEARCHED or self._may_exceed_scale(
                    segment, scratch
                ):
                    # The batch search overwrites the distances to the entries of later segments.
                    self._run_whole(writer, take, scratch, segment.stop)
                    break
                self._write_changing(writer, take, segment, dist, buffers)

    def _choose_segments(self, begin: int, stop: int) -> list[TargetSegment]:
        """Choose segments whose entries are searched together; none if that does not pay."""
        segments = list[TargetSegment]()
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
            segments.append(TargetSegment(begin, end, entry, lane))
            lane += len(entry)
            begin = end
        return segments

    def _may_exceed_scale(self, segment: TargetSegment, scratch: BatchScratch) -> bool:
        """Return whether a distance through an entry may exceed the integer scale."""
        heaviest = self._search.heaviest
        inside = (segment.stop - segment.begin) * heaviest
        return int(scratch.longest[0]) + inside >= INFINITY - heaviest

    def _write_changing(
        self,
        writer: RunWriter,
        take: Take,
        segment: TargetSegment,
        dist: Int32Array,
        buffers: _Buffers,
    ) -> None:
        search = self._build_inside(segment)
        scratch = search.scratch()
        for start in range(segment.begin, segment.stop, LANES):
            stop = min(start + LANES, segment.stop)
            targets = np.arange(start - segment.begin, stop - segment.begin, dtype=np.int32)
            inside = search.distances_to(targets, scratch)
            pieces = self._pieces(
                TargetBatch(buffers.dist, buffers.place, start, stop),
                segment,
                dist,
                inside,
                buffers,
            )
            take(writer, start, stop, pieces)

    def _pieces(
        self,
        batch: TargetBatch,
        segment: TargetSegment,
        dist: Int32Array,
        inside: Int32Array,
        buffers: _Buffers,
    ) -> Iterator[Piece]:
        """Compute the distances from changing rows, some rows at a time."""
        row = 0
        while row < len(buffers.changing):
            row, count, node_count = gather_changing(
                self._sub.arcs, buffers.changing, row, buffers.rows, buffers.nodes, buffers.place
            )
            nodes = buffers.nodes[:node_count]
            compute_through_entries(segment, dist, inside, nodes, buffers.dist)
            yield Piece(buffers.rows[:count], batch)
            buffers.place[nodes] = -1

    def _build_inside(self, segment: TargetSegment) -> BatchSearch:
        """Build the search over the subgraph of a segment."""
        begin, stop = segment.begin, segment.stop
        first_out, head = self._sub.graph.first_out, self._sub.graph.head
        arcs = slice(first_out[begin], first_out[stop])
        is_inside = (head[arcs] >= begin) & (head[arcs] < stop)
        first = offsets(is_inside)
        within = Graph(
            first[first_out[begin : stop + 1] - first_out[begin]], head[arcs][is_inside] - begin
        )
        return BatchSearch.build(within, self._sub.weight[arcs][is_inside])
