"""Regions drawn by the level's designer, node by node."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.level import GridLevel
from bake.worlds.world import World

#: Label of a node that lies in no region.
NO_REGION = -1


def region_labels(world: World) -> Int32Array:
    """(n) int32, place of each node's region in ``world.level.things.regions``, else NO_REGION.

    Where regions overlap, the first of them has the node. Graph levels have no regions.
    """
    labels = np.full(world.graph.node_count, NO_REGION, dtype=np.int32)
    level = world.level
    if not isinstance(level, GridLevel) or world.cell is None or not level.things.regions:
        return labels
    grid = np.full(level.terrain.shape, NO_REGION, dtype=np.int32)
    for place, region in reversed(list(enumerate(level.things.regions))):
        grid[region.cells[:, 1], region.cells[:, 0]] = place
    return np.asarray(grid[world.cell[:, 1], world.cell[:, 0]], dtype=np.int32)
