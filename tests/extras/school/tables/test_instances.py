"""Houses answered by one table a kind, held against Dijkstra on the level as drawn."""

import random
from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bake.core.arrays import Int32Array
from bake.core.errors import LevelError
from bake.core.placement import MIRRORED, TURNS, Placement
from bake.extras.school.tables.instances import InstancedLevel
from tests.support.towns import house, town

pytestmark = pytest.mark.note(107, "networkx on the level as drawn")

Houses = Sequence[tuple[int, Placement]]
COST = {".": 1, "m": 3, "#": 0}


def costs(rows: Sequence[str]) -> Int32Array:
    return np.array([[COST[letter] for letter in row] for row in rows], dtype=np.int32)


def drawn(cost: Int32Array, kinds: Sequence[Int32Array], houses: Houses) -> Int32Array:
    """The level with its houses drawn in, by other means than the placement's own."""
    found = cost.copy()
    for kind, placement in houses:
        cells = np.fliplr(kinds[kind]) if placement.mirrored else kinds[kind]
        cells = np.rot90(cells, -placement.quarters)
        x, y = placement.at
        found[y : y + cells.shape[0], x : x + cells.shape[1]] = cells
    return found


def graph_of(cost: Int32Array) -> nx.DiGraph:
    graph = nx.DiGraph()
    height, width = cost.shape
    for y in range(height):
        for x in range(width):
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                to = x + dx, y + dy
                if 0 <= to[0] < width and 0 <= to[1] < height and cost[y, x]:
                    graph.add_node((x, y))
                    if cost[to[1], to[0]]:
                        graph.add_edge((x, y), to, weight=int(cost[to[1], to[0]]))
    return graph


def assert_exact(cost: Int32Array, kinds: Sequence[Int32Array], houses: Houses) -> None:
    """Every pair is as far apart as Dijkstra says, and each hop is a step on a shortest path."""
    level = InstancedLevel(cost, kinds, houses)
    graph = graph_of(drawn(cost, kinds, houses))
    ticks = dict(nx.all_pairs_dijkstra_path_length(graph))
    for start in graph:
        for goal in graph:
            hop, left = level.next_hop(start, goal), ticks[start].get(goal)
            assert level.distance(start, goal) == left
            assert (hop is None) == (left is None)
            if start == goal:
                assert hop == goal
            elif hop is not None:
                assert graph.edges[start, hop]["weight"] + ticks[hop][goal] == left


def as_placed(
    document: dict[str, Any],
) -> tuple[Int32Array, list[Int32Array], list[tuple[int, Placement]]]:
    """A level of ``tests.support.towns`` as this takes it."""
    kinds = [costs(each["rows"]) for each in document["prototypes"].values()]
    houses = [
        (int(each["of"]), Placement(tuple(each["at"]), each["turned"] // 90, each["mirrored"]))
        for each in document["instances"]
    ]
    return costs(document["rows"]), kinds, houses


@pytest.mark.parametrize("seed", range(3))
def test_a_town(seed: int) -> None:
    rng = random.Random(seed)
    rows = [house(rng, 7, 6, 2), house(rng, 6, 5, 1)]
    cost, kinds, houses = as_placed(town(rng, rows, 2, 2, 1))
    assert_exact(cost, kinds, houses)
    assert len(InstancedLevel(cost, kinds, houses).table) == 2


def test_one_table_answers_however_a_house_stands() -> None:
    """What the kind's table says, right or wrong, is what each of eight houses does."""
    kind = costs(["####", "#..#", "#.m.", "####"])
    places = [
        Placement.from_turn((1 + 6 * (turn % 4), 1 + 6 * (turn // 4)), turn)
        for turn in range(TURNS)
    ]
    level = InstancedLevel(costs(["." * 25] * 13), [kind], [(0, each) for each in places])
    start, goal, right, wrong = ((x, y) for x, y in ((1, 1), (2, 2), (1, 2), (2, 1)))
    nodes = [y * 4 + x for x, y in (start, goal, right, wrong)]
    for hop in (2, 3):
        level.table[0].hop[nodes[0], nodes[1]] = nodes[hop]
        for placement in places:
            at, to, ahead = (
                tuple(placement.cells(np.array([cell]), 4, 4)[0].tolist())
                for cell in (start, goal, (right, wrong)[hop - 2])
            )
            assert level.next_hop(at, to) == ahead


def test_the_shorter_way_may_lead_out_of_a_house_and_in_again() -> None:
    """Two doors of one house, between which mud lies inside."""
    kind = costs(["#####", "..m..", "#####"])
    kind[1, 2] = 40
    cost, houses = costs(["." * 7] * 5), [(0, Placement((1, 1), 0, mirrored=False))]
    level = InstancedLevel(cost, [kind], houses)
    assert level.next_hop((2, 2), (4, 2)) == (1, 2)
    assert level.distance((2, 2), (4, 2)) == 14
    assert_exact(cost, [kind], houses)


def test_no_way() -> None:
    kind = costs(["###", "#.#", "###"])
    level = InstancedLevel(costs(["." * 5] * 5), [kind], [(0, Placement((1, 1), 0, False))])
    assert level.next_hop((2, 2), (0, 0)) is None
    assert level.next_hop((0, 0), (2, 2)) is None
    assert level.distance((2, 2), (0, 0)) is None
    assert level.next_hop((2, 2), (2, 2)) == (2, 2)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Int32Array, list[Int32Array], list[tuple[int, Placement]]]:
    """A level of random kinds, wherever they fit; houses may touch, and be open all around."""
    letters = st.sampled_from("...m#")
    width, height = draw(st.integers(4, 9)), draw(st.integers(4, 8))

    def rows(wide: int, high: int) -> Int32Array:
        return costs(["".join(draw(letters) for _ in range(wide)) for _ in range(high)])

    kinds = [rows(draw(st.integers(1, 4)), draw(st.integers(1, 4))) for _ in range(2)]
    free, houses = np.ones((height, width), dtype=np.bool_), []
    for _ in range(draw(st.integers(0, 5))):
        kind, turn = draw(st.integers(0, 1)), draw(st.integers(0, TURNS - 1))
        wide, high = Placement.from_turn((0, 0), turn).size(*kinds[kind].shape[::-1])
        x = draw(st.integers(0, width - wide))
        y = draw(st.integers(0, height - high))
        if free[y : y + high, x : x + wide].all():
            free[y : y + high, x : x + wide] = False
            houses.append((kind, Placement.from_turn((x, y), turn)))
    return rows(width, height), kinds, houses


@settings(max_examples=15, deadline=None)
@given(worlds())
def test_any_houses(
    world: tuple[Int32Array, list[Int32Array], list[tuple[int, Placement]]],
) -> None:
    assert_exact(*world)


@pytest.mark.parametrize("at", [(-1, 0), (0, -1), (4, 0), (0, 3), (1, 1)])
def test_houses_that_do_not_fit_are_refused(at: tuple[int, int]) -> None:
    kind = costs(["..", ".."])
    houses = [(0, Placement((2, 2), 0, mirrored=False)), (0, Placement.from_turn(at, MIRRORED))]
    with pytest.raises(LevelError, match="house 1 leaves the level"):
        InstancedLevel(costs(["." * 5] * 4), [kind], houses)
