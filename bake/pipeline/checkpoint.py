"""Checkpoints of long bakes: what a search has come to, there until the asset is.

Whatever is wrong with one is no reason to fail: the level is baked from the beginning then, or goes
on without checkpoints.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bake.pipeline.checkpoint_file import TableFile, UnusableError
from bake.pipeline.checkpoint_folder import CheckpointFolder
from bake.tables.run_writer import RunWriter

#: Seconds between two checkpoints; the environment may say others.
SECONDS = 30.0
SECONDS_VARIABLE = "BAKE_CHECKPOINT_SECONDS"

#: A bake under way for this part of them keeps its finished tables, and what it has come to when
#: it is interrupted.
WORTH = 1 / 6


def seconds_between() -> float:
    """Seconds between two checkpoints."""
    try:
        return max(0.0, float(os.environ.get(SECONDS_VARIABLE, "")))
    except ValueError:
        return SECONDS


class Checkpoint:
    """What one bake of a level keeps of its long searches.

    Attributes:
        seconds: between two checkpoints.
        pairs: pairs of the tables that were looked for so far.
        taken_up: how many of them an earlier bake had searched.
    """

    def __init__(self, asset: Path, bound_to: str, say: Callable[[str], None]) -> None:
        """Nothing is read or written before a table asks for it.

        Args:
            asset: what is being baked.
            bound_to: fingerprint of everything that decides the asset's content.
            say: told what a person should know.
        """
        self.seconds = seconds_between()
        self.pairs = self.taken_up = 0
        self._bound_to = bound_to
        self._say = say
        self._folder = CheckpointFolder(asset)
        self._off = False
        self._begun = self._saved = time.monotonic()
        # An interrupt may find another thread in the middle of saving.
        self._busy = threading.Lock()

    def table(self, place: int, profile: str) -> TableCheckpoint:
        """The ledger of one profile's table; ``place`` tells profiles apart."""
        return TableCheckpoint(
            self, TableFile(self._folder.path, place, f"{self._bound_to} {profile}")
        )

    def load(self, file: TableFile, writer: RunWriter, most_runs: int) -> None:
        """Take up what there is of a table; what is damaged or of something else is removed."""
        rows = len(writer.moves)
        if self._folder.path.is_dir() and self._claimed():
            try:
                file.load(writer, most_runs)
            except UnusableError as error:
                self._say(f"the checkpoint {error}; baking from the beginning")
                file.remove()
            except OSError as error:
                self._give_up(error)
        if writer.taken:
            self._say(f"{writer.taken / rows:.0%} of the next hops taken up from a checkpoint")
        self.pairs += rows * rows
        self.taken_up += writer.taken * rows

    def save(self, file: TableFile, writer: RunWriter, after: float, *, to_disk: bool) -> None:
        """Save a table if so many seconds have gone by since the last time."""
        with self._busy:
            if time.monotonic() - self._saved < after or not self._claimed():
                return
            try:
                file.save(writer, to_disk=to_disk)
            except OSError as error:
                file.remove()
                self._give_up(error)
            self._saved = time.monotonic()

    @property
    def is_long(self) -> bool:
        """Whether this bake has come to something worth keeping."""
        return time.monotonic() - self._begun >= WORTH * self.seconds

    def clear(self) -> None:
        """Remove the checkpoint, as the asset is there."""
        self._off = True
        self._folder.clear()

    def release(self) -> None:
        """Let others take the checkpoint up."""
        self._off = True
        self._folder.release()

    def _claimed(self) -> bool:
        """Whether the folder is there and is ours alone."""
        if not self._off and not self._folder.is_ours:
            try:
                self._folder.claim()
            except BlockingIOError:
                self._off = True  # another build bakes the same level, and keeps them
            except OSError as error:
                self._give_up(error)
        return not self._off

    def _give_up(self, error: OSError) -> None:
        self._say(f"no checkpoints: {error.strerror or error}")
        self.release()


class TableCheckpoint:
    """The ledger of one table, see :class:`bake.tables.compressed.Ledger`."""

    def __init__(self, checkpoint: Checkpoint, file: TableFile) -> None:
        self._checkpoint, self._file = checkpoint, file

    def take_up(self, writer: RunWriter, most_runs: int) -> None:
        """Bring a fresh writer to what was saved."""
        self._checkpoint.load(self._file, writer, most_runs)

    def offer(self, writer: RunWriter) -> None:
        """Save it if it is time."""
        self._checkpoint.save(self._file, writer, self._checkpoint.seconds, to_disk=True)

    def finished(self, writer: RunWriter) -> None:
        """Save it if the bake is a long one: other tables may be to come."""
        if self._checkpoint.is_long:
            self._checkpoint.save(self._file, writer, 0.0, to_disk=True)

    def interrupted(self, writer: RunWriter) -> None:
        """Save it if the bake is a long one, and do not wait for the disk."""
        if self._checkpoint.is_long:
            self._checkpoint.save(self._file, writer, 0.0, to_disk=False)
