"""The hierarchy of clusters up and down, beside the asset's columns and fresh bakes."""

import random
from pathlib import Path

import pytest

from bake.apply import apply_patch
from bake.play import LevelAsset, MissingTableError, QueryError, open_asset
from tests.support.baked import bake, recipe_for, rows, write_graph, write_grid
from tests.support.cluster_tree import by_columns, check_tree, said
from tests.support.lattices import FREE, bake_on_cells
from tests.support.tower import tower_recipe, write_tower

pytestmark = [
    pytest.mark.note(75, "the asset's columns, and fresh bakes"),
    pytest.mark.note(104, "the asset's columns, and fresh bakes"),
]

TABLES = ("components", "hierarchy")

ROOMS = (
    "....#...",
    "....#...",
    "........",
    "....#...",
)


def grid(seed: int, wide: int = 17, deep: int = 15) -> list[list[str]]:
    terrains = ["floor", "floor", "floor", "mud", "wall", "ledge", "road"]
    rng = random.Random(seed)
    return [[rng.choice(terrains) for _ in range(wide)] for _ in range(deep)]


def changes(rng: random.Random, wide: int, deep: int) -> dict[str, list[tuple[int, int]]]:
    cells = rng.sample([(x, y) for x in range(wide) for y in range(deep)], 14)
    return {"blocked": cells[:6], "opened": cells[6:]}


def check_as_baked(asset: Path, at: dict[object, tuple[float, float]] | None = None) -> int:
    """All layers of all profiles as columns say; returns how many layers there are."""
    with open_asset(asset) as level:
        for name in level.profiles:
            nav = level.profile(name)
            found, told = check_tree(nav, at), by_columns(asset, nav)
            assert len(found) == len(told) == len(nav.search.clusters.counts)
            for layer, label in enumerate(told, start=1):
                of = [nav.search.clusters.of(place, layer) for place in nav.places()]
                assert of == label
            assert [nav.search.cluster(place) for place in nav.places()] == told[0]
    return len(told)


def check_as_anew(level: LevelAsset, asset: Path, folder: Path) -> None:
    """The same clusters on all layers as of the level baked anew."""
    level.save_patch(folder / "now.patch")
    apply_patch(asset, folder / "now.patch", folder / "anew.h5", 1, lambda stage, done: None)
    with open_asset(folder / "anew.h5") as anew:
        for name in level.profiles:
            nav, other = level.profile(name), anew.profile(name)
            assert [set(each) for each in check_tree(nav, None)] == [
                set(each) for each in check_tree(other, None)
            ]
            for place in nav.places():
                assert nav.search.clusters.of(place) == nav.search.cluster(place)


def test_rooms_by_hand(tmp_path: Path) -> None:
    recipe = recipe_for(cluster_size=4, levels=2, tables=TABLES)
    with open_asset(bake(write_grid(tmp_path / "rooms.json", rows(*ROOMS)), recipe)) as level:
        tree = level.profile().search.clusters
        assert tree.counts == (2,)
        assert (tree.of((0, 0)), tree.of((7, 3))) == (0, 1)
        assert tree.neighbors(0) == (1,)
        assert len(tree.members(0)) == 16
        assert tree.representative(0) == (1, 1)
        assert (tree.above(0), tree.below(0, 1)) == (None, ())


@pytest.mark.parametrize("hex_layout", [None, "odd-r"])
@pytest.mark.parametrize("levels", [1, 3])
def test_grids(levels: int, hex_layout: str | None, tmp_path: Path) -> None:
    drawn = write_grid(tmp_path / "any.json", grid(levels), hex_layout)
    recipe = recipe_for(cluster_size=2, levels=levels, tables=TABLES, cost_rule="entered")
    assert check_as_baked(bake(drawn, recipe)) == levels


def test_as_many_layers_as_there_is_something_to_join(tmp_path: Path) -> None:
    drawn = write_grid(tmp_path / "any.json", [["floor"] * 8] * 8)
    recipe = recipe_for(cluster_size=2, levels=7, tables=TABLES)
    assert check_as_baked(bake(drawn, recipe)) == 2


@pytest.mark.parametrize("regions", [False, True])
def test_floors_regions_links_and_profiles(regions: bool, tmp_path: Path) -> None:
    recipe = tower_recipe(cluster_size=4, cluster_regions=regions, levels=3, tables=TABLES)
    asset = bake(write_tower(tmp_path), recipe)
    assert check_as_baked(asset) > 1
    with open_asset(asset) as level:
        level.update(blocked=[(3, 0, 0), (3, 1, 0), (2, 2, 1)], opened=[(6, 0, 0), (3, 1, 1)])
        check_as_anew(level, asset, tmp_path)
        level.set_state("gate", "shut")
        check_as_anew(level, asset, tmp_path)


@pytest.mark.parametrize("laid", [False, True])
def test_graphs(laid: bool, tmp_path: Path) -> None:
    rng = random.Random(7)
    nodes = list(range(60))
    near = {a: rng.sample(nodes[max(0, a - 9) : a] + nodes[a + 1 : a + 9], 2) for a in nodes}
    edges = [(a, b, 1) for a in nodes for b in near[a]]
    at = {node: (rng.random() * 90, rng.random() * 40) for node in nodes} if laid else None
    source = write_graph(tmp_path / "net.json", nodes, edges, positions=at)
    asset = bake(source, recipe_for(cluster_size=2, levels=2, tables=TABLES))
    assert check_as_baked(asset, at) == 2
    with open_asset(asset) as level:
        nav = level.profile()
        nav.update(blocked=[nodes[8], nodes[30]])
        check_tree(nav, at)


@pytest.mark.parametrize("seed", [1, 2])
def test_levels_that_change(seed: int, tmp_path: Path) -> None:
    recipe = recipe_for(cluster_size=4, levels=3, tables=TABLES)
    asset, rng = bake(write_grid(tmp_path / "any.json", grid(seed)), recipe), random.Random(seed)
    with open_asset(asset) as level:
        before = level.profile().search.clusters
        places = said(before.members(0))
        for _ in range(3):
            level.update(**changes(rng, 17, 15))
            check_as_anew(level, asset, tmp_path)
        assert said(before.members(0)) == places


def test_large_lattices(tmp_path: Path) -> None:
    drawn = write_grid(tmp_path / "large.json", grid(5, 20, 12))
    recipe = recipe_for(FREE, cluster_size=4, levels=2, tables=(*TABLES, "clusters"))
    asset = bake_on_cells(drawn, recipe)
    assert check_as_baked(asset) == 2
    rng = random.Random(5)
    with open_asset(asset) as level:
        for _ in range(3):
            level.update(**changes(rng, 20, 12))
            check_as_anew(level, asset, tmp_path)


def test_a_profile_that_can_stand_nowhere_any_more(tmp_path: Path) -> None:
    recipe = recipe_for(cluster_size=4, tables=TABLES)
    with open_asset(bake(write_grid(tmp_path / "dot.json", rows("..")), recipe)) as level:
        level.update(blocked=[(0, 0), (1, 0)])
        tree = level.profile().search.clusters
        assert tree.counts == (0,)
        with pytest.raises(QueryError, match="no cluster 0"):
            tree.members(0)


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    drawn = write_grid(tmp_path / "rooms.json", rows(*ROOMS))
    with open_asset(bake(drawn, recipe_for(cluster_size=4, tables=TABLES))) as level:
        tree = level.profile().search.clusters
        for ask in (tree.members, tree.representative, tree.above, tree.neighbors):
            with pytest.raises(QueryError, match="no cluster 2"):
                ask(2)
            with pytest.raises(QueryError, match="no layer 2"):
                ask(0, 2)
        with pytest.raises(QueryError, match="no layer 0"):
            tree.of((0, 0), 0)
        with pytest.raises(QueryError):
            tree.of((4, 0))
    bare = bake(drawn, recipe_for(tables=("components", "next_hops")))
    with open_asset(bare) as level, pytest.raises(MissingTableError, match="clusters"):
        level.profile().search.clusters  # noqa: B018
