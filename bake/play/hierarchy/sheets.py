"""Read the cells of a large lattice sheet by sheet, when a question first comes near them.

All arrays have the size of the level, but memory is taken only where something has been written:
the system gives it page by page. Kernels say which sheets they missed; those are read, and the
kernel is called again. What has been read is kept, up to a limit, and then all of it is forgotten
at once, so no kernel ever looks at memory that is being used for something else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Int32Array, Int64Array, UInt8Array, offsets
from bake.play.reader.columns import ProfileColumns
from bake.search.hierarchy.arcs import diagonal_slots
from bake.search.hierarchy.bundles import ClusteredGraph, LatticeArcs
from bake.search.hierarchy.lattice import lattice_arcs
from bake.search.hierarchy.sheets import SOUND, Dress, SquareCells, Squares, lay_sheet
from bake.store.lattice import NOWHERE, SLOTS, sheet_side
from levelbake.columns import profile_path

#: The columns that say where squares and clusters begin.
COLUMNS = ("square_clusters", "cluster_rows", "cluster_transitions", "step_range")

#: Bytes of sheets and flow fields kept; a single question may need more.
# limit: the oldest results are dropped and recomputed; lowered by large_lattices
MOST_BYTES = 2**30

#: Bytes that a cell and a row of a sheet take.
_CELL_BYTES, _ROW_BYTES = 6, 12

#: Room beside that of the bake: rows that open, and bytes of flow fields of clusters that change.
# limit: the buffers grow, and tiles are read again; lowered by large_lattices
_ROOM = 2**14, 2**20

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


class ReadWriteLock:
    """A readers-writer lock: many threads look at arrays at once, or one of them writes."""

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
        baked: the dress of the level as it was baked.
        fresh_flow: where in ``flow`` the flow fields of a dress begin.
    """

    def __init__(self, columns: ProfileColumns) -> None:
        asset = columns.places.asset
        implied = asset.implied
        assert implied is not None
        self._columns, self._asset = columns, asset
        self._lock = ReadWriteLock()
        self._lattice = lattice = implied.grid
        self._ticks = implied.ticks(columns.profile)
        side = implied.block
        clusters, rows, self.held, bound = (columns.column(name, np.int32) for name in COLUMNS)
        across, down = -(-lattice.width // side), -(-lattice.height // side)
        first_cluster = offsets(clusters)
        if len(clusters) != across * down:
            raise columns.damaged("square_clusters does not fit the grid")
        self.cluster_count = len(rows)
        self._row_of_cluster = offsets(rows)
        self.row_count = int(self._row_of_cluster[-1])
        if (self.held > rows).any():
            raise columns.damaged("cluster_transitions does not fit the clusters")
        if (bound[:, 0] > bound[:, 1]).any():
            raise columns.damaged("step_range is no range")
        move = np.zeros((2, SLOTS, 2), dtype=np.int32)
        for parity in range(2):
            steps = lattice.moves(parity)
            move[parity, : len(steps)] = steps
        self._side = sheet_side(side)
        self._sheets_across = -(-lattice.width // self._side)
        sheets = self._sheets_across * -(-lattice.height // self._side)
        self._read, self._fields = np.zeros(sheets, np.bool_), np.zeros(len(rows), np.bool_)
        self._field_at: Int64Array = np.zeros(len(rows) + 1, dtype=np.int64)
        no_rows, no_bytes = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8)
        self.baked = Dress(None, {}, no_rows, no_bytes, 0, np.ascontiguousarray(bound))
        self._room = list(_ROOM)
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
        passable = ~np.isnan(columns.column("cost", np.float64))
        self._passable: BoolArray = passable

    @staticmethod
    def fit(columns: ProfileColumns) -> bool:
        """Tell whether a profile's cells can be read sheet by sheet."""
        asset = columns.places.asset
        return (
            asset.implied is not None
            and all(columns.has(name) for name in (*COLUMNS, "layer_nodes"))
            and asset.number("two_way", f"/profiles/{columns.profile}") == 1
        )

    def _forget(self) -> None:
        """Take fresh memory, in which nothing has been read."""
        cells = self._lattice.width * self._lattice.height
        rows = self.row_count + self._room[0]
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
        self.fresh_flow = int(self._field_at[-1])
        self.flow: UInt8Array = np.zeros(self.fresh_flow + self._room[1], dtype=np.uint8)
        self._read[:] = False
        self._fields[:] = False
        self._bytes = 0
        self._dress = self.baked
        self._line: object = None
        self._flow_used = 0
        self._worn: dict[int, SquareCells] = {}
        self._originals: dict[int, SquareCells] = {}

    def keep_fields(self, field_at: Int64Array) -> None:
        """Take note of flow fields; called once, before any question.

        Args:
            field_at: (c + 1) int64, where those of each cluster of the first layer begin.
        """
        with self._lock.write():
            self._field_at = field_at
            self._forget()
        self._lock.leave()

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
    def reading(
        self, sheets: Int64Array, rows: Int32Array | None = None, dress: Dress | None = None
    ) -> Iterator[None]:
        """Hold some sheets in memory, reading those that are not there.

        Args:
            sheets: their numbers.
            rows: rows in these sheets, of whose clusters the flow fields are wanted.
            dress: what differs from the bake; None = nothing.

        Raises:
            CorruptAssetError: columns contradict each other.
            AssetError: the asset is closed, and something has to be read.
        """
        lock, dress = self._lock, dress or self.baked
        lock.look()
        if not self._have(sheets, rows, dress):
            lock.leave()
            with lock.write():
                self._fetch(sheets, rows, dress)
        try:
            yield
        finally:
            lock.leave()

    def _have(self, sheets: Int64Array, rows: Int32Array | None, dress: Dress) -> bool:
        if self._dress is not dress or not self._read[sheets].all():
            return False
        return rows is None or bool(self._fields[self._baked_clusters(rows)].all())

    def _baked_clusters(self, rows: Int32Array) -> Int32Array:
        """Return the clusters of some rows, but for those that were built anew."""
        clusters = self.graph.node[rows, 0]
        found: Int32Array = clusters[clusters < self.cluster_count]
        return found

    def _fetch(self, sheets: Int64Array, rows: Int32Array | None, dress: Dress) -> None:
        """Read what is not there, and put on what differs; nobody looks meanwhile."""
        room = self._room
        if len(dress.fresh) > room[0] or dress.flow_used > room[1]:
            self._room = [2 * max(len(dress.fresh), room[0]), 2 * max(dress.flow_used, room[1])]
            self._forget()
        elif self._bytes > MOST_BYTES:
            self._forget()
        missing = np.unique(sheets[~self._read[sheets]])
        # A sheet is checked against those around it as they were baked.
        self._take_off(square for square in self._worn if self._is_beside(square, missing))
        for sheet in missing.tolist():
            self._fetch_sheet(sheet)
        if self._dress is not dress or len(missing):
            self._put_on(dress)
        if rows is None:
            return
        clusters = np.unique(self._baked_clusters(rows))
        for cluster in clusters[~self._fields[clusters]].tolist():
            begin, end = self._field_at[cluster : cluster + 2].tolist()
            path = profile_path(self._columns.profile, "layer_field")
            if begin < end:
                self.flow[begin:end] = self._asset.part(path, slice(begin, end))
            self._fields[cluster] = True
            self._bytes += end - begin

    def _take_off(self, squares: Iterable[int]) -> None:
        """Write back what some squares held when they were baked."""
        for square in list(squares):
            self._originals.pop(square).write(self.graph)
            del self._worn[square]

    def _put_on(self, dress: Dress) -> None:
        """Have every sheet that has been read hold what it holds in a version."""
        worn, wanted = self._worn, dress.squares
        self._take_off(square for square in worn if square not in wanted)
        for square, cells in wanted.items():
            if worn.get(square) is cells or not self._read[self._sheet_of(square)]:
                continue
            if square not in worn:
                first, last = self.squares.first_row[square : square + 2].tolist()
                rows = np.arange(first, last, dtype=np.int32)
                self._originals[square] = SquareCells.of(cells.cells, rows, self.graph)
            cells.write(self.graph)
            worn[square] = cells
        if dress.flow_used:
            if self._line is not dress.line:
                self._line, self._flow_used = dress.line, 0
            begin, end = self._flow_used, dress.flow_used
            if begin < end:
                to = slice(self.fresh_flow + begin, self.fresh_flow + end)
                self.flow[to] = dress.flow[begin:end]
                self._flow_used = end
        self._dress = dress

    def _sheet_of(self, square: int) -> int:
        per = self._side // self.squares.side
        y, x = divmod(square, self.squares.across)
        return y // per * self._sheets_across + x // per

    def _is_beside(self, square: int, sheets: Int64Array) -> bool:
        """Tell whether the sheet of a square touches one of some others."""
        y, x = divmod(self._sheet_of(square), self._sheets_across)
        down, along = np.divmod(sheets, self._sheets_across)
        return bool(((abs(down - y) <= 1) & (abs(along - x) <= 1)).any())

    def _fetch_sheet(self, sheet: int) -> None:
        down, along = divmod(sheet, self._sheets_across)
        top, left, side = down * self._side, along * self._side, self._side
        window = slice(top, top + side), slice(left, left + side)
        steps = self._asset.part(profile_path(self._columns.profile, "steps"), *window)
        price, stands = self._prices(*window)
        wrong = lay_sheet(left, top, steps, price, stands, self.squares, self.graph)
        if wrong != SOUND:
            # What has been written of it is as if it had never been there.
            self._forget()
            raise self._columns.damaged(_WRONG[wrong])
        self._read[sheet] = True
        self._bytes += _CELL_BYTES * stands.size + _ROW_BYTES * int(np.count_nonzero(stands))

    def _prices(self, down: slice, along: slice) -> tuple[UInt8Array, BoolArray]:
        """Read whose price is paid on each cell of a sheet, and which of them are rows."""
        path = profile_path(self._columns.profile, "dearest")
        if not self._asset.has(path):
            grid: AnyArray = self._asset.part("/ground", down, along)
            return grid, self._passable[grid]
        dearest = self._asset.part(path, down, along)
        stands = dearest != NOWHERE
        return np.where(stands, dearest, 0).astype(np.uint8), stands


class WornSheets:
    """The sheets of a profile in one version: see :class:`LatticeSheets`.

    Attributes:
        sheets: those of all versions.
        dress: what differs from the bake.
    """

    def __init__(self, sheets: LatticeSheets, dress: Dress) -> None:
        self.sheets = sheets
        self.dress = dress

    @property
    def graph(self) -> ClusteredGraph:
        return self.sheets.graph

    @property
    def flow(self) -> UInt8Array:
        return self.sheets.flow

    @property
    def least(self) -> Int32Array:
        """Return (2) int32 ticks of the cheapest straight step and the cheapest diagonal one."""
        return self.dress.step_range[:, 0].copy()

    @property
    def even(self) -> bool:
        """Tell whether all straight steps weigh the same, and all diagonal ones."""
        return bool((self.dress.step_range[:, 0] == self.dress.step_range[:, 1]).all())

    def missing(self) -> UInt8Array:
        return self.sheets.missing()

    def lattice(self, missing: UInt8Array) -> LatticeArcs:
        return self.sheets.lattice(missing)

    def sheets_of_cells(self, location: Int32Array) -> Int64Array:
        return self.sheets.sheets_of_cells(location)

    def sheets_of_rows(self, rows: Int32Array) -> Int64Array:
        found = self.sheets.sheets_of_rows(rows)
        fresh = np.flatnonzero(rows >= self.sheets.row_count)
        if len(fresh):
            cells = self.dress.fresh[rows[fresh] - self.sheets.row_count]
            found[fresh] = self.sheets.sheets_of_cells(cells)
        return found

    @contextmanager
    def reading(self, sheets: Int64Array, rows: Int32Array | None = None) -> Iterator[None]:
        with self.sheets.reading(sheets, rows, self.dress):
            yield

    def rows_at(self, location: Int32Array) -> Int32Array:
        """Return (k) int32, the rows in some cells; -1 where the profile cannot stand."""
        with self.reading(self.sheets_of_cells(location)):
            row: Int32Array = self.graph.lattice.row_at.take(location)
        found: Int32Array = np.maximum(row - np.int32(1), np.int32(-1))
        return found

    def cells_of(self, rows: Int32Array) -> Int32Array:
        """Return (k) int32, the cells, y * width + x, of some rows."""
        with self.reading(self.sheets_of_rows(rows)):
            found: Int32Array = self.graph.lattice.cell.take(rows)
        return found

    def clusters_of(self, rows: Int32Array) -> Int32Array:
        """Return (k) int32, the cluster of each of some rows."""
        with self.reading(self.sheets_of_rows(rows)):
            found: Int32Array = self.graph.node[rows, 0]
        return found
