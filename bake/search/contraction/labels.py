"""Distance labels over an elimination tree: what lies between any two nodes, without a search.

Each node keeps its distance to every node on the way to its root, by their depth. All shortest
paths between two nodes pass the node where their ways to the root meet, or one of its neighbours
of higher rank, so a distance is the least of a few sums (D. Ouyang, L. Qin, L. Chang, X. Lin,
Y. Zhang, Q. Zhu, "When Hierarchy Meets 2-Hop-Labeling", SIGMOD 2018).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt32Array, offsets
from bake.graph import INFINITY
from bake.kernels.jit import kernel
from bake.search.contraction.metric import Weights
from bake.search.contraction.tree import Tree, depths

#: Number of a difference that stands for a distance where there is no way.
NO_WAY = 0


class Labels(NamedTuple):
    """Distances between each node and those on its way to the root; nodes are called by rank.

    Attributes:
        parent: (n) int32, the next node on the way to the root; -1 at a root.
        depth: (n) int32, nodes between each one and its root.
        chain: (n) int32, the highest node of the chain each one lies in. Chains follow the child
            with most nodes below it, so that a way to the root passes few of them.
        first: (n + 1) int64, where each label begins; it holds one distance for each depth from
            0, the root, to that of the node itself, from which it is 0 ticks away.
        away: (k) int32 ticks from the node; INFINITY where there is no way.
        toward: (k) int32 ticks to the node; the same array where the graph is two way.
    """

    parent: Int32Array
    depth: Int32Array
    chain: Int32Array
    first: Int64Array
    away: Int32Array
    toward: Int32Array


def distance_labels(tree: Tree, weights: Weights) -> Labels:
    """Make the labels of a customized tree."""
    labels = empty_labels(tree.parent, two_way=weights.two_way)
    path = np.empty(int(labels.depth.max(initial=0)) + 1, dtype=np.int32)
    _label(tree, weights, labels, path, weights.two_way)
    return labels


def empty_labels(parent: Int32Array, *, two_way: bool) -> Labels:
    """Lay out the labels of a tree whose parents have higher numbers than their children."""
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
    chain[:] = -1  # Here the child with most nodes below it, until the chains are known.
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
    """Return the depth at which the ways of two nodes to their roots meet; -1 where they do not."""
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
    """Return the ticks from one rank to another; INFINITY where there is no way."""
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
    """Write the ticks between as many starts as goals, which are ranks; INFINITY for no way."""
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
    """Return what :func:`label_distance` does; called from Python, bare arrays are faster."""
    return int(label_distance(Labels(parent, depth, chain, first, away, toward), start, goal))


@kernel
def _path_to_root(labels: Labels, rank: int, path: Int32Array) -> int:
    """Write the nodes between the root and a rank by depth, and return the rank's own depth."""
    deep = int(labels.depth[rank])
    for k in range(deep, -1, -1):
        path[k] = rank
        rank = labels.parent[rank]
    return deep


@kernel
def _label(tree: Tree, weights: Weights, labels: Labels, path: Int32Array, two_way: bool) -> None:
    first, away, toward = labels.first, labels.away, labels.toward
    for rank in range(len(tree.order) - 1, -1, -1):
        deep = _path_to_root(labels, rank, path)
        own = first[rank]
        away[own : own + deep] = INFINITY
        toward[own : own + deep] = INFINITY
        away[own + deep] = 0
        toward[own + deep] = 0
        for arc in range(tree.first_up[rank], tree.first_up[rank + 1]):
            via = tree.up[arc]
            _go_by(labels, path, own, deep, via, weights.up[arc], away, toward)
            if not two_way:
                _go_by(labels, path, own, deep, via, weights.down[arc], toward, away)


@kernel
def _go_by(
    labels: Labels,
    path: Int32Array,
    own: int,
    deep: int,
    via: int,
    ticks: int,
    mine: Int32Array,
    other: Int32Array,
) -> None:
    """Lower the distances of one label, in one direction, to those by way of a higher node.

    Args:
        path: the nodes above the label's own, by depth.
        own, deep: where the label begins, and how long it is.
        ticks: from its node to ``via``, or back.
        mine, other: distances in this direction, and in the other one.
    """
    if ticks >= INFINITY:
        return
    via_deep, via_first = labels.depth[via], labels.first[via]
    for k in range(via_deep + 1):
        mine[own + k] = min(mine[own + k], ticks + mine[via_first + k])
    for k in range(via_deep + 1, deep):
        mine[own + k] = min(mine[own + k], ticks + other[labels.first[path[k]] + via_deep])


@kernel
def differences_above(
    labels: Labels, rank: Int32Array, ticks: Int32Array, difference: Int32Array
) -> None:
    """Write each label's differences to that of its parent, node by node.

    Args:
        rank: (n) int32 of every node.
        ticks: ``labels.away`` or ``labels.toward``.
        difference: filled with one number for each depth below the node's own; the ticks themselves
            where the node or its parent knows no way.
    """
    place = 0
    for row in range(len(rank)):
        own = rank[row]
        above = labels.parent[own]
        first = labels.first[own]
        for k in range(labels.depth[own]):
            told = ticks[first + k]
            base = ticks[labels.first[above] + k]
            if told < INFINITY and base < INFINITY:
                told -= base
            difference[place] = told
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
    """Make distances of numbered differences, row by row, which stand for ranks here.

    Args:
        parent, depth, first: see :class:`Labels`.
        by_depth: (n) int32 rows, each after its parent.
        difference: by number.
        code: a number for each depth below the row's own, row after row.
        ticks: filled as ``Labels.away`` or ``Labels.toward``.

    Returns:
        Whether each of them is a distance, from 1 to below INFINITY, or no way.
    """
    for i in range(len(by_depth)):
        row = by_depth[i]
        own = first[row]
        ticks[own + depth[row]] = 0
        if depth[row] == 0:
            continue
        above = first[parent[row]]
        for k in range(depth[row]):
            number = code[own - row + k]
            if number == NO_WAY:
                ticks[own + k] = INFINITY
                continue
            told = np.int64(difference[number])
            if ticks[above + k] < INFINITY:
                told += ticks[above + k]
            if told < 1 or told >= INFINITY:
                return False
            ticks[own + k] = told
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
    """Number differences, by a table with open addresses; -1 where there are too many of them.

    Args:
        key, code: the table: a difference, and its number or 0 where the slot is free. A power of
            two long.
        value: by number; filled as far as ``count``.
    """
    mask = len(key) - 1
    for i in range(len(difference)):
        wanted = difference[i]
        if wanted == INFINITY:
            out[i] = NO_WAY
            continue
        slot = (np.int64(wanted) * 2654435761 >> 7) & mask
        while code[slot] != 0 and key[slot] != wanted:
            slot = (slot + 1) & mask
        if code[slot] == 0:
            if count >= len(value):
                return -1
            key[slot] = wanted
            code[slot] = count
            value[count] = wanted
            count += 1
        out[i] = code[slot]
    return count
