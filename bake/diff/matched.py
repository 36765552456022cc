"""Places that two bakes of a level share, and those only one of them has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.errors import AssetError
from bake.runtime.reader.tables import Tables


@dataclass(frozen=True)
class Matched:
    """One profile in two assets.

    Attributes:
        old, new: its tables.
        old_row, new_row: (k) int32, rows of the places it can stand on in both.
        closed: rows of ``old`` it could stand on and no longer can.
        opened: rows of ``new`` it can stand on and could not before.
    """

    old: Tables
    new: Tables
    old_row: Int32Array
    new_row: Int32Array
    closed: Int32Array
    opened: Int32Array

    def __len__(self) -> int:
        return len(self.old_row)

    @cached_property
    def dearer(self) -> BoolArray:
        """(k) places that cost more to cross than before."""
        before, after = self._costs
        return after > before

    @cached_property
    def cheaper(self) -> BoolArray:
        """(k) places that cost less to cross than before."""
        before, after = self._costs
        return after < before

    @cached_property
    def _costs(self) -> tuple[Float64Array, Float64Array]:
        return (
            crossing_cost(self.old)[self.old_row],
            crossing_cost(self.new)[self.new_row],
        )

    @cached_property
    def arcs(self) -> ArcChanges:
        """Arcs between places of both that came, went, or cost otherwise."""
        before, after = (
            _arcs(self.old, self.old_row, len(self)),
            _arcs(self.new, self.new_row, len(self)),
        )
        _, in_old, in_new = np.intersect1d(
            before[0], after[0], assume_unique=True, return_indices=True
        )
        repriced = before[1][in_old] != after[1][in_new]
        gone = np.delete(before[0], in_old)
        come = np.delete(after[0], in_new)
        ends = np.concatenate([gone, come, before[0][in_old][repriced]])
        touched = np.zeros(len(self), dtype=np.bool_)
        count = max(1, len(self))
        touched[ends // count] = True
        touched[ends % count] = True
        return ArcChanges(len(come), len(gone), int(repriced.sum()), touched)


@dataclass(frozen=True)
class ArcChanges:
    """How many arcs between places of both bakes changed.

    Attributes:
        come, gone, repriced: how many.
        touched: (k) bool, places at an end of one.
    """

    come: int
    gone: int
    repriced: int
    touched: BoolArray


def match(old: Tables, new: Tables) -> Matched:
    """Find the same places in both: cells by coordinates, nodes of graphs by name.

    Raises:
        AssetError: the two are not of one kind.
    """
    before, after = _keys(old, new)
    _, in_old, in_new = np.intersect1d(before, after, assume_unique=True, return_indices=True)
    # In the order of the new rows, which is the order of patches.
    order = np.argsort(in_new)
    old_row: Int32Array = in_old[order].astype(np.int32)
    new_row: Int32Array = in_new[order].astype(np.int32)
    return Matched(
        old,
        new,
        old_row,
        new_row,
        _others(old.row_count, old_row),
        _others(new.row_count, new_row),
    )


def _others(count: int, rows: Int32Array) -> Int32Array:
    """Of ``count`` rows those not named."""
    others = np.ones(count, dtype=np.bool_)
    others[rows] = False
    return np.flatnonzero(others).astype(np.int32)


def crossing_cost(tables: Tables) -> Float64Array:
    """(r) float64 units, what crossing each row's terrain costs the profile."""
    cost = tables.column("cost", np.float64)
    terrain = tables.places.asset.read("/world/node_terrain")
    if len(terrain) != tables.places.node_count or terrain.max(initial=0) >= max(1, len(cost)):
        raise tables.damaged("node_terrain does not fit nodes and terrains")
    crossing: Float64Array = cost[terrain[tables.node]]
    return crossing


def _keys(old: Tables, new: Tables) -> tuple[Int64Array, Int64Array]:
    a, b = old.places, new.places
    kinds = [
        f"hex {places.hex_layout}"
        if places.hex_layout
        else ("square" if places.is_grid else "graph")
        for places in (a, b)
    ]
    if kinds[0] != kinds[1]:
        raise AssetError(
            f"a {kinds[1]} level cannot be compared with a {kinds[0]} one",
            file=b.asset.path,
            expected="two bakes of one level",
        )
    if a.is_grid:
        wide = max(a.width, b.width)
        return _cell_keys(old, wide), _cell_keys(new, wide)
    number = {name: place for place, name in enumerate(a.names)}
    known = len(number)
    keys = [number.get(name, known + place) for place, name in enumerate(b.names)]
    return old.node.astype(np.int64), np.array(keys, dtype=np.int64)[new.node]


def _cell_keys(tables: Tables, wide: int) -> Int64Array:
    """(r) each row's cell in reading order, on a grid ``wide`` cells wide."""
    y, x = np.divmod(tables.places.flat[tables.node].astype(np.int64), tables.places.width)
    return np.asarray(y * wide + x, dtype=np.int64)


def _arcs(tables: Tables, rows: Int32Array, count: int) -> tuple[Int64Array, Int64Array]:
    """Ends of arcs between matched places as tail * count + head, ascending, and units * 2^20."""
    usable = tables.usable
    place = np.full(tables.row_count, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    tail, head = place[usable.graph.tail()], place[usable.graph.head]
    within = (tail >= 0) & (head >= 0)
    key = (tail * max(1, count) + head)[within]
    # Scales may differ, so weights are compared in units.
    weight = np.rint(usable.weight[within] * (2.0**20 / tables.places.ticks_per_unit))
    order = np.lexsort((weight, key))
    key, weight = key[order], weight[order].astype(np.int64)
    first = np.ones(len(key), dtype=np.bool_)
    first[1:] = key[1:] != key[:-1]  # of parallel arcs the cheapest
    return key[first], weight[first]
