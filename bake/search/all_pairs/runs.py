"""Encode first moves toward batches of targets as runs, one row per start.

Each row stores the set of moves that begin a shortest path to every target since its current run
began. While some move of the set suits a whole batch, only arcs of the set are read, and only the
set changes. A run ends at the first target that no move of the set leads to. Targets that a
separate table reports as unreachable fit any run.

Often the last targets of a run suit the next run as well, and the two may meet at any of them. They
meet where the fewest arcs cross from one side of the node order to the other. Runs of other rows
meet there too, and such repetition compresses well.

B. Strasser, D. Harabor, A. Botea, "Fast First-Move Queries through Run-Length Encoding", SoCS 2014,
shows that taking the longest run each time gives the fewest runs. The compass move (the arc in the
direction of the target, "greedy" in names) as a symbol follows M. Chiari, S. Zhao, A. Botea,
A. Gerevini, D. Harabor, A. Saetti, M. Salvetti, P. Stuckey, "Cutting the Size of Compressed Path
Databases with Wildcards and Redundant Symbols", ICAPS 2019.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array, UInt64Array
from bake.core.graph import INFINITY, Arcs
from bake.core.kernels.jit import kernel
from bake.search.all_pairs.batch import LANES
from bake.search.all_pairs.follow import sector

#: Bits of a row's set of moves: slots 0 to 61, then "no path", then the compass move. Rows with
#: more arcs store one slot instead of a set.
# limit: the row stores a single slot; lowered by runs
SLOT_BITS = 62
NONE_BIT = np.uint64(1) << np.uint64(62)
GREEDY_BIT = np.uint64(1) << np.uint64(63)
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)

#: Targets that are compared with a set at a time.
# limit: the work is done in parts; lowered by bakes
BLOCK = 16

#: One target in this many is tested before all are.
# limit: all targets are compared; lowered by runs
SAMPLED = 8

#: Rows whose symbols are translated at a time.
# limit: the work is done in parts; lowered by runs
NAMED = 2**14


class TargetBatch(NamedTuple):
    """Consecutive targets and the distances to them."""

    #: (k, LANES) int32 ticks to targets ``start`` to ``stop``; INFINITY where there is no path, and
    #: in lanes after the last target.
    dist: Int32Array
    #: (n) int32, the row of ``dist`` that belongs to each row of the graph.
    place: Int32Array
    start: int
    stop: int


class Symbols(NamedTuple):
    """The symbols of runs."""

    #: (n, 2) int32 chart coordinates; empty without a compass move.
    at: Int32Array
    #: (n, SECTORS) int16 where slots fit, otherwise int32: see :func:`greedy_slots`; empty without
    #: a compass move.
    greedy_slot: AnyArray
    #: The symbols of the compass move and of "no path".
    greedy: int
    none: int
    #: Whether a target without a path fits any run; if not, its symbol is ``none``.
    unreachable_fits: bool
    #: (n) int32, the number of arcs that cross from before each target to after it. A run begins at
    #: the target with the smallest number among those it may begin at, so that runs of many rows
    #: begin at the same targets.
    arcs_across: Int32Array


class CurrentRuns(NamedTuple):
    """The current run of each row."""

    #: (n) uint64, the moves that suit every target of the run; EVERY at the start. For a row of
    #: more than SLOT_BITS arcs, its one slot, or NONE_BIT for "no path".
    moves: UInt64Array
    #: (n) int32, the first target of the run.
    start: Int32Array
    #: (n) uint64, the set of the first run of each row that has ended one. First runs are not
    #: written, since the run before may continue in them (:func:`join_range`).
    first_moves: UInt64Array
    #: The target at which all first runs begin.
    begin: int


class EndedRuns(NamedTuple):
    """Ended runs in the order in which they ended: row, first target and symbol, (e) int32 each."""

    row: Int32Array
    start: Int32Array
    symbol: Int32Array


@kernel
def greedy_over(greedy_slot: AnyArray, row: int, x0: int, x1: int, y0: int, y1: int) -> int:
    """Return the slot that is the compass move toward all of a box relative to a row, or -1."""
    if (x0 > 0 or x1 < 0) and (y0 > 0 or y1 < 0):
        side = sector(x0, y0) & ~1
        if greedy_slot[row, side] == greedy_slot[row, side + 1]:
            return int(greedy_slot[row, side])
    return -1


class RunBuffers(NamedTuple):
    """Buffers of :func:`extend_runs`."""

    #: (LANES) int32, the coordinates of the targets.
    target_x: Int32Array
    target_y: Int32Array
    #: (LANES + BLOCK) uint64, the moves that suit each target.
    found: UInt64Array
    #: (SECTORS) uint64, the compass move of each sector, or SLOT_BITS.
    greedy_bit: UInt64Array

    @staticmethod
    def allocate(symbols: Symbols) -> RunBuffers:
        """Count the arcs that cross the position before each node, except arcs to distant nodes."""
        x, y = np.zeros((2, LANES), dtype=np.int32)
        found = np.empty(LANES + BLOCK, dtype=np.uint64)
        return RunBuffers(x, y, found, np.empty(symbols.greedy_slot.shape[1], dtype=np.uint64))


@kernel
def symbol_of(moves: np.uint64, greedy: int, none: int) -> int:
    """Return the symbol for a set of moves: its lowest slot, or the compass move, or no path."""
    if moves == EVERY:
        return 0
    for slot in range(SLOT_BITS):
        if (moves >> np.uint64(slot)) & np.uint64(1):
            return slot
    return greedy if moves & GREEDY_BIT else none


@kernel
def extend_runs(
    arcs: Arcs,
    batch: TargetBatch,
    rows: Int32Array,
    symbols: Symbols,
    current: CurrentRuns,
    ended: EndedRuns,
    buffers: RunBuffers,
) -> int:
    """Extend the current runs of some rows by a batch of targets, and write the runs that end.

    Args:
        arcs: of the graph.
        batch: the targets, with distances from the rows and the heads of their arcs.
        rows: (k) int32, the rows to extend, of at most SLOT_BITS arcs each.
        symbols: the symbols of runs.
        current: the current run of each row; read and written.
        ended: capacity for k * LANES runs, filled from the front.
        buffers: scratch arrays.

    Returns:
        The number of runs written.
    """
    first_out, head, weight = arcs
    dist, place, start, stop = batch
    at, greedy_slot, greedy, none, unreachable_fits, arcs_across = symbols
    moves, run_start, first_moves, begin = current
    ended_row, ended_start, ended_symbol = ended
    lanes = stop - start
    use_greedy = len(greedy_slot) > 0
    low_x = low_y = 2**30
    high_x = high_y = -(2**30)
    target_x, target_y, found, greedy_bit = buffers
    if use_greedy:
        for lane in range(lanes):
            target_x[lane] = at[start + lane, 0]
            target_y[lane] = at[start + lane, 1]
            low_x = min(low_x, target_x[lane])
            high_x = max(high_x, target_x[lane])
            low_y = min(low_y, target_y[lane])
            high_y = max(high_y, target_y[lane])
    sectors = greedy_slot.shape[1]
    count = 0
    for row in rows:
        first = first_out[row]
        degree = first_out[row + 1] - first
        row_moves = moves[row]
        row_dist = dist[place[row]]
        # Usually one move of the set suits the whole batch, which is quick to check. Where the
        # batch is unreachable, EVERY becomes the set of all moves, which means the same.
        if not start <= row < stop:
            moves_left = np.uint64(0)
            compass_slot = -1  # -1, or the one slot that is the compass move toward the whole batch
            scattered = False
            if use_greedy and row_moves & GREEDY_BIT:
                x0 = low_x - at[row, 0]
                x1 = high_x - at[row, 0]
                y0 = low_y - at[row, 1]
                y1 = high_y - at[row, 1]
                compass_slot = greedy_over(greedy_slot, row, x0, x1, y0, y1)
                scattered = compass_slot < 0
                if scattered:
                    # A few targets usually suffice to rule the compass move out.
                    for lane in range(0, lanes, SAMPLED):
                        if row_dist[lane] == INFINITY:
                            continue
                        slot = greedy_slot[
                            row, sector(target_x[lane] - at[row, 0], target_y[lane] - at[row, 1])
                        ]
                        if (
                            slot < 0
                            or dist[place[head[first + slot]], lane] + weight[first + slot]
                            != row_dist[lane]
                        ):
                            scattered = False
                            break
            if not scattered:
                for slot in range(degree):
                    bit = np.uint64(1) << np.uint64(slot)
                    if row_moves & bit or slot == compass_slot:
                        onward = dist[place[head[first + slot]]]
                        cost = weight[first + slot]
                        misses = np.int32(0)
                        for lane in range(LANES):
                            along = np.int32(onward[lane] + cost)
                            along = min(along, np.int32(INFINITY))
                            misses = np.int32(misses | np.int32(along ^ row_dist[lane]))
                        if misses == 0:
                            moves_left |= row_moves & bit
                            if slot == compass_slot:
                                moves_left |= GREEDY_BIT
            if not unreachable_fits and moves_left != 0:
                for lane in range(lanes):
                    if row_dist[lane] == INFINITY:
                        moves_left = np.uint64(0)
            if moves_left != 0:
                moves[row] = moves_left
                continue
        # Compute the moves that suit each target, for all targets at once.
        for lane in range(LANES):
            found[lane] = 0
        for slot in range(degree):
            bit = np.uint64(1) << np.uint64(slot)
            onward = dist[place[head[first + slot]]]
            cost = weight[first + slot]
            for lane in range(LANES):
                along = np.int32(onward[lane] + cost)
                found[lane] |= bit if along == row_dist[lane] else np.uint64(0)
        if use_greedy:
            for side in range(sectors):
                slot = greedy_slot[row, side]
                greedy_bit[side] = slot if slot >= 0 else SLOT_BITS
            x, y = at[row, 0], at[row, 1]
            for lane in range(LANES):
                side = sector(target_x[lane] - x, target_y[lane] - y)
                suits = (found[lane] >> greedy_bit[side]) & np.uint64(1)
                found[lane] |= suits << np.uint64(63)
        instead = EVERY if unreachable_fits else NONE_BIT
        for lane in range(LANES):
            found[lane] = instead if row_dist[lane] == INFINITY else found[lane]
        for lane in range(lanes, LANES + BLOCK):
            found[lane] = EVERY
        if start <= row < stop:
            found[row - start] = EVERY
        lane = 0
        while lane < lanes:
            if lane % BLOCK == 0:
                suits = EVERY
                for k in range(BLOCK):
                    suits &= found[lane + k]
                if row_moves & suits:
                    row_moves &= suits
                    lane += BLOCK
                    continue
            if row_moves & found[lane]:
                row_moves &= found[lane]
                lane += 1
                continue
            if run_start[row] == begin:
                first_moves[row] = row_moves
            else:
                ended_row[count] = row
                ended_start[count] = run_start[row]
                ended_symbol[count] = symbol_of(row_moves, greedy, none)
                count += 1
            # Go back over targets that some move of the new run suits as well.
            row_moves = also = found[lane]
            begun = start + lane
            fewest = arcs_across[begun]
            for earlier in range(start + lane - 1, max(start - 1, run_start[row]), -1):
                also &= found[earlier - start]
                if also == 0:
                    break
                if arcs_across[earlier] < fewest:
                    fewest = arcs_across[earlier]
                    begun = earlier
                    row_moves = also
            run_start[row] = begun
            lane += 1
        moves[row] = row_moves
    return count


@kernel
def extend_crowded(
    arcs: Arcs,
    batch: TargetBatch,
    rows: Int32Array,
    symbols: Symbols,
    current: CurrentRuns,
    ended: EndedRuns,
) -> int:
    """Extend runs as :func:`extend_runs` does, for rows of many arcs, which store one slot.

    The slot is the lowest one that fits, and it stays as long as it fits.
    """
    first_out, head, weight = arcs
    dist, place, start, stop = batch
    count = 0
    for row in rows:
        row_dist = dist[place[row]]
        row_moves = current.moves[row]
        for lane in range(stop - start):
            if start + lane == row or (row_dist[lane] == INFINITY and symbols.unreachable_fits):
                continue
            if row_moves >= NONE_BIT:  # There is no move yet, or "no path".
                fits = row_moves == NONE_BIT and row_dist[lane] == INFINITY
            else:
                arc = first_out[row] + np.int64(row_moves)
                onward = dist[place[head[arc]], lane]
                fits = row_dist[lane] != INFINITY and onward + weight[arc] == row_dist[lane]
            if fits:
                continue
            new_slot = NONE_BIT
            if row_dist[lane] != INFINITY:
                for arc in range(first_out[row], first_out[row + 1]):
                    if dist[place[head[arc]], lane] + weight[arc] == row_dist[lane]:
                        new_slot = np.uint64(arc - first_out[row])
                        break
            if row_moves != EVERY:
                if current.start[row] == current.begin:
                    current.first_moves[row] = row_moves
                else:
                    ended.row[count] = row
                    ended.start[count] = current.start[row]
                    ended.symbol[count] = (
                        symbols.none if row_moves == NONE_BIT else np.int64(row_moves)
                    )
                    count += 1
                current.start[row] = start + lane
            row_moves = new_slot
        current.moves[row] = row_moves
    return count


def symbols_of(row_moves: UInt64Array, degree: Int32Array, symbols: Symbols) -> Int64Array:
    """Return (k) int64, the symbol of each row's set of moves, or of its slot in crowded rows."""
    lowest = (row_moves & (~row_moves + np.uint64(1))).astype(np.float64)
    slot = np.frexp(lowest)[1].astype(np.int64) - 1  # -1 where the set is empty
    other = np.where(row_moves & GREEDY_BIT, symbols.greedy, symbols.none)
    found = np.where((slot < 0) | (slot >= SLOT_BITS), other, slot)
    crowded = degree > SLOT_BITS
    found[crowded] = np.where(row_moves == NONE_BIT, symbols.none, row_moves.astype(np.int64))[
        crowded
    ]
    found[row_moves == EVERY] = 0
    return found


def join_range(
    degree: Int32Array, before: CurrentRuns, in_range: CurrentRuns, symbols: Symbols
) -> EndedRuns:
    """Join the runs of a range to the current runs before the range.

    A row's current run continues in the range's first run if some move suits both; otherwise it
    ends before the range.

    Args:
        degree: (n) int32, the number of arcs of each row.
        before: the current runs before the range; updated to those after it.
        in_range: the current runs that :func:`extend_runs` computed over the range alone.
        symbols: the symbols of runs.

    Returns:
        The runs that ended at the seam; in each row they precede those that ended in the range.
    """
    single_run = in_range.start == in_range.begin
    row_moves, first = before.moves, np.where(single_run, in_range.moves, in_range.first_moves)
    common = row_moves & first  # EVERY leaves the other set unchanged.
    alike = (row_moves == first) | (row_moves == EVERY) | (first == EVERY)
    joined = np.where(degree > SLOT_BITS, alike, common != 0)
    moves_after = np.where(joined, common, first)
    start = np.where(joined, before.start, np.int32(in_range.begin))
    parted, ended = np.flatnonzero(~joined), np.flatnonzero(~single_run)
    symbol = [
        symbols_of(moves[rows], degree[rows], symbols)
        for moves, rows in ((row_moves, parted), (moves_after, ended))
    ]
    found = EndedRuns(
        np.concatenate([parted, ended]).astype(np.int32),
        np.concatenate([before.start[parted], start[ended]]),
        np.concatenate(symbol).astype(np.int32),
    )
    before.moves[:] = np.where(single_run, moves_after, in_range.moves)
    before.start[:] = np.where(single_run, start, in_range.start)
    return found


def group_by_row(
    ended: EndedRuns,
    next_run: Int64Array,
    run_start: Int32Array,
    run_symbol: AnyArray,
) -> None:
    """Append each run to its row; ``next_run`` (n) is the index of each row's next run."""
    order = np.argsort(ended.row, kind="stable")
    row = ended.row[order]
    begins = np.flatnonzero(np.diff(row, prepend=-1))
    count = np.diff(begins, append=len(row))
    at = np.arange(len(row)) + np.repeat(next_run[row[begins]] - begins, count)
    run_start[at], run_symbol[at] = ended.start[order], ended.symbol[order]
    next_run[row[begins]] += count


class PackedRuns(NamedTuple):
    """The runs that ended in a range, row after row, in as few bytes as they need."""

    #: (n) uint16 or int32, the number of ended runs of each row.
    of_row: AnyArray
    #: (e) of the same type, the target at which the run after each begins, relative to ``begin``.
    follower: AnyArray
    #: (e) unsigned, the symbol of each.
    symbol: AnyArray
    #: The first target of the range.
    begin: int


def append_runs(
    packed: PackedRuns, next_run: Int64Array, run_start: Int32Array, run_symbol: AnyArray
) -> None:
    """Append the runs of a range to the runs of the ranges before it.

    Args:
        packed: the runs.
        next_run: (n), the index of each row's next run, whose start is already written; advanced.
        run_start, run_symbol: (k), the runs of all ranges.
    """
    count = packed.of_row.astype(np.int64)
    at = np.repeat(next_run - np.cumsum(count) + count, count)
    at += np.arange(len(at))
    run_symbol[at] = packed.symbol
    at += 1
    run_start[at] = packed.follower + np.int32(packed.begin)
    next_run += count


def name_slots(
    first_out: Int32Array,
    slot: Int32Array,
    run_count: Int64Array,
    symbols: Symbols,
    symbol: AnyArray,
) -> None:
    """Convert the symbols of runs, in place, from arc offsets within a row to slots."""
    end = np.cumsum(run_count)
    for row in range(0, len(end), NAMED):
        count = run_count[row : row + NAMED]
        block = symbol[end[row] - count[0] : end[row : row + NAMED][-1]]
        arc = np.repeat(first_out[row : row + len(count)], count) + block.astype(np.int64)
        is_arc = (block != symbols.greedy) & (block != symbols.none)
        is_arc &= arc < np.repeat(first_out[row + 1 : row + 1 + len(count)], count)
        block[is_arc] = slot[arc[is_arc]]
