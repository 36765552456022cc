"""Large lattices that change: the answers of a fresh bake, and no list of arcs."""

import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from bake.apply import apply_patch
from bake.play import LevelAsset, Navigator, open_asset
from bake.play.hierarchy.lattice import LatticeHierarchy, LatticePaths
from bake.play.live.cells import Cells
from bake.play.live.lattice import LatticeWriter
from bake.play.live.lattice_version import LiveLattice
from bake.project.recipe import ProfileRecipe
from bake.search.live import lattice as versions
from bake.search.live.lattice import LatticeLayer
from bake.store import lattice as stored
from levelbake.errors import BlockedCellError
from tests.support.baked import GROUND, bake, recipe_for, rules_of, write_grid
from tests.support.lattices import FREE, TABLES, bake_on_cells, some_places
from tests.support.strategies import random_grid

#: Cells along one side of a square, and of a sheet.
SIDE, SHEET = 4, 8
GIANT = (ProfileRecipe("default", rules_of(FREE), 2),)
Cell = tuple[int, int]
Grid = list[list[str]]


@pytest.fixture(autouse=True)
def small_sheets() -> Any:
    with patch.object(stored, "_SHEET", SHEET):
        yield


def baked(folder: Path, grid: Grid, name: str = "drawn", **more: Any) -> Path:
    layout = more.pop("hex_layout", None)
    things = more.pop("things", {})
    settings = {"cluster_size": SIDE, **more}
    recipe = replace(recipe_for(FREE, tables=TABLES), **settings)
    return bake_on_cells(write_grid(folder / f"{name}.json", grid, layout, **things), recipe)


def layer_now(nav: Navigator) -> LatticeLayer:
    """The first layer of a level that has changed."""
    lattice = nav._now.searches.hierarchy.tables
    assert isinstance(lattice, LiveLattice)
    return lattice._layer


def layer_of(level: LevelAsset, nav: Navigator) -> tuple[set[Cell], Mapping[Any, int]]:
    """The cells of all transitions that arcs lead to, and the ticks of all arcs between cells."""
    hierarchy = nav._now.searches.hierarchy.tables
    if isinstance(hierarchy, LatticeHierarchy):
        first = hierarchy.layers[0]
        begin, end, arcs, rows = first.first_out[:-1], first.first_out[1:], first.arcs, first.row
    else:
        layer = layer_now(nav)
        begin, end, arcs, rows = layer.first_out, layer.end_out, layer.arcs, layer.row
    cell = nav._now.version.locations_of(rows[: len(begin)]).tolist()
    edges: dict[Any, int] = {}
    for one in range(len(begin)):
        for arc in range(begin[one], end[one]):
            ends = cell[one], cell[int(arcs[arc, 0])]
            assert ends not in edges
            edges[ends] = int(arcs[arc, 1])
    return {cell[one] for one in range(len(begin)) if begin[one] < end[one]}, edges


def check(level: LevelAsset, nav: Navigator, truth: Path, seed: int) -> None:
    """Everything is as in a fresh bake."""
    with open_asset(truth) as fresh:
        expected = fresh.profile(nav.name)
        every = np.arange(level._places.width * level._places.height, dtype=np.int32)
        now, then = nav._now, expected._now
        stands = now.version.rows_of(every) >= 0
        assert stands.tolist() == (then.version.rows_of(every) >= 0).tolist()
        if not stands.any():
            return
        assert now.version.component_count == then.version.component_count
        found, wanted = layer_of(level, nav), layer_of(fresh, expected)
        assert found == wanted
        places = some_places(level, nav, seed, 8)
        for place in places:
            assert nav.search.cluster(place) == expected.search.cluster(place)
        assert nav._now.searches.bounds.cluster_count == then.searches.bounds.cluster_count
        hierarchy, other = now.searches.hierarchy, then.searches.hierarchy
        assert isinstance(hierarchy, LatticePaths)
        for start, goal in pairwise(places):
            assert nav.reachable(start, goal) == expected.reachable(start, goal)
            way = hierarchy.find(now.rows.row(start), now.rows.row(goal))
            assert way.ticks == other.find(then.rows.row(start), then.rows.row(goal)).ticks
            path, walk = nav.path(start, goal, "hpa"), nav.search.walk(start, goal)
            assert (path is None) == (walk is None) == (way.ticks < 0)
            if path is None or walk is None:
                continue
            assert (path[0], path[-1]) == (start, goal)
            rows = hierarchy.rows(way)
            units = level._places.ticks_per_unit
            # Each step is rounded to whole ticks.
            length = nav.length(now.rows.places(rows)) * units
            assert length == pytest.approx(way.ticks, abs=len(rows))
            assert nav.length(path) * units <= way.ticks + len(rows)
            assert expected.length(path) == nav.length(path)
            assert start == goal or [start, *walk][-1] == goal


def arcs_are_listed(level: LevelAsset, name: str = "default") -> bool:
    maker = level._current.writer._profiles[name]
    assert isinstance(maker, LatticeWriter)
    return "_first_list" in maker.__dict__


class Model:
    """A grid, and the obstacles on it."""

    def __init__(self, grid: Grid) -> None:
        self.grid = [list(line) for line in grid]
        self.obstacles: set[Cell] = set()

    def change(self, rng: random.Random, cells: Sequence[Cell]) -> dict[str, Any]:
        blocked, opened, terrain = [], [], {}
        for x, y in cells:
            kind = rng.randrange(3)
            if kind == 0:
                self.obstacles.add((x, y))
                blocked.append((x, y))
            elif kind == 1:
                self.obstacles.discard((x, y))
                opened.append((x, y))
            else:
                self.grid[y][x] = rng.choice(["floor", "mud", "road", "water", "ledge", "wall"])
                terrain[x, y] = self.grid[y][x]
        return {"blocked": blocked, "opened": opened, "terrain": terrain}

    def fresh(self, level: LevelAsset) -> Grid:
        """The level as it is now; an opened wall has become some floor."""
        for y, line in enumerate(self.grid):
            for x in range(len(line)):
                line[x] = str(level.terrain_at((x, y)))
        return [
            ["wall" if (x, y) in self.obstacles else name for x, name in enumerate(line)]
            for y, line in enumerate(self.grid)
        ]


@pytest.mark.parametrize(
    ("seed", "more"),
    [
        (1, {}),
        (2, {"profiles": GIANT}),
        (3, {"hex_layout": "odd-r"}),
        (4, {"hex_layout": "even-q"}),
        (5, {"connectivity": 4}),
        (6, {"corner_cutting": "always", "spacing": 1}),
        (7, {"keep_paths": False}),
    ],
)
def test_random_updates_answer_as_a_fresh_bake_does(
    seed: int, more: dict[str, Any], tmp_path: Path
) -> None:
    rng = random.Random(seed)
    model = Model(random_grid(seed, 22, 18, rng.choice([0.1, 0.3])))
    path = baked(tmp_path, model.grid, **more)
    with open_asset(path) as level:
        nav = level.profile()
        for turn in range(8):
            # Some in one spot, which may lie at a seam of squares and sheets; some anywhere.
            x, y = rng.choice([(7, 7), (3, 8), (15, 4), (rng.randrange(20), rng.randrange(16))])
            near = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
            spot = rng.sample(near, rng.randrange(1, 4))
            anywhere = [(rng.randrange(22), rng.randrange(18)) for _ in range(turn % 3)]
            level.update(**model.change(rng, list(dict.fromkeys([*spot, *anywhere]))))
            if turn % 2:
                truth = baked(tmp_path, model.fresh(level), "fresh", **more)
                check(level, nav, truth, turn)
        assert not arcs_are_listed(level)


def test_all_that_was_done_is_undone(tmp_path: Path) -> None:
    """Answers are the baked ones again, and nothing is kept of what was built."""
    grid = random_grid(11, 22, 18, 0.2)
    model = Model(grid)
    with open_asset(baked(tmp_path, grid)) as level:
        nav = level.profile()
        places = some_places(level, nav, 1, 6)
        before = [nav.path(start, goal, "hpa") for start, goal in pairwise(places)]
        open_cells = [(x, y) for x, y in places[:3]]
        report = level.update(blocked=open_cells)["default"]
        assert report.closed == tuple(sorted(open_cells, key=lambda cell: cell[::-1]))
        assert report.opened == ()
        assert not report.as_baked
        for cell in open_cells:
            with pytest.raises(BlockedCellError):
                nav.path(cell, places[-1], "hpa")
        for cell in reversed(open_cells):
            report = level.update(opened=[cell])["default"]
            nav.path(places[-2], places[-1], "hpa")
        assert report.as_baked
        assert model.fresh(level) == grid
        assert [nav.path(a, b, "hpa") for a, b in pairwise(places)] == before
        assert not layer_now(nav).dress.squares
        assert not arcs_are_listed(level)


def test_a_report_tells_what_an_update_did(tmp_path: Path) -> None:
    """As a level whose arcs are listed tells it."""
    grid = random_grid(13, 22, 18, 0.2)
    recipe = recipe_for(FREE, tables=TABLES, cluster_size=SIDE)
    listed = bake(write_grid(tmp_path / "listed.json", grid), recipe)
    with open_asset(listed) as one, open_asset(baked(tmp_path, grid)) as other:
        rng, model = random.Random(5), Model(grid)
        for _ in range(6):
            cells = [(rng.randrange(22), rng.randrange(18)) for _ in range(2)]
            batch = model.change(rng, list(dict.fromkeys(cells)))
            expected, found = one.update(**batch)["default"], other.update(**batch)["default"]
            assert found == expected
            assert found.components == expected.components
            assert one.changes_since(0).places.tolist() == other.changes_since(0).places.tolist()
            assert one.changes_since(0).rerouted == other.changes_since(0).rerouted


def test_rock_that_opens_is_found_by_every_question(tmp_path: Path) -> None:
    grid = [["floor"] * 20 for _ in range(12)]
    for line in grid:
        line[9] = line[10] = "wall"
    with open_asset(baked(tmp_path, grid)) as level:
        nav = level.profile()
        assert nav.path((2, 2), (17, 9), "hpa") is None
        assert not nav.reachable((2, 2), (17, 9))
        assert nav.nearest((9.6, 5.5)) == (8, 5)
        report = level.update(opened=[(9, 5), (10, 5)])["default"]
        assert report.opened == ((9, 5), (10, 5))
        assert report.components == (2, 1)
        path = nav.path((2, 2), (17, 9), "hpa")
        assert path is not None
        assert {(9, 5), (10, 5)} <= set(path)
        assert nav.reachable((2, 2), (17, 9))
        assert nav.nearest((9.6, 5.5)) == (9, 5)
        assert not arcs_are_listed(level)
        # What needs a list of arcs has one, with the same places.
        length = nav.length(nav.path((2, 2), (17, 9)) or [])
        assert nav.distance((2, 2), (17, 9)) == pytest.approx(length)
        assert nav.next_hop((9, 5), (17, 5)) == (10, 5)
        assert arcs_are_listed(level)
        level.update(blocked=[(10, 5)])
        assert nav.distance((2, 2), (17, 9)) == float("inf")
        assert nav.path((2, 2), (17, 9), "hpa") is None


@pytest.mark.parametrize("kind", ["links", "price", "one-way"])
def test_what_steps_do_not_say_is_answered_from_lists(kind: str, tmp_path: Path) -> None:
    """Until it is gone again: then the cells answer as before."""
    grid = [["floor"] * 20 for _ in range(12)]
    change, back = {
        "links": (
            {"links": {"rope": {"from": (1, 1), "to": (18, 10), "cost": 2.0, "both_ways": True}}},
            {"links": {"rope": None}},
        ),
        "price": ({"arcs": {((1, 1), (2, 1)): 0.25}}, {"arcs": {((1, 1), (2, 1)): None}}),
        "one-way": ({"terrain": {(2, 1): "water"}}, {"terrain": {(2, 1): "floor"}}),
    }[kind]
    path = baked(tmp_path, grid, terrain=rules_of(GROUND))
    with open_asset(path) as level:
        nav = level.profile()
        level.update(blocked=[(5, 5)])
        assert nav.path((4, 5), (6, 5), "hpa") is not None
        assert not arcs_are_listed(level)
        report = level.update(**change)["default"]
        assert arcs_are_listed(level)
        assert not nav._now.version.by_sheet
        assert report.arcs > 0
        there = nav.path((1, 1), (18, 10), "hpa")
        assert there is not None
        assert (len(there) == 2) == (kind == "links")
        assert (
            nav.distance((1, 1), (2, 1))
            == {"links": 1, "price": 0.25, "one-way": float("inf")}[kind]
        )
        assert nav.distance((2, 1), (1, 1)) == (1.25 if kind == "one-way" else 1)
        report = level.update(**back)["default"]
        assert report.arcs > 0
        assert nav._now.version.by_sheet
        level.update(opened=[(5, 5)])
        check(level, nav, baked(tmp_path, grid, "fresh", terrain=rules_of(GROUND)), 3)


def test_versions_that_nobody_asked_are_built_together(tmp_path: Path) -> None:
    rng, model = random.Random(17), Model(random_grid(17, 22, 18, 0.2))
    with open_asset(baked(tmp_path, model.grid)) as level:
        nav = level.profile()
        for _ in range(12):
            level.update(**model.change(rng, [(rng.randrange(22), rng.randrange(18))]))
        check(level, nav, baked(tmp_path, model.fresh(level), "fresh"), 4)


def test_old_and_new_versions_answer_in_turn(tmp_path: Path) -> None:
    """A walk that was begun goes on in the level as it was; so does whoever keeps its snapshot."""
    grid = [["floor"] * 24 for _ in range(16)]
    path = baked(tmp_path, grid)
    with open_asset(path) as level:
        nav = level.profile()
        expected = list(nav.search.walk((0, 0), (23, 15)) or ())
        walk, old = nav.search.walk((0, 0), (23, 15)), nav._now
        assert walk is not None
        walked = [next(walk)]
        ends = old.rows.row((0, 0)), old.rows.row((23, 15))
        before = old.searches.hierarchy.path(*ends)
        for x in range(24):
            level.update(blocked=[(x, 8)])
            assert nav.path((0, 0), (23, 3), "hpa") is not None
            again = old.searches.hierarchy.path(*ends)
            assert again[1:] == before[1:]
            assert again[0] is not None
            assert before[0] is not None
            assert again[0].tolist() == before[0].tolist()
            walked += islice(walk, 1)
        assert nav.path((0, 0), (23, 15), "hpa") is None
        assert walked + list(walk) == expected


def test_what_is_built_again_and_again_is_dropped(tmp_path: Path) -> None:
    """Memory follows from what differs, however often it changed."""
    grid = random_grid(19, 22, 18, 0.1)
    model, rng = Model(grid), random.Random(19)
    with patch.object(versions, "_LEAST_WASTE", 0), open_asset(baked(tmp_path, grid)) as level:
        nav = level.profile()
        pools, most = set(), 0
        for _ in range(60):
            level.update(**model.change(rng, [(7 + rng.randrange(2), 7 + rng.randrange(2))]))
            layer = layer_now(nav)
            pools.add(id(layer.pool))
            most = max(most, layer.transition_count - 2 * layer.pool.baked)
        assert len(pools) > 1
        assert most < 200
        check(level, nav, baked(tmp_path, model.fresh(level), "fresh"), 6)


def test_an_update_takes_memory_for_what_differs_alone(tmp_path: Path) -> None:
    """No array by cell, row or arc is copied."""
    grid = [["floor"] * 240 for _ in range(200)]
    path = baked(tmp_path, grid, cluster_size=8)
    with open_asset(path) as level:
        nav = level.profile()
        nav.path((100, 100), (120, 100), "hpa")
        level.update(blocked=[(107, 99)])
        assert nav.path((100, 100), (120, 100), "hpa") is not None
        layer, maker = layer_now(nav), level._current.writer._profiles["default"]
        now = nav._now.version.level
        assert now is not None
        assert isinstance(maker, LatticeWriter)
        assert len(layer.dress.squares) == 1
        assert len(layer.rebuilt) == 1
        assert isinstance(now.terrain, Cells)
        assert isinstance(now.obstacle, Cells)
        assert list(now.obstacle.squares) == list(layer.dress.squares)
        assert now.terrain.baked is level._current.writer.rules.terrain
        assert not arcs_are_listed(level)
        # Numbers by transition and cluster are all that a version copies.
        own = (layer.first_out, layer.end_out, layer.cluster, layer.end_transition, layer.border)
        squares = (each for cells in layer.dress.squares.values() for each in cells)
        assert (
            sum(each.nbytes for each in (*own, *squares))
            < 8 * layer.transition_count + 80 * len(layer.cluster) + 8000
        )
        read = level._current.baked["default"].version.worn.sheets._read
        assert np.count_nonzero(read) < len(read) / 4


def test_doors_journals_and_patches(tmp_path: Path) -> None:
    grid = [["floor"] * 20 for _ in range(12)]
    for line in grid:
        line[10] = "wall"
    door = {"name": "gate", "cells": [[10, 5], [10, 6]], "state": "shut",
            "states": {"open": "floor", "shut": "wall"}}  # fmt: skip
    path = baked(tmp_path, grid, things={"doors": [door]})
    patch_file, journal = tmp_path / "level.patch", tmp_path / "level.journal"
    with open_asset(path) as level:
        nav = level.profile()
        assert level.journal(journal) == 0
        assert nav.path((2, 2), (17, 9), "hpa") is None
        report = level.set_state("gate", "open")["default"]
        assert report.opened == ((10, 5), (10, 6))
        assert level.doors["gate"].state == "open"
        assert nav.path((2, 2), (17, 9), "hpa") is not None
        level.update(blocked=[(3, 3)], terrain={(4, 4): "mud"})
        level.save_patch(patch_file)
        expected = nav.path((2, 2), (17, 9), "hpa")
        level.set_state("gate", "shut")
        assert nav.path((2, 2), (17, 9), "hpa") is None
        level.apply_patch(patch_file)
        assert nav.path((2, 2), (17, 9), "hpa") == expected
    folded = tmp_path / "folded.h5"
    apply_patch(path, patch_file, folded, 1, lambda stage, done: None)
    with open_asset(folded) as level:
        assert level.terrain_at([(3, 3), (4, 4), (10, 5)]) == ["wall", "mud", "floor"]
    with open_asset(path) as level:
        nav = level.profile()
        assert level.journal(tmp_path / "level.journal") == 4
        assert nav.path((2, 2), (17, 9), "hpa") == expected
        assert level.terrain_at((4, 4)) == "mud"
        with pytest.raises(BlockedCellError):
            nav.path((3, 3), (17, 9), "hpa")
        assert not arcs_are_listed(level)


def test_profiles_change_together(tmp_path: Path) -> None:
    grid = random_grid(23, 22, 18, 0.1)
    profiles = (
        ProfileRecipe("default", rules_of(FREE)),
        ProfileRecipe("giant", rules_of(FREE), 2),
    )
    model, rng = Model(grid), random.Random(23)
    with open_asset(baked(tmp_path, grid, profiles=profiles)) as level:
        for _ in range(4):
            level.update(**model.change(rng, [(rng.randrange(22), rng.randrange(18))]))
        truth = baked(tmp_path, model.fresh(level), "fresh", profiles=profiles)
        for name in level.profiles:
            check(level, level.profile(name), truth, 8)
            assert not arcs_are_listed(level, name)


def test_threads_ask_while_one_writes(tmp_path: Path) -> None:
    """Every path can be walked in one of the two levels there are."""
    grid = [["floor"] * 24 for _ in range(16)]
    for x in range(1, 24):
        grid[8][x] = "wall"
    with open_asset(baked(tmp_path, grid)) as level:
        nav = level.profile()
        pair = (20, 2), (20, 14)
        shut = nav.path(*pair, "hpa")
        level.update(opened=[(20, 8)])
        both = [shut, nav.path(*pair, "hpa")]
        assert both[0] != both[1]
        stop, wrong = threading.Event(), []

        def ask() -> None:
            while not stop.is_set():
                try:
                    found = nav.path(*pair, "hpa")
                    walked = [pair[0], *(nav.search.walk(*pair) or ())]
                    if found not in both or walked[-1] != pair[1]:
                        wrong.append(found)
                except Exception as error:
                    wrong.append(error)
                    return

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for turn in range(60):
            level.update(**{"blocked" if turn % 2 == 0 else "opened": [(20, 8)]})
        stop.set()
        for thread in threads:
            thread.join()
        assert not wrong
