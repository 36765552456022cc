"""A path network: fill the walkable area with waypoints, and merge them in open space.

The area is filled with a lattice of points, each joined to the visible ones of the eight around it
(M. Buckland, "Programming Game AI by Example", 2005, chapter 8). Waypoints of an empty square
become one in its middle, four squares at a time (H. Samet, "The Quadtree and Related Hierarchical
Data Structures", ACM Computing Surveys 16, 1984), unless that removes a connection.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from bake.core.arrays import BoolArray, Int64Array
from bake.geometry import Geometry
from bake.search.plane.sight import Outline, holds, sees
from bake.worlds.pieces import GrownGeometry, PlaneDivision
from bake.worlds.visibility import EndPoints, PointsAndEnds, VisiblePoints, collect_points

#: Waypoints along the longer side of a floor before any are merged; a power of two.
SAMPLES = 32

#: Offsets to half of the neighbors of a waypoint; the others are the reverse of these.
_AROUND = ((1, 0), (0, 1), (1, 1), (-1, 1))

#: A square of waypoints: its first column and row, and its side in waypoints.
_Square = tuple[int, int, int]


def divide_into_waypoints(geometry: Geometry, parts: Sequence[GrownGeometry]) -> PlaneDivision:
    """Divide the geometry of every kind of agent into waypoints.

    Each end of a link is a waypoint as well, and is joined to the nearest visible one.

    Raises:
        LevelError: no agent fits, or no agent can take a link.
    """

    def find_points(
        part: GrownGeometry,
        place: int,
        region: shapely.Geometry,
        outline: Outline,
        end_points: EndPoints,
    ) -> PointsAndEnds:
        point, pairs = fill_with_waypoints(region, outline)
        number = {(x, y): at for at, (x, y) in enumerate(point.tolist())}
        for end in end_points.values():
            if end not in number:
                far = [(np.hypot(x - end[0], y - end[1]), x, y) for x, y in number]
                near = (number[x, y] for _, x, y in sorted(far) if sees(outline, *end, x, y))
                pairs |= {(at, len(number)) for at in [*near][:1]}
                number[end] = len(number)
        one, other = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
        point = np.array(list(number), dtype=np.int64).reshape(-1, 2)
        tail, head = np.concatenate([one, other]), np.concatenate([other, one])
        ends = {key: number[at] for key, at in end_points.items()}
        return VisiblePoints(point, tail, head, weight=np.zeros(len(point))), ends

    return collect_points(geometry, parts, find_points)


def fill_with_waypoints(
    region: shapely.Geometry, outline: Outline
) -> tuple[Int64Array, set[tuple[int, int]]]:
    """Fill a region with waypoints.

    Args:
        region: the area for agents, in steps of the grid.
        outline: its outline.

    Returns:
        (k, 2) int64 steps of the grid, and the joined pairs of waypoints. A region that contains no
        point of the lattice has one waypoint, on its outline.
    """
    left, top, right, bottom = (int(bound) for bound in shapely.bounds(region))
    # Even, so that the middles of all squares are whole numbers.
    step = 2 * max(1, -(-max(right - left, bottom - top) // (2 * SAMPLES)))
    at = np.arange(SAMPLES) * step + step // 2
    free = np.array([[holds(outline, left + x, top + y) for x in at.tolist()] for y in at.tolist()])
    if not free.any():
        return np.array([[outline.x[0], outline.y[0]]], dtype=np.int64), set()

    def middle(square: _Square) -> tuple[int, int]:
        column, row, side = square
        return left + (2 * column + side) * step // 2, top + (2 * row + side) * step // 2

    def see(one: _Square, other: _Square) -> bool:
        return bool(sees(outline, *middle(one), *middle(other)))

    steps = [
        ((x, y), (x + dx, y + dy))
        for y, x in np.argwhere(free).tolist()
        for dx, dy in _AROUND
        if 0 <= x + dx < SAMPLES and y + dy < SAMPLES and free[y + dy, x + dx]
    ]
    steps = [(a, b) for a, b in steps if see((*a, 1), (*b, 1))]
    square = _merge_squares(region, free, (left, top, step))
    while True:
        ends = ((square[a], square[b]) for a, b in steps if square[a] != square[b])
        joined = {(min(pair), max(pair)) for pair in ends}
        lost = {max(pair, key=lambda one: one[2]) for pair in joined if not see(*pair)}
        if not lost:
            break
        for column, row, side in lost:
            half = side // 2
            for x, y in np.ndindex(side, side):
                first = column + x // half * half, row + y // half * half
                square[column + x, row + y] = (*first, half)
    nodes = {bound: number for number, bound in enumerate(sorted(set(square.values())))}
    point = np.array([middle(bound) for bound in nodes], dtype=np.int64)
    return point, {(nodes[a], nodes[b]) for a, b in sorted(joined)}


def _merge_squares(
    region: shapely.Geometry, free: BoolArray, frame: tuple[int, int, int]
) -> dict[tuple[int, int], _Square]:
    """Return the square of each waypoint: the largest empty one that contains it."""
    left, top, step = frame
    shapely.prepare(region)
    square_of = {(x, y): (x, y, 1) for y, x in np.argwhere(free).tolist()}
    side = 2
    while side <= SAMPLES:
        for row in range(0, SAMPLES, side):
            for column in range(0, SAMPLES, side):
                x, y, far = left + column * step, top + row * step, side * step
                inside = free[row : row + side, column : column + side].all()
                if inside and region.covers(shapely.box(x, y, x + far, y + far)):
                    cells = np.ndindex(side, side)
                    square_of |= {(column + i, row + j): (column, row, side) for i, j in cells}
        side *= 2
    return square_of
