"""List the layers of a map in drawing order, including those in groups, and decode tiles.

Cells are stored as CSV, XML tiles or base64, and base64 may be compressed. Data are inflated to at
most one byte more than the declared size.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
import warnings
import zlib
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard, cast

import numpy as np

from bake.core.arrays import UInt32Array
from bake.core.level import MAX_CELLS
from bake.levels.reading.editors import TiledReading
from bake.levels.reading.limits import check_size, spend_work
from bake.levels.reading.mistakes import shown
from bake.levels.reading.names import normalize_name
from bake.levels.tiled.fields import Fields, Properties
from bake.levels.tiled.geometry import MAX_GID

Gids = UInt32Array

COMPRESSIONS = ("zlib", "gzip", "zstd")
_REMEDY = "save it again in Tiled"
_CSV = re.compile(r"[0-9,\s]*", re.ASCII)
_TOO_LONG = re.compile(r"[0-9]{11}")
#: The `wbits` argument of zlib by the header of the stream.
_WINDOW_BITS = {"zlib": 15, "gzip": 31}
#: The largest window of a zstd stream, as log2 of bytes; the default limit of its command line.
_WINDOW_LOG = 27
MAX_GROUPS_DEEP = 32
#: The value of the property `bake` of layers whose tiles are elevations.
ELEVATION = "elevation"
_KINDS = ("tilelayer", "objectgroup", "imagelayer", "group")


@dataclass(frozen=True)
class Layer:
    """A layer, with its path, floor and offset."""

    fields: Fields
    kind: str
    name: str
    path: str  #: names of the groups and the layer, separated by slashes
    floor: int | None  #: number of its floor; None = no group names one
    #: pixels by which it is drawn to the east and south, including the offsets of its groups
    offset: tuple[float, float] = (0.0, 0.0)
    groups: tuple[Fields, ...] = ()  #: the groups that contain it, outermost first

    @cached_property
    def properties(self) -> Properties:
        """The custom properties, with the defaults of the class for missing ones."""
        return self.fields.typed_properties("layer")


@dataclass(frozen=True)
class Box:
    """A rectangle of cells of the map, from (left, top)."""

    left: int
    top: int
    width: int
    height: int


def open_layers(owner: Fields, reading: TiledReading) -> tuple[list[Layer], list[Layer]]:
    """Return the tile and object layers to read, and the elevation layers, bottom to top."""
    counting: list[Layer] = []
    raising: list[Layer] = []
    for layer in _list_layers(owner, "", None, (0.0, 0.0), ()):
        names = {layer.name, *_group_paths(layer.path)}
        if layer.kind not in ("tilelayer", "objectgroup") or names & set(reading.ignore):
            continue
        if layer.kind == "tilelayer":
            purpose = layer.properties.value("bake")
            if isinstance(purpose, str) and normalize_name(purpose) == ELEVATION:
                raising.append(layer)
                continue
            # Objects never hide cells, so `layers` applies to tile layers only.
            if reading.layers is not None and not names & set(reading.layers):
                continue
        counting.append(layer)
    return counting, raising


def _group_paths(path: str) -> Iterator[str]:
    """Yield the paths of the groups that contain a layer, and of the layer."""
    parts = path.split("/")
    return ("/".join(parts[: end + 1]) for end in range(len(parts)))


def _list_layers(
    owner: Fields,
    path: str,
    floor: int | None,
    offset: tuple[float, float],
    groups: tuple[Fields, ...],
) -> Iterator[Layer]:
    if len(groups) > MAX_GROUPS_DEEP:
        owner.refuse("the groups are nested too deeply", f"at most {MAX_GROUPS_DEEP} deep")
    for item in owner.items("layers"):
        kind, name = item.text("type"), item.text("name", "")
        if kind not in _KINDS:
            item.refuse(f"the type is {shown(kind)}", f"one of {', '.join(_KINDS)}")
        own_path = f"{path}/{name}" if path else name
        fields = item.at_place(f"layer {shown(own_path)}")
        own_floor = _read_floor(fields) if kind == "group" else None
        if own_floor is not None and floor is not None:
            fields.refuse("the floor lies inside another floor", "floors beside one another")
        own_floor = floor if own_floor is None else own_floor
        own_offset = (
            offset[0] + fields.number("offsetx", 0),
            offset[1] + fields.number("offsety", 0),
        )
        if kind == "group":
            yield from _list_layers(fields, own_path, own_floor, own_offset, (*groups, fields))
        else:
            yield Layer(fields, kind, name, own_path, own_floor, own_offset, groups)


def _read_floor(fields: Fields) -> int | None:
    properties = fields.typed_properties("layer")
    if not properties.has("floor"):
        return None
    floor = properties.value("floor")
    if type(floor) is not int or not -1000 <= floor <= 1000:
        properties.refuse("floor", "a whole number from -1000 to 1000 (type int)")
    return floor


def find_extent(owner: Fields, layers: list[Layer], drawn: Iterable[tuple[Box, str]] = ()) -> Box:
    """Return the box of all cells of a map.

    Args:
        owner: the map.
        layers: the layers to read.
        drawn: boxes around shapes with a terrain, and their places in the file. An infinite map
            consists of these and of its chunks.

    Raises:
        LevelError: the map has no cells, or more than MAX_CELLS.
    """
    width, height = owner.integer("width"), owner.integer("height")
    if not _is_infinite(owner):
        check_size(owner.file, width, height)
        return Box(0, 0, width, height)
    boxes = [
        _read_box(chunk)
        for layer in layers
        if layer.kind == "tilelayer"
        for chunk in layer.fields.items("chunks")
    ]
    for box, place in drawn:
        check_size(owner.file, box.width, box.height, place)
        boxes.append(box)
    if not boxes:
        owner.refuse("the infinite map has no chunks, so no cells", "at least one")
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    right = max(box.left + box.width for box in boxes)
    bottom = max(box.top + box.height for box in boxes)
    check_size(owner.file, right - left, bottom - top)
    return Box(left, top, right - left, bottom - top)


def _is_infinite(owner: Fields) -> bool:
    return owner.values.get("infinite") in (True, 1, "1", "true")


def _read_box(chunk: Fields) -> Box:
    box = Box(
        chunk.integer("x", low=-(2**40)),
        chunk.integer("y", low=-(2**40)),
        chunk.integer("width", low=1),
        chunk.integer("height", low=1),
    )
    if box.width * box.height > MAX_CELLS:
        chunk.refuse(f"the chunk is {box.width:,} x {box.height:,}", f"at most {MAX_CELLS:,} cells")
    return box


def decode_layer(layer: Layer, whole: Box) -> Iterator[tuple[Box, Gids]]:
    """Yield the boxes and gids of a tile layer, one decoded chunk after another."""
    fields = layer.fields
    encoding, compression = fields.text("encoding", ""), fields.text("compression", "")
    if fields.has("chunks"):
        for chunk in fields.items("chunks"):
            box = _read_box(chunk)
            named = chunk.at_place(f"{fields.place}, chunk at ({box.left}, {box.top})")
            if not (
                whole.left <= box.left
                and whole.top <= box.top
                and box.left + box.width <= whole.left + whole.width
                and box.top + box.height <= whole.top + whole.height
            ):
                named.refuse("the chunk lies outside the map", "one inside it, or an infinite map")
            spend_work(named.file, box.width * box.height, named.place)
            data = chunk.values.get("data", [])
            yield box, _decode(named, data, encoding, compression, box.width, box.height)
        return
    if not fields.has("data"):
        return
    width, height = fields.integer("width", whole.width), fields.integer("height", whole.height)
    if (width, height) != (whole.width, whole.height):
        fields.refuse(
            f"the layer is {width:,} x {height:,}",
            f"{whole.width:,} x {whole.height:,}, as the map is",
            "save it again in Tiled",
        )
    spend_work(fields.file, width * height, fields.place)
    yield whole, _decode(fields, fields.values["data"], encoding, compression, width, height)


def _decode(
    layer: Fields, data: object, encoding: str, compression: str, width: int, height: int
) -> Gids:
    """Decode global tile ids with their flags.

    Args:
        layer: the owner of the data, for messages.
        data: text, a list, or an array of gids.
        encoding: "csv", "base64", or "" for a list.
        compression: "" or one of COMPRESSIONS.
        width, height: the required size in cells.

    Returns:
        (height, width) uint32.

    Raises:
        LevelError: the data is damaged, of another size, or in an unknown encoding.
    """
    if encoding not in ("", "csv", "base64"):
        layer.refuse(f"the encoding is {shown(encoding)}", '"csv" or "base64"', _REMEDY)
    if compression and compression not in COMPRESSIONS:
        layer.refuse(
            f"the compression is {shown(compression)}", f"one of {', '.join(COMPRESSIONS)}", _REMEDY
        )
    if isinstance(data, str):
        flat = (
            _decode_base64(layer, data, compression, width * height)
            if encoding == "base64"
            else _decode_csv(layer, data, width, height)
        )
    elif isinstance(data, array):
        _check_count(layer, len(data), width, height)
        flat = np.array(data, dtype=np.uint32)
    elif isinstance(data, list):
        _check_count(layer, len(data), width, height)
        flat = _decode_list(layer, data, width)
    else:
        layer.refuse(f"the layer's data is {shown(data)}", "a list or text")
    return flat.reshape(height, width)


def _check_count(layer: Fields, count: int, width: int, height: int) -> None:
    if count != width * height:
        layer.refuse(
            f"the data holds {count:,} tiles",
            f"{width} x {height} = {width * height:,}",
            _REMEDY,
        )


def _decode_list(layer: Fields, data: list[object], width: int) -> Gids:
    if not _are_gids(data):
        invalid = next(
            cell for cell, gid in enumerate(data) if type(gid) is not int or not 0 <= gid <= MAX_GID
        )
        layer.refuse(
            f"tile ({invalid % width}, {invalid // width}) has the gid {shown(data[invalid])}",
            "a whole number of 32 bits",
        )
    return np.array(data, dtype=np.uint32)


def _are_gids(data: list[object]) -> TypeGuard[list[int]]:
    """Return whether all items are global tile ids, without a Python loop over millions."""
    if not set(map(type, data)) <= {int}:
        return False
    numbers = cast("list[int]", data)
    return min(numbers, default=0) >= 0 and max(numbers, default=0) <= MAX_GID


def _decode_csv(layer: Fields, text: str, width: int, height: int) -> Gids:
    text = text.strip()
    _check_count(layer, text.count(",") + 1 if text else 0, width, height)
    if _CSV.fullmatch(text) and _TOO_LONG.search(text) is None:
        with warnings.catch_warnings():
            # If numpy stops before the end, it only warns.
            warnings.simplefilter("error")
            try:
                gids = np.fromstring(text, dtype=np.int64, sep=",")
            except (ValueError, DeprecationWarning):
                gids = np.zeros(0, dtype=np.int64)
        if len(gids) == width * height and gids.max() <= MAX_GID:
            return gids.astype(np.uint32)
    for number, cell in enumerate(text.split(",")):
        plain = cell.strip()
        if not (plain.isascii() and plain.isdigit() and int(plain[:11]) <= MAX_GID):
            layer.refuse(
                f"tile ({number % width}, {number // width}) has the gid {shown(plain)}",
                "a whole number of 32 bits",
            )
    layer.refuse("the data is not csv", "whole numbers with commas between them", _REMEDY)


def _decode_base64(layer: Fields, text: str, compression: str, count: int) -> Gids:
    try:
        packed = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        layer.refuse(f"the data is not base64: {error}", "base64", _REMEDY)
    expected = 4 * count
    if not compression:
        data = packed
    elif compression == "zstd":
        data = _inflate_zstd(layer, packed, expected + 1)
    else:
        data = _inflate_zlib(layer, packed, compression, expected + 1)
    if len(data) != expected:
        amount = f"more than {expected:,}" if len(data) > expected else f"{len(data):,}"
        layer.refuse(
            f"the data {'inflates to' if compression else 'holds'} {amount} bytes",
            f"{expected:,}, which is 4 for each of {count:,} tiles",
            _REMEDY,
        )
    return np.frombuffer(data, dtype="<u4").astype(np.uint32)


def _inflate_zlib(layer: Fields, packed: bytes, compression: str, limit: int) -> bytes:
    stream = zlib.decompressobj(_WINDOW_BITS[compression])
    try:
        data = stream.decompress(packed, limit)
    except zlib.error as error:
        layer.refuse(f"the data is not a {compression} stream: {error}", None, _REMEDY)
    if not stream.eof and len(data) < limit:
        layer.refuse(f"the {compression} stream is cut short", "a whole one", _REMEDY)
    return data


def _inflate_zstd(layer: Fields, packed: bytes, limit: int) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    stream = zstd.ZstdDecompressor(
        options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
    )
    try:
        data = stream.decompress(packed, limit)
    except (zstd.ZstdError, MemoryError) as error:
        layer.refuse(f"the data is not a zstd stream: {error}", None, _REMEDY)
    if not stream.eof and len(data) < limit:
        layer.refuse("the zstd stream is cut short", "a whole one", _REMEDY)
    return data
