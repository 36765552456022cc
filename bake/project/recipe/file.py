"""Parse and check the text of `bake.toml`, and report all mistakes in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bake.core.errors import RecipeError, one_error
from bake.levels.reading.files import CONFLICT, RESOLVE, find_conflict
from bake.project.recipe.rules import RECIPE_NAME
from bake.project.recipe.tables import Table, UnknownKey
from bake.project.recipe.toml_places import MAX_DEPTH, TooDeepError, key_lines
from bake.project.recipe.values import KeyPath, Mistakes, find_closest, quote
from bake.project.recipe.whole import LEVEL, RECIPE
from levelbake.errors import LFS_POINTER, is_lfs_pointer

#: The largest recipe; recipes are written by hand, so a larger file is not a recipe.
MAX_RECIPE_BYTES = 2**20
#: The most mistakes that are reported at once.
MAX_TOLD = 100


def read_tables(path: Path) -> dict[str, Any]:
    """Return the tables of a recipe with all values checked and normalized.

    Raises:
        RecipeError: the file cannot be read, is not TOML, or has one mistake.
        BakeErrors: it has several mistakes, in the order of their lines.
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
    mistakes: Mistakes = []
    tables: dict[str, Any] = RECIPE.read(data, (), mistakes)
    if not mistakes:
        return tables
    mistakes.sort(key=lambda item: _line_of(item[0], lines) or len(text))
    problems = [
        RecipeError(
            mistake.found,
            file=path,
            place=_format_place(place, data, lines),
            expected=mistake.expected,
            remedy=_suggest_table(mistake) if isinstance(mistake, UnknownKey) else mistake.remedy,
        )
        for place, mistake in mistakes
    ]
    raise one_error(problems[:MAX_TOLD], more=len(problems) - MAX_TOLD)


def _suggest_table(mistake: UnknownKey) -> str | None:
    """Return the remedy for an unknown key: the table that it belongs to, or a similar key."""
    key, table = mistake.key, mistake.table
    if mistake.remedy is not None:
        return mistake.remedy
    if key in LEVEL.keys and table is not LEVEL:
        return f"{key} belongs to the whole recipe or to one level"
    if key in RECIPE.keys and table is not RECIPE:
        return f"{key} belongs at the top of the file, above the first [table]"
    for name, level_key in LEVEL.keys.items():
        if isinstance(level_key.kind, Table) and key in level_key.kind.keys:
            return f"{key} belongs in [{name}]"
    near = find_closest(key, table.keys)
    return None if near is None else f"did you mean {near}?"


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
    if is_lfs_pointer(raw):
        raise RecipeError(LFS_POINTER, file=path)
    if (line := find_conflict(raw)) is not None:
        raise RecipeError(CONFLICT, file=path, place=f"line {line}", remedy=RESOLVE)
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
    if match := re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message):
        message = message[: match.start()]
        last = text.rstrip("\n")
        line = match[1] or last.count("\n") + 1
        column = match[2] or len(last) - last.rfind("\n")
        place = f"line {line}, column {column}"
    needs_quotes = message == "Invalid value"
    raise RecipeError(
        f"the recipe is not TOML: {message}",
        file=path,
        place=place,
        remedy='text needs quotes, as in output = "baked"' if needs_quotes else None,
    )


def _line_of(path: KeyPath, lines: Mapping[KeyPath, int]) -> int | None:
    while path and path not in lines and isinstance(path[-1], int):
        path = path[:-1]
    return lines.get(path)


def _format_place(path: KeyPath, data: dict[str, Any], lines: Mapping[KeyPath, int]) -> str:
    line = _line_of(path, lines)
    names = [part for part in path if isinstance(part, str)]
    items = [f", item {part + 1}" for part in path if isinstance(part, int)]
    value: Any = data
    for part in path:
        value = value[part]
    header = names if isinstance(value, dict) else names[:-1]
    words = [] if line is None else [f"line {line}:"]
    words += [f"[{'.'.join(_format_key(name) for name in header)}]"] if header else []
    words += [_format_key(name) + "".join(items) for name in names[len(header) :]]
    return " ".join(words)


def _format_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name) else quote(name)
