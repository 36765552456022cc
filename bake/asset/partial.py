"""Keep unfinished files beside their place, locked by the process that writes them.

A lock ends with its process, in whatever way the process ends, and every process on the machine can
see it, even inside containers. A process number in a file's name would do neither: another process
may have that number later.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bake.errors import OutputError

if sys.platform != "win32":
    import fcntl


_TRIAL_BYTES = 2**12


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Make an empty file in the same folder, and remove it at the end unless it was renamed."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = _create(partial)
    try:
        yield partial
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        os.close(handle)


def check_writable(folder: Path) -> None:
    """Write a small file into a folder and remove it.

    Raises:
        OutputError: the folder is missing, read-only or full.
    """
    try:
        with beside(folder / "trial.h5") as trial, trial.open("wb", buffering=0) as file:
            file.write(bytes(_TRIAL_BYTES))
            os.fsync(file.fileno())
    except OSError as error:
        raise OutputError(
            f"nothing can be written into this folder: {error.strerror or error}",
            file=folder,
            remedy="check its permissions and free space, or choose another folder (-o)",
        ) from None


def _create(partial: Path) -> int:
    """Create a file, lock it, and return the descriptor that holds the lock."""
    while True:
        handle = os.open(partial, os.O_RDWR | os.O_CREAT, 0o666)
        if sys.platform == "win32":
            return handle
        try:
            with contextlib.suppress(OSError):  # Some file systems have no locks.
                fcntl.flock(handle, fcntl.LOCK_EX)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), partial.stat()):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # Another process took it for a leftover before the lock.


def remove_leftovers(folder: Path, pattern: str = ".*.h5.*.tmp") -> None:
    """Remove unfinished files of processes that no longer run."""
    for leftover in folder.glob(pattern):
        if leftover.name.rsplit(".", 2)[1].isdigit():
            with contextlib.suppress(OSError):
                _remove_unless_locked(leftover)


def _remove_unless_locked(leftover: Path) -> None:
    if sys.platform == "win32":  # Windows does not remove a file that is open.
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
    """Tell whether a process has the number in a file's name, for systems without locks."""
    try:
        os.kill(int(leftover.name.rsplit(".", 2)[1]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
