"""Add nodes to the polygons of a mesh at the ends of off-mesh links."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Float64Array, Int64Array
from bake.core.level import Mesh
from bake.geometry import GRID, Geometry
from bake.worlds.pieces import REACH, Kind, arcs_of_link, links_for


class LinkNodes(NamedTuple):
    """Nodes at the ends of links, and the arcs of the links."""

    polygon: Int64Array  #: (k) int64, the polygon of each node
    position: Float64Array  #: (k, 2) float64 units of the plane
    #: (a) int64, of the k nodes
    tail: Int64Array
    head: Int64Array
    length: Float64Array  #: (a) float64


def link_nodes(
    geometry: Geometry, mesh: Mesh, polygon_ids: Int64Array, kind: Kind
) -> tuple[LinkNodes, set[int]]:
    """Return the nodes of a level's links for one kind of agent, and the links it may take.

    Links are omitted that are for other profiles, or too far from the area of such agents.

    Args:
        geometry: of the level.
        mesh: polygons of all kinds.
        polygon_ids: (p) those of this kind, ascending.
        kind: its agents.
    """
    nodes: list[tuple[int, Float64Array, float]] = []
    arcs: list[tuple[int, int, float]] = []
    taken = set[int]()
    for at, link in links_for(geometry, kind):
        ends = [
            nearest_polygon(mesh, polygon_ids[mesh.floor[polygon_ids] == floor], np.array(point))
            for point, floor in ((link.start, link.start_floor), (link.goal, link.goal_floor))
        ]
        near = [end for end in ends if end is not None and end[2] <= kind.radius + REACH]
        if len(near) == len(ends):
            arcs += arcs_of_link(link, len(nodes), len(nodes) + 1)
            nodes += near
            taken.add(at)
    tail, head = np.array([arc[:2] for arc in arcs], dtype=np.int64).reshape(-1, 2).T
    links = LinkNodes(
        np.array([polygon for polygon, _, _ in nodes], dtype=np.int64),
        np.array([place for _, place, _ in nodes], dtype=np.float64).reshape(-1, 2),
        tail,
        head,
        np.array([length for _, _, length in arcs], dtype=np.float64),
    )
    return links, taken


def nearest_polygon(
    mesh: Mesh, polygon_ids: Int64Array, point: Float64Array
) -> tuple[int, Float64Array, float] | None:
    """Return the polygon at or nearest to a point, its nearest point, and the distance.

    Args:
        mesh: the polygons.
        polygon_ids: (p) the polygons that count; without any, None is returned.
        point: (2) float64 units of the plane.
    """
    if not len(polygon_ids):
        return None
    count = np.diff(mesh.first_corner)[polygon_ids]
    owner = np.repeat(np.arange(len(polygon_ids)), count)
    first = np.cumsum(count) - count
    corner = mesh.first_corner[:-1][polygon_ids][owner] + np.arange(len(owner)) - first[owner]
    after = np.arange(1, len(owner) + 1)
    after[first + count - 1] = first
    begin = mesh.vertex[mesh.corner[corner]] / GRID
    edge = begin[after] - begin
    away = point - begin
    side = edge[:, 0] * away[:, 1] - edge[:, 1] * away[:, 0]
    inside = np.minimum.reduceat(side, first) >= 0
    if inside.any():
        return int(polygon_ids[int(inside.argmax())]), point, 0.0
    part = np.clip((edge * away).sum(axis=1) / (edge * edge).sum(axis=1), 0, 1)
    on_edge = begin + part[:, None] * edge
    far = np.hypot(*(point - on_edge).T)
    best = int(far.argmin())
    return int(polygon_ids[owner[best]]), on_edge[best], float(far[best])
