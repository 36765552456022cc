"""Read the next hops of a block of targets, and compute the distances they imply.

A lane is a target of the current block. A segment is a range of consecutive lanes of a row that use
the same arc. The distance of a pair is the weight of its arc plus the distance from the arc's head,
so all lanes of a segment are handled at once. INFINITY is the distance where hops lead nowhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.core.graph import INFINITY
from bake.core.kernels.jit import allocating, kernel
from bake.verify.profile import FileProfile, RowGraph

#: The symbols of runs that are not slots.
NO_PATH, COMPASS = -1, -2

#: Codes in place of the arc of a segment: there is no path, the target is the row itself, or (the
#: last two) the hop is invalid.
NO_ARC, OWN, BAD_SLOT, BLOCKED_ARC = -1, -2, -3, -4

#: The error of hops that use valid arcs but do not reach the goal.
NOT_TO_GOAL = 2

#: The rule for paths from one component to another: there is never one, a matrix of bits decides,
#: or the asset does not decide.
NEVER, MATRIX, NOT_SAID = 0, 1, 2

#: Row, lane and error of a pair; (0, 0, 0) means no error.
Finding = tuple[int, int, int]


class Reach(NamedTuple):
    """Reachability according to components."""

    label: Int32Array  #: (r) int32, component of each row
    rule: int  #: NEVER, MATRIX or NOT_SAID
    #: (c, c / 8) uint8, bit 7 - j % 8 of byte j // 8 in row i: j can be reached from i
    bits: UInt8Array


class Runs(NamedTuple):
    """Next hops as runs, and the arcs of compass moves."""

    first: Int64Array  #: (r + 1) int64, first run of each row
    start: Int32Array  #: (k) int32, first target of each run
    symbol: Int32Array  #: (k) int32, slot, NO_PATH or GREEDY
    at: Int32Array  #: (r, 2) int32, coordinates on the chart
    #: (r, 3, 3) int32, at [x, y] the lowest slot of an arc with offset (x - 1, y - 1) on the chart;
    #: -1 = none
    toward: Int32Array


class Segments(NamedTuple):
    """The segments of a block."""

    first: Int64Array  #: (r + 1) int64, first segment of each row
    arc: Int32Array  #: int32, arc of each segment, or what stands for it
    stop: Int32Array  #: int32, the lane after each segment's last


class Order(NamedTuple):
    """The order in which the rows of one block are resolved, with its scratch arrays."""

    row: Int32Array  #: (r) int32, the rows in that order
    key: Int64Array  #: (r) int64, how far each row's hops lead
    stack: Int32Array  #: (r) int32
    buckets: Int64Array  #: int64, at least 2


def read_reach(profile: FileProfile) -> Reach:
    """Return reachability according to the profile's components."""
    label = profile.component.astype(np.int32)
    if profile.has("reach"):
        bits = profile.column("reach").astype(np.uint8)
        return Reach(label, MATRIX, bits)
    rule = NOT_SAID if profile.number("one_way") else NEVER
    return Reach(label, rule, np.zeros((1, 1), dtype=np.uint8))


def read_runs(profile: FileProfile) -> Runs:
    """Return the profile's next hops."""
    stored, rows = profile.column("run_move"), profile.rows
    count, start = profile.run_starts(len(stored))
    first = np.append(0, np.cumsum(count))
    none = int(np.iinfo(str(stored.dtype)).max)
    symbol, at = stored.astype(np.int64), profile.chart
    symbol[symbol == none] = NO_PATH
    symbol[symbol == none - 1] = NO_PATH if at is None else COMPASS
    symbol = np.minimum(symbol, 2**31 - 1)
    toward = np.full((rows, 3, 3), -1, dtype=np.int32)
    if at is None:
        at = np.zeros((rows, 2), dtype=np.int64)
    else:
        arcs = profile.arcs
        step = at[arcs.head] - at[arcs.tail]
        # Later writes win: of several arcs, the one of the lowest slot.
        near = np.flatnonzero((np.abs(step) <= 1).all(axis=1))[::-1]
        x, y = step[near].T + 1
        toward[arcs.tail[near], x, y] = arcs.slot[near]
        if profile.has("greedy_kind"):
            _verify_compass_moves(profile, toward)
    return Runs(first, start.astype(np.int32), symbol.astype(np.int32), at.astype(np.int32), toward)


def _verify_compass_moves(profile: FileProfile, toward: Int32Array) -> None:
    """Verify the compass moves of all rows in all sectors."""
    table = profile.int_column("greedy_move")
    table[table == np.iinfo(profile.column("greedy_move").dtype).max] = -1
    stored = table[profile.column("greedy_kind")]
    for sector in range(18):
        x, y, upright = sector // 6, sector // 2 % 3, sector % 2
        # The center of the chart is the row itself, toward which there is no step.
        choices: list[AnyArray] = [toward[:, x, y]] if (x, y) != (1, 1) else [stored[:, sector]]
        if x != 1 and y != 1:
            choices += [toward[:, x, 1], toward[:, 1, y]][:: -1 if upright else 1]
        right = choices[0]
        for other in choices[1:]:
            right = np.where(right < 0, other, right)
        profile.require(np.array_equal(right, stored[:, sector]), "greedy_move is wrong")


@kernel
def path_expected(row: int, target: int, reach: Reach) -> bool:
    """Return whether components report a path; meaningless under rule NOT_SAID."""
    row_dist, goal = reach.label[row], reach.label[target]
    if reach.rule != MATRIX:
        return bool(row_dist == goal)
    return bool((reach.bits[row_dist, goal >> 3] >> (7 - (goal & 7))) & 1)


@kernel
def share_component(targets: Int32Array, reach: Reach) -> bool:
    """Return whether all targets are in one component, so that a row reaches all or none."""
    same = True
    for target in targets:
        same &= reach.label[target] == reach.label[targets[0]]
    return same


@kernel
def _sign(value: int) -> int:
    """Return the sign of a number plus one, as an index."""
    return 2 if value > 0 else (0 if value < 0 else 1)


@kernel
def _compass_slot(row: int, target: int, runs: Runs) -> int:
    """Return the slot of the compass move, or -1."""
    dx = runs.at[target, 0] - runs.at[row, 0]
    dy = runs.at[target, 1] - runs.at[row, 1]
    x, y = _sign(dx), _sign(dy)
    slot = int(runs.toward[row, x, y])
    if slot >= 0 or x == 1 or y == 1:
        return slot
    along_x, along_y = int(runs.toward[row, x, 1]), int(runs.toward[row, 1, y])
    if abs(dy) > abs(dx):
        return along_y if along_y >= 0 else along_x
    return along_x if along_x >= 0 else along_y


@kernel
def _arc(row: int, slot: int, graph: RowGraph) -> int:
    """Return the arc of a slot, or an error code."""
    if slot < 0:
        return NO_ARC
    if slot >= graph.first[row + 1] - graph.first[row]:
        return BAD_SLOT
    arc = int(graph.first[row] + slot)
    return arc if graph.head[arc] >= 0 else BLOCKED_ARC


@kernel
def _append(arc: int, lane: int, base: int, count: int, out: Segments) -> int:
    """Extend the last segment of a row to a lane, or begin a new segment for another arc.

    Args:
        arc: the lane's arc.
        lane: the lane.
        base: the row's first segment.
        count: the number of segments.
        out: the segments.

    Returns:
        The new number of segments.
    """
    if count == base or out.arc[count - 1] != arc:
        out.arc[count] = arc
        count += 1
    out.stop[count - 1] = lane + 1
    return count


@kernel
def _run_of(row: int, target: int, runs: Runs) -> int:
    """Return the run of a row that contains a target."""
    run, after = runs.first[row], runs.first[row + 1]
    while after - run > 1:
        middle = run + (after - run) // 2
        if runs.start[middle] <= target:
            run = middle
        else:
            after = middle
    return int(run)


@allocating
def build_segments(
    targets: Int32Array, runs: Runs, reach: Reach, graph: RowGraph, out: Segments
) -> None:
    """Build the segments of every row toward (k) targets, in ascending order, from runs."""
    lanes = len(targets)
    uniform = reach.rule != NOT_SAID and share_component(targets, reach)
    low_x = low_y = 2**30
    high_x = high_y = -(2**30)
    toward_arc = np.empty(9, np.int32)
    lane_x, lane_y = np.empty(lanes, np.int32), np.empty(lanes, np.int32)
    for lane in range(lanes):
        x, y = runs.at[targets[lane], 0], runs.at[targets[lane], 1]
        lane_x[lane], lane_y[lane] = x, y
        low_x, high_x = min(low_x, x), max(high_x, x)
        low_y, high_y = min(low_y, y), max(high_y, y)
    count = 0
    for row in range(len(reach.label)):
        base = out.first[row] = count
        expected = uniform and path_expected(row, targets[0], reach)
        if uniform and not expected:
            count = _append(NO_ARC, lanes - 1, base, count, out)
            continue
        # True if the row has a path to every lane and cannot be one of the targets.
        all_reachable = expected and not targets[0] <= row <= targets[lanes - 1]
        run, after = _run_of(row, targets[0], runs), runs.first[row + 1]
        lane = 0
        while lane < lanes:
            while run + 1 < after and runs.start[run + 1] <= targets[lane]:
                run += 1
            stop = lane + 1
            if run + 1 == after or runs.start[run + 1] > targets[lanes - 1]:
                stop = lanes
            else:
                while targets[stop] < runs.start[run + 1]:
                    stop += 1
            symbol = runs.symbol[run]
            if all_reachable and symbol != COMPASS:
                count = _append(_arc(row, symbol, graph), stop - 1, base, count, out)
                lane = stop
                continue
            here_x, here_y = runs.at[row, 0], runs.at[row, 1]
            low_sign_x, high_sign_x = _sign(low_x - here_x), _sign(high_x - here_x)
            low_sign_y, high_sign_y = _sign(low_y - here_y), _sign(high_y - here_y)
            # True if the compass move toward every target of the block depends only on signs.
            steady = all_reachable
            if all_reachable:
                for x in range(low_sign_x, high_sign_x + 1):
                    for y in range(low_sign_y, high_sign_y + 1):
                        slot = int(runs.toward[row, x, y])
                        steady &= slot >= 0 or x == 1 or y == 1
                        toward_arc[3 * x + y] = _arc(row, slot, graph)
            if steady and low_sign_x == high_sign_x and low_sign_y == high_sign_y:
                arc = toward_arc[3 * low_sign_x + low_sign_y]
                count = _append(arc, stop - 1, base, count, out)
            elif steady:
                # Rows beside the block see its targets in several directions.
                for lane_index in range(lane, stop):
                    x, y = _sign(lane_x[lane_index] - here_x), _sign(lane_y[lane_index] - here_y)
                    count = _append(toward_arc[3 * x + y], lane_index, base, count, out)
            else:
                for lane_index in range(lane, stop):
                    target = targets[lane_index]
                    if target == row:
                        arc = OWN
                    elif reach.rule != NOT_SAID and not path_expected(row, target, reach):
                        arc = NO_ARC
                    else:
                        slot = _compass_slot(row, target, runs) if symbol == COMPASS else symbol
                        arc = _arc(row, slot, graph)
                    count = _append(arc, lane_index, base, count, out)
            lane = stop
    out.first[len(reach.label)] = count


@kernel
def _segment_of(row: int, lane: int, segments: Segments) -> int:
    """Return the segment of a row that contains a lane."""
    segment = segments.first[row]
    while segments.stop[segment] <= lane:
        segment += 1
    return int(segment)


@kernel
def order_rows(lane: int, segments: Segments, graph: RowGraph, order: Order) -> None:
    """Order rows by the distance along their hops of one lane; rows without a path are last."""
    key, stack, buckets = order.key, order.stack, order.buckets
    rows = len(key)
    key[:] = -1
    largest = 0
    for begin in range(rows):
        row, depth = begin, 0
        while key[row] < 0:
            key[row] = INFINITY  # Hops that return to a row on the stack end here, too.
            arc = segments.arc[_segment_of(row, lane, segments)]
            if arc < 0:
                if arc == OWN:
                    key[row] = 0
                break
            stack[depth] = row
            depth += 1
            row = graph.head[arc]
        far = key[row]
        while depth:
            depth -= 1
            row = stack[depth]
            arc = segments.arc[_segment_of(row, lane, segments)]
            far = min(INFINITY, far + graph.weight[arc])
            key[row] = far
            if far < INFINITY:
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
        order.row[buckets[key[row]]] = row
        buckets[key[row]] += 1


@kernel
def _resolve_lane(
    row: int,
    lane: int,
    segments: Segments,
    graph: RowGraph,
    dist: Int32Array,
    stack: Int32Array,
) -> int:
    """Follow hops to a known distance, and write the distances of all rows passed.

    Returns:
        The error of a hop, or 0.
    """
    depth = 0
    while dist[row, lane] >= INFINITY:
        arc = int(segments.arc[_segment_of(row, lane, segments)])
        if arc < 0:
            return arc if arc < OWN else NOT_TO_GOAL
        if depth == len(stack):
            return NOT_TO_GOAL
        stack[depth] = row
        depth += 1
        row = graph.head[arc]
    length = int(dist[row, lane])
    while depth:
        depth -= 1
        row = stack[depth]
        length += graph.weight[segments.arc[_segment_of(row, lane, segments)]]
        if length >= INFINITY:
            return NOT_TO_GOAL
        dist[row, lane] = length
    return 0


@kernel
def resolve(segments: Segments, graph: RowGraph, order: Order, dist: Int32Array) -> Finding:
    """Compute the distances that the hops imply, row by row.

    In this order of rows, most distances are known when a row needs them. An unknown distance is
    computed at once by following the hops, and is known to later rows. Every distance is written
    after that of its hop's head, so at the end each hop's arc weighs the difference of two
    distances.

    Args:
        segments: the segments of every row.
        graph: the arcs of the rows.
        order: the order of the rows, and its scratch.
        dist: (r, k) ticks, written.

    Returns:
        The first invalid hop with its code, or NOT_TO_GOAL.
    """
    far = np.int32(INFINITY)
    dist[:] = far
    for row in range(len(dist)):
        for segment in range(segments.first[row], segments.first[row + 1]):
            if segments.arc[segment] == OWN:
                dist[row, segments.stop[segment] - 1] = 0
    for row in order.row:
        lane = 0
        for segment in range(segments.first[row], segments.first[row + 1]):
            arc, stop = segments.arc[segment], segments.stop[segment]
            if arc >= 0:
                # Slices, since the compiler knows that loops from 0 never use negative indices, and
                # only then vectorizes them.
                row_dist, ahead = dist[row, lane:stop], dist[graph.head[arc], lane:stop]
                cost, longest = graph.weight[arc], np.int32(0)
                for lane_index in range(len(row_dist)):
                    length = min(np.int32(ahead[lane_index] + cost), far)
                    row_dist[lane_index] = length
                    longest = max(longest, length)
                if longest >= far:
                    for lane_index in range(lane, stop):
                        if dist[row, lane_index] < far:
                            continue
                        what = _resolve_lane(row, lane_index, segments, graph, dist, order.stack)
                        if what:
                            return int(row), int(lane_index), int(what)
            elif arc < OWN:
                return int(row), int(lane), int(arc)
            lane = stop
    return 0, 0, 0
