"""One small level in every format gives the same tables."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from PIL import Image

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.level import TerrainRule
from bake.project.recipe import LevelRecipe
from tests.support import ldtk_projects as ldtk
from tests.support.tiled_maps import ENCODINGS, layer, tmj, tmx, write

pytestmark = pytest.mark.note(36, "one level in every format")

ROWS = ["......", ".##.#.", ".#....", ".#.##.", "....#."]
GIDS = [[2 if cell == "#" else 1 for cell in row] for row in ROWS]
NAMES = {".": "floor", "#": "wall"}

#: Columns that number or name terrains differ where formats number them in another order, and only
#: editors say where cells lie.
OTHER = (
    "descriptions",
    "terrain",
    "terrain_name",
    "terrain_colour",
    "node_terrain",
    "cost",
    "centre",
    "step",
)


def write_level(folder: Path, name: str) -> Path:
    kind, _, encoding = name.partition(" ")
    if kind == "tmx":
        return write(folder, tmx(layer(GIDS, encoding), width=6, height=5), "one.tmx")
    if kind == "tmj":
        packing = None if encoding == "list" else encoding.partition("-")[2]
        return write(folder, tmj(GIDS, compression=packing), "one.tmj")
    if kind == "ldtk":
        whole = ldtk.level("one", ldtk.int_grid(*ROWS))
        if encoding == "files":
            ldtk.write(folder / "one" / "one.ldtkl", whole)
            whole = whole | {"layerInstances": None, "externalRelPath": "one/one.ldtkl"}
        return ldtk.write(folder / "one.ldtk", ldtk.project(whole))
    if kind == "json":
        level = {"format": "bake-tiles", "version": 1, "legend": NAMES, "rows": ROWS}
        return write(folder, json.dumps(level), "one.json")
    if kind == "map":
        rows = "\n".join(row.replace("#", "@") for row in ROWS)
        return write(folder, f"type octile\nheight 5\nwidth 6\nmap\n{rows}\n", "one.map")
    if kind == "txt":
        return write(folder, "\n".join(ROWS), "one.txt")
    if kind == "csv":
        return write(folder, "\n".join(",".join(row) for row in ROWS), "one.csv")
    path = folder / "one.png"
    Image.fromarray(
        np.array([[0 if cell == "#" else 255 for cell in row] for row in ROWS], dtype=np.uint8)
    ).save(path)
    return path


def baked(folder: Path, name: str) -> tuple[dict[str, bytes], list[list[str]]]:
    """Every column's bytes by its path, and the terrain names cell by cell."""
    source = write_level(folder, name)
    free, blocked = TerrainRule(1.0), TerrainRule(None)
    rules = {
        "floor": free,
        "ground": free,
        "wall": blocked,
        "walls": blocked,
        "out_of_bounds": blocked,
    }
    asset = folder / "one.h5"
    recipe = LevelRecipe(connectivity=8, corner_cutting="never", cost_rule="mean", terrain=rules)
    bake_level(Task(source, asset, recipe), 1, lambda stage, done: None)
    columns: dict[str, bytes] = {}

    def keep(path: str, item: object) -> None:
        parts = path.split("/")
        if isinstance(item, h5py.Dataset) and not set(parts) & set(OTHER):
            columns[path] = str(item.dtype).encode() + item[()].tobytes()

    with h5py.File(asset) as file:
        file.visititems(keep)
        names = [text.decode() for text in file["terrain_name"][()]]
        grid = [[names[code] for code in row] for row in file["terrain"][()].reshape(5, 6)]
    return columns, grid


@pytest.mark.parametrize(
    "name",
    [
        "png",
        "txt",
        "csv",
        "map",
        "ldtk",
        "ldtk files",
        *(f"tmx {encoding}" for encoding in ENCODINGS),
        "tmj list",
        *(f"tmj {encoding}" for encoding in ENCODINGS if encoding.startswith("base64")),
    ],
)
def test_same_tables(tmp_path: Path, name: str) -> None:
    for folder in ("json", "other"):
        (tmp_path / folder).mkdir()
    expected, grid = baked(tmp_path / "json", "json")
    columns, other = baked(tmp_path / "other", name)
    assert columns.keys() == expected.keys()
    assert any("run_move" in path for path in columns)
    for path, data in expected.items():
        assert columns[path] == data, path
    same = {"ground": "floor", "out_of_bounds": "wall", "walls": "wall"}
    assert [[same.get(cell, cell) for cell in row] for row in other] == grid
