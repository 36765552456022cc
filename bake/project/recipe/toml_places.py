"""Find the line of each key in a TOML document, which `tomllib` does not report.

The scanner skips values (TOML 1.0, https://toml.io/en/v1.0.0) to find the keys; `tomllib` decides
whether the document is valid.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from itertools import repeat

from bake.project.recipe.values import KeyPath

#: The deepest nesting of keys and brackets. `tomllib` needs memory quadratic in the parts of a key,
#: and stack for each bracket, so deeper documents are rejected before it runs.
MAX_DEPTH = 32

#: Closing quotes are optional, so that invalid TOML is scanned once as well.
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
#: The tokens that end a number, date or flag.
_ENDS = frozenset({"", ",", "]", "}", "\n"})


class TooDeepError(Exception):
    """A key or value is nested deeper than MAX_DEPTH, at ``line`` (from 1)."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(line)


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, of each table, key and array item of a TOML document.

    A table is at its header, or where it is first implied if it has no header. For an invalid
    document, the result has the keys before the error. The time is linear in the length of the
    text.

    Raises:
        TooDeepError: something is nested deeper than MAX_DEPTH.
    """
    scan = _Scan(text)
    with suppress(_LostError):
        scan.document()
    return scan.lines


class _LostError(Exception):
    """The text is not valid TOML from this token on."""


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Yield tokens with their lines, without spaces and comments; then "" endlessly."""
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
        self._line, self._token = next(self._tokens)
        self._last_item: dict[KeyPath, int] = {}  # of arrays of tables

    def document(self) -> None:
        table: KeyPath = ()
        self._skip_lines()
        while self._token:
            if self._token == "[":
                table = self._header()
            else:
                self._key_and_value(table)
            self._skip_lines()

    def _header(self) -> KeyPath:
        line = self._line
        self._expect("[")
        if self._token != "[":
            path = self._resolve(self._key(), line)
            self._expect("]")
            self.lines[path] = line
            return path
        self._expect("[")
        *outer, name = self._key()
        path = (*self._resolve(outer, line), name)
        self._expect("]")
        self._expect("]")
        self.lines.setdefault(path, line)
        position = self._last_item[path] = self._last_item.get(path, -1) + 1
        self.lines[*path, position] = line
        return (*path, position)

    def _resolve(self, parts: list[str], line: int) -> KeyPath:
        """Return the path of a header; in an array of tables it refers to the last item."""
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
        self._expect("=")
        self._value(path)

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise TooDeepError(self._line)

    def _key(self) -> list[str]:
        parts = [_key_part(self._step())]
        while self._token == ".":
            self._expect(".")
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
            while self._token not in _ENDS:
                self._step()

    def _more_before(self, closing: str) -> bool:
        """Skip line ends and a comma; return False after skipping the closing bracket."""
        self._skip_lines()
        if self._token == ",":
            self._expect(",")
            self._skip_lines()
        if self._token != closing:
            return True
        self._expect(closing)
        return False

    def _skip_lines(self) -> None:
        while self._token == "\n":
            self._step()

    def _expect(self, token: str) -> None:
        if self._step() != token:
            raise _LostError

    def _step(self) -> str:
        """Return the current token and advance to the next one."""
        token = self._token
        self._line, self._token = next(self._tokens)
        return token


def _key_part(token: str) -> str:
    if _BARE_KEY.fullmatch(token):
        return token
    try:
        return str(tomllib.loads(f"key = {token}")["key"])
    except tomllib.TOMLDecodeError as error:
        raise _LostError from error
