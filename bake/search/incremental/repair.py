"""Repair the labels of a search after changes, for LPA*, D* Lite and Moving Target D* Lite.

Each node has two labels. ``g`` is its distance from the root at its last expansion; ``rhs`` looks
one arc ahead: the least sum of a neighbor's g and the arc between. If both agree the node is
*consistent*. Inconsistent nodes wait in a heap, ordered by a lower bound of the cost of a path
through them. A change makes the nodes at its arcs inconsistent. Expanding from there, until the
target's label is final, repairs everything that the change has affected and that matters to the
target.

The root is where labels begin. If it is a start, the search runs *forward* along the arcs; if it is
a goal, the search runs against them. Keys in the heap may belong to earlier targets; ``late``, km
in the papers, is added to new ones so that old ones stay lower bounds.

    S. Koenig, M. Likhachev, D. Furcy, "Lifelong Planning A*", Artificial Intelligence 155, 2004.
    S. Koenig, M. Likhachev, "D* Lite", AAAI 2002.
    X. Sun, W. Yeoh, S. Koenig, "Moving Target D* Lite", AAMAS 2010.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import BLOCKED, INFINITY
from bake.core.kernels.heap import Heap, drop_first, push
from bake.core.kernels.jit import kernel
from bake.search.incremental.twins import TwinArcs
from bake.search.point.estimates import EstimateTerms, coordinates, estimated

#: Results of a repair: labels are final, or the heap is too small.
DONE = 0
FULL = 1

#: Indices of ``state``: heap size, expansions so far, km, and the target that keys refer to.
SIZE = 0
EXPANDED = 1
LATE = 2
TARGET = 3

#: Bits of a key that hold its second part.
_LOW = 31

#: Above this, km and labels that count from a distant root would exceed their bits of a key.
# limit: the search restarts; lowered by repairs
MOST_LATE = 2**29


class Labels(NamedTuple):
    """The labels of a search by node, and the keys of the nodes in the heap."""

    #: (n) int64 ticks from the root, INFINITY where no path is known.
    g: Int64Array
    rhs: Int64Array
    #: (n) int64, the key of a node in the heap; -1 if it is not there.
    key: Int64Array
    #: (n) int32, the neighbor that rhs came from, or -1.
    parent: Int32Array
    #: (4) int64: SIZE, EXPANDED, LATE and TARGET.
    state: Int64Array


class Course(NamedTuple):
    """The ends and the direction of a search."""

    #: Whether labels count from the root along the arcs; otherwise against them.
    forward: bool
    #: The node where labels begin.
    root: int
    #: The node whose label is requested.
    target: int


@kernel
def update_queue(labels: Labels, terms: EstimateTerms, heap: Heap, target: int, node: int) -> None:
    """Insert a node into the heap if it is inconsistent; remove it if it is consistent."""
    g, rhs, key, _, state = labels
    if g[node] == rhs[node]:
        key[node] = -1
        return
    x, y = coordinates(terms.at, target)
    label = min(g[node], rhs[node])
    far = label + estimated(terms, node, target, x, y) + state[LATE]
    new_key = (far << _LOW) | label
    if key[node] != new_key:
        key[node] = new_key
        # The entry with the node's former key stays in the heap, and is skipped when it is popped.
        state[SIZE] = push(heap, state[SIZE], new_key, node)


@kernel
def look_ahead(arcs: TwinArcs, labels: Labels, forward: bool, node: int) -> None:
    """Set a node's rhs and parent from the g of all its neighbors."""
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
def update_nodes(
    arcs: TwinArcs,
    labels: Labels,
    terms: EstimateTerms,
    heap: Heap,
    course: Course,
    nodes: Int64Array,
) -> None:
    """Account for a new target, and recompute the rhs of given nodes.

    The heap must have capacity for one more entry per node.
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
            update_queue(labels, terms, heap, target, node)


@kernel
def settle(
    arcs: TwinArcs,
    labels: Labels,
    terms: EstimateTerms,
    heap: Heap,
    course: Course,
) -> int:
    """Expand nodes until the target's label is final; INFINITY means that there is no path.

    Returns:
        DONE, or FULL if the heap has to grow first; the call can then be repeated.
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
        label = min(g[target], rhs[target])
        if heap[0, 0] >= ((label + state[LATE]) << _LOW) | label and rhs[target] <= g[target]:
            return DONE
        node = heap[0, 1]
        if state[SIZE] + first_out[node + 1] - first_out[node] + 1 > len(heap):
            return FULL
        label = min(g[node], rhs[node])
        far = label + estimated(terms, node, target, x, y) + state[LATE]
        current_key = (far << _LOW) | label
        state[SIZE] = drop_first(heap, state[SIZE])
        if key[node] < current_key:
            key[node] = current_key
            state[SIZE] = push(heap, state[SIZE], current_key, node)
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
                    update_queue(labels, terms, heap, target, other)
        else:
            g[node] = INFINITY
            update_queue(labels, terms, heap, target, node)
            for arc in range(first_out[node], first_out[node + 1]):
                other = head[arc]
                if other != root and parent[other] == node:
                    look_ahead(arcs, labels, forward, other)
                    update_queue(labels, terms, heap, target, other)


@kernel
def discard_outside(
    arcs: TwinArcs,
    labels: Labels,
    root: int,
    new_root: int,
    cut: Int32Array,
) -> int:
    """Discard all nodes of the tree below a root, except those below the next root.

    Args:
        cut: (n) int32, written: the discarded nodes.

    Returns:
        Their number.
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


def compact_heap(labels: Labels, heap: Heap, capacity: int) -> Heap:
    """Return the heap without obsolete entries, with capacity for ``capacity`` more."""
    used = heap[: int(labels.state[SIZE])]
    entries = used[labels.key[used[:, 1]] == used[:, 0]]
    # Sorted entries are a heap.
    entries = entries[np.lexsort((entries[:, 1], entries[:, 0]))]
    larger = np.empty((2 * len(entries) + capacity, 2), dtype=np.int64)
    larger[: len(entries)] = entries
    labels.state[SIZE] = len(entries)
    return larger
