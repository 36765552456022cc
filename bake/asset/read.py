"""Read an asset lazily: opening checks the file, and an array is read when it is asked for."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array
from bake.asset.check import faults
from bake.asset.column import PROFILE, Column, profile_path, type_name
from bake.asset.header import Header, check_body, damaged, open_to_read, parse_header
from bake.asset.pairs import distances_of_pairs
from bake.asset.runs import starts_of_runs
from bake.asset.schema import LEVELS, PATTERNS_KIND, Schema, digest_of
from bake.errors import AssetError, CorruptAssetError, NotAnAssetError

if TYPE_CHECKING:
    import h5py

    from bake.asset.graph import LevelGraph
    from bake.asset.lattice import LatticeGraph

#: What h5py raises where HDF5 cannot make sense of a file.
_DAMAGE = (KeyError, OSError, OverflowError, RuntimeError, TypeError, ValueError)

#: Lengths of dimensions that the format fixes, and attributes that state the length of one.
_FIXED = {"xy": 2, "channel": 3, "slant": 2, "bound": 2, "one": 1, "slope rule": 4}
_STATED = {"x": "width", "y": "height", "component": "component_count"}

#: Columns that a large lattice does not have, as they follow from others.
_IMPLIED = ("/terrain", "/node_location", "/first_out", "/head", "/length")

#: How often an asset may be replaced by a new one while it is being opened.
_ATTEMPTS = 10

#: Deflate makes data at most 1032 times smaller (RFC 1951: 258 bytes in two bits).
_LARGEST_RATIO = 1032


class Asset:
    """An open asset: attributes and columns by the names of the schema.

    Attributes:
        path: the file.
        header: what its user block says.
        profiles: names of the profiles, sorted.
        checked: whether all bytes were compared with their digest when it was opened.
    """

    #: Whether this is a flat file with the face of an asset.
    is_flat = False
    #: Whether its nodes are cells of a grid that it does not hold: the rules of their steps are not
    #: in it, and what a change makes them cost cannot be said.
    cells_are_nodes = False
    #: Whether entries of labels are distances, or codes that have to be added up.
    labels_are_sums = False
    #: What such an asset holds.
    schema: Schema = LEVELS

    def __init__(self, path: str | Path, *, check: bool = True) -> None:
        """Open an asset.

        Args:
            path: the file.
            check: compare all of its bytes with the digest in its header before HDF5 sees any.

        Raises:
            NotAnAssetError, AssetTooOldError, AssetTooNewError: this version cannot read the file.
            CorruptAssetError: the asset was damaged.
        """
        import h5py  # Flat files are read without it.

        self.path = Path(path)
        self.checked = check
        self._lengths: dict[tuple[str, str | None], int] = {}
        self._known: dict[str, bool] = {}
        # HDF5 takes many microseconds to find a column or a group by its path.
        self._sound: dict[str, h5py.Dataset | None] = {}
        self._whole: dict[str, h5py.Dataset] = {}
        self._groups: dict[str, h5py.Group] = {}
        with contextlib.ExitStack() as opened:
            for _ in range(_ATTEMPTS):
                self._bytes = opened.enter_context(open_to_read(self.path))
                self.header: Header = parse_header(self._bytes, self.path)
                if check:
                    check_body(self._bytes, self.path, self.header)
                try:
                    self._file = opened.enter_context(h5py.File(self.path, "r"))
                except _DAMAGE as error:
                    raise self.damaged(f"HDF5 cannot open it ({_first_line(error)})") from None
                if self._is_the_file_that_was_read():
                    break
                opened.close()
            else:
                raise AssetError("is replaced again and again while it is opened", file=self.path)
            self._find_profiles()
            self._check_block()
            self._opened = opened.pop_all()

    def _is_the_file_that_was_read(self) -> bool:
        """Tell whether HDF5, which opens files by name, has the file whose header was read."""
        try:
            return os.path.samestat(os.fstat(self._bytes.fileno()), self.path.stat())
        except OSError:
            return False

    def _check_block(self) -> None:
        """Refuse the asset of a large lattice that also holds what follows from its columns."""
        block = self.number("block")
        for path in _IMPLIED if block is not None else ():
            if path in self._file:
                raise self.damaged(f"block is {block}, but there is a column {path}")

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

    def _find_profiles(self) -> None:
        """Set the names of the profiles, which paths of columns need."""
        import h5py

        try:
            group = self._file["profiles"]
            names = sorted(group) if isinstance(group, h5py.Group) else []
            all_groups = all(isinstance(group[name], h5py.Group) for name in names)
            "".join(names).encode()
        except _DAMAGE:
            names, all_groups = [], False
        if not names and self._states("kind", PATTERNS_KIND):
            raise NotAnAssetError(
                "this is a pattern database, no level",
                file=self.path,
                expected="the asset of a level",
                remedy="open it with `bake.school.open_patterns`",
            )
        if not names or not all_groups:
            raise self.damaged("it holds no profiles")
        self.profiles: tuple[str, ...] = tuple(names)

    def _states(self, name: str, value: str) -> bool:
        """Tell whether an attribute of the file has a value; False where it cannot be read."""
        with contextlib.suppress(*_DAMAGE):
            found = self._file.attrs.get(name)
            return isinstance(found, np.bytes_) and found == value.encode()
        return False

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        """Return the error for what is found in this asset; see :func:`bake.asset.damaged`."""
        return damaged(self.path, found, verdict=verdict)

    @contextlib.contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Turn what h5py raises while it reads a part of the file into an error that names it."""
        try:
            yield
        except _DAMAGE as error:
            raise self.damaged(f"{what} ({_first_line(error)})") from None

    def close(self) -> None:
        """Close the file; arrays already handed out stay valid."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def text(self, name: str, group: str = "/") -> str | None:
        """Return a text attribute; None where an optional one is absent."""
        value = self._attribute(name, group)
        return None if value is None else str(value)

    def number(self, name: str, group: str = "/") -> int | None:
        """Return an integer attribute; None where an optional one is absent."""
        value = self._attribute(name, group)
        return None if value is None else int(value)

    def _attribute(self, name: str, group: str) -> str | int | None:
        self.check_open()
        declared = self.schema.attribute(group, name)
        with self._reading(f"attribute {name} of {group}"):
            if group not in self._groups:
                self._groups[group] = self._file[group]
            value = self._groups[group].attrs.get(name)
        if value is None:
            if declared.optional:
                return None
            raise self.damaged(f"attribute {name} of {group} is missing")
        is_text = declared.kind == "text"
        if not isinstance(value, np.bytes_ if is_text else np.integer):
            raise self.damaged(f"attribute {name} of {group} is no {declared.kind}")
        try:
            found = bytes(value).decode() if is_text else int(value)
        except UnicodeDecodeError:
            raise self.damaged(f"attribute {name} of {group} is not UTF-8") from None
        if not declared.allows(found):
            raise self.damaged(f"attribute {name} of {group} is {found!r}")
        return found

    def has(self, path: str) -> bool:
        """Tell whether the asset has a column."""
        # Every search asks this.
        known = self._known.get(path)
        if known is None:
            self.check_open()
            with self._reading(f"column {path}"):
                known = self._known[path] = path in self._file
        return known

    def read(self, path: str) -> AnyArray:
        """Read a whole column into a new array.

        Raises:
            CorruptAssetError: the column is missing, unreadable, or not what the schema says.
        """
        dataset = self._stored(path)
        with self._reading(f"column {path}"):
            array = np.asarray(dataset[()])
            digest = dataset.attrs.get("sha256")
        # The file may have been opened without a check of its digest, or long ago.
        if not isinstance(digest, np.bytes_) or digest != digest_of(array).encode():
            raise self.damaged(f"column {path} does not match its digest")
        self._check_values(array, path)
        return array

    def _check_values(self, array: AnyArray, path: str, *, whole: bool = True) -> None:
        """Refuse elements that the table of columns does not allow."""
        declared = self.schema.column(path)
        profile = path.split("/")[2] if declared.own else None
        for fault in faults(declared, array, lambda dim: self._length(dim, profile), whole=whole):
            raise self.damaged(f"column {path} {fault}")

    def part(self, path: str, *spans: slice) -> AnyArray:
        """Read a part of a column into a new array.

        Its digest is that of the whole column, and is not compared; :meth:`read` does that.

        Args:
            path: a column that the asset holds.
            spans: from where to where, in each of its dimensions.

        Raises:
            CorruptAssetError: the column is missing, unreadable, or not what the schema says.
        """
        dataset = self._stored(path)
        with self._reading(f"column {path}"):
            array = np.asarray(dataset[spans])
        self._check_values(array, path, whole=False)
        return array

    def run_starts(self, profile: str, rows: int, runs: int) -> tuple[Int64Array, AnyArray]:
        """Return where the runs of a profile's next hops begin.

        Args:
            profile: its name; its next hops are compressed.
            rows, runs: how many it has.

        Returns:
            (r) int64, how many runs each row has, at least one; and (k) integers, the first target
            of each run: in each row 0 first, then ascending and below r.

        Raises:
            CorruptAssetError: the runs do not fit these rows, or cannot be read.
        """
        path = profile_path(profile, "run_length")
        written = self.read(path)
        try:
            return starts_of_runs(written, rows, runs)
        except ValueError as error:
            raise self.damaged(f"column {path} {error}") from None

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
        """Return the shape of a column without reading it."""
        shape: tuple[int, ...] = self._dataset(path).shape
        return shape

    def stored_bytes(self, path: str) -> int:
        """Return the bytes a column takes in the file."""
        return int(self._dataset(path).id.get_storage_size())

    def is_same(self, path: str, other: str) -> bool:
        """Tell whether two columns are stored once, under two names."""
        return bool(self._dataset(path) == self._dataset(other))

    def dtype(self, path: str) -> str:
        """Return the element type of a column."""
        dtype = self._dataset(path).dtype
        return "text" if dtype.kind == "S" else str(dtype)

    def columns(self) -> list[str]:
        """Return the paths of the asset's columns in the schema's order, profile by profile."""
        declared = self.schema.columns
        shared = [c.path for c in declared if PROFILE not in c.path]
        own = [c.path.rsplit("/", 1)[1] for c in declared if PROFILE in c.path]
        paths = shared + [profile_path(p, name) for p in self.profiles for name in own]
        return [path for path in paths if self.has(path)]

    def rows(self, profile: str) -> int:
        """Return how many rows a profile's columns have; 0 where none has any."""
        return self._length("row", profile)

    def check_open(self) -> None:
        """Refuse to go on after :meth:`close`.

        Raises:
            AssetError: the asset is closed.
        """
        if not self._file:
            raise AssetError(
                "the asset is closed", file=self.path, remedy="look things up inside `with`"
            )

    def _dataset(self, path: str) -> h5py.Dataset:
        self.check_open()
        declared = self.schema.column(path)
        dataset = self._if_sound(path)
        if dataset is None:
            with self._reading(f"column {path}"):
                dataset = self._file[path]
                self._check_declared(dataset, declared, path)
        profile = path.split("/")[2] if PROFILE in declared.path else None
        for dim in dict.fromkeys(declared.dims):
            self._length(dim.removesuffix(" + 1"), profile)
        return dataset

    def _stored(self, path: str) -> h5py.Dataset:
        """Return a column that is no larger than its bytes in the file can make it."""
        self.check_open()
        dataset = self._whole.get(path)
        if dataset is None:
            dataset = self._dataset(path)
            with self._reading(f"column {path}"):
                if dataset.nbytes > _LARGEST_RATIO * dataset.id.get_storage_size():
                    raise self.damaged(f"column {path} is stored only in part")
            self._whole[path] = dataset
        return dataset

    def _check_declared(self, dataset: object, declared: Column, path: str) -> None:
        import h5py

        if not isinstance(dataset, h5py.Dataset):
            raise self.damaged(f"column {path} is no array")
        if not declared.fits(type_name(dataset.dtype), dataset.shape):
            shape = "of no shape" if dataset.shape is None else list(dataset.shape)
            raise self.damaged(
                f"column {path} is {dataset.dtype}{shape}, "
                f"not {' or '.join(declared.dtypes)}[{', '.join(declared.dims)}]"
            )

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

    def _blame(self, dim: str, profile: str | None) -> None:
        """Refuse a damaged column, if there is one whose length nobody could tell."""
        for declared in self.schema.columns_along(dim):
            path = declared.path.replace(PROFILE, profile or PROFILE)
            with self._reading(f"column {path}"):
                if path in self._file:
                    self._check_declared(self._file[path], declared, path)

    def _stated_lengths(self, dim: str, profile: str | None) -> list[tuple[int, str]]:
        """Return every length stated for a dimension, each with what states it.

        Columns that are not as the schema declares them are left out.
        """
        found = [(_FIXED[dim], "the format")] if dim in _FIXED else []
        if dim in _STATED:
            group = "/" if profile is None or dim != "component" else f"/profiles/{profile}"
            stated = self.number(_STATED[dim], group)
            if stated is None:
                raise self.damaged(f"attribute {_STATED[dim]} of {group} is missing")
            found.append((stated, f"attribute {_STATED[dim]} of {group}"))
        if dim == "location":
            width, height = self.number("width"), self.number("height")
            cells = None if width is None or height is None else width * height
            cells = self._length("node", None) if cells is None else cells
            found.append((cells, "width and height"))
        for declared in self.schema.columns_along(dim):
            if PROFILE in declared.path and profile is None:
                continue
            path = declared.path.replace(PROFILE, profile) if profile else declared.path
            dataset = self._if_sound(path)
            if dataset is None:
                continue
            found += [
                (length - name.endswith(" + 1"), f"column {path}")
                for name, length in zip(declared.dims, dataset.shape, strict=True)
                if name.removesuffix(" + 1") == dim
            ]
        return found

    def _if_sound(self, path: str) -> h5py.Dataset | None:
        """Return a column; None where it is missing or damaged.

        Reading such a column reports what is wrong with it.
        """
        import h5py

        if path not in self._sound:
            sound = None
            with contextlib.suppress(*_DAMAGE):
                dataset = self._file.get(path)
                declared = self.schema.column(path)
                if isinstance(dataset, h5py.Dataset) and declared.fits(
                    type_name(dataset.dtype), dataset.shape
                ):
                    sound = dataset
            # Other threads may look at any time, so only a finished answer is kept.
            self._sound[path] = sound
        return self._sound[path]


class _OfAnyKind(Asset):
    """An asset of whatever, open to see what it is of."""

    def _find_profiles(self) -> None:
        self.profiles = ()

    def _check_block(self) -> None:
        pass

    @property
    def is_of_patterns(self) -> bool:
        return self._states("kind", PATTERNS_KIND)


def is_pattern_database(path: Path) -> bool:
    """Tell whether a file is a whole pattern database; False where it is no asset at all."""
    try:
        with _OfAnyKind(path) as asset:
            return asset.is_of_patterns
    except AssetError:
        return False


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
