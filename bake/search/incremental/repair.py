"""Repair the labels of a search after changes: what LPA*, D* Lite and Moving Target D* Lite share.

Each node has two labels. ``g`` is the distance from the root as of when the node was last expanded,
``rhs`` looks one arc ahead: the least g of a neighbour plus the arc between. Where both agree the
node is *consistent*, and nodes that are not wait in a heap, ordered by what a path through them can
cost at least. A change makes the nodes at its arcs inconsistent; expanding from there, until the
target's label is final, repairs what the change has touched and what matters to the target.

The root is where labels begin: a start, and the search runs *forward* along the arcs, or a goal,
and it runs against them. The heap's keys were made for earlier targets; ``late``, km in the papers,
is added to new ones so that old ones stay lower bounds.

    S. Koenig, M. Likhachev, D. Furcy, "Lifelong Planning A*", Artificial Intelligence 155, 2004.
    S. Koenig, M. Likhachev, "D* Lite", AAAI 2002.
    X. Sun, W. Yeoh, S. Koenig, "Moving Target D* Lite", AAMAS 2010.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import BLOCKED, INFINITY
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel
from bake.search.incremental.twins import TwinArcs
from bake.search.point.estimates import EstimateTerms, coordinates, estimated

#: What a repair ends with: labels are final, or the heap is too small.
DONE = 0
FULL = 1

#: Entries of ``state``: of the heap, nodes expanded so far, km, and the target keys were made for.
SIZE = 0
EXPANDED = 1
LATE = 2
TARGET = 3

#: Bits of a key that hold its second part.
_LOW = 31

#: Beyond this, km and labels that count from far behind would leave their bits of a key.
# limit: the search restarts; lowered by repairs
MOST_LATE = 2**29


class Labels(NamedTuple):
    """What a search knows of each node, and the nodes that wait.

    Attributes:
        g, rhs: (n) int64 ticks from the root, INFINITY where no way is known.
        key: (n) int64, the key under which a node waits; -1 where it does not.
        parent: (n) int32, the neighbour that rhs came from; -1 where there is none.
        state: (4) int64: SIZE, EXPANDED, LATE and TARGET.
    """

    g: Int64Array
    rhs: Int64Array
    key: Int64Array
    parent: Int32Array
    state: Int64Array


class Course(NamedTuple):
    """Between what, and in which direction, a search runs.

    Attributes:
        forward: whether labels count from the root along the arcs; otherwise against them.
        root: where labels begin.
        target: the node whose label is wanted.
    """

    forward: bool
    root: int
    target: int


@kernel
def keep_waiting(labels: Labels, terms: EstimateTerms, heap: Heap, target: int, node: int) -> None:
    """Put a node into the heap if it is inconsistent, and out of it if it is not."""
    g, rhs, key, _, state = labels
    if g[node] == rhs[node]:
        key[node] = -1
        return
    x, y = coordinates(terms.at, target)
    nearer = min(g[node], rhs[node])
    far = nearer + estimated(terms, node, target, x, y) + state[LATE]
    wanted = (far << _LOW) | nearer
    if key[node] != wanted:
        key[node] = wanted
        # The entry under the node's former key stays behind, and is passed over when it comes up.
        state[SIZE] = push(heap, state[SIZE], wanted, node)


@kernel
def look_ahead(arcs: TwinArcs, labels: Labels, forward: bool, node: int) -> None:
    """Set a node's rhs and parent by the g of all its neighbours."""
    first_out, head, twin, weight = arcs
    best = INFINITY
    parent = -1
    for arc in range(first_out[node], first_out[node + 1]):
        ticks = weight[twin[arc]] if forward else weight[arc]
        if ticks != BLOCKED:
            reached = labels.g[head[arc]] + ticks
            if reached < best:
                best = reached
                parent = head[arc]
    labels.rhs[node] = best
    labels.parent[node] = parent


@kernel
def note_changes(
    arcs: TwinArcs,
    labels: Labels,
    terms: EstimateTerms,
    heap: Heap,
    course: Course,
    nodes: Int64Array,
) -> None:
    """Take a new target into account, and nodes whose rhs may have changed.

    The heap must have room for as many entries more as there are nodes.
    """
    forward, root, target = course
    state = labels.state
    if state[TARGET] != target:
        x, y = coordinates(terms.at, target)
        state[LATE] += estimated(terms, state[TARGET], target, x, y)
        state[TARGET] = target
    for node in nodes:
        if node != root:
            look_ahead(arcs, labels, forward, node)
            keep_waiting(labels, terms, heap, target, node)


@kernel
def settle(
    arcs: TwinArcs,
    labels: Labels,
    terms: EstimateTerms,
    heap: Heap,
    course: Course,
) -> int:
    """Expand nodes until the target's label is final; INFINITY then means that no way leads there.

    Returns:
        DONE, or FULL where the heap has to grow first; nothing is lost, call it again.
    """
    first_out, head, twin, weight = arcs
    g, rhs, key, parent, state = labels
    forward, root, target = course
    x, y = coordinates(terms.at, target)
    while True:
        while state[SIZE] > 0 and key[heap[0, 1]] != heap[0, 0]:
            state[SIZE] = drop_first(heap, state[SIZE])
        if state[SIZE] == 0:
            return DONE
        nearer = min(g[target], rhs[target])
        if heap[0, 0] >= ((nearer + state[LATE]) << _LOW) | nearer and rhs[target] <= g[target]:
            return DONE
        node = heap[0, 1]
        if state[SIZE] + first_out[node + 1] - first_out[node] + 1 > len(heap):
            return FULL
        nearer = min(g[node], rhs[node])
        far = nearer + estimated(terms, node, target, x, y) + state[LATE]
        now = (far << _LOW) | nearer
        state[SIZE] = drop_first(heap, state[SIZE])
        if key[node] < now:
            key[node] = now
            state[SIZE] = push(heap, state[SIZE], now, node)
            continue
        key[node] = -1
        state[EXPANDED] += 1
        if g[node] > rhs[node]:
            g[node] = rhs[node]
            for arc in range(first_out[node], first_out[node + 1]):
                other = head[arc]
                ticks = weight[arc] if forward else weight[twin[arc]]
                if ticks == BLOCKED or other == root:
                    continue
                reached = g[node] + ticks
                if reached < rhs[other]:
                    rhs[other] = reached
                    parent[other] = node
                    keep_waiting(labels, terms, heap, target, other)
        else:
            g[node] = INFINITY
            keep_waiting(labels, terms, heap, target, node)
            for arc in range(first_out[node], first_out[node + 1]):
                other = head[arc]
                if other != root and parent[other] == node:
                    look_ahead(arcs, labels, forward, other)
                    keep_waiting(labels, terms, heap, target, other)


@kernel
def cut_loose(
    arcs: TwinArcs,
    labels: Labels,
    root: int,
    new_root: int,
    cut: Int32Array,
) -> int:
    """Forget all nodes of the tree below a root but those below a node that becomes the next root.

    Args:
        cut: (n) int32, filled with the nodes that were forgotten.

    Returns:
        How many they are.
    """
    first_out, head, _, _ = arcs
    g, rhs, key, parent, _ = labels
    parent[new_root] = -1
    cut[0] = root
    size = 1
    done = 0
    while done < size:
        node = cut[done]
        done += 1
        for arc in range(first_out[node], first_out[node + 1]):
            if parent[head[arc]] == node:
                cut[size] = head[arc]
                size += 1
        g[node] = INFINITY
        rhs[node] = INFINITY
        key[node] = -1
        parent[node] = -1
    return size


def shrunk(labels: Labels, heap: Heap, room: int) -> Heap:
    """Return the heap without entries that were left behind, with room for so many more."""
    used = heap[: int(labels.state[SIZE])]
    kept = used[labels.key[used[:, 1]] == used[:, 0]]
    # Sorted entries are a heap.
    kept = kept[np.lexsort((kept[:, 1], kept[:, 0]))]
    larger = np.empty((2 * len(kept) + room, 2), dtype=np.int64)
    larger[: len(kept)] = kept
    labels.state[SIZE] = len(kept)
    return larger
