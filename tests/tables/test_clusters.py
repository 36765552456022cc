"""Clusters against networkx, drawn by hand, and on every kind of world."""

import random
from collections.abc import Callable

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.search.graph.partition import region_of_rows
from bake.tables.clusters import Clusters, clusters
from tests.support.baked import GROUND, rows
from tests.support.compare import subgraph
from tests.support.oracles import Lattice
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, grids, seeded
from tests.support.worlds import part_of, world_of

pytestmark = pytest.mark.note(73, "networkx")


def check(found: Clusters, key: list[int]) -> None:
    """Clusters are the weakly connected parts of each class, in order; the rest follows."""
    sub = found.sub
    graph = networkx.Graph()
    graph.add_nodes_from(range(sub.graph.node_count))
    arcs = list(zip(sub.graph.tail().tolist(), sub.graph.head.tolist(), strict=True))
    graph.add_edges_from((a, b) for a, b in arcs if key[a] == key[b])
    parts = sorted(
        networkx.connected_components(graph), key=lambda part: (key[min(part)], min(part))
    )
    expected = [0] * len(key)
    for label, part in enumerate(parts):
        for row in part:
            expected[row] = label
    assert found.label.tolist() == expected
    assert found.count == len(parts)
    first, row, place = found.members
    for label, part in enumerate(parts):
        assert row[first[label] : first[label + 1]].tolist() == sorted(part)
        assert place[sorted(part)].tolist() == list(range(len(part)))
    begins, beside = found.neighbours
    touching = {(expected[a], expected[b]) for a, b in arcs} - {(p, p) for p in range(len(parts))}
    touching |= {(b, a) for a, b in touching}
    told = {(p, int(q)) for p in range(len(parts)) for q in beside[begins[p] : begins[p + 1]]}
    assert told == touching
    tail, arc = found.crossing
    crossing = [(a, b) for a, b in arcs if expected[a] != expected[b]]
    assert list(zip(tail.tolist(), sub.graph.head[arc].tolist(), strict=True)) == crossing


@given(grid=grids(largest=9), size=st.integers(1, 5))
def test_any_grid(grid: list[list[str]], size: int) -> None:
    sub, cell = part_of(world_of(Lattice(grid, GROUND), 8))
    across = -(-len(grid[0]) // size)
    key = [(y // size) * across + x // size for x, y in cell.tolist()]
    check(clusters(sub, size=size, cell=cell), key)


@given(graph=arc_lists(), size=st.integers(1, 3))
def test_any_graph(graph: ArcList, size: int) -> None:
    n, arcs = graph
    check(clusters(subgraph(n, arcs), size=size), [row // size**2 for row in range(n)])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family(family: Callable[[random.Random, int], list[Arc]]) -> None:
    n, arcs = seeded(family, 11, 60)
    check(clusters(subgraph(n, arcs), size=4), [row // 16 for row in range(n)])


def test_a_wall_cuts_a_square_in_two() -> None:
    sub, cell = part_of(world_of(Lattice(rows("..#..", "..#..", "....."), GROUND), 8))
    found = clusters(sub, size=2, cell=cell)
    by_cell = {tuple(each): label for each, label in zip(cell.tolist(), found.label, strict=True)}
    # The square of columns 2 and 3 holds a wall at 2; column 4 is a square of its own.
    assert found.count == 6
    assert [by_cell[x, 0] for x in (0, 1, 3, 4)] == [0, 0, 1, 2]
    assert [by_cell[x, 2] for x in range(5)] == [3, 3, 4, 4, 5]
    whole = clusters(sub, size=8, cell=cell)
    assert whole.count == 1
    split, where = part_of(world_of(Lattice(rows("..#..", "..#.."), GROUND), 8))
    halves = clusters(split, size=8, cell=where)
    assert halves.count == 2
    assert halves.neighbours[1].tolist() == []


def test_drawn_regions_come_first() -> None:
    sub, cell = part_of(world_of(Lattice(rows("......", "......"), GROUND), 8))
    left = np.array([[0, 0], [0, 1], [5, 0]], dtype=np.int32)
    over = np.array([[0, 0], [1, 0]], dtype=np.int32)
    region = region_of_rows((left, over), cell, 6, 2)
    found = clusters(sub, size=3, cell=cell, region=region)
    by_cell = {tuple(each): label for each, label in zip(cell.tolist(), found.label, strict=True)}
    # Region 0 lies in two parts, region 1 keeps what region 0 left, squares share the rest.
    assert by_cell[0, 0] == by_cell[0, 1]
    assert sorted((by_cell[0, 0], by_cell[5, 0])) == [0, 1]
    assert by_cell[1, 0] == 2
    assert by_cell[1, 1] == by_cell[2, 0] == by_cell[2, 1] == 3
    assert by_cell[3, 0] == by_cell[5, 1] == 4


def test_positions_make_squares_of_the_plane() -> None:
    n = 400
    arcs = [(a, b, 1) for a in range(n) for b in (a + 1, a - 1) if 0 <= b < n]
    where = np.array([(node, 0.25 * (node % 2)) for node in range(n)], dtype=np.float64)
    found = clusters(subgraph(n, arcs), size=5, position=where)
    sizes = np.diff(found.members[0])
    assert found.count == 16
    assert sizes.min() >= 20
    assert sizes.max() <= 30


def test_all_at_one_point() -> None:
    arcs = [(0, 1, 1), (1, 2, 1)]
    with np.errstate(all="raise"):  # squares of no size would divide by zero
        found = clusters(subgraph(3, arcs), size=1, position=np.zeros((3, 2)))
    assert found.label.tolist() == [0, 0, 0]


def test_nowhere_to_stand() -> None:
    found = clusters(subgraph(0, []), size=4)
    assert found.count == 0
    assert found.neighbours[0].tolist() == [0]
