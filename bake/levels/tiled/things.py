"""Convert objects to links, regions, spots and doors, with the cells that they cover.

The class or a property of an object determines its kind.
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
from bake.levels.tiled.meanings import Legend, find_kind
from bake.levels.tiled.objects import Object, floor_index
from bake.levels.tiled.outlines import build_outline, find_bounds, place_points


class ObjectReader(ThingCollector):
    """Collects the links, regions, spots and doors of a map."""

    def __init__(self, objects: list[Object], placing: Placing, legend: Legend) -> None:
        super().__init__()
        self.objects = objects
        self.placing = placing
        self.legend = legend
        self._by_number: dict[int, list[Object]] = {}
        self._by_name: dict[str, list[Object]] = {}
        for obj in objects:
            self._by_number.setdefault(obj.number, []).append(obj)
            self._by_name.setdefault(obj.name, []).append(obj)

    def things(self) -> Things:
        """Return all links, regions, spots and doors.

        Raises:
            LevelError: a link has no goal, a door has no states, or an object lies outside the
                level.
        """
        goals = [self._find_goal(obj) for obj in self.objects]
        goal_ids = {id(goal) for goal in goals if goal is not None}
        for obj, goal in zip(self.objects, goals, strict=True):
            kind = find_kind(obj, self.legend)
            if kind in SPOT_KINDS or obj.properties.flag("spot"):
                self.add_spot(_build_mark(obj, kind or "spot"), cell_of(obj, self.placing))
            elif kind == "region":
                self.add_region(_build_mark(obj, kind), cells_of(obj, self.placing))
            elif kind == "door":
                states = obj.properties.text("states")
                if states is None:
                    expected = f'at least two states, such as "{DOOR_STATES}"'
                    obj.fields.refuse('the door has no property "states"', expected)
                self.add_door(_build_mark(obj, kind), states, cells_of(obj, self.placing))
            if goal is not None or (kind in LINK_KINDS and obj.shape == "polyline"):
                self._add_link(obj, kind or "link", goal)
            elif kind in LINK_KINDS and id(obj) not in goal_ids:
                obj.fields.refuse(
                    "it has no goal",
                    'a property "to"',
                    'set "to" to the object it leads to (type object), or to its name',
                )
        return self.collect_things()

    def _find_goal(self, obj: Object) -> Object | None:
        """Return the object that the property `to` refers to, or None without it."""
        if not obj.properties.has("to"):
            return None
        reference = obj.properties.value("to")
        if type(reference) is int:
            if reference == 0:  # Tiled writes 0 where no object was chosen.
                return None
            matches = self._by_number.get(reference, [])
        elif isinstance(reference, str):
            matches = self._by_name.get(reference, [])
        else:
            obj.properties.refuse("to", "an object, or the name of one")
        if len(matches) != 1:
            obj.fields.refuse(
                f"it leads to {shown(reference)}, "
                + (
                    "which is not an object"
                    if not matches
                    else f"which {len(matches)} objects are called"
                ),
                "one object of an object layer that is read",
                'set the property "to" to an object (type object)',
            )
        return matches[0]

    def _add_link(self, obj: Object, kind: str, goal: Object | None) -> None:
        drawn = obj.shape == "polyline"
        start, end = (
            cell_at(obj, obj.corners[index], self.placing)
            if from_line
            else cell_of(end_object, self.placing)
            for index, from_line, end_object in ((0, drawn, obj), (-1, goal is None, goal or obj))
        )
        via = self._find_via(obj, start, end, goal)
        self.add_links(_build_mark(obj, kind), [(start, end)], obj.properties.both_ways(kind), via)

    def _find_via(
        self, obj: Object, start: Cell, end: Cell, goal: Object | None
    ) -> tuple[Cell, ...]:
        """Return the cells at the bends of a polyline with the property `via`, without its ends."""
        if not obj.properties.flag("via"):
            return ()
        if obj.shape != "polyline":
            obj.fields.refuse("only a polyline has corners", 'no property "via"')
        # A polyline that leads to another object also bends at its last corner.
        corners = obj.corners[1:-1] if goal is None else obj.corners[1:]
        cells = [cell_at(obj, corner, self.placing) for corner in corners]
        between = [cell for cell in cells if cell not in (start, end)]
        return tuple(cell for cell, _ in groupby(between))


def _build_mark(obj: Object, kind: str) -> Mark:
    name = obj.name or f"{kind} {obj.number}"
    return Mark(kind, name, obj.id, obj.fields.place, obj.properties)


def cell_of(obj: Object, placing: Placing) -> tuple[int, int]:
    """Return the cell of an object: the cell at its center, or at the foot of a tall tile.

    Raises:
        LevelError: the cell lies outside the level.
    """
    left, top, right, bottom = find_bounds(obj, placing.geometry)
    x, y = (left + right) / 2, (top + bottom) / 2
    if obj.shape == "tile":
        y = max(y, bottom - placing.geometry.tile_height / 2)
    return cell_at(obj, (x, y), placing)


def cell_at(obj: Object, local: tuple[float, float], placing: Placing) -> tuple[int, int]:
    """Return the cell at a point, given relative to the object's origin before its rotation."""
    px, py = place_points(obj, (np.array([local[0]]), np.array([local[1]])), placing.geometry)
    tile = placing.geometry.cell_at(float(px[0]), float(py[0]))
    x, y = (np.array([axis], dtype=np.int64) for axis in tile)
    if not placing.has(x, y)[0]:
        obj.fields.refuse(
            f"it stands on tile {tile}, outside the level",
            "a place on the level",
            "move the object",
        )
    cx, cy = placing.cells(x, y, floor_index(obj, placing.floors))
    return int(cx[0]), int(cy[0])


def cells_of(obj: Object, placing: Placing) -> Int32Array:
    """Return the cells whose centers lie inside an object, in reading order.

    Returns:
        (k, 2) int32 cells (x, y), k >= 1. A point covers its own cell.

    Raises:
        LevelError: there are no such cells.
    """
    if obj.shape == "point":
        return np.array([cell_of(obj, placing)], dtype=np.int32)
    if obj.shape in ("polyline", "text"):
        obj.fields.refuse(f"it is a {obj.shape}", "a rectangle, ellipse, polygon or point")
    outline = build_outline(obj, placing.geometry)
    assert outline is not None, "only points and texts have none"
    lattice = Lattice.for_box(placing.geometry, placing.box)
    covers = cover(outline, lattice, obj.fields, cuts=False)
    x, y = placing.cells(
        *placing.geometry.cells_of(covers.u, covers.v), floor_index(obj, placing.floors)
    )
    cells = np.stack([x, y], axis=1)
    if not len(cells):
        obj.fields.refuse(
            "it covers the center of no cell", "at least one cell", "make it larger, or move it"
        )
    order = np.lexsort((cells[:, 0], cells[:, 1]))
    return cells[order].astype(np.int32)
