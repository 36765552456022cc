"""Find paths on a large lattice of which only what questions come near is read.

Layers are read at once and in full, but for the flow fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt8Array
from bake.play.hierarchy.layers import form_of, layers_of
from bake.play.hierarchy.paths import HierarchyPaths, Plan, with_room
from bake.play.hierarchy.sheets import LatticeSheets, WornSheets
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.version import Version
from bake.search.hierarchy.arcs import SLOTS
from bake.search.hierarchy.bundles import (
    FLOW,
    FULL,
    NO_GRAPH,
    NO_RUNS,
    LayerStack,
    QueryMemory,
    StraightRuns,
)
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.stack import layer_stack
from bake.search.hierarchy.straight_runs import lattice_runs
from levelbake.columns import profile_path

#: The first piece of a walk has no more hops, unless start and goal are near.
# limit: missing tiles are read, and the part repeats; lowered by large_lattices
_FIRST_HOPS = 8

#: Places that lie farther apart are not near, in columns or rows: twice as many as kernels take
#: for near, as columns of hexagons are shoved.
# limit: missing tiles are read, and the search repeats; lowered by large_lattices
_NEAR = 16


def sheet_version(columns: ProfileColumns) -> Version:
    """Return what is known of a profile as it was baked: sheet by sheet, if that can be."""
    if not LatticeSheets.fit(columns):
        return columns.version

    def worn(_: Version) -> WornSheets:
        sheets = LatticeSheets(columns)
        return WornSheets(sheets, sheets.baked)

    def location(version: Version) -> Int32Array:
        if len(columns.location) != version.row_count:
            raise columns.damaged("cluster_rows does not count the rows")
        return columns.location

    def known_row(version: Version) -> Int32Array:
        assert len(version.location) == version.row_count
        return columns.row_at

    made = columns.fields | {
        "row_count": lambda version: version.worn.sheets.row_count,
        "location": location,
        "known_row": known_row,
        "worn": worn,
        "group": lambda _: None,
    }
    return Version(columns.places, columns.profile, made, by_sheet=True)


class SheetHierarchy(ABC):
    """The layers of a profile whose cells are read sheet by sheet, as baked or at one moment."""

    version: Version
    layers: tuple[Layer, ...]

    @property
    def sheets(self) -> WornSheets:
        """Return the cells as they are in this version."""
        worn: WornSheets = self.version.worn
        return worn

    @property
    @abstractmethod
    def _fixed(self) -> LayerStack:
        """Return the layers, but for rows and flow fields."""

    @property
    @abstractmethod
    def most_arcs(self) -> int:
        """Return the most arcs inside a cluster of rows, in either direction."""

    @abstractmethod
    def apart(self, row: int, goal: int) -> bool | None:
        """Tell whether the layers show that there is no path."""

    @abstractmethod
    def transitions(self, hops: Int32Array) -> tuple[Int32Array, Int32Array]:
        """Return the rows of some transitions of the first layer, and their clusters."""

    @property
    def stack(self) -> LayerStack:
        return self.stack_for(self.sheets.missing())

    def stack_for(self, missing: UInt8Array) -> LayerStack:
        """Return the layers, for a kernel that says which sheets it misses."""
        sheets = self.sheets
        graph = sheets.graph._replace(lattice=sheets.lattice(missing))
        return self._fixed._replace(graph=graph, back=graph, flow=sheets.flow)

    @property
    def runs(self) -> StraightRuns:
        return self.runs_for(self.sheets.missing())

    def runs_for(self, missing: UInt8Array) -> StraightRuns:
        """Return the straight runs, for a kernel that says which sheets it misses."""
        sheets = self.sheets
        return lattice_runs(sheets.lattice(missing), self._form, sheets.least, even=sheets.even)

    @cached_property
    def _form(self) -> int:
        return form_of(self.version.places)


class LatticeHierarchy(SheetHierarchy):
    """The layers of one profile of a large lattice: see
    :class:`bake.play.hierarchy.paths.Hierarchy`.

    Every step leads back at its cost.
    """

    def __init__(self, columns: ProfileColumns, version: Version) -> None:
        if not columns.has("layer_nodes"):
            raise columns.missing("hierarchy")
        self.version = version
        self._kept = self.sheets.sheets
        size = self._kept.squares.cluster_rows.astype(np.int64)
        none = np.zeros(0, dtype=np.int32)
        held = self._kept.held.astype(np.int64)
        self.layers = layers_of(columns, self._take, none, size, held, none.astype(np.uint8))
        first = self.layers[0]
        self._kept.keep_fields(first.cluster_data[:, FLOW].copy())
        self.landmark = self._take("layer_landmark")

    def _take(self, name: str) -> Int32Array:
        """Read a column, without its digest where that of the whole file has been compared."""
        asset, path = self.version.places.asset, profile_path(self.version.profile, name)
        found = asset.part(path, slice(None)) if asset.checked else asset.read(path)
        return found.astype(np.int32, copy=False)

    @cached_property
    def _fixed(self) -> LayerStack:
        """Lay the layers out, but for rows and flow fields."""
        # Each question puts the rows in: what had been kept of them here would never be forgotten.
        return layer_stack(self.layers, self.landmark, NO_GRAPH, NO_GRAPH, two_way=True)

    @cached_property
    def most_arcs(self) -> int:
        return SLOTS * int(self._kept.squares.cluster_rows.max(initial=0))

    def transitions(self, hops: Int32Array) -> tuple[Int32Array, Int32Array]:
        first = self.layers[0]
        return first.row[hops], first.cluster[hops]

    def apart(self, row: int, goal: int) -> bool | None:
        here, there = self.sheets.clusters_of(np.array([row, goal], dtype=np.int32)).tolist()
        return self.layers[0].apart(here, there)


class LatticePaths(HierarchyPaths):
    """A finder of one profile's paths on a large lattice; threads may share it."""

    tables: SheetHierarchy

    def many(
        self, starts: Int32Array, goals: Int32Array, *, first_piece: bool = False
    ) -> tuple[Int64Array, Int32Array]:
        return self._one_by_one(starts, goals, first_piece=first_piece)

    def _planned(self, start: int, goal: int, memory: QueryMemory) -> tuple[int, int, int]:
        tables = self.tables
        sheets, ends = tables.sheets, np.array([start, goal], dtype=np.int32)
        with sheets.reading(sheets.sheets_of_rows(ends), ends):
            # The cells beside a cluster may be missed, but nothing that matters is in them.
            planned = self._plan_on(tables.stack_for(sheets.missing()), start, goal, memory)
        self._check(planned[0])
        return planned

    def _follow(
        self, start: int, goal: int, *, first_piece: bool
    ) -> tuple[QueryMemory, tuple[int, int, int, int, int]]:
        memory = self._borrow()
        length, ticks, count = self._planned(start, goal, memory)
        if length < 0:
            return memory, (length, ticks, count, 0, 0)
        hops = memory.plan[0, :length]
        if first_piece and not self._near(start, goal):
            hops = hops[:_FIRST_HOPS]
        rows = self._rows_on(start, goal, hops)
        extra = np.zeros(0, dtype=np.int64)
        while True:
            missing = self.tables.sheets.missing()
            with self._walkable(rows, hops, extra):
                stack, runs = self.tables.stack_for(missing), self.tables.runs_for(missing)
                filled, cost, hop = self._kernels.follow_found(
                    start, goal, first_piece, length, ticks, stack, runs, memory
                )
            if missing[0]:
                extra = np.union1d(extra, np.flatnonzero(missing[1:]))
            elif filled == FULL:
                memory = with_room(memory)
            else:
                break
        self._check(filled)
        return memory, (filled, cost, count, length, hop)

    def _refined(
        self, way: Plan, hop: int, until: int, row: int, *, smooth: bool
    ) -> tuple[int, Int32Array]:
        start, goal, plan = way
        memory, extra = self._borrow(), np.zeros(0, dtype=np.int64)
        hops = plan[max(0, hop - 1) : until]
        rows = self._rows_on(row, goal if until > len(plan) else row, hops)
        while True:
            missing = self.tables.sheets.missing()
            with self._walkable(rows, hops, extra):
                stack = self.tables.stack_for(missing)
                runs = self.tables.runs_for(missing) if smooth else NO_RUNS
                done, filled = self._kernels.follow_plan(
                    start, goal, plan, hop, until, row, stack, runs, memory
                )
            if missing[0] and smooth:
                extra = np.union1d(extra, np.flatnonzero(missing[1:]))
                continue
            self._check(done)
            if done > hop:
                break
            memory = with_room(memory)
        path = memory.route[0, :filled].copy()
        self._memory.append(memory)
        return done, path

    def _rows_on(self, start: int, goal: int, hops: Int32Array) -> Int32Array:
        """Return the rows of some transitions of a plan, and two others."""
        ends = np.array([start, goal], dtype=np.int32)
        return np.concatenate([ends, self.tables.transitions(hops)[0]])

    @contextmanager
    def _walkable(self, rows: Int32Array, hops: Int32Array, extra: Int64Array) -> Iterator[None]:
        """Hold all that a kernel needs to refine some hops of a plan.

        Args:
            rows: from :meth:`_rows_on`.
            hops: the same transitions.
            extra: further sheets.

        Raises:
            CorruptAssetError: columns contradict each other.
        """
        tables = self.tables
        sheets = tables.sheets
        with sheets.reading(np.concatenate([sheets.sheets_of_rows(rows), extra]), rows):
            if (sheets.graph.node[rows[2:], 0] != tables.transitions(hops)[1]).any():
                raise tables.version.damaged("layer_node is not in the order of clusters")
            yield

    def _near(self, start: int, goal: int) -> bool:
        """Tell whether kernels may find a shortest path at once, in place of a first piece."""
        places = self.tables.version.places
        ends = np.array([start, goal], dtype=np.int32)
        a, b = places.cells_of(self.tables.version.locations_of(ends)).tolist()
        return bool(abs(a[0] - b[0]) <= _NEAR and abs(a[1] - b[1]) <= _NEAR)
