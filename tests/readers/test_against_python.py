"""Readers in other languages answer what the Python reader answers, as baked and after updates.

Next hops after updates are those of the rule, in whatever order they are asked.
"""

from __future__ import annotations

import functools
import math
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bake.export.export import export_asset
from bake.play import LevelAsset, Navigator, QueryError, open_asset
from bake.store import Asset
from tests.support.baked import bake, recipe_for, rows, write_grid
from tests.support.readers import ROOT, Runner
from tests.support.rule import rule_now
from tests.support.stored import Pair, stored_pair

#: Levels of this project: squares with several profiles, hexagons, floors, doors, links, a graph.
OURS = ["bastion.json", "colony.json", "keep.png", "manor.tmx", "marsh.png", "roads.json"]
OURS += ["oneway.json", "village.json"]
SHARED = ["movingai/den312d.map"]

#: Questions about each level; BAKE_READER_PAIRS=25000 in the environment for more of them.
PAIRS = int(os.environ.get("BAKE_READER_PAIRS", "1000"))
#: Batches of changes, and how many starts are asked about with one goal after another.
BATCHES, STARTS = 12, 20
#: Of the marsh, the part that changes: left, top, right and bottom.
FEN = (60, 26, 84, 44)


class Both:
    """The Python reader, asked by locations as the others are."""

    def __init__(self, level: LevelAsset, profile: str) -> None:
        self.nav: Navigator = level.profile(profile)
        tables = level._columns(profile)
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


def test_random_questions(runner: Runner) -> None:
    """All levels are asked about in a single process."""
    every = [questions(stored_pair(source), len(source)) for source in (*OURS, *SHARED)]
    answers = iter(runner.ask([each for asked, _ in every for each in asked]))
    for asked, expected in every:
        told = list(islice(answers, len(asked)))
        for question, answer, right in zip(asked, told, expected, strict=True):
            assert answer == right, (asked[0], question)


@functools.cache
def questions(pair: Pair, seed: int) -> tuple[list[str], list[str]]:
    """Questions about a level, and what the Python reader answers."""
    rng = np.random.default_rng(seed)
    with open_asset(pair.asset) as level:
        asked, expected = [f"load {pair.flat}"], ["ok"]
        for i, profile in enumerate(level.profiles):
            both = Both(level, profile)
            asked.append(f"profile {i}")
            expected.append("ok")
            count = PAIRS // len(level.profiles)
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


@pytest.fixture(scope="session")
def fen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A part of the marsh, with each of its terrains: three profiles that see it differently."""
    file = tmp_path_factory.mktemp("fen") / "marsh.png"
    with Image.open(ROOT / "levels_src" / "marsh.png") as whole:
        whole.crop(FEN).save(file)
    return file


@dataclass(frozen=True)
class Script:
    """Changes and questions, and what is to be answered.

    Attributes:
        level: the level as it is after them.
        patch: what has become of it.
        asked, expected: commands and answers; an empty answer is not compared.
        last: the reader, and start, goal and ticks of the last questions.
    """

    level: LevelAsset
    patch: Path
    asked: list[str]
    expected: list[str]
    last: tuple[Both, list[tuple[int, int, int]]]


@functools.cache
def script(pair: Pair, patch: Path) -> Script:
    """Change a level again and again, and ask about some pairs, a part of them after each batch.

    They are asked twice, the second time in reverse; after the last batch once more, when the level
    has become what it is by a patch.
    """
    rng = random.Random(pair.asset.stem)
    level = open_asset(pair.asset)
    readers = [Both(level, profile) for profile in level.profiles]
    names = level._current.writer.rules.terrains
    lines = [(f"load {pair.flat}", "ok")]
    for _ in range(BATCHES):
        lines += [(line, "ok") for line in change(level, readers, names, rng)]
        for i, both in enumerate(readers):
            told, ticks = by_rule(both, PAIRS // 4 // BATCHES // len(readers), rng)
            lines += [(f"profile {i}", "ok"), *told, *reversed(told)]
    level.save_patch(patch)
    text = patch.read_text("utf-8").replace("\n", "|")
    lines += [
        ("fresh", "ok"),
        (f"apply {text}", "ok"),
        (f"profile {i}", "ok"),
        *told,
        ("patch", ""),
    ]
    asked, expected = map(list, zip(*lines, strict=True))
    return Script(level, patch, asked, expected, (both, ticks))


def by_rule(
    both: Both, count: int, rng: random.Random
) -> tuple[list[tuple[str, str]], list[tuple[int, int, int]]]:
    """Questions about some pairs with what the rule answers, and start, goal and ticks of each.

    Several in a row have the same goal, so that searches go on from what they know.
    """
    rule = rule_now(both.level, both.nav.name)
    places = sorted({*rule.arcs, *both.standing})
    told, found = [], []
    for goal in rng.choices(places, k=max(1, count // STARTS)):
        known = rule.ticks_to(goal) if goal in rule.arcs else {}
        for start in rng.choices(places, k=STARTS):
            ticks = known.get(start, -1)
            hop = rule.hop(start, goal) if ticks >= 0 else -1
            assert safe(both.hop, start, goal) == hop
            told += [(f"hop {start} {goal}", str(hop)), (f"ticks {start} {goal}", str(ticks))]
            found.append((start, goal, ticks))
        path = rule.path(start, goal) if ticks >= 0 else []
        told.append((f"path {start} {goal}", " ".join(map(str, path)) or "none"))
        told.append((f"reach {start} {goal}", str(int(ticks >= 0))))
    return told, found


@pytest.mark.parametrize("source", ["bastion.json", "colony.json", "marsh.png", "roads.json"])
def test_updates(
    runner: Runner, fen: Path, source: str, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """Distances are equal to the tick, next hops are those of the rule, patches go both ways."""
    pair = stored_pair(fen if source == fen.name else source)
    told = script(pair, tmp_path_factory.getbasetemp() / f"{source}.patch")
    answers = runner.ask(told.asked, timeout=3000)
    wrong = [
        (number, question, right, answer)
        for number, (question, right, answer) in enumerate(
            zip(told.asked, told.expected, answers, strict=True)
        )
        if right and answer != right
    ]
    assert not wrong, (len(wrong), wrong[:3])
    of_reader = tmp_path / "of-reader"
    of_reader.write_text(answers[-1].replace("|", "\n"), "utf-8", newline="\n")
    both, last = told.last
    told.level.update(blocked=[both.place(both.standing[0])])
    told.level.apply_patch(of_reader)
    for start, goal, ticks in last:
        assert safe(both.ticks, start, goal) == ticks


def test_links_that_led_nowhere_come_by_where_they_lead(runner: Runner, tmp_path: Path) -> None:
    """Two links of one cell tie after their ends have opened; the level names the farther first."""
    links = [
        {"name": name, "from": [0, 1], "to": [2, y], "cost": 2}
        for name, y in (("south", 2), ("north", 0))
    ]
    source = write_grid(tmp_path / "ends.json", rows(*[".##."] * 3), links=links)
    asset, flat = bake(source, recipe_for(narrowed=True)), tmp_path / "ends.bake"
    with Asset(asset) as opened:
        export_asset(opened, flat)
    for file in (asset, flat):
        with open_asset(file) as level:
            level.update(opened=[(2, 0), (2, 2)])
            nav = level.profile()
            assert nav.next_hop((0, 1), (3, 1)) == (2, 0)
            assert nav.next_hops(np.array([(0, 1)]), np.array([(3, 1)])).tolist() == [[2, 0]]
            assert rule_now(level, nav.name).path(4, 7) == [4, 2, 3, 7]
    asked = [f"load {flat}", "profile 0", "open 2 10", "hop 4 7", "path 4 7"]
    assert runner.ask(asked) == ["ok", "ok", "ok", "2", "4 2 3 7"]


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
            if (hop := safe(both.hop, start, far)) != start
        ),
        start,
    )
    if goal < 0 or goal == start:
        return []
    units = math.inf if kind == "closed" else rng.choice([0.25, 1.5, 7.0, None])
    level.update(arcs={(both.place(start), both.place(goal)): units})
    word = {None: "usual", math.inf: "closed"}.get(units, str(units))
    return [f"price {start} {goal} {word}"]


def safe(answer: Callable[[int, int], int], start: int, goal: int) -> int:
    """What a reader answers, -1 where nobody can stand."""
    try:
        return answer(start, goal)
    except QueryError:
        return -1
