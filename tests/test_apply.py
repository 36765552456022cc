"""Patches folded into assets: the same tables as a fresh bake of the level as it has become."""

import json
import math
import random
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.apply import apply_patch
from bake.core.level import MeshNodes
from bake.play import LevelAsset, open_asset
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from bake.verify import verify_asset
from levelbake.errors import (
    BlockedCellError,
    CorruptAssetError,
    NotAnAssetError,
    OutputError,
    PatchError,
)
from tests.support.baked import bake, bake_grid, recipe_for, write_graph, write_grid
from tests.support.command import bake as command
from tests.support.live_model import GraphModel, GridModel, check_level, grid_model
from tests.support.tampering import edited
from tests.support.tower import baked_tower


def folded(asset: Path, patch: Path) -> Path:
    output = asset.with_name("folded.h5")
    apply_patch(asset, patch, output, 1, lambda stage, done: None)
    verify_asset(output, None, lambda done: None)
    return output


@pytest.mark.parametrize("seed", range(4))
def test_the_tables_are_those_of_a_fresh_bake(tmp_path: Path, seed: int) -> None:
    model = grid_model(seed + 40)
    asset = model.baked(tmp_path)
    rng = random.Random(seed)
    with open_asset(asset) as level:
        for _ in range(3):
            batch = model.change(rng, 3, new=False)
            model.prices.clear()
            level.update(**{**batch, "arcs": {}})
        level.save_patch(tmp_path / "saved.patch")
    lattices = {name: model.lattice(name) for name in ("walker", "boat")}
    if not any(lattice.cells() for lattice in lattices.values()):
        return
    output = folded(asset, tmp_path / "saved.patch")
    fresh = tmp_path / "fresh" / "model.json"
    fresh.parent.mkdir()
    grid = [list(row) for row in lattices["walker"].grid]
    edited = GridModel(grid, model.connectivity, model.corner_cutting, model.cost_rule)
    with Asset(output) as one, Asset(edited.baked(fresh.parent)) as two:
        assert one.columns() == two.columns()
        for column in one.columns():
            assert np.array_equal(
                one.read(column), two.read(column), equal_nan=one.dtype(column).startswith("float")
            ), column
    with open_asset(output) as level:
        check_level(level, model, rng)


@pytest.mark.parametrize("seed", [0, 2, 4, 8, 9, 12])
def test_whatever_became_of_a_level_is_folded_in(tmp_path: Path, seed: int) -> None:
    """Links and arcs that came, went and got prices; and the folded level changes like any."""
    rng = random.Random(f"fold {seed}")
    model = grid_model(seed + 200, ("odd-r", None, None)[seed % 3])
    with open_asset(model.baked(tmp_path)) as level:
        for _ in range(5):
            level.update(**model.change(rng, 6))
        level.save_patch(tmp_path / "saved.patch")
        standing = [model.places(name) for name in level.profiles]
    with open_asset(folded(tmp_path / "model.h5", tmp_path / "saved.patch")) as level:
        check_level(level, model, rng)
        for cell in rng.sample(standing[0], min(3, len(standing[0]))):
            model.obstacles.add(cell)
            level.update(blocked=[cell])
            check_level(level, model, rng)


def test_prices_are_kept(tmp_path: Path) -> None:
    model = GridModel([["floor"] * 4, ["floor"] * 4], 8, "never", "mean")
    asset = model.baked(tmp_path)
    arcs: dict[tuple[tuple[int, int], tuple[int, int]], float | None] = {
        ((0, 0), (1, 0)): math.inf,
        ((1, 0), (2, 0)): 0.5,
    }
    with open_asset(asset) as level:
        level.update(arcs=arcs)
        level.save_patch(tmp_path / "saved.patch")
    model.take(set(), set(), {}, arcs)
    with open_asset(folded(asset, tmp_path / "saved.patch")) as level:
        check_level(level, model, random.Random(1))


def test_a_graph(tmp_path: Path) -> None:
    model = GraphModel([5, 3, 8, 1], [(5, 3, 1), (3, 8, 2), (8, 1, 1), (5, 1, 9), (1, 5, 1)])
    asset = bake(write_graph(tmp_path / "model.json", model.nodes, model.edges), recipe_for())
    with open_asset(asset) as level:
        level.update(blocked=[3], arcs={(1, 5): 2.5})
        level.save_patch(tmp_path / "saved.patch")
    model.obstacles.add(3)
    model.prices[1, 5] = 2.5
    with open_asset(folded(asset, tmp_path / "saved.patch")) as level:
        check_level(level, model, random.Random(1))


PLANE = {
    "format": "bake-geometry",
    "version": 1,
    "shapes": [
        {"terrain": "floor", "rect": [0, 0, 20, 10]},
        {"terrain": "wall", "rect": [7.7, 2.3, 4.4, 5.2]},
        {"terrain": "wall", "rect": [14.2, 6.1, 1.7, 2.2]},
        {"terrain": "floor", "rect": [0, 0, 20, 10], "floor": 1},
        {"terrain": "wall", "rect": [11.3, 1.2, 2.1, 1.6], "floor": 1},
        {"terrain": "wall", "rect": [3.1, 2.6, 4.8, 4.1], "floor": 1},
    ],
}
#: Points of its lower floor and its upper one, some of them in walls.
POINTS = [(x + 0.5, y + 0.5, floor) for floor in (0, 1) for x in range(0, 20, 3) for y in (1, 4, 8)]


@pytest.mark.parametrize("nodes", ["centre", "edge", "portal", None])
@pytest.mark.parametrize("seed", [1, 4, 6, 8, 10, 11])
def test_a_divided_plane_stays_one(tmp_path: Path, nodes: MeshNodes | None, seed: int) -> None:
    """Straight paths on the folded level are those of the level that was changed.

    They go along a path over nodes, and of equally short ones the folded level may take another:
    with these seeds it takes the same.
    """
    source = tmp_path / "plane.json"
    source.write_text(json.dumps(PLANE))
    by_sight = LevelRecipe(division="visibility")
    asset = bake(source, by_sight if nodes is None else LevelRecipe(mesh_nodes=nodes))
    rng = random.Random(seed)
    floors = [[point for point in POINTS if point[2] == floor] for floor in (0, 1)]
    pairs = [rng.sample(floors[number % 2], 2) for number in range(60)]

    def ways(level: LevelAsset) -> list[object]:
        nav, found = level.profile(), []
        for pair in pairs:
            try:
                found.append(nav.plane.straight_path(*pair))
            except BlockedCellError as error:
                found.append(str(error))
        return found

    def distances(level: LevelAsset) -> list[float]:
        nav = level.profile()
        ends = permutations(filter(nav.can_stand, nav._now.version.places.names), 2)
        return [nav.distance(*pair) for pair in ends]

    with open_asset(asset) as level:
        as_baked = ways(level)
        names = level.profile()._now.version.places.names
        level.update(blocked=rng.sample(names, 2))
        level.save_patch(tmp_path / "saved.patch")
        changed, apart = ways(level), distances(level)
    assert sum(isinstance(way, list) for way in changed) > 5
    assert changed != as_baked
    output = folded(asset, tmp_path / "saved.patch")
    with open_asset(output) as level:
        assert distances(level) == apart
        assert ways(level) == changed
    with Asset(asset) as one, Asset(output) as two:
        assert one.columns() == two.columns()


def test_polygons_take_over_the_terrain_of_their_nodes(tmp_path: Path) -> None:
    """They are drawn by it."""
    source = tmp_path / "plane.json"
    source.write_text(json.dumps(PLANE))
    with open_asset(bake(source, recipe_for())) as level:
        node = level.profile().plane.place_at((1, 1, 0))
        assert node is not None
        level.update(terrain={node: "wall"})
        level.save_patch(tmp_path / "saved.patch")
        number = level.profile()._now.version.places.node_named(node)
    with Asset(folded(tmp_path / "plane.h5", tmp_path / "saved.patch")) as asset:
        polygon = asset.read("/mesh_node").tolist().index(number)
        wall = asset.read("/terrain_name").tolist().index(b"wall")
        terrain = asset.read("/mesh_terrain")
        assert np.flatnonzero(terrain == wall).tolist() == [polygon]


def _distances(level: LevelAsset) -> list[list[float]]:
    """Distances from the spots of the tower, for every profile."""
    places = [(0, 0, 0), (8, 4, 0), (5, 0, 1), (7, 0, 1), (8, 4, 1)]
    found = []
    for name in level.profiles:
        nav = level.profile(name)
        stands = [nav.nearest(place) for place in places]
        found.append([nav.distance(a, b) for a in stands for b in stands])
    return found


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("door", "change"),
    [
        ("gate", {"blocked": [(6, 3, 0)]}),
        ("gate", {"terrain": {(6, 3, 0): "mud"}}),
        ("hatch", {"terrain": {(5, 0, 1): "floor"}}),
        ("hatch", {"opened": [(6, 0, 1)]}),
    ],
)
def test_a_cell_of_a_door_that_is_in_none_of_its_states(
    tmp_path: Path, door: str, change: dict[str, Any]
) -> None:
    """What an update takes can be folded in; the door keeps its states, and stands in none."""
    asset = baked_tower(tmp_path)
    with open_asset(asset) as level:
        level.update(**change)
        level.save_patch(tmp_path / "saved.patch")
        with open_asset(folded(asset, tmp_path / "saved.patch")) as new:
            assert new.doors[door].state is None
            assert new.doors[door].states == level.doors[door].states
            assert _distances(new) == _distances(level)
            new.save_patch(tmp_path / "again.patch")
            again = folded(tmp_path / "folded.h5", tmp_path / "again.patch")
            with open_asset(again) as twice:
                assert twice.doors[door].state is None
            for state in level.doors[door].states:
                level.update(opened=change.get("blocked", ()))
                level.set_state(door, state)
                new.set_state(door, state)
                assert _distances(new) == _distances(level)


def test_a_folder_that_cannot_be_written_is_noticed_before_baking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset = bake_grid(tmp_path, [["floor"] * 3] * 2)
    with open_asset(asset) as level:
        level.save_patch(tmp_path / "saved.patch")
    monkeypatch.setattr("bake.apply.build_world", None)
    with pytest.raises(OutputError, match="folder: No such file"):
        apply_patch(asset, tmp_path / "saved.patch", tmp_path / "no" / "x.h5", 1, lambda *_: None)


def test_what_check_and_build_say_of_a_patched_asset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the patch lies beside the level, a build leaves it out."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levels_src").mkdir()
    write_grid(tmp_path / "levels_src" / "yard.json", [["floor"] * 3] * 2)
    assert command("build").code == 0
    whole = (tmp_path / "baked" / "yard.h5").read_bytes()
    with open_asset("baked/yard.h5") as level:
        level.update(blocked=[(1, 0)])
        level.save_patch("levels_src/night.patch")
    assert command("apply", "baked/yard.h5", "levels_src/night.patch", "-o", "y.h5").code == 0
    Path("y.h5").replace("baked/yard.h5")
    done = command("check")
    told = "the patch night.patch was folded in, and a build leaves it out"
    assert done.code == 1
    assert done.out.splitlines()[0].endswith(f"{Path('baked/yard.h5')}: {told}")
    assert "yard.json, the patch night.patch" in command("info", "baked/yard.h5").out
    assert command("build", "--depfile", "d").code == 0
    assert "patch" not in Path("d").read_text()
    assert (tmp_path / "baked" / "yard.h5").read_bytes() == whole


def test_the_command(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, [["floor"] * 3] * 2)
    with open_asset(asset) as level:
        level.update(blocked=[(1, 0)])
        level.save_patch(tmp_path / "saved.patch")
    output = tmp_path / "new.h5"
    done = command("apply", asset, tmp_path / "saved.patch", "-o", output)
    assert done.code == 0
    with open_asset(output) as level, pytest.raises(PatchError, match="another asset"):
        level.apply_patch(tmp_path / "saved.patch")
    refused = command("apply", output, tmp_path / "saved.patch", "-o", tmp_path / "newer.h5")
    assert refused.code == 1
    assert not (tmp_path / "newer.h5").exists()


def test_prices_that_no_asset_can_hold_are_told(tmp_path: Path) -> None:
    asset, patch = bake_grid(tmp_path, [["floor"] * 3] * 2), tmp_path / "saved.patch"
    with open_asset(asset) as level:
        to_rock, diagonal, kept = ((0, 0), (1, 0)), ((0, 0), (1, 1)), ((0, 1), (1, 1))
        level.update(blocked=[(1, 0)], arcs={to_rock: 5, diagonal: math.inf, kept: 2.5})
        level.save_patch(patch)
    for quiet in ([], ["-q"]):
        done = command("apply", asset, patch, "-o", tmp_path / "new.h5", *quiet)
        assert done.code == 0
        line = done.err.splitlines()[-1]
        assert line.startswith(f"warning: {patch}: 2 arcs")
        assert line.endswith("(0, 0) to (1, 0)")
    with open_asset(tmp_path / "new.h5") as level:
        assert level.profile().distance((0, 1), (1, 1)) == 2.5


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("recipe", b"{}", "ticks_per_unit: this key is missing"),
        ("recipe", b'{"profiles":', "Expecting value"),
    ],
)
def test_an_asset_that_states_no_rules(tmp_path: Path, name: str, value: bytes, told: str) -> None:
    asset = bake_grid(tmp_path, [["floor"] * 3] * 2)
    with edited(asset) as file:
        file.attrs[name] = np.bytes_(value)
    with open_asset(asset) as level:
        level.save_patch(tmp_path / "saved.patch")
    with pytest.raises(CorruptAssetError) as caught:
        apply_patch(asset, tmp_path / "saved.patch", tmp_path / "new.h5", 1, lambda *_: None)
    assert str(caught.value).startswith(f"{asset}: damaged: ")
    assert told in str(caught.value)


def test_a_flat_file_cannot_be_baked_anew(tmp_path: Path) -> None:
    flat = Path(__file__).parent / "vectors" / "corners-always.bake"
    with pytest.raises(NotAnAssetError, match="flat file"):
        apply_patch(flat, tmp_path / "patch", tmp_path / "new.h5", 1, lambda stage, done: None)
