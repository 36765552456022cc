"""Change a profile's graph, version by version, while others still read an earlier one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt32Array, offsets
from bake.core.graph import BLOCKED, UNREACHABLE, Graph
from bake.core.kernels.jit import kernel, ready
from bake.search.graph.label_correcting import ALL, SearchArcs, mask_arcs, shift_for


@kernel
def _find_arcs(
    arcs: SearchArcs,
    key: Int32Array,
    tails: Int32Array,
    heads: Int32Array,
    keys: Int32Array,
    found: Int32Array,
) -> None:
    """Write the index of each arc (tail, head, key) into ``found`` (k); -1 where there is none."""
    begin, end, to = arcs.begin, arcs.end, arcs.to
    for i in range(len(tails)):
        found[i] = -1
        node = tails[i]
        if 0 <= node < len(begin):
            for arc in range(begin[node], end[node]):
                if to[arc] == heads[i] and key[arc] == keys[i]:
                    found[i] = arc
                    break


def positions(begin: Int32Array, end: Int32Array) -> Int64Array:
    """List the numbers from each beginning up to its end, one after another, as int64."""
    count = (end - begin).astype(np.int64)
    place: Int64Array = np.arange(int(count.sum()), dtype=np.int64)
    place += np.repeat(begin - (np.cumsum(count) - count), count)
    return place


@dataclass(frozen=True)
class Adjacency:
    """One version of the arcs into each node, or of the arcs out of each node.

    Every node's arcs are one piece of a pool. A new price makes a new array of weights; a new arc
    makes a new pool, at the end of which its node's piece lies. So a version, once made, never
    changes, however many are made of it.

    Attributes:
        begin, end: (r) int32, each node's piece of the pool.
        to, weight, masks: (p), see :class:`bake.search.graph.label_correcting.SearchArcs`.
        key: (p) int32, what tells parallel arcs apart; each node's arcs come in the order of it.
    """

    begin: Int32Array
    end: Int32Array
    to: Int32Array
    weight: Int32Array
    key: Int32Array
    masks: UInt32Array

    @staticmethod
    def of(graph: Graph, weight: Int32Array, key: Int32Array) -> Adjacency:
        """Lay out the arcs of a graph; :meth:`mask` makes their masks."""
        return Adjacency(
            graph.first_out[:-1].copy(),
            graph.first_out[1:].copy(),
            graph.head.copy(),
            weight.copy(),
            key.copy(),
            np.full(graph.arc_count, ALL, dtype=np.uint32),
        )

    @property
    def arcs(self) -> SearchArcs:
        return SearchArcs(self.begin, self.end, self.to, self.weight, self.masks)

    @property
    def row_count(self) -> int:
        return len(self.begin)

    def weights(self, tails: Int32Array, heads: Int32Array, keys: Int32Array) -> Int32Array:
        """Return (k) int32 weights of arcs; BLOCKED where there is none.

        Args:
            tails, heads: (k) int32 nodes; numbers below 0 and of no node are no ends of an arc.
            keys: (k) int32, what tells parallel arcs apart.
        """
        found = self.find(tails, heads, keys)
        weight = np.full(len(found), BLOCKED, dtype=np.int32)
        weight[found >= 0] = self.weight[found[found >= 0]]
        return weight

    def find(self, tails: Int32Array, heads: Int32Array, keys: Int32Array) -> Int32Array:
        """Return (k) int32, where each arc lies in the pool; -1 where there is none.

        Args:
            tails, heads, keys: (k) int32; numbers of no node are no ends of an arc.
        """
        found = np.empty(len(tails), dtype=np.int32)
        _find_arcs(self.arcs, self.key, tails, heads, keys, found)
        return found

    def edited(
        self,
        row_count: int,
        tails: Int32Array,
        heads: Int32Array,
        keys: Int32Array,
        weights: Int32Array,
        *,
        masked: bool = True,
    ) -> Adjacency:
        """Make a version with these weights; arcs that the graph did not have are added.

        Args:
            row_count: nodes of the new version, at least as many as before.
            tails, heads, keys, weights: (k) int32, each arc once.
            masked: whether the version needs masks of its own, which :meth:`mask` is to make.
                Otherwise it has those of this one, and nobody may search by them.
        """
        begin, end = self.begin, self.end
        to, key, weight, masks = self.to, self.key, self.weight.copy(), self.masks
        if row_count > len(begin):
            more = np.full(row_count - len(begin), len(to), dtype=np.int32)
            begin, end = np.concatenate([begin, more]), np.concatenate([end, more])
        if masked:
            masks = masks.copy()
        found = np.empty(len(tails), dtype=np.int32)
        _find_arcs(SearchArcs(begin, end, to, weight, masks), key, tails, heads, keys, found)
        here = found >= 0
        weight[found[here]] = weights[here]
        missing = np.flatnonzero(~here)
        if len(missing):
            begin, end = begin.copy(), end.copy()
            nodes, count = np.unique(tails[missing], return_counts=True)
            # Each node's piece with what is new of it, in the order of keys.
            moved, size = positions(begin[nodes], end[nodes]), end[nodes] - begin[nodes]
            node = np.concatenate([np.repeat(nodes, size), tails[missing]])
            order = np.lexsort((np.concatenate([key[moved], keys[missing]]), node))
            to, weight, key, masks = (
                np.concatenate([pool, np.concatenate([pool[moved], new])[order]])
                for pool, new in (
                    (to, heads[missing]),
                    (weight, weights[missing]),
                    (key, keys[missing]),
                    (masks, np.full(len(missing), ALL)),
                )
            )
            size = size + count
            end[nodes] = len(self.to) + np.cumsum(size)
            begin[nodes] = end[nodes] - size
            if masked:
                masks[len(self.to) :] = ALL
        return Adjacency(begin, end, to, weight, key, masks)

    def mask(self, rows: Int32Array) -> None:
        """Work out the masks of some rows' arcs, before any other thread reads them."""
        one, two = np.full((2, self.row_count), UNREACHABLE, dtype=np.int32)
        mask_arcs(self.arcs, rows, one, two)

    def neighbours(self, rows: Int32Array) -> Int32Array:
        """List the nodes at the other end of the rows' arcs, and the rows themselves, each once."""
        pieces = [self.to[self.begin[row] : self.end[row]] for row in rows.tolist()]
        return np.unique(np.concatenate([rows, *pieces])).astype(np.int32)

    def compact(self) -> tuple[Graph, Int32Array]:
        """Lay out the arcs that may be taken as a graph and its weights."""
        arc = positions(self.begin, self.end)
        usable = self.weight[arc] != BLOCKED
        tail = np.repeat(np.arange(self.row_count), self.end - self.begin)[usable]
        first_out = offsets(np.bincount(tail, minlength=self.row_count))
        return Graph(first_out, self.to[arc[usable]]), self.weight[arc[usable]]


@dataclass(frozen=True)
class LiveGraph:
    """One version of a profile's graph.

    Attributes:
        out, into: arcs by tail and by head.
        shift: log2 of the width of a bucket in ticks.
        heaviest: at least the largest weight.
    """

    out: Adjacency
    into: Adjacency
    shift: int
    heaviest: int

    @staticmethod
    def of(graph: Graph, weight: Int32Array, key: Int32Array) -> LiveGraph:
        """Make the first version.

        Args:
            graph: n nodes.
            weight: (m) int32 ticks, BLOCKED where an arc may not be taken now.
            key: (m) int32, what tells parallel arcs apart.
        """
        backward, order = graph.reverse()
        out = Adjacency.of(graph, weight, key)
        into = Adjacency.of(backward, weight[order], key[order])
        usable = weight[weight != BLOCKED]
        heaviest = int(usable.max(initial=1))
        every = np.arange(graph.node_count, dtype=np.int32)
        if ready(mask_arcs):
            into.mask(every)
            out.mask(every)
        return LiveGraph(out, into, shift_for(usable), heaviest)

    @property
    def row_count(self) -> int:
        return self.out.row_count

    def edited(
        self,
        row_count: int,
        tails: Int32Array,
        heads: Int32Array,
        keys: Int32Array,
        weights: Int32Array,
    ) -> LiveGraph:
        """Make a version with these weights: see :meth:`Adjacency.edited`."""
        out = self.out.edited(row_count, tails, heads, keys, weights)
        into = self.into.edited(row_count, heads, tails, keys, weights)
        if ready(mask_arcs):
            near = np.unique(np.concatenate([tails, heads])).astype(np.int32)
            into.mask(out.neighbours(near))
            out.mask(into.neighbours(near))
        usable = weights[weights != BLOCKED]
        heaviest = max(self.heaviest, int(usable.max(initial=0)))
        return LiveGraph(out, into, self.shift, heaviest)


#: The kernels that Python calls.
KERNELS = (_find_arcs,)
