"""What a project consists of: its worlds, its levels, and what each bakes to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bake.editors import LdtkReading
from bake.errors import LevelError
from bake.levels.json_text import MAX_JSON_BYTES, json_place, shown
from bake.levels.source import read_text

Steps = tuple[str | int, ...]

#: Versions of the format (jsonVersion) that are read; before 0.9 tilesets had no enum tags.
OLDEST, NEWEST = (0, 9), (1, 5)
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})(?:[.-].*)?")
TOO_LARGE = "save levels to separate files, or split the project"


@dataclass(frozen=True)
class Place:
    """One level in the project file.

    Attributes:
        name: its identifier.
        iid: its id; None before version 1.0.
        steps: path of it in the file, such as ("levels", 2).
    """

    name: str
    iid: str | None
    steps: Steps


@dataclass(frozen=True)
class Part:
    """What becomes one asset.

    Attributes:
        name: "" where the project gives nothing else.
        world: path of the world the levels belong to, () being the file itself.
        levels: at least one.
    """

    name: str
    world: Steps
    levels: tuple[Place, ...]


def ldtk_parts(path: Path, reading: LdtkReading) -> tuple[str, ...]:
    """Names of what a project bakes to.

    Raises:
        LevelError: no LDtk project, or two levels of one name.
    """
    text = read_text(path, MAX_JSON_BYTES, TOO_LARGE)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        # The whole reader says what is wrong, and where.
        raise LevelError("not usable JSON", file=path) from None
    return tuple(part.name for part in outline(path, document, reading))


def outline(path: Path, document: object, reading: LdtkReading) -> tuple[Part, ...]:
    """What a parsed project bakes to: each level, or each world.

    Raises:
        LevelError: no project of a known version, no levels, or two of one name.
    """
    if not isinstance(document, dict):
        raise LevelError(
            f"the file holds {shown(document)}",
            file=path,
            place="top level",
            expected="a project as LDtk saves it",
        )
    check_version(path, document.get("jsonVersion"))
    worlds = list(_worlds(path, document))
    parts = []
    for name, steps, levels in worlds:
        if reading.world == "one":
            parts.append(Part(name, steps, levels))
            continue
        prefix = f"{name}-" if name else ""
        parts += [Part(prefix + level.name, steps, (level,)) for level in levels]
    taken: dict[str, Part] = {}
    for part in parts:
        # Names that differ in case alone would be one file on some systems.
        if taken.setdefault(part.name.casefold(), part) is not part:
            raise LevelError(
                f"the name {shown(part.name)} is given twice",
                file=path,
                place=json_place(part.levels[0].steps),
                expected="a name of its own for each world and level",
                remedy="rename one of them",
            )
    return tuple(parts)


def check_version(path: Path, version: object) -> None:
    """Refuse a file that an older or newer LDtk saved than those this reader knows."""
    expected = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
    found = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if found is None:
        raise LevelError(
            "this is no LDtk project: it has no jsonVersion"
            if version is None
            else f"found {shown(version)}",
            file=path,
            place="jsonVersion",
            expected=f"the version of LDtk that saved the file, {expected}",
        )
    numbers = (int(found[1]), int(found[2]))
    if numbers > NEWEST:
        raise LevelError(
            f"version {shown(version)} of LDtk is too new for this bake",
            file=path,
            place="jsonVersion",
            expected=expected,
            remedy="update bake",
        )
    if numbers < OLDEST:
        raise LevelError(
            f"version {shown(version)} of LDtk is too old",
            file=path,
            place="jsonVersion",
            expected=expected,
            remedy="open the project in a newer LDtk and save it",
        )


def _worlds(
    path: Path, document: Mapping[str, Any]
) -> Iterator[tuple[str, Steps, tuple[Place, ...]]]:
    """Name, place and levels of each world; the name of an only one is ""."""
    worlds = _list(path, document, "worlds", ())
    if not worlds:
        yield "", (), _levels(path, document, ())
        return
    if document.get("levels"):
        raise LevelError(
            "there are levels beside worlds",
            file=path,
            place="levels",
            expected="levels inside worlds alone",
            remedy="save the project again in LDtk",
        )
    for number, world in enumerate(worlds):
        steps: Steps = ("worlds", number)
        name = _identifier(path, world, steps)
        yield name, steps, _levels(path, world, steps)


def _levels(path: Path, owner: Mapping[str, Any], steps: Steps) -> tuple[Place, ...]:
    levels = _list(path, owner, "levels", steps)
    if not levels:
        raise LevelError(
            "there are no levels",
            file=path,
            place=json_place([*steps, "levels"]),
            expected="at least one",
        )
    places = []
    for number, level in enumerate(levels):
        inside = (*steps, "levels", number)
        name = _identifier(path, level, inside)
        iid = level.get("iid")
        places.append(Place(name, iid if isinstance(iid, str) else None, inside))
    return tuple(places)


def _list(path: Path, owner: Mapping[str, Any], key: str, steps: Steps) -> list[Any]:
    value = owner.get(key, [])
    if not isinstance(value, list):
        raise LevelError(
            f"found {shown(value)}", file=path, place=json_place([*steps, key]), expected="a list"
        )
    return value


def _identifier(path: Path, owner: object, steps: Steps) -> str:
    name = owner.get("identifier") if isinstance(owner, dict) else None
    if not isinstance(name, str) or not name or not name.isprintable():
        raise LevelError(
            f"found {shown(owner)}" if name is None else f"found {shown(name)}",
            file=path,
            place=json_place(steps),
            expected="an object with an identifier",
        )
    return name
