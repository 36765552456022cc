"""Next hops looked up in runs: by themselves, and against distances of scipy."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bake.core.arrays import Int32Array
from bake.play import BlockedCellError, Navigator, open_asset
from bake.play.reader import walk as walks
from bake.play.reader.engine import unchart
from bake.play.reader.hops import RunHops
from bake.project.recipe import LevelRecipe
from levelbake.errors import QueryError
from levelbake.steps import HexLayout, chart
from tests.support.baked import (
    GROUND,
    LETTERS,
    bake,
    profile_for,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)
from tests.support.command import BLOCKER, walk_apart
from tests.support.compare import by_scipy, check_navigator
from tests.support.oracles import TICKS, Ground, Lattice, hex_arcs, square_arcs
from tests.support.strategies import FAMILIES, random_grid, seeded

HOPS = ("components", "next_hops")
Places = Sequence[object]


def hops_of(nav: Navigator) -> RunHops:
    hops = nav._current.baked[nav.name].columns.hops
    assert isinstance(hops, RunHops)
    return hops


def all_pairs(count: int) -> tuple[Int32Array, Int32Array]:
    start, goal = np.divmod(np.arange(count * count, dtype=np.int32), np.int32(max(1, count)))
    return start, goal


def check_forms(source: Path, recipe: LevelRecipe | None = None) -> None:
    """Runs answer alike one by one and many at once, and lead as far as scipy says."""
    with open_asset(bake(source, replace(recipe or LevelRecipe(), tables=HOPS))) as level:
        for profile in level.profiles:
            nav = level.profile(profile)
            tables, runs = nav._now.version, hops_of(nav)
            count = runs.rows
            start, goal = all_pairs(count)
            one_by_one = [
                runs.slot(a, b) for a, b in zip(start.tolist(), goal.tolist(), strict=True)
            ]
            assert runs.slots(start, goal).tolist() == one_by_one
            for place, distance in enumerate(by_scipy(tables.usable).T):
                _, ticks = nav._current.baked[profile].columns.steps.toward(place)
                assert np.array_equal(ticks, distance)
            slots = np.array(one_by_one, dtype=np.int64)
            expected = by_scipy(tables.usable).reshape(-1)
            assert np.array_equal(slots < 0, np.isinf(expected) | (start == goal))
            places = places_of(nav)
            pairs = [places[row] for row in start], [places[row] for row in goal]
            ticks_per_unit = tables.places.ticks_per_unit
            assert np.array_equal(nav.distances(*pairs), expected / ticks_per_unit)


def places_of(nav: Navigator) -> list[object]:
    tables = nav._now.version
    return nav._now.rows.places(np.arange(tables.row_count))


# -- lookups on random levels ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("compiled", [True, False])
def test_square_levels(
    seed: int, compiled: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not compiled:
        request.getfixturevalue("uncompiled")
    recipe = recipe_for(
        connectivity=(4, 8)[seed % 2],
        corner_cutting=("never", "one_free", "always")[seed % 3],
        cost_rule=("mean", "entered")[seed // 3],
    )
    grid = random_grid(70 + seed, 11, 9, walls=0.1)
    check_forms(write_grid(tmp_path / "drawn.json", grid), recipe)


@pytest.mark.parametrize("layout", ["odd-r", "even-r", "odd-q", "even-q"])
def test_hexagonal_levels(layout: HexLayout, tmp_path: Path) -> None:
    open_ground = [["floor"] * 9 for _ in range(9)]
    open_ground[4][4] = "wall"
    check_forms(write_grid(tmp_path / "open.json", open_ground, layout), recipe_for())
    grid = random_grid(len(layout), 8, 8)
    check_forms(write_grid(tmp_path / "drawn.json", grid, layout), recipe_for())


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("closure", [True, False])
def test_graph_levels(
    family: object,
    compiled: bool,
    closure: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if not compiled:
        request.getfixturevalue("uncompiled")
    if not closure:
        monkeypatch.setattr("bake.tables.components.MAX_CLOSURE", 0)
    n, arcs = seeded(family, 81, 80)
    edges = [(a, b, w % 1000 + 1) for a, b, w in arcs]
    check_forms(write_graph(tmp_path / "drawn.json", range(n), edges))


def test_several_profiles(tmp_path: Path) -> None:
    boat = dict.fromkeys(LETTERS, Ground(None)) | {"water": Ground(1), "road": Ground(4)}
    profiles = (profile_for("boat", boat), profile_for("walker", GROUND))
    source = write_grid(tmp_path / "drawn.json", random_grid(91, 12, 8))
    check_forms(source, recipe_for(profiles=profiles))


@pytest.mark.parametrize("leaves", [255, 300])
def test_more_arcs_than_a_byte_counts(leaves: int, tmp_path: Path) -> None:
    edges = [(0, leaf, 1.0) for leaf in range(1, leaves + 1)]
    source = write_graph(tmp_path / "star.json", range(leaves + 1), edges, directed=False)
    with open_asset(bake(source, LevelRecipe(tables=HOPS))) as level:
        nav = level.profile()
        runs = hops_of(nav)
        assert runs.symbol.dtype == np.uint16
        assert [nav.next_hop(0, leaf) for leaf in range(1, leaves + 1)] == [*range(1, leaves + 1)]
        first, path = nav.paths([1] * (leaves - 1), range(2, leaves + 1))
        assert np.diff(first).tolist() == [3] * (leaves - 1)
        assert path.reshape(-1, 3).tolist() == [[1, 0, leaf] for leaf in range(2, leaves + 1)]


@pytest.mark.parametrize(("walkers", "portion"), [(1, 1), (2, 8), (5, 64)])
def test_paths_longer_than_their_buffers(
    walkers: int, portion: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many walk in step, and wherever a buffer ends, the paths are the same."""
    source = write_grid(tmp_path / "drawn.json", random_grid(17, 12, 9))
    with open_asset(bake(source, LevelRecipe(tables=HOPS))) as level:
        nav = level.profile()
        cells = np.argwhere(np.isfinite(nav.distances_to(nav.nearest((5, 5)))))[:, ::-1]
        pairs = cells[np.random.default_rng(5).integers(0, len(cells), (60, 2))]
        alone = [nav.path(tuple(a), tuple(b)) for a, b in pairs.tolist()]
        monkeypatch.setattr(walks, "WALKERS", walkers)
        monkeypatch.setattr(walks, "PORTION", portion)
        monkeypatch.setattr(walks, "ROOM", walkers)
        first, path = nav.paths(pairs[:, 0], pairs[:, 1])
        assert alone == [nav.path(tuple(a), tuple(b)) for a, b in pairs.tolist()]
        ways = [nav.distance(tuple(a), tuple(b)) for a, b in pairs.tolist()]
        assert nav.distances(pairs[:, 0], pairs[:, 1]).tolist() == ways
    together = [
        [tuple(cell) for cell in path[a:b].tolist()] or None for a, b in pairwise(first.tolist())
    ]
    assert together == alone


@pytest.mark.parametrize("layout", [None, "odd-r", "even-r", "odd-q", "even-q"])
def test_charts_have_a_way_back(layout: HexLayout | None) -> None:
    cell = np.array([(x, y) for y in range(5) for x in range(7)], dtype=np.int32)
    assert np.array_equal(unchart(chart(cell, layout), layout), cell)


@pytest.mark.parametrize("seed", range(3))
def test_every_answer_of_a_navigator(seed: int, tmp_path: Path) -> None:
    """Paths, distances, next hops and reachability of every pair, against plain Python."""
    for tables in (HOPS, None):
        grid = random_grid(100 + seed, 8, 7)
        recipe = recipe_for(tables=tables)
        lattice = Lattice(grid, GROUND)
        with open_asset(bake(write_grid(tmp_path / "drawn.json", grid), recipe)) as level:
            check_navigator(level.profile(), square_arcs(lattice, 8), lattice.cells())
        with open_asset(bake(write_grid(tmp_path / "hex.json", grid, "odd-q"), recipe)) as level:
            check_navigator(level.profile(), hex_arcs(lattice, "odd-q"), lattice.cells())


@pytest.mark.parametrize("closure", [True, False])
def test_every_answer_where_ways_lead_one_way(
    closure: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not closure:
        monkeypatch.setattr("bake.tables.components.MAX_CLOSURE", 0)
    n, arcs = seeded(FAMILIES[6], 5, 40)
    steps: dict[tuple[int, int], int] = {}
    for a, b, weight in arcs:
        steps[a, b] = min(weight * TICKS, steps.get((a, b), weight * TICKS))
    source = write_graph(tmp_path / "layers.json", range(n), arcs)
    asset = bake(source, LevelRecipe(tables=HOPS))
    with open_asset(asset) as level:
        nav = level.profile()
        check_navigator(nav, steps, list(range(n)))
        assert (nav._now.version.reach is None) != closure


# -- small levels ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [[["floor"]], [["floor", "wall", "floor"]]])
def test_levels_without_an_arc(cells: list[list[str]], tmp_path: Path) -> None:
    recipe = recipe_for(tables=HOPS)
    with open_asset(bake(write_grid(tmp_path / "tiny.json", cells), recipe)) as level:
        nav = level.profile()
        here = Lattice(cells, GROUND).cells()
        check_navigator(nav, {}, here)
        first, path = nav.paths([*here, here[0]], [*here, here[-1]])
        alone = len(here) == 1
        assert np.diff(first).tolist() == [1] * len(here) + [int(alone)]
        assert path.tolist() == [list(cell) for cell in here + here * alone]
        assert np.isfinite(nav.distances_to(here[0])).sum() == 1


def test_a_profile_with_nowhere_to_stand(tmp_path: Path) -> None:
    """Runs of no row are no damage: the mistake is in the question."""
    nowhere = dict.fromkeys(LETTERS, Ground(None))
    profiles = (profile_for("a", GROUND), profile_for("b", nowhere))
    source = write_grid(tmp_path / "drawn.json", random_grid(41, 4, 4))
    recipe = recipe_for(profiles=profiles, tables=HOPS)
    with open_asset(bake(source, recipe)) as level:
        nav = level.profile("b")
        for ask in (nav.path, nav.distance, nav.reachable, nav.next_hop):
            with pytest.raises(BlockedCellError):
                ask((0, 0), (1, 1))
        for ask_many in (nav.next_hops, nav.paths, nav.distances):
            with pytest.raises(BlockedCellError):
                ask_many([(0, 0)], [(1, 1)])
        with pytest.raises(BlockedCellError):
            nav.distances_to((0, 0))


# -- many paths and distances ------------------------------------------------------------------


def check_paths(nav: Navigator, starts: Places, goals: Places) -> None:
    """`paths` gives what `path` gives, pair by pair, and `distances` what `distance` gives."""
    first, places = nav.paths(starts, goals)
    distances = nav.distances(starts, goals)
    assert first.dtype == np.int64
    assert first[0] == 0
    assert len(first) == len(starts) + 1
    assert first[-1] == len(places)
    assert distances.dtype == np.float64
    for pair, (start, goal) in enumerate(zip(starts, goals, strict=True)):
        way = nav.path(start, goal)
        found = places[first[pair] : first[pair + 1]].tolist()
        found = [tuple(place) if isinstance(place, list) else place for place in found]
        assert found == (way or [])
        assert distances[pair] == nav.distance(start, goal)


@pytest.mark.parametrize("compiled", [True, False])
def test_paths_of_every_pair(
    compiled: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if not compiled:
        request.getfixturevalue("uncompiled")
    grid = write_grid(tmp_path / "grid.json", random_grid(120, 9, 7))
    n, arcs = seeded(FAMILIES[7], 14, 30)
    names = [f"n{node}" for node in range(n)]
    edges = [(names[a], names[b], float(w)) for a, b, w in arcs]
    graph = write_graph(tmp_path / "graph.json", names, edges)
    for source, recipe in (
        (grid, recipe_for(tables=HOPS)),
        (graph, LevelRecipe(tables=HOPS)),
    ):
        with open_asset(bake(source, recipe)) as level:
            nav = level.profile()
            places = places_of(nav)
            pairs = [(a, b) for a in places for b in places]
            random.Random(1).shuffle(pairs)
            starts, goals = [a for a, _ in pairs], [b for _, b in pairs]
            check_paths(nav, starts, goals)
            assert np.isinf(nav.distances(starts, goals)).any()
            check_paths(nav, starts[:1], goals[:1])
            for first, given in (nav.paths([], []), nav.paths(starts[:0], goals[:0])):
                assert first.tolist() == [0]
                assert len(given) == 0
            with pytest.raises(QueryError, match="1 starts for 2 goals"):
                nav.paths(starts[:1], goals[:2])
            with pytest.raises(QueryError, match="2 starts for 1 goals"):
                nav.distances(starts[:2], goals[:1])


@pytest.mark.parametrize("compiled", [True, False])
def test_paths_far_longer_than_expected(
    compiled: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The buffer grows, in the midst of a path and between two, more than once."""
    if not compiled:
        request.getfixturevalue("uncompiled")
    length = 1300
    source = write_grid(tmp_path / "alley.json", [["floor"] * length])
    with open_asset(bake(source, recipe_for(tables=HOPS))) as level:
        nav = level.profile()
        assert nav.path((0, 0), (length - 1, 0)) == [(x, 0) for x in range(length)]
        assert nav.path((length - 1, 0), (0, 0)) == [(x, 0) for x in reversed(range(length))]
        assert nav.distance((length - 1, 0), (0, 0)) == length - 1
        first, places = nav.paths([(0, 0)], [(length - 1, 0)])
        assert first.tolist() == [0, length]
        assert places[:, 0].tolist() == [*range(length)]
        starts = [(x, 0) for x in range(0, length, 41)]
        goals = [(length - 1 - x, 0) for x, _ in starts]
        first, places = nav.paths(starts, goals)
        for pair, ((start, _), (goal, _)) in enumerate(zip(starts, goals, strict=True)):
            way = [*range(start, goal + 1)] if start <= goal else [*range(start, goal - 1, -1)]
            assert places[first[pair] : first[pair + 1], 0].tolist() == way
        assert nav.distances(starts, goals).tolist() == [
            abs(a - b) for (a, _), (b, _) in zip(starts, goals, strict=True)
        ]


def test_distances_to_one_goal(tmp_path: Path) -> None:
    grid = random_grid(130, 9, 7)
    source = write_grid(tmp_path / "grid.json", grid)
    with open_asset(bake(source, recipe_for(tables=HOPS))) as level:
        nav = level.profile()
        cells = Lattice(grid, GROUND).cells()
        for goal in cells[::5]:
            spread = nav.distances_to(goal)
            assert spread.shape == (7, 9)
            for y in range(7):
                for x in range(9):
                    expected = nav.distance((x, y), goal) if (x, y) in cells else math.inf
                    assert spread[y, x] == expected
        assert nav.node_names == ()
        with pytest.raises(QueryError):
            nav.distances_to((99, 0))


def test_distances_to_one_node(tmp_path: Path) -> None:
    n, arcs = seeded(FAMILIES[6], 15, 30)
    edges = [(f"n{a}", f"n{b}", float(w)) for a, b, w in arcs]
    source = write_graph(tmp_path / "graph.json", [f"n{node}" for node in range(n)], edges)
    asset = bake(source, LevelRecipe(tables=HOPS))
    with open_asset(asset) as level:
        nav = level.profile()
        assert sorted(nav.node_names) == sorted(f"n{node}" for node in range(n))
        for goal in nav.node_names[::4]:
            expected = [nav.distance(start, goal) for start in nav.node_names]
            assert nav.distances_to(goal).tolist() == expected


# -- what a game ships -----------------------------------------------------------------------------

SHIPPED = """
import numpy as np
from bake.play import open_asset

with open_asset(sys.argv[1]) as level:
    nav = level.profile()
    assert nav.next_hop((0, 0), (3, 0)) == (1, 0)
    assert nav.next_hops([(0, 0)], [(3, 0)]).tolist() == [[1, 0]]
    first, path = nav.paths([(0, 0), (3, 0)], [(3, 0), (3, 0)])
    assert first.tolist() == [0, 4, 5]
    assert path.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0], [3, 0]]
    assert nav.distances([(0, 0)], [(3, 0)]).tolist() == [3]
    assert nav.distances_to((3, 0))[0].tolist() == [3, 2, 1, 0]
assert "numba" not in sys.modules
print("ok")
"""


def test_runs_are_followed_where_nothing_else_is_installed(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "drawn.json", rows("....", "...."))
    asset = bake(source, recipe_for(GROUND, tables=HOPS))
    done = walk_apart(BLOCKER + SHIPPED, str(asset))
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "ok"
