"""Every answer of the reader on random levels of every kind, against slow and simple ones."""

import math
import random
from pathlib import Path

import numpy as np
import pytest

from bake.play import open_asset
from levelbake.steps import HexLayout
from tests.support.baked import (
    GROUND,
    LETTERS,
    bake,
    bake_grid,
    profile_for,
    recipe_for,
    write_graph,
    write_grid,
)
from tests.support.compare import check_navigator
from tests.support.oracles import (
    TICKS,
    Cell,
    Ground,
    Lattice,
    arcs_of,
    hex_arcs,
    optimal_hops,
    square_arcs,
)
from tests.support.strategies import FAMILIES, random_grid, seeded

pytestmark = [
    pytest.mark.note(11, "slow lookups on random levels"),
    pytest.mark.note(46, "slow paths on random levels"),
]

TABLES = [None, ("components", "next_hops"), ("components", "next_hops", "distances")]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("connectivity", [4, 8])
def test_square_levels(tmp_path: Path, seed: int, connectivity: int) -> None:
    grid = random_grid(seed, 8, 6)
    corner_cutting = ("never", "one_free", "always")[seed % 3]
    cost_rule = ("mean", "entered")[seed // 3]
    asset = bake_grid(
        tmp_path,
        grid,
        connectivity=connectivity,
        corner_cutting=corner_cutting,
        cost_rule=cost_rule,
        tables=TABLES[seed % 3],
    )
    lattice = Lattice(grid, GROUND, corner_cutting, cost_rule)
    steps = square_arcs(lattice, connectivity)
    exact = {}
    for here, there in steps:
        a, b = (GROUND[lattice.terrain(cell)].cost or 0 for cell in (here, there))
        unit = b if cost_rule == "entered" else (a + b) / 2
        exact[here, there] = unit * math.dist(here, there)
    with open_asset(asset) as level:
        assert (level.width, level.height, level.name) == (8, 6, "drawn")
        check_navigator(level.profile(), steps, lattice.cells(), exact)


@pytest.mark.parametrize("layout", ["odd-r", "even-r", "odd-q", "even-q"])
@pytest.mark.parametrize("cost_rule", ["mean", "entered"])
def test_hexagonal_levels(tmp_path: Path, layout: HexLayout, cost_rule: str) -> None:
    grid = random_grid(len(layout) + len(cost_rule), 7, 7)
    asset = bake_grid(tmp_path, grid, layout, cost_rule=cost_rule)
    lattice = Lattice(grid, GROUND, cost_rule=cost_rule)
    with open_asset(asset) as level:
        check_navigator(level.profile(), hex_arcs(lattice, layout), lattice.cells())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("named", [False, True])
def test_graph_levels(tmp_path: Path, family: object, named: bool) -> None:
    n, arcs = seeded(family, 31, 30)
    # Ids that are neither the nodes' numbers nor in order.
    names: list[str] | list[int] = (
        [f"Straße {node}" for node in range(n)]
        if named
        else [(node * 7919) % 10_007 - 5_000 for node in range(n)]
    )
    edges = [(names[a], names[b], w % 1000 + 1) for a, b, w in arcs]
    source = write_graph(tmp_path / "drawn.json", names, edges)
    steps: dict[tuple[object, object], int] = {}
    for a, b, weight in edges:
        steps[a, b] = min(weight * TICKS, steps.get((a, b), weight * TICKS))
    exact = {pair: ticks / TICKS for pair, ticks in steps.items()}
    with open_asset(bake(source)) as level:
        assert (level.width, level.height) == (0, 0)
        check_navigator(level.profile(), steps, list(names), exact)


def test_a_star_of_three_hundred_leaves(tmp_path: Path) -> None:
    """More arcs at a node than a byte can tell apart."""
    names = ["hub", *(f"leaf {number}" for number in range(300))]
    edges = [("hub", leaf, 1.0) for leaf in names[1:]]
    source = write_graph(tmp_path / "star.json", names, edges, directed=False)
    with open_asset(bake(source)) as level:
        nav = level.profile()
        assert [nav.next_hop("hub", leaf) for leaf in names[1:]] == names[1:]
        assert nav.next_hops(["hub"] * 300, names[1:]).tolist() == names[1:]
        assert {nav.next_hop(leaf, "leaf 299") for leaf in names[1:300]} == {"hub"}
        assert nav.next_hop("hub", "hub") == "hub"


def test_several_profiles(tmp_path: Path) -> None:
    grid = random_grid(40, 9, 7)
    boat = dict.fromkeys(LETTERS, Ground(None)) | {"water": Ground(1), "road": Ground(4)}
    seen = {"walker": GROUND, "boat": boat, "ghost": dict.fromkeys(LETTERS, Ground(1))}
    profiles = tuple(profile_for(name, ground) for name, ground in sorted(seen.items()))
    asset = bake_grid(tmp_path, grid, profiles=profiles)
    with open_asset(asset) as level:
        assert level.profiles == ("boat", "ghost", "walker")
        for name, ground in seen.items():
            lattice = Lattice(grid, ground)
            nav = level.profile(name)
            assert nav.name == name
            check_navigator(nav, square_arcs(lattice, 8), lattice.cells())


def test_a_profile_with_nowhere_to_stand(tmp_path: Path) -> None:
    """Another profile may have somewhere, so it is no mistake of the level."""
    from bake.play import BlockedCellError, QueryError

    nowhere = dict.fromkeys(LETTERS, Ground(None))
    profiles = (profile_for("a", GROUND), profile_for("b", nowhere))
    source = write_grid(tmp_path / "drawn.json", random_grid(41, 4, 4))
    for tables in TABLES:
        with open_asset(bake(source, recipe_for(profiles=profiles, tables=tables))) as level:
            nav = level.profile("b")
            for ask in (nav.next_hop, nav.distance, nav.path, nav.reachable):
                with pytest.raises(BlockedCellError):
                    ask((0, 0), (1, 1))
            with pytest.raises(BlockedCellError):
                nav.next_hops([(0, 0)], [(1, 1)])
            with pytest.raises(QueryError, match="nowhere"):
                nav.nearest((0, 0))


@pytest.mark.parametrize("cells", [[["floor"]], [["floor", "wall", "floor"]]])
def test_levels_without_an_arc(tmp_path: Path, cells: list[list[str]]) -> None:
    lattice = Lattice(cells, GROUND)
    for tables in TABLES:
        asset = bake_grid(tmp_path, cells, name="tiny", tables=tables)
        with open_asset(asset) as level:
            check_navigator(level.profile(), {}, lattice.cells())


def test_a_graph_without_an_edge(tmp_path: Path) -> None:
    with open_asset(bake(write_graph(tmp_path / "lone.json", ["a", "b"], []))) as level:
        check_navigator(level.profile(), {}, ["a", "b"])


@pytest.mark.parametrize("seed", range(5))
def test_nearest_on_a_grid(tmp_path: Path, seed: int) -> None:
    grid = random_grid(50 + seed, 9, 7, walls=0.8)
    lattice = Lattice(grid, GROUND)
    rng = random.Random(seed)
    points = [(rng.uniform(-3, 12), rng.uniform(-3, 10)) for _ in range(60)]
    points += [(rng.randint(-2, 10), rng.randint(-2, 8)) for _ in range(30)]
    points += [(rng.randint(0, 16) / 2, rng.randint(0, 12) / 2) for _ in range(30)]
    with open_asset(bake_grid(tmp_path, grid)) as level:
        nav = level.profile()
        for x, y in points:
            middle = (x - 0.5, y - 0.5)  # of a cell, one unit wide, whose number is its corner's
            expected = min(
                lattice.cells(), key=lambda cell: (math.dist(cell, middle), cell[1], cell[0])
            )
            if (math.floor(x), math.floor(y)) in lattice.cells():
                expected = math.floor(x), math.floor(y)
            assert nav.nearest((x, y)) == expected
            assert nav.nearest(np.array([x, y])) == expected


def test_nearest_in_a_graph(tmp_path: Path) -> None:
    rng = random.Random(9)
    names = [f"n{number}" for number in range(40)]
    positions = {name: (rng.uniform(-50, 50), rng.uniform(-50, 50)) for name in names}
    source = write_graph(tmp_path / "map.json", names, [("n0", "n1", 1.0)], positions=positions)
    with open_asset(bake(source)) as level:
        nav = level.profile()
        for _ in range(100):
            point = (rng.uniform(-70, 70), rng.uniform(-70, 70))
            assert nav.nearest(point) == min(names, key=lambda n: math.dist(positions[n], point))
        for name in names:
            assert nav.nearest(positions[name]) == name


def test_parallel_edges_take_the_cheapest(tmp_path: Path) -> None:
    edges = [("a", "b", 5.0), ("a", "b", 2.0), ("b", "a", 7.0), ("a", "b", 2.0)]
    with open_asset(bake(write_graph(tmp_path / "two.json", ["a", "b"], edges))) as level:
        nav = level.profile()
        assert nav.distance("a", "b") == 2
        assert nav.distance("b", "a") == 7
        assert nav.length(["a", "b", "a"]) == 9


def test_hops_are_among_the_optimal_ones(tmp_path: Path) -> None:
    """The same, asked of the oracle that searches from every neighbour."""
    grid = random_grid(60, 5, 5)
    lattice = Lattice(grid, GROUND)
    steps = square_arcs(lattice, 8)
    arcs = arcs_of(lattice.cells(), [(a, b, ticks) for (a, b), ticks in steps.items()])
    with open_asset(bake_grid(tmp_path, grid)) as level:
        nav = level.profile()
        for start in lattice.cells():
            for goal in lattice.cells():
                best: set[Cell] = optimal_hops(arcs, start, goal)
                hop = nav.next_hop(start, goal)
                assert hop in best or (not best and hop in (None, goal))
