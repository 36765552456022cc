"""Find straight lines through walls on a divided plane.

A game maps a point to a node, and moves agents straight from node to node. A wall may block either
line: between the centers of two polygons the line may leave both, and the nearest characteristic
point may lie behind a wall.
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

#: The number of sample points along the longer side of a level.
_SAMPLES_PER_SIDE = 64


class Blocked(NamedTuple):
    """Straight lines of one kind of agent that walls block."""

    profile: str  #: the agent profile
    node: int  #: a node of the first line
    lines: int  #: number of blocked lines
    message: str  #: description in one line, with the coordinates of the first line


def blocked_lines(
    drawn: Drawn, level: GraphLevel, profiles: Sequence[AgentProfile], *, by_point: bool
) -> Iterator[Blocked]:
    """Yield the blocked straight lines of a level, by the kind of agent.

    Levels with several floors are skipped, since nodes have no floor.

    Args:
        drawn: the level before its division, with shapes or cells.
        level: the divided level.
        profiles: the agent profiles, with rules for the terrains of ``drawn``.
        by_point: whether points are mapped to the nearest node; otherwise only steps are checked.
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
        has_profile = np.array(
            [kind.profiles[0] in level.areas[name][1] for name in level.terrains]
        )
        node = np.flatnonzero(has_profile[level.node_terrain])
        if region.is_empty or not len(node):
            continue
        outline = outline_of(region)
        yield from _check_steps(geometry, level, kind, outline, node)
        if by_point:
            yield from _check_points(level, kind, region, outline, node)


def _check_steps(
    geometry: Geometry, level: GraphLevel, kind: Kind, outline: Outline, node: Int64Array
) -> Iterator[Blocked]:
    assert level.position is not None
    is_own_node = np.zeros(len(level.node_names), dtype=np.bool_)
    is_own_node[node] = True
    arcs = np.flatnonzero(
        is_own_node[level.tail] & is_own_node[level.head] & ~_link_arcs(geometry, level, kind)
    )
    steps = np.rint(level.position * GRID).astype(np.int64)
    wrong: list[int] = []
    for arc in arcs.tolist():
        start, end = steps[level.tail[arc]].tolist(), steps[level.head[arc]].tolist()
        inside = holds(outline, *start) and holds(outline, *end)
        if inside and not sees(outline, *start, *end):
            wrong.append(arc)
    if wrong:
        tail, head = int(level.tail[wrong[0]]), int(level.head[wrong[0]])
        yield Blocked(
            kind.profiles[0],
            tail,
            len(wrong),
            f"{counted(len(wrong), 'step')} cannot be walked in a straight line: from "
            f"{_point_text(level.position[tail])} to {_point_text(level.position[head])} there is "
            "a wall in the way",
        )


def _link_arcs(geometry: Geometry, level: GraphLevel, kind: Kind) -> BoolArray:
    """Return an (m) bool mask of arcs that may be links, which need not be straight."""
    assert level.position is not None
    is_link = np.zeros(len(level.tail), dtype=np.bool_)
    for link in geometry.links:
        is_near = [
            np.hypot(*(level.position - np.array(end)).T) <= kind.radius + REACH + 1 / GRID
            for end in (link.start, link.goal)
        ]
        is_link |= is_near[0][level.tail] & is_near[1][level.head]
        is_link |= is_near[1][level.tail] & is_near[0][level.head]
    return is_link


def _drawn_domains(walls: Walls, node: Int64Array) -> list[tuple[int, shapely.Polygon]]:
    """Return the indices of nodes with hand-drawn domains, and the domains in grid steps."""
    corner, owner = walls.domain_corner, walls.domain_node
    if corner is None or owner is None:
        return []
    rings = ((i, corner[owner == node_id]) for i, node_id in enumerate(node.tolist()))
    return [(i, shapely.Polygon(ring)) for i, ring in rings if len(ring)]


def _check_points(
    level: GraphLevel, kind: Kind, region: shapely.Geometry, outline: Outline, node: Int64Array
) -> Iterator[Blocked]:
    """Check the line from sample points all over the level to their nearest nodes."""
    assert level.position is not None
    position = level.position[node]
    steps = np.rint(position * GRID).astype(np.int64)
    left, top, right, bottom = shapely.bounds(region).tolist()
    side = max(right - left, bottom - top) / _SAMPLES_PER_SIDE
    xs = np.arange(left + side / 2, right, side)
    ys = np.arange(top + side / 2, bottom, side)
    weights = None if level.walls is None else level.walls.weight
    weight = np.zeros(len(node)) if weights is None else weights[node]
    drawn = [] if level.walls is None else _drawn_domains(level.walls, node)
    samples = np.rint(np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)).astype(np.int64)
    wrong: list[tuple[Float64Array, int]] = []
    count = 0
    for x, y in samples.tolist():
        if not holds(outline, x, y):
            continue
        count += 1
        distance = np.hypot(*(position - np.array([x, y]) / GRID).T)
        nearest = int((distance - weight).argmin())
        nearest = next((i for i, area in drawn if shapely.contains_xy(area, x, y)), nearest)
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
            f"to them: from {_point_text(point)} to {_point_text(position[nearest])} there is "
            "a wall in the way",
        )


def _point_text(point: Float64Array) -> str:
    x, y = (round(axis, 3) for axis in point.tolist())
    return f"({x:g}, {y:g})"
