"""Read objects as they were drawn, with the templates and tiles behind them filled in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from bake.levels.reading.limits import spend_work
from bake.levels.reading.marks import as_number
from bake.levels.reading.mistakes import shown
from bake.levels.tiled.fields import Fields, Properties
from bake.levels.tiled.geometry import MAX_GID, TILE_BITS, Geometry
from bake.levels.tiled.layers import Layer
from bake.levels.tiled.tilesets import MapFiles, Tile, Tilesets

Shape = Literal["point", "box", "ellipse", "capsule", "polygon", "polyline", "tile", "text"]

#: The most corners a polygon may have; each is compared with every cell around the polygon.
MAX_CORNERS = 4096
_MAX_PIXELS = 1e9
_MAX_TEMPLATES_DEEP = 16
_DRAWN = frozenset({"point", "ellipse", "capsule", "polygon", "polyline", "text"})
#: The keys of an object that are read, in the order in which Tiled writes them, so that what a
#: template says is read in the same order everywhere.
_WORDS = (
    *("capsule", "class", "ellipse", "gid", "height", "id", "name", "point", "polygon"),
    *("polyline", "rotation", "text", "type", "width", "x", "y"),
)


@dataclass(frozen=True)
class Object:
    """One object as it was drawn."""

    fields: Fields
    number: int  #: its id; 0 where it has none
    name: str
    class_name: str  #: its own, or else that of its tile; "" where neither has one
    shape: Shape
    #: x, y: pixels; the point it is drawn from and rotated about
    x: float
    y: float
    #: width, height: pixels
    width: float
    height: float
    rotation: float  #: degrees, clockwise
    corners: tuple[tuple[float, float], ...]  #: of a polygon or polyline, relative to (x, y)
    alignment: str  #: which point of a tile object (x, y) is
    properties: Properties
    #: number of the floor its layer or its property says; None where neither does
    floor: int | None
    tile: Tile | None = None  #: of a tile object
    flips: int = 0  #: how its tile is flipped and turned, as the high bits of a gid
    layer: Layer | None = None  #: its object layer; None for a collision shape of a tile

    @property
    def id(self) -> str | None:
        """Return its number as text; None where it has none."""
        return str(self.number) if self.number else None


def read_objects(
    layers: list[Layer], tilesets: Tilesets, templates: Templates, geometry: Geometry
) -> list[Object]:
    """Read all objects of the object layers, in the order of the file.

    Their places are those they have over the cells of their floor, so a layer's offset moves them.
    """
    found: list[Object] = []
    lowest: dict[int | None, tuple[float, float]] = {}
    for layer in layers:
        if layer.kind == "tilelayer":
            lowest.setdefault(layer.floor, layer.offset)
    for layer in layers:
        if layer.kind != "objectgroup":
            continue
        for item in layer.fields.items("objects"):
            each = _read(item, f"layer {shown(layer.path)}", layer, tilesets, templates)
            offset = lowest.get(each.floor, (0.0, 0.0))
            found.append(_moved(each, layer.offset, offset, geometry))
    return found


def read_shapes(tile: Tile, tilesets: Tilesets, templates: Templates) -> list[Object]:
    """Read the collision shapes of a tile; their pixels are those of its picture."""
    return [_read(item, tile.fields.place, None, tilesets, templates) for item in tile.shapes]


def _moved(
    each: Object, offset: tuple[float, float], cells: tuple[float, float], geometry: Geometry
) -> Object:
    """Move an object by how far its layer is drawn off the cells."""
    if offset == cells:
        return each
    steps = (np.array([one - other]) for one, other in zip(offset, cells, strict=True))
    dx, dy = geometry.off_screen(*steps)
    return replace(each, x=each.x + float(dx[0]), y=each.y + float(dy[0]))


class Templates:
    """Reads template files, each once."""

    def __init__(self, files: MapFiles) -> None:
        self.files = files
        self.known: dict[Path, tuple[Fields, Tilesets | None]] = {}

    def behind(self, item: Fields) -> list[tuple[Fields, Tilesets | None]]:
        """Return the template of an object, the template of that, and so on."""
        found: list[tuple[Fields, Tilesets | None]] = []
        chain: list[Path] = []
        while item.has("template"):
            path = self.files.refer(item, item.text("template"))
            if path.resolve() in chain or len(chain) >= _MAX_TEMPLATES_DEEP:
                item.refuse(
                    f"the template {shown(item.text('template'))} leads back to itself",
                    "templates without a cycle",
                    "edit the template file, so that its object has no template",
                )
            chain.append(path.resolve())
            if path.resolve() not in self.known:
                self.known[path.resolve()] = self._open(path, item)
            found.append(self.known[path.resolve()])
            item = found[-1][0]
        return found

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


def _read(
    item: Fields, where: str, layer: Layer | None, map_tilesets: Tilesets, templates: Templates
) -> Object:
    number = item.whole("id", 0)
    item = item.at(_place(item, number, where))
    behind = templates.behind(item)
    properties = item.properties()
    values = {key: value for key, value in item.values.items() if key in _WORDS}
    # A gid belongs to the tilesets of the file it stands in.
    tilesets: Tilesets | None = map_tilesets
    has_gid, text = item.has("gid"), item.is_text
    for template, own in behind:
        properties = properties.over(template.properties())
        if not has_gid and template.has("gid"):
            has_gid, tilesets = True, own
        for key in _WORDS:
            if key not in template.values or (key in _DRAWN and _DRAWN & values.keys() - {key}):
                continue
            # A template may be XML where the map is JSON; then its numbers are text.
            values.setdefault(key, template.values[key])
        text = text or template.is_text
    fields = Fields(item.file, values, item.place, is_text=text, types=item.types)
    fields = fields.at(_place(fields, number, where))
    properties.owner = fields

    class_name = fields.class_name("object")
    alignment = "unspecified"
    shape = _shape(fields)
    tile, flips = None, 0
    if shape == "tile" and tilesets is not None:
        gid = fields.whole("gid")
        found = tilesets.find(gid) if gid <= MAX_GID else None
        if found is None:
            fields.refuse(
                f"the gid {gid} is in no tileset",
                "a tile of one of the map's tilesets",
                "bring back the tileset in Tiled, or delete the object",
            )
        alignment, flips = found[0].alignment, gid & ~TILE_BITS
        tile = found[0].tile(found[1])
        class_name = class_name or tile.class_name
        properties = properties.over(tile.typed)
    properties = properties.over(fields.class_properties("object", class_name))
    return Object(
        fields=fields,
        number=number,
        name=_name(fields),
        class_name=class_name,
        shape=shape,
        x=_pixels(fields, "x"),
        y=_pixels(fields, "y"),
        width=_pixels(fields, "width"),
        height=_pixels(fields, "height"),
        rotation=fields.number("rotation", 0) % 360,
        corners=_corners(fields, shape),
        alignment=alignment,
        properties=properties,
        tile=tile,
        flips=flips,
        layer=layer,
        floor=None if layer is None else _floor(layer, properties),
    )


def _place(item: Fields, number: int, where: str) -> str:
    name = item.text("name", "")
    return f"{where}, object {number}" + (f" {shown(name)}" if name else "")


def _name(fields: Fields) -> str:
    name = fields.text("name", "").strip()
    if name and not name.isprintable():
        fields.refuse(f"the name is {shown(name)}", "text without control characters")
    return name


def _shape(fields: Fields) -> Shape:
    if fields.has("gid"):
        return "tile"
    for shape in ("point", "ellipse", "capsule", "polygon", "polyline", "text"):
        if fields.values.get(shape) not in (None, False):
            return shape
    return "box" if fields.number("width", 0) and fields.number("height", 0) else "point"


def _pixels(fields: Fields, key: str) -> float:
    value = fields.number(key, 0)
    if abs(value) > _MAX_PIXELS:
        fields.refuse(f"{key} is {value:g}", "a place within a billion pixels")
    return value


def _corners(fields: Fields, shape: Shape) -> tuple[tuple[float, float], ...]:
    if shape not in ("polygon", "polyline"):
        return ()
    points = fields.values[shape]
    if not isinstance(points, list) or not 2 <= len(points) <= MAX_CORNERS:
        fields.refuse(
            f"the {shape} has {len(points) if isinstance(points, list) else 'no'} corners",
            f"2 to {MAX_CORNERS:,}",
        )
    # Objects of one template share its corners, so a small file may ask for many.
    spend_work(fields.file, len(points), fields.place)
    found = []
    for point in points:
        pair = (
            [as_number(point.get(axis), is_text=fields.is_text) for axis in ("x", "y")]
            if isinstance(point, dict)
            else [None, None]
        )
        if pair[0] is None or pair[1] is None or max(abs(pair[0]), abs(pair[1])) > _MAX_PIXELS:
            fields.refuse(f"a corner of the {shape} is not a pair of numbers", "x and y")
        found.append((pair[0], pair[1]))
    return tuple(found)


def _floor(layer: Layer, properties: Properties) -> int | None:
    if not properties.has("floor"):
        return layer.floor
    floor = properties.value("floor")
    if type(floor) is not int:
        properties.refuse("floor", "a whole number (type int)")
    return floor


def floor_place(thing: Object, floors: tuple[int, ...]) -> int:
    """Return the place of the object's floor among those of the level."""
    if not floors:
        return 0
    if thing.floor not in floors:
        thing.fields.refuse(
            "it lies on no floor" if thing.floor is None else f"there is no floor {thing.floor}",
            f"one of {', '.join(map(str, floors))}",
            "move its layer into the group of a floor, or give it a property floor",
        )
    return floors.index(thing.floor)
