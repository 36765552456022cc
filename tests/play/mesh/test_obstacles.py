"""Obstacles that come to meshes while the game runs: by shapely, networkx and bakes."""

import hashlib
import json
import math
import random
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import shapely
from shapely import MultiPoint, Polygon, STRtree, unary_union
from shapely.geometry.base import BaseGeometry
from shapely.geometry.polygon import orient

from bake.apply import apply_patch
from bake.core.level import TerrainRule
from bake.geometry import GRID
from bake.play import LevelAsset, Navigator, PatchError, QueryError, open_asset
from bake.play.live.obstacles import MOST_CORNERS
from bake.play.mesh import cut
from bake.play.mesh.polygons import MeshPolygons
from bake.project.recipe.rules import LevelRecipe
from levelbake.errors import BlockedCellError
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_graph
from tests.support.plane import shortest_by_sight

pytestmark = pytest.mark.note(71, "shapely, networkx, and bakes of the remaining area")

Ring = list[tuple[float, float]]

#: Rooms of four by four units, some cut along a diagonal, and one missing; "m" has mud.
ROOMS = ("f/fm", "fm.f", "\\ff/")
COST = {"floor": 1.0, "mud": 3.0}


def room(folder: Path, nodes: str = "centre") -> Path:
    vertices: Ring = [(4.0 * x, 4.0 * y) for y in range(4) for x in range(5)]
    polygons, areas = [], []
    for y, row in enumerate(ROOMS):
        for x, kind in enumerate(row):
            a, b, c, d = (5 * y + x + each for each in (0, 1, 6, 5))
            faces = {"/": [[a, b, d], [b, c, d]], "\\": [[a, b, c], [a, c, d]], ".": []}
            polygons += faces.get(kind, [[a, b, c, d]])
            areas += ["mud" if kind == "m" else "floor"] * len(faces.get(kind, [0]))
    return mesh(folder / "room.json", vertices, polygons, areas, nodes)


def mesh(path: Path, vertices: Ring, polygons: list, areas: list[str], nodes: str) -> Path:
    document = {"format": "bake-mesh", "version": 1, "vertices": vertices, "polygons": polygons}
    path.write_text(json.dumps(document | {"areas": areas, "terrains": COST}))
    terrain = {name: TerrainRule(cost) for name, cost in COST.items()}
    tables = ("components", "next_hops", "hierarchy", "cluster_distances")
    return bake(path, LevelRecipe(mesh_nodes=nodes, terrain=terrain, tables=tables))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return room(tmp_path_factory.mktemp("room"))


@pytest.fixture
def level(asset: Path) -> Iterator[LevelAsset]:
    with open_asset(asset) as opened:
        yield opened


def obstacle(rng: random.Random, *, on_grid: bool) -> Ring:
    """A convex polygon; on the grid its sides are straight or diagonal, as those of rooms are."""
    if not on_grid:
        points = [(rng.uniform(-1, 17), rng.uniform(-1, 13)) for _ in range(rng.choice([3, 4, 7]))]
        hull = MultiPoint(points).convex_hull
        return list(hull.exterior.coords)[:-1] if hull.area > 0.5 else obstacle(rng, on_grid=False)
    x, y = rng.randint(-1, 14), rng.randint(-1, 10)
    wide, high, cut = rng.randint(1, 6), rng.randint(1, 6), rng.choice([0, 0.5])
    right, down = x + wide, y + high
    corners = [(x + cut, y), (right, y), (right, down - cut), (right - cut, down), (x, down)]
    found = [(float(a), float(b)) for a, b in dict.fromkeys([*corners, (x, y + cut)])]
    return found if rng.random() < 0.5 else found[::-1]


def faces_of(mesh: MeshPolygons, is_open: list[bool]) -> dict[int, Polygon]:
    """The polygons and pieces that can be walked on, in units."""
    found = {}
    for face in range(len(is_open)):
        if is_open[face]:
            ring = [mesh.point[begin] for begin, _, _ in mesh.edges(face)]
            found[face] = Polygon([(float(x / GRID), float(y / GRID)) for x, y in ring])
    return found


def random_batches(rng: random.Random, *, on_grid: bool, steps: int) -> Iterator[dict]:
    there: dict[str, Ring] = {}
    for _ in range(steps):
        batch: dict[str, Ring | None] = {}
        for name in rng.sample("abc", rng.choice([1, 1, 2])):
            gone = name in there and rng.random() < 0.5
            batch[name] = None if gone else obstacle(rng, on_grid=on_grid)
        there = {n: r for n, r in {**there, **batch}.items() if r is not None}
        yield {"asked": batch, "there": there}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("on_grid", [True, False])
def test_pieces_are_what_obstacles_leave(level: LevelAsset, seed: int, on_grid: bool) -> None:
    """Area by area, arc by arc, and over all pairs of places."""
    nav, rng = level.profile(), random.Random(seed)
    ways = nav._now.ways
    whole = faces_of(ways.mesh, ways.open)
    area = unary_union(list(whole.values()))
    for batch in random_batches(rng, on_grid=on_grid, steps=4):
        nav.update(obstacles=batch["asked"])
        ways = nav._now.ways
        faces = faces_of(ways.mesh, ways.open)
        # Corners of obstacles lie on the grid; pieces are exact from there on.
        snapped = [
            Polygon([(round(x * GRID) / GRID, round(y * GRID) / GRID) for x, y in ring])
            for ring in batch["there"].values()
        ]
        left = area.difference(unary_union(snapped))
        assert unary_union(list(faces.values())).symmetric_difference(left).area < 1e-5
        assert sum(each.area for each in faces.values()) == pytest.approx(left.area, abs=1e-5)
        name = {face: names_of(nav, ways.mesh, face) for face in faces}
        assert sorted(map(str, name.values())) == sorted(map(str, nav.places()))
        graph = nx.Graph()
        graph.add_nodes_from(name.values())
        cost = {face: COST[str(level.terrain_at(name[face]))] for face in faces}
        for one, other, shared in shared_parts(faces):
            middle = shared.centroid
            apart = faces[one].centroid.distance(middle)
            apart += faces[other].centroid.distance(middle)
            price = apart * (cost[one] + cost[other]) / 2
            graph.add_edge(name[one], name[other], weight=price)
        slack = 1e-3 if on_grid else 0.05
        for start, wanted in nx.all_pairs_dijkstra_path_length(graph):
            told = nav.distances([start] * len(name), list(name.values()))
            units = [wanted.get(goal, math.inf) for goal in name.values()]
            np.testing.assert_allclose(told, units, rtol=0, atol=slack)
        for start, goal in rng.choices(list(combinations(name.values(), 2)) or [()], k=5):
            for method in ("astar", "hpa"):
                units = nav.search(start, goal, method).cost
                assert units == nav.distance(start, goal)
    report = nav.update(obstacles=dict.fromkeys(batch["there"]))
    assert report.as_baked or not batch["there"]
    assert faces_of(nav._now.ways.mesh, nav._now.ways.open) == whole


@pytest.mark.parametrize("many", [0, 1, 2, 8])
def test_cuts_are_the_same_when_few_are_remembered(
    level: LevelAsset, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    mesh, rng = level.profile()._now.ways.mesh, random.Random(many)
    rings = [orient(Polygon(obstacle(rng, on_grid=False))).exterior.coords[:-1] for _ in range(12)]
    obstacles = [
        cut.Obstacle(0, tuple((round(x * GRID), round(y * GRID)) for x, y in ring))
        for ring in rings
    ]
    groups = [obstacles[at : at + 3] for at in range(10)]
    long = cut.Cutter(mesh)
    wanted = [long.cut(each) for each in groups]
    monkeypatch.setattr(cut, "_REMEMBERED", many)
    short = cut.Cutter(mesh)
    assert [short.cut(each) for each in groups] == wanted
    assert len(short._left) < len(long._left)


def shared_parts(faces: dict[int, Polygon]) -> Iterator[tuple[int, int, BaseGeometry]]:
    """Yield each two faces that share more than a corner, and what they share."""
    numbers, wide = list(faces), shapely.buffer(list(faces.values()), 1e-7)
    for one, other in zip(*STRtree(wide).query(wide), strict=True):
        if one < other:
            shared = wide[one].intersection(wide[other])
            corner = shapely.get_coordinates(shared)
            if shared.area and np.hypot(*(corner[:, None] - corner).T).max() > 1e-3:
                yield numbers[one], numbers[other], shared


def names_of(nav: Navigator, mesh: MeshPolygons, face: int) -> object:
    (node,) = mesh.nodes(face)
    return nav._now.version.places.names[node]


@pytest.mark.parametrize("seed", range(6))
def test_a_bake_of_what_is_left_tells_the_same(
    level: LevelAsset, tmp_path: Path, seed: int
) -> None:
    nav, rng = level.profile(), random.Random(f"bake {seed}")
    for batch in random_batches(rng, on_grid=True, steps=rng.choice([1, 3])):
        nav.update(obstacles=batch["asked"])
    ways = nav._now.ways
    open_faces = [face for face, stands in enumerate(ways.open) if stands]
    point = [(float(x / GRID), float(y / GRID)) for x, y in ways.mesh.point]
    polygons = [[begin for begin, _, _ in ways.mesh.edges(face)] for face in open_faces]
    names = [names_of(nav, ways.mesh, face) for face in open_faces]
    areas = [str(level.terrain_at(name)) for name in names]
    (tmp_path / "left").mkdir()
    with open_asset(mesh(tmp_path / "left" / "l.json", point, polygons, areas, "centre")) as baked:
        other = baked.profile()
        where = {baked.to_point(name): name for name in other.node_names}
        same = [where[level.to_point(name)] for name in names]  # type: ignore[index]
        for start, there in zip(names, same, strict=True):
            told = nav.distances([start] * len(names), names).tolist()
            assert told == other.distances([there] * len(same), same).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_straight_paths_lead_round_obstacles(level: LevelAsset, seed: int) -> None:
    """As short as over all corners that see each other; and smoothed lines stay in the area."""
    nav, rng = level.profile(), random.Random(f"straight {seed}")
    for batch in random_batches(rng, on_grid=True, steps=2):
        nav.update(obstacles=batch["asked"])
        ways = nav._now.ways
        edges = [
            (ways.mesh.point[begin], ways.mesh.point[end])
            for face, stands in enumerate(ways.open)
            if stands
            for begin, end, behind in ways.mesh.edges(face)
            if behind < 0 or not ways.open[behind]
        ]
        area = unary_union(list(faces_of(ways.mesh, ways.open).values()))
        for _ in range(6):
            start, goal = ((rng.uniform(0, 16), rng.uniform(0, 12)) for _ in range(2))
            steps = [(round(x * GRID), round(y * GRID)) for x, y in (start, goal)]
            path = nav.plane.straight_path(start, goal, "polyanya")
            places = [nav.plane.place_at(each) for each in (start, goal)]
            if path is None:
                assert None in places or not nav.reachable(*places)  # type: ignore[arg-type]
                continue
            wanted = shortest_by_sight(steps[0], steps[1], edges) / GRID  # type: ignore[arg-type]
            assert math.fsum(map(math.dist, path, path[1:])) == pytest.approx(wanted, abs=1e-6)
            way = nav.path(*places)  # type: ignore[arg-type]
            assert way is not None
            lines = nav.plane.smooth(way)
            for one, other in pairwise(lines):
                line = Polygon([one, other, other]).boundary  # type: ignore[list-item]
                assert line.difference(area.buffer(1e-2)).length < 1e-6


def test_a_crate_by_hand(level: LevelAsset, tmp_path: Path) -> None:
    nav = level.profile()
    room = nav.plane.place_at((2, 2))
    assert room == 0
    crate = [(1, 1), (3, 1), (3, 3), (1, 3)]
    report = nav.update(obstacles={"crate": crate})
    assert report.closed == (0,)
    assert report.opened == ("0/0", "0/1", "0/2", "0/3")
    assert nav.plane.place_at((2, 2)) is None
    assert nav.plane.place_at((2, 0.5)) == "0/0"
    assert level.to_point("0/0") == (2, 0.5)
    assert level.terrain_at("0/0") == "floor"
    with pytest.raises(BlockedCellError):
        nav.path(0, 1)
    # From below the crate to its right and up: by the middles of the sides that pieces share.
    assert nav.path("0/2", "0/0") in (["0/2", "0/1", "0/0"], ["0/2", "0/3", "0/0"])
    level.save_patch(tmp_path / "crate.patch")
    # A crate that is moved within a polygon moves its pieces.
    assert nav.update(obstacles={"crate": [(2, 2), (3, 2), (3, 3), (2, 3)]}).opened == ()
    assert nav.plane.place_at((1.5, 1.5)) is not None
    assert nav.update(obstacles={"crate": None}).as_baked
    assert nav.plane.place_at((2, 2)) == 0
    level.apply_patch(tmp_path / "crate.patch")
    assert nav.plane.place_at((2, 0.5)) == "0/0"
    assert nav.update(obstacles={"crate": None}).as_baked


def test_what_is_blocked_stays_blocked(level: LevelAsset) -> None:
    nav = level.profile()
    crate = [(1, 1), (3, 1), (3, 3), (1, 3)]
    nav.update(blocked=[0])
    assert nav.update(obstacles={"crate": crate}).opened == ()
    nav.update(opened=["0/1"])
    assert nav.places()[-1] == "0/1"
    nav.update(blocked=["0/1"])
    nav.update(obstacles={"crate": None})
    assert 0 not in nav.places()
    nav.update(opened=[0])
    # Nothing is left of a polygon that is covered, and all of it comes back.
    nav.update(obstacles={"lid": [(-1, -1), (5, -1), (5, 5), (-1, 5)]})
    assert not [name for name in nav.places() if str(name).startswith("0/")]
    assert nav.update(obstacles={"lid": None}).as_baked


def test_patches_and_journals_hold_obstacles(tmp_path: Path) -> None:
    asset, patch, kept = room(tmp_path), tmp_path / "p.patch", tmp_path / "k.journal"
    rng = random.Random(5)
    with open_asset(asset) as level:
        nav = level.profile()
        level.journal(kept)
        for batch in random_batches(rng, on_grid=True, steps=5):
            nav.update(obstacles=batch["asked"])
            level.save_patch(patch)
            names, told = nav.places(), nav.distances_to(nav.places()[0]).tolist()
            straight = nav.plane.straight_path((0.5, 11.5), (15.5, 11.5))
            with open_asset(asset) as other:
                for load in (other.journal, other.apply_patch):
                    file = kept if load == other.journal else patch
                    copy = file.with_name(f"copy of {file.name}")
                    copy.write_bytes(file.read_bytes())
                    load(copy)
                    again = other.profile()
                    assert set(again.places()) == set(names)
                    assert sorted(again.distances_to(names[0]).tolist()) == sorted(told)
                    assert again.plane.straight_path((0.5, 11.5), (15.5, 11.5)) == straight
                gone = dict.fromkeys(batch["there"])
                assert other.update(obstacles=gone)["default"].as_baked or not gone
    with open_asset(asset) as level:
        level.update(obstacles={"crate": [(1, 1), (3, 1), (3, 3), (1, 3)]})
        level.save_patch(patch)
    with pytest.raises(PatchError, match="cannot hold the obstacle 'crate'"):
        apply_patch(asset, patch, tmp_path / "new.h5", 1, lambda *_: None)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"crate": None}, "no obstacle 'crate'"),
        ({"crate": [(1, 1), (2, 2)]}, "3 to 64 corners"),
        ({"crate": [(1, 1)] * (MOST_CORNERS + 1)}, "3 to 64 corners"),
        ({"crate": 5}, "3 to 64 corners"),
        ({"crate": "abc"}, "3 to 64 corners"),
        ({"crate": [(1, 1), (2, 2), (3, math.nan)]}, "is no point"),
        ({"crate": [(1, 1), (2, 2), (3, 3)]}, "has no area"),
        ({"crate": [(1, 1), (3, 1), (3, 3), (1, 1)]}, "or a corner twice"),
        ({"crate": [(1, 1), (3, 1), (1.5, 1.5), (1, 3)]}, "is not convex"),
        ({"crate": [(0, 3), (4, 3), (1, 5), (2, 1), (3, 5)]}, "is not convex"),
        ({"": [(1, 1), (3, 1), (3, 3)]}, "this is no name"),
        ([(1, 1), (3, 1), (3, 3)], "obstacles is list"),
    ],
)
def test_wrong_obstacles_are_told_in_a_line(level: LevelAsset, said: object, told: str) -> None:
    with pytest.raises(QueryError, match=told) as error:
        level.update(obstacles=said)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)
    assert not level.changes_since()


def test_levels_that_no_obstacle_can_be_put_on(tmp_path: Path) -> None:
    roads = bake(write_graph(tmp_path / "g.json", [1, 2], [(1, 2, 1)]), recipe_for())
    for asset, said in (
        (bake_grid(tmp_path, rows("...", "...")), "has no navigation mesh"),
        (roads, "has no navigation mesh"),
        (room(tmp_path, "portal"), "with a node in the centre"),
    ):
        with open_asset(asset) as level, pytest.raises(QueryError, match=said):
            level.update(obstacles={"crate": [(1, 1), (3, 1), (3, 3)]})


@pytest.mark.parametrize(
    "more",
    [
        {"cuts": 5},
        {"cuts": [["crate"]]},
        {"cuts": [["crate", 0]]},
        {"cuts": [["crate", 0, [[0, 0], [9, 0]]]]},
        {"cuts": [["crate", 0, [[0, 0], [9, 0], [9, 0.5]]]]},
        {"cuts": [["crate", 0, [[0, 0], [9, 0], [9, 2**28 + 1]]]]},
        {"cuts": [["crate", 0, [[0, 0], [9, 0], [1, 1], [0, 9]]]]},
        {"cuts": [["crate", 1, [[0, 0], [9, 0], [9, 9]]]]},
        {"cuts": [["crate", 0, [[0, 0], [9, 0], [9, 9]]]] * 2},
        {"cuts": [[["crate"], 0, [[0, 0], [9, 0], [9, 9]]]]},
    ],
)
def test_patches_that_say_nothing_of_obstacles(
    level: LevelAsset, tmp_path: Path, more: dict
) -> None:
    patch = tmp_path / "saved.patch"
    level.save_patch(patch)
    first, text = patch.read_text().split("\n")[:2]
    changed = json.dumps(json.loads(text) | more) + "\n"
    words = first.split(" ")[:3]
    words[1] = "3"
    digest = hashlib.sha256(changed.encode()).hexdigest()
    patch.write_text(" ".join([*words, digest]) + "\n" + changed)
    with pytest.raises(PatchError, match="says nothing"):
        level.apply_patch(patch)
    assert not level.changes_since()


def test_an_obstacle_where_a_link_ends(tmp_path: Path) -> None:
    shapes = [{"terrain": "floor", "rect": [0, 0, 8, 4]}, {"terrain": "wall", "rect": [4, 0, 1, 3]}]
    hop = {"name": "hop", "start": [1, 1], "goal": [7, 1]}
    document = {"format": "bake-geometry", "version": 1, "shapes": shapes, "links": [hop]}
    (tmp_path / "yard.json").write_text(json.dumps(document))
    asset = bake(tmp_path / "yard.json", LevelRecipe(mesh_nodes="centre"))
    with open_asset(asset) as level, pytest.raises(QueryError, match="no link ends"):
        level.update(obstacles={"crate": [(1, 1), (2, 1), (2, 2)]})
