"""Prove the columns of a large lattice that arcs follow from, also where no arc shows a mistake.

The weights that follow from them are compared with terrain in :mod:`bake.verify.movement`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bake.arrays import Float64Array
from bake.verify.level import FileLevel
from bake.verify.profile import FileProfile
from bake.verify.stated import Recipe
from levelbake.columns import profile_path

#: In column ``dearest``: the profile cannot stand there.
_NOWHERE = 255


def prove_form(level: FileLevel, sizes: Mapping[str, int]) -> None:
    """Prove that an asset has the columns of a large lattice where it says that it is one.

    Args:
        level: the level.
        sizes: of the footprint of each profile, in cells.

    Raises:
        CorruptAssetError: a column is missing, or there is one too many; or the squares are not
            those of the recipe.
    """
    asset, block = level.asset, level.asset.number("block")
    for name, size in sizes.items():
        there = asset.has(profile_path(name, "dearest"))
        fits = there == (block is not None and size > 1)
        level.require(fits, f"profile {name!r}: dearest and size do not go together")
    stated = Recipe(asset).at("clusters", "size")
    fits = block is None or stated in (None, block)
    level.require(fits, f"block is {block}, and clusters of the recipe have size {stated}")


def prove_dearest(level: FileLevel, profile: str, cost: Float64Array, stands: Float64Array) -> None:
    """Prove the terrain that the price of each cell of a large lattice is of, where it is stated.

    Args:
        level: the level.
        profile: the name of a profile.
        cost: (terrains) units; NaN where the profile cannot go.
        stands: (height, width) units, what the dearest cell under the footprint costs; NaN where
            the profile cannot stand.

    Raises:
        CorruptAssetError: one of them is another one.
    """
    if level.asset.has(profile_path(profile, "dearest")):
        dearest = level.asset.read(profile_path(profile, "dearest"))
        paid = np.append(cost, np.full(_NOWHERE + 1 - len(cost), np.nan))[dearest]
        right = np.array_equal(paid, stands, equal_nan=True)
        right = right and bool((np.isnan(stands) == (dearest == _NOWHERE)).all())
        level.require(right, f"profile {profile!r}: dearest is not what terrain makes it")


def prove_squares(profile: FileProfile) -> None:
    """Prove what lets readers take a large lattice square by square, and the numbers of clusters.

    Of the numbers of clusters there is one choice only: those of one square follow each other, the
    squares in reading order, and within a square by their lowest rows.

    Raises:
        CorruptAssetError: one of the columns is missing, or there is one too many; or something is
            another value.
    """
    asset, block = profile.asset, profile.asset.number("block")
    if block is None:
        return
    height, width = asset.shape("/ground")
    x, y = profile.cell[profile.node].T
    across = -(-width // block)
    square = y // block * across + x // block
    arcs, label = profile.arcs, profile.whole("cluster")
    _, part = arcs.where(square[arcs.tail] == square[arcs.head]).components("weak")
    _, lowest, part = np.unique(part, return_index=True, return_inverse=True)
    number = np.empty(len(lowest), dtype=np.int64)
    number[np.argsort(lowest)] = np.arange(len(lowest))
    profile.require(np.array_equal(label, number[part]), "clusters are not those of the squares")
    if not profile.has("layer_nodes"):
        return
    lowest = np.sort(lowest)
    counts = {
        "square_clusters": np.bincount(square[lowest], minlength=across * -(-height // block)),
        "cluster_rows": np.bincount(label, minlength=len(lowest)),
        "cluster_transitions": np.bincount(
            label[profile.whole("layer_node")[: profile.whole("layer_nodes")[0]]],
            minlength=len(lowest),
        ),
    }
    for name, expected in counts.items():
        same = np.array_equal(profile.whole(name), expected)
        profile.require(same, f"{name} does not count what there is")
    layout = asset.text("hex_layout") or ""
    if layout.endswith("r"):
        x = x - (y + (1 if layout.startswith("even") else -1) * (y & 1)) // 2
    elif layout.endswith("q"):
        y = y - (x + (1 if layout.startswith("even") else -1) * (x & 1)) // 2
    slanted = (x[arcs.tail] != x[arcs.head]) & (y[arcs.tail] != y[arcs.head])
    found = [arcs.weight[slanted == kind] for kind in (False, True)]
    bounds = [(each.min(), each.max()) if len(each) else (0, 0) for each in found]
    same = np.array_equal(profile.column("step_range"), bounds)
    profile.require(same, "step_range is not that of the steps")
