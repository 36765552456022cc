"""Verify the positions of a level's instances."""

from __future__ import annotations

import numpy as np

from bake.store.columns.things import INSTANCES, PROTOTYPES
from bake.verify.level import FileLevel


def verify_instances(level: FileLevel) -> None:
    """Verify the positions of a level's instances.

    Raises:
        CorruptAssetError: an instance leaves the level or a floor, or two of them share a cell.
    """
    height, width = level.grid.shape
    drawn = level.read(PROTOTYPES)
    taken = np.zeros((height, width), dtype=np.bool_)
    for instance in level.read(INSTANCES):
        size = drawn[instance.prototype].width, drawn[instance.prototype].height
        (wide, high), (x, y) = size[:: -1 if instance.turn % 2 else 1], instance.at
        level.require(x + wide <= width and y + high <= height, "an instance leaves the level")
        one_floor = y // level.floor_height == (y + high - 1) // level.floor_height
        level.require(one_floor, "an instance lies on two floors")
        covered = taken[y : y + high, x : x + wide]
        level.require(not covered.any(), "two instances share a cell")
        covered[:] = True
