"""Verify a navigation mesh, from the corners of its polygons.

Corners, terrains and floors come only from the level's shapes. They determine which polygons are
neighbors; and each node must be in every polygon that lists it, on a node of the same terrain.
"""

from __future__ import annotations

import numpy as np

from bake.store import Asset
from bake.store.header import is_patched
from bake.verify.level import FileLevel

#: Steps of the grid of corners in one unit of the plane.
_GRID = 1024
#: The largest distance of a node from its polygon, in steps: centers are rounded.
_NEAR = 1e-3


def verify_mesh(asset: Asset, level: FileLevel) -> None:
    """Verify the columns of a mesh, if the asset has one.

    Raises:
        CorruptAssetError: they contradict one another, or the graph.
    """
    if not asset.has("/mesh_vertex"):
        return
    vertex, first, corner, behind, terrain, first_node, node = (
        asset.read(f"/mesh_{name}").astype(np.int64)
        for name in (
            *("vertex", "first_corner", "corner", "neighbour", "terrain"),
            *("first_node", "node"),
        )
    )
    count = len(terrain)
    after = np.arange(1, len(corner) + 1)
    after[first[1:] - 1] = first[:-1]
    owner = np.repeat(np.arange(count), np.diff(first))
    point = vertex[corner]
    side = point[after] - point
    turned = side[:, 0] * side[after, 1] - side[:, 1] * side[after, 0]
    level.require((turned >= 0).all(), "a polygon is not convex")

    # The neighbor at an edge is the polygon with the reverse edge.
    edges = list(zip(corner.tolist(), corner[after].tolist(), strict=True))
    holder = dict(zip(edges, owner.tolist(), strict=True))
    level.require(len(holder) == len(edges), "two polygons have one edge")
    wanted = [holder.get((b, a), -1) for a, b in edges]
    level.require(behind.tolist() == wanted, "the neighbour of a polygon is wrong")

    place = asset.read("/position") * _GRID
    having = np.repeat(np.arange(count), np.diff(first_node))
    # A patch changes the terrain of nodes, and a polygon may have several nodes.
    alike = (level.terrain[node] == terrain[having]).all() or is_patched(asset.header)
    level.require(bool(alike), "a node is of another terrain")
    level.require(len(np.unique(node)) == level.nodes, "a node lies in no polygon")
    pair = np.unique(having * level.nodes + node)
    level.require(len(pair) == len(node), "a polygon has a node twice")
    for polygon, at in zip(having.tolist(), place[node], strict=True):
        corners = slice(first[polygon], first[polygon + 1])
        away = at - point[corners]
        out = side[corners, 0] * away[:, 1] - side[corners, 1] * away[:, 0]
        level.require(
            bool((out >= -_NEAR * np.hypot(*side[corners].T)).all()),
            "a node lies beside its polygon",
        )
