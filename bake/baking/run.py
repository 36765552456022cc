"""Run a whole build: bake the stale levels, several at once.

If there are several levels, each is baked in a process of its own, which ends with this process.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from bake.baking.checkpoint_folder import CheckpointFolder
from bake.baking.flat import FLAT_SUFFIX, reasons_to_export, write_flat_file
from bake.baking.sources import ASSET_SUFFIX, Task
from bake.baking.staleness import judge
from bake.core.errors import BudgetError
from bake.core.extras import load_kind, load_registered
from bake.core.processors import processors
from bake.core.workers import (
    Lost,
    children_import_safely,
    interrupts_blocked,
    run_tasks,
    safe_import_path,
    start_tracker,
)
from bake.levels import is_puzzle
from bake.store import Asset
from bake.store.header import is_foreign
from bake.store.partial import check_writable, created_folder, remove_leftovers
from levelbake.errors import AssetError, BakeError, OutputError

if TYPE_CHECKING:
    from bake.baking.level import BakedLevel, Make

#: A function that is called with the level's name, the stage and the fraction of it that is done.
Report = Callable[[str, str, float], None]


@dataclass(frozen=True)
class Outcome:
    """The result of building one level."""

    task: Task  #: the level
    status: Literal["baked", "fresh", "failed"]  #: "fresh" = it was up to date
    baked: BakedLevel | None = None  #: sizes and time, if it was baked
    error: BakeError | None = None  #: the error, if it failed
    flat: int | None = None  #: bytes of its flat file, if that was written


class Executor(Protocol):
    """A connection to machines that make tables, for one build.

    An extra registers a function that connects, given the address and the number of jobs.
    """

    levels_at_once: int  #: how many levels to work on here

    @property
    def make(self) -> Make:
        """The function that makes the contents of an asset."""

    def close(self) -> None:
        """End the tasks of this build."""

    def abandon(self) -> None:
        """Prepare to be closed at once, after an interrupt."""


def build(
    tasks: Sequence[Task],
    *,
    jobs: int | None,
    force: bool,
    report: Report,
    cluster: str | None = None,
) -> Iterator[Outcome]:
    """Bake the stale levels.

    Args:
        tasks: the levels.
        jobs: how many levels to bake at once; None = one per processor. Assets do not depend on it.
        force: bake all levels, and overwrite even files that are not assets.
        report: called with the progress of each level.
        cluster: the address of a Dask scheduler whose workers compute the tables, or "local"; None
            = bake on this machine. Assets do not depend on it.

    Yields:
        One outcome for each level: fresh ones first, then baked and failed ones as they finish.

    Raises:
        OutputError: the output folder cannot be created or written.
        BakeError: the cluster cannot be used.
    """
    stale = []
    for task, reasons in [(task, ["forced"]) for task in tasks] if force else judge(tasks):
        if reasons:
            stale.append(task)
        else:
            # A bake that was killed right after writing its asset has left its checkpoint.
            CheckpointFolder(task.asset).clear()
            yield _fresh(task, force)
    folders = sorted({task.asset.parent for task in tasks})
    for folder in folders:
        _remove_leftovers(folder)
    if not stale:
        return
    threads, requested_jobs = threads_for(len(stale), jobs), jobs
    jobs = min(len(stale), jobs or processors())
    with ExitStack() as stack:
        for folder in sorted({task.asset.parent for task in stale}):
            stack.enter_context(created_folder(folder, "the output folder"))
            check_writable(folder)
        for folder in folders:
            stack.callback(_remove_leftovers, folder)
        if cluster is not None:
            yield from attempt_on_cluster(stale, cluster, requested_jobs, force, report)
        elif jobs == 1:
            for task in stale:
                yield attempt(task, threads, force, report)
        else:
            yield from attempt_in_processes(stale, jobs, threads, force, report)


def _remove_leftovers(folder: Path) -> None:
    """Remove temporary files of builds that were killed."""
    for suffix in (ASSET_SUFFIX, FLAT_SUFFIX):
        remove_leftovers(folder, f".*{suffix}.*.tmp")


def _fresh(task: Task, force: bool) -> Outcome:
    """Return the outcome of a level that is up to date; write its flat file if that is stale."""
    try:
        flat = write_flat_file(task, force=force) if reasons_to_export(task) else None
    except BakeError as error:
        return Outcome(task, "failed", error=error)
    return Outcome(task, "fresh", flat=flat)


def threads_for(levels: int, jobs: int | None) -> int:
    """Return the number of threads per level when several levels are baked at once."""
    available = processors()
    return max(1, available // max(1, min(levels, jobs or available)))


def attempt(
    task: Task, threads: int, force: bool, report: Report, make: Make | None = None
) -> Outcome:
    """Bake one level, and return the outcome even if it fails.

    Args:
        task: the level.
        threads: the number of threads it may use.
        force: whether a file that is not an asset may be overwritten.
        report: called with the progress.
        make: see :func:`bake.baking.level.bake_level`.
    """
    from bake.baking.level import bake_level

    def report_stage(stage: str, done: float) -> None:
        report(task.name, stage, done)

    try:
        check_place(task, force)
        if is_puzzle(task.source):
            kind = load_kind("puzzle", task.source)
            return Outcome(task, "baked", baked=kind.bake(task, report_stage))
        baked = bake_level(task, threads, report_stage, make)
        flat = write_flat_file(task, force=force) if task.recipe.export_flat else None
    except MemoryError:
        error = BudgetError(
            "ran out of memory",
            file=task.source,
            remedy="lower memory_budget, or bake fewer levels at once (--jobs)",
        )
        return Outcome(task, "failed", error=error)
    except BakeError as error:
        if type(error) is BakeError and error.file is None:
            error = BakeError(
                error.found,
                file=task.source,
                place=error.place,
                expected=error.expected,
                remedy=error.remedy,
            )
        return Outcome(task, "failed", error=error)
    return Outcome(task, "baked", baked=baked, flat=flat)


def check_place(task: Task, force: bool) -> None:
    """Raise if the asset would replace something that a bake could not restore."""
    if task.asset.is_dir():
        raise OutputError(
            "a folder is in the place of the asset", file=task.asset, remedy="move it away"
        )
    if force:
        return
    if is_foreign(task.asset):
        raise OutputError(
            "the existing file is not an asset, and baking would overwrite it",
            file=task.asset,
            remedy="move it away, or overwrite it: `bake build --force`",
        )
    if task.recipe.narrowed and (lost := _profiles_lost(task)):
        raise OutputError(
            f"baking only {_join_names(task.profiles)} would remove other profiles of the asset: "
            f"{_join_names(lost)}",
            file=task.asset,
            remedy="leave --profile out, bake into another folder (-o), or remove them: "
            "`bake build --force`",
        )


def _profiles_lost(task: Task) -> list[str]:
    """Return the profiles of the existing asset that the task does not bake."""
    try:
        with Asset(task.asset, check=False) as asset:
            return sorted(set(asset.profiles) - set(task.profiles))
    except AssetError:
        return []


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def attempt_in_processes(
    tasks: Sequence[Task], jobs: int, threads: int, force: bool, report: Report
) -> Iterator[Outcome]:
    """Bake levels in worker processes, and yield the outcome of each when it is finished.

    Workers are ended when this process is interrupted, or when the caller closes the iterator.

    Raises:
        BakeError: the workers would import modules from the current folder.
    """
    _check_children()
    results = run_tasks(
        partial(_attempt_in_worker, threads=threads, force=force),
        tasks,
        jobs,
        prepare=_load_bake,
        report=report,
    )
    for task, result in results:
        if isinstance(result, Lost):
            yield Outcome(task, "failed", error=_lost_error(task, result))
        else:
            yield result


def _load_bake() -> None:
    """Import the modules that bake a level, in a worker."""
    import bake.baking.level  # noqa: F401


def _attempt_in_worker(task: Task, report: Report, *, threads: int, force: bool) -> Outcome:
    return attempt(task, threads, force, report)


def _lost_error(task: Task, lost: Lost) -> BakeError:
    """Return the error for a level whose worker process ended early."""
    return BakeError(
        f"the process baking this level {lost.cause}",
        file=task.source,
        remedy="if memory ran out, bake fewer levels at once (--jobs 1)"
        if lost.killed
        else "bake it alone (--jobs 1), which may show why",
    )


def _check_children() -> None:
    """Raise if child processes would import modules from the current folder."""
    if not children_import_safely():
        raise BakeError(
            "Python was started with -E, so the processes of a build would import modules from "
            "this folder",
            remedy="start Python with -P as well, or bake one level at a time (--jobs 1)",
        )


def attempt_on_cluster(
    tasks: Sequence[Task], address: str, jobs: int | None, force: bool, report: Report
) -> Iterator[Outcome]:
    """Bake levels on a cluster, and yield the outcome of each when it is finished.

    Tasks are ended when this process is interrupted, or when the caller closes the iterator.

    Raises:
        BakeError: the cluster cannot be used.
    """
    _check_children()
    with safe_import_path():
        yield from _attempt_on_cluster(tasks, address, jobs, force, report)


def _attempt_on_cluster(
    tasks: Sequence[Task], address: str, jobs: int | None, force: bool, report: Report
) -> Iterator[Outcome]:
    connect = load_registered("executor", "cluster", "--cluster")
    existing = set(multiprocessing.active_children())
    start_tracker()
    with interrupts_blocked():
        cluster: Executor = connect(address, jobs)
    pool = ThreadPoolExecutor(min(len(tasks), cluster.levels_at_once))
    try:
        futures = [pool.submit(attempt, task, 1, force, report, cluster.make) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
    except BaseException:
        cluster.abandon()
        for worker in set(multiprocessing.active_children()) - existing:
            worker.kill()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        cluster.close()
        pool.shutdown(wait=True)
