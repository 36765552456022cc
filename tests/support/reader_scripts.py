"""Scripts for readers: questions about random levels, changes, and the Python reader's answers."""

from __future__ import annotations

import json
import math
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from levelbake import open_level
from levelbake.errors import BakeError
from levelbake.level import Level
from levelbake.profile import Profile
from tests.support.random_levels import random_level
from tests.support.stored import Pair, stored

#: Pairs of places that each profile is asked about in each state of a level.
PAIRS = 10
#: What a command that is refused prints first.
ERROR = "error: "
#: Numbers that are no node of any of these levels.
NOWHERE = (-1, 10**6, 2**31 - 1)


class PythonReader:
    """The Python reader behind the commands of :mod:`tests.support.readers`."""

    def __init__(self, file: Path) -> None:
        self.level: Level = open_level(file)
        self.places = self.level._places
        self.count: int = self.level._arcs.count
        self.cells_are_nodes = self.level._file.has("/cell")
        self._use(0)

    def _use(self, number: int) -> None:
        self.nav: Profile = self.level.profile(self.level.profiles[number])

    @property
    def standing(self) -> np.ndarray:
        return self.nav._newest().standing

    def answer(self, line: str) -> str:
        word, *words = line.split(" ")
        if word in ("apply", "patch"):
            return self._exchange_patch(" ".join(words))
        if word == "about":
            return json.dumps(self._describe(), ensure_ascii=False)
        if word == "nearest":
            return self._nearest(float(words[0]), float(words[1]), int(words[2]))
        if word in ("block", "open", "terrain", "price", "door", "fresh"):
            try:
                self._apply_change(word, words)
            except BakeError:
                return ERROR
            return "ok"
        return self._query(word, list(map(int, words)))

    def _describe(self) -> dict[str, object]:
        """A part of what readers say of a level."""
        graph = not self.places.is_grid
        return {
            "profiles": list(self.level.profiles),
            "terrains": list(self.places.terrains),
            "names": list(map(str, self.places.names)) if graph else [],
        }

    def _nearest(self, x: float, y: float, floor: int) -> str:
        many = self.places.is_grid and self.places.floors > 1
        if self.places.is_grid and not 0 <= floor < self.places.floors:
            return "-1"
        try:
            return str(self.places.location(self.nav.nearest((x, y, floor) if many else (x, y))))
        except BakeError:
            return "-1"

    def _query(self, word: str, numbers: list[int]) -> str:
        if word == "profile":
            self._use(numbers[0])
            return "ok"
        if word == "stands":
            return str(int(self._stands(numbers[0])))
        if word in ("hops_to", "hops_from"):
            return self._query_field(word, numbers[0])
        if word == "door_state":
            door = list(self.level.doors.values())[numbers[0]]
            return door.state or "none"
        if word == "node_at":
            at = self._cell(numbers)
            return str(at if at >= 0 and self.standing[at] else -1)
        return self._query_pair(word, *numbers)

    def _stands(self, at: int) -> bool:
        return 0 <= at < self.count and bool(self.standing[at])

    def _cell(self, numbers: list[int]) -> int:
        x, y, floor = numbers
        places = self.places
        inside = places.is_grid and 0 <= x < places.width and 0 <= y < places.rows
        if not inside or not 0 <= floor < places.floors:
            return -1
        return (floor * places.rows + y) * places.width + x

    def _query_pair(self, word: str, start: int, goal: int) -> str:
        now = self.nav._newest()
        there = self._stands(start) and self._stands(goal)
        if word == "reach":
            return str(int(there and now.reaches(start, goal)))
        if word == "path":
            path = now.path(start, goal) if there else None
            return "none" if path is None else " ".join(map(str, path))
        if word == "ticks":
            if not there:
                return "-1"
            ticks = now.between(start, goal) if start != goal else 0.0
            return "-1" if ticks == math.inf else str(int(ticks))
        assert word == "hop", word
        return str(now.hop(start, goal) if there else -1)

    def _query_field(self, word: str, one: int) -> str:
        now, every = self.nav._newest(), np.flatnonzero(self.standing).astype(np.int32)
        found = np.full(self.count, -1)
        if self._stands(one):
            same = np.full_like(every, one)
            ends = (every, same) if word == "hops_to" else (same, every)
            found[every] = now.all_hops(*ends)
        return " ".join(map(str, found.tolist()))

    def _apply_change(self, word: str, words: list[str]) -> None:
        level = self.level
        if word == "fresh":
            level.reset()
            return
        if word == "price":
            said = {"closed": math.inf, "usual": None}
            units = said[words[2]] if words[2] in said else float(words[2])
            level.update(arcs={(self._place(words[0]), self._place(words[1])): units})
            return
        if word == "door":
            door = list(level.doors.values())[int(words[0])]
            level.set_state(door.name, list(door.states)[int(words[1])])
            return
        if word == "terrain":
            level.update(terrain={self._place(words[0]): self.places.terrains[int(words[1])]})
            return
        some = list(map(self._place, words))
        level.update(blocked=some) if word == "block" else level.update(opened=some)

    def _place(self, word: str) -> object:
        if not 0 <= int(word) < self.count:
            raise BakeError(f"there is no node {word}")
        return self.places.place_at(int(word))

    def _exchange_patch(self, text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "of.patch"
            try:
                if text:
                    file.write_text(text.replace("|", "\n"), "utf-8", newline="\n")
                    self.level.apply_patch(file)
                    return "ok"
                self.level.save_patch(file)
                return file.read_text("utf-8").replace("\n", "|")
            except BakeError:
                return ERROR


@dataclass(frozen=True)
class Script:
    """Commands about one level, and what is right.

    Attributes:
        file: the flat file.
        asked, right: the commands after it was loaded, and their answers: what is refused is ERROR,
            an answer to "patch" says the same in whatever words, and one to "about" says more.
    """

    file: Path
    asked: list[str]
    right: list[str]


def random_script(seed: int) -> Script:
    """Return the script about the random level of a number, which is made once."""
    pair = random_level(seed)

    def make(folder: Path) -> None:
        made = _draw_script(pair, random.Random(f"script {seed}"))
        (folder / "script.json").write_text(json.dumps([made.asked, made.right]), "utf-8")

    made = stored("reader-script", [pair.flat.parent.name, Path(__file__)], make)
    return Script(pair.flat, *json.loads((made / "script.json").read_text("utf-8")))


def _draw_script(pair: Pair, rng: random.Random) -> Script:
    flat = PythonReader(pair.flat)
    reader = flat if flat.cells_are_nodes else PythonReader(pair.asset)
    asked: list[str] = []
    right: list[str] = []

    def ask(line: str) -> str:
        asked.append(line)
        right.append(reader.answer(line))
        return right[-1]

    def ask_all() -> None:
        for number in range(len(reader.level.profiles)):
            ask(f"profile {number}")
            for line in questions(reader, rng):
                ask(line)

    ask("about")
    ask_all()
    if reader.cells_are_nodes:
        for line in changes(reader, rng) + changes(reader, rng):
            ask(line)
        ask_all()
        return Script(pair.flat, asked, right)
    before = reader.answer("patch")
    for _ in range(3):
        for line in changes(reader, rng):
            ask(line)
        ask_all()
    ask("patch")
    for line in undone(reader):
        ask(line)
    assert reader.answer("patch") == before
    ask_all()
    for line in changes(reader, rng) + changes(reader, rng):
        ask(line)
    ask_all()
    patch = ask("patch")
    ask("fresh")
    ask_all()
    ask(f"apply {patch}")
    ask_all()
    ask(f"apply {before}")
    ask_all()
    return Script(pair.flat, asked, right)


def questions(reader: PythonReader, rng: random.Random) -> list[str]:
    """Questions of one profile: pairs of places where it stands, a few others, and whole fields."""
    every = range(reader.count)
    standing = np.flatnonzero(reader.standing).tolist() or [0]
    goals = rng.choices(standing, k=3)
    found = []
    for _ in range(PAIRS):
        start, goal = rng.choice(standing), rng.choice(goals)
        if rng.random() < 0.1:
            start = rng.choice([*every, *NOWHERE])
        if rng.random() < 0.1:
            goal = rng.choice([*every, *NOWHERE])
        words = ["hop", "ticks", "reach", "path"]
        rng.shuffle(words)  # Whichever is asked first has to search.
        found += [f"{word} {start} {goal}" for word in words]
    found += [f"stands {rng.choice([*every, *NOWHERE])}" for _ in range(3)]
    found += [f"hops_to {goals[0]}", f"hops_from {goals[1]}"]
    x, y = rng.uniform(-2, 12), rng.uniform(-2, 12)
    found.append(f"nearest {x!r} {y!r} {rng.choice([0, 0, 0, 1, -1])}")
    if reader.places.is_grid:
        x, y = rng.randint(-1, reader.places.width), rng.randint(-1, reader.places.rows)
        found.append(f"node_at {x} {y} {rng.randint(-1, reader.places.floors)}")
    for i, door in enumerate(reader.level.doors.values()):
        # Of two states that are alike, readers may name either.
        if len({*door.states.values()}) == len(door.states):
            found.append(f"door_state {i}")
    return found


def changes(reader: PythonReader, rng: random.Random) -> list[str]:
    """Some changes that the level can take, drawn one by one, and sometimes one that it cannot."""
    every = range(reader.count)
    found = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["block", "open", "terrain", "price", "price", "door", "wrong"])
        if kind == "block":
            found.append("block " + " ".join(map(str, rng.sample(every, min(3, reader.count)))))
        elif kind == "open":
            found.append("open " + " ".join(map(str, rng.sample(every, min(4, reader.count)))))
        elif kind == "terrain":
            code = rng.randrange(len(reader.places.terrains))
            found.append(f"terrain {rng.choice(every)} {code}")
        elif kind == "door" and reader.level.doors:
            found.append(f"door {rng.randrange(len(reader.level.doors))} {rng.randrange(3)}")
        elif kind == "price":
            arcs = reader.level._arcs
            tail = rng.choice(every)
            heads = arcs.head[arcs.first[tail] : arcs.first[tail + 1]]
            if len(heads := heads[heads >= 0]):
                units = rng.choice(["0.25", "1.5", "7", "closed", "usual"])
                found.append(f"price {tail} {rng.choice(heads.tolist())} {units}")
        elif kind == "wrong":
            wrong = [f"block {rng.choice(NOWHERE)}", f"open {rng.choice(NOWHERE)}"]
            wrong += [f"price {rng.choice(NOWHERE)} 0 2", "price 0 1 0", "apply nothing at all"]
            found.append(rng.choice(wrong))
    return found


def undone(reader: PythonReader) -> list[str]:
    """What makes a level what it was when it was baked, one by one."""
    now, baked = reader.level._ground, reader.level._arcs.baked
    found = [f"open {at}" for at in np.flatnonzero(now.obstacle).tolist()]
    at = np.flatnonzero((now.terrain != baked.terrain) | now.obstacle).tolist()
    found += [f"terrain {one} {baked.terrain[one]}" for one in at]
    for pair in {**now.prices, **baked.prices}:
        units = baked.prices.get(pair)
        said = "usual" if units is None else "closed" if units == math.inf else repr(units)
        found.append(f"price {pair[0]} {pair[1]} {said}")
    return found


def said_by(patch: str) -> object:
    """What a patch says, however its numbers are written, in the order of places."""
    first, _, text = patch.partition("|")
    says = json.loads(text.replace("|", ""))
    return first.split(" ")[:3], {name: sorted(each) for name, each in says.items()}
