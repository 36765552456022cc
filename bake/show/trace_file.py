"""Read traces of searches and agents, and select the contents of a picture of one step.

docs/traces.md describes the format, and :mod:`bake.extras.school.trace_file` writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np

from bake.core.errors import TraceError, counted
from bake.show.request import Route, Searched, Walked, Walker
from bake.show.scene import Scene
from levelbake.errors import QueryError
from levelbake.places import quoted

FORMAT = "bake-trace"
VERSION = 1

#: The largest file that is read.
_MOST_BYTES = 2**28

_KINDS: dict[type, str] = {str: "text", list: "a list", dict: "an object"}

K = TypeVar("K", str, list[Any], dict[str, Any])


@dataclass(frozen=True)
class Moment:
    """The contents of a picture of one step."""

    note: str  #: the text below the title
    shown: Searched | Walked  #: the lists of a search, or agents
    path: Route | None = None  #: for a search, the path to the expanded place


@dataclass(frozen=True)
class _Value:
    """A value of a trace with its place in the file, for errors."""

    content: Any
    file: Path
    where: str = ""

    def refuse(self, expected: str, found: str | None = None) -> NoReturn:
        found = f"found {quoted(self.content)}" if found is None else found
        raise TraceError(found, file=self.file, place=self.where, expected=expected)

    def check_type(self, kind: type[K]) -> K:
        if not isinstance(self.content, kind):
            self.refuse(_KINDS[kind])
        return self.content

    def __getitem__(self, key: str) -> _Value:
        """Return the value of a key, with content None if the key is missing."""
        where = f"{self.where}.{key}" if self.where else key
        return _Value(self.check_type(dict).get(key), self.file, where)

    def __iter__(self) -> Iterator[_Value]:
        for at, each in enumerate(self.check_type(list)):
            yield _Value(each, self.file, f"{self.where}[{at}]")

    def number(self) -> float:
        if isinstance(self.content, int | float) and not isinstance(self.content, bool):
            with suppress(OverflowError):
                if math.isfinite(self.content):
                    return float(self.content)
        self.refuse("a number")


class TraceFile:
    """A trace that was read and decoded; its steps are checked when they are requested."""

    def __init__(self, path: Path) -> None:
        """Read a trace file.

        Raises:
            TraceError: the file cannot be read, or is not a trace.
        """
        #: The decoded file.
        self.data: dict[str, Any] = _decode(path)
        top = self._top = _Value(self.data, path)
        if not isinstance(self.data, dict) or self.data.get("format") != FORMAT:
            where = _Value(None, path, "format")
            where.refuse(f'"format": "{FORMAT}"', "this is not a trace")
        if top["version"].content != VERSION:
            top["version"].refuse(f"{VERSION}, as this levelbake writes")
        #: The profile of the trace.
        self.profile = top["profile"].check_type(str)
        self._steps = top["walk" if "walk" in self.data else "steps"]
        #: The number of steps.
        self.count = len(self._steps.check_type(list))
        if not self.count:
            self._steps.refuse("at least one", "there is no step")
        self._method = top["method"].check_type(str)

    def moments(self, scene: Scene, numbers: Sequence[int]) -> list[Moment]:
        """Return the moments after some steps, in ascending order of the steps.

        Args:
            scene: the level and profile of the trace.
            numbers: numbers of steps, from 1.

        Raises:
            QueryError: a step does not exist.
            TraceError: a step is damaged, or the trace belongs to another level or profile.
        """
        for key, expected in (("level", scene.name), ("profile", scene.profile)):
            if (actual := self._top[key].check_type(str)) != expected:
                self._top[key].refuse(f"one of {expected!r}", f"the trace is of {actual!r}")
        for number in numbers:
            if not 1 <= number <= self.count:
                raise QueryError(f"there is no step {number}", expected=f"1 to {self.count}")
        walk = self._walk if self._steps.where == "walk" else self._search
        return list(walk(scene, set(numbers)))

    # -- searches ---------------------------------------------------------------------------------

    def _search(self, scene: Scene, numbers: set[int]) -> Iterator[Moment]:
        start, goal = (_row(scene, self._top[key]) for key in ("start", "goal"))
        path, heuristic = self._top["path"], self._top["heuristic"].content
        full_path = None if path.content is None else [_row(scene, value) for value in path]
        best = math.inf if path.content is None else self._top["cost"].number()
        known: dict[int, float] = {}
        orders: dict[int, float] = {}
        parents: dict[int, int] = {}

        def moment(number: int, row: int) -> Moment:
            last = number == self.count
            route_rows = full_path if last and full_path else _follow_parents(parents, row)
            rows = np.fromiter(known, dtype=np.int32, count=len(known))
            cost = np.fromiter(known.values(), dtype=np.float64, count=len(known))
            nothing = np.empty(0, dtype=np.int32)
            name = heuristic if isinstance(heuristic, str) else None
            f = np.fromiter(orders.values(), dtype=np.float64, count=len(orders))
            shown = Searched(self._method, name, number, rows, cost, nothing, (), f, best)
            route = Route(start, goal, np.array(route_rows, dtype=np.int32), known[row])
            label = " ".join(filter(None, (self._method, name)))
            ending = "" if not last else " · the path" if full_path else " · no path"
            note = (
                f"{label}: step {number:,} of {self.count:,}, {counted(len(rows), 'place')} known"
            )
            return Moment(note + ending, shown, route)

        for number, step in enumerate(self._steps, start=1):
            row = _row(scene, step["place"])
            known[row], orders[row] = step["g"].number(), step["f"].number()
            if step["parent"].content is not None:
                parents[row] = _row(scene, step["parent"])
            for opened in step["opened"]:
                cost, f = opened["g"].number(), opened["f"].number()
                opened_row = _row(scene, opened["place"])
                known[opened_row], orders[opened_row] = cost, f
            if number in numbers:
                yield moment(number, row)

    # -- walks ------------------------------------------------------------------------------------

    def _walk(self, scene: Scene, numbers: set[int]) -> Iterator[Moment]:
        places = scene.places
        sees = self.data.get("sees") is True
        size = places.width * places.height if places.is_grid else places.node_count
        seen = np.zeros(size, dtype=np.bool_)
        trails: list[list[int]] = []
        plans: list[list[int]] = []
        goals: list[int] = []

        def read_locations(value: _Value) -> list[int]:
            return [] if value.content is None else [_location(scene, item) for item in value]

        def moment(number: int, searched: list[int]) -> Moment:
            walkers = tuple(
                Walker(np.array(trail, dtype=np.int32), np.array(plan, dtype=np.int32), goal)
                for trail, plan, goal in zip(trails, plans, goals, strict=True)
            )
            arrived = sum(trail[-1] == goal for trail, goal in zip(trails, goals, strict=True))
            note = f"{self._method}: step {number:,} of {self.count:,}"
            if sees:
                note += f" · {int(seen.sum()):,} seen, {len(searched):,} searched"
            if len(walkers) > 1:
                note += f" · {arrived:,} of {len(walkers):,} agents at their goals"
            elif walkers and not len(walkers[0].ahead):
                note += " · at the goal" if arrived else " · no path left"
            shown = Walked(
                seen.copy() if sees else None, np.array(searched, dtype=np.int32), walkers
            )
            return Moment(note, shown)

        for number, step in enumerate(self._steps, start=1):
            seen[read_locations(step["seen"])] = True
            searched = read_locations(step["searched"])
            agents = list(step["agents"])
            if len(agents) != len(trails):
                trails, plans = [[] for _ in agents], [[] for _ in agents]
                goals = [-1] * len(agents)
            for at, agent in enumerate(agents):
                location, goal = _location(scene, agent["place"]), agent["goal"]
                if "goal" in agent.content:
                    goals[at] = -1 if goal.content is None else _location(scene, goal)
                if "plan" in agent.content:
                    plans[at] = read_locations(agent["plan"])
                elif not plans[at]:
                    agent.refuse("plan", "there is no plan, and none before")
                else:
                    plans[at] = plans[at][1:]
                trails[at].append(location)
            if number in numbers:
                yield moment(number, searched)


def _location(scene: Scene, value: _Value) -> int:
    place = tuple(value.content) if isinstance(value.content, list) else value.content
    if not isinstance(place, tuple) or all(type(part) is int for part in place):
        with suppress(QueryError):
            return scene.places.location(place)
    value.refuse("a place of the level")


def _row(scene: Scene, value: _Value) -> int:
    row = int(scene.columns.row_at[_location(scene, value)])
    if row < 0:
        value.refuse("where the profile can stand")
    return row


def _follow_parents(parents: dict[int, int], row: int) -> list[int]:
    """Return the rows from the start to a row along parents; stop if a row repeats."""
    rows = {row: None}
    while (row := parents.get(row, -1)) >= 0 and row not in rows:
        rows[row] = None
    return list(rows)[::-1]


def _decode(path: Path) -> Any:
    place, found, expected = None, "this is not JSON", "a trace"
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) <= _MOST_BYTES:
            return json.loads(data)
        found, expected = "the trace is too large", f"{_MOST_BYTES:,} bytes"
    except OSError as error:
        raise TraceError(f"cannot be read: {error.strerror or error}", file=path) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
    except (RecursionError, ValueError):
        pass
    raise TraceError(found, file=path, place=place, expected=expected)
