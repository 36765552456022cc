"""Differences of divided planes, whose nodes have other numbers in every bake."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import shapely

from bake.baking import Task
from bake.baking.level import bake_level
from bake.play import LevelAsset, open_asset
from bake.play.mesh.polygons import GRID, MeshPolygons
from bake.project.recipe import LevelRecipe
from bake.show.diff import Difference, IncomparableError, compare
from bake.show.diff.matched import match
from bake.store import Asset
from tests.support.command import bake as run
from tests.support.drawings import grid

#: Two rooms that a corridor joins.
ROOMS = (
    "..........#..........",
    "..........#..........",
    ".....................",
    "..........#..........",
    "..........#..........",
)
#: A wall in the corridor, and a pillar in the first room, from which numbers shift.
CLOSED = (
    "..........#..........",
    "..##......#..........",
    "..##......#..........",
    "..........#..........",
    "..........#..........",
)
#: The pillar alone.
PILLAR = (
    "..........#..........",
    "..##......#..........",
    "..##.................",
    "..........#..........",
    "..........#..........",
)


def bake_plane(folder: Path, rows: tuple[str, ...], **options: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    recipe = LevelRecipe(**{"division": "mesh", **options})  # type: ignore[arg-type]
    return grid(folder, *rows, recipe=recipe)


def difference(old: Path, new: Path) -> Difference:
    with Asset(old) as before, Asset(new) as after:
        found = compare(before, after, None, 10**9)
        assert found.profiles[0].matched.arcs.touched.shape == (len(found.profiles[0].matched),)
        return found


DIVISIONS = [
    {"division": "mesh", "mesh_nodes": "centre"},
    {"division": "mesh", "mesh_nodes": "edge"},
    {"division": "mesh", "mesh_nodes": "portal"},
    {"division": "visibility"},
    {"division": "waypoints"},
]


@pytest.mark.parametrize("options", DIVISIONS, ids=lambda each: "-".join(each.values()))
def test_a_closed_corridor_is_lost_in_every_division(
    tmp_path: Path, options: dict[str, str]
) -> None:
    old = bake_plane(tmp_path / "old", ROOMS, **options)
    closed = bake_plane(tmp_path / "closed", CLOSED, **options)
    pillar = bake_plane(tmp_path / "pillar", PILLAR, **options)
    reach = difference(old, closed).profiles[0].reachability
    assert reach is not None
    assert (reach.lost > 0, reach.gained) == (True, 0)
    reach = difference(closed, old).profiles[0].reachability
    assert reach is not None
    assert (reach.lost, reach.gained > 0) == (0, True)
    reach = difference(old, pillar).profiles[0].reachability
    assert reach is not None
    assert (reach.lost, reach.gained) == (0, 0)


def test_the_gate_fails_where_a_corridor_closed(tmp_path: Path) -> None:
    old, closed = bake_plane(tmp_path / "old", ROOMS), bake_plane(tmp_path / "new", CLOSED)
    done = run("diff", old, closed, "--fail-on", "reachability")
    assert done.code == 1
    assert "failed on reachability" in done.out
    pillar = bake_plane(tmp_path / "pillar", PILLAR)
    assert run("diff", old, pillar, "--fail-on", "reachability").code == 0
    assert run("diff", old, pillar, "--fail-on", "cells").code == 1
    assert run("diff", old, old, "--fail-on", "cells", "--fail-on", "distances").code == 0


@pytest.mark.parametrize("options", DIVISIONS, ids=lambda each: "-".join(each.values()))
def test_equal_bakes_have_no_difference(tmp_path: Path, options: dict[str, str]) -> None:
    old, new = (bake_plane(tmp_path / name, PILLAR, **options) for name in ("old", "new"))
    profile = difference(old, new).profiles[0]
    assert profile.cells_changed == 0
    assert (len(profile.matched.closed), len(profile.matched.opened)) == (0, 0)
    arcs = profile.matched.arcs
    assert (arcs.come, arcs.gone, arcs.repriced) == (0, 0, 0)
    assert profile.reachability is not None
    assert (profile.reachability.lost, profile.reachability.gained) == (0, 0)
    assert profile.distances is not None
    assert (profile.distances.longer, profile.distances.shorter) == (0, 0)
    assert profile.distances.places > 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("nodes", ["centre", "portal"])
def test_random_meshes_against_points(tmp_path: Path, seed: int, nodes: str) -> None:
    """A point that both can stand on, in every cell: who loses a path is what `diff` counts."""
    drawn = random.Random(seed)
    rows = [["#" if drawn.random() < 0.3 else "." for _ in range(9)] for _ in range(7)]
    changed = [list(row) for row in rows]
    for _ in range(6):
        x, y = drawn.randrange(9), drawn.randrange(7)
        changed[y][x] = "#" if changed[y][x] == "." else "."
    old, new = (
        bake_plane(tmp_path / name, tuple(map("".join, level)), mesh_nodes=nodes)
        for name, level in (("old", rows), ("new", changed))
    )
    lost, gained, seen = set(), set(), set()
    with open_asset(old) as before, open_asset(new) as after:
        navs = before.profile(), after.profile()
        for y, x in product(range(7), range(9)):
            places = tuple(nav.plane.place_at((x + 0.37, y + 0.43)) for nav in navs)
            if None not in places:
                seen.add(places)
        for start, goal in product(seen, seen):
            had, has = (nav.reachable(a, b) for nav, a, b in zip(navs, start, goal, strict=True))
            if had and not has:
                lost.add((start, goal))
            if has and not had:
                gained.add((start, goal))
    reach = difference(old, new).profiles[0].reachability
    assert reach is not None
    assert (reach.lost > 0, reach.gained > 0) == (bool(lost), bool(gained))


def test_parts_cover_what_both_meshes_cover(tmp_path: Path) -> None:
    """Against shapely's union of all polygons."""
    old, new = bake_plane(tmp_path / "old", CLOSED), bake_plane(tmp_path / "new", PILLAR)
    with Asset(old) as before, Asset(new) as after:
        columns = [LevelAsset(asset)._columns("default") for asset in (before, after)]
        meshes = [MeshPolygons(each.places) for each in columns]
        shapes = [
            [
                shapely.Polygon([mesh.point[v] for v, _, _ in mesh.edges(k)])
                for k in range(len(mesh))
            ]
            for mesh in meshes
        ]
        matched = match(*columns)
        node_of = [mesh.node[mesh.first_node[:-1]].tolist() for mesh in meshes]
        wanted = {
            (a, b)
            for (a, one), (b, other) in product(enumerate(shapes[0]), enumerate(shapes[1]))
            if one.intersection(other).area > GRID
        }
        parts = {
            (node_of[0].index(int(a)), node_of[1].index(int(b)))
            for a, b in zip(
                columns[0].node[matched.old_row], columns[1].node[matched.new_row], strict=True
            )
        }
        assert parts == wanted
        union = [shapely.union_all(each) for each in shapes]
        for row, one, other in (
            (matched.closed, union[0], union[1]),
            (matched.opened, union[1], union[0]),
        ):
            assert bool(len(row)) == bool(one.difference(other).area > GRID)
        assert np.all(np.diff(matched.new_row) >= 0)


def test_a_mesh_and_a_graph_are_not_compared(tmp_path: Path) -> None:
    mesh = bake_plane(tmp_path / "mesh", ROOMS)
    corners = bake_plane(tmp_path / "corners", ROOMS, division="visibility")
    cells = bake_plane(tmp_path / "cells", ROOMS, division="cells")
    for one, other in ((mesh, corners), (corners, mesh), (mesh, cells)):
        with pytest.raises(IncomparableError):
            difference(one, other)


def test_named_domains_are_matched_by_name(tmp_path: Path) -> None:
    """A point that moved is the same place."""
    assets = []
    for name, x in (("old", 2), ("new", 3)):
        (tmp_path / name).mkdir()
        source = tmp_path / name / "glade.json"
        source.write_text(
            '{"format": "bake-geometry", "version": 1, '
            '"shapes": [{"terrain": "floor", "rings": [[[0, 0], [20, 0], [20, 9], [0, 9]]]}], '
            f'"points": [{{"name": "a", "at": [{x}, 4]}}, {{"name": "b", "at": [15, 4]}}]}}'
        )
        asset = tmp_path / name / "glade.h5"
        recipe = LevelRecipe(division="dirichlet")
        bake_level(Task(source, asset, recipe), 1, lambda stage, done: None)
        assets.append(asset)
    profile = difference(*assets).profiles[0]
    assert len(profile.matched) == 2
    assert (len(profile.matched.closed), len(profile.matched.opened)) == (0, 0)


def test_floors_are_told_apart(tmp_path: Path) -> None:
    """What lies above a closed room does not stand for it."""
    assets = []
    for name, width in (("old", 20), ("new", 8)):
        (tmp_path / name).mkdir()
        source = tmp_path / name / "tower.json"
        rooms = [
            {"terrain": "floor", "floor": floor, "rect": [0, 0, wide, 9]}
            for floor, wide in ((0, width), (1, 20))
        ]
        document = {"format": "bake-geometry", "version": 1, "shapes": rooms}
        source.write_text(json.dumps(document))
        asset = tmp_path / name / "tower.h5"
        recipe = LevelRecipe(division="mesh")
        bake_level(Task(source, asset, recipe), 1, lambda stage, done: None)
        assets.append(asset)
    matched = difference(*assets).profiles[0].matched
    assert (len(matched), int(matched.same.sum())) == (2, 1)
    assert (len(matched.closed), len(matched.opened)) == (1, 0)
