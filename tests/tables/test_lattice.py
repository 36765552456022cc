"""Levels baked without listing their arcs: the same tables, and the same answers, as with them."""

import random
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.baking import lattice, plan
from bake.baking.contents import hierarchy_contents
from bake.baking.sources import Task
from bake.core.errors import BudgetError
from bake.core.graph import BLOCKED, Graph, Metric, usable_subgraph
from bake.core.movement import HEX_LAYOUTS
from bake.play import Navigator, open_asset
from bake.play.hierarchy.layers import ClusterTables
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.store import Asset
from bake.tables.clusters import clusters
from bake.tables.components import components
from bake.tables.hierarchy import hierarchy
from bake.verify.proof import verify_asset
from levelbake.errors import BlockedCellError, CorruptAssetError
from levelbake.steps import chart
from tests.support.baked import (
    GROUND,
    LETTERS,
    bake,
    cells_of_nodes,
    recipe_for,
    rows,
    rules_of,
    write_grid,
)
from tests.support.lattices import bake_on_cells, on_cells
from tests.support.levels import shared_level
from tests.support.oracles import Ground
from tests.support.strategies import grids, random_grid
from tests.support.tampering import edited
from tests.support.worlds import CORNERS, COST_RULES

TABLES = ("components", "clusters", "hierarchy")

FREE = {**GROUND, "water": Ground(1.5), "ledge": Ground(2)}


def recipes(draw: st.DrawFn, layout: str | None) -> LevelRecipe:
    ground = draw(st.sampled_from([GROUND, FREE]))
    profiles = [ProfileRecipe("default", rules_of(ground))]
    if layout is None and draw(st.booleans()):
        profiles.append(ProfileRecipe("giant", rules_of(ground), draw(st.integers(2, 3))))
    return recipe_for(
        ground,
        tables=TABLES,
        profiles=tuple(profiles),
        cluster_size=draw(st.integers(1, 5)),
        spacing=draw(st.integers(1, 4)),
        levels=draw(st.integers(1, 3)),
        keep_paths=draw(st.booleans()),
        corner_cutting=draw(st.sampled_from(CORNERS)),
        cost_rule=draw(st.sampled_from(COST_RULES)),
        connectivity=None if layout else draw(st.sampled_from([4, 8])),
    )


@st.composite
def levels(draw: st.DrawFn) -> tuple[list[list[str]], str | None, LevelRecipe, dict[str, object]]:
    layout = draw(st.none() | st.sampled_from(HEX_LAYOUTS))
    grid = draw(grids(largest=11))
    more: dict[str, object] = {}
    if layout is None and draw(st.booleans()):
        x, y = draw(st.integers(0, len(grid[0]) - 1)), draw(st.integers(0, len(grid) - 1))
        more["doors"] = [
            {
                "name": "door",
                "cells": [[x, y]],
                "states": {"open": "floor", "shut": "wall"},
                "state": draw(st.sampled_from(["open", "shut"])),
            }
        ]
    return grid, layout, recipes(draw, layout), more


@contextmanager
def written(
    case: tuple[list[list[str]], str | None, LevelRecipe, dict[str, object]],
) -> Iterator[tuple[Path, LevelRecipe]]:
    grid, layout, recipe, more = case
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "drawn.json"
        write_grid(source, grid, layout, **more)
        yield source, recipe


def usable(asset: Asset, profile: str) -> dict[tuple[tuple[int, ...], tuple[int, ...]], int]:
    """Ticks of every arc that may be taken, by the cells at its ends."""
    cell = cells_of_nodes(asset).tolist()
    graph = Graph(asset.graph.first_out, asset.graph.head)
    weight = asset.graph.weight(profile).tolist()
    ends = zip(graph.tail().tolist(), graph.head.tolist(), weight, strict=True)
    return {(tuple(cell[a]), tuple(cell[b])): ticks for a, b, ticks in ends if ticks != BLOCKED}


def prove(path: Path) -> None:
    verify_asset(path, None, lambda done: None)


def same_part(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two numberings put the same things together."""
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


def standing(asset: Asset, profile: str) -> tuple[np.ndarray, np.ndarray]:
    """Cells of rows in reading order, and each one's place among the rows."""
    component = asset.graph.component(profile)
    cell = cells_of_nodes(asset)[component >= 0]
    order = np.lexsort((cell[:, 0], cell[:, 1]))
    return cell[order], order


def column_of(asset: Asset, profile: str, name: str) -> np.ndarray:
    """Components by node, and clusters by row."""
    if name == "component":
        return asset.graph.component(profile)
    return asset.read(f"/profiles/{profile}/{name}")


SLOW = settings(suppress_health_check=[HealthCheck.too_slow])


@SLOW
@given(levels())
def test_cells_say_what_lists_of_arcs_say(case: tuple) -> None:
    with written(case) as (source, recipe):
        with Asset(bake(source, recipe)) as listed:
            listed_arcs = {name: usable(listed, name) for name in listed.profiles}
            rows_of = {name: standing(listed, name) for name in listed.profiles}
            label = {
                (name, column): column_of(listed, name, column)
                for name in listed.profiles
                for column in ("component", "cluster")
            }
            reach = {name: listed.number("one_way", f"/profiles/{name}") for name in rows_of}
        with Asset(bake_on_cells(source, recipe)) as asset:
            assert asset.number("block") == recipe.cluster_size
            for name in asset.profiles:
                assert usable(asset, name) == listed_arcs[name]
                cells, order = standing(asset, name)
                there, other = rows_of[name]
                assert np.array_equal(cells, there)
                for column in ("component", "cluster"):
                    mine = column_of(asset, name, column)
                    theirs = label[name, column]
                    if column == "component":
                        mine, theirs = mine[mine >= 0], theirs[theirs >= 0]
                    assert same_part(mine[order], theirs[other])
                assert asset.number("one_way", f"/profiles/{name}") == reach[name]


@SLOW
@given(levels())
def test_tables_are_those_that_listed_arcs_make(case: tuple) -> None:
    with written(case) as (source, recipe), Asset(bake_on_cells(source, recipe)) as asset:
        graph = Graph(asset.graph.first_out, asset.graph.head)
        cell, layout = cells_of_nodes(asset), asset.text("hex_layout")
        for name in asset.profiles:
            group = f"/profiles/{name}"
            component = asset.graph.component(name)
            metric = Metric(asset.graph.weight(name), component >= 0, 27720)
            sub = usable_subgraph(graph, metric)
            found = components(sub, len(component))
            assert np.array_equal(found.component, component)
            if found.reach is not None:
                assert np.array_equal(found.reach, asset.read(f"{group}/reach"))
            parts = clusters(sub, size=recipe.cluster_size, cell=cell[sub.node])
            assert np.array_equal(parts.label, asset.read(f"{group}/cluster"))
            layers = hierarchy(
                parts,
                chart(cell[sub.node], layout),
                square=layout is None,
                spacing=recipe.spacing,
                levels=recipe.levels,
                keep_paths=recipe.keep_paths,
                budget=recipe.memory_budget,
            )
            assert layers.two_way == asset.number("two_way", group)
            for path, column in hierarchy_contents(name, layers).columns.items():
                assert np.array_equal(column, asset.read(path)), path


def answers(path: Path, seed: int, pairs: int = 25) -> list[object]:
    """Paths, walks and costs between some places of every profile."""
    rng, found = random.Random(seed), list[object]()
    with open_asset(path) as level:
        for name in level.profiles:
            nav = level.profile(name)
            places = [tuple(cell) for cell in nav._now.version.cell_of_row.tolist()]
            for _ in range(pairs if places else 0):
                start, goal = rng.choice(places), rng.choice(places)
                way = nav.path(start, goal, "hpa")
                walked = nav.search.walk(start, goal)
                found.append((start, goal, way, None if walked is None else list(walked)))
            if places:
                starts = [rng.choice(places) for _ in range(pairs)]
                goals = [rng.choice(places) for _ in range(pairs)]
                asked, wanted, _ = nav._now.rows.pairs(starts, goals, strict=True)
                first, rows_ = nav._now.searches.hierarchy.many(asked, wanted)
                found.append((first.tolist(), rows_.tolist()))
    return found


@SLOW
@given(levels(), st.integers(0, 99))
def test_paths_on_cells_are_those_on_listed_arcs(case: tuple, seed: int) -> None:
    with written(case) as (source, recipe):
        path = bake_on_cells(source, recipe)
        implied = answers(path, seed)
        with patch.object(ClusterTables, "lattice", None):
            assert implied == answers(path, seed)


@SLOW
@given(levels(), st.integers(0, 99))
def test_every_question_is_answered_as_with_listed_arcs(case: tuple, seed: int) -> None:
    """Whichever order nodes are in, before an update and after it."""
    rng = random.Random(seed)
    with written(case) as (source, recipe), open_asset(bake(source, recipe)) as listed:
        asset = source.with_name("listed.h5")
        source.with_suffix(".h5").rename(asset)
        with open_asset(bake_on_cells(source, recipe)) as level:
            every = {
                name: [tuple(cell) for cell in level._columns(name).version.cell_of_row.tolist()]
                for name in level.profiles
            }
            for name, places in every.items():
                one, other = level.profile(name), listed.profile(name)
                if not places:
                    continue
                asked = [(rng.choice(places), rng.choice(places)) for _ in range(12)]
                for start, goal in asked:
                    assert one.reachable(start, goal) == other.reachable(start, goal)
                    found, known = one.search(start, goal), other.search(start, goal)
                    assert found.cost == known.cost
                    assert one.nearest(level.to_point(start)) == start
                    way = one.path(start, goal, "hpa")
                    assert (way is None) == (known.path is None)
                    if way is not None:
                        cost = one.length(way)
                        assert cost >= other.length(known.path) - 1e-3
                        assert cost == pytest.approx(other.length(way))
                shut = rng.choice(places)
                one.update(blocked=[shut])
                other.update(blocked=[shut])
                for start, goal in asked:
                    if blocked(one, start, goal):
                        assert blocked(other, start, goal)
                        continue
                    assert one.search(start, goal).cost == other.search(start, goal).cost
                    way = one.path(start, goal, "hpa")
                    assert (way is None) == (other.path(start, goal, "hpa") is None)
                    assert one.reachable(start, goal) == other.reachable(start, goal)
                one.update(opened=[shut])
                other.update(opened=[shut])


def blocked(nav: Navigator, *places: tuple[int, ...]) -> bool:
    """Whether the profile cannot stand on one of some places now."""
    try:
        nav.reachable(*places)
    except BlockedCellError:
        return True
    return False


@SLOW
@given(levels())
def test_such_assets_are_proved(case: tuple) -> None:
    with written(case) as (source, recipe):
        prove(bake_on_cells(source, recipe))


@pytest.mark.parametrize("seed", range(3))
def test_plans_over_more_layers_cost_as_much(seed: int, tmp_path: Path) -> None:
    """And their paths can be walked."""
    source = write_grid(tmp_path / "drawn.json", random_grid(seed, 60, 50, 0.2))
    found = []
    for levels in (1, 2, 4):
        recipe = recipe_for(FREE, tables=TABLES, cluster_size=4, spacing=2, levels=levels)
        with open_asset(bake_on_cells(source, recipe)) as level:
            nav = level.profile()
            paths = nav._now.searches.hierarchy
            assert len(paths.tables.layers) == levels
            rng = np.random.default_rng(seed)
            count = nav._now.version.row_count
            for start, goal in rng.integers(count, size=(300, 2)).tolist():
                way = paths.find(start, goal)
                found.append((start, goal, way.ticks))
                if way.ticks >= 0:
                    cells = nav._now.rows.places(paths.rows(way))
                    walked = nav.length(cells) * 27720
                    assert walked == pytest.approx(way.ticks, abs=len(cells))
    assert found[:300] == found[300:600] == found[600:]


@pytest.mark.parametrize(("more", "listed"), [(0, True), (1, False)])
def test_levels_of_too_many_terrains_list_their_arcs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int, listed: bool
) -> None:
    source = write_grid(tmp_path / "drawn.json", rows("....", "...."))
    monkeypatch.setattr(lattice, "MOST_TERRAINS", len(LETTERS) + more)
    with Asset(bake_on_cells(source, recipe_for(tables=("hierarchy",)))) as asset:
        assert (asset.implied is None) is listed


def test_what_needs_arcs_gets_a_list_of_them(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "drawn.json", rows("....", "...."))
    for tables in (None, ("next_hops",), ("hierarchy", "heuristic"), ("cluster_distances",)):
        with Asset(bake_on_cells(source, recipe_for(tables=tables))) as asset:
            assert asset.implied is None
    link = {"name": "a", "from": [0, 0], "to": [3, 0]}
    source = write_grid(tmp_path / "linked.json", rows("....", "...."), links=[link])
    with Asset(bake_on_cells(source, recipe_for(tables=("hierarchy",)))) as asset:
        assert asset.implied is None
    with Asset(bake(source, recipe_for(tables=("hierarchy",)))) as asset:
        assert asset.implied is None


def test_a_level_beyond_its_budget_is_refused(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "drawn.json", [["floor"] * 300] * 300)
    recipe = replace(recipe_for(tables=TABLES), memory_budget=2**23)
    with pytest.raises(BudgetError, match="90,000 nodes") as caught:
        bake_on_cells(source, recipe)
    assert str(caught.value).startswith(f"{source}: ")


GIANT = (ProfileRecipe("default", rules_of(FREE), 2),)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("/profiles/default/steps", lambda old: old | 255),
        ("/profiles/default/steps", lambda old: np.where(old == 0, 0, 255)),
        ("/profiles/default/step_ticks", lambda old: old * 0),
        ("/profiles/default/step_ticks", lambda old: old * 0 - 1),
        ("/profiles/default/dearest", lambda old: old * 0 + 99),
        ("/is_node", lambda old: old[:, :0]),
        ("/is_node", lambda old: old * 0),
    ],
)
def test_cells_of_wrong_values_are_damage(name: str, change: object, tmp_path: Path) -> None:
    grid = random_grid(1, 20, 20, 0.1)
    recipe = recipe_for(FREE, tables=TABLES, cluster_size=4, profiles=GIANT)
    path = bake_on_cells(write_grid(tmp_path / "drawn.json", grid), recipe)
    with edited(path, [name]) as file:
        old = file[name][()]
        del file[name]
        file[name] = change(old).astype(old.dtype)  # type: ignore[operator]
    with pytest.raises(CorruptAssetError) as caught:
        ask(path)
    assert "\n" not in str(caught.value)


def ask(path: Path) -> None:
    with open_asset(path) as level:
        nav = level.profile()
        nav.path(nav.nearest((0, 0)), nav.nearest((19, 19)), "hpa")
        nav.search(nav.nearest((0, 0)), nav.nearest((19, 19)))


@pytest.mark.parametrize("block", [0, -3, 2**20])
def test_squares_of_no_size_are_damage(block: int, tmp_path: Path) -> None:
    path = bake_on_cells(
        write_grid(tmp_path / "drawn.json", rows("...")), recipe_for(tables=TABLES)
    )
    with edited(path, ()) as file:
        file.attrs["block"] = np.int64(block)
    with pytest.raises(CorruptAssetError, match=f"block (of / )?is {block}"):
        open_asset(path)


def test_squares_without_their_columns_are_damage(tmp_path: Path) -> None:
    path = bake(write_grid(tmp_path / "drawn.json", rows("...")), recipe_for(tables=TABLES))
    with edited(path, ()) as file:
        file.attrs["block"] = np.int64(255)
    with pytest.raises(CorruptAssetError, match=r"block is 255.*/terrain"):
        open_asset(path)


@pytest.mark.parametrize(
    "column",
    [
        *("/first_out", "/head", "/length", "/terrain", "/node_location"),
    ],
)
def test_a_column_that_has_to_follow_from_cells_is_damage(column: str, tmp_path: Path) -> None:
    path = bake_on_cells(
        write_grid(tmp_path / "drawn.json", rows("...")), recipe_for(tables=TABLES)
    )
    with Asset(path) as asset:
        names = {"/terrain": "terrain", "/node_location": "place"}
        right = getattr(asset.graph, names.get(column, column[1:]))
    with edited(path, [column]) as file:
        file[column] = right
    with pytest.raises(CorruptAssetError, match=f"there is a column {column}"):
        open_asset(path)


@pytest.mark.parametrize("floor_height", [-2, 0, 2, 3, 6])
def test_floors_that_do_not_fit_the_grid_are_damage(floor_height: int, tmp_path: Path) -> None:
    told = "floor_height and headings contradict each other"
    if floor_height < 1:
        told = f"floor_height of / is {floor_height}"
    path = bake_on_cells(
        write_grid(tmp_path / "drawn.json", rows("..", "..", "..", "..", "..")),
        recipe_for(tables=TABLES),
    )
    with edited(path, ()) as file:
        file.attrs["floor_height"] = np.int64(floor_height)
    with pytest.raises(CorruptAssetError, match=told):
        prove(path)


def test_places_to_stand_that_are_no_nodes_are_damage(tmp_path: Path) -> None:
    path = bake_on_cells(
        write_grid(tmp_path / "drawn.json", rows("..#.")), recipe_for(tables=TABLES)
    )
    with Asset(path) as asset:
        names = [bytes(name).decode() for name in asset.read("/terrain_name").tolist()]
    with edited(path) as file:
        file["profiles/default/cost"][names.index("wall")] = 3.0
    with (
        open_asset(path) as level,
        pytest.raises(CorruptAssetError, match=r"3 rows.*4 nodes"),
    ):
        level.profile().next_hop((0, 0), (1, 0))


def test_nodes_beyond_the_end_of_a_line_are_damage(tmp_path: Path) -> None:
    path = bake_on_cells(
        write_grid(tmp_path / "drawn.json", rows("...")), recipe_for(tables=TABLES)
    )
    with edited(path) as file:
        file["is_node"][...] = np.uint8(0b11110000)
    with pytest.raises(CorruptAssetError, match=r"is_node.*last x"):
        prove(path)


def test_squares_that_are_not_those_of_the_recipe_are_no_proof(tmp_path: Path) -> None:
    """Though all nodes lie in one square, and have the same numbers in any larger one."""
    path = bake_on_cells(
        write_grid(tmp_path / "drawn.json", rows("...")), recipe_for(tables=TABLES, cluster_size=4)
    )
    with edited(path, ()) as file:
        file.attrs["block"] = np.int64(8)
    with pytest.raises(CorruptAssetError, match=r"block is 8.*size"):
        prove(path)


def test_the_price_of_a_step_that_there_is_not_is_proved(tmp_path: Path) -> None:
    """Mud and road lie apart: the step between them counts once the level changes."""
    path = bake_on_cells(
        write_grid(tmp_path / "drawn.json", rows("m.=")), recipe_for(tables=TABLES)
    )
    with Asset(path) as asset:
        names = [bytes(name).decode() for name in asset.read("/terrain_name").tolist()]
    with edited(path) as file:
        file["profiles/default/step_ticks"][names.index("mud"), names.index("road"), 0] += 1
    with pytest.raises(CorruptAssetError, match=r"step_ticks.*terrain"):
        prove(path)


@pytest.mark.parametrize("column", ["is_node", "steps", "step_ticks", "dearest"])
def test_columns_of_another_kind_of_level_are_no_proof(column: str, tmp_path: Path) -> None:
    source = write_grid(tmp_path / "drawn.json", rows("....", "...."))
    recipe = recipe_for(FREE, tables=TABLES, profiles=GIANT)
    name = "/is_node" if column == "is_node" else f"/profiles/default/{column}"
    with Asset(bake_on_cells(source, recipe)) as asset:
        right = asset.read(name)
    path = bake(source, recipe)
    prove(path)
    with edited(path, [name]) as file:
        file[name] = right
    with pytest.raises(CorruptAssetError, match=f"column {name} belongs to another"):
        prove(path)


@pytest.mark.parametrize("seed", range(4))
def test_one_changed_step_is_no_proof(seed: int, tmp_path: Path) -> None:
    """Whichever bit of a cell, or price, is another one: verifying notices."""
    rng = random.Random(seed)
    path = bake_on_cells(
        write_grid(tmp_path / "drawn.json", random_grid(seed, 12, 9, 0.3)),
        recipe_for(tables=TABLES, cluster_size=4),
    )
    prove(path)
    whole = path.read_bytes()
    for _ in range(12):
        path.write_bytes(whole)
        with edited(path, ["/profiles/default/steps"]) as file:
            steps = file["/profiles/default/steps"]
            changed = steps[()]
            y, x = rng.randrange(9), rng.randrange(12)
            changed[y, x] ^= 1 << rng.randrange(8)
            del file["/profiles/default/steps"]
            file["/profiles/default/steps"] = changed
        with pytest.raises(CorruptAssetError):
            prove(path)


@pytest.mark.parametrize("name", ["den312d", "lak303d"])
def test_a_map_of_a_game(name: str, tmp_path: Path) -> None:
    """Every tenth problem of its scenario: paths on cells are those on listed arcs."""
    source = tmp_path / f"{name}.map"
    source.write_bytes(shared_level(f"movingai/{name}.map").read_bytes())
    lines = shared_level(f"movingai/{name}.map.scen").read_text().split("\n")[1::10]
    problems = [[int(number) for number in line.split()[4:8]] for line in lines if line]
    path = bake_on_cells(source, LevelRecipe(tables=TABLES))
    prove(path)
    found = []
    for implied in (True, False):
        with open_asset(path) as level, patch_unless(implied):
            nav = level.profile()
            found.append([nav.path((x, y), (a, b), "hpa") for x, y, a, b in problems])
    assert found[0] == found[1]
    assert None not in found[0]


def patch_unless(implied: bool) -> AbstractContextManager[object]:
    return nullcontext() if implied else patch.object(ClusterTables, "lattice", None)


def test_a_plan_of_a_large_level_is_near_its_bake(tmp_path: Path) -> None:
    """By a window of it: bytes within a third, every table named, a small budget refused."""
    grid = [row * 3 for row in random_grid(3, 80, 300, 0.2)]
    source = write_grid(tmp_path / "drawn.json", grid)
    recipe = recipe_for(FREE, tables=TABLES, cluster_size=8)
    task = Task(source, tmp_path / "drawn.h5", recipe)
    with on_cells(), patch.object(plan, "LATTICE_PLACES", 16_000):
        found = plan.plan_level(task, 1)
        with pytest.raises(BudgetError, match="nodes needs about"):
            plan.plan_level(replace(task, recipe=replace(recipe, memory_budget=2**22)), 1)
    asset = bake_on_cells(source, recipe)
    assert [table.table for table in found.tables] == ["components", "clusters", "hierarchy"]
    assert found.nodes == sum(name != "wall" for row in grid for name in row)
    assert found.bytes == pytest.approx(asset.stat().st_size, rel=0.34)
