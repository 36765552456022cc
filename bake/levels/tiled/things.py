"""Turn objects into things: links, regions, spots and doors, and the cells each covers.

Objects are told apart by class and property.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.level import Cell, Things
from bake.levels.reading.marks import DOOR_STATES, LINK_KINDS, SPOT_KINDS, Mark, ThingCollector
from bake.levels.reading.mistakes import shown
from bake.levels.tiled.canvas import Placing
from bake.levels.tiled.coverage import Lattice, cover
from bake.levels.tiled.meanings import Legend, kind_of
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

    def things(self) -> Things:
        """Return all things.

        Raises:
            LevelError: a link leads nowhere, a door has no states, or a thing lies outside the
                level.
        """
        goals = [self._goal(each) for each in self.objects]
        aimed_at = {id(goal) for goal in goals if goal is not None}
        for each, goal in zip(self.objects, goals, strict=True):
            kind = kind_of(each, self.legend)
            if kind in SPOT_KINDS or each.properties.flag("spot"):
                self.add_spot(_mark(each, kind or "spot"), cell_of(each, self.placing))
            elif kind == "region":
                self.add_region(_mark(each, kind), cells_of(each, self.placing))
            elif kind == "door":
                states = each.properties.text("states")
                if states is None:
                    expected = f'at least two states, such as "{DOOR_STATES}"'
                    each.fields.refuse('the door has no property "states"', expected)
                self.add_door(_mark(each, kind), states, cells_of(each, self.placing))
            if goal is not None or (kind in LINK_KINDS and each.shape == "polyline"):
                self._link(each, kind or "link", goal)
            elif kind in LINK_KINDS and id(each) not in aimed_at:
                each.fields.refuse(
                    "it leads nowhere",
                    'a property "to"',
                    'set "to" to the object it leads to (type object), or to its name',
                )
        return self.collected()

    def _goal(self, each: Object) -> Object | None:
        """Find the object that the property `to` means."""
        if not each.properties.has("to"):
            return None
        wanted = each.properties.value("to")
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
        drawn = each.shape == "polyline"
        start, end = (
            cell_at(each, each.corners[at], self.placing) if by_line else cell_of(one, self.placing)
            for at, by_line, one in ((0, drawn, each), (-1, goal is None, goal or each))
        )
        via = self._via(each, start, end, goal)
        self.add_links(_mark(each, kind), [(start, end)], each.properties.both_ways(kind), via)

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


def _mark(each: Object, kind: str) -> Mark:
    name = each.name or f"{kind} {each.number}"
    return Mark(kind, name, each.id, each.fields.place, each.properties)


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
