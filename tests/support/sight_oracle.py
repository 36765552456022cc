"""What sees what among walls, exactly and in plain Python, without any order of angles."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import shapely

Point = tuple[int, int]
Ring = list[Point]


def edges_of(rings: list[Ring]) -> list[tuple[Point, Point]]:
    return [(ring[i - 1], ring[i]) for ring in rings for i in range(len(ring))]


def cross(a: Point, b: Point, c: Point) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def inside(rings: list[Ring], p: Point, whole: int = 1) -> bool:
    """Whether p / whole lies in the area, by the parity of a ray, or on its border."""
    x, y = p
    odd = False
    for a, b in edges_of(rings):
        ax, ay, bx, by = a[0] * whole, a[1] * whole, b[0] * whole, b[1] * whole
        left = cross((ax, ay), (bx, by), p)
        if left == 0 and (ax - x) * (bx - x) + (ay - y) * (by - y) <= 0:
            return True
        if (ay > y) != (by > y):
            odd ^= (left > 0) == (by > ay)  # The edge is to the east of p.
    return odd


def _open_beside(rings: list[Ring], p: Point, d: Point, side: int) -> bool:
    """Whether the half of a small disc about p to one side of a direction is all in the area."""
    ahead = (p[0] + d[0], p[1] + d[1])
    for a, b in edges_of(rings):
        for end, other in ((a, b), (b, a)):
            if end == p and cross(p, ahead, other) * side > 0:
                return False
    # So near that nothing else lies between.
    near = 10**9
    return inside(rings, (p[0] * near - d[1] * side, p[1] * near + d[0] * side), near)


def sees(rings: list[Ring], o: Point, t: Point) -> bool:
    """Whether the straight way from o to t stays in the area, and squeezes through no point."""
    d = (t[0] - o[0], t[1] - o[1])
    cuts = {Fraction(0), Fraction(1)}
    size = d[0] * d[0] + d[1] * d[1]
    touched = set()
    for a, b in edges_of(rings):
        one, two = cross(o, t, a), cross(o, t, b)
        for end, side in ((a, one), (b, two)):
            along = (end[0] - o[0]) * d[0] + (end[1] - o[1]) * d[1]
            if side == 0 and 0 < along < size:
                cuts.add(Fraction(along, size))
                touched.add(end)
        if one * two < 0:
            # The part of the edge up to the line is one / (one - two).
            x = a[0] * (one - two) + one * (b[0] - a[0]) - o[0] * (one - two)
            y = a[1] * (one - two) + one * (b[1] - a[1]) - o[1] * (one - two)
            part = Fraction(x * d[0] + y * d[1], size * (one - two))
            if 0 < part < 1:
                cuts.add(part)
    for low, high in pairwise(sorted(cuts)):
        middle = (low + high) / 2
        whole, part = middle.denominator, middle.numerator
        if not inside(rings, (o[0] * whole + part * d[0], o[1] * whole + part * d[1]), whole):
            return False
    return all(_open_beside(rings, p, d, 1) or _open_beside(rings, p, d, -1) for p in touched)


def bends(rings: list[Ring]) -> set[Point]:
    """The points of corners that jut into the area."""
    found = set()
    for ring in rings:
        for i in range(len(ring)):
            before, here, after = ring[i - 1], ring[i], ring[(i + 1) % len(ring)]
            if cross(before, here, after) < 0:
                found.add(here)
    return found


def rings_of(region: object) -> list[Ring]:
    """The rings of a region, its area to the left of each."""
    rings: list[Ring] = []
    for part in shapely.get_parts(region):
        turned = shapely.geometry.polygon.orient(part)
        for ring in (turned.exterior, *turned.interiors):
            rings.append([(int(x), int(y)) for x, y in ring.coords[:-1]])
    return rings


def areas(region: object) -> object:
    """A region without the points and lines that overlays leave."""
    parts = shapely.get_parts(shapely.get_parts(region))
    return shapely.multipolygons(parts[(shapely.get_type_id(parts) == 3)])
