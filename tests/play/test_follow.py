"""Agents in the plane on a path of places: corners, pushes, and what is ahead."""

import math
import random
from pathlib import Path

import pytest

from bake.play import follow, open_asset
from bake.play.follow import Follower
from levelbake.errors import QueryError
from tests.support.baked import bake, write_graph
from tests.support.open_levels import drawn_level
from tests.support.tower import baked_tower

pytestmark = [
    pytest.mark.note(52, "corners, pushes and walls by hand"),
    pytest.mark.note(124, "by hand"),
]

BEND = (".....", "####.", "####.", ".....")


def walk(follower: Follower, point: tuple[float, float], speed: float = 0.3) -> list:
    """Steer straight for each corner until the end; what was told on the way."""
    told = [follower.update(point)]
    while not told[-1].arrived:
        (x, y), (to_x, to_y) = point, told[-1].corner
        away = math.hypot(to_x - x, to_y - y)
        share = min(1.0, speed / away) if away else 1.0
        point = (x + (to_x - x) * share, y + (to_y - y) * share)
        told.append(follower.update(point))
        assert len(told) < 2000
    return told


def test_corners_one_after_the_other(tmp_path: Path) -> None:
    """Cells are a unit wide, so the middle of (0, 0) is (0.5, 0.5)."""
    with drawn_level(tmp_path, *BEND) as (_, nav):
        path = nav.path((0, 0), (0, 3))
        assert path is not None
        follower = nav.plane.follow(path, reach=0.1)
        assert follower.waypoints == [(0, 0), (4, 0), (4, 3), (0, 3)]
        first = follower.update((0.5, 0.5))
        assert first.corner == (4.5, 0.5)
        assert (first.along, first.left, first.off) == (0, 11, 0)
        told = walk(follower, (0.5, 0.5))
        corners = list(dict.fromkeys(each.corner for each in told))
        assert corners == [(4.5, 0.5), (4.5, 3.5), (0.5, 3.5)]
        along = [each.along for each in told]
        assert along == sorted(along)
        assert not any(each.stuck or each.strayed for each in told)
        assert told[-1].left < 0.11


def test_paths_are_followed_to_their_ends(tmp_path: Path) -> None:
    rng = random.Random(3)
    lines = ["".join(rng.choices(".#", (75, 25))[0] for _ in range(14)) for _ in range(10)]
    with drawn_level(tmp_path, *lines) as (_, nav):
        for smooth in (False, True):
            for _ in range(10):
                start, goal = rng.sample(nav.places(), 2)
                path = nav.path(start, goal)
                if path is None:
                    continue
                follower = nav.plane.follow(path, smooth=smooth, reach=0.2)
                x, y = start  # type: ignore[misc]
                told = walk(follower, (x + 0.5, y + 0.5))
                assert math.dist(told[-1].corner, (goal[0] + 0.5, goal[1] + 0.5)) < 1e-9  # type: ignore[index]
                assert max(each.off for each in told) < 0.5
                assert follower.ahead[-1] == goal


def test_behind_a_wall_is_not_further_on(tmp_path: Path) -> None:
    """The path winds back beside itself; an agent near the wall stays on its own side of it."""
    with drawn_level(tmp_path, "........", "#######.", "........") as (_, nav):
        path = nav.path((0, 0), (0, 2))
        assert path is not None
        follower = nav.plane.follow(path)
        follower.update((0.5, 0.5))
        near_the_wall = follower.update((1.0, 1.9))
        assert near_the_wall.along < 2.6
        assert near_the_wall.corner == (7.5, 0.5)


def test_stuck(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "........") as (_, nav):
        path = nav.path((0, 0), (7, 0))
        assert path is not None
        follower = nav.plane.follow(path, patience=2.0)
        told = [follower.update((0.5 + step, 0.5), 0.5) for step in range(3)]
        assert not any(each.stuck for each in told)
        told = [follower.update((2.5, 0.5 + step % 2 / 10), 0.5) for step in range(6)]
        assert [each.stuck for each in told] == [False] * 4 + [True] * 2
        assert not follower.update((3.5, 0.5), 0.5).stuck
        # At the end nobody is stuck.
        for x in (4.5, 5.5, 6.5, 7.5):
            follower.update((x, 0.5))
        assert not [follower.update((7.5, 0.5), 1.0) for _ in range(5)][-1].stuck


def test_pushed_back_through_a_doorway(tmp_path: Path) -> None:
    """The notes' sticky situation: the corner to steer for is the doorway again."""
    with drawn_level(tmp_path, "...#...", ".......", "...#...") as (_, nav):
        path = nav.path((1, 0), (5, 2))
        assert path is not None
        follower = nav.plane.follow(path)
        x, y = 1.5, 0.5
        progress = follower.update((x, y))
        while progress.along < progress.left:
            x, y = progress.corner
            progress = follower.update((x, y))
        pushed = follower.update((0.5, 2.5))
        assert pushed.strayed
        assert follower.reenter((0.5, 2.5))
        assert follower.path[0] == (0, 2)
        assert follower.path[-1] == (5, 2)
        assert nav.still_valid(follower.path)
        told = walk(follower, (0.5, 2.5))
        assert told[-1].arrived
        assert math.isclose(nav.length(follower.path), nav.distance((0, 2), (5, 2)), abs_tol=1e-3)


def test_a_small_push_is_walked_off(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "........", "........") as (_, nav):
        path = nav.path((0, 0), (7, 0))
        assert path is not None
        follower = nav.plane.follow(path)
        follower.update((0.5, 0.5))
        follower.update((3.5, 0.5))
        back = follower.update((2.5, 0.9))
        assert math.isclose(back.along, 2.0)
        assert math.isclose(back.off, 0.4)
        assert not back.strayed
        assert back.corner == (7.5, 0.5)


@pytest.mark.parametrize(("limit", "rejoined"), [(1, (0, 1)), (32, (1, 1))])
def test_only_the_next_cells_are_candidates_for_reentry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, rejoined: tuple[int, int]
) -> None:
    monkeypatch.setattr(follow, "_REENTRY", limit)
    with drawn_level(tmp_path, "..........", "..........") as (_, nav):
        path = nav.path((0, 1), (9, 1))
        assert path is not None
        follower = nav.plane.follow(path, smooth=False)
        assert follower.reenter((0.5, 0.5))
        assert rejoined in follower.path


@pytest.mark.parametrize("smooth", [False, True])
def test_only_what_is_ahead_counts(tmp_path: Path, smooth: bool) -> None:
    with drawn_level(tmp_path, "..........", "..........", "..........") as (_, nav):
        path = nav.path((0, 1), (9, 1))
        assert path is not None
        follower = nav.plane.follow(path, smooth=smooth)
        for x in range(6):
            follower.update((x + 0.5, 1.5))
        assert follower.ahead == path[5:]
        nav.update(blocked=[(2, 1)])
        assert not nav.still_valid(path)
        assert follower.still_valid()
        nav.update(blocked=[(7, 1)])
        assert not follower.still_valid()
        assert follower.reenter((5.5, 1.5))
        assert follower.still_valid()
        assert follower.path[0] == (5, 1)
        nav.update(blocked=[(8, y) for y in range(3)])
        before = follower.path
        assert not follower.still_valid()
        assert not follower.reenter((5.5, 1.5))
        assert follower.path == before


def test_graphs(tmp_path: Path) -> None:
    positions = {"a": (0.0, 0.0), "b": (10.0, 0.0), "c": (30.0, 0.0), "d": (30.0, 5.0)}
    edges = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1)]
    for given in (positions, None):
        asset = bake(
            write_graph(tmp_path / "g.json", list("abcd"), edges, directed=False, positions=given)
        )
        with open_asset(asset) as level:
            nav = level.profile()
            if given is None:
                with pytest.raises(QueryError, match="have no positions"):
                    nav.plane.follow(["a", "b"])
                continue
            follower = nav.plane.follow(["a", "b", "c", "d"])
            # b lies on the way from a to c.
            assert follower.waypoints == ["a", "c", "d"]
            assert follower.update((1.0, 0.0)).corner == (30.0, 0.0)
            for x in (8.0, 12.0):
                progress = follower.update((x, 1.0))
            assert (progress.along, progress.left) == (12.0, 23.0)
            assert follower.ahead == ["b", "c", "d"]
            assert follower.reenter((29.0, 4.8))
            assert follower.path == ["d"]
            assert follower.update((30.0, 5.0)).arrived


def test_several_floors(tmp_path: Path) -> None:
    with open_asset(baked_tower(tmp_path)) as level:
        nav = level.profile(level.profiles[0])
        for start in nav.places():
            ends = [goal for goal in nav.places() if goal[2] != start[2]]  # type: ignore[index]
            goal = next((goal for goal in ends if nav.reachable(start, goal)), None)
            if goal is not None:
                break
        assert goal is not None
        path = nav.path(start, goal)
        assert path is not None
        follower = nav.plane.follow(path)
        assert (follower.path[0], follower.path[-1]) == (start, goal)
        told = walk(follower, tuple(level.to_point(start))[:2], 0.1 * follower._slack)  # type: ignore[arg-type]
        assert told[-1].arrived
        assert follower.still_valid()
        assert follower.reenter(level.to_point(start))


def test_staying_where_one_is(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "..") as (_, nav):
        follower = nav.plane.follow([(0, 0)])
        progress = follower.update((0.5, 0.5))
        assert (progress.corner, progress.left, progress.arrived) == ((0.5, 0.5), 0, True)
        assert follower.ahead == [(0, 0)]
        assert follower.still_valid()


def test_mistakes(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "....") as (_, nav):
        with pytest.raises(QueryError, match="no places"):
            nav.plane.follow([])
        with pytest.raises(QueryError, match="no step leads from"):
            nav.plane.follow([(0, 0), (2, 0)])
        for name in ("reach", "strayed", "patience"):
            with pytest.raises(QueryError, match=f"{name} is 0"):
                nav.plane.follow([(0, 0), (1, 0)], **{name: 0})
        follower = nav.plane.follow([(0, 0), (1, 0)])
        for point in ((math.nan, 0), ("a", 0), (1,), None):
            with pytest.raises(QueryError, match="point"):
                follower.update(point)  # type: ignore[arg-type]
        with pytest.raises(QueryError, match="elapsed is -1"):
            follower.update((0, 0), -1)
