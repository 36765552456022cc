"""Smooth lines, discs and polygons over a picture: drawn several times larger, then reduced."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from bake.arrays import Float64Array, UInt8Array
from bake.view.palette import Colour

_SAMPLES = 4
_BAND_PIXELS = 2**18


@dataclass(frozen=True)
class _Layer:
    """Shapes of one kind.

    Attributes:
        points: (k, 2p) float64, x and y in pixels of each shape's p points.
        size: width of a line or radius of a disc in pixels; 0 for polygons.
        colour: (k, 3) uint8.
    """

    points: Float64Array
    size: float
    colour: UInt8Array

    def rows(self) -> tuple[Float64Array, Float64Array]:
        """Topmost and bottommost pixel row each shape may touch."""
        y = self.points[:, 1::2]
        return y.min(axis=1) - self.size - 1, y.max(axis=1) + self.size + 1


@dataclass
class Ink:
    """Shapes, in the order they are laid over each other."""

    _layers: list[_Layer] = field(default_factory=list)

    def lines(self, ends: Float64Array, width: float, colour: Colour | UInt8Array) -> None:
        """(k, 4) float64 from x, y to x, y in pixels."""
        self._add(ends, width, colour)

    def discs(self, centre: Float64Array, radius: float, colour: Colour | UInt8Array) -> None:
        """(k, 2) float64 x, y in pixels."""
        self._add(centre, radius, colour)

    def polygons(self, corners: Float64Array, colour: Colour | UInt8Array) -> None:
        """(k, p, 2) float64 x, y in pixels of p > 2 corners each."""
        self._add(corners.reshape(len(corners), 2 * corners.shape[1]), 0.0, colour)

    def polyline(self, points: Float64Array, width: float, colour: Colour) -> None:
        """(k, 2) float64 x, y in pixels: a line with round joints and ends."""
        self.lines(np.hstack([points[:-1], points[1:]]), width, colour)
        self.discs(points, width / 2, colour)

    def _add(self, points: Float64Array, size: float, colour: Colour | UInt8Array) -> None:
        if len(points):
            each = np.broadcast_to(np.asarray(colour, dtype=np.uint8), (len(points), 3))
            self._layers.append(_Layer(np.asarray(points, dtype=np.float64), size, each))

    def draw_on(self, picture: UInt8Array) -> None:
        """Draw everything into a (height, width, 3) uint8 picture."""
        height, width = picture.shape[:2]
        extents = [layer.rows() for layer in self._layers]
        step = max(8, _BAND_PIXELS // width)
        for top in range(0, height, step):
            bottom = min(height, top + step)
            chosen = [np.flatnonzero((low < bottom) & (high > top)) for low, high in extents]
            if any(len(shapes) for shapes in chosen):
                self._draw_band(picture[top:bottom], top, chosen)

    def _draw_band(self, band: UInt8Array, top: int, chosen: list[npt.NDArray[np.intp]]) -> None:
        height, width = band.shape[:2]
        large = Image.fromarray(band).resize(
            (width * _SAMPLES, height * _SAMPLES), Image.Resampling.NEAREST
        )
        pen = ImageDraw.Draw(large)
        for layer, shapes in zip(self._layers, chosen, strict=True):
            points = layer.points[shapes].copy()
            points[:, 1::2] -= top
            # A pixel's middle is at half its side, its samples' middles are whole numbers.
            points = points * _SAMPLES - 0.5
            size = layer.size * _SAMPLES
            colours = layer.colour[shapes].tolist()
            for shape, colour in zip(points.tolist(), colours, strict=True):
                if len(shape) == 2:
                    x, y = shape
                    pen.ellipse((x - size, y - size, x + size, y + size), fill=tuple(colour))
                elif len(shape) == 4:
                    pen.line(shape, fill=tuple(colour), width=max(1, round(size)))
                else:
                    pen.polygon(shape, fill=tuple(colour))
        band[...] = np.asarray(large.reduce(_SAMPLES))
