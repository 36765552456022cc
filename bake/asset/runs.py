"""Run lengths of next hops, in as few bytes as each length needs.

Seven bits of a length make a byte, the lowest ones first; all bytes of a length but its last are
128 or more. This is LEB128: DWARF Debugging Information Format, version 5, section 7.6. A row's
last run, which ends with the table, has 0 for its length, which no other byte is.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.asset.column import profile_path
from bake.asset.file import File

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


def starts_of_runs(written: UInt8Array, rows: int, runs: int) -> tuple[Int64Array, AnyArray]:
    """Return where runs begin, from their lengths as LEB128.

    Args:
        written: (b) uint8.
        rows, runs: how many there are.

    Returns:
        (r) int64, how many runs each row has; and (k) uint16 or int32, the first target of each
        run: in each row 0 first, then ascending and below r.

    Raises:
        ValueError: the lengths are not those of such runs. Nothing is allocated for runs that have
            no length.
    """
    ends = written < 128
    if (found := np.count_nonzero(ends)) != runs:
        raise ValueError(f"has {found:,} lengths for {runs:,} runs")
    if (found := len(written) - np.count_nonzero(written)) != rows:
        raise ValueError(f"ends {found:,} of {rows:,} rows")
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint16)
    if written[-1] or (written[np.flatnonzero(written == 0) - 1] >= 128).any():
        raise ValueError("ends a row inside a length")
    length = _lengths(written, np.flatnonzero(ends))
    if (longest := int(length.max())) >= rows:
        raise ValueError(f"has a run of {longest:,} targets in a table of {rows:,}")
    last = np.flatnonzero(length == 0)
    gone = np.diff(np.cumsum(length)[last], prepend=0)
    if (furthest := int(gone.max())) >= rows:
        raise ValueError(f"begins a run at target {furthest:,} of {rows:,}")
    # A running sum over all rows; after each row it takes away what the row has gone.
    kind = np.uint16 if rows <= 2**16 else np.int32
    step = np.zeros(runs, dtype=kind)
    step[1:] = length[:-1]
    step[last[:-1] + 1] = (-gone[:-1]).astype(kind)
    return np.diff(last, prepend=-1), np.cumsum(step, dtype=kind)


def run_starts(file: File, profile: str, rows: int, runs: int) -> tuple[Int64Array, AnyArray]:
    """Return where the runs of a profile's next hops begin, from lengths or from their starts.

    Args:
        file: what holds the columns.
        profile: its name; its next hops are compressed.
        rows, runs: how many it has.

    Returns:
        (r) int64, how many runs each row has, at least one; and (k) integers, the first target of
        each run: in each row 0 first, then ascending and below r.

    Raises:
        CorruptAssetError: the runs do not fit these rows, or cannot be read.
    """
    path = profile_path(profile, "run_length")
    if file.has(path):
        try:
            return starts_of_runs(file.read(path), rows, runs)
        except ValueError as error:
            raise file.damaged(f"column {path} {error}") from None
    first, start = (file.read(profile_path(profile, name)) for name in ("first_run", "run_start"))
    begins = np.zeros(runs, dtype=np.bool_)
    begins[first[:-1]] = True
    rises = begins.copy()
    rises[1:] |= start[1:] > start[:-1]
    if start[begins].any() or not rises.all():
        raise file.damaged(f"column {profile_path(profile, 'run_start')} does not ascend")
    return first[1:] - first[:-1].astype(np.int64), start


def _lengths(written: UInt8Array, last: Int64Array) -> Int64Array:
    """Put lengths together from their bytes; ``last`` is where the last byte of each lies."""
    length = written[last].astype(np.int64)
    width = np.diff(last, prepend=-1)
    if width.max() > _MOST_BYTES:
        raise ValueError(f"has a length of {width.max():,} bytes")
    for back in range(1, int(width.max())):
        longer = np.flatnonzero(width > back)
        length[longer] = (length[longer] << 7) | (written[last[longer] - back] & 127)
    return length


def move_type(moves: int) -> np.dtype[np.unsignedinteger]:
    """Return the type that holds this many moves, and two numbers above them."""
    return next(
        np.dtype(each)
        for each in (np.uint8, np.uint16, np.uint32)
        if moves + 1 < np.iinfo(each).max
    )
