"""Tasks of a cluster's workers: search a range of targets, or bake a whole level.

Workers hold no state but the data of a search, so another worker can repeat a lost task.
"""

from __future__ import annotations

import contextlib
import platform
import threading
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import numpy as np

from bake import __version__
from bake.baking.level import world_contents
from bake.core.errors import BudgetError, in_units
from bake.core.kernels.jit import waiting
from bake.project.recipe import LevelRecipe
from bake.search.all_pairs.runs import EndedRuns
from bake.store.schema import BAKE_REVISION
from bake.store.write import Contents
from bake.tables.compressed import ROW_BYTES
from bake.tables.range_search import Range, SharedSearch
from bake.tables.range_searcher import search_bytes
from bake.tables.run_writer import RangeRuns
from bake.worlds import World
from levelbake.errors import BakeError

Made = TypeVar("Made")


def versions() -> dict[str, str]:
    """Return the versions that this machine must share with the others."""
    found = {
        "levelbake": __version__,
        "the revision of baking": str(BAKE_REVISION),
        "Python": ".".join(platform.python_version_tuple()[:2]),
    }
    for package, parts in (("numpy", 1), ("numba", 2), ("distributed", 3)):
        try:
            found[package] = ".".join(version(package).split(".")[:parts])
        except PackageNotFoundError:
            found[package] = "none"
    return found


def refuse_other(mine: Mapping[str, str], theirs: Mapping[str, str], where: str) -> None:
    """Refuse a machine that has another version of something.

    Raises:
        BakeError: a version differs.
    """
    for name, needed in mine.items():
        if theirs.get(name) != needed:
            raise BakeError(
                f"{where} has another version of {name}: {theirs.get(name, 'none')}",
                expected=f"{needed}, as here",
                remedy="install the same versions on all machines of the cluster",
            )


class Room:
    """Lets tasks of one worker begin while their memory fits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._used = 0

    @contextlib.contextmanager
    def of(self, needed: int, there: int) -> Iterator[None]:
        """Wait until so many bytes of those that are there are free; one task always may begin."""
        with self._changed:
            self._changed.wait_for(lambda: not self._used or self._used + needed <= there)
            self._used += needed
        try:
            yield
        finally:
            with self._changed:
                self._used -= needed
                self._changed.notify_all()


_room = Room()


def run_task(mine: Mapping[str, str], function: Callable[..., Made], *arguments: Any) -> Made:
    """Run a function as a task of Dask.

    Args:
        mine: the versions of the machine that asks.

    Raises:
        BakeError: there are other versions here, or the function raises it.
    """
    # A worker may have joined after the build had looked at all versions.
    refuse_other(mine, versions(), f"the worker {_worker().address}")
    with waiting():
        return function(*arguments)


def search_task(shared: SharedSearch, targets: Range) -> RangeRuns:
    """Search a range, with what other tasks of this worker share.

    Raises:
        BudgetError: the memory does not suffice, or the runs are too many.
    """
    worker = _worker()
    rows = shared.job.sub.graph.node_count
    needed = search_bytes(rows) + rows * ROW_BYTES
    memory = min(shared.budget.memory, worker.memory_manager.memory_limit or shared.budget.memory)
    if needed > memory:
        raise BudgetError(
            f"a search in {rows:,} nodes needs {in_units(needed)}",
            expected=f"at most {in_units(memory)}, which the worker {worker.address} has",
            remedy="give workers more memory (dask worker --memory-limit)",
        )
    with _room.of(needed, memory):
        runs = shared.runs_of(targets)
    # One array is sent faster than thousands.
    pieces = list(zip(*runs.ended, strict=True))
    return runs._replace(ended=[EndedRuns(*map(np.concatenate, pieces))] if pieces else [])


def level_task(world: World, recipe: LevelRecipe, stated: str) -> list[Contents]:
    """Make everything an asset holds.

    Raises:
        BakeError: a table cannot be made.
    """
    return world_contents(world, recipe, stated, 1, lambda stage, done: None)


def same(data: Made) -> Made:
    """Return what is given: a task whose result is data that the scheduler can make again."""
    return data


def _worker() -> Any:
    from distributed import get_worker

    return get_worker()
