"""Detect changes of files in some folders.

File system events report changes at once. Network drives have no events, and a machine may run out
of watches. Therefore the folders are also scanned every second, comparing the size, time and inode
number of each file.

``WATCHFILES_FORCE_POLLING`` makes watchfiles poll instead of waiting for events.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from bake.core.interrupts import StopFlag

#: Seconds between two scans without events.
SCAN_INTERVAL = 1.0

#: Seconds between two scans if the system has no events.
POLL_INTERVAL = 0.25

#: The largest share of time for scans, for any number of files.
_SHARE = 0.05

#: Milliseconds without further changes before changes are reported, and the longest wait.
_QUIET, _LONGEST = 25, 250

#: Time, size and inode number of each file; only the inode number of a folder.
State = dict[Path, tuple[int, ...]]


def noticed(
    folders: Callable[[], Collection[Path]],
    stop: StopFlag | None = None,
    ignore: Callable[[str], bool] = lambda name: False,
) -> Iterator[frozenset[Path]]:
    """Yield changed, new and removed files soon after the changes.

    An empty set is yielded when watching starts, and when the watched folders have changed. A
    reported file may be unchanged. Subfolders are reported when they are created or removed, not
    when files in them change.

    Args:
        folders: returns the folders to watch; called again after each yield. For a missing folder,
            the nearest existing parent is watched.
        stop: ends the iteration when set.
        ignore: returns whether changes of a file name are ignored.
    """
    stop = StopFlag() if stop is None else stop
    watched = nearest_existing(folders())
    before = read_state(watched, ignore)
    yield frozenset()
    while not stop.is_set():
        for names in _wait_for_events(watched, stop):
            started = time.monotonic()
            after = read_state(watched, ignore)
            paths = before.keys() | after.keys()
            changed = {path for path in paths if before.get(path) != after.get(path)}
            # Times of some drives are too coarse to show a second change.
            changed |= {path for path in names if path in after and not ignore(path.name)}
            before = after
            if changed:
                yield frozenset(changed)
            current = nearest_existing(folders()) if changed else nearest_existing(watched)
            if current != watched:
                watched, before = current, {**before, **read_state(current - watched, ignore)}
                yield frozenset()
                break
            stop.wait(min(SCAN_INTERVAL, (time.monotonic() - started) / _SHARE) if not names else 0)


def nearest_existing(folders: Collection[Path]) -> frozenset[Path]:
    """Return the folders, with missing ones replaced by their nearest existing parent."""
    existing_folders = set()
    for folder in folders:
        path = folder.absolute()
        while not path.is_dir() and path != path.parent:
            path = path.parent
        existing_folders.add(path)
    return frozenset(existing_folders)


def read_state(
    folders: Collection[Path], ignore: Callable[[str], bool] = lambda name: False
) -> State:
    """Return the state of each file and subfolder in some folders, not recursively."""
    state: State = {}
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if ignore(entry.name):
                        continue
                    try:
                        about = entry.stat()
                    except OSError:  # The file was removed, or is a broken link.
                        continue
                    path = folder / entry.name
                    if entry.is_dir():
                        state[path] = (about.st_ino,)
                    else:
                        state[path] = (about.st_mtime_ns, about.st_size, about.st_ino)
        except OSError:
            continue
    return state


def _wait_for_events(watched: Collection[Path], stop: StopFlag) -> Iterator[set[Path]]:
    """Yield when a scan is due: the files in events, or an empty set after a timeout."""
    try:
        from watchfiles import watch

        events = watch(
            *sorted(watched),
            watch_filter=None,
            debounce=_LONGEST,
            step=_QUIET,
            stop_event=stop,
            rust_timeout=int(1000 * SCAN_INTERVAL),
            yield_on_timeout=True,
            recursive=False,
        )
        # A first scan finds changes from before the events were enabled.
        yield set()
        for changes in events:
            yield {Path(path) for _, path in changes}
    except (ImportError, OSError, RuntimeError):
        # There are no events: watches are exhausted, or the system has none.
        while not stop.wait(POLL_INTERVAL):
            yield set()
