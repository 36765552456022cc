"""Searches part by part: the paths of whole searches, whatever the parts, and what they show."""

import math
from pathlib import Path

import pytest

from bake.play import Navigator, open_asset
from bake.search import Status
from bake.search.point import space
from levelbake.errors import QueryError
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_graph
from tests.support.levels import shared_level
from tests.support.strategies import random_grid

pytestmark = pytest.mark.note(39, "the whole search")

ROOM = rows("........", ".####.#.", ".#....#.", "...##...")


def ends_of(nav: Navigator, every: int) -> list[tuple[object, object]]:
    cells = nav.places()
    return [(a, b) for a in cells[::every] for b in cells[:: every + 2]]


@pytest.mark.parametrize("seed", range(6))
def test_the_path_is_that_of_a_whole_search(tmp_path: Path, seed: int) -> None:
    asset = bake_grid(tmp_path, random_grid(seed, 13, 11), connectivity=(4, 8)[seed % 2])
    with open_asset(asset) as level:
        nav = level.profile()
        for number, (start, goal) in enumerate(ends_of(nav, 11)):
            for method, queue in (("astar", "bucket"), ("astar", "heap"), ("dijkstra", "auto")):
                whole = nav.search(start, goal, method, queue=queue)
                part = nav.search.begin(start, goal, method, queue=queue)
                assert (part.status, part.path) == (Status.RUNNING, None) or part.run()
                while part.run(steps=1 + number % 7) is Status.RUNNING:
                    assert part.path is None
                assert (part.path, part.cost) == (whole.path, whole.cost)
                assert part.result() == whole
                assert part.status is (Status.FOUND if whole.path else Status.NO_PATH)


def test_queues_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "ENTRIES", 2)
    with open_asset(bake_grid(tmp_path, random_grid(3, 13, 11), connectivity=8)) as level:
        nav = level.profile()
        for start, goal in ends_of(nav, 11):
            for queue in ("bucket", "heap"):
                part = nav.search.begin(start, goal, queue=queue)
                while part.run(steps=3) is Status.RUNNING:
                    assert not part.open.keys() & part.closed.keys()
                assert part.result() == nav.search(start, goal, queue=queue)


def test_on_a_real_map(tmp_path: Path) -> None:
    source = tmp_path / "lak303d.map"
    source.write_bytes(shared_level("movingai/lak303d.map").read_bytes())
    with open_asset(bake(source, recipe_for(tables=("components",)))) as level:
        nav = level.profile()
        cells = nav.places()
        for start, goal in zip(
            cells[:: len(cells) // 6], cells[:: -(len(cells) // 6)], strict=False
        ):
            for queue in ("bucket", "heap"):
                whole = nav.search(start, goal, queue=queue)
                part = nav.search.begin(start, goal, queue=queue)
                while part.run(budget_ms=0.2) is Status.RUNNING:
                    pass
                assert part.result() == whole


def test_a_step_at_a_time(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, ROOM, connectivity=4)) as level:
        nav = level.profile()
        for queue in ("bucket", "heap"):
            search = nav.search.begin((0, 0), (7, 3), queue=queue)
            assert search.open == {(0, 0): 10}
            assert search.closed == {}
            known, seen = {(0, 0): 0.0}, []
            while (step := search.step()) is not None:
                seen.append(step.state)
                assert step.g == known[step.state]
                assert step.f == step.g + step.h
                for place, g, f in step.opened:
                    assert nav.length([step.state, place]) + step.g == g
                    assert f >= g
                    known[place] = g
                if search.running:
                    assert search.closed.items() <= known.items()
                    assert not search.open.keys() & search.closed.keys()
                    assert search.open.keys() | search.closed.keys() == known.keys()
            assert (seen[0], seen[-1]) == ((0, 0), (7, 3))
            assert len(seen) == search.expanded
            assert search.cost == nav.distance((0, 0), (7, 3))


def test_the_way_so_far_and_the_end(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, ROOM, connectivity=4)) as level:
        nav = level.profile()
        search = nav.search.begin((0, 0), (7, 3))
        assert search.so_far() == [(0, 0)]
        search.run(steps=6)
        so_far = search.so_far()
        assert so_far[0] == (0, 0)
        assert len(so_far) > 1
        assert nav.still_valid(so_far)
        search.run()
        assert search.so_far() == search.path
        assert search.step() is None
        search.close()
        assert (search.open, search.closed) == ({}, {})
        assert search.path is not None

        dropped = nav.search.begin((0, 0), (7, 3))
        dropped.run(steps=3)
        dropped.cancel()
        assert (dropped.status, dropped.path) == (Status.CANCELLED, None)
        assert dropped.run() is Status.CANCELLED
        # Its memory serves the next search.
        again = nav.search.begin((0, 0), (7, 3))
        assert again.run() is Status.FOUND
        assert again.result() == nav.search((0, 0), (7, 3))

        here = nav.search.begin((3, 2), (3, 2))
        assert (here.status, here.path, here.cost) == (Status.FOUND, [(3, 2)], 0)
        assert here.result() == nav.search((3, 2), (3, 2))


def test_the_level_may_change_meanwhile(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, ROOM, connectivity=4)) as level:
        nav = level.profile()
        before = nav.search((0, 0), (7, 3))
        search = nav.search.begin((0, 0), (7, 3))
        search.run(steps=4)
        nav.update(blocked=[(5, 1), (7, 1)])
        search.run()
        assert search.path == before.path
        assert nav.search.begin((0, 0), (7, 3)).run() is Status.FOUND
        nav.update(blocked=[(5, 3), (5, 2)])
        nothing = nav.search.begin((0, 0), (7, 3))
        assert nothing.run() is Status.NO_PATH
        assert (nothing.path, nothing.cost) == (None, math.inf)
        assert nothing.step() is None


def test_one_way_graphs_where_only_the_search_knows(tmp_path: Path) -> None:
    edges = [("a", "b", 1.0), ("b", "c", 2.0), ("c", "b", 2.0), ("a", "c", 2.5)]
    with open_asset(bake(write_graph(tmp_path / "one.json", ["a", "b", "c"], edges))) as level:
        nav = level.profile()
        search = nav.search.begin("a", "c")
        assert search.heuristic == "null"
        search.run()
        assert (search.path, search.cost) == (["a", "c"], 2.5)
        assert nav.search.begin("c", "a").run() is Status.NO_PATH


def test_mistakes(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, ROOM, connectivity=8, corner_cutting="always")
    with open_asset(asset) as level:
        nav = level.profile()
        for wrong, told in (
            ({"method": "greedy"}, "'greedy' cannot be searched part by part; expected 'astar'"),
            ({"queue": "stack"}, "no queue 'stack'"),
            ({"method": "dijkstra", "heuristic": "octile"}, "'dijkstra' uses no heuristic"),
            ({"heuristic": "manhattan"}, "heuristic 'manhattan' is not known to be admissible"),
            ({"heuristic": "best"}, "no heuristic 'best'"),
        ):
            with pytest.raises(QueryError, match=told):
                nav.search.begin((0, 0), (7, 3), **wrong)
        with pytest.raises(QueryError, match="cannot stand on"):
            nav.search.begin((1, 1), (7, 3))
        search = nav.search.begin((0, 0), (7, 3))
        with pytest.raises(QueryError, match="budget is -1"):
            search.run(budget_ms=-1)
        with pytest.raises(QueryError, match=r"steps is 1\.5"):
            search.run(steps=1.5)
