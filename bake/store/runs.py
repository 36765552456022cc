"""Run lengths of next hops, in as few bytes as each length needs.

Each byte holds seven bits of a length, the lowest ones first; all bytes of a length except the last
are 128 or more. This is LEB128: DWARF Debugging Information Format, version 5, section 7.6. The
last run of a row ends with the table and has length 0, which occurs nowhere else.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array, UInt8Array

#: Runs whose lengths are encoded at a time.
_PORTION = 2**18

#: The most bytes of a length below 2^31.
_MOST_BYTES = 5


def run_lengths(run_start: Int32Array) -> UInt8Array:
    """Encode the lengths of runs.

    Args:
        run_start: (k) the first target of each run, row after row, each row's first one 0.

    Returns:
        (b) uint8.

    >>> run_lengths(np.array([0, 3, 0, 300], dtype=np.int32)).tolist()
    [3, 0, 172, 2, 0]
    """
    written = [np.empty(0, dtype=np.uint8)]
    for first in range(0, len(run_start), _PORTION):
        start = run_start[first : first + _PORTION]
        after = np.zeros_like(start)
        after[: len(run_start) - first - 1] = run_start[first + 1 : first + 1 + _PORTION]
        # If the next start is 0, the run is the last one of its row.
        written.append(_encode_leb128(np.where(after > 0, after - start, 0)))
    return np.concatenate(written)


def _encode_leb128(length: Int32Array) -> UInt8Array:
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
    """Return the smallest unsigned type for this many moves and two numbers above them.

    >>> move_type(8), move_type(1000)
    (dtype('uint8'), dtype('uint16'))
    """
    return next(
        np.dtype(kind)
        for kind in (np.uint8, np.uint16, np.uint32)
        if moves + 1 < np.iinfo(kind).max
    )
