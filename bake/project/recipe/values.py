"""The kinds of values in a recipe, each with a check and a JSON Schema.

A check returns the normalized TOML value, or raises a :class:`Mistake`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from difflib import get_close_matches
from fractions import Fraction
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, NoReturn, get_args

from bake.levels.reading.coordinates import (
    CELL_SIZE_EXPECTED,
    CELL_SIZE_SCHEMA,
    ORIGIN_EXPECTED,
    ORIGIN_SCHEMA,
    read_cell_size,
    read_origin,
)
from bake.levels.reading.mistakes import Mistake
from bake.levels.reading.text import BLANK, compose, is_cell_character
from levelbake.errors import cut

#: A path of keys from the top of the document; an int is an array index, from 0.
KeyPath = tuple[str | int, ...]
#: Mistakes of a recipe with their paths.
Mistakes = list[tuple[KeyPath, Mistake]]
Schema = dict[str, Any]
Check = Callable[[Any], Any]

MIN_MEMORY_BUDGET = 2**20
MAX_MEMORY_BUDGET = 2**63 - 1
MAX_COST = 1_000_000

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
_TILED_KEY = rf"(?:{_TILE_KEY}|collision|(?:property|class|wang|tileset|layer|object|collision):.+)"
_LDTK_KEY = rf"(?:{_TILE_KEY}|(?:value|enum|tileset|layer|area|entity):.+)"
_COLOR = r"#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})"
_PROFILE_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_MEMORY = r"([0-9]{1,18}(?:\.[0-9]{1,9})?) *(" + "|".join(_UNITS) + ")"
_MEMORY_EXPECTED = 'bytes as a whole number, or text such as "512 MiB" or "2 GiB"'

COST_EXPECTED = f'a number above 0 and at most {MAX_COST:,}, or "blocked"'
_NAME: Schema = {"type": "string", "minLength": 1}

_LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Scalar:
    """The check and JSON Schema of a kind of single value or key."""

    check: Check
    schema: Schema

    def read(self, value: Any, path: KeyPath, mistakes: Mistakes) -> Any:
        """Return the normalized value, or None after appending its mistake."""
        try:
            return self.check(value)
        except Mistake as mistake:
            mistakes.append((path, mistake))
            return None

    def describe(self, tables: Schema) -> Schema:
        return self.schema


@dataclass(frozen=True)
class Items:
    """The check and JSON Schema of a kind of list, whose items are checked one by one."""

    expected: str  #: description of the list, for error messages
    item: Scalar  #: kind of the items
    empty: str | None = None  #: remedy for an empty list; None = it may be empty
    #: sort key of the items; None = the order matters
    order: Callable[[str], Any] | None = None
    auto: bool = False  #: whether "auto" is allowed instead of a list, read as None

    def read(self, value: Any, path: KeyPath, mistakes: Mistakes) -> tuple[str, ...] | None:
        """Return the items, or None for "auto" or after appending mistakes."""
        if self.auto and value == "auto":
            return None
        before = len(mistakes)
        if not isinstance(value, list):
            remedy = f"write [{show(value)}]" if isinstance(value, str) else None
            mistakes.append((path, Mistake(f"found {show(value)}", self.expected, remedy)))
            return None
        items = [self.item.read(item, (*path, i), mistakes) for i, item in enumerate(value)]
        if len(mistakes) > before:
            return None
        twice = sorted(name for name, count in Counter(items).items() if count > 1)
        if twice:
            problem = f"found {', '.join(quote(name) for name in twice[:3])} more than once"
            mistakes.append((path, Mistake(problem, self.expected, "name each once")))
        if not items and self.empty is not None:
            mistakes.append((path, Mistake("found an empty list", self.expected, self.empty)))
        return tuple(items if self.order is None else sorted(items, key=self.order))

    def describe(self, tables: Schema) -> Schema:
        least = {} if self.empty is None else {"minItems": 1}
        schema = {"type": "array", "items": self.item.schema, "uniqueItems": True, **least}
        return {"anyOf": [{"const": "auto"}, schema]} if self.auto else schema


def show(value: object) -> str:
    """Format a value as in TOML, in one short line."""
    if isinstance(value, str):
        return quote(value)
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


def quote(text: str) -> str:
    """Return quoted text, shortened, with escapes for characters that break a line."""
    text = cut(text, _LONGEST_SHOWN).replace("\\", "\\\\").replace('"', '\\"')
    shown = "".join(letter if letter.isprintable() else _escape(letter) for letter in text)
    return f'"{shown}"'


def _escape(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"


def find_closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that resembles ``word`` most, or None."""
    by_lower = {name.lower(): name for name in known}
    matches = get_close_matches(word[:_LONGEST_SHOWN].lower(), by_lower, n=1)
    return by_lower[matches[0]] if matches else None


def format_choices(words: Sequence[str]) -> str:
    """Format words as a list with "or".

    Example:
        >>> format_choices(["a", "b", "c"])
        'a, b or c'
    """
    return " or ".join([", ".join(words[:-1]), words[-1]] if words[:-1] else words)


def _reject(value: object, expected: str, remedy: str | None = None) -> NoReturn:
    raise Mistake(f"found {show(value)}", expected, remedy)


def _suggest(value: object, allowed: Sequence[str | int]) -> str | None:
    if isinstance(value, str):
        near = find_closest(value, [str(choice) for choice in allowed])
        if near is not None:
            return f"did you mean {near if near not in allowed else quote(near)}?"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def choice(of: Any, remedy: str | None = None, gone: Mapping[str, str] | None = None) -> Scalar:
    """Return the check and schema of a choice among a few texts or numbers.

    Args:
        of: the choices, or a Literal with the choices.
        remedy: the remedy for values that resemble no choice.
        gone: remedies for former choices.
    """
    allowed = of if isinstance(of, tuple) else get_args(of)
    expected = format_choices([show(choice) for choice in allowed])

    def check(value: Any) -> Any:
        # Compare types, since True == 1 and 4.0 == 4.
        if any(type(value) is type(choice) and value == choice for choice in allowed):
            return value
        instead = gone.get(value) if gone and isinstance(value, str) else None
        _reject(value, expected, instead or _suggest(value, allowed) or remedy)

    return Scalar(check, {"enum": list(allowed)})


def integer(
    least: int, most: int, *, of: str = "", gone: Mapping[str, str] | None = None
) -> Scalar:
    """Return the check and schema of an integer in a range, including both ends.

    Args:
        least, most: the range.
        of: text after "a whole number" in error messages.
        gone: remedies for former text values.
    """
    expected = f"a whole number{of} from {least:,} to {most:,}"

    def check(value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        _reject(value, expected, gone.get(value) if gone and isinstance(value, str) else None)

    return Scalar(check, {"type": "integer", "minimum": least, "maximum": most})


def number(least: float, most: float = MAX_COST, *, above: bool = False) -> Scalar:
    """Return the check and schema of a number in a range; ``above`` excludes the lower end."""
    within = f"above {least:,} and at most {most:,}" if above else f"from {least:,} to {most:,}"

    def check(value: Any) -> float:
        if not (_is_number(value) and least <= value <= most and not (above and value == least)):
            _reject(value, f"a number {within}")
        return float(value)

    bound = "exclusiveMinimum" if above else "minimum"
    return Scalar(check, {"type": "number", bound: least, "maximum": most})


def text(expected: str, refine: Check | None = None) -> Scalar:
    """Return the check and schema of a text that is not empty and has no control characters.

    Args:
        expected: description of the text, for error messages.
        refine: a further check.
    """

    def check(value: Any) -> str:
        if not isinstance(value, str):
            _reject(value, expected)
        if not value.strip():
            _reject(value, expected, "it may not be empty")
        if not value.isprintable():
            _reject(value, expected, "it may hold no control characters")
        return value if refine is None else str(refine(value))

    return Scalar(check, _NAME)


def _pattern(pattern: str, expected: str, remedy: str | None = None, problem: str = "") -> Scalar:
    """Return the check and schema of a text or key that fully matches a pattern."""

    def check(value: str) -> str:
        if re.fullmatch(pattern, value) is None or not value.isprintable():
            raise Mistake(f"found {problem}{show(value)}", expected, remedy)
        return value

    return Scalar(check, {"type": "string", "pattern": f"^{pattern}$"})


def _check_cost(value: Any) -> float | None:
    """Return the cost of a cell in units, or None for "blocked"."""
    if value == "blocked":
        return None
    if isinstance(value, str):
        remedy = _suggest(value, ["blocked"])
        _reject(value, COST_EXPECTED, remedy or "write numbers unquoted")
    if not _is_number(value) or not 0 < value <= MAX_COST:
        _reject(value, COST_EXPECTED, 'use "blocked" for terrain that can\'t be entered')
    return float(value)


def _check_cell_size(value: Any) -> float | tuple[float, float]:
    size = read_cell_size(value)
    if size is None:
        _reject(value, CELL_SIZE_EXPECTED, "as in cell_size = 16")
    return size


def _check_origin(value: Any) -> tuple[float, float]:
    origin = read_origin(value)
    if origin is None:
        _reject(value, ORIGIN_EXPECTED, "as in origin = [0, 0]")
    return origin


def _check_memory(value: Any) -> int:
    """Return bytes from an integer or from text with a unit, rounded down."""
    if isinstance(value, str):
        size = _parse_bytes(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        size = value
    else:
        _reject(value, _MEMORY_EXPECTED)
    if not MIN_MEMORY_BUDGET <= size <= MAX_MEMORY_BUDGET:
        _reject(value, "at least 1 MiB and less than 8 EiB")
    return size


def _parse_bytes(text: str) -> int:
    match = re.fullmatch(_MEMORY, text)
    if match is not None:
        return int(Fraction(match[1]) * _UNITS[match[2]])
    remedy = f"known units are {', '.join(_UNITS)}"
    other_case = {unit.lower(): unit for unit in _UNITS}
    unit = re.search(r"[A-Za-z]*$", text)
    if unit is not None and unit.group().lower() in other_case:
        right = other_case[unit.group().lower()]
        if right != unit.group():
            remedy = f"did you mean {right}?"
    _reject(text, _MEMORY_EXPECTED, remedy)


def _check_color(value: str) -> str:
    """Return "#rrggbb", or "#rrggbbaa" where it is not opaque, in lower case."""
    if len(value) == 1:
        _reject(value, _COLOR_EXPECTED, "characters of levels of text belong in [text.legend]")
    digits: str = _ANY_COLOR.check(value)[1:].lower()
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    return "#" + (digits[:6] if digits[6:] == "ff" else digits)


def _check_symbol(value: str) -> str:
    """Return a character or value of a text level in normalization form C."""
    symbol = compose(value)
    is_trimmed = symbol == BLANK or (symbol != "" and symbol == symbol.strip())
    if not is_trimmed:
        _reject(value, _SYMBOL_EXPECTED, f'write "{BLANK}" for blanks and empty cells')
    if not symbol.isprintable() or (len(symbol) == 1 and not is_cell_character(symbol)):
        _reject(value, _SYMBOL_EXPECTED, "it has to be visible by itself")
    return symbol


def _check_level_name(value: str) -> str:
    if "/" in value or "\\" in value:
        name = PureWindowsPath(value).stem  # which splits at both kinds of slash
        _reject(value, _LEVEL_EXPECTED, f"write [levels.{quote(name)}]")
    return str(text(_LEVEL_EXPECTED).check(value))


def _check_glob(pattern: str) -> str:
    """Return a glob that is valid for `Path.glob` and stays in the folder of the recipe."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if PurePosixPath(pattern).is_absolute() or PureWindowsPath(pattern).anchor:
        remedy = "sources must lie inside the recipe's folder"
    elif "\\" in pattern:
        remedy = "write / between folders, on every system"
    elif ".." in parts:
        remedy = "sources must lie inside the recipe's folder: leave out .."
    elif not parts:
        remedy = "name the files, as in *.png"
    elif any("**" in part and part != "**" for part in parts):
        remedy = "** must stand alone between slashes"
    else:
        return pattern
    _reject(pattern, _GLOB_EXPECTED, remedy)


_GLOB_EXPECTED = 'a glob relative to the recipe\'s folder, such as "levels_src/*.png"'
_SYMBOL_EXPECTED = 'a character, or a value of a .csv file, as in "~" = "water"'
_LEVEL_EXPECTED = "a level's file name without folder and extension"
_COLOR_EXPECTED = 'a color as "#rgb", "#rrggbb" or "#rrggbbaa" in hexadecimal digits'
_ANY_COLOR = _pattern(
    _COLOR,
    _COLOR_EXPECTED,
    'write the color on the left, as in "#3a7d44" = "grass"',
)

FLAG = Scalar(choice((True, False)).check, {"type": "boolean"})
TERRAIN_NAME = text("the name of a terrain")
COST = Scalar(
    _check_cost,
    {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_COST},
            {"const": "blocked"},
        ]
    },
)
CELL_SIZE = Scalar(_check_cell_size, CELL_SIZE_SCHEMA)
ORIGIN = Scalar(_check_origin, ORIGIN_SCHEMA)
MEMORY = Scalar(
    _check_memory,
    {
        "anyOf": [
            {"type": "integer", "minimum": MIN_MEMORY_BUDGET, "maximum": MAX_MEMORY_BUDGET},
            {"type": "string", "pattern": f"^{_MEMORY}$"},
        ]
    },
)
COLOUR_KEY = Scalar(_check_color, _ANY_COLOR.schema)
SYMBOL_KEY = Scalar(_check_symbol, {"type": "string", "pattern": r"^( |\S(.*\S)?)$"})
SPOT_KIND = text('the kind of a spot, such as "spawn" or "exit"')
TILED_KEY = _pattern(
    _TILED_KEY,
    '"tile:SET:3-9,12", "property:NAME", "class:NAME", "wang:NAME", "tileset:NAME", '
    '"layer:NAME", "object:CLASS", "collision" or "collision:CLASS"',
    'as in "layer:Walls" = "wall"',
)
LDTK_KEY = _pattern(
    _LDTK_KEY,
    '"value:NAME", "value:LAYER:NUMBER", "tile:SET:3-9,12", "enum:TAG", "tileset:NAME", '
    '"layer:NAME", "area:ENTITY" or "entity:NAME"',
    'as in "value:walls" = "wall"',
)
PROFILE_NAME = _pattern(
    _PROFILE_NAME,
    'letters a to z, digits, "_", "." and "-", starting with a letter or digit',
    problem="profile name ",
)
LEVEL_NAME = Scalar(_check_level_name, {"type": "string", "pattern": r"^[^/\\]+$"})
OUTPUT = text('a folder such as "baked"')
IMAGE = text("the path of an image")
LAYERS = Items(
    'a list of layers such as ["Ground"]', text("the name of a layer"), "leave it out", str
)
#: Terrain with an empty list can be left but not entered.
ENTER_FROM = Items('a list of terrain names such as ["water"]', TERRAIN_NAME, order=str)
SOURCES = Items(
    'a list of globs such as ["levels_src/*"]',
    text(_GLOB_EXPECTED, _check_glob),
    "leave sources out for the default",
)
