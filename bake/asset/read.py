"""Reading an asset lazily: opening checks what it is, each array is read when first asked for."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from bake.asset.header import Header, read_header
from bake.asset.schema import ATTRIBUTES, COLUMNS, PROFILE, Column, column, pattern_of, profile_path
from bake.errors import AssetError, CorruptAssetError

Array = npt.NDArray[np.generic]


class Asset:
    """An open asset: attributes and columns by the names of the schema.

    Attributes:
        path: the file.
        header: what its user block says.
        profiles: names of the profiles, sorted.
    """

    def __init__(self, path: str | Path) -> None:
        """Open an asset.

        Raises:
            NotAnAssetError, AssetTooOldError, AssetTooNewError: not a file this version reads.
            CorruptAssetError: an asset that was damaged.
        """
        self.path = Path(path)
        self.header: Header = read_header(self.path)
        try:
            self._file = h5py.File(self.path, "r")
        except OSError as error:
            raise self._corrupt(f"HDF5 cannot open it ({_first_line(error)})") from None
        try:
            self._structure()
        except BaseException:
            self._file.close()
            raise

    def _structure(self) -> None:
        try:
            group = self._file["profiles"]
            self.profiles: tuple[str, ...] = tuple(sorted(group))
        except (KeyError, OSError, RuntimeError, TypeError):
            raise self._corrupt("it holds no profiles") from None

    def _corrupt(self, found: str) -> CorruptAssetError:
        return CorruptAssetError(
            f"damaged: {found}", file=self.path, remedy="rebake it: `bake build --force`"
        )

    def close(self) -> None:
        """Close the file; arrays already handed out stay valid."""
        self._file.close()

    def __enter__(self) -> Asset:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def text(self, name: str, group: str = "/") -> str | None:
        """A text attribute; None where an optional one is absent."""
        value = self._attribute(name, group)
        return None if value is None else bytes(value).decode()

    def number(self, name: str, group: str = "/") -> int | None:
        """An integer attribute; None where an optional one is absent."""
        value = self._attribute(name, group)
        return None if value is None else int(value)

    def _attribute(self, name: str, group: str) -> Any:
        self._check_open()
        pattern = pattern_of(f"{group}/x").rsplit("/", 1)[0] or "/"
        declared = next(a for a in ATTRIBUTES if (a.group, a.name) == (pattern, name))
        try:
            value = self._file[group].attrs.get(name)
        except (KeyError, OSError, RuntimeError) as error:
            raise self._corrupt(f"attribute {name} of {group} ({_first_line(error)})") from None
        if value is None:
            if declared.optional:
                return None
            raise self._corrupt(f"attribute {name} of {group} is missing")
        wanted = np.bytes_ if declared.kind == "text" else np.integer
        if not isinstance(value, wanted):
            raise self._corrupt(f"attribute {name} of {group} is no {declared.kind}")
        return value

    def has(self, path: str) -> bool:
        """Whether a column is there."""
        self._check_open()
        return path in self._file

    def read(self, path: str) -> Array:
        """A whole column, as a new array.

        Raises:
            CorruptAssetError: it is missing, cannot be read, or is not what the schema says.
        """
        dataset = self._dataset(path)
        try:
            return np.asarray(dataset[()])
        except (OSError, RuntimeError, ValueError) as error:
            raise self._corrupt(f"column {path} ({_first_line(error)})") from None

    def map(self, path: str) -> Array:
        """A contiguous column, mapped into memory: only the pages looked at are read."""
        dataset = self._dataset(path)
        offset = dataset.id.get_offset()
        if offset is None or dataset.size == 0 or not dataset.dtype.isnative:
            return self.read(path)
        if offset + dataset.nbytes > self.path.stat().st_size:
            raise self._corrupt(f"column {path} runs past the end of the file")
        return np.memmap(self.path, dataset.dtype, "r", offset, dataset.shape)

    def shape(self, path: str) -> tuple[int, ...]:
        """Shape of a column, without reading it."""
        shape: tuple[int, ...] = self._dataset(path).shape
        return shape

    def stored_bytes(self, path: str) -> int:
        """Bytes a column takes in the file."""
        return int(self._dataset(path).id.get_storage_size())

    def dtype(self, path: str) -> str:
        """Element type of a column."""
        dtype = self._dataset(path).dtype
        return "text" if dtype.kind == "S" else str(dtype)

    def columns(self) -> list[str]:
        """Paths of the columns there are, in the schema's order, profile by profile."""
        shared = [c.path for c in COLUMNS if PROFILE not in c.path]
        own = [c.path.rsplit("/", 1)[1] for c in COLUMNS if PROFILE in c.path]
        paths = shared + [profile_path(p, name) for p in self.profiles for name in own]
        return [path for path in paths if self.has(path)]

    def _check_open(self) -> None:
        if not self._file:
            raise AssetError(
                "the asset is closed", file=self.path, remedy="look things up inside `with`"
            )

    def _dataset(self, path: str) -> h5py.Dataset:
        self._check_open()
        declared = column(pattern_of(path))
        try:
            dataset = self._file[path]
        except (KeyError, OSError, RuntimeError) as error:
            raise self._corrupt(f"column {path} ({_first_line(error)})") from None
        self._check_declared(dataset, declared, path)
        return dataset

    def _check_declared(self, dataset: object, declared: Column, path: str) -> None:
        if not isinstance(dataset, h5py.Dataset):
            raise self._corrupt(f"column {path} is no array")
        kind = "S" if dataset.dtype.kind == "S" else dataset.dtype.name
        if kind not in declared.dtypes or dataset.ndim != len(declared.dims):
            raise self._corrupt(
                f"column {path} is {dataset.dtype}{list(dataset.shape)}, "
                f"not {' or '.join(declared.dtypes)}[{', '.join(declared.dims)}]"
            )


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
