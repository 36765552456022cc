"""Search ranges of targets for their runs, on threads or on other machines.

A finished range is the unit of work: it is what an executor is handed, what a checkpoint keeps, and
what machines share out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Protocol

from bake.arrays import Int32Array
from bake.errors import BudgetError, in_units
from bake.graph import Subgraph
from bake.search.all_pairs.runs import Symbols
from bake.tables.all_pairs import Progress
from bake.tables.range_searcher import RangeSearcher
from bake.tables.run_writer import Piece, RangeRuns, RunWriter, check_runs, symbols_for

Range = tuple[int, int]
OfRange = Callable[[RangeRuns], None]

#: A function that is called with the first target of a range, the one after the last that was taken
#: in, and how many runs the range has so far.
_Taken = Callable[[int, int, int], None]


@dataclass(frozen=True)
class RangeJob:
    """What a range is searched in."""

    sub: Subgraph  #: what a profile can use; r rows
    #: (r, 2) int32 chart coordinates of the rows, see :func:`greedy_slots`; None = no greedy move
    at: Int32Array | None
    unreachable_fits: bool  #: whether another table says which targets are unreachable

    def symbols(self) -> Symbols:
        """Work out what runs may say."""
        return symbols_for(self.sub, self.at, unreachable_fits=self.unreachable_fits)


@dataclass(frozen=True)
class RunBudget:
    """How many runs there may be, the bytes of memory that follows from, and those of a run."""

    runs: int
    memory: int
    run_bytes: int

    def check(self, runs: int, share: float, rows: int) -> None:
        """Refuse more runs than there may be, found for a share of the targets of (r) rows.

        Raises:
            BudgetError: there are more.
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
    """What searches ranges of a job, laid out once in each process that does.

    Attributes:
        job: what to search in.
        budget: how many runs there may be.
    """

    def __init__(self, job: RangeJob, budget: RunBudget, taken: _Taken | None = None) -> None:
        """Begin without laying anything out.

        Args:
            taken: called after each batch; it is left behind where this is sent to another process.
        """
        self.job, self.budget = job, budget
        self._taken = taken or self._check_alone
        self._lock = threading.Lock()
        self._searcher: RangeSearcher | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return (SharedSearch, (self.job, self.budget))

    def __sizeof__(self) -> int:
        sub = self.job.sub
        arrays = (*sub.arcs, sub.node, sub.slot, *([] if self.job.at is None else [self.job.at]))
        return sum(array.nbytes for array in arrays)

    def runs_of(self, targets: Range) -> RangeRuns:
        """Search one range.

        Raises:
            BudgetError: there are too many runs.
            CostError: distances run off the integer scale.
        """
        with self._lock:
            if self._searcher is None:
                self._searcher = RangeSearcher(self.job.sub, self.job.symbols())
        writer = self._searcher.writer(targets)
        self._searcher.run(writer, self._take)
        return writer.runs

    def _take(
        self, writer: RunWriter, start: int, stop: int, dist: Int32Array | Iterator[Piece]
    ) -> None:
        writer.take(start, stop, dist)
        self._taken(writer.begin, stop, writer.run_count)

    def _check_alone(self, begin: int, taken: int, runs: int) -> None:
        rows = self.job.sub.graph.node_count
        self.budget.check(runs, (taken - begin) / rows, rows)


class Executor(Protocol):
    """Runs searches: a `concurrent.futures` executor of threads, or what looks like one."""

    def submit(
        self,
        function: Callable[[SharedSearch, Range], RangeRuns],
        shared: SharedSearch,
        targets: Range,
        /,
    ) -> Future[RangeRuns]: ...


class KeptRanges(Protocol):
    """Ranges of one table that earlier searches have finished."""

    def load(self, targets: Range, rows: int, check: OfRange, most_runs: int) -> RangeRuns | None:
        """Return what was found of a range; None = it is to be searched.

        Args:
            targets: the range.
            rows: r.
            check: raises ValueError where no search can have found that.
            most_runs: how many runs there may be.
        """

    def save(self, runs: RangeRuns) -> None:
        """Keep a range that was searched to its end."""


class _OverError(Exception):
    """The search has ended elsewhere."""


class RangeSearch:
    """Searches some ranges of a job, and keeps count.

    Attributes:
        symbols: what runs may say.
        ranges: the ranges, in the order of their targets.
    """

    def __init__(
        self, job: RangeJob, ranges: Sequence[Range], budget: RunBudget, progress: Progress
    ) -> None:
        """Begin without searching anything.

        Args:
            job: what to search in; r rows.
            ranges: the ranges to search.
            budget: how many runs all of them may have.
            progress: called with the fraction done, which never falls.
        """
        self._job, self.ranges, self._budget, self._progress = job, ranges, budget, progress
        self.symbols = job.symbols()
        self._rows = job.sub.graph.node_count
        self._targets = max(1, sum(stop - begin for begin, stop in ranges))
        # Of each range that was begun: targets taken in, and runs.
        self._taken = dict[int, int]()
        self._runs = dict[int, int]()
        self._counting = threading.Lock()
        self._over = threading.Event()

    def run(self, executor: Executor, found: OfRange, kept: KeptRanges | None) -> None:
        """Search what is not kept, and hand all ranges on in the order of their targets.

        Raises:
            BudgetError: there are too many runs.
            CostError: distances run off the integer scale.
        """
        in_order = _InOrder(self.ranges, found)
        left = []
        for each in self.ranges:
            runs = None
            if kept is not None:
                most = self._budget.runs - sum(self._runs.values())
                runs = kept.load(each, self._rows, self._check, most)
            if runs is None:
                left.append(each)
            else:
                self._report(runs.begin, runs.stop, runs.run_count)
                in_order.add(runs)
        shared = SharedSearch(self._job, self._budget, self._report)
        try:
            # Nothing else may hold the futures, as each holds what it found.
            for future in as_completed(
                executor.submit(SharedSearch.runs_of, shared, each) for each in left
            ):
                runs = future.result()
                self._check(runs)
                if kept is not None:
                    kept.save(runs)
                self._report(runs.begin, runs.stop, runs.run_count)
                in_order.add(runs)
        finally:
            self._over.set()

    def run_in_threads(self, threads: int, found: OfRange, kept: KeptRanges | None) -> None:
        """Search as :meth:`run` does, in threads of this process."""
        own = ThreadPoolExecutor(threads)
        try:
            self.run(own, found, kept)
        finally:
            own.shutdown(cancel_futures=True)

    def count(self, begin: int, taken: int, runs: int) -> float:
        """Note how far a range is, and how many runs it has; return the share of all that is done.

        Raises:
            BudgetError: there are too many in all.
        """
        if self._over.is_set():
            raise _OverError
        with self._counting:
            self._taken[begin], self._runs[begin] = taken - begin, runs
            share = sum(self._taken.values()) / self._targets
            self._budget.check(sum(self._runs.values()), share, self._rows)
            return share

    def _report(self, begin: int, taken: int, runs: int) -> None:
        self._progress(self.count(begin, taken, runs))

    def _check(self, runs: RangeRuns) -> None:
        check_runs(runs, self._job.sub, self.symbols.none)


class _InOrder:
    """Hands ranges on in the order of their targets, in whatever order they come."""

    def __init__(self, ranges: Sequence[Range], found: OfRange) -> None:
        self._left = [begin for begin, _ in reversed(ranges)]
        self._found = found
        self._ready = dict[int, RangeRuns]()

    def add(self, runs: RangeRuns) -> None:
        self._ready[runs.begin] = runs
        while self._left and self._left[-1] in self._ready:
            self._found(self._ready.pop(self._left.pop()))
