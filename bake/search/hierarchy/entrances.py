"""Find entrances, maximal chains of crossings between two clusters, and choose transitions.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 3.1. A *crossing* is a pair of nodes on either side of a border that an arc
joins. The next crossing of an entrance is one step away on both sides, there and back, without
leaving either cluster, and can be crossed in the same directions. So whoever reaches one crossing
of an entrance reaches all, and one transition an entrance is enough for every path there is.

Where all steps along an entrance cost about the same, its transitions are spread evenly. Elsewhere
they lie where crossing is cheap: a crossing needs no transition of its own if the detour over
another transition, along the entrance there and back, costs little beside the steps at this
crossing. Only the steps between the nodes of an entrance decide, so a change elsewhere changes
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, UInt8Array, offsets
from bake.core.kernels.jit import inlined, kernel

#: An entrance shorter than this has one transition, in its middle; longer ones begin and end with
#: one.
# limit: paths stay valid, and may be longer; lowered by sound_bakes
MIDDLE_ALONE = 4

#: An entrance has transitions half as far apart as ``spacing`` says, as long as those are no more
#: than this: where passages are narrow, a step aside decides which of two ways is shorter.
# limit: paths stay valid, and may be longer; lowered by sound_bakes
CLOSE_TOGETHER = 5

#: Steps cost about the same if the dearest costs at most 5 / 4 of the cheapest.
ALIKE = 5, 4

#: On uneven ground a detour may cost as much as so many of the cheapest step at a crossing.
# limit: paths stay valid, and may be longer; lowered by sound_bakes
DETOUR = 2

#: Two straight steps replace a diagonal one that they cost at most so many times as much as.
# limit: the diagonal is a crossing; paths may be longer; lowered by sound_bakes
STRAIGHT_INSTEAD = 2

#: A diagonal step over the ground of a straight one costs about 41 / 29 of it.
_OF_DIAGONAL = 29, 41

_UNSEEN = -1
_NEVER = 2**62


@dataclass(frozen=True)
class Crossings:
    """Pairs of nodes of two clusters joined by an arc, in one direction or both.

    Attributes:
        near, far: (p) int32, the node in the cluster of lower number, and the other; pairs ascend.
        ways: (p) uint8, bit 0: an arc leads from near to far, bit 1: from far to near.
        entrance: (p) int32, the entrance each pair belongs to, numbered by first pair.
        depth: (p) int32, steps along the entrance from one of its ends.
        chosen: (p) bool, pairs that are transitions.
    """

    near: Int32Array
    far: Int32Array
    ways: UInt8Array
    entrance: Int32Array
    depth: Int32Array
    chosen: BoolArray


class _Border(NamedTuple):
    """A graph, its clusters, and the pairs of nodes that crossings join.

    Attributes:
        first_out, head, ticks: the graph; (n + 1), (m), (m) int32.
        at: (n, 2) int32 coordinates; empty where no step is diagonal.
        label: (n) int32, cluster of each node.
        near, far, ways: see :class:`Crossings`.
        first: (n + 1) int32, pairs by their near node.
    """

    first_out: Int32Array
    head: Int32Array
    ticks: Int32Array
    at: Int32Array
    label: Int32Array
    near: Int32Array
    far: Int32Array
    ways: UInt8Array
    first: Int32Array


class _Steps(NamedTuple):
    """The steps along all entrances: what they cost, and room for working with them.

    Costs are of the way there and back, in ticks; of steps one way, twice that.

    Attributes:
        first, to: the pairs one step away from each pair; (p + 1), (k) int32.
        cost: (k) int64, of each step on both sides.
        price: (p) int64, of crossing at each pair.
        least, most: (p) int64, the cheapest step at each pair and the dearest, to cross or along
            one side; diagonal ones count as straight ones over the same ground.
        reach: (2, p) int64, of getting across over a transition; of getting to a pair.
        line, waiting: (p) int32 and (p) bool, the pairs whose neighbors are looked at next.
    """

    first: Int32Array
    to: Int32Array
    cost: Int64Array
    price: Int64Array
    least: Int64Array
    most: Int64Array
    reach: Int64Array
    line: Int32Array
    waiting: BoolArray


@kernel
def _drop_diagonals(
    first_out: Int32Array,
    head: Int32Array,
    ticks: Int32Array,
    at: Int32Array,
    tail: Int32Array,
    arcs: Int32Array,
    keep: BoolArray,
) -> None:
    """Drop diagonal steps that two straight ones replace: they need no transitions of their own."""
    for i in range(len(arcs)):
        u, v = tail[i], head[arcs[i]]
        dx, dy = at[v, 0] - at[u, 0], at[v, 1] - at[u, 1]
        keep[i] = True
        if abs(dx) != 1 or abs(dy) != 1:
            continue
        most = STRAIGHT_INSTEAD * np.int64(ticks[arcs[i]])
        for arc in range(first_out[u], first_out[u + 1]):
            x = head[arc]
            if abs(at[x, 0] - at[u, 0]) + abs(at[x, 1] - at[u, 1]) != 1:
                continue
            if abs(at[v, 0] - at[x, 0]) + abs(at[v, 1] - at[x, 1]) != 1:
                continue
            for onward in range(first_out[x], first_out[x + 1]):
                if head[onward] == v and np.int64(ticks[arc]) + ticks[onward] <= most:
                    keep[i] = False


@kernel
def _ticks_between(border: _Border, a: int, b: int) -> int:
    """Return the ticks of the cheapest arc from one node to another; -1 where there is none."""
    found = np.int64(-1)
    for arc in range(border.first_out[a], border.first_out[a + 1]):
        if border.head[arc] == b and (found < 0 or border.ticks[arc] < found):
            found = np.int64(border.ticks[arc])
    return int(found)


@kernel
def _ticks_there_and_back(border: _Border, a: int, b: int) -> int:
    """Return the ticks of the arcs from one node to another and back; -1 unless there are both."""
    total = np.int64(0)
    if a != b:
        there = np.int64(_ticks_between(border, a, b))
        back = np.int64(-1)
        if there >= 0:
            back = np.int64(_ticks_between(border, b, a))
        total = there + back if there >= 0 and back >= 0 else np.int64(-1)
    return int(total)


@kernel
def _joined(border: _Border, a: int, b: int) -> bool:
    """Tell whether arcs lead from a to b and back."""
    return bool(_ticks_there_and_back(border, a, b) >= 0)


@inlined
def _widen(border: _Border, steps: _Steps, pair: int, a: int, b: int, ticks: int) -> None:
    """Count a step from a to b, of so many ticks there and back, among those at a pair."""
    at = border.at
    if len(at) > 0 and at[a, 0] != at[b, 0] and at[a, 1] != at[b, 1]:
        ticks = ticks * _OF_DIAGONAL[0] // _OF_DIAGONAL[1]
    steps.least[pair] = min(steps.least[pair], ticks)
    steps.most[pair] = max(steps.most[pair], ticks)


@kernel
def _list_steps(border: _Border, steps: _Steps) -> None:
    """List the steps from each pair to others of its entrance, as far as there is room.

    With no room for any they are only counted.
    """
    near, far, first_out = border.near, border.far, border.first_out
    filled = 0
    for pair in range(len(near)):
        u, v = near[pair], far[pair]
        there, back = np.int64(0), np.int64(0)
        if border.ways[pair] & 1:
            there = np.int64(_ticks_between(border, u, v))
        if border.ways[pair] & 2:
            back = np.int64(_ticks_between(border, v, u))
        price = there + back if border.ways[pair] == 3 else 2 * (there + back)
        steps.price[pair] = price
        steps.least[pair] = _NEVER
        steps.most[pair] = 0
        _widen(border, steps, pair, u, v, int(price))
        for step in range(first_out[u] - 1, first_out[u + 1]):
            beside = u if step < first_out[u] else border.head[step]
            if border.label[beside] != border.label[u]:
                continue
            for other in range(border.first[beside], border.first[beside + 1]):
                beyond = far[other]
                if other == pair or border.ways[other] != border.ways[pair]:
                    continue
                if border.label[beyond] != border.label[v]:
                    continue
                farther = np.int64(_ticks_there_and_back(border, v, beyond))
                if farther < 0:
                    continue
                nearer = np.int64(_ticks_there_and_back(border, u, beside))
                if nearer < 0:
                    continue
                if filled < len(steps.to):
                    steps.to[filled] = other
                    steps.cost[filled] = nearer + farther
                    if u != beside:
                        _widen(border, steps, pair, u, beside, int(nearer))
                    if v != beyond:
                        _widen(border, steps, pair, v, beyond, int(farther))
                filled += 1
        steps.first[pair + 1] = filled


@kernel
def _flood(
    steps: _Steps,
    root: int,
    entrance: Int32Array,
    mark: int,
    depth: Int32Array,
    queue: Int32Array,
) -> int:
    """Search one entrance from a pair breadth-first into ``queue``, and count the pairs in it."""
    queue[0] = root
    entrance[root] = mark
    depth[root] = 0
    count = 1
    scan = 0
    while scan < count:
        pair = queue[scan]
        scan += 1
        for step in range(steps.first[pair], steps.first[pair + 1]):
            other = steps.to[step]
            if entrance[other] != mark:
                entrance[other] = mark
                depth[other] = depth[pair] + 1
                queue[count] = other
                count += 1
    return count


@kernel
def _find_entrances(
    border: _Border,
    steps: _Steps,
    spacing: int,
    entrance: Int32Array,
    depth: Int32Array,
    chosen: BoolArray,
    queue: Int32Array,
) -> None:
    """Fill in what :class:`Crossings` says of every pair, with room for a queue of all."""
    entrance[:] = _UNSEEN
    # Whole numbers of one type, or _flood would be compiled for each of several.
    count = int(np.int64(0))
    for root in range(len(border.near)):
        if entrance[root] != _UNSEEN:
            continue
        # The last pair found from anywhere is an end of the entrance.
        passing_mark = -2 - count
        found = _flood(steps, root, entrance, passing_mark, depth, queue)
        end = int(np.int64(queue[found - 1]))
        found = _flood(steps, end, entrance, count, depth, queue)
        count += 1
        least, most = np.int64(_NEVER), np.int64(0)
        for scan in range(found):
            least = min(least, steps.least[queue[scan]])
            most = max(most, steps.most[queue[scan]])
        # A tick more, as prices are rounded.
        if ALIKE[1] * (most - 2) <= ALIKE[0] * least:
            _spread_evenly(border, queue, found, spacing, depth, chosen)
        else:
            _choose_by_price(steps, queue, found, spacing, depth, chosen)


@kernel
def _spread_evenly(
    border: _Border,
    queue: Int32Array,
    found: int,
    spacing: int,
    depth: Int32Array,
    chosen: BoolArray,
) -> None:
    """Choose transitions at even distances along the entrance in ``queue``, and at both ends."""
    near, far = border.near, border.far
    length = depth[queue[found - 1]] + 1
    parts = _transitions_along(length, spacing)
    scan = 0
    for part in range(parts):
        wanted = _wanted_depth(length, parts, part)
        while depth[queue[scan]] < wanted:
            scan += 1
        begun = scan
        while scan < found and depth[queue[scan]] == wanted:
            pair = queue[scan]
            apart = True
            for before in range(begun, scan):
                other = queue[before]
                if chosen[other] and (
                    _joined(border, near[pair], near[other])
                    or _joined(border, far[pair], far[other])
                ):
                    apart = False
            chosen[pair] = apart
            scan += 1


@kernel
def _choose_by_price(
    steps: _Steps,
    queue: Int32Array,
    found: int,
    spacing: int,
    depth: Int32Array,
    chosen: BoolArray,
) -> None:
    """Choose transitions of the entrance in ``queue`` until no crossing needs one.

    The cheapest crossing that needs one comes first. In place of one that is no end of the entrance
    the farthest one is chosen that costs about the same and is near enough.
    """
    price, across, along = steps.price, steps.reach[0], steps.reach[1]
    length = depth[queue[found - 1]] + 1
    parts = _transitions_along(length, spacing)
    gap = 1 if parts == 1 else (length + parts - 3) // (parts - 1)
    cheapest = np.int64(_NEVER)
    for scan in range(found):
        across[queue[scan]] = _NEVER
        cheapest = min(cheapest, price[queue[scan]])
    while True:
        needy = -1
        limit = np.int64(0)
        for scan in range(found):
            pair = queue[scan]
            if needy >= 0 and price[pair] >= price[needy]:
                continue
            quarters = gap if price[pair] > DETOUR * cheapest else 2 * gap
            quarters = min(max(quarters, 4 * DETOUR), 4 * (spacing - 1))
            most = price[pair] + quarters * steps.least[pair] // 4
            if across[pair] > most:
                needy, limit = pair, most
        if needy < 0:
            break
        best = needy
        if depth[needy] > 0:
            for scan in range(found):
                along[queue[scan]] = _NEVER
            _spread_from(steps, needy, 0, int(limit), along)
            for scan in range(found):
                pair = queue[scan]
                if (
                    along[pair] <= limit - price[pair]
                    and ALIKE[1] * price[pair] <= ALIKE[0] * price[needy]
                    and depth[pair] > depth[best]
                ):
                    best = pair
        chosen[best] = True
        _spread_from(steps, best, price[best], _NEVER, across)


@kernel
def _spread_from(steps: _Steps, pair: int, cost: int, limit: int, reach: Int64Array) -> None:
    """Lower what it costs to reach pairs along an entrance from one, which costs ``cost``.

    No pair waits twice at once, so the line is as long as there are pairs.
    """
    line, waiting = steps.line, steps.waiting
    reach[pair] = cost
    line[0] = pair
    begin, count = 0, 1
    while count > 0:
        here = line[begin]
        begin = (begin + 1) % len(line)
        count -= 1
        waiting[here] = False
        for step in range(steps.first[here], steps.first[here + 1]):
            other, reached = steps.to[step], reach[here] + steps.cost[step]
            if reached > limit or reached >= reach[other]:
                continue
            reach[other] = reached
            if not waiting[other]:
                waiting[other] = True
                line[(begin + count) % len(line)] = other
                count += 1


@inlined
def _transitions_along(length: int, spacing: int) -> int:
    """Say how many transitions an entrance of ``length`` pairs has."""
    parts = 1
    if length >= MIDDLE_ALONE:
        half = max(1, spacing // 2)
        close = min(CLOSE_TOGETHER, (length - 2 + half) // half + 1)
        parts = max(close, (length - 2 + spacing) // spacing + 1)
    return parts


@inlined
def _wanted_depth(length: int, parts: int, part: int) -> int:
    """Say where along an entrance of ``length`` pairs one of ``parts`` transitions goes."""
    return length // 2 if parts == 1 else part * (length - 1) // (parts - 1)


def find_crossings(
    first_out: Int32Array,
    head: Int32Array,
    ticks: Int32Array,
    label: Int32Array,
    crossing: tuple[Int32Array, Int32Array],
    *,
    at: Int32Array | None,
    square: bool,
    spacing: int | None,
) -> Crossings:
    """Find the entrances between clusters, and choose the transitions on them.

    Args:
        first_out, head, ticks: the graph; (n + 1), (m), (m) int32.
        label: (n) int32, cluster of each node.
        crossing: tail and arc of every crossing arc, from
            :func:`bake.search.graph.partition.crossing_arcs`.
        at: (n, 2) int32 chart coordinates; None on graphs.
        square: whether diagonal steps may be replaced by two straight ones.
        spacing: on even ground transitions of an entrance are at most this many steps apart, and up
            to CLOSE_TOGETHER of them half as many; None = every crossing is an entrance and a
            transition of its own.
    """
    tail, arcs = crossing
    if square and at is not None and spacing is not None and len(arcs):
        keep = np.empty(len(arcs), dtype=np.bool_)
        _drop_diagonals(first_out, head, ticks, at, tail, arcs, keep)
        tail, arcs = tail[keep], arcs[keep]
    to = head[arcs]
    forward = label[tail] < label[to]
    n = len(label)
    code = np.where(forward, tail, to).astype(np.int64) * n + np.where(forward, to, tail)
    code = code * 2 + np.where(forward, 0, 1)
    code.sort()
    pair, begins = np.unique(code >> 1, return_index=True)
    near, far = (pair // max(1, n)).astype(np.int32), (pair % max(1, n)).astype(np.int32)
    ends = np.append(begins[1:], len(code)) - 1
    ways = (
        np.where(code[begins] & 1, 2, 1) | np.where(code[ends] & 1, 2, 1) if len(code) else begins
    ).astype(np.uint8)
    if spacing is None:
        own = np.arange(len(pair), dtype=np.int32)
        every = np.ones(len(pair), dtype=np.bool_)
        return Crossings(near, far, ways, own, np.zeros_like(own), every)
    first = offsets(np.bincount(near, minlength=n))
    pairs = len(near)
    entrance, depth, queue, line = np.empty((4, pairs), dtype=np.int32)
    chosen, waiting = np.zeros((2, pairs), dtype=np.bool_)
    plane = at if square and at is not None else np.zeros((0, 2), dtype=np.int32)
    border = _Border(first_out, head, ticks, plane, label, near, far, ways, first)
    price, least, most = np.empty((3, pairs), dtype=np.int64)
    reach = np.empty((2, pairs), dtype=np.int64)
    steps = _Steps(
        np.zeros(pairs + 1, dtype=np.int32),
        np.zeros(0, dtype=np.int32),
        np.zeros(0, dtype=np.int64),
        price,
        least,
        most,
        reach,
        line,
        waiting,
    )
    _list_steps(border, steps)
    count = int(steps.first[-1])
    steps = steps._replace(to=np.empty(count, np.int32), cost=np.empty(count, np.int64))
    _list_steps(border, steps)
    _find_entrances(border, steps, spacing, entrance, depth, chosen, queue)
    return Crossings(near, far, ways, entrance, depth, chosen)
