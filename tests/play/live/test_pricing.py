"""Prices on changed ground are those a bake gives: links, ledges, floors, doors, large agents."""

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bake.apply import apply_patch
from bake.baking.level import bake_level
from bake.baking.sources import find_tasks
from bake.play import LevelAsset, open_asset
from bake.play.live import pricing as module
from bake.play.navigator import Navigator
from bake.project.recipe import LevelRecipe, ProfileRecipe, load_recipe
from tests.support.baked import bake
from tests.support.live_model import GridModel
from tests.support.pages import ROOT


def arcs_of(nav: Navigator) -> dict[tuple[object, object], list[int]]:
    """Ticks of every arc by the places it joins."""
    now = nav._now
    usable = now.version.usable
    place = now.rows.places(np.arange(now.version.row_count))
    found: dict[tuple[object, object], list[int]] = {}
    ends = zip(usable.graph.tail().tolist(), usable.graph.head.tolist(), strict=True)
    for (tail, head), ticks in zip(ends, usable.weight.tolist(), strict=True):
        found.setdefault((place[tail], place[head]), []).append(ticks)
    return {arc: sorted(ticks) for arc, ticks in found.items()}


def change(level: LevelAsset, rng: random.Random, terrains: list[str], doors: set[object]) -> None:
    for _ in range(60):
        cell = (rng.randrange(level.width), rng.randrange(level.height))
        place = (*cell, rng.randrange(level.floors)) if level.floors > 1 else cell
        if place in doors:
            continue
        what = rng.choice(["blocked", "opened", "terrain"])
        if what == "terrain":
            level.update(terrain={place: rng.choice(terrains)})
        else:
            level.update(**{what: [place]})
    for door in level.doors.values():
        level.set_state(door.name, rng.choice(sorted(door.states)))


@pytest.mark.parametrize("name", ["bastion.json", "manor.tmx"])
def test_prices_are_those_of_a_bake(tmp_path: Path, name: str) -> None:
    recipe = load_recipe(ROOT / "bake.toml")
    task = next(
        task
        for task in find_tasks(recipe, [ROOT / "levels_src" / f"{name}"], tmp_path)
        if task.name == Path(name).stem
    )
    bake_level(task, 1, lambda stage, done: None)
    rng = random.Random(name)
    with open_asset(task.asset) as level:
        baked = {profile: arcs_of(level.profile(profile)) for profile in level.profiles}
        doors = {tuple(cell) for door in level.doors.values() for cell in door.cells.tolist()}
        change(level, rng, list(level._current.writer.rules.terrains), doors)
        level.save_patch(tmp_path / "saved.patch")
        folded = tmp_path / "folded.h5"
        apply_patch(task.asset, tmp_path / "saved.patch", folded, 1, lambda stage, done: None)
        with open_asset(folded) as fresh:
            for profile in level.profiles:
                now = arcs_of(level.profile(profile))
                assert now == arcs_of(fresh.profile(profile))
                assert now != baked[profile]


def field(folder: Path, rng: random.Random) -> Path:
    """Two floors of open ground with ledges, for agents of one cell and of two by two."""
    ledges = [
        {"cells": [[rng.randrange(24), rng.randrange(12), floor]], "bars": [way]}
        for floor in (0, 1)
        for way in ("north", "east")
        for _ in range(9)
    ]
    level = {
        "format": "bake-tiles",
        "version": 1,
        "legend": {".": "floor", "m": "mud", "#": "wall"},
        "terrains": {"floor": 1, "mud": 3, "wall": "blocked"},
        "rows": ["." * 23 + "#", *["." * 24] * 22, "." * 23 + "m"],
        "floor_height": 12,
        "ledges": ledges,
    }
    source = folder / "field.json"
    source.write_text(json.dumps(level), encoding="utf-8")
    profiles = ProfileRecipe("cat"), ProfileRecipe("ogre", {}, 2)
    return bake(source, LevelRecipe(profiles=profiles, tables=("components",)))


@pytest.mark.parametrize("kind", ["field", "square", "odd-r", "even-q"])
@pytest.mark.parametrize("room", [10**9, 40])
def test_patches_are_remembered_rightly(
    tmp_path: Path, kind: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever changed, together or apart, on borders and floors; most ground looks alike."""
    monkeypatch.setattr(module, "_REMEMBERED", room)
    rng = random.Random(kind)
    if kind == "field":
        asset = field(tmp_path, rng)
    else:
        grid = [["floor"] * 24 for _ in range(20)]
        grid[0][0], grid[19][23] = "mud", "wall"
        layout = None if kind == "square" else kind
        model = GridModel(grid, 8, "never", "mean", layout)
        asset = model.baked(tmp_path, tables=("components",))
    with open_asset(asset) as level:
        writer = level._current.writer
        now = writer.load()
        width, height = level._current.places.width, level._current.places.height
        looks: Counter[object] = Counter()
        for _ in range(300):
            terrain, obstacle = now.terrain.copy(), now.obstacle.copy()
            x, y = rng.randrange(width), rng.randrange(height)
            reach = rng.choice([0, 0, 1, 2, 12])
            cells = {
                (min(width - 1, x + rng.randint(0, reach)), min(height - 1, y + rng.randint(0, 2)))
                for _ in range(rng.randint(1, 3) if reach else 1)
            }
            changed = np.array(sorted(y * width + x for x, y in cells), dtype=np.int64)
            for at in changed.tolist():
                obstacle[at] = rng.random() < 0.05
                terrain[at] = (
                    rng.randrange(len(writer.rules.terrains)) if rng.random() < 0.05 else 0
                )
            now = replace(now, terrain=terrain, obstacle=obstacle)
            for name, profile in writer._profiles.items():
                made = profile.pricing
                found, wanted = made.patch(now, changed), made._patch(now, changed)
                assert np.array_equal(found.near, wanted.near)
                assert np.array_equal(found.stands, wanted.stands)
                for one, other in zip(found.steps, wanted.steps, strict=True):
                    assert np.array_equal(one, other)
                looks[name, made._look(now, changed)] += 1
        assert sum(count > 1 for (_, look), count in looks.items() if look is not None) > 5
