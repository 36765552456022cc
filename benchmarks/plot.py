"""Draw plots with two logarithmic axes, using only Pillow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]

PAPER: Colour = (255, 255, 255)
INK: Colour = (35, 38, 44)
PALE: Colour = (110, 115, 124)
GRID: Colour = (226, 229, 233)

#: The magnification for antialiasing, as Pillow's lines have hard edges.
FINE = 3
#: Sizes in pixels of the finished picture.
WIDTH, HEIGHT = 600, 450
LEFT, RIGHT, TOP, BOTTOM = 62, 22, 52, 46
TITLE, TEXT, SMALL = 15, 13, 12
DOT = 4


@dataclass(frozen=True)
class Point:
    """A measured point; both numbers are positive. An empty label is not drawn."""

    x: float
    y: float
    label: str


@dataclass(frozen=True)
class Series:
    """Points of one kind by ascending x, optionally joined by a line."""

    name: str
    colour: Colour
    points: Sequence[Point]
    joined: bool = False


@dataclass(frozen=True)
class Panel:
    """One plot of a picture."""

    title: str
    series: Sequence[Series]


def draw(file: Path, panels: Sequence[Panel], x_title: str) -> None:
    """Draw panels side by side into a PNG."""
    image = Image.new("RGB", (WIDTH * len(panels) * FINE, HEIGHT * FINE), PAPER)
    for place, panel in enumerate(panels):
        _Plot(ImageDraw.Draw(image), place * WIDTH, panel).draw(x_title)
    small = image.resize((WIDTH * len(panels), HEIGHT), Image.Resampling.LANCZOS)
    file.parent.mkdir(parents=True, exist_ok=True)
    small.quantize(64).save(file, optimize=True)


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of an axis as exponents of ten, in half decades around all values."""
    low = math.floor(math.log10(min(values)) * 2 - 0.7) / 2
    high = math.ceil(math.log10(max(values)) * 2 + 0.2) / 2
    return low, high


def short(value: float) -> str:
    """Format a number for an axis: 0.1, 10, 1k, 1M."""
    for limit, letter in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return f"{value:g}"


class _Plot:
    def __init__(self, ink: ImageDraw.ImageDraw, left: int, panel: Panel) -> None:
        self._ink = ink
        self._left = left + LEFT
        self._right = left + WIDTH - RIGHT
        self._panel = panel
        points = [point for series in panel.series for point in series.points]
        self._x = decades([point.x for point in points])
        self._y = decades([point.y for point in points])
        self._taken: list[Box] = []

    def draw(self, x_title: str) -> None:
        self._axes(x_title)
        self._legend()
        for series in self._panel.series:
            places = [self._to_pixels(point) for point in series.points]
            for x, y in places:
                self._taken.append((x - DOT - 2, y - DOT - 2, x + DOT + 2, y + DOT + 2))
            if series.joined:
                self._line(places, series.colour, 1.5)
                for one, other in pairwise(places):
                    self._keep_clear(one, other)
        for series in self._panel.series:
            for point in series.points:
                if point.label:
                    self._label(point)
        for series in self._panel.series:
            for point in series.points:
                self._dot(*self._to_pixels(point), series.colour)

    def _keep_clear(self, one: tuple[float, float], other: tuple[float, float]) -> None:
        """Block the boxes along a line, so that no label covers it."""
        pieces = max(1, int(math.dist(one, other) / 4))
        for piece in range(pieces):
            x = one[0] + (other[0] - one[0]) * piece / pieces
            y = one[1] + (other[1] - one[1]) * piece / pieces
            self._taken.append((x - 1, y - 1, x + 1, y + 1))

    def _to_pixels(self, point: Point) -> tuple[float, float]:
        return self._across(math.log10(point.x)), self._down(math.log10(point.y))

    def _across(self, exponent: float) -> float:
        low, high = self._x
        return self._left + (exponent - low) / (high - low) * (self._right - self._left)

    def _down(self, exponent: float) -> float:
        low, high = self._y
        return HEIGHT - BOTTOM - (exponent - low) / (high - low) * (HEIGHT - BOTTOM - TOP)

    def _axes(self, x_title: str) -> None:
        floor = HEIGHT - BOTTOM
        for value in _ticks(self._x):
            x = self._across(math.log10(value))
            self._line([(x, TOP), (x, floor)], GRID, 1)
            self._text(short(value), (x, floor + 7), SMALL, PALE, "ma")
        for value in _ticks(self._y):
            y = self._down(math.log10(value))
            self._line([(self._left, y), (self._right, y)], GRID, 1)
            self._text(short(value), (self._left - 8, y), SMALL, PALE, "rm")
        self._line([(self._left, TOP), (self._left, floor), (self._right, floor)], PALE, 1)
        self._text(self._panel.title, (self._left, 14), TITLE, INK, "la")
        self._text(x_title, (self._right, floor + 24), SMALL, PALE, "ra")

    def _legend(self) -> None:
        x = float(self._left)
        for series in self._panel.series:
            self._dot(x + DOT, 41, series.colour)
            self._text(series.name, (x + DOT + 9, 41), TEXT, INK, "lm")
            x += DOT + 9 + _width(series.name, TEXT) + 18

    def _label(self, point: Point) -> None:
        """Draw a label at a free position beside its point, or farther away with a line to it."""
        x, y = self._to_pixels(point)
        width = _width(point.label, SMALL)
        best: tuple[float, Box] | None = None
        for away in (9, 14, 20, 28, 38, 50, 64):
            for turn in range(16):
                angle = turn * math.pi / 8
                across, down = math.cos(angle), math.sin(angle)
                middle = x + across * (away + width / 2 * abs(across)), y + down * (away + 3)
                box = (
                    middle[0] - width / 2 - 3,
                    middle[1] - SMALL / 2 - 1,
                    middle[0] + width / 2 + 3,
                    middle[1] + SMALL / 2 + 1,
                )
                crowding = sum(_overlap(box, other) for other in self._taken)
                outside = _outside(
                    box, (self._left + 3, TOP, self._right + 12, HEIGHT - BOTTOM - 3)
                )
                cost = crowding * 20 + outside * 1000 + away
                if best is None or cost < best[0]:
                    best = (cost, box)
        assert best is not None
        box = best[1]
        self._taken.append(box)
        near = min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])
        if math.dist(near, (x, y)) > DOT + 5:
            self._line([(x, y), near], PALE, 0.7)
            self._keep_clear((x, y), near)
        inside = [(box[0] + 2) * FINE, (box[1] + 2) * FINE, (box[2] - 2) * FINE, box[3] * FINE]
        self._ink.rectangle(inside, fill=PAPER)
        self._text(point.label, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), SMALL, INK, "mm")

    def _line(self, places: Sequence[tuple[float, float]], colour: Colour, width: float) -> None:
        fine = [(x * FINE, y * FINE) for x, y in places]
        self._ink.line(fine, fill=colour, width=round(width * FINE), joint="curve")

    def _dot(self, x: float, y: float, colour: Colour) -> None:
        box = [(x - DOT) * FINE, (y - DOT) * FINE, (x + DOT) * FINE, (y + DOT) * FINE]
        self._ink.ellipse(box, fill=colour, outline=PAPER, width=FINE)

    def _text(
        self, text: str, place: tuple[float, float], size: int, colour: Colour, anchor: str
    ) -> None:
        font = ImageFont.load_default(size=size * FINE)
        at = (place[0] * FINE, place[1] * FINE)
        self._ink.text(at, text, fill=colour, font=font, anchor=anchor)


def _ticks(span: tuple[float, float]) -> list[float]:
    low, high = span
    steps = (1,) if high - low > 2 else (1, 2, 5)
    ticks = [
        step * 10.0**exponent
        for exponent in range(math.floor(low), math.ceil(high) + 1)
        for step in steps
    ]
    return [tick for tick in ticks if low - 1e-9 <= math.log10(tick) <= high + 1e-9]


def _width(text: str, size: int) -> float:
    return float(ImageFont.load_default(size=size * FINE).getlength(text)) / FINE


def _overlap(a: Box, b: Box) -> float:
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    return across * down if across > 0 and down > 0 else 0


def _outside(box: Box, frame: Box) -> float:
    return sum(
        max(0.0, past)
        for past in (
            frame[0] - box[0],
            frame[1] - box[1],
            box[2] - frame[2],
            box[3] - frame[3],
        )
    )
