"""The folder beside an asset that holds the checkpoint of its bake, and belongs to who locked it.

A lock ends with its process however that ends, so no checkpoint is ever anyone's for longer.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl

#: Of the files in it; those that refer to others are removed first.
SUFFIXES = (".state", ".tmp", ".runs")


class CheckpointFolder:
    """One process's hold on the checkpoint of an asset.

    Attributes:
        path: the folder, there or not.
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
            OSError: it cannot be made.
        """
        while not self.is_ours:
            self.path.mkdir(exist_ok=True)
            if sys.platform == "win32":  # where a folder cannot be opened
                self.is_ours = True
                return
            handle = os.open(self.path, os.O_RDONLY)
            try:
                _lock(handle)
                with contextlib.suppress(FileNotFoundError):
                    # Else it was removed before it was locked.
                    if os.path.samestat(os.fstat(handle), self.path.stat()):
                        self.is_ours, self._handle = True, handle
            finally:
                if not self.is_ours:
                    os.close(handle)

    def clear(self) -> None:
        """Remove the checkpoint and let go of the folder; nothing if another process has it."""
        if not self.path.is_dir():
            return
        with contextlib.suppress(OSError):
            self.claim()
            for suffix in SUFFIXES:
                for file in self.path.glob(f"*{suffix}"):
                    file.unlink()
        self.release()

    def release(self) -> None:
        """Let go of the folder, and remove it if nothing is in it."""
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
        pass  # a file system without locks
