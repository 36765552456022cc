"""Shortest paths over arcs below nothing: the notes' figures, networkx and scipy, named cycles."""

import random
import re
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import johnson

from bake.extras.school import PathTable
from levelbake.errors import QueryError

pytestmark = pytest.mark.note(117, "networkx and scipy on 120 graphs")

#: The lecture notes' graph, both ways.
NOTES = [(0, 1, 9), (0, 2, 9), (1, 2, 9), (2, 3, 1), (2, 4, 6), (3, 4, 3)]


def test_the_notes_figures() -> None:
    table = PathTable([arc for a, b, cost in NOTES for arc in ((a, b, cost), (b, a, cost))])
    assert table.nodes == (0, 1, 2, 3, 4)
    assert table.distance.tolist() == [
        [0, 9, 9, 10, 13],
        [9, 0, 9, 10, 13],
        [9, 9, 0, 1, 4],
        [10, 10, 1, 0, 3],
        [13, 13, 4, 3, 0],
    ]
    assert table.hop.tolist() == [
        [-1, 1, 2, 2, 2],
        [0, -1, 2, 2, 2],
        [0, 1, -1, 3, 3],
        [2, 2, 2, -1, 4],
        [3, 3, 3, 3, -1],
    ]


def test_a_spring_that_heals() -> None:
    """A way round over an arc below nothing is better than the straight one."""
    table = PathTable([("gate", "hall", 5), ("gate", "spring", 4), ("spring", "hall", -3)])
    assert table.path("gate", "hall") == ["gate", "spring", "hall"]
    assert (table.cost("gate", "hall"), table.next_hop("gate", "hall")) == (1, "spring")
    assert (table.path("hall", "gate"), table.next_hop("hall", "gate")) == (None, None)
    assert table.cost("hall", "gate") == np.inf
    assert (table.path("hall", "hall"), table.next_hop("hall", "hall")) == (["hall"], "hall")


def drawn(seed: int) -> list[tuple[int, int, int]]:
    """Arcs at random, mostly above nothing; every third graph has potentials and many ties."""
    rng = random.Random(seed)
    n = rng.randrange(2, 12)
    height = [rng.randrange(-8, 9) for _ in range(n)]
    arcs = []
    for _ in range(rng.randrange(1, 4 * n)):
        a, b = rng.randrange(n), rng.randrange(n)
        # Costs by differences of height make cycles that cost nothing in all.
        cost = height[b] - height[a] + rng.choice((0, 0, 1)) if seed % 3 else rng.randrange(-2, 9)
        arcs.append((a, b, cost))
    return arcs


@pytest.mark.parametrize("seed", range(120))
def test_against_networkx_and_scipy(seed: int) -> None:
    arcs = drawn(seed)
    graph = nx.DiGraph()
    for a, b, cost in arcs:
        known = graph.get_edge_data(a, b, {"weight": cost})["weight"]
        graph.add_edge(a, b, weight=min(cost, known))
    if nx.negative_edge_cycle(graph):
        with pytest.raises(QueryError, match=r"cycle from .*costs -\d+") as error:
            PathTable(arcs)
        names, told = re.search(r"from (.*) costs (-\d+)", str(error.value)).groups()
        cycle = [int(name) for name in names.split(" to ")]
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1
        assert sum(graph[a][b]["weight"] for a, b in pairwise(cycle)) == int(told)
        return
    table = PathTable(arcs)
    expected = dict(nx.floyd_warshall(graph))
    for a in graph:
        for b in graph:
            assert table.cost(a, b) == expected[a][b]
            path = table.path(a, b)
            assert (path is None) == (expected[a][b] == np.inf)
            if path is None:
                continue
            # Also where cycles cost nothing, the hops lead to the goal.
            assert (path[0], path[-1]) == (a, b)
            assert len(set(path)) == len(path)
            assert sum(graph[x][y]["weight"] for x, y in pairwise(path)) == expected[a][b]
            assert table.next_hop(a, b) == path[min(1, len(path) - 1)]
    # scipy takes a 0 for no arc, so costs are scaled; its Johnson's algorithm is another one.
    if all(cost for _, _, cost in arcs):
        matrix = nx.to_scipy_sparse_array(graph, nodelist=table.nodes)
        assert (johnson(matrix) == table.distance).all()


def test_mistakes() -> None:
    with pytest.raises(QueryError, match=r"cycle from 'a'.*-1"):
        PathTable([("a", "a", -1)])
    assert PathTable([("a", "a", 0)]).path("a", "a") == ["a"]
    for cost in (0.5, 10**10, "3"):
        with pytest.raises(QueryError, match=r"from 'a' to 'b' costs .*whole"):
            PathTable([("a", "b", cost)])
    table = PathTable([("a", "b", 1)], nodes=["c"])
    assert table.nodes == ("c", "a", "b")
    with pytest.raises(QueryError, match="no node is named 'd'"):
        table.path("a", "d")
