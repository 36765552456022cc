"""Weighted A*: fewer places than A* looks at, within the bound, by every door."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bake.extras.school import traced_search
from bake.play import Navigator, SearchResult, open_asset
from bake.play.searching.methods import METHODS, WEIGHTED
from levelbake.errors import QueryError
from levelbake.places import Place
from tests.support.baked import bake_grid, rows
from tests.support.stored import stored_asset

pytestmark = [
    pytest.mark.note(32, "the bound, and places expanded"),
    pytest.mark.note(87, "the bound, and places expanded"),
]

QUEUES = ("auto", "bucket", "heap")


@pytest.fixture(
    scope="module", params=["keep.png", "marsh.png", "village.json", "roads.json", "caves.png"]
)
def nav(request: pytest.FixtureRequest) -> Iterator[Navigator]:
    with open_asset(stored_asset(request.param)) as level:
        yield level.profile(level.profiles[-1])


def some_pairs(nav: Navigator, count: int) -> Iterator[tuple[Place, Place]]:
    rng = random.Random(14)
    everywhere = nav._now.rows.places(np.arange(nav._now.version.row_count, dtype=np.int32))
    while count:
        start, goal = rng.choice(everywhere), rng.choice(everywhere)
        if start != goal and nav.reachable(start, goal):
            yield start, goal
            count -= 1


def heuristics(nav: Navigator) -> tuple[str | None, ...]:
    return (None, "cluster") if nav._now.searches.bounds.has_heuristic else (None,)


@pytest.mark.parametrize("weight", [1.2, 1.5, 2, 5])
def test_fewer_places_than_by_astar(nav: Navigator, weight: float) -> None:
    """Each queue is only a wish: f falls along weighted paths, and buckets cannot follow."""
    for heuristic in heuristics(nav):
        plain, expanded, over = 0, 0, []
        for start, goal in some_pairs(nav, 60):
            best = nav.search(start, goal, "astar", heuristic, queue="heap")
            told = [
                nav.search(start, goal, method, heuristic, weight=weight, queue=queue)
                for method in WEIGHTED
                for queue in QUEUES
            ]
            assert len({(one.cost, one.expanded) for one in told}) == 1
            assert told[0].heuristic == best.heuristic
            assert {one.bound for one in told} == {weight}
            assert best.cost <= told[0].cost <= best.cost * weight * (1 + 1e-12)
            plain += best.expanded
            expanded += told[0].expanded
            over.append(told[0].cost / best.cost - 1)
        assert expanded < 0.9 * plain
        # A third of what the weight allows, on average.
        assert np.mean(over) < (weight - 1) / 3


def test_a_consistent_heuristic_expands_no_place_twice(nav: Navigator) -> None:
    count = nav._now.version.row_count
    for start, goal in some_pairs(nav, 40):
        for weight in (1.01, 3, 1000):
            found = nav.search(start, goal, "weighted", fitting(nav), weight=weight)
            assert found.consistent
            assert found.expanded <= count
            assert found.path is not None
            assert nav.length(found.path) == pytest.approx(found.cost, rel=1e-4)


def test_weights_under_one_lean_toward_dijkstra(nav: Navigator) -> None:
    """Every path is a shortest one, and the less the heuristic counts, the more is looked at."""
    for heuristic in heuristics(nav):
        looked_at = dict.fromkeys((0, 0.25, 0.5, 0.75, 1), 0)
        uninformed = 0
        for start, goal in some_pairs(nav, 40):
            best = nav.search(start, goal, "dijkstra", queue="heap")
            uninformed += best.expanded
            for weight in looked_at:
                found = nav.search(start, goal, "astar", heuristic, weight=weight, queue="heap")
                assert (found.cost, found.bound) == (best.cost, 1)
                looked_at[weight] += found.expanded
        assert list(looked_at.values()) == sorted(looked_at.values(), reverse=True)
        # Places too far from the goal are not looked at once a path is known.
        assert 0.95 * uninformed < looked_at[0] <= uninformed


def fitting(nav: Navigator) -> str:
    return nav.search(*next(some_pairs(nav, 1)), "greedy").heuristic or "null"


def test_an_inadmissible_heuristic_expands_fewer(nav: Navigator) -> None:
    """Manhattan distances are too large where diagonals are walked."""
    if not nav._current.places.is_grid:
        pytest.skip("a graph")
    plain, expanded = 0, 0
    for start, goal in some_pairs(nav, 60):
        best = nav.search(start, goal, "astar", "octile", queue="heap")
        for queue in QUEUES:
            found = nav.search(start, goal, "astar", "manhattan", queue=queue)
            if found.admissible:
                pytest.skip("no diagonals")
            assert (found.bound, found.cost >= best.cost) == (math.inf, True)
        plain, expanded = plain + best.expanded, expanded + found.expanded
    assert expanded < plain


# -- every door -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def yard_asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Behind the wall lies a longer way that weighted A* takes."""
    grid = rows("..........", ".########.", "........#.", ".######.#.", "......#...", "..........")
    return bake_grid(tmp_path_factory.mktemp("yard"), grid, name="yard")


@pytest.fixture
def yard(yard_asset: Path) -> Iterator[Navigator]:
    with open_asset(yard_asset) as level:
        yield level.profile()


@pytest.mark.parametrize(
    "weight", [0, 0.5, 1, 1.0, np.float32(2), np.int64(3), Fraction(5, 2), 1000]
)
def test_any_number_in_range(yard: Navigator, weight: float) -> None:
    for method in WEIGHTED:
        found = yard.search((0, 2), (9, 2), method, weight=weight)
        assert found.bound == max(1, weight)
        assert yard.path((0, 2), (9, 2), method, weight=weight) == found.path


@pytest.mark.parametrize(
    "weight", [-0.01, -2, 1000.5, math.inf, -math.inf, math.nan, None, "2", 1j, [2]]
)
@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_weight(yard: Navigator, weight: object, method: str) -> None:
    for ask in (yard.search, yard.path):
        with pytest.raises(QueryError, match=r"weight is .*; expected 0 to 1000"):
            ask((0, 2), (9, 2), method, weight=weight)


def test_true_is_no_weight(yard: Navigator) -> None:
    with pytest.raises(QueryError, match="weight is True"):
        yard.search((0, 2), (9, 2), weight=True)


@pytest.mark.parametrize("method", sorted(set(METHODS) - set(WEIGHTED)))
def test_methods_that_take_none(yard: Navigator, method: str) -> None:
    for ask in (yard.search, yard.path):
        with pytest.raises(QueryError, match=f"'{method}' takes no weight"):
            ask((0, 2), (9, 2), method, weight=2)
    with pytest.raises(QueryError, match="'table' takes no weight"):
        yard.path((0, 2), (9, 2), weight=2)


def test_path_and_trace_follow_the_weight(yard: Navigator) -> None:
    def ends(found: SearchResult) -> tuple[int, bool]:
        assert found.path is not None
        return found.expanded, found.path == yard.path((0, 2), (9, 2), "astar")

    plain = yard.search((0, 2), (9, 2))
    greedy = yard.search((0, 2), (9, 2), weight=50)
    assert ends(greedy)[0] < ends(plain)[0]
    traced = traced_search(yard, (0, 2), (9, 2), weight=50)
    assert traced.expanded == len({step.place for step in traced.trace}) < plain.expanded
    assert traced.trace[0].f == pytest.approx(50 * traced.trace[0].h)
