"""Keep a journal: every batch is on disk before it is acknowledged, so that a crash loses none.

Each batch is a line that begins with its digest. A line is flushed to the disk once it is written;
a crash can tear only the last line, which is then dropped. A line that is whole but does not fit
its digest was acknowledged and damaged later, so it is refused.

Who keeps a journal locks it. The lock ends with its process, however that ends, and a process that
is forked from it does not share it. Another program may remove the file, replace it or change its
length all the same; no batch is acknowledged after that.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import sys
import weakref
from pathlib import Path
from typing import Any

from bake.store.partial import output_error, sync_folder
from levelbake.changes import NOT_A_FILE, PLAIN, WITH_NODES, check_head, digest, head_line
from levelbake.errors import OutputError, PatchError
from levelbake.file import File

KIND = "levelbake-journal"

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

#: Hexadecimal digits of a line's digest.
_DIGITS = 16

#: What is in a line of which a part never came to the disk; text holds none.
_HOLE = bytes(8)

#: The byte that is locked on Windows, where nobody can read a locked byte: beyond any journal.
_LOCKED_BYTE = 2**40

#: What a lock that is taken already raises.
_TAKEN = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)


class Journal:
    """The journal of a level, which one keeper has at a time: it is locked until it is closed.

    Attributes:
        path: the file of the journal.
        records: the batches the file held when it was opened.
    """

    def __init__(self, path: Path, asset: File) -> None:
        """Open a journal, or begin one.

        Raises:
            PatchError: the file is no journal, is one of another asset, or is damaged before its
                end.
            OutputError: the file cannot be read or written, or it is being kept already.
        """
        self.path = path
        self._location = Path.cwd() / path  # The process may change its folder.
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        except OSError as error:
            raise OutputError(f"cannot be opened: {error.strerror or error}", file=path) from None
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise PatchError(NOT_A_FILE, file=path, expected="a regular file")
            _lock(self._file, path)
            self.records = self._begin(asset)
        except BaseException:
            os.close(self._file)
            raise
        _OPEN.add(self)

    def _begin(self, asset: File) -> list[dict[str, Any]]:
        data = b""
        while piece := os.read(self._file, 2**20):
            data += piece
        first = head_line(KIND, PLAIN, asset).encode() + b"\n"
        if first.startswith(data):  # new, or torn while it was begun
            os.ftruncate(self._file, 0)
            self._end, self._version = 0, PLAIN
            self._put(first)
            sync_folder(self.path.parent)
            return []
        lines = data.split(b"\n")
        if (line := _converted_line(lines)) is not None:
            raise PatchError(
                "its line ends were converted to CRLF, as Git does on Windows",
                file=self.path,
                place=f"line {line}",
                expected="the file as it was written",
                remedy="convert them back to LF, and add `*.journal -text`, with the suffix of "
                "your journals, to .gitattributes",
            )
        words = lines[0].decode(errors="replace").split(" ")
        check_head(self.path, KIND, words, asset, WITH_NODES)
        self._version = int(words[1])
        whole, rest = lines[1:-1], lines[-1]
        records = [_record(line) for line in whole]
        if records and records[-1] is None and _HOLE in whole[-1]:
            records.pop()  # The system crashed before all blocks of the line were on the disk.
        if rest and _record(rest[:-1]) is not None:
            records.append(None)  # All of it was written, and its line feed is another byte now.
        if None in records:
            raise PatchError(
                f"damaged: line {records.index(None) + 2} does not fit its digest",
                file=self.path,
                remedy="restore it from a copy, or begin another",
            )
        self._end = len(first) + sum(len(line) + 1 for line in whole[: len(records)])
        os.ftruncate(self._file, self._end)
        return [record for record in records if record is not None]

    def append(self, record: dict[str, Any], version: int) -> None:
        """Write a batch; when this returns, the batch is on the disk.

        Args:
            record: the batch.
            version: what a reader must know to read it; see :mod:`levelbake.changes`.

        Raises:
            OutputError: the batch cannot be written; the journal stays as it was.
        """
        if self._file < 0:
            raise OutputError(
                "the process that this one was forked from keeps this journal",
                file=self.path,
                remedy="open the level anew, and keep a journal of its own",
            )
        self._check()
        if version > self._version:
            self._raise_version(version)
        text = json.dumps(record, separators=(",", ":"), allow_nan=False)
        end = self._end
        self._put(f"{digest(text)[:_DIGITS]} {text}\n".encode())
        try:
            self._check()  # The file may have gone while the batch was on its way to the disk.
        except OutputError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, min(end, os.fstat(self._file).st_size))
            self._end = end
            raise

    @property
    def is_lost(self) -> bool:
        """Return whether the file is no longer the one that batches were written to."""
        with contextlib.suppress(OSError):
            return self.loss() is not None
        return False

    def loss(self) -> str | None:
        """Return the change that another program made to the file, or None.

        Raises:
            OSError: the file cannot be looked at.
        """
        kept = os.fstat(self._file)
        try:
            found = self._location.stat()
        except FileNotFoundError:
            return "was removed"
        if not os.path.samestat(kept, found):
            return "was replaced by another file"
        if kept.st_size != self._end:
            return f"has {kept.st_size:,} bytes, not the {self._end:,} that were written to it"
        return None

    def _check(self) -> None:
        """Raise an OutputError if another program has removed, replaced or resized the file."""
        try:
            loss = self.loss()
        except OSError as error:
            raise output_error(self.path, error) from None
        if loss is not None:
            raise OutputError(
                f"the journal {loss}, so this batch was not applied",
                file=self.path,
                expected="a file that nothing else changes while it is kept",
                remedy="save a patch, and keep another journal",
            )

    def _raise_version(self, version: int) -> None:
        """Write another version into the first line, in place of the one digit that is there."""
        self._write(len(KIND) + 1, str(version).encode())
        self._version = version

    def _put(self, line: bytes) -> None:
        self._write(self._end, line)
        self._end += len(line)

    def _write(self, place: int, data: bytes) -> None:
        """Write at a place, and have it on the disk."""
        try:
            os.lseek(self._file, place, os.SEEK_SET)
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):  # What is left is overwritten, or torn.
                os.ftruncate(self._file, self._end)
            raise output_error(self.path, error) from None

    def close(self) -> None:
        """Close the file, and with it the lock."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


#: The journals this process keeps.
_OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()


def _let_go() -> None:
    """Close what the process kept from which this one was forked; its locks stay with it."""
    for journal in list(_OPEN):
        journal.close()
    _OPEN.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def _lock(file: int, path: Path) -> None:
    """Lock an open journal until it is closed.

    Raises:
        OutputError: somebody else has locked it.
    """
    try:
        if sys.platform == "win32":
            os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some file systems have no locks; there a journal is kept without one.
        if error.errno in _TAKEN:
            raise OutputError(
                "another level that is open keeps this journal",
                file=path,
                expected="one keeper at a time",
                remedy="close that level, or end its process, first",
            ) from None
        os.lseek(file, 0, os.SEEK_SET)


def _converted_line(lines: list[bytes]) -> int | None:
    """Return the number of a line, from 1, that is whole but for a carriage return at its end."""
    if lines[0].startswith(KIND.encode()) and lines[0].endswith(b"\r"):
        return 1
    for number, line in enumerate(lines[1:], 2):
        if line.endswith(b"\r") and _record(line[:-1]) is not None:
            return number
    return None


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the batch that a line holds; None where the line is damaged."""
    try:
        text = line.decode()
        if f"{digest(text[_DIGITS + 1 :])[:_DIGITS]} " != text[: _DIGITS + 1]:
            return None
        record = json.loads(text[_DIGITS + 1 :])
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
