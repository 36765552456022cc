"""Rings around components that are too small to be noticed."""

from __future__ import annotations

import numpy as np

from bake.arrays import Float64Array
from bake.view.component_colours import colours_by_rank, rank_of_row
from bake.view.ink import Ink
from bake.view.marks import draw_rings
from bake.view.scene import Scene

#: There are not more rings than this.
_MOST_RINGS = 80


def ring_small_components(
    ink: Ink, scene: Scene, point: Float64Array, size: float, noticed: float
) -> None:
    """Draw the rings; the largest component never gets one.

    Args:
        ink: drawn with.
        scene: level and profile.
        point: (r, 2) float64 pixels of every row.
        size: pixels a place takes.
        noticed: components whose longer side has fewer pixels get a ring.
    """
    rank, places, _ = rank_of_row(scene)
    if len(places) < 2:
        return
    low = np.full((len(places), 2), np.inf)
    high = np.full((len(places), 2), -np.inf)
    np.minimum.at(low, rank, point)
    np.maximum.at(high, rank, point)
    extent = (high - low).max(axis=1) + size
    small = np.flatnonzero(extent < noticed)
    small = small[small > 0][:_MOST_RINGS]
    draw_rings(
        ink,
        (low[small] + high[small]) / 2,
        extent[small] / 2 * 1.25 + 6,
        colours_by_rank(len(places))[small],
    )
