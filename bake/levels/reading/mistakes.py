"""Report mistakes in level files: places, values and errors in one line."""

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

#: A path of keys and positions in a JSON document.
Steps = tuple[str | int, ...]

#: How many mistakes are reported at once; a file with more is probably something else.
MOST_TOLD = 8

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_SHOWN = 60
_LISTED = 16
_LONGEST_WORDS = 200


class Mistake(ValueError):
    """An invalid value. The caller knows its place in the file."""

    def __init__(self, problem: str, expected: str, remedy: str | None = None) -> None:
        super().__init__(problem, expected, remedy)
        self.found, self.expected, self.remedy = problem, expected, remedy


def refuse(
    file: Path,
    place: str | None,
    problem: str,
    expected: str | None = None,
    remedy: str | None = None,
    lines: Sequence[RecipeLine] = (),
) -> NoReturn:
    """Raise a LevelError about a place in a file."""
    raise LevelError(problem, file=file, place=place, expected=expected, remedy=remedy, lines=lines)


@dataclass(frozen=True)
class Where:
    """A place in a JSON file, which can raise errors about that place."""

    file: Path
    steps: Steps = ()  #: path from the top of the document
    words: str = ""  #: the place in the terms of the editor, if they say more than the path

    def refuse(
        self,
        problem: str,
        expected: str | None = None,
        remedy: str | None = None,
        lines: Sequence[RecipeLine] = (),
    ) -> NoReturn:
        refuse(self.file, str(self), problem, expected, remedy, lines)

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
    """Format a path in a JSON document.

    Example:
        >>> json_place(["rows", 12, 7])
        'rows[12][7]'
    """
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
    """Format a value as JSON, shortened and safe to print."""
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
    """Return quoted text, shortened, with everything but ASCII escaped."""
    text = ascii(text)
    return text if len(text) <= 40 else f"{text[:36]}...'"


def one_of(names: Iterable[str | int]) -> str:
    """Format names as "one of a, b, c", with the first few of many."""
    first = [shown(name) for name in islice(names, _LISTED + 1)]
    if len(first) > _LISTED:
        first[-1] = "..."
    return f"one of {', '.join(first)}"


def is_plain_text(text: str) -> bool:
    """Return whether a name is not empty and has no control characters."""
    return text != "" and _CONTROL.search(text) is None
