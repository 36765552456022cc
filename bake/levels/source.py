"""Getting at a file's bytes, or a clear reason why not."""

from __future__ import annotations

import stat
from pathlib import Path

from bake.errors import LevelError
from bake.levels.allowance import spend_text

_BOM = b"\xef\xbb\xbf"


def check_file(path: Path) -> int:
    """The file's size in bytes, once it is known to be a regular file that is not empty.

    Raises:
        LevelError: missing, a folder, not a regular file, or empty.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        raise LevelError("there is no such file", file=path) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        raise LevelError("this is a folder", file=path, expected="a level file")
    if not stat.S_ISREG(status.st_mode):
        raise LevelError("this is a device or a pipe", file=path, expected="a regular file")
    if status.st_size == 0:
        raise LevelError("the file is empty", file=path, expected="a level")
    return status.st_size


def read_start(path: Path, limit: int) -> bytes:
    """The file's first bytes, at most ``limit`` of them, less a UTF-8 byte order mark.

    Raises:
        LevelError: as :func:`check_file`, or the system refuses to read it.
    """
    check_file(path)
    try:
        with path.open("rb") as file:
            return file.read(limit).removeprefix(_BOM)
    except OSError as error:
        raise _unreadable(path, error) from None


def read_text(path: Path, limit: int, remedy: str) -> str:
    """The whole of a UTF-8 file of at most ``limit`` bytes, less a byte order mark.

    Raises:
        LevelError: as :func:`read_start`, too large, or not UTF-8.
    """
    size = check_file(path)
    if size > limit:
        raise LevelError(
            f"the file has {size:,} bytes", file=path, expected=f"at most {limit:,}", remedy=remedy
        )
    spend_text(path, size)
    data = read_start(path, size)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LevelError(
            f"byte 0x{data[error.start]:02x} is not UTF-8 text",
            file=path,
            place=f"byte {error.start}",
            expected="text in UTF-8",
        ) from None


def _unreadable(path: Path, error: OSError | ValueError) -> LevelError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return LevelError(f"the file cannot be read: {reason}", file=path)
