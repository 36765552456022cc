"""Geometric heuristics: no arc ever breaks one that says it is consistent, jumps included."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.arrays import Int32Array
from bake.core.graph import Graph
from bake.search.point.estimates import (
    Estimate,
    cell_norm,
    euclidean,
    hex_norm,
    position_norm,
    quantised,
    ranked_by_length,
)
from bake.search.point.space import SearchSpace
from tests.support.baked import GROUND
from tests.support.oracles import (
    Ground,
    Lattice,
    arcs_of,
    distances_from,
    hex_arcs,
    offset_to_cube,
    square_arcs,
)
from tests.support.strategies import grids

pytestmark = [
    pytest.mark.note(3, "every arc of random levels"),
    pytest.mark.note(4, "every arc of random levels"),
    pytest.mark.note(48, "every arc of random levels"),
    pytest.mark.note(89, "every arc of random levels"),
]

Ends = tuple[Int32Array, Int32Array, Int32Array]
NORMS = ("manhattan", "octile", "chebyshev")


def laid_out(
    steps: dict[tuple[tuple[int, int], tuple[int, int]], int], cells: list[tuple[int, int]]
) -> tuple[Int32Array, Ends]:
    row = {cell: number for number, cell in enumerate(cells)}
    arcs = [(row[a], row[b], ticks) for (a, b), ticks in steps.items()]
    ends = np.array(arcs, dtype=np.int32).reshape(-1, 3)
    return np.array(cells, np.int32).reshape(-1, 2), (ends[:, 0], ends[:, 1], ends[:, 2])


def values(estimate: Estimate, n: int, arcs: Ends) -> list[list[int]]:
    graph, order = Graph.from_arcs(n, arcs[0], arcs[1])
    space = SearchSpace(graph, arcs[2][order])
    return [space.estimates(estimate, goal).tolist() for goal in range(n)]


def check(estimate: Estimate, at: Int32Array, arcs: Ends) -> bool:
    """What it says of itself is so; returns whether it is consistent."""
    n = len(at)
    tail, head, weight = (one.tolist() for one in arcs)
    table = values(estimate, n, arcs)
    by_tail = arcs_of(range(n), zip(tail, head, weight, strict=True))
    far = [distances_from(by_tail, start) for start in range(n)]
    consistent = all(
        h[a] <= h[b] + w for h in table for a, b, w in zip(tail, head, weight, strict=True)
    )
    admissible = all(
        table[goal][start] <= ticks for start in range(n) for goal, ticks in far[start].items()
    )
    assert all(table[goal][goal] == 0 for goal in range(n))
    assert not estimate.consistent or consistent
    assert not estimate.admissible or admissible
    return consistent and admissible


@given(
    grids(),
    st.sampled_from(("never", "one_free", "always")),
    st.sampled_from(("mean", "entered")),
    st.sampled_from((4, 8)),
    st.lists(
        st.tuples(st.integers(0, 48), st.integers(0, 48), st.integers(1, 200_000)), max_size=2
    ),
)
def test_cells(
    grid: list[list[str]],
    corners: str,
    cost_rule: str,
    connectivity: int,
    links: list[tuple[int, int, int]],
) -> None:
    """Terrain, one-way ledges, corner and cost rules, and links that jump."""
    lattice = Lattice(grid, GROUND, corners, cost_rule)
    cells = lattice.cells()
    steps = square_arcs(lattice, connectivity)
    for a, b, ticks in links:
        ends = cells[a % len(cells)], cells[b % len(cells)]
        if ends[0] != ends[1]:
            steps[ends] = min(ticks, steps.get(ends, ticks))
    at, arcs = laid_out(steps, cells)
    diagonal = any(abs(a[0] - b[0]) == abs(a[1] - b[1]) == 1 for a, b in steps)
    for name in NORMS:
        estimate = cell_norm(name, at, *arcs)
        good = check(estimate, at, arcs)
        assert estimate.consistent == good or name != "manhattan"
        if name != "manhattan" or not diagonal:
            assert estimate.consistent
    assert check(euclidean(at, *arcs), at, arcs)
    for name in NORMS:
        assert check(position_norm(name, quantised(at.astype(np.float64)), *arcs), at, arcs)


@pytest.mark.parametrize("layout", ["odd-r", "even-r", "odd-q", "even-q"])
def test_hexagons(layout: str) -> None:
    grid = [["floor", "mud", "floor", "road", "floor"] for _ in range(5)]
    grid[2][2] = "wall"
    lattice = Lattice(grid, GROUND)
    steps = hex_arcs(lattice, layout)
    cells = lattice.cells()
    _, arcs = laid_out(steps, cells)
    axial = np.array([offset_to_cube(layout, cell)[:2] for cell in cells], np.int32)
    assert check(hex_norm(axial, *arcs), axial, arcs)
    plain = Lattice([["floor"] * 5 for _ in range(5)], {"floor": Ground(1)})
    cells = plain.cells()
    _, arcs = laid_out(hex_arcs(plain, layout), cells)
    axial = np.array([offset_to_cube(layout, cell)[:2] for cell in cells], np.int32)
    # Nothing is in the way here, so the norm is the distance itself.
    table = values(hex_norm(axial, *arcs), len(cells), arcs)
    by_tail = arcs_of(range(len(cells)), zip(*(one.tolist() for one in arcs), strict=True))
    for start in range(len(cells)):
        for goal, ticks in distances_from(by_tail, start).items():
            assert table[goal][start] == ticks


def open_field(connectivity: int) -> tuple[Int32Array, Ends]:
    lattice = Lattice([["floor"] * 6 for _ in range(6)], {"floor": Ground(1)})
    return laid_out(square_arcs(lattice, connectivity), lattice.cells())


def test_octile_is_the_distance_on_open_ground() -> None:
    at, arcs = open_field(8)
    octile = cell_norm("octile", at, *arcs)
    assert (octile.straight, octile.extra) == (27720, 39202 - 27720)
    assert values(octile, 36, arcs)[0][35] == 5 * 39202


def test_manhattan_with_diagonals_is_told_inadmissible() -> None:
    at, arcs = open_field(8)
    manhattan = cell_norm("manhattan", at, *arcs)
    assert (manhattan.straight, manhattan.extra) == (27720, 27720)
    assert manhattan.admissible is manhattan.consistent is False
    assert not check(manhattan, at, arcs)
    at, arcs = open_field(4)
    assert cell_norm("manhattan", at, *arcs).admissible


def test_a_jump_lowers_the_scale_and_no_more_than_it_must() -> None:
    at, (tail, head, weight) = open_field(8)
    ends = np.append(tail, np.int32(0)), np.append(head, np.int32(35))
    arcs = (*ends, np.append(weight, np.int32(39202)))
    octile = cell_norm("octile", at, *arcs)
    assert octile.consistent
    assert (octile.straight, octile.extra) == (27720 // 5, (39202 - 27720) // 5)
    assert check(octile, at, arcs)
    far_enough = (*ends, np.append(weight, np.int32(5 * 39202)))
    assert cell_norm("octile", at, *far_enough).straight == 27720


Norm = Callable[[Int32Array, Ends], Estimate]


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=7),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 2**29)), max_size=20),
)
def test_positions(points: list[tuple[float, float]], roads: list[tuple[int, int, int]]) -> None:
    n = len(points)
    roads = [(a % n, b % n, w) for a, b, w in roads if a % n != b % n]
    ends = np.array(roads, dtype=np.int32).reshape(-1, 3)
    arcs = ends[:, 0], ends[:, 1], ends[:, 2]
    at = quantised(np.array(points))
    assert check(euclidean(at, *arcs), at, arcs)
    for name in NORMS:
        assert check(position_norm(name, at, *arcs), at, arcs)


@given(
    st.lists(st.tuples(*[st.integers(-20, 20)] * 3), min_size=2, max_size=7),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 2**29)), max_size=20),
)
def test_positions_in_space(
    points: list[tuple[int, ...]], roads: list[tuple[int, int, int]]
) -> None:
    """Never less than in the plane; few arcs decide as all of them do."""
    n = len(points)
    roads = [(a % n, b % n, w) for a, b, w in roads if a % n != b % n]
    ends = np.array(roads, dtype=np.int32).reshape(-1, 3)
    arcs = ends[:, 0], ends[:, 1], ends[:, 2]
    at = np.array(points, dtype=np.int32)
    estimate = euclidean(at, *arcs)
    assert check(estimate, at, arcs)
    below = values(euclidean(np.ascontiguousarray(at[:, :2]), *arcs), n, arcs)
    assert (np.array(values(estimate, n, arcs)) >= np.array(below)).all()
    order = ranked_by_length("euclidean", at, *arcs).deciding(np.zeros(n, dtype=np.bool_))
    assert len(order) <= 2
    decided = euclidean(at, *(one[order] for one in arcs))
    assert (decided.scale, decided.scale_in_space) == (estimate.scale, estimate.scale_in_space)


def test_a_shaft() -> None:
    """Nodes over one another: all of the distance is height."""
    at = np.array([[0, 0, 0], [0, 0, 3], [0, 0, 7]], dtype=np.int32)
    arcs = tuple(np.array(one, np.int32) for one in ([0, 1], [1, 2], [300, 400]))
    assert values(euclidean(at, *arcs), 3, arcs)[2] in ([700, 400, 0], [699, 399, 0])
    assert values(euclidean(at[:, :2].copy(), *arcs), 3, arcs)[2] == [0, 0, 0]


@pytest.mark.parametrize("extent", [0.0, 1e-300, 1e300, 1.7e308])
def test_positions_of_any_size(extent: float) -> None:
    at = quantised(np.array([[-extent, 0.0], [extent, 0.0], [0.0, 0.0]]))
    assert at.dtype == np.int32
    arcs = tuple(np.array(one, np.int32) for one in ([0, 1], [1, 2], [5, 7]))
    assert check(euclidean(at, *arcs), at, arcs)


def test_nothing_at_all() -> None:
    none = np.zeros(0, np.int32)
    at = np.zeros((1, 2), np.int32)
    for estimate in (
        *(cell_norm(name, at, none, none, none) for name in NORMS),
        *(position_norm(name, at, none, none, none) for name in NORMS),
        euclidean(at, none, none, none),
        hex_norm(at, none, none, none),
    ):
        assert values(estimate, 1, (none, none, none)) == [[0]]
    assert quantised(np.zeros((0, 2))).shape == (0, 2)
