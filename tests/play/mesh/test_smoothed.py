"""Straight lines and smoothed paths on meshes, against GEOS and by hand."""

import json
import math
import random
from itertools import pairwise
from pathlib import Path

import pytest
from shapely import LineString, MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

from bake.core.level import MeshNodes, TerrainRule
from bake.play import Navigator, open_asset
from bake.project.recipe import load_recipe
from bake.project.recipe.rules import LevelRecipe
from levelbake.errors import BlockedCellError, QueryError
from tests.support.baked import bake
from tests.support.stored import stored_asset

pytestmark = pytest.mark.note(108, "GEOS, and by hand")

ROOT = Path(__file__).resolve().parents[3]
NODES: tuple[MeshNodes, ...] = ("centre", "edge", "portal")
COST = {"floor": 1.0, "mud": 3.0}


def drawn(folder: Path, shapes: list[dict], nodes: MeshNodes = "centre", **more: object) -> Path:
    source = folder / "yard.json"
    source.write_text(
        json.dumps({"format": "bake-geometry", "version": 1, "shapes": shapes, **more})
    )
    return bake(source, LevelRecipe(mesh_nodes=nodes, terrain={"mud": TerrainRule(COST["mud"])}))


def ground(shapes: list[dict]) -> dict[str, BaseGeometry]:
    """What each terrain covers, later shapes over earlier ones."""
    found: dict[str, BaseGeometry] = {name: MultiPolygon() for name in ("floor", "mud", "wall")}
    for shape in shapes:
        left, top, width, height = shape.get("rect", (0, 0, 0, 0))
        area = (
            Polygon(shape["rings"][0])
            if "rings" in shape
            else box(left, top, left + width, top + height)
        )
        found = {name: each.difference(area) for name, each in found.items()}
        found[shape["terrain"]] = found[shape["terrain"]].union(area)
    return found


def line_cost(areas: dict[str, BaseGeometry], a: tuple, b: tuple) -> float:
    """Units of a line by GEOS; infinite where more than a thousandth of a unit lies outside."""
    line = LineString([a[:2], b[:2]])
    parts = {name: line.intersection(areas[name]).length for name in COST}
    if sum(parts.values()) < line.length - 1e-3:
        return math.inf
    # A line along a border lies in both.
    cheap = min(parts["floor"], line.length)
    return cheap * COST["floor"] + (line.length - cheap) * COST["mud"]


def yard(seed: int) -> list[dict]:
    rng = random.Random(seed)
    shapes: list[dict] = [{"terrain": "floor", "rect": [0, 0, 16, 12]}]
    for terrain in ("mud", "mud", "wall", "wall", "wall", "wall"):
        x, y = rng.randrange(14), rng.randrange(10)
        shapes.append({"terrain": terrain, "rect": [x, y, rng.randint(1, 4), rng.randint(1, 4)]})
    x, y = rng.randrange(2, 12), rng.randrange(2, 9)
    shapes.append({"terrain": "wall", "rings": [[[x, y], [x + 3, y + 1], [x + 1, y + 3]]]})
    return shapes


def points_of(nav: Navigator, path: list) -> list[tuple[float, float]]:
    return [nav.plane.smooth([place])[0] for place in path]  # type: ignore[misc]


@pytest.mark.parametrize("nodes", NODES)
@pytest.mark.parametrize("seed", range(3))
def test_smoothed_paths(nodes: MeshNodes, seed: int, tmp_path: Path) -> None:
    shapes, rng = yard(seed), random.Random(seed)
    areas = ground(shapes)
    with open_asset(drawn(tmp_path, shapes, nodes)) as level:
        nav = level.profile()
        places, shorter = nav.places(), 0
        for _ in range(25):
            path = nav.path(*rng.sample(places, 2))
            if path is None:
                continue
            length, at = nav.length(path), points_of(nav, path)
            waypoints = nav.plane.smooth(path)
            assert (waypoints[0], waypoints[-1]) == (at[0], at[-1])
            lines = [line_cost(areas, *ends) for ends in pairwise(waypoints)]
            assert math.isfinite(sum(lines))
            # From place to place an arc may cost less: it counts both prices for half its length.
            cost, mixed = nav.plane.any_angle_length(waypoints), nodes == "centre"
            assert cost <= sum(lines) + 0.02
            assert cost == pytest.approx(sum(lines), abs=0.02) or mixed
            assert nav.plane.any_angle_length(waypoints) <= length + 0.01
            assert nav.length(waypoints) == nav.plane.any_angle_length(waypoints)
            shorter += sum(lines) < length - 0.01
            for here in range(len(path) - 1):
                there = nav.plane.furthest_visible(path, here)
                assert here < there
                stretch = nav.length(path[here : there + 1])
                assert there == here + 1 or line_cost(areas, at[here], at[there]) <= stretch + 0.02
                for other in range(there + 1, len(path)):
                    walked = nav.length(path[here : other + 1])
                    assert line_cost(areas, at[here], at[other]) >= walked - 0.02
        assert shorter or nodes == "portal"


def test_lines_between_points(tmp_path: Path) -> None:
    """Points anywhere, and points on the lines and corners of what is drawn."""
    rng = random.Random(7)
    for seed in range(3, 6):
        shapes = yard(seed)
        areas = ground(shapes)
        open_ground = areas["floor"].union(areas["mud"])
        surely, perhaps = open_ground.buffer(-0.01), open_ground.buffer(0.01)
        with open_asset(drawn(tmp_path, shapes)) as level:
            nav, seen = level.profile(), 0
            for number in range(300):
                a, b = (
                    (rng.uniform(0, 16), rng.uniform(0, 12))
                    if number % 2
                    else (float(rng.randint(0, 16)), float(rng.randint(0, 12)))
                    for _ in range(2)
                )
                if not all(surely.covers(LineString([p, p])) for p in (a, b)):
                    continue
                line = LineString([a, b])
                expected = line_cost(areas, a, b)
                if not perhaps.covers(line):
                    with pytest.raises(QueryError, match="no straight way"):
                        nav.plane.any_angle_length([a, b])
                elif surely.covers(line):
                    assert nav.plane.any_angle_length([a, b]) == pytest.approx(expected, abs=0.02)
                    seen += 1
            assert seen > 20


def test_around_a_pillar(tmp_path: Path) -> None:
    shapes = [
        {"terrain": "floor", "rect": [0, 0, 9, 6]},
        {"terrain": "wall", "rect": [4, 0, 1, 4]},
    ]
    with open_asset(drawn(tmp_path, shapes)) as level:
        nav = level.profile()
        start, goal = nav.plane.place_at((1, 1)), nav.plane.place_at((8, 1))
        path = nav.path(start, goal)
        waypoints = nav.plane.smooth(path)
        assert waypoints[1:-1] == [(4, 4), (5, 4)]
        assert nav.length(waypoints) < nav.length(path)
        # Along the wall, and past its corner; through it there is no way.
        assert nav.plane.any_angle_length([(4, 0), (4, 6)]) == 6
        assert nav.plane.any_angle_length([(3, 5), (5, 3.5)][:1]) == 0
        with pytest.raises(QueryError, match=r"from \(3, 1\) to \(6, 1\)"):
            nav.plane.any_angle_length([(3, 1), (6, 1)])
        with pytest.raises(BlockedCellError, match="cannot be at"):
            nav.plane.any_angle_length([(4.5, 1), (4.5, 5)])
        with pytest.raises(QueryError, match="no place 9"):
            nav.plane.furthest_visible(path, 9)
        assert nav.plane.smooth([]) == []


def test_two_rooms_that_meet_in_a_point(tmp_path: Path) -> None:
    shapes = [
        {"terrain": "floor", "rect": [0, 0, 4, 4]},
        {"terrain": "floor", "rect": [4, 4, 4, 4]},
    ]
    with open_asset(drawn(tmp_path, shapes)) as level:
        nav = level.profile()
        assert nav.plane.any_angle_length([(1, 1), (4, 4)]) == pytest.approx(3 * math.sqrt(2))
        with pytest.raises(QueryError, match="no straight way"):
            nav.plane.any_angle_length([(1, 1), (7, 7)])


def test_mud_is_crossed_where_that_is_cheaper(tmp_path: Path) -> None:
    """Three units a unit of mud: the line through costs 2 + 2 * 3, and so it is told."""
    shapes = [
        {"terrain": "floor", "rect": [0, 0, 4, 4]},
        {"terrain": "mud", "rect": [1, 0, 2, 4]},
    ]
    with open_asset(drawn(tmp_path, shapes)) as level:
        nav = level.profile()
        assert nav.plane.any_angle_length([(0, 2), (4, 2)]) == pytest.approx(8)
        assert nav.plane.any_angle_length([(1, 0), (1, 4)]) == pytest.approx(4)
        path = nav.path(nav.plane.place_at((0.5, 1)), nav.plane.place_at((3.5, 3)))
        assert nav.length(nav.plane.smooth(path)) <= nav.length(path) + 0.01


@pytest.mark.parametrize("nodes", NODES)
def test_links_stay(nodes: MeshNodes, tmp_path: Path) -> None:
    shapes = [
        {"terrain": "floor", "rect": [0, 0, 8, 4]},
        {"terrain": "floor", "rect": [0, 0, 8, 4], "floor": 1},
    ]
    ladder = {"name": "ladder", "start": [6, 2], "goal": [1, 1], "goal_floor": 1}
    with open_asset(drawn(tmp_path, shapes, nodes, links=[ladder])) as level:
        nav = level.profile()
        path = nav.path(nav.plane.place_at((1, 1)), nav.plane.place_at((7, 3, 1)))
        waypoints = nav.plane.smooth(path)
        assert {point[2] for point in waypoints} == {0, 1}
        assert nav.length(waypoints) <= nav.length(path) + 0.01
        follower = nav.plane.follow(path, smooth=True)
        assert follower.still_valid()


def test_an_agent_follows_a_smoothed_path(tmp_path: Path) -> None:
    shapes = [
        {"terrain": "floor", "rect": [0, 0, 9, 6]},
        {"terrain": "wall", "rect": [4, 0, 1, 4]},
    ]
    with open_asset(drawn(tmp_path, shapes)) as level:
        nav = level.profile()
        straight = nav.plane.straight_path((1, 1), (8, 1))
        assert straight == [(1, 1), (4, 4), (5, 4), (8, 1)]
        path = nav.path(nav.plane.place_at((1, 1)), nav.plane.place_at((8, 1)))
        for follower in (
            nav.plane.follow(path, smooth=True, reach=0.1),
            nav.plane.follow(straight, reach=0.1),
        ):
            point = follower.update(follower.waypoints[0]).corner
            assert point == (4, 4)
            assert follower.update(point).corner == (5, 4)
            assert follower.still_valid()
            assert follower.ahead[-1] == follower.path[-1]
            assert follower.reenter((1, 5))
            assert follower.update((1, 5)).off < 3
            assert follower.still_valid()
        everywhere = nav.places()
        nav.update(blocked=everywhere)
        assert not follower.still_valid()
        assert not follower.reenter((1, 5))


def test_paths_of_points_between_walls(tmp_path: Path) -> None:
    """A level of points of visibility: its paths are tight, and point by point."""
    root = load_recipe(ROOT / "bake.toml").for_level("plaza")
    source = tmp_path / "plaza.json"
    source.write_bytes((ROOT / "levels_src" / "plaza.json").read_bytes())
    with open_asset(bake(source, root)) as level:
        nav = level.profile()
        path = nav.path((32, 28), (70, 70))
        assert nav.plane.smooth(path) == path
        assert nav.length(path) == pytest.approx(nav.distance((32, 28), (70, 70)), abs=1e-3)
        assert nav.plane.furthest_visible(path, 0) == 1
        assert nav.plane.any_angle_length(path[:2]) == pytest.approx(math.dist(*path[:2]))
        with pytest.raises(QueryError, match="no straight way"):
            nav.plane.any_angle_length([path[0], path[2]])
        follower = nav.plane.follow(path)
        assert follower.update((32, 28)).corner == path[1]
        assert follower.still_valid()
        assert follower.reenter((40, 28))
        named = nav.path(*nav.places()[:2])
        assert nav.length(nav.plane.smooth(named)) <= nav.length(named) + 0.01


def test_the_harbour() -> None:
    rng = random.Random(1)
    with open_asset(stored_asset("harbour.svg")) as level:
        for name in level.profiles:
            nav = level.profile(name)
            for _ in range(8):
                path = nav.path(*rng.sample(nav.places(), 2))
                if path is not None:
                    waypoints = nav.plane.smooth(path)
                    assert nav.length(waypoints) <= nav.length(path) + 0.01 * len(path)
                    assert len(waypoints) <= len(path) + 2
