"""Prove the columns of a large lattice that arcs follow from, also where no arc shows a mistake.

The weights that follow from them are compared with terrain in :mod:`bake.verify.movement`. A price
between two terrains that do not meet anywhere has no arc, and counts as soon as a level changes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bake.arrays import Float64Array
from bake.asset.column import profile_path
from bake.graph import BLOCKED, MAX_WEIGHT
from bake.verify.level import Level
from bake.verify.profile import Profile
from bake.verify.stated import Recipe

#: In column ``dearest``: the profile cannot stand there.
_NOWHERE = 255


def prove_form(level: Level, sizes: Mapping[str, int]) -> None:
    """Prove that an asset has the columns of a large lattice where it says that it is one.

    Args:
        level: the level.
        sizes: of the footprint of each profile, in cells.

    Raises:
        CorruptAssetError: a column is missing, or there is one too many; or the squares are not
            those of the recipe.
    """
    asset, block = level.asset, level.asset.number("block")
    wanted = {"/is_node": block is not None}
    for name, size in sizes.items():
        wanted[profile_path(name, "steps")] = block is not None
        if not asset.is_flat:  # Flat files of any grid have prices by classes of that name.
            wanted[profile_path(name, "step_ticks")] = block is not None
        wanted[profile_path(name, "dearest")] = block is not None and size > 1
    for path, there in wanted.items():
        what = "is missing" if there else "belongs to another kind of level"
        level.require(asset.has(path) == there, f"column {path} {what}")
    stated = Recipe(asset).at("clusters", "size")
    fits = block is None or stated in (None, block)
    level.require(fits, f"block is {block}, and clusters of the recipe have size {stated}")


def prove_prices(level: Level, profile: str, cost: Float64Array, stands: Float64Array) -> None:
    """Prove the terrain that each cell's price is of, and the price of every step between two.

    Args:
        level: a large lattice.
        profile: the name of a profile.
        cost: (terrains) units; NaN where the profile cannot go.
        stands: (height, width) units, what the dearest cell under the footprint costs; NaN where
            the profile cannot stand.

    Raises:
        CorruptAssetError: one of them is another one.
    """
    asset = level.asset
    if asset.has(profile_path(profile, "dearest")):
        dearest = asset.read(profile_path(profile, "dearest"))
        paid = np.append(cost, np.full(_NOWHERE + 1 - len(cost), np.nan))[dearest]
        right = np.array_equal(paid, stands, equal_nan=True)
        right = right and bool((np.isnan(stands) == (dearest == _NOWHERE)).all())
        level.require(right, f"profile {profile!r}: dearest is not what terrain makes it")
    before, after = np.meshgrid(cost, cost, indexing="ij")
    unit = (before + after) / 2 if asset.text("cost_rule") == "mean" else after
    ticks = np.rint(
        unit[:, :, None] * np.array([1.0, np.sqrt(2.0)]) * (asset.number("ticks_per_unit") or 1)
    )
    expected = np.where((ticks >= 1) & (ticks <= MAX_WEIGHT), ticks, BLOCKED)
    same = np.array_equal(asset.read(profile_path(profile, "step_ticks")), expected)
    level.require(same, f"profile {profile!r}: step_ticks is not what terrain makes it")


def prove_squares(profile: Profile) -> None:
    """Prove what lets readers take a large lattice square by square, and the numbers of clusters.

    Of the numbers of clusters there is one choice only: those of one square follow each other, the
    squares in reading order, and within a square by their lowest rows.

    Raises:
        CorruptAssetError: one of the columns is missing, or there is one too many; or something is
            another value.
    """
    asset, block = profile.asset, profile.asset.number("block")
    layered = profile.has("layer_nodes")
    for name in ("square_clusters", "cluster_rows", "cluster_transitions", "step_range"):
        there = block is not None and layered
        what = "is missing" if there else "belongs to another kind of level"
        path = profile_path(profile.name, name)
        profile.require(profile.has(name) == there, f"column {path} {what}")
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
    if not layered:
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
