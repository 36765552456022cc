"""Which places a profile can come to, and from which it can get back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.graph import BLOCKED, Graph, Metric, Subgraph
from bake.search.graph.connectivity import strong_components


@dataclass(frozen=True)
class Reach:
    """Reachability from some nodes.

    Attributes:
        reached: (n) bool, nodes that can be reached from a source.
        returns: (n) bool, nodes from which a source can be reached.
    """

    reached: BoolArray
    returns: BoolArray


def largest_part(graph: Graph) -> Int32Array:
    """(1) int32, a node of the largest strongly connected component; the first such one."""
    component, _ = strong_components(graph)
    largest = np.bincount(component).argmax()
    return np.flatnonzero(component == largest)[:1].astype(np.int32)


def reach(graph: Graph, source: Int32Array) -> Reach:
    """Follow arcs from the sources, both ways.

    Args:
        graph: at least one node.
        source: (k) int32 nodes, at least one.
    """
    back, _ = graph.reverse()
    return Reach(reached_from(graph, source), reached_from(back, source))


def reached_from(graph: Graph, source: Int32Array) -> BoolArray:
    """(r) bool, rows that can be reached from some of the sources; breadth first."""
    seen = np.zeros(graph.node_count, dtype=np.bool_)
    seen[source] = True
    front = source
    while len(front):
        begin = graph.first_out[front].astype(np.int64)
        count = graph.first_out[front + 1] - begin
        ends = np.cumsum(count)
        arc = np.arange(int(ends[-1])) + np.repeat(begin - (ends - count), count)
        head = graph.head[arc]
        front = np.unique(head[~seen[head]])
        seen[front] = True
    return seen


def opened_graph(graph: Graph, metric: Metric, sub: Subgraph, at_door: BoolArray) -> Graph:
    """A profile's graph as if all doors stood open.

    Args:
        graph: of all profiles.
        metric: the profile's.
        sub: the profile's part of the graph.
        at_door: (n) bool, nodes whose footprint covers a cell of a door.

    Returns:
        The rows of ``sub``, then nodes at doors where the profile cannot stand as they are; every
        arc that touches a door counts as open.
    """
    if not at_door.any():
        return sub.graph
    tail, head = graph.tail(), graph.head
    open_node = metric.passable | at_door
    usable = (metric.weight != BLOCKED) | at_door[tail] | at_door[head]
    usable &= open_node[tail] & open_node[head]
    extra = np.flatnonzero(at_door & ~metric.passable)
    row = np.full(graph.node_count, -1, dtype=np.int64)
    row[sub.node] = np.arange(len(sub.node))
    row[extra] = len(sub.node) + np.arange(len(extra))
    opened, _ = Graph.from_arcs(len(sub.node) + len(extra), row[tail[usable]], row[head[usable]])
    return opened


def patches(graph: Graph, chosen: BoolArray) -> list[Int64Array]:
    """The chosen rows in groups that hang together whichever way arcs lead, largest first."""
    tail = graph.tail()
    inside = chosen[tail] & chosen[graph.head]
    tails = np.concatenate([tail[inside], graph.head[inside]])
    heads = np.concatenate([graph.head[inside], tail[inside]])
    both, _ = Graph.from_arcs(graph.node_count, tails, heads)
    component, _ = strong_components(both)
    rows = np.flatnonzero(chosen)
    order = np.argsort(component[rows], kind="stable")
    label = component[rows][order]
    cuts = np.flatnonzero(np.diff(label)) + 1
    groups = [group for group in np.split(rows[order], cuts) if len(group)]
    return sorted(groups, key=lambda group: (-len(group), int(group[0])))
