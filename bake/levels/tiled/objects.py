"""Read the objects of a map, with missing values from their templates and tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from bake.levels.reading.limits import spend_work
from bake.levels.reading.marks import parse_number
from bake.levels.reading.mistakes import shown
from bake.levels.tiled.fields import Fields, Properties
from bake.levels.tiled.geometry import MAX_GID, TILE_BITS, Geometry
from bake.levels.tiled.layers import Layer
from bake.levels.tiled.tilesets import MapFiles, Tile, Tilesets

Shape = Literal["point", "box", "ellipse", "capsule", "polygon", "polyline", "tile", "text"]

#: The most corners of a polygon; each corner is compared with all cells around the polygon.
MAX_CORNERS = 4096
_MAX_PIXELS = 1e9
_MAX_TEMPLATES_DEEP = 16
_DRAWN = frozenset({"point", "ellipse", "capsule", "polygon", "polyline", "text"})
#: The keys of an object, in the order of Tiled, so that templates in XML and JSON have the same
#: order.
_WORDS = (
    *("capsule", "class", "ellipse", "gid", "height", "id", "name", "point", "polygon"),
    *("polyline", "rotation", "text", "type", "width", "x", "y"),
)


@dataclass(frozen=True)
class Object:
    """An object of an object layer, or a collision shape of a tile."""

    fields: Fields
    number: int  #: id; 0 without one
    name: str
    class_name: str  #: class of the object, or else of its tile; "" without one
    shape: Shape
    #: x, y: in object pixels; the point about which it is rotated
    x: float
    y: float
    #: width, height: in object pixels
    width: float
    height: float
    rotation: float  #: degrees, clockwise
    corners: tuple[
        tuple[float, float], ...
    ]  #: corners of a polygon or polyline, relative to (x, y)
    alignment: str  #: which point of a tile object (x, y) is
    properties: Properties
    #: number of the floor by its property or layer; None without one
    floor: int | None
    tile: Tile | None = None  #: tile of a tile object
    flips: int = 0  #: flips and rotations of its tile, as the high bits of a gid
    layer: Layer | None = None  #: object layer; None for a collision shape

    @property
    def id(self) -> str | None:
        """The id as text; None without one."""
        return str(self.number) if self.number else None


def read_objects(
    layers: list[Layer], tilesets: Tilesets, templates: Templates, geometry: Geometry
) -> list[Object]:
    """Return the objects of all object layers in the order of the file.

    Positions are relative to the cells of their floor, so offsets of layers are applied.
    """
    objects: list[Object] = []
    floor_offsets: dict[int | None, tuple[float, float]] = {}
    for layer in layers:
        if layer.kind == "tilelayer":
            floor_offsets.setdefault(layer.floor, layer.offset)
    for layer in layers:
        if layer.kind != "objectgroup":
            continue
        for item in layer.fields.items("objects"):
            obj = _read_object(item, f"layer {shown(layer.path)}", layer, tilesets, templates)
            offset = floor_offsets.get(obj.floor, (0.0, 0.0))
            objects.append(_move_object(obj, layer.offset, offset, geometry))
    return objects


def read_shapes(tile: Tile, tilesets: Tilesets, templates: Templates) -> list[Object]:
    """Return the collision shapes of a tile, in pixels of its picture."""
    return [
        _read_object(item, tile.fields.place, None, tilesets, templates) for item in tile.shapes
    ]


def _move_object(
    obj: Object, offset: tuple[float, float], cell_offset: tuple[float, float], geometry: Geometry
) -> Object:
    """Return an object moved by the offset of its layer from the cells."""
    if offset == cell_offset:
        return obj
    steps = (
        np.array([layer_axis - cell_axis])
        for layer_axis, cell_axis in zip(offset, cell_offset, strict=True)
    )
    dx, dy = geometry.off_screen(*steps)
    return replace(obj, x=obj.x + float(dx[0]), y=obj.y + float(dy[0]))


class Templates:
    """Reads template files and caches them."""

    def __init__(self, files: MapFiles) -> None:
        self.files = files
        self.known: dict[Path, tuple[Fields, Tilesets | None]] = {}

    def template_chain(self, item: Fields) -> list[tuple[Fields, Tilesets | None]]:
        """Return the chain of templates of an object, nearest first."""
        templates: list[tuple[Fields, Tilesets | None]] = []
        chain: list[Path] = []
        while item.has("template"):
            path = self.files.refer(item, item.text("template"))
            if path.resolve() in chain or len(chain) >= _MAX_TEMPLATES_DEEP:
                item.refuse(
                    f"the template {shown(item.text('template'))} refers to itself",
                    "templates without a cycle",
                    "edit the template file, so that its object has no template",
                )
            chain.append(path.resolve())
            if path.resolve() not in self.known:
                self.known[path.resolve()] = self._open(path, item)
            templates.append(self.known[path.resolve()])
            item = templates[-1][0]
        return templates

    def _open(self, path: Path, item: Fields) -> tuple[Fields, Tilesets | None]:
        root = self.files.open(path, "template", item)
        inner, tileset = root.values.get("object"), root.values.get("tileset")
        if not isinstance(inner, dict):
            root.refuse("the template has no object", "one object")
        tilesets = None
        if isinstance(tileset, dict):
            holder = root.inside({"tilesets": [tileset]}, "")
            tilesets = Tilesets(holder, self.files)
        return root.inside(inner, "object of the template"), tilesets


def _read_object(
    item: Fields, where: str, layer: Layer | None, map_tilesets: Tilesets, templates: Templates
) -> Object:
    number = item.integer("id", 0)
    item = item.at_place(_place(item, number, where))
    template_chain = templates.template_chain(item)
    properties = item.properties()
    values = {key: value for key, value in item.values.items() if key in _WORDS}
    # A gid refers to the tilesets of the file that contains it.
    tilesets: Tilesets | None = map_tilesets
    has_gid, text = item.has("gid"), item.is_text
    for template, template_tilesets in template_chain:
        properties = properties.with_inherited(template.properties())
        if not has_gid and template.has("gid"):
            has_gid, tilesets = True, template_tilesets
        for key in _WORDS:
            if key not in template.values or (key in _DRAWN and _DRAWN & values.keys() - {key}):
                continue
            # A template may be XML although the map is JSON; then its numbers are text.
            values.setdefault(key, template.values[key])
        text = text or template.is_text
    fields = Fields(item.file, values, item.place, is_text=text, types=item.types)
    fields = fields.at_place(_place(fields, number, where))
    properties.owner = fields

    class_name = fields.class_name("object")
    alignment = "unspecified"
    shape = _find_shape(fields)
    tile, flips = None, 0
    if shape == "tile" and tilesets is not None:
        gid = fields.integer("gid")
        match = tilesets.find(gid) if gid <= MAX_GID else None
        if match is None:
            fields.refuse(
                f"the gid {gid} is in no tileset",
                "a tile of one of the map's tilesets",
                "restore the tileset in Tiled, or delete the object",
            )
        alignment, flips = match[0].alignment, gid & ~TILE_BITS
        tile = match[0].tile(match[1])
        class_name = class_name or tile.class_name
        properties = properties.with_inherited(tile.typed)
    properties = properties.with_inherited(fields.class_properties("object", class_name))
    return Object(
        fields=fields,
        number=number,
        name=_read_name(fields),
        class_name=class_name,
        shape=shape,
        x=_read_pixels(fields, "x"),
        y=_read_pixels(fields, "y"),
        width=_read_pixels(fields, "width"),
        height=_read_pixels(fields, "height"),
        rotation=fields.number("rotation", 0) % 360,
        corners=_read_corners(fields, shape),
        alignment=alignment,
        properties=properties,
        tile=tile,
        flips=flips,
        layer=layer,
        floor=None if layer is None else _read_floor(layer, properties),
    )


def _place(item: Fields, number: int, where: str) -> str:
    name = item.text("name", "")
    return f"{where}, object {number}" + (f" {shown(name)}" if name else "")


def _read_name(fields: Fields) -> str:
    name = fields.text("name", "").strip()
    if name and not name.isprintable():
        fields.refuse(f"the name is {shown(name)}", "text without control characters")
    return name


def _find_shape(fields: Fields) -> Shape:
    if fields.has("gid"):
        return "tile"
    for shape in ("point", "ellipse", "capsule", "polygon", "polyline", "text"):
        if fields.values.get(shape) not in (None, False):
            return shape
    return "box" if fields.number("width", 0) and fields.number("height", 0) else "point"


def _read_pixels(fields: Fields, key: str) -> float:
    value = fields.number(key, 0)
    if abs(value) > _MAX_PIXELS:
        fields.refuse(f"{key} is {value:g}", "a place within a billion pixels")
    return value


def _read_corners(fields: Fields, shape: Shape) -> tuple[tuple[float, float], ...]:
    if shape not in ("polygon", "polyline"):
        return ()
    points = fields.values[shape]
    if not isinstance(points, list) or not 2 <= len(points) <= MAX_CORNERS:
        fields.refuse(
            f"the {shape} has {len(points) if isinstance(points, list) else 'no'} corners",
            f"2 to {MAX_CORNERS:,}",
        )
    # All objects of a template have its corners, so a small file may have many.
    spend_work(fields.file, len(points), fields.place)
    corners = []
    for point in points:
        pair = (
            [parse_number(point.get(axis), is_text=fields.is_text) for axis in ("x", "y")]
            if isinstance(point, dict)
            else [None, None]
        )
        if pair[0] is None or pair[1] is None or max(abs(pair[0]), abs(pair[1])) > _MAX_PIXELS:
            fields.refuse(f"a corner of the {shape} is not a pair of numbers", "x and y")
        corners.append((pair[0], pair[1]))
    return tuple(corners)


def _read_floor(layer: Layer, properties: Properties) -> int | None:
    if not properties.has("floor"):
        return layer.floor
    floor = properties.value("floor")
    if type(floor) is not int:
        properties.refuse("floor", "a whole number (type int)")
    return floor


def floor_index(obj: Object, floors: tuple[int, ...]) -> int:
    """Return the index of the floor of an object among the floors of the level."""
    if not floors:
        return 0
    if obj.floor not in floors:
        obj.fields.refuse(
            "it lies on no floor" if obj.floor is None else f"there is no floor {obj.floor}",
            f"one of {', '.join(map(str, floors))}",
            "move its layer into the group of a floor, or give it a property floor",
        )
    return floors.index(obj.floor)
