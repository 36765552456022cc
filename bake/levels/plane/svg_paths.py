"""Parse attributes of SVG: path data, transforms, lengths and lists of numbers.

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
    compose_maps,
    convert_arc,
    flatten_curve,
    map_point,
    rotation_matrix,
)
from levelbake.places import Point

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_SPACE = re.compile(r"[\s,]*")
_LENGTH = re.compile(rf"\s*({_NUMBER.pattern})\s*(?:px)?\s*", re.ASCII)
_TRANSFORM = re.compile(r"[\s,]*(\w+)\s*\(([^()]*)\)", re.ASCII)
#: The number of arguments of each path command.
_TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}


class PathError(ValueError):
    """An invalid attribute; the message is for the user."""


def parse_numbers(text: str) -> list[float]:
    """Parse a list of numbers.

    Raises:
        PathError: an item is not a number.
    """
    return list(_Reader(text).parse_numbers())


def parse_length(text: str) -> float:
    """Parse a length in user units.

    Raises:
        PathError: it is not a number, or has another unit.
    """
    match = _LENGTH.fullmatch(text)
    if match is None:
        raise PathError(f"the length {text[:40]!r} is not in user units")
    return float(match[1])


def parse_transform(text: str) -> Matrix:
    """Parse a transform attribute into an affine map.

    Raises:
        PathError: the transform is invalid or unknown.
    """
    matrix, offset = IDENTITY, 0
    for part in _TRANSFORM.finditer(text):
        if part.start() != offset:
            break
        offset = part.end()
        matrix = compose_maps(matrix, _build_transform(part[1], parse_numbers(part[2])))
    if text[offset:].strip(" \t\r\n,"):
        raise PathError(f"the transform {text[:40]!r} is unknown")
    return matrix


def _build_transform(name: str, given: list[float]) -> Matrix:
    count = len(given)
    if name == "matrix" and count == 6:
        a, b, c, d, e, f = given
        return a, b, c, d, e, f
    if name == "translate" and count in (1, 2):
        return 1.0, 0.0, 0.0, 1.0, given[0], given[1] if count == 2 else 0.0
    if name == "scale" and count in (1, 2):
        return given[0], 0.0, 0.0, given[-1], 0.0, 0.0
    if name == "rotate" and count in (1, 3):
        return rotation_matrix(given[0], (given[1], given[2]) if count == 3 else (0.0, 0.0))
    if name == "skewX" and count == 1:
        return 1.0, 0.0, math.tan(math.radians(given[0])), 1.0, 0.0, 0.0
    if name == "skewY" and count == 1:
        return 1.0, math.tan(math.radians(given[0])), 0.0, 1.0, 0.0, 0.0
    raise PathError(f"the transform {name[:20]!r} with {count} numbers is unknown")


class _Reader:
    """Reads commands and numbers from the text of an attribute."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.offset)
        self.offset = match.end() if match else self.offset

    def command(self) -> str | None:
        """Read the letter of a command, or return None if the next token is a number."""
        self.skip()
        letter = self.text[self.offset : self.offset + 1]
        if letter.upper() in _TAKES and letter:
            self.offset += 1
            return letter
        return None

    def at_end(self) -> bool:
        self.skip()
        return self.offset >= len(self.text)

    def number(self) -> float:
        self.skip()
        match = _NUMBER.match(self.text, self.offset)
        if match is None:
            raise PathError(
                f"found {self.text[self.offset : self.offset + 20]!r} in place of a number"
            )
        self.offset = match.end()
        value = float(match[0])
        if not math.isfinite(value):
            raise PathError(f"the number {match[0][:20]!r} is too large")
        return value

    def flag(self) -> bool:
        """Read a flag of an arc, which is one digit; flags need no blanks between them."""
        self.skip()
        letter = self.text[self.offset : self.offset + 1]
        if letter not in ("0", "1"):
            raise PathError(f"found {letter!r} in place of a flag 0 or 1")
        self.offset += 1
        return letter == "1"

    def parse_numbers(self) -> Iterator[float]:
        while not self.at_end():
            yield self.number()


class _Pen:
    """Draws a path: the rings so far, the current point and the last control point."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        self.rings: list[list[Point]] = []
        self.point: Point = (0.0, 0.0)
        self.first: Point = (0.0, 0.0)
        #: The kind of the last curve and its last control point, or None.
        self.control: tuple[str, Point] | None = None

    def move(self, to: Point) -> None:
        self.rings.append([map_point(self.matrix, to)])
        self.point = self.first = to

    def line(self, to: Point) -> None:
        if not self.rings:
            raise PathError("the path does not begin with M")
        if not self.rings[-1]:
            self.rings[-1].append(map_point(self.matrix, self.point))
        self.rings[-1].append(map_point(self.matrix, to))
        self.point = to

    def curve(self, first: Point, second: Point, to: Point) -> None:
        begin = map_point(self.matrix, self.point)
        self.line(to)
        self.rings[-1].pop()
        ends = (map_point(self.matrix, point) for point in (first, second, to))
        self.rings[-1] += flatten_curve(begin, *ends)

    def reflect_control(self, kinds: str) -> Point:
        """Return the mirrored last control point, or the current point after another command."""
        if self.control is None or self.control[0] not in kinds:
            return self.point
        x, y = self.control[1]
        return 2 * self.point[0] - x, 2 * self.point[1] - y

    def close(self) -> None:
        self.point = self.first
        # A command other than a move begins a new ring at this point.
        self.rings.append([])


def path_rings(text: str, matrix: Matrix = IDENTITY) -> list[Float64Array]:
    """Parse path data into rings after an affine map, (k, 2) float64 each.

    Raises:
        PathError: the data are invalid.
    """
    reader, pen = _Reader(text), _Pen(matrix)
    letter = None
    while not reader.at_end():
        given = reader.command()
        if given is None:
            if letter is None or letter in "Zz":
                raise PathError(
                    f"found {text[reader.offset : reader.offset + 20]!r} in place of a command"
                )
            # Further coordinates after a move are lines.
            letter = {"M": "L", "m": "l"}.get(letter, letter)
        else:
            letter = given
        _draw(pen, letter, reader)
    return [np.array(ring, dtype=np.float64) for ring in pen.rings if ring]


def _draw(pen: _Pen, letter: str, reader: _Reader) -> None:
    kind, (x, y) = letter.upper(), pen.point if letter.islower() else (0.0, 0.0)
    if kind == "Z":
        pen.close()
        pen.control = None
        return
    if kind == "A":
        radii, degrees = (reader.number(), reader.number()), reader.number()
        large, sweep = reader.flag(), reader.flag()
        end = (x + reader.number(), y + reader.number())
        for first, second, last in convert_arc(pen.point, radii, degrees, large, sweep, end):
            pen.curve(first, second, last)
        pen.control = None
        return
    given = [reader.number() for _ in range(_TAKES[kind])]
    if kind in "HV":
        to = (x + given[0], pen.point[1]) if kind == "H" else (pen.point[0], y + given[0])
        points = [to]
    else:
        points = [(x + given[i], y + given[i + 1]) for i in range(0, len(given), 2)]
    control: tuple[str, Point] | None = None
    if kind == "M":
        pen.move(points[0])
    elif kind in "LHV":
        pen.line(points[0])
    elif kind in "CS":
        first = points[0] if kind == "C" else pen.reflect_control("CS")
        second, end = points[-2], points[-1]
        pen.curve(first, second, end)
        control = (kind, second)
    else:
        bend = points[0] if kind == "Q" else pen.reflect_control("QT")
        begin, end = pen.point, points[-1]
        thirds = [
            (p[0] + 2 / 3 * (bend[0] - p[0]), p[1] + 2 / 3 * (bend[1] - p[1])) for p in (begin, end)
        ]
        pen.curve(thirds[0], thirds[1], end)
        control = (kind, bend)
    pen.control = control
