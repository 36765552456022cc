"""Distances read off labels, beside plain Python's, compiled and without numba."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bake.core.arrays import AnyArray
from bake.play import Navigator, open_asset
from bake.play.reader.hops import DistanceLabels
from bake.project.recipe import LevelRecipe
from levelbake.errors import CorruptAssetError
from tests.support.baked import GROUND, bake, profile_for, recipe_for, rows, write_graph, write_grid
from tests.support.compare import check_navigator
from tests.support.levels import shared_level
from tests.support.oracles import (
    TICKS,
    Ground,
    Lattice,
    arcs_of,
    distances_from,
    hex_arcs,
    square_arcs,
)
from tests.support.strategies import FAMILIES, random_grid, seeded
from tests.support.tampering import edited
from tests.support.tower import baked_tower
from tests.support.uncompiled import without_compiler

pytestmark = pytest.mark.note(50, "labels in plain Python")

ALONE = ("distances",)
BESIDE = ("components", "next_hops", "distances")
LABELS = {"distance_storage": "labels"}


@pytest.fixture(params=["compiled", "uncompiled"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "uncompiled":
        without_compiler(monkeypatch)


def labels_of(nav: Navigator) -> DistanceLabels | None:
    return nav._current.baked[nav.name].columns.labels


def check_distances(nav: Navigator, places: list, steps: dict) -> None:
    """Every pair, one by one, in one call and by goal."""
    assert labels_of(nav) is not None
    arcs = arcs_of(places, [(a, b, ticks) for (a, b), ticks in steps.items()])
    starts, goals = [a for a in places for _ in places], [b for _ in places for b in places]
    truth = []
    for start in places:
        found = distances_from(arcs, start)
        truth += [found.get(goal, math.inf) / TICKS for goal in places]
    assert [nav.distance(a, b) for a, b in zip(starts, goals, strict=True)] == truth
    assert nav.distances(starts, goals).tolist() == truth
    for place, goal in enumerate(places):
        spread = nav.distances_to(goal)
        column = truth[place :: len(places)]
        if spread.ndim == 1:
            named = dict(zip(nav.node_names, spread.tolist(), strict=True))
            assert [named[start] for start in places] == column
        else:
            assert [spread[start[::-1]] for start in places] == column
            assert np.isfinite(spread).sum() == np.isfinite(column).sum()


@pytest.mark.parametrize("tables", [ALONE, BESIDE])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("either_way")
def test_lattices(seed: int, tables: tuple[str, ...], tmp_path: Path) -> None:
    """Ledges and walls part these: ways lead one way, and some places have none."""
    grid = random_grid(40 + seed, 9, 8)
    lattice = Lattice(grid, GROUND)
    recipe = recipe_for(tables=tables, **LABELS)
    for layout, steps in ((None, square_arcs(lattice, 8)), ("even-r", hex_arcs(lattice, "even-r"))):
        with open_asset(bake(write_grid(tmp_path / "drawn.json", grid, layout), recipe)) as level:
            check_distances(level.profile(), lattice.cells(), steps)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.usefixtures("either_way")
def test_graphs(family: Callable, tmp_path: Path) -> None:
    n, drawn = seeded(family, 3, 40)
    arcs = [(a, b, weight % 90 + 1) for a, b, weight in drawn]
    steps: dict[tuple[int, int], int] = {}
    for a, b, weight in arcs:
        if a != b:
            steps[a, b] = min(weight * TICKS, steps.get((a, b), weight * TICKS))
    source = write_graph(tmp_path / "graph.json", range(n), arcs)
    with open_asset(bake(source, LevelRecipe(tables=ALONE, **LABELS))) as level:
        check_distances(level.profile(), list(range(n)), steps)


def test_every_answer_beside_next_hops(tmp_path: Path) -> None:
    grid = random_grid(100, 8, 7)
    lattice = Lattice(grid, GROUND)
    recipe = recipe_for(tables=BESIDE, **LABELS)
    with open_asset(bake(write_grid(tmp_path / "drawn.json", grid), recipe)) as level:
        check_navigator(level.profile(), square_arcs(lattice, 8), lattice.cells())


def test_floors_links_and_sizes(tmp_path: Path) -> None:
    """Beside paths of next hops, for every profile of a level with everything in it."""
    hops = baked_tower(tmp_path, tables=("components", "next_hops")).rename(tmp_path / "hops.h5")
    labels = baked_tower(tmp_path, tables=ALONE, **LABELS)
    with open_asset(hops) as level, open_asset(labels) as other:
        for name in level.profiles:
            one, two = level.profile(name), other.profile(name)
            assert labels_of(one) is None
            assert labels_of(two) is not None
            places = one._now.rows.places(np.arange(one._now.version.row_count))
            starts, goals = [a for a in places for _ in places], [b for _ in places for b in places]
            assert one.distances(starts, goals).tolist() == two.distances(starts, goals).tolist()
            for goal in places:
                assert (one.distances_to(goal) == two.distances_to(goal)).all()


@pytest.mark.usefixtures("either_way")
def test_tiny_levels(tmp_path: Path) -> None:
    recipe = recipe_for(tables=ALONE, **LABELS)
    for name, cells, steps in (
        ("one", ["."], {}),
        ("apart", [".#."], {}),
        ("two", [".."], {((0, 0), (1, 0)): TICKS, ((1, 0), (0, 0)): TICKS}),
    ):
        grid = rows(*cells)
        with open_asset(bake(write_grid(tmp_path / f"{name}.json", grid), recipe)) as level:
            nav = level.profile()
            check_distances(nav, Lattice(grid, GROUND).cells(), steps)
            assert nav.distances([], []).tolist() == []


def test_a_profile_with_nowhere_to_stand(tmp_path: Path) -> None:
    nowhere = profile_for("fish", {**GROUND, "floor": Ground(None)})
    recipe = recipe_for(tables=ALONE, profiles=(nowhere, profile_for("hen", GROUND)), **LABELS)
    with open_asset(bake(write_grid(tmp_path / "floor.json", rows("..")), recipe)) as level:
        nav = level.profile("fish")
        assert nav.distances([], []).tolist() == []
        assert level.profile("hen").distance((0, 0), (1, 0)) == 1


@pytest.mark.usefixtures("either_way")
def test_a_real_map(tmp_path: Path) -> None:
    """The same distances as along next hops, for thousands of pairs."""
    source = tmp_path / "arena.map"
    source.write_bytes(shared_level("movingai/arena.map").read_bytes())
    recipe = LevelRecipe(tables=("next_hops",))
    hops = bake(source, recipe).rename(tmp_path / "hops.h5")
    with open_asset(hops) as level, open_asset(bake(source, LevelRecipe(tables=ALONE))) as other:
        one, two = level.profile(), other.profile()
        assert labels_of(two) is not None  # it is smaller
        rng = np.random.default_rng(3)
        places = one._now.version.cell_of_row
        starts, goals = places[rng.integers(len(places), size=(2, 3000))]
        assert (one.distances(starts, goals) == two.distances(starts, goals)).all()


# -- damage ----------------------------------------------------------------------------------------


def changed(path: Path, name: str, make: Callable[[AnyArray], None]) -> None:
    with edited(path) as file:
        column = file[f"/profiles/default/{name}"]
        array = column[()]
        make(array)
        column[...] = array


@pytest.mark.parametrize(
    ("name", "place", "value", "told"),
    [
        ("label_parent", 3, 3, "cycle"),
        ("label_parent", 0, -2, "label_parent has -2, not 0 to"),
        ("label_parent", 0, 99, "label_parent has 99, not 0 to"),
        ("label_parent", slice(None), -1, "do not fit label_parent"),
        ("label_away", 0, 255, "label_away has 255, not 0 to"),
        ("label_difference", slice(None), -5, "is no distance"),
        ("label_difference", slice(None), 2**30, "is no distance"),
        ("label_difference", slice(None), -(2**31), "is no distance"),
    ],
)
@pytest.mark.usefixtures("either_way")
def test_columns_that_make_no_labels(
    name: str, place: int, value: int, told: str, tmp_path: Path
) -> None:
    source = write_grid(tmp_path / "drawn.json", rows("......", ".#..#.", "......"))
    path = bake(source, recipe_for(tables=BESIDE, **LABELS))

    def put(array: AnyArray) -> None:
        array[place] = value

    changed(path, name, put)
    with open_asset(path) as level:
        nav = level.profile()
        assert nav.next_hop((0, 0), (5, 2)) is not None
        for ask in (
            lambda: nav.distance((0, 0), (5, 2)),
            lambda: nav.distances([(0, 0)], [(5, 2)]),
        ):
            with pytest.raises(CorruptAssetError, match=told) as caught:
                ask()
            assert "\n" not in str(caught.value)
            assert "rebake it" in str(caught.value)
