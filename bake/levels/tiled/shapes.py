"""Which cells an object covers, and which one it stands on."""

from __future__ import annotations

import math

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.levels.allowance import spend_area, spend_work
from bake.levels.tiled.geometry import Floats
from bake.levels.tiled.objects import Object
from bake.levels.tiled.placing import Placing
from bake.levels.unknown import strips

_ACROSS = {"left": 0.0, "right": 1.0}
_DOWN = {"top": 0.0, "bottom": 1.0}


def cell_of(thing: Object, placing: Placing) -> tuple[int, int]:
    """The cell an object stands on: that of its middle, for tall tiles that of its foot.

    Raises:
        LevelError: outside the level.
    """
    left, top, right, bottom = _bounds(thing, placing)
    x, y = (left + right) / 2, (top + bottom) / 2
    if thing.shape == "tile":
        y = max(y, bottom - placing.geometry.tile_height / 2)
    return cell_at(thing, (x, y), placing)


def cell_at(thing: Object, local: tuple[float, float], placing: Placing) -> tuple[int, int]:
    """The cell at a point relative to the object's origin, before its rotation."""
    turn = math.radians(thing.rotation)
    px = thing.x + local[0] * math.cos(turn) - local[1] * math.sin(turn)
    py = thing.y + local[0] * math.sin(turn) + local[1] * math.cos(turn)
    found = placing.geometry.cell_at(px, py)
    x, y = (np.array([each], dtype=np.int64) for each in found)
    if not placing.has(x, y)[0]:
        thing.fields.refuse(
            f"it stands on tile {found}, outside the level",
            "a place on the level",
            "move the object",
        )
    cx, cy = placing.cells(x, y, floor_place(thing, placing))
    return int(cx[0]), int(cy[0])


def cells_of(thing: Object, placing: Placing) -> Int32Array:
    """The cells whose middle lies inside the object, in reading order.

    Returns:
        (k, 2) int32 (x, y), k >= 1. A point covers the cell it stands on.

    Raises:
        LevelError: none.
    """
    if thing.shape == "point":
        return np.array([cell_of(thing, placing)], dtype=np.int32)
    if thing.shape in ("polyline", "text"):
        thing.fields.refuse(f"it is a {thing.shape}", "a rectangle, ellipse, polygon or point")
    floor = floor_place(thing, placing)
    found: list[Int64Array] = []
    left, top, right, bottom = _candidates(thing, placing)
    around = max(0, right - left) * max(0, bottom - top)
    spend_area(thing.fields.file, around, thing.fields.place)
    spend_work(thing.fields.file, around * max(1, len(thing.corners)), thing.fields.place)
    for first, last in strips(right - left, bottom - top) if left < right else ():
        ys, xs = np.mgrid[top + first : top + last, left:right]
        inside = _inside(thing, placing, *placing.geometry.centres(xs, ys))
        x, y = placing.cells(xs[inside], ys[inside], floor)
        found.append(np.stack([x, y], axis=1))
    cells = np.concatenate(found) if found else np.zeros((0, 2), dtype=np.int64)
    if not len(cells):
        thing.fields.refuse(
            "it covers the middle of no cell", "at least one cell", "make it larger, or move it"
        )
    order = np.lexsort((cells[:, 0], cells[:, 1]))
    return cells[order].astype(np.int32)


def floor_place(thing: Object, placing: Placing) -> int:
    """The place of the object's floor among those of the level."""
    if not placing.floors:
        return 0
    if thing.floor not in placing.floors:
        thing.fields.refuse(
            "it lies on no floor" if thing.floor is None else f"there is no floor {thing.floor}",
            f"one of {', '.join(map(str, placing.floors))}",
            "move its layer into the group of a floor, or give it a property floor",
        )
    return placing.floors.index(thing.floor)


def _bounds(thing: Object, placing: Placing) -> tuple[float, float, float, float]:
    """Left, top, right, bottom relative to its origin, before rotation."""
    if thing.corners:
        xs, ys = zip(*thing.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)
    if thing.shape != "tile":
        return 0.0, 0.0, thing.width, thing.height
    if placing.geometry.orientation == "isometric":
        # Its picture stands on the lower corner of one cell, both axes in units of its height.
        size = float(placing.geometry.tile_height)
        return -size, -size, 0.0, 0.0
    words = thing.alignment
    if words == "unspecified":
        words = "bottomleft"
    across = next((part for word, part in _ACROSS.items() if word in words), 0.5)
    down = next((part for word, part in _DOWN.items() if word in words), 0.5)
    left, top = -across * thing.width, -down * thing.height
    return left, top, left + thing.width, top + thing.height


def _candidates(thing: Object, placing: Placing) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the cells of the map that may lie inside; empty ranges too."""
    left, top, right, bottom = _bounds(thing, placing)
    turn = math.radians(thing.rotation)
    xs, ys = [], []
    for x, y in ((left, top), (right, top), (right, bottom), (left, bottom)):
        xs.append(thing.x + x * math.cos(turn) - y * math.sin(turn))
        ys.append(thing.y + x * math.sin(turn) + y * math.cos(turn))
    across, down = placing.geometry.pitch
    box = placing.box
    return (
        max(box.left, math.floor(min(xs) / across) - 2),
        max(box.top, math.floor(min(ys) / down) - 2),
        min(box.left + box.width, math.ceil(max(xs) / across) + 2),
        min(box.top + box.height, math.ceil(max(ys) / down) + 2),
    )


def _inside(thing: Object, placing: Placing, px: Floats, py: Floats) -> BoolArray:
    turn = -math.radians(thing.rotation)
    dx, dy = px - thing.x, py - thing.y
    x = dx * math.cos(turn) - dy * math.sin(turn)
    y = dx * math.sin(turn) + dy * math.cos(turn)
    left, top, right, bottom = _bounds(thing, placing)
    if thing.corners:
        return _in_polygon(thing.corners, x, y)
    if thing.shape == "ellipse":
        across, down = max(right - left, 1e-9) / 2, max(bottom - top, 1e-9) / 2
        inside: BoolArray = (((x - left) / across - 1) ** 2 + ((y - top) / down - 1) ** 2) <= 1
        return inside
    box: BoolArray = (x >= left) & (x < right) & (y >= top) & (y < bottom)
    return box


def _in_polygon(corners: tuple[tuple[float, float], ...], x: Floats, y: Floats) -> BoolArray:
    """Even-odd rule: a ray to the east crosses the outline an odd number of times."""
    inside = np.zeros(x.shape, dtype=np.bool_)
    for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if ay == by:
            continue
        crosses = (ay > y) != (by > y)
        inside ^= crosses & (x < ax + (y - ay) * ((bx - ax) / (by - ay)))
    return inside
