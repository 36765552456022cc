"""Distance labels over an elimination tree: distances between any two nodes without a search.

Each node stores its distance to each of its ancestors, by their depth. Every shortest path between
two nodes passes one of their common ancestors, so a distance is the minimum of a few sums
(D. Ouyang, L. Qin, L. Chang, X. Lin, Y. Zhang, Q. Zhu, "When Hierarchy Meets 2-Hop-Labeling",
SIGMOD 2018).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt32Array, offsets
from bake.core.graph import INFINITY
from bake.core.kernels.jit import kernel
from bake.search.contraction.metric import Weights
from bake.search.contraction.tree import Tree, depths

#: The number of the difference that means "no path".
NO_PATH = 0


class Labels(NamedTuple):
    """Distances between each node and its ancestors; nodes are numbered by rank."""

    #: (n) int32, the parent of each node; -1 at a root.
    parent: Int32Array
    #: (n) int32, the number of ancestors of each node.
    depth: Int32Array
    #: (n) int32, the highest node of the chain of each node. Chains follow the child with the most
    #: descendants, so that the path to the root crosses few chains.
    chain: Int32Array
    #: (n + 1) int64, the offset of each label; it holds one distance for each depth from 0, the
    #: root, to that of the node itself, which has distance 0.
    first: Int64Array
    #: (k) int32 ticks from the node; INFINITY where there is no path.
    away: Int32Array
    #: (k) int32 ticks to the node; the same array in two-way graphs.
    toward: Int32Array


def distance_labels(tree: Tree, weights: Weights) -> Labels:
    """Compute the labels of a customized tree."""
    labels = empty_labels(tree.parent, two_way=weights.two_way)
    path = np.empty(int(labels.depth.max(initial=0)) + 1, dtype=np.int32)
    _label(tree, weights, labels, path, weights.two_way)
    return labels


def empty_labels(parent: Int32Array, *, two_way: bool) -> Labels:
    """Allocate the labels of a tree whose parents have higher numbers than their children."""
    n = len(parent)
    depth = depths(parent)
    below, chain = np.empty((2, n), dtype=np.int32)
    _find_chains(parent, below, chain)
    first = offsets(depth.astype(np.int64) + 1, np.int64)
    away = np.empty(int(first[-1]), dtype=np.int32)
    toward = away if two_way else np.empty_like(away)
    return Labels(parent, depth, chain, first, away, toward)


@kernel
def _find_chains(parent: Int32Array, below: Int32Array, chain: Int32Array) -> None:
    n = len(parent)
    below[:] = 1
    for rank in range(n):
        if parent[rank] >= 0:
            below[parent[rank]] += below[rank]
    chain[:] = -1  # For now the child with the most descendants, until the chains are known.
    for rank in range(n):
        above = parent[rank]
        if above >= 0 and (chain[above] < 0 or below[rank] > below[chain[above]]):
            chain[above] = rank
    for rank in range(n):
        below[rank] = chain[rank]
    for rank in range(n - 1, -1, -1):
        above = parent[rank]
        chain[rank] = chain[above] if above >= 0 and below[above] == rank else rank


@kernel
def meeting_depth(labels: Labels, one: int, other: int) -> int:
    """Return the depth of the lowest common ancestor of two nodes, or -1."""
    chain, depth, parent = labels.chain, labels.depth, labels.parent
    while chain[one] != chain[other]:
        if depth[chain[one]] < depth[chain[other]]:
            one, other = other, one
        one = parent[chain[one]]
        if one < 0:
            return -1
    return int(min(depth[one], depth[other]))


@kernel
def label_distance(labels: Labels, start: int, goal: int) -> int:
    """Return the ticks from one rank to another; INFINITY where there is no path."""
    if start == goal:
        return 0
    shared = meeting_depth(labels, start, goal) + 1
    from_start, to_goal = labels.first[start], labels.first[goal]
    best = INFINITY
    for k in range(shared):
        best = min(best, int(labels.away[from_start + k]) + int(labels.toward[to_goal + k]))
    return best


@kernel
def label_distances(
    labels: Labels, starts: Int32Array, goals: Int32Array, ticks: Int64Array
) -> None:
    """Write the ticks from each start to its goal, by rank; INFINITY where there is no path."""
    for i in range(len(starts)):
        ticks[i] = label_distance(labels, starts[i], goals[i])


@kernel
def ticks_between(
    parent: Int32Array,
    depth: Int32Array,
    chain: Int32Array,
    first: Int64Array,
    away: Int32Array,
    toward: Int32Array,
    start: int,
    goal: int,
) -> int:
    """Return the ticks from one rank to another. Called from Python, arrays beat a bundle."""
    return int(label_distance(Labels(parent, depth, chain, first, away, toward), start, goal))


@kernel
def _path_to_root(labels: Labels, rank: int, path: Int32Array) -> int:
    """Write the ancestors of a rank and the rank itself by depth, and return the rank's depth."""
    own_depth = int(labels.depth[rank])
    for k in range(own_depth, -1, -1):
        path[k] = rank
        rank = labels.parent[rank]
    return own_depth


@kernel
def _label(tree: Tree, weights: Weights, labels: Labels, path: Int32Array, two_way: bool) -> None:
    first, away, toward = labels.first, labels.away, labels.toward
    for rank in range(len(tree.order) - 1, -1, -1):
        own_depth = _path_to_root(labels, rank, path)
        offset = first[rank]
        away[offset : offset + own_depth] = INFINITY
        toward[offset : offset + own_depth] = INFINITY
        away[offset + own_depth] = 0
        toward[offset + own_depth] = 0
        for arc in range(tree.first_up[rank], tree.first_up[rank + 1]):
            via = tree.up[arc]
            _relax_through(labels, path, offset, own_depth, via, weights.up[arc], away, toward)
            if not two_way:
                _relax_through(
                    labels, path, offset, own_depth, via, weights.down[arc], toward, away
                )


@kernel
def _relax_through(
    labels: Labels,
    path: Int32Array,
    offset: int,
    own_depth: int,
    via: int,
    ticks: int,
    dist: Int32Array,
    reverse: Int32Array,
) -> None:
    """Lower the distances of one label, in one direction, to those through a higher node.

    Args:
        path: the ancestors of the label's node, by depth.
        offset, own_depth: the offset of the label, and the depth of its node.
        ticks: from its node to ``via``, or back.
        dist, reverse: distances in this direction, and in the other one.
    """
    if ticks >= INFINITY:
        return
    via_depth, via_first = labels.depth[via], labels.first[via]
    for k in range(via_depth + 1):
        dist[offset + k] = min(dist[offset + k], ticks + dist[via_first + k])
    for k in range(via_depth + 1, own_depth):
        dist[offset + k] = min(dist[offset + k], ticks + reverse[labels.first[path[k]] + via_depth])


@kernel
def differences_above(
    labels: Labels, rank: Int32Array, ticks: Int32Array, difference: Int32Array
) -> None:
    """Write the differences of each label to the label of the node's parent, node by node.

    Args:
        rank: (n) int32 of every node.
        ticks: ``labels.away`` or ``labels.toward``.
        difference: written, one number for each ancestor of each node; the ticks themselves where
            the node or its parent has no path.
    """
    place = 0
    for row in range(len(rank)):
        node = rank[row]
        above = labels.parent[node]
        first = labels.first[node]
        for k in range(labels.depth[node]):
            value_ticks = ticks[first + k]
            base = ticks[labels.first[above] + k]
            if value_ticks < INFINITY and base < INFINITY:
                value_ticks -= base
            difference[place] = value_ticks
            place += 1


@kernel
def add_up(
    parent: Int32Array,
    depth: Int32Array,
    first: Int64Array,
    by_depth: Int32Array,
    difference: Int32Array,
    code: UInt32Array,
    ticks: Int32Array,
) -> bool:
    """Compute distances from numbered differences, by row; rows take the role of ranks here.

    Args:
        parent, depth, first: see :class:`Labels`.
        by_depth: (n) int32 rows, each after its parent.
        difference: the difference with each number.
        code: one number for each ancestor of each row, row after row.
        ticks: written as ``Labels.away`` or ``Labels.toward``.

    Returns:
        False if a result is neither a distance, from 1 to below INFINITY, nor "no path".
    """
    for i in range(len(by_depth)):
        row = by_depth[i]
        offset = first[row]
        ticks[offset + depth[row]] = 0
        if depth[row] == 0:
            continue
        above = first[parent[row]]
        for k in range(depth[row]):
            number = code[offset - row + k]
            if number == NO_PATH:
                ticks[offset + k] = INFINITY
                continue
            value_ticks = np.int64(difference[number])
            if ticks[above + k] < INFINITY:
                value_ticks += ticks[above + k]
            if value_ticks < 1 or value_ticks >= INFINITY:
                return False
            ticks[offset + k] = value_ticks
    return True


@kernel
def number_differences(
    difference: Int32Array,
    key: Int32Array,
    code: UInt32Array,
    value: Int32Array,
    count: int,
    out: UInt32Array,
) -> int:
    """Number distinct differences with a hash table (open addressing); return their count.

    Args:
        difference: INFINITY where there is no path.
        key, code: the table: a difference, and its number or 0 in a free slot. The length is a
            power of two.
        value: the difference with each number; the first ``count`` are given, others are written.
        count: the number of differences known so far.
        out: written: the number of each difference.

    Returns:
        The new count; -1 if ``value`` is too short.
    """
    mask = len(key) - 1
    for i in range(len(difference)):
        number_key = difference[i]
        if number_key == INFINITY:
            out[i] = NO_PATH
            continue
        slot = (np.int64(number_key) * 2654435761 >> 7) & mask
        while code[slot] != 0 and key[slot] != number_key:
            slot = (slot + 1) & mask
        if code[slot] == 0:
            if count >= len(value):
                return -1
            key[slot] = number_key
            code[slot] = count
            value[count] = number_key
            count += 1
        out[i] = code[slot]
    return count
