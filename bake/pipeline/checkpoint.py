"""Keep checkpoints of long bakes: the state of each search, until the asset is there.

A checkpoint is a folder beside the asset, which belongs to the process that has locked it. A lock
ends with its process, in whatever way the process ends, so no process holds a checkpoint longer.

Each range of targets of a table has two files in it that say how far the search has come there,
named after the table's number and the range's first target. `runs` holds the runs that have ended,
three little-endian int32 each (row, first target, symbol), and only grows. `state` is replaced each
time; the new file is written beside it and then renamed. It holds a line of JSON, each row's set of
moves (uint64), the set of its first run (uint64) and the target its run began at (int32), deflated,
and the sha256 of all that. The line also says how many runs count and what they hash to, so any
data after those runs belongs to a checkpoint that was never finished.

A bake never fails because a checkpoint is bad: the level is then baked from the beginning, or goes
on without checkpoints.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from hashlib import _Hash as Digest

    from bake.search.all_pairs.runs import EndedRuns
    from bake.tables.run_writer import RangeRuns

    Range = tuple[int, int]
    Check = Callable[[RangeRuns], None]

#: Seconds between two checkpoints; an environment variable may set another number.
SECONDS = 30.0
SECONDS_VARIABLE = "BAKE_CHECKPOINT_SECONDS"

#: A bake that has run for this share of those seconds keeps its finished tables, and its unfinished
#: one when it is interrupted.
WORTH = 1 / 6

#: Version of the files' layout. Files of another version are not read: the bake begins again.
VERSION = 2

_RUN_BYTES = 12
_ROW_BYTES = 20

#: Number of runs read at a time.
_PIECE = 2**18

#: Sets are alike in most rows, so the fastest level does.
_DEFLATE_LEVEL = 1

_LONGEST_LINE = 2**12
_DIGEST_BYTES = 32

#: Suffixes of the files in the folder; files that refer to others are removed first.
SUFFIXES = (".state", ".tmp", ".runs")


def seconds_between() -> float:
    """Return the seconds between two checkpoints."""
    try:
        return max(0.0, float(os.environ.get(SECONDS_VARIABLE, "")))
    except ValueError:
        return SECONDS


class Checkpoint:
    """The checkpoint of one bake of a level, with the state of its long searches.

    Attributes:
        seconds: seconds between two checkpoints.
        pairs: how many pairs the tables have that were begun so far.
        taken_up: how many of those pairs an earlier bake had searched.
        bound_to: fingerprint of everything that decides the asset's content.
    """

    def __init__(self, asset: Path, bound_to: str, say: Callable[[str], None]) -> None:
        """Begin without reading or writing anything; tables do that.

        Args:
            asset: the asset that is being baked.
            bound_to: fingerprint of everything that decides the asset's content.
            say: called with what a person should know.
        """
        self.seconds = seconds_between()
        self.pairs = self.taken_up = 0
        self.bound_to = bound_to
        self._say = say
        self._folder = CheckpointFolder(asset)
        self._off = False
        self.begun = time.monotonic()
        # An interrupt may find another thread in the middle of saving.
        self._busy = threading.Lock()

    def table(self, place: int, profile: str) -> TableCheckpoint:
        """Return the ledger of one profile's table; ``place`` numbers the profiles."""
        return TableCheckpoint(self, self._folder.path, place, f"{self.bound_to} {profile}")

    def load(
        self, files: Sequence[RangeFile], rows: int, check: Check, most_runs: int
    ) -> list[RangeRuns]:
        """Take up what was saved of a table; remove files that are damaged or of something else."""
        found: list[RangeRuns] = []
        if self._folder.path.is_dir() and self._claimed():
            try:
                for file in files:
                    if (runs := file.load(rows, check, most_runs)) is not None:
                        found.append(runs)
                        most_runs -= file.count
            except UnusableError as error:
                self._say(f"the checkpoint {error}; baking from the beginning")
                found.clear()
                for file in files:
                    file.remove()
            except OSError as error:
                found.clear()
                self._give_up(error)
        taken = sum(runs.taken - runs.begin for runs in found)
        if taken:
            self._say(f"{taken / rows:.0%} of the next hops taken up from a checkpoint")
        self.pairs += rows * rows
        self.taken_up += taken * rows
        return found

    def save(self, file: RangeFile, runs: RangeRuns, after: float, *, to_disk: bool) -> None:
        """Save a range if ``after`` seconds have gone by since the last time."""
        with self._busy:
            if time.monotonic() - max(file.saved, self.begun) < after or not self._claimed():
                return
            try:
                file.save(runs, to_disk=to_disk)
            except OSError as error:
                file.remove()
                self._give_up(error)
            file.saved = time.monotonic()

    @property
    def is_long(self) -> bool:
        """Tell whether this bake has run long enough to be worth keeping."""
        return time.monotonic() - self.begun >= WORTH * self.seconds

    def clear(self) -> None:
        """Remove the checkpoint once the asset is there."""
        self._off = True
        self._folder.clear()

    def release(self) -> None:
        """Let other processes take up the checkpoint."""
        self._off = True
        self._folder.release()

    def _claimed(self) -> bool:
        """Tell whether the folder is there and locked by this process; lock it if possible."""
        if not self._off and not self._folder.is_ours:
            try:
                self._folder.claim()
            except BlockingIOError:
                self._off = True  # Another build bakes the same level, and saves them.
            except OSError as error:
                self._give_up(error)
        return not self._off

    def _give_up(self, error: OSError) -> None:
        self._say(f"no checkpoints: {error.strerror or error}")
        self.release()


class TableCheckpoint:
    """The ledger of one table, see :class:`bake.tables.range_search.Ledger`."""

    def __init__(self, checkpoint: Checkpoint, folder: Path, place: int, bound_to: str) -> None:
        self._checkpoint, self._folder = checkpoint, folder
        self._place, self._bound_to = place, bound_to
        self._files = dict[int, RangeFile]()

    def take_up(
        self, ranges: Sequence[Range], rows: int, check: Check, most_runs: int
    ) -> dict[int, RangeRuns]:
        """Return what was saved of each range, by its first target."""
        for each in ranges:
            self._files[each[0]] = RangeFile(self._folder, self._place, each, self._bound_to)
        found = self._checkpoint.load(list(self._files.values()), rows, check, most_runs)
        return {runs.begin: runs for runs in found}

    def offer(self, runs: RangeRuns) -> None:
        """Save the range if it is time."""
        self._save(runs, self._checkpoint.seconds, to_disk=True)

    def finished(self, runs: RangeRuns) -> None:
        """Save the range if the bake is a long one, as others may follow."""
        if self._checkpoint.is_long:
            self._save(runs, 0.0, to_disk=True)

    def interrupted(self, runs: RangeRuns) -> None:
        """Save the range if the bake is a long one, without waiting for the disk."""
        if self._checkpoint.is_long:
            self._save(runs, 0.0, to_disk=False)

    def _save(self, runs: RangeRuns, after: float, *, to_disk: bool) -> None:
        self._checkpoint.save(self._files[runs.begin], runs, after, to_disk=to_disk)


class CheckpointFolder:
    """One process's hold on the checkpoint of an asset.

    Attributes:
        path: the folder, which need not exist.
        is_ours: whether this process has locked it.
    """

    def __init__(self, asset: Path) -> None:
        self.path = asset.with_name(f".{asset.name}.checkpoint")
        self.is_ours = False
        self._handle: int | None = None

    def claim(self) -> None:
        """Make the folder if need be, and lock it.

        Raises:
            BlockingIOError: another process has locked it.
            OSError: the folder cannot be made.
        """
        while not self.is_ours:
            self.path.mkdir(exist_ok=True)
            if sys.platform == "win32":  # Windows cannot open a folder.
                self.is_ours = True
                return
            handle = os.open(self.path, os.O_RDONLY)
            try:
                _lock(handle)
                with contextlib.suppress(FileNotFoundError):
                    # If the folder is another one now, it was removed before it was locked.
                    if os.path.samestat(os.fstat(handle), self.path.stat()):
                        self.is_ours, self._handle = True, handle
            finally:
                if not self.is_ours:
                    os.close(handle)

    def clear(self) -> None:
        """Remove the checkpoint and unlock the folder; do nothing if another process has it."""
        if not self.path.is_dir():
            return
        with contextlib.suppress(OSError):
            self.claim()
            for suffix in SUFFIXES:
                for file in self.path.glob(f"*{suffix}"):
                    file.unlink()
        self.release()

    def release(self) -> None:
        """Unlock the folder, and remove it if it is empty."""
        if self.is_ours:
            with contextlib.suppress(OSError):
                self.path.rmdir()
        if self._handle is not None:
            os.close(self._handle)
        self.is_ours, self._handle = False, None


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        pass  # Some file systems have no locks.


class UnusableError(Exception):
    """A checkpoint cannot be taken up; the message says why in a few words."""


class RangeFile:
    """The checkpoint of one range of a table.

    Attributes:
        saved: when it was saved last, by the monotonic clock.
        count: how many runs were saved.
    """

    def __init__(self, folder: Path, place: int, targets: Range, bound_to: str) -> None:
        """Begin without reading or writing anything.

        Args:
            folder: where the files lie.
            place: number of the table among those of the asset.
            targets: the first target of the range, and the one after its last.
            bound_to: everything that decides what the table will say.
        """
        name = f"{place}-{targets[0]}"
        self._runs, self._state = folder / f"{name}.runs", folder / f"{name}.state"
        self._targets, self._bound_to = targets, bound_to
        self._digest = hashlib.sha256()
        self._pieces = self.count = 0
        self.saved = 0.0

    def load(self, rows: int, check: Check, most_runs: int) -> RangeRuns | None:
        """Return what was saved of (r) rows; None without files.

        Raises:
            UnusableError: the files are damaged, belong to something else, or hold more than
                ``most_runs`` runs.
            OSError: the files cannot be read.
        """
        if not self._state.exists():
            return None
        for file in (self._state, self._runs):
            if file.exists() and not file.is_file():  # A pipe would wait for a writer.
                raise UnusableError("is damaged")
        data = self._state.read_bytes()
        try:
            return self._load(data, rows, check, most_runs)
        except (ValueError, KeyError, TypeError, FileNotFoundError, zlib.error):
            raise UnusableError("is damaged") from None

    def _load(self, data: bytes, rows: int, check: Check, most_runs: int) -> RangeRuns:
        # A build with nothing to do clears checkpoints, and must not wait for a compiler.
        from bake.tables.run_writer import RangeRuns

        line = data[: data.find(b"\n", 0, _LONGEST_LINE) + 1]
        if not line or hashlib.sha256(data[:-_DIGEST_BYTES]).digest() != data[-_DIGEST_BYTES:]:
            raise UnusableError("is damaged")
        said, body = json.loads(line), data[len(line) : -_DIGEST_BYTES]
        if said["version"] != VERSION or said["bound to"] != self._bound_to:
            raise UnusableError("is of another level, recipe or version")
        count = said["runs"]
        inflate = zlib.decompressobj()
        body = inflate.decompress(body, rows * _ROW_BYTES + 1)
        if len(body) != rows * _ROW_BYTES or count > most_runs:
            raise UnusableError("does not fit")
        ended, digest = self._read_runs(count)
        if digest.hexdigest() != said["sha256 of runs"]:
            raise UnusableError("is damaged")
        moves, first_moves = np.frombuffer(body, "<u8", 2 * rows).reshape(2, rows).astype(np.uint64)
        run_start = np.frombuffer(body, "<i4", rows, 16 * rows).astype(np.int32)
        begin, stop = self._targets
        runs = RangeRuns(begin, stop, said["targets"], moves, run_start, first_moves, ended)
        check(runs)
        self._digest, self._pieces, self.count = digest, len(ended), count
        return runs

    def _read_runs(self, count: int) -> tuple[list[EndedRuns], Digest]:
        # A build with nothing to do clears checkpoints, and must not wait for a compiler.
        from bake.search.all_pairs.runs import EndedRuns

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

    def save(self, runs: RangeRuns, *, to_disk: bool) -> None:
        """Write what was found since the last time.

        Args:
            runs: of the search that went on from what this loaded, or of a new one.
            to_disk: wait until the disk has the files, so that they outlive a loss of power.

        Raises:
            OSError: the files cannot be written.
        """
        count = self.count
        with self._runs.open("r+b" if count else "wb") as file:
            file.truncate(count * _RUN_BYTES)
            file.seek(0, os.SEEK_END)
            for piece in runs.ended[self._pieces :]:
                data = np.stack(piece, axis=1).astype("<i4", copy=False).tobytes()
                file.write(data)
                self._digest.update(data)
                count += len(piece.row)
            file.flush()
            if to_disk:
                os.fsync(file.fileno())
        said = {
            "version": VERSION,
            "bound to": self._bound_to,
            "targets": runs.taken,
            "runs": count,
            "sha256 of runs": self._digest.hexdigest(),
        }
        body = (
            runs.moves.astype("<u8", copy=False).tobytes(),
            runs.first_moves.astype("<u8", copy=False).tobytes(),
            runs.run_start.astype("<i4", copy=False).tobytes(),
        )
        parts = (json.dumps(said).encode() + b"\n", zlib.compress(b"".join(body), _DEFLATE_LEVEL))
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
        self._pieces, self.count = len(runs.ended), count
