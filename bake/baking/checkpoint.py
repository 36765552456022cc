"""Keep the finished ranges of long bakes until the asset is there.

A checkpoint is a folder of finished ranges beside the asset (:mod:`bake.baking.ranges`), which
belongs to the process that has locked it. A lock ends with its process, in whatever way the process
ends, so no process holds a checkpoint longer.

A bake never fails because a checkpoint is bad: what it lacks is searched again, or the bake goes on
without one.
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

#: Seconds after which a bake keeps the ranges that it finishes; an environment variable may set
#: another number.
SECONDS = 5.0
SECONDS_VARIABLE = "BAKE_CHECKPOINT_SECONDS"


def seconds_before() -> float:
    """Return the seconds after which a bake keeps what it finishes."""
    try:
        return max(0.0, float(os.environ.get(SECONDS_VARIABLE, "")))
    except ValueError:
        return SECONDS


class Checkpoint:
    """The checkpoint of one bake of a level.

    Attributes:
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
        self.pairs = self.taken_up = 0
        self.bound_to = bound_to
        self._say = say
        self._folder = CheckpointFolder(asset)
        self._off = False
        self._from = time.monotonic() + seconds_before()

    def table(self, place: int, profile: str) -> TableCheckpoint:
        """Return the checkpoint of one profile's table; ``place`` numbers the profiles."""
        ranges = RangeFolder(self._folder.path, place, f"{self.bound_to} {profile}")
        return TableCheckpoint(self, ranges)

    def load(
        self, ranges: RangeFolder, targets: Range, rows: int, check: OfRange, most_runs: int
    ) -> RangeRuns | None:
        """Take up a range of a table; None without one that can be used."""
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
        """Keep a range that was finished, if the bake is a long one."""
        if time.monotonic() < self._from or not self._claimed():
            return
        try:
            ranges.save(runs)
        except OutputError as error:
            self._give_up(error.found)

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
                self._give_up(f"cannot be made: {error.strerror or error}")
        return not self._off

    def _give_up(self, why: str) -> None:
        self._say(f"no checkpoints: the folder {why}")
        self.release()


class TableCheckpoint:
    """The checkpoint of one table, see :class:`bake.tables.range_search.KeptRanges`."""

    def __init__(self, checkpoint: Checkpoint, ranges: RangeFolder) -> None:
        self._checkpoint, self._ranges = checkpoint, ranges

    def load(self, targets: Range, rows: int, check: OfRange, most_runs: int) -> RangeRuns | None:
        """Take up a range; None without one that can be used."""
        return self._checkpoint.load(self._ranges, targets, rows, check, most_runs)

    def save(self, runs: RangeRuns) -> None:
        """Keep a range that was finished, if the bake is a long one."""
        self._checkpoint.save(self._ranges, runs)
