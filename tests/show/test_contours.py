"""Pictures of contours of f: colors of pixels beside f computed cell by cell."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bake.extras.crowds.agent import Agent
from bake.extras.crowds.belief import Belief
from bake.extras.school import search_trace, trace_walk, traced_search
from bake.play import open_asset
from bake.show.colours import SEARCHED, shades
from bake.show.render import render_asset
from bake.show.views import CONTOURS, contour_limits
from levelbake.errors import QueryError
from tests.support.baked import bake as baked
from tests.support.baked import write_graph
from tests.support.command import bake, misuse
from tests.support.drawings import apart, grid, picture, pixels_of
from tests.support.problems import EDGES, TO_B

pytestmark = pytest.mark.note(92, "pixels, and g + h place by place")

ROOM = ("..........", ".####.###.", "....#...#.", ".####.#.#.", "......#...")
ENDS = (2, 2), (9, 2)


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    return grid(tmp_path, *ROOM)


def band_of(f: float, limits: list[float]) -> int:
    return next((band for band, limit in enumerate(limits) if f <= limit + 1e-6), len(limits))


@pytest.mark.parametrize("method", ["astar", "dijkstra"])
def test_bands(asset: Path, method: str) -> None:
    """Every place looked at has the color of the band of its g + h."""
    with open_asset(asset) as level:
        nav = level.profile()
        found = nav.search(*ENDS, method, looked_at=True)
        assert found.looked_at is not None
        h = {
            place: nav.search.estimate(place, ENDS[1], "octile") if method == "astar" else 0.0
            for place, _ in found.looked_at
        }
    f = {place: g + h[place] for place, g in found.looked_at}
    limits = contour_limits(np.array(list(f.values())), found.cost).tolist()
    assert limits[-1] == pytest.approx(found.cost)
    assert len(limits) == CONTOURS
    assert np.diff(limits) == pytest.approx((found.cost - min(f.values())) / CONTOURS)
    drawn = picture(asset, show="contours", path=ENDS, method=method, scale=30)
    colors = [*map(tuple, shades(np.linspace(0, 1, CONTOURS)).tolist()), SEARCHED]
    bands = set()
    for place, value in f.items():
        if found.path is not None and place in found.path:
            continue  # The path lies over it.
        band = band_of(value, limits)
        bands.add(band)
        pixel = drawn.at(*place, 9, 9)  # type: ignore[misc]
        nearest = min(range(len(colors)), key=lambda at: apart(pixel, colors[at]))
        assert nearest == band, (place, value)
    assert len(bands) > 2
    untouched = {(x, y) for y, row in enumerate(ROOM) for x, c in enumerate(row) if c == "."}
    for x, y in untouched - f.keys():
        assert min(apart(drawn.at(x, y, 9, 9), color) for color in colors) > 20
    assert drawn.said["expanded"] == found.expanded


def test_a_trace_shows_the_same(asset: Path) -> None:
    with open_asset(asset) as level:
        nav = level.profile()
        found = traced_search(nav, *ENDS)
        trace = search_trace(level, nav.name, ENDS, 1.0, found)
    trace.write(asset.with_name("trace.json"))
    whole = picture(asset, show="contours", trace=asset.with_name("trace.json"), scale=30)
    plain = picture(asset, show="contours", path=ENDS, method="astar", scale=30)
    for x, y in ((0, 0), (3, 0), (1, 2), (5, 2), (0, 4)):
        assert whole.at(x, y, 9, 9) == plain.at(x, y, 9, 9)
    early = picture(asset, show="contours", trace=asset.with_name("trace.json"), step=1, scale=30)
    assert early.at(9, 0, 9, 9) != plain.at(9, 0, 9, 9)


def test_limits_by_hand() -> None:
    assert contour_limits(np.array([4.0, 10.0, 12.0]), 10.0).tolist() == [5, 6, 7, 8, 9, 10]
    assert contour_limits(np.array([4.0, 16.0]), math.inf).tolist() == [6, 8, 10, 12, 14, 16]
    assert contour_limits(np.array([7.0, 7.0]), 7.0).tolist() == [7]
    assert contour_limits(np.array([9.0, 8.0]), 7.0).tolist() == [8]  # h says too much.
    assert contour_limits(np.empty(0), math.inf).tolist() == []


def test_the_road_map_of_the_notes(tmp_path: Path) -> None:
    """Contours of f from A to B: no town beyond 418 is expanded."""
    source = write_graph(
        tmp_path / "roads.json",
        sorted(TO_B),
        EDGES,
        directed=False,
        positions={town: (TO_B[town], 7 * number) for number, town in enumerate(sorted(TO_B))},
    )
    asset = baked(source)
    with open_asset(asset) as level:
        nav = level.profile()
        found = traced_search(nav, "A", "B", heuristic=TO_B)
        search_trace(level, nav.name, ("A", "B"), 1.0, found).write(tmp_path / "a.json")
    f = {step.place: step.f for step in found.trace}
    assert list(f.values()) == pytest.approx([366, 393, 413, 415, 417, 418], abs=0.01)
    assert contour_limits(np.array(list(f.values())), found.cost)[-1] == pytest.approx(418)
    said = render_asset(asset, tmp_path / "a.png", show="contours", trace=tmp_path / "a.json")
    assert said["show"] == "contours"
    assert (pixels_of(tmp_path / "a.png") == np.array(SEARCHED)).all(axis=2).any()


def test_mistakes(asset: Path) -> None:
    output = asset.with_name("a.png")
    with pytest.raises(QueryError, match="'greedy' has no contours"):
        render_asset(asset, output, show="contours", path=ENDS, method="greedy")
    with pytest.raises(QueryError, match="needs two places"):
        render_asset(asset, output, show="contours")
    with open_asset(asset) as level:
        belief = Belief(level.profile())
        trace = trace_walk(Agent(belief, *ENDS))
        trace.note()
        trace.write(asset.with_name("walk.json"))
    with pytest.raises(QueryError, match="agents has no contours"):
        render_asset(asset, output, show="contours", trace=asset.with_name("walk.json"))
    misuse(bake("render", asset, "-o", output, "--show", "contours"), "needs two places")


def test_no_path(tmp_path: Path) -> None:
    asset = grid(tmp_path, "...#..", "...#..")
    said = render_asset(
        asset, tmp_path / "a.png", show="contours", path=((0, 0), (5, 0)), method="astar"
    )
    assert said["reachable"] is False
