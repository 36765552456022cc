"""Readers in other languages answer what the Python reader answers, as baked and after updates."""

from __future__ import annotations

import functools
import json
import math
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.runtime import LevelAsset, Navigator, QueryError, open_asset
from tests.support.command import bake
from tests.support.levels import shared_level
from tests.support.readers import ROOT, Runner

#: Levels of this project: squares with several profiles, hexagons, floors, doors, links, a graph.
OURS = ["bastion.json", "colony.json", "keep.png", "manor.tmx", "marsh.png", "roads.json"]
OURS += ["oneway.json", "village.json"]
SHARED = ["movingai/den312d.map"]

#: Questions about each level; BAKE_READER_PAIRS=25000 in the environment for more of them.
PAIRS = int(os.environ.get("BAKE_READER_PAIRS", "4000"))
#: Batches of changes, and questions after each.
BATCHES, AFTER = 12, 60
#: Godot 3 takes a millisecond for each node that a search looks at, so it is asked less.
SLOWER = 4


@dataclass(frozen=True)
class Pair:
    """One level as an asset and as a flat file."""

    asset: Path
    flat: Path


@functools.cache
def baked(folder: Path, source: str) -> Pair:
    path = ROOT / "levels_src" / source if "/" not in source else shared_level(source)
    assert bake("build", path, "--jobs", "1", "-o", folder).code == 0
    asset = folder / f"{path.stem}.h5"
    flat = asset.with_suffix(".bake")
    assert bake("export", asset, "-o", flat).code == 0
    return Pair(asset, flat)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("assets")


class Both:
    """The Python reader, asked by locations as the others are."""

    def __init__(self, level: LevelAsset, profile: str) -> None:
        self.nav: Navigator = level.profile(profile)
        tables = level._tables(profile)
        self.places = tables.places
        self.standing: list[int] = tables.location.tolist()
        self.level = level

    def place(self, location: int) -> Any:
        return self.places.place_at(location)

    def hop(self, start: int, goal: int) -> int:
        found = self.nav.next_hop(self.place(start), self.place(goal))
        return -1 if found is None else self.places.location(found)

    def ticks(self, start: int, goal: int) -> int:
        units = self.nav.distance(self.place(start), self.place(goal))
        return -1 if units == math.inf else round(units * self.places.ticks_per_unit)


def answers_to(both: Both, question: str) -> str:
    word, *numbers = question.split()
    start, goal = map(int, numbers)
    if word == "hop":
        return str(both.hop(start, goal))
    if word == "ticks":
        return str(both.ticks(start, goal))
    if word == "reach":
        return str(int(both.nav.reachable(both.place(start), both.place(goal))))
    path = both.nav.path(both.place(start), both.place(goal))
    return "none" if path is None else " ".join(str(both.places.location(one)) for one in path)


@pytest.mark.parametrize("source", [*OURS, *SHARED])
def test_random_questions(runner: Runner, folder: Path, source: str) -> None:
    pairs = PAIRS // SLOWER if runner.language == "gdscript" else PAIRS
    asked, expected = questions(baked(folder, source), len(source), pairs)
    for question, answer, right in zip(asked, runner.ask(asked), expected, strict=True):
        assert answer == right, question


@functools.cache
def questions(pair: Pair, seed: int, pairs: int) -> tuple[list[str], list[str]]:
    """Questions about a level, and what the Python reader answers."""
    rng = np.random.default_rng(seed)
    with open_asset(pair.asset) as level:
        asked, expected = [f"load {pair.flat}"], ["ok"]
        for i, profile in enumerate(level.profiles):
            both = Both(level, profile)
            asked.append(f"profile {i}")
            expected.append("ok")
            count = pairs // len(level.profiles)
            ends = rng.choice(both.standing, (count, 2)).tolist()
            words = ["hop"] * count
            words[::10] = ["ticks"] * len(words[::10])
            words[1::10] = ["reach"] * len(words[1::10])
            words[2::50] = ["path"] * len(words[2::50])
            for word, (start, goal) in zip(words, ends, strict=True):
                question = f"{word} {start} {goal}"
                asked.append(question)
                expected.append(answers_to(both, question))
            goal, start = rng.choice(both.standing, 2).tolist()
            fields = {f"hops_to {goal}": {}, f"hops_from {start}": {}}
            for one in both.standing:
                fields[f"hops_to {goal}"][one] = both.hop(one, goal)
                fields[f"hops_from {start}"][one] = both.hop(start, one)
            count = (
                level.width * level.height * level.floors if level.is_grid else len(both.standing)
            )
            for question, hops in fields.items():
                asked.append(question)
                expected.append(" ".join(str(hops.get(at, -1)) for at in range(count)))
    return asked, expected


@pytest.mark.parametrize("source", ["bastion.json", "colony.json", "marsh.png", "roads.json"])
def test_updates(runner: Runner, folder: Path, source: str, tmp_path: Path) -> None:
    """Distances are equal to the tick, next hops are on shortest paths, patches go both ways."""
    pair = baked(folder, source)
    rng = random.Random(source)
    after = AFTER // (2 * SLOWER) if runner.language == "gdscript" else AFTER
    with open_asset(pair.asset) as level:
        readers = [Both(level, profile) for profile in level.profiles]
        names = json.loads(runner.ask([f"load {pair.flat}", "about"])[1])["terrains"]
        asked, expected = [f"load {pair.flat}"], ["ok"]
        hops: list[tuple[int, Both, int, int, int]] = []
        for _ in range(BATCHES):
            for line in change(level, readers, names, rng):
                asked.append(line)
                expected.append("ok")
            for i, both in enumerate(readers):
                asked.append(f"profile {i}")
                expected.append("ok")
                for _ in range(after):
                    start, goal = rng.choices(both.standing, k=2)
                    try:
                        ticks = both.ticks(start, goal)
                    except QueryError:
                        ticks = -1
                    asked += [f"ticks {start} {goal}", f"reach {start} {goal}"]
                    expected += [str(ticks), str(int(ticks >= 0))]
        level.save_patch(tmp_path / "of-python")
        text = (tmp_path / "of-python").read_text("utf-8").replace("\n", "|")
        asked += ["fresh", f"apply {text}", "profile 0"]
        expected += ["ok", "ok", "ok"]
        both = readers[0]
        for _ in range(after):
            start, goal = rng.choices(both.standing, k=2)
            try:
                ticks, hop = both.ticks(start, goal), both.hop(start, goal)
            except QueryError:
                ticks, hop = -1, -1
            asked += [f"ticks {start} {goal}", f"hop {start} {goal}"]
            expected += [str(ticks), ""]
            hops.append((len(asked) - 1, both, start, goal, hop))
        asked.append("patch")
        expected.append("")
        answers = runner.ask(asked)
        for question, answer, right in zip(asked, answers, expected, strict=True):
            assert not right or answer == right, question
        for at, both, start, goal, hop in hops:
            found = int(answers[at])
            assert (found < 0) == (hop < 0), asked[at]
            if found >= 0 and found != hop:
                assert both.ticks(start, found) + both.ticks(found, goal) == both.ticks(start, goal)
        (tmp_path / "of-reader").write_text(answers[-1].replace("|", "\n"), "utf-8", newline="\n")
        before = [ask(both, hops) for both in readers[:1]]
        level.update(blocked=[both.place(both.standing[0])])
        level.apply_patch(tmp_path / "of-reader")
        assert [ask(both, hops) for both in readers[:1]] == before


def ask(both: Both, hops: list[tuple[int, Both, int, int, int]]) -> list[int | None]:
    found: list[int | None] = []
    for _, _, start, goal, _ in hops:
        try:
            found.append(both.ticks(start, goal))
        except QueryError:
            found.append(None)
    return found


def change(
    level: LevelAsset, readers: list[Both], names: list[str], rng: random.Random
) -> list[str]:
    """Change the level in Python, and return the commands that do the same elsewhere."""
    both = rng.choice(readers)
    count = level.width * level.height * level.floors if level.is_grid else len(both.standing)
    kind = rng.choice(["block", "open", "terrain", "price", "closed", "back", "door"])
    if kind == "block":
        some = rng.sample(both.standing, 5)
        level.update(blocked=[both.place(one) for one in some])
        return [" ".join(["block", *map(str, some)])]
    if kind in ("open", "back"):
        some = rng.sample(range(count), min(count, 40 if kind == "back" else 4))
        level.update(opened=[both.place(one) for one in some])
        return [" ".join(["open", *map(str, some)])]
    if kind == "terrain":
        at, code = rng.randrange(count), rng.randrange(len(names))
        level.update(terrain={both.place(at): names[code]})
        return [f"terrain {at} {code}"]
    if kind == "door":
        if not level.doors:
            return []
        i = rng.randrange(len(level.doors))
        door = list(level.doors.values())[i]
        state = rng.randrange(len(door.states))
        level.set_state(door.name, list(door.states)[state])
        return [f"door {i} {state}"]
    start = rng.choice(both.standing)
    goal = next(
        (
            hop
            for far in rng.choices(both.standing, k=9)
            if (hop := safe(both, start, far)) != start
        ),
        start,
    )
    if goal < 0 or goal == start:
        return []
    units = math.inf if kind == "closed" else rng.choice([0.25, 1.5, 7.0, None])
    level.update(arcs={(both.place(start), both.place(goal)): units})
    word = {None: "usual", math.inf: "closed"}.get(units, str(units))
    return [f"price {start} {goal} {word}"]


def safe(both: Both, start: int, goal: int) -> int:
    try:
        return both.hop(start, goal)
    except QueryError:
        return -1
