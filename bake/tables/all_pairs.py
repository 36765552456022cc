"""Make all-pairs next hops and distances in one pass over batches of targets.

Both methods give the same distances, and next hops are read off the distances, so the tables are
the same to the byte whichever method ran.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bake.arrays import Int32Array
from bake.errors import BudgetError, in_units
from bake.graph import INFINITY, UNREACHABLE, Subgraph
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.search.all_pairs.first_moves import (
    SlotArray,
    dense_bytes,
    dense_first_moves,
    lowest_first_moves,
)
from bake.search.all_pairs.floyd_warshall import floyd_warshall
from bake.search.all_pairs.floyd_warshall import working_bytes as closing_bytes

Algorithm = Literal["auto", "dijkstra", "floyd_warshall"]
Progress = Callable[[float], None]

#: Cost of relaxing one arc in one lane, in minima of the Floyd-Warshall inner loop: measured on
#: about 2,000 nodes it is 75 on lattices and 240 on random graphs.
RELAX_RATIO = 64

#: With so many arcs a node, looking for the few tight ones first is faster than trying all.
DENSE_DEGREE = 24

#: Distances rewritten at a time; marking them takes a byte each.
BLOCK = 2**16

#: Memory a search takes beside its tables and scratch, while it turns the graph round.
NODE_BYTES = 32
ARC_BYTES = 40

#: Threads, futures and buffers that do not grow with the graph.
FIXED_BYTES = 2**18


@dataclass(frozen=True)
class AllPairs:
    """Dense all-pairs tables, by row of a profile's subgraph.

    Attributes:
        hop: (r, r) unsigned, [from, to] -> slot of the arc to take; all ones where there is no
            path, or none is needed as both are one row. None if not asked for.
        distance: (r, r) int32 ticks, [from, to]; UNREACHABLE where there is no path. None if not
            asked for.
    """

    hop: SlotArray | None
    distance: Int32Array | None


def slot_dtype(sub: Subgraph, symbols: int = 1) -> np.dtype[np.unsignedinteger]:
    """Choose the smallest unsigned type that holds every slot and so many symbols beside them."""
    largest = int(sub.slot.max(initial=0))
    for kind in (np.uint8, np.uint16, np.uint32):
        if largest + symbols <= np.iinfo(kind).max:
            return np.dtype(kind)
    raise AssertionError("slots are int32")


def pair_bytes(sub: Subgraph, *, hops: bool, distances: bool) -> int:
    """Return the bytes that a pair takes in the dense tables of a profile."""
    return hops * slot_dtype(sub).itemsize + distances * 4


def working_bytes(
    sub: Subgraph, threads: int, algorithm: Algorithm, *, hops: bool, distances: bool
) -> int:
    """Return the peak memory of :func:`all_pairs` in bytes, the tables included."""
    rows = sub.graph.node_count
    tables = rows * rows * pair_bytes(sub, hops=hops, distances=distances)
    if choose_algorithm(sub, algorithm) == "floyd_warshall":
        most_arcs = int(sub.graph.out_degree().max(initial=0))
        beside = max(closing_bytes(rows, threads), dense_bytes(rows, most_arcs))
        matrix = 0 if distances else 4 * rows * rows
        return tables + matrix + beside + BLOCK + FIXED_BYTES
    graph = rows * NODE_BYTES + sub.graph.arc_count * ARC_BYTES
    return tables + graph + threads * (rows * BatchScratch.BYTES + BLOCK) + FIXED_BYTES


def choose_algorithm(sub: Subgraph, algorithm: Algorithm) -> Literal["dijkstra", "floyd_warshall"]:
    """Resolve "auto" by comparing the work: n^3 vectorised minima against n * m relaxations.

    A relaxation costs about RELAX_RATIO minima, since it also keeps the queue and is repeated now
    and then.
    """
    if algorithm != "auto":
        return algorithm
    return (
        "floyd_warshall"
        if sub.graph.node_count < RELAX_RATIO * sub.graph.arc_count / max(1, sub.graph.node_count)
        else "dijkstra"
    )


def all_pairs(
    sub: Subgraph,
    *,
    algorithm: Algorithm,
    hops: bool,
    distances: bool,
    budget: int,
    threads: int,
    progress: Progress,
) -> AllPairs:
    """Make next hops, distances or both, between all pairs of rows.

    Args:
        sub: what a profile can use; r rows.
        algorithm: "dijkstra" searches batches of targets with a bucket queue, "floyd_warshall"
            closes a dense matrix; "auto" compares their work.
        hops, distances: which of the two to make.
        budget: bytes this may allocate.
        threads: how many batches to search at once; changes no byte of the result.
        progress: called with the fraction done.

    Raises:
        BudgetError: the dense tables and the search's memory exceed the budget.
        CostError: distances run off the integer scale.
    """
    rows = sub.graph.node_count
    needed = working_bytes(sub, threads, algorithm, hops=hops, distances=distances)
    if needed > budget:
        raise BudgetError(
            f"dense tables of {rows:,} nodes need {in_units(needed)} "
            f"({rows:,} x {rows:,} x {pair_bytes(sub, hops=hops, distances=distances)} bytes and "
            "working memory)",
            expected=f"at most {in_units(budget)} (memory_budget)",
            remedy="raise memory_budget, or leave next_hops and distances out of tables",
        )
    hop = np.empty((rows, rows), dtype=slot_dtype(sub)) if hops else None
    if choose_algorithm(sub, algorithm) == "floyd_warshall":
        return _by_floyd_warshall(sub, hop, threads, progress, distances=distances)
    return _by_batches(sub, hop, threads, progress, distances=distances)


def _by_batches(
    sub: Subgraph, hop: SlotArray | None, threads: int, progress: Progress, *, distances: bool
) -> AllPairs:
    rows = sub.graph.node_count
    search = BatchSearch.of(sub.graph, sub.weight)
    distance = np.empty((rows, rows), dtype=np.int32) if distances else None
    spare: list[BatchScratch] = []

    def fill(start: int) -> None:
        # Asking first whether there is a spare one would race with other threads.
        try:
            scratch = spare.pop()
        except IndexError:
            scratch = search.scratch()
        stop = min(start + LANES, rows)
        dist = search.distances_to(np.arange(start, stop, dtype=np.int32), scratch)
        if hop is not None:
            _hops_from(sub, dist, start, stop, hop)
        if distance is not None:
            columns = distance[:, start:stop]
            columns[:] = dist[:, : stop - start]
            mark_unreachable(columns)
        spare.append(scratch)

    starts = range(0, rows, LANES)
    with ThreadPoolExecutor(max_workers=threads) as pool:
        for done, _ in enumerate(pool.map(fill, starts), start=1):
            progress(done / len(starts))
    return AllPairs(hop, distance)


def _by_floyd_warshall(
    sub: Subgraph, hop: SlotArray | None, threads: int, progress: Progress, *, distances: bool
) -> AllPairs:
    rows = sub.graph.node_count
    dist = np.empty((rows, rows), dtype=np.int32)
    for done in floyd_warshall(sub.graph, sub.weight, dist, threads):
        progress(done / rows)
    if hop is not None:
        _hops_from_matrix(sub, dist, hop)
    if distances:
        mark_unreachable(dist)
    return AllPairs(hop, dist if distances else None)


def mark_unreachable(distance: Int32Array) -> None:
    """Turn the search's "no path" into the table's, without a mask of the table's size."""
    step = max(1, BLOCK // max(1, distance.shape[1]))
    for start in range(0, len(distance), step):
        block = distance[start : start + step]
        np.copyto(block, UNREACHABLE, where=block == INFINITY)


def _hops_from(sub: Subgraph, dist: Int32Array, start: int, stop: int, hop: SlotArray) -> None:
    none = int(np.iinfo(hop.dtype).max)
    lowest_first_moves(sub.arcs, sub.slot, dist, none, start, stop, hop)


def _hops_from_matrix(sub: Subgraph, dist: Int32Array, hop: SlotArray) -> None:
    rows = sub.graph.node_count
    if sub.graph.arc_count < DENSE_DEGREE * rows:
        _hops_from(sub, dist, 0, rows, hop)
        return
    dense_first_moves(sub.arcs, sub.slot, dist, int(np.iinfo(hop.dtype).max), 0, rows, hop)
