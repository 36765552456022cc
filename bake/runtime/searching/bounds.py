"""Baked lower bounds of distances: between clusters, from pivots, between basins."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bake.arrays import Int32Array
from bake.errors import QueryError
from bake.graph import UNREACHABLE
from bake.greedy import chart
from bake.runtime.hierarchy.layers import ClusterTables
from bake.runtime.reader.tables import Tables

if TYPE_CHECKING:
    from bake.search.point.estimates import Estimate
    from bake.search.point.guide import Guide

#: Prices of going from one cluster to the next, in the order of their columns.
PRICES = ("minimum", "maximin", "average")


class ClusterNumbers(Protocol):
    """What bounds need to know of clusters.

    Attributes:
        cluster: (r) int32, cluster of each row.
        count: c.
    """

    cluster: Int32Array
    count: int


class Bounds:
    """What one profile's asset holds of them, checked as it is loaded."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    @cached_property
    def clusters(self) -> ClusterNumbers:
        return ClusterTables(self.tables)

    @cached_property
    def cluster_distance(self) -> Int32Array:
        """(c, c) int32 ticks, [from, to]; UNREACHABLE where there is no path."""
        if not self.tables.has("cluster_distance"):
            raise self.tables.missing("cluster_distances")
        count = self.clusters.count
        distance = self.tables.column("cluster_distance", np.int32)
        if distance.shape != (count, count) or distance.min(initial=0) < 0:
            raise self.tables.damaged("cluster_distance does not fit the clusters")
        return distance

    def toward_cluster(self, goal: int) -> Int32Array:
        """(c) int32 ticks from every cluster to one; UNREACHABLE where there is no path."""
        toward: Int32Array = self.cluster_distance[:, goal]
        return toward

    @cached_property
    def _costs(self) -> dict[tuple[int, int], tuple[int, ...]]:
        if not self.tables.has("cluster_cost"):
            raise self.tables.missing("cluster_distances")
        pair = self.tables.column("cluster_pair", np.int32)
        cost = self.tables.column("cluster_cost", np.int32)
        outside = pair.min(initial=0) < 0 or pair.max(initial=-1) >= self.clusters.count
        if pair.shape != (len(cost), 2) or cost.shape != (len(pair), len(PRICES)) or outside:
            raise self.tables.damaged("cluster_pair and cluster_cost do not fit the clusters")
        return {
            (int(a), int(b)): tuple(prices)
            for (a, b), prices in zip(pair.tolist(), cost.tolist(), strict=True)
        }

    def cluster_cost(self, start: int, goal: int, price: str) -> int:
        """Ticks of one price of a pair of clusters; UNREACHABLE where no arc joins them.

        Raises:
            QueryError: no such price.
            MissingTableError: the asset was baked without it.
        """
        if price not in PRICES:
            raise QueryError(f"no price {price!r}", expected=" or ".join(PRICES))
        if (start, goal) not in self._costs:
            return int(UNREACHABLE)
        return self._costs[start, goal][PRICES.index(price)]

    @property
    def has_heuristic(self) -> bool:
        return self.tables.has("pivot_distance")

    @cached_property
    def two_way(self) -> bool:
        return bool(self.tables.places.asset.number("pivot_two_way", self._group))

    @cached_property
    def pivot(self) -> Int32Array:
        """(r, p) int32 ticks."""
        if not self.has_heuristic:
            raise self.tables.missing("heuristic")
        pivot = self.tables.column("pivot_distance", np.int32)
        if pivot.ndim != 2 or len(pivot) != self.tables.row_count or pivot.min(initial=0) < 0:
            raise self.tables.damaged("pivot_distance does not fit the rows")
        if not self.two_way and pivot.shape[1] % 2:
            raise self.tables.damaged("pivot_distance has an odd number of columns")
        return np.ascontiguousarray(pivot)

    @cached_property
    def _group(self) -> str:
        return f"/profiles/{self.tables.profile}"

    @cached_property
    def coordinates(self) -> Int32Array:
        """(r, 2) int32, what fields are slopes over: the norm's coordinates."""
        from bake.search.point.estimates import quantised

        places = self.tables.places
        if places.is_grid and places.hex_layout is None and places.floor_height is not None:
            # Floors lie over one another, so stairs are no jumps.
            return self.tables.cell_of_row % np.array(
                [places.width, places.floor_height], dtype=np.int32
            )
        if places.is_grid:
            return np.ascontiguousarray(chart(self.tables.cell_of_row, places.hex_layout))
        if places.position is None:
            return np.zeros((self.tables.row_count, 2), dtype=np.int32)
        return quantised(places.position[self.tables.node])

    def guide(self, norm: Estimate) -> Guide | None:
        """The heuristic with its table, beside a norm over the same coordinates; None without."""
        from bake.search.point.estimates import NULL
        from bake.search.point.guide import Guide

        tables, pivot = self.tables, self.pivot
        if not tables.has("basin"):
            return None
        label, anchor, distance, fields = (
            tables.column(name, np.int32)
            for name in ("basin", "basin_anchor", "basin_distance", "field")
        )
        chosen = tables.column("basin_fields", np.uint8)
        count = len(anchor)
        pairs = count * (count + 1) // 2 if self.two_way else count * count
        shift = tables.places.asset.number("field_shift", self._group)
        if len(label) != tables.row_count or not _within(label, count):
            raise tables.damaged("basin does not fit the rows")
        if not _within(anchor, tables.row_count):
            raise tables.damaged("basin_anchor is no row")
        if len(distance) != pairs or len(chosen) != pairs:
            raise tables.damaged("basin_distance does not fit the basins")
        if fields.shape != (len(fields), 2 + pivot.shape[1]):
            raise tables.damaged("field does not fit the pivots")
        if not (_within(chosen >> 4, len(fields)) and _within(chosen & 15, len(fields))):
            raise tables.damaged("basin_fields names no field")
        if shift is None or not 0 <= shift < 32:
            raise tables.damaged(f"field_shift is {shift}")
        at = self.coordinates
        if not norm.admissible or len(norm.at) != len(at):
            norm = replace(norm, kind=NULL, admissible=True, consistent=True)
        return Guide(
            norm, at, pivot, label, anchor, distance, chosen, fields, int(shift), self.two_way
        )

    def landmarks(self, name: str, norm: Estimate | None) -> Estimate:
        """Distances to pivots as a heuristic; with a norm the larger of both."""
        from bake.search.point.estimates import LANDMARKS, LANDMARKS_DIRECTED, Estimate

        kind = LANDMARKS if self.two_way else LANDMARKS_DIRECTED
        if norm is None or not norm.admissible or not norm.consistent:
            return Estimate(name, kind, table=self.pivot)
        return replace(norm, name=name, kind=norm.kind | kind, table=self.pivot)

    def between_clusters(self, goal: int, norm: Estimate) -> Estimate:
        """The distance between two clusters, the norm inside one or where it is larger."""
        from bake.search.point.estimates import LARGEST, NULL, ROWS

        label = self.clusters.cluster
        toward = self.toward_cluster(int(label[goal]))
        table = np.minimum(toward, LARGEST).astype(np.int32)[label][:, None]
        kind = norm.kind if norm.admissible else NULL
        return replace(
            norm,
            name="cluster",
            kind=kind | ROWS,
            table=np.ascontiguousarray(table),
            admissible=True,
            consistent=False,
        )


def _within(numbers: np.ndarray, count: int) -> bool:
    return not len(numbers) or 0 <= int(numbers.min()) <= int(numbers.max()) < count
