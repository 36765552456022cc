"""Give off-mesh links nodes where they begin and end, in the polygons of a mesh."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from bake.arrays import Float64Array, Int64Array
from bake.errors import LevelError, one_error
from bake.geometry import GRID, Geometry
from bake.level import Mesh, OffMeshLink

#: How far the end of a link may lie from the walkable area, in units of the plane beside an agent's
#: radius: ends of ladders are drawn on walls.
REACH = 1.0


class LinkNodes(NamedTuple):
    """Nodes at the ends of links, and the arcs that links are."""

    polygon: Int64Array  #: (k) int64, where each node lies
    position: Float64Array  #: (k, 2) float64 units of the plane
    #: tail, head: (a) int64, of the k nodes
    tail: Int64Array
    head: Int64Array
    length: Float64Array  #: (a) float64


def link_nodes(
    geometry: Geometry, mesh: Mesh, mine: Int64Array, radius: float, names: Collection[str]
) -> tuple[LinkNodes, set[int]]:
    """Return the nodes of a level's links for one kind of agent, and which links it may take.

    Links are left out that are for other profiles, or too far from where such agents may be.

    Args:
        geometry: of the level.
        mesh: polygons of all kinds.
        mine: (p) those of this kind, ascending.
        radius: of its agents.
        names: its profiles.
    """
    polygon, tail, head = list[int](), list[int](), list[int]()
    position: list[Float64Array] = []
    length: list[float] = []
    taken = set[int]()
    for at, link in enumerate(geometry.links):
        if link.profiles is not None and not set(link.profiles) & set(names):
            continue
        ends = [
            nearest_polygon(mesh, mine[mesh.floor[mine] == floor], np.array(point))
            for point, floor in ((link.start, link.start_floor), (link.goal, link.goal_floor))
        ]
        if any(end is None or end[2] > radius + REACH for end in ends):
            continue
        first = len(polygon)
        for end in ends:
            assert end is not None
            polygon.append(end[0])
            position.append(end[1])
        straight = float(np.hypot(*np.subtract(link.goal, link.start)))
        ways = [(first, first + 1), (first + 1, first)][: 2 if link.both_ways else 1]
        tail += [one for one, _ in ways]
        head += [other for _, other in ways]
        length += [max(1.0, straight) if link.cost is None else link.cost] * len(ways)
        taken.add(at)
    return (
        LinkNodes(
            np.array(polygon, dtype=np.int64),
            np.array(position, dtype=np.float64).reshape(-1, 2),
            np.array(tail, dtype=np.int64),
            np.array(head, dtype=np.int64),
            np.array(length, dtype=np.float64),
        ),
        taken,
    )


def nearest_polygon(
    mesh: Mesh, mine: Int64Array, point: Float64Array
) -> tuple[int, Float64Array, float] | None:
    """Return the polygon that a point lies in or is nearest to, the nearest point, and how far.

    Args:
        mesh: the polygons.
        mine: (p) those that count; None is returned where there are none.
        point: (2) float64 units of the plane.
    """
    if not len(mine):
        return None
    count = np.diff(mesh.first_corner)[mine]
    owner = np.repeat(np.arange(len(mine)), count)
    first = np.cumsum(count) - count
    corner = mesh.first_corner[:-1][mine][owner] + np.arange(len(owner)) - first[owner]
    after = np.arange(1, len(owner) + 1)
    after[first + count - 1] = first
    here = mesh.vertex[mesh.corner[corner]] / GRID
    edge = here[after] - here
    away = point - here
    side = edge[:, 0] * away[:, 1] - edge[:, 1] * away[:, 0]
    inside = np.minimum.reduceat(side, first) >= 0
    if inside.any():
        return int(mine[int(inside.argmax())]), point, 0.0
    part = np.clip((edge * away).sum(axis=1) / (edge * edge).sum(axis=1), 0, 1)
    on_edge = here + part[:, None] * edge
    far = np.hypot(*(point - on_edge).T)
    best = int(far.argmin())
    return int(mine[owner[best]]), on_edge[best], float(far[best])


def check_taken(geometry: Geometry, taken: Collection[int]) -> None:
    """Refuse links that nobody can take.

    Raises:
        LevelError, BakeErrors: there are such links.
    """
    lost = [link for at, link in enumerate(geometry.links) if at not in taken]
    if lost:
        raise one_error([_lost(geometry, link) for link in lost])


def _lost(geometry: Geometry, link: OffMeshLink) -> LevelError:
    (x0, y0), (x1, y1) = link.start, link.goal
    return LevelError(
        f"the link {link.name!r} from ({x0:g}, {y0:g}) to ({x1:g}, {y1:g}) begins or ends where "
        "none of its profiles can stand",
        file=geometry.source,
        place=link.place or None,
        expected="both ends at most one unit from where an agent can be",
        remedy="move its ends, or remove it",
    )
