"""Share between one profile's searches: graph, lower bounds, layers, heuristics made so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeVar, cast

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.play.hierarchy.lattice import LatticeHierarchy, LatticePaths
from bake.play.hierarchy.layers import HierarchyTables
from bake.play.hierarchy.paths import HierarchyPaths
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.engine import Engine
from bake.play.reader.rows import Rows
from bake.play.searching.bounds import Bounds, coordinates
from bake.search.contraction.query import DistancesTo
from bake.search.point.estimates import Estimate, Ranked, ranked_by_length, ranked_by_step
from bake.search.point.space import Found, SearchSpace

T = TypeVar("T")

#: See :meth:`bake.play.live.exact.ExactHierarchy.searched`.
Searched = Callable[[int, int, "Callable[[DistancesTo], Found]"], "Found | None"]

#: (m) int32 tails, heads and weights of arcs.
Ends = tuple[Int32Array, Int32Array, Int32Array]


class SearchContext:
    """The things that one profile's searches share; threads may share them, too.

    Attributes:
        engine: what answers without a search.
        columns: the profile as it was baked.
        version: the profile; ``version.usable`` is the graph.
        rows: the translation between places and rows.
    """

    def __init__(self, engine: Engine, columns: ProfileColumns, searched: Searched) -> None:
        """Make nothing yet.

        Args:
            engine, columns: see above.
            searched: has a search between two rows told all distances to the second one; see
                :meth:`bake.play.live.exact.ExactHierarchy.searched`.
        """
        self.engine, self.version, self.columns = engine, engine.version, columns
        self.rows = Rows(engine.version)
        self._searched = searched
        self._kept: dict[str, object] = {}

    @cached_property
    def space(self) -> SearchSpace:
        """Return the profile's graph, laid out for searches."""
        usable = self.version.usable
        return SearchSpace(usable.graph, usable.weight)

    @cached_property
    def at(self) -> Int32Array:
        """Return the int32 coordinates that norms measure: see :func:`coordinates`."""
        return coordinates(self.version)

    @property
    def arcs(self) -> Ends:
        """Return tail, head and weight of all arcs."""
        usable = self.version.usable
        return usable.graph.tail(), usable.graph.head, usable.weight

    def deciding_arcs(self, name: str) -> Ends:
        """Return tail, head and weight of arcs that decide the norm of a name as all of them do."""
        # On grids they are the same for all norms.
        key = "deciding" if self.version.places.is_grid else f"deciding {name}"
        return self.kept(key, lambda: self._deciding_arcs(name))

    def _deciding_arcs(self, name: str) -> Ends:
        return self.cheapest(name, np.zeros(self.version.row_count, dtype=np.bool_))

    def cheapest(self, name: str, near: BoolArray) -> Ends:
        """Return the arcs that would decide a norm if those out of some rows were not there.

        Args:
            near: (r) bool, True for these rows.
        """
        ranked = self._ranked(name)
        arcs = ranked.deciding(near)
        usable = self.version.usable
        tail = np.searchsorted(usable.graph.first_out, arcs, side="right") - 1
        return tail.astype(np.int32), usable.graph.head[arcs], usable.weight[arcs]

    def _ranked(self, name: str) -> Ranked:
        if self.version.places.is_grid:
            return self.kept("ranked", lambda: ranked_by_step(self.at, *self.arcs))
        return self.kept(f"ranked {name}", lambda: ranked_by_length(name, self.at, *self.arcs))

    @cached_property
    def bounds(self) -> Bounds:
        """Return the lower bounds of distances.

        Raises:
            MissingTableError: the asset does not hold what is asked for.
        """
        return Bounds(self.columns)

    @cached_property
    def hierarchy(self) -> HierarchyPaths:
        """Return the finder of paths over the profile's hierarchy.

        Raises:
            MissingTableError: the asset was baked without a hierarchy.
        """
        if self.version.by_sheet:
            return LatticePaths(LatticeHierarchy(self.columns, self.version))
        return HierarchyPaths(HierarchyTables(self.columns))

    def by_distances(
        self, row: int, goal: int, search: Callable[[SearchSpace, Estimate], Found]
    ) -> Found | None:
        """Search by distances to the goal that a contraction hierarchy works out when asked.

        Returns:
            What was found; None where there is no path, or where no hierarchy answers.
        """
        space = self.space
        return self._searched(
            row, goal, lambda toward: search(space, Estimate("exact", toward=toward))
        )

    def unreachable(self, row: int, goal: int) -> bool:
        """Tell whether component labels show that there is no path; True leaves no doubt."""
        return self.version.joined(row, goal) is False

    def apart(self, row: int, goal: int) -> bool:
        """Tell whether the hierarchy, or component labels, show that there is no path.

        Raises:
            MissingTableError: the asset was baked without a hierarchy.
        """
        apart = self.hierarchy.tables.apart(row, goal)
        return self.unreachable(row, goal) if apart is None else apart

    def walk(self, row: int, goal: int) -> Iterator[Int32Array] | None:
        """Return an iterator over pieces of a path: see :meth:`HierarchyPaths.walk`.

        A search for a way that is not there would look at all that can be reached.

        Raises:
            MissingTableError: the asset was baked without a hierarchy.
            CorruptAssetError: ways that lead nowhere.
        """
        return None if self.apart(row, goal) else self.hierarchy.walk(row, goal)

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """Return what was made under this name before, or make it now."""
        if name not in self._kept:
            self._kept[name] = make()
        return cast("T", self._kept[name])
