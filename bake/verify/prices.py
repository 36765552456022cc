"""Verify prices that readers look up: of steps between terrains or classes, and of single arcs.

The weights of arcs are verified in :mod:`bake.verify.movement`. The price between two terrains that
never meet belongs to no arc, but matters as soon as a level changes.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Float64Array
from bake.core.graph import BLOCKED, MAX_WEIGHT
from bake.verify.level import FileLevel
from levelbake.columns import profile_path

#: In column ``class``: the profile cannot stand on the terrain.
NO_CLASS = 65535


def verify_prices(level: FileLevel) -> None:
    """Verify prices in ticks, and the terrain of an opened cell, if the file contains them.

    Raises:
        CorruptAssetError: a price is wrong; the first mistake is named.
    """
    asset = level.asset
    for name, units in (("link_ticks", "link_cost"), ("price_ticks", "price_units")):
        if asset.has(f"/{name}"):
            price = asset.read(f"/{units}")
            price = price[asset.read("/link_number")] if name == "link_ticks" else price
            same = np.array_equal(asset.read(f"/{name}"), _ticks(level, price))
            level.require(same, f"{name} is wrong")
    costs = [asset.read(profile_path(name, "cost")) for name in asset.profiles]
    for name, cost in zip(asset.profiles, costs, strict=True):
        _verify_steps(level, name, cost)
    if asset.has("/numbers"):
        count = np.bincount(asset.graph.terrain, minlength=level.terrains)
        usual = np.where(np.isnan(costs).all(axis=0), -1, count).argmax()
        level.require(asset.number("usual_terrain") == usual, "usual_terrain is wrong")


def _verify_steps(level: FileLevel, profile: str, cost: Float64Array) -> None:
    """Verify the class of each terrain, and the price of a step between two of them."""
    asset, group = level.asset, f"/profiles/{profile}"
    has_classes = asset.has(profile_path(profile, "class"))
    if has_classes:
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
    same = np.array_equal(stored if has_classes else np.moveaxis(stored, 2, 0), expected)
    level.require(same, f"profile {profile!r}: step_ticks does not follow from terrain")


def _ticks(level: FileLevel, units: Float64Array) -> Float64Array:
    """Return prices in whole ticks; BLOCKED if a price is out of the range of arcs."""
    ticks = np.rint(units * (level.asset.number("ticks_per_unit") or 1))
    return np.where((ticks >= 1) & (ticks <= MAX_WEIGHT), ticks, BLOCKED)
