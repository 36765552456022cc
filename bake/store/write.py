"""Write an asset: build it in memory, write a temporary file, sync it, and rename it into place.

A reader sees the old file or the new one, never a part of either.

HDF5 does not write to the disk itself, since it crashes when it closes a file on a full disk. It
writes into memory, and this module writes the bytes to disk.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

import h5py
import numpy as np
from h5py import h5a, h5d, h5i, h5p, h5s, h5t

from bake.core.arrays import AnyArray
from bake.core.interrupts import interrupts_held
from bake.store.header import header_for
from bake.store.lattice import sheet_side
from bake.store.partial import output_error, with_room, written_whole
from bake.store.schema import LEVELS
from levelbake.columns import PROFILE, Column, Schema, pattern_of, profile_path, type_name
from levelbake.file import Header, digest_of

Scalar = str | int

#: Compressed columns are deflated in chunks of about this many bytes.
CHUNK_BYTES = 2**18
DEFLATE_LEVEL = 6

#: Columns of at most this many bytes are stored uncompressed in their object headers: the
#: description of the compression takes more than it saves.
_SMALL_BYTES = 64

#: The dataset of descriptions; no column has this name.
DESCRIPTIONS = "descriptions"
_END_OF_CLAUSE = re.compile(r"[;:.] ")

#: Columns that hardly compress, and are stored uncompressed for large lattices, whose first query
#: waits for them.
PLAIN = frozenset(profile_path(PROFILE, name) for name in ("layer_weight", "layer_landmark"))

_SCALAR = h5s.create(h5s.SCALAR)

#: Bytes of a chunk of flow fields, which are read cluster by cluster.
SMALL_CHUNK_BYTES = 2**15


@dataclass(frozen=True)
class Contents:
    """The complete content of an asset, by path."""

    attributes: Mapping[tuple[str, str], Scalar]  #: (group, name) -> scalar
    columns: Mapping[str, AnyArray]  #: path -> array


def write_asset(path: Path, header: Header, contents: Contents, schema: Schema = LEVELS) -> int:
    """Write an asset, and move it into place when it is complete.

    Args:
        path: the asset; its folder must exist.
        header: from `header_for`; the body's digest and the size are filled in here.
        contents: the content, checked against the schema before anything is written.
        schema: the schema of the asset.

    Returns:
        The size of the file in bytes.

    Raises:
        OutputError: the asset cannot be written. An existing file is untouched.
    """
    _check(contents, schema)
    try:
        file_bytes = _build_file(header, contents, schema)
    except (OSError, RuntimeError) as error:  # HDF5 reports a lack of memory as one of these.
        raise output_error(path, error) from error
    return with_room(path, lambda: _write_file(path, file_bytes))


def _write_file(path: Path, file_bytes: bytes) -> int:
    """Write a file and move it into place; return its size in bytes."""
    with written_whole(path) as partial:
        partial.write_bytes(file_bytes)
    return len(file_bytes)


def _build_file(header: Header, contents: Contents, schema: Schema) -> bytes:
    """Return all bytes of an asset."""
    memory = BytesIO()
    # HDF5 treats an exception inside its calls as an error of the disk.
    with (
        interrupts_held(),
        h5py.File(memory, "w", userblock_size=header.block, libver="v110") as file,
    ):
        _fill(file, contents, schema)
    with memory.getbuffer() as written:
        size, body = len(written), hashlib.sha256(written[header.block :]).hexdigest()
    memory.seek(0)
    memory.write(header._replace(body=body, size=size).to_bytes())
    return (
        memory.getvalue()
    )  # A copy of the buffer's reference: it outlives the file, unlike a view.


def stored_bytes(contents: Contents) -> tuple[int, dict[str, int]]:
    """Return the size in bytes of an asset, and of each of its columns, by path."""
    file = _build_file(header_for("", (), ""), contents, LEVELS)
    with h5py.File(BytesIO(file)) as asset:
        return len(file), {path: asset[path].id.get_storage_size() for path in contents.columns}


def _check(contents: Contents, schema: Schema) -> None:
    """Raise on contents that violate the schema; a failure here is a defect of bake."""
    for group, name in contents.attributes:
        schema.attribute(group, name)
    for path, array in contents.columns.items():
        if not schema.column(path).fits(type_name(array.dtype), array.shape):
            raise TypeError(f"{path} is {array.dtype}{list(array.shape)}")


def _fill(file: h5py.File, contents: Contents, schema: Schema) -> None:
    """Write columns and attributes."""
    block = contents.attributes.get(("/", "block"))
    side = sheet_side(block) if isinstance(block, int) else None
    order = {declared.path: place for place, declared in enumerate(schema.columns)}
    paths = sorted(contents.columns, key=lambda path: (order[pattern_of(path)], path))
    # Equal columns of several profiles are stored once, under all their names.
    twins: dict[tuple[str, str, tuple[int, ...], str], str] = {}
    # Finding a group by its path takes as long as writing a column into it. A group that HDF5
    # creates while it adds a link would contain a timestamp.
    group_of = cache(file.require_group)
    for path in paths:
        array = contents.columns[path]
        declared = schema.column(path)
        digest = digest_of(array)
        twin = twins.setdefault((declared.path, array.dtype.str, array.shape, digest), path)
        folder, _, name = path.rpartition("/")
        if twin != path:
            group_of(folder or "/")[name] = file[twin]
            continue
        storage = _storage(declared, array, side)
        column = _create(group_of(folder or "/").id, name, array, storage)
        # Attributes come before the data, so that HDF5 can extend the object header in place.
        _attach(column, "unit", declared.unit, "ascii")
        _attach(column, "sha256", digest, "ascii")
        _attach(column, "dimensions", ", ".join(declared.dims), "ascii")
        if declared.encoding:
            _attach(column, "encoding", declared.encoding, "ascii")
        column.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(array), column.get_type())
    _write_descriptions(file, [schema.column(path) for path in paths])
    for (folder, name), value in sorted(contents.attributes.items()):
        place = group_of(folder).id
        _attach(place, name, value)


def _write_descriptions(file: h5py.File, columns: Iterable[Column]) -> None:
    """Write a line for each kind of column: its path, and the first clause of its description.

    These lines are for people who open the file in other tools. As an attribute of each column they
    would make small assets a third larger.
    """
    lines = {column.path: f"{column.name}: {_first_clause(column)}" for column in columns}
    texts = np.array([line.encode() for line in lines.values()])
    if len(texts):
        storage = _settings_without_times()
        storage.set_chunk(texts.shape)
        storage.set_deflate(DEFLATE_LEVEL)
        column = _create(file.id, DESCRIPTIONS, texts, storage)
        column.write(h5s.ALL, h5s.ALL, texts, column.get_type())


def _first_clause(column: Column) -> str:
    return _END_OF_CLAUSE.split(column.description, maxsplit=1)[0]


# h5py's own functions for columns and attributes take three times as long as these calls.


def _create(
    group: h5i.ObjectID, name: str, array: AnyArray, storage: h5p.PropDCID
) -> h5d.DatasetID:
    """Create a column for an array in a group, without its elements."""
    kind = _type_of(array.dtype.str)
    return h5d.create(group, name.encode(), kind, h5s.create_simple(array.shape), storage)


def _attach(place: h5i.ObjectID, name: str, value: Scalar, encoding: str = "utf-8") -> None:
    """Write a new attribute."""
    array = np.array(value.encode() if isinstance(value, str) else value)
    kind = _type_of(array.dtype.str, encoding)
    h5a.create(place, name.encode(), kind, _SCALAR).write(array, kind)


@cache
def _type_of(code: str, encoding: str = "utf-8") -> h5t.TypeID:
    """Return the HDF5 type of a numpy dtype."""
    kind = np.dtype(code)
    return h5t.py_create(h5py.string_dtype(encoding, kind.itemsize) if kind.char == "S" else kind)


def _settings_without_times() -> h5p.PropDCID:
    """Return settings for a dataset without timestamps."""
    storage = h5p.create(h5p.DATASET_CREATE)
    storage.set_obj_track_times(False)
    return storage


def _storage(declared: Column, array: AnyArray, side: int | None) -> h5p.PropDCID:
    """Return the storage settings of a column.

    Args:
        side: cells along one side of the tiles in which large lattices are read; None for others.
    """
    storage = _settings_without_times()
    if array.nbytes <= _SMALL_BYTES:
        # A column without elements has none to place into its header.
        storage.set_layout(h5d.COMPACT if array.size else h5d.CONTIGUOUS)
        return storage
    if side is not None and declared.path in PLAIN:
        return storage
    size = CHUNK_BYTES if side is None or array.dtype != np.uint8 else SMALL_CHUNK_BYTES
    rows = max(1, size // max(1, array.itemsize * int(np.prod(array.shape[1:]))))
    chunks = (min(rows, array.shape[0]), *array.shape[1:])
    if side is not None and declared.dims == ("y", "x"):
        chunks = (min(side, array.shape[0]), min(side, array.shape[1]))
    storage.set_chunk(chunks)
    if declared.shuffle and array.dtype.kind != "S":
        storage.set_shuffle()
    storage.set_deflate(DEFLATE_LEVEL)
    return storage
