"""The best of several goals: by table, without, by search, and after updates, one by one beside."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from pathlib import Path

import pytest

from bake.play import LevelAsset, Navigator, open_asset
from levelbake.errors import QueryError
from tests.support.baked import bake, write_graph
from tests.support.open_levels import drawn_level

pytestmark = pytest.mark.note(113, "all goals, one by one, as baked and changed")


def _check(nav: Navigator, start: object, goals: list[object], far: list[float]) -> int:
    """Every question agrees with the distances of the goals, the first of equals."""
    least = min(far, default=math.inf)
    nearest = None if math.isinf(least) else goals[far.index(least)]
    assert nav.nearest_of(start, goals) == nearest
    path, hop = nav.path_to_nearest(start, goals), nav.next_hop_to_nearest(start, goals)
    if nearest is None:
        assert path is hop is None
    else:
        assert (path[0], path[-1]) == (start, nearest)
        assert nav.length(path) == pytest.approx(least, rel=1e-4)
        assert hop == (path[1] if len(path) > 1 else start)
    expanded = 0
    for method in ("astar", "dijkstra", "bidirectional", "table", "weighted"):
        weight = 3 if method == "weighted" else 1
        found = nav.search.nearest(start, goals, method, weight=weight)
        assert (found.method, found.bound) == (method, weight)
        if nearest is None:
            assert (found.path, found.cost) == (None, math.inf)
            continue
        assert found.path[0] == start
        assert found.path[-1] in goals
        assert nav.length(found.path) == pytest.approx(found.cost, rel=1e-4)
        assert least <= found.cost <= least * weight + 1e-9
        expanded += found.expanded
    return expanded


@pytest.mark.parametrize("tables", [("components", "next_hops"), ("components",)])
def test_cells_and_changes(tmp_path: Path, tables: tuple[str, ...]) -> None:
    rng = random.Random(len(tables))
    lines = ["".join(rng.choices(".m#", (60, 12, 28), k=11)) for _ in range(9)]
    with drawn_level(tmp_path, *lines, tables=tables) as (level, nav):
        for change in range(4):
            places = nav.places()
            for _ in range(12):
                goals = [(x, y) for x, y in rng.choices(places, k=rng.randint(1, 6))]
                start = rng.choice(places)
                _check(nav, start, goals, [nav.distance(start, goal) for goal in goals])
            _walls(level, rng.sample(places, 3), change)


def _walls(level: LevelAsset, cells: list[object], change: int) -> None:
    if change == 2:
        level.update(terrain=dict.fromkeys(cells, "mud"))
    else:
        level.update(blocked=cells)


def test_graphs(tmp_path: Path) -> None:
    rng = random.Random(6)
    edges = [(*rng.sample(range(20), 2), rng.randint(1, 9)) for _ in range(34)]
    source = write_graph(tmp_path / "g.json", range(20), edges, directed=True)
    with open_asset(bake(source)) as level:
        nav = level.profile()
        for start in range(20):
            goals = rng.sample(range(20), 4)
            _check(nav, start, goals, [nav.distance(start, goal) for goal in goals])


def test_goals_far_beyond_the_best_are_not_searched_for(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *["." * 30] * 12) as (_, nav):
        alone = nav.search((2, 2), (5, 2)).expanded
        goals = [(29, 11), (5, 2), (20, 2), (29, 0)]
        assert nav.search.nearest((2, 2), goals).expanded == alone
        assert [b for a, b in pairwise(nav.path_to_nearest((2, 2), goals))][-1] == (5, 2)


def test_what_is_no_goal(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "..#..") as (_, nav):
        for ask in (nav.nearest_of, nav.path_to_nearest, nav.next_hop_to_nearest):
            assert ask((0, 0), [(2, 0), (9, 9), (4, 0)]) is None
        assert nav.search.nearest((0, 0), [(2, 0), (4, 0)]).path is None
        assert nav.search.nearest((0, 0), [(2, 0), (0, 0)]).path == [(0, 0)]
        with pytest.raises(QueryError, match="no method 'magic'"):
            nav.search.nearest((0, 0), [], "magic")
        with pytest.raises(QueryError):
            nav.search.nearest((2, 0), [(0, 0)])
        with pytest.raises(QueryError):
            nav.path_to_nearest((0, 0), 5)
