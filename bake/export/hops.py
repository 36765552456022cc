"""Lay out next hops as small readers look them up: starts of runs, and greedy moves."""

from __future__ import annotations

import numpy as np

from bake.arrays import AnyArray, Int32Array
from bake.play.reader.columns import ProfileColumns


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
    every = np.arange(tables.row_count, dtype=np.int32)
    starts: list[AnyArray] = [np.empty(0, dtype=np.int64)]
    moves: list[AnyArray] = [np.empty(0, dtype=dtype)]
    for row in every:
        move = tables.hops.slots(np.full_like(every, row), every).astype(np.int64)
        # What a row says of itself means nothing, so it may go on with what stands before it.
        move[row] = move[max(int(row) - 1, 0)]
        starts.append(np.flatnonzero(np.diff(move, prepend=-2)))
        moves.append(move[starts[-1]].astype(dtype))
    count = np.array([len(each) for each in starts[1:]], dtype=np.int64)
    return count, np.concatenate(starts), np.concatenate(moves)
