"""Pull a string through polygons in a row: the shortest path inside them.

A funnel of what can be seen grows portal by portal, and where it closes, the string turns (Lee and
Preparata, "Euclidean shortest paths in the presence of rectilinear barriers", 1984; the short form
is that of Mononen, "Simple stupid funnel algorithm", 2010). Whether it closes is decided in whole
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from bake.runtime.mesh.polygons import Step, turn

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
            if apex == right or turn(apex, left, new_right) < 0:
                right, right_at = new_right, at
            else:
                # The right side crosses the left one: the string turns at the left.
                path.append(left)
                apex, at = left, left_at
                left, right, right_at = apex, apex, at
                at += 1
                continue
        if turn(apex, left, new_left) <= 0:
            if apex == left or turn(apex, right, new_left) > 0:
                left, left_at = new_left, at
            else:
                path.append(right)
                apex, at = right, right_at
                left, right, left_at = apex, apex, at
                at += 1
                continue
        at += 1
    path.append(goal)
    return without_repeats(path)


def without_repeats(path: Sequence[Step]) -> list[Step]:
    """Return a path without points that it reaches twice in a row."""
    found = [path[0]]
    for point in path[1:]:
        if point != found[-1]:
            found.append(point)
    return found
