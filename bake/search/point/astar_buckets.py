"""Search by A* with a bucket queue.

P. Hart, N. Nilsson, B. Raphael, "A formal basis for the heuristic determination of minimum cost
paths", IEEE Trans. SSC 4(2), 1968; buckets after R. Dial, "Algorithm 360", Comm. ACM 12(11), 1969.

Buckets are wider than a tick, so a row may be taken before its distance is final. It is then taken
again: the search corrects its labels and ends only when nothing left could lead to a shorter path.
The result is exact for every admissible heuristic, consistent or not. A bucket gives back what was
put in last, which mostly lies nearest to the goal, unless that is worse than what was first then:
of a larger f, or of the same and a smaller g. So a perfect heuristic leads along a shortest path
alone, as by a heap.

Without a heuristic this is Dijkstra's algorithm with an early exit. Weighted A* has another queue:
f falls along its paths, into buckets that were done with, and a search would go depth first. See
:mod:`bake.search.point.heap_searches`.

The graph, labels and answers that are defined here are those of every search between two points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt32Array
from bake.graph import UNREACHABLE
from bake.kernels.jit import kernel
from bake.search.contraction.query import DistancesTo
from bake.search.point.estimates import EstimateTerms, coordinates, estimated_ahead

#: What searches return: there is a path, there is none, or there is more to do: once the queue has
#: got more room, or the slice is over.
FOUND = 1
NO_PATH = 0
FULL = -1
PAUSED = 2


class PackedArcs(NamedTuple):
    """A graph as searches between two points read it.

    Attributes:
        piece: (r, 2) int32, where the arcs of each row begin and end.
        arcs: (m, 2) uint32: head and weight of each arc, unsigned, so that kernels need not check
            whether an index counts from the end.
    """

    piece: Int32Array
    arcs: UInt32Array


class Labels(NamedTuple):
    """What searches know of each row.

    Attributes:
        label: (r) int64: distance from start, less 2**32 times the stamp of the search that found
            it. So labels of earlier searches are larger than all of this one, and one comparison
            tells whether a way is new or shorter.
        seen: (r, 3) int32, of rows labelled by this search: parent row, estimate, and the bits of
            the arcs worth looking at after the arc that led there.
        stamp: of this search, larger than those of earlier ones on these labels.
    """

    label: Int64Array
    seen: Int32Array
    stamp: int


class BucketQueue(NamedTuple):
    """Entries in stacks, by estimated cost.

    The searches write out the lines that put an entry in: as a function these cost them 4 to 25 %.

    Attributes:
        entry: (e, 3) int32: a row, its distance when it was put in, and the next entry of its
            bucket.
        bucket: (b + 1) int32, the first entry of each bucket, -1 = none. The last bucket holds what
            is too far for the others.
        width: a bucket spans 2**width ticks.
    """

    entry: Int32Array
    bucket: Int32Array
    width: int


class Slice(NamedTuple):
    """How far to take a search at once, and where it stopped.

    Attributes:
        until: how often a row may have been expanded before the search pauses.
        state: (12) int64, written when it stops: 1, how many rows were expanded, the row expanded
            last, what is the search's own, and how many arcs were looked at; 0 at first = begin.
    """

    until: int
    state: Int64Array


#: Until when a search goes on that does not pause.
WHOLE = 2**62


@kernel
def spread(queue: BucketQueue, seen: Int32Array) -> int:
    """Spread the entries of the last bucket, the only one in use, over all buckets.

    Returns:
        The least estimated cost, where the first bucket begins.
    """
    entry, bucket, width = queue
    far = len(bucket) - 1
    one = int(bucket[far])
    bucket[far] = -1
    base = int(UNREACHABLE)
    other = one
    while other >= 0:
        base = min(base, int(entry[other, 1]) + int(seen[entry[other, 0], 1]))
        other = int(entry[other, 2])
    while one >= 0:
        after = int(entry[one, 2])
        f = int(entry[one, 1]) + int(seen[entry[one, 0], 1])
        at = min((f - base) >> width, far)
        entry[one, 2] = bucket[at]
        bucket[at] = one
        one = after
    return base


@kernel
def clear(bucket: Int32Array, first: int, last: int) -> None:
    """Empty some buckets, both ends included, and the last bucket."""
    for at in range(first, last + 1):
        bucket[at] = -1
    bucket[len(bucket) - 1] = np.int32(-1)


#: The number of the lowest bit set in a byte; 8 where none is.
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
    """Search from start to another row by A*.

    Args:
        graph: rows and arcs.
        successors: (k) int32, bits of the arcs worth looking at after each of the first k arcs;
            after others it is all of them. They are for consistent heuristics only.
        terms: of the heuristic.
        toward: tells distances in place of the heuristic.
        labels: scratch.
        queue: empty; empty again afterwards, unless there is more to do.
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
    label, seen, stamp = labels
    entry, bucket, width = queue
    goal_x, goal_y = coordinates(terms.at, goal)
    far = len(bucket) - 1
    mark = -(stamp << 32)
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
    base, used, free, held = int(state[3]), int(state[4]), int(state[5]), int(state[6])
    cursor, top, best, lost = int(state[7]), int(state[8]), int(state[9]), int(state[10])
    generated = int(state[11])
    status = NO_PATH
    while held > 0 or expanded == part.until:
        if expanded == part.until:
            status = PAUSED
            break
        while bucket[cursor] < 0:
            cursor += 1
        if cursor == far:
            # Only the far ones are left: begin again at the nearest of them.
            if base + (far << width) >= best:
                break
            base = spread(queue, seen)
            cursor = 0
            top = far
            continue
        if base + (cursor << width) >= best:
            break
        one = int(bucket[cursor])
        taken = int(entry[one, 0])
        arc = int(piece[taken, 0])
        end = int(piece[taken, 1])
        if used + end - arc > len(entry):
            status = FULL
            break
        bucket[cursor] = entry[one, 2]
        g = int(entry[one, 1])
        entry[one, 2] = free
        free = one
        held -= 1
        if mark + g != label[taken] or g + seen[taken, 1] >= best:
            continue
        row = taken
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
            known = label[head]
            if known <= mark + reached:
                continue
            if known < older:
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
                one = free
                free = int(entry[one, 2])
            else:
                one = used
                used += 1
            at = min(max((f - base) >> width, cursor), far)
            entry[one, 0] = head
            entry[one, 1] = reached
            first = int(bucket[at])
            worse = False
            if first >= 0:
                ahead = int(entry[first, 1]) + int(seen[entry[first, 0], 1])
                worse = f > ahead or (f == ahead and reached < entry[first, 1])
            if worse:
                entry[one, 2] = entry[first, 2]
                entry[first, 2] = one
            else:
                entry[one, 2] = first
                bucket[at] = one
            top = max(top, at)
            held += 1
    state[1], state[2], state[3], state[4] = expanded, row, base, used
    state[5], state[6], state[7], state[8] = free, held, cursor, top
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
def trail(seen: Int32Array, goal: int, path: Int32Array) -> int:
    """Write the rows from start to goal into ``path`` (r), and return how many there are."""
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
