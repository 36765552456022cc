"""Files under way: written beside their place, locked by who writes them, gone if that one dies.

A lock ends with its process however that ends, and is known to every process on the machine, inside
containers too. A process number in a name is neither: it may be anyone's by now.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform != "win32":
    import fcntl


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Path]:
    """An empty file in the same folder, to be renamed; gone when the block ends however it ends."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = _create(partial)
    try:
        yield partial
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        os.close(handle)


def _create(partial: Path) -> int:
    """Create a file and lock it; a descriptor that holds the lock."""
    while True:
        handle = os.open(partial, os.O_RDWR | os.O_CREAT, 0o666)
        if sys.platform == "win32":
            return handle
        try:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), partial.stat()):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # taken for a leftover before it was locked


def remove_leftovers(folder: Path, pattern: str = ".*.h5.*.tmp") -> None:
    """Remove what processes that are no more have left half written."""
    for leftover in folder.glob(pattern):
        if leftover.name.rsplit(".", 2)[1].isdigit():
            with contextlib.suppress(OSError):
                _remove_unless_locked(leftover)


def _remove_unless_locked(leftover: Path) -> None:
    if sys.platform == "win32":  # where a file that is open cannot be removed
        leftover.unlink(missing_ok=True)
        return
    handle = os.open(leftover, os.O_RDWR)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES) or _is_running(leftover):
                return
        leftover.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _is_running(leftover: Path) -> bool:
    """Whether there is a process of the number in a file's name; all there is without locks."""
    try:
        os.kill(int(leftover.name.rsplit(".", 2)[1]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
