"""Cut the polygons of a mesh where convex obstacles stand.

An obstacle cuts a convex polygon into convex pieces: what lies beyond its first side, then what of
the rest lies beyond its second one, and so on. Where sides cross is kept as a fraction of a step of
the grid. Only centres and lengths are those of corners that were rounded to it, as in a bake.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from bake.core.arrays import Float64Array
from bake.play.mesh.polygons import GRID, MeshPolygons, Step, turn

#: A point in steps of the grid; its numbers are fractions where sides cross.
Point = tuple[Any, Any]
Ring = list[Point]
#: A polygon, and the obstacles on it.
_Key = tuple[int, tuple["Obstacle", ...]]
#: How steep a line is, None where it has no slope, and where it crosses an axis.
_Line = tuple[Fraction | None, Any]
#: Sides by their lines: the face, its side, and where that begins and ends.
_Lines = dict[_Line, list[tuple[int, int, Point, Point]]]
#: What faces share with others, by face and side: how far along the side it begins, its begin and
#: its end, and the face behind it.
_Shared = dict[tuple[int, int], list[tuple[Any, Point, Point, int]]]

#: What obstacles make of polygons, and of their borders, is remembered for so many of them.
# limit: the oldest results are dropped and recomputed; tests/play/mesh/test_obstacles.py
_REMEMBERED = 2**12


class Obstacle(NamedTuple):
    """A convex polygon that nobody walks through."""

    floor: int
    ring: tuple[Step, ...]  #: its corners, which turn from x toward y


class Side(NamedTuple):
    """A part of the border of a face, which is a polygon or a piece of one."""

    #: begin, end: exactly
    begin: Point
    end: Point
    behind: int  #: the face behind it, -1 = none


class Cut(NamedTuple):
    """What obstacles make of a mesh.

    Faces have the numbers of polygons, and pieces the numbers after them, polygon by polygon.
    """

    pieces: Mapping[int, range]  #: the pieces of each polygon that obstacles lie on
    #: the border of each piece, and of each whole polygon beside one
    border: Mapping[int, list[Side]]


class Cutter:
    """What cuts a mesh; it remembers what the same obstacles made of a polygon before."""

    def __init__(self, mesh: MeshPolygons) -> None:
        self._mesh = mesh
        self._left: dict[_Key, list[Ring]] = {}
        self._on: dict[_Key, _Lines] = {}
        self._common: dict[tuple[_Key, _Key], _Shared] = {}

    def cut(self, obstacles: Iterable[Obstacle]) -> Cut:
        """Return what obstacles make of the mesh, whatever their order."""
        mesh, on = self._mesh, dict[int, tuple[Obstacle, ...]]()
        for obstacle in sorted(obstacles):
            for polygon in _near(mesh, obstacle):
                on[polygon] = (*on.get(polygon, ()), obstacle)
        if max(len(self._left), len(self._common)) > _REMEMBERED:
            self._left, self._on, self._common = {}, {}, {}
        keys = {
            each: key
            for each in sorted(on)
            if self._rings(key := (each, on[each])) != self._rings((each, ()))
        }
        count, pieces = len(mesh), dict[int, range]()
        for polygon, key in keys.items():
            pieces[polygon] = range(count, count + len(self._rings(key)))
            count += len(pieces[polygon])
        beside = {each: [to for _, _, to in mesh.edges(each) if to >= 0] for each in pieces}
        for polygon in [to for each in beside.values() for to in each if to not in pieces]:
            keys[polygon] = polygon, ()
            beside[polygon] = [to for _, _, to in mesh.edges(polygon) if to in pieces]
        border: dict[int, list[Side]] = {}
        for polygon, key in keys.items():
            faces = pieces.get(polygon, range(polygon, polygon + 1))
            shared: _Shared = {}
            for other in {*beside[polygon], *([polygon] if polygon in pieces else [])}:
                theirs = pieces.get(other, range(other, other + 1))
                for side, parts in self._shared(key, keys[other]).items():
                    found = [(*part, theirs[behind]) for *part, behind in parts]
                    shared.setdefault(side, []).extend(found)
            kept = {} if polygon in pieces else _kept(mesh, polygon, pieces)
            for at, (face, ring) in enumerate(zip(faces, self._rings(key), strict=True)):
                border[face] = _border(
                    ring, [shared.get((at, k), []) for k in range(len(ring))], kept
                )
        return Cut(pieces, border)

    def _rings(self, key: _Key) -> list[Ring]:
        """Return what obstacles leave of a polygon."""
        found = self._left.get(key)
        if found is None:
            polygon, obstacles = key
            found = [corners(self._mesh, polygon)]
            for obstacle in obstacles:
                found = [left for ring in found for left in beside_obstacle(ring, obstacle.ring)]
            self._left[key] = found = [ring for ring in found if area(rounded(ring))]
        return found

    def _shared(self, one: _Key, other: _Key) -> _Shared:
        """Return the parts of borders that faces of a polygon share with those of another.

        Faces have their numbers in what is left of their polygon.
        """
        found = self._common.get((one, other))
        if found is None:
            self._common[one, other] = found = {}
            mine, theirs = self._lines(one), self._lines(other)
            for line in mine.keys() & theirs.keys():
                for (face, side, a, b), (behind, _, d, c) in product(mine[line], theirs[line]):
                    if one == other and face == behind:
                        continue
                    # The other side runs back: where it ends, what they share may begin.
                    begin = max((0, a), (_far(a, b, c), c))
                    end = min((_far(a, b, b), b), (_far(a, b, d), d))
                    if begin[0] < end[0]:
                        found.setdefault((face, side), []).append((*begin, end[1], behind))
        return found

    def _lines(self, key: _Key) -> _Lines:
        """Return the sides of what obstacles leave of a polygon, by the lines they lie on."""
        found = self._on.get(key)
        if found is None:
            self._on[key] = found = {}
            for face, ring in enumerate(self._rings(key)):
                for side, (a, b) in enumerate(sides(ring)):
                    found.setdefault(_line(a, b), []).append((face, side, a, b))
        return found


def corners(mesh: MeshPolygons, polygon: int) -> Ring:
    """Return the corners of a polygon."""
    return [mesh.point[begin] for begin, _, _ in mesh.edges(polygon)]


def beside_obstacle(ring: Ring, obstacle: Iterable[Step]) -> list[Ring]:
    """Return the convex pieces that an obstacle leaves of a convex polygon, exactly."""
    rest, pieces = ring, []
    for a, b in sides([*obstacle]):
        pieces.append(_inside(rest, b, a))
        rest = _inside(rest, a, b)
    return [piece for piece in pieces if piece] if rest else [ring]


def centre(ring: Ring) -> tuple[float, float]:
    """Return the centre of mass of a polygon in units, as a bake does: relative to a corner."""
    corner = np.array(rounded(ring), dtype=np.float64)
    here = corner - corner[0]
    there = np.roll(here, -1, axis=0)
    cross = here[:, 0] * there[:, 1] - here[:, 1] * there[:, 0]
    found = ((here + there) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    x, y = ((found + corner[0]) / GRID).tolist()
    return x, y


def lengths(
    mesh: MeshPolygons, found: Cut, node_of: Mapping[int, int], position: Float64Array
) -> dict[tuple[int, int], float]:
    """Return the units of length of each arc from or to a piece, by its nodes.

    An arc leads from centre to centre by the middle of what is shared, as in a bake.

    Args:
        mesh, found: what was baked, and what obstacles make of it.
        node_of: the node of each piece that has one.
        position: (n, 2) float64 units, where nodes lie.
    """

    def node(face: int) -> int | None:
        mine = mesh.nodes(face) if face < len(mesh) else []
        if len(mine) < 2:
            return mine[0] if mine else node_of.get(face)
        # Beside the centre there are the ends of links.
        middle = centre(corners(mesh, face))
        return min(mine, key=lambda each: math.dist(position[each], middle))

    found_lengths: dict[tuple[int, int], float] = {}
    for face, border in found.border.items():
        for side in border:
            if side.behind < 0 or max(face, side.behind) < len(mesh):
                continue
            tail, head = node(face), node(side.behind)
            if tail is not None and head is not None:
                begin, end = rounded([side.begin, side.end])
                middle = [(a + b) / (2 * GRID) for a, b in zip(begin, end, strict=True)]
                far = math.dist(position[tail], middle) + math.dist(middle, position[head])
                found_lengths[tail, head] = far
    return found_lengths


def sides(ring: list[Any]) -> Iterator[tuple[Any, Any]]:
    return zip(ring, [*ring[1:], *ring[:1]], strict=True)


def area(ring: Ring) -> Any:
    """Return twice the area of a polygon."""
    return sum(ax * by - ay * bx for (ax, ay), (bx, by) in sides(ring))


def rounded(ring: Ring) -> list[Step]:
    """Return points on the grid, as a bake puts corners there."""
    return [(round(x), round(y)) for x, y in ring]


def _inside(ring: Ring, a: Point, b: Point) -> Ring:
    """Return what of a convex polygon lies on the inner side of a line; nothing without area."""
    turns = [turn(a, b, each) for each in ring]
    if max(turns, default=0) <= 0:
        return []
    if min(turns) >= 0:
        return ring
    found: Ring = []
    for (one, other), (here, there) in zip(sides(ring), sides(turns), strict=True):
        if here >= 0:
            found.append(one)
        if here * there < 0:
            part = Fraction(here, here - there)
            x, y = (start + (end - start) * part for start, end in zip(one, other, strict=True))
            found.append((x, y))
    return found


def _near(mesh: MeshPolygons, obstacle: Obstacle) -> list[int]:
    """Return the polygons on its floor whose boxes meet that of an obstacle, ascending."""
    (xs, ys), (left, top, right, bottom) = zip(*obstacle.ring, strict=True), mesh.box
    near = (left < max(xs)) & (right > min(xs)) & (top < max(ys)) & (bottom > min(ys))
    found: list[int] = np.flatnonzero(near & (np.array(mesh.floor) == obstacle.floor)).tolist()
    return found


def _border(
    ring: Ring,
    shared: list[list[tuple[Any, Point, Point, int]]],
    kept: Mapping[tuple[Point, Point], int],
) -> list[Side]:
    """Return the border of a face, cut where another face behind it begins or ends.

    Args:
        ring: its corners.
        shared: the parts of each side that are shared with others.
        kept: what lies behind whole sides.
    """
    border: list[Side] = []
    for (a, b), parts in zip(sides(ring), shared, strict=True):
        at = a
        for _, begin, end, behind in sorted(parts):
            border += [Side(at, begin, -1), Side(begin, end, behind)]
            at = end
        border.append(Side(at, b, kept.get((a, b), -1)))
    return [side for side in border if side.begin != side.end]


def _kept(
    mesh: MeshPolygons, polygon: int, pieces: Mapping[int, range]
) -> dict[tuple[Step, Step], int]:
    """Return what lies behind the edges of a polygon beside which no obstacle lies."""
    return {
        (mesh.point[begin], mesh.point[end]): -1 if behind in pieces else behind
        for begin, end, behind in mesh.edges(polygon)
    }


def _far(a: Point, b: Point, point: Point) -> Any:
    """Return how far along a line a point of it lies."""
    return (point[0] - a[0]) * (b[0] - a[0]) + (point[1] - a[1]) * (b[1] - a[1])


def _line(a: Point, b: Point) -> _Line:
    """Return what tells the line through two points from all others."""
    if a[0] == b[0]:
        return None, a[0]
    slope = Fraction(b[1] - a[1], b[0] - a[0])
    return slope, a[1] - slope * a[0]


class CutMesh(MeshPolygons):
    """A mesh with obstacles on it: cut polygons join nothing, and pieces follow the polygons."""

    def __init__(self, mesh: MeshPolygons, found: Cut, node_of: Mapping[int, int]) -> None:
        """Put pieces behind polygons.

        Args:
            mesh: as it was baked.
            found: what obstacles make of it.
            node_of: the node of each piece that has one.
        """
        self.__dict__.update(mesh.__dict__)
        self.__dict__.pop("of_node", None)
        self._mesh, self._cut = mesh, found
        parent = {piece: polygon for polygon, mine in found.pieces.items() for piece in mine}
        whole = [*range(len(mesh)), *parent.values()]
        self.pieces = {piece: [side.begin for side in found.border[piece]] for piece in parent}
        self.terrain, self.floor = mesh.terrain[whole], [mesh.floor[each] for each in whole]
        nodes = [node_of.get(piece, mesh.nodes(polygon)[0]) for piece, polygon in parent.items()]
        self.node = np.append(mesh.node, np.array(nodes, dtype=np.int32))
        ends = len(mesh.node) + 1 + np.arange(len(parent), dtype=np.int32)
        self.first_node = np.append(mesh.first_node, ends)
        self._nodes, self._first_node = self.node.tolist(), self.first_node.tolist()
        self.point = [*mesh.point]
        #: Vertices by what they are a part of, and where they lie.
        known = {
            (mesh.part[each], mesh.point[begin]): begin
            for each in {parent.get(face, face) for face in found.border}
            for begin, _, _ in mesh.edges(each)
        }
        self._sides: dict[int, list[tuple[int, int, int]]] = {}
        for face, border in found.border.items():
            around = []
            for side in border:
                key = mesh.part[parent.get(face, face)], side.begin
                if key not in known:
                    known[key] = len(self.point)
                    self.point.append(side.begin)
                around.append(known[key])
            behind = [side.behind for side in border]
            self._sides[face] = list(zip(around, [*around[1:], around[0]], behind, strict=True))

    def edges(self, polygon: int) -> list[tuple[int, int, int]]:
        if polygon in self._sides:
            return self._sides[polygon]
        edges = self._mesh.edges(polygon)
        if polygon in self._cut.pieces:
            return [(begin, end, -1) for begin, end, _ in edges]
        return edges

    def holds(self, polygon: int, point: Step) -> bool:
        if polygon not in self.pieces:
            return self._mesh.holds(polygon, point)
        return all(turn(a, b, point) >= 0 for a, b in sides(self.pieces[polygon]))

    def holding(self, point: Step, floor: int) -> list[int]:
        found = self._mesh.holding(point, floor)
        pieces = [piece for each in found for piece in self._cut.pieces.get(each, ())]
        return found + [piece for piece in pieces if self.holds(piece, point)]
