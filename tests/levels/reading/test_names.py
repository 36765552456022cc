"""Names that are one name, and names that are one edit apart."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.levels.reading.names import find_near_name, fold_file_name, normalize_name


@pytest.mark.parametrize("name", ["blocked", "Blocked", " blocked", "BLOCKED\t", "\u00a0bLocked "])
def test_case_and_blanks_do_not_matter(name: str) -> None:
    assert normalize_name(name) == "blocked"


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("blockd", "blocked", True),
        ("blockedd", "blocked", True),
        ("blokced", "blocked", True),
        ("bloccd", "blocked", False),
        ("one-way", "one_way", True),
        ("oneway", "one_way", True),
        ("blocked", "blocked", False),
        ("dekcolb", "blocked", False),
        ("", "x", True),
        ("", "xy", False),
    ],
)
def test_one_edit(name: str, known: str, near: bool) -> None:
    assert find_near_name(name, (known,)) == (known if near else None)


def neighbors(word: str, letters: str) -> set[str]:
    """All words that one insertion, deletion, replacement or swap makes of a word."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return {
        *(left + letter + right for left, right in cuts for letter in letters),
        *(left + right[1:] for left, right in cuts if right),
        *(left + letter + right[1:] for left, right in cuts if right for letter in letters),
        *(left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1),
    } - {word}


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_against_all_edits(one: str, other: str) -> None:
    assert (find_near_name(one, (other,)) == other) == (one in neighbors(other, "abc"))


def test_names_that_are_one_file_somewhere() -> None:
    same = ["Caf\u00e9.tsx", "Cafe\u0301.tsx", "CAF\u00c9.TSX"]
    assert all(fold_file_name(one) == fold_file_name(other) for one, other in pairwise(same))
    assert fold_file_name("cafe.tsx") != fold_file_name(same[0])
