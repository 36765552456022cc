"""Runs of next hops as an asset holds them, number by number in plain Python."""

from __future__ import annotations

from collections.abc import Sequence


def in_bytes(lengths: Sequence[int]) -> list[int]:
    """The bytes of some lengths, seven bits each."""
    written = []
    for length in lengths:
        left = length
        while left >= 128:
            written.append(128 + left % 128)
            left //= 128
        written.append(left)
    return written


def from_bytes(written: Sequence[int]) -> list[int]:
    """The lengths that some bytes say."""
    lengths, begun, weight = [], 0, 1
    for byte in written:
        begun += byte % 128 * weight
        weight *= 128
        if byte < 128:
            lengths.append(begun)
            begun, weight = 0, 1
    assert weight == 1
    return lengths


def runs_in(lengths: Sequence[int]) -> tuple[list[int], list[int]]:
    """How many runs each row has, and where each run begins."""
    counts, starts, start, count = [], [], 0, 0
    for length in lengths:
        starts.append(start)
        start, count = start + length, count + 1
        if length == 0:
            counts.append(count)
            start = count = 0
    assert count == 0
    return counts, starts
