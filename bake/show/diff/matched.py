"""Match the places of two bakes of a level, and find the places that only one of them has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.core.graph import lightest_arcs
from bake.play.reader.columns import ProfileColumns
from bake.show.diff.plane import overlap
from levelbake.errors import AssetError


class IncomparableError(AssetError):
    """Two assets contain levels of different kinds."""


@dataclass(frozen=True)
class Matched:
    """One profile in two assets."""

    #: old, new: the profile's columns
    old: ProfileColumns
    new: ProfileColumns
    #: old_row, new_row: (k) int32, rows of the places on which the profile can stand in both. These
    #: *shared* places are numbered in the order of the new rows. On divided planes, a shared place
    #: is the intersection of an old and a new polygon or region, so a row may have several.
    old_row: Int32Array
    new_row: Int32Array
    #: (k) bool, True where a shared place is the same node in both bakes, so that its arcs and
    #: distances can be compared; each row has at most one such place
    same: BoolArray
    closed: Int32Array  #: rows of ``old`` on which the profile can no longer stand
    opened: Int32Array  #: rows of ``new`` on which the profile could not stand before

    def __len__(self) -> int:
        return len(self.old_row)

    @cached_property
    def dearer(self) -> BoolArray:
        """(k) bool, True where a shared place costs more to cross than before."""
        before, after = self._costs
        return after > before

    @cached_property
    def cheaper(self) -> BoolArray:
        """(k) bool, True where a shared place costs less to cross than before."""
        before, after = self._costs
        return after < before

    @cached_property
    def _costs(self) -> tuple[Float64Array, Float64Array]:
        return _crossing_cost(self.old)[self.old_row], _crossing_cost(self.new)[self.new_row]

    @cached_property
    def arcs(self) -> ArcChanges:
        """The changes of arcs between shared nodes."""
        number = np.flatnonzero(self.same)
        before = _arcs(self.old, self.old_row[number], len(number))
        after = _arcs(self.new, self.new_row[number], len(number))
        _, in_old, in_new = np.intersect1d(
            before[0], after[0], assume_unique=True, return_indices=True
        )
        repriced = before[1][in_old] != after[1][in_new]
        gone = np.delete(before[0], in_old)
        come = np.delete(after[0], in_new)
        ends = np.concatenate([gone, come, before[0][in_old][repriced]])
        touched = np.zeros(len(self), dtype=np.bool_)
        count = max(1, len(number))
        touched[number[ends // count]] = True
        touched[number[ends % count]] = True
        return ArcChanges(len(come), len(gone), int(repriced.sum()), touched)


@dataclass(frozen=True)
class ArcChanges:
    """The changes of arcs between shared places."""

    #: come, gone, repriced: number of arcs that are new, are gone, or have another weight
    come: int
    gone: int
    repriced: int
    touched: BoolArray  #: (k) bool, True where a shared place is an end of a changed arc


def match(old: ProfileColumns, new: ProfileColumns) -> Matched:
    """Match the places of two bakes: cells by coordinates, nodes of graphs by name.

    Numbered nodes of a divided plane are matched by position, and by the overlaps of the polygons
    of a mesh or of the regions between walls.

    Raises:
        IncomparableError: the levels are of different kinds.
    """
    kinds = _kind(old), _kind(new)
    if kinds[0] != kinds[1]:
        raise IncomparableError(
            f"a {kinds[1]} level cannot be compared with a {kinds[0]} one",
            file=new.places.asset.path,
            expected="two bakes of one level",
        )
    if kinds[0] in (_MESH, _DIVIDED):
        parts = overlap(old, new)
        return Matched(
            old, new, parts.old_row, parts.new_row, parts.same, parts.closed, parts.opened
        )
    before, after = _keys(old, new)
    _, in_old, in_new = np.intersect1d(before, after, assume_unique=True, return_indices=True)
    order = np.argsort(in_new)
    old_row: Int32Array = in_old[order].astype(np.int32)
    new_row: Int32Array = in_new[order].astype(np.int32)
    return Matched(
        old,
        new,
        old_row,
        new_row,
        np.ones(len(order), dtype=np.bool_),
        _other_rows(old.row_count, old_row),
        _other_rows(new.row_count, new_row),
    )


_MESH, _DIVIDED = "navigation mesh", "divided plane of numbered nodes"


def _kind(columns: ProfileColumns) -> str:
    """Return the kind of a level, which decides how its places are matched."""
    places = columns.places
    if places.hex_layout:
        return f"hexagonal {places.hex_layout}"
    if places.is_grid:
        return "square"
    if places.asset.has("/mesh_vertex"):
        return _MESH
    numbered = all(isinstance(name, int) for name in places.names)
    return _DIVIDED if places.asset.has("/wall_corner") and numbered else "graph"


def _other_rows(count: int, rows: Int32Array) -> Int32Array:
    """Return (k) int32, the rows below ``count`` that are not in ``rows``."""
    others = np.ones(count, dtype=np.bool_)
    others[rows] = False
    return np.flatnonzero(others).astype(np.int32)


def _crossing_cost(columns: ProfileColumns) -> Float64Array:
    """Return (r) float64 units, the cost of the terrain of each row."""
    terrain = columns.places.asset.graph.terrain[columns.location]
    cost: Float64Array = columns.column("cost", np.float64)[terrain]
    return cost


def _keys(old: ProfileColumns, new: ProfileColumns) -> tuple[Int64Array, Int64Array]:
    """Return (r) int64 keys of the rows of both bakes, equal for the same place."""
    a, b = old.places, new.places
    if a.is_grid:
        wide = max(a.width, b.width)
        return _cell_keys(old, wide), _cell_keys(new, wide)
    node_of = {name: node for node, name in enumerate(a.names)}
    keys = [node_of.get(name, len(node_of) + node) for node, name in enumerate(b.names)]
    return old.node.astype(np.int64), np.array(keys, dtype=np.int64)[new.node]


def _cell_keys(columns: ProfileColumns, wide: int) -> Int64Array:
    """Return (r) int64, each row's cell in reading order on a grid ``wide`` cells wide."""
    y, x = np.divmod(columns.places.flat[columns.node].astype(np.int64), columns.places.width)
    return np.asarray(y * wide + x, dtype=np.int64)


def _arcs(columns: ProfileColumns, rows: Int32Array, count: int) -> tuple[Int64Array, Int64Array]:
    """Return the arcs between ``count`` shared nodes: keys and weights.

    A key is tail * count + head, and keys ascend. Weights are in units * 2^20.
    """
    usable = columns.usable
    shared = np.full(columns.row_count, -1, dtype=np.int64)
    shared[rows] = np.arange(len(rows))
    arc = lightest_arcs(usable.graph, usable.weight)
    tail, head = shared[usable.graph.tail()[arc]], shared[usable.graph.head[arc]]
    within = (tail >= 0) & (head >= 0)
    key = (tail * max(1, count) + head)[within]
    # Ticks per unit may differ, so weights are compared in units.
    weight = np.rint(usable.weight[arc[within]] * (2.0**20 / columns.places.ticks_per_unit))
    order = np.argsort(key)
    return key[order], weight[order].astype(np.int64)
