"""Every place's next hop and distance toward one goal.

Source of the doubling: J. JáJá, "An Introduction to Parallel Algorithms", section 2.2 (pointer
jumping).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bake.graph import UNREACHABLE
from bake.runtime.places import Place
from bake.view.scene import Float64Array, Int32Array, Scene


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
        next_row, weight = _hops(scene, row)
    if stored is not None:
        ticks = stored[:, row].astype(np.int64)
        reached = ticks != int(UNREACHABLE)
    else:
        assert next_row is not None
        ticks, end = follow(next_row, weight)
        reached = end == row
        astray = ~reached & (next_row != np.arange(len(next_row)))
        if astray.any():
            raise scene.damaged("next hops do not lead to the goal")
    units = ticks / scene.places.ticks_per_unit
    return Toward(goal, row, np.where(reached, units, np.inf), next_row)


def follow(
    next_row: Int32Array, weight: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], Int32Array]:
    """Follow every row's next hops to their end at once, twice as far each time.

    Args:
        next_row: (r) int32; a row that is its own next ends there.
        weight: (r) int64 ticks of the hop, 0 where a row is its own next.

    Returns:
        (r) int64 ticks to the end and (r) int32 the end. On a cycle the end is any row of it.
    """
    ticks, end = weight.copy(), next_row.copy()
    for _ in range(max(1, len(next_row)).bit_length()):
        ticks += ticks[end]
        end = end[end]
    return ticks, end


def _hops(scene: Scene, goal_row: int) -> tuple[Int32Array, npt.NDArray[np.int64]]:
    """(r) int32 next row and (r) int64 ticks of the step there."""
    tables, places = scene.tables, scene.places
    slot = tables.hop[:, goal_row].astype(np.int64)
    moves = np.flatnonzero(slot != tables.none)
    moves = moves[moves != goal_row]
    arc = tables.first_arc[moves] + slot[moves]
    if (arc >= places.first_out[tables.node[moves] + 1]).any():
        raise scene.damaged("a next hop leads nowhere")
    head, weight = tables.head_row[arc], tables.weight[arc]
    if (head < 0).any() or (weight == UNREACHABLE).any():
        raise scene.damaged("a next hop leads where the profile cannot go")
    next_row = np.arange(tables.row_count, dtype=np.int32)
    next_row[moves] = head
    ticks = np.zeros(tables.row_count, dtype=np.int64)
    ticks[moves] = weight
    return next_row, ticks
