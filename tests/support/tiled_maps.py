"""Small Tiled maps as text, in every way Tiled writes their cells."""

import base64
import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backports import zstd

from bake.core.errors import LevelError
from bake.core.level import GridLevel
from bake.levels import TiledReading, load

#: Tile 0 is a floor, 1 a wall, 2 mud of cost 3, 3 water by its class.
TILESET = """
 <tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="6" columns="3">
  <tile id="0"><properties><property name="terrain" value="floor"/></properties></tile>
  <tile id="1"><properties><property name="blocked" type="bool" value="true"/></properties></tile>
  <tile id="2"><properties><property name="terrain" value="mud"/>
   <property name="cost" type="float" value="3"/></properties></tile>
  <tile id="3" class="water"/>
  <tile id="4"><properties><property name="one_way" value="south"/></properties></tile>
 </tileset>
"""
TILES_JSON: list[dict[str, Any]] = [
    {"id": 0, "properties": [{"name": "terrain", "type": "string", "value": "floor"}]},
    {"id": 1, "properties": [{"name": "blocked", "type": "bool", "value": True}]},
    {
        "id": 2,
        "properties": [
            {"name": "terrain", "type": "string", "value": "mud"},
            {"name": "cost", "type": "float", "value": 3},
        ],
    },
    {"id": 3, "type": "water"},
    {"id": 4, "properties": [{"name": "one_way", "type": "string", "value": "south"}]},
]
ENCODINGS = ("xml", "csv", "base64", "base64-zlib", "base64-gzip", "base64-zstd")
PACK = {
    "": bytes,
    "zlib": zlib.compress,
    # Without the time, which would make tests of one run differ from those of another.
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "zstd": zstd.compress,
}


def packed(gids: list[list[int]], compression: str) -> str:
    data = np.array(gids, dtype="<u4").tobytes()
    return base64.b64encode(PACK[compression](data)).decode()


def cells(gids: list[list[int]], encoding: str) -> str:
    """What stands inside <data> or <chunk>."""
    if encoding == "xml":
        return "".join(f'<tile gid="{gid}"/>' for row in gids for gid in row)
    if encoding == "csv":
        return "\n" + ",\n".join(",".join(map(str, row)) for row in gids) + "\n"
    return f"\n   {packed(gids, encoding.partition('-')[2])}\n  "


def attributes(encoding: str) -> str:
    name, _, compression = encoding.partition("-")
    text = "" if name == "xml" else f' encoding="{name}"'
    return text + (f' compression="{compression}"' if compression else "")


def layer(
    gids: list[list[int]], encoding: str = "csv", name: str = "Ground", number: int = 1
) -> str:
    return (
        f' <layer id="{number}" name="{name}" width="{len(gids[0])}" height="{len(gids)}">'
        f"<data{attributes(encoding)}>{cells(gids, encoding)}</data></layer>\n"
    )


def tmx(
    *parts: str, width: int, height: int, tileset: str = TILESET, about: str = "", infinite: int = 0
) -> str:
    orientation = "" if "orientation=" in about else ' orientation="orthogonal"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<map version="1.10" tiledversion="1.10.2"'
        f'{orientation} renderorder="right-down" width="{width}" height="{height}" '
        f'tilewidth="16" tileheight="16" infinite="{infinite}" nextlayerid="9" nextobjectid="99" '
        f"{about}>\n{tileset}{''.join(parts)}</map>\n"
    )


def tmj(gids: list[list[int]], *, compression: str | None = None, **more: Any) -> str:
    """A map of one layer; ``compression`` None = a plain list."""
    ground: dict[str, Any] = {
        "type": "tilelayer",
        "id": 1,
        "name": "Ground",
        "opacity": 1,
        "visible": True,
        "width": len(gids[0]),
        "height": len(gids),
        "data": [gid for row in gids for gid in row],
    }
    if compression is not None:
        ground |= {
            "encoding": "base64",
            "compression": compression,
            "data": packed(gids, compression),
        }
    return json.dumps(
        {
            "type": "map",
            "version": "1.10",
            "tiledversion": "1.10.2",
            "orientation": "orthogonal",
            "renderorder": "right-down",
            "infinite": False,
            "width": len(gids[0]),
            "height": len(gids),
            "tilewidth": 16,
            "tileheight": 16,
            "nextlayerid": 9,
            "nextobjectid": 99,
            "tilesets": [
                {
                    "firstgid": 1,
                    "name": "set",
                    "tilewidth": 16,
                    "tileheight": 16,
                    "tilecount": 6,
                    "columns": 3,
                    "margin": 0,
                    "spacing": 0,
                    "image": "set.png",
                    "imagewidth": 48,
                    "imageheight": 32,
                    "tiles": TILES_JSON,
                }
            ],
            "layers": [ground],
        }
        | more
    )


def objects(*items: str, name: str = "Things", about: str = "") -> str:
    return f' <objectgroup id="5" name="{name}"{about}>{"".join(items)}</objectgroup>\n'


def thing(number: int, kind: str, at: tuple[float, float], inside: str = "", **more: Any) -> str:
    """An object; keywords whose value has no place as attribute are properties."""
    plain = {
        key: more.pop(key)
        for key in ("name", "width", "height", "rotation", "gid", "template")
        if key in more
    }
    text = "".join(f' {key}="{value}"' for key, value in plain.items())
    values = "".join(_property(name, value) for name, value in more.items())
    return (
        f'<object id="{number}" type="{kind}" x="{at[0]}" y="{at[1]}"{text}>'
        + (f"<properties>{values}</properties>" if values else "")
        + f"{inside}</object>"
    )


def _property(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f'<property name="{name}" type="bool" value="{str(value).lower()}"/>'
    if isinstance(value, int):
        kind = "object" if name == "to" else "int"
        return f'<property name="{name}" type="{kind}" value="{value}"/>'
    return f'<property name="{name}" value="{value}"/>'


def write(folder: Path, text: str, name: str = "map.tmx") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def read(path: Path, **reading: Any) -> GridLevel:
    level = load(path, {}, tiled=TiledReading(**reading))
    assert isinstance(level, GridLevel)
    return level


def refused(path: Path, **reading: Any) -> str:
    """The one line a user sees."""
    with pytest.raises(LevelError) as caught:
        read(path, **reading)
    line = str(caught.value)
    assert "\n" not in line
    return line


#: Tiles of the maps below.
GIDS = [[1, 2, 3], [4, 5, 1]]
#: One map of every kind, by file name.
MAPS = {
    "csv.tmx": tmx(
        layer(GIDS),
        objects(
            thing(1, "spawn", (8, 8), "<point/>", name="a"),
            thing(2, "door", (16, 0), width=16, height=16, states="open;shut=wall"),
            thing(3, "region", (0, 0), '<polygon points="0,0 32,0 32,32"/>', rotation=5),
            thing(4, "stairs", (0, 16), to=1, cost="2", gid=1),
        ),
        width=3,
        height=2,
    ),
    "zlib.tmx": tmx(layer(GIDS, "base64-zlib"), width=3, height=2),
    "zstd.tmx": tmx(layer(GIDS, "base64-zstd"), width=3, height=2),
    "hex.tmx": tmx(
        layer(GIDS, "xml"),
        width=3,
        height=2,
        about='orientation="hexagonal" hexsidelength="4" staggeraxis="x" staggerindex="odd"',
    ),
    "iso.tmx": tmx(layer(GIDS), width=3, height=2, about='orientation="staggered"'),
    "plain.tmj": tmj(GIDS),
    "gzip.tmj": tmj(GIDS, compression="gzip"),
}
