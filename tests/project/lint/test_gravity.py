"""Levels that look like those of platformers, and levels that do not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bake.core.level import GridLevel, Spot, Things
from bake.levels import load
from bake.project.lint.gravity import looks_like_platformer
from tests.support.levels import shared_level
from tests.support.side_view import SIDE


def level_of(terrain: np.ndarray, terrains: tuple[str, ...]) -> GridLevel:
    return GridLevel("drawn", Path("drawn.json"), terrain.astype(np.uint8), terrains)


def looks(rows: list[str], *spots: tuple[int, int], names: tuple[str, ...] = ()) -> bool:
    terrains = ("air", "ground", *names)
    terrain = np.array([[int(each == "#") for each in row] for row in rows], dtype=np.uint8)
    level = level_of(terrain, terrains)
    found = tuple(Spot(f"s{x} {y}", "spawn", (x, y), None, "") for x, y in spots)
    level = replace(level, things=replace(level.things, spots=found))
    return looks_like_platformer(level, terrain == 0)


#: The same turned upside down, as no platformer is.
UPSIDE_DOWN = SIDE[::-1]


def test_flat_tops_alone_prove_nothing() -> None:
    assert not looks(SIDE)


def test_spawns_above_solid_ground() -> None:
    assert looks(SIDE, (7, 1), (20, 3))
    assert not looks(SIDE, (7, 1), (20, 1))
    assert not looks(UPSIDE_DOWN, (7, 12))


def test_names_of_platformers() -> None:
    assert looks(SIDE, names=("spikes",))
    assert not looks(UPSIDE_DOWN, names=("spikes", "ladder"))
    assert not looks(["....", "####"] * 4, (1, 0), names=("ladder",))


def test_floors_and_hexagons_are_seen_from_above() -> None:
    terrain = np.array([[int(each == "#") for each in row] for row in SIDE], dtype=np.uint8)
    level: GridLevel = level_of(terrain, ("air", "ground", "spikes"))
    assert looks_like_platformer(level, terrain == 0)
    assert not looks_like_platformer(replace(level, floor_height=8), terrain == 0)
    assert not looks_like_platformer(replace(level, hex_layout="odd-r"), terrain == 0)


@pytest.mark.parametrize("seed", range(40))
def test_villages_and_rooms_are_none(seed: int) -> None:
    """Houses, rooms and a wall along the south, with two spawns anywhere on free ground."""
    rng = np.random.default_rng(seed)
    solid = np.full((40, 50), seed % 2 == 0)
    for _ in range(20):
        height, width = rng.integers(2, 7, 2)
        y, x = rng.integers(1, 39 - height), rng.integers(1, 49 - width)
        solid[y : y + height, x : x + width] = seed % 2 == 1
    solid[-2:] = True
    ys, xs = np.nonzero(~solid)
    at = rng.integers(0, len(ys), 2)
    level = level_of(solid.astype(np.uint8), ("floor", "wall"))
    spots = tuple(
        Spot(f"s{each}", "spawn", (int(xs[each]), int(ys[each])), None, "") for each in at
    )
    assert not looks_like_platformer(replace(level, things=Things(spots=spots)), ~solid)


@pytest.mark.parametrize("name", ["den312d", "arena", "lak303d", "maze512-4-0"])
def test_maps_of_games_seen_from_above(name: str) -> None:
    level = load(shared_level(f"movingai/{name}.map"), {})
    assert isinstance(level, GridLevel)
    rules = level.terrain_rules
    is_open = np.array([each in rules and rules[each].cost is not None for each in level.terrains])
    assert not looks_like_platformer(level, is_open[level.terrain])
