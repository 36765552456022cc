"""Small levels as starting points, one for each variant of each format."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

from PIL import Image

from tests.support import ldtk_projects as ldtk
from tests.support import tiled_maps as maps

LEVELS = Path(__file__).resolve().parents[1] / "levels_src"

TILES = [
    {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {
            "floor": 1,
            "mud": {"cost": 2.5, "colour": "#6f4e37"},
            "wall": "blocked",
            "water": {"cost": 1, "enter_from": ["water"]},
        },
        "legend": {".": "floor", ",": "mud", "#": "wall", "~": "water"},
        "connectivity": 8,
        "corner_cutting": "one_free",
        "cost_rule": "entered",
        "floor_height": 2,
        "rows": ["..,", "#~.", "..#", "..."],
        "links": [
            {"name": "up", "kind": "stairs", "from": [0, 0, 0], "to": [0, 0, 1], "both_ways": True},
            {"name": "leap", "from": [1, 0, 0], "to": [1, 1, 1], "cost": 4, "profiles": ["cat"]},
        ],
        "regions": [{"name": "a", "rect": [0, 0, 2, 1, 0]}, {"name": "b", "cells": [[1, 1, 1]]}],
        "spots": [{"name": "start", "kind": "spawn", "at": [2, 0, 0], "profiles": ["cat"]}],
        "doors": [
            {
                "name": "gate",
                "cells": [[2, 0, 1]],
                "states": {"open": None, "shut": "wall"},
                "state": "open",
            }
        ],
        "ledges": [{"rect": [0, 0, 1, 2, 1], "bars": ["north", "east"]}],
    },
    {
        "format": "bake-tiles",
        "version": 1,
        "$schema": "x",
        "description": "y",
        "grid": "hex",
        "hex_layout": "odd-r",
        "palette": ["floor", "mud", "wall"],
        "cells": [[0, 0, 1], [0, 2, 2]],
    },
]
GRAPHS = [
    {
        "directed": False,
        "multigraph": False,
        "graph": {"terrains": {"road": 1, "track": {"cost": 2, "enter_from": ["road"]}}},
        "nodes": [
            {"id": "mill", "x": 0, "y": 4, "terrain": "road"},
            {"id": "ford", "x": 3, "y": 4.5, "terrain": "track"},
            {"id": "inn", "x": 3, "y": 0, "terrain": "road"},
        ],
        "edges": [
            {"source": "mill", "target": "ford", "weight": 3.5},
            {"source": "ford", "target": "inn"},
        ],
    },
    {
        "format": "bake-graph",
        "version": 1,
        "directed": True,
        "nodes": [{"id": 1, "pos": [0, 1]}, {"id": 2, "pos": [2, 2]}, {"id": -3, "pos": [0, 0]}],
        "links": [{"source": 1, "target": 2, "weight": 2}, {"source": 2, "target": -3, "key": 0}],
    },
]
MAP = b"type octile\nheight 3\nwidth 6\nmap\n...T@@\n.SSTWW\n....WW\n"
ROWS = "##### \n#.~é#\n#..\n#####\n".encode()
VALUES = '12,#,12\n.,"~",\n12, é ,.\n'.encode()
SCENARIO = (
    b"version 1\n0\tcave.map\t6\t3\t0\t0\t3\t2\t4.24264069\n"
    b"12\tmaps/a cave.map\t6\t3\t1\t2\t0\t0\t2.41421\n"
)
TILESET = '<?xml version="1.0" encoding="UTF-8"?>' + maps.TILESET.strip().replace(
    ' firstgid="1"', ' version="1.10"'
).replace(
    "</tileset>",
    '<wangsets><wangset name="w" type="mixed" tile="-1"><wangcolor name="Water" color="#00f"/>'
    '<wangcolor name="Sand" color="#ff0"/><wangtile tileid="4" wangid="1,1,2,2,0,1,1,0"/>'
    "</wangset></wangsets></tileset>",
)
TILESET_JSON = {
    "type": "tileset",
    "version": "1.10",
    "name": "set",
    "tilecount": 6,
    "tilewidth": 16,
    "tileheight": 16,
    "objectalignment": "topleft",
    "tiles": maps.TILES_JSON,
    "wangsets": [
        {
            "name": "w",
            "colors": [{"name": "Water"}, {"name": "Sand"}],
            "wangtiles": [{"tileid": 5, "wangid": [1, 1, 2, 2, 0, 1, 1, 0]}],
        }
    ],
}
TEMPLATE = (
    '<?xml version="1.0" encoding="UTF-8"?><template><tileset firstgid="1" source="set.tsx"/>'
    '<object name="gate" type="door" gid="2" width="16" height="16" rotation="90">'
    '<properties><property name="states" value="open;shut=wall"/></properties></object></template>'
)
TEMPLATE_JSON = {
    "type": "template",
    "tileset": {"firstgid": 1, "source": "set.tsx"},
    "object": {
        "name": "way",
        "type": "region",
        "polygon": [{"x": 0, "y": 0}, {"x": 40, "y": 0}, {"x": 40, "y": 30}],
        "properties": [{"name": "floor", "type": "int", "value": 0}],
    },
}
#: Collision shapes of a tile, in both notations.
SHAPES = "".join(
    maps.thing(number, kind, (4, 4), inside, width=8, height=8, rotation=rotation)
    for number, (kind, inside, rotation) in enumerate(
        (("", "", 0), ("pond", "<ellipse/>", 30), ("", '<polygon points="0,0 8,0 3,9"/>', 0)), 1
    )
)
SHAPED = (
    ' <tileset firstgid="1" name="shaped" tilewidth="24" tileheight="32" tilecount="4">'
    '<tileoffset x="-2" y="3"/><grid orientation="isometric" width="16" height="8"/>'
    f'<tile id="0"><objectgroup>{SHAPES}</objectgroup></tile>'
    '<tile id="1"><image width="40" height="9"/><objectgroup>'
    f"{maps.thing(1, '', (0, 0), '<capsule/>', width=16, height=5)}</objectgroup></tile></tileset>"
)
SHAPED_JSON = {
    "firstgid": 1,
    "name": "shaped",
    "tilewidth": 16,
    "tileheight": 16,
    "tilecount": 4,
    "tilerendersize": "grid",
    "fillmode": "preserve-aspect-fit",
    "tileoffset": {"x": 1, "y": 0},
    "grid": {"orientation": "orthogonal", "width": 16, "height": 16},
    "tiles": [
        {
            "id": 0,
            "imagewidth": 20,
            "imageheight": 12,
            "objectgroup": {
                "objects": [
                    {"id": 1, "x": 2, "y": 0.5, "width": 12, "height": 3, "rotation": -45},
                    {"id": 2, "x": 0, "y": 0, "polyline": [{"x": 0, "y": 0}, {"x": 16, "y": 16}]},
                ]
            },
        }
    ],
}
#: Objects of every shape, as terrain.
FENCES = maps.objects(
    maps.thing(11, "fence", (3, 2), width=30, height=4, rotation=12.5),
    maps.thing(12, "fence", (8, 8), "<ellipse/>", width=20, height=10),
    maps.thing(13, "", (0, 0), '<polygon points="0,0 40,3 5,28 30,30"/>'),
    maps.thing(14, "", (47, 0), '<polyline points="0,0 0,31 -20,12"/>'),
    maps.thing(15, "fence", (10, 30), gid=1, width=48, height=16, rotation=90),
    maps.thing(16, "", (4, 4), terrain="mud", cost="2"),
    name="Walls",
    about=' offsetx="4" offsety="-2.5"',
)
#: A map that refers to the hostile files set.tsx and thing.tx.
OUTER = maps.tmx(
    maps.layer([[1, 2, 3], [4, 5, 6]]),
    maps.objects(maps.thing(1, "", (16, 16), template="thing.tx")),
    width=3,
    height=2,
    tileset=' <tileset firstgid="1" source="set.tsx"/>\n',
)
PLAIN = maps.tmx(maps.layer(maps.GIDS), width=3, height=2)
WORLD = {
    "type": "world",
    "maps": [{"fileName": "m_0_0.tmx", "x": 0, "y": 0}, {"fileName": "m_1_0.tmx", "x": 48, "y": 0}],
    "onlyShowAdjacentMaps": False,
}
WORLD_PATTERN = {
    "type": "world",
    "patterns": [
        {
            "regexp": r"m_(\d+)_(\d+)\.tmx",
            "multiplierX": 48,
            "multiplierY": 32,
            "offsetX": 0,
            "offsetY": -96,
        }
    ],
}
RECIPE = b"""sources = ["levels_src/*.png", "dungeons/**/*.map"]
output = "baked"
connectivity = 8
corner_cutting = "never"
cost_rule = "mean"
ticks_per_unit = 27720
memory_budget = "2 GiB"
tables = ["components", "next_hops"]

[next_hops]
algorithm = "auto"

[clusters]
size = 32
regions = false

[hierarchy]
mode = "hpa"
spacing = 8
keep_paths = true

[legend]
"#3a7d44" = "grass"
"#222" = "wall"

[tiled]
layers = ["Ground"]
ignore = ["Clouds"]
[tiled.legend]
"tile:outdoor:80-91,95" = "cliff"
"wang:Water" = "below"

[ldtk]
world = "each"
[ldtk.legend]
"value:walls" = "wall"

[terrain]
grass = 1
wall = "blocked"
water = { cost = 1.5, enter_from = ["water", "shore"] }

[profiles.walker]
size = 2
terrain = { water = "blocked" }

[levels.keep]
connectivity = 4
legend = { "#000000" = "void" }
[levels.keep-hall]
tables = "auto"
[levels.keep-hall.profiles.ghost]
terrain = { wall = 1 }
"""


def dumped(*documents: object) -> list[bytes]:
    return [json.dumps(each).encode() for each in documents]


@cache
def images() -> tuple[bytes, ...]:
    """Return one small image of each supported format and kind."""
    grey = Image.new("L", (5, 4), 255)
    grey.putpixel((2, 1), 0)
    colour = Image.new("RGBA", (5, 4), (255, 255, 255, 255))
    colour.putpixel((1, 1), (0, 0, 0, 255))
    colour.putpixel((3, 2), (0, 0, 0, 0))
    indexed = grey.convert("P")
    kinds = [
        *((each, "PNG", {}) for each in (grey, colour, indexed, grey.convert("1"))),
        (indexed, "PNG", {"transparency": 0}),
        *((each, "BMP", {}) for each in (grey, colour.convert("RGB"), indexed)),
        (indexed, "GIF", {}),
        *((each, "TGA", {}) for each in (grey, colour)),
        (colour, "TGA", {"compression": "tga_rle"}),
        *(
            (each, "TIFF", {"compression": how})
            for each in (grey, colour)
            for how in (None, "tiff_lzw", "tiff_adobe_deflate", "packbits")
        ),
        (colour, "WEBP", {"lossless": True}),
    ]
    found = []
    for image, kind, options in kinds:
        file = io.BytesIO()
        image.save(file, kind, **options)
        found.append(file.getvalue())
    return tuple(found)


def tiled_maps(suffix: str) -> list[bytes]:
    found = [text.encode() for name, text in sorted(maps.MAPS.items()) if name.endswith(suffix)]
    if suffix == "tmx":
        found += [
            maps.tmx(
                '<layer id="1" name="G" width="4" height="4"><data encoding="csv">'
                '<chunk x="-4" y="0" width="4" height="2">1,0,2,0,1,1,1,1</chunk>'
                '<chunk x="0" y="0" width="4" height="2">1,2,3,4,5,0,1,1</chunk></data></layer>',
                width=4,
                height=4,
                infinite=1,
            ).encode(),
            maps.tmx(
                *(
                    f'<group name="F{floor}"><properties><property name="floor" type="int" '
                    f'value="{floor}"/></properties>'
                    f"{maps.layer(maps.GIDS, name=f'L{floor}')}</group>"
                    for floor in (0, 1)
                ),
                width=3,
                height=2,
            ).encode(),
            OUTER.encode(),
            *(
                maps.tmx(
                    maps.layer([[1, 2, 0x80000001], [0x60000002, 3, 1]]),
                    FENCES,
                    width=3,
                    height=2,
                    tileset=SHAPED,
                    about=about,
                ).encode()
                for about in (
                    "",
                    'orientation="isometric"',
                    'orientation="hexagonal" hexsidelength="6" staggeraxis="y" staggerindex="even"',
                    'orientation="staggered" staggeraxis="x" staggerindex="odd"',
                )
            ),
            maps.tmx(FENCES, width=0, height=0, infinite=1, tileset=SHAPED).encode(),
        ]
    else:
        found.append(maps.tmj([[1, 1], [2, 1]], tilesets=[SHAPED_JSON]).encode())
    return found


def projects() -> list[bytes]:
    """Return LDtk projects with several levels, floors and kinds of layers."""
    ground = ldtk.int_grid("....", ".#~.", "..m.")
    things = ldtk.entities(
        ldtk.entity("Spawn", 0, 0, name="start", profiles="cat"),
        ldtk.entity("Door", 1, 0, size=(2, 1), states="open;shut=wall", state="shut"),
        ldtk.entity("Region", 2, 2, size=(2, 1), pivot=(0.5, 1.0)),
        ldtk.entity("Stairs", 0, 2, iid="a", to=["b"], cost=2),
        ldtk.entity("Exit", 3, 2, iid="b"),
        ldtk.entity("Ledge", 0, 1, one_way="south", barred=["east"]),
        width=4,
        height=3,
    )
    tiles = ldtk.tile_layer(4, 3, {(0, 0): 1, (2, 1): 2, (3, 2): 3})
    return dumped(
        ldtk.project(ldtk.level("One", things, tiles, ground)),
        ldtk.project(
            ldtk.level("One", ground), ldtk.level("Two", ground, at=(4, 0), depth=1), layout="Free"
        ),
        ldtk.project(
            ldtk.level("One", ground), ldtk.level("Two", tiles), layout="LinearHorizontal"
        ),
    )


def split_project() -> tuple[bytes, bytes]:
    """Return an LDtk project, and the level file that it refers to."""
    whole = ldtk.level("One", ldtk.int_grid("..#", ".~."))
    outer = {**whole, "layerInstances": None, "externalRelPath": "one.ldtkl"}
    project, level = dumped(ldtk.project(outer, externalLevels=True), whole)
    return project, level


def project_files(*names: str) -> list[bytes]:
    """Return files of levels_src."""
    return [(LEVELS / name).read_bytes() for name in names]
