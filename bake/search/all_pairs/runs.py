"""Encode rows of first moves as runs, batch of targets by batch of targets.

A row keeps the set of moves that have begun a shortest path to every target since its current run
began. While some move of the set suits a whole batch, the set is all that changes, and only arcs of
the set are looked at. A run ends at the first target that none of them leads to. Targets that a
separate table says cannot be reached fit any run.

Often the last targets of a run suit the next one as well, and the two may meet at any of them. They
meet where the fewest arcs lead from one side of the order to the other. So do the runs of other
rows, and what repeats from row to row takes few bytes.

B. Strasser, D. Harabor, A. Botea, "Fast First-Move Queries through Run-Length Encoding", SoCS 2014,
shows that taking the longest run each time gives the fewest; the greedy move as a symbol is that of
M. Chiari, S. Zhao, A. Botea, A. Gerevini, D. Harabor, A. Saetti, M. Salvetti, P. Stuckey, "Cutting
the Size of Compressed Path Databases with Wildcards and Redundant Symbols", ICAPS 2019.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array, UInt64Array
from bake.graph import INFINITY, Arcs
from bake.kernels.jit import kernel
from bake.search.all_pairs.batch import LANES
from bake.search.all_pairs.follow import sector

#: Bits of a row's set: slots 0 to 61, then "no path", then the greedy move. Rows with more arcs
#: keep a single slot.
# limit: the row stores a single slot; lowered by runs
SLOT_BITS = 62
NONE_BIT = np.uint64(1) << np.uint64(62)
GREEDY_BIT = np.uint64(1) << np.uint64(63)
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)

#: Targets that a set is compared with at once.
# limit: the work is done in parts; lowered by bakes
BLOCK = 16

#: Of so many targets one is looked at before all are.
# limit: all targets are compared; lowered by runs
SAMPLED = 8

#: Rows whose slots are named together.
# limit: the work is done in parts; lowered by runs
NAMED = 2**14


class TargetBatch(NamedTuple):
    """A batch of targets, in target order.

    Attributes:
        dist: (k, LANES) int32 ticks to targets ``start`` to ``stop``; INFINITY where there is no
            path, and in lanes past the last target.
        place: (n) int32, which row of ``dist`` holds those from each row of the graph.
    """

    dist: Int32Array
    place: Int32Array
    start: int
    stop: int


class Symbols(NamedTuple):
    """What a run may say.

    Attributes:
        at: (n, 2) int32 chart coordinates; empty without a greedy move.
        greedy_slot: (n, SECTORS) int16 where slots fit, otherwise int32: see
            :func:`greedy_slots`; empty without a greedy move.
        greedy, none: the symbols of the greedy move and of "no path".
        unreachable_fits: whether a target without a path fits any run; if not, it has the symbol
            ``none``.
        arcs_across: (n) int32, how many arcs lead across the place before each target. Of the
            targets of a batch at which a run may begin, it begins where the fewest do, so that
            runs of many rows begin at the same ones.
    """

    at: Int32Array
    greedy_slot: AnyArray
    greedy: int
    none: int
    unreachable_fits: bool
    arcs_across: Int32Array


class CurrentRuns(NamedTuple):
    """The current run of each row.

    Attributes:
        moves: (n) uint64, the set of moves that suit every target of the run; EVERY to begin with.
            For a row of more than SLOT_BITS arcs, the one slot kept, or "no path" as NONE_BIT.
        start: (n) int32, the target the run began at.
        first_moves: (n) uint64, the set of the first run of a row that has ended one. First runs
            are not written down, as what comes before may go on in them (:func:`join_range`).
        begin: the target that all first runs begin at.
    """

    moves: UInt64Array
    start: Int32Array
    first_moves: UInt64Array
    begin: int


class EndedRuns(NamedTuple):
    """Runs that ended, as they ended: row, first target and symbol of each, (e) int32."""

    row: Int32Array
    start: Int32Array
    symbol: Int32Array


@kernel
def greedy_over(greedy_slot: AnyArray, row: int, x0: int, x1: int, y0: int, y1: int) -> int:
    """Return the slot that is greedy toward all of a box, counted from a row; -1 if none is."""
    if (x0 > 0 or x1 < 0) and (y0 > 0 or y1 < 0):
        side = sector(x0, y0) & ~1
        if greedy_slot[row, side] == greedy_slot[row, side + 1]:
            return int(greedy_slot[row, side])
    return -1


class RunRoom(NamedTuple):
    """What :func:`extend_runs` works in.

    Attributes:
        target_x, target_y: (LANES) int32, where the targets lie.
        found: (LANES + BLOCK) uint64, the moves that suit each target.
        greedy_bit: (SECTORS) uint64, the slot that is greedy in each sector, or SLOT_BITS.
    """

    target_x: Int32Array
    target_y: Int32Array
    found: UInt64Array
    greedy_bit: UInt64Array

    @staticmethod
    def of(symbols: Symbols) -> RunRoom:
        """Allocate memory for one batch at a time."""
        x, y = np.zeros((2, LANES), dtype=np.int32)
        found = np.empty(LANES + BLOCK, dtype=np.uint64)
        return RunRoom(x, y, found, np.empty(symbols.greedy_slot.shape[1], dtype=np.uint64))


@kernel
def symbol_of(moves: np.uint64, greedy: int, none: int) -> int:
    """Choose the symbol for a set of moves: its lowest slot, or else greedy, or else no path."""
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
    room: RunRoom,
) -> int:
    """Take a batch of targets into some rows' current runs, and write down the runs that ended.

    Args:
        arcs: of the graph.
        batch: the targets, with distances from the rows and the heads of their arcs.
        rows: (k) int32, the rows to look at, of at most SLOT_BITS arcs each.
        symbols: what runs may say.
        current: each row's run; read and written.
        ended: room for k * LANES runs, filled from the front.
        room: to work in.

    Returns:
        How many runs were written down.
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
    target_x, target_y, found, greedy_bit = room
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
        held = moves[row]
        here = dist[place[row]]
        # Mostly some move of the set suits the whole batch, and that is quick to check. Where the
        # batch cannot be reached EVERY becomes the set of all moves, which says the same.
        if not start <= row < stop:
            left = np.uint64(0)
            straight = -1  # the one slot that is greedy toward the whole batch, if there is one
            scattered = False
            if use_greedy and held & GREEDY_BIT:
                x0 = low_x - at[row, 0]
                x1 = high_x - at[row, 0]
                y0 = low_y - at[row, 1]
                y1 = high_y - at[row, 1]
                straight = greedy_over(greedy_slot, row, x0, x1, y0, y1)
                scattered = straight < 0
                if scattered:
                    # A few targets mostly tell that it does not suit all.
                    for lane in range(0, lanes, SAMPLED):
                        if here[lane] == INFINITY:
                            continue
                        slot = greedy_slot[
                            row, sector(target_x[lane] - at[row, 0], target_y[lane] - at[row, 1])
                        ]
                        if (
                            slot < 0
                            or dist[place[head[first + slot]], lane] + weight[first + slot]
                            != here[lane]
                        ):
                            scattered = False
                            break
            if not scattered:
                for slot in range(degree):
                    bit = np.uint64(1) << np.uint64(slot)
                    if held & bit or slot == straight:
                        onward = dist[place[head[first + slot]]]
                        cost = weight[first + slot]
                        misses = np.int32(0)
                        for lane in range(LANES):
                            along = np.int32(onward[lane] + cost)
                            along = min(along, np.int32(INFINITY))
                            misses = np.int32(misses | np.int32(along ^ here[lane]))
                        if misses == 0:
                            left |= held & bit
                            if slot == straight:
                                left |= GREEDY_BIT
            if not unreachable_fits and left != 0:
                for lane in range(lanes):
                    if here[lane] == INFINITY:
                        left = np.uint64(0)
            if left != 0:
                moves[row] = left
                continue
        # What suits each target is worked out for all of them at once.
        for lane in range(LANES):
            found[lane] = 0
        for slot in range(degree):
            bit = np.uint64(1) << np.uint64(slot)
            onward = dist[place[head[first + slot]]]
            cost = weight[first + slot]
            for lane in range(LANES):
                along = np.int32(onward[lane] + cost)
                found[lane] |= bit if along == here[lane] else np.uint64(0)
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
            found[lane] = instead if here[lane] == INFINITY else found[lane]
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
                if held & suits:
                    held &= suits
                    lane += BLOCK
                    continue
            if held & found[lane]:
                held &= found[lane]
                lane += 1
                continue
            if run_start[row] == begin:
                first_moves[row] = held
            else:
                ended_row[count] = row
                ended_start[count] = run_start[row]
                ended_symbol[count] = symbol_of(held, greedy, none)
                count += 1
            # Go back over targets that a move of the new run suits as well.
            held = also = found[lane]
            begun = start + lane
            fewest = arcs_across[begun]
            for earlier in range(start + lane - 1, max(start - 1, run_start[row]), -1):
                also &= found[earlier - start]
                if also == 0:
                    break
                if arcs_across[earlier] < fewest:
                    fewest = arcs_across[earlier]
                    begun = earlier
                    held = also
            run_start[row] = begun
            lane += 1
        moves[row] = held
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
    """Do what :func:`extend_runs` does for rows of many arcs, which keep one slot.

    The slot is the lowest one there is, and it is kept for as long as it suits.
    """
    first_out, head, weight = arcs
    dist, place, start, stop = batch
    count = 0
    for row in rows:
        here = dist[place[row]]
        held = current.moves[row]
        for lane in range(stop - start):
            if start + lane == row or (here[lane] == INFINITY and symbols.unreachable_fits):
                continue
            if held >= NONE_BIT:  # There is no move yet, or no path.
                fits = held == NONE_BIT and here[lane] == INFINITY
            else:
                arc = first_out[row] + np.int64(held)
                onward = dist[place[head[arc]], lane]
                fits = here[lane] != INFINITY and onward + weight[arc] == here[lane]
            if fits:
                continue
            kept = NONE_BIT
            if here[lane] != INFINITY:
                for arc in range(first_out[row], first_out[row + 1]):
                    if dist[place[head[arc]], lane] + weight[arc] == here[lane]:
                        kept = np.uint64(arc - first_out[row])
                        break
            if held != EVERY:
                if current.start[row] == current.begin:
                    current.first_moves[row] = held
                else:
                    ended.row[count] = row
                    ended.start[count] = current.start[row]
                    ended.symbol[count] = symbols.none if held == NONE_BIT else np.int64(held)
                    count += 1
                current.start[row] = start + lane
            held = kept
        current.moves[row] = held
    return count


def symbols_of(held: UInt64Array, degree: Int32Array, symbols: Symbols) -> Int64Array:
    """Return (k) int64, the symbol of what each row holds: a set or, with many arcs, a slot."""
    lowest = (held & (~held + np.uint64(1))).astype(np.float64)
    slot = np.frexp(lowest)[1].astype(np.int64) - 1  # -1 where the set is empty
    other = np.where(held & GREEDY_BIT, symbols.greedy, symbols.none)
    found = np.where((slot < 0) | (slot >= SLOT_BITS), other, slot)
    crowded = degree > SLOT_BITS
    found[crowded] = np.where(held == NONE_BIT, symbols.none, held.astype(np.int64))[crowded]
    found[held == EVERY] = 0
    return found


def join_range(
    degree: Int32Array, before: CurrentRuns, here: CurrentRuns, symbols: Symbols
) -> EndedRuns:
    """Go on from the targets before a range in the runs that the range has found by itself.

    A row's current run goes on in the range's first run if some move suits both; otherwise it ends
    before the range.

    Args:
        degree: (n) int32, how many arcs each row has.
        before: the current runs before the range, begun at any target; becomes those after it.
        here: what :func:`extend_runs` left after the last target of the range.
        symbols: what runs may say.

    Returns:
        The runs that ended; in each row they come before those that were written down in the range.
    """
    only = here.start == here.begin
    held, first = before.moves, np.where(only, here.moves, here.first_moves)
    both = held & first  # EVERY leaves the other one as it is.
    alike = (held == first) | (held == EVERY) | (first == EVERY)
    joined = np.where(degree > SLOT_BITS, alike, both != 0)
    both = np.where(joined, both, first)
    start = np.where(joined, before.start, np.int32(here.begin))
    parted, ended = np.flatnonzero(~joined), np.flatnonzero(~only)
    symbol = [
        symbols_of(moves[rows], degree[rows], symbols)
        for moves, rows in ((held, parted), (both, ended))
    ]
    found = EndedRuns(
        np.concatenate([parted, ended]).astype(np.int32),
        np.concatenate([before.start[parted], start[ended]]),
        np.concatenate(symbol).astype(np.int32),
    )
    before.moves[:] = np.where(only, both, here.moves)
    before.start[:] = np.where(only, start, here.start)
    return found


def group_by_row(
    ended: EndedRuns,
    next_run: Int64Array,
    run_start: Int32Array,
    run_symbol: AnyArray,
) -> None:
    """Put runs behind those of their row; ``next_run`` (n) is where each row's next run goes."""
    order = np.argsort(ended.row, kind="stable")
    row = ended.row[order]
    begins = np.flatnonzero(np.diff(row, prepend=-1))
    count = np.diff(begins, append=len(row))
    at = np.arange(len(row)) + np.repeat(next_run[row[begins]] - begins, count)
    run_start[at], run_symbol[at] = ended.start[order], ended.symbol[order]
    next_run[row[begins]] += count


class PackedRuns(NamedTuple):
    """The runs that ended in a range, row after row, in as few bytes as they need.

    Attributes:
        of_row: (n) uint16 or int32, how many runs of each row ended.
        follower: (e) of the same type, the target that the run after each begins at, counted from
            ``begin``.
        symbol: (e) unsigned, the symbol of each.
        begin: the first target of the range.
    """

    of_row: AnyArray
    follower: AnyArray
    symbol: AnyArray
    begin: int


def append_runs(
    packed: PackedRuns, next_run: Int64Array, run_start: Int32Array, run_symbol: AnyArray
) -> None:
    """Put the runs of a range behind those of the ranges before it.

    Args:
        packed: the runs.
        next_run: (n) where the row's next run goes, whose start is there already; moved on.
        run_start, run_symbol: (k) the runs of all ranges.
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
    """Replace, in place, arcs counted from their row's first one by the slots they stand for."""
    end = np.cumsum(run_count)
    for row in range(0, len(end), NAMED):
        count = run_count[row : row + NAMED]
        some = symbol[end[row] - count[0] : end[row : row + NAMED][-1]]
        arc = np.repeat(first_out[row : row + len(count)], count) + some.astype(np.int64)
        known = (some != symbols.greedy) & (some != symbols.none)
        known &= arc < np.repeat(first_out[row + 1 : row + 1 + len(count)], count)
        some[known] = slot[arc[known]]
