"""The notes' lookup table: their own repair step by step, what it gets right and what it misses."""

import random
from pathlib import Path

import networkx as nx
import pytest

from bake.extras.school import LookupTable
from levelbake.errors import AssetError, QueryError

pytestmark = pytest.mark.note(15, "the slides' steps; networkx after 180 edits; its missed rows")

NOTES = [(a, b, 1) for a, b in ("AB", "AE", "BC", "BE", "CD", "DE")]
#: The smallest graph whose repair stops too early once 1 and 3 are joined no more.
MISSED = [(0, 2, 1), (0, 3, 1), (1, 3, 1), (1, 4, 1), (2, 4, 2), (3, 4, 1)]


def best_hops(graph: nx.Graph, start: object, goal: object) -> set[object]:
    """The neighbours that begin a shortest path, by the distances of networkx."""
    length = dict(nx.all_pairs_dijkstra_path_length(graph))
    if goal not in length[start]:
        return {None}
    return {
        hop
        for hop, edge in graph[start].items()
        if edge["weight"] + length[hop].get(goal, 10**9) == length[start][goal]
    }


def graph_of(edges: list[tuple[object, object, int]]) -> nx.Graph:
    graph = nx.Graph()
    graph.add_weighted_edges_from(edges)
    return graph


def test_the_notes_table() -> None:
    """As printed in the notes; of several best steps they print one."""
    printed = {"A": "-BBEE", "B": "A-CEE", "C": "BB-DB", "D": "EEC-E", "E": "ABBD-"}
    table, graph = LookupTable(NOTES), graph_of(NOTES)
    for start, row in printed.items():
        for goal, hop in zip("ABCDE", row, strict=True):
            if start != goal:
                best = best_hops(graph, start, goal)
                assert hop in best
                assert table.next_hop(start, goal) in best
    assert table.next_hop("D", "D") == "D"
    assert table.wrong() == []


def test_the_notes_repair() -> None:
    table = LookupTable(NOTES)
    told = [(each.node, each.changed, each.open, each.closed) for each in table.remove("A", "E")]
    assert told == [
        ("A", True, ("E", "B"), ("A",)),
        ("E", True, ("B", "D"), ("A", "E")),
        ("B", False, ("D",), ("A", "E", "B")),
        ("D", False, (), ("A", "E", "B", "D")),
    ]
    assert table.rows["A"] == dict.fromkeys("BCDE", "B")
    assert table.rows["E"] == {"A": "B", "B": "B", "C": "B", "D": "D"}
    assert table.wrong() == []


def test_where_the_repair_stops_too_early() -> None:
    """Row 0 keeps its step while its way grows, so row 2 is never looked at."""
    table = LookupTable(MISSED)
    assert table.next_hop(2, 1) == 0
    looked = {each.node: each.changed for each in table.remove(1, 3)}
    assert looked[3]
    assert looked[0] is False
    assert 2 not in looked
    assert table.wrong() == [(2, 1)]
    # Whoever asks for the row itself mends it.
    table.add(0, 2, 1)
    assert table.wrong() == []


@pytest.mark.parametrize("seed", range(30))
def test_rows_that_were_looked_at_are_right(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(3, 9)
    pairs = [(a, b) for a in range(n) for b in range(a)]
    edges = [(a, b, rng.randrange(1, 4)) for a, b in rng.sample(pairs, len(pairs) // 2 + 1)]
    table, graph = LookupTable(edges), graph_of(edges)
    for _ in range(6):
        before = {node: dict(row) for node, row in table.rows.items()}
        if rng.random() < 0.5 and graph.number_of_edges() > 1:
            a, b = rng.choice(list(graph.edges))
            graph.remove_edge(a, b)
            steps = table.remove(a, b)
        else:
            a, b = rng.choice(pairs)
            cost = rng.randrange(1, 4)
            graph.add_edge(a, b, weight=cost)
            steps = table.add(a, b, cost)
        looked = {step.node for step in steps}
        assert {a, b} <= looked
        wrong = set()
        for start in graph:
            for goal in graph:
                if start == goal:
                    continue
                right = table.next_hop(start, goal) in best_hops(graph, start, goal)
                assert right or start not in looked
                if not right:
                    wrong.add((start, goal))
            if start not in looked:
                assert table.rows[start] == before[start]
        assert set(table.wrong()) == wrong


def test_a_table_is_saved_as_it_is(tmp_path: Path) -> None:
    """Mistakes of the repair are saved, too, and a repair goes on where it was."""
    table = LookupTable(MISSED)
    table.remove(1, 3)
    table.save(tmp_path / "table.json")
    again = LookupTable.load(tmp_path / "table.json")
    assert again.rows == table.rows
    assert again.wrong() == [(2, 1)]
    assert [each.node for each in again.add(1, 3, 1)] == [each.node for each in table.add(1, 3, 1)]
    assert again.rows == table.rows


def test_mistakes(tmp_path: Path) -> None:
    for cost in (0, -1, 0.5):
        with pytest.raises(QueryError, match=r"costs .*whole number"):
            LookupTable([("A", "B", cost)])
    table = LookupTable(NOTES)
    with pytest.raises(QueryError, match="no edge joins 'A' and 'C'"):
        table.remove("A", "C")
    with pytest.raises(QueryError, match="no node is named 'Z'"):
        table.next_hop("A", "Z")
    for text in ("", "[]", '{"edges": [[1, 2]], "rows": []}', '{"edges": []}'):
        (tmp_path / "table.json").write_text(text, "utf-8")
        with pytest.raises(AssetError, match=r"lookup table: .*save"):
            LookupTable.load(tmp_path / "table.json")
