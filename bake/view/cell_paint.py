"""From a colour for every cell to a picture of them, a band of pixel rows at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

from bake.arrays import BoolArray, Int32Array, UInt8Array
from bake.view.hex_cells import HexCells
from bake.view.palette import Colour
from bake.view.square_cells import SquareCells

Cells = SquareCells | HexCells

#: Samples worked on at once.
_BAND_SAMPLES = 2**21

_STRIPE_PERIOD = 8.0


@dataclass(frozen=True)
class CellPaint:
    """How to paint c cells; entry c stands for whatever is not a cell.

    Attributes:
        fill: (c + 1, 3) uint8 colours.
        stripe: (c + 1) uint8, 0 = plain, k = striped in ``stripe_colours[k - 1]``.
        solid: (c + 1) bool, cells that rise over the others: no grid on them, a soft shade around.
        stripe_colours: one for each kind of stripes.
        shade: how dark the shade around solid cells is, 0 to 1.
        grid: how dark lines between other cells are, 0 to 1.
    """

    fill: UInt8Array
    stripe: UInt8Array
    solid: BoolArray
    stripe_colours: tuple[Colour, ...] = ()
    shade: float = 0.0
    grid: float = 0.0


def bands(cells: Cells) -> list[tuple[int, int]]:
    """(top, bottom) of bands of pixel rows that are small enough to work on at once."""
    step = max(1, _BAND_SAMPLES // (cells.pixel_width * cells.samples**2))
    height = cells.pixel_height
    return [(top, min(height, top + step)) for top in range(0, height, step)]


def paint_cells(cells: Cells, paint: CellPaint) -> UInt8Array:
    """(pixel_height, pixel_width, 3) uint8."""
    size = (cells.pixel_height, cells.pixel_width)
    picture = np.empty((*size, 3), dtype=np.uint8)
    solid, low = np.empty(size, dtype=np.uint8), np.empty(size, dtype=np.uint8)
    lies_low = ~paint.solid
    lies_low[-1] = False
    for top, bottom in bands(cells):
        cell = cells.band(top, bottom)
        colour = paint.fill[cell]
        if paint.stripe.any():
            _stripe(colour, paint, cell, cells.samples, top)
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
    """Each pixel the mean of its samples."""
    if samples == 1:
        return sampled
    height, width, channels = sampled.shape
    total = np.zeros((height // samples, width // samples, channels), dtype=np.uint16)
    for down in range(samples):
        for right in range(samples):
            total += sampled[down::samples, right::samples]
    count = samples * samples
    return ((total + count // 2) // count).astype(np.uint8)


def _cover(samples_in: BoolArray, samples: int) -> UInt8Array:
    """How much of each pixel is in: 0 to 255."""
    return _reduced(samples_in.astype(np.uint8)[..., None] * np.uint8(255), samples)[..., 0]


def _stripe(
    colour: UInt8Array,
    paint: CellPaint,
    cell: Int32Array,
    samples: int,
    top: int,
) -> None:
    kind = paint.stripe[cell]
    if not kind.any():
        return
    down = np.arange(cell.shape[0], dtype=np.float32)[:, None] + top * samples
    phase = ((down + np.arange(cell.shape[1], dtype=np.float32)) / samples) % _STRIPE_PERIOD
    # Half a period wide, and one pixel from nothing to all.
    cover = np.clip(np.abs(phase - _STRIPE_PERIOD / 2) - _STRIPE_PERIOD / 4 + 0.5, 0, 1)
    for number, stripe in enumerate(paint.stripe_colours, start=1):
        where = kind == number
        share = cover[where][:, None]
        colour[where] = np.rint(colour[where] * (1 - share) + np.array(stripe) * share).astype(
            np.uint8
        )


def _rule(
    colour: UInt8Array,
    paint: CellPaint,
    cell: Int32Array,
    cells: Cells,
    top: int,
) -> None:
    """Thin lines where one cell ends and the next begins, on cells that are not solid."""
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
    picture: UInt8Array,
    solid: UInt8Array,
    low: UInt8Array,
    radius: float,
    depth: float,
) -> None:
    """Darken what lies low along the foot of what is solid; both are how much of a pixel is."""
    near = np.asarray(Image.fromarray(solid).filter(ImageFilter.GaussianBlur(radius)))
    step = max(1, _BAND_SAMPLES // picture.shape[1])
    for top in range(0, picture.shape[0], step):
        part = slice(top, top + step)
        dark = low[part].astype(np.float32) * near[part] * np.float32(depth / 255**2)
        picture[part] = np.rint(picture[part] * (1 - dark)[..., None]).astype(np.uint8)
