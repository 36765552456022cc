"""Answer from the cells of a large lattice that has changed, without a list of its arcs.

Places, clusters, paths by the hierarchy and whether there is a path need none. What does need one
works out the listed version of the same level, with the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import AnyArray, BoolArray, Int32Array, UInt8Array
from bake.runtime.hierarchy.lattice import LatticeTables
from bake.runtime.hierarchy.layers import form_of
from bake.runtime.hierarchy.sheets import WornSheets
from bake.runtime.live.edits import LevelState
from bake.runtime.live.state import ProfileState
from bake.runtime.live.tables import ChangedTables
from bake.runtime.live.versions import ProfileWriter
from bake.runtime.reader.tables import Tables

if TYPE_CHECKING:
    from bake.search.hierarchy.bundles import LayerStack, StraightRuns
    from bake.search.hierarchy.layer import Layer
    from bake.search.hierarchy.sheets import Squares
    from bake.search.live.lattice import LatticeLayer


class LatticeVersionTables(ChangedTables):
    """Tables of one profile of a large lattice after some batches of changes."""

    by_sheet = True
    baked: LatticeTables

    def __init__(
        self,
        baked: LatticeTables,
        writer: ProfileWriter,
        level: LevelState,
        fresh: Int32Array,
        layer: Callable[[], LatticeLayer],
        listed: Callable[[], ProfileState],
    ) -> None:
        """Make nothing yet.

        Args:
            writer: of the listed versions.
            level: what the level is made of.
            fresh: (e) int32, the location of each row that was not baked.
            layer: gives the first layer of this version.
            listed: gives the version with its arcs listed.
        """
        Tables.__init__(self, baked.places, baked.profile)
        self.baked = baked
        self._writer = writer
        self._pricing = writer.pricing
        self._level = level
        self._fresh = fresh
        self._make_layer, self._list = layer, listed

    @property
    def state(self) -> ProfileState:
        return self._list()

    @cached_property
    def layer(self) -> LatticeLayer:
        """Return the first layer of this version."""
        return self._make_layer()

    @cached_property
    def layers(self) -> LiveLattice:
        """Return the layers, in the form in which paths are found by them."""
        return LiveLattice(self)

    @cached_property
    def worn(self) -> WornSheets:
        """Return the cells as they are in this version."""
        return WornSheets(self.baked.sheets, self.layer.dress)

    # -- rows -------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        return self.baked.row_count + len(self._fresh)

    @cached_property
    def location(self) -> Int32Array:
        if not len(self._fresh):
            return self.baked.location
        return np.concatenate([self.baked.location, self._fresh])

    @cached_property
    def known_row(self) -> Int32Array:
        if not len(self._fresh):
            return self.baked.row_at
        row = self.baked.row_at.copy()
        row[self._fresh] = np.arange(self.baked.row_count, self.row_count, dtype=np.int32)
        return row

    @cached_property
    def standing(self) -> BoolArray:
        stands = np.arange(self.row_count) < self.baked.row_count
        first_row = self.baked.sheets.squares.first_row
        for square, cells in self.layer.dress.squares.items():
            stands[slice(*first_row[square : square + 2].tolist())] = False
            stands[cells.rows] = True
        return stands

    @cached_property
    def row_at(self) -> Int32Array:
        row = self.known_row.copy()
        row[self.location[~self.standing]] = -1
        return row

    def rows_of(self, location: Int32Array) -> Int32Array:
        return self.worn.rows_at(location)

    def locations_of(self, rows: Int32Array) -> Int32Array:
        return self.worn.cells_of(rows)

    # -- components and clusters ------------------------------------------------------------------

    def joined(self, row: int, goal: int) -> bool | None:
        here, there = self.worn.clusters_of(np.array([row, goal], dtype=np.int32)).tolist()
        group = self.layer.group
        return here == there or bool(group[here] == group[there])

    def reaches(self, row: int, goal: int) -> bool:
        return bool(self.joined(row, goal))

    @property
    def one_way(self) -> bool:
        return False

    @property
    def reach(self) -> AnyArray | None:
        return None

    @property
    def _as_baked(self) -> bool:
        return False

    @cached_property
    def component_count(self) -> int:
        return self.layer.component_count(self.baked.sheets.squares)

    def cluster_of(self, row: int) -> int:
        """Return the cluster of a row, as a bake would number it."""
        rows = np.array([row], dtype=np.int32)
        squares = self._squares
        y, x = divmod(int(self.locations_of(rows)[0]), self.places.width)
        square = y // squares.side * squares.across + x // squares.side
        return self.layer.baked_number(square, int(self.worn.clusters_of(rows)[0]), squares)

    @property
    def cluster_count(self) -> int:
        """Return how many clusters there are."""
        return self.layer.cluster_count(self._squares)

    @property
    def _squares(self) -> Squares:
        return self.baked.sheets.squares


class LiveLattice:
    """The first layer of one version of a large lattice: see
    :class:`bake.runtime.hierarchy.lattice.SheetHierarchy`.
    """

    def __init__(self, tables: LatticeVersionTables) -> None:
        self.tables = tables
        self.sheets = tables.worn
        self._layer = tables.layer

    def apart(self, row: int, goal: int) -> bool | None:
        return not self.tables.joined(row, goal)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Return none: there is one layer, and it is kept in another form."""
        return ()

    @cached_property
    def _fixed(self) -> LayerStack:
        """Lay the layer out, but for rows and flow fields."""
        from bake.search.hierarchy.bundles import NO_GRAPH, LayerStack

        layer = self._layer
        count = layer.transition_count
        none = np.zeros(0, dtype=np.int32)
        return LayerStack(
            NO_GRAPH,
            NO_GRAPH,
            layer.cluster,
            layer.end_transition,
            layer.row[:count],
            layer.first_out,
            layer.end_out,
            layer.arcs,
            np.zeros(0, dtype=np.uint8),
            layer.bits,
            layer.landmark[:count],
            two_way=True,
            layers=1,
            parent=none,
            joined=NO_GRAPH,
            joined_back=NO_GRAPH,
        )

    @property
    def stack(self) -> LayerStack:
        return self.stack_for(self.sheets.missing())

    def stack_for(self, missing: UInt8Array) -> LayerStack:
        sheets = self.sheets
        graph = sheets.graph._replace(lattice=sheets.lattice(missing))
        return self._fixed._replace(graph=graph, back=graph, flow=sheets.flow)

    @cached_property
    def most_arcs(self) -> int:
        from bake.search.hierarchy.arcs import SLOTS
        from bake.search.hierarchy.bundles import SIZE

        return SLOTS * int(self._layer.cluster[:, SIZE].max(initial=0))

    @property
    def runs(self) -> StraightRuns:
        return self.runs_for(self.sheets.missing())

    def runs_for(self, missing: UInt8Array) -> StraightRuns:
        from bake.search.hierarchy.straight_runs import lattice_runs

        sheets, form = self.sheets, form_of(self.tables.places)
        return lattice_runs(sheets.lattice(missing), form, sheets.least, even=sheets.even)

    def transitions(self, hops: Int32Array) -> tuple[Int32Array, Int32Array]:
        return self._layer.row[hops], self._layer.own[hops]
