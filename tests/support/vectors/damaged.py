"""Make a list of damaged flat files: one thing wrong at a time, under a checksum that fits.

A reader must refuse each of them, or stay inside its arrays whatever it is asked. Those marked
``refused`` must not open.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

#: Levels to damage: runs and labels, several of everything, a graph.
LEVELS = ("rooms", "tower", "one-way", "rivers")

_ENTRY = struct.Struct("<24siHH4IQQ")
_SIZES = {1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 6: 8, 7: 1}


@dataclass(frozen=True)
class _Column:
    """An entry of the table: where it lies itself, and what it says."""

    at: int
    name: str
    profile: int
    dtype: int
    dimensions: int
    shape: tuple[int, ...]
    offset: int
    size: int


def damaged_files(folder: Path) -> dict[str, Any]:
    """All damaged files, as changes to those in a folder.

    Returns:
        For each file a list of ``{"name", "size", "edits", "refused"}``: cut the file to ``size``
        bytes, or pad it with zeros, if that is there; then write each of the ``edits``, [offset,
        bytes in hexadecimal, how many times one after the other]. ``refused`` is there, and true,
        where every reader has to refuse the file.
    """
    found: dict[str, Any] = {}
    seen: set[tuple[bool, str]] = set()
    for level in LEVELS:
        data = (folder / f"{level}.bake").read_bytes()
        found[f"{level}.bake"] = [
            {
                "name": name,
                **({"size": size} if size != len(data) else {}),
                "edits": [
                    [at, raw.hex(), times] for at, raw, times in _summed(data, size, edits, name)
                ],
                **({"refused": True} if refused else {}),
            }
            for name, size, edits, refused in _damages(data, seen)
        ]
    return found


Edit = tuple[int, bytes, int]
Damage = tuple[str, int, list[Edit], bool]


def _damages(data: bytes, seen: set[tuple[bool, str]]) -> Iterator[Damage]:
    """Name, size, edits, and whether every reader has to refuse it; each column in one file."""
    table = [column for column in _table(data) if (column.profile < 0, column.name) not in seen]
    if not seen:
        yield from _of_header(data)
    seen |= {(column.profile < 0, column.name) for column in table}
    for column in {(column.profile < 0, column.name): column for column in table}.values():
        yield from _of_entry(column, len(data))
        yield from _of_elements(column, data)


def _of_header(data: bytes) -> Iterator[Damage]:
    size = len(data)
    yield "magic", size, [(0, b"\x8bBKF", 1)], True
    yield "taken for text", size, [(4, b"\n\x1a\n\0", 1)], True
    yield "version 0", size, [(8, b"\0\0", 1)], True
    yield "version 1", size, [(8, b"\1\0", 1)], True
    yield "version 2", size, [(8, b"\2\0", 1)], True
    yield "version 4", size, [(8, b"\4\0", 1)], True
    yield "more columns", size, [(10, b"\xff\xff", 1)], True
    yield "no columns", size, [(10, b"\0\0", 1)], True
    yield "file_size too large", size, [(16, struct.pack("<Q", size + 64), 1)], True
    yield "file_size of 2**63", size, [(16, struct.pack("<Q", 2**63), 1)], True
    yield "file_size 0", size, [(16, bytes(8), 1)], True
    yield "checksum", size, [(60, bytes(4), 1)], True
    for cut in (0, 8, 63, 64, 100, size // 2, size - 64, size - 1):
        yield f"cut to {cut} bytes", cut, [], True
    yield "64 bytes more", size + 64, [], True


def _table(data: bytes) -> list[_Column]:
    (count,) = struct.unpack_from("<H", data, 10)
    found = []
    for at in range(64, 64 + 64 * count, 64):
        name, profile, dtype, dimensions, a, b, c, d, offset, size = _ENTRY.unpack_from(data, at)
        shape = (a, b, c, d)[:dimensions]
        text = name.rstrip(b"\0").decode("ascii")
        found.append(_Column(at, text, profile, dtype, dimensions, shape, offset, size))
    return found


def _of_entry(column: _Column, size: int) -> Iterator[Damage]:
    at, name = column.at, f"{column.name} of {column.profile}"

    def entry(what: str, place: int, raw: bytes, refused: bool = True) -> Damage:
        return f"{name}: {what}", size, [(at + place, raw, 1)], refused

    yield entry("offset past the end", 48, struct.pack("<Q", size + 64))
    yield entry("offset of 2**64 - 64", 48, struct.pack("<Q", 2**64 - 64))
    if column.size:
        yield entry("offset 0", 48, bytes(8))
        yield entry("offset off the border", 48, struct.pack("<Q", column.offset + 4))
        yield entry("size of the file", 56, struct.pack("<Q", size))
        yield entry("2**31 elements", 32, struct.pack("<I", 2**31))
    yield entry("dtype 9", 28, b"\x09\0")
    yield entry("another dtype", 28, struct.pack("<H", {4: 3, 5: 6}.get(column.dtype, 4)), False)
    yield entry("5 dimensions", 30, b"\5\0")
    yield entry("another name", 0, b"zz", False)


def _of_elements(column: _Column, data: bytes) -> Iterator[Damage]:
    """Values that are out of range for whatever an element may mean."""
    if column.dtype in (5, 6, 7) or not column.size:
        return
    width = _SIZES[column.dtype]
    count = column.size // width
    name = f"{column.name} of {column.profile}"
    values = {
        "all ones": b"\xff" * width,
        "the largest": b"\xff" * (width - 1) + b"\x7f",
    }
    for what, raw in values.items():
        # One in the middle is enough: checks that sum up differences may miss it.
        for place in sorted({0, count - 1} | ({count // 2} if what == "all ones" else set())):
            at = column.offset + place * width
            if data[at : at + width] != raw:
                yield f"{name}: element {place} is {what}", len(data), [(at, raw, 1)], False
        if count > 1:
            yield f"{name}: all are {what}", len(data), [(column.offset, raw, count)], False
    if 1 < count < 40:
        turned = b"".join(
            data[at : at + width]
            for at in range(column.offset + column.size - width, column.offset - 1, -width)
        )
        if turned != data[column.offset : column.offset + column.size]:
            yield f"{name}: in reverse", len(data), [(column.offset, turned, 1)], False


def _summed(data: bytes, size: int, edits: list[Edit], name: str) -> list[Edit]:
    """The edits, and the checksum that fits them; a wrong checksum stays."""
    if name == "checksum" or size < 64:
        return edits
    changed = bytearray(data[:size].ljust(size, b"\0"))
    for at, raw, times in edits:
        changed[at : at + len(raw) * times] = raw * times
    words = np.frombuffer(changed, dtype="<u4", count=size // 4).astype(np.uint64)
    words[14:16] = 0
    totals = (1 + np.cumsum(words)) % 2**32
    a, b = int(totals[-1]), int(totals.sum()) % 2**32
    return [*edits, (56, struct.pack("<II", a, b), 1)]
