"""Search ranges of targets for their runs, on threads or on other machines.

A range is the unit of work: executors search ranges, checkpoints store finished ones, and shards
divide them between machines.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Protocol

from bake.core.arrays import Int32Array
from bake.core.errors import BudgetError, in_units
from bake.core.graph import Subgraph
from bake.search.all_pairs.runs import Symbols
from bake.tables.all_pairs import Progress
from bake.tables.range_searcher import RangeSearcher
from bake.tables.run_writer import Piece, RangeRuns, RunWriter, build_symbols, check_runs

Range = tuple[int, int]
OfRange = Callable[[RangeRuns], None]

#: Called with the first target of a range, the end of the targets processed, and the number of runs
#: of the range so far.
_Report = Callable[[int, int, int], None]


@dataclass(frozen=True)
class RangeJob:
    """The input of a search for runs."""

    sub: Subgraph  #: the graph and weights of a profile; r rows
    #: (r, 2) int32 chart coordinates of the rows, see :func:`greedy_slots`; None = no compass move
    at: Int32Array | None
    unreachable_fits: bool  #: whether another table reports unreachable targets

    def symbols(self) -> Symbols:
        """Build the symbols of runs."""
        return build_symbols(self.sub, self.at, unreachable_fits=self.unreachable_fits)


@dataclass(frozen=True)
class RunBudget:
    """The limit on the number of runs, its memory budget, and the bytes of a run."""

    runs: int
    memory: int
    run_bytes: int

    def check(self, runs: int, share: float, rows: int) -> None:
        """Raise if the runs of a share of the targets of ``rows`` rows exceed the limit.

        Raises:
            BudgetError: there are more runs than the limit.
        """
        if runs > self.runs:
            needed = self.memory + int(runs / share - self.runs) * self.run_bytes
            raise BudgetError(
                f"next hops do not compress: {runs:,} runs after {share:.0%} of the targets of "
                f"{rows:,} nodes",
                expected=f"at most {self.runs:,} in {in_units(self.memory)} (memory_budget)",
                remedy=f"raise memory_budget to about {in_units(needed)}, or leave next_hops "
                "out of tables",
            )


class SharedSearch:
    """A job that any process can search, which builds its data structures on first use.

    Attributes:
        job: the input of the search.
        budget: the limit on the number of runs.
    """

    def __init__(self, job: RangeJob, budget: RunBudget, report: _Report | None = None) -> None:
        """Store the job without building anything.

        Args:
            report: called after each batch; not sent along when this object is pickled.
        """
        self.job, self.budget = job, budget
        self._report = report or self._check_alone
        self._lock = threading.Lock()
        self._searcher: RangeSearcher | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return (SharedSearch, (self.job, self.budget))

    def __sizeof__(self) -> int:
        sub = self.job.sub
        arrays = (*sub.arcs, sub.node, sub.slot, *([] if self.job.at is None else [self.job.at]))
        return sum(array.nbytes for array in arrays)

    def runs_of(self, targets: Range) -> RangeRuns:
        """Compute the runs of one range.

        Raises:
            BudgetError: there are too many runs.
            CostError: distances exceed the integer scale.
        """
        with self._lock:
            if self._searcher is None:
                self._searcher = RangeSearcher(self.job.sub, self.job.symbols())
        writer = self._searcher.writer(targets)
        self._searcher.run(writer, self._write_batch)
        return writer.runs

    def _write_batch(
        self, writer: RunWriter, start: int, stop: int, dist: Int32Array | Iterator[Piece]
    ) -> None:
        writer.take(start, stop, dist)
        self._report(writer.begin, stop, writer.run_count)

    def _check_alone(self, begin: int, taken: int, runs: int) -> None:
        rows = self.job.sub.graph.node_count
        self.budget.check(runs, (taken - begin) / rows, rows)


class Executor(Protocol):
    """Runs searches: a `concurrent.futures` executor of threads, or one with the same interface."""

    def submit(
        self,
        function: Callable[[SharedSearch, Range], RangeRuns],
        shared: SharedSearch,
        targets: Range,
        /,
    ) -> Future[RangeRuns]: ...


class KeptRanges(Protocol):
    """A store of the finished ranges of one table."""

    def load(self, targets: Range, rows: int, check: OfRange, most_runs: int) -> RangeRuns | None:
        """Return the stored runs of a range; None if the range must be searched.

        Args:
            targets: the range.
            rows: r.
            check: raises ValueError on runs that no search can have produced.
            most_runs: the limit on the number of runs.
        """

    def save(self, runs: RangeRuns) -> None:
        """Store a range that was searched completely."""


class _SearchEndedError(Exception):
    """Raised in workers after the search has ended elsewhere."""


class RangeSearch:
    """A search over some ranges of a job, which counts targets and runs.

    Attributes:
        symbols: the symbols of runs.
        ranges: the ranges, in the order of their targets.
    """

    def __init__(
        self, job: RangeJob, ranges: Sequence[Range], budget: RunBudget, progress: Progress
    ) -> None:
        """Prepare the search.

        Args:
            job: the input; r rows.
            ranges: the ranges to search.
            budget: the limit on the number of runs.
            progress: called with the fraction done, which never falls.
        """
        self._job, self.ranges, self._budget, self._progress = job, ranges, budget, progress
        self.symbols = job.symbols()
        self._rows = job.sub.graph.node_count
        self._targets = max(1, sum(stop - begin for begin, stop in ranges))
        # Of each range in progress: targets processed, and runs.
        self._taken = dict[int, int]()
        self._runs = dict[int, int]()
        self._counting = threading.Lock()
        self._over = threading.Event()

    def run(self, executor: Executor, consume: OfRange, kept: KeptRanges | None) -> None:
        """Search the ranges that are not stored, and pass on all in the order of their targets.

        Raises:
            BudgetError: there are too many runs.
            CostError: distances exceed the integer scale.
        """
        in_order = _OrderedRanges(self.ranges, consume)
        remaining = []
        for targets in self.ranges:
            runs = None
            if kept is not None:
                most = self._budget.runs - sum(self._runs.values())
                runs = kept.load(targets, self._rows, self._check, most)
            if runs is None:
                remaining.append(targets)
            else:
                self._report(runs.begin, runs.stop, runs.run_count)
                in_order.add(runs)
        shared = SharedSearch(self._job, self._budget, self._report)
        try:
            # No other reference may hold the futures, as each holds its runs.
            for future in as_completed(
                executor.submit(SharedSearch.runs_of, shared, targets) for targets in remaining
            ):
                runs = future.result()
                self._check(runs)
                if kept is not None:
                    kept.save(runs)
                self._report(runs.begin, runs.stop, runs.run_count)
                in_order.add(runs)
        finally:
            self._over.set()

    def run_in_threads(self, threads: int, consume: OfRange, kept: KeptRanges | None) -> None:
        """Search as :meth:`run` does, in threads of this process."""
        pool = ThreadPoolExecutor(threads)
        try:
            self.run(pool, consume, kept)
        finally:
            pool.shutdown(cancel_futures=True)

    def count(self, begin: int, taken: int, runs: int) -> float:
        """Record the progress of a range; return the fraction of all targets that is done.

        Raises:
            BudgetError: there are too many runs in all.
        """
        if self._over.is_set():
            raise _SearchEndedError
        with self._counting:
            self._taken[begin], self._runs[begin] = taken - begin, runs
            share = sum(self._taken.values()) / self._targets
            self._budget.check(sum(self._runs.values()), share, self._rows)
            return share

    def _report(self, begin: int, taken: int, runs: int) -> None:
        self._progress(self.count(begin, taken, runs))

    def _check(self, runs: RangeRuns) -> None:
        check_runs(runs, self._job.sub, self.symbols.none)


class _OrderedRanges:
    """Passes ranges on in the order of their targets, whatever order they arrive in."""

    def __init__(self, ranges: Sequence[Range], consume: OfRange) -> None:
        self._pending = [begin for begin, _ in reversed(ranges)]
        self._consume = consume
        self._ready = dict[int, RangeRuns]()

    def add(self, runs: RangeRuns) -> None:
        self._ready[runs.begin] = runs
        while self._pending and self._pending[-1] in self._ready:
            self._consume(self._ready.pop(self._pending.pop()))
