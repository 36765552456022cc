"""A* with a bucket queue.

P. Hart, N. Nilsson, B. Raphael, "A formal basis for the heuristic determination of minimum cost
paths", IEEE Trans. SSC 4(2), 1968; buckets after R. Dial, "Algorithm 360", Comm. ACM 12(11), 1969.

Buckets are wider than a tick, so a row may be popped before its distance is final. It is then
popped again: the search corrects labels and ends only when no entry could lead to a shorter path.
The result is exact for every admissible heuristic, consistent or not. A bucket pops the entry that
was inserted last, which is usually closest to the goal. An entry with a larger f than the first
one, or the same f and a smaller g, is inserted behind it. So a perfect heuristic expands only a
shortest path, as with a heap.

Without a heuristic this is Dijkstra's algorithm with an early exit. Weighted A* uses another queue:
f falls along its paths, into buckets that were already processed, and the search would go depth
first. See :mod:`bake.search.point.heap_searches`.

All searches between two points share the graph, labels and answers defined here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt32Array
from bake.core.graph import UNREACHABLE
from bake.core.kernels.jit import kernel
from bake.search.contraction.query import DistancesTo
from bake.search.point.estimates import EstimateTerms, coordinates, estimated_ahead

#: Results of searches: a path exists, no path exists, the queue is full and must grow before the
#: search continues, or the slice has ended.
FOUND = 1
NO_PATH = 0
FULL = -1
PAUSED = 2


class PackedArcs(NamedTuple):
    """A graph in the layout of searches between two points."""

    #: (r, 2) int32, the begin and end of each row's arcs.
    piece: Int32Array
    #: (m, 2) uint32: head and weight of each arc, unsigned, so that kernels need no check for
    #: negative indices.
    arcs: UInt32Array


class Labels(NamedTuple):
    """The state of a search by row."""

    #: (r) int64: the distance from the start, less 2**32 times the epoch of the search that wrote
    #: it. Labels of earlier searches are larger than all of this one, so one comparison decides
    #: whether a path is new or shorter.
    label: Int64Array
    #: (r, 3) int32, of rows labeled by this search: parent row, estimate, and the mask of the arcs
    #: to follow after the arc that led there.
    seen: Int32Array
    #: The epoch of this search, larger than those of earlier ones on these labels.
    epoch: int


class BucketQueue(NamedTuple):
    """Entries in stacks, by estimated cost.

    The searches repeat the code that inserts an entry: as a function it costs them 4 to 25 %.
    """

    #: (e, 3) int32: a row, its distance when it was inserted, and the next entry of the bucket.
    entry: Int32Array
    #: (b + 1) int32, the first entry of each bucket, -1 = none. The last bucket holds entries
    #: beyond the range of the others.
    bucket: Int32Array
    #: A bucket spans 2**width ticks.
    width: int


class Slice(NamedTuple):
    """A limit for one run of a search, and the state with which the search continues."""

    #: The number of expansions at which the search pauses.
    until: int
    #: (12) int64, written when it stops: 1, the number of expansions, the row expanded last, values
    #: private to the search, and the number of arcs read; 0 at first = start.
    state: Int64Array


#: The limit of a search that does not pause.
WHOLE = 2**62


@kernel
def redistribute(queue: BucketQueue, seen: Int32Array) -> int:
    """Distribute the entries of the last bucket, the only one in use, over all buckets.

    Returns:
        The smallest estimated cost, where the first bucket begins.
    """
    entry, bucket, width = queue
    far = len(bucket) - 1
    slot = int(bucket[far])
    bucket[far] = -1
    base = int(UNREACHABLE)
    other = slot
    while other >= 0:
        base = min(base, int(entry[other, 1]) + int(seen[entry[other, 0], 1]))
        other = int(entry[other, 2])
    while slot >= 0:
        after = int(entry[slot, 2])
        f = int(entry[slot, 1]) + int(seen[entry[slot, 0], 1])
        at = min((f - base) >> width, far)
        entry[slot, 2] = bucket[at]
        bucket[at] = slot
        slot = after
    return base


@kernel
def clear(bucket: Int32Array, first: int, last: int) -> None:
    """Empty a range of buckets, both ends included, and the last bucket."""
    for at in range(first, last + 1):
        bucket[at] = -1
    bucket[len(bucket) - 1] = np.int32(-1)


#: The index of the lowest bit set in a byte; 8 if there is none.
_LOWEST = np.array([8, *((byte & -byte).bit_length() - 1 for byte in range(1, 256))], np.uint8)


@kernel
def search_buckets(
    graph: PackedArcs,
    successors: Int32Array,
    terms: EstimateTerms,
    toward: DistancesTo,
    labels: Labels,
    queue: BucketQueue,
    start: int,
    goal: int,
    answer: Int64Array,
    part: Slice,
) -> int:
    """Search from one row to another by A*.

    Args:
        graph: rows and arcs.
        successors: (k) int32, masks of the arcs to follow after each of the first k arcs; after
            later arcs all are followed. Valid for consistent heuristics only.
        terms: of the heuristic.
        toward: exact distances that replace the heuristic.
        labels: scratch.
        queue: empty; empty again afterwards, unless the search can continue.
        start, goal: rows.
        answer: (4) int64, filled with ticks of the path, how often a row was expanded, whether a
            way was given up because it costs more than can be counted, and how many arcs lead out
            of the rows expanded.
        part: how far to go. A search that stopped goes on with the same scratch and queue, which
            may have grown meanwhile.

    Returns:
        FOUND, NO_PATH, FULL or PAUSED.
    """
    piece, arcs = graph
    label, seen, epoch = labels
    entry, bucket, width = queue
    goal_x, goal_y = coordinates(terms.at, goal)
    far = len(bucket) - 1
    mark = -(epoch << 32)
    older = mark + (1 << 32)
    masked = len(successors)
    state = part.state
    if state[0] == 0:
        h = estimated_ahead(toward, terms, start, goal, goal_x, goal_y)
        label[start] = mark
        seen[start, 0] = -1
        seen[start, 1] = h
        seen[start, 2] = -1
        entry[0, 0] = start
        entry[0, 1] = 0
        entry[0, 2] = -1
        bucket[0] = 0
        state[:] = 0
        state[0], state[2], state[3], state[4] = 1, start, h, 1
        state[5], state[6], state[9] = -1, 1, UNREACHABLE
    expanded, row = int(state[1]), int(state[2])
    base, used, free, queued = int(state[3]), int(state[4]), int(state[5]), int(state[6])
    cursor, top, best, lost = int(state[7]), int(state[8]), int(state[9]), int(state[10])
    generated = int(state[11])
    status = NO_PATH
    while queued > 0 or expanded == part.until:
        if expanded == part.until:
            status = PAUSED
            break
        while bucket[cursor] < 0:
            cursor += 1
        if cursor == far:
            # Only entries of the last bucket remain: distribute them from the nearest one on.
            if base + (far << width) >= best:
                break
            base = redistribute(queue, seen)
            cursor = 0
            top = far
            continue
        if base + (cursor << width) >= best:
            break
        slot = int(bucket[cursor])
        popped = int(entry[slot, 0])
        arc = int(piece[popped, 0])
        end = int(piece[popped, 1])
        if used + end - arc > len(entry):
            status = FULL
            break
        bucket[cursor] = entry[slot, 2]
        g = int(entry[slot, 1])
        entry[slot, 2] = free
        free = slot
        queued -= 1
        if mark + g != label[popped] or g + seen[popped, 1] >= best:
            continue
        row = popped
        expanded += 1
        generated += end - arc
        # Where a row has more arcs than there are bits, all bits are set, and sign bits follow.
        bits = int(seen[row, 2])
        while bits != 0:
            skip = int(_LOWEST[bits & 255])
            arc += skip
            bits >>= skip
            if skip == 8:
                continue
            if arc >= end:
                break
            by = arc
            arc += 1
            bits >>= 1
            head = arcs[by, 0]
            reached = g + int(arcs[by, 1])
            old_label = label[head]
            if old_label <= mark + reached:
                continue
            if old_label < older:
                h = int(seen[head, 1])
            else:
                h = estimated_ahead(toward, terms, int(np.int64(head)), goal, goal_x, goal_y)
            f = reached + h
            if f >= best:
                lost |= best == UNREACHABLE
                continue
            label[head] = mark + reached
            seen[head, 0] = row
            seen[head, 1] = h
            seen[head, 2] = successors[by] if by < masked else -1
            if head == goal:
                best = reached
                continue
            if free >= 0:
                slot = free
                free = int(entry[slot, 2])
            else:
                slot = used
                used += 1
            at = min(max((f - base) >> width, cursor), far)
            entry[slot, 0] = head
            entry[slot, 1] = reached
            first = int(bucket[at])
            worse = False
            if first >= 0:
                ahead = int(entry[first, 1]) + int(seen[entry[first, 0], 1])
                worse = f > ahead or (f == ahead and reached < entry[first, 1])
            if worse:
                entry[slot, 2] = entry[first, 2]
                entry[first, 2] = slot
            else:
                entry[slot, 2] = first
                bucket[at] = slot
            top = max(top, at)
            queued += 1
    state[1], state[2], state[3], state[4] = expanded, row, base, used
    state[5], state[6], state[7], state[8] = free, queued, cursor, top
    state[9], state[10], state[11] = best, lost, generated
    if status != NO_PATH:
        return status
    clear(bucket, cursor, top)
    answer[0] = best
    answer[1] = expanded
    answer[2] = lost
    answer[3] = generated
    return NO_PATH if best == UNREACHABLE else FOUND


@kernel
def trace_path(seen: Int32Array, goal: int, path: Int32Array) -> int:
    """Write the rows from start to goal to ``path`` (r), and return their number."""
    length = 0
    row = goal
    while row >= 0:
        path[length] = row
        length += 1
        row = int(seen[row, 0])
    for i in range(length >> 1):
        other = length - 1 - i
        row = int(path[i])
        path[i] = path[other]
        path[other] = row
    return length
