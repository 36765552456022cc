"""The place nearest to a point on every kind of level, beside a scan in plain Python."""

import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bake.errors import OutsideMapError, QueryError, UnknownNodeError
from bake.runtime import Navigator, nearest, open_asset
from tests.support.baked import GROUND, bake, bake_grid, profile_for, write_graph
from tests.support.strategies import random_grid
from tests.support.tower import baked_tower

WIDE, HIGH = 11, 9


def points_about(rng: random.Random, wide: float, high: float) -> Iterator[tuple[float, float]]:
    """Points of all sorts: anywhere, in the middle of cells, on borders, far outside."""
    for _ in range(40):
        yield rng.uniform(-3, wide + 3), rng.uniform(-3, high + 3)
        yield rng.randint(-2, round(wide)), rng.randint(-2, round(high))
        yield rng.randint(-4, 2 * round(wide)) / 2, rng.randint(-4, 2 * round(high)) / 2
    yield from ((1e9, 3), (-1e300, 1e300), (3.4999999999999996, 2.5))


def scan(nav: Navigator, point: tuple[float, ...]) -> object:
    """Of all places that can be stood on, the nearest; of several the first in reading order."""

    def away(cell: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        x, y = (min(max(axis, -1e15), 1e15) for axis in point[:2])
        dx, dy = cell[0] - x, cell[1] - y
        return dx * dx + dy * dy, cell[::-1]

    return min((each for each in nav.places() if each[2:] == point[2:]), key=away)


def check(nav: Navigator, points: list[tuple[float, ...]]) -> None:
    expected = [scan(nav, point) for point in points]
    assert [nav.nearest(point) for point in points] == expected
    found = nav.nearest(np.array(points, dtype=np.float64))
    assert found.dtype == np.int32
    assert [tuple(cell) for cell in found.tolist()] == expected
    last = expected[0]
    for point, place in zip(points, expected, strict=True):
        assert nav.nearest(point, last=last) == place
        assert nav.nearest(point, last=place) == place
        last = place


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("walls", [0.2, 0.9])
def test_cells_that_come_and_go(
    tmp_path: Path, walls: float, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(round(walls * 10))
    grid = random_grid(3, WIDE, HIGH, walls=walls)
    if not compiled:
        monkeypatch.setattr("bake.kernels.jit.ready", lambda kernel: False)
    with open_asset(bake_grid(tmp_path, grid)) as level:
        nav = level.profile()
        check(nav, list(points_about(rng, WIDE, HIGH)))
        every = [(x, y) for x in range(WIDE) for y in range(HIGH)]
        for _ in range(4):
            shut = [place for place in rng.sample(nav.places(), 3) if nav.can_stand(place)]
            free = [place for place in rng.sample(every, 4) if place not in shut]
            nav.update(blocked=shut, opened=free)
            check(nav, list(points_about(rng, WIDE, HIGH)))


def test_floors(tmp_path: Path) -> None:
    rng = random.Random(4)
    with open_asset(baked_tower(tmp_path, storage="dense")) as level:
        for profile in level.profiles:
            nav = level.profile(profile)
            points = [(x, y, rng.randint(0, 1)) for x, y in points_about(rng, 10, 5)]
            check(nav, points)
            here = nav.nearest((1, 1, 0))
            assert nav.nearest((1, 1, 1), last=here)[2] == 1
            with pytest.raises(OutsideMapError, match="no floor 2"):
                nav.nearest([(1, 1, 0), (1, 1, 2)])
            with pytest.raises(OutsideMapError, match=r"no floor 0\.5"):
                nav.nearest([(1, 1, 0.5)])


@pytest.mark.parametrize("compiled", [True, False])
def test_nodes_with_ties(tmp_path: Path, compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes on one line and on one spot: of equals the one that comes first in the asset."""
    if not compiled:
        monkeypatch.setattr("bake.kernels.jit.ready", lambda kernel: False)
    rng = random.Random(5)
    names = [f"n{number}" for number in range(60)]
    places = {name: (float(rng.randint(0, 5)), float(rng.choice((0, 0, 3)))) for name in names}
    source = write_graph(tmp_path / "map.json", names, [("n0", "n1", 1.0)], positions=places)
    with open_asset(bake(source)) as level:
        nav = level.profile()
        order = {name: at for at, name in enumerate(nav.node_names)}
        points = [(rng.randint(-4, 14) / 2, rng.randint(-2, 8) / 2) for _ in range(200)]
        expected = [
            min(names, key=lambda name: (math.dist(places[name], point) ** 2, order[name]))
            for point in points
        ]
        assert [nav.nearest(point) for point in points] == expected
        assert nav.nearest(np.array(points)).tolist() == expected
        for last in names:
            for point, name in zip(points[:20], expected[:20], strict=True):
                assert nav.nearest(point, last=last) == name
        with pytest.raises(UnknownNodeError, match="'n99'"):
            nav.nearest((0, 0), last="n99")


def test_an_agent_that_walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last place first: only where the point may be nearer to another one is there a search."""
    monkeypatch.setattr("bake.kernels.jit.ready", lambda kernel: False)
    names = [f"n{number}" for number in range(30)]
    places = {name: (3.0 * number, 0.0) for number, name in enumerate(names)}
    source = write_graph(tmp_path / "line.json", names, [("n0", "n1", 1.0)], positions=places)
    with open_asset(bake(source)) as level:
        nav = level.profile()
        here, walks = nav.nearest((0, 0)), []
        near = nav._now.nearest
        walk = near._walk
        nav.nearest((0.1, 0), last=here)
        near._walk = lambda *given: walks.append(given) or walk(*given)  # type: ignore[method-assign]
        for step in range(15):
            assert nav.nearest((0.1 * step, 0), last="n0") == "n0"
        assert not walks
        assert nav.nearest((1.6, 0), last="n0") == "n1"
        assert walks


def test_nowhere_to_stand(tmp_path: Path) -> None:
    blocked = profile_for("b", {**GROUND, "floor": GROUND["wall"]})
    asset = bake_grid(tmp_path, [["floor", "wall"]], profiles=[profile_for("a", GROUND), blocked])
    with open_asset(asset) as level:
        for points in ((0, 0), [(0, 0)], np.array([(9.5, 2)])):
            with pytest.raises(QueryError, match="'b' can stand nowhere in this level"):
                level.profile("b").nearest(points)
        nav = level.profile("a")
        assert nav.nearest(np.empty((0, 2))).shape == (0, 2)
        nav.update(blocked=[(0, 0)])
        with pytest.raises(QueryError, match="'a' can stand nowhere in this level"):
            nav.nearest((0, 0))


def test_many_points_of_the_wrong_kind(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, [["floor", "floor"]])) as level:
        nav = level.profile()
        with pytest.raises(QueryError, match=r"points\[1\] is \(nan, 0.0\)"):
            nav.nearest([(0, 0), (math.nan, 0)])
        with pytest.raises(QueryError, match="no array of points"):
            nav.nearest(np.zeros((3, 3)))
        assert nearest.are_many([(0, 0)])
        assert not nearest.are_many((0, 0))
