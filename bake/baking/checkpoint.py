"""Checkpoints: store the finished ranges of long bakes until the asset is written.

A checkpoint is a folder of finished ranges beside the asset (:mod:`bake.baking.ranges`). It belongs
to the process that has locked it; the lock ends with the process.

A bad checkpoint never fails a bake: missing ranges are searched again, or the bake continues
without a checkpoint.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from bake.baking.checkpoint_folder import CheckpointFolder
from bake.baking.ranges import RangeFolder, UnusableError
from bake.tables.range_search import OfRange, Range
from bake.tables.run_writer import RangeRuns
from levelbake.errors import OutputError

#: Seconds after which a bake stores the ranges that it finishes; an environment variable may set
#: another number.
SECONDS = 5.0
SECONDS_VARIABLE = "BAKE_CHECKPOINT_SECONDS"


def seconds_before() -> float:
    """Return the seconds after which a bake stores finished ranges."""
    try:
        return max(0.0, float(os.environ.get(SECONDS_VARIABLE, "")))
    except ValueError:
        return SECONDS


class Checkpoint:
    """The checkpoint of one bake of a level."""

    def __init__(self, asset: Path, bound_to: str, say: Callable[[str], None]) -> None:
        """Create the checkpoint without reading or writing files.

        Args:
            asset: the asset that is being baked.
            bound_to: fingerprint of everything that decides the asset's content.
            say: called with messages for the user.
        """
        #: Pairs of all ranges requested so far, and the part of them read from the checkpoint.
        self.pairs = self.taken_up = 0
        #: The fingerprint.
        self.bound_to = bound_to
        self._say = say
        self._folder = CheckpointFolder(asset)
        self._off = False
        self._from = time.monotonic() + seconds_before()

    def table(self, place: int, profile: str) -> TableCheckpoint:
        """Return the checkpoint of the table of a profile, which has the number ``place``."""
        ranges = RangeFolder(self._folder.path, place, f"{self.bound_to} {profile}")
        return TableCheckpoint(self, ranges)

    def load(
        self, ranges: RangeFolder, targets: Range, rows: int, check: OfRange, most_runs: int
    ) -> RangeRuns | None:
        """Return a stored range of a table; None if it is missing or unusable."""
        pairs = rows * (targets[1] - targets[0])
        self.pairs += pairs
        if not ranges.has(targets) or not self._claimed():
            return None
        try:
            runs = ranges.read(targets, rows, check, most_runs)
        except UnusableError as error:
            self._say(f"a range of the checkpoint {error}; it is searched again")
            return None
        self.taken_up += pairs
        return runs

    def save(self, ranges: RangeFolder, runs: RangeRuns) -> None:
        """Store a finished range, if the bake has run long enough."""
        if time.monotonic() < self._from or not self._claimed():
            return
        try:
            ranges.save(runs)
        except OutputError as error:
            self._give_up(error.found)

    def clear(self) -> None:
        """Remove the checkpoint after the asset was written."""
        self._off = True
        self._folder.clear()

    def release(self) -> None:
        """Unlock the checkpoint for other processes."""
        self._off = True
        self._folder.release()

    def _claimed(self) -> bool:
        """Lock the folder if possible, and return whether this process has locked it."""
        if not self._off and not self._folder.is_ours:
            try:
                self._folder.claim()
            except BlockingIOError:
                self._off = True  # Another build bakes the same level and stores its ranges.
            except OSError as error:
                self._give_up(f"cannot be created: {error.strerror or error}")
        return not self._off

    def _give_up(self, why: str) -> None:
        self._say(f"no checkpoints: the folder {why}")
        self.release()


class TableCheckpoint:
    """The checkpoint of one table, see :class:`bake.tables.range_search.KeptRanges`."""

    def __init__(self, checkpoint: Checkpoint, ranges: RangeFolder) -> None:
        self._checkpoint, self._ranges = checkpoint, ranges

    def load(self, targets: Range, rows: int, check: OfRange, most_runs: int) -> RangeRuns | None:
        """Return a stored range; None if it is missing or unusable."""
        return self._checkpoint.load(self._ranges, targets, rows, check, most_runs)

    def save(self, runs: RangeRuns) -> None:
        """Store a finished range, if the bake has run long enough."""
        self._checkpoint.save(self._ranges, runs)
