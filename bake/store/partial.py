"""Write files completely or not at all, through a locked temporary file in the same folder.

A lock ends with its process, however the process ends, and every process on the machine can see it,
even inside containers. A process number in a file's name would do neither: another process may have
that number later.

A repository may contain links with the names used here. None of them is followed: a file is created
only if its name is free, and removing a name removes the link.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from levelbake.errors import OutputError

if sys.platform != "win32":
    import fcntl


#: Opens the file of a name but not a link's target, without waiting for other processes.
_ITSELF = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

#: Windows' tag of a junction, a link to a folder that is not a symbolic link.
_JUNCTION = 0xA0000003

_TRIAL_BYTES = 2**12

_NO_ROOM = "make room on this disk, and try again"
_NO_ROOM_NUMBERS = (errno.ENOSPC, errno.EDQUOT)
#: The remedy for a user, by the system's error number.
_REMEDIES = {
    **dict.fromkeys(_NO_ROOM_NUMBERS, _NO_ROOM),
    errno.EFBIG: "allow larger files; `ulimit -f` and the file system limit their size",
}


@contextlib.contextmanager
def written_whole(path: Path, put: Callable[[Path], object] | None = None) -> Iterator[Path]:
    """Create an empty file in the same folder; at the end, sync it to disk and move it into place.

    If an exception ends the block, the file is removed, and an existing file is untouched.

    Args:
        path: the final file.
        put: called with the temporary file to rename it; None = replace ``path``.

    Raises:
        OutputError: the file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            raise OutputError(
                "cannot be written: a folder, a device or a pipe has this name",
                file=path,
                expected="the name of a file",
            )
        with beside(path) as partial:
            yield partial
            with partial.open("r+b") as file:
                os.fsync(file.fileno())
            if put is None:
                partial.replace(path)
            else:
                put(partial)
        sync_folder(path.parent)
    except OSError as error:
        raise output_error(path, error) from error


def with_room(path: Path, write: Callable[[], int]) -> int:
    """Write a file, and retry alone if the disk was full while other processes were writing.

    First attempts share a lock on the folder, and the second attempt holds it exclusively: the disk
    is then full only if the file does not fit beside finished ones.

    Args:
        path: the final file.
        write: writes it completely or not at all, and returns its size.

    Raises:
        OutputError: from ``write``.
    """
    with _lock_on(path.parent, shared=True):
        try:
            return write()
        except OutputError as error:
            if getattr(error.__cause__, "errno", None) not in _NO_ROOM_NUMBERS:
                raise
    with _lock_on(path.parent, shared=False):
        return write()


@contextlib.contextmanager
def _lock_on(folder: Path, *, shared: bool) -> Iterator[None]:
    """Wait for a lock on a folder, if the system has such locks, and hold it."""
    handle = None
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # Some file systems have no locks.
            handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def output_error(path: Path, error: Exception) -> OutputError:
    """Build the error for a file that cannot be written."""
    number = getattr(error, "errno", None)
    reason = os.strerror(number) if number else next(iter(str(error).splitlines()), "unknown")
    return OutputError(
        f"cannot be written: {reason}",
        file=path,
        remedy=_REMEDIES.get(number or 0, "check the folder's permissions and free space"),
    )


def sync_folder(folder: Path) -> None:
    """Sync the names of files in a folder to disk, on systems that can open folders."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Create an empty file in the same folder, and remove it at the end unless it was renamed."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    handle = _create(partial)
    try:
        yield partial
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        if handle is not None:
            os.close(handle)


def make_folder(folder: Path, called: str) -> None:
    """Create a folder and its parents, unless they exist.

    Raises:
        OutputError: it cannot be created; ``called`` names its purpose in the error.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"{called} cannot be created: {error.strerror or error}", file=folder
        ) from None


@contextlib.contextmanager
def created_folder(folder: Path, called: str) -> Iterator[None]:
    """Create a folder for a block; at its end, remove the new folders that are still empty.

    Raises:
        OutputError: the folder cannot be created; ``called`` names its purpose in the error.
    """
    new_folders = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    try:
        make_folder(folder, called)
        yield
    finally:
        with contextlib.suppress(OSError):
            for path in new_folders:
                path.rmdir()


def make_own_folder(folder: Path, called: str) -> None:
    """Create a folder with a generated name, unless it exists.

    Raises:
        OutputError: the folder cannot be created, or its name is that of a link.
    """
    if is_link(folder):
        raise OutputError(
            f"{called} cannot be created: a link has its name",
            file=folder,
            remedy="remove the link",
        )
    make_folder(folder, called)


def is_link(path: Path) -> bool:
    """Return whether a path names a link, or a junction on Windows."""
    try:
        about = path.lstat()
    except OSError:
        return False
    is_junction = getattr(about, "st_reparse_tag", 0) == _JUNCTION
    return stat.S_ISLNK(about.st_mode) or is_junction


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


def lock(path: Path, flags: int, *, wait: bool) -> int | None:
    """Open a file or folder, but not a link, and lock it for this process; Windows locks nothing.

    Returns:
        The descriptor that holds the lock; None if the path has changed in the meantime.

    Raises:
        BlockingIOError: another process has locked it, and ``wait`` is False.
        OSError: it cannot be opened, or is a link.
    """
    handle = os.open(path, flags | _ITSELF, 0o666)
    try:
        if sys.platform != "win32":
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                raise
            except OSError:
                pass  # Some file systems have no locks.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), path.lstat()):
                return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _create(partial: Path) -> int | None:
    """Create a file, lock it, and return the descriptor that holds the lock, if there is one."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    while True:
        try:
            # Another process may remove the file as a leftover before it is locked.
            if (handle := lock(partial, flags, wait=True)) is None:
                continue
        except FileExistsError:
            _clear_name(partial)
            continue
        if sys.platform == "win32":  # Windows does not rename an open file.
            os.close(handle)
            return None
        return handle


def _clear_name(partial: Path) -> None:
    """Remove a link, or a leftover of an earlier process with the same number.

    Another process may have that number at the same time, in another container; wait for it.
    """
    if sys.platform == "win32" or is_link(partial):
        partial.unlink(missing_ok=True)
        return
    with contextlib.suppress(FileNotFoundError):
        handle = os.open(partial, os.O_RDWR | _ITSELF)
        try:
            with contextlib.suppress(OSError):  # Some file systems have no locks.
                fcntl.flock(handle, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(handle), partial.lstat()):
                partial.unlink()
        finally:
            os.close(handle)


def remove_leftovers(folder: Path, pattern: str = ".*.h5.*.tmp") -> None:
    """Remove unfinished files of processes that no longer run."""
    for leftover in folder.glob(pattern):
        if leftover.name.rsplit(".", 2)[1].isdigit():
            with contextlib.suppress(OSError):
                _remove_unless_locked(leftover)


def _remove_unless_locked(leftover: Path) -> None:
    # Windows does not remove an open file. A link is removed, not its target.
    if sys.platform == "win32" or is_link(leftover):
        leftover.unlink(missing_ok=True)
        return
    handle = os.open(leftover, os.O_RDWR | _ITSELF)
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
    """Return whether a process has the number in a file's name, for systems without locks."""
    try:
        os.kill(int(leftover.name.rsplit(".", 2)[1]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
