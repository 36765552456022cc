"""Answer one profile's questions about points of a navigation mesh at one moment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np

from bake.play.mesh.cut import CutMesh
from bake.play.mesh.funnel import string_through
from bake.play.mesh.polyanya import shortest
from bake.play.mesh.polygons import GRID, MeshPolygons, PlaneNodes, Point, Step, beside, step_of
from bake.play.reader.engine import Engine
from levelbake.errors import QueryError


class MeshStretch(NamedTuple):
    """A part of a path between two links."""

    polygons: list[int]  #: in a row; none at a node that came and lies in none
    #: first, last: the points it leads from and to
    first: Step
    last: Step
    floor: int  #: that it lies on


class MeshWays(PlaneNodes):
    """Points of a mesh as one profile may walk it. Once made it never changes."""

    def __init__(self, engine: Engine, baked: MeshWays | None = None) -> None:
        """Read the mesh, or take it from the profile as it was baked.

        Raises:
            QueryError: the level has no mesh.
            AssetError: its columns do not fit one another.
        """
        super().__init__(engine)
        self.mesh: MeshPolygons = (
            MeshPolygons(engine.version.places) if baked is None else baked.mesh
        )
        level = engine.version.level
        if baked is not None and level.rules.obstacles:
            self.mesh = CutMesh(baked.mesh, level.rules.cut, level.rules.node_of_piece)
        #: The polygon of the last point, which the next one likely lies in, too.
        self._last = 0

    @property
    def floors(self) -> int:
        return self.mesh.floors

    @cached_property
    def open(self) -> list[bool]:
        """Return for each polygon whether the profile can stand on one of its nodes."""
        standing, begin = self.row >= 0, self.mesh.first_node[:-1]
        found: list[bool] = np.logical_or.reduceat(standing[self.mesh.node], begin).tolist()
        return found

    @cached_property
    def corner(self) -> list[bool]:
        """Return for each vertex whether an obstacle of this profile begins or ends there."""
        found = [False] * len(self.mesh.point)
        for polygon, is_open in enumerate(self.open):
            if is_open:
                for begin, end, behind in self.mesh.edges(polygon):
                    if behind < 0 or not self.open[behind]:
                        found[begin] = found[end] = True
        return found

    def _step(self, point: Sequence[float]) -> tuple[Step, int]:
        return step_of(point, self.mesh.floors)

    def polygons_at(self, step: Step, floor: int) -> list[int]:
        """Return the open polygons that a point lies in or on; those a step away if there is none.

        Points are rounded to the grid, which may put one on the border beside it.
        """
        for near in beside(step):
            found = [each for each in self.mesh.holding(near, floor) if self.open[each]]
            if found:
                return found
        return []

    def row_at(self, point: Sequence[float]) -> int | None:
        """Return the row of the node that is nearest to a point within its polygon; None = none.

        Of several polygons that a point lies on the border of, the first counts.
        """
        step, floor = self._step(point)
        polygon = self._last
        if not (
            self.mesh.floor[polygon] == floor
            and self.open[polygon]
            and self.mesh.holds(polygon, step)
        ):
            found = self.polygons_at(step, floor)
            if not found:
                return None
            self._last = polygon = found[0]
        return self._row_in(polygon, step)

    def _row_in(self, polygon: int, step: Step) -> int:
        """Return the row of the nearest node of an open polygon."""
        nodes = self.mesh.nodes(polygon)
        if len(nodes) > 1:
            nodes = [node for node in nodes if self.row[node] >= 0]
        if len(nodes) == 1:
            return int(self.row[nodes[0]])
        point, position = (step[0] / GRID, step[1] / GRID), self.position
        return int(self.row[min(nodes, key=lambda node: math.dist(position[node], point))])

    @cached_property
    def position(self) -> list[tuple[float, float]]:
        """Return where each node lies."""
        position = self.version.places.position
        assert position is not None
        return [(x, y) for x, y in position.tolist()]

    # -- straight paths ---------------------------------------------------------------------------

    def shortest(self, start: Sequence[float], goal: Sequence[float]) -> list[Point] | None:
        """Return the shortest path that walking alone makes, by Polyanya; None if there is none."""
        (begin, floor), (end, goal_floor) = self._step(start), self._step(goal)
        begins, ends = self.polygons_at(begin, floor), self.polygons_at(end, goal_floor)
        if floor != goal_floor or not begins or not ends:
            return None
        found = shortest(self.mesh, begin, end, begins, set(ends), self.open, self.corner)
        return None if found is None else self.on_plane(found, repeat(floor))

    def pulled(self, start: Sequence[float], goal: Sequence[float]) -> list[Point] | None:
        """Return the string pulled through the polygons of a shortest path of the graph."""
        (begin, floor), (end, goal_floor) = self._step(start), self._step(goal)
        begins, ends = self.polygons_at(begin, floor), self.polygons_at(end, goal_floor)
        if not begins or not ends:
            return None
        if shared := set(begins) & set(ends):
            begins = ends = [min(shared)]
        row, goal_row = self._row_in(begins[0], begin), self._row_in(ends[0], end)
        rows = self.engine.way(row, goal_row)
        if rows is None:
            return None
        nodes = self.version.location[rows].tolist()
        found: list[Point] = []
        for part in self._stretches(begins[:1], ends[:1], nodes, begin, end):
            way = self.string(part.first, part.last, part.polygons)
            found += self.on_plane(way, repeat(part.floor))
        return found

    def string(self, first: Step, last: Step, polygons: list[int]) -> list[Step]:
        """Return where a string turns that is pulled through neighbouring polygons in a row."""
        portals = [self.portal(one, other) for one, other in pairwise(polygons)]
        return string_through(first, last, portals)

    def stretches(self, nodes: list[int]) -> list[MeshStretch]:
        """Return the polygons in a row that a path of nodes leads through, between links."""
        one, other = nodes[0], nodes[-1]
        ends = self.step_at_node(one), self.step_at_node(other)
        return self._stretches(self._any(one), self._any(other), nodes, *ends)

    def _stretches(
        self, begin: list[int], end: list[int], nodes: list[int], start: Step, goal: Step
    ) -> list[MeshStretch]:
        """Return the polygons in a row between links, and the points they lead from and to."""
        found: list[MeshStretch] = []
        polygons, first = begin, start
        for one, other in pairwise(nodes):
            shared = set(self.of_node(one)) & set(self.of_node(other))
            joined = [each for each in sorted(shared) if self.open[each]]
            if joined:
                inside = polygons[-1] if polygons[-1] in joined else joined[0]
                self._extend(polygons, inside, one)
                continue
            onward = self._neighbours(one, other)
            if onward is not None:
                # Nodes in the centres of two polygons that share an edge.
                self._extend(polygons, onward[0], one)
                polygons.append(onward[1])
                continue
            # A link: the string is cut here.
            here, there = self.step_at_node(one), self.step_at_node(other)
            for polygon in self._any(one):
                self._extend(polygons, polygon, one)
            found.append(MeshStretch(_pruned(polygons), first, here, self.floor_of(one)))
            polygons, first = self._any(other), there
        for polygon in end:
            self._extend(polygons, polygon, nodes[-1])
        found.append(MeshStretch(_pruned(polygons), first, goal, self.floor_of(nodes[-1])))
        return found

    def _neighbours(self, one: int, other: int) -> tuple[int, int] | None:
        """Return neighbouring polygons of two nodes, if both have such."""
        theirs = set(self.of_node(other))
        for polygon in self.of_node(one):
            for _, _, behind in self.mesh.edges(polygon):
                if behind in theirs and self.open[behind] and self.open[polygon]:
                    return polygon, behind
        return None

    def _any(self, node: int) -> list[int]:
        """Return one open polygon that a node lies in; none where it lies beside all."""
        return [each for each in self.of_node(node) if self.open[each]][:1]

    def of_node(self, node: int) -> list[int]:
        """Return the polygons that a node lies in or on; a node that came may lie in none."""
        mine = self.mesh.of_node[node] if node < len(self.mesh.of_node) else []
        floor = self.added_floor(node)
        return mine if mine or floor is None else self.polygons_at(self.step_at_node(node), floor)

    def _baked_floor(self, node: int) -> int:
        return self.mesh.floor[self.mesh.of_node[node][0]]

    def _extend(self, polygons: list[int], goal: int, node: int) -> None:
        """Add the polygons from the last one to another, all of which have a node.

        Around a vertex several polygons may lie between two that have it.
        """
        if polygons[-1] == goal:
            return
        having = set(self.of_node(node)) | {goal}
        before = {polygons[-1]: -1}
        queue = [polygons[-1]]
        for polygon in queue:
            if polygon == goal:
                break
            for _, _, behind in self.mesh.edges(polygon):
                if behind in having and behind not in before and self.open[behind]:
                    before[behind] = polygon
                    queue.append(behind)
        if goal not in before:
            raise QueryError("the nodes of the mesh do not fit its polygons")
        way = [goal]
        while before[way[-1]] != polygons[-1]:
            way.append(before[way[-1]])
        polygons += way[::-1]

    def portal(self, one: int, other: int) -> tuple[Step, Step]:
        """Return the ends of the edge between two polygons, the left one first."""
        for begin, end, behind in self.mesh.edges(one):
            if behind == other:
                return self.mesh.point[end], self.mesh.point[begin]
        raise QueryError("the nodes of the mesh do not fit its polygons")


def _pruned(polygons: list[int]) -> list[int]:
    """Return polygons in a row without detours that lead back to one of them."""
    found: list[int] = []
    at: dict[int, int] = {}
    for polygon in polygons:
        if polygon in at:
            for each in found[at[polygon] + 1 :]:
                del at[each]
            del found[at[polygon] + 1 :]
            continue
        at[polygon] = len(found)
        found.append(polygon)
    return found
