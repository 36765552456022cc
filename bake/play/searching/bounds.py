"""Lower bounds of distances: between clusters, and by distances of pivots."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from bake.core.arrays import Int32Array
from bake.play.hierarchy.layers import ClusterTables
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.version import Version
from bake.search.point.estimates import (
    LANDMARKS,
    LANDMARKS_DIRECTED,
    LARGEST,
    NULL,
    ROWS,
    Estimate,
    quantised,
)
from levelbake.errors import QueryError
from levelbake.places import quoted, whole_of
from levelbake.steps import chart


class Bounds:
    """The lower bounds that an asset holds for one profile, checked as they are loaded.

    Asking for something that the asset was baked without raises a MissingTableError.
    """

    def __init__(self, columns: ProfileColumns) -> None:
        self.columns = columns

    # -- clusters ---------------------------------------------------------------------------------

    @cached_property
    def _clusters(self) -> ClusterTables:
        return ClusterTables(self.columns)

    @property
    def cluster(self) -> Int32Array:
        """Return (r) int32, the cluster of each row; -1 where nobody can stand any more."""
        return self._clusters.cluster

    def cluster_of(self, row: int) -> int:
        """Return the cluster of a row on which the profile can stand."""
        return int(self.cluster[row])

    @property
    def cluster_count(self) -> int:
        """Return how many clusters there are."""
        return self._clusters.count

    @cached_property
    def _between(self) -> Int32Array:
        """Return (c, c) int32 ticks, [from, to]; UNREACHABLE where there is no path."""
        if not self.columns.has("cluster_distance"):
            raise self.columns.missing("cluster_distances")
        return self.columns.places.asset.cluster_distances(self.columns.profile, self.cluster_count)

    def toward_cluster(self, goal: int) -> Int32Array:
        """Return (c) int32 ticks from every cluster to one; UNREACHABLE where there is no path."""
        toward: Int32Array = self._between[:, goal]
        return toward

    def between_clusters(self, goal: int, norm: Estimate) -> Estimate:
        """Make a heuristic of the distance between clusters.

        It is the norm inside the goal's cluster, and wherever the norm is larger.
        """
        toward = self.toward_cluster(int(self.cluster[goal]))
        table = np.minimum(toward, LARGEST).astype(np.int32)[self.cluster][:, None]
        kind = norm.kind if norm.admissible else NULL
        return replace(
            norm,
            name="cluster",
            kind=kind | ROWS,
            table=np.ascontiguousarray(table),
            admissible=True,
            consistent=False,
            falls=True,
        )

    # -- the baked heuristic ----------------------------------------------------------------------

    @property
    def has_heuristic(self) -> bool:
        """Tell whether the asset holds a heuristic."""
        return self.columns.has("pivot_distance")

    def landmark(self, goal: int) -> Estimate:
        """Return distances to pivots as a heuristic."""
        return self._landmarks

    @cached_property
    def _landmarks(self) -> Estimate:
        if not self.has_heuristic:
            raise self.columns.missing("heuristic")
        two_way = self.columns.two_way("pivot_two_way")
        pivot = self.columns.column("pivot_distance", np.int32)
        if not two_way and pivot.shape[1] % 2:
            raise self.columns.damaged("pivot_distance has an odd number of columns")
        kind = LANDMARKS if two_way else LANDMARKS_DIRECTED
        return Estimate("landmark", kind, table=np.ascontiguousarray(pivot))

    def maximum(self, goal: int, norm: Estimate) -> Estimate:
        """Return the heuristic that is the larger of a norm and of distances to pivots.

        Args:
            goal: the row the heuristic is to lead to.
            norm: the geometric heuristic that fits the level's movement.
        """
        own = self._landmarks
        if not norm.admissible or not norm.consistent:
            return replace(own, name="maximum")
        return replace(norm, name="maximum", kind=norm.kind | own.kind, table=own.table)


def coordinates(version: Version) -> Int32Array:
    """Return (r, 2) int32 coordinates, which norms measure and over which fields are slopes.

    On graphs whose nodes have heights they are (r, 3).
    """
    places = version.places
    if places.is_grid and places.hex_layout is None and places.floor_height is not None:
        # Floors lie over one another, so that stairs are not jumps.
        return version.cell_of_row % np.array([places.width, places.floor_height], dtype=np.int32)
    if places.is_grid:
        return np.ascontiguousarray(chart(version.cell_of_row, places.hex_layout))
    if places.position is None:
        return np.zeros((version.row_count, 2), dtype=np.int32)
    position, elevation = places.position[version.location], version.elevation
    if elevation is not None:
        position = np.column_stack([position, elevation[version.location]])
    return quantised(position)


def cluster_number(bounds: Bounds, cluster: int) -> int:
    """Return the number of a cluster.

    Raises:
        QueryError: there is no such cluster.
    """
    count = bounds.cluster_count
    number = whole_of(cluster)
    if not 0 <= number < count:
        raise QueryError(
            f"no cluster {quoted(cluster)}",
            expected=f"0 to {count - 1}" if count else "none: the profile can stand nowhere",
        )
    return number
