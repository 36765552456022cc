"""The Dirichlet domains of characteristic points as a graph.

G. Lejeune Dirichlet, 1850; G. Voronoi, 1908. Points without weights are joined along the edges of
their Delaunay triangulation. Each point with a weight is a cone on the plane, the higher the larger
the weight, and a location belongs to the highest cone above it (an additively weighted diagram:
F. Aurenhammer, "Voronoi Diagrams", ACM Computing Surveys 23, 1991); the borders between these
domains are sampled. A designer may draw a polygon as a point's domain, join points whose domains do
not border, and separate others. An arc is valid if its straight line stays between the walls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import shapely

from bake.core.arrays import Float64Array, Int64Array
from bake.core.errors import LevelError
from bake.core.level import CharacteristicPoint
from bake.geometry import GRID, Geometry
from bake.search.plane.sight import Outline, holds, reflex_corners, sees
from bake.worlds.pieces import GrownGeometry, PlaneDivision
from bake.worlds.visibility import (
    MAX_BENDS,
    EndPoints,
    LinkEnd,
    PointsAndEnds,
    VisiblePoints,
    collect_points,
)

#: Samples along the longer side of a floor where points have weights.
SAMPLES = 384


def divide_into_domains(geometry: Geometry, parts: Sequence[GrownGeometry]) -> PlaneDivision:
    """Divide the geometry of every kind of agent into Dirichlet domains.

    If the level states no characteristic points, the reflex corners take their place. Ends of links
    are points like any other. Nodes have the names of their points, if the level names any; if
    several kinds of agents have points of their own, each name ends with the first profile in
    parentheses.

    Raises:
        LevelError: no agent fits, a point is not walkable, two points coincide or one is inside the
            cone of another, points joined by hand have a wall between them, a drawn domain is
            invalid, or no agent can take a link.
    """
    areas = _drawn_domains(geometry)
    used, joined = set[int](), set[tuple[int, int]]()
    joins, apart = (_pairs_by_hand(geometry, which) for which in ("joins", "apart"))

    def find_points(
        part: GrownGeometry,
        place: int,
        region: shapely.Geometry,
        outline: Outline,
        end_points: EndPoints,
    ) -> PointsAndEnds:
        point, weight, indices = _points(geometry, outline, place)
        used.update(indices)
        number = {(x, y): at for at, (x, y) in enumerate(point.tolist())}
        for end_point in end_points.values():
            number.setdefault(end_point, len(number))
        point = np.array(list(number), dtype=np.int64).reshape(-1, 2)
        weight = np.concatenate([weight, np.zeros(len(point) - len(weight))])
        if len(point) > MAX_BENDS:
            raise LevelError(
                f"{len(point):,} characteristic points are too many",
                file=geometry.source,
                expected=f"at most {MAX_BENDS:,} on a floor",
                remedy='state them in the level, or take division = "mesh"',
            )
        row = {at: number for number, at in enumerate(indices)}
        drawn = [(row[at], area) for at, area in areas.items() if at in row]
        by_sample = weight.any() or drawn
        pairs = bordering(region, point / GRID, weight, drawn) if by_sample else neighbours(point)
        stated, parted = (
            {(row[a], row[b]) for a, b in hand if {a, b} <= row.keys()} for hand in (joins, apart)
        )
        if stated or parted:
            joined_pairs = ({(min(pair), max(pair)) for pair in pairs.tolist()} | stated) - parted
            pairs = np.array(sorted(joined_pairs), dtype=np.int64).reshape(-1, 2)
        clear = [
            sees(outline, *point[one].tolist(), *point[other].tolist())
            for one, other in pairs.tolist()
        ]
        pairs = pairs[np.array(clear, dtype=np.bool_)]
        joined.update((indices[a], indices[b]) for a, b in stated & set(map(tuple, pairs.tolist())))
        one, other = pairs.T
        tail, head = np.concatenate([one, other]), np.concatenate([other, one])
        ends = {key: number[at] for key, at in end_points.items()}
        rings = [(at, shapely.get_coordinates(area)[:-1].astype(np.int64)) for at, area in drawn]
        names = None
        if any(point.named for point in geometry.points):
            names = [geometry.points[at].name for at in indices]
            names += _names_of_ends(geometry, ends, len(indices))
            if len(parts) > 1:
                names = [f"{name} ({part.kind.profiles[0]})" for name in names]
        return VisiblePoints(point, tail, head, weight=weight, drawn=rings, names=names), ends

    pieces = collect_points(geometry, parts, find_points)
    _check_used(geometry, used)
    _check_joined(geometry, joins - joined, apart)
    return pieces


def _names_of_ends(geometry: Geometry, ends: dict[LinkEnd, int], first: int) -> list[str]:
    """Return the names of the nodes from ``first`` on, at which only links begin or end."""
    names: dict[int, str] = {}
    for (at, is_goal), node in ends.items():
        names.setdefault(node, f"{geometry.links[at].name} {'goal' if is_goal else 'start'}")
    return [names[node] for node in sorted(names) if node >= first]


def _pairs_by_hand(geometry: Geometry, which: Literal["joins", "apart"]) -> set[tuple[int, int]]:
    """Return the pairs of points that a level joins or separates by hand, the lower one first."""
    return {
        (min(at, other), max(at, other))
        for at, point in enumerate(geometry.points)
        for other in (point.joins if which == "joins" else point.apart)
    }


def _check_joined(
    geometry: Geometry, missed: set[tuple[int, int]], apart: set[tuple[int, int]]
) -> None:
    for pair in sorted(missed):
        one, other = (geometry.points[at] for at in pair)
        who = f"the characteristic points {one.name!r} and {other.name!r} are joined by hand, "
        raise LevelError(
            who + ("and separated" if pair in apart else "but there is a wall between them"),
            file=geometry.source,
            place=one.place or None,
            expected="two points of one floor without a wall between them",
            remedy="move one of them, or leave the join out",
        )


def _points(
    geometry: Geometry, outline: Outline, place: int
) -> tuple[Int64Array, Float64Array, list[int]]:
    """Return the characteristic points of a floor where an agent can stand, in steps of the grid.

    Returns:
        (k, 2) int64, (k) float64 weights, and the points' indices in the level.
    """
    if not geometry.points:
        reflex = np.zeros(len(outline.x), dtype=np.bool_)
        reflex_corners(outline, reflex)
        corner = np.stack([outline.x, outline.y], axis=1)
        corners = np.unique(corner[reflex] if reflex.any() else corner[:1], axis=0)
        return corners, np.zeros(len(corners)), []
    points = np.array([point.point for point in geometry.points], dtype=np.float64)
    steps = np.rint(points * GRID).astype(np.int64)
    indices = [
        at
        for at, point in enumerate(geometry.points)
        if point.floor == place and holds(outline, *steps[at].tolist())
    ]
    known: dict[tuple[int, int], CharacteristicPoint] = {}
    for at in indices:
        x, y = steps[at].tolist()
        if (x, y) in known:
            raise LevelError(
                f"the characteristic points {known[x, y].name!r} and "
                f"{geometry.points[at].name!r} lie at the same point",
                file=geometry.source,
                place=geometry.points[at].place or None,
                expected="points at different positions",
                remedy="remove one of them",
            )
        known[x, y] = geometry.points[at]
    weight = np.array([geometry.points[at].weight for at in indices], dtype=np.float64)
    _check_cones(geometry, indices, weight)
    return steps[indices].reshape(-1, 2), weight, indices


def _check_cones(geometry: Geometry, indices: list[int], weight: Float64Array) -> None:
    """Raise LevelError if a point is inside the cone of another, so that its domain is empty."""
    if not weight.any():
        return
    points = np.array([geometry.points[at].point for at in indices])
    for row, at in enumerate(indices):
        far = np.hypot(*(points - points[row]).T)
        above = weight - far - weight[row]
        above[row] = -np.inf
        over = int(above.argmax())
        if above[over] >= 0 and not geometry.points[at].domain:
            lost, by = geometry.points[at], geometry.points[indices[over]]
            raise LevelError(
                f"the characteristic point {lost.name!r} has no domain: the cone of "
                f"{by.name!r} (weight {by.weight:g}) covers its own (weight {lost.weight:g})",
                file=geometry.source,
                place=lost.place or None,
                expected="weights that differ by less than the points are apart",
                remedy="change one of the weights, or remove the point",
            )


def _drawn_domains(geometry: Geometry) -> dict[int, shapely.Polygon]:
    """Return the domains that are drawn by hand, in steps of the grid, by the point's index."""
    domains: dict[int, shapely.Polygon] = {}
    points = np.array([point.point for point in geometry.points]).reshape(-1, 2)
    places = shapely.points(np.rint(points * GRID))
    for at, point in enumerate(geometry.points):
        if not point.domain:
            continue
        ring = np.rint(np.array(point.domain) * GRID)
        area = shapely.Polygon(ring) if len(ring) > 2 else shapely.Polygon()
        if not area.is_valid or not area.area:
            raise _domain_error(geometry, at, "crosses itself, has holes, or has no area")
        if not area.covers(places[at]):
            raise _domain_error(geometry, at, "lies beside its point")
        for other, one in enumerate(geometry.points):
            if other == at or one.floor != point.floor:
                continue
            if area.contains(places[other]):
                raise _domain_error(geometry, at, f"holds the point {one.name!r} as well")
            if other in domains and area.intersection(domains[other]).area:
                raise _domain_error(geometry, at, f"overlaps that of {one.name!r}")
        domains[at] = area
    return domains


def _domain_error(geometry: Geometry, at: int, found: str) -> LevelError:
    point = geometry.points[at]
    return LevelError(
        f"the domain drawn for the characteristic point {point.name!r} {found}",
        file=geometry.source,
        place=point.place or None,
        expected="one ring around an area that this point alone lies in",
        remedy="draw it again",
    )


def _check_used(geometry: Geometry, used: set[int]) -> None:
    for at, point in enumerate(geometry.points):
        if at not in used:
            raise LevelError(
                f"the characteristic point {point.name!r} at ({point.point[0]:g}, "
                f"{point.point[1]:g}) lies where no agent can stand",
                file=geometry.source,
                place=point.place or None,
                expected="a walkable point, farther from walls than the smallest radius",
                remedy="move it, or remove it",
            )


def neighbours(point: Int64Array) -> Int64Array:
    """Return (m, 2) int64, the distinct pairs of points that a Delaunay triangulation joins.

    Points on one line are joined one after the other.

    Args:
        point: (k, 2) int64, unique.

    >>> neighbours(np.array([[0, 0], [4, 0], [9, 0]])).tolist()
    [[0, 1], [1, 2]]
    """
    if len(point) < 2:
        return np.empty((0, 2), dtype=np.int64)
    along = point - point[0]
    far = along[np.abs(along).sum(axis=1).argmax()]
    if not (along[:, 0] * far[1] - along[:, 1] * far[0]).any():
        order = np.lexsort((point[:, 1], point[:, 0]))
        return np.stack([order[:-1], order[1:]], axis=1)
    lines = shapely.get_parts(
        shapely.delaunay_triangles(shapely.multipoints(point.astype(np.float64)), only_edges=True)
    )
    ends = np.rint(shapely.get_coordinates(lines)).astype(np.int64).reshape(-1, 2, 2)
    number = {(x, y): at for at, (x, y) in enumerate(point.tolist())}
    pairs = [sorted(number[x, y] for x, y in line) for line in ends.tolist()]
    return np.unique(np.array(pairs, dtype=np.int64), axis=0)


def bordering(
    region: shapely.Geometry,
    point: Float64Array,
    weight: Float64Array,
    drawn: Sequence[tuple[int, shapely.Polygon]] = (),
) -> Int64Array:
    """Return (m, 2) int64, the pairs of points whose domains share a border in a region.

    Domains are sampled, so a border shorter than a sample may be missed.

    Args:
        region: in steps of the grid.
        point: (k, 2) float64 units.
        weight: (k) float64 units.
        drawn: points whose domains are drawn by hand, and these domains, in steps of the grid.
    """
    left, top, right, bottom = (float(bound) / GRID for bound in shapely.bounds(region))
    step = max(right - left, bottom - top, 1 / GRID) / SAMPLES
    xs = np.arange(left + step / 2, right + step, step)
    ys = np.arange(top + step / 2, bottom + step, step)
    shapely.prepare(region)
    domain = np.empty((len(ys), len(xs)), dtype=np.int64)
    for line, y in enumerate(ys.tolist()):
        domain[line] = nearest_cone(np.stack([xs, np.full(len(xs), y)], axis=1), point, weight)
        for at, area in drawn:
            domain[line][shapely.contains_xy(area, xs * GRID, np.full(len(xs), y * GRID))] = at
        domain[line][~shapely.contains_xy(region, xs * GRID, np.full(len(xs), y * GRID))] = -1
    pairs = np.concatenate(
        [
            np.stack([domain[:, :-1].ravel(), domain[:, 1:].ravel()], axis=1),
            np.stack([domain[:-1].ravel(), domain[1:].ravel()], axis=1),
        ]
    )
    pairs = np.sort(pairs[(pairs.min(axis=1) >= 0) & (pairs[:, 0] != pairs[:, 1])], axis=1)
    return np.unique(pairs, axis=0)


def nearest_cone(place: Float64Array, point: Float64Array, weight: Float64Array) -> Int64Array:
    """Return (m) int64, the point whose cone is highest above each location; ties go to the first.

    Args:
        place: (m, 2) float64 units.
        point: (k, 2) float64 units, k >= 1.
        weight: (k) float64 units; a cone's height above a location is its weight minus the
            distance.

    >>> point = np.array([[0.0, 0.0], [10.0, 0.0]])
    >>> nearest_cone(np.array([[6.0, 0.0]]), point, np.array([0.0, 0.0])).tolist()
    [1]
    >>> nearest_cone(np.array([[6.0, 0.0]]), point, np.array([3.0, 0.0])).tolist()
    [0]
    """
    height = weight - np.hypot(place[:, :1] - point[:, 0], place[:, 1:] - point[:, 1])
    return np.asarray(height.argmax(axis=1))
