"""Arcs left out of a search: the right ones, and never one that a distance needs."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse import csgraph, csr_array

from bake.core.graph import INFINITY
from bake.search.all_pairs.batch import LANES, BatchSearch
from bake.search.graph.label_correcting import ALL, MASK_BITS, build_search_arcs
from tests.support.compare import weighted
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, seeded

Family = Callable[[random.Random, int], list[Arc]]
Step = tuple[int, int]


def kept_after(n: int, arcs: list[Arc]) -> dict[Step, set[Step]]:
    """For each arc, which arcs of its head are kept; arcs as (node, place among its arcs)."""
    graph, weight = weighted(n, arcs)
    mask = build_search_arcs(graph.first_out, graph.head, weight).masks
    kept = {}
    for node in range(n):
        for arc in range(graph.first_out[node], graph.first_out[node + 1]):
            head = int(graph.head[arc])
            degree = int(graph.first_out[head + 1] - graph.first_out[head])
            kept[node, int(arc - graph.first_out[node])] = {
                (head, slot) for slot in range(degree) if int(mask[arc]) >> slot & 1
            }
            if degree <= MASK_BITS:
                assert int(mask[arc]) >> degree == 0
    return kept


def by_the_rule(n: int, arcs: list[Arc]) -> dict[Step, set[Step]]:
    """The same in plain Python, from what the rule says."""
    out: dict[int, list[tuple[int, int]]] = {node: [] for node in range(n)}
    for tail, head, weight in arcs:
        out[tail].append((head, weight))
    kept = {}
    for p in range(n):
        direct: dict[int, int] = {p: 0}
        for head, weight in out[p]:
            direct[head] = min(weight, direct.get(head, weight))
        in_two: dict[int, int] = {}
        for middle, weight in out[p]:
            for head, onward in out[middle]:
                in_two[head] = min(weight + onward, in_two.get(head, weight + onward))
        for slot, (u, weight) in enumerate(out[p]):
            kept[p, slot] = {
                (u, other)
                for other, (v, onward) in enumerate(out[u])
                if not (v in direct and direct[v] <= weight + onward)
                and not in_two[v] < weight + onward
            }
    return kept


# -- which arcs ------------------------------------------------------------------------------------

STRAIGHT, DIAGONAL = 5, 7


def open_square(side: int, straight: int = STRAIGHT, diagonal: int = DIAGONAL) -> list[Arc]:
    """An open lattice of 8 neighbours, node y * side + x."""
    return [
        (y * side + x, (y + dy) * side + x + dx, diagonal if dx and dy else straight)
        for y in range(side)
        for x in range(side)
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
        if (dx or dy) and 0 <= x + dx < side and 0 <= y + dy < side
    ]


def heads_after(side: int, arcs: list[Arc], tail: int, head: int) -> set[int]:
    """Where the arcs lead that are kept after a step from tail to head."""
    out: dict[int, list[int]] = {node: [] for node in range(side * side)}
    for a, b, _ in arcs:
        out[a].append(b)
    after = kept_after(side * side, arcs)[tail, out[tail].index(head)]
    return {out[node][slot] for node, slot in after}


def test_three_arcs_of_eight_are_left_in_the_open() -> None:
    """The centre of 3 x 3 open cells.

    0 1 2
    3 4 5
    6 7 8
    """
    arcs = open_square(3)
    # From the west: on to the east; north-east and south-east are tied with 3-1-2 and 3-7-8.
    assert heads_after(3, arcs, 3, 4) == {2, 5, 8}
    assert heads_after(3, arcs, 5, 4) == {0, 3, 6}
    assert heads_after(3, arcs, 1, 4) == {6, 7, 8}
    # From a corner: on to the opposite one; 5 and 7 are tied with 0-1-5 and 0-3-7.
    assert heads_after(3, arcs, 0, 4) == {5, 7, 8}
    assert heads_after(3, arcs, 8, 4) == {0, 1, 3}
    assert heads_after(3, arcs, 2, 4) == {3, 6, 7}


def test_a_wall_forces_a_turn() -> None:
    """With cell 1 gone, what lay behind it is reached by way of the centre alone."""
    arcs = [arc for arc in open_square(3) if 1 not in arc[:2]]
    assert heads_after(3, arcs, 3, 4) == {2, 5, 8}
    assert heads_after(3, arcs, 0, 4) == {2, 5, 7, 8}
    assert heads_after(3, arcs, 7, 4) == {0, 2}


def test_a_tie_with_a_single_arc_is_left_out_and_one_with_two_arcs_is_kept() -> None:
    #     1
    #   /   \
    # 0 ----- 3   and 0 - 2 - 3
    two = [(0, 1, 2), (1, 3, 2), (0, 2, 1), (2, 3, 3)]
    assert kept_after(4, two)[0, 0] == {(1, 0)}
    assert kept_after(4, two)[0, 1] == {(2, 0)}
    assert kept_after(4, [*two, (0, 3, 4)])[0, 0] == set()
    assert kept_after(4, [*two, (0, 3, 5)])[0, 0] == {(1, 0)}
    cheaper = [(0, 1, 2), (1, 3, 2), (0, 2, 1), (2, 3, 2)]
    assert kept_after(4, cheaper)[0, 0] == set()
    assert kept_after(4, cheaper)[0, 1] == {(2, 0)}


def test_never_back_to_where_it_came_from() -> None:
    assert kept_after(2, [(0, 1, 3), (1, 0, 1)]) == {(0, 0): set(), (1, 0): set()}


@given(arc_lists(largest=8, heaviest=6))
def test_the_rule(graph: ArcList) -> None:
    assert kept_after(*graph) == by_the_rule(*graph)


@pytest.mark.parametrize("leaves", [MASK_BITS - 1, MASK_BITS, MASK_BITS + 1, 80])
def test_a_mask_has_room_for_so_many_arcs(leaves: int) -> None:
    """One arc more than bits, and all are relaxed; else the last one still has its bit."""
    hub, outer = leaves, leaves + 1
    arcs = [(outer, hub, 2), *((hub, leaf, 1) for leaf in range(leaves))]
    graph, weight = weighted(leaves + 2, arcs)
    mask = build_search_arcs(graph.first_out, graph.head, weight).masks
    into_the_hub = int(graph.first_out[outer])
    expected = 2**leaves - 1 if leaves <= MASK_BITS else int(ALL)
    assert int(mask[into_the_hub]) == expected


# -- what it must never change -----------------------------------------------------------------


def exact(n: int, arcs: list[Arc], rng: random.Random) -> None:
    """Distances to a batch of targets, anywhere in the graph, are scipy's."""
    lightest: dict[tuple[int, int], int] = {}
    for tail, head, weight in arcs:
        if tail != head:
            lightest[tail, head] = min(weight, lightest.get((tail, head), weight))
    pairs = np.array(list(lightest), dtype=np.int32).reshape(-1, 2)
    matrix = csr_array((list(lightest.values()), (pairs[:, 1], pairs[:, 0])), shape=(n, n))
    targets = rng.sample(range(n), min(n, LANES))
    expected = csgraph.dijkstra(matrix, indices=targets).T
    search = BatchSearch.build(*weighted(n, arcs))
    dist = search.distances_to(np.array(targets, dtype=np.int32), search.scratch())
    found = np.where(dist == INFINITY, np.inf, dist)[:, : len(targets)]
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("heaviest", [1, 2, 3, 7, 2**20])
@given(data=st.data())
def test_distances_of_any_graph(heaviest: int, data: st.DataObject) -> None:
    graph = data.draw(arc_lists(largest=14, heaviest=heaviest))
    arcs = [(tail, head, min(weight, heaviest)) for tail, head, weight in graph[1]]
    exact(graph[0], arcs, random.Random(0))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("heaviest", [1, 3, None])
def test_distances_of_every_family(family: Family, heaviest: int | None) -> None:
    for seed in range(8):
        n, arcs = seeded(family, 500 + seed, 110)
        if heaviest is not None:
            arcs = [(tail, head, weight % heaviest + 1) for tail, head, weight in arcs]
        exact(n, arcs, random.Random(seed))


@given(st.integers(0, 2**32), st.integers(3, 12), st.sampled_from([1, 2, 4, 30]))
@example(0, 3, 1)
def test_triangles_without_slack(seed: int, n: int, longest: int) -> None:
    """Every arc costs what the way round costs: points on a line, arcs between most of them."""
    rng = random.Random(seed)
    at = [0]
    for _ in range(n - 1):
        at.append(at[-1] + rng.randint(1, longest))
    rng.shuffle(at)
    arcs = [
        (a, b, abs(at[a] - at[b]))
        for a in range(n)
        for b in range(n)
        if a != b and rng.random() < 0.7
    ]
    exact(n, arcs, rng)


@pytest.mark.parametrize("straight", [1, 2, 27720])
@pytest.mark.parametrize("diagonal", [1, 2, 3, 39202, 55440])
def test_lattices_with_any_price_of_diagonals(straight: int, diagonal: int) -> None:
    """Diagonals as dear as one straight step, as two, and anything else."""
    rng = random.Random(straight * diagonal)
    side = 9
    walls = set(rng.sample(range(side * side), 18))
    arcs = [arc for arc in open_square(side, straight, diagonal) if not walls.intersection(arc[:2])]
    exact(side * side, arcs, rng)


@pytest.mark.parametrize("degree", [MASK_BITS - 1, MASK_BITS, MASK_BITS + 1, 60])
@pytest.mark.parametrize("heaviest", [2, 9])
def test_nodes_with_more_arcs_than_bits(degree: int, heaviest: int) -> None:
    """Hubs that others are reached through, at the edge of what a mask holds and beyond."""
    for seed in range(6):
        rng = random.Random(f"{degree} {heaviest} {seed}")
        n = 3 * degree
        arcs = []
        for hub in range(3):
            for other in rng.sample(range(3, n), degree):
                arcs.append((other, hub, rng.randint(1, heaviest)))
                if rng.random() < 0.5:
                    arcs.append((hub, other, rng.randint(1, heaviest)))
        arcs += [
            (a, (a + rng.randrange(1, n)) % n, rng.randint(1, heaviest))
            for a in range(n)
            for _ in "ab"
        ]
        rng.shuffle(arcs)
        exact(n, arcs, rng)
