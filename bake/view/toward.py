"""Every place's next hop and distance toward one goal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Float64Array, Int32Array
from bake.graph import UNREACHABLE
from bake.runtime.reader.places import Place
from bake.runtime.reader.walk import follow_toward, hops_toward
from bake.view.scene import Scene


@dataclass(frozen=True)
class Toward:
    """All ways to one goal.

    Attributes:
        goal: the place.
        row: its row.
        distance: (r) float64 units; inf where the goal cannot be reached.
        next_row: (r) int32; a row itself at the goal and where the goal cannot be reached. None
            where the asset has no next hops.
    """

    goal: Place
    row: int
    distance: Float64Array
    next_row: Int32Array | None

    @property
    def farthest(self) -> int:
        """The first row of those farthest from the goal among all that reach it."""
        return int(np.where(np.isfinite(self.distance), self.distance, -1.0).argmax())

    @property
    def greatest(self) -> float:
        """Distance of the farthest row."""
        return float(self.distance[self.farthest])


def all_toward(scene: Scene, goal: Place, *, need_hops: bool) -> Toward:
    """Look up the ways of all rows to a goal.

    Args:
        scene: level and profile.
        goal: cell or node name.
        need_hops: whether distances alone will not do.

    Raises:
        QueryError: the goal is no place the profile can stand on.
        MissingTableError: the asset holds neither what is needed nor what it follows from.
        CorruptAssetError: next hops that do not lead to the goal.
    """
    row = scene.row(goal)
    tables = scene.tables
    stored = tables.distance
    next_row = None
    if need_hops or stored is None:
        next_row, weight = hops_toward(tables, row)
    if stored is not None:
        ticks = stored[:, row].astype(np.int64)
        reached = ticks != int(UNREACHABLE)
    else:
        assert next_row is not None
        ticks, reached = follow_toward(tables, row, next_row, weight)
    units = ticks / scene.places.ticks_per_unit
    return Toward(goal, row, np.where(reached, units, np.inf), next_row)
