"""Turn the text of `bake.toml` into a checked table, or report every mistake in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from bake.errors import RecipeError, one_error
from bake.recipe.rules import RECIPE_NAME
from bake.recipe.tables import (
    ClustersTable,
    DistancesTable,
    ElevationTable,
    ExportTable,
    HeuristicTable,
    HierarchyTable,
    LdtkTable,
    LevelTable,
    LintTable,
    MeshTable,
    NextHopsTable,
    ProfileTable,
    RecipeTable,
    RuleTable,
    SlopesTable,
    Table,
    TiledTable,
)
from bake.recipe.toml_places import MAX_DEPTH, KeyPath, TooDeepError, key_lines
from bake.recipe.values import COST_EXPECTED, closest, colour, quoted, show

#: A recipe is written by hand; anything larger is another file given by mistake.
MAX_RECIPE_BYTES = 2**20
#: The most mistakes reported at once; a file with more is another file, or repeats one mistake.
MAX_TOLD = 100

#: An example of each table of fixed name, and of each kind of table under it ("*").
_EXAMPLES: Mapping[KeyPath, str] = {
    ("next_hops",): '[next_hops] with algorithm = "auto"',
    ("distances",): '[distances] with storage = "labels"',
    ("clusters",): "[clusters] with size = 32",
    ("hierarchy",): '[hierarchy] with mode = "hpa"',
    ("heuristic",): "[heuristic] with bytes_per_node = 20",
    ("export",): "[export] with flat = true",
    ("slopes",): "[slopes] with climb = 2",
    ("elevation",): '[elevation] with image = "heights.png"',
    ("mesh",): '[mesh] with nodes = "edge"',
    ("legend",): '[legend] with "#3a7d44" = "grass"',
    ("terrain",): "[terrain] with grass = 1",
    ("tiled",): '[tiled] with ignore = ["Shadows"]',
    ("tiled", "legend"): '[tiled.legend] with "layer:Walls" = "wall"',
    ("ldtk",): '[ldtk] with world = "each"',
    ("ldtk", "legend"): '[ldtk.legend] with "value:walls" = "wall"',
    ("lint",): '[lint] with islands = "error"',
    ("profiles",): "[profiles.walker]",
    ("profiles", "*"): '[profiles.walker] with terrain = { water = "blocked" }',
    ("profiles", "*", "terrain"): 'terrain = { water = "blocked" }',
    ("profiles", "*", "slopes"): "slopes = { climb = 2 }",
    ("levels",): "[levels.keep]",
    ("levels", "*"): "[levels.keep] with connectivity = 4",
}
#: What to do about keys that recipes had once.
_GONE: Mapping[KeyPath, str] = {
    ("next_hops", "storage"): "leave it out: next hops are kept in runs, and houses are baked like "
    "any other part of the level; `bake export --table` writes a plain matrix",
}
_MODELS: Mapping[KeyPath, type[Table]] = {
    (): RecipeTable,
    ("next_hops",): NextHopsTable,
    ("tiled",): TiledTable,
    ("ldtk",): LdtkTable,
    ("distances",): DistancesTable,
    ("clusters",): ClustersTable,
    ("hierarchy",): HierarchyTable,
    ("slopes",): SlopesTable,
    ("elevation",): ElevationTable,
    ("profiles", "*", "slopes"): SlopesTable,
    ("lint",): LintTable,
    ("heuristic",): HeuristicTable,
    ("export",): ExportTable,
    ("mesh",): MeshTable,
    ("profiles", "*"): ProfileTable,
    ("levels", "*"): LevelTable,
    ("terrain", "*"): RuleTable,
    ("profiles", "*", "terrain", "*"): RuleTable,
}
#: The tables that hold the settings of one product each.
_PARTS: Mapping[str, type[Table]] = {
    "next_hops": NextHopsTable,
    "distances": DistancesTable,
    "clusters": ClustersTable,
    "hierarchy": HierarchyTable,
    "lint": LintTable,
    "heuristic": HeuristicTable,
    "export": ExportTable,
    "mesh": MeshTable,
}
_NAMED = ("profiles", "levels", "terrain", "legend")


@dataclass(frozen=True)
class _Mistake:
    path: KeyPath
    found: str
    expected: str
    remedy: str | None = None


def read_table(path: Path) -> RecipeTable:
    """Read a recipe as it was written, every value checked and normalised.

    Raises:
        RecipeError: the file cannot be read, is no TOML, or has one mistake.
        BakeErrors: it has several mistakes; the error holds all of them, in the order of their
            lines.
    """
    text = _read(path)
    try:
        lines = key_lines(text)
    except TooDeepError as error:
        raise RecipeError(
            f"keys, lists or tables are nested more than {MAX_DEPTH} deep",
            file=path,
            place=f"line {error.line}",
            expected="a recipe written in TOML",
            remedy="check that this is the right file",
        ) from None
    data = _parse(text, path)
    mistakes = list(_repeated_colours(data))
    try:
        table = RecipeTable.model_validate(data)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        mistakes += [_mistake(detail, data) for detail in details]
    else:
        if not mistakes:
            return table
    mistakes.sort(key=lambda mistake: _line(mistake.path, lines) or len(text))
    problems = [
        RecipeError(
            mistake.found,
            file=path,
            place=_place(mistake.path, data, lines),
            expected=mistake.expected,
            remedy=mistake.remedy,
        )
        for mistake in mistakes
    ]
    raise one_error(problems[:MAX_TOLD], more=len(problems) - MAX_TOLD)


def _read(path: Path) -> str:
    try:
        if path.is_dir():
            raise RecipeError(
                "this is a folder",
                file=path,
                expected="a file",
                remedy=None if path.name == RECIPE_NAME else f"give {path / RECIPE_NAME}",
            )
        if not (path.is_file() or not path.exists()):
            raise RecipeError("this is a device or a pipe", file=path, expected="a regular file")
        with path.open("rb") as file:
            raw = file.read(MAX_RECIPE_BYTES + 1)
    except FileNotFoundError:
        raise RecipeError(
            "this is a link to nothing" if path.is_symlink() else "there is no such file",
            file=path,
            expected="a recipe",
            remedy="write one, or leave the recipe out to bake by the defaults",
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise RecipeError(f"the recipe cannot be read: {reason}", file=path) from error
    if len(raw) > MAX_RECIPE_BYTES:
        raise RecipeError(
            "the file is larger than 1 MiB",
            file=path,
            expected="a recipe written in TOML",
            remedy="check that this is the right file",
        )
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise RecipeError(
            f"found byte 0x{raw[error.start]:02x}, which is not UTF-8",
            file=path,
            place=f"line {raw.count(10, 0, error.start) + 1}",
            expected="text in UTF-8",
            remedy="save the file as UTF-8",
        ) from None


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, or a number with thousands of digits
        message = str(error)
    place = None
    if at := re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message):
        message = message[: at.start()]
        last = text.rstrip("\n")
        line = at[1] or last.count("\n") + 1
        column = at[2] or len(last) - last.rfind("\n")
        place = f"line {line}, column {column}"
    needs_quotes = message == "Invalid value"
    raise RecipeError(
        f"the recipe is not TOML: {message}",
        file=path,
        place=place,
        remedy='text needs quotes, as in output = "baked"' if needs_quotes else None,
    )


def _repeated_colours(data: dict[str, Any]) -> Iterator[_Mistake]:
    """Find colours that a legend names twice in spellings that no check of a key compares."""
    levels = data.get("levels")
    owners: list[tuple[KeyPath, Any]] = [((), data)]
    if isinstance(levels, dict):
        owners += [(("levels", name), level) for name, level in levels.items()]
    for path, owner in owners:
        legend = owner.get("legend") if isinstance(owner, dict) else None
        seen: dict[str, str] = {}
        for key in legend if isinstance(legend, dict) else ():
            try:
                first = seen.setdefault(colour(key), key)
            except PydanticCustomError:
                continue  # The key is not a colour, which is reported where the key is checked.
            if first != key:
                found = f"found {show(key)}, the same colour as {show(first)}"
                yield _Mistake((*path, "legend", key), found, "each colour once", "leave one out")


def _mistake(detail: ErrorDetails, data: dict[str, Any]) -> _Mistake:
    path = _present(detail["loc"], data)
    kind = detail["type"]
    if kind == "recipe":
        context = detail["ctx"]
        return _Mistake(path, context["found"], context["expected"], context["remedy"])
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if kind == "missing":
        return _Mistake(path, f"found no {detail['loc'][-1]}", COST_EXPECTED, "add cost = 1, say")
    found = f"found {show(_value_at(path, data))}"
    return _Mistake(path, found, f"a table, as in {_EXAMPLES.get(_shape(path), '[levels.keep]')}")


def _unknown_key(path: KeyPath) -> _Mistake:
    *outer, key = path
    table, key = _MODELS[_shape(tuple(outer))], str(key)
    near = closest(key, table.model_fields)
    if gone := _GONE.get(_shape(path)):
        remedy: str | None = gone
    elif key in RecipeTable.model_fields and table is not RecipeTable:
        remedy = f"{key} belongs at the top of the file, above the first [table]"
        if key in LevelTable.model_fields:
            remedy = f"{key} belongs to the whole recipe or to one level"
    elif homes := [name for name, part in _PARTS.items() if key in part.model_fields]:
        remedy = f"{key} belongs in [{homes[0]}]"
    else:
        remedy = None if near is None else f"did you mean {near}?"
    known = list(table.model_fields)
    expected = " or ".join([", ".join(known[:-1]), known[-1]] if known[:-1] else known)
    return _Mistake(path, f"unknown key {quoted(key)}", expected, remedy)


def _shape(path: KeyPath) -> KeyPath:
    """Return the path with "*" for chosen names, and a level's own tables like the project's."""
    if path[:1] == ("levels",) and len(path) > 2:
        path = path[2:]
    shape: KeyPath = ()
    for part in path:
        shape = (*shape, "*" if shape and shape[-1] in _NAMED else part)
    return shape


def _present(path: KeyPath, data: Any) -> KeyPath:
    """Return as much of a path as the recipe really has; pydantic also names keys left out."""
    for depth, part in enumerate(path):
        named = isinstance(data, dict) and part in data
        if not named and not (isinstance(data, list) and isinstance(part, int)):
            return path[:depth]
        data = data[part]
    return path


def _value_at(path: KeyPath, data: Any) -> Any:
    for part in path:
        data = data[part]
    return data


def _line(path: KeyPath, lines: Mapping[KeyPath, int]) -> int | None:
    while path and path not in lines and isinstance(path[-1], int):
        path = path[:-1]
    return lines.get(path)


def _place(path: KeyPath, data: dict[str, Any], lines: Mapping[KeyPath, int]) -> str:
    line = _line(path, lines)
    names = [part for part in path if isinstance(part, str)]
    items = [f", item {part + 1}" for part in path if isinstance(part, int)]
    header = names if isinstance(_value_at(path, data), dict) else names[:-1]
    words = [] if line is None else [f"line {line}:"]
    words += [f"[{'.'.join(_key(name) for name in header)}]"] if header else []
    words += [_key(name) + "".join(items) for name in names[len(header) :]]
    return " ".join(words)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name) else quoted(name)
