"""The folder of an asset's checkpoint, which one process at a time has locked.

A build that has nothing to bake looks after these folders as well, so this loads no kernels. A link
at the name of such a folder may lead anywhere, and is neither followed nor removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

from bake.store.partial import is_link, lock


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
            if is_link(self.path):
                raise OSError(errno.ELOOP, "a link has its name; remove the link")
            self.path.mkdir(parents=True, exist_ok=True)
            if sys.platform != "win32":  # Windows cannot open a folder.
                # Another process may remove it before it is locked.
                self._handle = lock(self.path, os.O_RDONLY, wait=False)
            self.is_ours = self._handle is not None or sys.platform == "win32"

    def clear(self) -> None:
        """Remove the checkpoint and unlock the folder; do nothing if another process has it."""
        if is_link(self.path) or not self.path.is_dir():
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
