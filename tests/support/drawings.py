"""What the view tests share: small baked levels, and pixels of the pictures drawn of them."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from bake.baking import Task
from bake.baking.level import bake_level
from bake.core.arrays import Float64Array, UInt8Array
from bake.core.level import TerrainRule
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.show.grid_map import fitting_cells
from bake.show.page import map_corner
from bake.show.render import render_asset
from bake.show.scene import read_scene
from bake.store import Asset

COLOURS = {"floor": (210, 200, 180), "wall": (60, 50, 70), "mud": (140, 110, 70)}
TERRAINS = {
    "floor": {"cost": 1, "colour": "#d2c8b4"},
    "wall": {"cost": "blocked", "colour": "#3c3246"},
    "mud": {"cost": 3, "colour": "#8c6e46"},
    "gate": {"cost": 1, "enter_from": ["gate"], "colour": "#ff8800"},
}
LEGEND = {".": "floor", "#": "wall", "m": "mud", "g": "gate"}

#: A profile that stays off the mud.
CLEAN = ProfileRecipe("clean", {"mud": TerrainRule(None)})
ANY = ProfileRecipe("any")


def baked(folder: Path, text: str, recipe: LevelRecipe | None = None) -> Path:
    """Bake the text of a .json level."""
    source = folder / "level.json"
    source.write_text(text)
    asset = folder / "level.h5"
    bake_level(Task(source, asset, recipe or LevelRecipe()), 1, lambda stage, done: None)
    return asset


def grid(
    folder: Path, *rows: str, hex_layout: str | None = None, recipe: LevelRecipe | None = None
) -> Path:
    """Bake a grid level: . floor, # wall, m mud, g a gate that can only be left."""
    used = {letter for row in rows for letter in row}
    level = {
        "format": "bake-tiles",
        "version": 1,
        "grid": "hex" if hex_layout else "square",
        **({"hex_layout": hex_layout} if hex_layout else {}),
        "terrains": {LEGEND[letter]: TERRAINS[LEGEND[letter]] for letter in sorted(used)},
        "legend": {letter: LEGEND[letter] for letter in sorted(used)},
        "rows": list(rows),
    }
    return baked(folder, json.dumps(level), recipe)


def graph(
    folder: Path,
    nodes: dict[str, tuple[float, float] | None],
    edges: list[tuple[str, str]],
    *,
    directed: bool = False,
) -> Path:
    """Bake a graph level whose edges are one unit long."""
    level = {
        "directed": directed,
        "multigraph": False,
        "graph": {},
        "nodes": [
            {"id": name, **({} if at is None else {"x": at[0], "y": at[1]})}
            for name, at in nodes.items()
        ],
        "edges": [{"source": a, "target": b, "weight": 1.0} for a, b in edges],
    }
    recipe = LevelRecipe(terrain={"ground": TerrainRule(1.0)})
    return baked(folder, json.dumps(level), recipe)


@dataclass(frozen=True)
class Picture:
    """A rendered level: its pixels, where its map begins, and what was said of it."""

    pixels: UInt8Array
    left: int
    top: int
    centres: Float64Array
    width: int
    said: dict[str, object]

    def at(self, x: int, y: int, dx: float = 0, dy: float = 0) -> tuple[int, int, int]:
        """Colour at the middle of a cell, or some pixels beside it."""
        px, py = self.centres[y * self.width + x]
        red, green, blue = self.pixels[int(self.top + py + dy), int(self.left + px + dx)].tolist()
        return red, green, blue


def picture(asset: Path, **options: object) -> Picture:
    """Render a grid level."""
    output = asset.with_name("picture.png")
    said = render_asset(asset, output, **options)
    scale = options.get("scale")
    profile = options.get("profile")
    with Asset(asset) as opened:
        scene = read_scene(opened, profile if isinstance(profile, str) else None)
        cells = fitting_cells(scene, scale if isinstance(scale, int) else None)
        width, height = scene.places.width, scene.places.height
        centres = cells.centre(np.arange(width * height, dtype=np.int32))
        left, top = map_corner(*cells.size)
    return Picture(pixels_of(output), left, top, centres, width, said)


def pixels_of(path: Path) -> UInt8Array:
    """(height, width, 3) uint8."""
    with Image.open(path) as image:
        assert image.mode == "RGB"
        return np.array(image)


def apart(a: tuple[int, int, int], b: tuple[int, int, int]) -> int:
    """How different two colours are: 0 to 765."""
    return sum(abs(one - other) for one, other in zip(a, b, strict=True))
