"""What a proof checks for every pair, compiled; written from docs/format.md, not from the baker.

A lane is a target of the block at hand, a segment some lanes of a row that take one arc. Distances
are those the hops imply: each is an arc's weight more than the one its arc leads to, so that the
lanes of a segment are handled at once. FAR stands for what leads nowhere.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array
from bake.kernels.jit import kernel

FAR = 2**30

#: Symbols of runs beside slots, and arcs of segments that are none.
NO_PATH, GREEDY = -1, -2
NO_ARC, OWN, BAD_SLOT, BLOCKED_ARC, BAD_OWN = -1, -2, -3, -4, -5

#: How components tell whether there is a path.
SAME, MATRIX, UNTOLD = 0, 1, 2


@kernel
def path_told(mine: int, goal: int, how: int, reach: AnyArray) -> bool:
    if how != MATRIX:
        return mine == goal
    return bool((reach[mine, goal >> 3] >> (7 - (goal & 7))) & 1)


@kernel
def _sign(value: int) -> int:
    return 2 if value > 0 else (0 if value < 0 else 1)


@kernel
def _greedy(dx: int, dy: int, toward: Int32Array, row: int) -> int:
    x, y = _sign(dx), _sign(dy)
    slot = int(toward[row, x, y])
    if slot >= 0 or x == 1 or y == 1:
        return slot
    along_x, along_y = int(toward[row, x, 1]), int(toward[row, 1, y])
    if abs(dy) > abs(dx):
        return along_y if along_y >= 0 else along_x
    return along_x if along_x >= 0 else along_y


@kernel
def _arc(row: int, slot: int, first: Int64Array, degree: Int64Array, arc_row: Int32Array) -> int:
    """The arc of a slot, or what is wrong with it."""
    if slot < 0:
        return NO_ARC
    if slot >= degree[row]:
        return BAD_SLOT
    return first[row] + slot if arc_row[first[row] + slot] >= 0 else BLOCKED_ARC


@kernel
def _emit(
    arc: int, lane: int, base: int, count: int, seg_arc: Int32Array, seg_stop: Int32Array
) -> int:
    """Let the row's last segment, or a new one, reach past a lane; the segments there are then."""
    if count > base and seg_arc[count - 1] == arc:
        seg_stop[count - 1] = lane + 1
        return count
    seg_arc[count] = arc
    seg_stop[count] = lane + 1
    return count + 1


@kernel
def segments_of_runs(
    targets: Int32Array,
    first_run: Int64Array,
    run_start: Int32Array,
    run_symbol: Int32Array,
    label: Int32Array,
    how: int,
    reach: AnyArray,
    at: Int32Array,
    toward: Int32Array,
    first: Int64Array,
    degree: Int64Array,
    arc_row: Int32Array,
    seg_first: Int64Array,
    seg_arc: Int32Array,
    seg_stop: Int32Array,
) -> None:
    """Segments of every row toward some targets, from runs.

    Args:
        targets: (k) rows, ascending.
        first_run: (r + 1) first run of each row; run_start, run_symbol: their first target, and
            slot, NO_PATH or GREEDY.
        label: (r) component; how: how it tells whether there is a path; reach: packed bits.
        at: (r, 2) place of each row; toward: (r, 3, 3) slot by signs of a direction, plus one.
        first, degree: (r) first arc and arcs of each row; arc_row: (m) row an arc leads to, -1.
        seg_first: (r + 1) out, first segment of each row.
        seg_arc: out, arc of each segment or what it is instead.
        seg_stop: out, lane after each segment's last.
    """
    rows, lanes = len(label), len(targets)
    goal = label[targets[0]]
    uniform = how != UNTOLD
    for lane in range(lanes):
        uniform &= label[targets[lane]] == goal
    low_x = low_y = 2**30
    high_x = high_y = -(2**30)
    toward_arc = np.empty(9, np.int32)
    lane_x, lane_y = np.empty(lanes, np.int32), np.empty(lanes, np.int32)
    if len(at):
        for lane in range(lanes):
            x, y = at[targets[lane], 0], at[targets[lane], 1]
            lane_x[lane], lane_y[lane] = x, y
            low_x, high_x = min(low_x, x), max(high_x, x)
            low_y, high_y = min(low_y, y), max(high_y, y)
    count = 0
    for row in range(rows):
        base = seg_first[row] = count
        told = uniform and path_told(label[row], goal, how, reach)
        if uniform and not told:
            count = _emit(NO_ARC, lanes - 1, base, count, seg_arc, seg_stop)
            continue
        whole = told and not targets[0] <= row <= targets[lanes - 1]
        run, after = first_run[row], first_run[row + 1]
        while after - run > 1:
            middle = run + (after - run) // 2
            if run_start[middle] <= targets[0]:
                run = middle
            else:
                after = middle
        after = first_run[row + 1]
        lane = 0
        while lane < lanes:
            while run + 1 < after and run_start[run + 1] <= targets[lane]:
                run += 1
            stop = lane + 1
            if run + 1 == after or run_start[run + 1] > targets[lanes - 1]:
                stop = lanes
            else:
                while targets[stop] < run_start[run + 1]:
                    stop += 1
            symbol = run_symbol[run]
            steady = False
            if whole and symbol == GREEDY:
                dx, dy = low_x - at[row, 0], low_y - at[row, 1]
                far_x, far_y = high_x - at[row, 0], high_y - at[row, 1]
                if _sign(dx) == _sign(far_x) and _sign(dy) == _sign(far_y):
                    x, y = _sign(dx), _sign(dy)
                    if toward[row, x, y] >= 0 or x == 1 or y == 1:
                        arc = _arc(row, toward[row, x, y], first, degree, arc_row)
                        count = _emit(arc, stop - 1, base, count, seg_arc, seg_stop)
                        lane = stop
                        continue
                # Whether signs alone decide, toward wherever the block reaches.
                steady = True
                for x in range(_sign(dx), _sign(far_x) + 1):
                    for y in range(_sign(dy), _sign(far_y) + 1):
                        slot = int(toward[row, x, y])
                        steady &= slot >= 0 or x == 1 or y == 1
                        toward_arc[3 * x + y] = _arc(row, slot, first, degree, arc_row)
            elif whole:
                arc = _arc(row, symbol, first, degree, arc_row)
                count = _emit(arc, stop - 1, base, count, seg_arc, seg_stop)
                lane = stop
                continue
            if whole and steady:
                # Lane by lane, as rows beside the block see its targets in several directions.
                for each in range(lane, stop):
                    x = _sign(lane_x[each] - at[row, 0])
                    y = _sign(lane_y[each] - at[row, 1])
                    arc = toward_arc[3 * x + y]
                    if count > base and seg_arc[count - 1] == arc:
                        seg_stop[count - 1] = each + 1
                    else:
                        seg_arc[count] = arc
                        seg_stop[count] = each + 1
                        count += 1
                lane = stop
                continue
            for each in range(lane, stop):
                target = targets[each]
                if target == row:
                    arc = OWN
                elif how != UNTOLD and not path_told(label[row], label[target], how, reach):
                    arc = NO_ARC
                else:
                    slot = symbol
                    if symbol == GREEDY:
                        dx, dy = at[target, 0] - at[row, 0], at[target, 1] - at[row, 1]
                        slot = _greedy(dx, dy, toward, row)
                    arc = _arc(row, slot, first, degree, arc_row)
                count = _emit(arc, each, base, count, seg_arc, seg_stop)
            lane = stop
    seg_first[rows] = count


@kernel
def segments_of_table(
    targets: Int32Array,
    hop: AnyArray,
    none: int,
    first: Int64Array,
    degree: Int64Array,
    arc_row: Int32Array,
    seg_first: Int64Array,
    seg_arc: Int32Array,
    seg_stop: Int32Array,
) -> None:
    """Segments of every row toward some targets, from (r, k) slots of a dense table."""
    count = 0
    for row in range(len(first)):
        base = seg_first[row] = count
        for lane in range(len(targets)):
            slot = int(hop[row, lane])
            if targets[lane] == row:
                arc = OWN if slot == none else BAD_OWN
            else:
                arc = NO_ARC if slot == none else _arc(row, slot, first, degree, arc_row)
            count = _emit(arc, lane, base, count, seg_arc, seg_stop)
    seg_first[len(first)] = count


@kernel
def order_rows(
    lane: int,
    seg_first: Int64Array,
    seg_arc: Int32Array,
    seg_stop: Int32Array,
    arc_row: Int32Array,
    weight: Int32Array,
    key: Int64Array,
    stack: Int32Array,
    order: Int32Array,
    buckets: Int64Array,
) -> None:
    """Order rows by how far the hops of one lane lead, those that lead nowhere last."""
    rows = len(order)
    key[:] = -1
    largest = 0
    for begin in range(rows):
        row, depth = begin, 0
        while key[row] < 0:
            key[row] = FAR  # also of what leads back to itself
            segment = seg_first[row]
            while seg_stop[segment] <= lane:
                segment += 1
            arc = seg_arc[segment]
            if arc < 0:
                if arc == OWN:
                    key[row] = 0
                break
            stack[depth] = row
            depth += 1
            row = arc_row[arc]
        far = key[row]
        while depth:
            depth -= 1
            row = stack[depth]
            segment = seg_first[row]
            while seg_stop[segment] <= lane:
                segment += 1
            far = min(FAR, far + weight[seg_arc[segment]])
            key[row] = far
            if far < FAR:
                largest = max(largest, far)
    last = len(buckets) - 2
    width = largest // last + 1
    buckets[:] = 0
    for row in range(rows):
        key[row] = min(last, key[row] // width)
        buckets[key[row] + 1] += 1
    for bucket in range(last + 1):
        buckets[bucket + 1] += buckets[bucket]
    for row in range(rows):
        order[buckets[key[row]]] = row
        buckets[key[row]] += 1


@kernel
def begin(
    seg_first: Int64Array, seg_arc: Int32Array, seg_stop: Int32Array, dist: Int32Array
) -> None:
    """Distances before anything is known: 0 where a lane is its own target, else FAR."""
    dist[:] = FAR
    for row in range(len(dist)):
        for segment in range(seg_first[row], seg_first[row + 1]):
            if seg_arc[segment] == OWN or seg_arc[segment] == BAD_OWN:
                dist[row, seg_stop[segment] - 1] = 0


@kernel
def _walk(
    row: int,
    lane: int,
    seg_first: Int64Array,
    seg_arc: Int32Array,
    seg_stop: Int32Array,
    arc_row: Int32Array,
    weight: Int32Array,
    dist: Int32Array,
    stack: Int32Array,
) -> int:
    """Follow hops to where a distance is known and write it all the way; what is wrong, or 0."""
    depth = 0
    while dist[row, lane] >= FAR:
        segment = seg_first[row]
        while seg_stop[segment] <= lane:
            segment += 1
        arc = seg_arc[segment]
        if arc < 0:
            return arc if arc < OWN else 2
        if depth == len(stack):
            return 2
        stack[depth] = row
        depth += 1
        row = arc_row[arc]
    length = int(dist[row, lane])
    while depth:
        depth -= 1
        row = stack[depth]
        segment = seg_first[row]
        while seg_stop[segment] <= lane:
            segment += 1
        length += weight[seg_arc[segment]]
        if length >= FAR:
            return 2
        dist[row, lane] = length
    return 0


@kernel
def resolve(
    order: Int32Array,
    seg_first: Int64Array,
    seg_arc: Int32Array,
    seg_stop: Int32Array,
    arc_row: Int32Array,
    weight: Int32Array,
    dist: Int32Array,
    stack: Int32Array,
    wrong: Int64Array,
) -> None:
    """Distances the hops imply, (r, k): row by row in an order in which most are known in time.

    What a row has to wait for is looked up along the hops at once, and then known to others. Every
    distance is written once it is known where its hop leads, so at the end each hop's arc is the
    difference of two distances.

    Args:
        wrong: (3) out: row, lane and what is wrong with a hop that leads nowhere, or 0: what it is
            instead of an arc, or 2 where it does not lead to its goal.
    """
    far = np.int32(FAR)
    wrong[:] = 0
    for row in order:
        lane = 0
        for segment in range(seg_first[row], seg_first[row + 1]):
            arc, stop = seg_arc[segment], seg_stop[segment]
            if arc >= 0:
                # Slices, since loops that begin at 0 are known never to count from an array's end,
                # and only then handle several lanes at once.
                mine, ahead = dist[row, lane:stop], dist[arc_row[arc], lane:stop]
                cost, longest = weight[arc], np.int32(0)
                for each in range(len(mine)):
                    length = min(np.int32(ahead[each] + cost), far)
                    mine[each] = length
                    longest = max(longest, length)
                if longest >= far:
                    for each in range(lane, stop):
                        if dist[row, each] < far:
                            continue
                        what = _walk(
                            row,
                            each,
                            seg_first,
                            seg_arc,
                            seg_stop,
                            arc_row,
                            weight,
                            dist,
                            stack,
                        )
                        if what:
                            wrong[0], wrong[1], wrong[2] = row, each, what
                            return
            elif arc < OWN:
                wrong[0], wrong[1], wrong[2] = row, lane, arc
                return
            lane = stop
