"""Graphs of the tests, contracted."""

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import Graph
from bake.search.contraction.metric import Prices, Weights, customize, price_arcs
from bake.search.contraction.order import dissection_order
from bake.search.contraction.tree import Tree, both_ways, elimination_tree
from tests.support.strategies import ArcList


def graph_of(arcs: ArcList) -> tuple[Graph, Int32Array]:
    n, each = arcs
    tail, head, weight = np.array(each, dtype=np.int32).reshape(-1, 3).T
    graph, order = Graph.from_arcs(n, np.ascontiguousarray(tail), np.ascontiguousarray(head))
    return graph, np.ascontiguousarray(weight[order])


def tree_of(arcs: ArcList, order: list[int] | None = None) -> Tree:
    graph = both_ways(graph_of(arcs)[0])
    chosen = dissection_order(graph, None) if order is None else np.array(order, dtype=np.int32)
    tree = elimination_tree(graph, chosen, most_arcs=10**6)
    assert tree is not None
    return tree


def priced(arcs: ArcList, *, two_way: bool) -> tuple[Tree, Prices]:
    """The tree of a graph, and what its own arcs cost."""
    tree = tree_of(arcs)
    return tree, price_arcs(tree, *graph_of(arcs), two_way=two_way)


def contracted(arcs: ArcList, *, two_way: bool = False) -> tuple[Tree, Weights]:
    """The tree of a graph, and its weights."""
    tree, prices = priced(arcs, two_way=two_way)
    return tree, customize(tree, prices)
