"""Read levels of LDtk projects: one level, or all levels of a world as one.

The kind of an entity follows from the legend, its tags or its identifier. Its name is the field
`name`, or else the identifier, with a number if the asset has several.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.level import Cell, GridLevel, Shape, Things, upright
from bake.levels.ldtk.canvas import Canvas
from bake.levels.ldtk.layout import STATED, Legend, PlacedLevel, arrange_levels, is_read
from bake.levels.ldtk.outline import outline
from bake.levels.ldtk.project import EntityInstance, LayerInstance, Project, open_project
from bake.levels.reading.editors import BELOW, LdtkReading
from bake.levels.reading.files import read_document
from bake.levels.reading.limits import spend_area
from bake.levels.reading.marks import (
    DOOR_STATES,
    KIND_WORDS,
    LINK_KINDS,
    SPOT_KINDS,
    SPOT_WORDS,
    Attributes,
    Mark,
    ThingCollector,
)
from bake.levels.reading.mistakes import Where, is_plain_text, refuse, shown
from bake.levels.reading.names import normalize_name
from bake.levels.reading.remarks import RemarkCollector
from bake.levels.reading.terrains import remove_unused
from bake.levels.reading.things import check_things, rectangle_cells

KINDS = (*SPOT_KINDS, "region", "door", "ledge", *LINK_KINDS)
IGNORED = "ignore"

_REFERENCES = ("EntityRef", "Array<EntityRef>")


def read_ldtk(path: Path, part: str, reading: LdtkReading, project: Path | None) -> GridLevel:
    """Read one level of a project, or all levels of a world as one.

    Args:
        path: the .ldtk file.
        part: the name of the level or world, from :func:`bake.levels.parts`.
        reading: the options of the recipe, from [ldtk].
        project: the folder that level files must lie in; None = the folder of the project file.

    Raises:
        LevelError: the project file or a level file has one mistake.
        BakeErrors: it has several mistakes.
    """
    document = read_document(path)
    parts = {asset.name: asset for asset in outline(path, document, reading)}
    if part not in parts:
        listed = ", ".join(shown(name) for name in list(parts)[:8])
        problem = f"there is no level {shown(part)}" if part else "the project has several levels"
        refuse(path, None, problem, f"one of {listed}", "build again")
    assert isinstance(document, dict), "else there were no parts"
    whole = open_project(path, document, reading, project)
    levels = whole.levels(parts[part])
    legend = Legend(reading.legend)
    layout = arrange_levels(whole, levels, whole.layout(parts[part]), legend)
    canvas = Canvas(whole, layout, legend)
    canvas.paint()
    entities = EntityReader(whole, canvas)
    things = entities.things()
    # The states of a door may have terrains that no cell has.
    states = [terrain for door in things.doors for _, terrain in door.states if terrain]
    terrains = remove_unused(tuple(canvas.names), canvas.terrain)
    named = {*terrains, *states, *(shape.terrain for shape in entities.shapes)}
    level = GridLevel(
        name=f"{path.stem}-{part}" if part else path.stem,
        source=path,
        terrain=canvas.terrain,
        terrains=terrains,
        terrain_rules={name: STATED[name] for name in STATED if name in named},
        colours={name: legend.colors[name] for name in terrains if name in legend.colors},
        barred=canvas.barred if canvas.barred.any() else None,
        floor_height=layout.height if len(layout.floors) > 1 else None,
        things=things,
        coordinates=upright(float(layout.cell), layout.origin),
        depends_on=tuple(whole.depends_on),
        remarks=tuple(entities.unread.remarks()),
        unmatched=legend.unmatched,
        shapes=tuple(entities.shapes),
    )
    return check_things(level)


class EntityFields(Attributes):
    """The fields of an entity."""

    def __init__(self, entity: EntityInstance, where: Where) -> None:
        self.instances = {field.identifier: field for field in entity.field_instances}
        values = {name: field.value for name, field in self.instances.items()}
        super().__init__(where, "field", values)

    def references(self) -> list[dict[str, str]]:
        """Return the references to other entities, each with an "entityIid"."""
        references: list[dict[str, str]] = []
        for name, field in self.instances.items():
            if field.type not in _REFERENCES or field.value is None:
                continue
            for reference in field.value if isinstance(field.value, list) else [field.value]:
                if reference is None:
                    continue
                if not isinstance(reference, dict) or not isinstance(
                    reference.get("entityIid"), str
                ):
                    self.refuse(name, "references to entities, with entityIid")
                references.append(
                    {key: text for key, text in reference.items() if isinstance(text, str)}
                )
        return references


@dataclass(frozen=True)
class Entity(Mark):
    """An entity, or with kind "" an entity that only paints terrain or is the goal of links."""

    attributes: EntityFields
    instance: EntityInstance
    where: Where  #: place in its file, which may be a separate level file
    cell: Cell | None
    #: left, top: pixels of its corner in the asset, with all floors
    left: float
    top: float
    level: PlacedLevel


class EntityReader(ThingCollector):
    """Converts the entities of an asset to links, regions, spots, doors and ledges."""

    def __init__(self, project: Project, canvas: Canvas) -> None:
        super().__init__()
        self.shapes: list[Shape] = []  #: areas of entities in the plane, with ``keep_shapes``
        self.unread = RemarkCollector()  #: remarks on fields that are likely misspelled
        self.project = project
        self.canvas = canvas
        self._level_iids = {level.loaded.level.iid for level in canvas.layout.levels}

    def things(self) -> Things:
        """Return all links, regions, spots and doors, and paint the terrain of entities.

        Raises:
            LevelError: an id is repeated, a link has no goal, a field is invalid, or an entity lies
                outside its level.
        """
        entities = list(self._list_entities())
        by_iid: dict[str, Entity] = {}
        for entity in entities:
            if entity.id is not None:
                if entity.id in by_iid:
                    problem = f"the id {shown(entity.id)} is given twice"
                    entity.where.inside("iid").refuse(problem, "each id once")
                by_iid[entity.id] = entity
        for entity in entities:
            self._remark_near_misses(entity)
            self._paint_entity(entity)
            if entity.kind in LINK_KINDS:
                self._read_links(entity, by_iid)
            elif entity.kind == "region":
                self.add_region(entity, self._find_cells(entity))
            elif entity.kind == "door":
                self.add_door(
                    entity,
                    entity.attributes.text("states") or DOOR_STATES,
                    self._find_cells(entity),
                )
            elif entity.kind == "ledge":
                self._add_ledge(entity)
            elif entity.kind:
                self.add_spot(entity, self._require_cell(entity))
        return self.collect_things()

    def _remark_near_misses(self, entity: Entity) -> None:
        words = ("name", *KIND_WORDS.get(entity.kind, SPOT_WORDS)) if entity.kind else ("terrain",)
        for name, near in entity.attributes.find_near_misses(words):
            message = f"the field {shown(name)} is not read; it is one edit away from {shown(near)}"
            self.unread.add(f"entity {shown(entity.instance.identifier)}", entity.place, message)

    def _list_entities(self) -> Iterator[Entity]:
        instances = [
            (
                instance,
                self._find_kind(instance),
                level,
                layer,
                where.inside("entityInstances", number, words=instance.identifier),
            )
            for level, layer, where in self._list_layers()
            for number, instance in enumerate(layer.entity_instances)
        ]
        totals = Counter(instance.identifier for instance, kind, *_ in instances if kind)
        counts: Counter[str] = Counter()
        for instance, kind, level, layer, where in instances:
            fields = EntityFields(instance, where)
            name = fields.text("name") if kind else None
            if kind:
                counts[instance.identifier] += 1
            if name is None:
                number = counts[instance.identifier]
                several = totals[instance.identifier] > 1
                name = f"{instance.identifier}_{number}" if several else instance.identifier
            size = self.canvas.layout.cell
            left = (
                instance.px[0]
                - instance.pivot[0] * instance.width
                + layer.offset_x
                + level.x * size
            )
            top = (
                instance.px[1]
                - instance.pivot[1] * instance.height
                + layer.offset_y
                + level.y * size
            )
            level_file = level.loaded.level.external_rel_path
            place = f"{level_file}: {where}" if level_file else str(where)
            cell = self._center_cell(instance, layer, level)
            mark = (kind, name, instance.iid, place, fields)
            yield Entity(*mark, instance, where, cell, left, top, level)

    def _list_layers(self) -> Iterator[tuple[PlacedLevel, LayerInstance, Where]]:
        for level in self.canvas.layout.levels:
            for layer, where in level.loaded.layers():
                if layer.type == "Entities" and is_read(
                    self.project, layer.identifier, named=False
                ):
                    yield level, layer, where

    def _find_kind(self, entity: EntityInstance) -> str:
        kind = self.canvas.legend.kind(entity.identifier)
        if kind is not None:
            return "" if kind == IGNORED else kind
        words = map(normalize_name, (*self.project.tags_of(entity), entity.identifier))
        return next((word for word in words if word in KINDS), "")

    def _center_cell(
        self, entity: EntityInstance, layer: LayerInstance, level: PlacedLevel
    ) -> Cell | None:
        """Return the cell at the center of the entity's grid cell, or None outside the level."""
        size = self.canvas.layout.cell
        x = (entity.grid[0] * layer.grid_size + layer.grid_size // 2 + layer.offset_x) // size
        y = (entity.grid[1] * layer.grid_size + layer.grid_size // 2 + layer.offset_y) // size
        inside = 0 <= x < level.width and 0 <= y < level.height
        return (level.x + x, level.y + y) if inside else None

    def _require_cell(self, entity: Entity) -> Cell:
        if entity.cell is None:
            entity.where.refuse("it lies outside its level", "a place inside", "move it")
        return entity.cell

    def _find_cells(self, entity: Entity) -> Int32Array:
        """Return the (k, 2) int32 cells whose centers an entity covers, or else its own cell."""
        size, level = self.canvas.layout.cell, entity.level
        columns = _find_covered(entity.left, entity.instance.width, size, level.x, level.width)
        rows = _find_covered(entity.top, entity.instance.height, size, level.y, level.height)
        if not (columns and rows):
            return np.array([self._require_cell(entity)], dtype=np.int32)
        spend_area(entity.where.file, len(rows) * len(columns), entity.place)
        return rectangle_cells(columns.start, rows.start, len(columns), len(rows))

    def _paint_entity(self, entity: Entity) -> None:
        terrain = self._find_terrain(entity)
        if terrain is None:
            return
        if self.project.reading.keep_shapes:
            self._add_shape(entity, terrain)
            return
        cells = self._find_cells(entity)
        self.canvas.terrain[cells[:, 1], cells[:, 0]] = self.canvas.code(terrain, entity.where)

    def _find_terrain(self, entity: Entity) -> str | None:
        """Return the terrain that an entity paints: by the legend, or by its field `terrain`."""
        terrain = self.canvas.legend.area(entity.instance.identifier)
        if terrain is not None or entity.kind:
            return terrain
        # Games also use this field name for values that are not names of terrains.
        value = entity.attributes.value("terrain")
        plain = isinstance(value, str) and bool(value.strip()) and is_plain_text(value)
        return value if isinstance(value, str) and plain and value != BELOW else None

    def _add_shape(self, entity: Entity, terrain: str) -> None:
        """Add the rectangle of an entity, clipped to its level, as a shape of the plane."""
        layout, level = self.canvas.layout, entity.level
        size, (x, y) = layout.cell, layout.origin
        floor = level.y // layout.height
        first = np.array([level.x, level.y]) * size
        after = first + np.array([level.width, level.height]) * size
        corner = np.array([entity.left, entity.top])
        far = np.clip(
            corner + np.array([entity.instance.width, entity.instance.height]), first, after
        )
        near = np.clip(corner, first, after)
        if (near == far).any():
            return
        (left, top), (right, bottom) = near, far
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
        corners += np.array([x, y - floor * layout.height * size])
        self.shapes.append(Shape(terrain, (corners,), floor=floor, place=entity.place))

    def _add_ledge(self, entity: Entity) -> None:
        headings = entity.attributes.headings()
        if not headings:
            entity.where.refuse(
                "the ledge bars no heading",
                'a field one_way such as "south", or barred such as "north, east"',
            )
        cells = self._find_cells(entity)
        self.canvas.barred[cells[:, 1], cells[:, 0]] |= np.uint8(headings)

    def _read_links(self, entity: Entity, by_iid: dict[str, Entity]) -> None:
        kind = _to_snake_case(entity.instance.identifier) if entity.kind == "link" else entity.kind
        goals = [
            self._find_goal(reference, entity, by_iid)
            for reference in entity.attributes.references()
        ]
        ends = [
            (self._require_cell(entity), self._require_cell(goal))
            for goal in goals
            if goal is not None
        ]
        self.add_links(replace(entity, kind=kind), ends, entity.attributes.both_ways(entity.kind))

    def _find_goal(
        self, reference: dict[str, str], entity: Entity, by_iid: dict[str, Entity]
    ) -> Entity | None:
        """Return the entity at a reference, or None if it is in another asset."""
        goal = by_iid.get(reference["entityIid"])
        if goal is None and (
            reference.get("levelIid") in self._level_iids or "levelIid" not in reference
        ):
            entity.where.refuse(
                f"it refers to the entity {shown(reference['entityIid'])}, which does not exist",
                "an entity of a layer that is read",
                "choose its goal again in LDtk",
            )
        return goal


def _to_snake_case(identifier: str) -> str:
    """Convert an identifier such as "SecretDoor" or "Secret_door" to "secret_door"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower()


def _find_covered(start: float, length: int, cell: int, first: int, count: int) -> range:
    """Return the cells of one axis whose centers lie within a length.

    Args:
        start, length: in pixels.
        cell: the side of a cell in pixels.
        first, count: the range of cells to choose from.
    """
    low = math.ceil((start - cell / 2) / cell)
    high = math.ceil((start + length - cell / 2) / cell)
    return range(max(low, first), min(high, first + count))
