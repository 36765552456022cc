"""Read a flat file: parse its header and table, check where columns lie, and hand them out.

Parsing and validating are apart, and bounds are compared by subtraction. What columns hold is
checked by whoever uses them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import numpy as np

from bake.arrays import AnyArray, UInt8Array
from bake.asset.check import faults
from bake.asset.header import damaged, open_to_read
from bake.errors import AssetTooNewError, AssetTooOldError, CorruptAssetError, NotAnAssetError
from bake.flat.schema import (
    BORDER,
    COLUMNS,
    DIMENSIONS,
    DTYPES,
    ENTRY_LAYOUT,
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
    column,
    fingerprint_of_nodes,
)

_DTYPE_NAMES = {number: name for name, number in DTYPES.items()}
_REMEDY = "export it again: `bake export`"

#: Dimensions whose length is fixed, or stated by one of the numbers.
_FIXED = {
    "xy": 2,
    "channel": 3,
    "one": 1,
    "length": 2,
    "sector": 18,
    "cell number": 3,
    "slope rule": 4,
    "level number": len(LEVEL_NUMBERS),
    "profile number": len(PROFILE_NUMBERS),
}
_STATED = {"location": "locations", "node": "nodes", "terrain": "terrains", "profile": "profiles"}
_STATED_OWN = {"row": "rows", "component": "components", "class": "classes"}


@dataclass(frozen=True)
class FlatHeader:
    """What the first 64 bytes say; ``size`` in bytes, ``fingerprint`` in hexadecimal."""

    format_version: int
    columns: int
    bake_revision: int
    size: int
    fingerprint: str
    sums: tuple[int, int]


def is_flat(path: Path) -> bool:
    """Tell whether a file begins like a flat file of any version.

    Raises:
        AssetError: the file cannot be read.
    """
    with open_to_read(path) as file:
        return file.read(len(MAGIC)) == MAGIC


class FlatFile:
    """An open flat file, mapped into memory.

    Attributes:
        path: the file.
        header: its header.
        bytes: (size) uint8, all of it.
        entries: the columns by (profile's number or LEVEL, name), in the order of the file.
        numbers: the numbers that describe the level, by name.
        profiles: those of each profile, in its place.
        lengths: of each dimension, for the level and for each profile.
    """

    def __init__(self, path: Path, *, check: bool = True) -> None:
        """Map a file, and check that all columns lie inside it and fit each other.

        Args:
            path: the file.
            check: compare the checksum, which reads the whole file.

        Raises:
            AssetError: the file is missing, or no flat file, too new, or damaged.
        """
        self.path = path
        with open_to_read(path) as file:
            self.header = _parse_header(file, path)
            self.bytes: UInt8Array = np.memmap(file, dtype=np.uint8, mode="c")
        if check and self._sums() != self.header.sums:
            raise self.damaged("its bytes do not fit its checksum")
        self.entries = self._table()
        self.lengths: dict[int, dict[str, int]] = {}
        self._sound: set[tuple[int, str]] = set()
        self.numbers = self._numbers(LEVEL, LEVEL_NUMBERS)
        count = self.numbers["profiles"]
        if count != len({profile for profile, _ in self.entries if profile != LEVEL}):
            raise self.damaged(f"it has columns of other profiles than {count}")
        self.profiles = [self._numbers(profile, PROFILE_NUMBERS) for profile in range(count)]
        self._check_lengths()

    def damaged(self, found: str, verdict: str = "damaged") -> CorruptAssetError:
        """Return the error for what is found in this file."""
        return damaged(self.path, found, verdict=verdict, remedy=_REMEDY)

    def has(self, profile: int, name: str) -> bool:
        """Tell whether there is a column."""
        return (profile, name) in self.entries

    def read(self, profile: int, name: str) -> AnyArray:
        """Return a column where it lies: read-only, and valid as long as anybody has it.

        Text comes as (..., width) uint8.

        Raises:
            CorruptAssetError: there is no such column.
        """
        entry = self.entries.get((profile, name))
        if entry is None:
            raise self.damaged(f"column {_named(profile, name)} is missing")
        kind = np.dtype("uint8" if entry.dtype == "text" else entry.dtype)
        dtype = np.dtype(kind.str.replace(">", "<"))  # memoryviews know native types alone
        raw = self.bytes[entry.offset : entry.offset + entry.size]
        found: AnyArray = raw.view(np.ndarray).view(dtype).reshape(entry.shape)
        if (profile, name) not in self._sound:
            self._check_values(found, profile, name)
            self._sound.add((profile, name))
        return found

    def _check_values(self, array: AnyArray, profile: int, name: str) -> None:
        """Refuse elements that the table of columns does not allow."""
        lengths, declared = self.lengths.get(profile, {}), column(profile, name)
        for fault in faults(declared, array, lambda dim: lengths.get(dim, 0)) if declared else ():
            raise self.damaged(f"column {_named(profile, name)} {fault}")

    def texts(self, profile: int, name: str) -> list[str]:
        """Return a column of text as strings.

        Raises:
            CorruptAssetError: there is no such column, or it is not UTF-8.
        """
        return [bytes(each).split(b"\0", 1)[0].decode() for each in self.read(profile, name)]

    def is_of(self, fingerprint: str) -> bool:
        """Tell whether it was exported from the asset of this fingerprint."""
        if self.has(LEVEL, "cell"):
            fingerprint = fingerprint_of_nodes(fingerprint)
        return self.header.fingerprint == fingerprint

    def is_same(self, one: tuple[int, str], other: tuple[int, str]) -> bool:
        """Tell whether two columns are stored once."""
        a, b = self.entries[one], self.entries[other]
        return (a.offset, a.size) == (b.offset, b.size)

    # -- checks -----------------------------------------------------------------------------------

    def _sums(self) -> tuple[int, int]:
        return checksum(self.bytes.view("<u4"))

    def _table(self) -> dict[tuple[int, str], Entry]:
        size, count = self.header.size, self.header.columns
        if count > (size - BORDER) // BORDER:
            raise self.damaged(f"a table of {count} columns does not fit into it")
        found: dict[tuple[int, str], Entry] = {}
        begin = BORDER + BORDER * count
        place, last = begin, (LEVEL - 1, b"")
        earlier: set[tuple[int, str, tuple[int, ...]]] = set()
        for number in range(count):
            raw = bytes(self.bytes[BORDER * (1 + number) : BORDER * (2 + number)])
            entry, key = self._entry(raw, number, begin)
            if key <= last:
                raise self.damaged(f"column {number} is out of order")
            last = key
            if entry.offset == place:
                place += -(-entry.size // BORDER) * BORDER
            elif (entry.offset, entry.dtype, entry.shape) not in earlier:
                raise self.damaged(f"column {_named(entry.profile, entry.name)} lies elsewhere")
            earlier.add((entry.offset, entry.dtype, entry.shape))
            found[entry.profile, entry.name] = entry
        if place != size:
            raise self.damaged(f"its columns end at byte {place:,} of {size:,}")
        return found

    def _entry(self, raw: bytes, number: int, begin: int) -> tuple[Entry, tuple[int, bytes]]:
        name, profile, dtype, dimensions, *rest = ENTRY_LAYOUT.unpack(raw)
        shape, (offset, size) = rest[:DIMENSIONS], rest[DIMENSIONS:]
        bare = name.rstrip(b"\0")
        sound = (
            0 < len(bare) < len(name)
            and all(32 < byte < 127 for byte in bare)
            and profile >= LEVEL
            and dtype in _DTYPE_NAMES
            and 1 <= dimensions <= DIMENSIONS
            and not any(shape[dimensions:])
        )
        if not sound:
            raise self.damaged(f"column {number} is nothing this format knows")
        kind = _DTYPE_NAMES[dtype]
        if size != math.prod(shape[:dimensions]) * SIZES[kind]:
            raise self.damaged(f"column {number} has {size} bytes for its shape")
        if offset % BORDER or not (begin <= offset <= self.header.size):
            raise self.damaged(f"column {number} begins at byte {offset:,}")
        if size > self.header.size - offset:
            raise self.damaged(f"column {number} runs past the end of the file")
        found = Entry(bare.decode("ascii"), profile, kind, tuple(shape[:dimensions]), offset, size)
        return found, (profile, bare)

    def _numbers(self, profile: int, numbers: tuple[Number, ...]) -> dict[str, int]:
        stored = self.read(profile, "numbers")
        if stored.shape != (len(numbers),) or stored.dtype != np.int32:
            raise self.damaged(f"column {_named(profile, 'numbers')} is not as declared")
        found = {}
        for number, value in zip(numbers, stored.tolist(), strict=True):
            if not number.least <= value <= number.most:
                raise self.damaged(f"{_named(profile, number.name)} is {value}")
            found[number.name] = value
        return found

    def _check_lengths(self) -> None:
        """Check columns against their declarations: types, dimensions, and lengths that agree."""
        for profile in range(LEVEL, len(self.profiles)):
            lengths = _FIXED | {dim: self.numbers[name] for dim, name in _STATED.items()}
            self.lengths[profile] = lengths
            if profile != LEVEL:
                lengths |= self.lengths[LEVEL]
                own = self.profiles[profile]
                lengths |= {dim: own[name] for dim, name in _STATED_OWN.items()}
            is_graph = self.numbers["kind"] == 0
            for declared in COLUMNS:
                if declared.own != (profile != LEVEL):
                    continue
                if declared.world not in ("both", "graph" if is_graph else "grid"):
                    self.entries.pop((profile, declared.name), None)
                    continue
                entry = self.entries.get((profile, declared.name))
                if entry is not None:
                    self._check_entry(entry, lengths)
                elif not declared.optional:
                    raise self.damaged(f"column {_named(profile, declared.name)} is missing")

    def _check_entry(self, entry: Entry, lengths: dict[str, int]) -> None:
        declared = column(entry.profile, entry.name)
        assert declared is not None
        name = _named(entry.profile, entry.name)
        if entry.dtype not in declared.dtypes or len(entry.shape) != len(declared.dims):
            raise self.damaged(f"column {name} is {entry.dtype}{list(entry.shape)}")
        for dim, length in zip(declared.dims, entry.shape, strict=True):
            if dim in ("byte", "2 or 3", "floor or one", "reach byte"):
                continue
            bare = dim.removesuffix(" + 1")
            wanted = lengths.setdefault(bare, length - dim.endswith(" + 1"))
            if length - dim.endswith(" + 1") != wanted:
                raise self.damaged(f"column {name} has {length} of {dim}, not {wanted}")


def _named(profile: int, name: str) -> str:
    return name if profile == LEVEL else f"{name} of profile {profile}"


def _parse_header(file: BufferedReader, path: Path) -> FlatHeader:
    data = file.read(HEADER_LAYOUT.size)
    if not data.startswith(MAGIC):
        raise NotAnAssetError("this is no flat file", file=path, expected="one of `bake export`")
    size = file.seek(0, 2)
    if len(data) < HEADER_LAYOUT.size:
        raise damaged(path, "its header is cut", remedy=_REMEDY)
    _, version, columns, revision, stated, fingerprint, a, b = HEADER_LAYOUT.unpack(data)
    if version > FLAT_VERSION:
        raise AssetTooNewError(
            f"too new: flat format version {version}",
            file=path,
            expected=f"version {FLAT_VERSION}",
            remedy="update levelbake",
        )
    if 0 < version < FLAT_VERSION:
        raise AssetTooOldError(
            f"too old: flat format version {version}",
            file=path,
            expected=f"version {FLAT_VERSION}",
            remedy="export it again: `bake export`",
        )
    if version < 1 or stated % BORDER:
        raise damaged(path, "its header is wrong", remedy=_REMEDY)
    if size != stated:
        found = f"the file has {size:,} bytes, its header says {stated:,}"
        raise damaged(path, found, remedy=_REMEDY)
    return FlatHeader(version, columns, revision, stated, fingerprint.hex(), (a, b))
