"""Lines of equal distance over cells."""

from __future__ import annotations

import math

import numpy as np

from bake.arrays import Float32Array, Float64Array, UInt8Array
from bake.view.cell_paint import Cells, bands
from bake.view.palette import CONTOUR, CONTOUR_ON_DARK

#: Half the width of a line in pixels.
_HALF_WIDTH = 0.75

_OPACITY = 0.6


def contour_step(farthest: float, lines: int = 24) -> float:
    """Units between lines: 1, 2 or 5 times a power of ten, so that there are at most ``lines``."""
    if farthest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(farthest / lines))
    return next(
        step for step in (power, 2 * power, 5 * power, 10 * power) if farthest <= step * lines
    )


def draw_contours(
    picture: UInt8Array,
    cells: Cells,
    distance: Float64Array,
    step: float,
    slopes: tuple[float, float],
    light_from: float,
) -> None:
    """Draw lines of equal distance into a picture of cells.

    Args:
        picture: (pixel_height, pixel_width, 3) uint8, drawn into.
        cells: where they lie.
        distance: (c) float64 units; inf or NaN where there is none.
        step: units between lines.
        slopes: least and greatest cost of crossing one cell. Neighbours whose distances differ by
            more than twice the greatest lie on two sides of a wall.
        light_from: units from which on lines are light, because the picture is dark there.
    """
    gentle, steep = slopes
    level_per_pixel = 1 / (step * cells.scale)
    value = np.full(len(distance) + 1, np.nan, dtype=np.float32)
    value[:-1] = np.where(np.isfinite(distance), distance, np.nan)
    for top, bottom in bands(cells):
        # One row more on either side, so that slopes are known on every row of the band.
        above, below = max(0, top - 1), min(cells.pixel_height, bottom + 1)
        level = _interpolated(cells, value, above, below, 2 * steep) / step
        cover = _cover(level, 0.3 * gentle * level_per_pixel, 2 * steep * level_per_pixel)
        inner = slice(top - above, top - above + bottom - top)
        share = (_OPACITY * cover[inner])[..., None]
        light = np.nan_to_num(level[inner])[..., None] * step > light_from
        line = np.where(light, CONTOUR_ON_DARK, CONTOUR)
        part = picture[top:bottom]
        part[...] = np.rint(part * (1 - share) + line * share).astype(np.uint8)


def _interpolated(
    cells: Cells, value: Float32Array, top: int, bottom: int, jump: float
) -> Float32Array:
    """Distance at each pixel, from the cell it is in and those on the same side of any wall."""
    cell, weight = cells.blend(top, bottom)
    middle = cells.samples // 2
    own = value[cells.band(top, bottom)[middle :: cells.samples, middle :: cells.samples]]
    near = value[cell]
    with np.errstate(invalid="ignore"):
        weight[~(np.abs(near - own) <= jump)] = 0
    near[weight == 0] = 0
    total = weight.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Float32Array = (near * weight).sum(axis=0) / total
    return np.where(total > 0, mean, np.nan)


def _cover(level: Float32Array, gentlest: float, steepest: float) -> Float32Array:
    """How much of each pixel lies on a line; lines are where ``level`` is a whole number above 0.

    Slopes are in levels a pixel. What is flatter than the gentlest is a nook along a wall where
    distances are not interpolated, what is steeper than the steepest leads across a wall.
    """
    slope = np.hypot(_gentler(level, 0), _gentler(level, 1))
    nearest = np.rint(level)
    away = np.abs(level - nearest) / np.clip(slope, gentlest, steepest)
    cover = np.clip(_HALF_WIDTH + 0.5 - away, 0, 1)
    cover[~np.isfinite(level) | (nearest < 1) | (slope < gentlest)] = 0
    covered: Float32Array = cover.astype(np.float32)
    return covered


def _gentler(level: Float32Array, axis: int) -> Float32Array:
    """The gentler of the slopes to both sides: the steeper one may lead across a wall."""
    difference = np.abs(np.diff(level, axis=axis))
    pad = [(0, 0), (0, 0)]
    pad[axis] = (1, 0)
    before = np.pad(difference, pad, constant_values=np.nan)
    pad[axis] = (0, 1)
    after = np.pad(difference, pad, constant_values=np.nan)
    slope: Float32Array = np.nan_to_num(np.fmin(before, after))
    return slope
