"""Bake what changed while editors save, and say what came of it.

Content decides what is baked, as in a build. An editor may be in the middle of a save when its file
is looked at, and so whatever looks wrong gets a second look before anybody is told: a mistake is
one if it is still there when the files have been at rest.
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
from bake.project.watch.notices import existing, noticed, state_of
from bake.store.header import PATCH_PREFIX, read_header, source_digest
from bake.store.partial import check_writable, make_folder
from levelbake.errors import AssetError, BakeError

#: Seconds between two looks at what seems wrong.
SECOND_LOOK = 0.25

#: Looks after which something wrong is told though files still change.
MOST_LOOKS = 20

#: Bytes of an asset whose level is not baked only to warm up.
_WORTH_IT = 2**20

#: What bakes write; their changes are no reason to bake.
_OWN = (ASSET_SUFFIX, FLAT_SUFFIX, ".tmp", ".checkpoint")

_Happened = Literal["baked", "failed", "fresh", "gone"]


@dataclass(frozen=True)
class News:
    """One thing that came of a change."""

    #: "baked"; "failed"; "fresh", where a level that had failed is again as it was when it was
    #: baked; or "gone", where its file was removed
    happened: _Happened
    level: str  #: the level's name; "" where no level can be found, by a mistake in the recipe, say
    asset: Path | None = None  #: the level's asset; None where there is no level
    outcome: Outcome | None = None  #: of the bake, if there was one
    error: BakeError | None = None  #: what is wrong, if something is


class Watch:
    """Levels whose assets are kept fresh.

    Attributes:
        tasks: the levels, by name.
    """

    def __init__(
        self,
        find: Callable[[], Sequence[Task]],
        folders: Callable[[], Sequence[Path]],
        jobs: int | None = None,
        report: Report = lambda level, stage, done: None,
    ) -> None:
        """Prepare to watch.

        Args:
            find: finds the levels anew, by the recipe as it is then.
            folders: returns where levels may come, and where the recipe lies.
            jobs: how many levels are baked at once; None = as many as there are processors.
            report: called with the progress of each level.
        """
        self.tasks: dict[str, Task] = {}
        #: How many levels are still to be baked in the bake that is running.
        self._unfinished = 0
        self._where: list[Path] = []
        self._find, self._folders = find, folders
        self._jobs, self._report = jobs, report
        self._stop = StopFlag()
        self._digests: dict[Path, tuple[tuple[int, ...], str]] = {}
        #: What is wrong with levels, as it was told, by name; "" stands for the recipe.
        self._told: dict[str, tuple[str, str]] = {}

    def stop(self) -> None:
        """End :meth:`follow` soon."""
        self._stop.set()

    def stop_if_idle(self) -> bool:
        """Stop unless this would cut a bake short; return whether :meth:`follow` ends soon.

        A signal handler of the thread that follows may call this.
        """
        if self._unfinished:
            return False
        self._stop.set()
        return True

    def begin(self, outcomes: Sequence[Outcome]) -> None:
        """Take over from a build: remember what it made of the levels."""
        self.tasks = {outcome.task.name: outcome.task for outcome in outcomes}
        for outcome in outcomes:
            if outcome.error is not None:
                self._tell(news_of(outcome))

    def follow(self) -> Iterator[News]:
        """Yield what came of each change, until :meth:`stop` is called.

        What changed since :meth:`begin` comes first.
        """
        for changed in noticed(self._watched, self._stop, _is_own):
            for path in changed:
                self._digests.pop(path, None)
            yield from self._settle()

    # -- what changed ---------------------------------------------------------------------------

    def _watched(self) -> list[Path]:
        """Return the folders of levels, of the recipe, and of all files that levels refer to."""
        with suppress(BakeError):  # While the recipe has mistakes, its folders are those of before.
            self._where = [*self._folders()]
        found = [*self._where]
        for task in self.tasks.values():
            found.append(task.source.parent)
            found += [file.parent for file in _other_files(task)]
        return found

    def _settle(self) -> Iterator[News]:
        """Bake what is stale; tell what is wrong when it is still so at a second look."""
        before = None
        for look in range(MOST_LOOKS):
            state = self._state()
            doubts = yield from self._look()
            if not doubts:
                return
            if state == before or look == MOST_LOOKS - 1:
                for news in doubts:
                    self._tell(news)
                    yield news
                return
            before = state
            if self._stop.wait(SECOND_LOOK):
                return

    def _state(self) -> object:
        return state_of(existing(self._watched()), _is_own)

    def _tell(self, news: News) -> None:
        if news.happened == "gone":
            self.tasks.pop(news.level, None)
            self._told.pop(news.level, None)
        else:
            self._told[news.level] = self._mistake(news)

    def _look(self) -> Generator[News, None, list[News]]:
        """Look once: yield what was baked, and return what seems wrong."""
        try:
            tasks = {task.name: task for task in self._find()}
        except BakeError as error:
            return self._unless_told([News("failed", "", error=error)])
        if self._told.pop("", None) is not None:
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
            elif self._told.pop(name, None) is not None:
                yield News("fresh", name, task.asset)
        self.tasks |= tasks
        for outcome in self._outcomes(stale, [*tasks.values()]):
            if outcome.error is None:
                self._told.pop(outcome.task.name, None)
                yield news_of(outcome)
            else:
                doubts.append(news_of(outcome))
        return self._unless_told(doubts)

    def _unless_told(self, doubts: list[News]) -> list[News]:
        return [news for news in doubts if self._told.get(news.level) != self._mistake(news)]

    def _mistake(self, news: News) -> tuple[str, str]:
        """Return what is wrong, and the content of the file; after a save it is told again."""
        task = self.tasks.get(news.level)
        try:
            return str(news.error), self._digest(task.source) if task is not None else ""
        except OSError:
            return str(news.error), ""

    def _digest(self, file: Path) -> str:
        """Return the digest of a file, which is read again if it seems to have changed."""
        about = file.stat()
        key = about.st_mtime_ns, about.st_size, about.st_ino
        path = file.absolute()
        known = self._digests.get(path)
        if known is None or known[0] != key:
            known = self._digests[path] = key, source_digest(file)
        return known[1]

    # -- baking ---------------------------------------------------------------------------------

    def _outcomes(self, stale: Sequence[Task], every: Sequence[Task]) -> Iterator[Outcome]:
        """Bake levels, and write flat files that are not up to date."""
        try:
            for folder in sorted({task.asset.parent for task in stale}):
                make_folder(folder, "the output folder")
                check_writable(folder)
        except BakeError as error:
            yield from (Outcome(task, "failed", error=error) for task in stale)
            return
        self._unfinished = len(stale)
        # An interrupt stops before this line, or is an exception after it.
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
                outcome = _exported(task)
                self._unfinished = 0
                yield outcome


def warm_up(tasks: Sequence[Task]) -> None:
    """Load what a bake needs by baking the smallest level once more, into a folder of no use.

    Nothing is told of it, and a large level is not worth it.
    """
    sizes = [(task.asset.stat().st_size, task.name) for task in tasks if task.asset.is_file()]
    size, name = min(sizes, default=(_WORTH_IT, ""))
    if size >= _WORTH_IT:
        return
    (task,) = (task for task in tasks if task.name == name)
    with tempfile.TemporaryDirectory(prefix="bake-") as folder:
        recipe = replace(task.recipe, narrowed=False, export_flat=False)
        asset = Path(folder, task.asset.name)
        attempt(replace(task, asset=asset, recipe=recipe), 1, False, lambda *news: None)


def bake_here(tasks: Sequence[Task], jobs: int | None, report: Report) -> Iterator[Outcome]:
    """Bake levels in this process, where kernels are loaded already; several at once, by threads.

    Args:
        tasks: the levels.
        jobs: how many at once; None = as many as there are processors.
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
        # Nobody waits for these when the command is interrupted: assets come into place whole.
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
    """Return what came of a bake, or of writing a flat file."""
    happened: Literal["baked", "failed"] = "baked" if outcome.error is None else "failed"
    return News(happened, outcome.task.name, outcome.task.asset, outcome, outcome.error)


def _exported(task: Task) -> Outcome:
    try:
        return Outcome(task, "fresh", flat=write_flat_file(task, force=False))
    except BakeError as error:
        return Outcome(task, "failed", error=error)


def _other_files(task: Task) -> list[Path]:
    """Return the files that an asset was baked from; none where there is no asset."""
    try:
        names = [name for name, _ in read_header(task.asset).sources]
    except (AssetError, OSError):
        return []
    return [task.source.parent / name for name in names if not name.startswith(PATCH_PREFIX)]


def _is_own(name: str) -> bool:
    return name.startswith(".") or name.endswith(_OWN)
