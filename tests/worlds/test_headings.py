"""Agents that face a way and pay for turning: by hand, and beside a plain oracle."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.apply import apply_patch
from bake.play import LevelAsset, open_asset
from bake.project.recipe import ProfileRecipe, load_recipe
from bake.verify import verify_asset
from levelbake.errors import BakeError, CorruptAssetError, QueryError
from tests.support.baked import GROUND, bake, recipe_for, rows, write_graph, write_grid
from tests.support.oracles import Lattice, distances_from
from tests.support.slope_and_turn_oracles import turning_arcs
from tests.support.tampering import edited

pytestmark = pytest.mark.note(61, "a plain oracle of turns")

TICKS = 27720


def proved(asset: Path) -> None:
    verify_asset(asset, None, lambda done: None)


def test_a_path_counts_its_turns(tmp_path: Path) -> None:
    """From the west, facing east, to the corner: 4 steps east, a quarter turn, 2 south."""
    source = write_grid(tmp_path / "yard.json", rows(".....", "####.", "####."))
    recipe = recipe_for(headings=4, profiles=(ProfileRecipe("tank", {}, 1, turn=0.5),))
    asset = bake(source, recipe)
    proved(asset)
    with open_asset(asset) as level:
        tank = level.profile()
        assert tank.distance((0, 0, 0), (4, 2, 1)) == 4 + 0.5 + 2
        assert tank.distance((0, 0, 2), (4, 2, 1)) == 2 * 0.5 + 4 + 0.5 + 2
        path = tank.path((0, 0, 0), (4, 2, 1))
        assert path == [*((x, 0, 0) for x in range(5)), (4, 0, 1), (4, 1, 1), (4, 2, 1)]
        assert tank.length(path) == 6.5
        assert tank.next_hop((4, 0, 0), (4, 2, 1)) == (4, 0, 1)
        assert tank.path((4, 2, 1), (4, 2, 3)) in (
            [(4, 2, 1), (4, 2, 2), (4, 2, 3)],
            [(4, 2, 1), (4, 2, 0), (4, 2, 3)],
        )


def test_a_cell_alone_is_the_cell_in_any_heading(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "yard.json", rows(".....", "####.", "####."))
    with open_asset(bake(source, recipe_for(headings=4))) as level:
        nav = level.profile()
        assert nav.distance((0, 0), (4, 2)) == 4 + 1 + 2
        assert nav.distance((0, 0, 2), (4, 0)) == 2 + 4
        assert nav.distance((3, 0), (3, 0)) == 0
        assert nav.distance((3, 0, 1), (3, 0)) == 0
        assert nav.path((3, 0), (4, 0)) == [(3, 0, 0), (4, 0, 0)]
        assert nav.next_hop((4, 0, 0), (4, 2)) == (4, 0, 1)
        assert nav.reachable((0, 0), (4, 2, 3))
        assert nav.search((0, 0), (4, 2)).cost == 7
        with pytest.raises(QueryError, match="cannot stand"):
            nav.distance((0, 1), (4, 2))
        with pytest.raises(QueryError, match="outside"):
            nav.distance((0, 0), (9, 9))
        with pytest.raises(QueryError, match="straight lines"):
            nav.plane.smooth([(0, 0, 0), (1, 0, 0)])


def drawn(rng: random.Random, width: int, height: int) -> list[list[str]]:
    names = ["floor"] * 6 + ["mud", "road", "water", "ledge", "wall"]
    grid = [[rng.choice(names) for _ in range(width)] for _ in range(height)]
    grid[0][0] = "floor"
    return grid


def check(level: LevelAsset, out: dict[Any, list[Any]]) -> None:
    nav = level.profile()
    places = sorted(out)
    for start in places[:: max(1, len(places) // 8)]:
        told = distances_from(out, start)
        for goal in places:
            expected = told.get(goal, np.inf) / TICKS
            assert nav.distance(start, goal) == pytest.approx(expected, rel=1e-12)
        cells = {goal[:2] for goal in places}
        for x, y in sorted(cells)[::5]:
            best = min(told.get((x, y, h), np.inf) for h in range(len(places) // len(cells)))
            assert nav.distance(start, (x, y)) == pytest.approx(best / TICKS, rel=1e-12)


CASES: list[tuple[int, str | None, str]] = [
    (4, None, "never"),
    (8, None, "never"),
    (8, None, "one_free"),
    (8, None, "always"),
    (6, "odd-r", "never"),
    (6, "even-q", "never"),
]


@pytest.mark.parametrize(("headings", "layout", "corners"), CASES)
def test_every_distance_is_what_the_oracle_says_before_and_after_changes(
    tmp_path: Path, headings: int, layout: str | None, corners: str
) -> None:
    rng = random.Random(f"headings {headings} {layout} {corners}")
    grid = drawn(rng, 5, 6)
    corner = {} if layout else {"corner_cutting": corners}
    profiles = (ProfileRecipe("tank", {}, 1, turn=0.75),)
    recipe = recipe_for(
        headings=headings,
        profiles=profiles,
        cluster_size=4,
        tables=("components", "next_hops", "hierarchy"),
        **corner,
    )
    asset = bake(write_grid(tmp_path / "yard.json", grid, layout), recipe)
    proved(asset)

    def oracle() -> dict[Any, list[Any]]:
        return turning_arcs(Lattice(grid, GROUND, corners), headings, layout, 20790)

    cells = [(x, y) for y in range(6) for x in range(5)]
    with open_asset(asset) as level:
        check(level, oracle())
        for _ in range(2):
            walls, floors = rng.sample(cells[1:], 3), rng.sample(cells, 4)
            for x, y in walls:
                grid[y][x] = "wall"
            for x, y in floors:
                grid[y][x] = "floor"
            level.update(terrain={**dict.fromkeys(walls, "wall"), **dict.fromkeys(floors, "floor")})
            check(level, oracle())
            nav = level.profile()
            way = nav.search((0, 0, 0), (*floors[0], 1), "hpa")
            direct = nav.distance((0, 0, 0), (*floors[0], 1))
            assert way.cost >= direct - 1e-9
            assert (way.path is None) == np.isinf(direct)
        level.update(blocked=[(0, 0, 1)])
        level.save_patch(tmp_path / "now.patch")
    output = tmp_path / "folded.h5"
    apply_patch(asset, tmp_path / "now.patch", output, 1, lambda stage, done: None)
    proved(output)
    arcs = oracle()
    gone = (0, 0, 1)
    kept = {a: [(b, t) for b, t in out if b != gone] for a, out in arcs.items() if a != gone}
    with open_asset(output) as level:
        nav = level.profile()
        told = distances_from(kept, (0, 0, 0))
        for goal in kept:
            expected = told.get(goal, np.inf) / TICKS
            assert nav.distance((0, 0, 0), goal) == pytest.approx(expected, rel=1e-12)


def test_doors_regions_and_wide_agents_turn_too(tmp_path: Path) -> None:
    things = {
        "doors": [
            {
                "name": "gate",
                "cells": [[3, 0], [3, 1]],
                "states": {"open": "floor", "shut": "wall"},
                "state": "shut",
            }
        ],
        "regions": [{"name": "west", "rect": [0, 0, 3, 2]}],
        "spots": [{"name": "start", "kind": "spawn", "at": [0, 0]}],
    }
    source = write_grid(tmp_path / "gate.json", rows("...#...", "...#..."), **things)
    recipe = recipe_for(headings=8, profiles=(ProfileRecipe("tank", {}, 2, turn=0.25),))
    asset = bake(source, recipe)
    proved(asset)
    with open_asset(asset) as level:
        tank = level.profile()
        assert not tank.reachable((0, 0), (5, 0))
        level.set_state("gate", "open")
        assert tank.distance((0, 0, 0), (5, 0)) == 5
        assert tank.distance((0, 0, 4), (5, 0)) == 5 + 4 * 0.25
        assert level.regions["west"].cells.shape == (48, 3)
        assert level.spots("spawn")[0].place == (0, 0, 0)


def test_what_cannot_have_headings_is_refused(tmp_path: Path) -> None:
    yard = rows("..", "..")
    two = write_grid(tmp_path / "two.json", yard, floor_height=1)
    link = {"name": "jump", "from": [0, 0], "to": [1, 1]}
    linked = write_grid(tmp_path / "linked.json", yard, links=[link])
    odd = write_grid(tmp_path / "odd.json", rows("..", "..", ".."), "even-r")
    hexed = write_grid(tmp_path / "hexed.json", yard, "odd-r")
    graph = write_graph(tmp_path / "graph.json", ["a"], [])
    plain = write_grid(tmp_path / "plain.json", yard)
    for source, settings, told in (
        (two, {}, "the level has 2 floors; expected one floor"),
        (linked, {}, "the level has links, such as 'jump'"),
        (hexed, {}, "the recipe gives 8 headings; expected 6 on hexagons"),
        (odd, {"headings": 6}, "the level has 3 rows of hexagons; expected an even number"),
        (graph, {}, "the recipe gives headings, and this is a graph"),
        (plain, {"headings": 6}, "expected 4 or 8 on squares"),
        (plain, {"connectivity": 4}, "8 headings"),
    ):
        with pytest.raises(BakeError) as caught:
            bake(source, recipe_for(**{"headings": 8, **settings}))
        assert told in str(caught.value), str(caught.value)
    file = tmp_path / "bake.toml"
    file.write_text("headings = 5\n[profiles.tank]\nturn = 0\n")
    with pytest.raises(BakeError) as caught:
        load_recipe(file)
    assert "expected 4, 6 or 8" in str(caught.value)
    assert "expected a number above 0" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "told"),
    [(2.0, "not the one"), (-1.0, "turn has -1.0, not ")],
)
def test_damage_is_found(tmp_path: Path, value: float, told: str) -> None:
    asset = bake(write_grid(tmp_path / "yard.json", rows("..", "..")), recipe_for(headings=4))
    with edited(asset) as file:
        file["/profiles/default/turn"][0] = value
    with pytest.raises(CorruptAssetError, match=told):
        proved(asset)
