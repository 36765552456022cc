"""The heuristic: never too much, for every pair of rows, on every kind of graph."""

import random
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.arrays import Int32Array, Int64Array
from bake.errors import BudgetError
from bake.graph import Subgraph, usable_subgraph
from bake.pipeline.profile import coordinates
from bake.search.all_pairs.fields import CorrectedDistances, FieldSet
from bake.search.point.estimates import Estimate
from bake.search.point.guide import Guide
from bake.search.point.space import SearchSpace
from bake.tables.field_table import (
    Slopes,
    pair_count,
    plane_slopes,
    square_slopes,
    table_bytes,
    table_memory,
)
from bake.tables.heuristic import Heuristic, Size, heuristic, heuristic_size
from tests.support.baked import GROUND
from tests.support.compare import subgraph
from tests.support.oracles import Lattice, arcs_of, distances_from
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, seeded
from tests.support.worlds import world_of

NO_PATH = np.iinfo(np.int64).max


def true_distances(sub: Subgraph) -> Int64Array:
    """(r, r) by the slow oracle."""
    n = sub.graph.node_count
    arcs = list(
        zip(sub.graph.tail().tolist(), sub.graph.head.tolist(), sub.weight.tolist(), strict=True)
    )
    told = np.full((n, n), NO_PATH)
    for start in range(n):
        for goal, ticks in distances_from(arcs_of(range(n), arcs), start).items():
            told[start, goal] = ticks
    return told


def made(
    sub: Subgraph,
    at: Int32Array | None = None,
    slopes: Slopes | None = None,
    *,
    kind: str = "field",
    bytes_per_node: int = 60,
    threads: int = 1,
) -> tuple[Heuristic, Int32Array]:
    if at is None:
        at = np.zeros((sub.graph.node_count, 2), dtype=np.int32)
    found = heuristic(
        sub,
        at,
        slopes or Slopes.none(),
        kind=kind,
        bytes_per_node=bytes_per_node,
        budget=2**30,
        threads=threads,
    )
    return found, at


def guide_of(found: Heuristic, at: Int32Array, norm: Estimate | None = None) -> Guide | None:
    table = found.table
    if table is None:
        return None
    return Guide(
        norm or Estimate("null"),
        FieldSet(table.fields, table.shift, at, found.pivot),
        CorrectedDistances(table.distance, table.chosen, found.two_way),
        table.label,
        table.anchor,
    )


def check(sub: Subgraph, found: Heuristic, at: Int32Array) -> None:
    """No estimate is too large, the goal's own is 0, and searches find shortest paths."""
    guide = guide_of(found, at)
    assert guide is not None
    true = true_distances(sub)
    n = len(true)
    space = SearchSpace(sub.graph, sub.weight)
    for goal in range(n):
        told = guide.estimate("maximum", goal).table[:, 0]
        assert (told <= true[:, goal]).all()
        assert (told >= 0).all()
        assert told[goal] == 0
        for start in range(goal % 3, n, 3):
            assert guide.between(start, goal) == told[start]
            way = guide.astar(space, start, goal)
            assert (way.rows is None) == (true[start, goal] == NO_PATH)
            if way.rows is not None:
                assert way.ticks == true[start, goal]


@given(graph=arc_lists(largest=12), bytes_per_node=st.integers(8, 200))
def test_never_too_much_on_any_graph(graph: ArcList, bytes_per_node: int) -> None:
    sub = subgraph(*graph)
    found, at = made(sub, bytes_per_node=bytes_per_node)
    if found.table is not None:
        check(sub, found, at)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("bytes_per_node", [12, 60])
def test_never_too_much_on_families(
    family: Callable[[random.Random, int], list[Arc]], bytes_per_node: int
) -> None:
    n, arcs = seeded(family, 5, 40)
    sub = subgraph(n, arcs)
    check(sub, *made(sub, bytes_per_node=bytes_per_node))


def test_never_too_much_on_graphs_with_positions() -> None:
    rng = random.Random(4)
    n = 60
    at = np.array([(rng.randrange(2**20), rng.randrange(2**20)) for _ in range(n)], dtype=np.int32)
    arcs = []
    for a in range(n):
        near = np.argsort(((at - at[a]).astype(np.int64) ** 2).sum(axis=1), kind="stable")[1:5]
        for b in near.tolist():
            apart = float(np.hypot(*(at[a] - at[b]).astype(float)))
            arcs.append((a, b, int(apart * rng.uniform(1, 2)) + 1))
    sub = subgraph(n, arcs)
    slopes = plane_slopes(sub, at)
    assert len(slopes.slope) == 8
    check(sub, *made(sub, at, slopes))


@pytest.mark.parametrize(
    ("connectivity", "layout", "cost_rule", "terrains"),
    [
        (4, None, "mean", "floor wall"),
        (8, None, "mean", "floor floor wall"),
        (8, None, "entered", "floor mud road wall water ledge"),
        (8, None, "mean", "floor mud road"),
        *((6, layout, "mean", "floor floor mud wall") for layout in ("odd-r", "even-q")),
    ],
)
def test_never_too_much_on_lattices(
    connectivity: int, layout: str | None, cost_rule: str, terrains: str
) -> None:
    rng = random.Random(f"{connectivity} {layout} {terrains}")
    grid = [[rng.choice(terrains.split()) for _ in range(11)] for _ in range(9)]
    lattice = Lattice(grid, GROUND, "never", cost_rule, 27720)
    world = world_of(lattice, connectivity, layout)
    sub = usable_subgraph(world.graph, world.metrics["default"])
    at, slopes = coordinates(world, sub)
    assert len(slopes.slope) >= 4
    check(sub, *made(sub, at, slopes))


def test_open_ground_is_bounded_exactly_by_its_fields() -> None:
    """One basin of a row of cells: d(a, b) = |b - a|, and a slope says as much."""
    n = 40
    arcs = [(a, b, 10) for a in range(n) for b in (a - 1, a + 1) if 0 <= b < n]
    at = np.stack([np.arange(n), np.zeros(n)], axis=1).astype(np.int32)
    sub = subgraph(n, arcs)
    found, _ = made(sub, at, Slopes(np.array([[10, 0], [-10, 0]], dtype=np.int32), 0))
    guide = guide_of(found, at)
    assert guide is not None
    told = guide.estimate("maximum", 39).table[:, 0]
    assert told.tolist() == [10 * (39 - a) for a in range(n)]


def test_pivots_bound_both_ways_and_are_consistent() -> None:
    from bake.search.point.estimates import LANDMARKS, LANDMARKS_DIRECTED

    for seed, family in enumerate(FAMILIES):
        n, arcs = seeded(family, seed, 30)
        sub = subgraph(n, arcs)
        found, _ = made(sub, kind="landmark", bytes_per_node=16)
        assert found.table is None
        assert found.pivot.shape[1] <= 4
        kind = LANDMARKS if found.two_way else LANDMARKS_DIRECTED
        space = SearchSpace(sub.graph, sub.weight)
        true = true_distances(sub)
        tail = sub.graph.tail()
        for goal in range(n):
            h = space.estimates(Estimate("landmark", kind, table=found.pivot), goal)
            assert (h <= true[:, goal]).all()
            assert (h[tail] <= sub.weight + h[sub.graph.head]).all()


def test_threads_change_no_byte() -> None:
    n, arcs = seeded(FAMILIES[3], 1, 60)
    sub = subgraph(n, arcs)
    one, several = (made(sub, threads=threads)[0].table for threads in (1, 3))
    assert one is not None
    assert several is not None
    for name in ("label", "anchor", "distance", "chosen", "fields"):
        assert np.array_equal(getattr(one, name), getattr(several, name)), name


@given(st.integers(1, 10**6), st.integers(8, 256), st.booleans())
def test_the_budget_is_kept(rows: int, bytes_per_node: int, two_way: bool) -> None:
    for kind in ("field", "landmark"):
        size = heuristic_size(rows, bytes_per_node, kind=kind, two_way=two_way)
        label = 0 if not size.basins else 1 if size.basins <= 2**8 else 2
        spent = rows * (4 * size.pivots + label) + table_bytes(size.basins, two_way=two_way)
        assert spent <= max(bytes_per_node, 8) * rows
        assert two_way or size.pivots % 2 == 0
        assert size.basins <= rows


@pytest.mark.parametrize(
    ("rows", "bytes_per_node", "two_way", "expected"),
    [
        (10_000, 20, True, Size(2, 198)),  # 5 * 198 * 199 / 2 + 4 * 198 of 100,000 bytes
        (10_000, 20, False, Size(2, 141)),  # 5 * 141**2 + 4 * 141
        (10_000, 8, True, Size(0, 153)),
        (10_000, 10, True, Size(1, 125)),
        (10_000, 13, False, Size(0, 147)),  # two columns a pivot do not fit
        (100, 20, True, Size(2, 19)),  # labels of one byte
        (1_000_000, 60, True, Size(14, 134)),  # no more can be searched: the rest is pivots
        (1_000_000, 60, False, Size(14, 134)),
        (3, 60, True, Size(2, 3)),
    ],
)
def test_how_a_budget_is_spent(
    rows: int, bytes_per_node: int, two_way: bool, expected: Size
) -> None:
    assert heuristic_size(rows, bytes_per_node, kind="field", two_way=two_way) == expected


@pytest.mark.parametrize(
    ("rows", "bytes_per_node", "two_way", "pivots"),
    [
        (999, 20, True, 5),
        (999, 20, False, 4),
        (999, 256, True, 64),
        (3, 60, True, 3),
        (0, 8, False, 2),
    ],
)
def test_landmarks_take_all_of_it(
    rows: int, bytes_per_node: int, two_way: bool, pivots: int
) -> None:
    size = heuristic_size(rows, bytes_per_node, kind="landmark", two_way=two_way)
    assert size == Size(pivots, 0)


@pytest.mark.parametrize(("rows", "threads"), [(60, 1), (900, 1), (900, 3)])
@pytest.mark.parametrize("two_way", [True, False])
def test_memory_is_what_was_said(rows: int, threads: int, two_way: bool) -> None:
    """The refusal's own figure is enough, one byte less is not, and no more is ever used."""
    arcs = [(a, b, 1) for a in range(rows) for b in (a - 1, a + 1, a + 30) if 0 <= b < rows]
    if two_way:
        arcs = sorted({*arcs, *((b, a, ticks) for a, b, ticks in arcs)})
    sub = subgraph(rows, arcs)
    cell = np.stack([np.arange(rows) % 30, np.arange(rows) // 30], axis=1).astype(np.int32)
    size = heuristic_size(rows, 60, kind="field", two_way=two_way)

    def make(budget: int) -> Heuristic:
        return heuristic(
            sub, cell, square_slopes(sub, cell), kind="field", bytes_per_node=60, budget=budget,
            threads=threads,
        )  # fmt: skip

    least = table_memory(rows, size.basins, 1, two_way=two_way)
    with pytest.raises(BudgetError):
        make(least - 1)
    make(least)
    needed = table_memory(rows, size.basins, threads, two_way=two_way)
    tracemalloc.start()
    try:
        make(needed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # How many threads come to need memory of their own is not certain.
    assert least / 2 <= peak <= needed


def test_pairs_are_counted_as_they_lie() -> None:
    assert pair_count(3, two_way=True) == 6
    assert pair_count(3, two_way=False) == 9


def test_a_short_budget_is_refused_in_words() -> None:
    sub = subgraph(3, [(0, 1, 1), (1, 2, 1)])
    at = np.zeros((3, 2), dtype=np.int32)
    with pytest.raises(BudgetError, match="the heuristic of 3 nodes may need"):
        heuristic(sub, at, Slopes.none(), kind="field", bytes_per_node=20, budget=9, threads=1)


def test_nowhere_to_stand() -> None:
    found, _ = made(subgraph(0, []))
    assert found.table is None
    assert found.pivot.shape[0] == 0
