"""Read the assets of levels with all columns of a bake."""

from __future__ import annotations

import contextlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bake.core.arrays import AnyArray, Int32Array
from bake.store.pairs import distances_of_pairs
from bake.store.schema import FLAT, LEVELS
from levelbake.columns import elements, profile_path
from levelbake.errors import AssetError, CorruptAssetError, NotAnAssetError
from levelbake.file import File, FlatFile, Hdf5File

if TYPE_CHECKING:
    from bake.store.graph import LevelGraph
    from bake.store.lattice import LatticeGraph


#: The kind of an asset that is a pattern database rather than a level.
PATTERNS_KIND = "patterns"


class Asset(File):
    """An open asset or flat file with every declared column, and the graph of its level."""

    in_assets, in_flat_files = LEVELS, FLAT
    path: Path

    def __init__(self, path: str | Path, *, check: bool = True) -> None:
        """Open a file; see :class:`levelbake.file.File`."""
        super().__init__(Path(path), check=check)

    def _find_profiles(self) -> tuple[str, ...]:
        if is_of_patterns(self._file):
            raise NotAnAssetError(
                "this is a pattern database, not a level",
                file=self.path,
                expected="the asset of a level",
                remedy="open it with `bake.extras.school.open_patterns`",
            )
        return super()._find_profiles()

    @cached_property
    def graph(self) -> LevelGraph:
        """The nodes and arcs of the level, built from its columns."""
        from bake.store.graph import LevelGraph

        return self.implied or LevelGraph(self)

    @cached_property
    def implied(self) -> LatticeGraph | None:
        """The graph of a large lattice; None on other levels."""
        block = self.number("block")
        if block is None:
            return None
        from bake.store.lattice import LatticeGraph

        return LatticeGraph(self, block)

    @property
    def cells_are_nodes(self) -> bool:
        """Whether its nodes are the cells of a grid that it does not contain.

        Such a file lacks the rules of steps, so it cannot price changes.
        """
        return self.has("/cell")

    # -- columns ----------------------------------------------------------------------------------

    def columns(self) -> list[str]:
        """Return the paths of the columns in the schema's order, profile by profile."""
        declared = self.schema.columns
        paths = [column.path for column in declared if not column.own] + [
            profile_path(name, column.name)
            for name in self.profiles
            for column in declared
            if column.own
        ]
        return [path for path in paths if self.has(path)]

    def part(self, path: str, *spans: slice) -> AnyArray:
        """Return a part of a column in a new array.

        The stored digest covers the whole column, so it is not checked; :meth:`read` does that.

        Args:
            path: a column of the file.
            spans: the range in each of its dimensions.

        Raises:
            CorruptAssetError: the column is missing, unreadable, or does not fit the schema.
        """
        self.shape(path)
        assert isinstance(self._file, Hdf5File), "large lattices have no flat files"
        array = self._file.part(path, *spans)
        self._check(path, array, elements)
        return array

    def dtype(self, path: str) -> str:
        """Return the element type of a column."""
        self.shape(path)
        return self._file.form(path)[0]

    def stored_bytes(self, path: str) -> int:
        """Return the bytes of a column in the file."""
        self.shape(path)
        if isinstance(self._file, Hdf5File):
            with self._file.reading(f"column {path}"):
                return int(self._file.at(path).get_storage_size())
        return self._file.entries[self._file.key[path]].size

    def is_same(self, path: str, other: str) -> bool:
        """Return whether two columns share one storage under two names."""
        self.shape(path), self.shape(other)
        if isinstance(self._file, Hdf5File):
            with self._file.reading(f"column {path}"):
                return bool(self._file.at(path) == self._file.at(other))
        a, b = (self._file.entries[self._file.key[column]] for column in (path, other))
        return (a.offset, a.size) == (b.offset, b.size)

    def cluster_distances(self, profile: str, clusters: int) -> Int32Array:
        """Return (c, c) int32 ticks, [from, to], between a profile's clusters.

        Args:
            profile: its name.
            clusters: the number of its clusters.

        Raises:
            CorruptAssetError: the column is missing, or has another number of clusters.
        """
        path = profile_path(profile, "cluster_distance")
        try:
            return distances_of_pairs(self.read(path), clusters)
        except ValueError as error:
            raise self.damaged(f"column {path} {error}") from None


def is_of_patterns(file: Hdf5File | FlatFile) -> bool:
    """Return whether a file is a pattern database; False if its kind cannot be read."""
    with contextlib.suppress(CorruptAssetError):
        return file.attribute("/", "kind") == PATTERNS_KIND
    return False


def is_pattern_database(path: Path) -> bool:
    """Return whether a file is a complete pattern database; False if it is not an asset."""
    try:
        file = Hdf5File(path, LEVELS)
    except AssetError:
        return False
    with contextlib.closing(file):
        return is_of_patterns(file)
