"""A project's definitions, and its levels wherever they are saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from bake.editors import LdtkReading
from bake.errors import LevelError
from bake.levels.json_text import json_place, read_document, shown
from bake.levels.ldtk.contents import Part, Place, Steps
from bake.levels.ldtk.model import (
    Definitions,
    EntityDefinition,
    EntityInstance,
    LayerDefinition,
    LayerInstance,
    LevelInstance,
    TilesetDefinition,
)
from bake.levels.references import project_root, referred_file
from bake.levels.terrain_json import told

M = TypeVar("M", bound=BaseModel)

_LONGEST_WORDS = 200
LAYOUTS = ("Free", "GridVania", "LinearHorizontal", "LinearVertical")


@dataclass(frozen=True)
class Where:
    """A place in a file, to tell of mistakes at it."""

    file: Path
    steps: Steps
    words: str = ""

    def refuse(
        self, found: str, expected: str | None = None, remedy: str | None = None
    ) -> NoReturn:
        raise LevelError(found, file=self.file, place=str(self), expected=expected, remedy=remedy)

    def __str__(self) -> str:
        place = json_place(self.steps)
        words = self.words
        if not words.isprintable() or len(words) > _LONGEST_WORDS:
            words = shown(words)
        if place and words:
            return f"{place} ({words})"
        return place or words or "top level"

    def inside(self, *steps: str | int, words: str = "") -> Where:
        return Where(self.file, (*self.steps, *steps), words or self.words)


@dataclass(frozen=True)
class LoadedLevel:
    """One level, and where it stands."""

    level: LevelInstance
    where: Where

    def layers(self) -> Iterator[tuple[LayerInstance, Where]]:
        """Layers with their places, the topmost first."""
        for number, layer in enumerate(self.level.layer_instances or ()):
            words = f"{layer.identifier} of {self.level.identifier}"
            yield layer, self.where.inside("layerInstances", number, words=words)


@dataclass
class Project:
    """An LDtk project being read.

    Attributes:
        depends_on: level files read so far.
    """

    path: Path
    document: Mapping[str, Any]
    reading: LdtkReading
    root: Path
    definitions: Definitions
    layers: dict[int, LayerDefinition]
    tilesets: dict[int, TilesetDefinition]
    entities: dict[int, EntityDefinition]
    depends_on: list[Path] = field(default_factory=list)

    def levels(self, part: Part) -> list[LoadedLevel]:
        """The levels of a part, those in files of their own read from there."""
        return [self._level(place) for place in part.levels]

    def layout(self, part: Part) -> str:
        """How the levels of a world lie to each other."""
        owner: Any = self.document
        for step in part.world:
            owner = owner[step]
        layout = owner.get("worldLayout")
        if layout not in LAYOUTS:
            raise LevelError(
                f"found {shown(layout)}",
                file=self.path,
                place=json_place([*part.world, "worldLayout"]),
                expected=" or ".join(LAYOUTS),
            )
        return str(layout)

    def _level(self, place: Place) -> LoadedLevel:
        value: Any = self.document
        for step in place.steps:
            value = value[step]
        level = validated(LevelInstance, value, self.path, place.steps)
        where = Where(self.path, place.steps, level.identifier)
        if level.layer_instances is not None:
            return LoadedLevel(level, where)
        if level.external_rel_path is None:
            where.refuse(
                "the level has no layers, and names no file that holds them",
                "layerInstances or externalRelPath",
                "save the project again in LDtk",
            )
        file = referred_file(
            self.path,
            level.external_rel_path,
            root=self.root,
            allow_outside=self.reading.allow_outside,
            place=json_place([*place.steps, "externalRelPath"]),
            table="ldtk",
        )
        if file not in self.depends_on:
            self.depends_on.append(file)
        own = validated(LevelInstance, read_document(file), file, ())
        if own.identifier != level.identifier:
            raise LevelError(
                f"this is the level {shown(own.identifier)}",
                file=file,
                place="identifier",
                expected=f"{shown(level.identifier)}, as {self.path} says",
                remedy="save the project again in LDtk",
            )
        if own.layer_instances is None:
            raise LevelError(
                "the level has no layers", file=file, place="layerInstances", expected="a list"
            )
        # Where a level lies is the project's to say: moving it need not touch its file.
        joined = level.model_copy(update={"layer_instances": own.layer_instances})
        return LoadedLevel(joined, Where(file, (), level.identifier))

    def definition(self, layer: LayerInstance, where: Where) -> LayerDefinition:
        """What a layer's values mean."""
        found = self.layers.get(layer.layer_def_uid)
        if found is None:
            where.inside("layerDefUid").refuse(
                f"no layer is defined by {layer.layer_def_uid}",
                "the uid of a layer in defs",
                "save the project again in LDtk",
            )
        return found

    def tags_of(self, entity: EntityInstance) -> list[str]:
        """Tags of an entity; before version 1.0 they stand in its definition alone."""
        definition = self.entities.get(entity.def_uid)
        return entity.tags or ([] if definition is None else definition.tags)


def open_project(
    path: Path, document: Mapping[str, Any], reading: LdtkReading, project: Path | None
) -> Project:
    """Read the definitions of a parsed project.

    Raises:
        LevelError, BakeErrors: mistakes in them.
    """
    definitions = validated(Definitions, document.get("defs"), path, ("defs",))
    return Project(
        path,
        document,
        reading,
        project_root(path, project),
        definitions,
        _by_uid(path, "layers", definitions.layers),
        _by_uid(path, "tilesets", definitions.tilesets),
        _by_uid(path, "entities", definitions.entities),
    )


D = TypeVar("D", LayerDefinition, TilesetDefinition, EntityDefinition)


def _by_uid(path: Path, key: str, definitions: list[D]) -> dict[int, D]:
    found: dict[int, D] = {}
    for number, definition in enumerate(definitions):
        if definition.uid in found:
            raise LevelError(
                f"the uid {definition.uid} is given twice",
                file=path,
                place=json_place(["defs", key, number, "uid"]),
                expected="each uid once",
            )
        found[definition.uid] = definition
    return found


def validated(model: type[M], value: object, file: Path, steps: Steps) -> M:
    """A value as a model.

    Raises:
        LevelError, BakeErrors: each mistake with its path in the file.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise told(error, file, prefix=steps) from None
