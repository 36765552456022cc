"""Read one level of a project, or all levels of a world as one: terrain, and entities as things.

Entities are told apart by legend, tag and identifier. A thing's name is its field `name`, or else
its identifier, numbered where the asset has several.
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
from bake.levels.ldtk.layout import STATED, Legend, PlacedLevel, counts, lay_out
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
from bake.levels.reading.names import plain_name
from bake.levels.reading.remarks import RemarkCollector
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
        remarks=tuple(entities.unread.remarks()),
        unmatched=legend.unmatched,
        shapes=tuple(entities.shapes),
    )
    return checked(level)


class EntityFields(Attributes):
    """The fields of an entity."""

    def __init__(self, entity: EntityInstance, where: Where) -> None:
        self.instances = {each.identifier: each for each in entity.field_instances}
        values = {name: each.value for name, each in self.instances.items()}
        super().__init__(where, "field", values)

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
class Entity(Mark):
    """One entity that becomes a thing, or, with kind "", one that a link leads to."""

    said: EntityFields
    entity: EntityInstance
    where: Where  #: it stands in its file, which may be a level's own
    cell: Cell | None
    #: left, top: pixels of its corner in the asset, the rows of its floor counted in
    left: float
    top: float
    level: PlacedLevel


class EntityReader(ThingCollector):
    """Collects the things of one asset.

    Attributes:
        shapes: areas of entities, in the plane, where reading was asked to keep them.
        unread: remarks on fields that are likely misspelled.
    """

    def __init__(self, project: Project, canvas: Canvas) -> None:
        super().__init__()
        self.shapes: list[Shape] = []
        self.unread = RemarkCollector()
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
            if each.id is not None:
                if each.id in by_iid:
                    found = f"the id {shown(each.id)} is given twice"
                    each.where.inside("iid").refuse(found, "each id once")
                by_iid[each.id] = each
        for each in entities:
            self._remark_near_misses(each)
            self._paint(each)
            if each.kind in LINK_KINDS:
                self._links(each, by_iid)
            elif each.kind == "region":
                self.add_region(each, self._cells(each))
            elif each.kind == "door":
                self.add_door(each, each.said.text("states") or DOOR_STATES, self._cells(each))
            elif each.kind == "ledge":
                self._ledge(each)
            elif each.kind:
                self.add_spot(each, self._cell(each))
        return self.collected()

    def _remark_near_misses(self, each: Entity) -> None:
        words = ("name", *KIND_WORDS.get(each.kind, SPOT_WORDS)) if each.kind else ("terrain",)
        for name, near in each.said.near_misses(words):
            message = f"the field {shown(name)} is not read; it is one edit away from {shown(near)}"
            self.unread.add(f"entity {shown(each.entity.identifier)}", each.place, message)

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
            size = self.canvas.layout.cell
            left = each.px[0] - each.pivot[0] * each.width + layer.offset_x + level.x * size
            top = each.px[1] - each.pivot[1] * each.height + layer.offset_y + level.y * size
            own = level.loaded.level.external_rel_path
            place = f"{own}: {where}" if own else str(where)
            cell = self._place(each, layer, level)
            mark = (kind, name, each.iid, place, fields)
            yield Entity(*mark, each, where, cell, left, top, level)

    def _layers(self) -> Iterator[tuple[PlacedLevel, LayerInstance, Where]]:
        for level in self.canvas.layout.levels:
            for layer, where in level.loaded.layers():
                if layer.type == "Entities" and counts(self.project, layer.identifier, named=False):
                    yield level, layer, where

    def _kind(self, entity: EntityInstance) -> str:
        said = self.canvas.legend.kind(entity.identifier)
        if said is not None:
            return "" if said == IGNORED else said
        words = map(plain_name, (*self.project.tags_of(entity), entity.identifier))
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
        own = each.said.value("terrain")
        plain = isinstance(own, str) and bool(own.strip()) and is_plain_text(own)
        return own if isinstance(own, str) and plain and own != BELOW else None

    def _keep(self, each: Entity, terrain: str) -> None:
        """Keep the rectangle of an entity, as far as it lies in its level, as a shape."""
        layout, level = self.canvas.layout, each.level
        size, (x, y) = layout.cell, layout.origin
        floor = level.y // layout.height
        first = np.array([level.x, level.y]) * size
        after = first + np.array([level.width, level.height]) * size
        corner = np.array([each.left, each.top])
        far = np.clip(corner + np.array([each.entity.width, each.entity.height]), first, after)
        near = np.clip(corner, first, after)
        if (near == far).any():
            return
        (left, top), (right, bottom) = near, far
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
        corners += np.array([x, y - floor * layout.height * size])
        self.shapes.append(Shape(terrain, (corners,), floor=floor, place=each.place))

    def _ledge(self, each: Entity) -> None:
        headings = each.said.headings()
        if not headings:
            each.where.refuse(
                "the ledge bars no heading",
                'a field one_way such as "south", or barred such as "north, east"',
            )
        cells = self._cells(each)
        self.canvas.barred[cells[:, 1], cells[:, 0]] |= np.uint8(headings)

    def _links(self, each: Entity, by_iid: dict[str, Entity]) -> None:
        kind = _word(each.entity.identifier) if each.kind == "link" else each.kind
        goals = [self._goal(one, each, by_iid) for one in each.said.references()]
        ends = [(self._cell(each), self._cell(goal)) for goal in goals if goal is not None]
        self.add_links(replace(each, kind=kind), ends, each.said.both_ways(each.kind))

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
