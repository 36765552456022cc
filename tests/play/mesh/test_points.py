"""Points of baked meshes: places, straight paths, floors, links, changes, and damaged columns."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bake.core.errors import LevelError
from bake.core.level import MeshNodes, TerrainRule
from bake.play import LevelAsset, open_asset
from bake.project.recipe.rules import LevelRecipe, ProfileRecipe
from levelbake.errors import CorruptAssetError, QueryError
from tests.support.baked import GROUND, bake, rows, rules_of, write_grid
from tests.support.damage import MESH_COLUMNS, edit, replaced

pytestmark = pytest.mark.note(70, "strings inside polygons, by hand")

NODES: tuple[MeshNodes, ...] = ("centre", "edge", "portal")
#: Two rooms on either side of a wall with a gap, mud behind it, and a loft that a ladder leads to.
SHAPES = [
    {"terrain": "floor", "rect": [0, 0, 20, 10]},
    {"terrain": "mud", "rect": [12, 0, 8, 10]},
    {"terrain": "wall", "rect": [9, 0, 2, 7]},
    {"terrain": "floor", "rect": [0, 0, 4, 4], "floor": 1},
]
LADDER = {"name": "ladder", "start": [1, 1], "goal": [1, 1], "goal_floor": 1, "both_ways": True}


def recipe(nodes: MeshNodes = "centre", **radii: float) -> LevelRecipe:
    profiles = tuple(ProfileRecipe(name, radius=radius) for name, radius in sorted(radii.items()))
    return LevelRecipe(
        mesh_nodes=nodes,
        terrain={"mud": TerrainRule(3.0)},
        profiles=profiles or (ProfileRecipe("default"),),
    )


def baked(folder: Path, how: LevelRecipe, links: tuple[object, ...] = (LADDER,)) -> Path:
    path = folder / "yard.json"
    document = {"format": "bake-geometry", "version": 1, "shapes": SHAPES, "links": links}
    path.write_text(json.dumps(document))
    return bake(path, how)


@pytest.fixture(scope="module", params=NODES)
def level(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LevelAsset]:
    with open_asset(baked(tmp_path_factory.mktemp("yard"), recipe(request.param))) as opened:
        yield opened


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return baked(tmp_path_factory.mktemp("whole"), recipe()).read_bytes()


def measured(path: list[tuple[float, ...]] | None) -> float:
    assert path is not None
    return sum(math.dist(a[:2], b[:2]) for a, b in pairwise(path))


def test_points_have_places(level: LevelAsset) -> None:
    nav = level.profile()
    assert nav.plane.place_at((10, 3)) is None
    assert nav.plane.place_at((21, 3)) is None
    assert nav.plane.place_at((5, 5, 1)) is None
    for point in ((1, 1), (19, 9), (10, 8), (3, 3, 1)):
        place = nav.plane.place_at(point)
        assert place is not None
        assert nav.reachable(nav.plane.place_at((1, 9)), place)
    assert level.terrain_at(nav.plane.place_at((15, 5))) == "mud"
    with pytest.raises(QueryError, match="point"):
        nav.plane.place_at((math.nan, 1))
    with pytest.raises(QueryError, match="point"):
        nav.plane.place_at("ab")
    with pytest.raises(QueryError, match="there is no floor 2"):
        nav.plane.place_at((1, 1, 2))


def test_strings_and_the_shortest_paths(level: LevelAsset) -> None:
    nav = level.profile()
    start, goal = (5, 1), (15, 1)
    wanted = math.dist(start, (9, 7)) + 2 + math.dist((11, 7), goal)
    assert nav.plane.straight_path(start, goal, "polyanya") == [
        (5, 1, 0),
        (9, 7, 0),
        (11, 7, 0),
        (15, 1, 0),
    ]
    found = nav.plane.straight_path(start, goal)
    assert found is not None
    assert (found[0], found[-1]) == ((5, 1, 0), (15, 1, 0))
    assert wanted - 1e-9 <= measured(found) <= wanted * 1.2
    assert nav.plane.straight_path(start, (10, 3)) is None
    assert nav.plane.straight_path(start, (10, 3), "polyanya") is None
    assert nav.plane.straight_path(start, start) == [(5, 1, 0)]
    with pytest.raises(QueryError, match="no method 'taut'; expected 'funnel' or 'polyanya'"):
        nav.plane.straight_path(start, goal, "taut")  # type: ignore[arg-type]


def test_strings_are_cut_at_links(level: LevelAsset) -> None:
    nav = level.profile()
    path = nav.plane.straight_path((1, 9), (3, 3, 1))
    assert path == [(1, 9, 0), (1, 1, 0), (1, 1, 1), (3, 3, 1)]
    assert nav.plane.straight_path((1, 9), (3, 3, 1), "polyanya") is None


def test_random_strings_stay_inside_and_are_no_shorter(level: LevelAsset) -> None:
    nav, rng = level.profile(), np.random.default_rng(4)
    points = [tuple(point) for point in rng.uniform((0, 0), (20, 10), (60, 2)).tolist()]
    points = [point for point in points if nav.plane.place_at(point) is not None]
    for start, goal in pairwise(points):
        string, best = (
            nav.plane.straight_path(start, goal),
            nav.plane.straight_path(start, goal, "polyanya"),
        )
        assert string is not None
        assert measured(string) >= measured(best) - 1e-9
        for a, b in pairwise(string):
            for part in np.linspace(0.01, 0.99, 25):
                between = tuple(np.add(np.multiply(a, 1 - part), np.multiply(b, part))[:2].tolist())
                assert nav.plane.place_at(between) is not None


def test_agents_of_two_radii(tmp_path: Path) -> None:
    with open_asset(baked(tmp_path, recipe(cat=0.25, ox=1.6))) as level:
        cat, ox = level.profile("cat"), level.profile("ox")
        assert ox.plane.place_at((1.5, 5)) is None
        assert cat.plane.place_at((0.3, 5)) is not None
        assert ox.plane.place_at((1.8, 5)) is not None
        # The gap is three units high, so it is closed to the ox.
        assert cat.plane.straight_path((5, 5), (15, 5)) is not None
        assert ox.plane.straight_path((5, 5), (15, 5)) is None
        assert ox.plane.straight_path((5, 5), (15, 5), "polyanya") is None
        assert level.terrain_at(cat.plane.place_at((5, 5))) == "floor (cat)"
        assert level.terrain_at(ox.plane.place_at((17, 5))) == "mud (ox)"


def test_what_is_blocked_later_is_walked_around(tmp_path: Path) -> None:
    with open_asset(baked(tmp_path, recipe(), ())) as level:
        nav = level.profile()
        gap = nav.plane.place_at((10, 8.5))
        assert nav.plane.straight_path((5, 1), (15, 1), "polyanya") is not None
        level.update(blocked=[gap])
        assert nav.plane.place_at((10, 8.5)) is None
        assert nav.plane.straight_path((5, 1), (15, 1), "polyanya") is None
        assert nav.plane.straight_path((5, 1), (15, 1)) is None


@pytest.mark.parametrize("nodes", NODES)
def test_outlines_of_cells(tmp_path: Path, nodes: MeshNodes) -> None:
    grid = rows("......", ".####.", ".#..#.", "....#.")
    source = write_grid(tmp_path / "walls.json", grid, cell_size=10)
    with open_asset(
        bake(source, replace(recipe(nodes), division="mesh", terrain=rules_of(GROUND)))
    ) as level:
        nav = level.profile()
        assert nav.plane.place_at((25, 15)) is None
        path = nav.plane.straight_path((35, 25), (55, 35), "polyanya")
        assert measured(path) == pytest.approx(
            math.dist((35, 25), (20, 30)) + 10 + 20 + 40 + math.dist((50, 10), (55, 35))
        )
        assert nav.reachable(nav.plane.place_at((35, 25)), nav.plane.place_at((55, 35)))


@pytest.mark.parametrize("name", [path for path in MESH_COLUMNS if path != "/mesh_terrain"])
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
    if name == "/mesh_floor" and make(np.zeros(2, dtype=np.uint8))[0] == 255:  # type: ignore[operator]
        pytest.skip("a level may have floors where nobody can be")
    asset = tmp_path / "damaged.h5"
    asset.write_bytes(whole)
    edit(asset, replaced(name, make))  # type: ignore[arg-type]
    try:
        with open_asset(asset) as level:
            nav = level.profile()
            nav.plane.place_at((1, 1))
            nav.plane.straight_path((5, 1), (15, 1))
    except (CorruptAssetError, QueryError):
        return
    pytest.fail("nothing was said of it")


def test_nothing_walkable_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match=r"nothing is walkable.*'whale'"):
        baked(tmp_path, recipe(whale=30))


def test_a_link_from_nowhere_is_one_clear_error(tmp_path: Path) -> None:
    link = {"name": "slide", "start": [40, 1], "goal": [1, 1]}
    with pytest.raises(LevelError, match=r"links\[0\]: the link 'slide' from \(40, 1\)"):
        baked(tmp_path, recipe(), (link,))


def test_a_level_of_cells_has_no_mesh(tmp_path: Path) -> None:
    asset = bake(write_grid(tmp_path / "plain.json", rows("..")))
    with open_asset(asset) as level, pytest.raises(QueryError, match="has no navigation mesh"):
        level.profile().plane.place_at((0, 0))


def test_nodes_that_come(tmp_path: Path) -> None:
    """A rope through the wall, a raft beside the level, and a hatch on the upper floor."""
    with open_asset(baked(tmp_path, recipe("portal"))) as level:
        nav = level.profile()
        west, east = nav.plane.place_at((6.0, 3.0)), nav.plane.place_at((18.0, 3.0))
        usual = nav.plane.straight_path((6, 3), (18, 3))
        nav.update(
            nodes={"rope": {"at": (8, 3)}, "raft": {"at": (10, 20)}, "hatch": {"at": (3, 3, 1)}},
            arcs={(west, "rope"): 1, ("rope", "raft"): 2, ("raft", east): 1, (west, "hatch"): 1},
        )
        assert nav.path(west, east) == [west, "rope", "raft", east]
        places = [(*level.to_point(each), 0) for each in (west, "rope", "raft", east)]
        assert nav.plane.smooth([west, "rope", "raft", east]) == places
        assert nav.plane.smooth([west, "hatch"]) == [places[0], (3, 3, 1)]
        path = nav.plane.straight_path((6, 3), (18, 3))
        assert path is not None
        assert (8, 3, 0) in path
        assert (10, 20, 0) in path
        assert nav.nearest((10, 19)) == "raft"
        with pytest.raises(QueryError, match="floor from 0 to 1"):
            nav.update(nodes={"loft": {"at": (3, 3, 2)}})
        nav.update(nodes=dict.fromkeys(["rope", "raft", "hatch"]))
        assert nav.plane.straight_path((6, 3), (18, 3)) == usual


def test_agents_see_as_far_where_something_else_is_blocked(tmp_path: Path) -> None:
    """A place that is blocked costs nothing that is a number."""
    with open_asset(baked(tmp_path, recipe("portal"))) as level:
        nav = level.profile()
        path = nav.path(0, 8)
        assert path is not None
        seen, lines = nav.plane.furthest_visible(path, 0), nav.plane.smooth(path)
        assert seen > 1
        nav.update(blocked=[nav.plane.place_at((3, 3, 1))])
        assert nav.plane.furthest_visible(path, 0) == seen
        assert nav.plane.smooth(path) == lines
