"""Approximate curves by polygons, with an error of at most 1/512 of the size of a curve.

Arcs are converted to cubic Bézier curves first, one per quarter of an ellipse, with an error of
0.03 % of the radius (Riškus, "Approximation of a cubic Bézier curve by circular arcs and vice
versa", 2006).
"""

from __future__ import annotations

import math

import numpy as np

from bake.core.arrays import Float64Array
from levelbake.places import Point

#: The largest error of a polygon, as a share of the size of the curve.
OFF = 1 / 512
#: The most corners of one curve.
_MOST = 512

#: An affine map (a, b, c, d, e, f), as SVG writes it: x' = a x + c y + e, y' = b x + d y + f.
Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def flatten_curve(start: Point, first: Point, second: Point, end: Point) -> list[Point]:
    """Return points along a cubic Bézier curve, without its start.

    With n segments, the error is at most the largest second difference of the control points times
    6 / (8 n^2).

    Args:
        start, end: the ends of the curve.
        first, second: its control points.
    """
    corners = np.array([start, first, second, end], dtype=np.float64)
    size = float(np.ptp(corners, axis=0).max())
    bend = float(np.hypot(*np.diff(corners, n=2, axis=0).T).max())
    if not (size * OFF > 0 and math.isfinite(size) and math.isfinite(bend)):
        return [end]
    count = min(_MOST, max(1, math.ceil(math.sqrt(0.75 * bend / (size * OFF)))))
    t = (np.arange(1, count + 1) / count)[:, None]
    s = 1 - t
    points = s**3 * corners[0] + 3 * s * s * t * corners[1] + 3 * s * t * t * corners[2]
    points += t**3 * corners[3]
    points[-1] = end
    return [(x, y) for x, y in points.tolist()]


#: The squared ratio of the distance between the ends of an arc to its radii, below which the ends
#: are the same point; above its inverse, the radii count as 0.
_ONE_POINT = 1e-24


def convert_arc(
    start: Point, radii: Point, degrees: float, large: bool, sweep: bool, end: Point
) -> list[tuple[Point, Point, Point]]:
    """Convert an elliptical arc of SVG to cubic curves: two control points and the end of each.

    Source: SVG 2, "Elliptical arc implementation notes" (B.2.4 and B.2.5).
    """
    rx, ry = abs(radii[0]), abs(radii[1])
    if start == end:
        return []
    if rx == 0 or ry == 0:
        return [(start, end, end)]
    turn = math.radians(degrees % 360)
    cos, sin = math.cos(turn), math.sin(turn)
    hx, hy = (start[0] - end[0]) / 2, (start[1] - end[1]) / 2
    x, y = (cos * hx + sin * hy) / rx, (cos * hy - sin * hx) / ry
    apart = x * x + y * y
    if not _ONE_POINT <= apart <= 1 / _ONE_POINT:
        return [(start, end, end)]
    if apart > 1:
        # Scale up radii that are too small to reach both ends.
        scale = math.sqrt(apart)
        rx, ry, x, y, apart = rx * scale, ry * scale, x / scale, y / scale, 1.0
    root = math.sqrt(max(0.0, 1 / apart - 1)) * (-1 if large == sweep else 1)
    # On the unit circle, the ends of the chord are (x, y) and (-x, -y) from its midpoint.
    cx, cy = root * y, -root * x
    first = math.atan2(y - cy, x - cx)
    along = math.atan2(-y - cy, -x - cx) - first
    if sweep and along < 0:
        along += 2 * math.pi
    elif not sweep and along > 0:
        along -= 2 * math.pi
    mx, my = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2

    def to_plane(px: float, py: float) -> Point:
        ux, uy = (px + cx) * rx, (py + cy) * ry
        return mx + cos * ux - sin * uy, my + sin * ux + cos * uy

    count = max(1, math.ceil(abs(along) / (math.pi / 2) - 1e-9))
    step = along / count
    pull = 4 / 3 * math.tan(step / 4)
    curves = []
    for i in range(count):
        a, b = first + i * step, first + (i + 1) * step
        control_a = to_plane(math.cos(a) - pull * math.sin(a), math.sin(a) + pull * math.cos(a))
        control_b = to_plane(math.cos(b) + pull * math.sin(b), math.sin(b) - pull * math.cos(b))
        last = end if i == count - 1 else to_plane(math.cos(b), math.sin(b))
        curves.append((control_a, control_b, last))
    return curves


def ellipse(center: Point, radii: Point, matrix: Matrix = IDENTITY) -> Float64Array:
    """Return the corners of an ellipse after an affine map as (k, 2) float64."""
    (x, y), (rx, ry) = center, radii
    ends = [(x + rx, y), (x, y + ry), (x - rx, y), (x, y - ry)]
    corners: list[Point] = []
    for begin, end in zip(ends, ends[1:] + ends[:1], strict=True):
        for first, second, last in convert_arc(begin, radii, 0.0, False, True, end):
            curve = [map_point(matrix, point) for point in (begin, first, second, last)]
            corners += flatten_curve(*curve)
    return np.array(corners, dtype=np.float64)


def map_point(matrix: Matrix, point: Point) -> Point:
    """Return a point after an affine map."""
    a, b, c, d, e, f = matrix
    x, y = point
    return a * x + c * y + e, b * x + d * y + f


def compose_maps(outer: Matrix, inner: Matrix) -> Matrix:
    """Return the affine map that applies ``inner``, then ``outer``."""
    a, b, c, d, e, f = inner
    x0, y0 = outer[0] * a + outer[2] * b, outer[1] * a + outer[3] * b
    x1, y1 = outer[0] * c + outer[2] * d, outer[1] * c + outer[3] * d
    x2, y2 = map_point(outer, (e, f))
    return x0, y0, x1, y1, x2, y2


def rotation_matrix(degrees: float, about: Point = (0.0, 0.0)) -> Matrix:
    """Return the rotation by an angle in degrees, from the x axis toward the y axis."""
    exact = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
    turn = math.radians(degrees)
    cos, sin = exact.get(degrees % 360, (math.cos(turn), math.sin(turn)))
    x, y = about
    return cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y
