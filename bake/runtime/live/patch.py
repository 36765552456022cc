"""Patches: what has become of a level since it was baked, as a small file for savegames.

A patch is two lines of text: what it is and what it belongs to, then the changes as JSON. It says
what the level is, not what was done to it, so it does not grow with the number of batches.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
from pathlib import Path
from typing import Any

import numpy as np

from bake.errors import OutputError, PatchError
from bake.runtime.live.edits import CLOSED, Edit, LevelState
from bake.runtime.live.rules import LevelRules

KIND = "levelbake-patch"
VERSION = 1

NOT_A_FILE = "this is a folder, a device or a pipe"

#: What reading a record raises that does not fit this level.
WRONG = (TypeError, ValueError, KeyError, IndexError, OverflowError, RecursionError)
_VERSION = re.compile(r"[0-9]{1,9}")
#: The most letters of the first line, of a location with its steps, and of any other arc.
_FIRST_LINE, _LOCATION, _ARC = 1024, 1024, 128


def write_patch(path: Path, rules: LevelRules, level: LevelState) -> None:
    """Write a patch to disk under another name, then give it its own.

    Raises:
        OutputError: it cannot be written.
    """
    text = json.dumps(changes_of(rules, level), separators=(",", ":"), allow_nan=False) + "\n"
    first = head_line(KIND, VERSION, rules) + f" {digest(text)}\n"
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(first + text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise OutputError(f"cannot be written: {error.strerror or error}", file=path) from None


def read_patch(path: Path, rules: LevelRules) -> LevelState:
    """The level that a patch describes.

    Raises:
        PatchError: no patch, one of another asset, of another version, or a damaged one.
    """
    first, _, text = _text_of(path, rules).partition("\n")
    words = first.split(" ")
    check_head(path, KIND, VERSION, words[:3], rules)
    if len(words) != 4 or words[3] != digest(text):
        raise PatchError("damaged: its digest does not fit", file=path, remedy="save it again")
    try:
        return level_from(rules, json.loads(text))
    except WRONG:
        raise PatchError("damaged: it says nothing of this level", file=path) from None


def _text_of(path: Path, rules: LevelRules) -> str:
    """A patch's text, if it is no longer than one of this level may be."""
    most = _FIRST_LINE + _LOCATION * rules.location_count + _ARC * len(rules.places.head)
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise PatchError(NOT_A_FILE, file=path, expected="a regular file")
        with path.open(encoding="utf-8") as file:
            text = file.read(most + 1)
    except OSError as error:
        raise PatchError(f"cannot be read: {error.strerror or error}", file=path) from None
    except UnicodeDecodeError:
        raise PatchError("this is no patch", file=path) from None
    if len(text) > most:
        raise PatchError("longer than any patch of this level", file=path)
    return text


def head_line(kind: str, version: int, rules: LevelRules) -> str:
    """What a file is, and which asset it belongs to."""
    return f"{kind} {version} {rules.asset.header.fingerprint()}"


def check_head(path: Path, kind: str, version: int, words: list[str], rules: LevelRules) -> None:
    """Refuse a file of another kind or version, and one that belongs to another asset.

    Raises:
        PatchError
    """
    what = kind.removeprefix("levelbake-")
    if len(words) != 3 or words[0] != kind or not _VERSION.fullmatch(words[1]):
        raise PatchError(f"this is no {what}", file=path, expected=f"one saved by level.{what}()")
    if int(words[1]) != version:
        raise PatchError(
            f"version {words[1]}", file=path, expected=f"version {version}", remedy="save it anew"
        )
    if words[2] != rules.asset.header.fingerprint():
        raise PatchError(
            f"this {what} belongs to another asset",
            file=path,
            expected=f"one saved with {rules.asset.path.name} as it is now",
        )


def digest(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def changes_of(rules: LevelRules, level: LevelState) -> dict[str, Any]:
    """How a level differs from the baked one, ready for JSON."""
    changed = np.flatnonzero(level.terrain != rules.terrain)
    return {
        "terrain": [[int(location), int(level.terrain[location])] for location in changed],
        "obstacles": np.flatnonzero(level.obstacle).tolist(),
        "arcs": [[a, b, _stored_price(units)] for (a, b), units in sorted(level.prices.items())],
    }


def level_from(rules: LevelRules, changes: dict[str, Any]) -> LevelState:
    """The level that such differences make; what does not fit raises one of Python's errors."""
    baked = LevelState.baked(rules)
    terrain, obstacle = baked.terrain.copy(), baked.obstacle.copy()
    for location, code in changes["terrain"]:
        terrain[_within(location, rules.location_count)] = _within(code, len(rules.terrains))
    for location in changes["obstacles"]:
        obstacle[_within(location, rules.location_count)] = True
    count = rules.location_count
    prices = {
        (_within(a, count), _within(b, count)): _price_of(units) for a, b, units in changes["arcs"]
    }
    return LevelState(terrain, obstacle, prices)


def edit_record(edit: Edit) -> dict[str, Any]:
    """A batch, ready for JSON."""
    return {
        "blocked": list(edit.blocked),
        "opened": list(edit.opened),
        "terrain": sorted(edit.terrain.items()),
        "arcs": [
            [a, b, None if units is None else _stored_price(units)]
            for (a, b), units in sorted(edit.arcs.items(), key=lambda item: item[0])
        ],
    }


def edit_from(rules: LevelRules, record: dict[str, Any]) -> Edit:
    """The batch of a record; what does not fit raises one of Python's errors."""
    count = rules.location_count
    return Edit(
        tuple(_within(location, count) for location in record["blocked"]),
        tuple(_within(location, count) for location in record["opened"]),
        {_within(a, count): _within(b, len(rules.terrains)) for a, b in record["terrain"]},
        {
            (_within(a, count), _within(b, count)): None if units is None else _price_of(units)
            for a, b, units in record["arcs"]
        },
    )


def _stored_price(units: float) -> float | str:
    """A price for JSON, which knows no infinity."""
    return "closed" if units == CLOSED else units


def _price_of(units: object) -> float:
    """The price that JSON holds."""
    if units == "closed":
        return CLOSED
    if isinstance(units, bool) or not isinstance(units, int | float) or not 0 < units < math.inf:
        raise ValueError(units)
    return float(units)


def _within(number: object, limit: int) -> int:
    if type(number) is not int or not 0 <= number < limit:
        raise ValueError(number)
    return number
