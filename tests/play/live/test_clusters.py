"""Clusters, layers and bounds of levels that change, beside fresh bakes and by hand."""

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from bake.play import LevelAsset, MissingTableError, Navigator, open_asset
from bake.project.recipe import LevelRecipe
from tests.support.anew import compare_with_a_bake
from tests.support.baked import bake, recipe_for, rows, write_graph, write_grid
from tests.support.rebuilt import check_hierarchy
from tests.support.tower import TOWER, tower_recipe, write_tower

EVERYTHING = ("components", "next_hops", "hierarchy", "cluster_distances", "heuristic")

#: Two rooms of four by four, and a door in the wall between them.
ROOMS = (
    "........",
    "...##...",
    "...##...",
    "...##...",
)


@pytest.fixture(scope="module")
def asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = recipe_for(cluster_size=4, tables=EVERYTHING)
    source = write_grid(tmp_path_factory.mktemp("rooms") / "rooms.json", rows(*ROOMS))
    return bake(source, recipe)


@pytest.fixture
def level(asset: Path) -> Iterator[LevelAsset]:
    with open_asset(asset) as level:
        yield level


def test_a_wall_cuts_a_cluster_in_two_and_a_gap_joins_it_again(level: LevelAsset) -> None:
    nav = level.profile()
    assert (nav.search.cluster((0, 0)), nav.search.cluster((7, 3))) == (0, 1)
    report = nav.update(blocked=[(0, 1), (1, 1), (2, 1)])
    assert report.clusters == (0, 1)
    assert [nav.search.cluster(cell) for cell in ((0, 0), (0, 2), (7, 3))] == [0, 1, 2]
    assert nav.search.cluster_distance(0, 1) == math.inf
    assert nav.search.cluster_distance(0, 2) == 1
    assert nav.path((0, 2), (7, 3), "hpa") is None
    assert nav.search.walk((0, 2), (7, 3)) is None
    nav.update(opened=[(1, 1), (3, 2)])
    assert [nav.search.cluster(cell) for cell in ((0, 0), (0, 2), (3, 2), (7, 3))] == [0, 0, 0, 1]
    walked = nav.search.walk((0, 2), (7, 3))
    assert walked is not None
    assert list(walked)[-1] == (7, 3)
    nav.update(blocked=[(3, 2)], opened=[(0, 1), (2, 1)])
    check_hierarchy(nav._now)


def test_a_gap_lowers_bounds_no_further_than_the_way_through_it(level: LevelAsset) -> None:
    nav = level.profile()
    far = (2, 3), (5, 3)
    before = nav.search.estimate(*far)
    assert 3 < before <= nav.distance(*far)
    nav.update(blocked=[(7, 0)])
    assert nav.search.estimate(*far) == before
    nav.update(opened=[(3, 3), (4, 3)])
    assert nav.distance(*far) == 3
    assert nav.search.estimate(*far) == 3
    assert nav.search(*far).cost == 3
    # Away from the gap the bound is what it was.
    assert nav.search.estimate((0, 0), (2, 0)) == 2
    assert nav.search.estimate((3, 3), (4, 3)) == 1


def test_what_was_not_baked_is_missing_after_an_update_too(tmp_path: Path) -> None:
    recipe = recipe_for(tables=("components", "next_hops"))
    with open_asset(bake(write_grid(tmp_path / "bare.json", rows(*ROOMS)), recipe)) as level:
        nav = level.profile()
        report = nav.update(blocked=[(1, 1)])
        assert report.clusters == ()
        for ask in (
            lambda: nav.search.walk((0, 0), (7, 0)),
            lambda: nav.path((0, 0), (7, 0), "hpa"),
            lambda: nav.search.cluster((0, 0)),
            lambda: nav.search.cluster_distance(0, 0),
            lambda: nav.search.estimate((0, 0), (7, 0), "maximum"),
        ):
            with pytest.raises(MissingTableError):
                ask()


def test_clusters_alone_follow_as_well(tmp_path: Path) -> None:
    recipe = recipe_for(cluster_size=4, tables=("components", "cluster_distances"))
    recipe = LevelRecipe(**{**recipe.__dict__, "hierarchy": "none"})
    with open_asset(bake(write_grid(tmp_path / "bare.json", rows(*ROOMS)), recipe)) as level:
        nav = level.profile()
        nav.update(blocked=[(0, 1), (1, 1), (2, 1)])
        assert [nav.search.cluster(cell) for cell in ((0, 0), (0, 2), (7, 3))] == [0, 1, 2]
        assert nav.search.cluster_distance(2, 0) == 1
        with pytest.raises(MissingTableError):
            nav.search.walk((0, 0), (7, 0))


@pytest.mark.parametrize("regions", [False, True])
def test_floors_regions_and_links(tmp_path: Path, regions: bool) -> None:
    recipe = tower_recipe(
        cluster_size=4, cluster_regions=regions, tables=EVERYTHING, hierarchy="hpa", spacing=2
    )
    asset = bake(write_tower(tmp_path), recipe)
    rng = random.Random(regions)
    wide, deep = len(TOWER["rows"][0]), TOWER["floor_height"]
    cells = [(x, y, floor) for floor in (0, 1) for y in range(deep) for x in range(wide)]
    with open_asset(asset) as level:
        doors = {tuple(cell) for door in level.doors.values() for cell in door.cells.tolist()}
        edited = [cell for cell in cells if cell not in doors]
        for _ in range(4):
            blocked = rng.sample(edited, 5)
            opened = [cell for cell in rng.sample(edited, 8) if cell not in blocked]
            level.update(blocked=blocked, opened=opened)
            compare_with_a_bake(level, asset, tmp_path, list(cells))


@pytest.mark.parametrize("laid", [False, True])
def test_graphs_with_positions_and_without(tmp_path: Path, laid: bool) -> None:
    rng = random.Random(7)
    nodes = list(range(60))
    edges = [(a, b, rng.choice([1, 2, 2.5])) for a in nodes for b in rng.sample(nodes, 2) if a != b]
    positions = {node: (rng.random() * 90, rng.random() * 40) for node in nodes} if laid else None
    source = write_graph(tmp_path / "net.json", nodes, edges, positions=positions)
    asset = bake(source, recipe_for(cluster_size=4, tables=EVERYTHING))
    with open_asset(asset) as level:
        nav = level.profile()
        for _ in range(6):
            a, b, _ = rng.choice(edges)
            gone = rng.choice(nodes)
            nav.update(blocked=[gone], arcs={(a, b): rng.choice([0.5, 9, math.inf])})
            check_hierarchy(nav._now)
            nav.update(opened=[gone])
            check_hierarchy(nav._now)


def test_of_a_step_and_a_link_beside_it_the_cheaper_counts(tmp_path: Path) -> None:
    links = [
        {"name": "slide", "from": [3, 0], "to": [4, 0], "cost": 0.25},
        {"name": "slow", "from": [4, 0], "to": [3, 0], "cost": 4},
    ]
    source = write_grid(tmp_path / "open.json", rows(*["........"] * 4))
    source.write_text(json.dumps({**json.loads(source.read_text()), "links": links}))
    with open_asset(bake(source, recipe_for(cluster_size=4, spacing=1))) as level:
        nav = level.profile()
        for change in ({"blocked": [(0, 0)]}, {"blocked": [(3, 2)]}, {"opened": [(3, 2)]}):
            nav.update(**change)
            check_hierarchy(nav._now)


def test_a_neighbour_is_searched_again_where_its_transitions_move(tmp_path: Path) -> None:
    recipe = recipe_for(cluster_size=6, spacing=8, connectivity=4)
    asset = bake(write_grid(tmp_path / "open.json", rows(*["............"] * 6)), recipe)
    with open_asset(asset) as level:
        nav = level.profile()
        nav.update()
        beyond = transitions(nav, 6)
        assert beyond == [(6, 0), (6, 3), (6, 5)]
        # Both steps lie inside the cluster in the west: no arc of the other one changes.
        step = ((5, 2), (5, 3))
        report = nav.update(arcs={step: math.inf, step[::-1]: math.inf})
        assert report.clusters == (0,)
        assert transitions(nav, 6) == [(6, 1), (6, 4)]
        check_hierarchy(nav._now)
        nav.update(arcs={step: None, step[::-1]: None})
        assert transitions(nav, 6) == beyond


def transitions(nav: Navigator, column: int) -> list[tuple[int, int]]:
    """Cells of a column that are transitions."""
    moment = nav._now
    row = moment.searches.hierarchy.tables.layers[0].row
    cells = moment.version.cell_of_row[row].tolist()
    return sorted((x, y) for x, y in cells if x == column)
