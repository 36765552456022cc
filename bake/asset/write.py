"""Write an asset beside its place, sync it to disk, and rename it into place.

A reader sees the old file or the new one, never a part of either.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import h5py
import numpy as np

from bake.arrays import AnyArray
from bake.asset.header import Header, sha256_of
from bake.asset.partial import beside
from bake.asset.schema import COLUMNS, Column, attribute, column, digest_of, pattern_of
from bake.errors import OutputError

Scalar = str | int

#: Compressed columns are deflated in chunks of about this many bytes.
CHUNK_BYTES = 2**18
DEFLATE_LEVEL = 6

#: Contiguous columns start on a cache line, so that mapped elements are never split.
ALIGN_FROM = 2**10
ALIGNMENT = 64


@dataclass(frozen=True)
class Contents:
    """Everything an asset holds, by path.

    Attributes:
        attributes: (group, name) -> scalar.
        columns: path -> array.
    """

    attributes: Mapping[tuple[str, str], Scalar]
    columns: Mapping[str, AnyArray]


def write_asset(path: Path, header: Header, contents: Contents) -> int:
    """Write an asset and put it into place.

    Args:
        path: where the asset goes; its folder must exist.
        header: from `header_for`; the body's digest and the size are filled in here.
        contents: what the asset holds, checked against the schema before anything is written.

    Returns:
        The size of the file in bytes.

    Raises:
        OutputError: the asset cannot be written. What was there before is untouched.
    """
    _check(contents)
    with _errors_in_one_line(path), beside(path) as partial:
        with h5py.File(
            partial,
            "w",
            locking=False,  # The file is locked already.
            userblock_size=header.block,
            libver="v110",
            alignment_threshold=ALIGN_FROM,
            alignment_interval=ALIGNMENT,
        ) as file:
            _fill(file, contents)
        size = partial.stat().st_size
        body = sha256_of(partial, skip=header.block)
        finished = replace(header, body=body, size=size)
        with partial.open("r+b") as raw:
            raw.write(finished.to_bytes())
            raw.flush()
            os.fsync(raw.fileno())
        partial.replace(path)
    _sync_folder(path.parent)
    return size


@contextlib.contextmanager
def _errors_in_one_line(path: Path) -> Iterator[None]:
    try:
        yield
    # h5py raises a RuntimeError when it closes a file on a full disk.
    except (OSError, RuntimeError) as error:
        raise OutputError(
            f"cannot be written: {_reason(error)}",
            file=path,
            remedy="check the folder's permissions and free space",
        ) from error


def _reason(error: OSError | RuntimeError) -> str:
    """Return the system's message, which h5py wraps in a text that ends with `errno = 13, ...`."""
    number = getattr(error, "errno", None)
    if found := re.search(r"\berrno = (\d+)", str(error)):
        number = int(found[1])
    if number:
        return os.strerror(number)
    return next(iter(str(error).splitlines()), type(error).__name__)


def _sync_folder(folder: Path) -> None:
    # Windows cannot open a folder, so the rename alone has to do there.
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _check(contents: Contents) -> None:
    """Refuse to write what the schema does not allow; a failure here is a defect of bake."""
    for group, name in contents.attributes:
        attribute(group, name)
    for path, array in contents.columns.items():
        if not column(path).fits(array.dtype, array.shape):
            raise TypeError(f"{path} is {array.dtype}{list(array.shape)}")


def _fill(file: h5py.File, contents: Contents) -> None:
    order = {declared.path: place for place, declared in enumerate(COLUMNS)}
    paths = sorted(contents.columns, key=lambda path: (order[pattern_of(path)], path))
    # Columns of several profiles that are equal are stored once, under the names of all.
    twins: dict[tuple[str, str, tuple[int, ...], str], str] = {}
    for path in paths:
        array = contents.columns[path]
        declared = column(path)
        digest = digest_of(array)
        twin = twins.setdefault((declared.path, array.dtype.str, array.shape, digest), path)
        if twin != path:
            # HDF5 would stamp a group with the time if the link created it.
            file.require_group(path.rpartition("/")[0])
            file[path] = file[twin]
            continue
        if array.dtype.kind == "S":
            array = array.astype(h5py.string_dtype("utf-8", array.itemsize))
        dataset = file.create_dataset(path, data=array, **_storage(declared, array))
        dataset.attrs["description"] = np.bytes_(declared.description.encode("ascii"))
        dataset.attrs["unit"] = np.bytes_(declared.unit.encode("ascii"))
        dataset.attrs["sha256"] = np.bytes_(digest.encode("ascii"))
        dataset.attrs["dimensions"] = np.bytes_(", ".join(declared.dims).encode("ascii"))
    for (group, name), value in sorted(contents.attributes.items()):
        attributes = file.require_group(group).attrs
        if isinstance(value, str):
            text = value.encode()
            attributes.create(name, text, dtype=h5py.string_dtype("utf-8", max(1, len(text))))
        else:
            attributes[name] = np.int64(value)


def _storage(declared: Column, array: AnyArray) -> dict[str, object]:
    if declared.layout == "contiguous" or array.size == 0:
        return {}
    rows = max(1, CHUNK_BYTES // max(1, array.itemsize * int(np.prod(array.shape[1:]))))
    return {
        "chunks": (min(rows, array.shape[0]), *array.shape[1:]),
        "shuffle": declared.shuffle and array.dtype.kind != "S",
        "compression": "gzip",
        "compression_opts": DEFLATE_LEVEL,
    }
