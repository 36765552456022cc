"""Errors of one line: the file, the place in it, what was found and expected, and a remedy.

An unreachable goal is never an error; it is a value.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial

#: The path of a file.
FilePath = str | os.PathLike[str]

#: The most characters of one part of a message; names in malicious levels can be far longer.
# limit: the part is cut; tests/test_errors.py
_LONGEST_PART = 1000
#: Integers of 40 digits or more; only the first 20 digits are shown.
_LONG_NUMBER = re.compile(r"(\d{20})\d{20,}")

#: The message for a Git LFS pointer instead of the file.
LFS_POINTER = "this is a Git LFS pointer; run `git lfs pull`"
#: The first bytes of a pointer (Git LFS specification, "The Pointer"), current and before 2014.
_LFS_STARTS = (
    b"version https://git-lfs.github.com/spec/",
    b"version https://hawser.github.com/spec/",
)


class BakeError(Exception):
    """The base class of all errors; the message is one line.

    The message is ``file: place: found; expected ...; remedy``, without the parts that are None.
    Very long parts are truncated, and unprintable characters are escaped.

    Example:
        >>> from levelbake import BakeError, open_level
        >>> try:
        ...     open_level("missing.h5")
        ... except BakeError as error:
        ...     print(error)
        missing.h5: no such asset; bake it first: `bake build`
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
        #: what is wrong
        self.found = found
        #: path of the file
        self.file = file
        #: place in the file, or the level of a query
        self.place = place
        #: what would be valid
        self.expected = expected
        #: what the user can do
        self.remedy = remedy
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
        # Parallel builds pickle errors, and the default protocol drops keyword arguments.
        return partial(type(self), **vars(self)), ()


def cut(text: str, longest: int = _LONGEST_PART) -> str:
    """Truncate a text to a length, and long integers in the text to 20 digits, with "..."."""
    text = _LONG_NUMBER.sub(r"\1...", text)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def printable(text: str) -> str:
    """Escape unprintable characters of a text, newlines included."""
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
    """The file is not an asset that this version can use."""


class NotAnAssetError(AssetError):
    """The file was not written by bake."""


class AssetTooOldError(AssetError):
    """The asset's format is older than this reader supports. Rebake the level."""


class AssetTooNewError(AssetError):
    """The asset's format is newer than this reader supports. Update levelbake."""


class CorruptAssetError(AssetError):
    """The asset is damaged."""


class PatchError(AssetError):
    """The patch or journal is damaged, of another version, or of another asset."""


class QueryError(BakeError, ValueError):
    """An argument of a query is invalid; also a ValueError."""


class OutsideMapError(QueryError):
    """The cell lies outside the level."""


class BlockedCellError(QueryError):
    """The profile cannot stand on the cell."""


class UnknownNodeError(QueryError):
    """The graph level has no node with that name."""


class UnknownProfileError(QueryError):
    """The level has no profile with that name."""


class MissingTableError(QueryError):
    """The asset was baked without a table that the query needs."""
