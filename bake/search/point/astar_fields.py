"""A* guided by distances between clusters, corrected by fields (``all_pairs.fields``).

The search is that of :mod:`bake.search.point.astar_buckets`; what differs is how a row's estimate
is had:
the largest of a norm, differences of distances to pivots (N. Sturtevant, A. Felner, M. Barrer,
J. Schaeffer, N. Burch, "Memory-based heuristics for explicit state spaces", IJCAI 2009), and the
table's entry for the row's cluster plus a field. All that depends on the goal alone is worked out
before the search, so an estimate takes a record of the row and one of its cluster.

The estimate is admissible, not consistent. Where every arc can be taken back at the same cost,
estimates are passed on between neighbours, in both directions (A. Felner, U. Zahavi, R. Holte,
J. Schaeffer, N. Sturtevant, Z. Zhang, "Inconsistent heuristics in theory and practice", Artificial
Intelligence 175, 2011: bidirectional pathmax); elsewhere along arcs only.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Float64Array, Int32Array, Int64Array, UInt32Array
from bake.kernels.jit import inlined, kernel
from bake.search.point.bucket_queue import FOUND, FULL, NO_PATH, UNREACHED, clear, spread
from bake.search.point.estimate import AXES, HEX, LARGEST, NULL

#: Columns of a row's record before the distances to pivots: x, y, cluster.
HEAD = 3


@inlined
def _estimated(
    kind: int,
    straight: int,
    extra: int,
    norm_shift: int,
    scale: float,
    record: Int32Array,
    fields: Int32Array,
    shift: int,
    toward: Int64Array,
    two_way: bool,
    row: int,
    goal: int,
) -> int:
    x = int(record[row, 0])
    y = int(record[row, 1])
    dx = x - int(record[goal, 0])
    dy = y - int(record[goal, 1])
    h = 0
    if kind == AXES:
        dx = abs(dx)
        dy = abs(dy)
        h = (straight * max(dx, dy) + extra * min(dx, dy)) >> norm_shift
    elif kind == HEX:
        h = straight * max(abs(dx), abs(dy), abs(dx + dy))
    elif kind != NULL:
        h = int(scale * np.sqrt(float(dx * dx + dy * dy)))
    cluster = record[row, 2]
    field = toward[cluster, 1]
    corrected = toward[cluster, 0] + (
        (int(fields[field, 0]) * x + int(fields[field, 1]) * y) >> shift
    )
    pivots = record.shape[1] - HEAD
    half = pivots >> 1
    for one in range(pivots):
        here = int(record[row, HEAD + one])
        corrected += int(fields[field, 2 + one]) * here
        nearer = here - int(record[goal, HEAD + one])
        if two_way:
            nearer = abs(nearer)
        elif one >= half:
            nearer = -nearer
        h = max(h, nearer)
    return int(min(max(h, corrected), LARGEST))


@kernel
def search_by_fields(
    first_out: Int32Array,
    arcs: UInt32Array,
    numbers: Float64Array,
    record: Int32Array,
    fields: Int32Array,
    field_shift: int,
    toward: Int64Array,
    two_way: bool,
    label: Int64Array,
    seen: Int32Array,
    stamp: int,
    entry: Int32Array,
    bucket: Int32Array,
    width: int,
    start: int,
    goal: int,
    answer: Int64Array,
) -> int:
    """Search from start to another row; arguments as of ``search_buckets``, but for

    Args:
        numbers: of the norm, from :class:`bake.search.point.estimate.Estimate`.
        record: (r, 3 + p) int32: x, y, cluster and distances to pivots of each row. One way, the
            first half are distances to pivots, the second half distances from them.
        fields, field_shift: the fields.
        toward: (c, 2) int64 from :func:`bake.search.all_pairs.fields.fields_toward`.
        two_way: whether every arc can be taken back at the same cost.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    kind, straight, extra = int(numbers[0]) & 15, int(numbers[1]), int(numbers[2])
    norm_shift, scale = int(numbers[3]), numbers[5]
    far = len(bucket) - 1
    h = _estimated(
        kind, straight, extra, norm_shift, scale, record, fields, field_shift, toward, two_way,
        start, goal,
    )  # fmt: skip
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    label[start] = mark
    seen[start, 0] = -1
    seen[start, 1] = h
    base = h
    entry[0, 0] = start
    entry[0, 1] = 0
    entry[0, 2] = -1
    bucket[0] = 0
    used = 1
    free = -1
    held = 1
    cursor = 0
    top = 0
    best = UNREACHED
    expanded = 0
    status = NO_PATH
    while held > 0:
        while bucket[cursor] < 0:
            cursor += 1
        if cursor == far:
            # Only the far ones are left: begin again at the nearest of them.
            if base + (far << width) >= best:
                break
            base = spread(entry, bucket, seen, width)
            cursor = 0
            top = far
            continue
        if base + (cursor << width) >= best:
            break
        one = int(bucket[cursor])
        bucket[cursor] = entry[one, 2]
        row = int(entry[one, 0])
        g = int(entry[one, 1])
        entry[one, 2] = free
        free = one
        held -= 1
        ahead = int(seen[row, 1])
        if mark + g != label[row] or g + ahead >= best:
            continue
        expanded += 1
        for arc in range(first_out[row], first_out[row + 1]):
            head = int(np.int64(arcs[arc, 0]))
            if label[head] >= older:
                h = _estimated(
                    kind, straight, extra, norm_shift, scale, record, fields, field_shift, toward,
                    two_way, head, goal,
                )  # fmt: skip
                # Looked at, not reached.
                label[head] = mark + UNREACHED
                seen[head, 1] = h
            if two_way:
                ahead = max(ahead, int(seen[head, 1]) - int(np.int64(arcs[arc, 1])))
        if g + ahead >= best:
            continue
        seen[row, 1] = ahead
        for arc in range(first_out[row], first_out[row + 1]):
            head = int(np.int64(arcs[arc, 0]))
            step = int(np.int64(arcs[arc, 1]))
            reached = g + step
            if label[head] <= mark + reached:
                continue
            h = max(int(seen[head, 1]), ahead - step)
            f = reached + h
            if f >= best:
                continue
            label[head] = mark + reached
            seen[head, 0] = row
            seen[head, 1] = h
            if head == goal:
                best = reached
                status = FOUND
                continue
            if free >= 0:
                one = free
                free = int(entry[one, 2])
            else:
                one = used
                if used == len(entry):
                    status = FULL
                    break
                used += 1
            place = min(max((f - base) >> width, cursor), far)
            entry[one, 0] = head
            entry[one, 1] = reached
            entry[one, 2] = bucket[place]
            bucket[place] = one
            top = max(top, place)
            held += 1
        if status == FULL:
            break
    clear(bucket, cursor, top)
    answer[0] = best
    answer[1] = expanded
    return status


@kernel
def fill_by_fields(
    numbers: Float64Array,
    record: Int32Array,
    fields: Int32Array,
    field_shift: int,
    toward: Int64Array,
    two_way: bool,
    goal: int,
    begin: int,
    h: Int32Array,
) -> None:
    """Write the estimates of rows from ``begin`` on toward one goal into ``h`` (k, 1)."""
    kind, straight, extra = int(numbers[0]) & 15, int(numbers[1]), int(numbers[2])
    norm_shift, scale = int(numbers[3]), numbers[5]
    for row in range(len(h)):
        h[row, 0] = _estimated(
            kind, straight, extra, norm_shift, scale, record, fields, field_shift, toward, two_way,
            begin + row, goal,
        )  # fmt: skip
