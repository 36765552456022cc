"""A queue of requests: exact in the end, fair on the way, and told of changes."""

import math
from pathlib import Path

import pytest

from bake.play import LevelAsset, open_asset, requests
from bake.play.searching import under_way
from bake.search import Status
from levelbake.errors import QueryError
from tests.support.baked import bake_grid, rows
from tests.support.strategies import random_grid

pytestmark = [
    pytest.mark.note(85, "whole searches; fair turns"),
    pytest.mark.note(114, "whole searches; fair turns"),
]

HALL = rows(*["............"] * 6, "######.#####", *["............"] * 6)
SEARCHED = ("components",)


@pytest.fixture(autouse=True)
def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a frame without a budget expand eight places, or small levels take one frame each."""
    monkeypatch.setattr(requests, "FIRST_PACE", 8)
    monkeypatch.setattr(under_way, "_SOONEST", 0)


def hall(folder: Path, *tables: str) -> LevelAsset:
    asset = bake_grid(folder, HALL, connectivity=4, cluster_size=4, tables=tables or SEARCHED)
    return open_asset(asset)


@pytest.mark.parametrize("seed", range(4))
def test_every_path_in_the_end(tmp_path: Path, seed: int) -> None:
    asset = bake_grid(tmp_path, random_grid(seed, 12, 10), tables=SEARCHED)
    with open_asset(asset) as level:
        nav = level.profile()
        cells = nav.places()
        queue = nav.search.requests(budget_ms=0, at_once=3)  # A turn a frame.
        asked = [queue.add(a, b, priority=1 + a[0] % 3) for a in cells[::17] for b in cells[::23]]
        assert len(queue) == len(asked)
        ended = []
        while len(queue):
            ended += queue.run()
        assert len(ended) == len(asked) == len(set(map(id, ended)))
        for request in asked:
            whole = nav.search(request.start, request.goal)
            assert (request.path, request.cost) == (whole.path, whole.cost)
            assert request.status is (Status.FOUND if whole.path else Status.NO_PATH)
            assert request.frames >= 1
            assert request.restarts == 0
        assert queue.run() == []


def test_no_budget_is_all_there_is_to_do(tmp_path: Path) -> None:
    with hall(tmp_path) as level:
        queue = level.profile().search.requests()
        asked = [queue.add((0, 0), (x, 12)) for x in range(12)]
        assert queue.run(math.inf) == asked
        assert all(request.status is Status.FOUND for request in asked)


def test_nobody_waits_for_ever(tmp_path: Path) -> None:
    """However many urgent requests come after it, one that is not has its turn."""
    with hall(tmp_path) as level:
        queue = level.profile().search.requests(budget_ms=0, at_once=1)
        patient = queue.add((0, 0), (11, 12), priority=1)
        for _ in range(160):
            queue.add((0, 0), (1, 1), priority=10)
            queue.add((0, 0), (1, 1), priority=10)
            queue.run()
        assert patient.status is Status.FOUND
        assert patient.frames < 150


def test_the_urgent_come_first(tmp_path: Path) -> None:
    with hall(tmp_path) as level:
        queue = level.profile().search.requests(budget_ms=0, at_once=1)
        slow = [queue.add((0, 0), (11, 12)) for _ in range(3)]
        urgent = queue.add((0, 0), (11, 12), priority=100)
        order = []
        while len(queue):
            order += queue.run()
        assert order == [urgent, *slow]


def test_turns_follow_priorities(tmp_path: Path) -> None:
    """Of two alike, the one with twice the priority has expanded about twice as much by then."""
    with hall(tmp_path) as level:
        queue = level.profile().search.requests(budget_ms=0, at_once=2)
        half = queue.add((0, 0), (11, 12), priority=1, method="dijkstra")
        full = queue.add((0, 0), (11, 12), priority=2, method="dijkstra")
        while not full.over:
            queue.run()
        assert not half.over
        assert half.expanded <= full.expanded <= 144


def test_the_first_moves_at_once(tmp_path: Path) -> None:
    (tmp_path / "hops").mkdir()
    (tmp_path / "layers").mkdir()
    with hall(tmp_path / "hops", "components", "next_hops") as level:
        nav = level.profile()
        request = nav.search.requests().add((0, 0), (11, 12))
        assert [(0, 0), *request.moves(3)] == nav.path((0, 0), (11, 12))[:4]
        assert [(0, 0), *request.moves(1000)] == nav.path((0, 0), (11, 12))
    with hall(tmp_path / "layers", "components", "hierarchy") as level:
        nav = level.profile()
        request = nav.search.requests().add((0, 0), (11, 12))
        walked = nav.search.walk((0, 0), (11, 12))
        assert walked is not None
        assert request.moves(5) == list(walked)[:5]
    with hall(tmp_path) as level:
        nav = level.profile()
        queue = nav.search.requests(budget_ms=0)
        request = queue.add((0, 0), (11, 12))
        assert request.moves() == []  # Nothing is searched yet.
        queue.run()
        assert nav.still_valid([(0, 0), *request.moves()])
        assert request.moves()
        while not request.over:
            queue.run()
        assert request.path is not None
        assert request.moves(4) == request.path[1:5]
        with pytest.raises(QueryError, match="count is 0"):
            request.moves(0)


def test_changes_begin_requests_again(tmp_path: Path) -> None:
    with hall(tmp_path) as level:
        nav = level.profile()
        queue = nav.search.requests(budget_ms=0, at_once=2)
        through, aside, gone = (
            queue.add((0, 0), (11, 12)),
            queue.add((0, 0), (5, 0)),
            queue.add((0, 0), (6, 6)),
        )
        queue.run()
        nav.update(blocked=[(6, 6)], opened=[(0, 6)])
        while len(queue):
            queue.run()
        assert through.restarts + aside.restarts >= 1
        whole = nav.search((0, 0), (11, 12))
        assert (through.path, through.cost) == (whole.path, whole.cost)
        assert aside.status is Status.FOUND
        assert gone.status is Status.CANCELLED
        assert gone.reason is not None
        assert gone.reason.startswith("the level has changed: level 'drawn': profile 'default'")


def test_changes_may_cancel_them(tmp_path: Path) -> None:
    with hall(tmp_path) as level:
        nav = level.profile()
        queue = nav.search.requests(budget_ms=0, at_once=1, on_change="cancel")
        first, second = queue.add((0, 0), (11, 12)), queue.add((0, 0), (5, 0))
        queue.run()
        nav.update(blocked=[(3, 3)])
        assert first in queue.run()
        assert (first.status, first.reason) == (Status.CANCELLED, "the level has changed")
        while len(queue):
            queue.run()
        assert second.status is Status.FOUND  # Nothing had been searched for it.


def test_cancelled_ones_leave(tmp_path: Path) -> None:
    with hall(tmp_path) as level:
        queue = level.profile().search.requests(budget_ms=0, at_once=1)
        first, second = queue.add((0, 0), (11, 12)), queue.add((0, 0), (5, 0))
        queue.run()
        first.cancel()
        second.cancel()
        assert len(queue) == 0
        assert queue.run() == []
        assert (first.status, first.reason, first.moves()) == (Status.CANCELLED, None, [])


def test_mistakes(tmp_path: Path) -> None:
    with hall(tmp_path) as level:
        nav = level.profile()
        for wrong, told in (
            ({"budget_ms": -1}, "the budget is -1"),
            ({"budget_ms": None}, "the budget is None"),
            ({"at_once": 0}, "at_once is 0; expected a whole number from 1"),
            ({"on_change": "wait"}, "on_change is 'wait'; expected 'restart' or 'cancel'"),
        ):
            with pytest.raises(QueryError, match=told):
                nav.search.requests(**wrong)
        queue = nav.search.requests()
        with pytest.raises(QueryError, match="priority is 0"):
            queue.add((0, 0), (1, 1), priority=0)
        with pytest.raises(QueryError, match="'hpa' cannot be searched"):
            queue.add((0, 0), (1, 1), method="hpa")
        with pytest.raises(QueryError, match="cannot stand on"):
            queue.add((0, 6), (1, 1))
        told = queue.add((0, 0), (1, 1), heuristic="manhatten")
        with pytest.raises(QueryError, match="no heuristic 'manhatten'"):
            queue.run()
        assert told.status is Status.CANCELLED
        assert queue.run() == []
