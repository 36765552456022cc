"""Read what SVG writes in attributes: the data of paths, transforms and lists of numbers.

Source: SVG 2, chapter 9 "Paths" and CSS Transforms 1, "The SVG transform attribute".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from bake.core.arrays import Float64Array
from bake.levels.plane.curves import (
    IDENTITY,
    Matrix,
    arc,
    flattened,
    mapped,
    times,
    turned,
)
from levelbake.places import Point

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_SPACE = re.compile(r"[\s,]*")
_LENGTH = re.compile(rf"\s*({_NUMBER.pattern})\s*(?:px)?\s*", re.ASCII)
_TRANSFORM = re.compile(r"[\s,]*(\w+)\s*\(([^()]*)\)", re.ASCII)
#: Numbers that each command takes.
_TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}


class PathError(ValueError):
    """What is wrong with an attribute, in words for its user."""


def numbers(text: str) -> list[float]:
    """Return the numbers of a list.

    Raises:
        PathError: something in it is no number.
    """
    return list(_Reader(text).rest())


def length(text: str) -> float:
    """Return a length in user units.

    Raises:
        PathError: it has another unit, or is no number.
    """
    found = _LENGTH.fullmatch(text)
    if found is None:
        raise PathError(f"the length {text[:40]!r} is not in user units")
    return float(found[1])


def transform(text: str) -> Matrix:
    """Return the map that a transform attribute stands for.

    Raises:
        PathError: it is none.
    """
    found, at = IDENTITY, 0
    for part in _TRANSFORM.finditer(text):
        if part.start() != at:
            break
        at = part.end()
        found = times(found, _one_transform(part[1], numbers(part[2])))
    if text[at:].strip(" \t\r\n,"):
        raise PathError(f"the transform {text[:40]!r} is unknown")
    return found


def _one_transform(name: str, given: list[float]) -> Matrix:
    count = len(given)
    if name == "matrix" and count == 6:
        a, b, c, d, e, f = given
        return a, b, c, d, e, f
    if name == "translate" and count in (1, 2):
        return 1.0, 0.0, 0.0, 1.0, given[0], given[1] if count == 2 else 0.0
    if name == "scale" and count in (1, 2):
        return given[0], 0.0, 0.0, given[-1], 0.0, 0.0
    if name == "rotate" and count in (1, 3):
        return turned(given[0], (given[1], given[2]) if count == 3 else (0.0, 0.0))
    if name == "skewX" and count == 1:
        return 1.0, 0.0, math.tan(math.radians(given[0])), 1.0, 0.0, 0.0
    if name == "skewY" and count == 1:
        return 1.0, math.tan(math.radians(given[0])), 0.0, 1.0, 0.0, 0.0
    raise PathError(f"the transform {name[:20]!r} with {count} numbers is unknown")


class _Reader:
    """Reads commands and numbers from the text of an attribute."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def command(self) -> str | None:
        """Return the letter that stands here, or None."""
        self.skip()
        letter = self.text[self.at : self.at + 1]
        if letter.upper() in _TAKES and letter:
            self.at += 1
            return letter
        return None

    def ended(self) -> bool:
        self.skip()
        return self.at >= len(self.text)

    def number(self) -> float:
        self.skip()
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            raise PathError(f"found {self.text[self.at : self.at + 20]!r} in place of a number")
        self.at = found.end()
        value = float(found[0])
        if not math.isfinite(value):
            raise PathError(f"the number {found[0][:20]!r} is too large")
        return value

    def flag(self) -> bool:
        """Return one digit, as flags of arcs may stand without blanks between them."""
        self.skip()
        letter = self.text[self.at : self.at + 1]
        if letter not in ("0", "1"):
            raise PathError(f"found {letter!r} in place of a flag 0 or 1")
        self.at += 1
        return letter == "1"

    def rest(self) -> Iterator[float]:
        while not self.ended():
            yield self.number()


class _Pen:
    """Draws one path: its corners so far, and where commands begin."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        self.rings: list[list[Point]] = []
        self.here: Point = (0.0, 0.0)
        self.first: Point = (0.0, 0.0)
        #: The last control point of a curve before, and of which kind that was.
        self.control: tuple[str, Point] | None = None

    def move(self, to: Point) -> None:
        self.rings.append([mapped(self.matrix, to)])
        self.here = self.first = to

    def line(self, to: Point) -> None:
        if not self.rings:
            raise PathError("the path does not begin with M")
        if not self.rings[-1]:
            self.rings[-1].append(mapped(self.matrix, self.here))
        self.rings[-1].append(mapped(self.matrix, to))
        self.here = to

    def curve(self, one: Point, two: Point, to: Point) -> None:
        begin = mapped(self.matrix, self.here)
        self.line(to)
        self.rings[-1].pop()
        ends = (mapped(self.matrix, point) for point in (one, two, to))
        self.rings[-1] += flattened(begin, *ends)

    def reflected(self, kinds: str) -> Point:
        """Return the mirror image of the last control point, if the last curve was of a kind."""
        if self.control is None or self.control[0] not in kinds:
            return self.here
        x, y = self.control[1]
        return 2 * self.here[0] - x, 2 * self.here[1] - y

    def close(self) -> None:
        self.here = self.first
        # What follows without a move begins a new ring here.
        self.rings.append([])


def path_rings(text: str, matrix: Matrix = IDENTITY) -> list[Float64Array]:
    """Return the rings of a path's data after an affine map, (k, 2) float64 each.

    Raises:
        PathError: the data are wrong.
    """
    reader, pen = _Reader(text), _Pen(matrix)
    letter = None
    while not reader.ended():
        given = reader.command()
        if given is None:
            if letter is None or letter in "Zz":
                raise PathError(f"found {text[reader.at : reader.at + 20]!r} in place of a command")
            # Further pairs after a move are lines.
            letter = {"M": "L", "m": "l"}.get(letter, letter)
        else:
            letter = given
        _draw(pen, letter, reader)
    return [np.array(ring, dtype=np.float64) for ring in pen.rings if ring]


def _draw(pen: _Pen, letter: str, reader: _Reader) -> None:
    kind, (x, y) = letter.upper(), pen.here if letter.islower() else (0.0, 0.0)
    if kind == "Z":
        pen.close()
        pen.control = None
        return
    if kind == "A":
        radii, degrees = (reader.number(), reader.number()), reader.number()
        large, sweep = reader.flag(), reader.flag()
        end = (x + reader.number(), y + reader.number())
        for one, two, last in arc(pen.here, radii, degrees, large, sweep, end):
            pen.curve(one, two, last)
        pen.control = None
        return
    given = [reader.number() for _ in range(_TAKES[kind])]
    if kind in "HV":
        to = (x + given[0], pen.here[1]) if kind == "H" else (pen.here[0], y + given[0])
        points = [to]
    else:
        points = [(x + given[i], y + given[i + 1]) for i in range(0, len(given), 2)]
    control: tuple[str, Point] | None = None
    if kind == "M":
        pen.move(points[0])
    elif kind in "LHV":
        pen.line(points[0])
    elif kind in "CS":
        one = points[0] if kind == "C" else pen.reflected("CS")
        two, end = points[-2], points[-1]
        pen.curve(one, two, end)
        control = (kind, two)
    else:
        bend = points[0] if kind == "Q" else pen.reflected("QT")
        begin, end = pen.here, points[-1]
        thirds = [
            (p[0] + 2 / 3 * (bend[0] - p[0]), p[1] + 2 / 3 * (bend[1] - p[1])) for p in (begin, end)
        ]
        pen.curve(thirds[0], thirds[1], end)
        control = (kind, bend)
    pen.control = control
