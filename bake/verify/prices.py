"""Prove prices that spare readers a sum: of steps between terrains or classes, and of single arcs.

The weights of arcs are proved in :mod:`bake.verify.movement`. A price between two terrains that do
not meet anywhere has no arc, and counts as soon as a level changes.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Float64Array
from bake.graph import BLOCKED, MAX_WEIGHT
from bake.verify.level import FileLevel
from levelbake.columns import profile_path

#: In column ``class``: the profile cannot stand on the terrain.
NO_CLASS = 65535


def prove_prices(level: FileLevel) -> None:
    """Prove prices in ticks, and the terrain that an opened cell becomes, where they are stated.

    Raises:
        CorruptAssetError: something is wrong; the first thing found is named.
    """
    asset = level.asset
    for name, units in (("link_ticks", "link_cost"), ("price_ticks", "price_units")):
        if asset.has(f"/{name}"):
            told = asset.read(f"/{units}")
            told = told[asset.read("/link_number")] if name == "link_ticks" else told
            same = np.array_equal(asset.read(f"/{name}"), _ticks(level, told))
            level.require(same, f"{name} is wrong")
    costs = [asset.read(profile_path(name, "cost")) for name in asset.profiles]
    for name, cost in zip(asset.profiles, costs, strict=True):
        _prove_steps(level, name, cost)
    if asset.has("/numbers"):
        count = np.bincount(asset.graph.terrain, minlength=level.terrains)
        usual = np.where(np.isnan(costs).all(axis=0), -1, count).argmax()
        level.require(asset.number("usual_terrain") == usual, "usual_terrain is another one")


def _prove_steps(level: FileLevel, profile: str, cost: Float64Array) -> None:
    """Prove the class of each terrain, and what a step between two of them costs."""
    asset, group = level.asset, f"/profiles/{profile}"
    classed = asset.has(profile_path(profile, "class"))
    if classed:
        costs = np.unique(cost[~np.isnan(cost)])
        right = np.where(np.isnan(cost), NO_CLASS, np.searchsorted(costs, cost))
        same = np.array_equal(asset.read(profile_path(profile, "class")), right)
        same &= asset.number("classes", group) == len(costs)
        level.require(same, f"profile {profile!r}: class is wrong")
        cost = costs
    if not asset.has(profile_path(profile, "step_ticks")):
        return
    before, after = np.meshgrid(cost, cost, indexing="ij")
    unit = (before + after) / 2 if asset.text("cost_rule") == "mean" else after
    expected = _ticks(level, unit * np.sqrt([[[1.0]], [[2.0]]]))
    stored = asset.read(profile_path(profile, "step_ticks"))
    same = np.array_equal(stored if classed else np.moveaxis(stored, 2, 0), expected)
    level.require(same, f"profile {profile!r}: step_ticks is not what terrain makes it")


def _ticks(level: FileLevel, units: Float64Array) -> Float64Array:
    """Return prices in whole ticks; BLOCKED where no arc may cost so much or so little."""
    ticks = np.rint(units * (level.asset.number("ticks_per_unit") or 1))
    return np.where((ticks >= 1) & (ticks <= MAX_WEIGHT), ticks, BLOCKED)
