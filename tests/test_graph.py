"""Compressed sparse rows."""

import numpy as np
from hypothesis import given

from bake.core import graph as graphs
from bake.core.graph import BLOCKED, Graph, Metric, usable_subgraph
from levelbake import steps
from tests.support.compare import weighted
from tests.support.strategies import ArcList, arc_lists


@given(graph=arc_lists())
def test_arcs_come_back_grouped_by_tail_in_their_order(graph: ArcList) -> None:
    n, arcs = graph
    built, weight = weighted(n, arcs)
    assert built.node_count == n
    assert built.arc_count == len(arcs)
    assert built.head.dtype == built.first_out.dtype == built.tail().dtype == np.int32
    stored = list(zip(built.tail().tolist(), built.head.tolist(), weight.tolist(), strict=True))
    assert stored == sorted(arcs, key=lambda arc: arc[0])
    assert built.out_degree().tolist() == [sum(a[0] == v for a in arcs) for v in range(n)]


@given(graph=arc_lists())
def test_turned_round(graph: ArcList) -> None:
    n, arcs = graph
    built, _ = weighted(n, arcs)
    back, order = built.reverse()
    assert sorted(order.tolist()) == list(range(built.arc_count))
    assert np.array_equal(back.head, built.tail()[order])
    assert np.array_equal(back.tail(), built.head[order])


@given(graph=arc_lists())
def test_what_a_profile_can_use(graph: ArcList) -> None:
    """Without the odd nodes, and without arcs of even weight."""
    n, arcs = graph
    built, weight = weighted(n, arcs)
    tail, head = built.tail(), built.head
    weight[(weight % 2 == 0) | (tail % 2 == 1) | (head % 2 == 1)] = BLOCKED
    passable = np.arange(n) % 2 == 0
    sub = usable_subgraph(built, Metric(weight, passable, 1))
    assert sub.node.tolist() == list(range(0, n, 2))
    kept = [arc for arc in range(len(weight)) if weight[arc] != BLOCKED]
    assert sub.weight.tolist() == [weight[arc] for arc in kept]
    assert sub.node[sub.graph.tail()].tolist() == [tail[arc] for arc in kept]
    assert sub.node[sub.graph.head].tolist() == [head[arc] for arc in kept]
    assert sub.slot.tolist() == [arc - built.first_out[tail[arc]] for arc in kept]


def test_no_node() -> None:
    empty, order = Graph.from_arcs(0, np.array([], dtype=np.int32), np.array([], dtype=np.int32))
    assert (empty.node_count, empty.arc_count, len(order)) == (0, 0, 0)


def test_the_reader_has_the_same_numbers() -> None:
    for name in ("BLOCKED", "INFINITY", "MAX_WEIGHT"):
        assert getattr(graphs, name) == getattr(steps, name)
