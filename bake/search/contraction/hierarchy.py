"""A contracted graph whose weights change: built, kept up to date and asked in one place."""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.graph import INFINITY, Graph
from bake.kernels.jit import allocating, kernel
from bake.search.contraction.metric import Prices, arc_between, customize, price_arcs
from bake.search.contraction.order import dissection_heights
from bake.search.contraction.query import (
    Chain,
    Chains,
    DistancesTo,
    QueryTree,
    chains_for,
    distances,
    forget,
    query_tree,
)
from bake.search.contraction.sweep import LANES, sweep
from bake.search.contraction.tree import Tree, elimination_order, elimination_tree
from bake.search.contraction.update import Lower, lower_arcs, reprice

#: The most arcs for each node. Where contraction adds more, the graph has no small cuts, and its
#: queries would take as long as a search.
# limit: flow fields answer in place of a hierarchy; lowered by contracted_changes
MOST_ARCS = 128

#: So many arcs, and one more for so many arcs of the hierarchy, are repriced one by one. With more
#: of them it takes less time to customize everything.
# limit: all arcs are customized again; lowered by contractions
FEW, SHARE = 64, 100


class ContractionHierarchy:
    """A customizable contraction hierarchy; one thread at a time may use it.

    Attributes:
        query: the tree as queries read it; a change may replace it.
        chains: the memory of queries.
        climbed: how many arcs lead up from the nodes on the way to a root, on average.
    """

    query: QueryTree
    chains: Chains

    def __init__(self, tree: Tree, prices: Prices) -> None:
        self._tree = tree
        self._lower: Lower | None = None
        self._prices, self._weights = prices, customize(tree, prices)
        self.query = query_tree(tree, self._weights)
        self.chains = chains_for(self.query)
        self._one = *np.empty((2, 1), dtype=np.int32), np.empty(1, dtype=np.int64)
        self.climbed = _mean_climb(tree)

    @property
    def arc_count(self) -> int:
        """Return how many arcs a sweep looks at."""
        return self._tree.arc_count

    @staticmethod
    def of(
        structure: Graph,
        at: Int32Array | None,
        graph: Graph,
        weight: Int32Array,
        height: UInt8Array | None = None,
    ) -> ContractionHierarchy | None:
        """Contract a graph, and give its arcs their weights.

        Args:
            structure: every pair of nodes that an arc joins or may ever join, in both directions.
            at: (n, 2) int32 coordinates on a lattice, or None.
            graph, weight: the arcs there are now, and their ticks; those of INFINITY and more are
                left out.
            height: (n) uint8, which nodes are contracted first, see elimination_order; None = as
                a dissection says.

        Returns:
            The hierarchy, or None where the graph has no small cuts.
        """
        if height is None:
            height = dissection_heights(structure, at)
        order = elimination_order(structure, height)
        most = MOST_ARCS * max(structure.node_count, MOST_ARCS)
        tree = elimination_tree(structure, order, most_arcs=most)
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
        """Return how many nodes there are."""
        return len(self._tree.order)

    @property
    def two_way(self) -> bool:
        """Tell whether every arc leads back at the same weight, so far."""
        return self._prices.up is self._prices.down

    # -- changes ----------------------------------------------------------------------------------

    def reprice(self, tail: Int32Array, head: Int32Array, ticks: Int32Array) -> bool:
        """Give arcs new weights.

        Args:
            tail, head: (k) int32 nodes, each pair once.
            ticks: (k) int32, what the cheapest arc between them weighs; INFINITY for none.

        Returns:
            False where there is a pair that the structure does not join; then nothing has changed.
        """
        if not len(tail):
            return True
        arc = np.empty(len(tail), dtype=np.int32)
        if not _find_arcs(self._tree, tail, head, arc):
            return False
        forget(self.chains)
        rises = self.rank[tail] < self.rank[head]
        parts = self.two_way and not self._stays_two_way(arc, rises, ticks)
        if parts:
            self._prices = Prices(self._prices.up, self._prices.up.copy())
        if parts or len(tail) > FEW + self.arc_count // SHARE:
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
        """Tell whether every arc still leads back at the same weight, if some have new ones.

        Args:
            arc: (k) int32 arcs of the tree; rises: (k) bool, whether the graph's leads up it.
            ticks: (k) int32, its new weight.
        """
        price, after = self._prices.up, []
        before = price[arc]
        for some in (rises, ~rises):
            price[arc[some]] = ticks[some]
            after.append(price[arc])
            price[arc] = before
        up, down = after
        return np.array_equal(up, down)

    def warm_up(self) -> None:
        """Compile or load the kernels of changes and questions."""
        if self._tree.arc_count:
            high = self._tree.up[:1]
            low = np.searchsorted(self._tree.first_up, 0, side="right") - 1
            ends = self._tree.order[[low]], self._tree.order[high]
            both = np.concatenate(ends), np.concatenate(ends[::-1])
            self.reprice(*both, np.array([self._prices.up[0], self._prices.down[0]], np.int32))
            self.distances(*ends)
            self.fields(ends[0])

    # -- questions --------------------------------------------------------------------------------

    def distance(self, start: int, goal: int) -> int:
        """Return the ticks from one node to another; INFINITY where there is no way."""
        starts, goals, ticks = self._one
        starts[0], goals[0] = self._tree.rank[start], self._tree.rank[goal]
        distances(*self.query, *self.chains, starts, goals, ticks)
        return int(ticks[0])

    def distances(self, starts: Int32Array, goals: Int32Array) -> Int64Array:
        """Return (k) int64 ticks between as many starts as goals; INFINITY where no way is."""
        rank, ticks = self._tree.rank, np.empty(len(starts), dtype=np.int64)
        distances(*self.query, *self.chains, rank[starts], rank[goals], ticks)
        return ticks

    def toward(self, start: int, goal: int) -> DistancesTo | None:
        """Return what tells the distance of every node to a goal; None where the start has no way.

        It is worth nothing any more once another question is asked.
        """
        if self.distance(start, goal) >= INFINITY:
            return None
        state, lines, chain_of = self.chains
        which = chain_of[self.rank[goal]]
        return DistancesTo(self.query, Chain(state[which], *lines[which]), self.rank)

    @property
    def rank(self) -> Int32Array:
        """Return (n) int32, the rank of each node."""
        return self._tree.rank

    def fields(self, goals: Int32Array) -> Int32Array:
        """Return (n, lanes) int32 ticks to each of at most LANES goals, by the rank of nodes.

        INFINITY stands where there is no path, and in lanes beyond the goals.
        """
        lanes = LANES if len(goals) > LANES // 2 else LANES // 2
        dist = np.empty((len(self._tree.order), lanes), dtype=np.int32)
        sweep(self._tree, self._weights, self._tree.rank[goals], dist)
        return dist


@allocating
def _mean_climb(tree: Tree) -> float:
    """Return how many arcs lead up from the nodes on the way to a root, on average."""
    n = len(tree.order)
    on_way = np.empty(n, dtype=np.int64)
    total = 0.0
    for rank in range(n - 1, -1, -1):
        on_way[rank] = tree.first_up[rank + 1] - tree.first_up[rank]
        if tree.parent[rank] >= 0:
            on_way[rank] += on_way[tree.parent[rank]]
        total += on_way[rank]
    return total / max(n, 1)


@kernel
def _find_arcs(tree: Tree, tail: Int32Array, head: Int32Array, found: Int32Array) -> bool:
    """Write the arc of the tree between each tail and head; False where there is none."""
    for i in range(len(tail)):
        if max(tail[i], head[i]) >= len(tree.rank):
            return False
        a, b = tree.rank[tail[i]], tree.rank[head[i]]
        found[i] = arc_between(tree, min(a, b), max(a, b))
        if found[i] < 0:
            return False
    return True


#: The kernels that Python calls.
KERNELS = (_find_arcs, _mean_climb)
