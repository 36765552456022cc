"""Find straight lines over a divided plane that a wall lies in the way of.

A game puts a point to a node, and lets agents go straight from node to node. Neither needs to be
possible: with nodes in the centres of polygons the line between two of them may leave both, and the
nearest characteristic point may lie behind a wall.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import shapely

from bake.core.arrays import BoolArray, Float64Array, Int64Array
from bake.core.errors import counted
from bake.core.level import Drawn, GraphLevel, GridLevel, Walls
from bake.geometry import GRID, Geometry, geometry_of, grown, walkable
from bake.search.plane.sight import Outline, holds, sees
from bake.worlds import AgentProfile
from bake.worlds.division import kinds_of
from bake.worlds.doors import settled
from bake.worlds.pieces import REACH, Kind
from bake.worlds.visibility import outline_of

#: Points that are tried along the longer side of a level.
_TRIED = 64


class Blocked(NamedTuple):
    """Straight lines of one kind that a wall lies in the way of."""

    profile: str  #: whose
    node: int  #: a node of the first of them
    lines: int  #: how many there are
    message: str  #: what is wrong, in one line, with the coordinates of the first


def blocked_lines(
    drawn: Drawn, level: GraphLevel, profiles: Sequence[AgentProfile], *, by_point: bool
) -> Iterator[Blocked]:
    """Yield what a straight line of a level cannot do, by the kind of agent.

    Levels of several floors are not looked at, as nodes do not say which one they are on.

    Args:
        drawn: the level as it was drawn, with shapes or cells.
        level: the same, divided.
        profiles: with rules for the terrains as they were drawn.
        by_point: whether each node stands for the points nearest to it; otherwise only steps are
            looked at.
    """
    if isinstance(drawn, GraphLevel) or level.position is None:
        return
    if isinstance(drawn, GridLevel):
        drawn, _ = settled(drawn)
    geometry = geometry_of(drawn)
    if len(geometry.floors) > 1:
        return
    for kind in kinds_of(geometry, profiles, apart=level.mesh is None):
        region = walkable(grown(geometry, kind.terrains, kind.radius).floors[0], kind.terrains)
        own = np.array([kind.profiles[0] in level.areas[name][1] for name in level.terrains])
        node = np.flatnonzero(own[level.node_terrain])
        if region.is_empty or not len(node):
            continue
        outline = outline_of(region)
        yield from _steps(geometry, level, kind, outline, node)
        if by_point:
            yield from _points(level, kind, region, outline, node)


def _steps(
    geometry: Geometry, level: GraphLevel, kind: Kind, outline: Outline, node: Int64Array
) -> Iterator[Blocked]:
    assert level.position is not None
    mine = np.zeros(len(level.node_names), dtype=np.bool_)
    mine[node] = True
    arcs = np.flatnonzero(mine[level.tail] & mine[level.head] & ~_links(geometry, level, kind))
    steps = np.rint(level.position * GRID).astype(np.int64)
    wrong: list[int] = []
    for arc in arcs.tolist():
        one, other = steps[level.tail[arc]].tolist(), steps[level.head[arc]].tolist()
        inside = holds(outline, *one) and holds(outline, *other)
        if inside and not sees(outline, *one, *other):
            wrong.append(arc)
    if wrong:
        tail, head = int(level.tail[wrong[0]]), int(level.head[wrong[0]])
        yield Blocked(
            kind.profiles[0],
            tail,
            len(wrong),
            f"{counted(len(wrong), 'step')} cannot be walked in a straight line: from "
            f"{_shown(level.position[tail])} to {_shown(level.position[head])} there is a wall in "
            "the way",
        )


def _links(geometry: Geometry, level: GraphLevel, kind: Kind) -> BoolArray:
    """Tell which arcs, (m) bool, may be links, which need not be straight."""
    assert level.position is not None
    found = np.zeros(len(level.tail), dtype=np.bool_)
    for link in geometry.links:
        away = [
            np.hypot(*(level.position - np.array(end)).T) <= kind.radius + REACH + 1 / GRID
            for end in (link.start, link.goal)
        ]
        found |= away[0][level.tail] & away[1][level.head]
        found |= away[1][level.tail] & away[0][level.head]
    return found


def _drawn(walls: Walls, node: Int64Array) -> list[tuple[int, shapely.Polygon]]:
    """Return which of some nodes have domains drawn by hand, and these, in steps of the grid."""
    corner, owner = walls.domain_corner, walls.domain_node
    if corner is None or owner is None:
        return []
    rings = ((at, corner[owner == own]) for at, own in enumerate(node.tolist()))
    return [(at, shapely.Polygon(ring)) for at, ring in rings if len(ring)]


def _points(
    level: GraphLevel, kind: Kind, region: shapely.Geometry, outline: Outline, node: Int64Array
) -> Iterator[Blocked]:
    """Try points all over the level: look for a wall between each and the node nearest to it."""
    assert level.position is not None
    position = level.position[node]
    steps = np.rint(position * GRID).astype(np.int64)
    left, top, right, bottom = shapely.bounds(region).tolist()
    side = max(right - left, bottom - top) / _TRIED
    xs = np.arange(left + side / 2, right, side)
    ys = np.arange(top + side / 2, bottom, side)
    cone = None if level.walls is None else level.walls.weight
    weight = np.zeros(len(node)) if cone is None else cone[node]
    drawn = [] if level.walls is None else _drawn(level.walls, node)
    tried = np.rint(np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)).astype(np.int64)
    wrong: list[tuple[Float64Array, int]] = []
    count = 0
    for x, y in tried.tolist():
        if not holds(outline, x, y):
            continue
        count += 1
        away = np.hypot(*(position - np.array([x, y]) / GRID).T)
        nearest = int((away - weight).argmin())
        nearest = next((at for at, area in drawn if shapely.contains_xy(area, x, y)), nearest)
        if not sees(outline, x, y, *steps[nearest].tolist()):
            wrong.append((np.array([x, y]) / GRID, nearest))
    if wrong:
        point, nearest = wrong[0]
        share = 100 * len(wrong) / count
        yield Blocked(
            kind.profiles[0],
            int(node[nearest]),
            len(wrong),
            f"{len(wrong):,} of {count:,} points tried ({share:.0f} %) do not see the node nearest "
            f"to them: from {_shown(point)} to {_shown(position[nearest])} there is a wall in the "
            "way",
        )


def _shown(point: Float64Array) -> str:
    x, y = (round(axis, 3) for axis in point.tolist())
    return f"({x:g}, {y:g})"
