"""Flat files of levels whose prices follow from more than terrain: their cells are nodes."""

import base64
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.export.export import compare_with_asset, export_asset
from bake.play import open_asset
from bake.project.recipe import ProfileRecipe
from bake.show.viewer.contents import shown_level
from bake.store import Asset
from bake.store.flat.schema import is_of
from bake.verify import verify_asset
from levelbake.errors import BakeError, CorruptAssetError, OutputError, PatchError, QueryError
from levelbake.file import LEVEL, FlatFile, checksum
from tests.support.baked import bake, recipe_for, rows, write_graph, write_grid
from tests.support.command import bake as command

ROOT = Path(__file__).parents[3]
HEIGHTS = [[0, 1, 1, 3, 0], [0, 0, 2, 2, 0], [1, 1, 0, 0, 0], [0, 0, 0, 1, 5]]
GRID = rows(".....", ".m.#.", "....=", "..#..")


def exported(asset: Path, *parts: str) -> Path:
    flat = asset.with_suffix(".bake")
    with Asset(asset) as opened:
        export_asset(opened, flat, None, parts)
    return flat


def proved(path: Path) -> None:
    verify_asset(path, None, lambda done: None)


def called(place: Any) -> str:
    return ",".join(map(str, place))


def check(asset: Path, flat: Path, pairs: int = 300) -> None:
    """Both give the same answers, one about cells and the other about nodes named after them."""
    rng = random.Random(asset.name)
    with open_asset(asset) as one, open_asset(flat) as other:
        assert one.profiles == other.profiles
        for name in one.profiles:
            a, b = one.profile(name), other.profile(name)
            tables = one._columns(name)
            places = [tables.places.place_at(each) for each in tables.location.tolist()]
            assert len(places) == other._columns(name).row_count
            for _ in range(pairs):
                start, goal = rng.choice(places), rng.choice(places)
                names = called(start), called(goal)
                hop, path = a.next_hop(start, goal), a.path(start, goal)
                assert b.next_hop(*names) == (None if hop is None else called(hop))
                assert b.distance(*names) == a.distance(start, goal)
                assert b.reachable(*names) == a.reachable(start, goal)
                assert b.path(*names) == (None if path is None else [called(each) for each in path])


@pytest.fixture(scope="module")
def depot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("depot")
    source = ROOT / "levels_src" / "depot.json"
    assert command("build", source, "-o", folder, "--jobs", "1", "-q").code == 0
    return folder / "depot.h5"


def test_a_yard_with_headings(depot: Path) -> None:
    flat = exported(depot)
    check(depot, flat)
    proved(flat)
    assert compare_with_asset(flat)
    with open_asset(depot) as one, open_asset(flat) as other:
        for x, y in [(4.2, 2.9), (27.4, 10.4), (0.0, 0.0)]:
            cell = one.profile("tank").nearest((x, y, 0))[:2]
            name = other.profile("tank").nearest((x, y))
            assert name.rpartition(",")[0] == called(cell)


def hilly(folder: Path, name: str = "hills", **more: Any) -> Path:
    recipe = recipe_for(
        slopes={"up": 1.5, "down": 0.5, "climb": 2, "drop": 3},
        profiles=(
            ProfileRecipe("ogre", {}, 2),
            ProfileRecipe("sledge", {}, slopes={"up": 4.0, "climb": 1.0}),
            ProfileRecipe("walker"),
        ),
        **{"tables": None, **more},
    )
    return bake(write_grid(folder / f"{name}.json", GRID, elevation=HEIGHTS), recipe)


def test_hills_with_large_agents_and_distances(tmp_path: Path) -> None:
    tables = ("components", "next_hops", "distances", "hierarchy")
    asset = hilly(tmp_path, tables=tables, cluster_size=2)
    flat = exported(asset, "distances")
    check(asset, flat)
    proved(flat)
    with Asset(asset) as opened, pytest.raises(OutputError) as caught:
        export_asset(opened, tmp_path / "more.bake", None, ("hierarchy",))
    assert "hierarchy" in one_line(caught)
    assert not (tmp_path / "more.bake").exists()


def test_what_the_page_shows_counts_nodes(tmp_path: Path) -> None:
    """Transitions of the hierarchy are named by places of the flat file, not of the asset."""
    asset = hilly(tmp_path, tables=("components", "next_hops", "hierarchy"), cluster_size=2)
    told = json.loads(shown_level(asset).contents)["profiles"]["walker"]

    def unpacked(packed: dict[str, str]) -> list[int]:
        raw = base64.b64decode(packed["base64"])
        found: list[int] = np.frombuffer(raw, dtype=packed["dtype"]).tolist()
        return found

    flat = FlatFile(exported(asset))
    cell, row_at = flat.read(LEVEL, "cell"), flat.read(2, "row_at")
    at, cluster = unpacked(told["layers"][0]["at"]), unpacked(told["clusters"]["of"])
    assert at
    with open_asset(asset) as level:
        for node in at:
            place = tuple(cell[node, :2].tolist())
            assert level.profile("walker").search.cluster(place) == cluster[row_at[node]]


def test_floors_and_links(tmp_path: Path) -> None:
    links = [{"name": "stairs", "from": [0, 0, 0], "to": [4, 1, 1], "both_ways": True}]
    source = write_grid(
        tmp_path / "tower.json", GRID, elevation=HEIGHTS, floor_height=2, links=links
    )
    asset = bake(source, recipe_for(slopes={"up": 1.0}))
    flat = exported(asset)
    check(asset, flat)
    proved(flat)
    cell = FlatFile(flat).read(LEVEL, "cell")
    assert sorted(map(tuple, cell.tolist())) == sorted(
        (x, y % 2, y // 2) for y in range(4) for x in range(5) if GRID[y][x] != "wall"
    )


@pytest.mark.parametrize("layout", ["odd-r", "even-q"])
def test_hexagons(tmp_path: Path, layout: str) -> None:
    source = write_grid(tmp_path / "hills.json", GRID, layout, elevation=HEIGHTS)
    asset = bake(source, recipe_for(slopes={"up": 1.0}))
    flat = exported(asset)
    check(asset, flat)
    proved(flat)
    with open_asset(asset) as one, open_asset(flat) as other:
        assert other.to_point("2,1") == one.to_point((2, 1))


def test_only_profiles_that_pay_make_nodes_of_cells(tmp_path: Path) -> None:
    """It is the asset that decides, whichever profiles are exported."""
    bird, walker = ProfileRecipe("bird"), ProfileRecipe("walker", {}, slopes={"up": 1.0})
    source = write_grid(tmp_path / "hills.json", GRID, elevation=HEIGHTS)
    asset = bake(source, recipe_for(profiles=(bird,)))
    flat = exported(asset)
    with open_asset(flat) as level:
        assert level.is_grid
        assert level.elevation_at((4, 3)) == 5
    proved(flat)
    asset = bake(source, recipe_for(profiles=(bird, walker)))
    with Asset(asset) as opened:
        export_asset(opened, flat, ["bird"])
    with open_asset(flat) as level:
        assert not level.is_grid
        assert level.elevation_at("4,3") == 5
    proved(flat)


def test_graphs_that_rise_stay_graphs(tmp_path: Path) -> None:
    """Their weights are proved, and what changes is priced with slopes in Python."""
    source = write_graph(tmp_path / "pass.json", ["a", "b", "c"], [("a", "b", 1), ("b", "c", 1)])
    text = source.read_text("utf-8")
    for z, name in enumerate("abc"):
        text = text.replace(f'"id": "{name}"', f'"id": "{name}", "z": {z}')
    source.write_text(text, "utf-8")
    asset = bake(source, recipe_for(slopes={"up": 2.0}, tables=None))
    flat = exported(asset)
    proved(flat)
    with open_asset(flat) as level:
        nav = level.profile()
        assert nav.distance("a", "c") == 6
        nav.update(blocked=["b"])
        assert not nav.reachable("a", "c")
        nav.update(opened=["b"])
        assert nav.distance("a", "c") == 6


@pytest.mark.parametrize("source", ["harbour.svg", "plaza.json", "grove.json"])
def test_divisions_of_the_plane(tmp_path: Path, source: str) -> None:
    """They are graphs already; their nodes have positions in the plane."""
    built = command("build", ROOT / "levels_src" / source, "-o", tmp_path, "--jobs", "1", "-q")
    assert built.code == 0, built.err
    asset = tmp_path / f"{Path(source).stem}.h5"
    flat = exported(asset)
    proved(flat)
    with open_asset(asset) as one, open_asset(flat) as other:
        for name in one.profiles:
            a, b = one._columns(name), other._columns(name)
            rows = np.arange(a.row_count, dtype=np.int32)
            start, goal = np.repeat(rows, len(rows)), np.tile(rows, len(rows))
            assert np.array_equal(a.steps.next_rows(start, goal), b.steps.next_rows(start, goal))
            assert one.profile(name).nearest((3, 4)) == other.profile(name).nearest((3, 4))


# -- refusals -------------------------------------------------------------------------------------


def one_line(caught: pytest.ExceptionInfo[BakeError]) -> str:
    line = str(caught.value)
    assert "\n" not in line
    return line


def test_changes_need_the_asset(tmp_path: Path) -> None:
    asset = hilly(tmp_path)
    flat = exported(asset)
    changes: list[Any] = [
        lambda level: level.update(blocked=["0,0"]),
        lambda level: level.profile("walker").update(terrain={"0,0": "mud"}),
    ]
    for change in changes:
        with open_asset(flat) as level, pytest.raises(QueryError) as caught:
            change(level)
        assert "cells are nodes" in one_line(caught)
        assert "open the asset" in one_line(caught)


def test_patches_of_the_asset_are_of_another_level(tmp_path: Path) -> None:
    asset = hilly(tmp_path)
    flat, patch = exported(asset), tmp_path / "wall.patch"
    with open_asset(asset) as level:
        level.update(blocked=[(0, 0)])
        level.save_patch(patch)
    with open_asset(flat) as level, pytest.raises(PatchError):
        level.apply_patch(patch)


def test_a_file_is_fresh_until_its_asset_changes(tmp_path: Path) -> None:
    asset = hilly(tmp_path)
    flat = exported(asset)
    with Asset(asset) as opened:
        assert is_of(FlatFile(flat), opened.header.fingerprint())
    other = hilly(tmp_path, "other", connectivity=4)
    with Asset(other) as opened:
        assert not is_of(FlatFile(flat), opened.header.fingerprint())


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("cell", 7, "named after its cell"),
        ("cell", -1, "column /cell has -1"),
        ("weight", 0, "column /profiles/ogre/weight has 0, not 1 to"),
    ],
)
def test_damage_is_found(tmp_path: Path, column: str, value: int, told: str) -> None:
    flat = exported(hilly(tmp_path))
    entry = next(each for key, each in FlatFile(flat).entries.items() if key[1] == column)
    data = bytearray(flat.read_bytes())
    data[entry.offset : entry.offset + 4] = value.to_bytes(4, "little", signed=True)
    data[56:64] = b"".join(
        each.to_bytes(4, "little") for each in checksum(np.frombuffer(bytes(data), dtype="<u4"))
    )
    flat.write_bytes(data)
    with pytest.raises(CorruptAssetError, match=told):
        proved(flat)


def test_the_command(depot: Path, tmp_path: Path) -> None:
    flat = tmp_path / "depot.bake"
    assert command("export", depot, "-o", flat).code == 0
    done = command("path", flat, "4,2,0", "27,10,1", "--profile", "tank", "--json").data
    cells = command("path", depot, "4,2,0", "27,10,1", "--profile", "tank", "--json").data
    assert done["cost"] == cells["cost"]
    assert command("verify", flat).code == 0
