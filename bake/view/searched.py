"""What a search looked at on its way, to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Float64Array, Int32Array
from bake.runtime.hierarchy.paths import HierarchyPaths
from bake.runtime.reader.places import Place
from bake.view.scene import Scene


@dataclass(frozen=True)
class Searched:
    """One search.

    Attributes:
        method, heuristic: which one; None = no heuristic.
        places: of the path, both ends included; None where there is none.
        cost: of the path in units; infinite where there is none.
        expanded: places or transitions taken from the open list.
        row: (k) int32 rows it put on its open list.
        known: (k) float64 units at which it knew them.
        transition: (e) int32 rows of the transitions an HPA* search expanded, in order.
        plan: rows on its way by layer, lowest first: the ends, and the layer's transitions between.
    """

    method: str
    heuristic: str | None
    places: tuple[Place, ...] | None
    cost: float
    expanded: int
    row: Int32Array
    known: Float64Array
    transition: Int32Array
    plan: tuple[Int32Array, ...]


def search_for(
    scene: Scene, ends: tuple[Place, Place], method: str, heuristic: str | None
) -> Searched:
    """Search from one place to another, and note what was looked at.

    Raises:
        QueryError: a place, method or heuristic that is none.
        MissingTableError: the asset holds no hierarchy, for "hpa".
    """
    start, goal = ends
    found = scene.navigator.search(start, goal, method, heuristic, looked_at=True)
    looked_at = found.looked_at or ()
    row = np.array([scene.row(place) for place, _ in looked_at], dtype=np.int32)
    known = np.array([units for _, units in looked_at], dtype=np.float64)
    transition: Int32Array = np.empty(0, dtype=np.int32)
    plan: tuple[Int32Array, ...] = ()
    if method == "hpa":
        transition, plan = _planned(scene, scene.row(start), scene.row(goal))
    return Searched(
        method,
        found.heuristic,
        None if found.path is None else tuple(found.path),
        found.cost,
        found.expanded,
        row,
        known,
        transition,
        plan,
    )


def _planned(scene: Scene, start: int, goal: int) -> tuple[Int32Array, tuple[Int32Array, ...]]:
    """Transitions expanded, and those on the way by layer: all that a layer has of them."""
    hierarchy = HierarchyPaths(scene.tables)
    way = hierarchy.find(start, goal)
    layers = hierarchy.tables.layers
    plan = layers[0].row[way.plan]
    ends = np.array([start, goal], dtype=np.int32)
    by_layer = tuple(
        np.concatenate([ends[:1], plan[np.isin(plan, layer.row)], ends[1:]]) for layer in layers
    )
    return layers[0].row[way.expanded], by_layer if way.ticks >= 0 else ()
