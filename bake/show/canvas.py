"""Draw shapes and text with Pillow, antialiased by drawing at twice the size."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bake.core.arrays import Float64Array, UInt8Array
from bake.show.colours import CASING, GOAL, INK, PAPER, PATH, START, Colour

#: Pictures with more pixels are drawn at their final size, as twice the size needs four times the
#: memory.
MOST_FINE = 2**23

#: The number of shapes that are passed to Pillow at a time.
_SHAPES = 2**16

_SMALLEST_MARK = 6.5
_LARGEST_MARK = 15.0

#: Characters beyond ASCII that the font has, and replacements for some that it lacks.
_EXTRA = "·…"
_SPELLED = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "œ": "oe"}
)

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


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's default font at a height in pixels."""
    return ImageFont.load_default(size=size)


def plain(text: str) -> str:
    """Replace the characters of a text that the font lacks.

    Accents are removed, and other missing characters become "?".
    """
    letters = unicodedata.normalize("NFKD", text.translate(_SPELLED))
    return "".join(
        letter if (letter.isascii() and letter.isprintable()) or letter in _EXTRA else "?"
        for letter in letters
        if not unicodedata.combining(letter)
    )


def width_of(text: str, size: int) -> float:
    """Return the width of a text in pixels."""
    return float(font(size).getlength(text))


def fitted(text: str, size: int, room: float) -> str:
    """Return a text shortened to ``room`` pixels, with "…" at the end if it was cut."""
    if width_of(text, size) <= room:
        return text
    while text and width_of(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


class Canvas:
    """A drawing surface; all sizes and positions are in pixels of the finished picture."""

    def __init__(self, width: int, height: int, colour: Colour = PAPER) -> None:
        #: Width and height of the finished picture.
        self.size = width, height
        #: The magnification of ``image``, 2 or 1.
        self.fine = 2 if width * height <= MOST_FINE else 1
        #: The magnified picture, RGB.
        self.image = Image.new("RGB", (width * self.fine, height * self.fine), colour)
        self._pen = ImageDraw.Draw(self.image)

    def picture(self) -> Image.Image:
        """Return the picture at its final size."""
        return self.image.reduce(self.fine) if self.fine > 1 else self.image

    def samples(self, points: Float64Array) -> list[list[int]]:
        """Convert (k, 2p) x and y in pixels to positions in the magnified picture."""
        scaled: list[list[int]] = np.floor(points * self.fine).astype(np.int64).tolist()
        return scaled

    def _iterate_shapes(
        self, points: Float64Array, colour: Colour | UInt8Array
    ) -> Iterator[tuple[list[int], Colour]]:
        """Yield the samples and the color of each of k shapes."""
        colours = np.broadcast_to(np.asarray(colour, dtype=np.uint8), (len(points), 3))
        for low in range(0, len(points), _SHAPES):
            part = slice(low, low + _SHAPES)
            fills: list[Colour] = list(map(tuple, colours[part].tolist()))
            yield from zip(self.samples(points[part]), fills, strict=True)

    def lines(self, ends: Float64Array, width: float, colour: Colour | UInt8Array) -> None:
        """Draw lines, (k, 4) float64 from x, y to x, y."""
        wide = max(1, round(width * self.fine))
        for shape, fill in self._iterate_shapes(ends, colour):
            self._pen.line(shape, fill=fill, width=wide)

    def discs(
        self,
        centre: Float64Array,
        radius: float,
        colour: Colour | UInt8Array,
        rim: float = 0.0,
        rim_colour: Colour = INK,
    ) -> None:
        """Draw discs around (k, 2) float64 x, y, with rims if ``rim`` is above 0."""
        if rim > 0:
            self.discs(centre, radius + rim, rim_colour)
        wide = round(radius * self.fine)
        for (x, y), fill in self._iterate_shapes(centre, colour):
            self._pen.ellipse((x - wide, y - wide, x + wide, y + wide), fill=fill)

    def polygons(self, corners: Float64Array, colour: Colour | UInt8Array) -> None:
        """Draw k polygons, (k, p, 2) float64 x, y of p > 2 corners each."""
        for shape, fill in self._iterate_shapes(
            corners.reshape(len(corners), 2 * corners.shape[1]), colour
        ):
            self._pen.polygon(shape, fill=fill)

    def rectangle(
        self,
        box: tuple[float, float, float, float],
        colour: Colour,
        outline: Colour | None = None,
    ) -> None:
        """Draw a rectangle from left and top to right and bottom."""
        (shape,) = self.samples(np.array([box]))
        self._pen.rectangle(shape, fill=colour, outline=outline, width=self.fine)

    def polyline(
        self, points: Float64Array, width: float, colour: Colour, casing: float = 0.0
    ) -> None:
        """Draw a line along (k, 2) float64 x, y, with round joints and ends.

        Args:
            points: the points of the line.
            width: the width.
            colour: the color.
            casing: the extra width of a light line underneath; 0 = none.
        """
        if casing > 0:
            self.polyline(points, width + casing, CASING)
        ((line, fill),) = self._iterate_shapes(points.reshape(1, -1), colour)
        self._pen.line(line, fill=fill, width=max(1, round(width * self.fine)), joint="curve")
        self.discs(points[[0, -1]], (width - 1) / 2, colour)

    def rings(self, centre: Float64Array, radius: Float64Array, colour: UInt8Array) -> None:
        """Draw rings of (k, 3) colors and (k) radii around (k, 2) points."""
        for out, width, shade in ((1.2, 5.0, INK), (0.0, 2.6, colour)):
            beside = (radius + out + 1.3)[:, None]
            box = np.hstack([centre - beside, centre + beside])
            for shape, outline in self._iterate_shapes(box, shade):
                self._pen.ellipse(shape, outline=outline, width=round(width * self.fine))

    def arrows(
        self,
        outline: Float64Array,
        centre: Float64Array,
        direction: Float64Array,
        length: float,
        colour: Colour,
    ) -> None:
        """Draw k arrows.

        Args:
            outline: ARROW_OUTLINE or ARROW_HEAD.
            centre: (k, 2) x, y.
            direction: (k, 2), of any length except 0.
            length: length of all arrows.
            colour: color of all arrows.
        """
        ahead = direction / np.linalg.norm(direction, axis=1, keepdims=True) * length
        aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
        along_part, aside_part = outline[:, 0, None], outline[:, 1, None]
        turned = centre[:, None] + ahead[:, None] * along_part + aside[:, None] * aside_part
        self.polygons(turned, colour)

    def text(
        self,
        at: tuple[float, float],
        text: str,
        size: int,
        colour: Colour = INK,
        anchor: str = "lm",
        halo: int = 0,
    ) -> None:
        """Draw a text with one of Pillow's anchors and a halo of ``halo`` pixels in paper color."""
        x, y = at
        self._pen.text(
            (x * self.fine, y * self.fine),
            text,
            fill=colour,
            font=font(size * self.fine),
            anchor=anchor,
            stroke_width=halo * self.fine,
            stroke_fill=PAPER,
        )

    def path(self, points: Float64Array, room: float) -> None:
        """Draw a path along (k, 2) pixels, with a width for places ``room`` pixels apart."""
        width = min(7.0, max(2.5, 0.26 * room))
        if len(points) > 1:
            self.polyline(points, width, PATH, casing=max(2.0, 0.7 * width))

    def start(self, point: Float64Array, room: float) -> None:
        """Draw a disc that marks a start at (2) pixels."""
        self._mark(point, _mark_radius(room), ((1.0, CASING), (0.72, START)))

    def goal(self, point: Float64Array, room: float) -> None:
        """Draw rings that mark a goal at (2) pixels."""
        circles = ((1.0, CASING), (0.78, GOAL), (0.48, CASING), (0.24, GOAL))
        self._mark(point, _mark_radius(room) * 1.12, circles)

    def _mark(
        self, point: Float64Array, radius: float, circles: Sequence[tuple[float, Colour]]
    ) -> None:
        """Draw concentric circles, given as fractions of the radius, with a dark rim."""
        self.discs(point[None], radius + 1.2, INK)
        for share, colour in circles:
            self.discs(point[None], radius * share, colour)


def _mark_radius(room: float) -> float:
    return min(_LARGEST_MARK, max(_SMALLEST_MARK, 0.36 * room))
