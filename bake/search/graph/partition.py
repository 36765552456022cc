"""Parts of a graph: connected pieces of a labelling, their members, who borders whom."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array, Int64Array
from bake.kernels.jit import kernel


@kernel
def _lowest_of_part(
    first_out: Int32Array, head: Int32Array, key: Int64Array, low: Int32Array
) -> None:
    n = len(first_out) - 1
    for node in range(n):
        low[node] = node
    for node in range(n):
        for arc in range(first_out[node], first_out[node + 1]):
            other = head[arc]
            if key[other] != key[node]:
                continue
            a = node
            while low[a] != a:
                low[a] = low[low[a]]
                a = low[a]
            b = other
            while low[b] != b:
                low[b] = low[low[b]]
                b = low[b]
            if a < b:
                low[b] = a
            elif b < a:
                low[a] = b
    for node in range(n):
        # Every link leads to a smaller node, which has its final value by now.
        low[node] = low[low[node]]


def connected_parts(
    first_out: Int32Array, head: Int32Array, key: npt.NDArray[np.integer]
) -> tuple[Int32Array, int]:
    """Cut the classes of a labelling into connected parts; arcs count in both directions.

    R. E. Tarjan, "Efficiency of a good but not linear set union algorithm", J. ACM 22(2), 1975.

    Args:
        first_out, head: the graph; (n + 1), (m) int32.
        key: (n) integers, class of every node; arcs between classes join nothing.

    Returns:
        (n) int32 part of every node, and how many parts there are. Parts are numbered by class,
        within one by their lowest node.
    """
    n = len(first_out) - 1
    low = np.empty(n, dtype=np.int32)
    _lowest_of_part(first_out, head, key.astype(np.int64, copy=False), low)
    root = np.flatnonzero(low == np.arange(n, dtype=np.int32))
    order = np.lexsort((root, key[root]))
    part = np.empty(n, dtype=np.int32)
    part[root[order]] = np.arange(len(root), dtype=np.int32)
    return part[low], len(root)


@kernel
def _fill_members(
    label: Int32Array, first: Int32Array, member: Int32Array, place: Int32Array
) -> None:
    for node in range(len(label)):
        first[label[node] + 1] += 1
    for part in range(len(first) - 1):
        first[part + 1] += first[part]
    filled = np.zeros(len(first) - 1, np.int32)
    for node in range(len(label)):
        part = label[node]
        place[node] = filled[part]
        member[first[part] + filled[part]] = node
        filled[part] += 1


def members(label: Int32Array, count: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Nodes by part.

    Args:
        label: (n) int32 in [0, count).
        count: c.

    Returns:
        first: (c + 1) int32, member: (n) int32, nodes of part p ascending at ``first[p]`` to
        ``first[p + 1]``; place: (n) int32, rank of each node among those of its part.
    """
    first = np.zeros(count + 1, dtype=np.int32)
    member = np.empty(len(label), dtype=np.int32)
    place = np.empty(len(label), dtype=np.int32)
    _fill_members(label, first, member, place)
    return first, member, place


@kernel
def _count_crossing(first_out: Int32Array, head: Int32Array, label: Int32Array) -> int:
    count = 0
    for node in range(len(label)):
        for arc in range(first_out[node], first_out[node + 1]):
            count += label[head[arc]] != label[node]
    return count


@kernel
def _list_crossing(
    first_out: Int32Array, head: Int32Array, label: Int32Array, tail: Int32Array, arcs: Int32Array
) -> None:
    filled = 0
    for node in range(len(label)):
        for arc in range(first_out[node], first_out[node + 1]):
            if label[head[arc]] != label[node]:
                tail[filled] = node
                arcs[filled] = arc
                filled += 1


def crossing_arcs(
    first_out: Int32Array, head: Int32Array, label: Int32Array
) -> tuple[Int32Array, Int32Array]:
    """Arcs that lead from one part to another.

    Returns:
        (k) int32 tail of each, and (k) int32 its number, ascending.
    """
    count = _count_crossing(first_out, head, label)
    tail = np.empty(count, dtype=np.int32)
    arcs = np.empty(count, dtype=np.int32)
    _list_crossing(first_out, head, label, tail, arcs)
    return tail, arcs


def neighbours(
    label_from: Int32Array, label_to: Int32Array, count: int
) -> tuple[Int32Array, Int32Array]:
    """Which parts border which, in either direction.

    Args:
        label_from, label_to: (k) int32, the parts that each crossing arc leaves and enters.
        count: c.

    Returns:
        first: (c + 1) int32, neighbour: int32, ascending within a part.
    """
    a = np.concatenate([label_from, label_to]).astype(np.int64)
    b = np.concatenate([label_to, label_from])
    pairs: Int64Array = np.unique(a * max(1, count) + b)
    first = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.bincount(pairs // max(1, count), minlength=count), out=first[1:])
    return first, (pairs % max(1, count)).astype(np.int32)
