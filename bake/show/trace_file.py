"""This module reads traces of searches and walks, and says what a picture of one step shows.

docs/traces.md describes the form, and :mod:`bake.extras.school.trace_file` writes it.
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

#: A larger file is not read.
_MOST_BYTES = 2**28

_KINDS: dict[type, str] = {str: "text", list: "a list", dict: "an object"}

K = TypeVar("K", str, list[Any], dict[str, Any])


@dataclass(frozen=True)
class Moment:
    """What a picture shows of one step."""

    note: str  #: what is said of it
    shown: Searched | Walked  #: the lists of a search, or agents
    path: Route | None = None  #: of a search: the way to the place taken last


@dataclass(frozen=True)
class _Value:
    """A value of a trace and its place, which every mistake in it names."""

    told: Any
    file: Path
    where: str = ""

    def refuse(self, expected: str, found: str | None = None) -> NoReturn:
        found = f"found {quoted(self.told)}" if found is None else found
        raise TraceError(found, file=self.file, place=self.where, expected=expected)

    def of(self, kind: type[K]) -> K:
        if not isinstance(self.told, kind):
            self.refuse(_KINDS[kind])
        return self.told

    def __getitem__(self, key: str) -> _Value:
        """Return the value of a key, None where there is none."""
        where = f"{self.where}.{key}" if self.where else key
        return _Value(self.of(dict).get(key), self.file, where)

    def __iter__(self) -> Iterator[_Value]:
        for at, each in enumerate(self.of(list)):
            yield _Value(each, self.file, f"{self.where}[{at}]")

    def number(self) -> float:
        if isinstance(self.told, int | float) and not isinstance(self.told, bool):
            with suppress(OverflowError):
                if math.isfinite(self.told):
                    return float(self.told)
        self.refuse("a number")


class TraceFile:
    """A trace that was read and decoded; its steps are checked when they are asked for.

    Attributes:
        profile: the profile that it is of.
        count: the number of its steps.
        told: what the file says, decoded.
    """

    def __init__(self, path: Path) -> None:
        """Read a file.

        Raises:
            TraceError: it cannot be read, or is no trace.
        """
        self.told: dict[str, Any] = _decoded(path)
        top = self._top = _Value(self.told, path)
        if not isinstance(self.told, dict) or self.told.get("format") != FORMAT:
            where = _Value(None, path, "format")
            where.refuse(f'"format": "{FORMAT}"', "this is no trace")
        if top["version"].told != VERSION:
            top["version"].refuse(f"{VERSION}, as this levelbake writes")
        self.profile = top["profile"].of(str)
        self._steps = top["walk" if "walk" in self.told else "steps"]
        self.count = len(self._steps.of(list))
        if not self.count:
            self._steps.refuse("at least one", "there is no step")
        self._method = top["method"].of(str)

    def moments(self, scene: Scene, numbers: Sequence[int]) -> list[Moment]:
        """Return what there is to see after some numbers of steps, ascending.

        Args:
            scene: the level and profile that the trace is of.
            numbers: of steps, from 1.

        Raises:
            QueryError: there are not so many steps.
            TraceError: a step is damaged, or the trace is of another level or profile.
        """
        for key, own in (("level", scene.name), ("profile", scene.profile)):
            if (said := self._top[key].of(str)) != own:
                self._top[key].refuse(f"one of {own!r}", f"the trace is of {said!r}")
        for number in numbers:
            if not 1 <= number <= self.count:
                raise QueryError(f"there is no step {number}", expected=f"1 to {self.count}")
        walk = self._walk if self._steps.where == "walk" else self._search
        return list(walk(scene, set(numbers)))

    # -- searches ---------------------------------------------------------------------------------

    def _search(self, scene: Scene, wanted: set[int]) -> Iterator[Moment]:
        start, goal = (_row(scene, self._top[key]) for key in ("start", "goal"))
        path, heuristic = self._top["path"], self._top["heuristic"].told
        whole = None if path.told is None else [_row(scene, each) for each in path]
        best = math.inf if path.told is None else self._top["cost"].number()
        known: dict[int, float] = {}
        orders: dict[int, float] = {}
        parents: dict[int, int] = {}

        def moment(number: int, row: int) -> Moment:
            last = number == self.count
            way = whole if last and whole else _way_back(parents, row)
            rows = np.fromiter(known, dtype=np.int32, count=len(known))
            cost = np.fromiter(known.values(), dtype=np.float64, count=len(known))
            nothing = np.empty(0, dtype=np.int32)
            name = heuristic if isinstance(heuristic, str) else None
            f = np.fromiter(orders.values(), dtype=np.float64, count=len(orders))
            shown = Searched(self._method, name, number, rows, cost, nothing, (), f, best)
            route = Route(start, goal, np.array(way, dtype=np.int32), known[row])
            by = " ".join(filter(None, (self._method, name)))
            ending = "" if not last else " · the path" if whole else " · no path"
            note = f"{by}: step {number:,} of {self.count:,}, {counted(len(rows), 'place')} known"
            return Moment(note + ending, shown, route)

        for number, step in enumerate(self._steps, start=1):
            row = _row(scene, step["place"])
            known[row], orders[row] = step["g"].number(), step["f"].number()
            if step["parent"].told is not None:
                parents[row] = _row(scene, step["parent"])
            for opened in step["opened"]:
                cost, f = opened["g"].number(), opened["f"].number()
                at = _row(scene, opened["place"])
                known[at], orders[at] = cost, f
            if number in wanted:
                yield moment(number, row)

    # -- walks ------------------------------------------------------------------------------------

    def _walk(self, scene: Scene, wanted: set[int]) -> Iterator[Moment]:
        places = scene.places
        sees = self.told.get("sees") is True
        size = places.width * places.height if places.is_grid else places.node_count
        seen = np.zeros(size, dtype=np.bool_)
        trails: list[list[int]] = []
        plans: list[list[int]] = []
        goals: list[int] = []

        def listed(value: _Value) -> list[int]:
            return [] if value.told is None else [_location(scene, each) for each in value]

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
            seen[listed(step["seen"])] = True
            searched = listed(step["searched"])
            agents = list(step["agents"])
            if len(agents) != len(trails):
                trails, plans = [[] for _ in agents], [[] for _ in agents]
                goals = [-1] * len(agents)
            for at, agent in enumerate(agents):
                here, goal = _location(scene, agent["place"]), agent["goal"]
                if "goal" in agent.told:
                    goals[at] = -1 if goal.told is None else _location(scene, goal)
                if "plan" in agent.told:
                    plans[at] = listed(agent["plan"])
                elif not plans[at]:
                    agent.refuse("plan", "there is no plan, and none before")
                else:
                    plans[at] = plans[at][1:]
                trails[at].append(here)
            if number in wanted:
                yield moment(number, searched)


def _location(scene: Scene, value: _Value) -> int:
    place = tuple(value.told) if isinstance(value.told, list) else value.told
    if not isinstance(place, tuple) or all(type(part) is int for part in place):
        with suppress(QueryError):
            return scene.places.location(place)
    value.refuse("a place of the level")


def _row(scene: Scene, value: _Value) -> int:
    row = int(scene.columns.row_at[_location(scene, value)])
    if row < 0:
        value.refuse("where the profile can stand")
    return row


def _way_back(parents: dict[int, int], row: int) -> list[int]:
    """Return the rows from the start to a row; several states may lie at one, so it may end."""
    way = {row: None}
    while (row := parents.get(row, -1)) >= 0 and row not in way:
        way[row] = None
    return list(way)[::-1]


def _decoded(path: Path) -> Any:
    place, found, expected = None, "this is no JSON", "a trace"
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
