"""Write a flat file: the header, the table of columns, and the columns, each aligned."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from io import BufferedRandom
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from bake.core.arrays import AnyArray
from bake.store.flat.schema import DTYPES, stored
from bake.store.partial import with_room, written_whole
from bake.store.schema import FLAT
from levelbake.columns import PROFILE, profile_path, type_name
from levelbake.errors import OutputError
from levelbake.file import (
    BORDER,
    DIMENSIONS,
    ENTRY_LAYOUT,
    FLAT_VERSION,
    HEADER_LAYOUT,
    LEVEL,
    MAGIC,
    Entry,
    checksum,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: Readers count elements in 32 bits.
MOST_ELEMENTS = 2**32

#: Columns by (profile's number or LEVEL, name).
Columns = Mapping[tuple[int, str], AnyArray]


def write_flat(path: Path, columns: Columns, bake_revision: int, fingerprint: str) -> int:
    """Write a flat file, and move it into place when it is complete.

    Args:
        path: the file; its folder must exist.
        columns: the columns of the file.
        bake_revision: of the asset.
        fingerprint: of the asset, 64 hexadecimal digits.

    Returns:
        The size of the file in bytes.

    Raises:
        OutputError: the file cannot be written, or a column is too large for the format. An
            existing file is untouched.
    """
    entries = _lay_out_columns(path, columns)
    size = max((_next_offset(entry) for entry in entries), default=BORDER)
    header = HEADER_LAYOUT.pack(
        MAGIC, FLAT_VERSION, len(entries), bake_revision, size, bytes.fromhex(fingerprint), 0, 0
    )

    def write() -> int:
        with written_whole(path) as partial, partial.open("r+b") as file:
            file.write(header + b"".join(_pack_entry(entry) for entry in entries))
            _write_columns(file, columns, entries)
            file.truncate(size)
            file.flush()
            sums = checksum(np.memmap(partial, dtype="<u4", mode="r"))
            file.seek(HEADER_LAYOUT.size - 8)
            file.write(struct.pack("<II", *sums))
        return size

    return with_room(path, write)


def _lay_out_columns(path: Path, columns: Columns) -> list[Entry]:
    """Return the table of columns, by profile and name; equal columns share their storage."""
    place = BORDER + BORDER * len(columns)
    entries = []
    twins: dict[tuple[str, tuple[int, ...], bytes], int] = {}
    for (profile, name), values in sorted(columns.items()):
        dtype = type_name(values.dtype)
        declared = FLAT.column(f"/{name}" if profile == LEVEL else profile_path(PROFILE, name))
        if not declared.fits(dtype, values.shape):
            raise TypeError(f"{name} is {dtype}{list(values.shape)}")
        array = stored(values)
        if max(array.shape) >= MOST_ELEMENTS:
            raise OutputError(
                f"column {name} has {max(array.shape):,} elements",
                file=path,
                expected=f"fewer than {MOST_ELEMENTS:,}, as flat files count in 32 bits",
                remedy="cut the level in two, or leave its distances out",
            )
        key = dtype, array.shape, hashlib.sha256(_raw(array)).digest()
        offset = twins.setdefault(key, place)
        if offset == place:
            place += -(-array.nbytes // BORDER) * BORDER
        entries.append(Entry(name, profile, dtype, array.shape, offset, array.nbytes))
    return entries


def _pack_entry(entry: Entry) -> bytes:
    """Return the 64 bytes of an entry of the table of columns."""
    shape = (*entry.shape, *[0] * (DIMENSIONS - len(entry.shape)))
    name, dtype = entry.name.encode("ascii"), DTYPES[entry.dtype]
    return ENTRY_LAYOUT.pack(
        name, entry.profile, dtype, len(entry.shape), *shape, entry.offset, entry.size
    )


def _next_offset(entry: Entry) -> int:
    """Return the offset at which the next column may begin."""
    return -(-(entry.offset + entry.size) // BORDER) * BORDER


def _raw(array: AnyArray) -> memoryview[int]:
    """Return the bytes of an array in a flat file."""
    return memoryview(cast("Buffer", array.reshape(-1).view(np.uint8)))


def _write_columns(file: BufferedRandom, columns: Columns, entries: list[Entry]) -> None:
    """Write each column at its offset; the gaps between them are zero."""
    written = -1
    for entry in entries:
        if entry.size and entry.offset > written:
            file.seek(entry.offset)
            file.write(_raw(stored(columns[entry.profile, entry.name])))
            written = entry.offset
