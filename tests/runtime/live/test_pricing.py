"""Prices on changed ground are those a bake gives: links, ledges, floors, doors, large agents."""

import random
from pathlib import Path

import numpy as np
import pytest

from bake.apply import apply_patch
from bake.pipeline.level import bake_level
from bake.pipeline.sources import find_tasks
from bake.recipe import load_recipe
from bake.runtime import LevelAsset, open_asset
from bake.runtime.navigator import Navigator
from tests.support.pages import ROOT


def arcs_of(nav: Navigator) -> dict[tuple[object, object], list[int]]:
    """Ticks of every arc by the places it joins."""
    now = nav._now
    usable = now.tables.usable
    place = now.rows.places(np.arange(now.tables.row_count))
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
