"""A point has one meaning: what `to_point` returns is what every method takes, on every level."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bake.play import open_asset
from levelbake import MissingTableError, open_level
from tests.support.pages import ROOT
from tests.support.stored import stored_asset

VECTORS = ROOT / "tests" / "vectors"

#: Images, JSON, Tiled (orthogonal, isometric), LDtk, floors, headings, hexagons, meshes, nodes.
SOURCES = (
    "abbey.ldtk",
    "arcade.json",
    "bastion.json",
    "colony.json",
    "depot.json",
    "five.json",
    "grove.json",
    "harbour.svg",
    "island.json",
    "manor.tmx",
    "marsh.png",
    "plaza.json",
    "ridge.json",
    "roads.json",
    "station.json",
    "town.json",
    "valley.tmj",
)
FLAT = (
    "hex-even-q",
    "hex-even-r",
    "hex-odd-q",
    "hex-odd-r",
    "isometric",
    "roads",
    "squares-4",
    "tower",
)
#: Levels on which `nearest` returns the node whose domain a point lies in, not the node at a point.
DOMAINS = ("grove.json",)


def path_of(name: str) -> Path:
    return VECTORS / f"{name}.bake" if name in FLAT else stored_asset(name)


@contextmanager
def both(name: str) -> Iterator[list[Any]]:
    """The level as bake.play opens it, and as the reader does where it can."""
    with open_asset(path_of(name)) as level:
        try:
            small = open_level(path_of(name))
        except MissingTableError:
            yield [level]
            return
        with small:
            yield [level, small]


@pytest.mark.parametrize("name", SOURCES + FLAT)
def test_the_point_of_each_place_leads_back_to_it(name: str) -> None:
    with both(name) as levels:
        for level in levels:
            for profile in level.profiles:
                nav = level.profile(profile)
                places = nav.places()
                points = [level.to_point(place) for place in places]
                if not level.is_grid and level._points._places.position is None:
                    continue
                assert [nav.nearest(point) for point in points[:400]] == places[:400]
                if level is levels[0]:
                    found = nav.nearest(np.array(points))
                    same = found == np.array(places, dtype=found.dtype)
                    assert same.all()
                if level.is_grid:
                    assert [level.to_cell(point) for point in points] == places
                assert np.array_equal(level.to_point(places), np.array(points))


@pytest.mark.parametrize("name", [name for name in SOURCES + FLAT if name not in DOMAINS])
def test_nearest_is_the_cell_of_a_point_or_the_nearest_in_plain_python(name: str) -> None:
    with both(name) as levels:
        level, nav = levels[0], levels[0].profile(levels[0].profiles[0])
        if not level.is_grid:
            return
        places = nav.places()
        corners = np.array([level.to_point(place)[:2] for place in places])
        low, high = corners.min(axis=0), corners.max(axis=0)
        margin = (high - low).max() / 8 + 1
        hexagons = level._points._places.hex_layout is not None

        def measured(point: tuple[float, ...], floor: int) -> np.ndarray:
            """A point in columns and rows of squares, by solving for them; as it is elsewhere."""
            where = level.coordinates
            if hexagons:
                return np.array(point[:2])
            steps = np.array([where.east, where.south]).T
            centre = where.centres[floor % len(where.centres)]
            return np.linalg.solve(steps, np.array(point[:2]) - centre)

        @settings(max_examples=40, deadline=None)
        @given(
            st.floats(low[0] - margin, high[0] + margin),
            st.floats(low[1] - margin, high[1] + margin),
            st.integers(0, level.floors - 1),
        )
        def check(x: float, y: float, floor: int) -> None:
            point = (x, y, floor) if level.floors > 1 else (x, y)
            own = level.to_cell(point)
            near = nav.nearest(point)
            for other in levels[1:]:
                assert other.profile(nav.name).nearest(point) == near
            assert nav.nearest([point]).tolist() == [[*near]]
            if nav.can_stand(own):
                assert near == own
                return
            here = measured(point, floor)
            away = {
                place: np.hypot(*(measured(level.to_point(place), floor) - here))
                for place in places
                if place[2:] == point[2:]
            }
            assert away[near] <= min(away.values()) * (1 + 1e-9)

        check()


@pytest.mark.parametrize("name", ["valley.tmj", "manor.tmx", "colony.json", "bastion.json"])
def test_followers_take_points_of_the_level(name: str) -> None:
    with open_asset(path_of(name)) as level:
        nav = level.profile(level.profiles[0])
        start, *_ = places = nav.places()
        goal = next(place for place in reversed(places) if nav.reachable(start, place))
        follower = nav.plane.follow(nav.path(start, goal))
        progress = follower.update(level.to_point(start))
        assert progress.off == pytest.approx(0, abs=1e-9)
        ahead = follower.path[len(follower.path) // 2]
        assert follower.reenter(level.to_point(ahead))
        assert follower.path[0] == ahead


@pytest.mark.parametrize("name", ["harbour.svg", "plaza.json"])
def test_the_plane_takes_points_of_the_level(name: str) -> None:
    with open_asset(path_of(name)) as level:
        nav = level.profile(level.profiles[0])
        start, *_ = places = nav.places()
        goal = next(place for place in reversed(places) if nav.reachable(start, place))
        ends = [level.to_point(place) for place in (start, goal)]
        straight = nav.plane.straight_path(*ends)
        assert np.allclose([straight[0], straight[-1]], ends, atol=1 / 1024)
        if level.is_divided_plane and name == "harbour.svg":
            assert nav.plane.place_at(ends[0]) == start
