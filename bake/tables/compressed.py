"""All-pairs next hops as runs: a compressed path database, exact, with nothing of size n^2 held.

A. Botea, "Ultra-Fast Optimal Pathfinding without Runtime Search", AIIDE 2011.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from bake.errors import BudgetError, in_units
from bake.graph import Int32Array, Subgraph
from bake.greedy import SECTORS, greedy_slots
from bake.search.batch import LANES, Scratch, Waist
from bake.search.first_moves import SlotArray
from bake.search.runs import EVERY, end_runs, extend_runs, group_by_row

Progress = Callable[[float], None]

#: Rows between two visits to the buffer of ended runs; bounds its size.
SLICE = 4096

#: Bytes a row needs beside its batch distances: its set, run, greedy moves, and the graph's arcs.
ROW_BYTES = 256

#: Runs a row is expected to need; far more than game maps do (7 to 20), so a budget holds.
EXPECTED_RUNS = 64
RUN_BYTES = 24


@dataclass(frozen=True)
class RunTable:
    """Next hops as runs of targets, row after row.

    Attributes:
        run_count: (r) int32, runs of each row, at least one.
        run_start: (k) int32, the first target of each run; the first run of a row begins at 0.
        run_slot: (k) unsigned, the slot to take from the row toward any target of the run; or the
            greedy move (all ones, less one), or no path (all ones). What it says of the row itself,
            and of targets another table says cannot be reached, means nothing.
    """

    run_count: Int32Array
    run_start: Int32Array
    run_slot: SlotArray


def run_dtype(sub: Subgraph) -> np.dtype[np.unsignedinteger]:
    """Smallest unsigned type that holds every slot and, apart from them, two symbols."""
    largest = int(sub.slot.max(initial=0))
    for kind in (np.uint8, np.uint16, np.uint32):
        if largest < np.iinfo(kind).max - 1:
            return np.dtype(kind)
    raise AssertionError("slots are int32")


def working_bytes(rows: int, threads: int) -> int:
    """Peak memory of :func:`compressed_next_hops` in bytes."""
    return rows * (threads * Scratch.BYTES + ROW_BYTES + EXPECTED_RUNS * RUN_BYTES)


def compressed_next_hops(
    sub: Subgraph,
    at: Int32Array | None,
    *,
    unreachable_fits: bool,
    budget: int,
    threads: int,
    progress: Progress,
) -> RunTable:
    """Search for batches of targets and compress what comes, batch after batch.

    Args:
        sub: what a profile can use; r rows.
        at: (r, 2) int32 chart coordinates of the rows, see :mod:`bake.greedy`; None = no greedy
            move.
        unreachable_fits: whether unreachable targets are told by another table, so that any symbol
            may stand for them.
        budget: bytes this may allocate.
        threads: how many batches to search at once; changes no byte of the result.
        progress: called with the fraction done.

    Raises:
        BudgetError: not even one search fits the budget.
        CostError: distances run off the integer scale.
    """
    rows = sub.graph.node_count
    while threads > 1 and working_bytes(rows, threads) > budget:
        threads -= 1
    if working_bytes(rows, threads) > budget:
        raise BudgetError(
            f"compressing next hops of {rows:,} nodes may need "
            f"{in_units(working_bytes(rows, threads))}",
            expected=f"at most {in_units(budget)} (memory_budget)",
            remedy="raise memory_budget, or leave next_hops out of tables",
        )
    writer = _RunWriter(sub, at, unreachable_fits=unreachable_fits)
    _in_order(
        Waist.of(sub.graph, sub.weight),
        range(0, rows, LANES),
        threads,
        writer.take,
        progress,
    )
    return writer.finish()


class _RunWriter:
    """Runs of every row, batch after batch."""

    def __init__(self, sub: Subgraph, at: Int32Array | None, *, unreachable_fits: bool) -> None:
        graph = sub.graph
        self._sub = sub
        self._unreachable_fits = unreachable_fits
        self._rows = graph.node_count
        self._dtype = run_dtype(sub)
        self._none = int(np.iinfo(self._dtype).max)
        self._greedy = self._none - 1
        if at is None:
            self._at = np.empty((0, 2), dtype=np.int32)
            self._greedy_slot = np.empty((0, SECTORS), dtype=np.int16)
        else:
            self._at = at
            self._greedy_slot = greedy_slots(graph.first_out, graph.head, at).astype(np.int16)
        self._moves = np.full(self._rows, EVERY, dtype=np.uint64)
        self._run_start = np.zeros(self._rows, dtype=np.int32)
        self._ended: list[tuple[Int32Array, Int32Array, Int32Array]] = []
        size = min(SLICE, self._rows) * LANES
        self._buffers = tuple(np.empty(size, dtype=np.int32) for _ in range(3))

    def take(self, start: int, stop: int, dist: Int32Array) -> None:
        """Take in the distances to targets start to stop; batches must come in order."""
        graph = self._sub.graph
        ended_row, ended_start, ended_symbol = self._buffers
        for first_row in range(0, self._rows, SLICE):
            count = extend_runs(
                graph.first_out,
                graph.head,
                self._sub.weight,
                dist,
                start,
                stop,
                first_row,
                min(first_row + SLICE, self._rows),
                self._at,
                self._greedy_slot,
                self._unreachable_fits,
                self._moves,
                self._run_start,
                self._greedy,
                self._none,
                ended_row,
                ended_start,
                ended_symbol,
            )
            if count:
                self._ended.append(
                    (
                        ended_row[:count].copy(),
                        ended_start[:count].copy(),
                        ended_symbol[:count].copy(),
                    )
                )

    def finish(self) -> RunTable:
        """End every row's last run and sort the runs by row."""
        last = np.empty(self._rows, dtype=np.int32)
        end_runs(self._sub.graph.first_out, self._moves, self._greedy, self._none, last)
        rows = np.arange(self._rows, dtype=np.int32)
        self._ended.append((rows, self._run_start, last))
        count = np.zeros(self._rows, dtype=np.int64)
        for row, _, _ in self._ended:
            count += np.bincount(row, minlength=self._rows)
        place = np.cumsum(count) - count
        start = np.empty(int(count.sum()), dtype=np.int32)
        symbol = np.empty_like(start)
        for row, run_start, run_symbol in self._ended:
            group_by_row(row, run_start, run_symbol, place, start, symbol)
        return RunTable(count.astype(np.int32), start, self._slots(count, symbol))

    def _slots(self, count: np.ndarray, symbol: Int32Array) -> SlotArray:
        """Symbols with the subgraph's arcs replaced by the slots they stand for."""
        row = np.repeat(np.arange(self._rows), count)
        degree = self._sub.graph.out_degree()[row]
        is_arc = (symbol < degree) & (symbol != self._greedy) & (symbol != self._none)
        arc = self._sub.graph.first_out[row[is_arc]] + symbol[is_arc]
        slot = symbol.astype(self._dtype)
        slot[is_arc] = self._sub.slot[arc]
        return slot


def _in_order(
    waist: Waist,
    starts: Sequence[int],
    threads: int,
    take: Callable[[int, int, Int32Array], None],
    progress: Progress,
) -> None:
    """Search several batches at once, but hand them on one after another, in order."""
    turn = threading.Condition()
    state = {"next": 0, "turn": 0, "failed": 0}

    def work() -> None:
        scratch = waist.scratch()
        while True:
            with turn:
                mine = state["next"]
                if mine >= len(starts) or state["failed"]:
                    return
                state["next"] = mine + 1
            try:
                start = starts[mine]
                stop = min(start + LANES, waist.node_count)
                targets = np.arange(start, stop, dtype=np.int32)
                dist = waist.distances_to(targets, scratch)
                with turn:
                    turn.wait_for(lambda: state["turn"] == mine or state["failed"])
                    if state["failed"]:
                        return
                take(start, stop, dist)
                with turn:
                    state["turn"] = mine + 1
                    turn.notify_all()
                progress((mine + 1) / len(starts))
            except BaseException:
                with turn:
                    state["failed"] = 1
                    turn.notify_all()
                raise

    with ThreadPoolExecutor(max_workers=threads) as pool:
        workers = [pool.submit(work) for _ in range(threads)]
    for worker in workers:
        worker.result()
