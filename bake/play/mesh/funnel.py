"""Pull a string through polygons in a row: the shortest path inside them.

A funnel of what can be seen grows portal by portal, and where it closes, the string turns (Lee and
Preparata, "Euclidean shortest paths in the presence of rectilinear barriers", 1984; the short form
is that of Mononen, "Simple stupid funnel algorithm", 2010). Whether it closes is decided in whole
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from bake.play.mesh.polygons import Step, turn

#: The ends of an edge that is crossed: on the left and on the right of who walks.
Portal = tuple[Step, Step]


def string_through(start: Step, goal: Step, portals: Sequence[Portal]) -> list[Step]:
    """Return where the shortest way from start to goal turns, both included.

    Args:
        start, goal: points in the first and in the last polygon.
        portals: the edges crossed, in order: their left ends and their right ends, so that
            ``turn(point before it, right, left)`` is not negative.
    """
    gates = [*portals, (goal, goal)]
    path = [start]
    apex, left, right = start, start, start
    left_at = right_at = at = 0
    while at < len(gates):
        new_left, new_right = gates[at]
        if turn(apex, right, new_right) >= 0:
            if apex == right or not closed(apex, left, new_right, turn(apex, left, new_right)):
                right, right_at = new_right, at
            else:
                # The right side crosses the left one: the string turns at the left.
                apex, at = first_met(apex, (left, left_at), (new_right, at))
                path.append(apex)
                left = right = apex
                left_at = right_at = at
                at += 1
                continue
        if turn(apex, left, new_left) <= 0:
            if apex == left or not closed(apex, right, new_left, -turn(apex, right, new_left)):
                left, left_at = new_left, at
            else:
                apex, at = first_met(apex, (right, right_at), (new_left, at))
                path.append(apex)
                left = right = apex
                left_at = right_at = at
                at += 1
                continue
        at += 1
    path.append(goal)
    return without_repeats(path)


def closed(apex: Step, side: Step, point: Step, past: int) -> bool:
    """Tell whether a point closes the funnel by lying past its other side, or on it.

    On the side's line but behind the apex it does not: who stands on a portal sees to both ends.
    """
    if past:
        return past > 0
    ahead = (side[0] - apex[0]) * (point[0] - apex[0]) + (side[1] - apex[1]) * (point[1] - apex[1])
    return ahead >= 0


def first_met(apex: Step, turn_at: tuple[Step, int], other: tuple[Step, int]) -> tuple[Step, int]:
    """Return where the string turns: the other point where it lies before the side's, on one ray.

    That is so for a portal seen from its own line, whose nearer end may be on either side.
    """
    (x, y), (side, point) = apex, (turn_at[0], other[0])
    if turn(apex, side, point) != 0:
        return turn_at
    far = (side[0] - x) ** 2 + (side[1] - y) ** 2
    near = (point[0] - x) ** 2 + (point[1] - y) ** 2
    return other if near < far else turn_at


def without_repeats(path: Sequence[Step]) -> list[Step]:
    """Return a path without points that it reaches twice in a row."""
    found = [path[0]]
    for point in path[1:]:
        if point != found[-1]:
            found.append(point)
    return found
