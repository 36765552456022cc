"""This module draws smooth shapes over a picture: several times larger, then reduced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from bake.arrays import Float64Array, UInt8Array
from bake.view.colours import CASING, GOAL, INK, PATH, START, Colour

_SAMPLES = 4
_BAND_PIXELS = 2**18

_SMALLEST_MARK = 6.5
_LARGEST_MARK = 15.0
_RING_CORNERS = 40

#: Outlines of arrows of length 1: corners (along, aside), relative to the direction of the arrow.
ARROW_OUTLINE = np.array(
    [
        (-0.5, -0.07),
        (0.06, -0.07),
        (0.06, -0.3),
        (0.5, 0.0),
        (0.06, 0.3),
        (0.06, 0.07),
        (-0.5, 0.07),
    ]
)
ARROW_HEAD = np.array([(-0.5, -0.42), (0.5, 0.0), (-0.5, 0.42), (-0.3, 0.0)])


@dataclass(frozen=True)
class _Layer:
    """Shapes of one kind and size.

    Attributes:
        points: (k, 2p) float64, x and y in pixels of each shape's p points.
        size: width of a line or radius of a disc in pixels; 0 for polygons.
        colour: (k, 3) uint8.
    """

    points: Float64Array
    size: float
    colour: UInt8Array

    def rows(self) -> tuple[Float64Array, Float64Array]:
        """Return the topmost and bottommost pixel row that each shape may touch."""
        y = self.points[:, 1::2]
        return y.min(axis=1) - self.size - 1, y.max(axis=1) + self.size + 1


@dataclass
class Ink:
    """A list of shapes, in the order in which they are drawn over each other."""

    _layers: list[_Layer] = field(default_factory=list)

    def lines(self, ends: Float64Array, width: float, colour: Colour | UInt8Array) -> None:
        """Add lines, (k, 4) float64 from x, y to x, y in pixels."""
        self._add(ends, width, colour)

    def discs(
        self,
        centre: Float64Array,
        radius: float,
        colour: Colour | UInt8Array,
        rim: float = 0.0,
        rim_colour: Colour = INK,
    ) -> None:
        """Add discs around (k, 2) float64 x, y in pixels, with rims if ``rim`` is above 0."""
        if rim > 0:
            self._add(centre, radius + rim, rim_colour)
        self._add(centre, radius, colour)

    def polygons(self, corners: Float64Array, colour: Colour | UInt8Array) -> None:
        """Add polygons, (k, p, 2) float64 x, y in pixels of p > 2 corners each."""
        self._add(corners.reshape(len(corners), 2 * corners.shape[1]), 0.0, colour)

    def polyline(
        self, points: Float64Array, width: float, colour: Colour, casing: float = 0.0
    ) -> None:
        """Add a line along (k, 2) float64 x, y in pixels, with round joints and ends.

        Args:
            points: the points the line goes through.
            width: its width in pixels.
            colour: its colour.
            casing: how much wider a light line under it is; 0 = there is no such line.
        """
        if casing > 0:
            self.polyline(points, width + casing, CASING)
        self.lines(np.hstack([points[:-1], points[1:]]), width, colour)
        self.discs(points, width / 2, colour)

    def rings(self, centre: Float64Array, radius: Float64Array, colour: UInt8Array) -> None:
        """Add rings of (k, 3) colours and (k) radii around (k, 2) points."""
        angle = np.linspace(0, 2 * np.pi, _RING_CORNERS + 1)
        circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        points = centre[:, None] + circle * radius[:, None, None]
        ends = np.concatenate([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 4)
        self.lines(ends, 5.0, INK)
        self.lines(ends, 2.6, np.repeat(colour, _RING_CORNERS, axis=0))

    def arrows(
        self,
        outline: Float64Array,
        centre: Float64Array,
        direction: Float64Array,
        length: float,
        colour: Colour,
    ) -> None:
        """Add k arrows.

        Args:
            outline: ARROW_OUTLINE or ARROW_HEAD.
            centre: (k, 2) x, y in pixels.
            direction: (k, 2), of any length except 0.
            length: length of all arrows in pixels.
            colour: colour of all arrows.
        """
        ahead = direction / np.linalg.norm(direction, axis=1, keepdims=True) * length
        aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
        along_part, aside_part = outline[:, 0, None], outline[:, 1, None]
        turned = centre[:, None] + ahead[:, None] * along_part + aside[:, None] * aside_part
        self.polygons(turned, colour)

    def path(self, points: Float64Array, room: float) -> None:
        """Add a path along (k, 2) pixels.

        Its width suits places that are ``room`` pixels apart.
        """
        width = min(7.0, max(2.5, 0.26 * room))
        if len(points) > 1:
            self.polyline(points, width, PATH, casing=max(2.0, 0.7 * width))

    def start(self, point: Float64Array, room: float) -> None:
        """Add a disc that marks a start at (2) pixels."""
        self._mark(point, _mark_radius(room), ((1.0, CASING), (0.72, START)))

    def goal(self, point: Float64Array, room: float) -> None:
        """Add rings that mark a goal at (2) pixels."""
        circles = ((1.0, CASING), (0.78, GOAL), (0.48, CASING), (0.24, GOAL))
        self._mark(point, _mark_radius(room) * 1.12, circles)

    def _mark(
        self, point: Float64Array, radius: float, circles: Sequence[tuple[float, Colour]]
    ) -> None:
        """Add circles within each other, each a share of the radius, and a dark rim around all."""
        self.discs(point[None], radius + 1.2, INK)
        for share, colour in circles:
            self.discs(point[None], radius * share, colour)

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
            # The middle of a pixel is at half its side, but middles of samples are whole numbers.
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


def _mark_radius(room: float) -> float:
    return min(_LARGEST_MARK, max(_SMALLEST_MARK, 0.36 * room))
