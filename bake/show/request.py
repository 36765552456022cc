"""Gather the contents of a picture: a view, a path, distances to a goal, or a search."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array
from bake.play.hierarchy.layers import HierarchyTables
from bake.play.hierarchy.paths import HierarchyPaths
from bake.play.searching.heuristics import heuristic_for
from bake.play.searching.result import SearchResult
from bake.project.lint.ways import Problem
from bake.show import Show
from bake.show.scene import LayerScene, Scene
from levelbake.errors import QueryError
from levelbake.places import Place

#: The most pixels of a picture, as many as 8192 x 8192.
MAX_PIXELS = 64 * 2**20


@dataclass(frozen=True)
class Route:
    """A path to draw, or two places without a path between them."""

    #: start, goal: rows of the two ends
    start: int
    goal: int
    #: (k) int32 rows of the path, with both ends; None if the goal is unreachable
    rows: Int32Array | None
    cost: float | None  #: cost of the path in units; None if the goal is unreachable


@dataclass(frozen=True)
class Toward:
    """The next hop and distance of every row toward one goal."""

    goal: int  #: row of the goal
    distance: Float64Array  #: (r) float64 units; inf where the goal is unreachable
    #: (r) int32; the row itself at the goal and where the goal is unreachable. None if next hops
    #: were not looked up.
    next_row: Int32Array | None

    @property
    def farthest(self) -> int:
        """The row farthest from the goal among those that reach it, the first of several."""
        return int(np.where(np.isfinite(self.distance), self.distance, -1.0).argmax())

    @property
    def greatest(self) -> float:
        """The distance of the farthest row."""
        return float(self.distance[self.farthest])


@dataclass(frozen=True)
class Searched:
    """The places that a search visited."""

    #: method, heuristic: the search; None = no heuristic
    method: str
    heuristic: str | None
    expanded: int  #: number of expanded places or transitions
    row: Int32Array  #: (k) int32 rows that the search added to its open list
    known: Float64Array  #: (k) float64 units, the cost of each of these rows from the start
    transition: Int32Array  #: (e) int32 rows of the transitions an HPA* search expanded, in order
    #: for each layer, lowest first, the rows of its route: the start, the layer's transitions and
    #: the goal
    plan: tuple[Int32Array, ...]
    #: (k) float64 units, the f of each row, for contours; None = not computed
    f: Float64Array | None = None
    best: float = math.inf  #: cost of the path in units; rows with a larger f are not expanded


@dataclass(frozen=True)
class Walker:
    """One agent at one step; all values are locations of the level."""

    trail: Int32Array  #: (k) int32, its path so far, with the current location last
    ahead: Int32Array  #: (k) int32, the path it plans
    goal: int  #: its goal; -1 = none


@dataclass(frozen=True)
class Walked:
    """The positions and the knowledge of agents at one step."""

    seen: BoolArray | None  #: (locations) bool, True = seen; None = the agents know the level
    #: (k) int32 locations whose label the search changed at this step
    searched: Int32Array
    walkers: tuple[Walker, ...]  #: the agents


@dataclass(frozen=True)
class Request:
    """Everything that one picture shows."""

    scene: Scene  #: level and profile
    show: Show  #: the view
    path: Route | None  #: a path over the view
    toward: Toward | None  #: the goal of distances and hops
    scale: int | None  #: pixels per cell, or per unit of a graph's positions; None = what fits
    layer: LayerScene | None = None  #: the layer to show, for the view of clusters
    #: the search to show, for the view of a search, whose result is ``path``
    searched: Searched | None = None
    findings: list[Problem] | None = None  #: findings of lint to mark; None = do not mark any
    walked: Walked | None = None  #: agents to show, for the view of a search
    note: str | None = None  #: the text about a step of a trace, instead of text about the path


def path_by_hops(scene: Scene, ends: tuple[Place, Place]) -> Route:
    """Return the shortest path along the baked next hops.

    Raises:
        QueryError: the profile cannot stand on one of the ends.
        MissingTableError: the asset was baked without next hops.
    """
    return _route(scene, ends, scene.navigator.path(*ends), scene.navigator.distance(*ends))


def search_path(
    scene: Scene,
    ends: tuple[Place, Place],
    method: str,
    heuristic: str | None,
    options: Mapping[str, int],
) -> tuple[Route, Searched]:
    """Search for a path, and record the places that the search visits.

    Raises:
        QueryError: the profile cannot stand on one of the ends, or the method or heuristic does not
            exist.
        MissingTableError: the method is "hpa", but the asset contains no hierarchy.
    """
    search: Callable[..., SearchResult] = scene.navigator.search
    result = search(*ends, method, heuristic, looked_at=True, **options)
    route = _route(scene, ends, result.path, result.cost)
    visited = result.looked_at or ()
    transition: Int32Array = np.empty(0, dtype=np.int32)
    plan: tuple[Int32Array, ...] = ()
    if method == "hpa":
        transition, plan = _find_routes(scene, route.start, route.goal)
    searched = Searched(
        method,
        result.heuristic,
        result.expanded,
        scene.rows.along([place for place, _ in visited]),
        np.array([units for _, units in visited], dtype=np.float64),
        transition,
        plan,
    )
    return route, searched


def with_contours(scene: Scene, searched: Searched, route: Route) -> Searched:
    """Return a copy of a search with the f of each row.

    Raises:
        QueryError: the search does not expand rows in order of g + h.
    """
    if searched.method not in ("astar", "dijkstra"):
        raise QueryError(
            f"the method {searched.method!r} has no contours",
            expected="astar or dijkstra",
            remedy="use one of these, or draw a trace with --trace",
        )
    context = scene.navigator._now.searches
    estimate = heuristic_for(context, searched.heuristic or "null", route.goal)
    h = context.space.estimates(estimate, route.goal)[searched.row]
    f = searched.known + h / scene.places.ticks_per_unit
    return replace(searched, f=f, best=math.inf if route.cost is None else route.cost)


def _route(scene: Scene, ends: tuple[Place, Place], path: list[Place] | None, cost: float) -> Route:
    start, goal = scene.rows.along(ends).tolist()
    if path is None:
        return Route(start, goal, None, None)
    return Route(start, goal, scene.rows.along(path), cost)


def _find_routes(scene: Scene, start: int, goal: int) -> tuple[Int32Array, tuple[Int32Array, ...]]:
    """Return the transitions that an HPA* search expanded, and its route over each layer.

    The route over a layer consists of the transitions of the path that belong to this layer.
    """
    hierarchy = HierarchyPaths(HierarchyTables(scene.columns))
    route = hierarchy.find(start, goal)
    layers = hierarchy.tables.layers
    plan = layers[0].row[route.plan]
    ends = np.array([start, goal], dtype=np.int32)
    by_layer = tuple(
        np.concatenate([ends[:1], plan[np.isin(plan, layer.row)], ends[1:]]) for layer in layers
    )
    return layers[0].row[route.expanded], by_layer if route.ticks >= 0 else ()


def all_toward(scene: Scene, goal: Place, *, need_hops: bool) -> Toward:
    """Return the distances, and optionally next hops, of all rows toward a goal.

    Args:
        scene: level and profile.
        goal: cell or node name.
        need_hops: whether next hops are needed in addition to distances.

    Raises:
        QueryError: the profile cannot stand on the goal, or the place does not exist.
        MissingTableError: the asset contains neither the values nor tables to compute them from.
        CorruptAssetError: next hops do not lead to the goal.
    """
    row = scene.rows.row(goal)
    columns = scene.columns
    labels = columns.labels
    stored = None if labels is None else labels.ticks_toward(row)
    next_row = None
    if need_hops or stored is None:
        next_row, ticks = columns.steps.toward(row)
        stored = ticks if stored is None else stored
    return Toward(row, stored / scene.places.ticks_per_unit, next_row)
