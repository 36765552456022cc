"""Find the line of every key in a TOML document, which `tomllib` does not report.

The scan only steps over values (TOML 1.0, https://toml.io/en/v1.0.0) to find where keys begin;
`tomllib` decides whether the document is valid.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from contextlib import suppress

from bake.recipe.values import KeyPath

#: The deepest path that is followed. `tomllib` needs memory that grows with the square of a key's
#: parts, and stack for every bracket, so a deeper document is refused before it gets there.
MAX_DEPTH = 32

_SPACE = re.compile(r"[ \t]*+")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]++")
_QUOTED_KEY = re.compile(r'"(?:[^"\\\n]|\\.)*+"|' + r"'[^'\n]*+'")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]++")


class TooDeepError(Exception):
    """A key or value lies deeper than MAX_DEPTH; ``line`` says where, from 1."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(line)


def key_lines(text: str) -> dict[KeyPath, int]:
    """Find the line, from 1, where each table, key and array item of a TOML document stands.

    A table named by a header stands at that header; one that is only implied stands where it is
    first implied. For a document that is not TOML, the result is what was found before the scan got
    lost. Time and memory grow with the length of the text alone, whatever it is.

    Raises:
        TooDeepError: something is nested deeper than MAX_DEPTH.
    """
    scan = _Scan(text)
    with suppress(_LostError):
        scan.document()
    return scan.lines


class _LostError(Exception):
    """The text is not TOML from here on."""


class _Scan:
    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._at = 0
        self._line_ends = [end.start() for end in re.finditer("\n", text)]
        self._array_sizes: dict[KeyPath, int] = {}  # of arrays of tables

    def document(self) -> None:
        table: KeyPath = ()
        while True:
            self._skip(_GAP)
            if self._at == len(self._text):
                return
            if self._next_is("[["):
                table = self._array_header()
            elif self._next_is("["):
                table = self._header()
            else:
                self._key_and_value(table)

    def _header(self) -> KeyPath:
        line = self._line()
        self._take("[")
        path = self._resolve(self._key(), line)
        self._take("]")
        self.lines[path] = line
        return path

    def _array_header(self) -> KeyPath:
        line = self._line()
        self._take("[[")
        *outer, name = self._key()
        path = (*self._resolve(outer, line), name)
        self._take("]]")
        self.lines.setdefault(path, line)
        position = self._array_sizes.get(path, 0)
        self._array_sizes[path] = position + 1
        self.lines[*path, position] = line
        return (*path, position)

    def _resolve(self, parts: list[str], line: int) -> KeyPath:
        """Return the path a header names; within an array of tables it means the latest one."""
        path: KeyPath = ()
        for part in parts:
            path = (*path, part)
            self.lines.setdefault(path, line)
            if path in self._array_sizes:
                path = (*path, self._array_sizes[path] - 1)
        return path

    def _key_and_value(self, table: KeyPath) -> None:
        line = self._line()
        path = table
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        self._take("=")
        self._skip(_SPACE)
        self._value(path)

    def _check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise TooDeepError(self._line())

    def _key(self) -> list[str]:
        parts = [self._key_part()]
        while self._next_is("."):
            self._take(".")
            parts.append(self._key_part())
            self._check_depth(len(parts))
        return parts

    def _key_part(self) -> str:
        self._skip(_SPACE)
        if bare := _BARE_KEY.match(self._text, self._at):
            part = bare.group()
            self._at = bare.end()
        elif quoted := _QUOTED_KEY.match(self._text, self._at):
            part = _unquoted(quoted.group())
            self._at = quoted.end()
        else:
            raise _LostError
        self._skip(_SPACE)
        return part

    def _value(self, path: KeyPath) -> None:
        self._check_depth(len(path))
        if self._next_is("["):
            self._array(path)
        elif self._next_is("{"):
            self._inline_table(path)
        elif found := _STRING.match(self._text, self._at) or _SCALAR.match(self._text, self._at):
            self._at = found.end()
        else:
            raise _LostError

    def _array(self, path: KeyPath) -> None:
        self._take("[")
        position = 0
        while self._more_before("]"):
            self.lines[*path, position] = self._line()
            self._value((*path, position))
            position += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._take("{")
        while self._more_before("}"):
            self._key_and_value(path)

    def _more_before(self, closing: str) -> bool:
        """Step over gaps and a comma; at the closing bracket step over it and return False."""
        self._skip(_GAP)
        if self._next_is(","):
            self._take(",")
            self._skip(_GAP)
        if not self._next_is(closing):
            return True
        self._take(closing)
        return False

    def _next_is(self, token: str) -> bool:
        return self._text.startswith(token, self._at)

    def _take(self, token: str) -> None:
        if not self._next_is(token):
            raise _LostError
        self._at += len(token)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        skipped = pattern.match(self._text, self._at)
        if skipped:
            self._at = skipped.end()

    def _line(self) -> int:
        return bisect_right(self._line_ends, self._at - 1) + 1


def _unquoted(key: str) -> str:
    try:
        value = tomllib.loads(f"key = {key}")["key"]
    except tomllib.TOMLDecodeError as error:
        raise _LostError from error
    return str(value)
