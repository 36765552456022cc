"""Readers in other languages answer what the models of tests/vectors say."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from levelbake.file import checksum
from tests.support.readers import Runner
from tests.support.vectors.make import FOLDER

NAMES = sorted(path.stem for path in FOLDER.glob("*.bake"))
TOLD = {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in NAMES}
DAMAGED = json.loads((FOLDER / "damaged.json").read_text("utf-8"))


def load(name: str) -> str:
    return f"load {FOLDER / TOLD[name]['file']}"


#: Commands that change a level.
CHANGES = ("block", "open", "terrain", "price", "door", "fresh")
#: Questions about a level, and what is expected.
About = Callable[[str], tuple[list[str], list[Any]]]


def told_about(runner: Runner, asking: About) -> Iterator[tuple[str, list[tuple[str, Any, str]]]]:
    """Ask about all levels in a single process, and yield what is asked, expected and answered."""
    about = {name: asking(name) for name in NAMES}
    answers = iter(runner.ask([each for questions, _ in about.values() for each in questions]))
    for name, (questions, expected) in about.items():
        told = list(islice(answers, len(questions)))
        yield name, list(zip(questions, expected or [None] * len(told), told, strict=True))


def wrong_of(runner: Runner, asking: About) -> list[tuple[str, str, Any, str]]:
    """The level, the question, what is right and what was answered, where that is not right."""
    told = told_about(runner, asking)
    return [(name, *each) for name, every in told for each in every if each[1] != each[2]]


def as_baked(name: str) -> tuple[list[str], list[Any]]:
    told = TOLD[name]
    asked, expected = [load(name)], ["ok"]
    for i, profile in enumerate(told["level"]["profiles"]):
        answers = told["profiles"][profile]
        asked.append(f"profile {i}")
        expected.append("ok")
        for start, goal, hop, ticks in answers["questions"]:
            asked += [f"{word} {start} {goal}" for word in ("hop", "ticks", "reach")]
            expected += [str(hop), str(ticks), str(int(ticks >= 0))]
        asked += [f"nearest {x!r} {y!r} {floor}" for x, y, floor, _ in answers["nearest"]]
        expected += [str(place) for *_, place in answers["nearest"]]
        standing = set(answers["standing"])
        count = max([*standing, -1]) + 2
        asked += [f"stands {location}" for location in range(count)]
        expected += [str(int(location in standing)) for location in range(count)]
    return asked, expected


def test_as_baked(runner: Runner) -> None:
    assert wrong_of(runner, as_baked) == []


def paths(name: str) -> tuple[list[str], list[Any]]:
    told = TOLD[name]
    asked, wanted = [load(name)], [(-2, 0, 0)]
    for i, profile in enumerate(told["level"]["profiles"]):
        asked.append(f"profile {i}")
        wanted.append((-2, 0, 0))
        for start, goal, hop, ticks in told["profiles"][profile]["questions"]:
            asked.append(f"path {start} {goal}")
            wanted.append((start, goal, hop if ticks >= 0 else -1))
    return asked, wanted


def test_paths(runner: Runner) -> None:
    """A path is there where there is a way, and each node of it is the next hop of the last."""
    for name, told in told_about(runner, paths):
        for question, (start, goal, hop), answer in told:
            where = name, question
            if start == -2:
                assert answer == "ok", where
            elif hop < 0:
                assert answer == "none", where
            else:
                nodes = [int(word) for word in answer.split()]
                assert (nodes[0], nodes[-1]) == (start, goal), where
                assert nodes[1:2] in ([hop], []), where
                assert len(set(nodes)) == len(nodes), where


def updates(name: str) -> tuple[list[str], list[Any]]:
    told = TOLD[name]
    door_names = [each[0] for each in told["things"].get("doors", ())]
    asked, expected = [load(name)], ["ok"]
    for number, batch in enumerate(told["updates"]):
        for words in batch["changes"]:
            said = ["usual" if word is None else str(word) for word in words]
            if words[0] == "door":
                door = door_names.index(words[1])
                states = list(told["things"]["doors"][door][3])
                said = ["door", str(door), str(states.index(words[2]))]
            asked.append(" ".join(said))
            expected.append("ok")
        for i, profile in enumerate(told["level"]["profiles"]):
            asked.append(f"profile {i}")
            expected.append("ok")
            answers = batch["profiles"][profile]
            told_back = answers["questions"][::-1] if number % 2 else []
            for start, goal, hop, ticks in [*answers["questions"], *told_back]:
                asked += [f"hop {start} {goal}", f"ticks {start} {goal}", f"reach {start} {goal}"]
                expected += [str(hop), str(ticks), str(int(ticks >= 0))]
            standing = set(answers["standing"])
            for location in range(max([*standing, -1]) + 2):
                asked.append(f"stands {location}")
                expected.append(str(int(location in standing)))
    return asked, expected


def test_updates(runner: Runner) -> None:
    """The next hop is that of the rule, in whatever order readers are asked."""
    assert wrong_of(runner, updates) == []


def fields(name: str) -> tuple[list[str], list[Any]]:
    """Next hops toward one goal after all batches, one by one and then all at once."""
    changes = [line for line in updates(name)[0] if line.split()[0] in CHANGES]
    asked = [load(name), *changes]
    for batch in TOLD[name]["updates"][-1:]:
        for i, answers in enumerate(batch["profiles"].values()):
            asked.append(f"profile {i}")
            places = range(max([*answers["standing"], -1]) + 1)
            for _, goal, _, _ in answers["questions"][:1]:
                asked += [*(f"hop {start} {goal}" for start in places), f"hops_to {goal}"]
    return asked, []


def test_fields_after_updates(runner: Runner) -> None:
    for name, told in told_about(runner, fields):
        hops: list[str] = []
        for question, _, answer in told:
            if question.startswith("hop "):
                hops.append(answer)
            elif question.startswith("hops_to"):
                assert answer.split()[: len(hops)] == hops, (name, question)
                hops = []


def refused_changes(name: str) -> tuple[list[str], list[Any]]:
    places = max(
        [0, *(place for told in TOLD[name]["profiles"].values() for place in told["standing"])]
    )
    wrong = [
        "block -1",
        f"open {10**6}",
        f"terrain {places} 256",
        f"terrain {10**6} 0",
        f"price {places} {places} 1.5",
        f"price {places} {10**6} 1.5",
        "apply levelbake-patch 1",
        "apply nothing",
    ]
    return [load(name), "patch", *wrong, "patch"], []


def test_changes_that_are_refused(runner: Runner) -> None:
    """They leave the level as it was, and say in a line what is wrong."""
    for name, told in told_about(runner, refused_changes):
        _, before, *errors, after = (answer for _, _, answer in told)
        assert before == after, name
        assert all(each.startswith("error: ") for each in errors), (name, errors)


def about(name: str) -> tuple[list[str], list[Any]]:
    told = TOLD[name]
    asked, expected = [load(name), "about"], ["ok", ""]
    width, rows = told["level"]["width"], told["level"]["height"]
    for x, y, floor, *_ in told["points"]["middles"]:
        node = (floor * rows + y) * width + x
        asked += [f"cell {node}", f"point {node}"]
        expected += [f"{x} {y} {floor}", ""]
    for x, y, floor, column, row in told["points"]["cells"]:
        inside = 0 <= column < width and 0 <= row < rows
        asked.append(f"to_node {x!r} {y!r} {floor}")
        expected.append(str((floor * rows + row) * width + column if inside else -1))
    return asked, expected


def test_things_and_points(runner: Runner) -> None:
    for name, told in told_about(runner, about):
        assert said_of(json.loads(told[1][2])) == stated_in(TOLD[name]), name
        middles = [answer for question, _, answer in told if "point" in question]
        points = [point for _, _, _, *point in TOLD[name]["points"]["middles"]]
        assert [[number(word) for word in line.split()] for line in middles] == points, name
        for question, right, answer in told:
            assert not right or answer == right, (name, question)


def said_of(found: dict[str, Any]) -> dict[str, Any]:
    """What a reader says of a level, as the vectors do."""
    kinds = {"graph": "graph", "squares": "square", "hexagons": "hex"}
    return {**found, "kind": kinds[found["kind"]]} | (
        {} if found["kind"] == "graph" else {"names": []}
    )


def stated_in(told: dict[str, Any]) -> dict[str, Any]:
    """What a reader has to say of a level."""
    level, things = told["level"], told["things"]
    code_of = {terrain: code for code, terrain in enumerate(level["terrains"])}
    same = ("kind", "name", "profiles", "terrains", "width", "height", "floors")
    return {key: level[key] for key in same} | {
        "names": [str(each) for each in level["node_names"] or ()],
        "spots": [
            [each, kind, at, profiles or [], own or ""]
            for each, kind, at, profiles, own in things["spots"]
        ],
        "regions": [[each, cells, own or ""] for each, cells, own in things["regions"]],
        "doors": [
            [
                each,
                cells,
                state,
                [[key, [code_of[terrain] for terrain in value]] for key, value in states.items()],
                own or "",
            ]
            for each, cells, state, states, own in things["doors"]
        ],
        "links": [
            [each, kind, start, goal, cost, both, profiles or [], own or ""]
            for each, kind, start, goal, cost, both, profiles, own in things["links"]
        ],
    }


def number(word: str) -> float:
    """A number in decimals, or a whole number over a power of two."""
    whole, slash, power = word.partition("/")
    return int(whole) / 2 ** int(power) if slash else float(word)


@pytest.mark.parametrize("file", DAMAGED)
def test_damaged_files(runner: Runner, file: str) -> None:
    """Each is refused, or every question has an answer or one line about the damage."""
    told = next(each for each in TOLD.values() if each["file"] == file)
    rng = random.Random(file)
    level = told["level"]
    count = len(level["node_names"] or ()) or level["width"] * level["height"] * level["floors"]
    asked, refused = [f"load {FOLDER / file}"], {0: False}
    for damage in DAMAGED[file]:
        changes = [f"{at}:{raw}:{times}" for at, raw, times in damage["edits"]]
        if "size" in damage:
            changes.insert(0, f"size:{damage['size']}")
        refused[len(asked)] = damage.get("refused", False)
        asked.append(" ".join(["load =", *changes]))
        if not damage.get("refused"):  # No level is left to be asked.
            asked += everything(rng, count)
    answers = runner.ask(asked)
    assert answers[0] == "ok"
    names = {at: DAMAGED[file][i - 1]["name"] for i, at in enumerate(refused) if i}
    for at, wanted in refused.items():
        assert answers[at].startswith("error: ") or not wanted, names.get(at)
        assert answers[at] == "ok" or answers[at].startswith("error: "), (names[at], answers[at])


def everything(rng: random.Random, count: int) -> list[str]:
    """Questions of all kinds, for a file that may have been refused or be forged."""
    asked = ["about"]
    for profile in range(2):
        asked.append(f"profile {profile}")
        for _ in range(6):
            pair = f"{rng.randrange(-1, count + 1)} {rng.randrange(-1, count + 1)}"
            asked += [f"{word} {pair}" for word in ("hop", "path", "ticks", "reach")]
        asked += [f"hops_to {rng.randrange(count)}", f"hops_from {rng.randrange(count)}"]
        asked += [
            f"nearest {rng.randrange(9)} {rng.randrange(9)} 0",
            f"point {rng.randrange(count)}",
        ]
    asked += [f"block {rng.randrange(count)}", f"open {rng.randrange(count)}", "door 0 0"]
    for _ in range(4):
        pair = f"{rng.randrange(count)} {rng.randrange(count)}"
        asked += [f"{word} {pair}" for word in ("hop", "path", "ticks")]
    return [*asked, "patch", "door_state 0"]


@pytest.mark.parametrize("name", ["rooms", "tower", "roads", "one-way", "hex-odd-q"])
def test_random_damage(runner: Runner, name: str) -> None:
    """A few bytes anywhere are other ones, and the checksum fits them."""
    data, rng = (FOLDER / f"{name}.bake").read_bytes(), random.Random(name)
    level = TOLD[name]["level"]
    count = len(level["node_names"] or ()) or level["width"] * level["height"] * level["floors"]
    asked = [load(name)]
    for _ in range(30 if runner.language == "gdscript" else 150):
        changed = bytearray(data)
        edits = []
        for _ in range(rng.choice([1, 1, 3])):
            at, byte = rng.randrange(64, len(data)), rng.choice([0, 1, 255, rng.randrange(256)])
            changed[at] = byte
            edits.append(f"{at}:{byte:02x}:1")
        sums = checksum(np.frombuffer(changed, dtype="<u4"))
        asked.append(" ".join(["load =", *edits, f"56:{struct.pack('<II', *sums).hex()}:1"]))
        asked += everything(rng, count)
    answers = runner.ask(asked)
    loads = [answer for question, answer in zip(asked, answers, strict=True) if "load" in question]
    assert {each.partition(":")[0] for each in loads} == {"ok", "error"}
