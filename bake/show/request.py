"""This module gathers what one picture shows: a view, a path, all ways to a goal, a search."""

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

#: A picture has at most this many pixels, as many as a page of 8192 x 8192.
MAX_PIXELS = 64 * 2**20


@dataclass(frozen=True)
class Route:
    """A path to draw, or two places without a path."""

    #: start, goal: rows of the two ends
    start: int
    goal: int
    #: (k) int32 rows of the path, with both ends; None where the goal cannot be reached
    rows: Int32Array | None
    cost: float | None  #: cost of the path in units; None where the goal cannot be reached


@dataclass(frozen=True)
class Toward:
    """Every row's next hop and distance toward one goal."""

    goal: int  #: row of the goal
    distance: Float64Array  #: (r) float64 units; inf where the goal cannot be reached
    #: (r) int32; the row itself at the goal and where the goal cannot be reached. None where next
    #: hops were not looked up.
    next_row: Int32Array | None

    @property
    def farthest(self) -> int:
        """Return the row farthest from the goal among all that reach it, the first of several."""
        return int(np.where(np.isfinite(self.distance), self.distance, -1.0).argmax())

    @property
    def greatest(self) -> float:
        """Return the distance of the farthest row."""
        return float(self.distance[self.farthest])


@dataclass(frozen=True)
class Searched:
    """What a search looked at."""

    #: method, heuristic: which search it was; None = no heuristic
    method: str
    heuristic: str | None
    expanded: int  #: how many places or transitions the search took from the open list
    row: Int32Array  #: (k) int32 rows the search put on its open list
    known: Float64Array  #: (k) float64 units, the cost at which the search knew each of these rows
    transition: Int32Array  #: (e) int32 rows of the transitions an HPA* search expanded, in order
    #: for each layer, lowest first, the rows on its way: the start, the layer's transitions and the
    #: goal
    plan: tuple[Int32Array, ...]
    #: (k) float64 units, the f of each row, for contours; None where they are not asked for
    f: Float64Array | None = None
    best: float = math.inf  #: cost of the path in units, beyond which no f is expanded


@dataclass(frozen=True)
class Walker:
    """One agent at one step; all are locations of the level."""

    trail: Int32Array  #: (k) int32, where it has been, and where it is
    ahead: Int32Array  #: (k) int32, where it plans to go
    goal: int  #: where it wants to be; -1 = nowhere


@dataclass(frozen=True)
class Walked:
    """Where agents are at one step, and what they know."""

    seen: BoolArray | None  #: (locations) bool, what they have seen; None where they know the level
    #: (k) int32 locations that the search has given another label at this step
    searched: Int32Array
    walkers: tuple[Walker, ...]  #: the agents


@dataclass(frozen=True)
class Request:
    """Everything one picture is made from."""

    scene: Scene  #: level and profile
    show: Show  #: the view
    path: Route | None  #: a path over the view
    toward: Toward | None  #: the goal of distances and hops
    scale: int | None  #: pixels of a cell or of a unit of a graph's positions; None = what fits
    layer: LayerScene | None = None  #: the layer of clusters to show, for the view of clusters
    #: the search to show, for the view of a search; the path it found is ``path``
    searched: Searched | None = None
    findings: list[Problem] | None = None  #: findings of lint to mark; None = none were asked for
    walked: Walked | None = None  #: agents to show, for the view of a search
    note: str | None = None  #: of a step of a trace: what is said of it in place of the path


def path_by_hops(scene: Scene, ends: tuple[Place, Place]) -> Route:
    """Follow the baked next hops along a shortest path.

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
    """Search for a path, and note what was looked at.

    Raises:
        QueryError: the profile cannot stand on one of the ends, or there is no such method or
            heuristic.
        MissingTableError: the method is "hpa", and the asset holds no hierarchy.
    """
    search: Callable[..., SearchResult] = scene.navigator.search
    found = search(*ends, method, heuristic, looked_at=True, **options)
    route = _route(scene, ends, found.path, found.cost)
    looked_at = found.looked_at or ()
    transition: Int32Array = np.empty(0, dtype=np.int32)
    plan: tuple[Int32Array, ...] = ()
    if method == "hpa":
        transition, plan = _planned(scene, route.start, route.goal)
    searched = Searched(
        method,
        found.heuristic,
        found.expanded,
        scene.rows.along([place for place, _ in looked_at]),
        np.array([units for _, units in looked_at], dtype=np.float64),
        transition,
        plan,
    )
    return route, searched


def with_contours(scene: Scene, searched: Searched, route: Route) -> Searched:
    """Return a search with the f of each row.

    Raises:
        QueryError: the search does not expand rows by g + h.
    """
    if searched.method not in ("astar", "dijkstra"):
        raise QueryError(
            f"the method {searched.method!r} has no contours",
            expected="astar or dijkstra",
            remedy="name one of these, or draw a trace with --trace",
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


def _planned(scene: Scene, start: int, goal: int) -> tuple[Int32Array, tuple[Int32Array, ...]]:
    """Return the transitions that an HPA* search expanded, and those on its way by layer.

    The way over a layer has all transitions on the way that belong to this layer.
    """
    hierarchy = HierarchyPaths(HierarchyTables(scene.columns))
    way = hierarchy.find(start, goal)
    layers = hierarchy.tables.layers
    plan = layers[0].row[way.plan]
    ends = np.array([start, goal], dtype=np.int32)
    by_layer = tuple(
        np.concatenate([ends[:1], plan[np.isin(plan, layer.row)], ends[1:]]) for layer in layers
    )
    return layers[0].row[way.expanded], by_layer if way.ticks >= 0 else ()


def all_toward(scene: Scene, goal: Place, *, need_hops: bool) -> Toward:
    """Look up the ways of all rows to a goal.

    Args:
        scene: level and profile.
        goal: cell or node name.
        need_hops: whether next hops are needed as well as distances.

    Raises:
        QueryError: the profile cannot stand on the goal, or there is no such place.
        MissingTableError: the asset holds neither what is needed nor what it follows from.
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
