"""Define one graph type for every world: compressed sparse rows, apart from the costs.

Costs are integers ("ticks"), so every table is the same on every machine and equality needs no
tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, BoolArray, Int32Array, Int64Array, offsets

#: The weight of an arc that may not be used. In stored distances the same number means "no path".
#: Kernels take these from here, as the digest of what is compiled counts the files of this package
#: alone; a test holds them to those of :mod:`levelbake.steps`.
BLOCKED = np.int32(2**31 - 1)
UNREACHABLE = BLOCKED

#: The distance inside kernels where there is no path yet. Every distance stays below it, so that a
#: distance plus a weight, or plus another distance, never wraps in int32.
# limit: a one-line error; tests/tables/test_limits.py
INFINITY = 2**30

#: The largest weight of one arc, so that a distance plus a weight never wraps in int32.
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
    """

    first_out: Int32Array  #: (n + 1) int32, offsets into ``head``
    head: Int32Array  #: (m) int32, the node each arc leads to

    @property
    def node_count(self) -> int:
        return len(self.first_out) - 1

    @property
    def arc_count(self) -> int:
        return len(self.head)

    def out_degree(self) -> Int32Array:
        """Return (n) int32, how many arcs leave each node."""
        return np.diff(self.first_out)

    def tail(self) -> Int32Array:
        """Return (m) int32, the node each arc leaves."""
        return np.repeat(np.arange(self.node_count, dtype=np.int32), self.out_degree())

    @staticmethod
    def from_arcs(
        node_count: int, tail: npt.NDArray[np.integer], head: npt.NDArray[np.integer]
    ) -> tuple[Graph, Int64Array]:
        """Build a graph from arc lists; arcs of one node keep the order they were given in.

        Args:
            node_count: n.
            tail: (m) nodes in [0, n), which the arcs leave.
            head: (m) nodes in [0, n), which they lead to.

        Returns:
            The graph, and (m) int64, the index of the given arc that became each arc of the graph.
        """
        order = np.argsort(tail, kind="stable")
        first_out = offsets(np.bincount(tail, minlength=node_count))
        return Graph(first_out, head[order].astype(np.int32)), order

    def reverse(self) -> tuple[Graph, Int64Array]:
        """Return the graph with all arcs turned round, and the arc that became each of its arcs."""
        return Graph.from_arcs(self.node_count, self.head, self.tail())


@dataclass(frozen=True)
class Metric:
    """What the arcs of a graph cost one agent profile."""

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
    def of(graph: Graph, weight: Int32Array) -> Arcs:
        return Arcs(graph.first_out, graph.head, weight)


@dataclass(frozen=True)
class Subgraph:
    """The part of a graph one profile can use, numbered without gaps."""

    graph: Graph  #: the graph, whose nodes are rows
    weight: Int32Array  #: (m') int32 ticks, none of them BLOCKED
    node: Int32Array  #: (n') int32, the node of each row, ascending
    slot: Int32Array  #: (m') int32, each arc's slot within its node in the full graph

    @property
    def arcs(self) -> Arcs:
        return Arcs.of(self.graph, self.weight)


def positions(nodes: AnyArray, count: int) -> Int32Array:
    """Return (count) int32, the position of each of (count) nodes in a list; -1 of the others."""
    found = np.full(count, -1, dtype=np.int32)
    found[nodes] = np.arange(len(nodes), dtype=np.int32)
    return found


def usable_subgraph(graph: Graph, metric: Metric) -> Subgraph:
    """Keep passable nodes and unblocked arcs, in order."""
    node = np.flatnonzero(metric.passable).astype(np.int32)
    row = positions(node, graph.node_count)
    tail = graph.tail()
    keep = np.flatnonzero(metric.weight != BLOCKED)
    slot = (keep - graph.first_out[tail[keep]]).astype(np.int32)
    sub, order = Graph.from_arcs(len(node), row[tail[keep]], row[graph.head[keep]])
    return Subgraph(sub, metric.weight[keep][order], node, slot[order])


def lightest_arcs(graph: Graph, weight: Int32Array) -> Int64Array:
    """Return (k) int64, arcs that are not blocked, ascending, and one of several parallel ones.

    Of parallel arcs this is the lightest, and of those of equal weight the first.

    Args:
        graph: a graph of n nodes and m arcs.
        weight: (m) int32 ticks.

    Raises:
        ValueError: there are more or fewer weights than arcs.
    """
    if weight.shape != (graph.arc_count,):
        raise ValueError(f"{graph.arc_count} arcs need as many weights, not {weight.shape}")
    tail = graph.tail()
    order = np.lexsort((weight, graph.head, tail))  # A stable sort keeps equals in order.
    order = order[weight[order] != BLOCKED]
    pair = np.stack([tail[order], graph.head[order]])
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (pair[:, 1:] != pair[:, :-1]).any(axis=0)
    return np.sort(order[new])


def leads_back(graph: Graph, weight: Int32Array) -> bool:
    """Tell whether between any two nodes the lightest arcs there and back weigh the same.

    Args:
        graph: a graph of n nodes and m arcs.
        weight: (m) int32 ticks.
    """
    tail, head = graph.tail().astype(np.int64), graph.head.astype(np.int64)
    up, down = np.flatnonzero(tail < head), np.flatnonzero(tail > head)
    pair, there = _lightest_of(tail[up] * graph.node_count + head[up], weight[up])
    turned, back = _lightest_of(head[down] * graph.node_count + tail[down], weight[down])
    return np.array_equal(pair, turned) and np.array_equal(there, back)


def _lightest_of(pair: Int64Array, weight: Int32Array) -> tuple[Int64Array, Int32Array]:
    """Return the numbers of pairs, ascending, each once, and the least weight of each."""
    order = np.argsort(pair, kind="stable")
    pair = pair[order]
    begin = np.flatnonzero(np.diff(pair, prepend=-1))
    return pair[begin], np.minimum.reduceat(weight[order], begin)
