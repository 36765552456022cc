"""Read the levels that a server shows on demand, and follow changes of their files.

The *state* consists of the levels, their versions and their errors. It is sent as a whole whenever
it changes, so a page that missed a change is up to date after the next one.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bake.core.interrupts import StopFlag
from bake.project.watch.notices import noticed
from bake.show.viewer.contents import ShownLevel, shown_level
from bake.store import is_pattern_database
from bake.store.header import read_header
from levelbake.errors import AssetError, BakeError

#: Seconds after which an unreadable asset is read again, if it was replaced.
_SECOND_LOOK = 0.1

#: The most unread states of a page before its connection is dropped.
_MOST_AHEAD = 64

_SUFFIX = ".h5"


class ServedLevels:
    """The levels of an asset or of a folder of assets."""

    def __init__(
        self, place: Path, against: Path | None = None, traces: Sequence[Path] = ()
    ) -> None:
        """Find the assets.

        Args:
            place: an asset, or a folder, whose new assets are included later.
            against: an older asset, or a folder of older assets with the same names; None = compare
                nothing.
            traces: traces of searches and agents on the level, if ``place`` is one asset.
        """
        self._traces = tuple(traces)
        #: The arguments.
        self.place, self.against = place, against
        self._is_folder = place.is_dir()  # Remembered, as the folder may be removed.
        self._lock = threading.Lock()
        self._reading: dict[str, threading.Lock] = {}
        self._read: dict[str, tuple[str, ShownLevel]] = {}
        self._listeners: set[queue.Queue[str | None]] = set()
        self._troubles: dict[str, str] = {}
        self._patterns: dict[str, bool] = {}
        self._stop = StopFlag()
        self._state = self._find_state()

    # -- levels ---------------------------------------------------------------------------------

    def assets(self) -> dict[str, Path]:
        """Return the assets by their names in addresses, the names of their files."""
        if not self._is_folder:
            return {self.place.stem: self.place}
        try:
            files = sorted(self.place.glob(f"*{_SUFFIX}"))
        except OSError:
            return {}
        return {
            path.stem: path
            for path in files
            if path.stem.isprintable() and not path.is_dir() and not self._is_patterns(path)
        }

    def _is_patterns(self, path: Path) -> bool:
        """Return whether a file is a pattern database, which the page cannot show."""
        content = _content_of(path)
        if content not in self._patterns:
            self._patterns[content] = is_pattern_database(path)
        return self._patterns[content]

    def level(self, id: str) -> ShownLevel | None:
        """Return the current data of a level; None if the level does not exist.

        Raises:
            BakeError: its asset, or the asset it is compared with, cannot be read.
        """
        path = self.assets().get(id)
        if path is None:
            return None
        with self._lock:
            reading = self._reading.setdefault(id, threading.Lock())
        with reading:  # A page requests two parts of a level at once.
            version = self._version(path)
            known = self._read.get(id)
            if known is not None and known[0] == version:
                return known[1]
            try:
                shown = self._shown(path, id)
            except BakeError:
                # The asset may have been replaced while it was read.
                time.sleep(_SECOND_LOOK)
                if (again := self._version(path)) == version:
                    raise
                version, shown = again, self._shown(path, id)
            if self._version(path) == version:
                self._read[id] = version, shown
            return shown

    def _shown(self, path: Path, id: str) -> ShownLevel:
        return shown_level(path, id, self._traces, against=self._compared(path))

    def _compared(self, path: Path) -> Path | None:
        if self.against is None or not self.against.is_dir():
            return self.against
        other = self.against / path.name
        return other if other.is_file() else None

    def _version(self, path: Path) -> str:
        """Return a text that changes with the contents of an asset."""
        return " ".join(
            _content_of(file) for file in (path, self._compared(path)) if file is not None
        )

    # -- state ----------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """The state, as JSON."""
        with self._lock:
            return self._state

    def entries(self) -> list[dict[str, str]]:
        """Return the levels as arguments of :func:`bake.show.viewer.bundle.served_page_html`."""
        return [
            {
                "id": id,
                "name": id,
                "flat": f"level/{quote(id, safe='')}/flat",
                "contents": f"level/{quote(id, safe='')}/contents",
                "version": self._version(path),
            }
            for id, path in self.assets().items()
        ]

    def tell(self, level: str, trouble: str | None) -> None:
        """Set the error text of a level in all pages; None = remove it."""
        with self._lock:
            if trouble is None:
                self._troubles.pop(level, None)
            else:
                self._troubles[level] = trouble
        self.look()

    def look(self) -> None:
        """Read the state of the files again, and send it if it changed."""
        state = self._find_state()
        with self._lock:
            if state == self._state:
                return
            self._state = state
            for listener in list(self._listeners):
                try:
                    listener.put_nowait(state)
                except queue.Full:
                    self._listeners.discard(listener)

    def _find_state(self) -> str:
        entries = self.entries()
        with self._lock:
            troubles = [{"level": name, "text": text} for name, text in self._troubles.items()]
        state: dict[str, Any] = {"levels": entries, "troubles": troubles}
        return json.dumps(state, separators=(",", ":"))

    def listen(self) -> queue.Queue[str | None]:
        """Return a queue of states, starting with the current one; None ends the queue."""
        listener: queue.Queue[str | None] = queue.Queue(_MOST_AHEAD)
        with self._lock:
            listener.put_nowait(None if self._stop.is_set() else self._state)
            self._listeners.add(listener)
        return listener

    def leave(self, listener: queue.Queue[str | None]) -> None:
        """Stop sending states to a queue."""
        with self._lock:
            self._listeners.discard(listener)

    # -- files ----------------------------------------------------------------------------------

    def follow(self) -> None:
        """Send the state whenever an asset changes, until :meth:`close` is called."""
        for _ in noticed(self._folders, self._stop, _is_no_asset):
            self.look()

    def _folders(self) -> Sequence[Path]:
        places = [self.place] if self.against is None else [self.place, self.against]
        return [place if place.is_dir() else place.parent for place in places]

    def close(self) -> None:
        """End :meth:`follow` and all queues."""
        self._stop.set()
        with self._lock:
            for listener in self._listeners:
                if not listener.full():
                    listener.put_nowait(None)
            self._listeners.clear()


def _content_of(path: Path) -> str:
    try:
        return read_header(path).body[:16]
    except AssetError:
        pass
    try:
        status = path.stat()
    except OSError:
        return "gone"
    return f"{status.st_mtime_ns}-{status.st_size}"


def _is_no_asset(name: str) -> bool:
    return name.startswith(".") or not name.endswith(_SUFFIX)
