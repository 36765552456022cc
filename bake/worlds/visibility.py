"""A visibility graph: the points where shortest paths bend, joined if they see each other.

T. Lozano-Perez, M. A. Wesley, "An Algorithm for Planning Collision-Free Paths Among Polyhedral
Obstacles", CACM 22, 1979. Only reflex corners of the walkable area are nodes, and only *taut* lines
between them are arcs: lines that pass the wall at both ends, since a shortest path bends nowhere
else (bitangents: H. Rohnert, "Shortest Paths in the Plane with Convex Polygonal Obstacles",
Information Processing Letters 23, 1986). The first and the last line of a path need not be taut at
its start and goal, which are joined to the visible corners at query time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import shapely

from bake.core.arrays import BoolArray, Float64Array, Int64Array, UInt8Array
from bake.core.errors import LevelError
from bake.core.level import OffMeshLink, Walls
from bake.geometry import GRID, Floor, Geometry, walkable
from bake.search.plane.sight import Outline, SweepRoom, corners_seen, holds, reflex_corners, sees
from bake.worlds.pieces import (
    REACH,
    GrownGeometry,
    PlaneDivision,
    arcs_of_link,
    check_taken,
    links_for,
    no_room,
    unique_names,
)

#: The most points of a level, as each may see all others.
# limit: a one-line error; lowered by shapes
MAX_BENDS = 2**13
#: Length of an arc between two nodes at one point, in units; no arc may be shorter.
SHORTEST = 1 / GRID

#: A link by its index in the level, and whether its goal rather than its start is meant.
LinkEnd = tuple[int, bool]
#: The points on the grid at which links begin or end.
EndPoints = dict[LinkEnd, tuple[int, int]]


#: Points whose domains are drawn by hand, with the corners, (c, 2) int64 steps of the grid.
Rings = list[tuple[int, Int64Array]]


class VisiblePoints(NamedTuple):
    """Points of one floor for one kind of agent, and the pairs that see each other."""

    point: Int64Array  #: (k, 2) int64 steps of the grid
    #: (m) int64, each pair in both directions
    tail: Int64Array
    head: Int64Array
    #: (w) int64, the point at each corner of the outline, -1 = none; None if points are not corners
    bend: Int64Array | None = None
    weight: Float64Array | None = None  #: (k) float64 units; None where points have no domains
    drawn: Rings | None = None  #: the domains that are drawn by hand
    names: list[str] | None = None  #: (k) names; None where points have none


#: Points, and the point of each end of a link.
PointsAndEnds = tuple[VisiblePoints, dict[LinkEnd, int]]


def divide_by_visibility(geometry: Geometry, parts: Sequence[GrownGeometry]) -> PlaneDivision:
    """Divide the geometry of every kind of agent by points of visibility.

    Raises:
        LevelError: no agent fits, there are too many corners, or no agent can take a link.
    """

    def find_points(
        part: GrownGeometry,
        place: int,
        region: shapely.Geometry,
        outline: Outline,
        end_points: EndPoints,
    ) -> PointsAndEnds:
        points = _find_points(geometry, part, region, outline, list(end_points.values()))
        first = len(points.point) - len(end_points)
        return points, {key: first + at for at, key in enumerate(end_points)}

    return collect_points(geometry, parts, find_points)


def collect_points(
    geometry: Geometry,
    parts: Sequence[GrownGeometry],
    find_points: Callable[
        [GrownGeometry, int, shapely.Geometry, Outline, EndPoints], PointsAndEnds
    ],
) -> PlaneDivision:
    """Collect the points of all floors for every kind of agent, and join the ends of links.

    Args:
        geometry, parts: the level, and its geometry for each kind of agent.
        find_points: returns the points of a floor for one kind, and the point of each end of a
            link, given the floor's index, its region, the walls around it and the ends of links.

    Raises:
        LevelError: no agent fits, or no agent can take a link.
    """
    collector, taken = PointCollector(), set[int]()
    for part in parts:
        nodes = len(collector.terrain)
        ends: dict[LinkEnd, int] = {}
        for place, floor in enumerate(part.geometry.floors):
            region = walkable(floor, part.kind.terrains)
            if region.is_empty:
                continue
            outline = outline_of(region)
            end_points = _link_ends(geometry, part, place, region, outline)
            points, point_of_end = find_points(part, place, region, outline, end_points)
            terrain = terrain_at(floor, points.point, part)
            first = collector.add(points, terrain, FloorWalls(outline, place))
            ends |= {key: first + at for key, at in point_of_end.items()}
        if len(collector.terrain) == nodes:
            raise no_room(geometry, part.kind)
        taken |= collector.link(geometry.links, ends)
    check_taken(geometry, taken)
    return collector.pieces()


class FloorWalls(NamedTuple):
    """The walls around some points, and the index of their floor."""

    outline: Outline
    floor: int


class PointCollector:
    """The nodes, arcs and walls of a level, collected floor by floor and kind by kind."""

    def __init__(self) -> None:
        self.around: list[FloorWalls] = []
        self.bend: list[Int64Array | None] = []
        self.weight: list[Float64Array | None] = []
        self.drawn: Rings = []
        self.names: list[str] | None = []
        self.point: list[Int64Array] = []
        self.terrain: list[int] = []
        self.tail: list[int] = []
        self.head: list[int] = []
        self.length: list[float] = []

    def add(self, seen: VisiblePoints, terrain: UInt8Array, around: FloorWalls) -> int:
        """Add points and the lines between them; return the number of the first point."""
        first, point = len(self.terrain), seen.point
        self.around.append(around)
        self.bend.append(None if seen.bend is None else _add_offset(seen.bend, first))
        self.weight.append(seen.weight)
        self.names = None if self.names is None or seen.names is None else self.names + seen.names
        self.drawn += [(first + at, ring) for at, ring in seen.drawn or ()]
        self.point.append(point)
        self.terrain += terrain.tolist()
        self.tail += (first + seen.tail).tolist()
        self.head += (first + seen.head).tolist()
        line = (point[seen.head] - point[seen.tail]) / GRID
        self.length += np.maximum(np.hypot(line[:, 0], line[:, 1]), SHORTEST).tolist()
        return first

    def link(self, links: Sequence[OffMeshLink], ends: dict[LinkEnd, int]) -> set[int]:
        """Add links both ends of which have a node; return their indices."""
        taken = set[int]()
        for at, link in enumerate(links):
            start, goal = ends.get((at, False)), ends.get((at, True))
            if start is None or goal is None:
                continue
            for tail, head, length in arcs_of_link(link, start, goal):
                self.tail.append(tail)
                self.head.append(head)
                self.length.append(length)
            taken.add(at)
        return taken

    def pieces(self) -> PlaneDivision:
        return PlaneDivision(
            np.concatenate(self.point) / GRID,
            np.array(self.terrain, dtype=np.uint8),
            np.array(self.tail, dtype=np.int32),
            np.array(self.head, dtype=np.int32),
            np.array(self.length, dtype=np.float64),
            walls=self._walls(),
            names=None if self.names is None else unique_names(self.names),
        )

    def _walls(self) -> Walls:
        outlines = [each.outline for each in self.around]
        first = np.cumsum([0, *(len(each.x) for each in outlines)])
        corner = [np.stack([each.x, each.y], axis=1) for each in outlines]
        after = [each.after + at for each, at in zip(outlines, first[:-1].tolist(), strict=True)]
        bends = [each for each in self.bend if each is not None]
        weights = [each for each in self.weight if each is not None]
        closed = [np.concatenate([ring, ring[:1]]).astype(np.int32) for _, ring in self.drawn]
        owner = np.array([at for at, _ in self.drawn], dtype=np.int32)
        return Walls(
            np.concatenate(corner).astype(np.int32),
            np.concatenate(after).astype(np.int32),
            first.astype(np.int32),
            np.array([each.floor for each in self.around], dtype=np.uint8),
            np.repeat(np.arange(len(self.point)), [len(each) for each in self.point]).astype(
                np.int32
            ),
            np.concatenate(bends).astype(np.int32) if bends else None,
            np.concatenate(weights) if weights else None,
            np.concatenate(closed) if closed else None,
            np.repeat(owner, [len(each) for each in closed]) if closed else None,
        )


def _add_offset(number: Int64Array, by: int) -> Int64Array:
    """Add an offset to numbers, except to -1."""
    return np.where(number < 0, number, number + by)


def outline_of(region: shapely.Geometry) -> Outline:
    """Return the walls around a region of (multi)polygons, in steps of the grid."""
    rings: list[Int64Array] = []
    for part in shapely.get_parts(region):
        turned = shapely.geometry.polygon.orient(part)
        for ring in (turned.exterior, *turned.interiors):
            rings.append(np.rint(shapely.get_coordinates(ring)[:-1]).astype(np.int64))
    return Outline.from_rings(rings)


def terrain_at(floor: Floor, point: Int64Array, part: GrownGeometry) -> UInt8Array:
    """Return (k) uint8, the terrain of some points; the first one where several meet."""
    terrain = np.zeros(len(point), dtype=np.uint8)
    areas = [area for area in floor.areas if area.terrain in part.kind.terrains]
    left = np.ones(len(point), dtype=np.bool_)
    where = shapely.points(point.astype(np.float64))
    for area in areas:
        is_inside = left & shapely.intersects(area.region, where)
        terrain[is_inside] = part.code[area.terrain]
        left &= ~is_inside
    terrain[left] = part.code[areas[0].terrain]  # Unions may move a border by a step.
    return terrain


def _find_points(
    geometry: Geometry,
    part: GrownGeometry,
    region: shapely.Geometry,
    outline: Outline,
    end_points: list[tuple[int, int]],
) -> VisiblePoints:
    """Return the reflex corners of a region, one point for each part without any, and link ends."""
    reflex = np.zeros(len(outline.x), dtype=np.bool_)
    reflex_corners(outline, reflex)
    bend = np.flatnonzero(reflex)
    if len(bend) > MAX_BENDS:
        raise LevelError(
            f"{len(bend):,} corners for profile {part.kind.profiles[0]!r} are too many to join "
            "those that see each other",
            file=geometry.source,
            expected=f"at most {MAX_BENDS:,} points of visibility",
            remedy='use division = "mesh", or draw coarser outlines',
        )
    corner = np.stack([outline.x, outline.y], axis=1)
    added = [*_first_corners(region, corner[bend]), *end_points]
    point = np.concatenate([corner[bend], np.array(added, dtype=np.int64).reshape(-1, 2)])
    number = np.full(len(outline.x), -1, dtype=np.int64)
    number[bend] = np.arange(len(bend))
    tail, head = list[int](), list[int]()
    buffers, seen = SweepRoom.of(len(outline.x)), np.empty(len(outline.x), dtype=np.int32)
    for at, (x, y) in enumerate(point.tolist()):
        own_corner = int(bend[at]) if at < len(bend) else -1
        count = corners_seen(outline, x, y, own_corner, buffers, seen)
        visible = number[seen[:count]].tolist()
        tail += [at] * count
        head += visible
        if own_corner < 0:
            tail += visible
            head += [at] * count
            for other in range(len(bend), at):
                if sees(outline, x, y, *point[other].tolist()):
                    tail += [at, other]
                    head += [other, at]
            # A corner at the point itself cannot be seen from there.
            for coincident in np.flatnonzero((point[: len(bend)] == (x, y)).all(axis=1)).tolist():
                tail += [at, coincident]
                head += [coincident, at]
    arc = np.array([tail, head], dtype=np.int64).reshape(2, -1)
    return VisiblePoints(point, *_select_taut(outline, point, bend, arc), bend=number)


def _select_taut(
    outline: Outline, point: Int64Array, bend: Int64Array, arc: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Return the taut arcs, and the bridges that join the parts which taut arcs leave disconnected.

    Some corners see each other only along lines that are not taut, such as the tips of two spikes.
    The shortest lines between such parts are included, since the graph also answers reachability.

    Args:
        outline: the walls.
        point: (k, 2) int64, corners first.
        bend: (b) int64, the corners of the outline that are the first b points.
        arc: (2, m) int64 tails and heads, each pair in both directions.
    """
    tail, head = arc
    line = point[head] - point[tail]
    is_chosen = touches(outline, bend, tail, line) & touches(outline, bend, head, line)
    part = np.arange(len(point))
    joined = np.unique(np.sort(arc[:, is_chosen], axis=0), axis=1).T.tolist()
    left = np.flatnonzero(~is_chosen & (tail < head))
    far = (line[left] ** 2).sum(axis=1)
    order = left[np.lexsort((head[left], tail[left], far))]

    def root(at: int) -> int:
        while part[at] != at:
            part[at] = part[part[at]]
            at = int(part[at])
        return at

    for one, other in joined:
        part[root(one)] = root(other)
    bridges = set[tuple[int, int]]()
    for one, other in arc[:, order].T.tolist():
        a, b = root(one), root(other)
        if a != b:
            part[a] = b
            bridges |= {(one, other), (other, one)}
    if bridges:
        is_chosen |= np.array([pair in bridges for pair in zip(*arc.tolist(), strict=True)])
    return tail[is_chosen], head[is_chosen]


def touches(outline: Outline, bend: Int64Array, at: Int64Array, line: Int64Array) -> BoolArray:
    """Return whether lines touch the walls at a point: both walls are on one side of the line.

    Args:
        bend: (b) int64, the corners of the outline that are the first b points.
        at: (m) int64 points; lines through points that are not corners always pass.
        line: (m, 2) int64, from one end of each line to the other.
    """
    passes = at >= len(bend)
    at_corner = np.flatnonzero(~passes)
    corner = bend[at[at_corner]]
    x, y, before, after = outline
    dx, dy = line[at_corner].T
    sides = [
        np.sign(dx * (y[wall[corner]] - y[corner]) - dy * (x[wall[corner]] - x[corner]))
        for wall in (before, after)
    ]
    passes[at_corner] = sides[0] * sides[1] >= 0
    return passes


def _first_corners(region: shapely.Geometry, bends: Int64Array) -> list[tuple[int, int]]:
    """Return one corner of each part of a region without a bend, so that each part has a node."""
    known = set(map(tuple, bends.tolist()))
    chosen: list[tuple[int, int]] = []
    for part in shapely.get_parts(region):
        corners = set(map(tuple, np.rint(shapely.get_coordinates(part)).astype(int).tolist()))
        if not corners & known:
            chosen.append(min(corners))
    return chosen


def _link_ends(
    geometry: Geometry, part: GrownGeometry, place: int, region: shapely.Geometry, outline: Outline
) -> EndPoints:
    """Return the points of the ends of links on a floor.

    Links are omitted that are for other profiles, or too far from the area of such agents.
    """
    points: EndPoints = {}
    for at, link in links_for(geometry, part.kind):
        for is_goal, point, floor in (
            (False, link.start, link.start_floor),
            (True, link.goal, link.goal_floor),
        ):
            if floor == place:
                reached = nearest_in(region, outline, point, part.kind.radius + REACH)
                if reached is not None:
                    points[at, is_goal] = reached
    return points


def nearest_in(
    region: shapely.Geometry, outline: Outline, point: tuple[float, float], reach: float
) -> tuple[int, int] | None:
    """Return the grid point of a region that is nearest to a point, or None.

    Args:
        point: in units of the plane.
        reach: the largest distance, in units of the plane.
    """
    steps = np.rint(np.array(point, dtype=np.float64) * GRID)
    x, y = (int(axis) for axis in steps)
    if holds(outline, x, y):
        return x, y
    line = shapely.get_coordinates(shapely.shortest_line(region, shapely.Point(steps)))
    if not len(line) or np.hypot(*(line[0] - steps)) > reach * GRID:
        return None
    near: list[tuple[float, int, int]] = []
    for across in range(-2, 3):
        for down in range(-2, 3):
            px, py = round(float(line[0, 0])) + across, round(float(line[0, 1])) + down
            if holds(outline, px, py):
                near.append((float(np.hypot(px - steps[0], py - steps[1])), px, py))
    return min(near)[1:] if near else None
