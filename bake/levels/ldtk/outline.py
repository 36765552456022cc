"""List the worlds, levels and assets of an LDtk project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bake.core.errors import LevelError
from bake.levels.reading.editors import LdtkReading
from bake.levels.reading.files import MAX_JSON_BYTES, read_text
from bake.levels.reading.mistakes import Steps, Where, json_place, refuse, shown

#: The oldest and newest supported format (jsonVersion); before 0.9 there were no enum tags.
OLDEST, NEWEST = (0, 9), (1, 5)
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})(?:[.-].*)?")
TOO_LARGE = "save levels to separate files, or split the project"


@dataclass(frozen=True)
class ListedLevel:
    """A level in the list of the project file."""

    name: str  #: its identifier
    iid: str | None  #: id; None before version 1.0
    steps: Steps  #: its path in the file, such as ("levels", 2)


@dataclass(frozen=True)
class Part:
    """An asset of a project: the levels that it consists of."""

    name: str  #: name of the world or level; "" for the only asset of a project
    world: Steps  #: path of the world in the file; () is the file itself
    levels: tuple[ListedLevel, ...]  #: at least one


def ldtk_parts(path: Path, reading: LdtkReading) -> tuple[str, ...]:
    """Return the names of the assets of a project.

    Raises:
        LevelError: the file is not an LDtk project, or two assets have the same name.
    """
    text = read_text(path, MAX_JSON_BYTES, TOO_LARGE)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        # Reading the levels reports the mistake and its place.
        raise LevelError("the JSON cannot be used", file=path) from None
    return tuple(part.name for part in outline(path, document, reading))


def outline(path: Path, document: object, reading: LdtkReading) -> tuple[Part, ...]:
    """Return the assets of a parsed project: one per level, or one per world.

    Raises:
        LevelError: the file is not a project of a known version, has no levels, or two assets have
            the same name.
    """
    top = Where(path)
    if not isinstance(document, dict):
        top.refuse(f"the file holds {shown(document)}", "a project as LDtk saves it")
    _check_version(top.inside("jsonVersion"), document.get("jsonVersion"))
    worlds = list(_list_worlds(top, document))
    parts = []
    for name, steps, levels in worlds:
        if reading.world == "one":
            parts.append(Part(name, steps, levels))
            continue
        prefix = f"{name}-" if name else ""
        parts += [Part(prefix + level.name, steps, (level,)) for level in levels]
    taken: dict[str, Part] = {}
    for part in parts:
        # Names that differ only in case are one file on some systems.
        if taken.setdefault(part.name.casefold(), part) is not part:
            refuse(
                path,
                json_place(part.levels[0].steps),
                f"the name {shown(part.name)} is given twice",
                "a name of its own for each world and level",
                "rename one of them",
            )
    return tuple(parts)


def _check_version(where: Where, version: object) -> None:
    """Raise if the file was saved by an unsupported version of LDtk."""
    expected = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
    match = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if match is None:
        where.refuse(
            "this is not an LDtk project: it has no jsonVersion"
            if version is None
            else f"found {shown(version)}",
            f"the version of LDtk that saved the file, {expected}",
        )
    numbers = (int(match[1]), int(match[2]))
    if numbers > NEWEST:
        problem = f"version {shown(version)} of LDtk is too new for this bake"
        where.refuse(problem, expected, "update bake")
    if numbers < OLDEST:
        problem = f"version {shown(version)} of LDtk is too old"
        where.refuse(problem, expected, "open the project in a newer LDtk and save it")


def _list_worlds(
    top: Where, document: Mapping[str, Any]
) -> Iterator[tuple[str, Steps, tuple[ListedLevel, ...]]]:
    """Yield the name, path and levels of each world; a single world has the name ""."""
    worlds = _read_list(top, document, "worlds")
    if not worlds:
        yield "", (), _list_levels(top, document)
        return
    if document.get("levels"):
        top.inside("levels").refuse(
            "there are levels beside worlds",
            "levels inside worlds alone",
            "save the project again in LDtk",
        )
    for number, world in enumerate(worlds):
        where = top.inside("worlds", number)
        yield _read_identifier(where, world), where.steps, _list_levels(where, world)


def _list_levels(where: Where, owner: Mapping[str, Any]) -> tuple[ListedLevel, ...]:
    levels = _read_list(where, owner, "levels")
    if not levels:
        where.inside("levels").refuse("there are no levels", "at least one")
    listed = []
    for number, level in enumerate(levels):
        place = where.inside("levels", number)
        name, iid = _read_identifier(place, level), level.get("iid")
        listed.append(ListedLevel(name, iid if isinstance(iid, str) else None, place.steps))
    return tuple(listed)


def _read_list(where: Where, owner: Mapping[str, Any], key: str) -> list[Any]:
    value = owner.get(key, [])
    if not isinstance(value, list):
        where.inside(key).refuse(f"found {shown(value)}", "a list")
    return value


def _read_identifier(where: Where, owner: object) -> str:
    name = owner.get("identifier") if isinstance(owner, dict) else None
    if not isinstance(name, str) or not name or not name.isprintable():
        where.refuse(
            f"found {shown(owner if name is None else name)}", "an object with an identifier"
        )
    return name
