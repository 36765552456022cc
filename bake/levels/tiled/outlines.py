"""Find the outlines of objects and of tiles' collision shapes, in the pixels of objects.

What Tiled draws is followed step by step (src/libtiled/maprenderer.cpp, mapobject.cpp and the
renderers of each orientation): objects are turned about their point on the screen, which on
isometric maps is not where their pixels are counted; pictures are scaled, then flipped and turned
about their middle.
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
#: Curves are drawn as polygons that are nowhere further off than this part of a cell.
_OFF = 1 / 256
#: Pixels from the corner of the map, beyond which nothing is drawn on purpose.
_FARTHEST_PIXEL = 1e12
_QUARTERS = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}

Points = tuple[Floats, Floats]


def bounds(thing: Object, geometry: Geometry) -> tuple[float, float, float, float]:
    """Return an object's left, top, right and bottom relative to its point, before rotation."""
    if thing.corners:
        xs, ys = zip(*thing.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)
    if thing.shape != "tile":
        across, down = sorted((0.0, thing.width)), sorted((0.0, thing.height))
        return across[0], down[0], across[1], down[1]
    if geometry.orientation == "isometric":
        # Its picture stands on the lower corner of one cell; both axes are in units of its height.
        size = float(geometry.tile_height)
        return -size, -size, 0.0, 0.0
    left, top = _corner(thing, geometry)
    return left, top, left + thing.width, top + thing.height


def _corner(thing: Object, geometry: Geometry) -> tuple[float, float]:
    """Return the left and top of a tile object's picture on the screen, from its point."""
    words = thing.alignment
    if words == "unspecified":
        words = "bottom" if geometry.orientation == "isometric" else "bottomleft"
    across = next((part for word, part in _ACROSS.items() if word in words), 0.5)
    down = next((part for word, part in _DOWN.items() if word in words), 0.5)
    return -across * thing.width, -down * thing.height


def placed(thing: Object, local: Points, geometry: Geometry) -> Points:
    """Return where points relative to an object's point lie, once the object is rotated."""
    x, y = local
    if thing.rotation:
        x, y = geometry.off_screen(*_rotated(geometry.on_screen(x, y), thing.rotation))
    return x + thing.x, y + thing.y


def _rotated(points: Points, degrees: float) -> Points:
    turn = math.radians(degrees)
    cos, sin = _QUARTERS.get(degrees % 360, (math.cos(turn), math.sin(turn)))
    x, y = points
    return x * cos - y * sin, x * sin + y * cos


def outline_of(thing: Object, geometry: Geometry) -> Outline | None:
    """Return the outline of an object; None for points and texts.

    A tile object has that of its picture, or of the cell it stands on where the map is isometric.
    A rectangle without a width or a height is a line.
    """
    left, top, right, bottom = bounds(thing, geometry)
    closed = True
    if thing.shape == "text" or (thing.shape == "point" and thing.fields.values.get("point")):
        return None
    if thing.corners:
        closed = thing.shape == "polygon"
        x, y = (np.array(axis, dtype=np.float64) for axis in zip(*thing.corners, strict=True))
    elif thing.shape in ("ellipse", "capsule"):
        x, y = _curve(thing, (left, top, right, bottom), geometry)
    elif left == right and top == bottom:
        return None
    else:
        x = np.array([left, right, right, left], dtype=np.float64)
        y = np.array([top, top, bottom, bottom], dtype=np.float64)
    return _checked(Outline(*placed(thing, (x, y), geometry), closed), thing.fields)


def _curve(thing: Object, around: tuple[float, float, float, float], geometry: Geometry) -> Points:
    left, top, right, bottom = around
    radii = (right - left) / 2, (bottom - top) / 2
    if thing.shape == "capsule":
        radii = (min(radii), min(radii))
    off = min(geometry.tile_width, geometry.tile_height) * _OFF
    flat = max(-1.0, 1 - off / max(*radii, off))
    count = min(MAX_CORNERS // 4, max(8, math.ceil(math.pi / math.acos(flat) / 4))) * 4
    spend_work(thing.fields.file, count, thing.fields.place)
    turn = np.arange(count) * (2 * math.pi / count)
    # The four outermost points lie on the sides exactly.
    cos, sin = np.cos(turn), np.sin(turn)
    cos[[count // 4, 3 * count // 4]], sin[[0, count // 2]] = 0.0, 0.0
    x, y = cos * radii[0], sin * radii[1]
    # A capsule is two halves of a circle, with room between them; an ellipse has no such room.
    x += np.where(cos < 0, left + radii[0], right - radii[0])
    y += np.where(sin < 0, top + radii[1], bottom - radii[1])
    return x, y


def collision_outline(
    tile: Tile, shape: Object, flips: int, geometry: Geometry, thing: Object | None = None
) -> Outline | None:
    """Return the outline of a tile's collision shape; None for points, texts and pictures.

    Args:
        tile: the tile.
        shape: what was drawn on it.
        flips: how it is flipped and turned, as the high bits of a gid.
        geometry: of the map.
        thing: the tile object whose picture it is; None = it lies in the map's cell (0, 0).
    """
    picture = tile.size((geometry.tile_width, geometry.tile_height))
    outline = _on_picture(tile, shape, picture[1])
    if outline is None:
        return None
    width, height = float(picture[0]), float(picture[1])
    if thing is not None:
        width, height = thing.width or width, thing.height or height
        left, top = _corner(thing, geometry)
    else:
        if tile.tileset.fields.text("tilerendersize", "") == "grid":
            width, height = float(geometry.tile_width), float(geometry.tile_height)
        left, bottom = _first_cell(geometry)
        top = bottom - height
    x, y = _drawn(tile, (outline.x, outline.y), picture, (width, height), flips, geometry)
    x, y = x + left, y + top
    if thing is not None and thing.rotation:
        x, y = _rotated((x, y), thing.rotation)
    x, y = geometry.off_screen(x, y)
    if thing is not None:
        x, y = x + thing.x, y + thing.y
    return _checked(Outline(x, y, outline.closed), shape.fields)


def _first_cell(geometry: Geometry) -> tuple[float, float]:
    """Return the left and bottom, on the screen, of the rectangle around the map's cell (0, 0)."""
    first = np.zeros(1, dtype=np.int64)
    x, y = (float(each[0]) for each in geometry.on_screen(*geometry.centres(first, first)))
    return x - geometry.tile_width / 2, y + geometry.tile_height / 2


def _on_picture(tile: Tile, shape: Object, height: int) -> Outline | None:
    """Return the outline of a collision shape in the pixels of its tile's picture."""
    if shape.shape == "tile":
        return None
    grid = tile.tileset.part("grid")
    if grid.text("orientation", "orthogonal") != "isometric":
        return outline_of(shape, Geometry("orthogonal", 1, 1))
    cell = Geometry("isometric", grid.whole("width", 1, low=1), grid.whole("height", 1, low=1))
    outline = outline_of(shape, cell)
    if outline is None:
        return None
    x, y = cell.on_screen(outline.x, outline.y)
    return Outline(x + cell.tile_width / 2, y + height - cell.tile_height, outline.closed)


def _drawn(
    tile: Tile,
    points: Points,
    picture: tuple[int, int],
    size: tuple[float, float],
    flips: int,
    geometry: Geometry,
) -> Points:
    """Return where points of a picture are drawn, from the left and top of the room it is given."""
    scale = [size[0] / picture[0], size[1] / picture[1]]
    if tile.tileset.fields.text("fillmode", "") == "preserve-aspect-fit":
        scale = [min(scale)] * 2
    offset = tile.tileset.part("tileoffset")
    middle = [size[axis] / 2 + offset.number(key, 0) * scale[axis] for axis, key in enumerate("xy")]
    across, down, turn = bool(flips & FLIP_ACROSS), bool(flips & FLIP_DOWN), 0
    if geometry.orientation == "hexagonal":
        turn = (60 if flips & TRANSPOSE else 0) + (120 if flips & TURN_120 else 0)
    elif flips & TRANSPOSE:
        turn, across, down = 90, down, not across
        middle = [each + (size[1] - size[0]) / 2 for each in middle]
    x = (points[0] - picture[0] / 2) * (-scale[0] if across else scale[0])
    y = (points[1] - picture[1] / 2) * (-scale[1] if down else scale[1])
    x, y = _rotated((x, y), turn)
    return x + middle[0], y + middle[1]


def _checked(outline: Outline, owner: Fields) -> Outline:
    furthest = max(np.abs(outline.x).max(), np.abs(outline.y).max())
    if not furthest < _FARTHEST_PIXEL:
        owner.refuse(
            f"it is drawn {furthest:g} pixels away", "a place within a trillion pixels", "move it"
        )
    return outline
