"""Lay out next hops as small readers look them up: starts of runs, and greedy moves."""

from __future__ import annotations

import numpy as np

from bake.arrays import AnyArray, Int32Array
from bake.graph import BLOCKED
from bake.runtime.reader.columns import ProfileColumns

#: About this many pairs are decoded at once.
_PORTION = 2**22


def hop_columns(tables: ProfileColumns, move: AnyArray, *, charted: bool) -> dict[str, AnyArray]:
    """Return the next hops of one profile.

    Args:
        tables: what the asset holds.
        move: (k) the move of each run.
        charted: whether readers know where places lie, which greedy moves go by.

    Returns:
        The columns of runs.
    """
    hops = tables.hops
    count, start = np.diff(hops.first_run), hops.start
    if len(hops.at) and not charted:
        count, start, move = _runs_of(tables, move.dtype)
    first = np.zeros(len(count) + 1, dtype=np.uint32)
    np.cumsum(count, out=first[1:], dtype=np.uint32)
    kind = np.uint16 if tables.row_count <= 2**16 else np.uint32
    runs = {"first_run": first, "run_start": start.astype(kind), "run_move": move}
    return runs | (_greedy(hops.greedy_slot, move.dtype) if len(hops.at) and charted else {})


def _greedy(slot: Int32Array, dtype: np.dtype[np.generic]) -> dict[str, AnyArray]:
    """Return the greedy moves, each combination of 18 once."""
    table = np.where(slot < 0, np.iinfo(str(dtype)).max, slot).astype(dtype)
    packed = np.ascontiguousarray(table).view(f"V{table.itemsize * table.shape[1]}").reshape(-1)
    _, first, kind = np.unique(packed, return_index=True, return_inverse=True)
    most = max(1, len(first)) - 1
    kinds = next(each for each in (np.uint8, np.uint16, np.uint32) if most < np.iinfo(each).max)
    return {"greedy_kind": kind.astype(kinds), "greedy_move": table[first]}


def _runs_of(
    tables: ProfileColumns, dtype: np.dtype[np.generic]
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Cut the rows of a table into runs of equal moves, none of them greedy."""
    rows = tables.row_count
    count = np.zeros(rows, dtype=np.int64)
    starts: list[AnyArray] = [np.empty(0, np.int64)]
    moves: list[AnyArray] = [np.empty(0, dtype)]
    many = max(1, _PORTION // max(1, rows))
    for first in range(0, rows, many):
        some = np.arange(first, min(first + many, rows), dtype=np.int32)
        move = _decoded(tables, some)
        begins = np.ones(move.shape, dtype=np.bool_)
        # What a row says of itself means nothing, so it may go on with what stands before it.
        move[np.arange(len(some)), some] = move[np.arange(len(some)), np.maximum(some - 1, 0)]
        begins[:, 1:] = move[:, 1:] != move[:, :-1]
        count[some] = begins.sum(axis=1)
        starts.append(np.nonzero(begins)[1])
        moves.append(move[begins].astype(dtype))
    return count, np.concatenate(starts), np.concatenate(moves)


def _decoded(tables: ProfileColumns, rows: Int32Array) -> AnyArray:
    """Return (k, r) int64, the slots of some rows toward every row; -1 where there is none."""
    total = tables.row_count
    goals = np.tile(np.arange(total, dtype=np.int32), len(rows))
    tails = np.repeat(rows, total)
    slot = tables.hops.slots(tails, goals)
    if len(tables.weight):
        arc = np.minimum(tables.first_arc[tails] + np.maximum(slot, 0), len(tables.weight) - 1)
        if ((slot >= 0) & (tables.weight[arc] == BLOCKED)).any():
            raise tables.damaged("a next hop leads where the profile cannot go")
    return slot.astype(np.int64).reshape(len(rows), total)
