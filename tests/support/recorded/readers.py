"""The readers that are asked: ``levelbake``, ``bake.play``, C and JavaScript.

All answer in numbers of places. The number of a cell is its index in reading order, floor by floor,
and the number of a node is its index among the names. An added node has a number below -1.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import levelbake
from bake.play import open_asset
from levelbake.errors import BakeError, QueryError
from tests.support.readers import FOLDER, Runner, compiled_c, javascript, tool
from tests.support.recorded.questions import Batch, Block, Script, units_of
from tests.support.stored import Pair

#: No path; as a distance, too.
NOWHERE = -1

QUESTIONS = ("hops", "paths", "distances")
#: The answers to a block, by question, and by pair: a place, its path, its ticks.
Answers = dict[str, list[Any]]


class Numbering:
    """The numbers of a level's places, and what a level says of itself once."""

    def __init__(self, asset: Path) -> None:
        with h5py.File(asset) as file:
            self.ticks_per_unit = int(file.attrs["ticks_per_unit"])
            self.terrains = [bytes(name).decode() for name in file["terrain_name"][()].tolist()]
        with open_asset(asset) as level:
            self.is_grid, self.is_flat = level.is_grid, level.floors == 1
            self.width, self.height, self.floors = level.width, level.height, level.floors
            self.names = () if self.is_grid else level.profile(level.profiles[0]).node_names
            self.profiles = level.profiles
            #: by profile, the places that it can stand on
            self.places = {
                name: list(map(self.number, level.profile(name).places()))
                for name in level.profiles
            }
        self.count = self.width * self.height * self.floors if self.is_grid else len(self.names)

    @cached_property
    def _number_of_name(self) -> dict[Any, int]:
        return {name: number for number, name in enumerate(self.names)}

    def number(self, place: Any) -> int:
        """Return the number of a place; NOWHERE for None."""
        if place is None:
            return NOWHERE
        if self.is_grid:
            x, y, *floor = map(int, place)
            return ((floor or [0])[0] * self.height + y) * self.width + x
        known = self._number_of_name.get(place)
        return -2 - zlib.crc32(str(place).encode()) if known is None else known

    def place(self, number: int | str) -> Any:
        """Return the place of a number; the name of an added node stands for itself."""
        if isinstance(number, str):
            return number
        if not self.is_grid:
            return self.names[number]
        y, x = divmod(number, self.width)
        floor, y = divmod(y, self.height)
        return (x, y) if self.is_flat else (x, y, floor)

    def numbers(self, places: Any) -> list[int]:
        """Return the numbers of an array of places."""
        if not self.is_grid:
            return list(map(self.number, places.tolist()))
        floor = 0 if self.is_flat else places[:, 2]
        number = (floor * self.height + places[:, 1]) * self.width + places[:, 0]
        return np.where(places[:, 0] < 0, NOWHERE, number).tolist()

    def ticks(self, units: float) -> int:
        return NOWHERE if units == math.inf else round(units * self.ticks_per_unit)

    def apply(self, level: Any, batch: Batch) -> None:
        """Change an open level in Python."""
        if "door" in batch:
            level.set_state(*batch["door"])
            return
        changes: dict[str, Any] = {
            key: list(map(self.place, batch[key])) for key in ("blocked", "opened") if key in batch
        }
        if "terrain" in batch:
            changes["terrain"] = {self.place(at): name for at, name in batch["terrain"]}
        if "arcs" in batch:
            changes["arcs"] = {
                (self.place(a), self.place(b)): units_of(price) for a, b, price in batch["arcs"]
            }
        if "links" in batch:
            changes["links"] = {
                name: link and self._link(*link) for name, link in batch["links"].items()
            }
        if "nodes" in batch:
            changes["nodes"] = {name: at and {"at": at} for name, at in batch["nodes"].items()}
        level.update(**changes, **{key: batch[key] for key in ("obstacles",) if key in batch})

    def _link(self, start: int, goal: int, cost: float, both_ways: bool) -> dict[str, Any]:
        ends = {"from": self.place(start), "to": self.place(goal)}
        return {**ends, "cost": cost, "both_ways": both_ways}


@dataclass(frozen=True)
class PythonReader:
    """A reader in Python."""

    name: str
    file: Path
    numbering: Numbering

    def answers(self, script: Script) -> list[Answers]:
        """Return the answers to each block of a script."""
        opened = open_asset if self.name == "bake.play" else levelbake.open_level
        found = []
        with opened(self.file) as level:
            for step in script.steps:
                if isinstance(step, Block):
                    found.append(self._block(level.profile(step.profile), step))
                else:
                    self.numbering.apply(level, step)
        return found

    def _block(self, profile: Any, block: Block) -> Answers:
        if block.method != "table":
            return self._searched(profile, block)
        place, numbering = self.numbering.place, self.numbering
        if block.is_batch:
            starts, goals = ([place(pair[end]) for pair in block.pairs] for end in (0, 1))
            first, places = profile.paths(starts, goals, strict=False)
            path = numbering.numbers(places)
            return {
                "hops": numbering.numbers(profile.next_hops(starts, goals, strict=False)),
                "paths": [path[a:b] for a, b in pairwise(first)],
                "distances": [
                    numbering.ticks(units)
                    for units in profile.distances(starts, goals, strict=False).tolist()
                ],
            }
        answers: Answers = {question: [] for question in QUESTIONS}
        for pair in block.pairs:
            ends = tuple(map(place, pair))
            try:
                hop, path = profile.next_hop(*ends), profile.path(*ends)
                units = profile.distance(*ends)
            except QueryError:  # The profile cannot stand on a place.
                hop, path, units = None, None, math.inf
            answers["hops"].append(numbering.number(hop))
            answers["paths"].append(list(map(numbering.number, path or ())))
            answers["distances"].append(numbering.ticks(units))
        return answers

    def _searched(self, profile: Any, block: Block) -> Answers:
        """Return the paths of a search and their costs; an error is recorded by its type."""
        answers: Answers = {"paths": [], "distances": []}
        for pair in block.pairs:
            try:
                path = profile.path(*map(self.numbering.place, pair), block.method)
                units = math.inf if path is None else profile.length(path)
            except BakeError as error:
                answers["paths"].append(type(error).__name__)
                answers["distances"].append(NOWHERE)
                continue
            answers["paths"].append(list(map(self.numbering.number, path or ())))
            answers["distances"].append(self.numbering.ticks(units))
        return answers


@dataclass(frozen=True)
class ProgramReader:
    """A reader in another language, which is asked by a runner of its tests."""

    runner: Runner
    file: Path
    numbering: Numbering

    @property
    def name(self) -> str:
        return self.runner.language

    @cached_property
    def about(self) -> dict[str, Any]:
        return json.loads(self.runner.ask([f"load {self.file}", "about"])[1])

    @cached_property
    def location(self) -> list[int]:
        """The location in the flat file of each numbered place; -1 = the file has none."""
        numbering = self.numbering
        names = self.about["names"]
        if not names:
            return list(range(numbering.count))
        location = [-1] * numbering.count
        of_name = {str(name): number for number, name in enumerate(numbering.names)}
        for at, name in enumerate(names):
            cell = numbering.is_grid and tuple(map(int, name.split(",")))
            location[numbering.number(cell) if cell else of_name[name]] = at
        return location

    @property
    def follows_changes(self) -> bool:
        """Whether the file holds the rules of its steps: not where cells are nodes."""
        return not (self.numbering.is_grid and self.about["kind"] == "graph")

    def answers(self, script: Script) -> list[Answers]:
        """Return the answers to each block of a script."""
        asked, profiles = [f"load {self.file}"], list(self.about["profiles"])
        for step in script.steps:
            if isinstance(step, Block):
                asked.append(f"profile {profiles.index(step.profile)}")
                for start, goal in step.pairs:
                    ends = f"{self.location[start]} {self.location[goal]}"
                    asked += [f"hop {ends}", f"path {ends}", f"ticks {ends}"]
            else:
                asked += self._commands(step)
        answered = zip(asked, self.runner.ask(asked), strict=True)
        number = {at: number for number, at in enumerate(self.location)} | {NOWHERE: NOWHERE}
        hops, paths, distances = [], [], []
        for question, answer in answered:
            match question.split(" ", 1)[0]:
                case "hop":
                    hops.append(number[int(answer)])
                case "path":
                    words = answer.split()
                    paths.append([number[int(word)] for word in words if word != "none"])
                case "ticks":
                    distances.append(int(answer))
                case _:
                    assert answer == "ok", (self.name, question, answer)
        found, end = [], 0
        for block in script.blocks:
            begin, end = end, end + len(block.pairs)
            parts = hops[begin:end], paths[begin:end], distances[begin:end]
            found.append(dict(zip(QUESTIONS, parts, strict=True)))
        return found

    def _commands(self, batch: Batch) -> Iterator[str]:
        """Yield the commands that change the level."""
        at = self.location
        for key, word in (("blocked", "block"), ("opened", "open")):
            if key in batch:
                yield " ".join([word, *(str(at[number]) for number in batch[key])])
        for number, terrain in batch.get("terrain", ()):
            yield f"terrain {at[number]} {self.about['terrains'].index(terrain)}"
        for a, b, units in batch.get("arcs", ()):
            yield f"price {at[a]} {at[b]} {'usual' if units is None else units}"
        if "door" in batch:
            name, state = batch["door"]
            (i,) = (i for i, door in enumerate(self.about["doors"]) if door[0] == name)
            states = [each[0] for each in self.about["doors"][i][3]]
            yield f"door {i} {states.index(state)}"


def c_runner() -> Runner:
    """Compile the runner of the C reader, optimized; its own tests run it under sanitizers."""
    program = compiled_c("recorded", tool("gcc", "clang", "cc"), FOLDER / "runner.c", "-O2")
    return Runner("c", (str(program),))


def every_reader(pair: Pair, numbering: Numbering) -> Iterator[PythonReader | ProgramReader]:
    """Yield all readers. One whose language is not installed is skipped with a message."""
    yield PythonReader("levelbake", pair.asset, numbering)
    yield PythonReader("bake.play", pair.asset, numbering)
    for runner in (c_runner, partial(javascript, FOLDER)):
        try:
            yield ProgramReader(runner(), pair.flat, numbering)
        except pytest.skip.Exception as missing:
            print(f"a reader is skipped: {missing}")
