"""Levels of prototypes are baked as drawn, and say at runtime where their houses stand."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from bake.apply import apply_patch
from bake.export.export import export_asset
from bake.play import Instance, open_asset
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from bake.verify import verify_asset
from levelbake.errors import BlockedCellError
from tests.support.baked import bake, recipe_for
from tests.support.towns import house, town


def two_kinds() -> dict[str, Any]:
    rng = random.Random(5)
    return town(rng, [house(rng, 7, 6, 2), house(rng, 6, 5, 1)], 2, 2, 1)


def written(folder: Path, document: dict[str, Any]) -> Path:
    source = folder / "town.json"
    source.write_text(json.dumps(document))
    return source


def test_by_hand(tmp_path: Path) -> None:
    """The house is a corridor with an end in the east."""
    document = {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {"floor": 1, "mud": 3, "wall": "blocked"},
        "legend": {".": "floor", "m": "mud", "#": "wall"},
        "connectivity": 4,
        "rows": ["." * 12] * 5,
        "prototypes": {"house": {"rows": ["#####", "#.m..", "#####"]}},
        "instances": [
            {"of": "house", "at": [0, 1]},
            {"of": "house", "at": [7, 1], "mirrored": True},
        ],
    }
    asset = bake(written(tmp_path, document), LevelRecipe(tables=("next_hops",)))
    with open_asset(asset) as level:
        nav = level.profile()
        # 4 steps in the house, of which two touch mud, and 2 to the other house's exit.
        assert nav.distance((1, 2), (5, 2)) == 2 + 2 + 1 + 1
        assert nav.distance((1, 2), (10, 2)) == 6 + 1 + 6
        assert nav.next_hop((10, 2), (1, 2)) == (9, 2)
        assert nav.path((1, 2), (3, 2)) == [(1, 2), (2, 2), (3, 2)]
        assert nav.next_hop((3, 2), (3, 2)) == (3, 2)
        with pytest.raises(BlockedCellError):
            nav.next_hop((0, 2), (5, 2))
        assert level.instances == (
            Instance("house", (0, 1), 5, 3, 0, mirrored=False),
            Instance("house", (7, 1), 5, 3, 0, mirrored=True),
        )


def test_links_doors_and_floors(tmp_path: Path) -> None:
    """A link leads into one house, and a shut door stands in another."""
    rows = ["#######", "#..#..#", "#..#..#", "#.....#", "###.###"]
    document = {
        "format": "bake-tiles",
        "version": 1,
        "legend": {".": "floor", "#": "wall"},
        "rows": ["." * 17] * 14,
        "floor_height": 7,
        "prototypes": {"house": {"rows": rows}},
        "instances": [
            {"of": "house", "at": place, "turned": turned}
            for place, turned in (
                ([1, 1, 0], 0),
                ([9, 1, 0], 180),
                ([1, 1, 1], 0),
                ([9, 0, 1], 90),
            )
        ],
        "links": [{"name": "stairs", "from": [2, 2, 0], "to": [2, 2, 1], "both_ways": True}],
        "doors": [
            {
                "name": "inner",
                "cells": [[12, 2, 0]],
                "states": {"open": None, "shut": "wall"},
                "state": "shut",
            }
        ],
    }
    asset = bake(written(tmp_path, document), recipe_for())
    with open_asset(asset) as level:
        assert [each.place for each in level.instances][2:] == [(1, 1, 1), (9, 0, 1)]
        assert level.profile().path((2, 2, 0), (2, 2, 1)) == [(2, 2, 0), (2, 2, 1)]
    verify_asset(asset, None, lambda done: None)


def test_houses_stay_known_after_updates_and_a_patch(tmp_path: Path) -> None:
    """Walls of a house fall, and a patch is folded in; where the houses stand is as it was."""
    asset = bake(written(tmp_path, two_kinds()), recipe_for())
    with open_asset(asset) as level:
        houses = level.instances
        corner = houses[0].place
        inside = [(corner[0] + dx, corner[1] + dy) for dx in range(4) for dy in range(4)]
        walls = [cell for cell in inside if level.terrain_at(cell) == "wall"]
        level.update(opened=walls, blocked=[(0, 1)])
        assert level.instances == houses
        level.save_patch(tmp_path / "town.patch")
        output = tmp_path / "patched.h5"
        apply_patch(asset, tmp_path / "town.patch", output, 1, lambda stage, done: None)
        with open_asset(output) as patched:
            assert patched.instances == houses
            for start, goal in (((0, 0), (16, 9)), ((16, 3), (0, 5)), ((3, 0), (0, 12))):
                wanted = level.profile().distance(start, goal)
                assert patched.profile().distance(start, goal) == wanted
    verify_asset(output, None, lambda done: None)


def test_flat_files_hold_the_level_as_drawn(tmp_path: Path) -> None:
    asset, flat = bake(written(tmp_path, two_kinds()), recipe_for()), tmp_path / "town.bake"
    with Asset(asset) as opened:
        export_asset(opened, flat)
    with open_asset(asset) as one, open_asset(flat) as other:
        ends = (0, 0), (16, 9)
        assert one.profile().distance(*ends) == other.profile().distance(*ends)
