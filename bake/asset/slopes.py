"""Read how high places lie, and what slopes and turns mean to a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array
from bake.asset.column import profile_path
from bake.asset.read import Asset
from bake.graph import BLOCKED

if TYPE_CHECKING:
    from bake.movement.rules import SlopeRule


def read_elevation(asset: Asset) -> Float64Array | None:
    """Return (locations) float64 units, how high each lies; None where the source did not say."""
    path = "/node_elevation" if asset.text("kind") == "graph" else "/elevation"
    if not asset.has(path):
        return None
    return np.ascontiguousarray(asset.read(path).astype(np.float64).reshape(-1))


def read_slope(asset: Asset, profile: str) -> SlopeRule:
    """Return what slopes mean to a profile."""
    from bake.movement.rules import LEVEL_GROUND, SlopeRule

    path = profile_path(profile, "slope")
    if not asset.has(path):
        return LEVEL_GROUND
    stored = asset.read(path).astype(np.float64)
    if not np.isfinite(stored[:2]).all():
        raise asset.damaged(f"column {path} is no rule of slopes")
    return SlopeRule(*stored.tolist())


def read_turn(asset: Asset, profile: str) -> float:
    """Return what turning by one heading costs a profile, in units."""
    path = profile_path(profile, "turn")
    if asset.number("headings") is None:
        return 1.0
    return float(asset.read(path)[0])


def paid_for_slopes(
    asset: Asset, profile: str, location: AnyArray, weight: Int32Array, size: int
) -> Float64Array | float:
    """Return (m) float64 units, what rise and fall add to the price of each arc that is usable.

    Args:
        location: (n) the location of each node.
        weight: (m) int32 ticks, BLOCKED where the profile may not take the arc.
        size: cells along one side of the profile's footprint.
    """
    from bake.movement.rules import LEVEL_GROUND, slope_units

    slope, width = read_slope(asset, profile), asset.number("width") or 0
    elevation = read_elevation(asset)
    if slope == LEVEL_GROUND or elevation is None:
        return 0.0
    first_out: Int32Array = asset.read("/first_out").astype(np.int32)
    usable = np.flatnonzero(weight != BLOCKED)
    tail = np.repeat(location, np.diff(first_out))[usable].astype(np.int64)
    head = location[asset.read("/head")[usable]].astype(np.int64)
    paid = np.zeros(len(weight))
    paid[usable] = slope_units(slope, elevation, tail, head, size, width)
    return paid


def turns(asset: Asset, location: AnyArray) -> BoolArray:
    """Return (m) bool, True where an arc is a turn, from a cell to the same cell.

    Args:
        location: (n) the location of each node.
    """
    plane = (asset.number("width") or 0) * (asset.number("floor_height") or 1)
    first_out: Int32Array = asset.read("/first_out").astype(np.int32)
    cell = location % max(1, plane)
    return np.asarray(np.repeat(cell, np.diff(first_out)) == cell[asset.read("/head")])
