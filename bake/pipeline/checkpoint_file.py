"""Two files that say how far the search for one compressed table has come.

`runs` holds the runs that have ended, three little-endian int32 each (row, first target, symbol),
and only grows. `state` is written anew each time, beside its place and then renamed into it: a line
of JSON, each row's set of moves (uint64) and the target its run began at (int32), and the sha256 of
all that. The line also tells how many runs count and what they hash to, so whatever stands behind
them is of a checkpoint that was never finished.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bake.search.all_pairs.runs import EndedRuns
from bake.tables.run_writer import RunWriter

if TYPE_CHECKING:
    from hashlib import _Hash as Digest

#: Layout of the files. Another one is not read: the bake begins again.
VERSION = 1

_RUN_BYTES = 12
_ROW_BYTES = 12

#: Runs read at a time.
_PIECE = 2**18

_LONGEST_LINE = 2**12
_DIGEST_BYTES = 32


class UnusableError(Exception):
    """A checkpoint cannot be taken up; why, in a few words."""


class TableFile:
    """The checkpoint of one table."""

    def __init__(self, folder: Path, place: int, bound_to: str) -> None:
        """Nothing is read or written yet.

        Args:
            folder: where the files lie.
            place: tells tables of one asset apart.
            bound_to: everything that decides what the table will say.
        """
        self._runs, self._state = folder / f"{place}.runs", folder / f"{place}.state"
        self._bound_to = bound_to
        self._digest = hashlib.sha256()
        self._pieces = self._count = 0

    def load(self, writer: RunWriter, most_runs: int) -> None:
        """Bring a fresh writer to what was saved; without files it stays as it is.

        Raises:
            UnusableError: the files are damaged, are those of something else, or hold more than
                ``most_runs`` runs.
            OSError: they cannot be read.
        """
        try:
            data = self._state.read_bytes()
        except FileNotFoundError:
            return
        try:
            self._load(data, writer, most_runs)
        except (ValueError, KeyError, TypeError, FileNotFoundError):
            raise UnusableError("is damaged") from None

    def _load(self, data: bytes, writer: RunWriter, most_runs: int) -> None:
        rows, line = len(writer.moves), data[: data.find(b"\n", 0, _LONGEST_LINE) + 1]
        if not line or hashlib.sha256(data[:-_DIGEST_BYTES]).digest() != data[-_DIGEST_BYTES:]:
            raise UnusableError("is damaged")
        said, body = json.loads(line), data[len(line) : -_DIGEST_BYTES]
        if said["version"] != VERSION or said["bound to"] != self._bound_to:
            raise UnusableError("is of another level, recipe or version")
        count = said["runs"]
        if len(body) != rows * _ROW_BYTES or count > most_runs:
            raise UnusableError("does not fit")
        ended, digest = self._read_runs(count)
        if digest.hexdigest() != said["sha256 of runs"]:
            raise UnusableError("is damaged")
        moves = np.frombuffer(body, "<u8", rows).astype(np.uint64)
        run_start = np.frombuffer(body, "<i4", rows, 8 * rows).astype(np.int32)
        writer.go_on_from(said["targets"], moves, run_start, ended)
        self._digest, self._pieces, self._count = digest, len(ended), count

    def _read_runs(self, count: int) -> tuple[list[EndedRuns], Digest]:
        ended, digest = list[EndedRuns](), hashlib.sha256()
        with self._runs.open("rb") as file:
            if os.fstat(file.fileno()).st_size < count * _RUN_BYTES:
                raise UnusableError("is damaged")
            for begin in range(0, count, _PIECE):
                data = file.read(min(_PIECE, count - begin) * _RUN_BYTES)
                digest.update(data)
                runs = np.frombuffer(data, "<i4").reshape(-1, 3).T.astype(np.int32, order="C")
                ended.append(EndedRuns(*runs))
        return ended, digest

    def remove(self) -> None:
        """Remove the files, the one that refers to the other first."""
        for file in (self._state, self._state.with_suffix(".tmp"), self._runs):
            with contextlib.suppress(OSError):
                file.unlink()

    def save(self, writer: RunWriter, *, to_disk: bool) -> None:
        """Write what a writer has come to since the last time.

        Args:
            writer: the one this was loaded into, or a fresh one if nothing was.
            to_disk: wait until the disk has it, so that it outlives a loss of power.

        Raises:
            OSError: it cannot be written.
        """
        with self._runs.open("r+b" if self._count else "wb") as file:
            file.truncate(self._count * _RUN_BYTES)
            file.seek(0, os.SEEK_END)
            for piece in writer.ended[self._pieces :]:
                data = np.stack(piece, axis=1).astype("<i4", copy=False).tobytes()
                file.write(data)
                self._digest.update(data)
            file.flush()
            if to_disk:
                os.fsync(file.fileno())
        said = {
            "version": VERSION,
            "bound to": self._bound_to,
            "targets": writer.taken,
            "runs": writer.ended_count,
            "sha256 of runs": self._digest.hexdigest(),
        }
        parts = (
            json.dumps(said).encode() + b"\n",
            writer.moves.astype("<u8", copy=False).tobytes(),
            writer.run_start.astype("<i4", copy=False).tobytes(),
        )
        digest = hashlib.sha256()
        partial = self._state.with_suffix(".tmp")
        with partial.open("wb") as file:
            for part in parts:
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
            file.flush()
            if to_disk:
                os.fsync(file.fileno())
        partial.replace(self._state)
        self._pieces, self._count = len(writer.ended), writer.ended_count
