"""Verify an asset, sharing no code with the bake.

The hops of a table imply distances, which are computed by following the hops and adding up weights.
If every hop leads to its goal, those are lengths of real paths. If no arc offers a shortcut (R.
Bellman's condition, "On a routing problem", 1958: d(u, t) <= w(u, v) + d(v, t) for every arc), no
path is shorter. Together, both conditions prove that every entry is optimal. Components are
compared with scipy's.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from bake.core.arrays import Int64Array
from bake.core.extras import load_kind, require_package
from bake.core.kernels.jit import waiting
from bake.store import Asset, is_pattern_database
from bake.verify.bounds import part_of, read_bounds, search_bounds
from bake.verify.distances import Pairs
from bake.verify.hierarchy import verify_clusters, verify_hierarchy
from bake.verify.instances import verify_instances
from bake.verify.labels import verify_labels
from bake.verify.lattice import verify_squares
from bake.verify.level import FileLevel
from bake.verify.mesh import verify_mesh
from bake.verify.movement import verify_cells, verify_movement
from bake.verify.prices import verify_prices
from bake.verify.profile import FileProfile, Progress, verify_components, verify_reach
from bake.verify.walls import verify_walls
from levelbake.errors import NotAnAssetError


@dataclass(frozen=True)
class Proof:
    """The extent of a verification."""

    pairs: int = 0  #: (start, target) pairs whose hop was verified to be optimal, over all profiles
    distances: int = 0  #: pairs whose stored distance was verified
    components: int = 0  #: components compared, over all profiles
    #: pairs of clusters whose bound was compared with the distances of all their rows, or of those
    #: toward the targets of a sample
    bounds: int = 0
    entries: int = 0  #: entries of pattern databases that were verified


@waiting()
def verify_asset(
    path: Path, profile: str | None, progress: Progress, *, sample: int | None = None
) -> Proof:
    """Verify every table of an asset.

    Args:
        path: the asset, or a flat file.
        profile: the only profile to verify; None = all profiles.
        progress: called with the fraction done.
        sample: the number of random targets to verify for each profile, from all rows; None = all
            targets. A table in which a fraction p of the targets is wrong passes with probability
            (1 - p) ** sample.

    Raises:
        AssetError: the file is not an asset, or it is wrong; the error names the first mistake.
        BakeError: scipy is not installed, or the extra that verifies pattern databases.
    """
    try:
        asset = Asset(path)
    except NotAnAssetError:
        if is_pattern_database(path):
            return Proof(entries=load_kind("puzzle", path).prove(path, progress))
        raise
    with asset:
        require_package("scipy", "verify", "verifying an asset")
        level = FileLevel(asset)
        if asset.cells_are_nodes:
            verify_cells(level)
        else:
            verify_movement(level, asset.profiles)
        verify_prices(level)
        verify_mesh(asset, level)
        verify_walls(asset, level)
        if level.kind != "graph":
            verify_instances(level)
        _verify_coordinates(level)
        names = [name for name in asset.profiles if profile in (None, name)]
        proofs = [
            _verify_profile(FileProfile(asset, name), sample, part_of(progress, number, len(names)))
            for number, name in enumerate(names)
        ]
        return Proof(*(sum(counts) for counts in zip(*map(astuple, proofs), strict=True)))


def _verify_coordinates(level: FileLevel) -> None:
    """Verify that cells have an area, are distinct, and are not too far from the origin.

    Raises:
        CorruptAssetError: the coordinates are invalid.
    """
    asset, hexagonal = level.asset, level.kind == "hex"
    if not asset.has("/centre"):
        return
    centre, step = asset.read("/centre"), asset.read("/step")
    rows, (height, width) = level.floor_height, level.grid.shape
    fits = len(centre) in (1, height // max(1, rows)) and len(step) == 2 + hexagonal
    level.require(fits, "the coordinates do not fit the level")
    area = step[0, 0] * step[1, 1] - step[0, 1] * step[1, 0]
    upright = step[0, 1] == step[1, 0] == 0
    runs = min(area, step[0, 0], step[1, 1]) > 0 and (upright or not hexagonal)
    if hexagonal:
        line = 1 if (level.layout or "").endswith("r") else 0
        runs &= step[2, 1 - line] == 0 and 0 <= step[2, line] <= step[line, line]
    level.require(runs, "cells have no area, or their sides do not run east and south")
    long = np.hypot(step[:2, 0], step[:2, 1])
    reach = np.abs(centre).max() + long[0] * width + long[1] * rows
    # Lengths are checked first, as the area may be infinite for larger ones.
    near = long.max() <= 2**21 and np.abs(centre).max() <= 2**42
    near = near and reach <= 2.0**48 * area / long.max()
    level.require(near, "cells are too small for their distance from the origin")


def _verify_profile(profile: FileProfile, sample: int | None, progress: Progress) -> Proof:
    components = verify_components(profile)
    if profile.has("cluster"):
        verify_clusters(profile)
        verify_squares(profile)
        if profile.has("layer_nodes"):
            verify_hierarchy(profile)
    labels = profile.has("label_away")
    if labels:
        verify_labels(profile)
    bounds = read_bounds(profile)
    targets = _targets(profile.rows, sample)
    hops = profile.has("run_move")
    if hops:
        Pairs(profile).verify(targets, [bounds] if bounds else [], progress)
    elif profile.has("reach"):
        verify_reach(profile, components)
    if bounds is not None:
        if not hops:
            search_bounds(profile, targets, bounds, progress)
        bounds.compare(everything=len(targets) == profile.rows)
    progress(1.0)
    proved = profile.rows * len(targets)
    return Proof(
        proved * hops,
        profile.rows**2 if labels else 0,
        components,
        0 if bounds is None else bounds.pairs,
    )


def _targets(rows: int, sample: int | None) -> Int64Array:
    """Return the rows to verify as targets, ascending."""
    if sample is None or sample >= rows:
        return np.arange(rows)
    return np.sort(np.random.default_rng().choice(rows, sample, replace=False))
