"""LDtk projects made in the test: the fields LDtk 1.5 writes that the reader reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bake.core.level import GridLevel
from bake.levels import LdtkReading, load

SIZE = 16
#: Values of the layer "Ground"; 0 is empty.
VALUES = ((1, "walls"), (2, "water"), (3, "mud"))
LETTERS = {".": 0, "#": 1, "~": 2, "m": 3}
GROUND, THINGS, TILES, SET = 10, 11, 12, 20


def int_grid(
    *rows: str, size: int = SIZE, name: str = "Ground", uid: int = GROUND, **keys: Any
) -> dict[str, Any]:
    """An IntGrid layer from rows of letters."""
    return {
        "__identifier": name,
        "__type": "IntGrid",
        "__cWid": len(rows[0]),
        "__cHei": len(rows),
        "__gridSize": size,
        "__pxTotalOffsetX": 0,
        "__pxTotalOffsetY": 0,
        "__tilesetDefUid": None,
        "layerDefUid": uid,
        "intGridCsv": [LETTERS[letter] for row in rows for letter in row],
        "autoLayerTiles": [],
        "gridTiles": [],
        "entityInstances": [],
        **keys,
    }


def tile_layer(width: int, height: int, tiles: dict[tuple[int, int], int]) -> dict[str, Any]:
    """A layer of tiles by cell."""
    listed = [
        {"px": [x * SIZE, y * SIZE], "src": [0, 0], "f": 0, "t": tile, "a": 1}
        for (x, y), tile in tiles.items()
    ]
    return int_grid(*["." * width] * height, name="Tiles", uid=TILES) | {
        "__type": "Tiles",
        "__tilesetDefUid": SET,
        "intGridCsv": [],
        "gridTiles": listed,
    }


def entity(
    identifier: str,
    x: int,
    y: int,
    /,
    *,
    iid: str = "",
    size: tuple[int, int] = (1, 1),
    pivot: tuple[float, float] = (0, 0),
    tags: Sequence[str] = (),
    **fields: Any,
) -> dict[str, Any]:
    """An entity that covers `size` cells from (x, y); `EntityRef` fields are lists of iids."""
    width, height = size[0] * SIZE, size[1] * SIZE
    return {
        "__identifier": identifier,
        "__grid": [x, y],
        "__pivot": list(pivot),
        "__tags": list(tags),
        "iid": iid or f"{identifier}-{x}-{y}",
        "width": width,
        "height": height,
        "defUid": 30,
        "px": [x * SIZE + int(pivot[0] * width), y * SIZE + int(pivot[1] * height)],
        "fieldInstances": [
            {
                "__identifier": key,
                "__type": "Array<EntityRef>" if key == "to" else "String",
                "__value": [refer(one) for one in value] if key == "to" else value,
            }
            for key, value in fields.items()
        ],
    }


def refer(iid: str, level: str | None = None) -> dict[str, str]:
    return {"entityIid": iid, "layerIid": "", "worldIid": ""} | (
        {} if level is None else {"levelIid": level}
    )


def entities(*found: dict[str, Any], width: int = 8, height: int = 8) -> dict[str, Any]:
    return int_grid(*["." * width] * height, name="Things", uid=THINGS) | {
        "__type": "Entities",
        "intGridCsv": [],
        "entityInstances": list(found),
    }


def level(
    name: str,
    *layers: dict[str, Any],
    at: tuple[int, int] = (0, 0),
    depth: int = 0,
    size: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """A level at a place in cells; its size is that of its last layer where none is given."""
    last = layers[-1]
    width, height = size or (last["__cWid"] * last["__gridSize"], last["__cHei"] * SIZE)
    return {
        "identifier": name,
        "iid": f"level-{name}",
        "uid": 0,
        "worldX": at[0] * SIZE,
        "worldY": at[1] * SIZE,
        "worldDepth": depth,
        "pxWid": width,
        "pxHei": height,
        "externalRelPath": None,
        "fieldInstances": [],
        "layerInstances": list(layers),
    }


def project(*levels: dict[str, Any], layout: str = "Free", **keys: Any) -> dict[str, Any]:
    """A whole project."""
    return {
        "__header__": {"fileType": "LDtk Project JSON", "app": "LDtk"},
        "jsonVersion": "1.5.3",
        "worldLayout": layout,
        "externalLevels": False,
        "defs": {
            "layers": [
                {
                    "uid": uid,
                    "identifier": name,
                    "type": kind,
                    "gridSize": SIZE,
                    "intGridValues": [
                        {"value": value, "identifier": word, "color": f"#0000{value:02x}"}
                        for value, word in VALUES
                    ]
                    if kind == "IntGrid"
                    else [],
                }
                for uid, name, kind in (
                    (GROUND, "Ground", "IntGrid"),
                    (THINGS, "Things", "Entities"),
                    (TILES, "Tiles", "Tiles"),
                )
            ],
            "entities": [{"uid": 30, "identifier": "Any", "tags": []}],
            "tilesets": [
                {
                    "uid": SET,
                    "identifier": "Forest",
                    "enumTags": [
                        {"enumValueId": "Rock", "tileIds": [1, 2]},
                        {"enumValueId": "Pond", "tileIds": [2, 3]},
                    ],
                }
            ],
        },
        "levels": list(levels),
        "worlds": [],
        **keys,
    }


def write(path: Path, document: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def read(path: Path, document: object, part: str = "", **settings: Any) -> GridLevel:
    """Write a project and read a level of it."""
    found = load(write(path, document), {}, part=part, ldtk=LdtkReading(**settings))
    assert isinstance(found, GridLevel)
    return found


def drawn(level: GridLevel) -> list[str]:
    """The terrain, by the first letters of names, "#" for walls and " " for void."""
    letters = {"walls": "#", "void": " ", "floor": ".", "water": "~"}
    names = np.array([letters.get(name, name[0]) for name in level.terrains])
    return ["".join(row) for row in names[level.terrain]]
