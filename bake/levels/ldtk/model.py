"""The fields of LDtk's JSON that are read; all others are ignored.

LDtk JSON documentation, versions 0.9.3 to 1.5.3. Fields that came later than 0.9 have defaults:
worldDepth, iid, __tags (1.0); those only the editor uses are not read at all.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bake.levels.terrain_json import FIRST_ONLY

Pixels = Annotated[int, Field(ge=-(2**40), le=2**40)]
Length = Annotated[int, Field(ge=0, le=2**40)]
GridSize = Annotated[int, Field(ge=1, le=2**20)]
Point = Annotated[list[Pixels], Field(min_length=2, max_length=2)]
Number = Annotated[int, Field(ge=-(2**62), le=2**62)]
Fraction = Annotated[float, Field(ge=-(2**20), le=2**20, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1)]


class Part(BaseModel):
    """Some fields of an object; the editor's others are passed over."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, alias_generator=to_camel)


class GridValue(Part):
    value: Number
    identifier: str | None = None
    color: str = ""


class LayerDefinition(Part):
    uid: Number
    identifier: Name
    int_grid_values: Annotated[list[GridValue], FIRST_ONLY] = []


class EnumTag(Part):
    enum_value_id: Name
    tile_ids: Annotated[list[Number], FIRST_ONLY]


class TilesetDefinition(Part):
    uid: Number
    identifier: Name
    enum_tags: Annotated[list[EnumTag], FIRST_ONLY] = []


class EntityDefinition(Part):
    uid: Number
    tags: Annotated[list[str], FIRST_ONLY] = []


class Definitions(Part):
    layers: Annotated[list[LayerDefinition], FIRST_ONLY]
    tilesets: Annotated[list[TilesetDefinition], FIRST_ONLY] = []
    entities: Annotated[list[EntityDefinition], FIRST_ONLY] = []


class FieldInstance(Part):
    identifier: Name = Field(alias="__identifier")
    type: str = Field(alias="__type", default="")
    value: Any = Field(alias="__value", default=None)


class EntityInstance(Part):
    """`px` is the place of the pivot, which is a fraction of the size from the top left."""

    identifier: Name = Field(alias="__identifier")
    grid: Point = Field(alias="__grid")
    pivot: Annotated[list[Fraction], Field(min_length=2, max_length=2)] = Field(
        alias="__pivot", default=[0.0, 0.0]
    )
    tags: Annotated[list[str], FIRST_ONLY] = Field(alias="__tags", default=[])
    iid: str | None = None
    def_uid: Number
    px: Point
    width: Length
    height: Length
    field_instances: Annotated[list[FieldInstance], FIRST_ONLY] = []


class LayerInstance(Part):
    """Tiles are left as they are: most layers' tiles say nothing of terrain."""

    identifier: Name = Field(alias="__identifier")
    type: str = Field(alias="__type")
    width: Length = Field(alias="__cWid")
    height: Length = Field(alias="__cHei")
    grid_size: GridSize = Field(alias="__gridSize")
    offset_x: Pixels = Field(alias="__pxTotalOffsetX", default=0)
    offset_y: Pixels = Field(alias="__pxTotalOffsetY", default=0)
    tileset_def_uid: Number | None = Field(alias="__tilesetDefUid", default=None)
    layer_def_uid: Number
    int_grid_csv: Annotated[list[Number], FIRST_ONLY] = []
    auto_layer_tiles: Annotated[list[Any], FIRST_ONLY] = []
    grid_tiles: Annotated[list[Any], FIRST_ONLY] = []
    entity_instances: Annotated[list[EntityInstance], FIRST_ONLY] = []


class Tile(Part):
    px: Point
    t: Number


class LevelInstance(Part):
    identifier: Name
    iid: str | None = None
    uid: Number | None = None
    world_x: Pixels = 0
    world_y: Pixels = 0
    world_depth: Annotated[int, Field(ge=-(2**20), le=2**20)] = 0
    px_wid: Annotated[int, Field(ge=1, le=2**40)]
    px_hei: Annotated[int, Field(ge=1, le=2**40)]
    external_rel_path: str | None = None
    layer_instances: Annotated[list[LayerInstance], FIRST_ONLY] | None = None
