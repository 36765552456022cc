"""Find the shortest path between two points of a mesh: Polyanya.

A search node is an edge of a polygon and the part of it that can be seen from a *root*, the last
point where the path turned. Expanding it looks through the polygon behind the edge: at what else
the root sees, and around the corners that end its view (Cui, Harabor and Grastien,
"Compromise-free Pathfinding on a Navigation Mesh", IJCAI 2017).

There the visible part of an edge is kept by its two ends, which are seldom on any grid. Here it is
kept by the two points that end the view, corners on the grid, so every decision is one in whole
numbers; only lengths are rounded.
"""

from __future__ import annotations

import heapq
import math
from itertools import count
from typing import NamedTuple

from bake.play.mesh.polygons import MeshPolygons, Step, turn

#: By how many steps lengths of one path may differ that were summed in another order.
_ROUNDED = 1e-5


class _View(NamedTuple):
    """What is seen of an edge from a root."""

    root: Step  #: where the path turned last
    length: float  #: of the path to the root, in steps
    way: int  #: place of the root in the list of turns
    #: right, left: points that end the view; all that is seen lies between the rays through them
    right: Step
    left: Step
    #: begin, end: vertices of the edge, as the polygon behind it runs
    begin: int
    end: int
    polygon: int  #: behind the edge


def shortest(
    mesh: MeshPolygons,
    start: Step,
    goal: Step,
    begins: list[int],
    ends: set[int],
    is_open: list[bool],
    is_corner: list[bool],
) -> list[Step] | None:
    """Return where a shortest path turns, both ends included; None where there is none.

    Args:
        mesh: the polygons.
        start, goal: points in steps of the grid.
        begins: polygons that the start lies in or on.
        ends: those that the goal lies in or on.
        is_open: whether each polygon may be entered.
        is_corner: whether paths may turn at each vertex.
    """
    return _Search(mesh, goal, ends, is_open, is_corner).run(start, begins)


class _Search:
    def __init__(
        self,
        mesh: MeshPolygons,
        goal: Step,
        ends: set[int],
        is_open: list[bool],
        is_corner: list[bool],
    ) -> None:
        self.mesh = mesh
        self.goal = goal
        self.ends = ends
        self.open = is_open
        self.corner = is_corner
        self.count = count()
        #: Each turn, and the place of the one before it.
        self.turns: list[tuple[Step, int]] = []
        self.best: dict[Step, float] = {}
        self.queue: list[tuple[float, int, _View | None, int]] = []

    def run(self, start: Step, begins: list[int]) -> list[Step] | None:
        if self.ends.intersection(begins):
            return [start, self.goal] if start != self.goal else [start]
        self.turns.append((start, -1))
        self.best[start] = 0.0
        point = self.mesh.point
        for polygon in begins:
            for begin, end, behind in self.mesh.edges(polygon):
                # Polygons that share an edge with the start on it are all among the first ones.
                if turn(start, point[begin], point[end]) > 0:
                    self.push(start, 0.0, 0, point[begin], point[end], (begin, end, behind))
                elif start not in (point[begin], point[end]):
                    self.go_along(start, 0.0, 0, (begin, end, behind))
        while self.queue:
            _, _, view, last = heapq.heappop(self.queue)
            if view is None:
                return self.path(last)
            if view.length <= self.best[view.root] + _ROUNDED:
                self.expand(view)
        return None

    def path(self, last: int) -> list[Step]:
        found = [self.goal]
        while last >= 0:
            step, last = self.turns[last]
            if step != found[-1]:
                found.append(step)
        return found[::-1]

    def expand(self, view: _View) -> None:
        mesh, root = self.mesh, view.root
        polygon = view.polygon
        if polygon in self.ends:
            self.arrive(view)
        point = mesh.point
        # An edge that ends at the root hides nothing: all of the polygon is seen.
        beside = root in (point[view.begin], point[view.end])
        for begin, end, behind in mesh.edges(polygon):
            if behind < 0 or not self.open[behind] or (begin, end) == (view.begin, view.end):
                continue
            a, b = point[begin], point[end]
            if root in (a, b):
                # The path may go on around the root, from one polygon to the next.
                self.push(root, view.length, view.way, a, b, (begin, end, behind))
                continue
            if turn(root, a, b) == 0:
                near = min((a, b), key=lambda each: math.dist(root, each))
                if beside or turn(root, view.right, near) >= 0 >= turn(root, view.left, near):
                    self.go_along(root, view.length, view.way, (begin, end, behind))
                continue
            if beside:
                self.push(root, view.length, view.way, a, b, (begin, end, behind))
                continue
            right = view.right if turn(root, view.right, a) < 0 else a
            left = view.left if turn(root, view.left, b) > 0 else b
            if turn(root, right, left) > 0 and turn(root, a, b) > 0:
                self.push(root, view.length, view.way, right, left, (begin, end, behind))
        if not beside:
            self.turn_at(view, view.right, point[view.end], at_right=True)
            self.turn_at(view, view.left, point[view.begin], at_right=False)

    def turn_at(self, view: _View, bound: Step, end: Step, *, at_right: bool) -> None:
        """Go around the corner that ends the view, if that is an end of the edge itself.

        Args:
            view: what is expanded.
            bound: the point that ends the view there.
            end: the end of the edge there.
            at_right: which side it is.
        """
        vertex = view.end if at_right else view.begin
        if bound != end or not self.corner[vertex]:
            return
        turned = self.turned(view.root, view.length, view.way, end)
        if turned is None:
            return
        length, way = turned
        point = self.mesh.point
        # What lies straight ahead is seen from the old root, and bounds the new view.
        ahead = (2 * end[0] - view.root[0], 2 * end[1] - view.root[1])
        for begin, last, behind in self.mesh.edges(view.polygon):
            if behind < 0 or not self.open[behind] or (begin, last) == (view.begin, view.end):
                continue
            a, b = point[begin], point[last]
            if end in (a, b):
                # Only the side away from the old view is new.
                if turn(view.root, end, b if a == end else a) * (-1 if at_right else 1) >= 0:
                    self.push(end, length, way, a, b, (begin, last, behind))
                continue
            if turn(end, a, b) == 0:
                if turn(view.root, end, a) * (-1 if at_right else 1) >= 0:
                    self.go_along(end, length, way, (begin, last, behind))
                continue
            right, left = a, b
            if at_right:
                if turn(end, ahead, a) >= 0:
                    continue
                left = ahead if turn(end, ahead, b) > 0 else b
            else:
                if turn(end, ahead, b) <= 0:
                    continue
                right = ahead if turn(end, ahead, a) < 0 else a
            if turn(end, right, left) > 0:
                self.push(end, length, way, right, left, (begin, last, behind))

    def go_along(self, root: Step, length: float, way: int, edge: tuple[int, int, int]) -> None:
        """Go straight to the nearer end of an edge that is seen from its own line.

        Nothing of it is seen but this end, around which the path may go to the other side.
        """
        begin, end, behind = edge
        if behind < 0 or not self.open[behind]:
            return
        a, b = self.mesh.point[begin], self.mesh.point[end]
        vertex = begin if math.dist(root, a) < math.dist(root, b) else end
        if not self.corner[vertex]:
            return
        near = self.mesh.point[vertex]
        turned = self.turned(root, length, way, near)
        if turned is not None:
            self.push(near, *turned, a, b, edge)

    def turned(self, root: Step, length: float, way: int, corner: Step) -> tuple[float, int] | None:
        """Return the length to a new root and its place among turns; None if a way is shorter."""
        length += math.dist(root, corner)
        known = self.best.get(corner)
        if known is not None and length > known + _ROUNDED:
            return None
        self.best[corner] = length if known is None else min(length, known)
        self.turns.append((corner, way))
        return length, len(self.turns) - 1

    def arrive(self, view: _View) -> None:
        """Reach the goal from a view of its polygon, past an end of the edge if need be."""
        root, goal, point = view.root, self.goal, self.mesh.point
        beside = root in (point[view.begin], point[view.end])
        if not beside and turn(root, view.right, goal) < 0:
            if view.right != point[view.end]:
                return
            turned = self.turned(root, view.length, view.way, view.right)
        elif not beside and turn(root, view.left, goal) > 0:
            if view.left != point[view.begin]:
                return
            turned = self.turned(root, view.length, view.way, view.left)
        else:
            turned = view.length, view.way
        if turned is not None:
            length, way = turned
            total = length + math.dist(self.turns[way][0], goal)
            heapq.heappush(self.queue, (total, -1 - next(self.count), None, way))

    def push(
        self,
        root: Step,
        length: float,
        way: int,
        right: Step,
        left: Step,
        edge: tuple[int, int, int],
    ) -> None:
        """Queue the view of an edge of a polygon that is left through it."""
        begin, end, behind = edge
        if behind < 0 or not self.open[behind]:
            return
        # Behind it the edge runs the other way.
        view = _View(root, length, way, right, left, end, begin, behind)
        bound = length + self.through(
            root, right, left, self.mesh.point[begin], self.mesh.point[end]
        )
        heapq.heappush(self.queue, (bound, next(self.count), view, -1))

    def through(self, root: Step, right: Step, left: Step, a: Step, b: Step) -> float:
        """Return a lower bound of the way from a root to the goal by what is seen of an edge."""
        goal: tuple[float, float] = self.goal
        if turn(a, b, root) == 0:
            # Seen from its own line, the edge begins at its nearer end.
            near = min((a, b), key=lambda each: math.dist(root, each))
            return math.dist(root, near) + math.dist(near, goal) - 1e-6
        if (turn(a, b, self.goal) > 0) == (turn(a, b, root) > 0):
            goal = _mirrored(goal, a, b)
        one, other = _cut(root, right, a, b), _cut(root, left, a, b)
        if turn(root, one, goal) < 0:
            return math.dist(root, one) + math.dist(one, goal) - 1e-6
        if turn(root, other, goal) > 0:
            return math.dist(root, other) + math.dist(other, goal) - 1e-6
        return math.dist(root, goal) - 1e-6


def _mirrored(point: tuple[float, float], a: Step, b: Step) -> tuple[float, float]:
    dx, dy = b[0] - a[0], b[1] - a[1]
    part = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / (dx * dx + dy * dy)
    return 2 * (a[0] + part * dx) - point[0], 2 * (a[1] + part * dy) - point[1]


def _cut(root: Step, through: Step, a: Step, b: Step) -> tuple[float, float]:
    """Return where the ray from a root through a point meets the line of an edge."""
    if through in (a, b):
        return through
    dx, dy = through[0] - root[0], through[1] - root[1]
    ex, ey = b[0] - a[0], b[1] - a[1]
    part = ((a[0] - root[0]) * ey - (a[1] - root[1]) * ex) / (dx * ey - dy * ex)
    return root[0] + part * dx, root[1] + part * dy
