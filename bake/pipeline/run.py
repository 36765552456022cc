"""A whole build: what is stale is baked, several levels at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bake.asset.partial import remove_leftovers
from bake.errors import OutputError
from bake.pipeline.attempt import Outcome, Report, attempt
from bake.pipeline.checkpoint_folder import CheckpointFolder
from bake.pipeline.sources import Task
from bake.pipeline.staleness import judge
from bake.pipeline.workers import attempt_in_processes
from bake.processors import processors


def build(
    tasks: Sequence[Task], *, jobs: int | None, force: bool, report: Report
) -> Iterator[Outcome]:
    """Bake what is not up to date.

    Args:
        tasks: the levels.
        jobs: how many levels at once; None = as many as there are processors. Changes no byte.
        force: bake everything, even over a file that is no asset.
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
            # Of a bake that was killed between publishing its asset and removing this.
            CheckpointFolder(task.asset).clear()
            yield Outcome(task, "fresh")
    folders = sorted({task.asset.parent for task in tasks})
    for folder in folders:
        remove_leftovers(folder)
    if not stale:
        return
    for folder in sorted({task.asset.parent for task in stale}):
        _prepare(folder)
    threads = threads_for(len(stale), jobs)
    jobs = min(len(stale), jobs or processors())
    try:
        if jobs == 1:
            for task in stale:
                yield attempt(task, threads, force, report)
        else:
            yield from attempt_in_processes(stale, jobs, threads, force, report)
    finally:
        for folder in folders:
            remove_leftovers(folder)


def threads_for(levels: int, jobs: int | None) -> int:
    """Threads each of several levels baked at once has to itself."""
    there = processors()
    return max(1, there // max(1, min(levels, jobs or there)))


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"the output folder cannot be made: {error.strerror or error}", file=folder
        ) from None
