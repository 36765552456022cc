"""This module reads traces of searches and walks, and says what a picture of one step shows.

docs/traces.md describes the form, and :mod:`bake.school.trace_file` writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np

from bake.errors import TraceError
from bake.view.request import Route, Searched, Walked, Walker
from bake.view.scene import Scene
from levelbake.errors import QueryError, counted
from levelbake.places import Place, quoted

FORMAT = "bake-trace"
VERSION = 1

#: A larger file is not read.
_MOST_BYTES = 2**28


@dataclass(frozen=True)
class Moment:
    """What a picture shows of one step."""

    note: str  #: what is said of it
    shown: Searched | Walked  #: the lists of a search, or agents
    path: Route | None = None  #: of a search: the way to the place taken last


class TraceFile:
    """A trace that was read and decoded; its steps are checked when they are asked for.

    Attributes:
        profile: the profile that it is of.
        walks: whether it is of agents, and not of a search.
        count: the number of its steps.
        told: what the file says, decoded.
    """

    def __init__(self, path: Path) -> None:
        """Read a file.

        Raises:
            TraceError: it cannot be read, or is no trace.
        """
        self._path = path
        self.told: dict[str, Any] = _decoded(path)
        if not isinstance(self.told, dict) or self.told.get("format") != FORMAT:
            self._refuse("format", "this is no trace", f'"format": "{FORMAT}"')
        if self.told.get("version") != VERSION:
            version = quoted(self.told.get("version"))
            self._refuse("version", f"found {version}", f"{VERSION}, as this levelbake writes")
        self.profile = self._text("profile")
        self.walks = "walk" in self.told
        self._kind = "walk" if self.walks else "steps"
        self._steps: list[Any] = self._listed(self.told.get(self._kind), self._kind)
        self.count = len(self._steps)
        if not self.count:
            self._refuse(self._kind, "there is no step", "at least one")
        self._method = self._text("method")

    def over(self, scene: Scene) -> Steps:
        """Return the steps, over the level that they are of.

        Raises:
            TraceError: they are of another level or profile.
        """
        if self._text("level") != scene.name:
            self._refuse(
                "level", f"the trace is of {self._text('level')!r}", f"one of {scene.name!r}"
            )
        if self.profile != scene.profile:
            self._refuse(
                "profile", f"the trace is of {self.profile!r}", f"one of {scene.profile!r}"
            )
        return Steps(self, scene)

    # -- values -----------------------------------------------------------------------------------

    def _refuse(self, where: str, found: str, expected: str) -> NoReturn:
        raise TraceError(found, file=self._path, place=where, expected=expected)

    def _text(self, key: str) -> str:
        value = self.told.get(key)
        if not isinstance(value, str):
            self._refuse(key, f"found {quoted(value)}", "text")
        return value

    def _listed(self, value: object, where: str) -> list[Any]:
        if not isinstance(value, list):
            self._refuse(where, f"found {quoted(value)}", "a list")
        return value

    def _object(self, value: object, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._refuse(where, f"found {quoted(value)}", "an object")
        return cast("dict[str, Any]", value)

    def _number(self, value: object, where: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
            self._refuse(where, f"found {quoted(value)}", "a number")
        return float(value)


class Steps:
    """The steps of a trace over the level that it is of."""

    def __init__(self, file: TraceFile, scene: Scene) -> None:
        self._file, self._scene = file, scene

    def moments(self, numbers: Sequence[int]) -> list[Moment]:
        """Return what there is to see after some numbers of steps, ascending.

        Raises:
            QueryError: there are not so many steps.
            TraceError: a step is damaged.
        """
        file = self._file
        for number in numbers:
            if not 1 <= number <= file.count:
                raise QueryError(f"there is no step {number}", expected=f"1 to {file.count}")
        wanted = set(numbers)
        return list(self._walk(wanted) if file.walks else self._search(wanted))

    # -- searches ---------------------------------------------------------------------------------

    def _search(self, wanted: set[int]) -> Iterator[Moment]:
        file = self._file
        start, goal = (self._row(file.told.get(key), key) for key in ("start", "goal"))
        path = file.told.get("path")
        whole = None if path is None else [self._row(p, "path") for p in file._listed(path, "path")]
        heuristic = file.told.get("heuristic")
        known: dict[int, float] = {}
        parents: dict[int, int] = {}

        def moment(number: int, row: int) -> Moment:
            last = number == file.count
            way = whole if last and whole else _way_back(parents, row)
            rows = np.fromiter(known, dtype=np.int32, count=len(known))
            cost = np.fromiter(known.values(), dtype=np.float64, count=len(known))
            nothing = np.empty(0, dtype=np.int32)
            name = heuristic if isinstance(heuristic, str) else None
            shown = Searched(file._method, name, number, rows, cost, nothing, ())
            route = Route(start, goal, np.array(way, dtype=np.int32), known[row])
            by = " ".join(filter(None, (file._method, name)))
            ending = "" if not last else " · the way" if whole else " · no way"
            note = f"{by}: step {number:,} of {file.count:,}, {counted(len(rows), 'place')} known"
            return Moment(note + ending, shown, route)

        for i, value in enumerate(file._steps):
            where = f"steps[{i}]"
            step = file._object(value, where)
            row = self._row(step.get("place"), f"{where}.place")
            known[row] = file._number(step.get("g"), f"{where}.g")
            if step.get("parent") is not None:
                parents[row] = self._row(step["parent"], f"{where}.parent")
            for j, one in enumerate(file._listed(step.get("opened"), f"{where}.opened")):
                at = f"{where}.opened[{j}]"
                opened = file._object(one, at)
                cost = file._number(opened.get("g"), f"{at}.g")
                known[self._row(opened.get("place"), f"{at}.place")] = cost
            if i + 1 in wanted:
                yield moment(i + 1, row)

    # -- walks ------------------------------------------------------------------------------------

    def _walk(self, wanted: set[int]) -> Iterator[Moment]:
        file, places = self._file, self._scene.places
        sees = file.told.get("sees") is True
        size = places.width * places.height if places.is_grid else places.node_count
        seen = np.zeros(size, dtype=np.bool_)
        trails: list[list[int]] = []
        plans: list[list[int]] = []
        goals: list[int] = []

        def moment(number: int, searched: list[int]) -> Moment:
            walkers = tuple(
                Walker(np.array(trail, dtype=np.int32), np.array(plan, dtype=np.int32), goal)
                for trail, plan, goal in zip(trails, plans, goals, strict=True)
            )
            arrived = sum(trail[-1] == goal for trail, goal in zip(trails, goals, strict=True))
            note = f"{file._method}: step {number:,} of {file.count:,}"
            if sees:
                note += f" · {int(seen.sum()):,} seen, {len(searched):,} searched"
            if len(walkers) > 1:
                note += f" · {arrived:,} of {len(walkers):,} agents at their goals"
            elif walkers and not len(walkers[0].ahead):
                note += " · at the goal" if arrived else " · no way left"
            shown = Walked(
                seen.copy() if sees else None, np.array(searched, dtype=np.int32), walkers
            )
            return Moment(note, shown)

        for i, value in enumerate(file._steps):
            where = f"walk[{i}]"
            step = file._object(value, where)
            seen[self._locations(step.get("seen", []), f"{where}.seen")] = True
            searched = self._locations(step.get("searched", []), f"{where}.searched")
            agents = file._listed(step.get("agents"), f"{where}.agents")
            if len(agents) != len(trails):
                trails, plans = [[] for _ in agents], [[] for _ in agents]
                goals = [-1] * len(agents)
            for j, each in enumerate(agents):
                at = f"{where}.agents[{j}]"
                agent = file._object(each, at)
                here = self._location(agent.get("place"), f"{at}.place")
                if "goal" in agent:
                    goal = agent["goal"]
                    goals[j] = -1 if goal is None else self._location(goal, f"{at}.goal")
                if "plan" in agent:
                    plan = agent["plan"]
                    plans[j] = [] if plan is None else self._locations(plan, f"{at}.plan")
                elif not plans[j]:
                    file._refuse(at, "there is no plan, and none before", "plan")
                else:
                    plans[j] = plans[j][1:]
                trails[j].append(here)
            if i + 1 in wanted:
                yield moment(i + 1, searched)

    # -- places -----------------------------------------------------------------------------------

    def _location(self, value: object, where: str) -> int:
        place: Any = tuple(value) if isinstance(value, list) else value
        if isinstance(place, tuple) and not all(type(part) is int for part in place):
            self._file._refuse(where, f"found {quoted(value)}", "a place of the level")
        try:
            return self._scene.places.location(cast("Place", place))
        except QueryError:
            self._file._refuse(where, f"found {quoted(value)}", "a place of the level")

    def _locations(self, value: object, where: str) -> list[int]:
        listed = self._file._listed(value, where)
        return [self._location(each, f"{where}[{i}]") for i, each in enumerate(listed)]

    def _row(self, value: object, where: str) -> int:
        row = int(self._scene.columns.row_at[self._location(value, where)])
        if row < 0:
            self._file._refuse(where, f"found {quoted(value)}", "where the profile can stand")
        return row


def _way_back(parents: dict[int, int], row: int) -> list[int]:
    """Return the rows from the start to a row; several states may lie at one, so it may end."""
    way = {row: None}
    while (row := parents.get(row, -1)) >= 0 and row not in way:
        way[row] = None
    return list(way)[::-1]


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _decoded(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise TraceError(f"cannot be read: {error.strerror or error}", file=path) from None
    if len(data) > _MOST_BYTES:
        raise TraceError("the trace is too large", file=path, expected=f"{_MOST_BYTES:,} bytes")
    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise TraceError("this is no JSON", file=path, place=place, expected="a trace") from None
    except (UnicodeDecodeError, RecursionError, ValueError):
        raise TraceError("this is no JSON", file=path, expected="a trace") from None
