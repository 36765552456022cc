"""The layers of a map in drawing order, groups opened, and the pieces their cells come in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bake.editors import TiledReading
from bake.level import MAX_CELLS
from bake.levels.allowance import spend_work
from bake.levels.json_text import shown
from bake.levels.limits import check_size
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.layer_data import Gids, decode

MAX_GROUPS_DEEP = 32
_KINDS = ("tilelayer", "objectgroup", "imagelayer", "group")


@dataclass(frozen=True)
class Layer:
    """One layer.

    Attributes:
        path: names of its groups and its own, between slashes.
        floor: number of the floor it belongs to; None = no group says so.
    """

    fields: Fields
    kind: str
    name: str
    path: str
    floor: int | None


@dataclass(frozen=True)
class Box:
    """Cells of the map, from (left, top)."""

    left: int
    top: int
    width: int
    height: int


def open_layers(owner: Fields, reading: TiledReading) -> list[Layer]:
    """Tile and object layers that count, bottom to top."""
    found = [layer for layer in _walk(owner, "", None, 0) if _counts(layer, reading)]
    if not any(layer.kind == "tilelayer" for layer in found):
        owner.refuse(
            "the map has no tile layer that counts",
            "at least one",
            "see layers and ignore in [tiled]" if reading.layers or reading.ignore else None,
        )
    return found


def _counts(layer: Layer, reading: TiledReading) -> bool:
    if layer.kind not in ("tilelayer", "objectgroup"):
        return False
    names = {layer.name, *_paths(layer.path)}
    if names & set(reading.ignore):
        return False
    # Things are never in the way, so `layers` is about cells alone.
    return reading.layers is None or layer.kind != "tilelayer" or bool(names & set(reading.layers))


def _paths(path: str) -> Iterator[str]:
    """The path and those of the groups around it."""
    parts = path.split("/")
    return ("/".join(parts[: end + 1]) for end in range(len(parts)))


def _walk(owner: Fields, path: str, floor: int | None, depth: int) -> Iterator[Layer]:
    if depth > MAX_GROUPS_DEEP:
        owner.refuse("the groups are nested too deeply", f"at most {MAX_GROUPS_DEEP} deep")
    for item in owner.items("layers"):
        kind, name = item.text("type"), item.text("name", "")
        if kind not in _KINDS:
            item.refuse(f"the type is {shown(kind)}", f"one of {', '.join(_KINDS)}")
        own_path = f"{path}/{name}" if path else name
        fields = item.at(f"layer {shown(own_path)}")
        own_floor = _floor(fields) if kind == "group" else None
        if own_floor is not None and floor is not None:
            fields.refuse("the floor lies inside another floor", "floors beside one another")
        own_floor = floor if own_floor is None else own_floor
        if kind == "group":
            yield from _walk(fields, own_path, own_floor, depth + 1)
        else:
            yield Layer(fields, kind, name, own_path, own_floor)


def _floor(fields: Fields) -> int | None:
    properties = fields.properties()
    if not properties.has("floor"):
        return None
    floor = properties.values["floor"]
    if type(floor) is not int or not -1000 <= floor <= 1000:
        properties.refuse("floor", "a whole number from -1000 to 1000 (type int)")
    return floor


def extent(owner: Fields, layers: list[Layer]) -> Box:
    """The cells a map has; on infinite maps those of all chunks.

    Raises:
        LevelError: none, or more than MAX_CELLS.
    """
    width, height = owner.whole("width"), owner.whole("height")
    if not _is_infinite(owner):
        check_size(owner.file, width, height)
        return Box(0, 0, width, height)
    boxes = [
        _box(chunk)
        for layer in layers
        if layer.kind == "tilelayer"
        for chunk in layer.fields.items("chunks")
    ]
    if not boxes:
        owner.refuse("the infinite map has no chunks, so no cells", "at least one")
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    right = max(box.left + box.width for box in boxes)
    bottom = max(box.top + box.height for box in boxes)
    check_size(owner.file, right - left, bottom - top)
    return Box(left, top, right - left, bottom - top)


def _is_infinite(owner: Fields) -> bool:
    return owner.values.get("infinite") in (True, 1, "1", "true")


def _box(chunk: Fields) -> Box:
    box = Box(
        chunk.whole("x", low=-(2**40)),
        chunk.whole("y", low=-(2**40)),
        chunk.whole("width", low=1),
        chunk.whole("height", low=1),
    )
    if box.width * box.height > MAX_CELLS:
        chunk.refuse(f"the chunk is {box.width:,} x {box.height:,}", f"at most {MAX_CELLS:,} cells")
    return box


def pieces(layer: Layer, whole: Box) -> Iterator[tuple[Box, Gids]]:
    """The cells of a tile layer, one decoded chunk after the other."""
    fields = layer.fields
    encoding, compression = fields.text("encoding", ""), fields.text("compression", "")
    if fields.has("chunks"):
        for chunk in fields.items("chunks"):
            box = _box(chunk)
            named = chunk.at(f"{fields.place}, chunk at ({box.left}, {box.top})")
            if not (
                whole.left <= box.left
                and whole.top <= box.top
                and box.left + box.width <= whole.left + whole.width
                and box.top + box.height <= whole.top + whole.height
            ):
                named.refuse("the chunk lies outside the map", "one inside it, or an infinite map")
            spend_work(named.file, box.width * box.height, named.place)
            data = chunk.values.get("data", [])
            yield box, decode(named, data, encoding, compression, box.width, box.height)
        return
    if not fields.has("data"):
        return
    width, height = fields.whole("width", whole.width), fields.whole("height", whole.height)
    if (width, height) != (whole.width, whole.height):
        fields.refuse(
            f"the layer is {width:,} x {height:,}",
            f"{whole.width:,} x {whole.height:,}, as the map is",
            "save it again in Tiled",
        )
    spend_work(fields.file, width * height, fields.place)
    yield whole, decode(fields, fields.values["data"], encoding, compression, width, height)
