"""Write an asset beside its place, sync it to disk, and rename it into place.

A reader sees the old file or the new one, never a part of either.

HDF5 does not write to the disk itself: it crashes where a disk is full when it closes a file, and
its driver for files in memory then leaves all of that memory behind. It writes to a file object
that takes everything, and that tells the error of the disk afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path

import h5py
import numpy as np

from bake.arrays import AnyArray
from bake.asset.header import Header, sha256_of
from bake.asset.lattice import sheet_side
from bake.asset.partial import output_error, with_room, written_whole
from bake.asset.schema import (
    LEVELS,
    PROFILE,
    Column,
    Schema,
    digest_of,
    pattern_of,
    profile_path,
)
from bake.interrupts import interrupts_held

Scalar = str | int

#: Compressed columns are deflated in chunks of about this many bytes.
CHUNK_BYTES = 2**18
DEFLATE_LEVEL = 6

#: Columns that are hardly smaller deflated, and stored as they are for large lattices, whose first
#: question waits for them.
PLAIN = frozenset(profile_path(PROFILE, name) for name in ("layer_weight", "layer_landmark"))

#: Bytes of a chunk of flow fields that are read cluster by cluster.
SMALL_CHUNK_BYTES = 2**15

#: Contiguous columns start on a cache line, so that mapped elements are never split.
ALIGN_FROM = 2**10
ALIGNMENT = 64

Bytes = bytes | bytearray | memoryview


@dataclass(frozen=True)
class Contents:
    """Everything an asset holds, by path.

    Attributes:
        attributes: (group, name) -> scalar.
        columns: path -> array.
    """

    attributes: Mapping[tuple[str, str], Scalar]
    columns: Mapping[str, AnyArray]


def write_asset(path: Path, header: Header, contents: Contents, schema: Schema = LEVELS) -> int:
    """Write an asset and put it into place.

    Args:
        path: where the asset goes; its folder must exist.
        header: from `header_for`; the body's digest and the size are filled in here.
        contents: what the asset holds, checked against the schema before anything is written.
        schema: what such an asset may hold.

    Returns:
        The size of the file in bytes.

    Raises:
        OutputError: the asset cannot be written. What was there before is untouched.
    """
    _check(contents, schema)
    return with_room(path, lambda: _write_file(path, header, contents, schema))


def _write_file(path: Path, header: Header, contents: Contents, schema: Schema) -> int:
    """Write the file and put it into place; return its size in bytes."""
    with written_whole(path) as partial, partial.open("r+b", buffering=0) as file:
        try:
            _write_body(file, header, contents, schema)
        except RuntimeError as error:  # So HDF5 tells that it runs out of memory.
            raise output_error(path, error) from error
        size = file.seek(0, os.SEEK_END)
        finished = replace(header, body=sha256_of(partial, skip=header.block), size=size)
        file.seek(0)
        _write_all(file, finished.to_bytes())
    return size


def _write_body(file: FileIO, header: Header, contents: Contents, schema: Schema) -> None:
    """Write everything but the header, which stays empty.

    Raises:
        OSError: the disk has refused something.
    """
    target = _Target(file)
    try:
        # An exception inside of HDF5 is an error of the disk to it.
        with (
            interrupts_held(),
            h5py.File(
                target,
                "w",
                userblock_size=header.block,
                libver="v110",
                alignment_threshold=ALIGN_FROM,
                alignment_interval=ALIGNMENT,
            ) as made,
        ):
            _fill(made, contents, schema, target.check)
    finally:
        target.check()


class _Target:
    """A file for HDF5 that seems to take everything, even after the disk has refused to.

    HDF5 has to close its file in peace. It may read what it has written, so what little it writes
    after the error is kept; see :meth:`check`.
    """

    def __init__(self, file: FileIO) -> None:
        self._file = file
        self._error: OSError | None = None
        self._place = self._end = 0
        self._refused: dict[int, bytes] = {}

    def check(self) -> None:
        """Raise the error of the disk, if there was one; called after each column."""
        if self._error is not None:
            raise self._error

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._place = offset + (self._end if whence == os.SEEK_END else 0)
        return self._place

    def tell(self) -> int:
        return self._place

    def write(self, data: Bytes) -> int:
        size = memoryview(data).nbytes
        if self._error is None:
            try:
                self._file.seek(self._place)
                _write_all(self._file, data)
            except OSError as error:
                self._error = error
        # A whole column is never read back.
        if self._error is not None and size <= CHUNK_BYTES:
            self._refused[self._place] = bytes(data)
        self._place += size
        self._end = max(self._end, self._place)
        return size

    def readinto(self, buffer: bytearray | memoryview) -> int:
        view = memoryview(buffer).cast("B")
        if kept := self._refused.get(self._place):
            view[: len(kept)] = kept[: len(view)]
        else:
            self._file.seek(self._place)
            self._file.readinto(view)
        self._place += len(view)
        return len(view)

    def read(self, size: int) -> bytes:
        data = bytearray(size)
        self.readinto(data)
        return bytes(data)

    def truncate(self, size: int) -> int:
        if self._error is None:
            try:
                self._file.truncate(size)
            except OSError as error:
                self._error = error
        self._end = size
        return size

    def flush(self) -> None:
        """Do nothing, as nothing is buffered."""


def _write_all(file: FileIO, data: Bytes) -> None:
    """Write all of the data; one call of the system may write only a part of it."""
    left = memoryview(data).cast("B")
    while left:
        left = left[file.write(left) :]


def _check(contents: Contents, schema: Schema) -> None:
    """Refuse to write what the schema does not allow; a failure here is a defect of bake."""
    for group, name in contents.attributes:
        schema.attribute(group, name)
    for path, array in contents.columns.items():
        if not schema.column(path).fits(array.dtype, array.shape):
            raise TypeError(f"{path} is {array.dtype}{list(array.shape)}")


def _fill(file: h5py.File, contents: Contents, schema: Schema, written: Callable[[], None]) -> None:
    """Write columns and attributes; ``written`` is called after each column."""
    block = contents.attributes.get(("/", "block"))
    side = sheet_side(block) if isinstance(block, int) else None
    order = {declared.path: place for place, declared in enumerate(schema.columns)}
    paths = sorted(contents.columns, key=lambda path: (order[pattern_of(path)], path))
    # Columns of several profiles that are equal are stored once, under the names of all.
    twins: dict[tuple[str, str, tuple[int, ...], str], str] = {}
    for path in paths:
        array = contents.columns[path]
        declared = schema.column(path)
        digest = digest_of(array)
        twin = twins.setdefault((declared.path, array.dtype.str, array.shape, digest), path)
        if twin != path:
            # HDF5 would stamp a group with the time if the link created it.
            file.require_group(path.rpartition("/")[0])
            file[path] = file[twin]
            continue
        if array.dtype.kind == "S":
            array = array.astype(h5py.string_dtype("utf-8", array.itemsize))
        dataset = file.create_dataset(path, data=array, **_storage(declared, array, side))
        dataset.attrs["description"] = np.bytes_(declared.description.encode("ascii"))
        dataset.attrs["unit"] = np.bytes_(declared.unit.encode("ascii"))
        dataset.attrs["sha256"] = np.bytes_(digest.encode("ascii"))
        dataset.attrs["dimensions"] = np.bytes_(", ".join(declared.dims).encode("ascii"))
        written()
    for (group, name), value in sorted(contents.attributes.items()):
        attributes = file.require_group(group).attrs
        if isinstance(value, str):
            text = value.encode()
            attributes.create(name, text, dtype=h5py.string_dtype("utf-8", max(1, len(text))))
        else:
            attributes[name] = np.int64(value)


def _storage(declared: Column, array: AnyArray, side: int | None) -> dict[str, object]:
    """Say how a column is stored.

    Args:
        side: cells along one side of the sheets in which large lattices are read; None elsewhere.
    """
    plain = side is not None and declared.path in PLAIN
    if declared.layout == "contiguous" or plain or array.size == 0:
        return {}
    size = CHUNK_BYTES if side is None or array.dtype != np.uint8 else SMALL_CHUNK_BYTES
    rows = max(1, size // max(1, array.itemsize * int(np.prod(array.shape[1:]))))
    chunks = (min(rows, array.shape[0]), *array.shape[1:])
    if side is not None and declared.dims == ("y", "x"):
        chunks = (min(side, array.shape[0]), min(side, array.shape[1]))
    return {
        "chunks": chunks,
        "shuffle": declared.shuffle and array.dtype.kind != "S",
        "compression": "gzip",
        "compression_opts": DEFLATE_LEVEL,
    }
