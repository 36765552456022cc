"""Do what a cluster's workers do for a build: search a range of targets, or make a whole level."""

from __future__ import annotations

import contextlib
import platform
import threading
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

import numpy as np

from bake import __version__
from bake.arrays import Int32Array
from bake.asset.schema import BAKE_REVISION
from bake.asset.write import Contents
from bake.errors import BakeError, BudgetError, in_units
from bake.kernels.jit import waiting
from bake.pipeline.level import world_contents
from bake.recipe import LevelRecipe
from bake.search.all_pairs.runs import EndedRuns
from bake.tables.compressed import ROW_BYTES
from bake.tables.range_search import Range, RangeJob, RunBudget
from bake.tables.range_searcher import RangeSearcher, search_bytes
from bake.tables.run_writer import Piece, RangeRuns, RunWriter
from bake.worlds import World


class Tell(Protocol):
    """Is told how far a task is, and may end it by an exception.

    Attributes:
        name: of the worker.
        memory: bytes that the worker may have; None = no limit.
    """

    @property
    def name(self) -> str: ...

    @property
    def memory(self) -> int | None: ...

    def __call__(self, stage: str, done: float) -> None: ...


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


class SharedJob:
    """A job as workers hold it, laid out for searches by the first task that needs it."""

    def __init__(self, job: RangeJob) -> None:
        self.job = job
        self._lock = threading.Lock()
        self._searcher: RangeSearcher | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return (SharedJob, (self.job,))

    def __sizeof__(self) -> int:
        sub = self.job.sub
        arrays = (*sub.arcs, sub.node, sub.slot, *([] if self.job.at is None else [self.job.at]))
        return sum(array.nbytes for array in arrays)

    def searcher(self) -> RangeSearcher:
        """Return what searches ranges of the job."""
        with self._lock:
            if self._searcher is None:
                self._searcher = RangeSearcher(self.job.sub, self.job.symbols())
            return self._searcher


def search_range(
    shared: SharedJob,
    targets: Range,
    earlier: RangeRuns | None,
    budget: RunBudget,
    mine: Mapping[str, str],
    tell: Tell,
) -> RangeRuns:
    """Search a range, and return what is known of it then.

    Args:
        shared: what to search in.
        targets: the first target of the range, and the one after its last.
        earlier: what is known of it already.
        budget: how many runs it may have, and how much memory its search.
        mine: the versions of the machine that asks.
        tell: is told how far the search is.

    Raises:
        BakeError: there are other versions here.
        BudgetError: the memory does not suffice, or the runs are too many.
    """
    refuse_other(mine, versions(), f"the worker {tell.name}")
    rows = shared.job.sub.graph.node_count
    needed = search_bytes(rows) + rows * ROW_BYTES
    memory = min(budget.memory, tell.memory or budget.memory)
    if needed > memory:
        raise BudgetError(
            f"a search in {rows:,} nodes needs {in_units(needed)}",
            expected=f"at most {in_units(memory)}, which the worker {tell.name} has",
            remedy="give workers more memory (dask worker --memory-limit)",
        )

    def take(writer: RunWriter, start: int, stop: int, dist: Int32Array | Iterator[Piece]) -> None:
        writer.take(start, stop, dist)
        budget.check(writer.ended_count + rows, (stop - targets[0]) / rows, rows)
        tell("next hops", stop)

    with waiting(), _room.of(needed, memory):
        searcher = shared.searcher()
        writer = searcher.writer(targets, earlier)
        searcher.run(writer, take)
    runs = writer.runs
    # Pieces that are known already stay as they are, as a checkpoint counts them.
    known = 0 if earlier is None else len(earlier.ended)
    fresh = list(zip(*runs.ended[known:], strict=True))
    joined = [EndedRuns(*(np.concatenate(each) for each in fresh))] if fresh else []
    return runs._replace(ended=[*runs.ended[:known], *joined])


def make_level(
    world: World, recipe: LevelRecipe, stated: str, mine: Mapping[str, str], tell: Tell
) -> list[Contents]:
    """Make everything an asset holds; the arguments are as for :func:`search_range`.

    Raises:
        BakeError: there are other versions here, or a table cannot be made.
    """
    refuse_other(mine, versions(), f"the worker {tell.name}")
    with waiting():
        return world_contents(world, recipe, stated, 1, tell)
