"""The cells of a layer or chunk: csv, XML tiles, base64, and what base64 may be compressed with.

Nothing is inflated past the size the map declares, plus one byte that shows there is more.
"""

from __future__ import annotations

import base64
import binascii
import re
import warnings
import zlib
from array import array
from typing import TypeGuard, cast

import numpy as np

from bake.arrays import UInt32Array
from bake.levels.json_text import shown
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.gids import MAX_GID

Gids = UInt32Array

COMPRESSIONS = ("zlib", "gzip", "zstd")
_REMEDY = "save it again in Tiled"
_CSV = re.compile(r"[0-9,\s]*", re.ASCII)
_TOO_LONG = re.compile(r"[0-9]{11}")
#: zlib's own header, or that of gzip.
_WINDOW_BITS = {"zlib": 15, "gzip": 31}
_ZSTD_WINDOW_BYTES = 2**27


def decode(
    layer: Fields, data: object, encoding: str, compression: str, width: int, height: int
) -> Gids:
    """Global tile ids with their flags.

    Args:
        layer: what the data belongs to, for messages.
        data: text, a list, or an array of gids.
        encoding: "csv", "base64", or "" for a list.
        compression: "" or one of COMPRESSIONS.
        width, height: the size it must have.

    Returns:
        (height, width) uint32.

    Raises:
        LevelError: damaged, of another size, or in no known form.
    """
    if encoding not in ("", "csv", "base64"):
        layer.refuse(f"the encoding is {shown(encoding)}", '"csv" or "base64"', _REMEDY)
    if compression and compression not in COMPRESSIONS:
        layer.refuse(
            f"the compression is {shown(compression)}", f"one of {', '.join(COMPRESSIONS)}", _REMEDY
        )
    if isinstance(data, str):
        flat = (
            _base64(layer, data, compression, width * height)
            if encoding == "base64"
            else _csv(layer, data, width, height)
        )
    elif isinstance(data, array):
        _check_count(layer, len(data), width, height)
        flat = np.array(data, dtype=np.uint32)
    elif isinstance(data, list):
        _check_count(layer, len(data), width, height)
        flat = _listed(layer, data, width)
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


def _listed(layer: Fields, data: list[object], width: int) -> Gids:
    if not _are_gids(data):
        wrong = next(
            at for at, gid in enumerate(data) if type(gid) is not int or not 0 <= gid <= MAX_GID
        )
        layer.refuse(
            f"tile ({wrong % width}, {wrong // width}) has the gid {shown(data[wrong])}",
            "a whole number of 32 bits",
        )
    return np.array(data, dtype=np.uint32)


def _are_gids(data: list[object]) -> TypeGuard[list[int]]:
    """Looked at as a whole: there may be millions."""
    if not set(map(type, data)) <= {int}:
        return False
    numbers = cast("list[int]", data)
    return min(numbers, default=0) >= 0 and max(numbers, default=0) <= MAX_GID


def _csv(layer: Fields, text: str, width: int, height: int) -> Gids:
    text = text.strip()
    _check_count(layer, text.count(",") + 1 if text else 0, width, height)
    if _CSV.fullmatch(text) and _TOO_LONG.search(text) is None:
        with warnings.catch_warnings():
            # Where numpy stops before the end, it only warns.
            warnings.simplefilter("error")
            try:
                found = np.fromstring(text, dtype=np.int64, sep=",")
            except (ValueError, DeprecationWarning):
                found = np.zeros(0, dtype=np.int64)
        if len(found) == width * height and found.max() <= MAX_GID:
            return found.astype(np.uint32)
    for at, cell in enumerate(text.split(",")):
        plain = cell.strip()
        if not (plain.isascii() and plain.isdigit() and int(plain[:11]) <= MAX_GID):
            layer.refuse(
                f"tile ({at % width}, {at // width}) has the gid {shown(plain)}",
                "a whole number of 32 bits",
            )
    layer.refuse("the data is no csv", "whole numbers with commas between them", _REMEDY)


def _base64(layer: Fields, text: str, compression: str, count: int) -> Gids:
    try:
        packed = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        layer.refuse(f"the data is not base64: {error}", "base64", _REMEDY)
    expected = 4 * count
    if not compression:
        data = packed
    elif compression == "zstd":
        data = _zstd(layer, packed, expected + 1)
    else:
        data = _zlib(layer, packed, compression, expected + 1)
    if len(data) != expected:
        amount = f"more than {expected:,}" if len(data) > expected else f"{len(data):,}"
        layer.refuse(
            f"the data {'inflates to' if compression else 'holds'} {amount} bytes",
            f"{expected:,}, which is 4 for each of {count:,} tiles",
            _REMEDY,
        )
    return np.frombuffer(data, dtype="<u4").astype(np.uint32)


def _zlib(layer: Fields, packed: bytes, compression: str, limit: int) -> bytes:
    stream = zlib.decompressobj(_WINDOW_BITS[compression])
    try:
        data = stream.decompress(packed, limit)
    except zlib.error as error:
        layer.refuse(f"the data is no {compression} stream: {error}", None, _REMEDY)
    if not stream.eof and len(data) < limit:
        layer.refuse(f"the {compression} stream is cut short", "a whole one", _REMEDY)
    return data


def _zstd(layer: Fields, packed: bytes, limit: int) -> bytes:
    import zstandard

    try:
        inflater = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW_BYTES)
        with inflater.stream_reader(packed) as stream:
            return stream.read(limit)
    except (zstandard.ZstdError, MemoryError) as error:
        layer.refuse(f"the data is no zstd stream: {error}", None, _REMEDY)
