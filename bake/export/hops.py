"""Make the next hops of a flat file: moves, in runs."""

from __future__ import annotations

import numpy as np

from bake.arrays import AnyArray, Int32Array
from bake.asset.runs import move_type, moves_of_slots
from bake.export.level import Columns
from bake.graph import BLOCKED
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.hops import NO_SLOT, RunHops

#: About this many pairs, or runs, are decoded at once.
_PORTION = 2**22


def hop_columns(
    tables: BakedTables, move_of_arc: Int32Array, most_moves: int, *, charted: bool
) -> Columns:
    """Return the next hops of one profile.

    Args:
        tables: what the asset holds.
        move_of_arc: (m) int32, the move that each arc is.
        most_moves: one more than the largest move.
        charted: whether readers know where places lie, which greedy moves go by.

    Returns:
        The columns of runs.
    """
    hops = tables.hops
    rows = tables.row_count
    dtype = move_type(most_moves)
    if len(hops.at) and not charted:
        return _run_columns(*_runs_of(tables, move_of_arc, dtype), rows)
    count = np.diff(hops.first_run)
    degree = tables.end_arc - tables.first_arc
    move = moves_of_slots(hops.symbol, count, tables.first_arc, degree, move_of_arc, most_moves)
    runs = _run_columns(count, hops.start, move, rows)
    return runs | _greedy(hops, tables, move_of_arc, dtype)


def _smallest(moves: int) -> np.dtype[np.unsignedinteger]:
    """Return the type that holds this many numbers, and one more above them."""
    return next(
        np.dtype(each) for each in (np.uint8, np.uint16, np.uint32) if moves < np.iinfo(each).max
    )


def _run_columns(count: AnyArray, start: AnyArray, move: AnyArray, rows: int) -> Columns:
    first = np.zeros(len(count) + 1, dtype=np.uint32)
    np.cumsum(count, out=first[1:], dtype=np.uint32)
    kind = np.uint16 if rows <= 2**16 else np.uint32
    return {"first_run": first, "run_start": start.astype(kind), "run_move": move}


def _greedy(
    hops: RunHops, tables: BakedTables, move_of_arc: Int32Array, dtype: np.dtype[np.unsignedinteger]
) -> Columns:
    """Return the greedy moves, each combination of 18 once; nothing on graphs."""
    if not len(hops.at):
        return {}
    slot = hops.greedy_slot.astype(np.int64)
    arc = tables.first_arc[:, None] + np.maximum(slot, 0)
    none = np.iinfo(dtype).max
    moves = move_of_arc[np.minimum(arc, max(0, len(move_of_arc) - 1))] if len(move_of_arc) else 0
    table = np.where(slot < 0, none, moves).astype(dtype)
    packed = np.ascontiguousarray(table).view(f"V{table.itemsize * table.shape[1]}").reshape(-1)
    _, first, kind = np.unique(packed, return_index=True, return_inverse=True)
    return {
        "greedy_kind": kind.astype(_smallest(max(1, len(first)) - 1)),
        "greedy_move": table[first],
    }


def _decoded(tables: BakedTables, move_of_arc: Int32Array, rows: Int32Array) -> AnyArray:
    """Return (k, r) int64, the moves of some rows toward every row; -1 where there is none."""
    total = tables.row_count
    goals = np.tile(np.arange(total, dtype=np.int32), len(rows))
    tails = np.repeat(rows, total)
    slot = tables.hops.slots(tails, goals)
    arc = tables.first_arc[tails] + np.maximum(slot, 0)
    if not len(move_of_arc):
        return np.full((len(rows), total), NO_SLOT, dtype=np.int64)
    wrong = (slot >= 0) & (tables.weight[np.minimum(arc, len(move_of_arc) - 1)] == BLOCKED)
    if wrong.any():
        raise tables.damaged("a next hop leads where the profile cannot go")
    move = np.where(slot < 0, -1, move_of_arc[np.minimum(arc, len(move_of_arc) - 1)])
    return move.reshape(len(rows), total)


def _pieces(rows: int) -> list[Int32Array]:
    """Return all rows, some at a time."""
    many = max(1, _PORTION // max(1, rows))
    return [
        np.arange(first, min(first + many, rows), dtype=np.int32) for first in range(0, rows, many)
    ]


def _runs_of(
    tables: BakedTables, move_of_arc: Int32Array, dtype: np.dtype[np.unsignedinteger]
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Cut the rows of a table into runs of equal moves, none of them greedy."""
    rows = tables.row_count
    count = np.zeros(rows, dtype=np.int64)
    starts: list[AnyArray] = [np.empty(0, np.int64)]
    moves: list[AnyArray] = [np.empty(0, dtype)]
    for some in _pieces(rows):
        move = _decoded(tables, move_of_arc, some)
        begins = np.ones(move.shape, dtype=np.bool_)
        # What a row says of itself means nothing, so it may go on with what stands before it.
        move[np.arange(len(some)), some] = move[np.arange(len(some)), np.maximum(some - 1, 0)]
        begins[:, 1:] = move[:, 1:] != move[:, :-1]
        count[some] = begins.sum(axis=1)
        starts.append(np.nonzero(begins)[1])
        moves.append(move[begins].astype(dtype))
    return count, np.concatenate(starts), np.concatenate(moves)
