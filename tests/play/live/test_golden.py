"""The lecture notes' own example of an update, and the smallest one their rule gets wrong."""

import math
from pathlib import Path

import pytest

from bake.play import open_asset
from tests.support.baked import bake, recipe_for, write_graph
from tests.support.oracles import arcs_of, distances_from, optimal_hops

Edges = list[tuple[object, object, int]]

NOTES: Edges = [
    ("A", "B", 1),
    ("A", "E", 1),
    ("B", "C", 1),
    ("B", "E", 1),
    ("C", "D", 1),
    ("D", "E", 1),
]
COUNTEREXAMPLE: Edges = [(0, 2, 1), (0, 3, 1), (1, 3, 1), (1, 4, 1), (2, 4, 2), (3, 4, 1)]


def both_ways(edges: Edges) -> Edges:
    return [*edges, *((b, a, cost) for a, b, cost in edges)]


def notes_rule(
    nodes: list[object], edges: Edges, removed: tuple[object, object]
) -> dict[tuple[object, object], object]:
    """Next hops after the notes' update: rows are rebuilt outward while they change."""
    before = arcs_of(nodes, both_ways(edges))
    rest = [edge for edge in edges if edge[:2] != removed]
    after = arcs_of(nodes, both_ways(rest))
    # Tied hops as the notes' table has them: 2 to 1 goes by way of 0.
    table = {
        (a, b): (0 if (a, b) == (2, 1) else min(optimal_hops(before, a, b), key=str))
        for a in nodes
        for b in nodes
        if a != b
    }
    waiting, closed = list(removed), set()
    while waiting:
        row = waiting.pop(0)
        closed.add(row)
        changed = False
        for goal in nodes:
            if goal == row:
                continue
            hops = optimal_hops(after, row, goal)
            if table[row, goal] not in hops:
                table[row, goal] = min(hops, key=str)
                changed = True
        if changed:
            waiting += [
                head for head, _ in before[row] if head not in closed and head not in waiting
            ]
    return table


def wrong_hops(
    table: dict[tuple[object, object], object], arcs: dict[object, list[tuple[object, int]]]
) -> set[tuple[object, object]]:
    return {(a, b) for (a, b), hop in table.items() if hop not in optimal_hops(arcs, a, b)}


def test_the_notes_rule_is_right_on_their_own_example() -> None:
    nodes: list[object] = list("ABCDE")
    table = notes_rule(nodes, NOTES, ("A", "E"))
    rest = arcs_of(nodes, both_ways([edge for edge in NOTES if edge[:2] != ("A", "E")]))
    assert not wrong_hops(table, rest)
    assert [table["A", goal] for goal in "BCDE"] == ["B", "B", "B", "B"]
    assert [table["E", goal] for goal in "ABCD"] == ["B", "B", "B", "D"]


def test_the_notes_rule_misses_a_row_nobody_examined() -> None:
    nodes: list[object] = [0, 1, 2, 3, 4]
    table = notes_rule(nodes, COUNTEREXAMPLE, (1, 3))
    rest = arcs_of(nodes, both_ways([edge for edge in COUNTEREXAMPLE if edge[:2] != (1, 3)]))
    assert (2, 1) in wrong_hops(table, rest)
    assert table[2, 1] == 0


@pytest.mark.parametrize(
    ("edges", "removed"), [(NOTES, ("A", "E")), (COUNTEREXAMPLE, (1, 3))], ids=["notes", "counter"]
)
def test_an_update_is_exact(tmp_path: Path, edges: Edges, removed: tuple[object, object]) -> None:
    nodes = sorted({end for edge in edges for end in edge[:2]}, key=str)
    source = write_graph(tmp_path / "notes.json", nodes, edges, directed=False)
    rest = arcs_of(nodes, both_ways([edge for edge in edges if edge[:2] != removed]))
    with open_asset(bake(source, recipe_for())) as level:
        nav = level.profile()
        nav.update(arcs={removed: math.inf, removed[::-1]: math.inf})
        for a in nodes:
            for b in nodes:
                assert nav.distance(a, b) == distances_from(rest, a)[b]
                if a != b:
                    assert nav.next_hop(a, b) in optimal_hops(rest, a, b)


def test_a_source_whose_own_arc_grew_keeps_no_tied_move(tmp_path: Path) -> None:
    """Two ways of equal length: the dearer one must not be told, though no distance changed."""
    edges: Edges = [(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1), (4, 5, 1)]
    source = write_graph(tmp_path / "tied.json", list(range(6)), edges, directed=True)
    for head in (1, 2):
        with open_asset(bake(source, recipe_for())) as level:
            nav = level.profile()
            nav.update(arcs={(0, head): 1.5})
            for goal in (3, 4, 5):
                assert nav.next_hop(0, goal) == 3 - head
