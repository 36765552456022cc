"""HDF5 assets: their attributes, and arrays that match their digests."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray
from bake.asset.column import (
    Schema,
    type_name,
)
from bake.asset.header import damaged, open_to_read, parse_header
from levelbake.errors import (
    AssetError,
    CorruptAssetError,
)

try:
    import h5py
except ModuleNotFoundError:  # Flat files are read without it.
    h5py = None


def digest_of(array: AnyArray) -> str:
    """Return sha256 of a column: of its elements in C order, little-endian."""
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return hashlib.sha256(np.ascontiguousarray(little).data).hexdigest()


class Form(NamedTuple):
    """The element type of an array, as the table calls it, and its shape, if it has one."""

    dtype: str
    shape: tuple[int, ...] | None


#: What h5py raises where HDF5 cannot make sense of a file.
_DAMAGE = (KeyError, OSError, OverflowError, RuntimeError, TypeError, ValueError)

#: How often an asset may be replaced by a new one while it is being opened.
_ATTEMPTS = 10

#: Deflate makes data at most 1032 times smaller (RFC 1951: 258 bytes in two bits).
_LARGEST_RATIO = 1032


class Hdf5File:
    """An open HDF5 file: its attributes, and arrays that match their digests."""

    def __init__(self, path: Path, schema: Schema, *, check: bool = True) -> None:
        """Open a file; see :class:`File`."""
        if h5py is None:
            raise AssetError(
                "h5py is not installed, which assets need", file=path, remedy="`pip install h5py`"
            )
        self.path, self.checked, self.schema = path, check, schema
        # HDF5 takes many microseconds to find a column or a group by its path.
        self._datasets: dict[str, h5py.Dataset] = {}
        self._groups: dict[str, h5py.Group] = {}
        self._whole: set[str] = set()
        with contextlib.ExitStack() as opened:
            for _ in range(_ATTEMPTS):
                self._bytes = opened.enter_context(open_to_read(path))
                self.header = parse_header(self._bytes, path)
                if check:
                    self._bytes.seek(self.header.block)
                    if hashlib.file_digest(self._bytes, "sha256").hexdigest() != self.header.body:
                        raise self.damaged("its bytes do not match the digest in its header")
                with self._reading("HDF5 cannot open it"):
                    self._file = opened.enter_context(h5py.File(path, "r"))
                if self._is_the_file_that_was_read():
                    break
                opened.close()
            else:
                raise AssetError("is replaced again and again while it is opened", file=path)
            self._opened = opened.pop_all()

    def _is_the_file_that_was_read(self) -> bool:
        """Return whether HDF5, which opens files by name, has the file whose header was read."""
        try:
            return os.path.samestat(os.fstat(self._bytes.fileno()), self.path.stat())
        except OSError:
            return False

    def close(self) -> None:
        """Close the file; arrays already handed out stay valid."""
        self._opened.close()

    @property
    def is_open(self) -> bool:
        return bool(self._file)

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        return damaged(self.path, found, verdict=verdict)

    @contextlib.contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Turn what h5py raises while it reads a part of the file into an error that names it."""
        try:
            yield
        except _DAMAGE as error:
            told = (str(error).splitlines() or [type(error).__name__])[0]
            raise self.damaged(f"{what} ({told})") from None

    def profiles(self) -> list[str]:
        """Return the names of the profiles, sorted; none where they are no groups."""
        with contextlib.suppress(*_DAMAGE):
            group = self._file["profiles"]
            names = sorted(group) if isinstance(group, h5py.Group) else []
            "".join(names).encode()
            if all(isinstance(group[name], h5py.Group) for name in names):
                return names
        return []

    def attribute(self, group: str, name: str) -> str | int | None:
        """Return an attribute as it is stored; None where it is absent."""
        with self._reading(f"attribute {name} of {group}"):
            if group not in self._groups:
                self._groups[group] = self._file[group]
            value = self._groups[group].attrs.get(name)
            if isinstance(value, np.bytes_):
                return bytes(value).decode()
            if value is None or isinstance(value, np.integer):
                return None if value is None else int(value)
            raise TypeError("no text and no integer")

    def has(self, path: str) -> bool:
        """Return whether there is a column."""
        with self._reading(f"column {path}"):
            return path in self._file

    def form(self, path: str) -> Form | None:
        """Return the element type and the shape of a column; None where it is missing."""
        if path not in self._datasets:
            with self._reading(f"column {path}"):
                found = self._file.get(path)
            if found is None:
                return None
            if not isinstance(found, h5py.Dataset):
                raise self.damaged(f"column {path} is no array")
            self._datasets[path] = found
        return Form(type_name(self._datasets[path].dtype), self._datasets[path].shape)

    def load(self, path: str) -> AnyArray:
        """Return a column, whose form has been asked for; texts as (k) bytes."""
        array = self.part(path)
        # The file may have been opened without a check of its digest, or long ago.
        with self._reading(f"column {path}"):
            digest = self._datasets[path].attrs.get("sha256")
        if not isinstance(digest, np.bytes_) or digest != digest_of(array).encode():
            raise self.damaged(f"column {path} does not match its digest")
        return array

    def part(self, path: str, *spans: slice) -> AnyArray:
        """Return a part of a column, from where to where in each of its dimensions."""
        dataset = self._datasets[path]
        with self._reading(f"column {path}"):
            if path not in self._whole:
                if dataset.nbytes > _LARGEST_RATIO * self.stored_bytes(path):
                    raise self.damaged(f"column {path} is stored only in part")
                self._whole.add(path)
            return np.asarray(dataset[spans])

    def stored_bytes(self, path: str) -> int:
        """Return the bytes that a column takes in the file."""
        return int(self._datasets[path].id.get_storage_size())

    def is_same(self, path: str, other: str) -> bool:
        """Return whether two columns are stored once."""
        return bool(self._datasets[path] == self._datasets[other])
