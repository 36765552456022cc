"""Turn objects into things: links, regions, spots and doors, and the cells each covers.

Objects are told apart by class and property.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from bake.arrays import Int32Array
from bake.level import Cell, Door, Link, Region, Spot, Things
from bake.levels.reading.editors import DOOR_STATES, LINK_KINDS, SPOT_KINDS, ThingCollector
from bake.levels.reading.mistakes import shown
from bake.levels.tiled.canvas import Placing
from bake.levels.tiled.coverage import Lattice, cover
from bake.levels.tiled.meanings import Legend, kind_of, stated_cost
from bake.levels.tiled.objects import Object, floor_place
from bake.levels.tiled.outlines import bounds, outline_of, placed


class ObjectReader(ThingCollector):
    """Collects the things of one map."""

    def __init__(self, objects: list[Object], placing: Placing, legend: Legend) -> None:
        super().__init__()
        self.objects = objects
        self.placing = placing
        self.legend = legend
        self._numbered: dict[int, list[Object]] = {}
        self._called: dict[str, list[Object]] = {}
        for each in objects:
            self._numbered.setdefault(each.number, []).append(each)
            self._called.setdefault(each.name, []).append(each)
        self._taken: dict[tuple[str, str], str] = {}

    def things(self) -> Things:
        """Return all things.

        Raises:
            LevelError: a name is given twice, a link leads nowhere, a door has no states, or a
                thing lies outside the level.
        """
        goals = [self._goal(each) for each in self.objects]
        aimed_at = {id(goal) for goal in goals if goal is not None}
        for each, goal in zip(self.objects, goals, strict=True):
            kind = self.kind(each)
            if kind in SPOT_KINDS or each.properties.flag("spot"):
                self._spot(each, kind)
            elif kind == "region":
                name = self._name(each, kind)
                cells = cells_of(each, self.placing)
                self.regions.append(Region(name, cells, each.fields.place, each.id))
            elif kind == "door":
                self._door(each)
            if goal is not None or (kind in LINK_KINDS and each.shape == "polyline"):
                self._link(each, kind, goal)
            elif kind in LINK_KINDS and id(each) not in aimed_at:
                each.fields.refuse(
                    "it leads nowhere",
                    'a property "to"',
                    'set "to" to the object it leads to (type object), or to its name',
                )
        return self.collected()

    def kind(self, each: Object) -> str:
        """Return the kind the legend gives an object, or else its class."""
        return kind_of(each, self.legend)

    def _name(self, each: Object, kind: str, group: str = "") -> str:
        name = each.name or f"{kind} {each.number}"
        first = self._taken.setdefault((group or kind, name), each.fields.place)
        if first != each.fields.place:
            each.fields.refuse(
                f"{shown(name)} is the name of {first} already",
                "a name of its own for each",
                "rename one of them",
            )
        return name

    def _spot(self, each: Object, kind: str) -> None:
        kind = kind or "spot"
        cell = cell_of(each, self.placing)
        profiles = each.properties.names("profiles")
        name = self._name(each, kind, "spot")
        self.spots.append(Spot(name, kind, cell, profiles, each.fields.place, each.id))

    def _door(self, each: Object) -> None:
        said = each.properties.text("states")
        if said is None:
            expected = f'at least two states, such as "{DOOR_STATES}"'
            each.fields.refuse('the door has no property "states"', expected)
        states, state = each.properties.door(said)
        cells = cells_of(each, self.placing)
        name = self._name(each, "door")
        self.doors.append(Door(name, cells, states, state, each.fields.place, each.id))

    def _goal(self, each: Object) -> Object | None:
        """Find the object that the property `to` means."""
        if not each.properties.has("to"):
            return None
        wanted = each.properties.values["to"]
        if type(wanted) is int:
            if wanted == 0:  # Tiled writes 0 where no object was chosen.
                return None
            found = self._numbered.get(wanted, [])
        elif isinstance(wanted, str):
            found = self._called.get(wanted, [])
        else:
            each.properties.refuse("to", "an object, or the name of one")
        if len(found) != 1:
            each.fields.refuse(
                f"it leads to {shown(wanted)}, "
                + (
                    "which is not an object"
                    if not found
                    else f"which {len(found)} objects are called"
                ),
                "one object of an object layer that counts",
                'set the property "to" to an object (type object)',
            )
        return found[0]

    def _link(self, each: Object, kind: str, goal: Object | None) -> None:
        kind = kind or "link"
        if goal is None or each.shape == "polyline":
            start = cell_at(each, each.corners[0], self.placing)
        else:
            start = cell_of(each, self.placing)
        end = (
            cell_at(each, each.corners[-1], self.placing)
            if goal is None
            else cell_of(goal, self.placing)
        )
        if start == end:
            each.fields.refuse(f"it leads from cell {start} to the same cell", "two cells")
        cost, profiles = stated_cost(each.properties), each.properties.names("profiles")
        both_ways, via = each.properties.both_ways(kind), self._via(each, start, end, goal)
        if both_ways and not via and self.is_drawn_already((start, end), kind, cost, profiles):
            return
        name = self._name(each, kind, "link")
        self.links.append(
            Link(
                name,
                kind,
                start,
                end,
                cost,
                both_ways,
                profiles,
                each.fields.place,
                each.id,
                via,
                each.properties.names("over") if via else None,
            )
        )

    def _via(self, each: Object, start: Cell, end: Cell, goal: Object | None) -> tuple[Cell, ...]:
        """Return the cells that a polyline with the property `via` bends in, between its ends."""
        if not each.properties.flag("via"):
            return ()
        if each.shape != "polyline":
            each.fields.refuse("only a polyline has corners", 'no property "via"')
        # A polyline that leads to another object bends in its last corner, too.
        corners = each.corners[1:-1] if goal is None else each.corners[1:]
        cells = [cell_at(each, corner, self.placing) for corner in corners]
        between = [cell for cell in cells if cell not in (start, end)]
        return tuple(cell for cell, _ in groupby(between))


def cell_of(thing: Object, placing: Placing) -> tuple[int, int]:
    """Return the cell an object stands on: that of its middle, or of a tall tile's foot.

    Raises:
        LevelError: the cell lies outside the level.
    """
    left, top, right, bottom = bounds(thing, placing.geometry)
    x, y = (left + right) / 2, (top + bottom) / 2
    if thing.shape == "tile":
        y = max(y, bottom - placing.geometry.tile_height / 2)
    return cell_at(thing, (x, y), placing)


def cell_at(thing: Object, local: tuple[float, float], placing: Placing) -> tuple[int, int]:
    """Return the cell at a point, given relative to the object's origin before its rotation."""
    px, py = placed(thing, (np.array([local[0]]), np.array([local[1]])), placing.geometry)
    found = placing.geometry.cell_at(float(px[0]), float(py[0]))
    x, y = (np.array([each], dtype=np.int64) for each in found)
    if not placing.has(x, y)[0]:
        thing.fields.refuse(
            f"it stands on tile {found}, outside the level",
            "a place on the level",
            "move the object",
        )
    cx, cy = placing.cells(x, y, floor_place(thing, placing.floors))
    return int(cx[0]), int(cy[0])


def cells_of(thing: Object, placing: Placing) -> Int32Array:
    """Return the cells whose middle lies inside the object, in reading order.

    Returns:
        (k, 2) int32 (x, y), k >= 1. A point covers the cell it stands on.

    Raises:
        LevelError: there are no such cells.
    """
    if thing.shape == "point":
        return np.array([cell_of(thing, placing)], dtype=np.int32)
    if thing.shape in ("polyline", "text"):
        thing.fields.refuse(f"it is a {thing.shape}", "a rectangle, ellipse, polygon or point")
    outline = outline_of(thing, placing.geometry)
    assert outline is not None, "only points and texts have none"
    lattice = Lattice.of(placing.geometry, placing.box)
    covers = cover(outline, lattice, thing.fields, cuts=False)
    x, y = placing.cells(
        *placing.geometry.cells_of(covers.u, covers.v), floor_place(thing, placing.floors)
    )
    cells = np.stack([x, y], axis=1)
    if not len(cells):
        thing.fields.refuse(
            "it covers the middle of no cell", "at least one cell", "make it larger, or move it"
        )
    order = np.lexsort((cells[:, 0], cells[:, 1]))
    return cells[order].astype(np.int32)
