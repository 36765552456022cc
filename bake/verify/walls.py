"""Verify the walls around points of visibility and Dirichlet domains.

Walls, floors and weights come only from the level's shapes. They determine which corners are nodes:
each reflex corner is one; and every node is in its area.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int64Array
from bake.store import Asset
from bake.verify.level import FileLevel

#: Steps of the grid of corners in one unit of the plane.
_GRID = 1024


def verify_walls(asset: Asset, level: FileLevel) -> None:
    """Verify the columns of walls and of domains, if the asset has any.

    Raises:
        CorruptAssetError: they contradict one another, or the graph.
    """
    if not asset.has("/wall_corner"):
        return
    corner, after, first, area = (
        asset.read(f"/wall_{name}").astype(np.int64)
        for name in ("corner", "after", "first_corner", "area")
    )
    count = len(first) - 1
    owner = np.repeat(np.arange(count), np.diff(first))
    level.require((owner[after] == owner).all(), "walls do not form rings")
    place = np.rint(asset.read("/position") * _GRID).astype(np.int64)
    for area_index in range(count):
        corners = np.arange(first[area_index], first[area_index + 1])
        inside = _inside(corner[corners], corner[after[corners]], place[area == area_index])
        level.require(inside, "a node lies outside its area")

    if asset.has("/domain_corner"):
        _verify_domains(asset, level, place)
    if asset.has("/wall_node"):
        _verify_nodes(level, asset.read("/wall_node").astype(np.int64), corner, after, place)
        bend = np.flatnonzero(asset.read("/wall_node") >= 0)
        same_area = area[asset.read("/wall_node")[bend]] == owner[bend]
        level.require(same_area.all(), "a node is a corner of another area")


def _verify_domains(asset: Asset, level: FileLevel, place: Int64Array) -> None:
    """Verify that a domain drawn by hand is one closed ring around its node."""
    corner, node = (asset.read(f"/domain_{name}").astype(np.int64) for name in ("corner", "node"))
    first = np.flatnonzero(np.diff(node, prepend=-1))
    level.require(len(np.unique(node)) == len(first), "a node has two domains")
    for owner, ring in zip(node[first].tolist(), np.split(corner, first[1:]), strict=True):
        level.require(
            len(ring) > 3 and (ring[0] == ring[-1]).all(), "a domain is not a closed ring"
        )
        inside = _inside(ring[:-1], ring[1:], place[owner : owner + 1])
        level.require(inside, "a node lies outside its domain")


def _verify_nodes(
    level: FileLevel, node: Int64Array, corner: Int64Array, after: Int64Array, place: Int64Array
) -> None:
    """Verify that exactly the reflex corners are nodes."""
    before = np.empty_like(after)
    before[after] = np.arange(len(after))
    onward, back = corner[after] - corner, corner[before] - corner
    is_reflex = onward[:, 0] * back[:, 1] - onward[:, 1] * back[:, 0] < 0
    level.require(
        np.array_equal(node >= 0, is_reflex), "a corner where paths may bend is not a node"
    )
    bend = node[is_reflex]
    level.require((place[bend] == corner[is_reflex]).all(), "a node lies beside its corner")


def _inside(begin: Int64Array, end: Int64Array, point: Int64Array) -> bool:
    """Return whether points, (k, 2), are inside walls, (w, 2) begins and ends, or on them."""
    for x, y in point:
        a, b = begin - (x, y), end - (x, y)
        side = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        if ((side == 0) & ((a * b).sum(axis=1) <= 0)).any():
            continue
        crossed = (a[:, 1] > 0) != (b[:, 1] > 0)
        if not (crossed & ((side > 0) == (b[:, 1] > 0))).sum() % 2:
            return False
    return True
