"""Prove that the instances of a level stand where prototypes can stand."""

from __future__ import annotations

import numpy as np

from bake.asset import Asset


def prove_instances(asset: Asset) -> None:
    """Prove where the instances of a level stand.

    Raises:
        CorruptAssetError: they leave the level or a floor, or two of them share a cell.
    """

    def require(holds: bool | np.bool_, otherwise: str) -> None:
        if not holds:
            raise asset.damaged(otherwise, verdict="wrong")

    height, width = asset.shape("/terrain")
    rows = asset.number("floor_height") or height
    names = asset.read("/prototype_name").tolist()
    size, kind, at, turn = (
        asset.read(path).astype(np.int64)
        for path in ("/prototype_size", "/instance_prototype", "/instance_at", "/instance_turn")
    )
    require(len(set(names)) == len(names) == len(size), "two prototypes have one name")
    require(len(kind) == len(at) == len(turn), "instances contradict each other")
    require((size > 0).all(), "a prototype has no cells")
    require(((kind >= 0) & (kind < len(names))).all(), "an instance is of no prototype")
    require(((turn >= 0) & (turn < 8)).all(), "an instance is turned in no known way")
    taken = np.zeros((height, width), dtype=np.bool_)
    for each, (x, y), turned in zip(kind.tolist(), at.tolist(), turn.tolist(), strict=True):
        wide, high = size[each].tolist()[:: -1 if turned % 2 else 1]
        inside = x >= 0 and y >= 0 and x + wide <= width and y + high <= height
        require(inside, "an instance leaves the level")
        require(y // rows == (y + high - 1) // rows, "an instance lies on two floors")
        covered = taken[y : y + high, x : x + wide]
        require(not covered.any(), "two instances share a cell")
        covered[:] = True
