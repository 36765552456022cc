"""JSON of Tiled before 1.2, which its plug-in json1 still writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from bake.core.level import GridLevel
from tests.support.levels import named
from tests.support.tiled_maps import GIDS, TILES_JSON, layer, read, tmj, tmx, write
from tests.support.tiled_shapes import remarks

#: TILES_JSON, as Tiled wrote it before 1.2.
TILE_PROPERTIES = {
    str(tile["id"]): {each["name"]: each["value"] for each in tile["properties"]}
    for tile in TILES_JSON
    if "properties" in tile
}
TILE_TYPES = {
    str(tile["id"]): {each["name"]: each["type"] for each in tile["properties"]}
    for tile in TILES_JSON
    if "properties" in tile
}
OLD_TILESET: dict[str, Any] = {
    "name": "set",
    "tilewidth": 16,
    "tileheight": 16,
    "tilecount": 6,
    "columns": 3,
    "image": "set.png",
    "imagewidth": 48,
    "imageheight": 32,
    "tileproperties": TILE_PROPERTIES,
    "tilepropertytypes": TILE_TYPES,
    "tiles": {"3": {"type": "water"}, "1": {"terrain": [0, 0, 0, 0]}},
}


def old_map(tileset: dict[str, Any], **more: Any) -> str:
    ground = {
        "type": "tilelayer",
        "name": "Ground",
        "width": 3,
        "height": 2,
        "data": [gid for row in GIDS for gid in row],
    }
    text = tmj(GIDS, tilesets=[{"firstgid": 1, **tileset}], layers=[ground])
    document = json.loads(text)
    for key in ("type", "tiledversion", "nextlayerid", "infinite"):
        del document[key]
    return json.dumps({**document, "version": 1, **more})


def same(one: GridLevel, other: GridLevel) -> bool:
    bars = [None if each.barred is None else each.barred.tolist() for each in (one, other)]
    return (
        named(one) == named(other)
        and one.terrain_rules == other.terrain_rules
        and bars[0] == bars[1]
        and one.things == other.things
    )


@pytest.mark.parametrize("external", [None, "set.json", "set.tsj"])
def test_tiles_and_their_properties(tmp_path: Path, external: str | None) -> None:
    new = read(write(tmp_path, tmx(layer(GIDS), width=3, height=2)))
    assert named(new)[0] == ["floor", "wall", "mud"]
    tileset = OLD_TILESET
    if external:
        write(tmp_path, json.dumps({**OLD_TILESET, "type": "tileset"}), external)
        tileset = {"source": external}
    old = read(write(tmp_path, old_map(tileset), "old.tmj"))
    assert same(old, new)
    if external:
        assert [each.name for each in old.depends_on] == [external]


def test_tiles_in_both_forms(tmp_path: Path) -> None:
    """A list of tiles counts before what the old form has of them."""
    tiles = [{"id": 3, "type": "water"}, {"id": 1, "properties": [{"name": "walkable",
              "type": "bool", "value": True}]}]  # fmt: skip
    level = read(write(tmp_path, old_map({**OLD_TILESET, "tiles": tiles}), "old.tmj"))
    assert named(level)[0] == ["floor", "floor", "mud"]


def test_properties_of_layers_and_objects(tmp_path: Path) -> None:
    ground = {
        **{"type": "tilelayer", "name": "Ground", "width": 3, "height": 1, "data": [6, 6, 6]},
        **{"properties": {"Terrain": "sand"}, "propertytypes": {"Terrain": "string"}},
    }
    items = [
        {
            **{"id": 1, "name": "up", "type": "ladder", "x": 8, "y": 8, "width": 0, "height": 0},
            "properties": {"to": "top", "cost": 3, "one_way": True, "profiles": ["cat"]},
            "propertytypes": {"to": "string", "cost": "int", "one_way": "bool", "profiles": "list"},
        },
        {"id": 2, "name": "top", "type": "exit", "x": 40, "y": 8, "properties": {}},
    ]
    things = {"type": "objectgroup", "name": "Things", "objects": items, "properties": {}}
    text = old_map(OLD_TILESET, layers=[ground, things], width=3, height=1)
    level = read(write(tmp_path, text, "old.tmj"))
    assert named(level) == [["sand"] * 3]
    (link,) = level.things.links
    assert (link.goal, link.cost, link.both_ways, link.profiles) == ((2, 0), 3.0, False, ("cat",))


def test_classes_without_their_names(tmp_path: Path) -> None:
    """The old form does not name the class of a property, but has the members that were set."""
    tileset = {
        **OLD_TILESET,
        "tileproperties": {"0": {"nav": {"blocked": True}}},
        "tilepropertytypes": {"0": {"nav": "class"}},
    }
    level = read(write(tmp_path, old_map(tileset), "old.tmj"))
    assert named(level)[0][0] == "wall"
    assert "does not name the class" in remarks(level)[0]
