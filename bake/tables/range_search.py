"""Search for the runs of ranges of targets, by threads or by a crew of other processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bake.arrays import Int32Array
from bake.errors import BudgetError, in_units
from bake.graph import Subgraph
from bake.search.all_pairs.runs import Symbols
from bake.tables.all_pairs import Progress
from bake.tables.range_searcher import RangeSearcher
from bake.tables.run_writer import Piece, RangeRuns, RunWriter, check_runs, symbols_for

Range = tuple[int, int]
Found = Callable[[RangeRuns], None]

#: Seconds to wait for a batch that is being taken in when the search is interrupted.
PATIENCE = 1.0


@dataclass(frozen=True)
class RangeJob:
    """What a range is searched in.

    Attributes:
        sub: what a profile can use; r rows.
        at: (r, 2) int32 chart coordinates of the rows, see :mod:`bake.greedy`; None = no greedy
            move.
        unreachable_fits: whether another table says which targets are unreachable.
    """

    sub: Subgraph
    at: Int32Array | None
    unreachable_fits: bool

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


class Ledger(Protocol):
    """Keeps the state of a long search, so that another one can go on from it."""

    def take_up(
        self,
        ranges: Sequence[Range],
        rows: int,
        check: Callable[[RangeRuns], None],
        most_runs: int,
    ) -> dict[int, RangeRuns]:
        """Return what an earlier search found of each range, by its first target.

        Args:
            ranges: the ranges.
            rows: r.
            check: raises ValueError where no search can have found that.
            most_runs: how many runs there may be in all.
        """

    def offer(self, runs: RangeRuns) -> None:
        """Note that a batch was taken in."""

    def finished(self, runs: RangeRuns) -> None:
        """Note that the last batch of a range was taken in."""

    def interrupted(self, runs: RangeRuns) -> None:
        """Note that the search is about to end early."""


class Crew(Protocol):
    """Searches ranges elsewhere."""

    def search(
        self,
        job: RangeJob,
        ranges: Sequence[Range],
        earlier: Mapping[int, RangeRuns],
        budget: RunBudget,
        taken: Callable[[int, int], None],
    ) -> Iterator[RangeRuns]:
        """Yield the runs of ranges, in any order.

        Args:
            job: what to search in.
            ranges: the ranges.
            earlier: what is known already of some of them, by their first targets.
            budget: how many runs a range may have.
            taken: called with a range's first target and the one after the last that was taken in.
        """


class _OverError(Exception):
    """The search has ended elsewhere."""


class RangeSearch:
    """Searches some ranges of a job, and keeps count.

    Attributes:
        symbols: what runs may say.
        ranges: the ranges, in the order of their targets.
    """

    def __init__(
        self,
        job: RangeJob,
        ranges: Sequence[Range],
        budget: RunBudget,
        progress: Progress,
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
        self._under_way = dict[RunWriter, threading.Lock]()

    def by_threads(self, threads: int, found: Found, ledger: Ledger | None) -> None:
        """Search in threads, and hand the ranges on in the order of their targets."""
        earlier = self._taken_up(ledger)
        searcher = RangeSearcher(self._job.sub, self.symbols)
        threads = max(1, min(threads, len(self.ranges)))
        in_order = _InOrder(self.ranges, found)
        with ThreadPoolExecutor(max_workers=threads) as pool:
            try:
                # Nothing else may hold the futures, as each holds what it found.
                for future in as_completed(
                    pool.submit(self._runs_of, searcher, each, earlier.pop(each[0], None), ledger)
                    for each in self.ranges
                ):
                    if (runs := future.result()) is not None:
                        in_order.add(runs)
            except BaseException as error:  # An interrupt reaches this thread alone.
                self._over.set()
                # Other batches may take long to end, and there is little time.
                if isinstance(error, KeyboardInterrupt) and ledger is not None:
                    self._keep(ledger)
                raise

    def by_crew(self, crew: Crew, found: Found, ledger: Ledger | None) -> None:
        """Let others search, and hand the ranges on in the order of their targets."""
        earlier = self._taken_up(ledger)
        in_order = _InOrder(self.ranges, found)
        left = []
        for each in self.ranges:
            runs = earlier.get(each[0])
            if runs is not None and runs.taken == runs.stop:
                in_order.add(earlier.pop(each[0]))
            else:
                left.append(each)
        for runs in crew.search(self._job, left, earlier, self._budget, self._note):
            self._check(runs)
            with self._counting:
                self._runs[runs.begin] = _run_count(runs, self._rows)
                self._check_budget()
            self._note(runs.begin, runs.taken)
            if ledger is not None:
                ledger.finished(runs)
            in_order.add(runs)

    def take(
        self, writer: RunWriter, start: int, stop: int, dist: Int32Array | Iterator[Piece]
    ) -> None:
        """Take distances into a writer, and count its runs.

        Raises:
            BudgetError: there are too many.
        """
        writer.take(start, stop, dist)
        with self._counting:
            self._taken[writer.begin] = stop - writer.begin
            self._runs[writer.begin] = writer.ended_count + self._rows
            self._check_budget()

    def _taken_up(self, ledger: Ledger | None) -> dict[int, RangeRuns]:
        if ledger is None:
            return {}
        earlier = ledger.take_up(self.ranges, self._rows, self._check, self._budget.runs)
        for begin, runs in earlier.items():
            self._taken[begin] = runs.taken - begin
            self._runs[begin] = _run_count(runs, self._rows)
        return earlier

    def _check(self, runs: RangeRuns) -> None:
        check_runs(runs, self._job.sub, self.symbols.none)

    def _check_budget(self) -> None:
        share = sum(self._taken.values()) / self._targets
        self._budget.check(sum(self._runs.values()), share, self._rows)

    def _runs_of(
        self,
        searcher: RangeSearcher,
        targets: Range,
        earlier: RangeRuns | None,
        ledger: Ledger | None,
    ) -> RangeRuns | None:
        """Search one range, or what is left of it; return None where the whole search is over."""
        if earlier is not None and earlier.taken == earlier.stop:
            return earlier
        taking = threading.Lock()

        def take(
            writer: RunWriter, start: int, stop: int, dist: Int32Array | Iterator[Piece]
        ) -> None:
            with taking:
                if self._over.is_set():
                    raise _OverError
                self.take(writer, start, stop, dist)
                if ledger is not None:
                    ledger.offer(writer.runs)
            self._note(writer.begin, stop)

        if self._over.is_set():
            return None
        try:
            writer = searcher.writer(targets, earlier)
            self._under_way[writer] = taking
            searcher.run(writer, take)
            if ledger is not None:
                ledger.finished(writer.runs)
            del self._under_way[writer]
        except _OverError:
            return None
        except BaseException:
            self._over.set()
            raise
        return writer.runs

    def _note(self, begin: int, taken: int) -> None:
        """Report how much is done; what is done again counts once."""
        with self._counting:
            self._taken[begin] = max(self._taken.get(begin, 0), taken - begin)
            self._progress(sum(self._taken.values()) / self._targets)

    def _keep(self, ledger: Ledger) -> None:
        """Hand runs to the ledger, unless a batch is still being taken in."""
        end = time.monotonic() + PATIENCE
        for writer, taking in list(self._under_way.items()):
            if taking.acquire(timeout=max(0.0, end - time.monotonic())):
                ledger.interrupted(writer.runs)
                taking.release()


class _InOrder:
    """Hands ranges on in the order of their targets, in whatever order they come."""

    def __init__(self, ranges: Sequence[Range], found: Found) -> None:
        self._left = [begin for begin, _ in reversed(ranges)]
        self._found = found
        self._ready = dict[int, RangeRuns]()

    def add(self, runs: RangeRuns) -> None:
        self._ready[runs.begin] = runs
        while self._left and self._left[-1] in self._ready:
            self._found(self._ready.pop(self._left.pop()))


def _run_count(runs: RangeRuns, rows: int) -> int:
    ended = int(np.count_nonzero(runs.run_start != runs.begin))
    return ended + sum(len(piece.row) for piece in runs.ended) + rows
