"""Tables of distances as differences: by hand, against plain Python, and back again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.store.pairs import distances_of_pairs, pair_differences

NO_PATH = 2**31 - 1
DISTANCES = st.one_of(st.integers(0, NO_PATH), st.sampled_from([0, 1, NO_PATH - 1, NO_PATH]))


def in_plain_python(rows: list[list[int]]) -> list[int]:
    """What is written, from the sentence that the table of columns says."""
    count, found = len(rows), []

    def at(i: int, j: int) -> int:
        return rows[i][j] if min(i, j) >= 0 else 0

    symmetric = all(rows[i][j] == rows[j][i] for i in range(count) for j in range(count))
    for i in range(count):
        for j in range(i + 1 if symmetric else count):
            each = at(i, j) - at(i - 1, j) - at(i, j - 1) + at(i - 1, j - 1)
            each = (each + 2**31) % 2**32 - 2**31
            found.append(2 * each if each >= 0 else -2 * each - 1)
    return found


def test_a_corridor_by_hand() -> None:
    """Three rooms in a row, 4 apart: from the far ones each is 4 more than the one before."""
    distance = np.array([[0, 4, 8], [4, 0, 4], [8, 4, 0]], dtype=np.int32)
    assert pair_differences(distance).tolist() == [0, 8, 15, 8, 0, 15]
    one_way = np.array([[0, 4], [NO_PATH, 0]], dtype=np.int32)
    assert pair_differences(one_way).tolist() == [0, 8, 2 * NO_PATH, 2 * (2**31 - 3)]


@given(
    st.integers(0, 6).flatmap(
        lambda n: st.lists(st.lists(DISTANCES, min_size=n, max_size=n), min_size=n, max_size=n)
    ),
    st.booleans(),
)
def test_any_table_comes_back(rows: list[list[int]], mirrored: bool) -> None:
    count = len(rows)
    if mirrored:
        rows = [[rows[max(i, j)][min(i, j)] for j in range(count)] for i in range(count)]
    distance = np.array(rows, dtype=np.int32).reshape(count, count)
    written = pair_differences(distance)
    assert (written.dtype, written.tolist()) == (np.uint32, in_plain_python(rows))
    back = distances_of_pairs(written, count)
    assert back.dtype == np.int32
    assert np.array_equal(back, distance)


def test_what_is_no_table_is_refused() -> None:
    for length in (0, 2, 5, 7, 10):
        with pytest.raises(ValueError, match=f"has {length} distances of 3 clusters"):
            distances_of_pairs(np.zeros(length, dtype=np.uint32), 3)
    with pytest.raises(ValueError, match="has a negative distance"):
        distances_of_pairs(np.array([1, 0, 0], dtype=np.uint32), 2)
    # Nothing is allocated for clusters that have no distances.
    with pytest.raises(ValueError, match="has 1 distances of 4,194,304 clusters"):
        distances_of_pairs(np.zeros(1, dtype=np.uint32), 2**22)
