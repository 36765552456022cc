"""Exact visibility among the corners of an area with holes.

A line of sight may run along walls and touch corners. At a corner it stays in the part of the area
that the corner belongs to, so it never passes where two walls meet in a point. All decisions use
the signs of products of whole numbers; nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.core.kernels.jit import kernel


class Outline(NamedTuple):
    """The walls around an area, as corners; the area lies to the left of each wall.

    Walls meet only in corners. Where more than two meet, each part of the area that begins there
    has a corner of its own. Coordinates are less than 2**29, so that products of differences fit
    int64.
    """

    #: (k) int64.
    x: Int64Array
    y: Int64Array
    #: (k) int32, the previous and next corner along the wall.
    before: Int32Array
    after: Int32Array

    @staticmethod
    def from_rings(rings: Sequence[Int64Array]) -> Outline:
        """Build the outline of an area from its rings.

        Args:
            rings: (k, 2) int64 corners each, around the area or one of its holes, so that the area
                lies to the left where y grows upward. They may meet only in corners.
        """
        if not rings:
            none = np.empty(0, dtype=np.int64)
            return Outline(none, none, none.astype(np.int32), none.astype(np.int32))
        x, y = np.concatenate(rings).astype(np.int64).T.copy()
        after = np.arange(1, len(x) + 1, dtype=np.int32)
        end = np.cumsum([len(ring) for ring in rings])
        after[end - 1] = np.concatenate([[0], end[:-1]])
        before = np.empty_like(after)
        before[after] = np.arange(len(x), dtype=np.int32)
        outline = Outline(x, y, before, after)
        order = np.lexsort((y, x))
        is_same = (np.diff(x[order]) == 0) & (np.diff(y[order]) == 0)
        begin = np.flatnonzero(np.concatenate([[True], ~is_same]))
        for corners in np.split(order, begin[1:]):
            if len(corners) > 1:
                _separate_corners(outline, corners.tolist())
        return outline


def _separate_corners(outline: Outline, corners: list[int]) -> None:
    """Assign one of the coincident corners to each part of the area that begins at a point."""
    x, y, before, after = outline
    ends = [(corner, int(after[corner]), True) for corner in corners]
    ends += [(corner, int(before[corner]), False) for corner in corners]

    def direction(end: tuple[int, int, bool]) -> tuple[int, int]:
        corner, other, _ = end
        return int(x[other] - x[corner]), int(y[other] - y[corner])

    def compare(one: tuple[int, int, bool], other: tuple[int, int, bool]) -> int:
        (ax, ay), (bx, by) = direction(one), direction(other)
        a_half, b_half = ((dy < 0 or (dy == 0 and dx < 0)) for dx, dy in ((ax, ay), (bx, by)))
        return a_half - b_half or (ax * by - ay * bx < 0) - (ax * by - ay * bx > 0)

    ends.sort(key=cmp_to_key(compare))
    for at, (corner, _, leads_out) in enumerate(ends):
        if leads_out:  # Counterclockwise from here, the area ends at the next wall, which leads in.
            _, other, _ = ends[(at + 1) % len(ends)]
            before[corner] = other
            after[other] = corner


@kernel
def cross(ax: int, ay: int, bx: int, by: int) -> int:
    """Return the cross product of a and b; it is positive if b lies to the left of a."""
    return ax * by - ay * bx


@kernel
def in_cone(outline: Outline, corner: int, dx: int, dy: int) -> bool:
    """Return whether a ray from a corner begins in the area or on its border."""
    x, y, before, after = outline
    ax, ay = x[after[corner]] - x[corner], y[after[corner]] - y[corner]
    bx, by = x[before[corner]] - x[corner], y[before[corner]] - y[corner]
    turn = cross(ax, ay, bx, by)
    if turn > 0:
        return cross(ax, ay, dx, dy) >= 0 and cross(dx, dy, bx, by) >= 0
    if turn == 0:
        return cross(ax, ay, dx, dy) >= 0
    return not (cross(bx, by, dx, dy) > 0 and cross(dx, dy, ax, ay) > 0)


@kernel
def passes(outline: Outline, corner: int, dx: int, dy: int) -> bool:
    """Return whether a straight line through a corner stays in the area on both sides of it."""
    return in_cone(outline, corner, dx, dy) and in_cone(outline, corner, -dx, -dy)


@kernel
def reflex_corners(outline: Outline, reflex: BoolArray) -> None:
    """Write to (k) bool whether each corner is reflex, so that a shortest path may bend there."""
    x, y, before, after = outline
    for corner in range(len(x)):
        ax, ay = x[after[corner]] - x[corner], y[after[corner]] - y[corner]
        bx, by = x[before[corner]] - x[corner], y[before[corner]] - y[corner]
        reflex[corner] = cross(ax, ay, bx, by) < 0


@kernel
def starts_inside(outline: Outline, ox: int, oy: int, dx: int, dy: int) -> bool:
    """Return whether a ray from a point of the area, maybe on a wall, begins in the area."""
    x, y, _, after = outline
    at_corner = False
    for corner in range(len(x)):
        ax, ay = x[corner] - ox, y[corner] - oy
        if ax == 0 and ay == 0:
            if in_cone(outline, corner, dx, dy):
                return True
            at_corner = True
            continue
        bx, by = x[after[corner]] - ox, y[after[corner]] - oy
        if (
            cross(ax, ay, bx, by) == 0
            and ax * bx + ay * by < 0
            and cross(bx - ax, by - ay, dx, dy) < 0
        ):
            return False
    return not at_corner


@kernel
def sees(outline: Outline, ox: int, oy: int, tx: int, ty: int) -> bool:
    """Return whether the straight line between two points of the area stays in it."""
    x, y, _, after = outline
    dx, dy = tx - ox, ty - oy
    if dx == 0 and dy == 0:
        return True
    if not (starts_inside(outline, ox, oy, dx, dy) and starts_inside(outline, tx, ty, -dx, -dy)):
        return False
    for corner in range(len(x)):
        ax, ay = x[corner] - ox, y[corner] - oy
        from_side = cross(dx, dy, ax, ay)
        far = dx * ax + dy * ay
        if from_side == 0 and 0 < far < dx * dx + dy * dy:
            clear = passes(outline, corner, dx, dy)
            for other in range(len(x)):
                if not clear and x[other] == x[corner] and y[other] == y[corner]:
                    clear = passes(outline, other, dx, dy)
            if not clear:
                return False
        bx, by = x[after[corner]] - ox, y[after[corner]] - oy
        to_side = cross(dx, dy, bx, by)
        if (from_side < 0 < to_side) or (to_side < 0 < from_side):
            ex, ey = bx - ax, by - ay
            # The sides of the edge's line on which the two points lie.
            one = cross(ex, ey, -ax, -ay)
            other_side = cross(ex, ey, dx - ax, dy - ay)
            if (one < 0 < other_side) or (other_side < 0 < one):
                return False
    return True


@kernel
def holds(outline: Outline, px: int, py: int) -> bool:
    """Return whether a point lies in the area or on its border."""
    x, y, _, after = outline
    inside = False
    for corner in range(len(x)):
        ax, ay = x[corner] - px, y[corner] - py
        bx, by = x[after[corner]] - px, y[after[corner]] - py
        side = cross(ax, ay, bx, by)
        if side == 0 and ax * bx + ay * by <= 0:
            return True
        if (ay > 0) != (by > 0) and (side > 0) == (by > 0):
            inside = not inside
    return inside


class SweepRoom(NamedTuple):
    """Buffers for one sweep."""

    #: (k) int32, corners by angle.
    order: Int32Array
    other: Int32Array
    #: (k) int32, edges that cross the ray, the nearest first.
    active: Int32Array

    @staticmethod
    def of(corners: int) -> SweepRoom:
        return SweepRoom(*(np.empty(corners, dtype=np.int32) for _ in range(3)))


@kernel
def _is_earlier(ax: int, ay: int, bx: int, by: int) -> bool:
    """Return whether a comes before b by angle from the east, and by distance at equal angles."""
    a_half = 0 if ay > 0 or (ay == 0 and ax > 0) else 1
    b_half = 0 if by > 0 or (by == 0 and bx > 0) else 1
    if a_half != b_half:
        return a_half < b_half
    turn = cross(ax, ay, bx, by)
    if turn != 0:
        return turn > 0
    return abs(ax) + abs(ay) < abs(bx) + abs(by)


@kernel
def _sort(outline: Outline, ox: int, oy: int, buffers: SweepRoom, count: int) -> None:
    """Sort the first corners of ``buffers.order`` by angle, and by distance at equal angles."""
    x, y, _, _ = outline
    source, target = buffers.order, buffers.other
    width = 1
    while width < count:
        for begin in range(0, count, 2 * width):
            middle, end = min(begin + width, count), min(begin + 2 * width, count)
            one, other = begin, middle
            for at in range(begin, end):
                if one < middle and (
                    other >= end
                    or not _is_earlier(
                        x[source[other]] - ox,
                        y[source[other]] - oy,
                        x[source[one]] - ox,
                        y[source[one]] - oy,
                    )
                ):
                    target[at] = source[one]
                    one += 1
                else:
                    target[at] = source[other]
                    other += 1
        for at in range(count):
            source[at] = target[at]
        width *= 2


@kernel
def _side_of_edge(outline: Outline, edge: int, px: int, py: int) -> int:
    """Return on which side of an edge's line a point lies: 1 = the area, -1 = behind, 0 = on it."""
    x, y, _, after = outline
    end = after[edge]
    side = cross(x[end] - x[edge], y[end] - y[edge], px - x[edge], py - y[edge])
    return 1 if side > 0 else (-1 if side < 0 else 0)


@kernel
def _is_nearer(outline: Outline, ox: int, oy: int, edge: int, other: int) -> bool:
    """Return whether an edge is nearer to the origin than another one that the same ray crosses."""
    x, y, _, after = outline
    own = _side_of_edge(outline, edge, ox, oy)
    one = own * _side_of_edge(outline, edge, x[other], y[other])
    two = own * _side_of_edge(outline, edge, x[after[other]], y[after[other]])
    if one <= 0 and two <= 0:
        return True
    if one >= 0 and two >= 0:
        return False
    own = _side_of_edge(outline, other, ox, oy)
    one = own * _side_of_edge(outline, other, x[edge], y[edge])
    two = own * _side_of_edge(outline, other, x[after[edge]], y[after[edge]])
    return one >= 0 and two >= 0


@kernel
def _insert(outline: Outline, ox: int, oy: int, active: Int32Array, count: int, edge: int) -> int:
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if _is_nearer(outline, ox, oy, active[middle], edge):
            low = middle + 1
        else:
            high = middle
    for at in range(count, low, -1):
        active[at] = active[at - 1]
    active[low] = edge
    return count + 1


@kernel
def _remove(active: Int32Array, count: int, edge: int) -> int:
    for at in range(count):
        if active[at] == edge:
            for rest in range(at, count - 1):
                active[rest] = active[rest + 1]
            return count - 1
    return count


@kernel
def corners_seen(
    outline: Outline, ox: int, oy: int, own: int, buffers: SweepRoom, seen: Int32Array
) -> int:
    """Find the reflex corners that are visible from a point.

    A ray rotates once around the point, with the edges that it crosses in order: D. T. Lee,
    "Proximity and Reachability in the Plane", PhD thesis, University of Illinois 1978. Beyond a
    corner that a ray passes, other corners on the ray do not count, since the path to them leads
    through it.

    Args:
        ox, oy: a point of the area.
        own: the corner at the point; -1 = none, or any of those there.
        buffers: see :class:`SweepRoom`.
        seen: (k) int32, written.

    Returns:
        The number of corners written, in the order of their angles.
    """
    x, y, before, after = outline
    order, _, active = buffers
    corners = 0
    for corner in range(len(x)):
        if x[corner] != ox or y[corner] != oy:
            order[corners] = corner
            corners += 1
    _sort(outline, ox, oy, buffers, corners)
    crossed = 0
    on_wall = False
    for edge in range(len(x)):
        ax, ay = x[edge] - ox, y[edge] - oy
        bx, by = x[after[edge]] - ox, y[after[edge]] - oy
        turn = cross(ax, ay, bx, by)
        on_wall = on_wall or (turn == 0 and ax * bx + ay * by <= 0)
        if turn < 0:
            ax, ay, bx, by = bx, by, ax, ay
        if turn != 0 and not _is_earlier(ax, ay, bx, by):
            crossed = _insert(outline, ox, oy, active, crossed, edge)
    seen_count = 0
    begin = 0
    while begin < corners:
        dx, dy = x[order[begin]] - ox, y[order[begin]] - oy
        end = begin + 1
        while end < corners:
            ax, ay = x[order[end]] - ox, y[order[end]] - oy
            if cross(dx, dy, ax, ay) != 0 or dx * ax + dy * ay < 0:
                break
            end += 1
        for at in range(begin, end):
            corner = order[at]
            px, py = x[corner] - ox, y[corner] - oy
            if cross(px, py, x[after[corner]] - ox, y[after[corner]] - oy) < 0:
                crossed = _remove(active, crossed, corner)
            if cross(px, py, x[before[corner]] - ox, y[before[corner]] - oy) < 0:
                crossed = _remove(active, crossed, before[corner])
        at = begin
        is_open = False
        if own >= 0:
            is_open = in_cone(outline, own, dx, dy)
        elif crossed == 0 or _side_of_edge(outline, active[0], ox, oy) == _side_of_edge(
            outline, active[0], x[order[begin]], y[order[begin]]
        ):
            is_open = not on_wall or starts_inside(outline, ox, oy, dx, dy)
        while is_open and at < end:
            corner = order[at]
            if crossed > 0 and _side_of_edge(outline, active[0], ox, oy) != _side_of_edge(
                outline, active[0], x[corner], y[corner]
            ):
                break
            is_open = False
            px, py = x[corner], y[corner]
            reached = False
            while at < end and x[order[at]] == px and y[order[at]] == py:
                corner = order[at]
                continues = passes(outline, corner, dx, dy)
                is_open = is_open or continues
                ax, ay = x[after[corner]] - px, y[after[corner]] - py
                bx, by = x[before[corner]] - px, y[before[corner]] - py
                if cross(ax, ay, bx, by) < 0 and in_cone(outline, corner, -dx, -dy):
                    seen[seen_count] = corner
                    seen_count += 1
                    reached = reached or continues
                at += 1
            if reached:
                break
        for at in range(begin, end):
            corner = order[at]
            px, py = x[corner] - ox, y[corner] - oy
            if cross(px, py, x[after[corner]] - ox, y[after[corner]] - oy) > 0:
                crossed = _insert(outline, ox, oy, active, crossed, corner)
            if cross(px, py, x[before[corner]] - ox, y[before[corner]] - oy) > 0:
                crossed = _insert(outline, ox, oy, active, crossed, before[corner])
        begin = end
    return seen_count
