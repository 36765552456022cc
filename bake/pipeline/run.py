"""A whole build: several levels at once, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bake.errors import BakeError, BudgetError, OutputError
from bake.pipeline.sources import Task
from bake.pipeline.staleness import judge

if TYPE_CHECKING:
    from bake.pipeline.level import Baked


@dataclass(frozen=True)
class Outcome:
    """What became of one level.

    Attributes:
        task: the level.
        status: "baked", "fresh" (was up to date) or "failed".
        baked: sizes and time, where it was baked.
        error: what went wrong, where it failed.
    """

    task: Task
    status: Literal["baked", "fresh", "failed"]
    baked: Baked | None = None
    error: BakeError | None = None


#: Called with the level's name, the stage and the fraction of it that is done.
Report = Callable[[str, str, float], None]


def build(
    tasks: Sequence[Task], *, jobs: int | None, force: bool, report: Report
) -> Iterator[Outcome]:
    """Bake what is not up to date.

    Args:
        tasks: the levels.
        jobs: how many levels at once; None = as many as there are processors. Changes no byte.
        force: bake everything.
        report: progress of each level.

    Yields:
        One outcome a level: fresh ones first, then baked and failed ones as they finish.

    Raises:
        OutputError: the output folder cannot be made.
    """
    stale = []
    for task, reasons in [(task, ["forced"]) for task in tasks] if force else judge(tasks):
        if reasons:
            stale.append(task)
        else:
            yield Outcome(task, "fresh")
    if not stale:
        return
    for folder in sorted({task.asset.parent for task in stale}):
        _prepare(folder)
    threads = threads_for(len(stale), jobs)
    jobs = min(len(stale), jobs or _processors())
    if jobs == 1:
        for task in stale:
            yield _attempt(task, threads, report)
    else:
        yield from _in_processes(stale, jobs, threads, report)


def threads_for(levels: int, jobs: int | None) -> int:
    """Threads each of several levels baked at once has to itself."""
    processors = _processors()
    return max(1, processors // max(1, min(levels, jobs or processors)))


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no affinity
        return os.cpu_count() or 1


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"the output folder cannot be made: {error.strerror or error}", file=folder
        ) from None
    for leftover in folder.glob(".*.h5.*.tmp"):
        owner = leftover.name.rsplit(".", 2)[1]
        if owner.isdigit() and not _is_running(int(owner)):
            with suppress(OSError):
                leftover.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name == "nt":
        return True  # asking would end the process there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _attempt(task: Task, threads: int, report: Report) -> Outcome:
    from bake.pipeline.level import bake_level

    try:
        baked = bake_level(task, threads, lambda stage, done: report(task.name, stage, done))
    except MemoryError:
        error = BudgetError(
            "ran out of memory",
            file=task.source,
            remedy="lower memory_budget, or bake fewer levels at once (--jobs)",
        )
        return Outcome(task, "failed", error=error)
    except BakeError as error:
        return Outcome(task, "failed", error=error)
    return Outcome(task, "baked", baked=baked)


_channel: Any = None


def _join(channel: Any) -> None:
    """Give a worker process the channel its progress goes through."""
    global _channel  # noqa: PLW0603 - a pool hands its workers nothing but globals
    _channel = channel


def _work(task: Task, threads: int) -> Outcome:
    return _attempt(task, threads, lambda *news: _channel.put(news))


@contextmanager
def _relayed(channel: Any, report: Report) -> Iterator[None]:
    def relay() -> None:
        while (news := channel.get()) is not None:
            report(*news)

    thread = threading.Thread(target=relay, daemon=True)
    thread.start()
    try:
        yield
    finally:
        channel.put(None)
        thread.join()


def _in_processes(
    tasks: Sequence[Task], jobs: int, threads: int, report: Report
) -> Iterator[Outcome]:
    # "spawn" is the one way to start a process that works alike on every system, and with threads.
    context = multiprocessing.get_context("spawn")
    channel = context.SimpleQueue()
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_join, initargs=(channel,))
    with _relayed(channel, report):
        try:
            futures = {_submitted(pool, task, threads): task for task in tasks}
            for future in as_completed(futures):
                yield _result(future, futures[future])
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, task: Task, threads: int) -> Future[Outcome]:
    """A level handed to the pool; one that failed at once if a worker already died."""
    try:
        return pool.submit(_work, task, threads)
    except BrokenProcessPool as error:
        lost: Future[Outcome] = Future()
        lost.set_exception(error)
        return lost


def _result(future: Future[Outcome], task: Task) -> Outcome:
    try:
        return future.result()
    except BrokenProcessPool:
        error = BakeError(
            "the process baking this level, or one beside it, was killed",
            file=task.source,
            remedy="if memory ran out, bake fewer levels at once (--jobs 1)",
        )
        return Outcome(task, "failed", error=error)
