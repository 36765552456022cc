"""One graph type for every world: compressed sparse rows, with the costs kept apart.

Costs are integers ("ticks"), so every table is the same on every machine and equality needs no
tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bake.arrays import BoolArray, Int32Array, Int64Array

#: Weight of an arc that may not be used. Also "no path" in every stored distance.
BLOCKED = np.int32(2**31 - 1)
UNREACHABLE = BLOCKED

#: "No path yet" inside kernels. Every distance stays below it, so that a distance plus a weight, or
#: two distances, never wrap in int32.
INFINITY = 2**30

#: Largest weight of one arc, so that a distance plus a weight never wraps in int32.
MAX_WEIGHT = 2**29

#: Default ticks in one unit of cost. 27720 is divisible by every number up to 12, so costs such as
#: 1.5 or 1/3 are exact, and 27720 * sqrt(2) = 39202 - 5e-5, so a diagonal is right to 2e-9:
#: ties between straight and diagonal detours are decided correctly on any map a game ships.
DEFAULT_TICKS_PER_UNIT = 27720


@dataclass(frozen=True)
class Graph:
    """A directed graph in compressed sparse rows.

    Arcs of node ``v`` are ``first_out[v]`` to ``first_out[v + 1]``; an arc's number within its node
    is its *slot*.

    Attributes:
        first_out: (n + 1) int32, offsets into ``head``.
        head: (m) int32, the node each arc leads to.
    """

    first_out: Int32Array
    head: Int32Array

    @property
    def node_count(self) -> int:
        return len(self.first_out) - 1

    @property
    def arc_count(self) -> int:
        return len(self.head)

    def out_degree(self) -> Int32Array:
        """(n) int32, arcs leaving each node."""
        return np.diff(self.first_out)

    def tail(self) -> Int32Array:
        """(m) int32, the node each arc leaves."""
        return np.repeat(np.arange(self.node_count, dtype=np.int32), self.out_degree())

    @staticmethod
    def from_arcs(
        node_count: int, tail: npt.NDArray[np.integer], head: npt.NDArray[np.integer]
    ) -> tuple[Graph, Int64Array]:
        """Build from arc lists; arcs of one node keep the order they were given in.

        Args:
            node_count: n.
            tail: (m) nodes in [0, n).
            head: (m) nodes in [0, n).

        Returns:
            The graph, and (m) int64: the given arc behind each arc of the graph.
        """
        order = np.argsort(tail, kind="stable")
        first_out = np.zeros(node_count + 1, dtype=np.int32)
        np.cumsum(np.bincount(tail, minlength=node_count), out=first_out[1:])
        return Graph(first_out, head[order].astype(np.int32)), order

    def reverse(self) -> tuple[Graph, Int64Array]:
        """The graph with every arc turned round, and the arc behind each of its arcs."""
        return Graph.from_arcs(self.node_count, self.head, self.tail())


@dataclass(frozen=True)
class Metric:
    """What moving costs one agent profile on a graph.

    Attributes:
        weight: (m) int32 ticks, in [1, MAX_WEIGHT] or BLOCKED.
        passable: (n) bool, nodes the profile can stand on.
        ticks_per_unit: ticks in one unit of cost.
    """

    weight: Int32Array
    passable: BoolArray
    ticks_per_unit: int


class Arcs(NamedTuple):
    """A graph with its weights as kernels take it, whole.

    Attributes:
        first_out, head: (n + 1), (m) int32, see :class:`Graph`.
        weight: (m) int32 ticks.
    """

    first_out: Int32Array
    head: Int32Array
    weight: Int32Array

    @staticmethod
    def of(graph: Graph, weight: Int32Array) -> Arcs:
        return Arcs(graph.first_out, graph.head, weight)


@dataclass(frozen=True)
class Subgraph:
    """The part of a graph one profile can use, numbered without gaps.

    Attributes:
        graph: rows as nodes.
        weight: (m') int32 ticks, no BLOCKED.
        node: (n') int32, the node behind each row, ascending.
        slot: (m') int32, each arc's slot within its node in the full graph.
    """

    graph: Graph
    weight: Int32Array
    node: Int32Array
    slot: Int32Array

    @property
    def arcs(self) -> Arcs:
        return Arcs.of(self.graph, self.weight)


def usable_subgraph(graph: Graph, metric: Metric) -> Subgraph:
    """Keep passable nodes and unblocked arcs, in order."""
    node = np.flatnonzero(metric.passable).astype(np.int32)
    row = np.full(graph.node_count, -1, dtype=np.int32)
    row[node] = np.arange(len(node), dtype=np.int32)
    tail = graph.tail()
    keep = np.flatnonzero(metric.weight != BLOCKED)
    slot = (keep - graph.first_out[tail[keep]]).astype(np.int32)
    sub, order = Graph.from_arcs(len(node), row[tail[keep]], row[graph.head[keep]])
    return Subgraph(sub, metric.weight[keep][order], node, slot[order])


def lightest_arcs(graph: Graph, weight: Int32Array) -> Int64Array:
    """(k) int64 arcs that are not blocked, ascending; of parallel ones the lightest, or the first.

    Args:
        graph: n nodes, m arcs.
        weight: (m) int32 ticks.

    Raises:
        ValueError: there is not one weight for each arc.
    """
    if weight.shape != (graph.arc_count,):
        raise ValueError(f"{graph.arc_count} arcs need as many weights, not {weight.shape}")
    tail = graph.tail()
    order = np.lexsort((weight, graph.head, tail))  # stable, so equals stay in order
    order = order[weight[order] != BLOCKED]
    pair = np.stack([tail[order], graph.head[order]])
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (pair[:, 1:] != pair[:, :-1]).any(axis=0)
    return np.sort(order[new])
