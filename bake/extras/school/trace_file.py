"""Traces of searches and walks, step by step, as files for the viewer.

`bake render --trace` draws such a file, and the page of `bake view` plays it. The form is JSON,
described in docs/traces.md. A search says what each step took from the open list and what it put
there; a walk says where agents are, what they saw, what was searched, and what they plan. Lists at
any step follow from that, so a file grows with the steps and not with their square.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from bake.core.extras import SearchTracer
from bake.extras.school.step_by_step import TRACED, TracedResult, TraceStep, traced_search
from bake.play.level import LevelAsset
from bake.play.navigator import Navigator
from bake.search.problem import Search, Step
from bake.show.trace_file import FORMAT, VERSION
from bake.store.partial import written_whole
from levelbake.errors import OutputError, QueryError
from levelbake.places import Place

#: How far into a file its format is looked for.
_BEGINNING = 64


def check_trace_file(path: Path) -> None:
    """Check that a trace can be written to a file, before a search.

    Raises:
        OutputError: the name does not end in .json, its folder does not exist, or something that is
            not a trace has the name.
    """
    if path.suffix.lower() != ".json":
        raise OutputError("this is no name of a trace", file=path, expected="one ending in .json")
    if not path.parent.is_dir():
        raise OutputError("the folder does not exist", file=path, remedy="make the folder first")
    try:
        if not path.exists():
            return
        with path.open("rb") as file:
            ours = f'"format": "{FORMAT}"'.encode() in file.read(_BEGINNING)
    except OSError as error:
        raise OutputError(f"cannot be read: {error.strerror or error}", file=path) from None
    if not ours:
        raise OutputError(
            "a file that is no trace has this name", file=path, remedy="choose another name"
        )


class Trace:
    """A trace of a search or a walk.

    Attributes:
        head: what the file says before its steps, by key.
        kind: "steps" for a search, "walk" for agents.
        steps: what the file says of each step, as docs/traces.md has it.
    """

    def __init__(self, level: str, profile: str, kind: str, **head: object) -> None:
        """Create a trace without steps.

        Args:
            level, profile: names.
            kind: "steps" or "walk".
            head: what else the file says before its steps.
        """
        names = {"format": FORMAT, "version": VERSION, "level": level, "profile": profile}
        self.head: dict[str, object] = {**names, **head}
        self.kind = kind
        self.steps: list[dict[str, Any]] = []

    def write(self, path: str | Path) -> None:
        """Write all steps so far to a file, whole or not at all; a trace there is replaced.

        Args:
            path: a name that ends in .json.

        Raises:
            OutputError: as for :func:`check_trace_file`, or it cannot be written.
        """
        path = Path(path)
        check_trace_file(path)
        # One line a key and a step, so that people and line tools can read it, too.
        keys = "".join(f'"{key}": {json.dumps(value)},\n' for key, value in self.head.items())
        listed = ",\n".join(json.dumps(step) for step in self.steps)
        whole = f'{{\n{keys}"{self.kind}": [\n{listed}\n]\n}}\n'
        with written_whole(path) as partial:
            partial.write_bytes(whole.encode())


def search_trace(
    level: LevelAsset,
    profile: str,
    ends: tuple[Place, Place],
    weight: float,
    found: TracedResult,
) -> Trace:
    """Return the trace of what :func:`bake.extras.school.traced_search` found.

    Args:
        level: the open level.
        profile: the name of the profile.
        ends: start and goal.
        weight: of the heuristic.
        found: the result.
    """
    trace = Trace(
        level.name,
        profile,
        "steps",
        start=ends[0],
        goal=ends[1],
        method=found.method,
        heuristic=found.heuristic,
        weight=weight,
        admissible=found.admissible,
        consistent=found.consistent,
        bound=found.bound if math.isfinite(found.bound) else None,
        **_outcome(found.path, found.cost),
        expanded=found.expanded,
    )
    trace.steps = [_step(step) for step in found.trace]
    return trace


def write_search(
    file: Path,
    level: LevelAsset,
    nav: Navigator,
    ends: tuple[Place, Place],
    method: str,
    heuristic: str | None,
    weight: float,
) -> TracedResult:
    """Search as :func:`bake.extras.school.traced_search` does, and write the trace to a file.

    Raises:
        QueryError: as for :func:`bake.extras.school.traced_search`.
        OutputError: the file cannot be written.
    """
    found = traced_search(nav, *ends, method, heuristic, weight=weight)
    search_trace(level, nav.name, ends, weight, found).write(file)
    return found


TRACER = SearchTracer(TRACED, check_trace_file, write_search)


def trace_search(
    level: LevelAsset,
    found: Search[Any],
    at: Callable[[Any], Place] | None = None,
    *,
    profile: str | None = None,
) -> Trace:
    """Run a search of :mod:`bake.extras.school` to its end, and return its trace.

    Args:
        level: the open level over which to look at it.
        found: a search that has made no step yet.
        at: the place of the level at which a state lies; several states may lie at one. None =
            states are places.
        profile: the name of the profile to draw for; it may be left out where there is only one.

    Raises:
        QueryError: the search has made steps already, or has none, or there is no such profile.
    """
    if found.expanded:
        raise QueryError("the search has made steps already", remedy="trace it from its beginning")
    place = at or _itself
    steps: list[Step[Any]] = []
    while (step := found.step()) is not None:
        steps.append(step)
    if not steps:
        raise QueryError("the search made no step", remedy="trace one that is not over")
    end = found.path[-1] if found.path else steps[-1].state
    trace = Trace(
        level.name,
        level.profile(profile).name,
        "steps",
        start=place(steps[0].state),
        goal=place(end),
        method=found.method,
        heuristic=None,
        weight=1.0,
        admissible=None,
        consistent=None,
        bound=None,
        **_outcome(None if found.path is None else [place(s) for s in found.path], found.cost),
        expanded=len(steps),
    )
    for number, step in enumerate(steps):
        opened = [
            {"place": place(state), "g": g, "f": f}
            for state, g, f in step.opened
            if math.isfinite(f)  # Others lead nowhere, and are never taken.
        ]
        trace.steps.append(
            {
                "place": place(step.state),
                "parent": place(step.parent) if number else None,
                "g": step.g,
                "h": step.h,
                "f": step.f,
                "opened": opened,
            }
        )
    return trace


def _itself(state: Any) -> Place:
    return cast("Place", state)


def _outcome(path: list[Place] | None, cost: float) -> dict[str, object]:
    there = path is not None
    return {"reachable": there, "cost": cost if there else None, "path": path}


def _step(step: TraceStep) -> dict[str, Any]:
    return {
        "place": step.place,
        "parent": step.parent,
        "g": step.g,
        "h": step.h,
        "f": step.f,
        "opened": [{"place": one.place, "g": one.g, "f": one.f} for one in step.opened],
    }
