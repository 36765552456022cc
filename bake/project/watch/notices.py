"""Tell when files in some folders change.

The system's notices say so at once, where there are any. Drives over a network give none, and where
a machine has run out of them there are none either. So the folders are looked through every second
as well: size, time and number of each file are compared with those before.

``WATCHFILES_FORCE_POLLING`` makes watchfiles look by itself instead of waiting for notices.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from bake.core.interrupts import StopFlag

#: Seconds between two looks where no notice came.
LOOK_EVERY = 1.0

#: The same where the system gives no notices.
LOOK_OFTEN = 0.25

#: At most this share of the time is spent on looks, however many files there are.
_SHARE = 0.05

#: Milliseconds in which no other file may change before changes are told, and the longest wait.
_QUIET, _LONGEST = 25, 250

#: A file's time, size and number; of a folder only its number.
State = dict[Path, tuple[int, ...]]


def noticed(
    folders: Callable[[], Collection[Path]],
    stop: StopFlag | None = None,
    leave_out: Callable[[str], bool] = lambda name: False,
) -> Iterator[frozenset[Path]]:
    """Yield the files that were changed, made or removed, soon after that happened.

    An empty set comes as soon as the folders, or other ones than before, are watched. A file may be
    told of that is as it was. Folders inside the folders are told of when they come or go, and not
    when something changes in them.

    Args:
        folders: returns the folders to watch; asked again after each yield. In place of one that is
            not there, the nearest one above it is watched.
        stop: ends this when it is set.
        leave_out: tells of the name of a file whether its changes are never told.
    """
    stop = StopFlag() if stop is None else stop
    watched = existing(folders())
    before = state_of(watched, leave_out)
    yield frozenset()
    while not stop.is_set():
        for names in _wake_ups(watched, stop):
            begun = time.monotonic()
            after = state_of(watched, leave_out)
            every = before.keys() | after.keys()
            changed = {path for path in every if before.get(path) != after.get(path)}
            # Times of some drives are so coarse that a second change within them leaves no trace.
            changed |= {path for path in names if path in after and not leave_out(path.name)}
            before = after
            if changed:
                yield frozenset(changed)
            now = existing(folders()) if changed else existing(watched)
            if now != watched:
                watched, before = now, {**before, **state_of(now - watched, leave_out)}
                yield frozenset()
                break
            stop.wait(min(LOOK_EVERY, (time.monotonic() - begun) / _SHARE) if not names else 0)


def existing(folders: Collection[Path]) -> frozenset[Path]:
    """Return the folders, each that is not there replaced by the nearest one above it."""
    found = set()
    for folder in folders:
        place = folder.absolute()
        while not place.is_dir() and place != place.parent:
            place = place.parent
        found.add(place)
    return frozenset(found)


def state_of(
    folders: Collection[Path], leave_out: Callable[[str], bool] = lambda name: False
) -> State:
    """Return the state of each file in some folders, but not in those inside them."""
    found: State = {}
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if leave_out(entry.name):
                        continue
                    try:
                        about = entry.stat()
                    except OSError:  # It is gone again, or a link to nothing.
                        continue
                    path = folder / entry.name
                    if entry.is_dir():
                        found[path] = (about.st_ino,)
                    else:
                        found[path] = (about.st_mtime_ns, about.st_size, about.st_ino)
        except OSError:
            continue
    return found


def _wake_ups(watched: Collection[Path], stop: StopFlag) -> Iterator[set[Path]]:
    """Yield whenever it is time to look: what notices name, or nothing when time has passed."""
    try:
        from watchfiles import watch

        notices = watch(
            *sorted(watched),
            watch_filter=None,
            debounce=_LONGEST,
            step=_QUIET,
            stop_event=stop,
            rust_timeout=int(1000 * LOOK_EVERY),
            yield_on_timeout=True,
            recursive=False,
        )
        # What changed before the system was asked for notices is found by a look.
        yield set()
        for changes in notices:
            yield {Path(path) for _, path in changes}
    except (ImportError, OSError, RuntimeError):
        # There are no notices: too many are asked for, or this system has none.
        while not stop.wait(LOOK_OFTEN):
            yield set()
