"""Shortest paths between points of the plane, over corners that see each other."""

import json
import math
import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bake.core.kernels.jit import Kernel
from bake.geometry import GRID
from bake.play import LevelAsset, Navigator, open_asset
from bake.project.recipe.rules import LevelRecipe, ProfileRecipe
from bake.store import Asset
from levelbake.errors import BlockedCellError, CorruptAssetError, QueryError
from tests.support.baked import bake, recipe_for, rows, write_grid
from tests.support.damage import WALL_COLUMNS, edit, replaced
from tests.support.plane import sees

Point = tuple[float, ...]
BY_SIGHT = LevelRecipe(division="visibility")
FLOOR = {"terrain": "floor", "rect": [0, 0, 20, 10]}


def drawn(folder: Path, *shapes: dict, recipe: LevelRecipe = BY_SIGHT, **more: object) -> Path:
    source = folder / "room.json"
    document = {"format": "bake-geometry", "version": 1, "shapes": [*shapes], **more}
    source.write_text(json.dumps(document))
    return bake(source, recipe)


def wall(*rect: float, floor: int = 0) -> dict:
    return {"terrain": "wall", "rect": list(rect), "floor": floor}


def measured(path: list | None) -> float:
    assert path is not None
    return sum(math.dist(a[:2], b[:2]) for a, b in pairwise(path))


def edges_of(path: Path) -> list[tuple[Point, Point]]:
    """The walls of an asset's only area, in steps of the grid."""
    with Asset(path) as asset:
        corner, after = asset.read("/wall_corner"), asset.read("/wall_after")
    points = [tuple(each) for each in corner.tolist()]
    return [(points[at], points[to]) for at, to in enumerate(after.tolist())]


def arcs_of(path: Path) -> set[frozenset[Point]]:
    with Asset(path) as asset:
        place = [tuple(each) for each in asset.read("/position").tolist()]
        first, head = asset.graph.first_out, asset.graph.head.tolist()
    tail = np.repeat(np.arange(len(place)), np.diff(first)).tolist()
    return {frozenset((place[a], place[b])) for a, b in zip(tail, head, strict=True)}


def exact(x: float, y: float) -> tuple[Fraction, Fraction]:
    return Fraction(x), Fraction(y)


def test_around_a_box(tmp_path: Path) -> None:
    with open_asset(drawn(tmp_path, FLOOR, wall(8, 0, 4, 6))) as level:
        nav = level.profile()
        start, goal = (5, 1), (15, 1)
        path = nav.path(start, goal)
        assert path == [(5, 1), (8, 6), (12, 6), (15, 1)]
        assert nav.distance(start, goal) == pytest.approx(2 * math.dist(start, (8, 6)) + 4)
        assert nav.plane.straight_path(start, goal) == path
        assert nav.plane.straight_path(start, goal, "polyanya") == path
        assert nav.path(start, (5, 9)) == [(5, 1), (5, 9)]
        assert nav.path(start, start) == [(5, 1)]
        assert nav.distance(start, start) == 0
        # A node stands for the point that it lies at.
        node = nav.nearest((8, 6))
        assert nav.path(start, node) == [(5, 1), (8, 6)]
        assert nav.path(node, np.array(goal)) == path[1:]
        assert nav.distance(node, goal) == pytest.approx(4 + math.dist((12, 6), goal))


def test_points_where_nobody_can_be(tmp_path: Path) -> None:
    with open_asset(drawn(tmp_path, FLOOR, wall(8, 0, 4, 6))) as level:
        nav = level.profile()
        for wrong in ((10, 3), (-1, 5), (1e30, 0)):
            assert nav.plane.straight_path((5, 1), wrong) is None
            for ends in ((wrong, (5, 1)), ((5, 1), wrong), (wrong, nav.nearest((8, 6)))):
                for ask in (nav.path, nav.distance):
                    with pytest.raises(BlockedCellError, match="'default' cannot be at"):
                        ask(*ends)
        # Rounded to the grid, a point may come to lie a step inside a wall.
        assert nav.path((8 + 0.6 / GRID, 3), (7, 3)) == [(8, 3), (7, 3)]
        for wrong in ((math.nan, 1), (1,), (1, 2, 3, 4), ("a", "b")):
            with pytest.raises(QueryError, match="point"):
                nav.path(wrong, (5, 1))
        with pytest.raises(QueryError, match="there is no floor 1"):
            nav.path((5, 1, 1), (5, 1))
        with pytest.raises(QueryError, match="method 'astar' can search from"):
            nav.path((5, 1), (15, 1), "astar")
        with pytest.raises(QueryError, match="no method 'taut'"):
            nav.plane.straight_path((5, 1), (15, 1), "taut")


def test_where_there_is_no_way(tmp_path: Path) -> None:
    with open_asset(drawn(tmp_path, FLOOR, wall(8, 0, 4, 10))) as level:
        nav = level.profile()
        assert nav.path((5, 1), (15, 1)) is None
        assert nav.distance((5, 1), (15, 1)) == math.inf
        assert nav.plane.straight_path((5, 1), (15, 1)) is None


def test_other_levels_have_no_points(tmp_path: Path) -> None:
    asset = drawn(tmp_path, FLOOR, wall(8, 0, 4, 6), recipe=LevelRecipe(division="dirichlet"))
    with open_asset(asset) as level:
        nav = level.profile()
        with pytest.raises(QueryError, match="no node is named"):
            nav.path((5, 1), (15, 1))
        with pytest.raises(QueryError, match="has no navigation mesh"):
            nav.plane.straight_path((5, 1), (15, 1))


def test_lines_that_are_not_taut_are_no_arcs(tmp_path: Path) -> None:
    """Three boxes: a line stays that goes past the walls at both ends, as a string would."""
    shapes = FLOOR, wall(3, 4, 2, 2), wall(9, 1, 2, 4), wall(15, 4, 2, 2)
    asset = drawn(tmp_path, *shapes)
    edges = [tuple(exact(x / GRID, y / GRID) for x, y in edge) for edge in edges_of(asset)]
    arcs = arcs_of(asset)
    assert frozenset({(5, 6), (9, 1)}) in arcs
    # These see each other, but beyond (5, 4) the line leads into its box.
    assert sees((5, 4), (9, 1), edges)
    assert frozenset({(5, 4), (9, 1)}) not in arcs
    for one, other in arcs:
        for end, away in ((one, other), (other, one)):
            beyond = exact(*(e + 1e-3 * (e - a) for e, a in zip(end, away, strict=True)))
            assert sees(exact(*end), beyond, edges), f"from {away} to {end} leads into a wall"


def test_what_can_be_reached_stays_so(tmp_path: Path) -> None:
    """Two spikes point at each other: the line between their tips is not taut, yet they are joined.

    No way turns at both, but nodes are what `reachable` and components are asked about.
    """
    spikes = [
        {"terrain": "wall", "rings": [[[0, 3], [8, 5], [0, 7]]]},
        {"terrain": "wall", "rings": [[[20, 3], [20, 7], [12, 5]]]},
    ]
    with open_asset(drawn(tmp_path, FLOOR, *spikes)) as level:
        nav = level.profile()
        one, other = nav.nearest((8, 5)), nav.nearest((12, 5))
        assert nav.reachable(one, other)
        assert nav.path(one, other) == [one, other]
        assert nav.path((1, 1), (1, 9)) == [(1, 1), (8, 5), (1, 9)]
        assert nav.path((1, 1), (19, 9)) == [(1, 1), (19, 9)]


@pytest.mark.parametrize("seed", range(4))
def test_distances_between_corners_are_those_over_all_that_see_each_other(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    shapes = [FLOOR]
    for _ in range(4):
        x, y = rng.randint(2, 15), rng.randint(1, 7)
        ring = [[x, y], [x + rng.randint(1, 4), y + rng.randint(-1, 1)], [x, y + rng.randint(1, 2)]]
        shapes.append({"terrain": "wall", "rings": [ring]})
    shapes.append(wall(rng.randint(1, 16), rng.randint(1, 7), rng.randint(1, 3), 2))
    asset = drawn(tmp_path, *shapes)
    edges = edges_of(asset)
    if len({a for a, _ in edges}) < len(edges):
        pytest.skip("walls meet in a point, where the oracle would slip through")
    check_all_pairs(asset, lambda a, b: sees(a, b, edges))


def check_all_pairs(asset: Path, seen: object) -> None:
    """Distances between all pairs of corners, beside ways over all of them that see each other."""
    with open_asset(asset) as level:
        nav = level.profile()
        names = nav.places()
        points = [tuple(level.to_point(name)) for name in names]
        steps = [tuple(round(axis * GRID) for axis in point) for point in points]
        far = np.full((len(points), len(points)), np.inf)
        for one, a in enumerate(steps):
            far[one, one] = 0
            for other, b in enumerate(steps[:one]):
                if seen(a, b):  # type: ignore[operator]
                    far[one, other] = far[other, one] = math.dist(a, b) / GRID
        for middle in range(len(points)):
            np.minimum(far, far[:, middle, None] + far[middle], out=far)
        told = [[nav.distance(a, b) for b in points] for a in points]
        assert np.array(told) == pytest.approx(far, abs=1e-3)
        assert np.isfinite(far).tolist() == [[nav.reachable(a, b) for b in names] for a in names]


def test_floors_and_links(tmp_path: Path) -> None:
    shapes = FLOOR, wall(8, 0, 4, 6), {**FLOOR, "floor": 1}, wall(4, 4, 2, 2, floor=1)
    link = {"name": "ladder", "start": [2, 2], "goal": [2, 2], "goal_floor": 1, "both_ways": True}
    portal = {"name": "portal", "start": [18, 8], "goal": [1, 8], "cost": 0.5}
    with open_asset(drawn(tmp_path, *shapes, links=[link, portal])) as level:
        nav = level.profile()
        assert nav.path((5, 5, 0), (3, 3, 1)) == [(5, 5, 0), (2, 2, 0), (2, 2, 1), (3, 3, 1)]
        assert nav.path((3, 5, 1), (7, 5, 1)) in (
            [(3, 5, 1), (4, 4, 1), (6, 4, 1), (7, 5, 1)],
            [(3, 5, 1), (4, 6, 1), (6, 6, 1), (7, 5, 1)],
        )
        # A portal may be shorter than the straight line, though the goal is seen.
        assert nav.path((17, 8, 0), (2, 8, 0)) == [(17, 8, 0), (18, 8, 0), (1, 8, 0), (2, 8, 0)]
        assert nav.distance((17, 8, 0), (2, 8, 0)) == pytest.approx(2.5)
        assert nav.path((2, 8, 0), (17, 8, 0)) == [(2, 8, 0), (17, 8, 0)]
        with pytest.raises(BlockedCellError):
            nav.path((5, 5, 1), (3, 3, 1))


def test_profiles_have_walls_of_their_own(tmp_path: Path) -> None:
    profiles = ProfileRecipe("cat"), ProfileRecipe("ox", radius=1.5)
    recipe = LevelRecipe(division="visibility", profiles=profiles)
    shapes = FLOOR, wall(8, 0, 4, 4), wall(8, 6, 4, 4)
    with open_asset(drawn(tmp_path, *shapes, recipe=recipe)) as level:
        cat, ox = level.profile("cat"), level.profile("ox")
        assert cat.path((7, 5), (13, 5)) == [(7, 5), (13, 5)]
        assert cat.path((0, 0), (1, 1)) == [(0, 0), (1, 1)]
        with pytest.raises(BlockedCellError, match=r"'ox' cannot be at \(7, 5\)"):
            ox.path((7, 5), (13, 5))
        assert ox.path((5, 5), (15, 5)) is None
        node = ox.nearest((10, 5))
        with pytest.raises(BlockedCellError, match="'cat' cannot be at"):
            cat.path((7, 5), node)


def test_corners_that_are_blocked_later_are_no_turns(tmp_path: Path) -> None:
    with open_asset(drawn(tmp_path, FLOOR, wall(8, 3, 4, 4))) as level:
        nav = level.profile()
        above = [(7, 4), (8, 3), (12, 3), (13, 4)]
        assert nav.path((7, 4), (13, 4)) == above
        level.update(blocked=[nav.nearest((8, 3))])
        assert nav.path((7, 4), (13, 4)) == [(7, 4), (8, 7), (12, 7), (13, 4)]
        assert nav.path((1, 1), (19, 1)) == [(1, 1), (19, 1)]
        level.update(opened=[level_node(level, (8, 3))])
        assert nav.path((7, 4), (13, 4)) == above


def level_node(level: LevelAsset, point: Point) -> object:
    """The node at a point, whether or not anybody can stand there."""
    nav: Navigator = level.profile()
    return min(nav.node_names, key=lambda name: math.dist(level.to_point(name), point))


def test_plain_python_answers_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asset = drawn(tmp_path, FLOOR, wall(4, 2, 2, 5), wall(9, 4, 2, 6), wall(14, 1, 2, 5))
    rng = random.Random(4)
    pairs = [[(rng.uniform(0, 20), rng.uniform(0, 10)) for _ in "ab"] for _ in range(20)]
    with open_asset(asset) as level:
        told = [level.profile().plane.straight_path(*pair) for pair in pairs]
    monkeypatch.setattr("bake.core.kernels.jit.ready", lambda kernel: False)
    monkeypatch.setattr(Kernel, "__call__", lambda kernel, *given: kernel.plain(*given))
    with open_asset(asset) as level:
        assert [level.profile().plane.straight_path(*pair) for pair in pairs] == told
    assert any(way is not None and len(way) > 3 for way in told)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    shapes = FLOOR, wall(8, 0, 4, 6), {**FLOOR, "floor": 1}
    return drawn(tmp_path_factory.mktemp("whole"), *shapes).read_bytes()


@pytest.mark.parametrize("name", [path for path in WALL_COLUMNS if "domain" not in path])
@pytest.mark.parametrize(
    "make",
    [
        lambda old: old[:-1],
        lambda old: np.concatenate([old, old[-1:]]),
        lambda old: np.full_like(old, np.iinfo(old.dtype).max),
        lambda old: old.astype(np.float64),
    ],
    ids=["one less", "one more", "too large", "of another type"],
)
def test_damaged_columns(whole: bytes, tmp_path: Path, name: str, make: object) -> None:
    if name == "/wall_floor" and make(np.zeros(2, dtype=np.uint8))[0] == 255:  # type: ignore[operator]
        pytest.skip("a level may have floors where nobody can be")
    asset = tmp_path / "damaged.h5"
    asset.write_bytes(whole)
    edit(asset, replaced(name, make))  # type: ignore[arg-type]
    with pytest.raises(CorruptAssetError), open_asset(asset) as level:
        level.profile().path((5, 1, 0), (15, 1, 0))


def test_outlines_of_cells(tmp_path: Path) -> None:
    grid = rows("......", ".####.", ".#..#.", "....#.")
    source = write_grid(tmp_path / "walls.json", grid, cell_size=10)
    with open_asset(bake(source, recipe_for(division="visibility"))) as level:
        nav = level.profile()
        path = nav.path((35, 25), (55, 35))
        assert path is not None
        assert measured(path) == pytest.approx(
            math.dist((35, 25), (20, 30)) + 10 + 20 + 40 + math.dist((50, 10), (55, 35))
        )
