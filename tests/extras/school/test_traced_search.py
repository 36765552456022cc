"""The textbook's searches against exact distances, and against the compiled ones."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from bake.extras.school import traced_search
from levelbake.errors import QueryError
from tests.support.open_levels import drawn_level

pytestmark = [
    pytest.mark.note(6, "exact distances, and the compiled search"),
    pytest.mark.note(78, "exact distances"),
]


@pytest.mark.parametrize("heuristic", [None, "null", "octile", "chebyshev"])
def test_it_finds_what_the_compiled_search_finds(tmp_path: Path, heuristic: str | None) -> None:
    rng = random.Random(3)
    lines = tuple("".join(rng.choices(".m#", (60, 12, 28))[0] for _ in range(9)) for _ in range(7))
    with drawn_level(tmp_path, *lines) as (_, nav):
        places = nav.places()
        for _ in range(20):
            start, goal = rng.sample(places, 2)
            for method, weight in (("astar", 1.0), ("weighted", 2.0), ("astar", 50.0)):
                found = traced_search(nav, start, goal, method, heuristic, weight=weight)
                best = nav.distance(start, goal)
                assert best <= found.cost <= best * weight * (1 + 1e-9) + 1e-3
                assert (found.bound, found.method) == (weight, method)
                assert len(found.trace) == found.expanded > 0
                assert found.trace[-1].place == goal or math.isinf(best)
                if found.path is not None:
                    assert nav.length(found.path) == pytest.approx(found.cost, rel=1e-4)
            assert traced_search(nav, start, goal, "dijkstra").cost == nav.distance(start, goal)
            greedy = traced_search(nav, start, goal, "greedy", heuristic)
            assert greedy.bound == math.inf
            assert greedy.cost >= nav.distance(start, goal)


def test_where_no_way_leads_all_that_can_be_reached_is_taken(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "..#..", "..#..") as (_, nav):
        told = traced_search(nav, (1, 1), (4, 0))
        assert (told.path, told.cost) == (None, math.inf)
        assert {step.place for step in told.trace} == {(0, 0), (1, 0), (0, 1), (1, 1)}


def test_mistakes(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "...") as (_, nav):
        ends = (0, 0), (2, 0)
        for method in ("table", "bidirectional", "bidirectional_astar", "hpa"):
            with pytest.raises(QueryError, match=f"'{method}' keeps no trace"):
                traced_search(nav, *ends, method)
        with pytest.raises(QueryError, match="no method 'guess'"):
            traced_search(nav, *ends, "guess")
        with pytest.raises(QueryError, match="'dijkstra' uses no heuristic"):
            traced_search(nav, *ends, "dijkstra", "octile")
        with pytest.raises(QueryError, match="weight is -1"):
            traced_search(nav, *ends, weight=-1)
