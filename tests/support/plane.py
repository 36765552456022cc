"""Geometry in plain Python: exact predicates, areas by shoelace, and points in rings."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
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


# -- shortest paths by visibility -----------------------------------------------------------------


def crossings(a: Point, b: Point, edges: list[tuple[Point, Point]]) -> list[Fraction]:
    """Return where a segment meets others, as parts of its length; exact."""
    found = {Fraction(0), Fraction(1)}
    low, high = (min(a[0], b[0]), min(a[1], b[1])), (max(a[0], b[0]), max(a[1], b[1]))
    edges = [
        (c, d)
        for c, d in edges
        if all(min(c[i], d[i]) <= high[i] and max(c[i], d[i]) >= low[i] for i in (0, 1))
    ]
    ux, uy = Fraction(b[0]) - Fraction(a[0]), Fraction(b[1]) - Fraction(a[1])
    for c, d in edges:
        vx, vy = Fraction(d[0]) - Fraction(c[0]), Fraction(d[1]) - Fraction(c[1])
        wx, wy = Fraction(c[0]) - Fraction(a[0]), Fraction(c[1]) - Fraction(a[1])
        across = ux * vy - uy * vx
        if across:
            part, other = (wx * vy - wy * vx) / across, (wx * uy - wy * ux) / across
            if 0 <= part <= 1 and 0 <= other <= 1:
                found.add(part)
        elif wx * uy == wy * ux:
            size = ux * ux + uy * uy
            for x, y in ((wx, wy), (wx + vx, wy + vy)):
                part = (x * ux + y * uy) / size
                if 0 <= part <= 1:
                    found.add(part)
    return sorted(found)


def on_segment(point: tuple[Fraction, Fraction], a: Point, b: Point) -> bool:
    (x, y), (ax, ay), (bx, by) = point, map(Fraction, a), map(Fraction, b)
    return (
        (bx - ax) * (y - ay) == (by - ay) * (x - ax)
        and min(ax, bx) <= x <= max(ax, bx)
        and min(ay, by) <= y <= max(ay, by)
    )


def inside(point: tuple[Fraction, Fraction], edges: list[tuple[Point, Point]]) -> bool:
    """Tell whether a point lies in an area or on its outline, by crossings of a ray; exact."""
    x, y = point
    odd = False
    for a, b in edges:
        if max(a[1], b[1]) < y or min(a[1], b[1]) > y:
            continue
        if on_segment(point, a, b):
            return True
        if (a[1] <= y) != (b[1] <= y):
            at = a[0] + (y - a[1]) * Fraction(b[0] - a[0]) / Fraction(b[1] - a[1])
            odd ^= at > x
    return odd


def sees(a: Point, b: Point, edges: list[tuple[Point, Point]]) -> bool:
    """Tell whether a whole segment lies in an area that edges enclose."""
    parts = crossings(a, b, edges)
    for low, high in pairwise(parts):
        part = (low + high) / 2
        middle = (
            Fraction(a[0]) + part * (Fraction(b[0]) - Fraction(a[0])),
            Fraction(a[1]) + part * (Fraction(b[1]) - Fraction(a[1])),
        )
        if not inside(middle, edges):
            return False
    return True


def shortest_by_sight(start: Point, goal: Point, edges: list[tuple[Point, Point]]) -> float:
    """Return the length of a shortest path in an area, over all pairs of corners that see."""
    corners = list(dict.fromkeys([start, goal, *(a for a, _ in edges)]))
    best = {start: 0.0}
    done: set[Point] = set()
    while left := [each for each in best if each not in done]:
        here = min(left, key=best.__getitem__)
        if here == goal:
            return best[goal]
        done.add(here)
        for other in corners:
            length = best[here] + math.dist(here, other)
            if (
                other not in done
                and length < best.get(other, math.inf)
                and sees(here, other, edges)
            ):
                best[other] = length
    return math.inf
