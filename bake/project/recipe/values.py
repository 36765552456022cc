"""Declare the kinds of values a recipe may hold: a check of each, and the JSON Schema of it.

A check takes a TOML value and returns it normalised, or raises the :class:`Mistake` that it is.
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
from bake.levels.reading.text import BLANK, compose, fills_a_cell
from levelbake.errors import cut

#: Keys from the top of the document down; an int is a position in an array, from 0.
KeyPath = tuple[str | int, ...]
#: The mistakes of a recipe, each with its place.
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
_COLOUR = r"#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})"
_PROFILE_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_MEMORY = r"([0-9]{1,18}(?:\.[0-9]{1,9})?) *(" + "|".join(_UNITS) + ")"
_MEMORY_EXPECTED = 'bytes as a whole number, or text such as "512 MiB" or "2 GiB"'

COST_EXPECTED = f'a number above 0 and at most {MAX_COST:,}, or "blocked"'
_NAME: Schema = {"type": "string", "minLength": 1}

_LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Scalar:
    """A kind of single value, or of key: its check, and its JSON Schema."""

    check: Check
    schema: Schema

    def read(self, value: Any, path: KeyPath, mistakes: Mistakes) -> Any:
        """Return the value normalised; None where that is a mistake, which is noted."""
        try:
            return self.check(value)
        except Mistake as mistake:
            mistakes.append((path, mistake))
            return None

    def described(self, tables: Schema) -> Schema:
        return self.schema


@dataclass(frozen=True)
class Items:
    """A kind of list, whose items are checked one by one, each at its own place."""

    expected: str  #: what the list is, for mistakes
    item: Scalar  #: the kind of its items
    empty: str | None = None  #: what to do about a list without items; None = it may be empty
    #: sorts the items; None = their order means something
    order: Callable[[str], Any] | None = None
    auto: bool = False  #: whether the text "auto" may stand for the list; it is read as None

    def read(self, value: Any, path: KeyPath, mistakes: Mistakes) -> tuple[str, ...] | None:
        """Return the items; None for "auto", and where there is a mistake, which is noted."""
        if self.auto and value == "auto":
            return None
        before = len(mistakes)
        if not isinstance(value, list):
            remedy = f"write [{show(value)}]" if isinstance(value, str) else None
            mistakes.append((path, Mistake(f"found {show(value)}", self.expected, remedy)))
            return None
        items = [self.item.read(each, (*path, at), mistakes) for at, each in enumerate(value)]
        if len(mistakes) > before:
            return None
        twice = sorted(name for name, count in Counter(items).items() if count > 1)
        if twice:
            found = f"found {', '.join(quoted(name) for name in twice[:3])} more than once"
            mistakes.append((path, Mistake(found, self.expected, "name each once")))
        if not items and self.empty is not None:
            mistakes.append((path, Mistake("found an empty list", self.expected, self.empty)))
        return tuple(items if self.order is None else sorted(items, key=self.order))

    def described(self, tables: Schema) -> Schema:
        least = {} if self.empty is None else {"minItems": 1}
        schema = {"type": "array", "items": self.item.schema, "uniqueItems": True, **least}
        return {"anyOf": [{"const": "auto"}, schema]} if self.auto else schema


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


def alternatives(words: Sequence[str]) -> str:
    """Write words as "a, b or c"."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if words[:-1] else words)


def _refuse(value: object, expected: str, remedy: str | None = None) -> NoReturn:
    raise Mistake(f"found {show(value)}", expected, remedy)


def _did_you_mean(value: object, allowed: Sequence[str | int]) -> str | None:
    if isinstance(value, str):
        near = closest(value, [str(choice) for choice in allowed])
        if near is not None:
            return f"did you mean {near if near not in allowed else quoted(near)}?"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def choice(of: Any, remedy: str | None = None, gone: Mapping[str, str] | None = None) -> Scalar:
    """Return the kind of one of a few texts or numbers.

    Args:
        of: these, or the Literal of these.
        remedy: what to do about a value that is like none of them.
        gone: what takes the place of texts that once were among them.
    """
    allowed = of if isinstance(of, tuple) else get_args(of)
    expected = alternatives([show(choice) for choice in allowed])

    def check(value: Any) -> Any:
        # True == 1 and 4.0 == 4, but a recipe means neither.
        if any(type(value) is type(choice) and value == choice for choice in allowed):
            return value
        instead = gone.get(value) if gone and isinstance(value, str) else None
        _refuse(value, expected, instead or _did_you_mean(value, allowed) or remedy)

    return Scalar(check, {"enum": list(allowed)})


def whole(least: int, most: int, *, of: str = "", gone: Mapping[str, str] | None = None) -> Scalar:
    """Return the kind of a whole number in a range, both ends included.

    Args:
        of: says of what.
        gone: what takes the place of texts that may have been there once.
    """
    expected = f"a whole number{of} from {least:,} to {most:,}"

    def check(value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        _refuse(value, expected, gone.get(value) if gone and isinstance(value, str) else None)

    return Scalar(check, {"type": "integer", "minimum": least, "maximum": most})


def number(least: float, most: float = MAX_COST, *, above: bool = False) -> Scalar:
    """Return the kind of a number in a range; ``above`` leaves out its lower end."""
    within = f"above {least:,} and at most {most:,}" if above else f"from {least:,} to {most:,}"

    def check(value: Any) -> float:
        if not (_is_number(value) and least <= value <= most and not (above and value == least)):
            _refuse(value, f"a number {within}")
        return float(value)

    bound = "exclusiveMinimum" if above else "minimum"
    return Scalar(check, {"type": "number", bound: least, "maximum": most})


def text(expected: str, refine: Check | None = None) -> Scalar:
    """Return the kind of a text that is neither empty nor holds control characters.

    Args:
        expected: what it is, for mistakes.
        refine: a check for texts that are.
    """

    def check(value: Any) -> str:
        if not isinstance(value, str):
            _refuse(value, expected)
        if not value.strip():
            _refuse(value, expected, "it may not be empty")
        if not value.isprintable():
            _refuse(value, expected, "it may hold no control characters")
        return value if refine is None else str(refine(value))

    return Scalar(check, _NAME)


def _matching(pattern: str, expected: str, remedy: str | None = None, found: str = "") -> Scalar:
    """Return the kind of a text, or key, that matches a pattern whole."""

    def check(value: str) -> str:
        if re.fullmatch(pattern, value) is None or not value.isprintable():
            raise Mistake(f"found {found}{show(value)}", expected, remedy)
        return value

    return Scalar(check, {"type": "string", "pattern": f"^{pattern}$"})


def _cost(value: Any) -> float | None:
    """Return the units to cross one cell, or None for "blocked"."""
    if value == "blocked":
        return None
    if isinstance(value, str):
        remedy = _did_you_mean(value, ["blocked"])
        _refuse(value, COST_EXPECTED, remedy or "write numbers unquoted")
    if not _is_number(value) or not 0 < value <= MAX_COST:
        _refuse(value, COST_EXPECTED, 'use "blocked" for terrain that can\'t be entered')
    return float(value)


def _cell_size(value: Any) -> float | tuple[float, float]:
    found = read_cell_size(value)
    if found is None:
        _refuse(value, CELL_SIZE_EXPECTED, "as in cell_size = 16")
    return found


def _origin(value: Any) -> tuple[float, float]:
    found = read_origin(value)
    if found is None:
        _refuse(value, ORIGIN_EXPECTED, "as in origin = [0, 0]")
    return found


def _memory(value: Any) -> int:
    """Return whole bytes from a whole number or from text with a unit, rounded down."""
    if isinstance(value, str):
        size = _bytes_of(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        size = value
    else:
        _refuse(value, _MEMORY_EXPECTED)
    if not MIN_MEMORY_BUDGET <= size <= MAX_MEMORY_BUDGET:
        _refuse(value, "at least 1 MiB and less than 8 EiB")
    return size


def _bytes_of(text: str) -> int:
    found = re.fullmatch(_MEMORY, text)
    if found is not None:
        return int(Fraction(found[1]) * _UNITS[found[2]])
    remedy = f"known units are {', '.join(_UNITS)}"
    other_case = {unit.lower(): unit for unit in _UNITS}
    unit = re.search(r"[A-Za-z]*$", text)
    if unit is not None and unit.group().lower() in other_case:
        right = other_case[unit.group().lower()]
        if right != unit.group():
            remedy = f"did you mean {right}?"
    _refuse(text, _MEMORY_EXPECTED, remedy)


def _colour(value: str) -> str:
    """Return "#rrggbb", or "#rrggbbaa" where it is not opaque, in lower case."""
    if len(value) == 1:
        _refuse(value, _COLOR_EXPECTED, "characters of levels of text belong in [text.legend]")
    digits: str = _ANY_COLOUR.check(value)[1:].lower()
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    return "#" + (digits[:6] if digits[6:] == "ff" else digits)


def _symbol(value: str) -> str:
    """Return a character or value of a level of text, composed."""
    symbol = compose(value)
    is_trimmed = symbol == BLANK or (symbol != "" and symbol == symbol.strip())
    if not is_trimmed:
        _refuse(value, _SYMBOL_EXPECTED, f'write "{BLANK}" for blanks and empty cells')
    if not symbol.isprintable() or (len(symbol) == 1 and not fills_a_cell(symbol)):
        _refuse(value, _SYMBOL_EXPECTED, "it has to be visible by itself")
    return symbol


def _level_name(value: str) -> str:
    if "/" in value or "\\" in value:
        name = PureWindowsPath(value).stem  # which splits at both kinds of slash
        _refuse(value, _LEVEL_EXPECTED, f"write [levels.{quoted(name)}]")
    return str(text(_LEVEL_EXPECTED).check(value))


def _glob(pattern: str) -> str:
    """Check that `Path.glob` accepts a glob, and that it cannot leave the recipe's folder."""
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
    _refuse(pattern, _GLOB_EXPECTED, remedy)


_GLOB_EXPECTED = 'a glob relative to the recipe\'s folder, such as "levels_src/*.png"'
_SYMBOL_EXPECTED = 'a character, or a value of a .csv file, as in "~" = "water"'
_LEVEL_EXPECTED = "a level's file name without folder and extension"
_COLOR_EXPECTED = 'a colour as "#rgb", "#rrggbb" or "#rrggbbaa" in hexadecimal digits'
_ANY_COLOUR = _matching(
    _COLOUR,
    _COLOR_EXPECTED,
    'write the colour on the left, as in "#3a7d44" = "grass"',
)

FLAG = Scalar(choice((True, False)).check, {"type": "boolean"})
TERRAIN_NAME = text("the name of a terrain")
COST = Scalar(
    _cost,
    {
        "anyOf": [
            {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_COST},
            {"const": "blocked"},
        ]
    },
)
CELL_SIZE = Scalar(_cell_size, CELL_SIZE_SCHEMA)
ORIGIN = Scalar(_origin, ORIGIN_SCHEMA)
MEMORY = Scalar(
    _memory,
    {
        "anyOf": [
            {"type": "integer", "minimum": MIN_MEMORY_BUDGET, "maximum": MAX_MEMORY_BUDGET},
            {"type": "string", "pattern": f"^{_MEMORY}$"},
        ]
    },
)
COLOUR_KEY = Scalar(_colour, _ANY_COLOUR.schema)
SYMBOL_KEY = Scalar(_symbol, {"type": "string", "pattern": r"^( |\S(.*\S)?)$"})
SPOT_KIND = text('the kind of a spot, such as "spawn" or "exit"')
TILED_KEY = _matching(
    _TILED_KEY,
    '"tile:SET:3-9,12", "property:NAME", "class:NAME", "wang:NAME", "tileset:NAME", '
    '"layer:NAME", "object:CLASS", "collision" or "collision:CLASS"',
    'as in "layer:Walls" = "wall"',
)
LDTK_KEY = _matching(
    _LDTK_KEY,
    '"value:NAME", "value:LAYER:NUMBER", "tile:SET:3-9,12", "enum:TAG", "tileset:NAME", '
    '"layer:NAME", "area:ENTITY" or "entity:NAME"',
    'as in "value:walls" = "wall"',
)
PROFILE_NAME = _matching(
    _PROFILE_NAME,
    'letters a to z, digits, "_", "." and "-", starting with a letter or digit',
    found="profile name ",
)
LEVEL_NAME = Scalar(_level_name, {"type": "string", "pattern": r"^[^/\\]+$"})
OUTPUT = text('a folder such as "baked"')
IMAGE = text("the path of an image")
LAYERS = Items(
    'a list of layers such as ["Ground"]', text("the name of a layer"), "leave it out", str
)
#: Terrain that is entered from none of an empty list can be left but never entered.
ENTER_FROM = Items('a list of terrain names such as ["water"]', TERRAIN_NAME, order=str)
SOURCES = Items(
    'a list of globs such as ["levels_src/*"]',
    text(_GLOB_EXPECTED, _glob),
    "leave sources out for the default",
)
