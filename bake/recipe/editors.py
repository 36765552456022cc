"""Tables of `bake.toml` about how editors' files are read: Tiled and LDtk."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PlainValidator, WithJsonSchema

from bake.editors import WorldAs
from bake.recipe import values
from bake.recipe.shapes import (
    NAME,
    Flag,
    LayerNames,
    LdtkKey,
    Table,
    TerrainName,
    TiledKey,
    chosen,
)

_Empty = Annotated[str | None, PlainValidator(values.terrain_name), WithJsonSchema(NAME)]
_World = Annotated[WorldAs | None, chosen(WorldAs)]


class TiledTable(Table):
    """How maps of the Tiled editor are read."""

    layers: LayerNames = Field(
        default=None,
        description="Tile layers that count, by name or path (Group/Layer). Default: all.",
    )
    ignore: LayerNames = Field(
        default=None, description="Layers that do not count, by name or path. Default: none."
    )
    empty: _Empty = Field(
        default=None, description='Terrain of cells without a tile. Default: "void".'
    )
    legend: dict[TiledKey, TerrainName] = Field(
        default_factory=dict,
        description='Terrain, or "below", by what a tile is: "tile:SET:IDS", "property:NAME", '
        '"property:NAME=VALUE", "class:NAME", "wang:NAME", "tileset:NAME", "layer:NAME"; kind of '
        'thing by "object:CLASS".',
    )
    world: _World = Field(
        default=None,
        description="Whether the maps of a .world file bake as one level, or one asset each. "
        'Default: "one".',
    )
    allow_outside: Flag = Field(
        default=None,
        description="Whether files outside the recipe's folder may be read. Default: false.",
    )


class LdtkTable(Table):
    """How projects of the LDtk editor are read."""

    layers: LayerNames = Field(
        default=None, description="Layers that count, by identifier. Default: all."
    )
    ignore: LayerNames = Field(default=None, description="Layers that do not count. Default: none.")
    empty: _Empty = Field(
        default=None,
        description='Terrain of cells no layer says anything of. Default: "floor".',
    )
    legend: dict[LdtkKey, TerrainName] = Field(
        default_factory=dict,
        description='Terrain, or "below", by what a cell holds: "value:NAME", '
        '"value:LAYER:NAME", "value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", '
        '"layer:NAME", "area:ENTITY"; kind of thing by "entity:NAME".',
    )
    world: _World = Field(
        default=None,
        description="Whether the levels of a world bake as one level, or one asset each. "
        'Default: "one".',
    )
    allow_outside: Flag = Field(
        default=None,
        description="Whether files outside the recipe's folder may be read. Default: false.",
    )
