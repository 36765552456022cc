"""Six open lists: each beside a sorted list of Python's, and all of them in the same search."""

from __future__ import annotations

import math
import random
from bisect import insort
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.extras.school import OPEN_LISTS, search
from levelbake.errors import QueryError
from tests.support.problems import Cells, Network, networks

pytestmark = pytest.mark.note(26, "a sorted list of Python's; the same search by all")


@pytest.mark.parametrize("name", OPEN_LISTS)
@given(work=st.lists(st.tuples(st.sampled_from("++-x"), st.integers(0, 9)), max_size=80))
def test_what_is_popped(name: str, work: list[tuple[str, int]]) -> None:
    waiting: Any = OPEN_LISTS[name]()
    plain: list[Any] = []
    for number, (what, value) in enumerate(work):
        if what == "+":
            entry = (value, -(number % 3), number, f"s{number}")
            waiting.push(entry)
            insort(plain, entry)
        elif plain and what == "-":
            assert waiting.pop() == plain.pop(0)
        elif plain:
            waiting.discard(plain.pop(value % len(plain)))
        assert len(waiting) == len(plain)
    assert [waiting.pop() for _ in range(len(waiting))] == plain
    with pytest.raises(IndexError):
        waiting.pop()


@given(networks(), st.sampled_from(("astar", "dijkstra", "greedy")))
def test_the_same_search(space: Network, method: str) -> None:
    """The same steps, whatever keeps the open list."""
    plain = search(space, method)
    steps = list(iter(plain.step, None))
    for make in OPEN_LISTS.values():
        waiting: Any = make()
        found = search(space, method, open_list=waiting)
        assert list(iter(found.step, None)) == steps
        assert (found.path, found.cost, found.open) == (plain.path, plain.cost, plain.open)
        assert len(waiting) == len(found.open)


def test_cells() -> None:
    """Cells have many equal f, between which the order of generation decides."""
    for seed in range(20):
        space, paths = Cells(seed), []
        for make in OPEN_LISTS.values():
            found = search(space, open_list=make())  # type: ignore[arg-type]
            found.run()
            paths.append((found.path, found.expanded))
        assert paths == paths[:1] * len(OPEN_LISTS)


def counts(name: str, size: int) -> tuple[int, int]:
    """Comparisons and moves of as many pushes, in random order, and pops."""
    waiting: Any = OPEN_LISTS[name]()
    order = list(range(size))
    random.Random(1).shuffle(order)
    for number in order:
        waiting.push((number, 0, number, number))
    assert [waiting.pop()[0] for _ in order] == sorted(order)
    assert waiting.longest == size
    return waiting.comparisons, waiting.moves


def test_counts_by_hand() -> None:
    assert counts("unsorted array", 100)[0] == 100 * 99 // 2
    assert counts("unsorted list", 100)[0] == 100 * 99 // 2
    assert counts("sorted array", 1) == (0, 1)
    assert counts("sorted list", 1) == (0, 2)  # Linked once, and unlinked.
    waiting: Any = OPEN_LISTS["sorted array"]()
    for number in (3, 2, 1, 0):  # Each goes to the end, behind those that are more.
        waiting.push((number, 0, number, number))
    assert (waiting.comparisons, waiting.moves) == (0 + 1 + 1 + 2, 4)


@pytest.mark.parametrize("name", OPEN_LISTS)
def test_how_they_grow(name: str) -> None:
    """From 200 to 400 entries: twice as much work and some more, or four times as much."""
    small, large = counts(name, 200), counts(name, 400)
    work = sum(large) / sum(small)
    if name in ("binary heap", "balanced tree"):
        assert 2 < work < 2.5
        assert large[0] < 3 * 400 * math.log2(400)
    elif name == "sorted array":
        assert large[0] < 400 * math.log2(800)
        assert 3 < large[1] / small[1] < 5
    else:
        assert 3 < work < 5


def test_the_tree_is_balanced() -> None:
    waiting: Any = OPEN_LISTS["balanced tree"]()
    for number in range(500):
        waiting.push((number, 0, number, number))

    def height(node: Any) -> int:
        if node is None:
            return 0
        less, more = height(node.less), height(node.more)
        assert abs(less - more) <= 1
        for branch, below in ((node.less, True), (node.more, False)):
            assert branch is None or (branch.entry < node.entry) is below
        return 1 + max(less, more)

    assert height(waiting._root) == 9
    for number in range(0, 500, 3):
        waiting.discard((number, 0, number, number))
        height(waiting._root)
    rest = [waiting.pop()[0] for _ in range(len(waiting))]
    assert all(a < b for a, b in pairwise(rest))


def test_what_is_no_open_list() -> None:
    class Sizeless:
        push = pop = discard = print

    for value in (Sizeless(), [], 3):
        with pytest.raises(QueryError, match="expected an OpenList"):
            search(Network({}, 0, 0), open_list=value)  # type: ignore[arg-type]


def test_a_used_list_is_refused() -> None:
    waiting: Any = OPEN_LISTS["binary heap"]()
    waiting.push((0, 0, 0, 0))
    with pytest.raises(QueryError, match="holds entries already"):
        search(Network({}, 0, 0), open_list=waiting)
