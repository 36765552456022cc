"""Compare all pairs of small dense graphs with scipy's Floyd-Warshall."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.csgraph import floyd_warshall

from bake.core.arrays import Float64Array, Int32Array
from bake.core.graph import Graph, Subgraph
from bake.tables.compressed import compressed_next_hops
from bake.tables.run_writer import RunTable
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds
from benchmarks.section import Section

FULL = (2048, 4096)
QUICK = (512, 1024)
ROUNDS = 3
AIM = 10
HEAVIEST = 1_000_000
BUDGET = 4 * 2**30

Matrix = Int32Array


def run(bench: Bench, section: Section) -> None:
    """Measure next hops of complete graphs with random weights."""
    sizes = bench.either(FULL, QUICK)
    rounds = bench.either(ROUNDS, 1)
    section.text(
        f"Complete directed graphs, random whole weights from 1 to {HEAVIEST:,}: next hops of "
        "every pair by Floyd-Warshall, in runs, one thread, beside "
        "`scipy.sparse.csgraph.floyd_warshall(return_predecessors=True)`. Every hop was checked to "
        f"begin a shortest path. Medians of {rounds}."
    )
    _solve(_complete(64)[1], 1)  # compiles
    rows = []
    for n in sizes:
        weight, sub = _complete(n)
        dense = weight.astype(np.float64)
        bench.tell(f"{n} nodes")
        results: dict[str, Any] = {}
        turns = {"scipy": _timed(results, "scipy", partial(_scipy, dense))}
        turns["bake"] = _timed(results, "bake", partial(_solve, sub, 1))
        first = in_turns(turns, 1)
        _check(weight, results["bake"], results["scipy"])
        again = in_turns(turns, rounds - 1) if rounds > 1 else first
        ratio = again["scipy"] / again["bake"]
        each = [f"{again[who] * 1e9 / n**2:,.0f}" for who in ("bake", "scipy")]
        rows.append(
            (f"{n:,}", f"{again['bake']:.2f}", f"{again['scipy']:.2f}", *each, f"{ratio:.1f}")
        )
        if n in FULL:
            section.at_least(f"n = {n:,}: times faster than scipy", ratio, AIM, "x", digits=1)
    section.table(
        ("n", "bake, s", "scipy, s", "bake, ns per pair", "scipy, ns per pair", "ratio"), rows
    )


def _complete(n: int) -> tuple[Matrix, Subgraph]:
    """Return random weights (n, n) with zeros on the diagonal, and their graph."""
    weight = np.random.default_rng(n).integers(1, HEAVIEST + 1, (n, n), dtype=np.int32)
    np.fill_diagonal(weight, 0)
    other = ~np.eye(n, dtype=np.bool_)
    head = np.broadcast_to(np.arange(n, dtype=np.int32), (n, n))[other]
    first_out = np.arange(0, n * n, n - 1, dtype=np.int32)[: n + 1]
    slot = np.tile(np.arange(n - 1, dtype=np.int32), n)
    graph = Graph(first_out, head)
    return weight, Subgraph(graph, weight[other], np.arange(n, dtype=np.int32), slot)


def _solve(sub: Subgraph, threads: int) -> RunTable:
    return compressed_next_hops(
        sub,
        None,
        unreachable_fits=True,
        algorithm="floyd_warshall",
        budget=BUDGET,
        threads=threads,
        progress=lambda done: None,
    )


def _scipy(dense: Float64Array) -> Float64Array:
    distance, _ = floyd_warshall(dense, return_predecessors=True)
    return np.asarray(distance)


def _timed(results: dict[str, Any], who: str, work: Callable[[], Any]) -> Callable[[], float]:
    def call() -> float:
        results.pop(who, None)
        return seconds(lambda: results.__setitem__(who, work()))

    return call


def _check(weight: Matrix, ours: RunTable, expected: Float64Array) -> None:
    n = len(weight)
    row = np.repeat(np.arange(n), ours.run_count)
    length = np.diff(row * n + ours.run_start, append=n * n)
    hop = np.repeat(ours.run_slot.astype(np.int64), length).reshape(n, n)
    for source in range(n):
        others = np.delete(np.arange(n), source)
        slot = hop[source, others]
        after = slot + (slot >= source)  # the arcs of a node skip itself
        assert (after < n).all(), f"n = {n}: no hop from {source}"
        length = weight[source, after] + expected[after, others]
        assert (length == expected[source, others]).all(), f"n = {n}: a hop that is not optimal"
