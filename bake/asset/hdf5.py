"""Hand out what an HDF5 file of ours holds: attributes, and arrays that match their digests."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import AnyArray
from bake.asset.column import Form, type_name
from bake.asset.header import Header, check_body, damaged, open_to_read, parse_header
from bake.asset.schema import Schema, digest_of
from levelbake.errors import AssetError, CorruptAssetError

if TYPE_CHECKING:
    import h5py

#: What h5py raises where HDF5 cannot make sense of a file.
_DAMAGE = (KeyError, OSError, OverflowError, RuntimeError, TypeError, ValueError)

#: How often an asset may be replaced by a new one while it is being opened.
_ATTEMPTS = 10

#: Deflate makes data at most 1032 times smaller (RFC 1951: 258 bytes in two bits).
_LARGEST_RATIO = 1032


class Hdf5File:
    """An open HDF5 file; see :class:`bake.asset.read.ColumnFile`."""

    def __init__(self, path: Path, *, check: bool, schema: Schema) -> None:
        """Open a file; see :class:`bake.asset.read.Asset`."""
        import h5py  # Flat files are read without it.

        self.path, self.checked, self.schema = path, check, schema
        # HDF5 takes many microseconds to find a column or a group by its path.
        self._datasets: dict[str, h5py.Dataset] = {}
        self._groups: dict[str, h5py.Group] = {}
        self._whole: set[str] = set()
        with contextlib.ExitStack() as opened:
            for _ in range(_ATTEMPTS):
                self._bytes = opened.enter_context(open_to_read(path))
                self.header: Header = parse_header(self._bytes, path)
                if check:
                    check_body(self._bytes, path, self.header)
                with self._reading("HDF5 cannot open it"):
                    self._file = opened.enter_context(h5py.File(path, "r"))
                if self._is_the_file_that_was_read():
                    break
                opened.close()
            else:
                raise AssetError("is replaced again and again while it is opened", file=path)
            self._opened = opened.pop_all()

    def _is_the_file_that_was_read(self) -> bool:
        """Tell whether HDF5, which opens files by name, has the file whose header was read."""
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
        import h5py

        with contextlib.suppress(*_DAMAGE):
            group = self._file["profiles"]
            names = sorted(group) if isinstance(group, h5py.Group) else []
            "".join(names).encode()
            if all(isinstance(group[name], h5py.Group) for name in names):
                return names
        return []

    def attribute(self, group: str, name: str) -> str | int | None:
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
        with self._reading(f"column {path}"):
            return path in self._file

    def form(self, path: str) -> Form | None:
        dataset = self._dataset(path)
        return dataset and Form(type_name(dataset.dtype), dataset.shape)

    def _dataset(self, path: str) -> h5py.Dataset | None:
        import h5py

        if path not in self._datasets:
            with self._reading(f"column {path}"):
                found = self._file.get(path)
            if found is None:
                return None
            if not isinstance(found, h5py.Dataset):
                raise self.damaged(f"column {path} is no array")
            self._datasets[path] = found
        return self._datasets[path]

    def load(self, path: str) -> AnyArray:
        dataset = self._datasets[path]
        array = self.part(path)
        # The file may have been opened without a check of its digest, or long ago.
        with self._reading(f"column {path}"):
            digest = dataset.attrs.get("sha256")
        if not isinstance(digest, np.bytes_) or digest != digest_of(array).encode():
            raise self.damaged(f"column {path} does not match its digest")
        return array

    def part(self, path: str, *spans: slice) -> AnyArray:
        dataset = self._datasets[path]
        with self._reading(f"column {path}"):
            if path not in self._whole:
                if dataset.nbytes > _LARGEST_RATIO * self.stored_bytes(path):
                    raise self.damaged(f"column {path} is stored only in part")
                self._whole.add(path)
            return np.asarray(dataset[spans])

    def stored_bytes(self, path: str) -> int:
        return int(self._datasets[path].id.get_storage_size())

    def is_same(self, path: str, other: str) -> bool:
        return bool(self._datasets[path] == self._datasets[other])
