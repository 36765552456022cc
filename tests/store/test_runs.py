"""Lengths of runs as bytes: written as plain Python writes them, and read back as starts."""

import random
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.store import runs as module
from bake.store.runs import run_lengths
from levelbake.file import starts_of_runs
from tests.support.runs import from_bytes, in_bytes, runs_in

#: Lengths around every one that needs a byte more.
EDGES = sorted({2**bits + each for bits in (0, 7, 14, 21, 28) for each in (-1, 0, 1)} - {0})


def written(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint8)


def test_bytes_by_hand() -> None:
    """The second of three rows has one run; 300 is 2 * 128 + 44."""
    start = np.array([0, 1, 128, 0, 0, 300], dtype=np.int32)
    stored = [1, 127, 0, 0, 128 + 44, 2, 0]
    assert run_lengths(start).tolist() == stored
    assert run_lengths(np.array([0, 128], dtype=np.int32)).tolist() == [128, 1, 0]
    assert run_lengths(np.array([0, 0, 0], dtype=np.int32)).tolist() == [0, 0, 0]
    assert run_lengths(np.array([], dtype=np.int32)).tolist() == []
    count, back = starts_of_runs(written(*stored, *[0] * 400), 403, 406)
    assert count.tolist() == [3, 1, 2, *[1] * 400]
    assert back.tolist() == [*start.tolist(), *[0] * 400]
    count, back = starts_of_runs(written(), 0, 0)
    assert (count.tolist(), back.tolist()) == ([], [])


@pytest.mark.parametrize("length", EDGES)
def test_a_length_of_every_size(length: int) -> None:
    made = run_lengths(np.array([0, length], dtype=np.int32))
    assert made.tolist() == in_bytes([length, 0])
    assert from_bytes(made.tolist()) == [length, 0]


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, list[list[int]]]:
    """How many rows there are, and the starts of each row's runs."""
    rows = draw(st.sampled_from([1, 2, 3, 127, 128, 129, 300, 20_000]))
    begin = st.integers(0, rows - 1)
    some = draw(st.lists(st.sets(begin, max_size=12), min_size=1, max_size=min(rows, 9)))
    starts = [sorted(each | {0}) for each in some]
    return rows, starts + [[0]] * (rows - len(starts))


@given(tables(), st.sampled_from([1, 2, 5, 2**18]))
def test_starts_come_back(table: tuple[int, list[list[int]]], portion: int) -> None:
    rows, starts = table
    flat = [start for row in starts for start in row]
    lengths = [b - a for row in starts for a, b in pairwise([*row, row[-1]])]
    with pytest.MonkeyPatch.context() as patch:
        # Rows may lie in two portions, and a portion may end with a row.
        patch.setattr(module, "_PORTION", portion if len(flat) < 500 else 2**18)
        made = run_lengths(np.array(flat, dtype=np.int32))
    assert made.dtype == np.uint8
    assert made.tolist() == in_bytes(lengths)
    count, back = starts_of_runs(made, rows, len(flat))
    assert (count.tolist(), back.tolist()) == runs_in(lengths)
    assert (count.tolist(), back.tolist()) == ([len(row) for row in starts], flat)


@pytest.mark.parametrize(("rows", "kind"), [(2**16, np.uint16), (2**16 + 1, np.int32)])
def test_the_last_target_fits_the_type_of_starts(rows: int, kind: type) -> None:
    """A running sum over rows in 16 bits comes to the same."""
    stored = in_bytes([rows - 1, 0])
    _, back = starts_of_runs(np.tile(written(*stored), rows), rows, 2 * rows)
    assert back.dtype == kind
    assert np.array_equal(back.reshape(rows, 2), np.tile([0, rows - 1], (rows, 1)))


#: Of four rows; they have 3, 1, 2 and 1 runs.
FOUR = [1, 2, 0, 0, 3, 0, 0]


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        ([], "has 0 lengths for 7 runs"),
        (FOUR[:-1], "has 6 lengths for 7 runs"),
        ([*FOUR, 0], "has 8 lengths for 7 runs"),
        ([1, 2, 0, 0, 3, 0, 129], "has 6 lengths for 7 runs"),
        ([1, 2, 0, 0, 3, 0, 1], "ends 3 of 4 rows"),
        ([1, 0, 0, 0, 3, 0, 0], "ends 5 of 4 rows"),
        ([0, 1, 2, 0, 0, 0, 3], "inside a length"),
        ([*FOUR, 129], "inside a length"),
        ([1, 2, 0, 0, 3, 0, 128, 0], "inside a length"),
        ([1, 2, 0, 0, 129, 0, 0, 3], "inside a length"),
        ([129, 128, 128, 128, 128, 1, 2, 0, 0, 3, 0, 0], "length of 6 bytes"),
        ([1, 255, 255, 255, 255, 127, *FOUR[2:]], "a run of 34,359,738,367"),
        ([1, 4, 0, 0, 3, 0, 0], "a run of 4"),
        ([2, 2, 0, 0, 3, 0, 0], "at target 4 of 4"),
    ],
)
def test_what_is_no_lengths_of_runs(stored: list[int], told: str) -> None:
    count, start = starts_of_runs(written(*FOUR), 4, 7)
    assert (count.tolist(), start.tolist()) == ([3, 1, 2, 1], [0, 1, 3, 0, 0, 3, 0])
    with pytest.raises(ValueError, match=told):
        starts_of_runs(written(*stored), 4, 7)


def test_nothing_is_allocated_for_runs_that_are_not_there() -> None:
    for rows, runs in ((2**40, 2**40), (2**40, 1000), (10, 2**40)):
        tracemalloc.start()
        try:
            with pytest.raises(ValueError, match=r"ends|lengths for"):
                starts_of_runs(np.full(1000, 5, dtype=np.uint8), rows, runs)
            assert tracemalloc.get_traced_memory()[1] < 2**20
        finally:
            tracemalloc.stop()


def test_any_bytes_are_read_as_plain_python_reads_them_or_refused() -> None:
    rng = random.Random(5)
    read = 0
    for _ in range(2000):
        lengths = []
        for _ in range(40):
            lengths += [rng.choice([1, 1, 2, 9, 17]) for _ in range(rng.randrange(3))] + [0]
        stored = in_bytes(lengths)
        for _ in range(rng.randrange(3)):
            place = rng.randrange(len(stored))
            stored[place : place + rng.randrange(2)] = [rng.choice([0, 1, 5, 129, 200])]
        begun = stored[-1] >= 128
        said = [] if begun else from_bytes(stored)
        fits = not begun and len(said) == len(lengths) and said.count(0) == 40 and said[-1] == 0
        fits = fits and in_bytes(said) == stored and max(runs_in(said)[1]) < 40
        if not fits:
            with pytest.raises(ValueError, match=r"^(has|ends|begins) "):
                starts_of_runs(written(*stored), 40, len(lengths))
            continue
        count, start = starts_of_runs(written(*stored), 40, len(lengths))
        assert (count.tolist(), start.tolist()) == runs_in(said)
        read += 1
    assert 300 < read < 1900
