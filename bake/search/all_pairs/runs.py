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

from bake.arrays import AnyArray, Int16Array, Int32Array, Int64Array, UInt64Array
from bake.graph import INFINITY, Arcs
from bake.kernels.jit import allocating, kernel
from bake.search.all_pairs.batch import LANES

#: Bits of a row's set: slots 0 to 61, then "no path", then the greedy move. Rows with more arcs
#: keep a single slot.
SLOT_BITS = 62
NONE_BIT = np.uint64(1) << np.uint64(62)
GREEDY_BIT = np.uint64(1) << np.uint64(63)
EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)

#: Targets that a set is compared with at once.
BLOCK = 16

#: Of so many targets one is looked at before all are.
SAMPLED = 8


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
        greedy_slot: (n, SECTORS) int16, see :func:`greedy_slots`; empty without a greedy move.
        greedy, none: the symbols of the greedy move and of "no path".
        unreachable_fits: whether a target without a path fits any run; if not, it has the symbol
            ``none``.
        arcs_across: (n) int32, how many arcs lead across the place before each target. Of the
            targets of a batch at which a run may begin, it begins where the fewest do, so that
            runs of many rows begin at the same ones.
    """

    at: Int32Array
    greedy_slot: Int16Array
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
def sector(dx: int, dy: int) -> int:
    across = 2 if dx > 0 else (0 if dx < 0 else 1)
    down = 2 if dy > 0 else (0 if dy < 0 else 1)
    return (across * 3 + down) * 2 + (1 if abs(dy) > abs(dx) else 0)


@kernel
def greedy_over(greedy_slot: Int16Array, row: int, x0: int, x1: int, y0: int, y1: int) -> int:
    """Return the slot that is greedy toward all of a box, counted from a row; -1 if none is."""
    if (x0 > 0 or x1 < 0) and (y0 > 0 or y1 < 0):
        side = sector(x0, y0) & ~1
        if greedy_slot[row, side] == greedy_slot[row, side + 1]:
            return int(greedy_slot[row, side])
    return -1


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
def _symbol(held: np.uint64, degree: int, greedy: int, none: int) -> int:
    """Choose the symbol for what a row holds: a set or, with many arcs, a slot."""
    if degree <= SLOT_BITS or held == EVERY:
        return symbol_of(held, greedy, none)
    return none if held == NONE_BIT else int(held)


@allocating
def extend_runs(
    arcs: Arcs,
    batch: TargetBatch,
    rows: Int32Array,
    symbols: Symbols,
    current: CurrentRuns,
    ended: EndedRuns,
) -> int:
    """Take a batch of targets into some rows' current runs, and write down the runs that ended.

    Args:
        arcs: of the graph.
        batch: the targets, with distances from the rows and the heads of their arcs.
        rows: (k) int32, the rows to look at.
        symbols: what runs may say.
        current: each row's run; read and written.
        ended: room for k * LANES runs, filled from the front.

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
    target_x = np.zeros(LANES, np.int32)
    target_y = np.zeros(LANES, np.int32)
    if use_greedy:
        for lane in range(lanes):
            target_x[lane] = at[start + lane, 0]
            target_y[lane] = at[start + lane, 1]
            low_x = min(low_x, target_x[lane])
            high_x = max(high_x, target_x[lane])
            low_y = min(low_y, target_y[lane])
            high_y = max(high_y, target_y[lane])
    found = np.empty(LANES + BLOCK, np.uint64)
    sectors = greedy_slot.shape[1]
    greedy_bit = np.empty(sectors, np.uint64)
    count = 0
    for row in rows:
        first = first_out[row]
        degree = first_out[row + 1] - first
        if degree > SLOT_BITS:
            count = _extend_crowded(
                arcs, batch, row, greedy, none, unreachable_fits, current, ended, count
            )
            continue
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
        found[lanes:] = EVERY
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
def _extend_crowded(
    arcs: Arcs,
    batch: TargetBatch,
    row: int,
    greedy: int,
    none: int,
    unreachable_fits: bool,
    current: CurrentRuns,
    ended: EndedRuns,
    count: int,
) -> int:
    """Do what :func:`extend_runs` does for a row of many arcs, which keeps one slot.

    The slot is the lowest one there is, and it is kept for as long as it suits.
    """
    first_out, head, weight = arcs
    dist, place, start, stop = batch
    here = dist[place[row]]
    held = current.moves[row]
    for lane in range(stop - start):
        if start + lane == row or (here[lane] == INFINITY and unreachable_fits):
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
                ended.symbol[count] = none if held == NONE_BIT else np.int64(held)
                count += 1
            current.start[row] = start + lane
        held = kept
    current.moves[row] = held
    return count


@kernel
def join_range(
    first_out: Int32Array,
    before: CurrentRuns,
    here: CurrentRuns,
    greedy: int,
    none: int,
    ended: EndedRuns,
) -> int:
    """Go on from the targets before a range in the runs that the range has found by itself.

    A row's current run goes on in the range's first run if some move suits both; otherwise it ends
    before the range.

    Args:
        first_out: (n + 1) int32, of the graph.
        before: the current runs before the range, begun at any target; becomes those after it.
        here: what :func:`extend_runs` left after the last target of the range.
        greedy, none: see :class:`Symbols`.
        ended: room for 2 n runs, filled from the front: in each row they come before those that
            were written down in the range.

    Returns:
        How many runs ended.
    """
    ended_row, ended_start, ended_symbol = ended
    count = 0
    for row in range(len(first_out) - 1):
        degree = first_out[row + 1] - first_out[row]
        only = here.start[row] == here.begin
        first = here.moves[row] if only else here.first_moves[row]
        held = before.moves[row]
        start = before.start[row]
        both = held & first  # EVERY leaves the other one as it is.
        joined = both != 0
        if degree > SLOT_BITS:
            joined = held in (first, EVERY) or first == EVERY
        if not joined:
            ended_row[count] = row
            ended_start[count] = start
            ended_symbol[count] = _symbol(held, degree, greedy, none)
            count += 1
            both = first
            start = here.begin
        if only:
            before.moves[row] = both
            before.start[row] = start
            continue
        ended_row[count] = row
        ended_start[count] = start
        ended_symbol[count] = _symbol(both, degree, greedy, none)
        count += 1
        before.moves[row] = here.moves[row]
        before.start[row] = here.start[row]
    return count


@kernel
def end_runs(
    first_out: Int32Array,
    moves: UInt64Array,
    greedy: int,
    none: int,
    symbol: Int32Array,
) -> None:
    """Find the symbol of every row's last run, from the sets that :func:`extend_runs` left."""
    for row in range(len(first_out) - 1):
        degree = first_out[row + 1] - first_out[row]
        symbol[row] = _symbol(moves[row], degree, greedy, none)


@kernel
def group_by_row(
    ended: EndedRuns,
    next_run: Int64Array,
    run_start: Int32Array,
    run_symbol: AnyArray,
) -> None:
    """Put runs behind those of their row; ``next_run`` (n) is where each row's next run goes."""
    row, start, symbol = ended
    for event in range(len(row)):
        at = next_run[row[event]]
        run_start[at] = start[event]
        run_symbol[at] = symbol[event]
        next_run[row[event]] = at + 1


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


@kernel
def append_runs(
    packed: PackedRuns, next_run: Int64Array, run_start: Int32Array, run_symbol: AnyArray
) -> None:
    """Put the runs of a range behind those of the ranges before it.

    Args:
        packed: the runs.
        next_run: (n) where the row's next run goes, whose start is there already; moved on.
        run_start, run_symbol: (k) the runs of all ranges.
    """
    of_row, follower, symbol, begin = packed
    event = 0
    for row in range(len(of_row)):
        at = next_run[row]
        for _ in range(of_row[row]):
            run_symbol[at] = symbol[event]
            at += 1
            run_start[at] = begin + follower[event]
            event += 1
        next_run[row] = at


@kernel
def name_slots(
    first_out: Int32Array,
    slot: Int32Array,
    run_count: Int64Array,
    greedy: int,
    none: int,
    symbol: AnyArray,
) -> None:
    """Replace, in place, arcs counted from their row's first one by the slots they stand for."""
    run = 0
    for row in range(len(run_count)):
        degree = first_out[row + 1] - first_out[row]
        for _ in range(run_count[row]):
            arc = symbol[run]
            if arc not in (greedy, none) and arc < degree:
                symbol[run] = slot[first_out[row] + arc]
            run += 1
