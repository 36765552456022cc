"""The two shortest ways there are, over points of visibility and by Polyanya, are equally long.

A third way to find them shares no code with either: GEOS says which corners see each other, and
scipy finds the paths.
"""

import json
import math
import random
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import shapely
import shapely.affinity
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from bake.geometry import GRID
from bake.play import LevelAsset, open_asset
from bake.project.recipe import load_recipe
from bake.store import Asset
from tests.support.baked import bake
from tests.support.levels import shared_level

pytestmark = pytest.mark.note(33, "two independent shortest paths in the plane")

Point = tuple[float, ...]
BOTH = ("mesh", "visibility")


def measured(path: list[Point] | None) -> float:
    return math.inf if path is None else sum(math.dist(a, b) for a, b in pairwise(path))


def baked_both(source: Path, toml: str) -> list[Path]:
    """A level as a mesh, and as points of visibility."""
    found = []
    for division in BOTH:
        file = source.with_name(f"{division}.toml")
        file.write_text(f'division = "{division}"\n{toml}')
        asset = bake(source, load_recipe(file).for_level(source.stem))
        found.append(asset.replace(source.with_name(f"{source.stem}-{division}.h5")))
    return found


def area_of(asset: Path) -> shapely.Geometry:
    """The area between the walls of an asset, in units, by GEOS alone."""
    with Asset(asset) as stored:
        corner, after = stored.read("/wall_corner") / GRID, stored.read("/wall_after")
    walls = shapely.linestrings(np.stack([corner, corner[after]], axis=1))
    faces = shapely.get_parts(shapely.polygonize(walls))
    # Parity of the walls around a point of each face.
    inside = [
        sum(shapely.polygons(ring).contains(face.representative_point()) for ring in _rings(asset))
        % 2
        for face in faces
    ]
    return shapely.union_all(faces[np.array(inside, dtype=bool)])


def _rings(asset: Path) -> Iterator[np.ndarray]:
    with Asset(asset) as stored:
        corner, after = stored.read("/wall_corner") / GRID, stored.read("/wall_after").tolist()
    left = set(range(len(after)))
    while left:
        ring, here = [], min(left)
        while here in left:
            left.remove(here)
            ring.append(here)
            here = after[here]
        yield corner[ring]


def _outlines(part: shapely.Polygon) -> list[np.ndarray]:
    return [shapely.get_coordinates(ring) for ring in (part.exterior, *part.interiors)]


class Truth:
    """Shortest paths over all corners of an area, by GEOS and scipy."""

    def __init__(self, area: shapely.Geometry) -> None:
        # Where parts of the area meet in a point, nobody passes from one to the other.
        corner = [each[:-1] for part in shapely.get_parts(area) for each in _outlines(part)]
        point, count = np.unique(np.concatenate(corner), axis=0, return_counts=True)
        closed = shapely.buffer(shapely.points(point[count > 1]), 1e-5, cap_style="square")
        area = shapely.difference(area, shapely.union_all(closed))
        # Lines along walls are rounded, so the area is a little larger than it is.
        self.area = shapely.buffer(area, 1e-6, join_style="mitre")
        shapely.prepare(self.area)
        self.corner = np.unique(shapely.get_coordinates(area), axis=0)

    def lengths(self, points: list[Point]) -> np.ndarray:
        """The lengths between all pairs of points."""
        everything = np.concatenate([np.array(points), self.corner])
        one, other = np.triu_indices(len(everything), 1)
        lines = shapely.linestrings(np.stack([everything[one], everything[other]], axis=1))
        clear = shapely.covers(self.area, lines)
        one, other = one[clear], other[clear]
        far = np.hypot(*(everything[one] - everything[other]).T) + 1e-12
        graph = csr_matrix((far, (one, other)), shape=(len(everything),) * 2)
        mine = np.arange(len(points))
        found: np.ndarray = dijkstra(graph, directed=False, indices=mine)[:, mine]
        return found


def hold(assets: list[Path], points: list[Point], truth: np.ndarray) -> float:
    """Ask both levels for the ways between all pairs of points; return the longest."""
    longest = 0.0
    with open_asset(assets[0]) as mesh, open_asset(assets[1]) as corners:
        ways, nav = mesh.profile(), corners.profile()
        for at, start in enumerate(points):
            for to, goal in enumerate(points[:at]):
                told = nav.plane.straight_path(start, goal)
                assert told == nav.path(start, goal)
                assert measured(told) == pytest.approx(truth[at, to], abs=1e-3), (start, goal)
                assert nav.distance(start, goal) == pytest.approx(truth[at, to], abs=1e-2)
                polyanya = ways.plane.straight_path(start, goal, "polyanya")
                assert measured(polyanya) == pytest.approx(measured(told), abs=1e-6), (start, goal)
                longest = max(longest, 0.0 if told is None else len(told))
    return longest


def drawn_in(area: shapely.Geometry, rng: random.Random, count: int) -> list[Point]:
    """Points of an area, on its grid; some of them corners."""
    left, top, right, bottom = area.bounds
    corners = [tuple(each) for each in shapely.get_coordinates(area).tolist()]
    found = [rng.choice(corners) for _ in range(count // 3)]
    while len(found) < count:
        x, y = (
            round(rng.uniform(low, high) * GRID) / GRID
            for low, high in ((left, right), (top, bottom))
        )
        if area.contains(shapely.Point(x, y)):
            found.append((x, y))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_over_corners_and_through_polygons(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    shapes = [{"terrain": "floor", "rect": [0, 0, 40, 30]}]
    for _ in range(9):
        at = [rng.randint(1, 36), rng.randint(1, 26), rng.randint(2, 9), rng.randint(2, 7)]
        shapes.append({"terrain": "wall", "rect": at, "rotation": rng.choice((0, 0, 15, 40))})
    # A hole in a wall, an island, and a star that crosses itself.
    shapes.append({"terrain": "floor", "rect": [rng.randint(2, 30), rng.randint(2, 24), 3, 2]})
    star = [[20, 5], [23, 14], [15, 8], [25, 8], [17, 14]]
    shapes.append({"terrain": "wall", "rings": [star], "fill": "nonzero"})
    source = tmp_path / "boxes.json"
    source.write_text(json.dumps({"format": "bake-geometry", "version": 1, "shapes": shapes}))
    assets = baked_both(source, "")
    area = area_of(assets[1])
    points = drawn_in(area, rng, 14)
    assert hold(assets, points, Truth(area).lengths(points)) > 3


def test_outlines_of_a_real_map(tmp_path: Path) -> None:
    source = tmp_path / "arena.map"
    shutil.copy(shared_level("movingai/arena.map"), source)
    assets = baked_both(source, "")
    area = area_of(assets[1])
    # Each cell that can be stood on is a square of one unit.
    lines = source.read_text().split("map\n", 1)[1].split()
    assert area.area == sum(line.count(".") for line in lines)
    points = drawn_in(area, random.Random(3), 18)
    truth = Truth(area)
    assert hold(assets, points, truth.lengths(points)) > 3
    with open_asset(assets[1]) as level:
        corners_hold(level, truth)


def corners_hold(level: LevelAsset, truth: Truth) -> None:
    """Distances between all pairs of corners are those over all corners that see each other.

    Of the two ways to ask for a pair, one is taken.
    """
    nav = level.profile()
    points = [tuple(level.to_point(name)) for name in nav.places()]
    at, to = np.nonzero(np.tri(len(points)))
    turned = (at + to) % 2 == 1
    at[turned], to[turned] = to[turned], at[turned]
    told = [nav.distance(points[a], points[b]) for a, b in zip(at, to, strict=True)]
    assert told == pytest.approx(truth.lengths(points)[at, to], abs=1e-2)


def boxes_of(source: Path, layers: set[str]) -> shapely.Geometry:
    """What the tile objects of some layers cover, read by hand: they stand on their lower edge."""
    root = ElementTree.parse(source).getroot()
    found = []
    for group in root.iter("objectgroup"):
        for each in group.findall("object") if group.get("name") in layers else ():
            x, y, wide, high = (float(each.get(key) or 0) for key in ("x", "y", "width", "height"))
            box = shapely.box(x, y - high, x + wide, y)
            angle = float(each.get("rotation") or 0)
            found.append(shapely.affinity.rotate(box, angle, origin=(x, y)))
    return shapely.union_all(found)


def test_shapes_of_a_tiled_map(tmp_path: Path) -> None:
    """The ground and the castle of sticker-knight, some of it turned, as obstacles."""
    original = shared_level("tiled/sticker-knight/sandbox.tmx")
    source = tmp_path / original.name
    shutil.copy(original.with_name("objs.tsx"), tmp_path)
    # Its heroes are templates, which do not lie beside it.
    tree = ElementTree.parse(original)
    for group in tree.getroot().findall("objectgroup"):
        for each in group.findall("object[@template]"):
            group.remove(each)
    tree.write(source)
    toml = """
[tiled]
empty = "floor"
legend = { "layer:ground" = "wall", "layer:castle" = "wall" }
[terrain]
floor = 1
wall = "blocked"
"""
    assets = baked_both(source, toml)
    area = area_of(assets[1])
    free = shapely.box(0, 0, 79 * 32, 45 * 32).difference(boxes_of(source, {"ground", "castle"}))
    # Corners lie on a grid of 1/1024 of a pixel.
    assert area.symmetric_difference(free).area < 2e-3 * free.length
    points = drawn_in(area, random.Random(5), 18)
    truth = Truth(area)
    assert hold(assets, points, truth.lengths(points)) > 3
    with open_asset(assets[1]) as level:
        corners_hold(level, truth)
