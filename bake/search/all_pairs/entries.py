"""Find the rows whose runs change within a segment of targets, from distances to its entries.

An *entry* of a segment is one of its nodes that an arc from outside leads to. Every path into the
segment passes an entry. A move that begins a shortest path to each entry therefore begins one to
every target of the segment, since some entry lies on a shortest path to it. Entries are targets
themselves, so intersecting a row's moves with those of the entries equals intersecting them with
those of all targets. Only the rows whose set becomes empty, and the rows of the segment itself,
are compared with its targets one by one; their distances follow from those to the entries and
those inside the segment.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.core.graph import INFINITY, Arcs
from bake.core.kernels.jit import kernel
from bake.search.all_pairs.batch import LANES
from bake.search.all_pairs.follow import sector
from bake.search.all_pairs.runs import GREEDY_BIT, CurrentRuns, Symbols, greedy_over
from bake.search.graph.label_correcting import SearchArcs


class TargetSegment(NamedTuple):
    """Consecutive targets and their entries."""

    #: The first target, and the one after the last.
    begin: int
    stop: int
    #: (e) int32 nodes, ascending.
    entry: Int32Array
    #: The lane of the first entry in the distances to entries; the other entries follow.
    lane: int

    @property
    def batches(self) -> int:
        """The number of batches of LANES targets; the last one may be shorter."""
        return -(-(self.stop - self.begin) // LANES)


@kernel
def find_entries(arcs: SearchArcs, begin: int, stop: int, entry: Int32Array) -> None:
    """Write the entries of a segment in ascending order; `entry` has exactly their number."""
    count = 0
    for node in range(begin, stop):
        for arc in range(arcs.begin[node], arcs.end[node]):
            if not begin <= arcs.to[arc] < stop:
                entry[count] = node
                count += 1
                break


@kernel
def count_entries(arcs: SearchArcs, begin: int, stop: int, count: Int32Array) -> None:
    """Count the entries of each segment of whole batches that begins at a given target.

    Args:
        arcs: into each node.
        begin: the first target of every segment.
        stop: the end of the longest segment; its last batch may be shorter.
        count: (batches of the longest segment) int32, written: the entries of each segment.
    """
    count[:] = 0
    always = 0
    for node in range(begin, stop):
        farthest = node
        before = False
        for arc in range(arcs.begin[node], arcs.end[node]):
            farthest = max(farthest, arcs.to[arc])
            before = before or arcs.to[arc] < begin
        batch = (node - begin) // LANES
        if before:
            always += 1
        else:
            # The node is an entry of the segments that do not contain its farthest tail.
            for longer in range(batch, len(count)):
                if farthest < min(begin + (longer + 1) * LANES, stop):
                    break
                count[longer] += 1
        if node == stop - 1 or (node + 1 - begin) % LANES == 0:
            count[batch] += always


@kernel
def find_changing(
    arcs: Arcs,
    dist: Int32Array,
    segment: TargetSegment,
    symbols: Symbols,
    current: CurrentRuns,
    changing: BoolArray,
) -> int:
    """Extend the runs that continue through a segment, and mark the rows whose runs change.

    Args:
        arcs: the graph; no row has more than SLOT_BITS arcs.
        dist: (n, LANES) int32 ticks to the entries.
        segment: the targets.
        symbols: the symbols of runs; targets without a path must fit any run.
        current: the current run of each row; the moves of continuing runs are written.
        changing: (n), written: the rows whose runs change.

    Returns:
        The number of marked rows.
    """
    first_out, head, weight = arcs
    begin, stop, entry, lane = segment
    at, greedy_slot = symbols.at, symbols.greedy_slot
    moves = current.moves
    entries = len(entry)
    use_greedy = len(greedy_slot) > 0
    low_x = low_y = 2**30
    high_x = high_y = -(2**30)
    if use_greedy:
        for node in range(begin, stop):
            low_x = min(low_x, at[node, 0])
            high_x = max(high_x, at[node, 0])
            low_y = min(low_y, at[node, 1])
            high_y = max(high_y, at[node, 1])
    count = 0
    for row in range(len(first_out) - 1):
        changing[row] = True
        if begin <= row < stop:
            count += 1
            continue
        row_dist = dist[row, lane : lane + entries]
        nearest = np.int32(INFINITY)
        for index in range(entries):
            nearest = min(nearest, row_dist[index])
        if nearest == INFINITY:
            changing[row] = False
            continue
        first = first_out[row]
        row_moves = moves[row]
        compass_slot = -1  # -1, or the one slot that is the compass move toward the whole segment
        scattered = False
        if use_greedy and row_moves & GREEDY_BIT:
            x0 = low_x - at[row, 0]
            x1 = high_x - at[row, 0]
            y0 = low_y - at[row, 1]
            y1 = high_y - at[row, 1]
            compass_slot = greedy_over(greedy_slot, row, x0, x1, y0, y1)
            scattered = compass_slot < 0
            if scattered:
                # The compass move drops out of the set if it does not suit some entry.
                for index in range(entries):
                    if row_dist[index] == INFINITY:
                        continue
                    x = at[entry[index], 0] - at[row, 0]
                    y = at[entry[index], 1] - at[row, 1]
                    slot = greedy_slot[row, sector(x, y)]
                    if slot >= 0:
                        onward = dist[head[first + slot], lane + index]
                    if slot < 0 or onward + weight[first + slot] != row_dist[index]:
                        scattered = False
                        break
        moves_left = np.uint64(0)
        if not scattered:
            for slot in range(first_out[row + 1] - first):
                bit = np.uint64(1) << np.uint64(slot)
                if row_moves & bit or slot == compass_slot:
                    onwards = dist[head[first + slot], lane : lane + entries]
                    cost = weight[first + slot]
                    misses = np.int32(0)
                    for index in range(entries):
                        along = np.int32(onwards[index] + cost)
                        along = min(along, np.int32(INFINITY))
                        misses = np.int32(misses | np.int32(along ^ row_dist[index]))
                    if misses == 0:
                        moves_left |= row_moves & bit
                        if slot == compass_slot:
                            moves_left |= GREEDY_BIT
        if moves_left != 0:
            moves[row] = moves_left
            changing[row] = False
        else:
            count += 1
    return count


@kernel
def gather_changing(
    arcs: Arcs,
    changing: BoolArray,
    begin: int,
    rows: Int32Array,
    nodes: Int32Array,
    place: Int32Array,
) -> tuple[int, int, int]:
    """Gather changing rows and the nodes whose distances they need, up to the buffer's size.

    Args:
        arcs: the graph.
        changing: (n), the rows that change.
        begin: the first row to consider.
        rows: (k) int32, written: the rows.
        nodes: (k) int32, written: the rows and the heads of their arcs, without duplicates.
        place: (n) int32, all -1 at the start; written: the index of each of the nodes in `nodes`.

    Returns:
        The row to continue with, the number of rows and the number of nodes.
    """
    first_out, head = arcs.first_out, arcs.head
    count = node_count = 0
    row = begin
    while row < len(changing):
        if changing[row]:
            if node_count + 1 + first_out[row + 1] - first_out[row] > len(nodes):
                break
            rows[count] = row
            count += 1
            if place[row] < 0:
                place[row] = node_count
                nodes[node_count] = row
                node_count += 1
            for arc in range(first_out[row], first_out[row + 1]):
                other = head[arc]
                if place[other] < 0:
                    place[other] = node_count
                    nodes[node_count] = other
                    node_count += 1
        row += 1
    return row, count, node_count


@kernel
def compute_through_entries(
    segment: TargetSegment,
    dist: Int32Array,
    inside: Int32Array,
    nodes: Int32Array,
    result: Int32Array,
) -> None:
    """Compute the distances from given nodes to the targets of one batch of a segment.

    Args:
        segment: the targets.
        dist: (n, LANES) int32 ticks to the entries.
        inside: (stop - begin, LANES) int32 ticks from each node of the segment to LANES of its
            targets, along paths inside the segment.
        nodes: (k) int32.
        result: (k, LANES) int32, written: ticks from these nodes to the same targets.
    """
    begin, stop, entry, first = segment
    # The sum of two such values neither overflows nor falls below a finite distance.
    most = np.int32(INFINITY - 1)
    for i in range(len(nodes)):
        node = nodes[i]
        row, entry_dist = result[i], dist[node, first : first + len(entry)]
        if begin <= node < stop:
            inside_dist = inside[node - begin]
            for lane in range(LANES):
                row[lane] = inside_dist[lane]
        else:
            for lane in range(LANES):
                row[lane] = INFINITY
        for four in range(0, len(entry) - 3, 4):
            cost0, cost1 = min(entry_dist[four], most), min(entry_dist[four + 1], most)
            cost2, cost3 = min(entry_dist[four + 2], most), min(entry_dist[four + 3], most)
            row0, row1 = inside[entry[four] - begin], inside[entry[four + 1] - begin]
            row2, row3 = inside[entry[four + 2] - begin], inside[entry[four + 3] - begin]
            for lane in range(LANES):
                one = min(np.int32(row0[lane] + cost0), np.int32(row1[lane] + cost1))
                other = min(np.int32(row2[lane] + cost2), np.int32(row3[lane] + cost3))
                row[lane] = min(row[lane], min(one, other))
        for index in range(len(entry) // 4 * 4, len(entry)):
            cost = min(entry_dist[index], most)
            onward = inside[entry[index] - begin]
            for lane in range(LANES):
                row[lane] = min(row[lane], np.int32(onward[lane] + cost))
        for lane in range(LANES):
            row[lane] = INFINITY if row[lane] >= most else row[lane]
