"""A level with everything a tile file can hold: two floors, links, a door, ledges, regions."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bake.core.level import TerrainRule
from bake.project.recipe import LevelRecipe, ProfileRecipe
from tests.support.baked import bake

#: The upper floor lies below the lower one in the file.
TOWER: dict[str, Any] = {
    "format": "bake-tiles",
    "version": 1,
    "legend": {".": "floor", "#": "wall", "m": "mud"},
    "terrains": {"floor": 1, "mud": 3, "wall": "blocked", "bars": "blocked"},
    "rows": [
        "......#..",
        "......#..",
        ".mm...#..",
        ".mm......",
        "......#..",
        ".........",
        "..#####..",
        "..#......",
        "..#......",
        ".........",
    ],
    "floor_height": 5,
    "links": [
        {"name": "stairs", "kind": "stairs", "from": [7, 0, 0], "to": [7, 0, 1], "both_ways": True},
        {
            "name": "jump",
            "from": [0, 4, 1],
            "to": [0, 4, 0],
            "cost": 0.5,
            "profiles": ["cat"],
            "id": "17",
        },
        {
            "name": "rift",
            "kind": "teleporter",
            "from": [0, 0, 0],
            "to": [8, 4, 1],
            "cost": 2.25,
            "via": [[1, 1, 0], [5, 1, 0]],
        },
    ],
    "regions": [
        {"name": "yard", "rect": [0, 0, 6, 5, 0], "id": "6e9f"},
        {"name": "loft", "cells": [[7, 2, 1], [8, 2, 1]]},
    ],
    "spots": [
        {"name": "start", "kind": "spawn", "at": [0, 0, 0], "id": "18"},
        {"name": "lair", "kind": "spawn", "at": [0, 1, 0], "profiles": ["ogre"]},
        {"name": "out", "kind": "exit", "at": [8, 4, 0]},
    ],
    "doors": [
        {
            "name": "gate",
            "id": "gate-1",
            "cells": [[6, 3, 0]],
            "states": {"open": None, "shut": "bars"},
            "state": "open",
        },
        {
            "name": "hatch",
            "rect": [5, 0, 2, 1, 1],
            "states": {"shut": "bars", "open": "floor"},
            "state": "shut",
        },
    ],
    "ledges": [{"rect": [7, 2, 2, 1, 0], "bars": ["north"]}],
}

PROFILES = (
    ProfileRecipe("cat"),
    ProfileRecipe("ogre", {"mud": TerrainRule(5)}, 2),
    ProfileRecipe("walker"),
)


def write_tower(folder: Path, **more: object) -> Path:
    path = folder / "tower.json"
    path.write_text(json.dumps({**TOWER, **more}), encoding="utf-8")
    return path


def tower_recipe(**settings: object) -> LevelRecipe:
    return LevelRecipe(profiles=PROFILES, **settings)


def baked_tower(folder: Path, **settings: object) -> Path:
    """The tower's asset beside its source, for tests of what reads it: it is baked once."""
    asset = write_tower(folder).with_suffix(".h5")
    asset.write_bytes(_baked(tuple(settings.items())))
    return asset


@cache
def _baked(settings: tuple[tuple[str, object], ...]) -> bytes:
    with TemporaryDirectory() as folder:
        source = write_tower(Path(folder))
        return bake(source, tower_recipe(**dict(settings))).read_bytes()
