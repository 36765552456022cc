"""Find the line of every key in a TOML document, which `tomllib` does not report.

The scan only steps over values (TOML 1.0, https://toml.io/en/v1.0.0) to find where keys begin;
`tomllib` decides whether the document is valid.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from itertools import repeat

from bake.project.recipe.values import KeyPath

#: The deepest path that is followed. `tomllib` needs memory that grows with the square of a key's
#: parts, and stack for every bracket, so a deeper document is refused before it gets there.
MAX_DEPTH = 32

#: Strings may lack their last quotes: what is no TOML is stepped over once all the same.
_TOKEN = re.compile(
    r"(?P<gap>[ \t\r]++|#[^\n]*+)"
    r'|"""(?:[^"\\]|\\.|"{1,2}(?!"))*+(?:"{3,5})?'
    r"|'''(?:[^']|'{1,2}(?!'))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|[A-Za-z0-9_-]++"
    r"|.",
    re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]++")
#: What a number, a date or a flag ends before.
_ENDS = frozenset({"", ",", "]", "}", "\n"})


class TooDeepError(Exception):
    """A key or value lies deeper than MAX_DEPTH; ``line`` says where, from 1."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(line)


def key_lines(text: str) -> dict[KeyPath, int]:
    """Find the line, from 1, where each table, key and array item of a TOML document stands.

    A table named by a header stands at that header; one that is only implied stands where it is
    first implied. For a document that is not TOML, the result is what was found before the scan got
    lost. Time grows with the length of the text alone, whatever it is.

    Raises:
        TooDeepError: something is nested deeper than MAX_DEPTH.
    """
    scan = _Scan(text)
    with suppress(_LostError):
        scan.document()
    return scan.lines


class _LostError(Exception):
    """The text is not TOML from here on."""


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Yield each token but spaces and comments with its line; after the last one "" for ever."""
    line = 1
    for token in _TOKEN.finditer(text):
        if token["gap"] is None:
            yield line, token[0]
        line += token[0].count("\n")
    yield from repeat((line, ""))


class _Scan:
    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._tokens = _tokens(text)
        self._line, self._here = next(self._tokens)
        self._last_item: dict[KeyPath, int] = {}  # of arrays of tables

    def document(self) -> None:
        table: KeyPath = ()
        self._skip_lines()
        while self._here:
            if self._here == "[":
                table = self._header()
            else:
                self._key_and_value(table)
            self._skip_lines()

    def _header(self) -> KeyPath:
        line = self._line
        self._take("[")
        if self._here != "[":
            path = self._resolve(self._key(), line)
            self._take("]")
            self.lines[path] = line
            return path
        self._take("[")
        *outer, name = self._key()
        path = (*self._resolve(outer, line), name)
        self._take("]")
        self._take("]")
        self.lines.setdefault(path, line)
        position = self._last_item[path] = self._last_item.get(path, -1) + 1
        self.lines[*path, position] = line
        return (*path, position)

    def _resolve(self, parts: list[str], line: int) -> KeyPath:
        """Return the path a header names; within an array of tables it means the latest one."""
        path: KeyPath = ()
        for part in parts:
            path = (*path, part)
            self.lines.setdefault(path, line)
            if path in self._last_item:
                path = (*path, self._last_item[path])
        return path

    def _key_and_value(self, table: KeyPath) -> None:
        line, path = self._line, table
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        self._take("=")
        self._value(path)

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise TooDeepError(self._line)

    def _key(self) -> list[str]:
        parts = [_key_part(self._step())]
        while self._here == ".":
            self._take(".")
            parts.append(_key_part(self._step()))
            self._check_depth(len(parts))
        return parts

    def _value(self, path: KeyPath) -> None:
        self._check_depth(len(path))
        first, position = self._step(), 0
        if first == "[":
            while self._more_before("]"):
                self.lines[*path, position] = self._line
                self._value((*path, position))
                position += 1
        elif first == "{":
            while self._more_before("}"):
                self._key_and_value(path)
        elif first in _ENDS:
            raise _LostError
        elif first[0] not in "\"'":
            while self._here not in _ENDS:
                self._step()

    def _more_before(self, closing: str) -> bool:
        """Step over line ends and a comma; at the closing bracket step over it; return False."""
        self._skip_lines()
        if self._here == ",":
            self._take(",")
            self._skip_lines()
        if self._here != closing:
            return True
        self._take(closing)
        return False

    def _skip_lines(self) -> None:
        while self._here == "\n":
            self._step()

    def _take(self, token: str) -> None:
        if self._step() != token:
            raise _LostError

    def _step(self) -> str:
        """Return the token that stands here, and go to the next one."""
        token = self._here
        self._line, self._here = next(self._tokens)
        return token


def _key_part(token: str) -> str:
    if _BARE_KEY.fullmatch(token):
        return token
    try:
        return str(tomllib.loads(f"key = {token}")["key"])
    except tomllib.TOMLDecodeError as error:
        raise _LostError from error
