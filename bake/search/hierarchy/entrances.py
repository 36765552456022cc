"""Find entrances, maximal chains of crossings between two clusters, and choose transitions.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 3.1. A *crossing* is a pair of nodes on either side of a border that an arc
joins. The next crossing of an entrance is one step away on both sides, there and back, without
leaving either cluster, and can be crossed in the same directions. So whoever reaches one crossing
of an entrance reaches all, and one transition an entrance is enough for every path there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array, UInt8Array, offsets
from bake.kernels.jit import inlined, kernel

#: An entrance shorter than this has one transition, in its middle; longer ones begin and end with
#: one.
MIDDLE_ALONE = 4

#: An entrance has transitions half as far apart as ``spacing`` says, as long as those are no more
#: than this: where passages are narrow, a step aside decides which of two ways is shorter.
CLOSE_TOGETHER = 5

_UNSEEN = -1


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
        first_out, head: the graph; (n + 1), (m) int32.
        label: (n) int32, cluster of each node.
        near, far, ways: see :class:`Crossings`.
        first: (n + 1) int32, pairs by their near node.
    """

    first_out: Int32Array
    head: Int32Array
    label: Int32Array
    near: Int32Array
    far: Int32Array
    ways: UInt8Array
    first: Int32Array


@kernel
def _drop_diagonals(
    first_out: Int32Array,
    head: Int32Array,
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
        for arc in range(first_out[u], first_out[u + 1]):
            x = head[arc]
            if abs(at[x, 0] - at[u, 0]) + abs(at[x, 1] - at[u, 1]) != 1:
                continue
            if abs(at[v, 0] - at[x, 0]) + abs(at[v, 1] - at[x, 1]) != 1:
                continue
            for onward in range(first_out[x], first_out[x + 1]):
                if head[onward] == v:
                    keep[i] = False


@kernel
def _joined(first_out: Int32Array, head: Int32Array, a: int, b: int) -> bool:
    """Tell whether arcs lead from a to b and back."""
    there = a == b
    for arc in range(first_out[a], first_out[a + 1]):
        there = there or head[arc] == b
    back = a == b
    if there:
        for arc in range(first_out[b], first_out[b + 1]):
            back = back or head[arc] == a
    return bool(there and back)


@kernel
def _flood(
    border: _Border,
    root: int,
    entrance: Int32Array,
    mark: int,
    depth: Int32Array,
    queue: Int32Array,
) -> int:
    """Search one entrance from a pair breadth-first into ``queue``, and count the pairs in it."""
    first_out, head, label = border.first_out, border.head, border.label
    queue[0] = root
    entrance[root] = mark
    depth[root] = 0
    count = 1
    scan = 0
    while scan < count:
        pair = queue[scan]
        scan += 1
        u, v = border.near[pair], border.far[pair]
        for step in range(first_out[u] - 1, first_out[u + 1]):
            beside = u if step < first_out[u] else head[step]
            if label[beside] != label[u]:
                continue
            for other in range(border.first[beside], border.first[beside + 1]):
                if entrance[other] == mark or border.ways[other] != border.ways[pair]:
                    continue
                if label[border.far[other]] != label[v]:
                    continue
                if not _joined(first_out, head, v, border.far[other]):
                    continue
                if not _joined(first_out, head, u, beside):
                    continue
                entrance[other] = mark
                depth[other] = depth[pair] + 1
                queue[count] = other
                count += 1
    return count


@kernel
def _find_entrances(
    border: _Border,
    spacing: int,
    entrance: Int32Array,
    depth: Int32Array,
    chosen: BoolArray,
    queue: Int32Array,
) -> None:
    """Fill in what :class:`Crossings` says of every pair, with room for a queue of all."""
    near, far = border.near, border.far
    entrance[:] = _UNSEEN
    # Whole numbers of one type, or _flood would be compiled for each of several.
    count = int(np.int64(0))
    for root in range(len(near)):
        if entrance[root] != _UNSEEN:
            continue
        # The last pair found from anywhere is an end of the entrance.
        passing_mark = -2 - count
        found = _flood(border, root, entrance, passing_mark, depth, queue)
        end = int(np.int64(queue[found - 1]))
        found = _flood(border, end, entrance, count, depth, queue)
        count += 1
        length = depth[queue[found - 1]] + 1
        scan = 0
        parts = _transitions_along(length, spacing)
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
                        _joined(border.first_out, border.head, near[pair], near[other])
                        or _joined(border.first_out, border.head, far[pair], far[other])
                    ):
                        apart = False
                chosen[pair] = apart
                scan += 1


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
    label: Int32Array,
    crossing: tuple[Int32Array, Int32Array],
    *,
    at: Int32Array | None,
    square: bool,
    spacing: int | None,
) -> Crossings:
    """Find the entrances between clusters, and choose the transitions on them.

    Args:
        first_out, head: the graph; (n + 1), (m) int32.
        label: (n) int32, cluster of each node.
        crossing: tail and arc of every crossing arc, from
            :func:`bake.search.graph.partition.crossing_arcs`.
        at: (n, 2) int32 chart coordinates; None on graphs.
        square: whether diagonal steps may be replaced by two straight ones.
        spacing: transitions of an entrance are at most this many steps apart, and up to
            CLOSE_TOGETHER of them half as many; None = every crossing
            is an entrance and a transition of its own.
    """
    tail, arcs = crossing
    if square and at is not None and spacing is not None and len(arcs):
        keep = np.empty(len(arcs), dtype=np.bool_)
        _drop_diagonals(first_out, head, at, tail, arcs, keep)
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
    entrance, depth, queue = np.empty((3, len(pair)), dtype=np.int32)
    chosen = np.zeros(len(pair), dtype=np.bool_)
    border = _Border(first_out, head, label, near, far, ways, first)
    _find_entrances(border, spacing, entrance, depth, chosen, queue)
    return Crossings(near, far, ways, entrance, depth, chosen)
