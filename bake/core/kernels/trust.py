"""Find a folder for compiled kernels that no other user may write.

Cached code is executed, and numba's index of that code is a pickle, which executes code when it is
read. A user who may write the cache could therefore run code as this user. A digest in a file is no
protection, since any user can compute it; the ownership of folders and files is.

Windows stores caches where other users may not write, and nothing is checked there.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

#: A path that can neither be read nor written: the cache if there is no folder for it.
NOWHERE = Path(os.devnull, "kernels")


@cache
def find_cache_folder() -> tuple[Path, str]:
    """Return the folder for compiled kernels, and a note if it is not the usual one.

    The usual folder is in ``BAKE_CACHE_DIR`` if set, otherwise in ``NUMBA_CACHE_DIR`` if set,
    otherwise in the user's cache folder. If another user may write it, or this user may not, a
    private folder for temporary files is used instead.
    """
    usual = _usual_base()
    if not (fault := _find_fault(usual)):
        return usual / "kernels", ""
    remedy = "set BAKE_CACHE_DIR to a folder that you alone may write"
    import tempfile  # Most processes do not need it.

    try:
        user = f"-{os.getuid()}" if sys.platform != "win32" else ""
        private = Path(tempfile.gettempdir(), f"levelbake{user}")
        private_fault = _find_fault(private)
    except OSError as error:
        private, private_fault = NOWHERE, str(error.strerror or error)
    if not private_fault:
        return private / "kernels", f"{fault}, so compiled code is kept in {private}; {remedy}"
    return NOWHERE, f"{fault}, and {private_fault}, so no compiled code is kept; {remedy}"


def make_folder(folder: Path) -> None:
    """Create a cache folder and its parents, writable by this user only.

    Raises:
        OSError: a folder cannot be created, or another user may write to it.
    """
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    for path in reversed(missing):
        with suppress(FileExistsError):
            path.mkdir(mode=0o755)
    base = find_cache_folder()[0].parent
    for place in (folder, *folder.parents):
        about = place.lstat() if place != base else place.stat()
        if not (stat.S_ISDIR(about.st_mode) and _is_own(about)):
            raise PermissionError(f"{place} is not a folder that only this user may write")
        if place == base:
            break


def protect(handle: int) -> None:
    """Remove write permission of other users from an open file."""
    if sys.platform != "win32":
        os.fchmod(handle, stat.S_IMODE(os.fstat(handle).st_mode) & ~(stat.S_IWGRP | stat.S_IWOTH))


def check_own(file: Path) -> None:
    """Raise ValueError if another user may write a file of the cache, or the folder of the file."""
    if not (_is_own(file.parent.stat()) and _is_own(file.stat())):
        raise ValueError(f"another user may write {file}")


def _usual_base() -> Path:
    chosen = os.environ.get("BAKE_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "levelbake"


def _find_fault(base: Path) -> str:
    """Return why ``kernels`` in a folder cannot be the cache, as a clause; empty if it can."""
    folder = base / "kernels"
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            folder.stat()  # Raises where links lead in a circle.
        if sys.platform != "win32":
            above = len(base.absolute().parts)
            for passed, depth in _walk_links(folder):
                if fault := _distrust(passed, is_above=depth < above):
                    return fault
        nearest = folder
        while not nearest.exists():
            nearest = nearest.parent
        if not nearest.is_dir():
            return f"{nearest} is not a folder"
        is_filled = nearest == folder and next(folder.iterdir(), None) is not None
    except (OSError, RuntimeError) as error:
        return f"{folder} cannot be used ({getattr(error, 'strerror', None) or error})"
    if not os.access(nearest, os.W_OK | os.X_OK) and not is_filled:
        return f"{nearest} cannot be written"
    return ""


def _walk_links(path: Path) -> Iterator[tuple[Path, int]]:
    """Yield the folders and links that a path resolves through, as far as they exist.

    Yields:
        Each with the number of parts of the path that lead to it.
    """
    path = path.absolute()
    ahead = [(part, depth) for depth, part in enumerate(path.parts)][:0:-1]
    place = Path(path.anchor)
    yield place, 1
    while ahead:
        part, depth = ahead.pop()
        place = place.parent if part == ".." else place / part
        if not os.path.lexists(place):
            return
        yield place, depth + 1
        if place.is_symlink():
            target = place.parent / place.readlink()
            # The last part is the link's target; the other parts lie above it.
            *above, last = target.parts[1:] or ("",)
            ahead += [(last, depth), *((each, 0) for each in reversed(above))]
            place = Path(target.anchor)


def _distrust(path: Path, *, is_above: bool) -> str:
    """Return why a folder or link on the path to the cache is unsafe; empty if it is safe.

    Args:
        path: the folder or link.
        is_above: whether it lies above the base of the cache. Other users may write such a folder
            if it is sticky, as they cannot replace anything in it.
    """
    about = path.lstat()
    if stat.S_ISLNK(
        about.st_mode
    ):  # A link's mode has no meaning; the mode of its folder decides who may replace it.
        return "" if about.st_uid in (0, os.getuid()) else f"{path} belongs to another user"
    if not stat.S_ISDIR(about.st_mode):
        return f"{path} is not a folder"
    if about.st_uid not in (0, os.getuid()) and not (is_above and about.st_uid == _overflow_user()):
        return f"{path} belongs to another user"
    if _others_write(about) and not (is_above and about.st_mode & stat.S_ISVTX):
        return f"other users may write {path}"
    return ""


def _is_own(about: os.stat_result) -> bool:
    """Return whether no user except this one and root may write a file or folder."""
    if sys.platform == "win32":
        return True
    return about.st_uid in (0, os.getuid()) and not _others_write(about)


def _others_write(about: os.stat_result) -> bool:
    if about.st_mode & stat.S_IWOTH:
        return True
    return bool(about.st_mode & stat.S_IWGRP) and not _is_private_group(about.st_gid)


@cache
def _is_private_group(group: int) -> bool:
    """Return whether a group has no member except this user.

    Many systems create such a group with the user's name for each user, and allow it to write the
    user's files.
    """
    if sys.platform == "win32":
        return True
    import grp
    import pwd

    try:
        user, members = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    is_alone = {*members.gr_mem} <= {user.pw_name}
    return user.pw_gid == group and members.gr_name == user.pw_name and is_alone


@cache
def _overflow_user() -> int:
    """Return the user id that owns, inside a container, files of users outside it."""
    try:
        return int(Path("/proc/sys/kernel/overflowuid").read_text())
    except (OSError, ValueError):
        return 0
