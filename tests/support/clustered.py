"""Small graphs divided into clusters, laid out for kernels in plain Python."""

from collections.abc import Sequence

import networkx
import numpy as np

from bake.core.arrays import Int32Array
from bake.search.hierarchy.bundles import NO_GRAPH, ClusteredGraph, LayerStack, Members, QueryMemory
from tests.support.strategies import Arc

#: Ticks of an arc that may not be taken.
SHUT = -1


def divided(label: Sequence[int], arcs: Sequence[Arc]) -> tuple[ClusteredGraph, Members]:
    """A graph and the nodes of its clusters.

    Args:
        label: cluster of every node, -1 for none.
        arcs: (tail, head, ticks), those of a node in the order of their slots; SHUT arcs keep
            theirs.
    """
    nodes = range(len(label))
    of_tail = [[(head, ticks) for tail, head, ticks in arcs if tail == node] for node in nodes]
    order = [arc for each in of_tail for arc in each]
    end = np.cumsum([len(each) for each in of_tail], dtype=np.int64)
    parts = range(max(label, default=-1) + 1)
    clusters = [[node for node in nodes if label[node] == part] for part in parts]
    rank = {node: place for each in clusters for place, node in enumerate(each)}
    rows = [
        (label[node], rank.get(node, 0), last - len(of_tail[node]), last)
        for node, last in zip(nodes, end.tolist(), strict=True)
    ]
    heads = [(-1, 0) if ticks == SHUT else (head, ticks) for head, ticks in order]
    graph = ClusteredGraph(int32(rows, 4), int32(heads, 2))
    members = [n for each in clusters for n in each]
    first = np.cumsum([0, *(len(each) for each in clusters)], dtype=np.int32)
    return graph, Members(first, np.array(members, dtype=np.int32))


def int32(rows: Sequence[Sequence[int]], columns: int) -> Int32Array:
    """(n, columns) int32."""
    return np.array(rows, dtype=np.int32).reshape(-1, columns)


def memory(nodes: int, transitions: int = 0, landmarks: int = 0, arcs: int = 99) -> QueryMemory:
    """Memory that is large enough for queries of small graphs, full of what must not matter."""
    return QueryMemory(
        turn=np.full(2, 6, dtype=np.int64),
        ends=np.full((2, transitions, 2), 77, dtype=np.int64),
        local=np.full((nodes, 3), 5, dtype=np.int64),
        heap=np.full((arcs, 2), 77, dtype=np.int64),
        state=np.full((transitions, 8), 5, dtype=np.int64),
        at_goal=np.full(landmarks, 77, dtype=np.int32),
        expanded=np.full(3 * transitions, 77, dtype=np.int32),
        plan=np.full((2, transitions), 77, dtype=np.int32),
        route=np.full((6, nodes), 77, dtype=np.int32),
        near=np.full((8, 4), 77, dtype=np.int64),
        near_heap=np.full((8, 2), 77, dtype=np.int64),
        corner=np.full((4, 40), 77, dtype=np.int64),
    )


def graph_in_rows(nodes: int, arcs: Sequence[Arc]) -> tuple[Int32Array, Int32Array]:
    """A graph as layers keep it: first_out, and heads and ticks beside each other."""
    node, arc, _ = divided([0] * nodes, arcs)[0]
    return np.append(np.int32(0), node[:, 3]).astype(np.int32), arc


def networkx_graph(nodes: int, arcs: Sequence[Arc]) -> networkx.DiGraph:
    """The same with the cheapest of parallel arcs alone, to be searched by others."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for tail, head, ticks in sorted(arcs, key=lambda arc: -arc[2]):
        if ticks != SHUT:
            graph.add_edge(tail, head, weight=ticks)
    return graph


def first_layer(nodes: int, arcs: Sequence[Arc], landmark: Int32Array) -> LayerStack:
    """A graph of transitions, of which no more than the search of them is asked."""
    first_out, arc = graph_in_rows(nodes, arcs)
    edges = {(tail, head): ticks for tail, head, ticks in arcs}
    return LayerStack(
        graph=NO_GRAPH,
        back=NO_GRAPH,
        cluster=np.zeros((1, 4), dtype=np.int64),
        end_transition=np.zeros(0, dtype=np.int64),
        below=np.zeros(nodes, dtype=np.int32),
        first_out=first_out[:-1],
        end_out=first_out[1:],
        arc=arc,
        flow=np.zeros(0, dtype=np.uint8),
        bits=0,
        landmark=landmark,
        two_way=all(edges.get((head, tail)) == ticks for (tail, head), ticks in edges.items()),
        layers=1,
        parent=np.zeros(0, dtype=np.int32),
        joined=NO_GRAPH,
        joined_back=NO_GRAPH,
    )
