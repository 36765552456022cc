"""JSON files, strictly: UTF-8, no key twice, of bounded size and depth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bake.errors import LevelError
from bake.levels.source import read_text

#: A JSON value takes many times its text in memory, hence far less than an image may have.
MAX_JSON_BYTES = 2**26
#: Of one object. No format has that many, and each key too many would be a mistake to tell of.
MAX_KEYS = 2**16

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_TOKEN = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[\[\]{},]')
_SHOWN = 60
_LISTED = 16


def read_document(path: Path) -> object:
    """The file's value.

    Raises:
        LevelError: unreadable, not UTF-8, too large, not JSON, or an object has a key twice.
    """
    text = read_text(
        path, MAX_JSON_BYTES, "save large levels as an image, or split the level into several"
    )
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise LevelError(
            f"not JSON: {error.msg}",
            file=path,
            place=f"line {error.lineno}, column {error.colno}",
            expected="a JSON object",
        ) from None
    except _DuplicateKeyError:
        place, line = _first_duplicate(text)
        raise LevelError(
            "this key is given twice in one object",
            file=path,
            place=f"{place} (line {line})",
            expected="each key once",
        ) from None
    except _TooManyKeysError:
        raise LevelError(
            "an object has too many keys", file=path, expected=f"at most {MAX_KEYS:,} in one object"
        ) from None
    except RecursionError:
        raise LevelError(
            "the JSON is nested too deeply", file=path, expected="a level, a few brackets deep"
        ) from None
    except ValueError as error:  # a number of thousands of digits
        raise LevelError(f"not usable JSON: {error}", file=path) from None


def json_place(steps: Iterable[str | int]) -> str:
    """A path such as ``rows[12][7]`` or ``terrains.grass.cost``."""
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
    """A value as JSON writes it, cut short, safe to print anywhere."""
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
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def one_of(names: Iterable[str | int]) -> str:
    """What was expected, where any of some names would do; the first few of many."""
    first = [shown(name) for name in islice(names, _LISTED + 1)]
    if len(first) > _LISTED:
        first[-1] = "..."
    return f"one of {', '.join(first)}"


class _DuplicateKeyError(Exception):
    pass


class _TooManyKeysError(Exception):
    pass


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(pairs) > MAX_KEYS:
        raise _TooManyKeysError
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DuplicateKeyError
    return found


@dataclass
class _Open:
    """An object or list that has not been closed yet, and the step being taken into it."""

    keys: set[str] | None
    step: str | int


def _first_duplicate(text: str) -> tuple[str, int]:
    """Path and line of the first repeated key of text that is otherwise JSON."""
    around: list[_Open] = []
    for token in _TOKEN.finditer(text):
        string, colon = token.groups()
        if string is not None:
            keys = around[-1].keys if around else None
            if colon is not None and keys is not None:
                key = json.loads(string)
                around[-1].step = key
                if key in keys:
                    return json_place(each.step for each in around), text.count(
                        "\n", 0, token.start()
                    ) + 1
                keys.add(key)
        elif token[0] == "{":
            around.append(_Open(set(), ""))
        elif token[0] == "[":
            around.append(_Open(None, 0))
        elif token[0] == ",":
            if around and isinstance(around[-1].step, int):
                around[-1].step += 1
        elif around:
            around.pop()
    return "somewhere", 1
