"""Find the rows whose runs change within a stretch of targets, from the ways into the stretch.

Every way into a stretch from outside passes one of its *entries*: nodes of it that an arc from
outside leads to. A move that begins a shortest path to each entry begins one to every target of the
stretch, as some entry lies on a shortest path to it. Entries are targets themselves, so the moves
that are left of a row's set after them are those left after the whole stretch. Only rows of which
none is left, and the rows of the stretch itself, need look at its targets one by one; their
distances follow from those to the entries and those inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.graph import INFINITY, Arcs
from bake.kernels.jit import kernel
from bake.search.all_pairs.batch import LANES
from bake.search.all_pairs.follow import sector
from bake.search.all_pairs.runs import GREEDY_BIT, CurrentRuns, Symbols, greedy_over
from bake.search.graph.label_correcting import SearchArcs


class Stretch(NamedTuple):
    """Consecutive targets, and what was found out about the ways to them.

    Attributes:
        begin, stop: the first target, and the one after the last.
        entry: (e) int32 nodes.
        lane: the lane of the first entry; those of the others follow.
    """

    begin: int
    stop: int
    entry: Int32Array
    lane: int

    @property
    def batches(self) -> int:
        """How many batches of targets it has, the last one perhaps a part."""
        return -(-(self.stop - self.begin) // LANES)


@kernel
def find_entries(arcs: SearchArcs, begin: int, stop: int, entry: Int32Array) -> None:
    """Write the entries of a stretch, ascending; there is room for just as many."""
    count = 0
    for node in range(begin, stop):
        for arc in range(arcs.begin[node], arcs.end[node]):
            if not begin <= arcs.to[arc] < stop:
                entry[count] = node
                count += 1
                break


@kernel
def count_entries(arcs: SearchArcs, begin: int, stop: int, count: Int32Array) -> None:
    """Count the entries of every stretch of whole batches that begins at a target.

    Args:
        arcs: into each node.
        begin: the target.
        stop: where the longest stretch stops; its last batch may be a part.
        count: (batches of the longest stretch) int32, written.
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
            # It is an entry as long as the farthest tail lies outside.
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
    stretch: Stretch,
    symbols: Symbols,
    current: CurrentRuns,
    changing: BoolArray,
) -> int:
    """Take a stretch into the runs that go on through it, and mark all other rows.

    Args:
        arcs: of the graph; no row has more than SLOT_BITS.
        dist: (n, LANES) int32 ticks to the entries.
        stretch: the targets.
        symbols: what runs may say; targets without a path must fit any.
        current: each row's run; the sets of runs that go on are written.
        changing: (n), written.

    Returns:
        How many rows were marked.
    """
    first_out, head, weight = arcs
    begin, stop, entry, lane = stretch
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
        here = dist[row, lane : lane + entries]
        nearest = np.int32(INFINITY)
        for each in range(entries):
            nearest = min(nearest, here[each])
        if nearest == INFINITY:
            changing[row] = False
            continue
        first = first_out[row]
        held = moves[row]
        straight = -1  # the one slot that is greedy toward the whole stretch, if there is one
        scattered = False
        if use_greedy and held & GREEDY_BIT:
            x0 = low_x - at[row, 0]
            x1 = high_x - at[row, 0]
            y0 = low_y - at[row, 1]
            y1 = high_y - at[row, 1]
            straight = greedy_over(greedy_slot, row, x0, x1, y0, y1)
            scattered = straight < 0
            if scattered:
                # Where it does not suit some entry, it is out of the set.
                for each in range(entries):
                    if here[each] == INFINITY:
                        continue
                    x = at[entry[each], 0] - at[row, 0]
                    y = at[entry[each], 1] - at[row, 1]
                    slot = greedy_slot[row, sector(x, y)]
                    if slot >= 0:
                        onward = dist[head[first + slot], lane + each]
                    if slot < 0 or onward + weight[first + slot] != here[each]:
                        scattered = False
                        break
        left = np.uint64(0)
        if not scattered:
            for slot in range(first_out[row + 1] - first):
                bit = np.uint64(1) << np.uint64(slot)
                if held & bit or slot == straight:
                    onwards = dist[head[first + slot], lane : lane + entries]
                    cost = weight[first + slot]
                    misses = np.int32(0)
                    for each in range(entries):
                        along = np.int32(onwards[each] + cost)
                        along = min(along, np.int32(INFINITY))
                        misses = np.int32(misses | np.int32(along ^ here[each]))
                    if misses == 0:
                        left |= held & bit
                        if slot == straight:
                            left |= GREEDY_BIT
        if left != 0:
            moves[row] = left
            changing[row] = False
        else:
            count += 1
    return count


@kernel
def next_piece(
    arcs: Arcs,
    changing: BoolArray,
    begin: int,
    rows: Int32Array,
    nodes: Int32Array,
    place: Int32Array,
) -> tuple[int, int, int]:
    """Gather rows that change, and the nodes whose distances tell how, as far as there is room.

    Args:
        arcs: of the graph.
        changing: (n), which rows change.
        begin: the row to begin with.
        rows: (k) int32, the rows, written.
        nodes: (k) int32, the rows and the heads of their arcs, written.
        place: (n) int32, -1 throughout; where each of the nodes stands among them.

    Returns:
        The row to go on with, how many rows there are, and how many nodes.
    """
    first_out, head = arcs.first_out, arcs.head
    count = found = 0
    row = begin
    while row < len(changing):
        if changing[row]:
            if found + 1 + first_out[row + 1] - first_out[row] > len(nodes):
                break
            rows[count] = row
            count += 1
            if place[row] < 0:
                place[row] = found
                nodes[found] = row
                found += 1
            for arc in range(first_out[row], first_out[row + 1]):
                other = head[arc]
                if place[other] < 0:
                    place[other] = found
                    nodes[found] = other
                    found += 1
        row += 1
    return row, count, found


@kernel
def through_entries(
    stretch: Stretch, dist: Int32Array, inside: Int32Array, nodes: Int32Array, found: Int32Array
) -> None:
    """Work out the distances from some nodes to targets of a stretch.

    Args:
        stretch: the targets.
        dist: (n, LANES) int32 ticks to the entries.
        inside: (stop - begin, LANES) int32 ticks from each node of the stretch to LANES of its
            targets, by ways that do not leave it.
        nodes: (k) int32.
        found: (k, LANES) int32, written: the ticks from these nodes to the same targets.
    """
    begin, stop, entry, first = stretch
    # A sum with no path must not run over, and must not look shorter than one.
    most = np.int32(INFINITY - 1)
    for i in range(len(nodes)):
        node = nodes[i]
        row, ways = found[i], dist[node, first : first + len(entry)]
        if begin <= node < stop:
            own = inside[node - begin]
            for lane in range(LANES):
                row[lane] = own[lane]
        else:
            for lane in range(LANES):
                row[lane] = INFINITY
        for four in range(0, len(entry) - 3, 4):
            cost0, cost1 = min(ways[four], most), min(ways[four + 1], most)
            cost2, cost3 = min(ways[four + 2], most), min(ways[four + 3], most)
            row0, row1 = inside[entry[four] - begin], inside[entry[four + 1] - begin]
            row2, row3 = inside[entry[four + 2] - begin], inside[entry[four + 3] - begin]
            for lane in range(LANES):
                one = min(np.int32(row0[lane] + cost0), np.int32(row1[lane] + cost1))
                other = min(np.int32(row2[lane] + cost2), np.int32(row3[lane] + cost3))
                row[lane] = min(row[lane], min(one, other))
        for each in range(len(entry) // 4 * 4, len(entry)):
            cost = min(ways[each], most)
            onward = inside[entry[each] - begin]
            for lane in range(LANES):
                row[lane] = min(row[lane], np.int32(onward[lane] + cost))
        for lane in range(LANES):
            row[lane] = INFINITY if row[lane] >= most else row[lane]
