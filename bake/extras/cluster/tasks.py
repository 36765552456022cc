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

Result = TypeVar("Result")


def versions() -> dict[str, str]:
    """Return the versions that all machines of a cluster must share."""
    installed = {
        "levelbake": __version__,
        "the revision of baking": str(BAKE_REVISION),
        "Python": ".".join(platform.python_version_tuple()[:2]),
    }
    for package, parts in (("numpy", 1), ("numba", 2), ("distributed", 3)):
        try:
            installed[package] = ".".join(version(package).split(".")[:parts])
        except PackageNotFoundError:
            installed[package] = "none"
    return installed


def check_versions(expected: Mapping[str, str], installed: Mapping[str, str], machine: str) -> None:
    """Raise unless a machine has the same versions as this one.

    Raises:
        BakeError: a version differs.
    """
    for name, version_here in expected.items():
        if installed.get(name) != version_here:
            raise BakeError(
                f"{machine} has another version of {name}: {installed.get(name, 'none')}",
                expected=f"{version_here}, as on this machine",
                remedy="install the same versions on all machines of the cluster",
            )


class MemoryPool:
    """The memory of one worker, which its tasks reserve before they begin."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._used = 0

    @contextlib.contextmanager
    def reserve(self, needed: int, limit: int) -> Iterator[None]:
        """Wait until `needed` bytes are free; where nothing is reserved, do not wait.

        Args:
            needed: bytes.
            limit: the bytes that all tasks may reserve together.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._used or self._used + needed <= limit)
            self._used += needed
        try:
            yield
        finally:
            with self._changed:
                self._used -= needed
                self._changed.notify_all()


_memory = MemoryPool()


def run_task(
    expected: Mapping[str, str], function: Callable[..., Result], *arguments: Any
) -> Result:
    """Run a function as a task of Dask.

    Args:
        expected: the versions of the machine that builds.
        function: the task.
        arguments: of the function.

    Raises:
        BakeError: a version differs on this machine, or the function raises it.
    """
    # A worker may have joined after the build had checked all machines.
    check_versions(expected, versions(), f"the worker {_worker().address}")
    with waiting():
        return function(*arguments)


def search_task(shared: SharedSearch, targets: Range) -> RangeRuns:
    """Return the runs of a range of targets.

    Raises:
        BudgetError: the memory does not suffice, or there are too many runs.
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
    with _memory.reserve(needed, memory):
        runs = shared.runs_of(targets)
    # One array is sent faster than thousands.
    columns = list(zip(*runs.ended, strict=True))
    return runs._replace(ended=[EndedRuns(*map(np.concatenate, columns))] if columns else [])


def level_task(world: World, recipe: LevelRecipe, stated: str) -> list[Contents]:
    """Return the contents of an asset.

    Raises:
        BakeError: a table cannot be computed.
    """
    return world_contents(world, recipe, stated, 1, lambda stage, done: None)


def return_data(data: Result) -> Result:
    """Return the argument, as a task that the scheduler repeats if the data is lost."""
    return data


def _worker() -> Any:
    from distributed import get_worker

    return get_worker()
