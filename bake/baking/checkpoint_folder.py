"""The folder of an asset's checkpoint, locked by one process at a time.

A build with nothing to bake also cleans these folders, so this module imports no kernels. A link
with the name of such a folder may lead anywhere; it is neither followed nor removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

from bake.store.partial import is_link, lock


class CheckpointFolder:
    """The lockable checkpoint folder of an asset."""

    def __init__(self, asset: Path) -> None:
        #: The folder, which need not exist.
        self.path = asset.with_name(f".{asset.name}.checkpoint")
        #: Whether this process has locked the folder.
        self.is_ours = False
        self._handle: int | None = None

    def claim(self) -> None:
        """Create the folder unless it exists, and lock it.

        Raises:
            BlockingIOError: another process has locked the folder.
            OSError: the folder cannot be created.
        """
        while not self.is_ours:
            if is_link(self.path):
                raise OSError(errno.ELOOP, "a link has its name; remove the link")
            self.path.mkdir(parents=True, exist_ok=True)
            if sys.platform != "win32":  # Windows cannot open a folder.
                # Another process may remove the folder before it is locked.
                self._handle = lock(self.path, os.O_RDONLY, wait=False)
            self.is_ours = self._handle is not None or sys.platform == "win32"

    def clear(self) -> None:
        """Remove the checkpoint, unless another process has locked it."""
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
