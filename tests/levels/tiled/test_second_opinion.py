"""pytiled-parser reads the maps it can read as we do."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.levels import TiledReading
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.layers import decode_layer, find_extent, open_layers
from bake.levels.tiled.objects import Templates, read_objects
from bake.levels.tiled.tilesets import MapFiles, Tilesets
from tests.support.levels import shared_level
from tests.support.tiled_maps import layer, objects, thing, tmj, tmx, write

pytiled_parser = pytest.importorskip("pytiled_parser")

LEVELS = Path(__file__).parents[3] / "levels_src"


def all_layers(layers: list[Any]) -> list[Any]:
    """Theirs, groups opened."""
    found = []
    for each in layers:
        inner = getattr(each, "layers", None)
        found += all_layers(inner) if inner is not None else [each]
    return found


def compare(path: Path) -> None:
    theirs = all_layers(pytiled_parser.parse_map(path).layers)
    files = MapFiles(path, None, allow_outside=False)
    owner = files.open(path, "map")
    ours, _ = open_layers(owner, TiledReading())
    whole = find_extent(owner, ours)
    cells = [each for each in theirs if isinstance(each, pytiled_parser.TileLayer)]
    for mine, other in zip([each for each in ours if each.kind == "tilelayer"], cells, strict=True):
        assert mine.name == other.name
        got = [gids for _, gids in decode_layer(mine, whole)]
        expected = (
            [np.array(other.data)] if not other.chunks else [np.array(c.data) for c in other.chunks]
        )
        for one, two in zip(got, expected, strict=True):
            np.testing.assert_array_equal(one, two)
    things = [
        each
        for layer in theirs
        if isinstance(layer, pytiled_parser.ObjectLayer)
        for each in layer.tiled_objects
    ]
    geometry = Geometry.read(owner)
    found = read_objects(ours, Tilesets(owner, files), Templates(files), geometry)
    assert [
        (each.number, each.name, each.x, each.y, each.width, each.height) for each in found
    ] == [
        (each.id, each.name, *each.coordinates, each.size.width, each.size.height)
        for each in things
    ]
    for mine, other in zip(found, things, strict=True):
        if mine.shape in ("polygon", "polyline"):
            assert mine.corners == tuple(tuple(point) for point in other.points)
        assert mine.class_name == other.class_
        # References to objects are left as text there.
        expected = {
            name: int(value) if name == "to" else value for name, value in other.properties.items()
        }
        assert mine.properties.values == expected


@pytest.mark.parametrize("name", ["desert", "isometric_staggered_grass_and_water", "rpg/island"])
def test_examples_of_the_editor(name: str) -> None:
    compare(shared_level(f"tiled/{name}.tmx"))


@pytest.mark.parametrize("name", ["manor.tmx", "valley.tmj"])
def test_our_own_maps(name: str) -> None:
    compare(LEVELS / name)


@pytest.mark.parametrize("encoding", ["csv", "base64", "base64-zlib", "base64-gzip"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    gids = np.random.default_rng(5).integers(0, 6, (5, 7)) | 0x80000000
    gids[0] = 0
    item = thing(1, "a", (3.5, -2), '<polygon points="0,0 5,5.5 -3,8"/>', name="x", cost="2")
    compare(
        write(
            tmp_path,
            tmx(layer(gids.tolist(), encoding), objects(item), width=7, height=5),
        )
    )
    packing = encoding.partition("-")[2]
    text = tmj(gids.tolist(), compression=None if encoding == "csv" else packing)
    compare(write(tmp_path, text, "map.tmj"))
