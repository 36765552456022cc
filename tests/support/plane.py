"""Geometry in plain Python: exact predicates, areas by shoelace, and points in rings."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

import numpy as np

Point = tuple[float, float]
Ring = list[Point]
#: A point of whole numbers or fractions.
Exact = tuple[int | Fraction, int | Fraction]
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


def crossings(a: Exact, b: Exact, edges: list[tuple[Exact, Exact]]) -> list[Fraction]:
    """Return where a segment meets others, as parts of its length."""
    found = {Fraction(0), Fraction(1)}
    (ax, ay), (bx, by) = a, b
    ux, uy = bx - ax, by - ay
    low, high, top, bottom = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
    for (cx, cy), (dx, dy) in edges:
        if (cx < low and dx < low) or (cx > high and dx > high):
            continue
        if (cy < top and dy < top) or (cy > bottom and dy > bottom):
            continue
        vx, vy, wx, wy = dx - cx, dy - cy, cx - ax, cy - ay
        across = ux * vy - uy * vx
        if across:
            part, other = wx * vy - wy * vx, wx * uy - wy * ux
            if across < 0:
                across, part, other = -across, -part, -other
            if 0 <= part <= across and 0 <= other <= across:
                found.add(Fraction(part, across))
        elif wx * uy == wy * ux:
            size = ux * ux + uy * uy
            for x, y in ((wx, wy), (wx + vx, wy + vy)):
                if 0 <= x * ux + y * uy <= size:
                    found.add(Fraction(x * ux + y * uy, size))
    return sorted(found)


def on_segment(point: Exact, a: Exact, b: Exact) -> bool:
    """Tell whether a point lies on a segment."""
    (x, y), (ax, ay), (bx, by) = point, a, b
    return (
        (bx - ax) * (y - ay) == (by - ay) * (x - ax)
        and min(ax, bx) <= x <= max(ax, bx)
        and min(ay, by) <= y <= max(ay, by)
    )


def inside(point: Exact, edges: list[tuple[Exact, Exact]]) -> bool:
    """Tell whether a point lies in an area or on its outline, by crossings of a ray."""
    # Everything is as many times larger as makes whole numbers of where the point lies.
    size = math.lcm(*(each.denominator for each in point))
    x, y = (each.numerator * (size // each.denominator) for each in point)
    odd = False
    for one, other in edges:
        ay, by = one[1] * size, other[1] * size
        if (ay < y and by < y) or (ay > y and by > y):
            continue
        ax, bx = one[0] * size, other[0] * size
        turned = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        if turned == 0 and min(ax, bx) <= x <= max(ax, bx):
            return True
        if (ay <= y) != (by <= y):
            odd ^= (turned > 0) == (by > ay)
    return odd


def sees(a: Exact, b: Exact, edges: list[tuple[Exact, Exact]]) -> bool:
    """Tell whether a whole segment lies in an area that edges enclose."""
    for low, high in pairwise(crossings(a, b, edges)):
        part = (low + high) / 2
        if not inside((a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])), edges):
            return False
    return True


def shortest_by_sight(start: Exact, goal: Exact, edges: list[tuple[Exact, Exact]]) -> float:
    """Return the length of a shortest path in an area, over all pairs of corners that see."""
    corners = list(dict.fromkeys([start, goal, *(a for a, _ in edges)]))
    best = {start: 0.0}
    done: set[Exact] = set()
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
