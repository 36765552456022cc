"""The errors that a game meets, each one line: file, place, what was found and expected, a remedy.

That a place cannot be reached is never an error; it is a value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial

#: The path of a file, as whoever names it has it.
FilePath = str | os.PathLike[str]

#: The most characters of one part of a line; names in malicious levels can be far longer.
# limit: the part is cut; tests/test_errors.py
_LONGEST_PART = 1000
#: More digits than anybody reads; the first of them are shown.
_LONG_NUMBER = re.compile(r"(\d{20})\d{20,}")

#: The message for a Git LFS pointer in place of a file.
LFS_POINTER = "this is a Git LFS pointer; run `git lfs pull`"
#: The first bytes of a pointer (Git LFS specification, "The Pointer"), and of those before 2014.
_LFS_STARTS = (
    b"version https://git-lfs.github.com/spec/",
    b"version https://hawser.github.com/spec/",
)


class BakeError(Exception):
    """One mistake, which the message states in one line.

    The message reads ``file: place: found; expected ...; remedy`` with the parts that are given.
    Very long parts are cut, and characters that a terminal would not print are escaped.
    """

    def __init__(
        self,
        found: str,
        *,
        file: FilePath | None = None,
        place: str | None = None,
        expected: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.found = found
        self.file, self.place = file, place
        self.expected, self.remedy = expected, remedy
        super().__init__(found, file, place, expected, remedy)

    def __str__(self) -> str:
        where = [cut(str(part)) for part in (self.file, self.place) if part is not None]
        what = cut(self.found)
        if self.expected is not None:
            what += f"; expected {cut(self.expected)}"
        if self.remedy is not None:
            what += f"; {cut(self.remedy)}"
        return printable(": ".join([*where, what]))

    def __reduce__(self) -> tuple[Callable[[], BakeError], tuple[()]]:
        # Parallel builds send errors between processes; keyword arguments need help to pickle.
        return partial(type(self), **vars(self)), ()


def cut(text: str, longest: int = _LONGEST_PART) -> str:
    """Return text of at most so many characters; dots stand for those, and for digits, lost."""
    text = _LONG_NUMBER.sub(r"\1...", text)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def printable(text: str) -> str:
    """Return text with escapes for whatever a terminal would not print, newlines included."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def is_lfs_pointer(start: bytes) -> bool:
    """Return whether a file that begins with these bytes is a Git LFS pointer."""
    return start.startswith(_LFS_STARTS)


class OutputError(BakeError):
    """The output cannot be written."""


class AssetError(BakeError):
    """The file is not an asset, or not one this version can use."""


class NotAnAssetError(AssetError):
    """The file was not written by bake."""


class AssetTooOldError(AssetError):
    """The asset's format is older than this reader supports: rebake."""


class AssetTooNewError(AssetError):
    """The asset's format is newer than this reader supports: update bake."""


class CorruptAssetError(AssetError):
    """The asset was damaged after it was written."""


class PatchError(AssetError):
    """The patch or journal is damaged, of another version, or of another asset."""


class QueryError(BakeError, ValueError):
    """An argument of a question to a level is wrong."""


class OutsideMapError(QueryError):
    """The cell lies outside the level."""


class BlockedCellError(QueryError):
    """The cell cannot be stood on by this profile."""


class UnknownNodeError(QueryError):
    """The graph level has no node of that name."""


class UnknownProfileError(QueryError):
    """The asset has no profile of that name."""


class MissingTableError(QueryError):
    """The asset was baked without the table this question needs."""
