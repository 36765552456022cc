"""Read one level of a project, or all levels of a world as one: terrain, and entities as things.

Entities are told apart by legend, tag and identifier. A thing's name is its field `name`, or else
its identifier, numbered where the asset has several.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from bake.arrays import Int32Array
from bake.coordinates import upright
from bake.level import Cell, Door, GridLevel, Link, Region, Shape, Spot, Things
from bake.levels.ldtk.canvas import Canvas
from bake.levels.ldtk.layout import STATED, Legend, PlacedLevel, counts, lay_out
from bake.levels.ldtk.outline import outline
from bake.levels.ldtk.project import EntityInstance, LayerInstance, Project, open_project
from bake.levels.reading.editors import (
    BELOW,
    DOOR_STATES,
    LINK_KINDS,
    SPOT_KINDS,
    Attributes,
    LdtkReading,
    ThingCollector,
)
from bake.levels.reading.files import read_document
from bake.levels.reading.limits import MAX_COST, spend_area
from bake.levels.reading.mistakes import Where, is_plain_text, refuse, shown
from bake.levels.reading.terrains import keep_used
from bake.levels.reading.things import checked, rectangle

KINDS = (*SPOT_KINDS, "region", "door", "ledge", *LINK_KINDS)
IGNORED = "ignore"

_REFERENCES = ("EntityRef", "Array<EntityRef>")


def read_ldtk(path: Path, part: str, reading: LdtkReading, project: Path | None) -> GridLevel:
    """Read one level of a project, or all levels of a world as one.

    Args:
        path: the .ldtk file.
        part: a name of :func:`bake.levels.parts`.
        reading: the recipe's [ldtk].
        project: folder that level files must lie in; None = the project file's own.

    Raises:
        LevelError: there is one mistake in the file, or in a level file.
        BakeErrors: there are several mistakes.
    """
    document = read_document(path)
    parts = {each.name: each for each in outline(path, document, reading)}
    if part not in parts:
        listed = ", ".join(shown(name) for name in list(parts)[:8])
        found = f"there is no level {shown(part)}" if part else "the project gives several levels"
        refuse(path, None, found, f"one of {listed}", "build again")
    assert isinstance(document, dict), "else there were no parts"
    whole = open_project(path, document, reading, project)
    levels = whole.levels(parts[part])
    legend = Legend(reading.legend)
    layout = lay_out(whole, levels, whole.layout(parts[part]), legend)
    canvas = Canvas(whole, layout, legend)
    canvas.paint()
    entities = EntityReader(whole, canvas)
    things = entities.things()
    # A door may turn its cells into a terrain that no cell has yet.
    states = [terrain for door in things.doors for _, terrain in door.states if terrain]
    terrains = keep_used(tuple(canvas.names), canvas.terrain)
    named = {*terrains, *states, *(shape.terrain for shape in entities.shapes)}
    level = GridLevel(
        name=f"{path.stem}-{part}" if part else path.stem,
        source=path,
        terrain=canvas.terrain,
        terrains=terrains,
        terrain_rules={name: STATED[name] for name in STATED if name in named},
        colours={name: legend.colours[name] for name in terrains if name in legend.colours},
        barred=canvas.barred if canvas.barred.any() else None,
        floor_height=layout.height if len(layout.floors) > 1 else None,
        things=things,
        coordinates=upright(float(layout.cell), layout.origin),
        depends_on=tuple(whole.depends_on),
        unmatched=legend.unmatched,
        shapes=tuple(entities.shapes),
    )
    return checked(level)


class EntityFields(Attributes):
    """The fields of an entity, by name in any case; fields that are null are left out."""

    noun = "field"

    def __init__(self, entity: EntityInstance, where: Where) -> None:
        self.where = where
        self.instances = {each.identifier.lower(): each for each in entity.field_instances}

    def refuse(self, name: str, expected: str) -> NoReturn:
        self.where.refuse(f"the field {name} is {shown(self.value(name))}", expected)

    def value(self, name: str) -> object:
        found = self.instances.get(name)
        return None if found is None else found.value

    def is_text(self, text: str) -> bool:
        return is_plain_text(text)

    def cost(self, name: str) -> float | None:
        """Return a cost in units, or None."""
        value = self.value(name)
        if value is None:
            return None
        known = isinstance(value, int | float) and not isinstance(value, bool)
        if not isinstance(value, int | float) or not known or not 0 < value <= MAX_COST:
            self.refuse(name, f"a number above 0, at most {MAX_COST:g}")
        assert math.isfinite(value), "it is at most MAX_COST"
        return float(value)

    def names(self, name: str) -> tuple[str, ...] | None:
        """Return names from an array, or from one text with commas; None where there are none."""
        value = self.value(name)
        listed = value.split(",") if isinstance(value, str) else value
        if listed is None:
            return None
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            self.refuse(name, "a list of names")
        found = tuple(dict.fromkeys(one.strip() for one in listed if one.strip()))
        if not all(is_plain_text(one) for one in found):
            self.refuse(name, "names without control characters")
        return found or None

    def headings(self) -> int:
        """Return as bits the headings that a ledge bars."""
        barred = [heading.lower() for heading in self.names("barred") or ()]
        return self.barred_headings(barred, (self.text("one_way") or "").lower())

    def references(self) -> list[dict[str, str]]:
        """Return the ids of every entity referred to, "entityIid" among them."""
        found: list[dict[str, str]] = []
        for name, each in self.instances.items():
            if each.type not in _REFERENCES or each.value is None:
                continue
            for one in each.value if isinstance(each.value, list) else [each.value]:
                if one is None:
                    continue
                if not isinstance(one, dict) or not isinstance(one.get("entityIid"), str):
                    self.refuse(name, "references to entities, with entityIid")
                found.append({key: text for key, text in one.items() if isinstance(text, str)})
        return found


@dataclass(frozen=True)
class Entity:
    """One entity that becomes a thing, or that a link leads to.

    Attributes:
        kind: one of KINDS, another word of the legend for a spot, or "" for an entity that is only
            the goal of links.
        left, top: pixels of its corner in the asset, the rows of its floor counted in.
    """

    entity: EntityInstance
    fields: EntityFields
    kind: str
    name: str
    cell: Cell | None
    left: float
    top: float
    level: PlacedLevel

    @property
    def where(self) -> Where:
        return self.fields.where

    @property
    def place(self) -> str:
        """Return its place, for messages about the project; it may stand in a level's own file."""
        inside = self.level.loaded.level.external_rel_path
        return f"{inside}: {self.where}" if inside else str(self.where)


class EntityReader(ThingCollector):
    """Collects the things of one asset.

    Attributes:
        shapes: areas of entities, in the plane, where reading was asked to keep them.
    """

    def __init__(self, project: Project, canvas: Canvas) -> None:
        super().__init__()
        self.shapes: list[Shape] = []
        self.project = project
        self.canvas = canvas
        self._here = {one.loaded.level.iid for one in canvas.layout.levels}

    def things(self) -> Things:
        """Return all things, and paint the terrain of entities that have one.

        Raises:
            LevelError: a name is given twice, a link leads nowhere, a field cannot be read, or a
                thing lies outside its level.
        """
        entities = list(self._entities())
        by_iid: dict[str, Entity] = {}
        for each in entities:
            if each.entity.iid is not None:
                if each.entity.iid in by_iid:
                    each.where.inside("iid").refuse(
                        f"the id {shown(each.entity.iid)} is given twice", "each id once"
                    )
                by_iid[each.entity.iid] = each
        for each in entities:
            iid = each.entity.iid
            self._paint(each)
            if each.kind in LINK_KINDS:
                self._link(each, by_iid)
            elif each.kind == "region":
                self.regions.append(Region(each.name, self._cells(each), each.place, iid))
            elif each.kind == "door":
                self._door(each)
            elif each.kind == "ledge":
                self._ledge(each)
            elif each.kind:
                profiles, cell = each.fields.names("profiles"), self._cell(each)
                self.spots.append(Spot(each.name, each.kind, cell, profiles, each.place, iid))
        return self.collected()

    def _entities(self) -> Iterator[Entity]:
        found = [
            (
                each,
                self._kind(each),
                level,
                layer,
                where.inside("entityInstances", number, words=each.identifier),
            )
            for level, layer, where in self._layers()
            for number, each in enumerate(layer.entity_instances)
        ]
        many = Counter(each.identifier for each, kind, *_ in found if kind)
        met: Counter[str] = Counter()
        for each, kind, level, layer, where in found:
            fields = EntityFields(each, where)
            name = fields.text("name") if kind else None
            if kind:
                met[each.identifier] += 1
            if name is None:
                number = met[each.identifier]
                several = many[each.identifier] > 1
                name = f"{each.identifier}_{number}" if several else each.identifier
            cell = self.canvas.layout.cell
            left = each.px[0] - each.pivot[0] * each.width + layer.offset_x + level.x * cell
            top = each.px[1] - each.pivot[1] * each.height + layer.offset_y + level.y * cell
            yield Entity(
                each, fields, kind, name, self._place(each, layer, level), left, top, level
            )

    def _layers(self) -> Iterator[tuple[PlacedLevel, LayerInstance, Where]]:
        for level in self.canvas.layout.levels:
            for layer, where in level.loaded.layers():
                if layer.type == "Entities" and counts(self.project, layer.identifier, named=False):
                    yield level, layer, where

    def _kind(self, entity: EntityInstance) -> str:
        said = self.canvas.legend.kind(entity.identifier)
        if said is not None:
            return "" if said == IGNORED else said
        tags = [tag.lower() for tag in self.project.tags_of(entity)]
        words = (*tags, entity.identifier.lower())
        return next((word for word in words if word in KINDS), "")

    def _place(
        self, entity: EntityInstance, layer: LayerInstance, level: PlacedLevel
    ) -> Cell | None:
        """Return the cell under the middle of the entity's grid cell; None outside the level."""
        size = self.canvas.layout.cell
        x = (entity.grid[0] * layer.grid_size + layer.grid_size // 2 + layer.offset_x) // size
        y = (entity.grid[1] * layer.grid_size + layer.grid_size // 2 + layer.offset_y) // size
        inside = 0 <= x < level.width and 0 <= y < level.height
        return (level.x + x, level.y + y) if inside else None

    def _cell(self, each: Entity) -> Cell:
        if each.cell is None:
            each.where.refuse("it stands outside its level", "a place inside", "move it")
        return each.cell

    def _cells(self, each: Entity) -> Int32Array:
        """Return the (k, 2) cells whose middles an entity covers, or else the cell it stands on."""
        size, level = self.canvas.layout.cell, each.level
        columns = _covered(each.left, each.entity.width, size, level.x, level.width)
        rows = _covered(each.top, each.entity.height, size, level.y, level.height)
        if not (columns and rows):
            return np.array([self._cell(each)], dtype=np.int32)
        spend_area(each.where.file, len(rows) * len(columns), each.place)
        return rectangle(columns.start, rows.start, len(columns), len(rows))

    def _paint(self, each: Entity) -> None:
        terrain = self._terrain(each)
        if terrain is None:
            return
        if self.project.reading.keep_shapes:
            self._keep(each, terrain)
            return
        cells = self._cells(each)
        self.canvas.terrain[cells[:, 1], cells[:, 0]] = self.canvas.code(terrain, each.where)

    def _terrain(self, each: Entity) -> str | None:
        """Return the terrain of an entity's area: by the legend, or by its field."""
        said = self.canvas.legend.area(each.entity.identifier)
        if said is not None or each.kind:
            return said
        # Games give fields this name for other things, too, which are no names of terrains.
        own = each.fields.value("terrain")
        plain = isinstance(own, str) and bool(own.strip()) and is_plain_text(own)
        return own if isinstance(own, str) and plain and own != BELOW else None

    def _keep(self, each: Entity, terrain: str) -> None:
        """Keep the rectangle of an entity, as far as it lies in its level, as a shape."""
        layout, level = self.canvas.layout, each.level
        size, (x, y) = layout.cell, layout.origin
        floor = level.y // layout.height
        left, right = (
            min(max(edge, level.x * size), (level.x + level.width) * size)
            for edge in (each.left, each.left + each.entity.width)
        )
        top, bottom = (
            min(max(edge, level.y * size), (level.y + level.height) * size)
            for edge in (each.top, each.top + each.entity.height)
        )
        if left == right or top == bottom:
            return
        y -= floor * layout.height * size
        corners = np.array(
            [
                (x + left, y + top),
                (x + right, y + top),
                (x + right, y + bottom),
                (x + left, y + bottom),
            ]
        )
        self.shapes.append(Shape(terrain, (corners,), floor=floor, place=each.place))

    def _ledge(self, each: Entity) -> None:
        headings = each.fields.headings()
        if not headings:
            each.where.refuse(
                "the ledge bars no heading",
                'a field one_way such as "south", or barred such as "north, east"',
            )
        cells = self._cells(each)
        self.canvas.barred[cells[:, 1], cells[:, 0]] |= np.uint8(headings)

    def _door(self, each: Entity) -> None:
        states, state = each.fields.door(each.fields.text("states") or DOOR_STATES)
        cells, iid = self._cells(each), each.entity.iid
        self.doors.append(Door(each.name, cells, states, state, each.place, iid))

    def _link(self, each: Entity, by_iid: dict[str, Entity]) -> None:
        kind = _word(each.entity.identifier) if each.kind == "link" else each.kind
        cost, profiles = each.fields.cost("cost"), each.fields.names("profiles")
        both_ways = each.fields.both_ways(each.kind)
        goals = [
            goal for one in each.fields.references() if (goal := self._goal(one, each, by_iid))
        ]
        for number, goal in enumerate(goals, start=1):
            start, end = self._cell(each), self._cell(goal)
            if start == end:
                each.where.refuse(f"it leads from cell {start} to the same cell", "two cells")
            if both_ways and self.is_drawn_already((start, end), kind, cost, profiles):
                continue
            name = f"{each.name}_{number}" if len(goals) > 1 else each.name
            place, iid = each.place, each.entity.iid
            self.links.append(Link(name, kind, start, end, cost, both_ways, profiles, place, iid))

    def _goal(
        self, reference: dict[str, str], each: Entity, by_iid: dict[str, Entity]
    ) -> Entity | None:
        """Find the entity a reference means; return None where it is in another asset."""
        goal = by_iid.get(reference["entityIid"])
        if goal is None and (
            reference.get("levelIid") in self._here or "levelIid" not in reference
        ):
            each.where.refuse(
                f"it refers to the entity {shown(reference['entityIid'])}, which is nowhere",
                "an entity of a layer that counts",
                "choose its goal again in LDtk",
            )
        return goal


def _word(identifier: str) -> str:
    """Write "SecretDoor" and "Secret_door" as "secret_door"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower()


def _covered(start: float, length: int, cell: int, first: int, count: int) -> range:
    """Return which of ``count`` cells from ``first`` on have their middle in the given length."""
    low = math.ceil((start - cell / 2) / cell)
    high = math.ceil((start + length - cell / 2) / cell)
    return range(max(low, first), min(high, first + count))
