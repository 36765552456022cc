"""Make all-pairs next hops as runs: an exact compressed path database with nothing of size n^2.

A. Botea, "Ultra-Fast Optimal Pathfinding without Runtime Search", AIIDE 2011.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Protocol

import numpy as np

from bake.arrays import Int32Array
from bake.errors import BudgetError, in_units
from bake.graph import INFINITY, Subgraph
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.search.all_pairs.floyd_warshall import floyd_warshall
from bake.search.all_pairs.floyd_warshall import working_bytes as closing_bytes
from bake.search.all_pairs.runs import Symbols
from bake.tables.all_pairs import Algorithm, Progress, choose_algorithm, mark_unreachable
from bake.tables.run_writer import (
    STATE_BYTES,
    RangeRuns,
    RunJoiner,
    RunTable,
    RunWriter,
    check_runs,
    symbols_for,
    target_ranges,
)

Range = tuple[int, int]
Found = Callable[[RangeRuns], None]


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

    def offer(self, writer: RunWriter) -> None:
        """Note that a batch was taken in."""

    def finished(self, writer: RunWriter) -> None:
        """Note that the last batch of a range was taken in."""

    def interrupted(self, writer: RunWriter) -> None:
        """Note that the search is about to end early."""


#: Seconds to wait for a batch that is being taken in when the search is interrupted.
PATIENCE = 1.0

#: Bytes a row needs beside its batch distances: its set, run, greedy moves, and the graph's arcs.
ROW_BYTES = 256

#: Runs a row is expected to need: game maps take 7 to 13, AR0011SR 86. A table that needs more may
#: use what is left of the budget.
EXPECTED_RUNS = 64
RUN_BYTES = 24


def working_bytes(sub: Subgraph, threads: int, algorithm: Algorithm, *, distances: bool) -> int:
    """Return the peak memory of :func:`compressed_next_hops` in bytes, the tables included."""
    rows = sub.graph.node_count
    matrix = 4 * rows * rows
    if choose_algorithm(sub, algorithm) == "floyd_warshall":
        search = matrix + closing_bytes(rows, threads) + rows * BatchScratch.BYTES
    else:
        search = rows * threads * (BatchScratch.BYTES + STATE_BYTES)
    return search + distances * matrix + rows * (ROW_BYTES + EXPECTED_RUNS * RUN_BYTES)


def compressed_next_hops(
    sub: Subgraph,
    at: Int32Array | None,
    *,
    unreachable_fits: bool,
    algorithm: Algorithm,
    distances: bool,
    budget: int,
    threads: int,
    progress: Progress,
    ledger: Ledger | None = None,
) -> tuple[RunTable, Int32Array | None]:
    """Search for batches of targets and compress the results, batch after batch.

    Args:
        sub: what a profile can use; r rows.
        at: (r, 2) int32 chart coordinates of the rows, see :mod:`bake.greedy`; None = no greedy
            move.
        unreachable_fits: whether another table says which targets are unreachable, so that any
            symbol may stand for them.
        algorithm: as for :func:`bake.tables.all_pairs.all_pairs`.
        distances: whether to keep the distances, too.
        budget: bytes this may allocate.
        threads: how many ranges of targets to search at once, fewer where the budget is short;
            changes no byte of the result.
        progress: called with the fraction done.
        ledger: where to keep the state of the search; it is not used where distances are kept as
            well, or by Floyd-Warshall. It changes no byte of the result.

    Returns:
        The runs, and (r, r) int32 distances, UNREACHABLE where there is no path, or None.

    Raises:
        BudgetError: not even one search fits the budget.
        CostError: distances run off the integer scale.
    """
    rows = sub.graph.node_count
    while threads > 1 and working_bytes(sub, threads, algorithm, distances=distances) > budget:
        threads -= 1
    needed = working_bytes(sub, threads, algorithm, distances=distances)
    if needed > budget:
        raise BudgetError(
            f"compressed next hops{' and distances' if distances else ''} of {rows:,} nodes may "
            f"need {in_units(needed)}",
            expected=f"at most {in_units(budget)} (memory_budget)",
            remedy="raise memory_budget, or leave tables out",
        )
    search = _RangeSearch(
        sub,
        symbols_for(sub, at, unreachable_fits=unreachable_fits),
        most_runs=rows * EXPECTED_RUNS + (budget - needed) // RUN_BYTES,
        budget=budget,
        distances=distances,
        progress=progress,
    )
    joiner = RunJoiner(sub, search.symbols)
    if choose_algorithm(sub, algorithm) == "floyd_warshall":
        search.from_matrix(threads, joiner.add)
    else:
        search.from_batches(threads, joiner.add, None if distances else ledger)
    if search.distance is not None:
        mark_unreachable(search.distance)
    return joiner.finish(), search.distance


class _RangeSearch:
    """Searches for the runs of all ranges of a level's targets.

    Attributes:
        symbols: what runs may say.
        distance: (r, r) int32 ticks, or None.
    """

    def __init__(
        self,
        sub: Subgraph,
        symbols: Symbols,
        *,
        most_runs: int,
        budget: int,
        distances: bool,
        progress: Progress,
    ) -> None:
        self.symbols = symbols
        rows = self._rows = sub.graph.node_count
        self.distance = np.empty((rows, rows), dtype=np.int32) if distances else None
        self._sub, self._budget, self._most_runs = sub, budget, most_runs
        self._progress = progress
        self._ranges = target_ranges(rows)
        # Of each range that was begun: targets taken in, and runs.
        self._done = dict[int, tuple[int, int]]()
        self._counting = threading.Lock()
        self._over = threading.Event()
        self._spare: list[BatchScratch] = []
        self._under_way = dict[RunWriter, threading.Lock]()

    def from_matrix(self, threads: int, found: Found) -> None:
        """Close a dense matrix, and take it in batch by batch."""
        rows = self._rows
        matrix = np.empty((rows, rows), dtype=np.int32)
        for done in floyd_warshall(self._sub.graph, self._sub.weight, matrix, threads):
            self._progress(done / rows)
        dist = np.full((rows, LANES), INFINITY, dtype=np.int32)
        for begin, stop in self._ranges:
            writer = RunWriter(self._sub, self.symbols, begin, stop)
            for start in range(begin, stop, LANES):
                end = min(start + LANES, stop)
                dist[:, : end - start] = matrix[:, start:end]
                dist[:, end - start :] = INFINITY
                self._take(writer, start, end, dist)
            found(writer.runs)

    def from_batches(self, threads: int, found: Found, ledger: Ledger | None) -> None:
        """Search several ranges at once, and hand them on in the order of their targets."""
        earlier = dict[int, RangeRuns]()
        if ledger is not None:
            earlier = ledger.take_up(self._ranges, self._rows, self._check, self._most_runs)
            for begin, runs in earlier.items():
                self._done[begin] = (runs.taken - begin, _run_count(runs, self._rows))
        search = BatchSearch.of(self._sub.graph, self._sub.weight)
        ready = dict[int, RangeRuns]()
        left = iter(self._ranges)
        ahead = next(left, None)
        with ThreadPoolExecutor(max_workers=max(1, min(threads, len(self._ranges)))) as pool:
            try:
                # Nothing else may hold the futures, as each holds what it found.
                for future in as_completed(
                    pool.submit(self._runs_of, search, each, earlier.pop(each[0], None), ledger)
                    for each in self._ranges
                ):
                    if (done := future.result()) is not None:
                        ready[done.begin] = done
                    while ahead is not None and ahead[0] in ready:
                        found(ready.pop(ahead[0]))
                        ahead = next(left, None)
            except BaseException as error:  # An interrupt reaches this thread alone.
                self._over.set()
                # Other batches may take long to end, and there is little time.
                if isinstance(error, KeyboardInterrupt) and ledger is not None:
                    self._keep(ledger)
                raise

    def _check(self, runs: RangeRuns) -> None:
        check_runs(runs, self._sub, self.symbols.none)

    def _runs_of(
        self,
        search: BatchSearch,
        targets: Range,
        earlier: RangeRuns | None,
        ledger: Ledger | None,
    ) -> RangeRuns | None:
        """Search one range, or what is left of it; return None where the whole search is over."""
        if earlier is not None and earlier.taken == earlier.stop:
            return earlier
        # Asking first whether there is a spare one would race with other threads.
        try:
            scratch = self._spare.pop()
        except IndexError:
            scratch = search.scratch()
        begin, stop = targets
        writer = RunWriter(self._sub, self.symbols, begin, stop)
        if earlier is not None:
            writer.go_on_from(earlier)
        taking = self._under_way[writer] = threading.Lock()
        try:
            for start in range(writer.taken, stop, LANES):
                end = min(start + LANES, stop)
                dist = search.distances_to(np.arange(start, end, dtype=np.int32), scratch)
                with taking:
                    if self._over.is_set():
                        return None
                    self._take(writer, start, end, dist)
                    if ledger is not None:
                        ledger.offer(writer)
                self._tell()
            if ledger is not None:
                ledger.finished(writer)
        except BaseException:
            self._over.set()
            raise
        del self._under_way[writer]
        self._spare.append(scratch)
        return writer.runs

    def _take(self, writer: RunWriter, start: int, stop: int, dist: Int32Array) -> None:
        writer.take(start, stop, dist)
        with self._counting:
            self._done[writer.begin] = (stop - writer.begin, writer.ended_count + self._rows)
            taken, runs = (sum(each) for each in zip(*self._done.values(), strict=True))
        if runs > self._most_runs:
            raise BudgetError(
                f"next hops do not compress: {runs:,} runs after "
                f"{taken / self._rows:.0%} of the targets of {self._rows:,} nodes",
                expected=f"at most {self._most_runs:,} in {in_units(self._budget)} (memory_budget)",
                remedy='raise memory_budget, or set storage = "dense" in [next_hops]',
            )
        if self.distance is not None:
            self.distance[:, start:stop] = dist[:, : stop - start]

    def _tell(self) -> None:
        """Report how much is done, never less than before."""
        with self._counting:
            self._progress(sum(taken for taken, _ in self._done.values()) / self._rows)

    def _keep(self, ledger: Ledger) -> None:
        """Hand writers to the ledger, unless one is still taking in a batch."""
        end = time.monotonic() + PATIENCE
        for writer, taking in list(self._under_way.items()):
            if taking.acquire(timeout=max(0.0, end - time.monotonic())):
                ledger.interrupted(writer)
                taking.release()


def _run_count(runs: RangeRuns, rows: int) -> int:
    ended = int(np.count_nonzero(runs.run_start != runs.begin))
    return ended + sum(len(piece.row) for piece in runs.ended) + rows
