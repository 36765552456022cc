"""The place nearest to a point on every kind of level, beside a scan in plain Python."""

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import shapely

import levelbake
from bake.core.errors import LevelError
from bake.play import Navigator, nearest, open_asset
from bake.project.recipe.rules import LevelRecipe
from bake.verify import verify_asset
from levelbake.errors import OutsideMapError, QueryError, UnknownNodeError
from tests.support.baked import (
    GROUND,
    bake,
    bake_grid,
    profile_for,
    recipe_for,
    write_graph,
    write_grid,
)
from tests.support.strategies import random_grid
from tests.support.tower import baked_tower

pytestmark = [
    pytest.mark.note(94, "a scan of all places"),
    pytest.mark.note(97, "shapely: which drawn domain a point lies in"),
    pytest.mark.note(100, "the same answers without it"),
]

WIDE, HIGH = 11, 9


def points_about(rng: random.Random, wide: float, high: float) -> Iterator[tuple[float, float]]:
    """Points of all sorts: anywhere, in the middle of cells, on borders, far outside."""
    for _ in range(40):
        yield rng.uniform(-3, wide + 3), rng.uniform(-3, high + 3)
        yield rng.randint(-2, round(wide)), rng.randint(-2, round(high))
        yield rng.randint(-4, 2 * round(wide)) / 2, rng.randint(-4, 2 * round(high)) / 2
    yield from ((1e9, 3), (-1e300, 1e300), (3.4999999999999996, 2.5))


def scan(nav: Navigator, point: tuple[float, ...]) -> object:
    """The cell of a point, or of all that can be stood on the nearest, the first of several."""
    x, y = (min(max(axis, -1e15), 1e15) for axis in point[:2])

    def away(cell: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        dx, dy = (own - max(axis - 0.5, -1e15) for own, axis in zip(cell[:2], (x, y), strict=True))
        return dx * dx + dy * dy, cell[::-1]

    own = (math.floor(x), math.floor(y), *point[2:])
    if nav.can_stand(own):
        return own
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
        monkeypatch.setattr("bake.core.kernels.jit.ready", lambda kernel: False)
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
    with open_asset(baked_tower(tmp_path)) as level:
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
        monkeypatch.setattr("bake.core.kernels.jit.ready", lambda kernel: False)
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
        # Pairs of floats are asked the short way, whatever else the point may be the long one.
        floats = [(float(x), float(y)) for x, y in points]
        assert [nav.nearest(point) for point in floats] == expected
        assert [nav.nearest(list(point)) for point in floats] == expected
        assert nav.nearest((1e300, -1e300)) == nav.nearest((1e15, -1e15))
        with pytest.raises(QueryError, match="point"):
            nav.nearest((math.nan, 1.0))
        nav.update(blocked=[expected[0]])
        assert nav.nearest(floats[0]) != expected[0]
        nav.update(opened=[expected[0]])
        for last in names:
            for point, name in zip(points[:20], expected[:20], strict=True):
                assert nav.nearest(point, last=last) == name
        with pytest.raises(UnknownNodeError, match="'n99'"):
            nav.nearest((0, 0), last="n99")


def test_an_agent_that_walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last place first: only where the point may be nearer to another one is there a search."""
    monkeypatch.setattr("bake.core.kernels.jit.ready", lambda kernel: False)
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
            with pytest.raises(QueryError, match="'b' can stand nowhere"):
                level.profile("b").nearest(points)
        nav = level.profile("a")
        assert nav.nearest(np.empty((0, 2))).shape == (0, 2)
        nav.update(blocked=[(0, 0)])
        with pytest.raises(QueryError, match="'a' can stand nowhere"):
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


# -- domains of points with weights, and such that were drawn ------------------------------------


def drawn_around(rng: random.Random, points: list[dict]) -> list[shapely.Polygon | None]:
    """Draw domains of many corners around some points, apart from each other; write them down."""
    areas: list[shapely.Polygon | None] = []
    for each in points:
        angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(9))
        x, y = each["at"]
        ring = [
            (x + far * math.cos(angle), y + far * math.sin(angle))
            for angle, far in ((angle, rng.uniform(0.5, 9)) for angle in angles)
        ]
        area = shapely.Polygon([(round(x * 1024) / 1024, round(y * 1024) / 1024) for x, y in ring])
        others = [shapely.Point(other["at"]) for other in points if other is not each]
        others += [other for other in areas if other is not None]
        alone = area.is_valid and not any(area.intersects(other) for other in others)
        fits = alone and area.covers(shapely.Point(x, y))
        areas.append(area if fits else None)
        each["domain"] = [list(corner) for corner in ring] if fits else []
    return areas


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_domain_that_a_point_lies_in(tmp_path: Path, seed: int, drawn: bool) -> None:
    rng = random.Random(seed)
    where = [(x, y) for x in range(1, 40, 6) for y in range(1, 30, 6)]
    points = [
        {"at": at, "weight": rng.choice((0, 0, 0.5, 1.75, 2.5))} for at in rng.sample(where, 12)
    ]
    areas = drawn_around(rng, points) if drawn else [None] * len(points)
    floor = {"terrain": "floor", "rect": [0, 0, 40, 30]}
    document = {"format": "bake-geometry", "version": 1, "shapes": [floor], "points": points}
    source = tmp_path / "glades.json"
    source.write_text(json.dumps(document))
    asset = bake(source, LevelRecipe(division="dirichlet"))
    verify_asset(asset, None, lambda done: None)
    with open_asset(asset) as level, levelbake.open_level(asset) as small:
        nav = level.profile()
        weight = {tuple(each["at"]): each["weight"] for each in points}
        area = {tuple(each["at"]): own for each, own in zip(points, areas, strict=True) if own}
        assert bool(area) == drawn
        node = {tuple(level.to_point(name)): name for name in nav.places()}

        def expected(point: tuple[float, float]) -> object:
            """The drawn domain; else the highest cone, and of equals the first in the asset."""
            standing = [at for at in node if nav.can_stand(node[at])]
            # Points are rounded to the grid before they are held against what was drawn.
            near = shapely.Point([round(axis * 1024) / 1024 for axis in point])
            over = [at for at in standing if at in area and area[at].covers(near)]
            if over:
                return node[over[0]]
            best = max(weight[at] - np.hypot(point[0] - at[0], point[1] - at[1]) for at in standing)
            order = {name: number for number, name in enumerate(nav.node_names)}
            return min(
                (
                    node[at]
                    for at in standing
                    if weight[at] - np.hypot(point[0] - at[0], point[1] - at[1]) == best
                ),
                key=order.__getitem__,
            )

        asked = list(points_about(rng, 40, 30))
        differ = 0
        for _ in range(2):
            told = [nav.nearest(point) for point in asked]
            assert told == [
                expected(tuple(min(max(axis, -1e15), 1e15) for axis in point)) for point in asked
            ]
            assert nav.nearest(np.array(asked, dtype=np.float64)).tolist() == told
            assert [nav.nearest(point, last=told[0]) for point in asked] == told
            assert [small.profile().nearest(point) for point in asked] == told
            for point, name in zip(asked, told, strict=True):
                plain = min(weight, key=lambda at: math.dist(at, point))
                differ += node[plain] != name
            shut = rng.sample(nav.places(), 3)
            nav.update(blocked=shut)
            small.update(blocked=shut)
        assert differ > 5


@pytest.mark.parametrize("hex_layout", [None, "odd-r"])
def test_a_region_with_the_name_of_a_spot_is_its_domain(
    tmp_path: Path, hex_layout: str | None
) -> None:
    """Cells are asked by their middles: those of the region, and by distance all others."""
    mine = [[x, y] for x in range(1, 5) for y in range(1, 4)] + [[x, 3] for x in range(5, 11)]
    hall_at, yard_at = {"at": [2, 2], "kind": "room"}, {"at": [9, 1], "kind": "room"}
    spots = [{"name": "hall", **hall_at}, {"name": "yard", **yard_at}]
    things = {"spots": spots, "regions": [{"name": "hall", "cells": mine}]}
    grid = [["floor"] * 12 for _ in range(6)]
    source = write_grid(tmp_path / "house.json", grid, hex_layout, cell_size=8, **things)
    with open_asset(bake(source)) as cells:
        middle = {cell: cells.to_point(cell) for cell in cells.profile().places()}
    with open_asset(bake(source, recipe_for(division="dirichlet"))) as level:
        nav = level.profile()
        hall, yard = (nav.nearest(middle[cell]) for cell in ((2, 2), (9, 1)))
        sent = {cell: nav.nearest(point) for cell, point in middle.items()}
        for cell, point in middle.items():
            near = math.dist(point, middle[2, 2]) <= math.dist(point, middle[9, 1])
            assert sent[cell] == (hall if [*cell] in mine or near else yard)
        assert (sent[10, 3], sent[10, 4]) == (hall, yard)
    holed = {**things, "regions": [{"name": "hall", "cells": [*mine, [11, 5]]}]}
    source = write_grid(tmp_path / "holed.json", grid, hex_layout, **holed)
    with pytest.raises(LevelError, match="'hall' crosses itself"):
        bake(source, recipe_for(division="dirichlet"))


def test_a_node_that_comes_has_no_weight(tmp_path: Path) -> None:
    floor = {"terrain": "floor", "rect": [0, 0, 20, 10]}
    drawn = {"at": [4, 5], "weight": 2, "domain": [[1, 1], [5, 1], [5, 9], [1, 9]]}
    points = [drawn, {"at": [12, 5]}]
    document = {"format": "bake-geometry", "version": 1, "shapes": [floor], "points": points}
    source = tmp_path / "glades.json"
    source.write_text(json.dumps(document))
    with open_asset(bake(source, LevelRecipe(division="dirichlet"))) as level:
        nav = level.profile()
        west, east = nav.nearest((4, 5)), nav.nearest((12, 5))
        level.update(nodes={9: {"at": (8.0, 5.0)}}, arcs={(west, 9): 4.0, (9, east): 4.0})
        asked = [(4.5, 8.5), (6.9, 5), (7.1, 5), (9.9, 5), (10.1, 5)]
        assert nav.nearest(np.array(asked)).tolist() == [west, west, 9, 9, east]
        level.update(nodes={9: None})
        assert nav.nearest((7.1, 5)) == west


# -- the nearest place that can be reached --------------------------------------------------------


def instead(nav: Navigator, start: tuple[int, ...], goal: tuple[int, ...]) -> object:
    """By a scan: on the goal's floor if any place there is reached, and of equals the nearest."""
    reached = [each for each in nav.places() if nav.reachable(start, each)]
    here = [each for each in reached if each[2:] == goal[2:]] or reached

    def key(place: tuple[int, ...]) -> tuple[object, ...]:
        far = (place[0] - goal[0]) ** 2 + (place[1] - goal[1]) ** 2
        return far, nav.distance(start, place), *place[2:], place[1], place[0]

    return min(here, key=key)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("walls", [0.3, 0.6])
def test_where_to_go_instead(
    tmp_path: Path, walls: float, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(round(walls * 10))
    if not compiled:
        monkeypatch.setattr("bake.core.kernels.jit.ready", lambda kernel: False)
    with open_asset(bake_grid(tmp_path, random_grid(5, WIDE, HIGH, walls=walls))) as level:
        nav = level.profile()
        every = [(x, y) for x in range(WIDE) for y in range(HIGH)]
        for _ in range(3):
            for start in rng.sample(nav.places(), 4):
                for goal in rng.sample(every, 12):
                    assert nav.search.nearest_reachable(start, goal) == instead(nav, start, goal)
            shut = [place for place in rng.sample(nav.places(), 3) if nav.can_stand(place)]
            nav.update(blocked=shut, opened=[at for at in rng.sample(every, 4) if at not in shut])


def test_where_to_go_instead_on_floors(tmp_path: Path) -> None:
    rng = random.Random(6)
    with open_asset(baked_tower(tmp_path)) as level:
        for profile in level.profiles:
            nav = level.profile(profile)
            places = nav.places()
            for _ in range(20):
                start = rng.choice(places)
                goal = (rng.randint(0, 8), rng.randint(0, 4), rng.randint(0, 1))
                assert nav.search.nearest_reachable(start, goal) == instead(nav, start, goal)
