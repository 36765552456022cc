"""Make a graph of the points that shortest ways bend at, joined where they see each other.

T. Lozano-Perez, M. A. Wesley, "An Algorithm for Planning Collision-Free Paths Among Polyhedral
Obstacles", CACM 22, 1979. Only corners that jut into the walkable area are nodes. All of them that
see each other are joined, so a shortest way between any two nodes is one in the plane. Lines that
do not go past the wall at both ends never lie in the middle of such a way, but its first and last
may be such lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely

from bake.arrays import Int64Array, UInt8Array
from bake.errors import LevelError, one_error
from bake.geometry import GRID, Floor, Geometry, walkable
from bake.level import OffMeshLink
from bake.search.plane.sight import Outline, SweepRoom, corners_seen, holds, reflex_corners, sees
from bake.worlds.pieces import Grown, Pieces

#: The most points that a level may have, as each may see all others.
MAX_BENDS = 2**13
#: Length of an arc between two nodes at one point, in units; no arc may be shorter.
SHORTEST = 1 / GRID
#: How far the end of a link may lie from where an agent can be, in units beside its radius.
REACH = 1.0


class Seen(NamedTuple):
    """Points of one floor for one kind of agent, and which see each other.

    Attributes:
        point: (k, 2) int64 steps of the grid.
        tail, head: (m) int64, each pair both ways.
    """

    point: Int64Array
    tail: Int64Array
    head: Int64Array


def visibility_pieces(geometry: Geometry, parts: Sequence[Grown]) -> Pieces:
    """Divide the geometry of every kind of agent by points of visibility.

    Raises:
        LevelError: nobody finds room, there are too many corners, or nobody can take a link.
    """
    gathered, taken = Gathered(), set[int]()
    for part in parts:
        nodes = len(gathered.terrain)
        ends: dict[tuple[int, bool], int] = {}
        for place, floor in enumerate(part.geometry.floors):
            region = walkable(floor, part.kind.terrains)
            if region.is_empty:
                continue
            outline = outline_of(region)
            asked = link_ends(geometry, part, place, region, outline)
            seen = _points_seen(geometry, part, region, outline, list(asked.values()))
            first = gathered.add(seen.point, terrain_at(floor, seen.point, part), seen)
            last = first + len(seen.point) - len(asked)
            ends |= {key: last + at for at, key in enumerate(asked)}
        if len(gathered.terrain) == nodes:
            raise no_room(geometry, part)
        taken |= gathered.link(geometry.links, ends)
    check_links(geometry, taken)
    return gathered.pieces()


class Gathered:
    """Nodes and arcs of a level, as they are found floor by floor and kind by kind."""

    def __init__(self) -> None:
        self.point: list[Int64Array] = []
        self.terrain: list[int] = []
        self.tail: list[int] = []
        self.head: list[int] = []
        self.length: list[float] = []

    def add(self, point: Int64Array, terrain: UInt8Array, seen: Seen) -> int:
        """Add points and the straight ways between them; return the number of the first point."""
        first = len(self.terrain)
        self.point.append(point)
        self.terrain += terrain.tolist()
        self.tail += (first + seen.tail).tolist()
        self.head += (first + seen.head).tolist()
        way = (point[seen.head] - point[seen.tail]) / GRID
        self.length += np.maximum(np.hypot(way[:, 0], way[:, 1]), SHORTEST).tolist()
        return first

    def link(self, links: Sequence[OffMeshLink], ends: dict[tuple[int, bool], int]) -> set[int]:
        """Add links both ends of which have a node; return which ones these are."""
        taken = set[int]()
        for at, link in enumerate(links):
            start, goal = ends.get((at, False)), ends.get((at, True))
            if start is None or goal is None:
                continue
            straight = float(np.hypot(*np.subtract(link.goal, link.start)))
            cost = max(1.0, straight) if link.cost is None else link.cost
            for one, other in [(start, goal), (goal, start)][: 2 if link.both_ways else 1]:
                self.tail.append(one)
                self.head.append(other)
                self.length.append(cost)
            taken.add(at)
        return taken

    def pieces(self) -> Pieces:
        return Pieces(
            np.concatenate(self.point) / GRID,
            np.array(self.terrain, dtype=np.uint8),
            np.array(self.tail, dtype=np.int32),
            np.array(self.head, dtype=np.int32),
            np.array(self.length, dtype=np.float64),
        )


def outline_of(region: shapely.Geometry) -> Outline:
    """Return the walls around a region of (multi)polygons, in steps of the grid."""
    rings: list[Int64Array] = []
    for part in shapely.get_parts(region):
        turned = shapely.geometry.polygon.orient(part)
        for ring in (turned.exterior, *turned.interiors):
            rings.append(np.rint(shapely.get_coordinates(ring)[:-1]).astype(np.int64))
    return Outline.of(rings)


def terrain_at(floor: Floor, point: Int64Array, part: Grown) -> UInt8Array:
    """Return (k) uint8, the terrain of some points; of several that meet there the first."""
    terrain = np.zeros(len(point), dtype=np.uint8)
    areas = [area for area in floor.areas if area.terrain in part.kind.terrains]
    left = np.ones(len(point), dtype=np.bool_)
    where = shapely.points(point.astype(np.float64))
    for area in areas:
        here = left & shapely.intersects(area.region, where)
        terrain[here] = part.code[area.terrain]
        left &= ~here
    terrain[left] = part.code[areas[0].terrain]  # Unions may move a border by a step.
    return terrain


def _points_seen(
    geometry: Geometry,
    part: Grown,
    region: shapely.Geometry,
    outline: Outline,
    asked: list[tuple[int, int]],
) -> Seen:
    """Return the bends of a region, a point for each part without any, and the points asked for."""
    reflex = np.zeros(len(outline.x), dtype=np.bool_)
    reflex_corners(outline, reflex)
    bend = np.flatnonzero(reflex)
    if len(bend) > MAX_BENDS:
        raise LevelError(
            f"{len(bend):,} corners for profile {part.kind.profiles[0]!r} are too many to join "
            "those that see each other",
            file=geometry.source,
            expected=f"at most {MAX_BENDS:,} points of visibility",
            remedy='take division = "mesh", or draw coarser outlines',
        )
    corner = np.stack([outline.x, outline.y], axis=1)
    others = [*_first_corners(region, corner[bend]), *asked]
    point = np.concatenate([corner[bend], np.array(others, dtype=np.int64).reshape(-1, 2)])
    number = np.full(len(outline.x), -1, dtype=np.int64)
    number[bend] = np.arange(len(bend))
    tail, head = list[int](), list[int]()
    room, seen = SweepRoom.of(len(outline.x)), np.empty(len(outline.x), dtype=np.int32)
    for at, (x, y) in enumerate(point.tolist()):
        own = int(bend[at]) if at < len(bend) else -1
        count = corners_seen(outline, x, y, own, room, seen)
        there = number[seen[:count]].tolist()
        tail += [at] * count
        head += there
        if own < 0:
            tail += there
            head += [at] * count
            for other in range(len(bend), at):
                if sees(outline, x, y, *point[other].tolist()):
                    tail += [at, other]
                    head += [other, at]
            # A corner at the point itself is none that can be seen.
            for here in np.flatnonzero((point[: len(bend)] == (x, y)).all(axis=1)).tolist():
                tail += [at, here]
                head += [here, at]
    return Seen(point, np.array(tail, dtype=np.int64), np.array(head, dtype=np.int64))


def _first_corners(region: shapely.Geometry, bends: Int64Array) -> list[tuple[int, int]]:
    """Return a corner of each part of a region that has no bend, so that each part has a node."""
    known = set(map(tuple, bends.tolist()))
    found: list[tuple[int, int]] = []
    for part in shapely.get_parts(region):
        corners = set(map(tuple, np.rint(shapely.get_coordinates(part)).astype(int).tolist()))
        if not corners & known:
            found.append(min(corners))
    return found


def link_ends(
    geometry: Geometry, part: Grown, place: int, region: shapely.Geometry, outline: Outline
) -> dict[tuple[int, bool], tuple[int, int]]:
    """Return the points of the ends of links on a floor, by the link and whether it is its goal.

    Links are left out that are for other profiles, or too far from where such agents may be.
    """
    found: dict[tuple[int, bool], tuple[int, int]] = {}
    for at, link in enumerate(geometry.links):
        if link.profiles is not None and not set(link.profiles) & set(part.kind.profiles):
            continue
        for is_goal, point, floor in (
            (False, link.start, link.start_floor),
            (True, link.goal, link.goal_floor),
        ):
            if floor == place:
                reached = nearest_in(region, outline, point, part.kind.radius + REACH)
                if reached is not None:
                    found[at, is_goal] = reached
    return found


def nearest_in(
    region: shapely.Geometry, outline: Outline, point: tuple[float, float], reach: float
) -> tuple[int, int] | None:
    """Return the point of the grid nearest to a point that lies in a region.

    Args:
        point: in units of the plane.
        reach: how far it may be, likewise.
    """
    steps = np.rint(np.array(point, dtype=np.float64) * GRID)
    x, y = (int(axis) for axis in steps)
    if holds(outline, x, y):
        return x, y
    way = shapely.get_coordinates(shapely.shortest_line(region, shapely.Point(steps)))
    if not len(way) or np.hypot(*(way[0] - steps)) > reach * GRID:
        return None
    near: list[tuple[float, int, int]] = []
    for across in range(-2, 3):
        for down in range(-2, 3):
            px, py = round(float(way[0, 0])) + across, round(float(way[0, 1])) + down
            if holds(outline, px, py):
                near.append((float(np.hypot(px - steps[0], py - steps[1])), px, py))
    return min(near)[1:] if near else None


def no_room(geometry: Geometry, part: Grown) -> LevelError:
    return LevelError(
        f"nothing is walkable for profile {part.kind.profiles[0]!r}",
        file=geometry.source,
        expected="an area of a terrain that has a cost, wider than the agent",
        remedy="give a terrain a cost in [terrain], or lower the profile's radius",
    )


def check_links(geometry: Geometry, taken: set[int]) -> None:
    """Refuse links that nobody can take.

    Raises:
        LevelError, BakeErrors: there are such links.
    """
    lost = [link for at, link in enumerate(geometry.links) if at not in taken]
    if lost:
        raise one_error(
            [
                LevelError(
                    f"the link {link.name!r} from ({link.start[0]:g}, {link.start[1]:g}) to "
                    f"({link.goal[0]:g}, {link.goal[1]:g}) begins or ends where none of its "
                    "profiles can stand",
                    file=geometry.source,
                    place=link.place or None,
                    expected="both ends at most one unit from where an agent can be",
                    remedy="move its ends, or remove it",
                )
                for link in lost
            ]
        )
