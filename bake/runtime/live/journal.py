"""Keep a journal: every batch is on disk before it is acknowledged, so that a crash loses none.

Each batch is a line that begins with its digest. A line is flushed to the disk once it is written;
a crash can tear only the last line, which is then dropped.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from bake.errors import OutputError, PatchError
from bake.runtime.live.patch import NOT_A_FILE, check_head, digest, head_line
from bake.runtime.live.rules import LevelRules

KIND = "levelbake-journal"
VERSION = 1

#: Hexadecimal digits of a line's digest.
_DIGITS = 16


class Journal:
    """The journal of a level; one process keeps it at a time.

    Attributes:
        path: the file of the journal.
        records: the batches the file held when it was opened.
    """

    def __init__(self, path: Path, rules: LevelRules) -> None:
        """Open a journal, or begin one.

        Raises:
            PatchError: the file is no journal, is one of another asset, or is damaged before its
                end.
            OutputError: the file cannot be read or written.
        """
        self.path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        except OSError as error:
            raise OutputError(f"cannot be opened: {error.strerror or error}", file=path) from None
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise PatchError(NOT_A_FILE, file=path, expected="a regular file")
            self.records = self._begin(rules)
        except BaseException:
            os.close(self._file)
            raise

    def _begin(self, rules: LevelRules) -> list[dict[str, Any]]:
        data = b""
        while piece := os.read(self._file, 2**20):
            data += piece
        first = head_line(KIND, VERSION, rules).encode() + b"\n"
        if first.startswith(data):  # new, or torn while it was begun
            os.ftruncate(self._file, 0)
            self._end = 0
            self._put(first)
            _flush_folder(self.path)
            return []
        lines = data.split(b"\n")
        check_head(self.path, KIND, VERSION, lines[0].decode(errors="replace").split(" "), rules)
        whole = lines[1:-1]  # text after the end of the last line is torn
        records = [_record(line) for line in whole]
        if records and records[-1] is None:
            records.pop()
        if None in records:
            raise PatchError(
                f"damaged: line {records.index(None) + 2} does not fit its digest",
                file=self.path,
                remedy="restore it from a copy, or begin another",
            )
        self._end = len(first) + sum(len(line) + 1 for line in whole[: len(records)])
        os.ftruncate(self._file, self._end)
        return [record for record in records if record is not None]

    def append(self, record: dict[str, Any]) -> None:
        """Write a batch; when this returns, the batch is on the disk.

        Raises:
            OutputError: the batch cannot be written; the journal stays as it was.
        """
        text = json.dumps(record, separators=(",", ":"), allow_nan=False)
        self._put(f"{digest(text)[:_DIGITS]} {text}\n".encode())

    def _put(self, line: bytes) -> None:
        try:
            os.lseek(self._file, self._end, os.SEEK_SET)
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._end)
            raise OutputError(
                f"cannot be written: {error.strerror or error}", file=self.path
            ) from None
        self._end += len(line)

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the batch that a line holds; None where the line is damaged."""
    try:
        text = line.decode()
        if digest(text[_DIGITS + 1 :])[:_DIGITS] != text[:_DIGITS]:
            return None
        record = json.loads(text[_DIGITS + 1 :])
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _flush_folder(path: Path) -> None:
    """Make a new file's name durable on systems that can open folders."""
    if os.name == "nt":
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
