"""Walks without a plan: what each promises, on every small map that chance draws."""

import random
from collections import deque
from pathlib import Path

import pytest

from bake.extras.school import skirting
from bake.extras.school.skirting import bounce, crash_and_turn, trace_obstacles
from bake.play import Navigator, open_asset
from levelbake.errors import BlockedCellError, QueryError
from levelbake.places import Place
from tests.support.baked import bake, write_graph
from tests.support.open_levels import drawn_level
from tests.support.oracles import Cell
from tests.support.tower import baked_tower

pytestmark = [
    pytest.mark.note(17, "every small map, drawn at random"),
    pytest.mark.note(18, "the same"),
    pytest.mark.note(19, "the same"),
]


def straight_reach(lines: tuple[str, ...], start: Cell) -> set[Cell]:
    """Cells that steps in four directions lead to."""
    found, ahead = {start}, deque([start])
    while ahead:
        x, y = ahead.popleft()
        for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= cell[1] < len(lines) and 0 <= cell[0] < len(lines[0])
            if inside and cell not in found and lines[cell[1]][cell[0]] != "#":
                found.add(cell)
                ahead.append(cell)
    return found


def drawing(seed: int, width: int, height: int) -> tuple[str, ...]:
    rng = random.Random(seed)
    walls = rng.choice((0.2, 0.35, 0.45))
    return tuple(
        "".join("#" if rng.random() < walls else "." for _ in range(width)) for _ in range(height)
    )


def checked(nav: Navigator, start: Place, goal: Place, path: list[Place], arrived: bool) -> None:
    assert path[0] == start
    assert nav.still_valid(path)
    assert arrived == (path[-1] == goal)
    assert goal not in path[:-1]


@pytest.mark.parametrize("hand", ["left", "right"])
@pytest.mark.parametrize("sight", [False, True])
def test_tracing_always_arrives(tmp_path: Path, hand: str, sight: bool) -> None:
    """It arrives exactly where steps in four directions lead, between all pairs of small maps."""
    arrivals = 0
    for seed in range(4):
        lines = drawing(seed, 6, 5)
        with drawn_level(tmp_path, *lines, tables=("components",)) as (_, nav):
            for start in nav.places():
                reach = straight_reach(lines, start)  # type: ignore[arg-type]
                for goal in nav.places():
                    walk = trace_obstacles(nav, start, goal, hand, sight=sight)  # type: ignore[arg-type]
                    checked(nav, start, goal, walk.path, walk.arrived)  # type: ignore[arg-type]
                    assert walk.arrived == (goal in reach), (lines, start, goal)
                    arrivals += walk.arrived
    assert arrivals > 200


def test_hands_and_sight(tmp_path: Path) -> None:
    """A wall in the way, drawn so that anyone can follow the walks by eye."""
    picture = (".....", ".....", "..#..", "..#..", "..#..")
    with drawn_level(tmp_path, *picture) as (_, nav):
        left = trace_obstacles(nav, (0, 3), (4, 3), "left")
        right = trace_obstacles(nav, (0, 3), (4, 3), "right")
        # Its left hand on the wall, it turns south, and has to come back all the way.
        assert left.path[:5] == [(0, 3), (1, 3), (1, 4), (0, 4), (0, 3)]
        right_way = [(0, 3), (1, 3), (1, 2), (1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (4, 3)]
        assert right.path == right_way
        assert left.arrived
        seen = trace_obstacles(nav, (0, 4), (4, 3), "left", sight=True)
        # From (0, 1) a walk that heads for the goal meets nothing more.
        assert seen.path[7:9] == [(0, 1), (1, 1)]
        blind = trace_obstacles(nav, (0, 4), (4, 3), "left")
        assert len(seen.path) < len(blind.path)


def test_a_step_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with drawn_level(tmp_path, "......") as (_, nav):
        for walk in (trace_obstacles, bounce, crash_and_turn):
            found = walk(nav, (0, 0), (5, 0), most_steps=2)
            assert (found.path, found.arrived) == ([(0, 0), (1, 0), (2, 0)], False)
            assert walk(nav, (0, 0), (5, 0), most_steps=0).path == [(0, 0)]
            assert walk(nav, (3, 0), (3, 0)).arrived
            assert walk(nav, (0, 0), (5, 0)).arrived
        monkeypatch.setattr(skirting, "_STEPS_A_CELL", 0)
        for walk in (trace_obstacles, bounce, crash_and_turn):
            assert walk(nav, (0, 0), (5, 0)).path == [(0, 0)]


def test_bouncing_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    picture = ("........", "..####..", "........", "..####..", "........")
    with drawn_level(tmp_path, *picture) as (_, nav):
        walks = [bounce(nav, (3, 0), (4, 4), seed) for seed in (1, 1, 2, 3)]
        assert walks[0] == walks[1]
        assert len({tuple(walk.path) for walk in walks}) > 1
        for walk in walks:
            checked(nav, (3, 0), (4, 4), walk.path, walk.arrived)
        assert all(walk.arrived for walk in walks)


def test_crash_and_turn(tmp_path: Path) -> None:
    """Around a pillar it gets; out of a pocket it does not, and knows that it walks in a circle."""
    with drawn_level(tmp_path, ".....", "..#..", ".....") as (_, nav):
        walk = crash_and_turn(nav, (0, 1), (4, 1))
        checked(nav, (0, 1), (4, 1), walk.path, walk.arrived)
        assert walk.arrived
    pocket = (".......", "..####.", "..#..#.", "..#..#.", "..#..#.", ".......", ".......")
    for seed in range(6):
        with drawn_level(tmp_path, *(pocket if not seed else drawing(seed, 8, 7))) as (_, nav):
            start, goal = random.Random(seed).sample(nav.places(), 2)
            if not seed:
                start, goal = (4, 4), (4, 0)
            walk = crash_and_turn(nav, start, goal)
            checked(nav, start, goal, walk.path, walk.arrived)  # type: ignore[arg-type]
            assert len(walk.path) <= 1 + 3 * len(nav.places())


def test_alone(tmp_path: Path) -> None:
    with drawn_level(tmp_path, ".#.", "###") as (_, nav):
        for walk in (trace_obstacles, bounce, crash_and_turn):
            assert walk(nav, (0, 0), (2, 0)).path == [(0, 0)]


def test_mistakes(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "..#") as (_, nav):
        with pytest.raises(QueryError, match="no hand 'both'; expected 'left' or 'right'"):
            trace_obstacles(nav, (0, 0), (1, 0), "both")  # type: ignore[arg-type]
        with pytest.raises(BlockedCellError):
            bounce(nav, (0, 0), (2, 0))
        with pytest.raises(QueryError, match="most_steps is -1"):
            crash_and_turn(nav, (0, 0), (1, 0), most_steps=-1)
    graph = bake(write_graph(tmp_path / "g.json", ["a", "b"], [("a", "b", 1)]))
    with open_asset(graph) as level, pytest.raises(QueryError, match="square grids"):
        bounce(level.profile(), "a", "b")
    with open_asset(baked_tower(tmp_path)) as level:
        nav = level.profile(level.profiles[0])
        low, high = (next(p for p in nav.places() if p[2] == floor) for floor in (0, 1))  # type: ignore[index]
        with pytest.raises(QueryError, match="different floors"):
            bounce(nav, low, high)
