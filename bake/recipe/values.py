"""Check the single values of a recipe: each function takes a TOML value and normalises it.

All raise a `PydanticCustomError` that carries found, expected and remedy, so that pydantic can
collect every mistake of a file before any is reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, time
from difflib import get_close_matches
from fractions import Fraction
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from pydantic_core import PydanticCustomError

from bake.errors import cut
from bake.levels.reading.coordinates import (
    CELL_SIZE_EXPECTED,
    ORIGIN_EXPECTED,
    read_cell_size,
    read_origin,
)
from bake.recipe.rules import (
    MAX_COST,
    MAX_MEMORY_BUDGET,
    MAX_RADIUS,
    MIN_MEMORY_BUDGET,
    TABLE_NAMES,
)

#: Checks every item of a list, so that each wrong one is reported at its own place.
Items = Callable[[Any], tuple[str, ...]]

PROFILE_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
COLOUR = r"#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})"

_UNITS = {
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
}
_TILES = r"[0-9]{1,9}(?:-[0-9]{1,9})?"
_TILE_KEY = rf"tile:.+:{_TILES}(?:,{_TILES})*"
TILED_KEY = rf"(?:{_TILE_KEY}|collision|(?:property|class|wang|tileset|layer|object|collision):.+)"
LDTK_KEY = rf"(?:{_TILE_KEY}|(?:value|enum|tileset|layer|area|entity):.+)"
MEMORY = r"([0-9]{1,18}(?:\.[0-9]{1,9})?) *(" + "|".join(_UNITS) + ")"
_MEMORY_EXPECTED = 'bytes as a whole number, or text such as "512 MiB" or "2 GiB"'

COST_EXPECTED = f'a number above 0 and at most {MAX_COST:,}, or "blocked"'
_COST_REMEDY = 'use "blocked" for terrain that can\'t be entered'

_LONGEST_SHOWN = 60


def wrong(found: str, expected: str, remedy: str | None = None) -> PydanticCustomError:
    """Make the error for a wrong value."""
    return PydanticCustomError(
        "recipe", "wrong value", {"found": found, "expected": expected, "remedy": remedy}
    )


def show(value: object) -> str:
    """Write a value as one would in TOML, in one short line."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a whole number of {value.bit_length():,} bits"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "a table" if value else "an empty table"
    return repr(value)


def quoted(text: str) -> str:
    """Put text in quotes, cut it where it is long, and escape whatever would break a line."""
    text = cut(text, _LONGEST_SHOWN).replace("\\", "\\\\").replace('"', '\\"')
    shown = "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)
    return f'"{shown}"'


def _escaped(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that ``word`` may be a misspelling of, or None."""
    by_lower = {name.lower(): name for name in known}
    found = get_close_matches(word[:_LONGEST_SHOWN].lower(), by_lower, n=1)
    return by_lower[found[0]] if found else None


def one_of(
    *allowed: str | int, remedy: str | None = None, gone: Mapping[str, str] | None = None
) -> Callable[[Any], Any]:
    """Make a check for one of a few texts or numbers.

    Args:
        allowed: these.
        remedy: what to do about a value that is like none of them.
        gone: what takes the place of texts that once were among them.
    """
    expected = _alternatives([show(choice) for choice in allowed])

    def check(value: Any) -> Any:
        # True == 1 and 4.0 == 4, but a recipe means neither.
        if any(type(value) is type(choice) and value == choice for choice in allowed):
            return value
        instead = gone.get(value) if gone and isinstance(value, str) else None
        advice = instead or _did_you_mean(value, allowed) or remedy
        raise wrong(f"found {show(value)}", expected, advice)

    return check


def _did_you_mean(value: object, allowed: Sequence[str | int]) -> str | None:
    if isinstance(value, str):
        near = closest(value, [str(choice) for choice in allowed])
        if near is not None:
            return f"did you mean {near if near not in allowed else quoted(near)}?"
    return None


def _alternatives(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if words[:-1] else words)


def cost(value: Any) -> float | None:
    """Return the units to cross one cell, or None for "blocked"."""
    if isinstance(value, str):
        if value == "blocked":
            return None
        remedy = _did_you_mean(value, ["blocked"])
        raise wrong(f"found {show(value)}", COST_EXPECTED, remedy or "write numbers unquoted")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAX_COST:
        raise wrong(f"found {show(value)}", COST_EXPECTED, _COST_REMEDY)
    return float(value)


def whole(
    least: int, most: int, *, of: str = "", remedy: Mapping[str, str] | None = None
) -> Callable[[Any], Any]:
    """Make a check for a whole number in a range.

    Args:
        of: says of what.
        remedy: what to do about texts that may have been there once.
    """
    expected = f"a whole number{of} from {least:,} to {most:,}"

    def check(value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        advice = remedy.get(value) if remedy and isinstance(value, str) else None
        raise wrong(f"found {show(value)}", expected, advice)

    return check


def cell_size(value: Any) -> float | tuple[float, float]:
    found = read_cell_size(value)
    if found is None:
        raise wrong(f"found {show(value)}", CELL_SIZE_EXPECTED, "as in cell_size = 16")
    return found


def origin(value: Any) -> tuple[float, float]:
    found = read_origin(value)
    if found is None:
        raise wrong(f"found {show(value)}", ORIGIN_EXPECTED, "as in origin = [0, 0]")
    return found


def at_least_zero(value: Any) -> float:
    return _number(value, 0, f"a number from 0 to {MAX_COST:,}")


def above_zero(value: Any) -> float:
    found = _number(value, 0, f"a number above 0 and at most {MAX_COST:,}")
    if not found:
        raise wrong(f"found {show(value)}", f"a number above 0 and at most {MAX_COST:,}")
    return found


def height(value: Any) -> float:
    return _number(value, -MAX_COST, f"a number from {-MAX_COST:,} to {MAX_COST:,}")


def _number(value: Any, least: float, expected: str) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not least <= value <= MAX_COST:
        raise wrong(f"found {show(value)}", expected)
    return float(value)


def image_name(value: Any) -> str:
    return _name(value, "the path of an image")


def radius(value: Any) -> float:
    """Return the radius of an agent in units of the plane."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value <= MAX_RADIUS
    ):
        raise wrong(f"found {show(value)}", f"a number from 0 to {MAX_RADIUS:,}")
    return float(value)


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise wrong(f"found {show(value)}", "true or false")
    return value


def memory_budget(value: Any) -> int:
    """Return whole bytes from a whole number or from text with a unit, rounded down."""
    if isinstance(value, str):
        size = _bytes_of(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        size = value
    else:
        raise wrong(f"found {show(value)}", _MEMORY_EXPECTED)
    if not MIN_MEMORY_BUDGET <= size <= MAX_MEMORY_BUDGET:
        raise wrong(f"found {show(value)}", "at least 1 MiB and less than 8 EiB")
    return size


def _bytes_of(text: str) -> int:
    found = re.fullmatch(MEMORY, text)
    if found is not None:
        return int(Fraction(found[1]) * _UNITS[found[2]])
    remedy = f"known units are {', '.join(_UNITS)}"
    other_case = {unit.lower(): unit for unit in _UNITS}
    unit = re.search(r"[A-Za-z]*$", text)
    if unit is not None and unit.group().lower() in other_case:
        right = other_case[unit.group().lower()]
        if right != unit.group():
            remedy = f"did you mean {right}?"
    raise wrong(f"found {show(text)}", _MEMORY_EXPECTED, remedy)


def colour(value: str) -> str:
    """Return "#rrggbb", or "#rrggbbaa" where it is not opaque, in lower case."""
    if re.fullmatch(COLOUR, value) is None:
        raise wrong(
            f"found {show(value)}",
            'a colour as "#rgb", "#rrggbb" or "#rrggbbaa" in hexadecimal digits',
            'write the colour on the left, as in "#3a7d44" = "grass"',
        )
    digits = value[1:].lower()
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    return "#" + (digits[:6] if digits[6:] == "ff" else digits)


def tiled_key(value: str) -> str:
    """Check what a tile or object is, as "kind:name"."""
    kinds = '"tile:SET:3-9,12", "property:NAME", "class:NAME", "wang:NAME", "tileset:NAME", '
    kinds += '"layer:NAME", "object:CLASS", "collision" or "collision:CLASS"'
    return _key(value, TILED_KEY, kinds, "layer:Walls")


def ldtk_key(value: str) -> str:
    """Check what a cell of an LDtk layer holds, or an entity is, as "kind:name"."""
    kinds = '"value:NAME", "value:LAYER:NUMBER", "tile:SET:3-9,12", "enum:TAG", "tileset:NAME", '
    kinds += '"layer:NAME", "area:ENTITY" or "entity:NAME"'
    return _key(value, LDTK_KEY, kinds, "value:walls")


def _key(value: str, pattern: str, expected: str, example: str) -> str:
    if re.fullmatch(pattern, value) is None or not value.isprintable():
        raise wrong(f"found {show(value)}", expected, f'as in "{example}" = "wall"')
    return value


def layer_name(value: Any) -> str:
    return _name(value, "the name of a layer")


def layer_names(value: Any, items: Items) -> tuple[str, ...]:
    expected = 'a list of layers such as ["Ground"]'
    names = _distinct(_list(value, expected, items), expected)
    if not names:
        raise wrong("found an empty list", expected, "leave it out")
    return tuple(sorted(names))


def terrain_name(value: Any) -> str:
    return _name(value, "the name of a terrain")


def level_name(value: str) -> str:
    expected = "a level's file name without folder and extension"
    if "/" in value or "\\" in value:
        name = PureWindowsPath(value).stem  # which splits at both kinds of slash
        raise wrong(f"found {show(value)}", expected, f"write [levels.{quoted(name)}]")
    return _name(value, expected)


def profile_name(value: str) -> str:
    if re.fullmatch(PROFILE_NAME, value) is None:
        raise wrong(
            f"found profile name {show(value)}",
            'letters a to z, digits, "_", "." and "-", starting with a letter or digit',
        )
    return value


def output_folder(value: Any) -> str:
    return _name(value, 'a folder such as "baked"')


def _name(value: Any, expected: str) -> str:
    if not isinstance(value, str):
        raise wrong(f"found {show(value)}", expected)
    if not value.strip():
        raise wrong(f"found {show(value)}", expected, "it may not be empty")
    if not value.isprintable():
        raise wrong(f"found {show(value)}", expected, "it may hold no control characters")
    return value


def source_glob(value: Any) -> str:
    """Check that `Path.glob` accepts a glob, and that it cannot leave the recipe's folder."""
    expected = 'a glob relative to the recipe\'s folder, such as "levels_src/*.png"'
    pattern = _name(value, expected)
    found = f"found {show(pattern)}"
    if PurePosixPath(pattern).is_absolute() or PureWindowsPath(pattern).anchor:
        raise wrong(found, expected, "sources must lie inside the recipe's folder")
    if "\\" in pattern:
        raise wrong(found, expected, "write / between folders, on every system")
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise wrong(found, expected, "sources must lie inside the recipe's folder: leave out ..")
    if not parts:
        raise wrong(found, expected, "name the files, as in *.png")
    if any("**" in part and part != "**" for part in parts):
        raise wrong(found, expected, "** must stand alone between slashes")
    return pattern


def sources(value: Any, items: Items) -> tuple[str, ...]:
    example = 'a list of globs such as ["levels_src/*"]'
    globs = _distinct(_list(value, example, items), example)
    if not globs:
        raise wrong("found an empty list", example, "leave sources out for the default")
    return globs


def enter_from(value: Any, items: Items) -> tuple[str, ...]:
    """Return the names sorted; an empty list is terrain that can be left but never entered."""
    example = 'a list of terrain names such as ["water"]'
    return tuple(sorted(_distinct(_list(value, example, items), example)))


def tables(value: Any, items: Items) -> tuple[str, ...]:
    """Return the names in the order of ``TABLE_NAMES``, or "auto" alone."""
    known = ", ".join(quoted(name) for name in TABLE_NAMES)
    expected = f'"auto" or a list of {known}'
    if value == "auto":
        return ("auto",)
    names = _distinct(_list(value, expected, items), expected)
    if not names:
        raise wrong("found an empty list", expected, 'use "auto" for every table')
    return tuple(sorted(names, key=TABLE_NAMES.index))


def _list(value: Any, expected: str, items: Items) -> tuple[str, ...]:
    if isinstance(value, str):
        raise wrong(f"found {show(value)}", expected, f"write [{show(value)}]")
    if not isinstance(value, list):
        raise wrong(f"found {show(value)}", expected)
    return items(value)


def _distinct(names: tuple[str, ...], expected: str) -> tuple[str, ...]:
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        found = ", ".join(quoted(name) for name in twice[:3])
        raise wrong(f"found {found} more than once", expected, "name each once")
    return names
