"""Make all-pairs next hops as runs: an exact compressed path database with nothing of size n^2.

A. Botea, "Ultra-Fast Optimal Pathfinding without Runtime Search", AIIDE 2011.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.errors import in_units, over_budget
from bake.graph import INFINITY, Subgraph
from bake.search.all_pairs.batch import LANES, BatchScratch
from bake.search.all_pairs.floyd_warshall import WORK_BYTES, floyd_warshall
from bake.tables.all_pairs import Algorithm, Progress, choose_algorithm
from bake.tables.range_search import (
    Executor,
    KeptRanges,
    OfRange,
    RangeJob,
    RangeSearch,
    RunBudget,
)
from bake.tables.range_searcher import search_bytes
from bake.tables.run_writer import (
    RunJoiner,
    RunTable,
    RunWriter,
    target_ranges,
)

#: Bytes a row needs beside its batch distances: its set, run, greedy moves, and the graph's arcs.
ROW_BYTES = 256

#: Runs a row is expected to need: game maps take 7 to 13, AR0011SR 86. A table that needs more may
#: use what is left of the budget.
EXPECTED_RUNS = 64

#: Bytes of a run that is packed and written into the table, and of one whose range is under way.
RUN_BYTES = 10
PIECE_BYTES = 14


def run_bytes(rows: int, threads: int) -> int:
    """Return the bytes that each run takes while (r) rows are searched, on average at most."""
    ranges = len(target_ranges(rows))
    return RUN_BYTES + -(-PIECE_BYTES * min(threads, ranges) // ranges)


def working_bytes(sub: Subgraph, threads: int, algorithm: Algorithm) -> int:
    """Return the peak memory of :func:`compressed_next_hops` in bytes, the table included."""
    rows = sub.graph.node_count
    if choose_algorithm(rows, sub.graph.arc_count, algorithm) == "floyd_warshall":
        search = 4 * rows * rows + threads * WORK_BYTES + rows * BatchScratch.BYTES
    else:
        search = threads * search_bytes(rows)
    expected = EXPECTED_RUNS * run_bytes(rows, threads)
    return search + rows * (ROW_BYTES + expected)


def run_budget(
    sub: Subgraph, budget: int, threads: int, algorithm: Algorithm
) -> tuple[int, RunBudget]:
    """Return how many threads may search, and how many runs there may be, in so many bytes.

    Raises:
        BudgetError: not even one search fits.
    """
    rows = sub.graph.node_count
    while threads > 1 and working_bytes(sub, threads, algorithm) > budget:
        threads -= 1
    needed = working_bytes(sub, threads, algorithm)
    if needed > budget:
        found = f"next hops of {rows:,} nodes may need {in_units(needed)}"
        raise over_budget(found, budget, "raise memory_budget, or leave tables out")
    each = run_bytes(rows, threads)
    runs = rows * EXPECTED_RUNS + (budget - needed) // each
    return threads, RunBudget(runs, budget, each)


def compressed_next_hops(
    sub: Subgraph,
    at: Int32Array | None,
    *,
    unreachable_fits: bool,
    algorithm: Algorithm,
    budget: int,
    threads: int,
    progress: Progress,
    kept: KeptRanges | None = None,
    executor: Executor | None = None,
) -> RunTable:
    """Search for batches of targets and compress the results, batch after batch.

    Args:
        sub: what a profile can use; r rows.
        at: (r, 2) int32 chart coordinates of the rows, see :func:`greedy_slots`; None = no greedy
            move.
        unreachable_fits: whether another table says which targets are unreachable, so that any
            symbol may stand for them.
        algorithm: "dijkstra" searches batches of targets with a bucket queue, "floyd_warshall"
            closes a matrix; "auto" compares their work.
        budget: bytes this may allocate.
        threads: how many ranges of targets to search at once, fewer where the budget is short;
            changes no byte of the result.
        progress: called with the fraction done.
        kept: where finished ranges are kept, unless there is only one; Floyd-Warshall does not use
            it. It changes no byte of the result.
        executor: searches ranges in place of threads of this process; it is not asked where there
            is only one, or by Floyd-Warshall. It changes no byte.

    Raises:
        BudgetError: not even one search fits the budget.
        CostError: distances run off the integer scale.
    """
    rows = sub.graph.node_count
    threads, run_limit = run_budget(sub, budget, threads, algorithm)
    by_matrix = choose_algorithm(rows, sub.graph.arc_count, algorithm) == "floyd_warshall"
    search = RangeSearch(
        RangeJob(sub, at, unreachable_fits),
        target_ranges(rows),
        run_limit,
        progress,
    )
    joiner = RunJoiner(sub, search.symbols)
    if len(search.ranges) == 1:
        kept = executor = None
    if by_matrix:
        _from_matrix(sub, search, threads, joiner.add, progress)
    elif executor is not None:
        search.run(executor, joiner.add, kept)
    else:
        search.run_in_threads(threads, joiner.add, kept)
    return joiner.finish()


def _from_matrix(
    sub: Subgraph, search: RangeSearch, threads: int, found: OfRange, progress: Progress
) -> None:
    """Close a dense matrix, and take it in batch by batch."""
    rows = sub.graph.node_count
    matrix = np.empty((rows, rows), dtype=np.int32)
    for done in floyd_warshall(sub.graph, sub.weight, matrix, threads):
        progress(done / rows)
    dist = np.full((rows, LANES), INFINITY, dtype=np.int32)
    for begin, stop in search.ranges:
        writer = RunWriter(sub, search.symbols, begin, stop)
        for start in range(begin, stop, LANES):
            end = min(start + LANES, stop)
            dist[:, : end - start] = matrix[:, start:end]
            dist[:, end - start :] = INFINITY
            writer.take(start, end, dist)
            search.count(begin, end, writer.run_count)
        found(writer.runs)
