"""This module writes down a search step by step, for viewers: `bake path --trace`.

The form is JSON, described in docs/cli.md. It says what each step took from the open list and what
it put there; open and closed lists at any step follow from that, so the file grows with the search
and not with its square.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from bake.asset.partial import written_whole
from bake.errors import OutputError
from bake.runtime import LevelAsset, SearchResult
from bake.runtime.reader.places import Place
from bake.runtime.searching.result import TraceStep

FORMAT = "bake-trace"
VERSION = 1

#: How far into a file its format is looked for.
_BEGINNING = 64


def check_trace_file(path: Path) -> None:
    """Refuse a name under which no trace can be written, before anything is searched.

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


def write_trace(
    path: Path,
    level: LevelAsset,
    profile: str,
    ends: tuple[Place, Place],
    weight: float,
    found: SearchResult,
) -> None:
    """Write a search to a file, whole or not at all; a trace that was there is replaced.

    Args:
        ends: start and goal.
        weight: of the heuristic.
        found: the result, with its trace.

    Raises:
        OutputError: as for :func:`check_trace_file`, or it cannot be written.
    """
    check_trace_file(path)
    steps = found.trace or ()
    head = {
        "format": FORMAT,
        "version": VERSION,
        "level": level.name,
        "profile": profile,
        "start": ends[0],
        "goal": ends[1],
        "method": found.method,
        "heuristic": found.heuristic,
        "weight": weight,
        "admissible": found.admissible,
        "consistent": found.consistent,
        "bound": found.bound if math.isfinite(found.bound) else None,
        "reachable": found.path is not None,
        "cost": None if found.path is None else found.cost,
        "path": found.path,
        "expanded": found.expanded,
    }
    # One line a key and a step, so that people and line tools can read it, too.
    keys = "".join(f'"{key}": {json.dumps(value)},\n' for key, value in head.items())
    listed = ",\n".join(json.dumps(_step(step)) for step in steps)
    whole = f'{{\n{keys}"steps": [\n{listed}\n]\n}}\n'
    with written_whole(path) as partial:
        partial.write_bytes(whole.encode())


def _step(step: TraceStep) -> dict[str, object]:
    return {
        "place": step.place,
        "parent": step.parent,
        "g": step.g,
        "h": step.h,
        "f": step.f,
        "opened": [{"place": one.place, "g": one.g, "f": one.f} for one in step.opened],
    }
