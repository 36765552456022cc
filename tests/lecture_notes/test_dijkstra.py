"""The worked example of Dijkstra's algorithm: six nodes, from node 1."""

from pathlib import Path

import pytest

from bake.play import open_asset
from tests.support.baked import bake, write_graph
from tests.support.compare import Algorithm, subgraph, tables_of

pytestmark = [
    pytest.mark.note(45, "networkx and the worked example"),
    pytest.mark.note(115, "the slides' distances and parents"),
]

EDGES = [
    (1, 2, 7),
    (1, 3, 9),
    (1, 6, 14),
    (2, 3, 10),
    (2, 4, 15),
    (3, 4, 11),
    (3, 6, 2),
    (4, 5, 6),
    (5, 6, 9),
]
DISTANCE = {1: 0, 2: 7, 3: 9, 4: 20, 5: 20, 6: 11}
PARENT = {2: 1, 3: 1, 4: 3, 5: 6, 6: 3}


@pytest.mark.parametrize("algorithm", ["dijkstra", "floyd_warshall"])
def test_distances_and_parents(algorithm: Algorithm) -> None:
    both = [arc for a, b, w in EDGES for arc in ((a - 1, b - 1, w), (b - 1, a - 1, w))]
    sub = subgraph(6, both)
    pairs = tables_of(sub, algorithm)
    assert pairs.distance[0].tolist() == [DISTANCE[node] for node in range(1, 7)]
    # The graph is undirected: a node's parent in the tree from 1 is its next hop toward 1.
    for node, parent in PARENT.items():
        arc = sub.graph.first_out[node - 1] + pairs.hop[node - 1, 0]
        assert sub.graph.head[arc] + 1 == parent


def test_baked_end_to_end(tmp_path: Path) -> None:
    source = write_graph(tmp_path / "six.json", range(1, 7), EDGES, directed=False)
    with open_asset(bake(source)) as level:
        nav = level.profile()
        assert {node: nav.distance(1, node) for node in range(1, 7)} == DISTANCE
        assert {node: nav.next_hop(node, 1) for node in PARENT} == PARENT
        assert nav.path(1, 5) == [1, 3, 6, 5]
