"""This module writes text in pictures, with the font of Pillow, and names beside nodes."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from bake.arrays import Float64Array, UInt8Array
from bake.runtime.reader.places import Places
from bake.view.colours import INK, PAPER

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
Box = tuple[float, float, float, float]

#: Characters that are not ASCII and that the font has.
_EXTRA = "·…"
_SPELLED = {"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "œ": "oe"}

_NAME_SIZE = 13
#: Names are tried for at most this many unmarked nodes, those with the most roads.
_TRIED = 3000
_SMALLEST_NAMED = 2.0
_BUCKET = 64.0


@cache
def font(size: int) -> Font:
    """Return the font at a height in pixels."""
    return ImageFont.load_default(size=size)


def plain(text: str) -> str:
    """Write a text in letters the font has.

    Accents are dropped, and other letters that the font lacks become "?".
    """
    spelled = "".join(_SPELLED.get(letter, letter) for letter in text)
    letters = []
    for letter in unicodedata.normalize("NFKD", spelled):
        if (letter.isascii() and letter.isprintable()) or letter in _EXTRA:
            letters.append(letter)
        elif not unicodedata.combining(letter):
            letters.append("?")
    return "".join(letters)


def width_of(text: str, size: int) -> float:
    """Return the width of a text in pixels."""
    return float(font(size).getlength(text))


def fitted(text: str, size: int, room: float) -> str:
    """Return as much of a text as fits into ``room`` pixels; "…" ends a text that was cut."""
    if width_of(text, size) <= room:
        return text
    while text and width_of(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def write_names(
    pixels: UInt8Array,
    places: Places,
    point: Float64Array,
    radius: float,
    marked: npt.NDArray[np.integer],
) -> UInt8Array:
    """Write names beside nodes, as many as there is room for.

    Names do not overlap nodes or each other, and hide as little of the roads as they can.

    Args:
        pixels: (height, width, 3) uint8.
        places: names and arcs of the nodes; nodes with the most arcs are named first.
        point: (n, 2) float64 pixels, where the nodes lie.
        radius: radius of a node in pixels; where it is too small, only marked nodes are named.
        marked: nodes to name before all others.

    Returns:
        A new picture.
    """
    height, width = pixels.shape[:2]
    degree = np.diff(places.first_out)
    order: list[int] = []
    taken = _Taken()
    if radius >= _SMALLEST_NAMED:
        order = np.lexsort((np.arange(len(degree)), -degree))[:_TRIED].tolist()
        for x, y in point.tolist():
            taken.add((x - radius, y - radius, x + radius, y + radius))
    drawn = (pixels != np.array(PAPER, dtype=np.uint8)).any(axis=2)
    picture = Image.fromarray(pixels)
    pen = ImageDraw.Draw(picture)
    marked_nodes = marked.tolist()
    for node in dict.fromkeys([*marked_nodes[::-1], *order]):
        text = plain(str(places.names[node]))
        gap = (11.0 if node in marked_nodes else radius) + 5
        x, y = point[node].tolist()
        size = (width_of(text, _NAME_SIZE), float(_NAME_SIZE))
        best, least = None, np.inf
        for left, top in _corners_beside(x, y, gap, size):
            box = (left - 2, top - 1, left + size[0] + 2, top + size[1] + 1)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            if not inside or taken.meets(box):
                continue
            x0, y0, x1, y1 = (int(edge) for edge in box)
            hidden = int(drawn[y0:y1, x0:x1].sum())
            if hidden < least:
                best, least = (left, top, box), hidden
        if best is None:
            continue
        left, top, box = best
        taken.add(box)
        pen.text(
            (left, top + _NAME_SIZE / 2),
            text,
            fill=INK,
            font=font(_NAME_SIZE),
            anchor="lm",
            stroke_width=2,
            stroke_fill=PAPER,
        )
    return np.array(picture)


class _Taken:
    """Rectangles that are taken, kept in buckets by where they lie."""

    def __init__(self) -> None:
        self._buckets: defaultdict[tuple[int, int], list[Box]] = defaultdict(list)

    def add(self, box: Box) -> None:
        for bucket in _buckets(box):
            self._buckets[bucket].append(box)

    def meets(self, box: Box) -> bool:
        left, top, right, bottom = box
        return any(
            left < other[2] and right > other[0] and top < other[3] and bottom > other[1]
            for bucket in _buckets(box)
            for other in self._buckets.get(bucket, ())
        )


def _buckets(box: Box) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = (int(edge // _BUCKET) for edge in box)
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            yield x, y


def _corners_beside(
    x: float, y: float, gap: float, size: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    """Yield left and top of the positions for a name, the best first.

    They are right, left, above and below of a node, then at its corners.
    """
    width, height = size
    yield x + gap, y - height / 2
    yield x - gap - width, y - height / 2
    yield x - width / 2, y - gap - height
    yield x - width / 2, y + gap
    for left in (x + gap * 0.7, x - gap * 0.7 - width):
        for top in (y - gap * 0.7 - height, y + gap * 0.7):
            yield left, top
