"""Bake changed levels while editors save them, and report the results.

As in a build, the content of files decides which levels are baked. An editor may be in the middle
of a save when its file is read, so an error is reported only if it persists in a second scan after
the files have settled.
"""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from bake.baking import Outcome, Task, reasons_to_bake, reasons_to_export
from bake.baking.flat import FLAT_SUFFIX, write_flat_file
from bake.baking.run import Report, attempt, threads_for
from bake.baking.sources import ASSET_SUFFIX
from bake.core.interrupts import StopFlag
from bake.core.processors import processors
from bake.project.watch.notices import nearest_existing, noticed, read_state
from bake.store.header import PATCH_PREFIX, read_header, source_digest
from bake.store.partial import check_writable, make_folder
from levelbake.errors import AssetError, BakeError

#: Seconds between two scans after an error.
SECOND_SCAN_DELAY = 0.25

#: The number of scans after which an error is reported although files still change.
MAX_SCANS = 20

#: Levels with assets of at least this size in bytes are not baked to warm up.
_LARGEST_WARM_UP = 2**20

#: Suffixes of files that bakes write; their changes are ignored.
_OWN = (ASSET_SUFFIX, FLAT_SUFFIX, ".tmp", ".checkpoint")

_Happened = Literal["baked", "failed", "fresh", "gone"]


@dataclass(frozen=True)
class News:
    """A result of a change: a bake, an error or a removed level."""

    #: "baked"; "failed"; "fresh" if a failed level again equals its baked state; or "gone" if its
    #: file was removed
    happened: _Happened
    level: str  #: name of the level; "" if the recipe has a mistake
    asset: Path | None = None  #: asset of the level; None without a level
    outcome: Outcome | None = None  #: outcome of the bake, if any
    error: BakeError | None = None  #: the error, if any


class Watch:
    """Bakes levels again whenever their files change."""

    def __init__(
        self,
        find: Callable[[], Sequence[Task]],
        folders: Callable[[], Sequence[Path]],
        jobs: int | None = None,
        report: Report = lambda level, stage, done: None,
    ) -> None:
        """Prepare to watch.

        Args:
            find: returns the levels by the current recipe.
            folders: returns the folders of levels and of the recipe.
            jobs: the number of levels to bake at once; None = the number of processors.
            report: called with the progress of each level.
        """
        self.tasks: dict[str, Task] = {}  #: the levels by name
        #: The number of unfinished levels in the running bake.
        self._unfinished = 0
        self._watched_folders: list[Path] = []
        self._find, self._folders = find, folders
        self._jobs, self._report = jobs, report
        self._stop = StopFlag()
        self._digests: dict[Path, tuple[tuple[int, ...], str]] = {}
        #: The reported errors by level; "" is the recipe.
        self._reported: dict[str, tuple[str, str]] = {}

    def stop(self) -> None:
        """Stop :meth:`follow` soon."""
        self._stop.set()

    def stop_if_idle(self) -> bool:
        """Stop unless a bake is running, and return whether :meth:`follow` ends soon.

        May be called from a signal handler of the thread that runs :meth:`follow`.
        """
        if self._unfinished:
            return False
        self._stop.set()
        return True

    def begin(self, outcomes: Sequence[Outcome]) -> None:
        """Record the levels and errors of a preceding build."""
        self.tasks = {outcome.task.name: outcome.task for outcome in outcomes}
        for outcome in outcomes:
            if outcome.error is not None:
                self._report_news(news_of(outcome))

    def follow(self) -> Iterator[News]:
        """Yield the results of changes until :meth:`stop` is called.

        Changes since :meth:`begin` come first.
        """
        for changed in noticed(self._list_folders, self._stop, _is_own):
            for path in changed:
                self._digests.pop(path, None)
            yield from self._settle()

    # -- what changed ---------------------------------------------------------------------------

    def _list_folders(self) -> list[Path]:
        """Return the folders of the levels, the recipe, and the files that assets depend on."""
        with suppress(BakeError):  # If the recipe has mistakes, use the previous folders.
            self._watched_folders = [*self._folders()]
        folders = [*self._watched_folders]
        for task in self.tasks.values():
            folders.append(task.source.parent)
            folders += [file.parent for file in _source_files(task)]
        return folders

    def _settle(self) -> Iterator[News]:
        """Bake stale levels, and report errors that persist in a second scan."""
        before = None
        for scan in range(MAX_SCANS):
            state = self._state()
            doubts = yield from self._scan()
            if not doubts:
                return
            if state == before or scan == MAX_SCANS - 1:
                for news in doubts:
                    self._report_news(news)
                    yield news
                return
            before = state
            if self._stop.wait(SECOND_SCAN_DELAY):
                return

    def _state(self) -> object:
        return read_state(nearest_existing(self._list_folders()), _is_own)

    def _report_news(self, news: News) -> None:
        if news.happened == "gone":
            self.tasks.pop(news.level, None)
            self._reported.pop(news.level, None)
        else:
            self._reported[news.level] = self._mistake(news)

    def _scan(self) -> Generator[News, None, list[News]]:
        """Scan once: yield the baked levels, and return possible errors."""
        try:
            tasks = {task.name: task for task in self._find()}
        except BakeError as error:
            return self._drop_reported([News("failed", "", error=error)])
        if self._reported.pop("", None) is not None:
            yield News("fresh", "")
        doubts = [
            News("gone", name, task.asset) for name, task in self.tasks.items() if name not in tasks
        ]
        stale = []
        for name, task in tasks.items():
            if self._stop.is_set():
                return []
            if reasons_to_bake(task, self._digest):
                stale.append(task)
            elif self._reported.pop(name, None) is not None:
                yield News("fresh", name, task.asset)
        self.tasks |= tasks
        for outcome in self._outcomes(stale, [*tasks.values()]):
            if outcome.error is None:
                self._reported.pop(outcome.task.name, None)
                yield news_of(outcome)
            else:
                doubts.append(news_of(outcome))
        return self._drop_reported(doubts)

    def _drop_reported(self, doubts: list[News]) -> list[News]:
        return [news for news in doubts if self._reported.get(news.level) != self._mistake(news)]

    def _mistake(self, news: News) -> tuple[str, str]:
        """Return the key of a reported error: its text, and the digest of the level file."""
        task = self.tasks.get(news.level)
        try:
            return str(news.error), self._digest(task.source) if task is not None else ""
        except OSError:
            return str(news.error), ""

    def _digest(self, file: Path) -> str:
        """Return the digest of a file, cached by time, size and inode number."""
        about = file.stat()
        key = about.st_mtime_ns, about.st_size, about.st_ino
        path = file.absolute()
        known = self._digests.get(path)
        if known is None or known[0] != key:
            known = self._digests[path] = key, source_digest(file)
        return known[1]

    # -- baking ---------------------------------------------------------------------------------

    def _outcomes(self, stale: Sequence[Task], every: Sequence[Task]) -> Iterator[Outcome]:
        """Bake the stale levels, and write outdated flat files."""
        try:
            for folder in sorted({task.asset.parent for task in stale}):
                make_folder(folder, "the output folder")
                check_writable(folder)
        except BakeError as error:
            yield from (Outcome(task, "failed", error=error) for task in stale)
            return
        self._unfinished = len(stale)
        # An interrupt before this line sets the flag; a later one raises an exception.
        if self._stop.is_set():
            self._unfinished = 0
            return
        for outcome in bake_here(stale, self._jobs, self._report):
            self._unfinished -= 1
            yield outcome
        baked = {task.name for task in stale}
        for task in every:
            if task.name not in baked and reasons_to_export(task):
                self._unfinished = 1
                if self._stop.is_set():
                    self._unfinished = 0
                    return
                outcome = _export(task)
                self._unfinished = 0
                yield outcome


def warm_up(tasks: Sequence[Task]) -> None:
    """Load kernels by baking the smallest level into a temporary folder.

    Nothing is reported. Without a small level, nothing is baked.
    """
    sizes = [(task.asset.stat().st_size, task.name) for task in tasks if task.asset.is_file()]
    size, name = min(sizes, default=(_LARGEST_WARM_UP, ""))
    if size >= _LARGEST_WARM_UP:
        return
    (task,) = (task for task in tasks if task.name == name)
    with tempfile.TemporaryDirectory(prefix="bake-") as folder:
        recipe = replace(task.recipe, narrowed=False, export_flat=False)
        asset = Path(folder, task.asset.name)
        attempt(replace(task, asset=asset, recipe=recipe), 1, False, lambda *news: None)


def bake_here(tasks: Sequence[Task], jobs: int | None, report: Report) -> Iterator[Outcome]:
    """Bake levels in threads of this process, where kernels are already loaded.

    Args:
        tasks: the levels.
        jobs: the number of levels to bake at once; None = the number of processors.
        report: called with the progress of each level.

    Yields:
        The outcome of each level when it is finished.
    """
    threads = threads_for(len(tasks), jobs)
    if len(tasks) <= 1 or (jobs or processors()) == 1:
        for task in tasks:
            yield attempt(task, threads, False, report)
        return
    ahead: queue.SimpleQueue[Task] = queue.SimpleQueue()
    done: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
    for task in tasks:
        ahead.put(task)
    work = partial(_work, ahead, done, threads, report)
    for _ in range(min(len(tasks), jobs or processors())):
        # Daemon threads may be killed by an interrupt, since assets are published atomically.
        threading.Thread(target=work, daemon=True).start()
    for _ in tasks:
        outcome = done.get()
        if isinstance(outcome, BaseException):
            raise outcome
        yield outcome


def _work(
    ahead: queue.SimpleQueue[Task],
    done: queue.SimpleQueue[Outcome | BaseException],
    threads: int,
    report: Report,
) -> None:
    try:
        while True:
            done.put(attempt(ahead.get_nowait(), threads, False, report))
    except queue.Empty:
        return
    except BaseException as error:
        done.put(error)


def news_of(outcome: Outcome) -> News:
    """Convert the outcome of a bake or of an export to news."""
    happened: Literal["baked", "failed"] = "baked" if outcome.error is None else "failed"
    return News(happened, outcome.task.name, outcome.task.asset, outcome, outcome.error)


def _export(task: Task) -> Outcome:
    try:
        return Outcome(task, "fresh", flat=write_flat_file(task, force=False))
    except BakeError as error:
        return Outcome(task, "failed", error=error)


def _source_files(task: Task) -> list[Path]:
    """Return the files that an asset was baked from, or none without an asset."""
    try:
        names = [name for name, _ in read_header(task.asset).sources]
    except (AssetError, OSError):
        return []
    return [task.source.parent / name for name in names if not name.startswith(PATCH_PREFIX)]


def _is_own(name: str) -> bool:
    return name.startswith(".") or name.endswith(_OWN)
