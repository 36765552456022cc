"""Hand out what a flat file holds, after a look at its frame: header, table, checksum, borders.

Columns are handed out where they lie. What they hold is checked by :class:`bake.asset.Asset`, which
takes the file as it takes an HDF5 file.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import numpy as np

from bake.arrays import AnyArray, UInt8Array
from bake.asset import Asset, Header
from bake.asset.check import faults
from bake.asset.column import Form, profile_path
from bake.asset.header import check_version, damaged, open_to_read
from bake.flat.schema import (
    BORDER,
    DIMENSIONS,
    DTYPES,
    ENTRY_LAYOUT,
    FLAT,
    FLAT_VERSION,
    HEADER_LAYOUT,
    LEVEL,
    LEVEL_NUMBERS,
    MAGIC,
    PROFILE_NUMBERS,
    SIZES,
    Entry,
    Number,
    checksum,
    fingerprint_of_nodes,
)
from levelbake.errors import CorruptAssetError, NotAnAssetError

_DTYPE_NAMES = {number: name for name, number in DTYPES.items()}
_REMEDY = "export it again: `bake export`"
_NUMBERS = {
    is_level: {number.attribute or number.name: number for number in numbers}
    for is_level, numbers in ((True, LEVEL_NUMBERS), (False, PROFILE_NUMBERS))
}


@dataclass(frozen=True)
class FlatHeader(Header):
    """What a flat file says of itself; its fingerprint is ``stated``, in hexadecimal."""

    stated: str = ""

    def fingerprint(self) -> str:
        return self.stated


def is_flat(path: Path) -> bool:
    """Tell whether a file begins like a flat file of any version.

    Raises:
        AssetError: the file cannot be read.
    """
    with open_to_read(path) as file:
        return file.read(len(MAGIC)) == MAGIC


def open_either(path: Path, *, check: bool = True) -> Asset:
    """Open an asset, an HDF5 file or a flat file.

    Args:
        path: either.
        check: compare all bytes with what the header says of them.

    Raises:
        AssetError: the file is missing, neither of the two, or damaged.
    """
    return Asset(FlatFile(path, check=check)) if is_flat(path) else Asset(path, check=check)


class FlatFile:
    """An open flat file, mapped into memory; see :class:`bake.asset.read.ColumnFile`.

    Attributes:
        bytes: (size) uint8, all of it.
        entries: the columns by (profile's number or LEVEL, name), in the order of the file.
        numbers: those that describe the level and each profile, by LEVEL or its number, and name.
    """

    schema = FLAT

    def __init__(self, path: Path, *, check: bool = True) -> None:
        """Map a file, and check that all columns lie inside it.

        Args:
            path: the file.
            check: compare the checksum, which reads the whole file.

        Raises:
            AssetError: the file is missing, or no flat file, too new, or damaged.
        """
        self.path, self.checked, self.is_open = path, check, True
        with open_to_read(path) as file:
            count, revision, size, fingerprint, sums = _parse_header(file, path)
            self.bytes: UInt8Array = np.memmap(file, dtype=np.uint8, mode="c")
        if check and checksum(self.bytes.view("<u4")) != sums:
            raise self.damaged("its bytes do not fit its checksum")
        try:
            self.entries = _table(self.bytes, count)
        except ValueError as error:
            raise self.damaged(str(error)) from None
        self.numbers = {LEVEL: self._numbers(LEVEL, LEVEL_NUMBERS)}
        profiles = self.numbers[LEVEL]["profiles"]
        if profiles != len({profile for profile, _ in self.entries if profile != LEVEL}):
            raise self.damaged(f"it has columns of other profiles than {profiles}")
        self._names = self._texts("profile_name", profiles)
        for number in range(profiles):
            self.numbers[number] = self._numbers(number, PROFILE_NUMBERS)
        # A level has the columns of its own kind alone, whatever else lies in its file.
        worlds = ("both", "grid" if self.numbers[LEVEL]["kind"] else "graph")
        self._key = {
            at: key
            for key in self.entries
            if FLAT.has_column(at := self._path_of(*key)) and FLAT.column(at).world in worlds
        }
        (name,), (recipe,) = self._texts("name", 1), self._texts("recipe", 1)
        self._recipe = recipe
        digest = hashlib.sha256(recipe.encode()).hexdigest()
        self.header = FlatHeader(
            FLAT_VERSION, revision, name, (), digest, "", 0, size, fingerprint.hex()
        )

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        return damaged(self.path, found, verdict=verdict, remedy=_REMEDY)

    def close(self) -> None:
        self.is_open = False

    def is_of(self, fingerprint: str) -> bool:
        """Tell whether it was exported from the asset of this fingerprint."""
        if (LEVEL, "cell") in self.entries:
            fingerprint = fingerprint_of_nodes(fingerprint)
        return self.header.stated == fingerprint

    def profiles(self) -> list[str]:
        return self._names

    def attribute(self, group: str, name: str) -> str | int | None:
        is_level = group == "/"
        numbers = self.numbers[LEVEL if is_level else self._names.index(group.split("/")[2])]
        if name == "floor_height":
            height, floors = numbers["height"], numbers["floors"]
            if height % floors:
                raise self.damaged(f"{floors} floors have {height} rows")
            return height // floors if floors > 1 else None
        number = _NUMBERS[is_level].get(name)
        if name == "recipe":
            return self._recipe
        return None if number is None else number.decoded(numbers[number.name])

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
        entry, declared = self.entries.get((LEVEL, name)), FLAT.column(f"/{name}")
        if entry is None or entry.dtype != "text" or entry.shape[:-1] != (count,):
            raise self.damaged(f"column /{name} is not {count} texts")
        array = self.read(LEVEL, name)
        for fault in faults(declared, array, lambda dim: count):
            raise self.damaged(f"column /{name} {fault}")
        return [each.decode() for each in array.tolist()]

    def _numbers(self, profile: int, numbers: tuple[Number, ...]) -> dict[str, int]:
        stored = self.read(profile, "numbers")
        if stored.shape != (len(numbers),) or stored.dtype != np.int32:
            raise self.damaged(f"column {self._path_of(profile, 'numbers')} is not as declared")
        found = {each.name: value for each, value in zip(numbers, stored.tolist(), strict=True)}
        for each in numbers:
            if not each.least <= found[each.name] <= each.most:
                raise self.damaged(f"{each.name} is {found[each.name]}")
        return found


def _table(data: UInt8Array, count: int) -> dict[tuple[int, str], Entry]:
    """Read the table of so many columns, and check where they lie.

    Args:
        data: (size) uint8, the whole file.

    Raises:
        ValueError: an entry says what cannot be, or bytes belong to no column.
    """
    if count > (len(data) - BORDER) // BORDER:
        raise ValueError(f"a table of {count} columns does not fit into it")
    found: dict[tuple[int, str], Entry] = {}
    place, last = BORDER + BORDER * count, (LEVEL - 1, b"")
    earlier: set[tuple[int, str, tuple[int, ...]]] = set()
    for number in range(count):
        raw = data[BORDER * (1 + number) : BORDER * (2 + number)].tobytes()
        entry = _entry(raw)
        if entry is None:
            raise ValueError(f"column {number} is nothing this format knows")
        # Columns follow each other; what was said before lies where it was.
        key, end = (entry.profile, entry.name.encode()), entry.offset + entry.size
        twin = (entry.offset, entry.dtype, entry.shape) in earlier
        if key <= last or not (twin or entry.offset == place) or end > len(data):
            raise ValueError(f"column {number} is out of order")
        after = -(-end // BORDER) * BORDER
        if data[end:after].any():
            raise ValueError(f"what follows column {number} is not zero")
        place, last = max(place, after), key
        earlier.add((entry.offset, entry.dtype, entry.shape))
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


def _parse_header(file: BufferedReader, path: Path) -> tuple[int, int, int, bytes, tuple[int, int]]:
    """Return the number of columns, the revision, the size, the fingerprint and the checksum."""
    data = file.read(HEADER_LAYOUT.size)
    if not data.startswith(MAGIC):
        raise NotAnAssetError("this is no flat file", file=path, expected="one of `bake export`")
    size = file.seek(0, 2)
    if len(data) < HEADER_LAYOUT.size:
        raise damaged(path, "its header is cut", remedy=_REMEDY)
    _, version, columns, revision, stated, fingerprint, a, b = HEADER_LAYOUT.unpack(data)
    if version:
        check_version(path, "flat format", version, (FLAT_VERSION, FLAT_VERSION), _REMEDY)
    if version < 1 or stated % BORDER:
        raise damaged(path, "its header is wrong", remedy=_REMEDY)
    if size != stated:
        found = f"the file has {size:,} bytes, its header says {stated:,}"
        raise damaged(path, found, remedy=_REMEDY)
    return columns, revision, stated, fingerprint, (a, b)
