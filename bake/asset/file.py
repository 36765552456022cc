"""Opens the files that levels are baked into, HDF5 assets and flat files, by one class.

Opening a file looks at its frame: header, digests, table. A column is compared with all that the
table of columns says of it when it is read.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from bake.arrays import AnyArray
from bake.asset.column import (
    FIXED,
    PROFILE,
    Column,
    faults,
    profile_path,
)
from bake.asset.flat_file import MAGIC, FlatFile
from bake.asset.hdf5 import Hdf5File
from bake.asset.header import open_to_read
from bake.asset.schema import FLAT, LEVELS
from levelbake.errors import (
    AssetError,
    CorruptAssetError,
)


def is_flat(path: Path) -> bool:
    """Return whether a file begins like a flat file of any version.

    Raises:
        AssetError: the file cannot be read.
    """
    with open_to_read(path) as file:
        return file.read(len(MAGIC)) == MAGIC


class File:
    """An open asset or flat file: attributes, and columns by their paths.

    Attributes:
        path: the file.
        header: what it says of itself before all columns.
        profiles: names of the profiles, sorted.
        schema: what such a file holds.
    """

    #: What assets and flat files hold.
    in_assets, in_flat_files = LEVELS, FLAT

    def __init__(self, path: str | Path, *, check: bool = True) -> None:
        """Open a file.

        Args:
            path: an HDF5 asset or a flat file.
            check: compare all bytes with the digest or checksum in the header, of an HDF5 file
                before HDF5 sees any.

        Raises:
            NotAnAssetError, AssetTooOldError, AssetTooNewError: this version cannot read the file.
            CorruptAssetError: it was damaged.
        """
        path = Path(path)
        self._file: Hdf5File | FlatFile = (
            FlatFile(path, self.in_flat_files, check=check)
            if is_flat(path)
            else Hdf5File(path, self.in_assets, check=check)
        )
        self.path, self.header, self.schema = path, self._file.header, self._file.schema
        self._lengths: dict[tuple[str, str | None], int] = {}
        self._told: dict[tuple[str, str], str | int | None] = {}
        self._known: dict[str, bool] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._sound: set[str] = set()
        try:
            self.profiles = self._find_profiles()
        except BaseException:
            self.close()
            raise

    def _find_profiles(self) -> tuple[str, ...]:
        """Return the names of the profiles, which paths of columns need."""
        if not (names := self._file.profiles()):
            raise self.damaged("it holds no profiles")
        return tuple(names)

    @property
    def name(self) -> str:
        """Return the name of the level."""
        return self.header.level

    @property
    def checked(self) -> bool:
        """Return whether all bytes were compared with their digest when it was opened."""
        return self._file.checked

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        """Return the error for what is found in this file; see :func:`damaged`."""
        return self._file.damaged(found, verdict=verdict)

    def close(self) -> None:
        """Close the file; arrays already handed out stay valid."""
        self._file.close()

    def check_open(self) -> None:
        """Refuse to go on after :meth:`close`, with an AssetError."""
        if not self._file.is_open:
            raise AssetError(
                "the asset is closed", file=self.path, remedy="look things up inside `with`"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- attributes -------------------------------------------------------------------------------

    def text(self, name: str, group: str = "/") -> str | None:
        """Return a text attribute; None where an optional one is absent."""
        value = self.attribute(name, group)
        return None if value is None else str(value)

    def number(self, name: str, group: str = "/") -> int | None:
        """Return an integer attribute; None where an optional one is absent."""
        value = self.attribute(name, group)
        return None if value is None else int(value)

    def attribute(self, name: str, group: str = "/") -> str | int | None:
        """Return an attribute; None where an optional one is absent."""
        self.check_open()
        if (group, name) not in self._told:
            declared, value = self.schema.attribute(group, name), self._file.attribute(group, name)
            if not (declared.optional if value is None else declared.allows(value)):
                told = "is missing" if value is None else f"is {value!r}"
                raise self.damaged(f"attribute {name} of {group} {told}")
            self._told[group, name] = value
        return self._told[group, name]

    # -- columns ----------------------------------------------------------------------------------

    def has(self, path: str) -> bool:
        """Return whether there is a column."""
        # Every search asks this.
        known = self._known.get(path)
        if known is None:
            self.check_open()
            known = self._known[path] = self.schema.has_column(path) and self._file.has(path)
        return known

    def columns(self) -> list[str]:
        """Return the paths of the columns in the schema's order, profile by profile."""
        declared = self.schema.columns
        paths = [each.path for each in declared if not each.own] + [
            profile_path(name, each.name) for name in self.profiles for each in declared if each.own
        ]
        return [path for path in paths if self.has(path)]

    def read(self, path: str) -> AnyArray:
        """Return a whole column in a new array; those of flat files where they lie, read-only.

        Raises:
            CorruptAssetError: the column is missing, unreadable, or not what the schema says.
        """
        self.shape(path)
        array = self._file.load(path)
        if path not in self._sound:
            self._check_values(array, path)
            self._sound.add(path)
        return array

    def part(self, path: str, *spans: slice) -> AnyArray:
        """Return a part of a column in a new array.

        Its digest is that of the whole column, and is not compared; :meth:`read` does that.

        Args:
            path: a column that the file holds.
            spans: from where to where, in each of its dimensions.

        Raises:
            CorruptAssetError: the column is missing, unreadable, or not what the schema says.
        """
        self.shape(path)
        array = self._file.part(path, *spans)
        self._check_values(array, path, whole=False)
        return array

    def _check_values(self, array: AnyArray, path: str, *, whole: bool = True) -> None:
        """Refuse elements that the table of columns does not allow."""
        declared = self.schema.column(path)
        profile = path.split("/")[2] if declared.own else None
        for fault in faults(declared, array, lambda dim: self._length(dim, profile), whole=whole):
            raise self.damaged(f"column {path} {fault}")

    def shape(self, path: str) -> tuple[int, ...]:
        """Return the shape of a column without reading it.

        Raises:
            CorruptAssetError: the column is missing, or another one is not as long as it should be.
        """
        self.check_open()
        if not self.has(path):
            raise self.damaged(f"column {path} is missing")
        declared = self.schema.column(path)
        needed = f"{path.rpartition('/')[0]}/{declared.needs}"
        if declared.needs and not self.has(needed):
            raise self.damaged(f"column {path} is there without column {needed}")
        shape = self._shape(declared, path)
        profile = path.split("/")[2] if declared.own else None
        for dim in dict.fromkeys(declared.dims):
            self._length(dim.removesuffix(" + 1"), profile)
        return shape

    def dtype(self, path: str) -> str:
        """Return the element type of a column."""
        self.shape(path)
        form = self._file.form(path)
        return form.dtype if form else ""

    def stored_bytes(self, path: str) -> int:
        """Return the bytes a column takes in the file."""
        self.shape(path)
        return self._file.stored_bytes(path)

    def is_same(self, path: str, other: str) -> bool:
        """Return whether two columns are stored once, under two names."""
        self.shape(path), self.shape(other)
        return self._file.is_same(path, other)

    # -- lengths ----------------------------------------------------------------------------------

    def rows(self, profile: str) -> int | None:
        """Return how many rows a profile's columns have; None where nothing says it."""
        length = self._length("row", profile)
        return length if ("row", profile) in self._lengths else None

    def _length(self, dim: str, profile: str | None) -> int:
        """Return the length of a dimension, after checking that all columns with it agree.

        Args:
            dim: its name in the schema.
            profile: its columns are looked at, too; None = only those of the level.
        """
        known = self._lengths.get((dim, profile))
        if known is not None:
            return known
        stated, wrong = self._stated_lengths(dim, profile)
        if not stated:
            # A column whose length nobody could tell is refused before what hangs on it.
            for error in wrong:
                raise error
            return 0
        lengths = [length for length, _ in stated]
        length = max(lengths, key=lengths.count)
        witness = next(where for each, where in stated if each == length)
        for each, where in stated:
            if each != length:
                raise self.damaged(f"{where} has {each} of {dim}, {witness} {length}")
        if length < 0:
            raise self.damaged(f"{witness} is empty")
        self._lengths[dim, profile] = length
        return length

    def _stated_lengths(
        self, dim: str, profile: str | None
    ) -> tuple[list[tuple[int, str]], list[CorruptAssetError]]:
        """Return every length stated for a dimension with what states it; and damaged columns."""
        found = [(FIXED[dim], "the format")] if dim in FIXED else []
        wrong = []
        if dim in self.schema.stated:
            own, name = self.schema.stated[dim]
            group = f"/profiles/{profile}" if own else "/"
            length = self.number(name, group)
            if length is None:
                raise self.damaged(f"attribute {name} of {group} is missing")
            found.append((length, f"attribute {name} of {group}"))
        if dim == "location":
            width, height = self.number("width"), self.number("height")
            if width is None or height is None:
                found.append((self._length("node", None), "the number of nodes"))
            else:
                found.append((width * height, "width and height"))
        for declared in self.schema.columns_along(dim):
            if declared.own and profile is None:
                continue
            path = declared.path.replace(PROFILE, profile or "")
            try:
                shape = self._shape(declared, path) if self.has(path) else ()
            except CorruptAssetError as error:
                wrong.append(error)
                continue
            for length, name in zip(shape, declared.dims, strict=False):
                if name.removesuffix(" + 1") == dim:
                    found.append((length - name.endswith(" + 1"), f"column {path}"))
        return found, wrong

    def _shape(self, declared: Column, path: str) -> tuple[int, ...]:
        """Return the shape of a column that is there, or raise where it is not as declared."""
        shape = self._shapes.get(path)
        if shape is None:
            form = self._file.form(path)
            if form is None:
                raise self.damaged(f"column {path} is no array")
            shape = form.shape
            if shape is None or not declared.fits(*form):
                told = "of no shape" if shape is None else list(shape)
                raise self.damaged(
                    f"column {path} is {form.dtype}{told}, "
                    f"not {' or '.join(declared.dtypes)}[{', '.join(declared.dims)}]"
                )
            # Other threads may look at any time, so only a finished answer is kept.
            self._shapes[path] = shape
        return shape
