"""Lattices of every kind against rules applied cell by cell."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.graph import BLOCKED, usable_subgraph
from bake.core.movement import HEX_LAYOUTS
from bake.worlds import AgentProfile, World, build_world
from levelbake.steps import HexLayout, MovementRules
from tests.support.baked import GROUND, rows, rules_of
from tests.support.compare import check_hops, tables_of
from tests.support.oracles import Cell, Ground, Lattice, hex_arcs, square_arcs
from tests.support.strategies import TERRAINS, grids
from tests.support.worlds import CORNERS, COST_RULES, level_of, world_of

pytestmark = [
    pytest.mark.note(1, "rules applied cell by cell"),
    pytest.mark.note(20, "prices of steps, cell by cell"),
    pytest.mark.note(63, "rules applied cell by cell"),
]


def steps_of(world: World, profile: str = "default") -> dict[tuple[Cell, Cell], int]:
    """Ticks by (from, to) of every arc a profile may take; each pair at most once."""
    assert world.cell is not None
    cells = [tuple(cell) for cell in world.cell.tolist()]
    weight = world.metrics[profile].weight
    ends = zip(world.graph.tail().tolist(), world.graph.head.tolist(), strict=True)
    steps: dict[tuple[Cell, Cell], int] = {}
    for (tail, head), ticks in zip(ends, weight.tolist(), strict=True):
        if ticks != BLOCKED:
            assert (cells[tail], cells[head]) not in steps
            steps[cells[tail], cells[head]] = ticks
    return steps


def check(lattice: Lattice, connectivity: int, layout: HexLayout | None) -> None:
    world = world_of(lattice, connectivity, layout)
    assert world.cell is not None
    assert sorted((y, x) for x, y in world.cell.tolist()) == [(y, x) for x, y in lattice.cells()]
    if layout is None:
        assert steps_of(world) == square_arcs(lattice, connectivity)
    else:
        assert steps_of(world) == hex_arcs(lattice, layout)
        assert world.connectivity == 6


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("corner_cutting", CORNERS)
@pytest.mark.parametrize("cost_rule", COST_RULES)
@given(grid=grids())
def test_square(
    grid: list[list[str]], connectivity: int, corner_cutting: str, cost_rule: str
) -> None:
    check(Lattice(grid, GROUND, corner_cutting, cost_rule), connectivity, None)


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
@pytest.mark.parametrize("cost_rule", COST_RULES)
@given(grid=grids(), corner_cutting=st.sampled_from(CORNERS))
def test_hexagonal(
    grid: list[list[str]], layout: HexLayout, corner_cutting: str, cost_rule: str
) -> None:
    """Hexagons have no corners to cut: that rule must change nothing."""
    check(Lattice(grid, GROUND, corner_cutting, cost_rule), 8, layout)


@given(
    grid=grids(),
    costs=st.lists(
        st.sampled_from([None, 0.25, 0.5, 1.0, 1.5, 2.75, 1000.0]), min_size=6, max_size=6
    ),
    sources=st.lists(
        st.none() | st.lists(st.sampled_from(TERRAINS), unique=True).map(tuple),
        min_size=6,
        max_size=6,
    ),
    ticks_per_unit=st.sampled_from([4, 8, 1000, 27720, 2**16]),
    connectivity=st.sampled_from([4, 8]),
    corner_cutting=st.sampled_from(CORNERS),
    cost_rule=st.sampled_from(COST_RULES),
)
def test_any_terrain_at_any_scale(
    grid: list[list[str]],
    costs: list[float | None],
    sources: list[tuple[str, ...] | None],
    ticks_per_unit: int,
    connectivity: int,
    corner_cutting: str,
    cost_rule: str,
) -> None:
    ground = {
        name: Ground(cost, source)
        for name, cost, source in zip(TERRAINS, costs, sources, strict=True)
    }
    lattice = Lattice(grid, ground, corner_cutting, cost_rule, ticks_per_unit)
    if lattice.cells():
        check(lattice, connectivity, None)


@pytest.mark.parametrize("corner_cutting", CORNERS)
@given(grid=grids(largest=5))
def test_hops_on_lattices_are_optimal_and_the_first_of_equals(
    grid: list[list[str]], corner_cutting: str
) -> None:
    world = world_of(Lattice(grid, GROUND, corner_cutting), 8)
    sub = usable_subgraph(world.graph, world.metrics["default"])
    check_hops(sub, tables_of(sub, "floyd_warshall"))
    check_hops(sub, tables_of(sub, "dijkstra"))


@given(grid=grids())
def test_profiles_share_one_graph(grid: list[list[str]]) -> None:
    """Each profile sees its own lattice; arcs no profile can use are not kept."""
    boat = dict.fromkeys(TERRAINS, Ground(None)) | {"water": Ground(1), "ledge": Ground(2)}
    seen = {"walker": GROUND, "boat": boat}
    rules = MovementRules("never", "mean", 27720)
    profiles = [AgentProfile(name, rules_of(ground)) for name, ground in seen.items()]
    world = build_world(level_of(grid), profiles, rules, 8)
    for name, ground in seen.items():
        assert steps_of(world, name) == square_arcs(Lattice(grid, ground), 8)
        assert world.cell is not None
        open_cells = world.cell[world.metrics[name].passable].tolist()
        assert sorted(map(tuple, open_cells)) == sorted(Lattice(grid, ground).cells())
    usable = [metric.weight != BLOCKED for metric in world.metrics.values()]
    assert np.logical_or(*usable).all()


# -- single rules, drawn by hand ------------------------------------------------------------------

CORNER_CASES = [
    # a wall on both sides, on one, on none
    (".#", "#.", {"never": False, "one_free": False, "always": True}),
    (".#", "..", {"never": False, "one_free": True, "always": True}),
    ("..", "..", {"never": True, "one_free": True, "always": True}),
    # water on a side: entered from road and water only, so no way round the corner through it
    (".~", "..", {"never": False, "one_free": True, "always": True}),
    ("=~", "..", {"never": True, "one_free": True, "always": True}),
    # a ledge on a side can be entered from floor, but not the floor behind from it: it can
    (".v", "..", {"never": True, "one_free": True, "always": True}),
    ("=v", "..", {"never": False, "one_free": True, "always": True}),
]


@pytest.mark.parametrize(("above", "below", "expected"), CORNER_CASES)
@pytest.mark.parametrize("corner_cutting", CORNERS)
def test_corners(above: str, below: str, expected: dict[str, bool], corner_cutting: str) -> None:
    lattice = Lattice(rows(above, below), GROUND, corner_cutting)
    assert (((0, 0), (1, 1)) in steps_of(world_of(lattice, 8))) == expected[corner_cutting]


def test_the_edge_of_the_level_is_a_wall() -> None:
    """A diagonal flanked by the outside cannot exist, so nothing beyond the edge is looked at."""
    steps = steps_of(world_of(Lattice(rows("..."), GROUND), 8))
    assert steps == {
        ((0, 0), (1, 0)): 27720,
        ((1, 0), (0, 0)): 27720,
        ((1, 0), (2, 0)): 27720,
        ((2, 0), (1, 0)): 27720,
    }


def test_costs_by_hand() -> None:
    mean = steps_of(world_of(Lattice(rows(".m", "=="), GROUND, "never", "mean"), 8))
    assert mean[(0, 0), (1, 0)] == mean[(1, 0), (0, 0)] == 2 * 27720
    assert mean[(0, 0), (0, 1)] == 3 * 27720 // 4
    assert mean[(0, 0), (1, 1)] == 29401  # 0.75 x 39202.0...
    entered = steps_of(world_of(Lattice(rows(".m", "=="), GROUND, "never", "entered"), 8))
    assert entered[(0, 0), (1, 0)] == 3 * 27720
    assert entered[(1, 0), (0, 0)] == 27720
    assert entered[(0, 0), (1, 1)] == 19601


def test_slots_of_square_cells_turn_clockwise_from_east_straight_steps_first() -> None:
    open_square = [["floor"] * 3] * 3
    for connectivity in (4, 8):
        world = world_of(Lattice(open_square, GROUND), connectivity)
        expected = [(2, 1), (1, 2), (0, 1), (1, 0)]
        if connectivity == 8:
            expected += [(2, 2), (0, 2), (0, 0), (2, 0)]
        assert heads_of(world, (1, 1)) == expected


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
@pytest.mark.parametrize("cell", [(2, 2), (3, 2), (2, 3), (3, 3)])
def test_hexagons_touch_where_they_are_drawn_and_slots_turn_clockwise(
    layout: HexLayout, cell: Cell
) -> None:
    """Drawn as A. Patel's layouts are: neighbours' centres are all one width of a cell apart."""

    def centre(x: int, y: int) -> tuple[float, float]:
        shove = 0.5 if layout.startswith("odd") else -0.5
        if layout.endswith("r"):
            return x + shove * (y % 2), y * math.sqrt(3) / 2
        return x * math.sqrt(3) / 2, y + shove * (x % 2)

    world = world_of(Lattice([["floor"] * 6] * 6, GROUND), 8, layout)
    here = centre(*cell)
    near = {
        (x, y)
        for x in range(6)
        for y in range(6)
        if math.isclose(math.dist(here, centre(x, y)), 1, abs_tol=1e-9)
    }
    heads = heads_of(world, cell)
    assert set(heads) == near
    assert len(heads) == 6
    # y grows downward, so growing angles turn clockwise.
    angles = [
        math.degrees(math.atan2(centre(*head)[1] - here[1], centre(*head)[0] - here[0])) % 360
        for head in heads
    ]
    first = angles[0]
    assert [round((angle - first) % 360) for angle in angles] == [0, 60, 120, 180, 240, 300]


def heads_of(world: World, cell: Cell) -> list[Cell]:
    """Cells the arcs of a cell lead to, in slot order."""
    assert world.cell is not None
    node = world.cell.tolist().index(list(cell))
    graph = world.graph
    arcs = slice(graph.first_out[node], graph.first_out[node + 1])
    return [tuple(head) for head in world.cell[graph.head[arcs]].tolist()]
