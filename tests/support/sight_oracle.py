"""What sees what among walls, in fractions and plain Python, without any order of angles."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import shapely

Point = tuple[Fraction, Fraction] | tuple[int, int]
Ring = list[tuple[int, int]]


def edges_of(rings: list[Ring]) -> list[tuple[Point, Point]]:
    return [(ring[i - 1], ring[i]) for ring in rings for i in range(len(ring))]


def cross(a: Point, b: Point, c: Point) -> Fraction:
    return Fraction((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def inside(rings: list[Ring], p: Point) -> bool:
    """Whether a point lies in the area, by the parity of a ray, or on its border."""
    odd = False
    for a, b in edges_of(rings):
        if (
            cross(a, b, p) == 0
            and (a[0] - p[0]) * (b[0] - p[0]) + (a[1] - p[1]) * (b[1] - p[1]) <= 0
        ):
            return True
        if (a[1] > p[1]) != (b[1] > p[1]):
            x = a[0] + Fraction(p[1] - a[1], b[1] - a[1]) * (b[0] - a[0])
            odd ^= x > p[0]
    return odd


def _open_beside(rings: list[Ring], p: Point, d: Point, side: int) -> bool:
    """Whether the half of a small disc about p to one side of a direction is all in the area."""
    ahead = (p[0] + d[0], p[1] + d[1])
    for a, b in edges_of(rings):
        for end, other in ((a, b), (b, a)):
            if end == p and cross(p, ahead, other) * side > 0:
                return False
    # So near that nothing else lies between: halved until it stops mattering.
    step = Fraction(1, 10**9)
    beside = (p[0] - d[1] * side * step, p[1] + d[0] * side * step)
    return inside(rings, beside)


def sees(rings: list[Ring], o: tuple[int, int], t: tuple[int, int]) -> bool:
    """Whether the straight way from o to t stays in the area, and squeezes through no point."""
    d = (t[0] - o[0], t[1] - o[1])
    cuts = {Fraction(0), Fraction(1)}
    size = d[0] * d[0] + d[1] * d[1]
    touched = set()
    for a, b in edges_of(rings):
        one, two = cross(o, t, a), cross(o, t, b)
        for end, side in ((a, one), (b, two)):
            part = Fraction((end[0] - o[0]) * d[0] + (end[1] - o[1]) * d[1], size)
            if side == 0 and 0 < part < 1:
                cuts.add(part)
                touched.add(end)
        if one != two:
            part_of_edge = one / (one - two)
            if 0 <= part_of_edge <= 1:
                x = a[0] + part_of_edge * (b[0] - a[0])
                y = a[1] + part_of_edge * (b[1] - a[1])
                part = ((x - o[0]) * d[0] + (y - o[1]) * d[1]) / size
                if 0 < part < 1:
                    cuts.add(part)
    for low, high in pairwise(sorted(cuts)):
        middle = (low + high) / 2
        if not inside(rings, (o[0] + middle * d[0], o[1] + middle * d[1])):
            return False
    return all(_open_beside(rings, p, d, 1) or _open_beside(rings, p, d, -1) for p in touched)


def bends(rings: list[Ring]) -> set[tuple[int, int]]:
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
