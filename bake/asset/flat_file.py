"""Flat files, mapped into memory: header, table of columns, checksum, and the columns.

docs/format.md has the layout in words.
"""

from __future__ import annotations

import hashlib
import math
import struct
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, UInt8Array
from bake.asset.column import (
    Schema,
    faults,
    profile_path,
)
from bake.asset.hdf5 import Form
from bake.asset.header import Header, check_version, damaged, open_to_read
from bake.asset.schema import FLAT
from levelbake.errors import (
    CorruptAssetError,
    NotAnAssetError,
)

#: Version of the layout of flat files. Readers refuse any other.
FLAT_VERSION = 3

#: The first bytes of every flat file, in the manner of PNG: the first is no ASCII, so that no text
#: begins like this, and line ends show whether something took the file for text.
MAGIC = b"\x8bBKE\r\n\x1a\n"

#: Columns begin at multiples of this, and it is the size of the header and of each table entry.
BORDER = 64

#: Which words of 32 bits are the checksum.
CHECKSUM_WORDS = slice(14, 16)

#: The profile of a column that belongs to the level.
LEVEL = -1

#: Bytes of a column's name in the table; the last is always zero.
NAME_BYTES = 24
#: Most dimensions of a column.
DIMENSIONS = 4

#: The element types by their numbers in the table of columns, from 1, and bytes of one element; of
#: text that is one byte of it.
SIZES = {"uint8": 1, "uint16": 2, "uint32": 4, "int32": 4, "int64": 8, "float64": 8, "text": 1}
DTYPES = {name: number for number, name in enumerate(SIZES, 1)}
_DTYPE_NAMES = dict(enumerate(SIZES, 1))

#: The header, and an entry of the table of columns, as docs/format.md lists their fields.
HEADER_LAYOUT = struct.Struct("<8sHHIQ32sII")
ENTRY_LAYOUT = struct.Struct(f"<{NAME_BYTES}siHH{DIMENSIONS}IQQ")


class Entry(NamedTuple):
    """An entry of the table of columns; ``shape`` has the dimensions that are there."""

    name: str
    profile: int
    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int


_EXPORT = "export it again: `bake export`"


@dataclass(frozen=True)
class FlatHeader(Header):
    """What a flat file says of itself; its fingerprint is ``stated``, in hexadecimal."""

    stated: str = ""

    def fingerprint(self) -> str:
        return self.stated


class FlatFile:
    """An open flat file, mapped into memory, with the same methods as :class:`Hdf5File`.

    Columns are handed out where they lie.

    Attributes:
        bytes: (size) uint8, all of it.
        entries: the columns by (profile's number or LEVEL, name), in the order of the file.
        numbers: those that describe the level and each profile, by LEVEL or its number, and name.
    """

    def __init__(self, path: Path, schema: Schema = FLAT, *, check: bool = True) -> None:
        """Map a file, and check that all columns lie inside it; see :class:`File`."""
        self.path, self.checked, self.is_open, self.schema = path, check, True, schema
        with open_to_read(path) as file:
            count, revision, size, fingerprint, sums = _parse_flat_header(file, path)
            self.bytes: UInt8Array = np.memmap(file, dtype=np.uint8, mode="c")
        if check and checksum(self.bytes.view("<u4")) != sums:
            raise self.damaged("its bytes do not fit its checksum")
        try:
            self.entries = _table(self.bytes, count)
        except ValueError as error:
            raise self.damaged(str(error)) from None
        self.numbers = {LEVEL: self._numbers(LEVEL)}
        profiles = self.numbers[LEVEL]["profiles"]
        if profiles != len({profile for profile, _ in self.entries if profile != LEVEL}):
            raise self.damaged(f"it has columns of other profiles than {profiles}")
        self._names = self._texts("profile_name", profiles)
        self.numbers |= {number: self._numbers(number) for number in range(profiles)}
        # A level has the columns of its own kind alone, whatever else lies in its file.
        worlds = ("both", "grid" if self.numbers[LEVEL]["kind"] else "graph")
        self._key = {
            at: key
            for key in self.entries
            if schema.has_column(at := self._path_of(*key)) and schema.column(at).world in worlds
        }
        (name,), (self._recipe,) = self._texts("name", 1), self._texts("recipe", 1)
        recipe = hashlib.sha256(self._recipe.encode()).hexdigest()
        self.header: Header = FlatHeader(
            FLAT_VERSION, revision, name, (), recipe, "", 0, size, fingerprint.hex()
        )

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        return damaged(self.path, found, verdict=verdict, remedy=_EXPORT)

    def close(self) -> None:
        self.is_open = False

    def profiles(self) -> list[str]:
        return self._names

    def attribute(self, group: str, name: str) -> str | int | None:
        is_own = group != "/"
        numbers = self.numbers[self._names.index(group.split("/")[2]) if is_own else LEVEL]
        if name == "floor_height":
            height, floors = numbers["height"], numbers["floors"]
            if height % floors:
                raise self.damaged(f"{floors} floors have {height} rows")
            return height // floors if floors > 1 else None
        if name == "recipe":
            return self._recipe
        for number in self.schema.numbers[is_own]:
            if name == (number.attribute or number.name):
                return number.decoded(numbers[number.name])
        return None

    def has(self, path: str) -> bool:
        return path in self._key

    def form(self, path: str) -> Form | None:
        if path not in self._key:
            return None
        entry = self.entries[self._key[path]]
        return Form(entry.dtype, entry.shape[: -1 if entry.dtype == "text" else None])

    def load(self, path: str) -> AnyArray:
        return self.read(*self._key[path])

    def part(self, path: str, *spans: slice) -> AnyArray:
        return np.asarray(self.load(path)[spans])

    def stored_bytes(self, path: str) -> int:
        return self.entries[self._key[path]].size

    def is_same(self, path: str, other: str) -> bool:
        a, b = (self.entries[self._key[each]] for each in (path, other))
        return (a.offset, a.size) == (b.offset, b.size)

    def read(self, profile: int, name: str) -> AnyArray:
        """Return a column where it lies, unchecked; texts as (k) bytes.

        It is read-only, and valid as long as anybody has it.

        Raises:
            CorruptAssetError: there is no such column, or a text in it has no end.
        """
        entry = self.entries.get((profile, name))
        if entry is None:
            raise self.damaged(f"column {self._path_of(profile, name)} is missing")
        kind = np.dtype("uint8" if entry.dtype == "text" else entry.dtype)
        dtype = np.dtype(kind.str.replace(">", "<"))  # memoryviews know native types alone
        raw = self.bytes[entry.offset : entry.offset + entry.size]
        found: AnyArray = raw.view(np.ndarray).view(dtype).reshape(entry.shape)
        if entry.dtype != "text":
            return found
        width = entry.shape[-1]
        if not width or found[..., -1].any():
            raise self.damaged(f"column {self._path_of(profile, name)} has a text without an end")
        return found.reshape(-1).view(f"S{width}").reshape(entry.shape[:-1])

    def _path_of(self, profile: int, name: str) -> str:
        return f"/{name}" if profile == LEVEL else profile_path(self._names[profile], name)

    def _texts(self, name: str, count: int) -> list[str]:
        """Return so many texts of the level."""
        entry, declared = self.entries.get((LEVEL, name)), self.schema.column(f"/{name}")
        if entry is None or entry.dtype != "text" or entry.shape[:-1] != (count,):
            raise self.damaged(f"column /{name} is not {count} texts")
        array = self.read(LEVEL, name)
        for fault in faults(declared, array, lambda dim: count):
            raise self.damaged(f"column /{name} {fault}")
        return [each.decode() for each in array.tolist()]

    def _numbers(self, profile: int) -> dict[str, int]:
        declared = self.schema.numbers[profile != LEVEL]
        stored = self.read(profile, "numbers")
        if stored.shape != (len(declared),) or stored.dtype != np.int32:
            raise self.damaged(f"column {self._path_of(profile, 'numbers')} is not as declared")
        found = {each.name: value for each, value in zip(declared, stored.tolist(), strict=True)}
        for each in declared:
            if not each.least <= found[each.name] <= each.most:
                raise self.damaged(f"{each.name} is {found[each.name]}")
        return found


def _parse_flat_header(
    file: BufferedReader, path: Path
) -> tuple[int, int, int, bytes, tuple[int, int]]:
    """Return the number of columns, the revision, the size, the fingerprint and the checksum."""
    data = file.read(HEADER_LAYOUT.size)
    if not data.startswith(MAGIC):
        raise NotAnAssetError("this is no flat file", file=path, expected="one of `bake export`")
    size = file.seek(0, 2)
    if len(data) < HEADER_LAYOUT.size:
        raise damaged(path, "its header is cut", remedy=_EXPORT)
    _, version, columns, revision, stated, fingerprint, a, b = HEADER_LAYOUT.unpack(data)
    if version:
        check_version(path, "flat format", version, (FLAT_VERSION, FLAT_VERSION), _EXPORT)
    if version < 1 or stated % BORDER:
        raise damaged(path, "its header is wrong", remedy=_EXPORT)
    if size != stated:
        found = f"the file has {size:,} bytes, its header says {stated:,}"
        raise damaged(path, found, remedy=_EXPORT)
    return columns, revision, stated, fingerprint, (a, b)


def _table(data: UInt8Array, count: int) -> dict[tuple[int, str], Entry]:
    """Return the table of so many columns, after a check of where they lie.

    Raises:
        ValueError: an entry says what cannot be, or bytes belong to no column.
    """
    if count > (len(data) - BORDER) // BORDER:
        raise ValueError(f"a table of {count} columns does not fit into it")
    found: dict[tuple[int, str], Entry] = {}
    place, last = BORDER + BORDER * count, (LEVEL - 1, b"")
    earlier: set[tuple[int, str, tuple[int, ...]]] = set()
    for number in range(count):
        entry = _entry(data[BORDER * (1 + number) : BORDER * (2 + number)].tobytes())
        if entry is None:
            raise ValueError(f"column {number} is nothing this format knows")
        # Columns follow each other; what was said before lies where it was.
        key, end = (entry.profile, entry.name.encode()), entry.offset + entry.size
        form = entry.offset, entry.dtype, entry.shape
        if key <= last or not (form in earlier or entry.offset == place) or end > len(data):
            raise ValueError(f"column {number} is out of order")
        after = -(-end // BORDER) * BORDER
        if data[end:after].any():
            raise ValueError(f"what follows column {number} is not zero")
        place, last = max(place, after), key
        earlier.add(form)
        found[entry.profile, entry.name] = entry
    if place != len(data):
        raise ValueError(f"its columns end at byte {place:,} of {len(data):,}")
    return found


def _entry(raw: bytes) -> Entry | None:
    """Return an entry of the table; None where it says what cannot be."""
    name, profile, dtype, dimensions, *rest = ENTRY_LAYOUT.unpack(raw)
    shape, (offset, size) = tuple(rest[:DIMENSIONS]), rest[DIMENSIONS:]
    bare, kind = name.rstrip(b"\0"), _DTYPE_NAMES.get(dtype, "")
    sound = (
        0 < len(bare) < len(name)
        and all(32 < byte < 127 for byte in bare)
        and profile >= LEVEL
        and kind
        and 1 <= dimensions <= DIMENSIONS
        and not any(shape[dimensions:])
        and size == math.prod(shape[:dimensions]) * SIZES[kind]
    )
    if not sound:
        return None
    return Entry(bare.decode("ascii"), profile, kind, shape[:dimensions], offset, size)


def checksum(words: AnyArray) -> tuple[int, int]:
    """Return both halves of the checksum: sums of all words, and of all sums on the way.

    This is J. Fletcher, "An Arithmetic Checksum for Serial Transmissions" (1982), on words of 32
    bits and modulo 2**32, which any language can do.

    Args:
        words: (k) uint32, the whole file; the checksum in it counts as zeros.

    Returns:
        a and b after ``a = 1; b = 0; for word in words: a += word; b += a`` modulo 2**32.
    """
    a, b = 1, 0
    for first in range(0, len(words), 2**20):
        piece = words[first : first + 2**20].astype(np.uint64)
        count = len(piece)
        if not first:
            piece[CHECKSUM_WORDS] = 0
        weighted = int((piece * np.arange(count, 0, -1, dtype=np.uint64)).sum(dtype=np.uint64))
        b = (b + a * count + weighted) & 0xFFFFFFFF
        a = (a + int(piece.sum())) & 0xFFFFFFFF
    return a, b
