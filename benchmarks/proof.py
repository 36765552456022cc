"""Verify baked next hops toward sampled targets against scipy's distances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import dijkstra

from bake.play import open_asset
from bake.play.navigator import Navigator
from benchmarks.ground import Ground


def prove(asset: Path, ground: Ground, targets: int) -> int:
    """Check the hop of every node toward random targets.

    Returns:
        How many pairs were checked.

    Raises:
        AssertionError: a hop that is none, or not on a shortest path.
    """
    with open_asset(asset) as level:
        return prove_hops(level.profile(), ground, targets)


def prove_hops(nav: Navigator, ground: Ground, targets: int) -> int:
    """Check an open asset as :func:`prove` does: d(v, t) = w(v, hop) + d(hop, t), in ticks."""
    goals = ground.sample(targets, seed=1)
    backward = ground.matrix.T.tocsr()
    nodes = np.arange(ground.nodes)
    for goal, distance in zip(goals, dijkstra(backward, indices=goals), strict=True):
        where = f"{ground.name}, toward {tuple(ground.cell[goal].tolist())}"
        hops = nav.next_hops(ground.cell, np.broadcast_to(ground.cell[goal], ground.cell.shape))
        there = np.isfinite(distance)
        assert (hops[~there] == -1).all(), f"{where}: a hop where there is no path"
        assert (hops[goal] == ground.cell[goal]).all(), f"{where}: the goal is left"
        there[goal] = False
        start, step = nodes[there], hops[there]
        assert (step >= 0).all(), f"{where}: no hop where there is a path"
        after = ground.node_at[step[:, 1], step[:, 0]]
        assert (after >= 0).all(), f"{where}: a hop onto a wall"
        weight = ground.matrix[start, after]
        assert (weight > 0).all(), f"{where}: a hop that is no step"
        best = weight + distance[after] == distance[start]
        assert best.all(), f"{where}: {int((~best).sum())} hops are not optimal"
    return len(goals) * ground.nodes
