"""Run lengths of next hops, in as few bytes as each length needs.

Seven bits of a length make a byte, the lowest ones first; all bytes of a length but its last are
128 or more. This is LEB128: DWARF Debugging Information Format, version 5, section 7.6. A row's
last run, which ends with the table, has 0 for its length, which no other byte is.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, UInt8Array

#: Runs whose lengths are written at once.
_PORTION = 2**18

#: Bytes that a length below 2^31 takes at most.
_MOST_BYTES = 5


def run_lengths(run_start: Int32Array) -> UInt8Array:
    """Write down the lengths of runs.

    Args:
        run_start: (k) the first target of each run, row after row, each row's first one 0.

    Returns:
        (b) uint8.
    """
    written = [np.empty(0, dtype=np.uint8)]
    for first in range(0, len(run_start), _PORTION):
        start = run_start[first : first + _PORTION]
        after = np.zeros_like(start)
        after[: len(run_start) - first - 1] = run_start[first + 1 : first + 1 + _PORTION]
        # Where the next start is 0 the run is the last one of its row.
        written.append(_in_bytes(np.where(after > 0, after - start, 0)))
    return np.concatenate(written)


def _in_bytes(length: Int32Array) -> UInt8Array:
    width = np.ones(len(length), dtype=np.int64)
    for bits in range(7, 7 * _MOST_BYTES, 7):
        width += length >> bits > 0
    after = np.cumsum(width)
    written = np.empty(int(after[-1]) if len(after) else 0, dtype=np.uint8)
    for place in range(int(width.max(initial=0))):
        longer = np.flatnonzero(width > place)
        byte = (length[longer] >> 7 * place) & 127
        byte[width[longer] > place + 1] |= 128
        written[after[longer] - width[longer] + place] = byte
    return written


def move_type(moves: int) -> np.dtype[np.unsignedinteger]:
    """Return the type that holds this many moves, and two numbers above them."""
    return next(
        np.dtype(each)
        for each in (np.uint8, np.uint16, np.uint32)
        if moves + 1 < np.iinfo(each).max
    )
