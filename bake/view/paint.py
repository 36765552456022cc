"""This module paints cells into pixels, a band of pixel rows at a time.

It paints colours, stripes, shade and contours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

from bake.arrays import BoolArray, Float32Array, Float64Array, Int32Array, UInt8Array
from bake.view.cells import Cells
from bake.view.colours import (
    CONTOUR,
    CONTOUR_ON_DARK,
    CUT_OFF_STRIPE,
    JOINED_STRIPE,
    OTHERS_STRIPE,
    UNREACHABLE_STRIPE,
    Colour,
)

#: The colours that stripes of a cell can have.
STRIPES: tuple[Colour, ...] = (OTHERS_STRIPE, UNREACHABLE_STRIPE, CUT_OFF_STRIPE, JOINED_STRIPE)

#: How many samples are computed at once.
_BAND_SAMPLES = 2**21

_STRIPE_PERIOD = 8.0

#: Half the width of a contour in pixels.
_HALF_CONTOUR = 0.75
_CONTOUR_OPACITY = 0.6


@dataclass(frozen=True)
class CellPaint:
    """How to paint c cells; entry c stands for whatever is not a cell.

    Attributes:
        fill: (c + 1, 3) uint8 colours.
        stripe: (c + 1) uint8, 0 = plain, k = striped in ``STRIPES[k - 1]``.
        solid: (c + 1) bool, True where a cell seems to rise over the others: it has no grid, and a
            soft shade around it.
        shade: how dark the shade around solid cells is, 0 to 1.
        grid: how dark lines between other cells are, 0 to 1.
    """

    fill: UInt8Array
    stripe: UInt8Array
    solid: BoolArray
    shade: float = 0.0
    grid: float = 0.0

    def mark(
        self, cells: Int32Array, fill: Colour | UInt8Array, stripe: Colour | None = None
    ) -> None:
        """Give (k) cells another colour, or (k, 3) colours; they are plain without a stripe."""
        self.fill[cells] = fill
        self.stripe[cells] = 0 if stripe is None else STRIPES.index(stripe) + 1


def _bands(cells: Cells) -> list[tuple[int, int]]:
    """List (top, bottom) of bands of pixel rows that are small enough to compute at once."""
    step = max(1, _BAND_SAMPLES // (cells.pixel_width * cells.samples**2))
    height = cells.pixel_height
    return [(top, min(height, top + step)) for top in range(0, height, step)]


def paint_cells(cells: Cells, paint: CellPaint) -> UInt8Array:
    """Paint all cells into a (pixel_height, pixel_width, 3) uint8 picture."""
    size = (cells.pixel_height, cells.pixel_width)
    picture = np.empty((*size, 3), dtype=np.uint8)
    solid, low = np.empty(size, dtype=np.uint8), np.empty(size, dtype=np.uint8)
    lies_low = ~paint.solid
    lies_low[-1] = False
    for top, bottom in _bands(cells):
        cell = cells.band(top, bottom)
        colour = paint.fill[cell]
        _stripe(colour, paint.stripe[cell], cells.samples, top)
        if paint.grid > 0:
            _rule(colour, paint, cell, cells, top)
        picture[top:bottom] = _reduced(colour, cells.samples)
        if paint.shade > 0:
            solid[top:bottom] = _cover(paint.solid[cell], cells.samples)
            low[top:bottom] = _cover(lies_low[cell], cells.samples)
    if paint.shade > 0:
        _shade(picture, solid, low, min(6.0, cells.scale / 5), paint.shade)
    return picture


def _reduced(sampled: UInt8Array, samples: int) -> UInt8Array:
    """Make each pixel the mean of its samples."""
    if samples == 1:
        return sampled
    height, width, channels = sampled.shape
    total = np.zeros((height // samples, width // samples, channels), dtype=np.uint16)
    for down in range(samples):
        for right in range(samples):
            total += sampled[down::samples, right::samples]
    count = samples * samples
    return ((total + count // 2) // count).astype(np.uint8)


def _cover(covered: BoolArray, samples: int) -> UInt8Array:
    """Return how much of each pixel is covered, 0 to 255."""
    return _reduced(covered.astype(np.uint8)[..., None] * np.uint8(255), samples)[..., 0]


def _stripe(colour: UInt8Array, kind: UInt8Array, samples: int, top: int) -> None:
    """Paint stripes into a band of samples that begins at row ``top`` of pixels.

    ``kind`` numbers the stripe of each sample as in :class:`CellPaint`; 0 = no stripe.
    """
    if not kind.any():
        return
    down = np.arange(kind.shape[0], dtype=np.float32)[:, None] + top * samples
    phase = ((down + np.arange(kind.shape[1], dtype=np.float32)) / samples) % _STRIPE_PERIOD
    # A stripe is half a period wide, and its edges fade over one pixel.
    cover = np.clip(np.abs(phase - _STRIPE_PERIOD / 2) - _STRIPE_PERIOD / 4 + 0.5, 0, 1)
    for number, stripe in enumerate(STRIPES, start=1):
        where = kind == number
        share = cover[where][:, None]
        blend = colour[where] * (1 - share) + np.array(stripe) * share
        colour[where] = np.rint(blend).astype(np.uint8)


def _rule(colour: UInt8Array, paint: CellPaint, cell: Int32Array, cells: Cells, top: int) -> None:
    """Draw thin lines between cells, on those that are not solid."""
    edge = np.zeros(cell.shape, dtype=np.bool_)
    edge[:, 1:] = cell[:, 1:] != cell[:, :-1]
    edge[1:] |= cell[1:] != cell[:-1]
    if top > 0:
        above = cells.band(top - 1, top)[-1]
        edge[0] |= cell[0] != above
    if cells.samples > 1:  # one sample is thinner than a pixel: take both sides of the edge
        edge[:, :-1] |= edge[:, 1:].copy()
        edge[:-1] |= edge[1:].copy()
    edge &= ~paint.solid[cell]
    edge &= cell < len(paint.fill) - 1
    colour[edge] = np.rint(colour[edge] * (1 - paint.grid)).astype(np.uint8)


def _shade(
    picture: UInt8Array, solid: UInt8Array, low: UInt8Array, radius: float, depth: float
) -> None:
    """Darken low cells where they meet solid ones.

    ``solid`` and ``low`` say how much of each pixel is so, 0 to 255.
    """
    near = np.asarray(Image.fromarray(solid).filter(ImageFilter.GaussianBlur(radius)))
    step = max(1, _BAND_SAMPLES // picture.shape[1])
    for top in range(0, picture.shape[0], step):
        part = slice(top, top + step)
        dark = low[part].astype(np.float32) * near[part] * np.float32(depth / 255**2)
        picture[part] = np.rint(picture[part] * (1 - dark)[..., None]).astype(np.uint8)


def contour_step(farthest: float, lines: int = 24) -> float:
    """Choose the units between contours, so that there are at most ``lines`` of them.

    The step is 1, 2 or 5 times a power of ten.
    """
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
        picture: (pixel_height, pixel_width, 3) uint8, which is drawn into.
        cells: where the cells lie.
        distance: (c) float64 units; inf or NaN where a cell has no distance.
        step: units between lines.
        slopes: least and greatest cost of crossing one cell. Neighbours whose distances differ by
            more than twice the greatest lie on two sides of a wall.
        light_from: lines farther than this many units are light, as the picture is dark there.
    """
    gentle, steep = slopes
    level_per_pixel = 1 / (step * cells.scale)
    value = np.full(len(distance) + 1, np.nan, dtype=np.float32)
    value[:-1] = np.where(np.isfinite(distance), distance, np.nan)
    for top, bottom in _bands(cells):
        # The part has one more row on either side, so that every row of the band has slopes.
        above, below = max(0, top - 1), min(cells.pixel_height, bottom + 1)
        level = _interpolated(cells, value, above, below, 2 * steep) / step
        cover = _contour_cover(level, 0.3 * gentle * level_per_pixel, 2 * steep * level_per_pixel)
        inner = slice(top - above, top - above + bottom - top)
        share = (_CONTOUR_OPACITY * cover[inner])[..., None]
        light = np.nan_to_num(level[inner])[..., None] * step > light_from
        line = np.where(light, CONTOUR_ON_DARK, CONTOUR)
        part = picture[top:bottom]
        part[...] = np.rint(part * (1 - share) + line * share).astype(np.uint8)


def _interpolated(
    cells: Cells, value: Float32Array, top: int, bottom: int, jump: float
) -> Float32Array:
    """Interpolate the distance at each pixel; NaN where there is none.

    It is a mean over the pixel's cell and those around it on the same side of any wall.
    """
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


def _contour_cover(level: Float32Array, gentlest: float, steepest: float) -> Float32Array:
    """Return how much of each pixel lies on a line, 0 to 1.

    Lines are where ``level`` is a whole number above 0. Slopes are in levels per pixel. Where the
    slope is below the gentlest, distances are not interpolated, in a nook along a wall; where it is
    above the steepest, it leads across a wall.
    """
    slope = np.hypot(_gentler(level, 0), _gentler(level, 1))
    nearest = np.rint(level)
    away = np.abs(level - nearest) / np.clip(slope, gentlest, steepest)
    cover = np.clip(_HALF_CONTOUR + 0.5 - away, 0, 1)
    cover[~np.isfinite(level) | (nearest < 1) | (slope < gentlest)] = 0
    covered: Float32Array = cover.astype(np.float32)
    return covered


def _gentler(level: Float32Array, axis: int) -> Float32Array:
    """Return the gentler of the slopes to both sides, as the steeper may lead across a wall."""
    difference = np.abs(np.diff(level, axis=axis))
    pad = [(0, 0), (0, 0)]
    pad[axis] = (1, 0)
    before = np.pad(difference, pad, constant_values=np.nan)
    pad[axis] = (0, 1)
    after = np.pad(difference, pad, constant_values=np.nan)
    slope: Float32Array = np.nan_to_num(np.fmin(before, after))
    return slope
