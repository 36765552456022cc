"""Tiled maps to levels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bake.editors import TiledReading
from bake.level import GridLevel, Rules
from bake.levels.limits import check_size, check_terrain_count
from bake.levels.things_checks import checked
from bake.levels.tiled.canvas import Canvas
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.files import ProjectFiles
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.layers import Layer, extent, open_layers
from bake.levels.tiled.object_things import ThingReader
from bake.levels.tiled.objects import read_objects
from bake.levels.tiled.placing import Placing, crop
from bake.levels.tiled.tilesets import Tilesets

#: Terrain of cells that are in a level only because levels are rectangles.
OUTSIDE = "void"


@dataclass(frozen=True)
class MapLevel:
    """A level and where it lies on its map."""

    level: GridLevel
    placing: Placing


def read_map(path: Path, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read a .tmx or .tmj file.

    Args:
        path: the file.
        reading: the recipe's [tiled].
        project: folder its references must stay in; None = the file's own.

    Raises:
        LevelError: a mistake in it, or in a file it refers to.
    """
    files = ProjectFiles(path, project, allow_outside=reading.allow_outside)
    return open_map(files.open(path, "map"), reading, files).level


def open_map(owner: Fields, reading: TiledReading, files: ProjectFiles) -> MapLevel:
    """The level of an open map."""
    geometry = Geometry.of(owner)
    layers = open_layers(owner, reading)
    floors = _floors(layers)
    whole = extent(owner, layers)
    # Every floor is painted whole, before an infinite map is cropped to what it holds.
    check_size(owner.file, whole.width, whole.height * max(1, len(floors)))
    tilesets = Tilesets(owner, files)
    canvas = Canvas(owner, tilesets, geometry, reading)
    canvas.paint(layers, whole, floors)
    box = whole if owner.values.get("infinite") in (None, False, 0, "0") else crop(canvas)
    placing = Placing.of(owner, geometry, box, floors)
    terrain, barred = placing.lay_out(canvas, canvas.code(reading.empty), canvas.code(OUTSIDE))
    names = tuple(canvas.names)
    used = np.zeros(256, dtype=np.bool_)
    used[terrain] = True
    present = np.flatnonzero(used)
    renumber = np.zeros(256, dtype=np.uint8)
    renumber[present] = np.arange(len(present))
    terrains = tuple(names[code] for code in present)
    check_terrain_count(owner.file, len(terrains), "terrains")
    things = ThingReader(read_objects(layers, tilesets, files), placing, canvas.legend).things()
    hexagonal = geometry.orientation == "hexagonal"
    level = GridLevel(
        name=owner.file.stem,
        source=owner.file,
        terrain=renumber[terrain],
        terrains=terrains,
        hex_layout=geometry.hex_layout(box.left, box.top),
        rules=Rules(connectivity=6 if hexagonal else None),
        barred=barred if barred.any() else None,
        floor_height=placing.height if len(floors) > 1 else None,
        things=things,
        depends_on=tuple(files.depends_on),
    )
    # Doors may add terrains.
    level = checked(level)
    return MapLevel(replace(level, terrain_rules=canvas.rules.of(level.terrains)), placing)


def _floors(layers: list[Layer]) -> tuple[int, ...]:
    """Numbers of the floors, lowest first; empty where no group says so."""
    tiles = [layer for layer in layers if layer.kind == "tilelayer"]
    floors = sorted({layer.floor for layer in tiles if layer.floor is not None})
    for layer in tiles:
        if floors and layer.floor is None:
            layer.fields.refuse(
                "the layer lies on no floor, though others do",
                "all tile layers inside groups with a property floor",
                "move it into the group of a floor, or ignore it in [tiled]",
            )
    return tuple(floors)
