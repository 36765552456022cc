"""Read the cells of a large lattice sheet by sheet, when a question first comes near them.

All arrays have the size of the level, but memory is taken only where something has been written:
the system gives it page by page. Kernels say which sheets they missed; those are read, and the
kernel is called again. What has been read is kept, up to a limit, and then all of it is forgotten
at once, so no kernel ever looks at memory that is being used for something else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import AnyArray, BoolArray, Int32Array, Int64Array, UInt8Array
from bake.asset.lattice import NOWHERE, SLOTS, sheet_side
from bake.asset.schema import profile_path
from bake.runtime.reader.baked import BakedTables

if TYPE_CHECKING:
    from bake.search.hierarchy.bundles import ClusteredGraph, LatticeArcs
    from bake.search.hierarchy.sheets import Squares

#: The columns that say where squares and clusters begin.
COLUMNS = ("square_clusters", "cluster_rows", "cluster_transitions", "step_range")

#: Bytes of sheets and flow fields kept; a single question may need more.
MOST_BYTES = 2**30

#: Bytes that a cell and a row of a sheet take.
_CELL_BYTES, _ROW_BYTES = 6, 12

#: What :func:`lay_sheet` finds wrong, in the order of its numbers.
_WRONG = (
    "",
    "cluster_rows does not count the rows",
    "square_clusters does not count the clusters",
    "cluster_rows does not fit the steps",
    "column steps leads out of the grid",
    "two_way is 1, and steps say otherwise",
    "step_range does not hold for all steps",
)


class Turnssheet:
    """Lets many threads look at arrays at once, or one of them write."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._looking = 0
        self._writing = False

    def look(self) -> None:
        """Wait until nobody writes; :meth:`leave` ends it."""
        with self._changed:
            while self._writing:
                self._changed.wait()
            self._looking += 1

    def leave(self) -> None:
        with self._changed:
            self._looking -= 1
            if not self._looking:
                self._changed.notify_all()

    @contextmanager
    def write(self) -> Iterator[None]:
        """Wait until nobody looks or writes; afterwards, if all went well, look on."""
        with self._changed:
            while self._writing:
                self._changed.wait()
            self._writing = True
            while self._looking:
                self._changed.wait()
        looks_on = 0
        try:
            yield
            looks_on = 1
        finally:
            with self._changed:
                self._writing = False
                self._looking = looks_on
                self._changed.notify_all()


class LatticeSheets:
    """What has been read of one profile's cells.

    Attributes:
        squares: the squares of the clusters.
        row_count, cluster_count: how many rows and clusters there are.
        held: (c) int32, transitions of the first layer in each cluster.
    """

    def __init__(self, tables: BakedTables) -> None:
        from bake.search.hierarchy.arcs import diagonal_slots
        from bake.search.hierarchy.sheets import Squares

        asset = tables.places.asset
        implied = asset.implied
        assert implied is not None
        self._tables, self._asset, self._implied = tables, asset, implied
        self._turnssheet = Turnssheet()
        self._lattice = lattice = implied.lattice
        self._ticks = implied.ticks(tables.profile)
        side = implied.block
        clusters, rows, self.held, bound = (tables.column(name, np.int32) for name in COLUMNS)
        across, down = -(-lattice.width // side), -(-lattice.height // side)
        first_cluster = _begins(clusters)
        if len(clusters) != across * down or clusters.min(initial=0) < 0:
            raise tables.damaged("square_clusters does not fit the grid")
        self.cluster_count = len(rows)
        if int(first_cluster[-1]) != len(rows) or rows.min(initial=1) < 1:
            raise tables.damaged("square_clusters does not count the clusters")
        self._row_of_cluster = _begins(rows)
        self.row_count = int(self._row_of_cluster[-1])
        if self.row_count != asset.shape(profile_path(tables.profile, "cluster"))[0]:
            raise tables.damaged("cluster_rows does not count the rows")
        if self.held.min(initial=0) < 0 or (self.held > rows).any():
            raise tables.damaged("cluster_transitions does not fit the clusters")
        if bound.min() < 0 or (bound[:, 0] > bound[:, 1]).any():
            raise tables.damaged("step_range is no range")
        move = np.zeros((2, SLOTS, 2), dtype=np.int32)
        for parity in range(2):
            steps = lattice.moves(parity)
            move[parity, : len(steps)] = steps
        self._side = sheet_side(side)
        self._sheets_across = -(-lattice.width // self._side)
        sheets = self._sheets_across * -(-lattice.height // self._side)
        self._read, self._fields = np.zeros(sheets, np.bool_), np.zeros(len(rows), np.bool_)
        self._field_at: Int64Array = np.zeros(len(rows) + 1, dtype=np.int64)
        self._upper: UInt8Array = np.zeros(0, dtype=np.uint8)
        self.graph: ClusteredGraph
        self._forget()
        self.squares: Squares = Squares(
            side,
            across,
            self._row_of_cluster[first_cluster],
            first_cluster,
            rows,
            move,
            len(lattice.moves(0)),
            np.ascontiguousarray(bound),
            diagonal_slots(self.graph.lattice),
        )
        passable = ~np.isnan(tables.column("cost", np.float64))
        self._passable: BoolArray = passable

    @staticmethod
    def fit(tables: BakedTables) -> bool:
        """Tell whether a profile's cells can be read sheet by sheet."""
        asset = tables.places.asset
        return (
            asset.implied is not None
            and all(tables.has(name) for name in (*COLUMNS, "layer_nodes"))
            and asset.number("two_way", f"/profiles/{tables.profile}") == 1
        )

    @property
    def least(self) -> Int32Array:
        """Return (2) int32 ticks of the cheapest straight step and the cheapest diagonal one."""
        return self.squares.step_range[:, 0].copy()

    @property
    def even(self) -> bool:
        """Tell whether all straight steps weigh the same, and all diagonal ones."""
        return bool((self.squares.step_range[:, 0] == self.squares.step_range[:, 1]).all())

    def _forget(self) -> None:
        """Take fresh memory, in which nothing has been read."""
        from bake.search.hierarchy.bundles import ClusteredGraph
        from bake.search.hierarchy.lattice import lattice_arcs

        cells, rows = self._lattice.width * self._lattice.height, self.row_count
        lattice = lattice_arcs(
            self._lattice,
            np.zeros(rows, dtype=np.int32),
            np.zeros(cells, dtype=np.int32),
            np.zeros(cells, dtype=np.uint8),
            np.zeros(cells, dtype=np.uint8),
            self._ticks,
            self._side,
        )
        self.graph = ClusteredGraph(
            np.zeros((rows, 2), dtype=np.int32), np.zeros((0, 2), dtype=np.int32), lattice
        )
        lowest = int(self._field_at[-1])
        self.flow: UInt8Array = np.zeros(lowest + len(self._upper), dtype=np.uint8)
        self.flow[lowest:] = self._upper
        self._read[:] = False
        self._fields[:] = False
        self._bytes = 0

    def keep_fields(self, field_at: Int64Array, upper: UInt8Array) -> None:
        """Take note of flow fields; called once, before any question.

        Args:
            field_at: (c + 1) int64, where those of each cluster of the first layer begin.
            upper: those of the layers above.
        """
        with self._turnssheet.write():
            self._field_at, self._upper = field_at, upper
            self._forget()
        self._turnssheet.leave()

    # -- which sheets ------------------------------------------------------------------------------

    def sheets_of_rows(self, rows: Int32Array) -> Int64Array:
        """Return (k) int64, the sheet that each row lies in."""
        squares = self.squares
        square = np.searchsorted(squares.first_row, rows, side="right") - 1
        per = self._side // squares.side
        y, x = np.divmod(square, squares.across)
        return np.asarray(y // per * self._sheets_across + x // per, dtype=np.int64)

    def sheets_of_cells(self, location: Int32Array) -> Int64Array:
        """Return (k) int64, the sheet that each cell, y * width + x, lies in."""
        y, x = np.divmod(location, np.int32(self._lattice.width))
        return np.asarray(y // self._side * self._sheets_across + x // self._side, dtype=np.int64)

    def missing(self) -> UInt8Array:
        """Return room in which a kernel may say what it missed."""
        return np.zeros(1 + len(self._read), dtype=np.uint8)

    def lattice(self, missing: UInt8Array) -> LatticeArcs:
        """Return the cells, for a kernel that says what it misses."""
        return self.graph.lattice._replace(missing=missing)

    # -- reading ----------------------------------------------------------------------------------

    @contextmanager
    def reading(self, sheets: Int64Array, rows: Int32Array | None = None) -> Iterator[None]:
        """Hold some sheets in memory, reading those that are not there.

        Args:
            sheets: their numbers.
            rows: rows in these sheets, of whose clusters the flow fields are wanted.

        Raises:
            CorruptAssetError: columns contradict each other.
            AssetError: the asset is closed, and something has to be read.
        """
        turnssheet = self._turnssheet
        turnssheet.look()
        if not self._have(sheets, rows):
            turnssheet.leave()
            with turnssheet.write():
                self._fetch(sheets, rows)
        try:
            yield
        finally:
            turnssheet.leave()

    def _have(self, sheets: Int64Array, rows: Int32Array | None) -> bool:
        if not self._read[sheets].all():
            return False
        return rows is None or bool(self._fields[self.graph.node[rows, 0]].all())

    def _fetch(self, sheets: Int64Array, rows: Int32Array | None) -> None:
        """Read what is not there; nobody looks meanwhile."""
        if self._bytes > MOST_BYTES:
            self._forget()
        for sheet in np.unique(sheets[~self._read[sheets]]).tolist():
            self._fetch_sheet(sheet)
        if rows is None:
            return
        clusters = np.unique(self.graph.node[rows, 0])
        for cluster in clusters[~self._fields[clusters]].tolist():
            begin, end = self._field_at[cluster : cluster + 2].tolist()
            path = profile_path(self._tables.profile, "layer_field")
            if begin < end:
                self.flow[begin:end] = self._asset.part(path, slice(begin, end))
            self._fields[cluster] = True
            self._bytes += end - begin

    def _fetch_sheet(self, sheet: int) -> None:
        from bake.search.hierarchy.sheets import SOUND, lay_sheet

        down, along = divmod(sheet, self._sheets_across)
        top, left, side = down * self._side, along * self._side, self._side
        window = slice(top, top + side), slice(left, left + side)
        steps = self._asset.part(profile_path(self._tables.profile, "steps"), *window)
        price, stands = self._prices(*window)
        wrong = lay_sheet(left, top, steps, price, stands, self.squares, self.graph)
        if wrong != SOUND:
            # What has been written of it is as if it had never been there.
            self._forget()
            raise self._tables.damaged(_WRONG[wrong])
        self._read[sheet] = True
        self._bytes += _CELL_BYTES * stands.size + _ROW_BYTES * int(np.count_nonzero(stands))

    def _prices(self, down: slice, along: slice) -> tuple[UInt8Array, BoolArray]:
        """Read whose price is paid on each cell of a sheet, and which of them are rows."""
        path = profile_path(self._tables.profile, "dearest")
        if not self._asset.has(path):
            grid: AnyArray = self._asset.part("/terrain/grid", down, along)
            return grid, self._passable[grid]
        dearest = self._asset.part(path, down, along)
        stands = dearest != NOWHERE
        if int(dearest[stands].max(initial=0)) >= len(self._passable):
            raise self._tables.damaged("column dearest names no terrain")
        return np.where(stands, dearest, 0).astype(np.uint8), stands


def _begins(counts: Int32Array) -> Int32Array:
    """Return (k + 1) int32, where each of some parts begins, given how many members they have."""
    first = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=first[1:])
    return first.astype(np.int32)
