"""The five-node graph of the notes and the next-hop table printed for it."""

from pathlib import Path

import pytest

from bake.play import open_asset
from tests.support.baked import bake, write_graph
from tests.support.compare import Algorithm, subgraph, tables_of
from tests.support.oracles import arcs_of, optimal_hops

pytestmark = pytest.mark.note(
    12, "the table that the slides print, but for ties in 3 of its 20 cells"
)

NODES = "ABCDE"
EDGES = ("AB", "AE", "BC", "BE", "CD", "DE")

#: Row = where we are, column = goal, as printed.
PRINTED = {
    "A": "-BBEE",
    "B": "A-CEE",
    "C": "BB-DB",
    "D": "EEC-E",
    "E": "ABBD-",
}

#: Pairs for which another hop is as good; the notes break them arbitrarily.
TIED = {"BD": "CE", "CE": "BD", "DB": "CE", "EC": "BD"}


def hop_is_right(start: str, goal: str, hop: str) -> bool:
    printed = PRINTED[start][NODES.index(goal)]
    return hop in TIED.get(start + goal, printed)


def test_printed_hops_are_optimal() -> None:
    arcs = arcs_of(NODES, [(a, b, 1) for edge in EDGES for a, b in (edge, edge[::-1])])
    for start in NODES:
        for goal in NODES:
            if start != goal:
                best = optimal_hops(arcs, start, goal)
                assert PRINTED[start][NODES.index(goal)] in best
                assert best == set(TIED.get(start + goal, PRINTED[start][NODES.index(goal)]))


@pytest.mark.parametrize("algorithm", ["dijkstra", "floyd_warshall"])
def test_tables_say_what_the_notes_print(algorithm: Algorithm) -> None:
    number = {name: node for node, name in enumerate(NODES)}
    arcs = [(number[a], number[b], 1) for e in EDGES for a, b in (e, e[::-1])]
    sub = subgraph(5, arcs)
    hop = tables_of(sub, algorithm).hop
    for start in NODES:
        for goal in NODES:
            slot = hop[number[start], number[goal]]
            if start == goal:
                assert slot == 255
            else:
                next_node = sub.graph.head[sub.graph.first_out[number[start]] + slot]
                assert hop_is_right(start, goal, NODES[next_node])


def check_asset(asset: Path) -> None:
    with open_asset(asset) as level:
        nav = level.profile()
        for start in NODES:
            for goal in NODES:
                hop = nav.next_hop(start, goal)
                assert hop == goal if start == goal else hop_is_right(start, goal, str(hop))
        assert nav.distance("A", "C") == 2
        assert nav.distance("A", "D") == 2
        assert nav.path("A", "D") == ["A", "E", "D"]


def test_baked_end_to_end(tmp_path: Path) -> None:
    edges = [(edge[0], edge[1], 1.0) for edge in EDGES]
    check_asset(bake(write_graph(tmp_path / "notes.json", NODES, edges, directed=False)))


def test_the_level_in_the_repository(tmp_path: Path) -> None:
    source = Path(__file__).resolve().parents[2] / "levels_src" / "five.json"
    copy = tmp_path / "five.json"
    copy.write_bytes(source.read_bytes())
    asset = bake(copy)
    check_asset(asset)
    with open_asset(asset) as level:
        nav = level.profile()
        other = {
            start + goal
            for start in NODES
            for goal in NODES
            if start != goal and nav.next_hop(start, goal) != PRINTED[start][NODES.index(goal)]
        }
    assert other == {"BD", "CE", "DB"}  # Three of the four ties are broken another way.
