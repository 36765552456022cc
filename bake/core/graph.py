"""The graph type of every world: compressed sparse rows, with costs stored separately.

Costs are integers ("ticks"), so every table is the same on every machine and equality needs no
tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bake.core.arrays import AnyArray, BoolArray, Int32Array, Int64Array, offsets

#: The weight of a blocked arc. In stored distances the same number means "no path". Kernels import
#: it from this module, since the digest of compiled code covers only files of this package; a test
#: compares it with :mod:`levelbake.steps`.
BLOCKED = np.int32(2**31 - 1)
UNREACHABLE = BLOCKED

#: The distance of unreached nodes inside kernels. Every distance stays below it, so that a distance
#: plus a weight, or plus another distance, never overflows int32.
# limit: a one-line error; tests/tables/test_limits.py
INFINITY = 2**30

#: The largest weight of one arc, so that a distance plus a weight never overflows int32.
# limit: a one-line error; tests/tables/test_limits.py
MAX_WEIGHT = 2**29

#: The default number of ticks in one unit of cost. 27720 is divisible by every number up to 12, so
#: costs such as 1.5 or 1/3 are exact, and 27720 * sqrt(2) = 39202 - 5e-5, so a diagonal is right to
#: 2e-9: ties between straight and diagonal detours are decided correctly on any map a game ships.
DEFAULT_TICKS_PER_UNIT = 27720


@dataclass(frozen=True)
class Graph:
    """A directed graph in compressed sparse rows.

    Arcs of node ``v`` are ``first_out[v]`` to ``first_out[v + 1]``; an arc's number within its node
    is its *slot*.

    >>> graph, _ = Graph.from_arcs(3, np.array([0, 0, 2]), np.array([1, 2, 0]))
    >>> graph.first_out.tolist(), graph.head.tolist()
    ([0, 2, 2, 3], [1, 2, 0])
    """

    first_out: Int32Array  #: (n + 1) int32, offsets into ``head``
    head: Int32Array  #: (m) int32, the head of each arc

    @property
    def node_count(self) -> int:
        return len(self.first_out) - 1

    @property
    def arc_count(self) -> int:
        return len(self.head)

    def out_degree(self) -> Int32Array:
        """Return (n) int32, the number of arcs out of each node."""
        return np.diff(self.first_out)

    def tail(self) -> Int32Array:
        """Return (m) int32, the tail of each arc."""
        return np.repeat(np.arange(self.node_count, dtype=np.int32), self.out_degree())

    @staticmethod
    def from_arcs(
        node_count: int, tail: npt.NDArray[np.integer], head: npt.NDArray[np.integer]
    ) -> tuple[Graph, Int64Array]:
        """Build a graph from arc lists; arcs of one node keep their order.

        Args:
            node_count: n.
            tail: (m) nodes in [0, n), which the arcs leave.
            head: (m) nodes in [0, n), which the arcs enter.

        Returns:
            The graph, and (m) int64, the index in the lists of each arc of the graph.
        """
        order = np.argsort(tail, kind="stable")
        first_out = offsets(np.bincount(tail, minlength=node_count))
        return Graph(first_out, head[order].astype(np.int32)), order

    def reverse(self) -> tuple[Graph, Int64Array]:
        """Return the reversed graph, and the original arc of each of its arcs."""
        return Graph.from_arcs(self.node_count, self.head, self.tail())


@dataclass(frozen=True)
class Metric:
    """The cost of each arc of a graph for one agent profile."""

    weight: Int32Array  #: (m) int32 ticks, in [1, MAX_WEIGHT] or BLOCKED
    passable: BoolArray  #: (n) bool, True where the profile can stand on a node
    ticks_per_unit: int  #: ticks in one unit of cost


class Arcs(NamedTuple):
    """A graph with its weights, as one argument of a kernel."""

    #: first_out, head: (n + 1), (m) int32, see :class:`Graph`
    first_out: Int32Array
    head: Int32Array
    weight: Int32Array  #: (m) int32 ticks

    @staticmethod
    def from_graph(graph: Graph, weight: Int32Array) -> Arcs:
        return Arcs(graph.first_out, graph.head, weight)


@dataclass(frozen=True)
class Subgraph:
    """The part of a graph that one profile can use, renumbered without gaps."""

    graph: Graph  #: the graph, whose nodes are rows
    weight: Int32Array  #: (m') int32 ticks, none of them BLOCKED
    node: Int32Array  #: (n') int32, the node of each row, ascending
    slot: Int32Array  #: (m') int32, each arc's slot within its node in the full graph

    @property
    def arcs(self) -> Arcs:
        return Arcs.from_graph(self.graph, self.weight)


def positions(nodes: AnyArray, count: int) -> Int32Array:
    """Return (count) int32, the index of each of ``count`` nodes in a list, or -1."""
    index = np.full(count, -1, dtype=np.int32)
    index[nodes] = np.arange(len(nodes), dtype=np.int32)
    return index


def usable_subgraph(graph: Graph, metric: Metric) -> Subgraph:
    """Return the passable nodes and unblocked arcs, in order."""
    node = np.flatnonzero(metric.passable).astype(np.int32)
    row = positions(node, graph.node_count)
    tail = graph.tail()
    arc = np.flatnonzero(metric.weight != BLOCKED)
    slot = (arc - graph.first_out[tail[arc]]).astype(np.int32)
    sub, order = Graph.from_arcs(len(node), row[tail[arc]], row[graph.head[arc]])
    return Subgraph(sub, metric.weight[arc][order], node, slot[order])


def lightest_arcs(graph: Graph, weight: Int32Array) -> Int64Array:
    """Return (k) int64, the unblocked arcs without parallel ones, ascending.

    Of parallel arcs the lightest counts, and of those of equal weight the first.

    Args:
        graph: a graph of n nodes and m arcs.
        weight: (m) int32 ticks.

    Raises:
        ValueError: the number of weights differs from the number of arcs.
    """
    if weight.shape != (graph.arc_count,):
        raise ValueError(f"{graph.arc_count} arcs need one weight each, not {weight.shape}")
    tail = graph.tail()
    order = np.lexsort((weight, graph.head, tail))  # A stable sort: equal arcs keep their order.
    order = order[weight[order] != BLOCKED]
    pair = np.stack([tail[order], graph.head[order]])
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = (pair[:, 1:] != pair[:, :-1]).any(axis=0)
    return np.sort(order[is_first])


def leads_back(graph: Graph, weight: Int32Array) -> bool:
    """Return whether between any two nodes the lightest arcs in both directions weigh the same.

    Args:
        graph: a graph of n nodes and m arcs.
        weight: (m) int32 ticks.
    """
    tail, head = graph.tail().astype(np.int64), graph.head.astype(np.int64)
    up, down = np.flatnonzero(tail < head), np.flatnonzero(tail > head)
    pair, ticks = _group_lightest(tail[up] * graph.node_count + head[up], weight[up])
    reverse_pair, reverse_ticks = _group_lightest(
        head[down] * graph.node_count + tail[down], weight[down]
    )
    return np.array_equal(pair, reverse_pair) and np.array_equal(ticks, reverse_ticks)


def _group_lightest(pair: Int64Array, weight: Int32Array) -> tuple[Int64Array, Int32Array]:
    """Return the distinct pairs, ascending, and the smallest weight of each."""
    order = np.argsort(pair, kind="stable")
    pair = pair[order]
    begin = np.flatnonzero(np.diff(pair, prepend=-1))
    return pair[begin], np.minimum.reduceat(weight[order], begin)
