"""Find islands in an imported mesh, and edges that meet only in part.

Two polygons of such a mesh are neighbors if they share a whole edge, so a corner of one in the
middle of the other's edge (a T-junction), or corners that differ slightly, form invisible walls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import shapely

from bake.core.arrays import BoolArray, Float64Array, Int64Array
from bake.core.errors import counted
from bake.core.level import Mesh, Polygons, Remark
from bake.worlds.mesh_links import LinkNodes

#: The largest gap between edges that were meant to meet, in steps of the grid: corners are snapped.
_NEAR = 1.5
#: The shortest part of an edge that counts, in steps of the grid.
_SHORTEST = 2.0


class _Edges(NamedTuple):
    """Edges without a neighbor behind them, in steps of the grid."""

    polygon: Int64Array  #: (e) int64
    #: begin, direction: (e, 2) float64; directions have length 1
    begin: Float64Array
    direction: Float64Array
    length: Float64Array  #: (e) float64


def mesh_remarks(
    mesh: Mesh, polygon_ids: Int64Array, stands: BoolArray, links: LinkNodes, polygons: Polygons
) -> tuple[Remark, ...]:
    """Return a remark on a mesh of several islands, or with edges that meet only in part.

    Args:
        mesh: polygons of all kinds of agents.
        polygon_ids: (p) int64, the polygons of the file, floor after floor.
        stands: (p) bool, whether any agent may stand on each of them.
        links: the off-mesh links between them.
        polygons: the polygons of the file.
    """
    walkable = polygon_ids[stands]
    islands = _count_islands(mesh, walkable, links)
    half_met = np.concatenate(
        [_half_met(mesh, walkable[mesh.floor[walkable] == at]) for at in np.unique(mesh.floor)]
    )
    if islands <= 1 and not len(half_met):
        return ()
    place = None
    message = (
        f"the mesh is in {counted(islands, 'island')}, as polygons are joined only where they "
        "share a whole edge"
    )
    if len(half_met):
        # The file's polygons are numbered in its order, the mesh's by their floors.
        in_file = np.argsort(polygons.floor, kind="stable")
        place = polygons.places[min(in_file[np.searchsorted(polygon_ids, half_met)].tolist())]
        edges = counted(len(half_met), "edge")
        message += f"; {edges} meet others only in part: give both polygons the same corners there"
    return (Remark(place, message),)


def _count_islands(mesh: Mesh, polygon_ids: Int64Array, links: LinkNodes) -> int:
    """Return the number of connected parts of some polygons, joined by edges and links."""
    owner = np.repeat(np.arange(len(mesh.terrain)), np.diff(mesh.first_corner))
    chosen = np.zeros(len(mesh.terrain), dtype=np.bool_)
    chosen[polygon_ids] = True
    joined = (mesh.neighbour >= 0) & chosen[owner] & chosen[mesh.neighbour]
    tail = np.concatenate([owner[joined], links.polygon[links.tail]])
    head = np.concatenate([mesh.neighbour[joined], links.polygon[links.head]])
    # No kernels here: they would be compiled before the level is known to be valid.
    part = np.arange(len(mesh.terrain))
    while (part[tail] != part[head]).any():
        lower = np.minimum(part[tail], part[head])
        np.minimum.at(part, part[tail], lower)
        np.minimum.at(part, part[head], lower)
        while (part[part] != part).any():
            part = part[part]
    return len(np.unique(part[polygon_ids]))


def _half_met(mesh: Mesh, polygon_ids: Int64Array) -> Int64Array:
    """Return the polygon of each edge on one floor that another edge covers in part."""
    edges = _open_edges(mesh, polygon_ids)
    end = edges.begin + edges.direction * edges.length[:, None]
    lines = shapely.linestrings(np.stack([edges.begin, end], axis=1))
    one, other = shapely.STRtree(lines).query(lines, predicate="dwithin", distance=_NEAR)
    # Adjacent polygons traverse their common edge in opposite directions.
    facing = (edges.direction[one] * edges.direction[other]).sum(axis=1) < 0
    one, other = one[facing], other[facing]
    along, away = [], []
    for point in (edges.begin[other], end[other]):
        from_begin = point - edges.begin[one]
        along.append((from_begin * edges.direction[one]).sum(axis=1))
        away.append(_cross(edges.direction[one], from_begin))
    # The other edge runs in the opposite direction, so its end comes first along this one.
    low, high = np.maximum(along[1], 0), np.minimum(along[0], edges.length[one])
    reach = np.maximum(along[0] - along[1], 1)
    slope = (away[0] - away[1]) / reach
    far = np.maximum(*(np.abs(away[1] + (at - along[1]) * slope) for at in (low, high)))
    polygon: Int64Array = edges.polygon[np.unique(one[(high - low > _SHORTEST) & (far <= _NEAR)])]
    return polygon


def _cross(one: Float64Array, other: Float64Array) -> Float64Array:
    crossed: Float64Array = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
    return crossed


def _open_edges(mesh: Mesh, polygon_ids: Int64Array) -> _Edges:
    owner = np.repeat(np.arange(len(mesh.terrain)), np.diff(mesh.first_corner))
    after = np.arange(1, len(owner) + 1)
    after[mesh.first_corner[1:] - 1] = mesh.first_corner[:-1]
    chosen = np.flatnonzero((mesh.neighbour < 0) & np.isin(owner, polygon_ids))
    begin = mesh.vertex[mesh.corner[chosen]].astype(np.float64)
    side = mesh.vertex[mesh.corner[after[chosen]]] - begin
    length = np.hypot(*side.T)
    return _Edges(owner[chosen], begin, side / length[:, None], length)
