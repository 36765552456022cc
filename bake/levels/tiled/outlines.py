"""Compute the outlines of objects and of collision shapes of tiles, in object pixels.

The steps are those of Tiled (src/libtiled/maprenderer.cpp, mapobject.cpp and the renderers of each
orientation). Objects are rotated about their point on the screen; on isometric maps, screen pixels
differ from object pixels. Pictures are scaled, then flipped and rotated about their center.
"""

from __future__ import annotations

import math

import numpy as np

from bake.levels.reading.limits import spend_work
from bake.levels.tiled.coverage import Outline
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import (
    FLIP_ACROSS,
    FLIP_DOWN,
    TRANSPOSE,
    TURN_120,
    Floats,
    Geometry,
)
from bake.levels.tiled.objects import MAX_CORNERS, Object
from bake.levels.tiled.tilesets import Tile

_ACROSS = {"left": 0.0, "right": 1.0}
_DOWN = {"top": 0.0, "bottom": 1.0}
#: The largest distance of a polygon from the curve that it replaces, as a share of a cell.
_OFF = 1 / 256
#: The largest distance of an outline from the corner of the map, in pixels.
_FARTHEST_PIXEL = 1e12
_QUARTERS = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}

Points = tuple[Floats, Floats]


def find_bounds(obj: Object, geometry: Geometry) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of an object relative to its point, before rotation."""
    if obj.corners:
        xs, ys = zip(*obj.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)
    if obj.shape != "tile":
        across, down = sorted((0.0, obj.width)), sorted((0.0, obj.height))
        return across[0], down[0], across[1], down[1]
    if geometry.orientation == "isometric":
        # The picture stands on the lower corner of a cell; both axes are in units of its height.
        size = float(geometry.tile_height)
        return -size, -size, 0.0, 0.0
    left, top = _picture_corner(obj, geometry)
    return left, top, left + obj.width, top + obj.height


def _picture_corner(obj: Object, geometry: Geometry) -> tuple[float, float]:
    """Return the left and top of the picture of a tile object on the screen, from its point."""
    words = obj.alignment
    if words == "unspecified":
        words = "bottom" if geometry.orientation == "isometric" else "bottomleft"
    across = next((part for word, part in _ACROSS.items() if word in words), 0.5)
    down = next((part for word, part in _DOWN.items() if word in words), 0.5)
    return -across * obj.width, -down * obj.height


def place_points(obj: Object, local: Points, geometry: Geometry) -> Points:
    """Convert points relative to the point of an object to object pixels, applying its rotation."""
    x, y = local
    if obj.rotation:
        x, y = geometry.off_screen(*_rotate(geometry.on_screen(x, y), obj.rotation))
    return x + obj.x, y + obj.y


def _rotate(points: Points, degrees: float) -> Points:
    turn = math.radians(degrees)
    cos, sin = _QUARTERS.get(degrees % 360, (math.cos(turn), math.sin(turn)))
    x, y = points
    return x * cos - y * sin, x * sin + y * cos


def build_outline(obj: Object, geometry: Geometry) -> Outline | None:
    """Return the outline of an object, or None for points and texts.

    The outline of a tile object is its picture, or its cell if the map is isometric. A rectangle
    without a width or a height is a line.
    """
    left, top, right, bottom = find_bounds(obj, geometry)
    closed = True
    if obj.shape == "text" or (obj.shape == "point" and obj.fields.values.get("point")):
        return None
    if obj.corners:
        closed = obj.shape == "polygon"
        x, y = (np.array(axis, dtype=np.float64) for axis in zip(*obj.corners, strict=True))
    elif obj.shape in ("ellipse", "capsule"):
        x, y = _draw_curve(obj, (left, top, right, bottom), geometry)
    elif left == right and top == bottom:
        return None
    else:
        x = np.array([left, right, right, left], dtype=np.float64)
        y = np.array([top, top, bottom, bottom], dtype=np.float64)
    return _check_outline(Outline(*place_points(obj, (x, y), geometry), closed), obj.fields)


def _draw_curve(
    obj: Object, around: tuple[float, float, float, float], geometry: Geometry
) -> Points:
    left, top, right, bottom = around
    radii = (right - left) / 2, (bottom - top) / 2
    if obj.shape == "capsule":
        radii = (min(radii), min(radii))
    off = min(geometry.tile_width, geometry.tile_height) * _OFF
    flat = max(-1.0, 1 - off / max(*radii, off))
    count = min(MAX_CORNERS // 4, max(8, math.ceil(math.pi / math.acos(flat) / 4))) * 4
    spend_work(obj.fields.file, count, obj.fields.place)
    turn = np.arange(count) * (2 * math.pi / count)
    # Make the four outermost points lie exactly on the sides.
    cos, sin = np.cos(turn), np.sin(turn)
    cos[[count // 4, 3 * count // 4]], sin[[0, count // 2]] = 0.0, 0.0
    x, y = cos * radii[0], sin * radii[1]
    # A capsule consists of two halves of a circle with a gap; an ellipse has no gap.
    x += np.where(cos < 0, left + radii[0], right - radii[0])
    y += np.where(sin < 0, top + radii[1], bottom - radii[1])
    return x, y


def collision_outline(
    tile: Tile, shape: Object, flips: int, geometry: Geometry, obj: Object | None = None
) -> Outline | None:
    """Return the outline of a collision shape of a tile, or None for points, texts and pictures.

    Args:
        tile: the tile.
        shape: the collision shape.
        flips: flips and rotations of the tile, as the high bits of a gid.
        geometry: the lattice of the map.
        obj: the tile object that shows the tile; None = the tile lies in cell (0, 0).
    """
    picture = tile.size((geometry.tile_width, geometry.tile_height))
    outline = _picture_outline(tile, shape, picture[1])
    if outline is None:
        return None
    width, height = float(picture[0]), float(picture[1])
    if obj is not None:
        width, height = obj.width or width, obj.height or height
        left, top = _picture_corner(obj, geometry)
    else:
        if tile.tileset.fields.text("tilerendersize", "") == "grid":
            width, height = float(geometry.tile_width), float(geometry.tile_height)
        left, bottom = _first_cell(geometry)
        top = bottom - height
    x, y = _draw_picture(tile, (outline.x, outline.y), picture, (width, height), flips, geometry)
    x, y = x + left, y + top
    if obj is not None and obj.rotation:
        x, y = _rotate((x, y), obj.rotation)
    x, y = geometry.off_screen(x, y)
    if obj is not None:
        x, y = x + obj.x, y + obj.y
    return _check_outline(Outline(x, y, outline.closed), shape.fields)


def _first_cell(geometry: Geometry) -> tuple[float, float]:
    """Return the left and bottom of the rectangle around cell (0, 0) on the screen."""
    first = np.zeros(1, dtype=np.int64)
    x, y = (float(axis[0]) for axis in geometry.on_screen(*geometry.cell_centers(first, first)))
    return x - geometry.tile_width / 2, y + geometry.tile_height / 2


def _picture_outline(tile: Tile, shape: Object, height: int) -> Outline | None:
    """Return the outline of a collision shape in pixels of the picture of its tile."""
    if shape.shape == "tile":
        return None
    grid = tile.tileset.part("grid")
    if grid.text("orientation", "orthogonal") != "isometric":
        return build_outline(shape, Geometry("orthogonal", 1, 1))
    cell = Geometry("isometric", grid.integer("width", 1, low=1), grid.integer("height", 1, low=1))
    outline = build_outline(shape, cell)
    if outline is None:
        return None
    x, y = cell.on_screen(outline.x, outline.y)
    return Outline(x + cell.tile_width / 2, y + height - cell.tile_height, outline.closed)


def _draw_picture(
    tile: Tile,
    points: Points,
    picture: tuple[int, int],
    size: tuple[float, float],
    flips: int,
    geometry: Geometry,
) -> Points:
    """Convert points of a picture to screen pixels from the left and top of its target rectangle.

    Args:
        tile: the tile.
        points: x and y in pixels of the picture.
        picture: the size of the picture.
        size: the size of the target rectangle.
        flips: flips and rotations, as the high bits of a gid.
        geometry: the lattice of the map.
    """
    scale = [size[0] / picture[0], size[1] / picture[1]]
    if tile.tileset.fields.text("fillmode", "") == "preserve-aspect-fit":
        scale = [min(scale)] * 2
    offset = tile.tileset.part("tileoffset")
    middle = [size[i] / 2 + offset.number(key, 0) * scale[i] for i, key in enumerate("xy")]
    across, down, turn = bool(flips & FLIP_ACROSS), bool(flips & FLIP_DOWN), 0
    if geometry.orientation == "hexagonal":
        turn = (60 if flips & TRANSPOSE else 0) + (120 if flips & TURN_120 else 0)
    elif flips & TRANSPOSE:
        turn, across, down = 90, down, not across
        middle = [axis + (size[1] - size[0]) / 2 for axis in middle]
    x = (points[0] - picture[0] / 2) * (-scale[0] if across else scale[0])
    y = (points[1] - picture[1] / 2) * (-scale[1] if down else scale[1])
    x, y = _rotate((x, y), turn)
    return x + middle[0], y + middle[1]


def _check_outline(outline: Outline, owner: Fields) -> Outline:
    furthest = max(np.abs(outline.x).max(), np.abs(outline.y).max())
    if not furthest < _FARTHEST_PIXEL:
        owner.refuse(
            f"it is drawn {furthest:g} pixels away", "a place within a trillion pixels", "move it"
        )
    return outline
