"""Make all-pairs next hops as runs: an exact compressed path database with nothing of size n^2.

A. Botea, "Ultra-Fast Optimal Pathfinding without Runtime Search", AIIDE 2011.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from bake.arrays import Int32Array
from bake.errors import BudgetError, in_units
from bake.graph import INFINITY, Subgraph
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.search.all_pairs.floyd_warshall import floyd_warshall
from bake.search.all_pairs.floyd_warshall import working_bytes as closing_bytes
from bake.tables.all_pairs import Algorithm, Progress, choose_algorithm, mark_unreachable
from bake.tables.run_writer import RunTable, RunWriter

Take = Callable[[int, int, Int32Array], None]


class Ledger(Protocol):
    """Keeps the state of a long search, so that another one can go on from it."""

    def take_up(self, writer: RunWriter, most_runs: int) -> None:
        """Bring a new writer to where an earlier search stopped, if that has no more runs."""

    def offer(self, writer: RunWriter) -> None:
        """Note that a batch was taken in."""

    def finished(self, writer: RunWriter) -> None:
        """Note that the last batch was taken in."""

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
        search = rows * threads * BatchScratch.BYTES
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
        threads: how many batches to search at once, fewer where the budget is short; changes no
            byte of the result.
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
    most_runs = rows * EXPECTED_RUNS + (budget - needed) // RUN_BYTES
    writer = RunWriter(sub, at, unreachable_fits=unreachable_fits)
    distance = np.empty((rows, rows), dtype=np.int32) if distances else None

    by_matrix = choose_algorithm(sub, algorithm) == "floyd_warshall"
    kept = None if by_matrix or distances else ledger

    def take(start: int, stop: int, dist: Int32Array) -> None:
        writer.take(start, stop, dist)
        if writer.ended_count + rows > most_runs:
            raise BudgetError(
                f"next hops do not compress: {writer.ended_count:,} runs after "
                f"{stop / rows:.0%} of the targets of {rows:,} nodes",
                expected=f"at most {most_runs:,} in {in_units(budget)} (memory_budget)",
                remedy='raise memory_budget, or set storage = "dense" in [next_hops]',
            )
        if distance is not None:
            distance[:, start:stop] = dist[:, : stop - start]
        if kept is not None:
            kept.offer(writer)

    if by_matrix:
        _from_matrix(sub, threads, take, progress)
    elif kept is None:
        search = BatchSearch.of(sub.graph, sub.weight)
        _from_batches(search, 0, threads, take, progress, lambda: None)
    else:
        _into_ledger(sub, writer, kept, most_runs - rows, threads, take, progress)
    if distance is not None:
        mark_unreachable(distance)
    return writer.finish(), distance


def _into_ledger(
    sub: Subgraph,
    writer: RunWriter,
    ledger: Ledger,
    most_runs: int,
    threads: int,
    take: Take,
    progress: Progress,
) -> None:
    """Search from where an earlier search stopped, and let the next one go on from this one."""
    ledger.take_up(writer, most_runs)
    if writer.taken < sub.graph.node_count:
        search = BatchSearch.of(sub.graph, sub.weight)
        _from_batches(
            search, writer.taken, threads, take, progress, lambda: ledger.interrupted(writer)
        )
    ledger.finished(writer)


def _from_matrix(sub: Subgraph, threads: int, take: Take, progress: Progress) -> None:
    """Close a dense matrix, then hand it on batch by batch."""
    rows = sub.graph.node_count
    matrix = np.empty((rows, rows), dtype=np.int32)
    for done in floyd_warshall(sub.graph, sub.weight, matrix, threads):
        progress(done / rows)
    dist = np.full((rows, LANES), INFINITY, dtype=np.int32)
    for start in range(0, rows, LANES):
        stop = min(start + LANES, rows)
        dist[:, : stop - start] = matrix[:, start:stop]
        dist[:, stop - start :] = INFINITY
        take(start, stop, dist)


def _from_batches(
    search: BatchSearch,
    begin: int,
    threads: int,
    take: Take,
    progress: Progress,
    interrupted: Callable[[], None],
) -> None:
    """Search several batches at once, but hand them on one after another, in order.

    Args:
        begin: the first target.
        interrupted: called where an interrupt ends the search, once no batch is being taken in.
    """
    turn = _Turn(-(-(search.node_count - begin) // LANES))

    def work() -> None:
        scratch = search.scratch()
        while (batch := turn.claim()) is not None:
            try:
                start = begin + batch * LANES
                stop = min(start + LANES, search.node_count)
                dist = search.distances_to(np.arange(start, stop, dtype=np.int32), scratch)
                if not turn.wait(batch):
                    return
                take(start, stop, dist)
            except BaseException:
                turn.give_up()
                raise
            turn.pass_on()
            progress(stop / search.node_count)

    with ThreadPoolExecutor(max_workers=threads) as pool:
        workers = [pool.submit(work) for _ in range(threads)]
        try:
            for worker in workers:
                worker.result()
        except BaseException as error:  # An interrupt reaches this thread alone.
            turn.give_up()
            # Other batches may take long to end, and there is little time.
            if isinstance(error, KeyboardInterrupt) and turn.over():
                interrupted()
            raise


class _Turn:
    """Keeps whose turn it is: batches are claimed in order and handed on in order."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._claimed = 0
        self._turn = 0
        self._over = False
        self._taking = False
        self._changed = threading.Condition()

    def claim(self) -> int | None:
        """Take the next batch to search for; return None where none is left."""
        with self._changed:
            if self._over or self._claimed == self._count:
                return None
            self._claimed += 1
            return self._claimed - 1

    def wait(self, batch: int) -> bool:
        """Wait until every batch before this one was handed on; return False if one failed."""
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._turn == batch)
            if not self._over:
                self._taking = True
            return not self._over

    def pass_on(self) -> None:
        with self._changed:
            self._turn += 1
            self._taking = False
            self._changed.notify_all()

    def over(self) -> bool:
        """After giving up, wait until no batch is being taken in; return whether none is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._taking, PATIENCE)

    def give_up(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()
