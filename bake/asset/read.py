"""Read an asset lazily: opening checks the file, and an array is read when it is asked for.

Assets are HDF5 files or flat files: a :class:`ColumnFile` hands out what lies in one of them, and
all that the table of columns says of it is checked here, in the same way for both.
"""

from __future__ import annotations

import contextlib
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from bake.arrays import AnyArray, Int32Array
from bake.asset.check import faults
from bake.asset.column import PROFILE, Column, Form, profile_path
from bake.asset.hdf5 import Hdf5File
from bake.asset.header import Header
from bake.asset.pairs import distances_of_pairs
from bake.asset.schema import LEVELS, PATTERNS_KIND, Schema
from levelbake.errors import AssetError, CorruptAssetError, NotAnAssetError

if TYPE_CHECKING:
    from bake.asset.graph import LevelGraph
    from bake.asset.lattice import LatticeGraph

#: Lengths of dimensions that the format fixes.
_FIXED = {
    "xy": 2,
    "channel": 3,
    "slant": 2,
    "bound": 2,
    "one": 1,
    "length": 2,
    "sector": 18,
    "cell number": 3,
    "slope rule": 4,
}


class ColumnFile(Protocol):
    """An open file that holds attributes and columns, whatever its layout."""

    @property
    def path(self) -> Path: ...
    @property
    def header(self) -> Header:
        """Return what it says of itself before all columns."""

    @property
    def schema(self) -> Schema:
        """Return what such a file holds."""

    @property
    def checked(self) -> bool:
        """Tell whether all bytes were compared with their digest when it was opened."""

    @property
    def is_open(self) -> bool:
        """Tell whether it may be read."""

    def close(self) -> None:
        """Let nothing more be read; arrays already handed out stay valid."""

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        """Return the error for what is found in this file; see :func:`bake.asset.damaged`."""

    def profiles(self) -> list[str]:
        """Return the names of the profiles, sorted; none where there are none to be found."""

    def attribute(self, group: str, name: str) -> str | int | None:
        """Return an attribute as it is stored; None where it is absent."""

    def has(self, path: str) -> bool:
        """Tell whether there is a column."""

    def form(self, path: str) -> Form | None:
        """Return the element type and the shape of a column; None where it is missing."""

    def load(self, path: str) -> AnyArray:
        """Return a column, whose form has been asked for; texts as (k) bytes."""

    def part(self, path: str, *spans: slice) -> AnyArray:
        """Return a part of a column, from where to where in each of its dimensions."""

    def stored_bytes(self, path: str) -> int:
        """Return the bytes that a column takes in the file."""

    def is_same(self, path: str, other: str) -> bool:
        """Tell whether two columns are stored once."""


class Asset:
    """An open asset: attributes and columns by the names of the schema.

    Attributes:
        path: the file.
        header: what it says of itself before all columns.
        profiles: names of the profiles, sorted.
        schema: what such an asset holds.
    """

    #: What such an asset holds in HDF5.
    declares = LEVELS

    def __init__(self, file: str | Path | ColumnFile, *, check: bool = True) -> None:
        """Open an asset.

        Args:
            file: the path of an HDF5 asset, or an open file.
            check: compare all bytes of the HDF5 file with the digest in its header before HDF5 sees
                any.

        Raises:
            NotAnAssetError, AssetTooOldError, AssetTooNewError: this version cannot read the file.
            CorruptAssetError: the asset was damaged.
        """
        self._file: ColumnFile = (
            Hdf5File(Path(file), check=check, schema=self.declares)
            if isinstance(file, str | Path)
            else file
        )
        self.path, self.header, self.schema = self._file.path, self._file.header, self._file.schema
        self._lengths: dict[tuple[str, str | None], int] = {}
        self._told: dict[tuple[str, str], str | int | None] = {}
        self._known: dict[str, bool] = {}
        self._shapes: dict[str, tuple[int, ...] | None] = {}
        self._sound: set[str] = set()
        try:
            self.profiles = self._find_profiles()
        except BaseException:
            self.close()
            raise

    def _find_profiles(self) -> tuple[str, ...]:
        """Return the names of the profiles, which paths of columns need."""
        names = self._file.profiles()
        if not names and is_of_patterns(self._file):
            raise NotAnAssetError(
                "this is a pattern database, no level",
                file=self.path,
                expected="the asset of a level",
                remedy="open it with `bake.school.open_patterns`",
            )
        if not names:
            raise self.damaged("it holds no profiles")
        return tuple(names)

    @property
    def name(self) -> str:
        """Return the name of the level."""
        return self.header.level

    @cached_property
    def graph(self) -> LevelGraph:
        """Return the nodes and arcs of the level, made of its columns."""
        from bake.asset.graph import LevelGraph

        return self.implied or LevelGraph(self)

    @cached_property
    def implied(self) -> LatticeGraph | None:
        """Return the graph of a large lattice; None on other levels."""
        block = self.number("block")
        if block is None:
            return None
        from bake.asset.lattice import LatticeGraph

        return LatticeGraph(self, block)

    @property
    def checked(self) -> bool:
        """Tell whether all bytes were compared with their digest when it was opened."""
        return self._file.checked

    @property
    def cells_are_nodes(self) -> bool:
        """Tell whether its nodes are cells of a grid that it does not hold.

        The rules of their steps are not in it, and what a change makes them cost cannot be said.
        """
        return self.has("/cell")

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        """Return the error for what is found in this asset; see :func:`bake.asset.damaged`."""
        return self._file.damaged(found, verdict=verdict)

    def close(self) -> None:
        """Close the file; arrays already handed out stay valid."""
        self._file.close()

    def check_open(self) -> None:
        """Refuse to go on after :meth:`close`.

        Raises:
            AssetError: the asset is closed.
        """
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
        """Tell whether the asset has a column."""
        # Every search asks this.
        known = self._known.get(path)
        if known is None:
            self.check_open()
            known = self._known[path] = self.schema.has_column(path) and self._file.has(path)
        return known

    def columns(self) -> list[str]:
        """Return the paths of the asset's columns in the schema's order, profile by profile."""
        declared = self.schema.columns
        paths = [each.path for each in declared if not each.own] + [
            profile_path(name, each.name) for name in self.profiles for each in declared if each.own
        ]
        return [path for path in paths if self.has(path)]

    def read(self, path: str) -> AnyArray:
        """Read a whole column into a new array; those of flat files are handed out where they lie.

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
        """Read a part of a column into a new array.

        Its digest is that of the whole column, and is not compared; :meth:`read` does that.

        Args:
            path: a column that the asset holds.
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

    def cluster_distances(self, profile: str, clusters: int) -> Int32Array:
        """Return (c, c) int32 ticks, [from, to], between a profile's clusters.

        Args:
            profile: its name.
            clusters: how many it has.

        Raises:
            CorruptAssetError: there are distances of more or fewer clusters, or none at all.
        """
        path = profile_path(profile, "cluster_distance")
        try:
            return distances_of_pairs(self.read(path), clusters)
        except ValueError as error:
            raise self.damaged(f"column {path} {error}") from None

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
        shape = self._shape_if_sound(declared, path)
        if shape is None:
            raise self._fault_of(declared, path) or self.damaged(f"column {path} is no array")
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
        """Tell whether two columns are stored once, under two names."""
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
        stated = self._stated_lengths(dim, profile)
        lengths = [length for length, _ in stated]
        if not lengths:
            self._blame(dim, profile)
            return 0
        length = max(lengths, key=lengths.count)
        witness = next(where for each, where in stated if each == length)
        for each, where in stated:
            if each != length:
                raise self.damaged(f"{where} has {each} of {dim}, {witness} {length}")
        if length < 0:
            raise self.damaged(f"{witness} is empty")
        self._lengths[dim, profile] = length
        return length

    def _stated_lengths(self, dim: str, profile: str | None) -> list[tuple[int, str]]:
        """Return every length stated for a dimension, each with what states it.

        Columns that are not as the schema declares them are left out.
        """
        found = [(_FIXED[dim], "the format")] if dim in _FIXED else []
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
        for declared, path in self._along(dim, profile):
            found += [
                (length - name.endswith(" + 1"), f"column {path}")
                for name, length in zip(
                    declared.dims, self._shape_if_sound(declared, path) or (), strict=False
                )
                if name.removesuffix(" + 1") == dim
            ]
        return found

    def _along(self, dim: str, profile: str | None) -> list[tuple[Column, str]]:
        """Return the declared columns with a dimension, those of one profile or of none."""
        return [
            (declared, declared.path.replace(PROFILE, profile or ""))
            for declared in self.schema.columns_along(dim)
            if profile is not None or not declared.own
        ]

    def _blame(self, dim: str, profile: str | None) -> None:
        """Refuse a damaged column, if there is one whose length nobody could tell."""
        for declared, path in self._along(dim, profile):
            if fault := self._fault_of(declared, path):
                raise fault

    def _fault_of(self, declared: Column, path: str) -> CorruptAssetError | None:
        """Return the error for a column that is no array of the declared form; None if it is."""
        try:
            form = self._file.form(path)
        except CorruptAssetError as error:
            return error
        if form is None or declared.fits(*form):
            return None
        shape = "of no shape" if form.shape is None else list(form.shape)
        return self.damaged(
            f"column {path} is {form.dtype}{shape}, "
            f"not {' or '.join(declared.dtypes)}[{', '.join(declared.dims)}]"
        )

    def _shape_if_sound(self, declared: Column, path: str) -> tuple[int, ...] | None:
        """Return the shape of a column; None where it is missing or damaged.

        Reading such a column reports what is wrong with it.
        """
        if path not in self._shapes:
            shape = None
            with contextlib.suppress(CorruptAssetError):
                form = self._file.form(path)
                shape = form.shape if form and declared.fits(*form) else None
            # Other threads may look at any time, so only a finished answer is kept.
            self._shapes[path] = shape
        return self._shapes[path]


def is_of_patterns(file: ColumnFile) -> bool:
    """Tell whether a file is a pattern database; False where its kind cannot be read."""
    with contextlib.suppress(CorruptAssetError):
        return file.attribute("/", "kind") == PATTERNS_KIND
    return False


def is_pattern_database(path: Path) -> bool:
    """Tell whether a file is a whole pattern database; False where it is no asset at all."""
    try:
        file = Hdf5File(path, check=True, schema=LEVELS)
    except AssetError:
        return False
    with contextlib.closing(file):
        return is_of_patterns(file)
