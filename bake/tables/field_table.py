"""Make a table of distances between basins, each pair corrected by the fields that suit it best.

Fields are slopes and distances to pivots (:mod:`bake.search.all_pairs.fields`). Slopes say how fast
distances rise along coordinates, in the directions that a norm has.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.errors import BudgetError, in_units
from bake.graph import Subgraph
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.search.all_pairs.fields import (
    CorrectedDistances,
    FieldSet,
    FieldsOfClusters,
    fill_fields,
    keep_best_fields,
    least_beyond_fields,
)
from bake.search.graph.partition import members

#: The most fields there may be: two numbers below this fit one byte.
MOST_FIELDS = 16

#: A field that differs by more ticks within a basin is not used there.
MOST_RELIEF = 2**26

#: A field that exceeds so many ticks anywhere is left out.
HIGHEST = 2**29

#: Bits after the point of slopes over coordinates that are not cells.
FINE = 12

#: Slopes are kept below this, so that they are int32.
_STEEPEST = 2**30

#: sqrt(1/2) in 2**-16.
_HALF_ROOT = 46341


@dataclass(frozen=True)
class Slopes:
    """The directions that fields rise in.

    Attributes:
        slope: (s, 2) int32, 2**-shift ticks a step along x and along y.
        shift: bits.
    """

    slope: Int32Array
    shift: int

    @staticmethod
    def none() -> Slopes:
        """Return the slopes of a graph without coordinates."""
        return Slopes(np.zeros((0, 2), dtype=np.int32), 0)


def square_slopes(sub: Subgraph, cell: Int32Array) -> Slopes:
    """Find the eight directions a distance over squares can rise in, at the price of most steps.

    Where there are diagonal steps these are the eight of the octile norm, otherwise the four of the
    Manhattan norm.
    """
    step = np.abs(cell[sub.graph.head] - cell[sub.graph.tail()])
    larger, smaller = np.maximum(step[:, 0], step[:, 1]), np.minimum(step[:, 0], step[:, 1])
    straight = _median(sub.weight[(larger == 1) & (smaller == 0)])
    diagonal = _median(sub.weight[(larger == 1) & (smaller == 1)])
    if not straight:
        straight = diagonal
    extra = min(max(0, diagonal - straight), straight) if diagonal else straight
    return _signed([(straight, extra), (extra, straight)])


def hex_slopes(sub: Subgraph) -> Slopes:
    """Find the six directions a distance over hexagons can rise in, along axial coordinates."""
    step = _median(sub.weight)
    slope = [(step, 0), (-step, 0), (0, step), (0, -step), (step, step), (-step, -step)]
    return Slopes(np.array(slope if step else np.zeros((0, 2)), dtype=np.int32), 0)


def plane_slopes(sub: Subgraph, at: Int32Array) -> Slopes:
    """Find eight directions of the plane, at the price most arcs have for their length."""
    step = at[sub.graph.head].astype(np.int64) - at[sub.graph.tail()]
    length = np.sqrt((step * step).sum(axis=1).astype(np.float64))
    far = length > 0
    if not far.any():
        return Slopes.none()
    price = np.sort(sub.weight[far] / length[far])[int(far.sum()) // 2]
    steep = int(min(price * 2**FINE, _STEEPEST))
    slanted = steep * _HALF_ROOT >> 16
    found = _signed([(steep, 0), (0, steep), (slanted, slanted)])
    return Slopes(found.slope, FINE)


def _signed(slopes: list[tuple[int, int]]) -> Slopes:
    """Return each slope with all signs, leaving out repeated and flat ones."""
    signed = {(a * x, b * y) for x, y in slopes for a in (1, -1) for b in (1, -1)}
    slope = np.array(sorted(signed - {(0, 0)}), dtype=np.int32).reshape(-1, 2)
    return Slopes(slope, 0)


def _median(weight: Int32Array) -> int:
    return int(np.sort(weight)[len(weight) // 2]) if len(weight) else 0


@dataclass(frozen=True)
class FieldTable:
    """Distances between basins, corrected by fields; see :mod:`bake.search.all_pairs.fields`.

    Attributes:
        label: (r) int32, basin of every row.
        anchor: (c) int32, row of each basin at which its fields are zero.
        distance: (pairs) int32 ticks, UNREACHABLE where there is no path. In a two-way table, pairs
            (start <= goal) lie at goal * (goal + 1) / 2 + start; otherwise (start, goal) lies at
            start * c + goal.
        chosen: (pairs) uint8, 16 times the field of the start plus that of the goal.
        fields: (f, 2 + p) int32, f <= 16: slopes, and signs of distances to pivots.
        shift: slopes are in 2**-shift ticks.
    """

    label: Int32Array
    anchor: Int32Array
    distance: Int32Array
    chosen: UInt8Array
    fields: Int32Array
    shift: int


def pair_count(basins: int, *, two_way: bool) -> int:
    """Return how many entries a table between so many basins has."""
    return basins * (basins + 1) // 2 if two_way else basins * basins


def table_bytes(basins: int, *, two_way: bool) -> int:
    """Return the bytes of a table between so many basins, without labels."""
    return 5 * pair_count(basins, two_way=two_way) + 4 * basins


def field_table(
    sub: Subgraph,
    at: Int32Array,
    slopes: Slopes,
    pivot: Int32Array,
    label: Int32Array,
    anchor: Int32Array,
    *,
    two_way: bool,
    budget: int,
    threads: int,
) -> FieldTable:
    """Search from every basin under every field, and keep what bounds each pair best.

    Args:
        sub: what a profile can use; r rows.
        at: (r, 2) int32 coordinates.
        slopes: of fields over the coordinates.
        pivot: (r, p) int32 ticks.
        label: (r) int32, basin of every row.
        anchor: (c) int32, a row of each basin.
        two_way: whether every arc can be taken back at the same cost.
        budget: bytes this may allocate.
        threads: how many searches at once; changes no byte of the result.

    Raises:
        BudgetError: not even one search fits the budget.
        CostError: distances run off the integer scale.
    """
    rows, count = sub.graph.node_count, len(anchor)
    threads = _threads_within(budget, rows, count, threads, two_way=two_way)
    fields, value = _catalogue(at, slopes, pivot, label, anchor)
    kinds = len(fields)
    first, member, _ = members(label, count)
    in_order = value[member]
    high = np.maximum.reduceat(in_order, first[:-1], axis=0)
    low = np.minimum.reduceat(in_order, first[:-1], axis=0)
    usable = high - low <= MOST_RELIEF
    mean = np.add.reduceat(in_order, first[:-1], axis=0) // np.diff(first)[:, None]
    mean, high = np.where(usable, mean, 0), np.where(usable, high, 0)
    clusters = FieldsOfClusters(mean, usable, high)
    level = np.where(usable[label], value, 0).astype(np.int32)
    del value, in_order
    pairs = pair_count(count, two_way=two_way)
    distance, chosen = np.empty(pairs, dtype=np.int32), np.empty(pairs, dtype=np.uint8)
    table = CorrectedDistances(distance, chosen, two_way)
    search = BatchSearch.of(sub.graph, sub.weight)
    group = LANES // kinds
    own = threading.local()

    def take(begin: int) -> None:
        goals = min(group, count - begin)
        if not hasattr(own, "scratch"):
            own.scratch = search.scratch()
            own.least = np.empty((count, kinds, LANES), dtype=np.int32)
        target = member[first[begin] : first[begin + goals]]
        basin = label[target]
        lane = np.add.outer((basin - begin) * kinds, np.arange(kinds)).astype(np.int32)
        raised = (high[basin] - level[target]).astype(np.int32)
        dist = search.distances_to_sets(
            np.repeat(target, kinds), lane.ravel(), raised.ravel(), own.scratch
        )
        starts = begin + goals if two_way else count
        least_beyond_fields(dist, member, first[: starts + 1], level, own.least)
        keep_best_fields(own.least, clusters, begin, goals, table)

    with ThreadPoolExecutor(max_workers=threads) as pool:
        for done in [pool.submit(take, begin) for begin in range(0, count, group)]:
            done.result()
    return FieldTable(label, anchor, distance, chosen, fields, slopes.shift)


def _catalogue(
    at: Int32Array, slopes: Slopes, pivot: Int32Array, label: Int32Array, anchor: Int32Array
) -> tuple[Int32Array, Int64Array]:
    """Choose fields, the first one flat, and work out their ticks above each basin's anchor.

    Returns:
        (f, 2 + p) int32 fields, and (r, f) int64 ticks.
    """
    columns = pivot.shape[1]
    flat = np.zeros((1, 2 + columns), dtype=np.int32)
    sloping = np.zeros((len(slopes.slope), 2 + columns), dtype=np.int32)
    sloping[:, :2] = slopes.slope
    signs = np.eye(columns, dtype=np.int32)
    by_pivot = np.zeros((2 * columns, 2 + columns), dtype=np.int32)
    by_pivot[0::2, 2:], by_pivot[1::2, 2:] = signs, -signs
    fields = np.concatenate([flat, sloping, by_pivot])[:MOST_FIELDS]
    value = np.empty((len(label), len(fields)), dtype=np.int64)
    fill_fields(FieldSet(fields, slopes.shift, at, pivot), value)
    low_enough = np.abs(value).max(axis=0) < HIGHEST
    fields, value = np.ascontiguousarray(fields[low_enough]), value[:, low_enough]
    return fields, value - value[anchor][label]


def table_memory(rows: int, basins: int, threads: int, *, two_way: bool) -> int:
    """Return the peak memory of :func:`field_table` in bytes, the table included."""
    searches = threads * (rows * BatchScratch.BYTES + basins * MOST_FIELDS * LANES * 4)
    values = 3 * rows * MOST_FIELDS * 8
    return searches + values + table_bytes(basins, two_way=two_way)


def _threads_within(budget: int, rows: int, basins: int, threads: int, *, two_way: bool) -> int:
    while threads > 1 and table_memory(rows, basins, threads, two_way=two_way) > budget:
        threads -= 1
    needed = table_memory(rows, basins, threads, two_way=two_way)
    if needed > budget:
        raise BudgetError(
            f"the heuristic of {rows:,} nodes may need {in_units(needed)}",
            expected=f"at most {in_units(budget)} (memory_budget)",
            remedy='raise memory_budget, or set kind = "landmark" in [heuristic]',
        )
    return threads
