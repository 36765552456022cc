"""The folder of an asset's checkpoint, which one process at a time has locked.

A build that has nothing to bake looks after these folders as well, so this loads no kernels.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl


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
            for file in (*self.path.glob("*.range"), *self.path.glob("*.tmp")):
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
