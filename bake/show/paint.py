"""Paint cells: colors, stripes, shade, lines between cells, and contours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from bake.core.arrays import BoolArray, Float64Array, Int32Array, UInt8Array
from bake.show.canvas import Canvas
from bake.show.cells import DrawnCells
from bake.show.colours import (
    CONTOUR,
    CONTOUR_ON_DARK,
    CUT_OFF_STRIPE,
    JOINED_STRIPE,
    OTHERS_STRIPE,
    UNREACHABLE_STRIPE,
    Colour,
)

#: The possible colors of stripes on cells.
STRIPES: tuple[Colour, ...] = (OTHERS_STRIPE, UNREACHABLE_STRIPE, CUT_OFF_STRIPE, JOINED_STRIPE)

#: Width of a stripe, and of the gap between two, in pixels; a power of two.
_STRIPE = 4

_CONTOUR_OPACITY = 0.6


@dataclass(frozen=True)
class CellPaint:
    """The paint of c cells."""

    fill: UInt8Array  #: (c, 3) uint8 colors
    stripe: UInt8Array  #: (c) uint8, 0 = plain, k = striped in ``STRIPES[k - 1]``
    #: (c) bool, True for cells that seem to rise above the others: without grid lines, but with a
    #: soft shade around them
    solid: BoolArray
    shade: float = 0.0  #: darkness of the shade around solid cells, 0 to 1
    grid: float = 0.0  #: darkness of the lines between other cells, 0 to 1

    def mark(
        self, cells: Int32Array, fill: Colour | UInt8Array, stripe: Colour | None = None
    ) -> None:
        """Set one color or (k, 3) colors of (k) cells, and their stripe; None = plain."""
        self.fill[cells] = fill
        self.stripe[cells] = 0 if stripe is None else STRIPES.index(stripe) + 1


def paint_cells(cells: DrawnCells, paint: CellPaint) -> Canvas:
    """Return a canvas on which all cells are painted."""
    canvas = Canvas(*cells.size)
    fine, image = canvas.fine, canvas.image
    whole = (0, 0, *image.size)
    image.paste(cells.picture(paint.fill, fine))
    for number, stripe in enumerate(STRIPES, start=1):
        if (paint.stripe == number).any():
            striped = _mask(cells, paint.stripe == number, fine)
            image.paste(stripe, whole, ImageChops.multiply(striped, hatching(image.size, fine)))
    if paint.grid > 0 or paint.shade > 0:
        low = _mask(cells, ~paint.solid, fine)
    if paint.grid > 0:
        borders = cells.borders(round(255 * paint.grid), fine)
        image.paste((0, 0, 0), whole, ImageChops.multiply(low, borders))
    if paint.shade > 0:
        blur = ImageFilter.GaussianBlur(min(6.0, cells.scale / 5) * fine)
        near = _mask(cells, paint.solid, fine).filter(blur)
        dark = ImageChops.multiply(low, near).point([round(v * paint.shade) for v in range(256)])
        image.paste((0, 0, 0), whole, dark)
    return canvas


def _mask(cells: DrawnCells, chosen: BoolArray, fine: int) -> Image.Image:
    return cells.picture(chosen.astype(np.uint8) * np.uint8(255), fine)


def hatching(size: tuple[int, int], fine: int = 1) -> Image.Image:
    """Return a mask of diagonal stripes, magnified ``fine`` times."""
    right, down = (np.arange(side, dtype=np.uint16) for side in size)
    striped = np.add.outer(down, right) & np.uint16(_STRIPE * fine)
    return Image.fromarray((striped == 0).astype(np.uint8) * np.uint8(255))


def contour_step(farthest: float, lines: int = 24) -> float:
    """Return the step between contours for at most ``lines`` of them: 1, 2 or 5 times 10^k."""
    if farthest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(farthest / lines))
    return next(
        step for step in (power, 2 * power, 5 * power, 10 * power) if farthest <= step * lines
    )


def draw_contours(
    canvas: Canvas,
    cells: DrawnCells,
    fill: UInt8Array,
    distance: Float64Array,
    step: float,
    steepest: float,
    light_from: float,
) -> None:
    """Draw lines between neighboring cells whose distances are separated by a multiple of the step.

    Args:
        canvas: the canvas.
        cells: the layout of the cells.
        fill: (c, 3) uint8 colors of the cells, which shine through.
        distance: (c) float64 units; inf or NaN for cells without a distance.
        step: units between lines.
        steepest: neighbors that differ by more units are on two sides of a wall.
        light_from: lines farther than this many units are light, as the picture is dark there.
    """
    with np.errstate(invalid="ignore"):
        level = np.floor(distance / step + 1e-9)
        for one, other in cells.neighbours():
            differ = np.abs(distance[one] - distance[other]) <= steepest
            met = np.flatnonzero(differ & (level[one] != level[other]))
            a, b = cells.centre(one[met]), cells.centre(other[met])
            aside = (b - a)[:, ::-1] * (0.5 if cells.layout is None else 0.5 / math.sqrt(3))
            aside *= (-1, 1)
            middle = (a + b) / 2
            dark = (distance[other[met]] <= light_from)[:, None]
            line = np.where(dark, CONTOUR, CONTOUR_ON_DARK)
            blend = fill[one[met]] * (1 - _CONTOUR_OPACITY) + line * _CONTOUR_OPACITY
            ends = np.hstack([middle - aside, middle + aside])
            canvas.lines(ends, 1.5, np.rint(blend).astype(np.uint8))
