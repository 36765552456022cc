"""Run a whole build: bake what is stale, several levels at once.

Where there are several levels, each is baked in a process of its own, which does not outlive this
one.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Literal, cast

from bake.asset import Asset
from bake.asset.header import is_foreign
from bake.asset.partial import check_writable, make_folder, remove_leftovers
from bake.errors import BudgetError
from bake.interrupts import interrupts_held
from bake.kinds import KINDS, FileKind, kind_of
from bake.levels import is_puzzle
from bake.pipeline.checkpoint_folder import CheckpointFolder
from bake.pipeline.flat import FLAT_SUFFIX, reasons_to_export, write_flat_file
from bake.pipeline.sources import ASSET_SUFFIX, Task
from bake.pipeline.staleness import judge
from bake.processors import processors
from levelbake.errors import AssetError, BakeError, OutputError

if TYPE_CHECKING:
    from bake.pipeline.level import BakedLevel, Make

#: A function that is called with the level's name, the stage and the fraction of it that is done.
Report = Callable[[str, str, float], None]

#: Seconds a worker has to end by itself; a command that is interrupted has longer.
PATIENCE = 1.0

#: The pipe by which a worker process reports how far it is.
_news: Connection | None = None

#: Whether a worker process is baking.
_at_work = False


@dataclass(frozen=True)
class Outcome:
    """The result of building one level."""

    task: Task  #: the level
    status: Literal["baked", "fresh", "failed"]  #: "baked", "fresh" (was up to date) or "failed"
    baked: BakedLevel | None = None  #: sizes and time, where it was baked
    error: BakeError | None = None  #: what went wrong, where it failed
    flat: int | None = None  #: bytes of its flat file, where that was written


def build(
    tasks: Sequence[Task],
    *,
    jobs: int | None,
    force: bool,
    report: Report,
    cluster: str | None = None,
) -> Iterator[Outcome]:
    """Bake what is stale.

    Args:
        tasks: the levels.
        jobs: how many levels to bake at once; None = as many as there are processors. The number
            changes no byte.
        force: bake everything, and overwrite even files that are not assets.
        report: called with the progress of each level.
        cluster: the Dask scheduler whose workers make the tables, or "local"; None = this machine
            does. It changes no byte.

    Yields:
        One outcome for each level: fresh ones first, then baked and failed ones as they finish.

    Raises:
        OutputError: the output folder cannot be made or written.
        BakeError: the cluster cannot be used.
    """
    stale = []
    for task, reasons in [(task, ["forced"]) for task in tasks] if force else judge(tasks):
        if reasons:
            stale.append(task)
        else:
            # A bake that was killed right after its asset was put into place left its checkpoint.
            CheckpointFolder(task.asset).clear()
            yield _fresh(task, force)
    folders = sorted({task.asset.parent for task in tasks})
    for folder in folders:
        _tidy(folder)
    if not stale:
        return
    for folder in sorted({task.asset.parent for task in stale}):
        make_folder(folder, "the output folder")
        check_writable(folder)
    threads, wanted = threads_for(len(stale), jobs), jobs
    jobs = min(len(stale), jobs or processors())
    try:
        if cluster is not None:
            yield from attempt_on_cluster(stale, cluster, wanted, force, report)
        elif jobs == 1:
            for task in stale:
                yield attempt(task, threads, force, report)
        else:
            yield from attempt_in_processes(stale, jobs, threads, force, report)
    finally:
        for folder in folders:
            _tidy(folder)


def _tidy(folder: Path) -> None:
    """Remove what builds that were killed have left unfinished."""
    for suffix in (ASSET_SUFFIX, FLAT_SUFFIX):
        remove_leftovers(folder, f".*{suffix}.*.tmp")


def _fresh(task: Task, force: bool) -> Outcome:
    """Return the outcome of a level that is up to date, after writing a flat file that is not."""
    try:
        flat = write_flat_file(task, force=force) if reasons_to_export(task) else None
    except BakeError as error:
        return Outcome(task, "failed", error=error)
    return Outcome(task, "fresh", flat=flat)


def threads_for(levels: int, jobs: int | None) -> int:
    """Return how many threads each level has, where several are baked at once."""
    there = processors()
    return max(1, there // max(1, min(levels, jobs or there)))


def attempt(
    task: Task, threads: int, force: bool, report: Report, make: Make | None = None
) -> Outcome:
    """Bake one level.

    Args:
        task: the level.
        threads: how many it may use.
        force: whether a file that is not an asset may be overwritten.
        report: called with the progress.
        make: see :func:`bake.pipeline.level.bake_level`.
    """
    from bake.pipeline.level import bake_level

    def tell(stage: str, done: float) -> None:
        report(task.name, stage, done)

    try:
        check_place(task, force)
        if is_puzzle(task.source):
            kind = kind_of("puzzle", task.source)
            return Outcome(task, "baked", baked=kind.bake(task, tell))
        baked = bake_level(task, threads, tell, make)
        flat = write_flat_file(task, force=force) if task.recipe.export_flat else None
    except MemoryError:
        error = BudgetError(
            "ran out of memory",
            file=task.source,
            remedy="lower memory_budget, or bake fewer levels at once (--jobs)",
        )
        return Outcome(task, "failed", error=error)
    except BakeError as error:
        return Outcome(task, "failed", error=error)
    return Outcome(task, "baked", baked=baked, flat=flat)


def check_place(task: Task, force: bool) -> None:
    """Refuse to replace what a bake could not bring back."""
    if task.asset.is_dir():
        raise OutputError(
            "there is a folder where the asset goes", file=task.asset, remedy="move it away"
        )
    if force:
        return
    if is_foreign(task.asset):
        raise OutputError(
            "there is a file that is no asset, and baking would overwrite it",
            file=task.asset,
            remedy="move it away, or overwrite it: `bake build --force`",
        )
    if task.recipe.narrowed and (lost := _profiles_lost(task)):
        raise OutputError(
            f"the asset has other profiles as well, which baking {_listed(task.profiles)} alone "
            f"would drop: {_listed(lost)}",
            file=task.asset,
            remedy="leave --profile out, bake into another folder (-o), or drop them: "
            "`bake build --force`",
        )


def _profiles_lost(task: Task) -> list[str]:
    """Return the profiles of the asset that is there which the task does not bake."""
    try:
        with Asset(task.asset, check=False) as asset:
            return sorted(set(asset.profiles) - set(task.profiles))
    except AssetError:
        return []


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def attempt_in_processes(
    tasks: Sequence[Task], jobs: int, threads: int, force: bool, report: Report
) -> Iterator[Outcome]:
    """Bake levels, several at once, and yield the outcome of each when it is finished.

    Workers are ended when this process is interrupted, or when no more outcomes are asked for.
    """
    # Only "spawn" starts processes in the same way on every system, and works with threads.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    with _relayed(report) as channel:
        given = channel, dict(KINDS)
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_join, initargs=given)
        try:
            with _interrupts_blocked():
                futures = {_submitted(pool, task, threads, force): task for task in tasks}
            for future in as_completed(futures):
                yield _result(future, futures[future])
        except BaseException:
            _end(set(multiprocessing.active_children()) - others)
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def attempt_on_cluster(
    tasks: Sequence[Task], address: str, jobs: int | None, force: bool, report: Report
) -> Iterator[Outcome]:
    """Bake levels on a cluster, and yield the outcome of each when it is finished.

    Tasks are ended when this process is interrupted, or when no more outcomes are asked for.

    Raises:
        BakeError: the cluster cannot be used.
    """
    from bake.pipeline.cluster import Cluster

    others = set(multiprocessing.active_children())
    if sys.platform != "win32":  # A thread that starts this lets interrupts through.
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
    with _interrupts_blocked():
        cluster = Cluster(address, jobs)
    pool = ThreadPoolExecutor(min(len(tasks), cluster.levels_at_once))
    try:
        futures = [pool.submit(attempt, task, 1, force, report, cluster.make) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
    except BaseException:
        cluster.abandon()
        for worker in set(multiprocessing.active_children()) - others:
            worker.kill()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        cluster.close()
        pool.shutdown(wait=True)


def _end(workers: Collection[BaseProcess]) -> None:
    """Let workers end by themselves, which leaves checkpoints, but kill those that take long."""
    for worker in workers:
        worker.terminate()
    end, left = time.monotonic() + PATIENCE, {worker.sentinel: worker for worker in workers}
    while left and (gone := wait(list(left), end - time.monotonic())):
        for sentinel in gone:
            del left[cast("int", sentinel)]
    for worker in left.values():
        worker.kill()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keep interrupts from processes that are started in this block; their parent ends them.

    The signal is blocked because processes inherit that. In this process another thread could still
    take it, between starting a process and sending it its task, so here the interrupt is held back,
    too.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "pthread_sigmask") or not in_main:
        yield
        return
    with interrupts_held():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _relayed(report: Report) -> Iterator[Connection]:
    """Open a channel whose messages are reported.

    Its writers need no lock, as messages this short are written whole. A lock would stay locked if
    the process that holds it were killed.
    """
    # A pipe ends when no writer is left: first the workers end, then this process closes it.
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def relay() -> None:
        with suppress(EOFError, OSError):
            while True:
                report(*receiver.recv())

    thread = threading.Thread(target=relay, daemon=True)
    thread.start()
    try:
        yield sender
    finally:
        sender.close()
        thread.join()
        receiver.close()


def _join(channel: Connection, kinds: Mapping[str, Callable[[], FileKind]]) -> None:
    """Prepare this process as a worker, which knows the kinds that its parent has registered."""
    global _news  # noqa: PLW0603 - a pool hands its workers nothing but globals
    _news = channel
    KINDS.update(kinds)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _on_terminate)
    sys.unraisablehook = _on_unraisable
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker with its parent; workers of a killed build would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _on_terminate(number: int, frame: FrameType | None) -> None:
    # A pool that has lost a worker terminates the others a second time, which must not interrupt
    # saving.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not _at_work:
        os._exit(1)
    raise KeyboardInterrupt


def _on_unraisable(lost: sys.UnraisableHookArgs) -> None:
    """End this worker where Python would print that an interrupt came where nobody can catch it."""
    if lost.exc_type is KeyboardInterrupt:
        os._exit(1)
    sys.__unraisablehook__(lost)


def _work(task: Task, threads: int, force: bool) -> Outcome:
    global _at_work  # noqa: PLW0603 - signal handlers are handed nothing but globals
    channel = _news
    assert channel is not None
    try:
        _at_work = True
        return attempt(task, threads, force, lambda *news: channel.send(news))
    except KeyboardInterrupt:
        os._exit(1)
    finally:
        _at_work = False


def _submitted(pool: ProcessPoolExecutor, task: Task, threads: int, force: bool) -> Future[Outcome]:
    """Hand a level to the pool; its future has failed already if a worker has died."""
    try:
        return pool.submit(_work, task, threads, force)
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
