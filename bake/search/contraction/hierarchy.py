"""A customizable contraction hierarchy: construction, updates and queries."""

from __future__ import annotations

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.core.graph import INFINITY, Graph
from bake.core.kernels.jit import allocating, kernel
from bake.search.contraction.metric import Prices, arc_between, customize, price_arcs
from bake.search.contraction.order import dissection_heights
from bake.search.contraction.query import (
    Chain,
    Chains,
    DistancesTo,
    QueryTree,
    allocate_chains,
    build_query_tree,
    clear_chains,
    distances,
)
from bake.search.contraction.sweep import LANES, sweep
from bake.search.contraction.tree import Tree, elimination_order, elimination_tree
from bake.search.contraction.update import Lower, lower_arcs, reprice

#: The largest number of arcs per node. Where contraction adds more, the graph has no small cuts,
#: and queries would take as long as a search.
# limit: flow fields answer in place of a hierarchy; lowered by contracted_changes
MOST_ARCS = 128

#: FEW arcs, plus one for every SHARE arcs of the hierarchy, are repriced one by one. For more arcs,
#: a full customization is faster.
# limit: all arcs are customized again; lowered by contractions
FEW, SHARE = 64, 100


class ContractionHierarchy:
    """A customizable contraction hierarchy of a graph; for one thread at a time.

    Attributes:
        query: the tree in the layout of queries; a change may replace it.
        chains: the buffers of queries.
        climbed: the average number of arcs that lead up from a node and its ancestors.
    """

    query: QueryTree
    chains: Chains

    def __init__(self, tree: Tree, prices: Prices) -> None:
        self._tree = tree
        self._lower: Lower | None = None
        self._prices, self._weights = prices, customize(tree, prices)
        self.query = build_query_tree(tree, self._weights)
        self.chains = allocate_chains(self.query)
        self._pair_buffers = *np.empty((2, 1), dtype=np.int32), np.empty(1, dtype=np.int64)
        self.climbed = _mean_climb(tree)

    @property
    def arc_count(self) -> int:
        """The number of arcs that a sweep reads."""
        return self._tree.arc_count

    @staticmethod
    def of(
        structure: Graph,
        at: Int32Array | None,
        graph: Graph,
        weight: Int32Array,
        height: UInt8Array | None = None,
    ) -> ContractionHierarchy | None:
        """Contract a graph and customize the hierarchy with its weights.

        Args:
            structure: an arc in both directions for every pair of nodes that an arc joins or may
                join later.
            at: (n, 2) int32 coordinates on a lattice, or None.
            graph, weight: the current arcs and their ticks; arcs of INFINITY and more are omitted.
            height: (n) uint8, the order of contraction, see elimination_order; None = computed by
                nested dissection.

        Returns:
            The hierarchy, or None if the graph has no small cuts.
        """
        if height is None:
            height = dissection_heights(structure, at)
        order = elimination_order(structure, height)
        most_arcs = MOST_ARCS * max(structure.node_count, MOST_ARCS)
        tree = elimination_tree(structure, order, most_arcs=most_arcs)
        if tree is None:
            return None
        prices = price_arcs(tree, graph, weight, two_way=False)
        if (prices.up == prices.down).all():
            prices = Prices(prices.up, prices.up)
        return ContractionHierarchy(tree, prices)

    def _customize(self, prices: Prices) -> None:
        self._prices = prices
        self._weights = customize(self._tree, prices)
        self.query = self.query._replace(up=self._weights.up, down=self._weights.down)

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self._tree.order)

    @property
    def two_way(self) -> bool:
        """Whether every arc has a reverse arc of the same weight, as far as known."""
        return self._prices.up is self._prices.down

    # -- changes ----------------------------------------------------------------------------------

    def reprice(self, tail: Int32Array, head: Int32Array, ticks: Int32Array) -> bool:
        """Change the weights of arcs.

        Args:
            tail, head: (k) int32 nodes, without duplicate pairs.
            ticks: (k) int32, the new weight of the cheapest arc between them; INFINITY for none.

        Returns:
            False if the structure does not join some pair; then nothing has changed.
        """
        if not len(tail):
            return True
        arc = np.empty(len(tail), dtype=np.int32)
        if not _find_arcs(self._tree, tail, head, arc):
            return False
        clear_chains(self.chains)
        rises = self.rank[tail] < self.rank[head]
        splits = self.two_way and not self._stays_two_way(arc, rises, ticks)
        if splits:
            self._prices = Prices(self._prices.up, self._prices.up.copy())
        if splits or len(tail) > FEW + self.arc_count // SHARE:
            self._prices.up[arc[rises]] = ticks[rises]
            self._prices.down[arc[~rises]] = ticks[~rises]
            self._customize(self._prices)
            return True
        if self._lower is None:
            self._lower = lower_arcs(self._tree)
        tree, lower, prices, weights = self._tree, self._lower, self._prices, self._weights
        if reprice(tree, lower, prices, weights, tail, head, ticks, self.two_way) < 0:
            self._customize(self._prices)
        return True

    def _stays_two_way(self, arc: Int32Array, rises: BoolArray, ticks: Int32Array) -> bool:
        """Return whether every arc keeps a reverse arc of the same weight under new weights.

        Args:
            arc, rises: (k) int32 arcs of the tree, and (k) bool, whether the graph's arc goes up.
            ticks: (k) int32, the new weights.
        """
        price, after = self._prices.up, []
        before = price[arc]
        for chosen in (rises, ~rises):
            price[arc[chosen]] = ticks[chosen]
            after.append(price[arc])
            price[arc] = before
        up, down = after
        return np.array_equal(up, down)

    def warm_up(self) -> None:
        """Compile or load the kernels of changes and queries."""
        if self._tree.arc_count:
            high = self._tree.up[:1]
            low = np.searchsorted(self._tree.first_up, 0, side="right") - 1
            ends = self._tree.order[[low]], self._tree.order[high]
            pairs = np.concatenate(ends), np.concatenate(ends[::-1])
            self.reprice(*pairs, np.array([self._prices.up[0], self._prices.down[0]], np.int32))
            self.distances(*ends)
            self.fields(ends[0])

    # -- queries ----------------------------------------------------------------------------------

    def distance(self, start: int, goal: int) -> int:
        """Return the ticks from one node to another; INFINITY where there is no path.

        >>> from bake.search.contraction.tree import both_ways
        >>> graph, order = Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]))
        >>> weight = np.array([5, 7], dtype=np.int32)[order]
        >>> hierarchy = ContractionHierarchy.of(both_ways(graph), None, graph, weight)
        >>> hierarchy.distance(0, 2)
        12
        """
        starts, goals, ticks = self._pair_buffers
        starts[0], goals[0] = self._tree.rank[start], self._tree.rank[goal]
        distances(*self.query, *self.chains, starts, goals, ticks)
        return int(ticks[0])

    def distances(self, starts: Int32Array, goals: Int32Array) -> Int64Array:
        """Return (k) int64 ticks from each start to its goal; INFINITY where there is no path."""
        rank, ticks = self._tree.rank, np.empty(len(starts), dtype=np.int64)
        distances(*self.query, *self.chains, rank[starts], rank[goals], ticks)
        return ticks

    def toward(self, start: int, goal: int) -> DistancesTo | None:
        """Return a lookup of the distances from any node to a goal; None if the start has no path.

        It is valid until the next query.
        """
        if self.distance(start, goal) >= INFINITY:
            return None
        state, lines, chain_of = self.chains
        chain = chain_of[self.rank[goal]]
        return DistancesTo(self.query, Chain(state[chain], *lines[chain]), self.rank)

    @property
    def rank(self) -> Int32Array:
        """(n) int32, the rank of each node."""
        return self._tree.rank

    def fields(self, goals: Int32Array) -> Int32Array:
        """Return (n, lanes) int32 ticks to each of at most LANES goals, by the rank of nodes.

        Entries are INFINITY where there is no path, and in lanes after the last goal.
        """
        lanes = LANES if len(goals) > LANES // 2 else LANES // 2
        dist = np.empty((len(self._tree.order), lanes), dtype=np.int32)
        sweep(self._tree, self._weights, self._tree.rank[goals], dist)
        return dist


@allocating
def _mean_climb(tree: Tree) -> float:
    """Return the average number of arcs that lead up from a node and its ancestors."""
    n = len(tree.order)
    ancestor_arcs = np.empty(n, dtype=np.int64)
    total = 0.0
    for rank in range(n - 1, -1, -1):
        ancestor_arcs[rank] = tree.first_up[rank + 1] - tree.first_up[rank]
        if tree.parent[rank] >= 0:
            ancestor_arcs[rank] += ancestor_arcs[tree.parent[rank]]
        total += ancestor_arcs[rank]
    return total / max(n, 1)


@kernel
def _find_arcs(tree: Tree, tail: Int32Array, head: Int32Array, arc: Int32Array) -> bool:
    """Write the arc of the tree between each tail and head; return False if one is missing."""
    for i in range(len(tail)):
        if max(tail[i], head[i]) >= len(tree.rank):
            return False
        a, b = tree.rank[tail[i]], tree.rank[head[i]]
        arc[i] = arc_between(tree, min(a, b), max(a, b))
        if arc[i] < 0:
            return False
    return True


#: The kernels that Python calls.
KERNELS = (_find_arcs, _mean_climb)
