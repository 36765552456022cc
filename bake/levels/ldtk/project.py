"""The pydantic models of LDtk projects, and the definitions and levels of a project.

Source: the LDtk JSON documentation, versions 0.9.3 to 1.5.3. Fields that are newer than 0.9 have
defaults: worldDepth, iid, __tags (1.0). Fields that only the editor uses are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bake.levels.ldtk.outline import ListedLevel, Part
from bake.levels.reading.editors import LdtkReading
from bake.levels.reading.files import find_project_root, read_document, resolve_reference
from bake.levels.reading.mistakes import Where, json_place, shown
from bake.levels.reading.models import FIRST_ONLY, validated

SAVE_AGAIN = "save the project again in LDtk"

LAYOUTS = ("Free", "GridVania", "LinearHorizontal", "LinearVertical")

Pixels = Annotated[int, Field(ge=-(2**40), le=2**40)]
Length = Annotated[int, Field(ge=0, le=2**40)]
GridSize = Annotated[int, Field(ge=1, le=2**20)]
Point = Annotated[list[Pixels], Field(min_length=2, max_length=2)]
Number = Annotated[int, Field(ge=-(2**62), le=2**62)]
Fraction = Annotated[float, Field(ge=-(2**20), le=2**20, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1)]


class Fields(BaseModel):
    """A model that ignores unknown fields."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, alias_generator=to_camel)


class GridValue(Fields):
    value: Number
    identifier: str | None = None
    color: str = ""


class LayerDefinition(Fields):
    uid: Number
    identifier: Name
    int_grid_values: Annotated[list[GridValue], FIRST_ONLY] = []


class EnumTag(Fields):
    enum_value_id: Name
    tile_ids: Annotated[list[Number], FIRST_ONLY]


class TilesetDefinition(Fields):
    uid: Number
    identifier: Name
    enum_tags: Annotated[list[EnumTag], FIRST_ONLY] = []


class EntityDefinition(Fields):
    uid: Number
    tags: Annotated[list[str], FIRST_ONLY] = []


class Definitions(Fields):
    layers: Annotated[list[LayerDefinition], FIRST_ONLY]
    tilesets: Annotated[list[TilesetDefinition], FIRST_ONLY] = []
    entities: Annotated[list[EntityDefinition], FIRST_ONLY] = []


class FieldInstance(Fields):
    identifier: Name = Field(alias="__identifier")
    type: str = Field(alias="__type", default="")
    value: Any = Field(alias="__value", default=None)


class EntityInstance(Fields):
    """An entity in a level. `px` is its pivot point; `pivot` is a fraction of the size."""

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


class LayerInstance(Fields):
    """A layer of a level. Tiles are not validated here, as most layers have no terrain."""

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


class Tile(Fields):
    """A tile in a layer: its position `px` in the layer, and its number `t` in the tileset."""

    px: Point
    t: Number


class LevelInstance(Fields):
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


@dataclass(frozen=True)
class LoadedLevel:
    """A level with its place in the project file or in a level file."""

    level: LevelInstance
    where: Where

    def layers(self) -> Iterator[tuple[LayerInstance, Where]]:
        """Yield the layers with their places, topmost first."""
        for number, layer in enumerate(self.level.layer_instances or ()):
            words = f"{layer.identifier} of {self.level.identifier}"
            yield layer, self.where.inside("layerInstances", number, words=words)


@dataclass
class Project:
    """An open LDtk project."""

    path: Path
    document: Mapping[str, Any]
    reading: LdtkReading
    root: Path
    definitions: Definitions
    layers: dict[int, LayerDefinition]
    tilesets: dict[int, TilesetDefinition]
    entities: dict[int, EntityDefinition]
    depends_on: list[Path] = field(default_factory=list)  #: level files read so far

    def levels(self, part: Part) -> list[LoadedLevel]:
        """Read the levels of an asset, including those in separate files."""
        return [self._read_level(place) for place in part.levels]

    def layout(self, part: Part) -> str:
        """Return the layout of the world of an asset, one of LAYOUTS."""
        owner: Any = self.document
        for step in part.world:
            owner = owner[step]
        layout = owner.get("worldLayout")
        if layout not in LAYOUTS:
            where = Where(self.path, (*part.world, "worldLayout"))
            where.refuse(f"found {shown(layout)}", " or ".join(LAYOUTS))
        return str(layout)

    def _read_level(self, place: ListedLevel) -> LoadedLevel:
        value: Any = self.document
        for step in place.steps:
            value = value[step]
        where = Where(self.path, place.steps)
        level = validated(LevelInstance, value, where)
        where = Where(self.path, place.steps, level.identifier)
        if level.layer_instances is not None:
            return LoadedLevel(level, where)
        if level.external_rel_path is None:
            where.refuse(
                "the level has no layers, and names no file that holds them",
                "layerInstances or externalRelPath",
                SAVE_AGAIN,
            )
        file = resolve_reference(
            self.path,
            level.external_rel_path,
            root=self.root,
            allow_outside=self.reading.allow_outside,
            place=json_place([*place.steps, "externalRelPath"]),
            table="ldtk",
        )
        if file not in self.depends_on:
            self.depends_on.append(file)
        top = Where(file)
        stored = validated(LevelInstance, read_document(file), top)
        if stored.identifier != level.identifier:
            top.inside("identifier").refuse(
                f"this is the level {shown(stored.identifier)}",
                f"{shown(level.identifier)}, as {self.path} says",
                SAVE_AGAIN,
            )
        if stored.layer_instances is None:
            top.inside("layerInstances").refuse("the level has no layers", "a list", SAVE_AGAIN)
        # LDtk moves levels without saving their files, so the position comes from the project.
        merged = level.model_copy(update={"layer_instances": stored.layer_instances})
        return LoadedLevel(merged, Where(file, (), level.identifier))

    def definition(self, layer: LayerInstance, where: Where) -> LayerDefinition:
        """Return the definition of a layer, which has the names of its values."""
        definition = self.layers.get(layer.layer_def_uid)
        if definition is None:
            where.inside("layerDefUid").refuse(
                f"no layer definition has the uid {layer.layer_def_uid}",
                "the uid of a layer in defs",
                SAVE_AGAIN,
            )
        return definition

    def tags_of(self, entity: EntityInstance) -> list[str]:
        """Return the tags of an entity, or of its definition before version 1.0."""
        definition = self.entities.get(entity.def_uid)
        return entity.tags or ([] if definition is None else definition.tags)


def open_project(
    path: Path, document: Mapping[str, Any], reading: LdtkReading, project: Path | None
) -> Project:
    """Read the definitions of a parsed project.

    Raises:
        LevelError, BakeErrors: the definitions have mistakes.
    """
    definitions = validated(Definitions, document.get("defs"), Where(path, ("defs",)))
    return Project(
        path,
        document,
        reading,
        find_project_root(path, project),
        definitions,
        _index_by_uid(path, "layers", definitions.layers),
        _index_by_uid(path, "tilesets", definitions.tilesets),
        _index_by_uid(path, "entities", definitions.entities),
    )


D = TypeVar("D", LayerDefinition, TilesetDefinition, EntityDefinition)


def _index_by_uid(path: Path, key: str, definitions: list[D]) -> dict[int, D]:
    by_uid: dict[int, D] = {}
    for number, definition in enumerate(definitions):
        if definition.uid in by_uid:
            where = Where(path, ("defs", key, number, "uid"))
            where.refuse(f"the uid {definition.uid} is given twice", "each uid once", SAVE_AGAIN)
        by_uid[definition.uid] = definition
    return by_uid
