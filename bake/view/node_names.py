"""Names beside nodes, as many as there is room for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from bake.arrays import Float64Array, UInt8Array
from bake.runtime.reader.places import Places
from bake.view.lettering import font, plain, width_of
from bake.view.palette import INK, PAPER

_SIZE = 13
#: Where there are more nodes, only this many of those with the most roads are tried.
_TRIED = 3000
_SMALLEST_NAMED = 2.0
_BUCKET = 64.0

Box = tuple[float, float, float, float]


class _Taken:
    """Rectangles that are taken, found by where they lie."""

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


def write_names(
    pixels: UInt8Array,
    places: Places,
    point: Float64Array,
    radius: float,
    marked: npt.NDArray[np.intp],
) -> UInt8Array:
    """Write names where they meet neither nodes nor each other, and hide the least of the roads.

    Args:
        pixels: (height, width, 3) uint8.
        places: names, and arcs: nodes with the most are named first.
        point: (n, 2) float64 pixels.
        radius: of a node in pixels; names of smaller ones are left out.
        marked: nodes to name before all others.

    Returns:
        A new picture.
    """
    height, width = pixels.shape[:2]
    order = _by_degree(places)[:_TRIED].tolist() if radius >= _SMALLEST_NAMED else []
    taken = _Taken()
    marked_nodes = marked.tolist()
    if order:
        for x, y in point.tolist():
            taken.add((x - radius, y - radius, x + radius, y + radius))
    drawn = (pixels != np.array(PAPER, dtype=np.uint8)).any(axis=2)
    picture = Image.fromarray(pixels)
    pen = ImageDraw.Draw(picture)
    for node in dict.fromkeys([*marked_nodes[::-1], *order]):
        text = plain(str(places.names[node]))
        gap = (11.0 if node in marked_nodes else radius) + 5
        x, y = point[node].tolist()
        size = (width_of(text, _SIZE), float(_SIZE))
        best, least = None, np.inf
        for left, top in _spots(x, y, gap, size):
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
            (left, top + _SIZE / 2),
            text,
            fill=INK,
            font=font(_SIZE),
            anchor="lm",
            stroke_width=2,
            stroke_fill=PAPER,
        )
    return np.array(picture)


def _by_degree(places: Places) -> npt.NDArray[np.intp]:
    degree = np.diff(places.first_out)
    return np.lexsort((np.arange(len(degree)), -degree))


def _spots(
    x: float, y: float, gap: float, size: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    """Left and top of a name, the best place first: right, left, above, below, then corners."""
    width, height = size
    yield x + gap, y - height / 2
    yield x - gap - width, y - height / 2
    yield x - width / 2, y - gap - height
    yield x - width / 2, y + gap
    for left in (x + gap * 0.7, x - gap * 0.7 - width):
        for top in (y - gap * 0.7 - height, y + gap * 0.7):
            yield left, top
