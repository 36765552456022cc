"""All-pairs next hops as runs: an exact compressed path database, built without n^2 memory.

A. Botea, "Ultra-Fast Optimal Pathfinding without Runtime Search", AIIDE 2011.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.errors import in_units, over_budget
from bake.core.graph import INFINITY, Subgraph
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

#: Bytes of a row beside its batch distances: its set, run, compass moves, and the graph's arcs.
ROW_BYTES = 256

#: Runs a row is expected to need: game maps take 7 to 13, AR0011SR 86. A table that needs more may
#: use the rest of the budget.
EXPECTED_RUNS = 64

#: Bytes of a run that is packed and written into the table, and of one in an unfinished range.
RUN_BYTES = 10
PIECE_BYTES = 14


def run_bytes(rows: int, threads: int) -> int:
    """Return an upper bound of the average bytes per run during a search of ``rows`` rows."""
    ranges = len(target_ranges(rows))
    return RUN_BYTES + -(-PIECE_BYTES * min(threads, ranges) // ranges)


def working_bytes(sub: Subgraph, threads: int, algorithm: Algorithm) -> int:
    """Return the peak memory of :func:`compressed_next_hops` in bytes, including the table."""
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
    """Return the number of threads and the limit on runs that fit a budget of bytes.

    Raises:
        BudgetError: one search exceeds the budget.
    """
    rows = sub.graph.node_count
    while threads > 1 and working_bytes(sub, threads, algorithm) > budget:
        threads -= 1
    needed = working_bytes(sub, threads, algorithm)
    if needed > budget:
        needs = f"next hops of {rows:,} nodes may need {in_units(needed)}"
        raise over_budget(needs, budget, "raise memory_budget, or leave tables out")
    run_size = run_bytes(rows, threads)
    runs = rows * EXPECTED_RUNS + (budget - needed) // run_size
    return threads, RunBudget(runs, budget, run_size)


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
    """Search batch after batch of targets and compress the results.

    Args:
        sub: the graph and weights of a profile; r rows.
        at: (r, 2) int32 chart coordinates of the rows, see :func:`greedy_slots`; None = no compass
            move.
        unreachable_fits: whether another table reports unreachable targets, so that any symbol may
            stand for them.
        algorithm: "dijkstra" searches batches of targets with a bucket queue, "floyd_warshall"
            closes a matrix; "auto" compares their work.
        budget: bytes this may allocate.
        threads: ranges of targets to search at once; fewer if the budget is small. The result does
            not depend on it.
        progress: called with the fraction done.
        kept: the store of finished ranges. A table of one range and Floyd-Warshall do not use it.
            The result does not depend on it.
        executor: searches ranges in place of threads of this process. A table of one range and
            Floyd-Warshall do not use it. The result does not depend on it.

    Raises:
        BudgetError: one search exceeds the budget.
        CostError: distances exceed the integer scale.
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
        _run_floyd_warshall(sub, search, threads, joiner.add, progress)
    elif executor is not None:
        search.run(executor, joiner.add, kept)
    else:
        search.run_in_threads(threads, joiner.add, kept)
    return joiner.finish()


def _run_floyd_warshall(
    sub: Subgraph, search: RangeSearch, threads: int, consume: OfRange, progress: Progress
) -> None:
    """Compute runs from a dense distance matrix, batch by batch."""
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
        consume(writer.runs)
