"""Geometry in plain Python: exact predicates, areas by shoelace, and points in rings."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeVar

import numpy as np

Point = tuple[float, float]
Ring = list[Point]
T = TypeVar("T")


def around(ring: list[T]) -> list[tuple[T, T]]:
    """Return each item of a ring with the one after it."""
    return list(zip(ring, ring[1:] + ring[:1], strict=True))


def turn(a: Point, b: Point, c: Point) -> int:
    """Return 1 where a, b, c turn from x toward y, -1 where they turn back, 0 on one line."""
    ax, ay, bx, by, cx, cy = (Fraction(axis) for point in (a, b, c) for axis in point)
    cross = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    return (cross > 0) - (cross < 0)


def shoelace(ring: Ring) -> Fraction:
    """Return twice the signed area of a ring."""
    exact = [(Fraction(x), Fraction(y)) for x, y in ring]
    return sum(
        (x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in around(exact)),
        Fraction(0),
    )


def winding(ring: Ring, point: Point) -> int:
    """Return how often a ring winds around a point that does not lie on it."""
    found = 0
    for a, b in around(ring):
        if a[1] <= point[1] < b[1] and turn(a, b, point) > 0:
            found += 1
        if b[1] <= point[1] < a[1] and turn(a, b, point) < 0:
            found -= 1
    return found


def apart(a: Point, b: Point, c: Point, d: Point) -> float:
    """Return the distance between two closed segments that do not cross."""
    return min(_to(c, a, b), _to(d, a, b), _to(a, c, d), _to(b, c, d))


def _to(point: Point, a: Point, b: Point) -> float:
    px, py = np.subtract(point, a)
    ux, uy = np.subtract(b, a)
    size = ux * ux + uy * uy
    part = 0.0 if size == 0 else min(1.0, max(0.0, (px * ux + py * uy) / size))
    return math.hypot(px - part * ux, py - part * uy)
