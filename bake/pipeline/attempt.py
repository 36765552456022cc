"""One level of a build: baked, or the mistake that kept it from being baked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bake.asset.header import is_foreign
from bake.errors import BakeError, BudgetError, OutputError
from bake.pipeline.sources import Task

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


def attempt(task: Task, threads: int, force: bool, report: Report) -> Outcome:
    """Bake one level.

    Args:
        task: the level.
        threads: how many it may use.
        force: whether a file that is no asset may be overwritten.
        report: progress.
    """
    from bake.pipeline.level import bake_level

    try:
        if not force and is_foreign(task.asset):
            raise OutputError(
                "there is a file that is no asset, and baking would overwrite it",
                file=task.asset,
                remedy="move it away, or overwrite it: `bake build --force`",
            )
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
