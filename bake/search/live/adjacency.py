"""Arcs that may be repriced and added to while others still read them as they were.

Every node's arcs are one piece of a pool. A new price makes a new array of weights; a new arc moves
its node's piece to the end of the pool, where no earlier version looks. So a version, once made,
never changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array, UInt32Array
from bake.graph import BLOCKED, Graph
from bake.kernels.jit import kernel
from bake.search.graph.successors import ALL, MASK_BITS

_FAR = np.int32(2**31 - 1)


@kernel
def _find_arcs(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    label: Int32Array,
    tails: Int32Array,
    heads: Int32Array,
    labels: Int32Array,
    found: Int32Array,
) -> None:
    for place in range(len(tails)):
        found[place] = -1
        node = tails[place]
        for arc in range(begin[node], end[node]):
            if to[arc] == heads[place] and label[arc] == labels[place]:
                found[place] = arc
                break


@kernel
def _mask_rows(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    rows: Int32Array,
    one: Int32Array,
    two: Int32Array,
    masks: UInt32Array,
) -> None:
    """The successor masks of some rows; arcs that are blocked are left out."""
    for place in range(len(rows)):
        p = rows[place]
        one[p] = 0
        for arc in range(begin[p], end[p]):
            if weight[arc] == BLOCKED:
                continue
            u = to[arc]
            one[u] = min(one[u], weight[arc])
            for onward in range(begin[u], end[u]):
                if weight[onward] != BLOCKED:
                    both = np.int32(weight[arc] + weight[onward])
                    two[to[onward]] = min(two[to[onward]], both)
        for arc in range(begin[p], end[p]):
            u = to[arc]
            start = begin[u]
            mask = np.uint32(0)
            if end[u] - start > MASK_BITS or weight[arc] == BLOCKED:
                mask = ALL
            else:
                for onward in range(start, end[u]):
                    if weight[onward] == BLOCKED:
                        continue
                    both = np.int32(weight[arc] + weight[onward])
                    if one[to[onward]] > both and two[to[onward]] >= both:
                        mask |= np.uint32(1) << np.uint32(onward - start)
            masks[arc] = mask
        for arc in range(begin[p], end[p]):
            u = to[arc]
            one[u] = _FAR
            for onward in range(begin[u], end[u]):
                two[to[onward]] = _FAR
        one[p] = _FAR


@kernel
def _compact(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    first_out: Int32Array,
    head: Int32Array,
    cost: Int32Array,
) -> int:
    """Write the arcs that are not blocked one after another; returns how many there are."""
    count = 0
    first_out[0] = 0
    for node in range(len(begin)):
        for arc in range(begin[node], end[node]):
            if weight[arc] != BLOCKED:
                head[count] = to[arc]
                cost[count] = weight[arc]
                count += 1
        first_out[node + 1] = count
    return count


@dataclass(frozen=True)
class Adjacency:
    """Arcs by the node a search takes them from.

    Attributes:
        begin, end: (r) int32, each node's piece of the pool.
        to: (p) int32, the node at the other end.
        weight: (p) int32 ticks, BLOCKED where it may not be taken.
        label: (p) int32, what tells parallel arcs apart.
        masks: (p) uint32, see :mod:`bake.search.graph.successors`.
        used: how much of the pool is taken.
    """

    begin: Int32Array
    end: Int32Array
    to: Int32Array
    weight: Int32Array
    label: Int32Array
    masks: UInt32Array
    used: int

    @staticmethod
    def of(graph: Graph, weight: Int32Array, label: Int32Array) -> Adjacency:
        """The arcs of a graph, with room for some more; masks are made by :meth:`masked`."""
        count = graph.arc_count
        room = count + count // 8 + 256

        def pool(values: Int32Array) -> Int32Array:
            spread = np.zeros(room, dtype=np.int32)
            spread[:count] = values
            return spread

        return Adjacency(
            graph.first_out[:-1].copy(),
            graph.first_out[1:].copy(),
            pool(graph.head),
            pool(weight),
            pool(label),
            np.full(room, ALL, dtype=np.uint32),
            count,
        )

    @property
    def row_count(self) -> int:
        return len(self.begin)

    def find(self, tails: Int32Array, heads: Int32Array, labels: Int32Array) -> Int32Array:
        """(k) int32, the place of each arc in the pool; -1 where there is none."""
        found = np.empty(len(tails), dtype=np.int32)
        _find_arcs(self.begin, self.end, self.to, self.label, tails, heads, labels, found)
        return found

    def edited(
        self,
        row_count: int,
        tails: Int32Array,
        heads: Int32Array,
        labels: Int32Array,
        weights: Int32Array,
    ) -> Adjacency:
        """A version with these weights; arcs it did not have are added.

        Args:
            row_count: nodes of the new version, at least as many as before.
            tails, heads, labels, weights: (k) int32, each arc once.
        """
        begin, end = self.begin, self.end
        if row_count > len(begin):
            more = np.full(row_count - len(begin), self.used, dtype=np.int32)
            begin, end = np.concatenate([begin, more]), np.concatenate([end, more])
        to, label, used = self.to, self.label, self.used
        weight, masks = self.weight.copy(), self.masks.copy()
        found = np.empty(len(tails), dtype=np.int32)
        _find_arcs(begin, end, to, label, tails, heads, labels, found)
        here = found >= 0
        weight[found[here]] = weights[here]
        missing = np.flatnonzero(~here)
        if len(missing):
            begin, end = begin.copy(), end.copy()
            order = missing[np.argsort(tails[missing], kind="stable")]
            nodes, first = np.unique(tails[order], return_index=True)
            needed = int((end[nodes] - begin[nodes]).sum()) + len(order)
            if used + needed > len(to):
                room = len(to) + len(to) // 2 + needed
                to, weight, label, masks = (
                    np.concatenate([pool, np.zeros(room - len(pool), dtype=pool.dtype)])
                    for pool in (to, weight, label, masks)
                )
            for node, added in zip(nodes.tolist(), np.split(order, first[1:]), strict=True):
                size = int(end[node] - begin[node])
                old, new = slice(begin[node], end[node]), slice(used, used + size)
                tail = slice(used + size, used + size + len(added))
                for pool, values in ((to, heads), (weight, weights), (label, labels)):
                    pool[new] = pool[old]
                    pool[tail] = values[added]
                masks[new.start : tail.stop] = ALL
                begin[node], end[node] = used, tail.stop
                used = tail.stop
        return Adjacency(begin, end, to, weight, label, masks, used)

    def mask(self, rows: Int32Array) -> None:
        """Work out the masks of some rows' arcs, in place: before anyone else reads them."""
        far = np.full((2, self.row_count), _FAR, dtype=np.int32)
        _mask_rows(self.begin, self.end, self.to, self.weight, rows, far[0], far[1], self.masks)

    def neighbours(self, rows: Int32Array) -> Int32Array:
        """Nodes at the other end of the rows' arcs, and the rows themselves; each once."""
        pieces = [self.to[self.begin[row] : self.end[row]] for row in rows.tolist()]
        return np.unique(np.concatenate([rows, *pieces])).astype(np.int32)

    def compact(self) -> tuple[Graph, Int32Array]:
        """The arcs that may be taken, as a graph and its weights."""
        first_out = np.empty(self.row_count + 1, dtype=np.int32)
        head, cost = np.empty((2, self.used), dtype=np.int32)
        count = _compact(self.begin, self.end, self.to, self.weight, first_out, head, cost)
        return Graph(first_out, head[:count]), cost[:count]
