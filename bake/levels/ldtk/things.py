"""Entities to things: links, regions, spots and doors, told apart by legend, tag and identifier.

A thing's name is its field `name`, else its identifier, numbered where the asset has several.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array
from bake.level import Cell, Door, Link, Region, Spot, Things
from bake.levels.allowance import spend_area
from bake.levels.json_text import shown
from bake.levels.ldtk.canvas import Canvas
from bake.levels.ldtk.fields import Fields
from bake.levels.ldtk.layout import PlacedLevel, counts
from bake.levels.ldtk.model import EntityInstance, LayerInstance
from bake.levels.ldtk.project import Project, Where

SPOT_KINDS = ("spawn", "exit")
LINK_KINDS = ("link", "teleporter", "ladder", "stairs", "jump")
KINDS = (*SPOT_KINDS, "region", "door", "ledge", *LINK_KINDS)
#: Links that lead back where nothing says otherwise.
TWO_WAY = ("ladder", "stairs")
IGNORED = "ignore"
#: States of a door that has no field `states`.
DOOR_STATES = "open;shut=wall"


@dataclass(frozen=True)
class Entity:
    """One entity that matters.

    Attributes:
        kind: one of KINDS, another word of the legend for a spot, or "" for a mere goal of links.
        left, top: pixels of its corner in the asset, the rows of its floor counted in.
    """

    entity: EntityInstance
    fields: Fields
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
        """For messages about the project, of whose files this may be another."""
        inside = self.level.loaded.level.external_rel_path
        return f"{inside}: {self.where}" if inside else str(self.where)


class ThingReader:
    """Collects the things of one asset."""

    def __init__(self, project: Project, canvas: Canvas) -> None:
        self.project = project
        self.canvas = canvas
        self.links: list[Link] = []
        self.regions: list[Region] = []
        self.spots: list[Spot] = []
        self.doors: list[Door] = []
        self._here = {one.loaded.level.iid for one in canvas.layout.levels}
        self._ways: set[tuple[object, ...]] = set()

    def things(self) -> Things:
        """All things; the terrain of entities that have one is painted too.

        Raises:
            LevelError: a name given twice, a link that leads nowhere, a field that cannot be
                read, or a thing outside its level.
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
            self._paint(each)
            if each.kind in LINK_KINDS:
                self._link(each, by_iid)
            elif each.kind == "region":
                self.regions.append(Region(each.name, self._cells(each), each.place))
            elif each.kind == "door":
                self._door(each)
            elif each.kind == "ledge":
                self._ledge(each)
            elif each.kind:
                profiles = each.fields.names("profiles")
                place = each.place
                self.spots.append(Spot(each.name, each.kind, self._cell(each), profiles, place))
        return Things(tuple(self.links), tuple(self.regions), tuple(self.spots), tuple(self.doors))

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
            fields = Fields(each.field_instances, where)
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
        """The cell under the middle of the entity's grid cell; None outside the level."""
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
        """(k, 2) cells whose middles it covers, in reading order; where none, the one it is on."""
        size, level = self.canvas.layout.cell, each.level
        columns = _covered(each.left, each.entity.width, size, level.x, level.width)
        rows = _covered(each.top, each.entity.height, size, level.y, level.height)
        if not (columns and rows):
            return np.array([self._cell(each)], dtype=np.int32)
        spend_area(each.where.file, len(rows) * len(columns), each.place)
        ys, xs = np.mgrid[rows.start : rows.stop, columns.start : columns.stop]
        return np.stack([xs.ravel(), ys.ravel()], axis=1).astype(np.int32)

    def _paint(self, each: Entity) -> None:
        terrain = self.canvas.legend.area(each.entity.identifier)
        if terrain is not None:
            cells = self._cells(each)
            self.canvas.terrain[cells[:, 1], cells[:, 0]] = self.canvas.code(terrain, each.where)

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
        states: dict[str, str | None] = {}
        expected = f'at least two states, such as "{DOOR_STATES}"'
        for part in (each.fields.text("states") or DOOR_STATES).split(";"):
            name, _, terrain = (piece.strip() for piece in part.partition("="))
            if not name or name in states:
                each.fields.refuse("states", expected)
            states[name] = terrain or None
        if len(states) < 2:
            each.fields.refuse("states", expected)
        state = each.fields.text("state") or next(iter(states))
        if state not in states:
            each.fields.refuse("state", f"one of {', '.join(states)}")
        cells = self._cells(each)
        self.doors.append(Door(each.name, cells, tuple(states.items()), state, each.place))

    def _link(self, each: Entity, by_iid: dict[str, Entity]) -> None:
        kind = _word(each.entity.identifier) if each.kind == "link" else each.kind
        cost, profiles = each.fields.cost("cost"), each.fields.names("profiles")
        both_ways = _both_ways(each.fields, each.kind)
        goals = [
            goal for one in each.fields.references() if (goal := self._goal(one, each, by_iid))
        ]
        for number, goal in enumerate(goals, start=1):
            start, end = self._cell(each), self._cell(goal)
            if start == end:
                each.where.refuse(f"it leads from cell {start} to the same cell", "two cells")
            # Stairs are often drawn from either end; that is one way each, not two.
            way = (frozenset((start, end)), kind, cost, profiles)
            if both_ways and way in self._ways:
                continue
            if both_ways:
                self._ways.add(way)
            name = f"{each.name}_{number}" if len(goals) > 1 else each.name
            place = each.place
            self.links.append(Link(name, kind, start, end, cost, both_ways, profiles, place))

    def _goal(
        self, reference: dict[str, str], each: Entity, by_iid: dict[str, Entity]
    ) -> Entity | None:
        """What a reference means; None for an entity of a level that is another asset."""
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


def read_things(project: Project, canvas: Canvas) -> Things:
    """The things of an asset whose layers are painted; entities with a terrain are painted now."""
    return ThingReader(project, canvas).things()


def _both_ways(fields: Fields, kind: str) -> bool:
    both, one = fields.flag("both_ways"), fields.flag("one_way")
    if both is not None and both == one:
        fields.refuse("one_way", "the opposite of the field both_ways")
    if both is None and one is None:
        return kind in TWO_WAY
    return bool(both) or one is False


def _word(identifier: str) -> str:
    """ "SecretDoor" and "Secret_door" as "secret_door"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower()


def _covered(start: float, length: int, cell: int, first: int, count: int) -> range:
    """Cells from ``first`` on, ``count`` of them, whose middles lie in [start, start + length)."""
    low = math.ceil((start - cell / 2) / cell)
    high = math.ceil((start + length - cell / 2) / cell)
    return range(max(low, first), min(high, first + count))
