"""Verify the columns of a large lattice that imply its arcs, even where no arc shows a mistake.

The weights that follow from them are compared with terrain in :mod:`bake.verify.movement`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bake.core.arrays import Float64Array
from bake.verify.level import FileLevel
from bake.verify.profile import FileProfile
from bake.verify.stated import Recipe
from levelbake.columns import profile_path

#: In column ``dearest``: the profile cannot stand there.
_NOWHERE = 255


def verify_form(level: FileLevel, sizes: Mapping[str, int]) -> None:
    """Verify that an asset has the columns of a large lattice exactly if it claims to be one.

    Args:
        level: the level.
        sizes: the footprint size of each profile, in cells.

    Raises:
        CorruptAssetError: a column is missing or superfluous, or the squares are not those of the
            recipe.
    """
    asset, block = level.asset, level.asset.number("block")
    for name, size in sizes.items():
        has_dearest = asset.has(profile_path(name, "dearest"))
        fits = has_dearest == (block is not None and size > 1)
        level.require(fits, f"profile {name!r}: dearest and size do not fit together")
    stated = Recipe(asset).at("clusters", "size")
    fits = block is None or stated in (None, block)
    level.require(fits, f"block is {block}, and clusters of the recipe have size {stated}")


def verify_dearest(
    level: FileLevel, profile: str, cost: Float64Array, stands: Float64Array
) -> None:
    """Verify the terrain whose price each cell of a large lattice has, if the asset stores it.

    Args:
        level: the level.
        profile: the name of a profile.
        cost: (terrains) units; NaN where the profile cannot go.
        stands: (height, width) units, the highest cost under the footprint; NaN where the profile
            cannot stand.

    Raises:
        CorruptAssetError: a terrain is wrong.
    """
    if level.asset.has(profile_path(profile, "dearest")):
        dearest = level.asset.read(profile_path(profile, "dearest"))
        paid = np.append(cost, np.full(_NOWHERE + 1 - len(cost), np.nan))[dearest]
        right = np.array_equal(paid, stands, equal_nan=True)
        right = right and bool((np.isnan(stands) == (dearest == _NOWHERE)).all())
        level.require(right, f"profile {profile!r}: dearest does not follow from terrain")


def verify_squares(profile: FileProfile) -> None:
    """Verify the columns for reading a large lattice square by square, and the numbers of clusters.

    The numbers of clusters are determined: clusters of one square are consecutive, squares are in
    reading order, and clusters within a square are ordered by their lowest rows.

    Raises:
        CorruptAssetError: a column is missing, superfluous or wrong.
    """
    asset, block = profile.asset, profile.asset.number("block")
    if block is None:
        return
    height, width = asset.shape("/ground")
    x, y = profile.cell[profile.node].T
    across = -(-width // block)
    square = y // block * across + x // block
    arcs, label = profile.arcs, profile.int_column("cluster")
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
            label[profile.int_column("layer_node")[: profile.int_column("layer_nodes")[0]]],
            minlength=len(lowest),
        ),
    }
    for name, expected in counts.items():
        same = np.array_equal(profile.int_column(name), expected)
        profile.require(same, f"{name} has wrong counts")
    layout = asset.text("hex_layout") or ""
    if layout.endswith("r"):
        x = x - (y + (1 if layout.startswith("even") else -1) * (y & 1)) // 2
    elif layout.endswith("q"):
        y = y - (x + (1 if layout.startswith("even") else -1) * (x & 1)) // 2
    slanted = (x[arcs.tail] != x[arcs.head]) & (y[arcs.tail] != y[arcs.head])
    weights = [arcs.weight[slanted == kind] for kind in (False, True)]
    bounds = [(weight.min(), weight.max()) if len(weight) else (0, 0) for weight in weights]
    same = np.array_equal(profile.column("step_range"), bounds)
    profile.require(same, "step_range is not that of the steps")
