"""Report mistakes in a level file: say where they are, and write values in the line about them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn

from bake.core.errors import LevelError, RecipeLine
from levelbake.errors import cut

#: Keys and positions that lead from the top of a JSON document down.
Steps = tuple[str | int, ...]

#: How many mistakes are reported at once; a file with more is probably something else.
MOST_TOLD = 8

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_SHOWN = 60
_LISTED = 16
_LONGEST_WORDS = 200


class Mistake(ValueError):
    """A mistake in a value that a person wrote, whose place in the file the caller knows.

    Attributes:
        found: what is wrong.
        expected: what would be right.
        remedy: what to do.
    """

    def __init__(self, found: str, expected: str, remedy: str | None = None) -> None:
        super().__init__(found, expected, remedy)
        self.found, self.expected, self.remedy = found, expected, remedy


def refuse(
    file: Path,
    place: str | None,
    found: str,
    expected: str | None = None,
    remedy: str | None = None,
    lines: Sequence[RecipeLine] = (),
) -> NoReturn:
    """Raise the LevelError for a mistake at a place of a file."""
    raise LevelError(found, file=file, place=place, expected=expected, remedy=remedy, lines=lines)


@dataclass(frozen=True)
class Where:
    """A place in a JSON file; it raises the error for what is wrong there."""

    file: Path
    steps: Steps = ()  #: path from the top level
    words: str = ""  #: what a user of the editor calls it, if that says more than the path

    def refuse(
        self,
        found: str,
        expected: str | None = None,
        remedy: str | None = None,
        lines: Sequence[RecipeLine] = (),
    ) -> NoReturn:
        refuse(self.file, str(self), found, expected, remedy, lines)

    def inside(self, *steps: str | int, words: str = "") -> Where:
        return Where(self.file, (*self.steps, *steps), words or self.words)

    def __str__(self) -> str:
        place = json_place(self.steps)
        words = self.words
        if not words.isprintable() or len(words) > _LONGEST_WORDS:
            words = shown(words)
        if place and words:
            return f"{place} ({words})"
        return place or words or "top level"


def json_place(steps: Iterable[str | int]) -> str:
    """Write a path such as ``rows[12][7]`` or ``terrains.grass.cost``."""
    place = ""
    for step in steps:
        if isinstance(step, int):
            place += f"[{step}]"
        elif _IDENTIFIER.fullmatch(step):
            place += f".{step}" if place else step
        else:
            place += f"[{shown(step)}]"
    return place


def shown(value: object) -> str:
    """Write a value as JSON does, cut short and safe to print anywhere."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=not value.isprintable())
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_SHOWN:
        return "a number of very many digits"
    else:
        text = json.dumps(value)
    return cut(text, _SHOWN)


def quoted(text: str) -> str:
    """Put text in quotes, cut it short, and escape whatever is not ASCII."""
    text = ascii(text)
    return text if len(text) <= 40 else f"{text[:36]}...'"


def one_of(names: Iterable[str | int]) -> str:
    """Write that one of some names was expected, listing the first few of many."""
    first = [shown(name) for name in islice(names, _LISTED + 1)]
    if len(first) > _LISTED:
        first[-1] = "..."
    return f"one of {', '.join(first)}"


def is_plain_text(text: str) -> bool:
    """Tell whether a name can be stored and shown: some text without control characters."""
    return text != "" and _CONTROL.search(text) is None
