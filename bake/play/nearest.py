"""Find the place nearest to a point: on grids around its cell, otherwise by a k-d tree.

On grids the cell that the point lies in comes first. Otherwise every method answers as a scan of
all places would: the place with the least square of its distance, in the arithmetic of float64, and
of several the one with the lowest location. On square grids distances are measured in columns and
lines, among hexagons in the plane. Where characteristic
points have weights or domains drawn by hand, it is the place whose domain the point lies in: the
drawn one, or that of the cone highest above the point. These are few, and are scanned. On graphs
whose nodes have heights, points (x, y, z) are measured in space, and points (x, y) in the plane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array
from bake.core.kernels import jit
from bake.play.reader.hops import plane_of
from bake.play.reader.version import Version
from bake.search.point.kd_tree import NONE, Candidate, KdTree, nearest_row, nearest_rows
from bake.search.point.nearest_cell import (
    Hexagons,
    nearest_cell,
    nearest_cells,
    nearest_hexagon,
)
from levelbake.errors import QueryError
from levelbake.hops import view_of
from levelbake.places import FARTHEST, Place, drawn_at, numbers_in, quoted
from levelbake.steps import HexLayout, in_rows, shoved_parity

#: Less than a quarter: a point is nearest to a place if the square of its distance is less than
#: this part of the square of the distance to the nearest other place.
_OWN = 0.2499
#: Points that are held against all cones in one go.
# limit: the work is done in parts; lowered by points
_AT_ONCE = 64


class NearestPlaces:
    """The places that one profile can stand on at one moment; threads may share it."""

    def __init__(self, version: Version, baked: NearestPlaces | None = None) -> None:
        """Make nothing yet.

        Args:
            version: the rows of the profile.
            baked: the places of the level as it was baked, if it has changed since. On graphs its
                tree serves all later versions, where rows that opened are looked at one by one.
        """
        self._version = version
        self._places = version.places
        self._baked = baked
        self._gaps: dict[tuple[int, bool], float] = {}
        # In the plane, and in space.
        self._trees: dict[bool, KdTree | None] = {}
        self._views: dict[bool, KdTree] = {}
        self._straight: Callable[..., int] | None = None

    # -- one point --------------------------------------------------------------------------------

    def one(self, point: Sequence[float], last: Place | None = None) -> int:
        """Return the row nearest to a point: see :meth:`bake.play.Navigator.nearest`."""
        places = self._places
        flat, z = (point, None) if self._height is None else places.split_height(point)
        x, y, floor = places.point(flat)
        if places.is_grid:
            row = self._row_at(places.plane.location_at(x, y, floor))
            if row >= 0:
                return row
            found = places.plane.columns_and_lines(np.array([(x, y)]), np.array([floor]))
            x, y = found[0].tolist()
        self._check()
        location = None if last is None else places.location(last)
        if self._cones is not None:
            return int(self._under_cones(np.array([(x, y)]))[0])
        known = None
        if location is not None and not places.is_grid:
            known, is_nearest = self._near_last(x, y, z, location)
            if known is not None and is_nearest:
                return known.row
        return self._found(x, y, z, floor, known)

    def _row_at(self, location: int) -> int:
        """Return the row of a location where the profile can stand; -1 elsewhere and for -1."""
        row = self._known_row[location] if location >= 0 else -1
        stands = self._version.stands
        return row if row >= 0 and (stands is None or stands[row]) else -1

    @cached_property
    def _known_row(self) -> memoryview[int]:
        return view_of(self._version.known_row)

    def _near_last(
        self, x: float, y: float, z: float | None, location: int
    ) -> tuple[Candidate | None, bool]:
        """Return the place known to be near, and whether no other one can be as near."""
        row, stands = self._known_row[location], self._version.stands
        if row < 0 or not (stands is None or stands[row]):
            return None, False
        away = self._away(row, x, y, z)
        known = Candidate(away, location, row)
        gap = self._gap(row, in_space=z is not None)
        return known, away < _OWN * gap and not len(self._opened)

    def _away(self, row: int, x: float, y: float, z: float | None) -> float:
        """Return the square of the distance from a row's place to a point on its floor."""
        (px, py), (wide, high) = self._points_of(row), self._scale
        across, down = (px - x) * wide, (py - y) * high
        if z is None:
            return across * across + down * down
        assert self._height is not None
        rise = float(self._height[row]) - z
        return across * across + down * down + rise * rise

    def _gap(self, row: int, *, in_space: bool) -> float:
        """Return the square of the distance from a row's place to the nearest other one."""
        if self._baked is not None:
            known = row < self._baked._version.row_count
            return self._baked._gap(row, in_space=in_space) if known else 0.0
        gap = self._gaps.get((row, in_space))
        if gap is None:
            x, y = self._points_of(row)
            z = float(self._height[row]) if in_space and self._height is not None else None
            other = self._walk(x, y, z, 0, self._mask, but=row)
            gap = self._away(other, x, y, z) if other >= 0 else math.inf
            self._gaps[row, in_space] = gap
        return gap

    def _found(
        self, x: float, y: float, z: float | None, floor: int, known: Candidate | None = None
    ) -> int:
        for row in self._opened.tolist():
            near = Candidate(self._away(row, x, y, z), int(self._version.location[row]), row)
            known = near if known is None else min(known, near)
        row = self._walk(x, y, z, floor, self._mask, known)
        if row < 0:
            raise self._nowhere(floor)
        return row

    def _walk(
        self,
        x: float,
        y: float,
        z: float | None,
        floor: int,
        counts: BoolArray,
        known: Candidate | None = None,
        but: int = -1,
    ) -> int:
        """Return the nearest row that counts, on a floor or in the tree of a graph; -1 for none."""
        if self._places.is_grid:
            hexagons = self._hexagons
            search = nearest_cell if hexagons is None else nearest_hexagon
            shape = () if hexagons is None else (hexagons,)
            if jit.ready(search):
                return int(search(self._cells[floor], counts, x, y, *shape))
            # Plain Python reads memory views several times as fast.
            views = plane_of(self._cells[floor]), view_of(counts)
            return int(_plain(search)(*views, x, y, *shape))
        keeper, known = self._baked or self, known or NONE
        in_space, z = z is not None, z or 0.0
        tree = keeper._tree(in_space=in_space)
        if tree is None:
            return known.row
        if self._straight is not None:
            return int(self._straight(tree, counts, x, y, z, known, but))
        if jit.ready(nearest_row):
            self._straight = jit.straight(nearest_row, tree, counts, x, y, z, known, but)
            return int(nearest_row(tree, counts, x, y, z, known, but))
        view = keeper._views.get(in_space)
        if view is None:
            # Plain Python reads memory views several times as fast.
            view = keeper._views.setdefault(in_space, KdTree(*_viewed(tree)))
        return int(_plain(nearest_row)(view, counts, x, y, z, known, but))

    # -- some places only -------------------------------------------------------------------------

    def equals(self, location: int, counts: BoolArray) -> Int32Array:
        """Return the rows nearest to a location: of those that count all that are equally near.

        Rows on the location's floor come before all others; from floor to floor distances are those
        of x and y. Where nodes have heights, distances are those in space.

        Args:
            location: of any place, on a grid or on a graph with positions.
            counts: (r) bool, at least one of them True.

        Returns:
            (k) int32, at least one.
        """
        places, floor, z = self._places, 0, None
        if places.hex_layout is not None:
            return self._equal_hexagons(places.hex_layout, location, counts)
        if places.is_grid:
            floor = location // (places.width * places.rows)
            x, y = places.plane.middles(np.array([location]))[0].tolist()
        else:
            assert places.position is not None
            x, y = places.position[location].tolist()
            elevation = self._version.elevation
            z = None if elevation is None else float(elevation[location])
        found = self._equals_on(floor, x, y, z, counts)
        if not found:
            others = [each for each in range(places.floors) if each != floor]
            found = [row for each in others for row in self._equals_on(each, x, y, z, counts)]
        away = [self._away(row, x, y, z) for row in found]
        least = min(away)
        rows = [row for row, far in zip(found, away, strict=True) if far == least]
        return np.array(rows, dtype=np.int32)

    def _equal_hexagons(self, layout: HexLayout, location: int, counts: BoolArray) -> Int32Array:
        """Return the rows of hexagons that are nearest to a cell, in exact arithmetic."""
        places, rows = self._places, np.flatnonzero(counts)
        cell = np.append(self._version.location[rows], location).astype(np.int64)
        floor = cell // (places.width * places.rows)
        line, column = np.divmod(cell % (places.width * places.rows), places.width)
        if not in_rows(layout):
            line, column = column, line
        # In halves of a hexagon's width along a line, lines are sqrt(3) halves apart.
        along = 2 * column + (line % 2 == shoved_parity(layout))
        away = (along[:-1] - along[-1]) ** 2 + 3 * (line[:-1] - line[-1]) ** 2
        near = floor[:-1] == floor[-1]
        away = np.where(near, away, away + away.max() + 1) if near.any() else away
        result: Int32Array = rows[away == away.min()].astype(np.int32)
        return result

    def _equals_on(
        self, floor: int, x: float, y: float, z: float | None, counts: BoolArray
    ) -> list[int]:
        found = [row for row in self._opened.tolist() if counts[row]]
        left, away = counts.copy(), math.inf
        while (row := self._walk(x, y, z, floor, left)) >= 0:
            far = self._away(row, x, y, z)
            if far > away:
                break
            found.append(row)
            left[row], away = False, far
        return found

    # -- many points ------------------------------------------------------------------------------

    def many(self, given: object) -> Int32Array:
        """Return (k) int32, the row nearest to each of some points.

        Args:
            given: (k, 2) finite numbers; (k, 3) on levels of several floors, and with z on graphs.

        Raises:
            QueryError: as for :meth:`one`.
        """
        points, wide = self._rows_of_numbers(given), self._places.dimensions
        floor = np.zeros(len(points), dtype=np.int32)
        if wide == 3:
            floor, points = self._floors_of(points[:, 2]), points[:, :2]
        points = np.ascontiguousarray(np.clip(points, -FARTHEST, FARTHEST))
        if not len(points):
            return np.empty(0, dtype=np.int32)
        self._check()
        if self._cones is not None:
            return self._under_cones(points)
        found = np.full(len(points), -1, dtype=np.int32)
        if self._places.is_grid:
            location = self._places.plane.locations_at(points, floor)
            inside = np.flatnonzero(location >= 0)
            found[inside] = self._version.rows_of(location[inside])
            points, rest = (
                self._places.plane.columns_and_lines(points, floor),
                np.flatnonzero(found < 0),
            )
            if len(rest) and self._places.hex_layout is None and jit.ready(nearest_cells):
                near = np.empty(len(rest), dtype=np.int32)
                nearest_cells(self._cells, self._mask, points[rest], floor[rest], near)
                found[rest] = near
        elif not (self._places.is_grid or len(self._opened)) and jit.ready(nearest_rows):
            tree = (self._baked or self)._tree(in_space=points.shape[1] == 3)
            if tree is not None:
                nearest_rows(tree, self._mask, points, NONE, found)
        for left in np.flatnonzero(found < 0).tolist():
            x, y, *above = points[left].tolist()
            z = above[0] if above else None
            found[left] = self._found(x, y, z, int(floor[left]))
        return found

    def _rows_of_numbers(self, given: object) -> Float64Array:
        wide = self._places.dimensions
        widths = (wide,) if self._height is None else (2, 3)
        numbers, points = numbers_in(given, "iuf"), np.empty((0, 0), dtype=np.float64)
        with np.errstate(over="ignore"):  # Long doubles may be beyond all floats.
            if numbers is not None:
                points = numbers.astype(np.float64)
        if points.ndim != 2 or points.shape[1] not in widths:
            found = f"{quoted(given)} is no array of points"
        elif not np.isfinite(points).all():
            wrong = int(np.isfinite(points).all(axis=1).argmin())
            found = f"points[{wrong}] is {tuple(points[wrong].tolist())}"
        else:
            return points
        expected = "(x, y), two finite numbers each"
        if self._height is not None:
            expected = "(x, y) or (x, y, z), finite numbers"
        if wide == 3:
            expected = "(x, y, floor), two finite numbers and an integer each"
        raise QueryError(found, place=f"level {self._places.name!r}", expected=expected)

    def _floors_of(self, given: Float64Array) -> Int32Array:
        known = (given >= 0) & (given < self._places.floors) & (given == np.floor(given))
        if not known.all():
            floor = given[int(known.argmin())].item()
            raise self._places.no_floor(int(floor) if floor.is_integer() else floor)
        return given.astype(np.int32)

    # -- domains of points with weights -----------------------------------------------------------

    @cached_property
    def _cones(self) -> tuple[Int32Array, Float64Array, Float64Array] | None:
        """Return the rows that can be stood on by location, their points and their weights.

        None where no point has a weight or a drawn domain, as then the nearest one is the one whose
        domain it is.
        """
        version, places = self._version, self._places
        if places.is_grid or not places.asset.has("/domain_weight"):
            return None
        weight = places.asset.read("/domain_weight").astype(np.float64)
        if not (weight.any() or places.asset.has("/domain_corner")):
            return None
        row = np.arange(version.row_count, dtype=np.int32)
        if version.standing is not None:
            row = row[version.standing]
        row = row[version.location[row].argsort(kind="stable")]
        later = max(0, int(version.location.max(initial=-1)) + 1 - len(weight))
        weight = np.concatenate([weight, np.zeros(later)])  # Nodes that came since have none.
        return row, self._points[row], weight[version.location[row]]

    def _under_cones(self, points: Float64Array) -> Int32Array:
        """Return (k) int32, the rows whose domains points lie in; of equal cones the first."""
        assert self._cones is not None
        row, place, weight = self._cones
        if not len(row):
            raise self._nowhere(0)
        found = np.empty(len(points), dtype=np.int32)
        for first in range(0, len(points), _AT_ONCE):
            mine = points[first : first + _AT_ONCE, None]
            height = weight - np.hypot(mine[..., 0] - place[:, 0], mine[..., 1] - place[:, 1])
            for at, inside in self._drawn_over(mine[:, 0]):
                height[inside, at] = np.inf
            found[first : first + _AT_ONCE] = row[height.argmax(axis=1)]
        return found

    def _drawn_over(self, points: Float64Array) -> Iterator[tuple[int, BoolArray]]:
        """Yield which cone each domain drawn by hand is that of, and (k) bool, what lies in it."""
        asset = self._places.asset
        if self._cones is not None and asset.has("/domain_corner"):
            node, inside = drawn_at(asset, points)
            location = self._version.location[self._cones[0]]
            for own, at in enumerate(np.searchsorted(location, node).tolist()):
                if at < len(location) and location[at] == node[own]:
                    yield at, inside[:, own]

    # -- where places lie -------------------------------------------------------------------------

    def _points_of(self, row: int) -> tuple[float, float]:
        """Return the position of a row: columns and lines on its floor, or a point on graphs."""
        if not self._places.is_grid:
            view = self._point_view
            return view[2 * row], view[2 * row + 1]
        location = self._version.locations_of(np.array([row], dtype=np.int32))
        x, y = self._places.plane.middles(location)[0].tolist()
        return x, y

    @cached_property
    def _scale(self) -> tuple[float, float]:
        """Return the lengths that both parts of a place count for."""
        return self._places.plane.scale if self._places.is_grid else (1.0, 1.0)

    @cached_property
    def _hexagons(self) -> Hexagons | None:
        """Return the layout of hexagons; None for squares."""
        layout = self._places.hex_layout
        if layout is None:
            return None
        shift = 0.5 if shoved_parity(layout) else -0.5
        return Hexagons(*self._scale, *((shift, 0.0) if in_rows(layout) else (0.0, shift)))

    @cached_property
    def _cells(self) -> Int32Array:
        """Return (floors, height, width) int32, the row of each cell of a grid, else -1."""
        places = self._places
        shape = places.floors, places.floor_height or places.height, places.width
        return np.asarray(self._version.known_row.reshape(shape))

    @cached_property
    def _points(self) -> Float64Array:
        """Return (r, 2) float64, where the place of each row of a graph lies."""
        assert self._places.position is not None
        return np.ascontiguousarray(self._places.position[self._version.location])

    @cached_property
    def _point_view(self) -> memoryview[float]:
        return cast("memoryview[float]", view_of(self._points))

    @cached_property
    def _height(self) -> Float64Array | None:
        """Return (r) float64, how high each row's node lies; None without heights and positions."""
        elevation = self._version.elevation
        if elevation is None or self._places.position is None:
            return None
        return np.ascontiguousarray(elevation[self._version.location])

    def _tree(self, *, in_space: bool) -> KdTree | None:
        """Return the tree of all rows of a graph, or None if it has no rows."""
        if in_space not in self._trees:
            row, points = np.arange(self._version.row_count, dtype=np.int32), self._points
            if in_space and self._height is not None:
                points = np.column_stack([points, self._height])
            made = KdTree.of(points, row, self._version.location) if len(row) else None
            self._trees.setdefault(in_space, made)
        return self._trees[in_space]

    @cached_property
    def _mask(self) -> BoolArray:
        """Return (r) bool, the rows that can be stood on; without any element all of them can."""
        standing = self._version.standing
        if standing is None or standing.all():
            return np.empty(0, dtype=np.bool_)
        return standing

    @cached_property
    def _opened(self) -> Int32Array:
        """Return (k) int32, rows of a graph that opened since the level was baked."""
        standing = self._version.standing
        if self._places.is_grid or self._baked is None or standing is None:
            return np.empty(0, dtype=np.int32)
        baked = self._baked._version.row_count
        opened: Int32Array = (baked + np.flatnonzero(standing[baked:])).astype(np.int32)
        return opened

    def _check(self) -> None:
        """Refuse graphs without positions."""
        places = self._places
        if not places.is_grid and places.position is None:
            raise QueryError(
                "nearest() needs positions, this graph has none",
                place=f"level {places.name!r}",
                remedy="give its nodes x and y",
            )

    def _nowhere(self, floor: int) -> QueryError:
        profile, standing = self._version.profile, self._version.standing
        somewhere = self._version.row_count if standing is None else int(standing.sum())
        where = f"on floor {floor}" if somewhere else "in this level"
        return QueryError(f"profile {profile!r} can stand nowhere {where}")


def _viewed(tree: KdTree) -> Iterator[Any]:
    """Yield the memory views of a tree's arrays."""
    return (view_of(array) for array in tree)


def _plain(function: Callable[..., int]) -> Callable[..., int]:
    """Return a kernel that runs in plain Python."""
    return cast("Callable[..., int]", getattr(function, "plain", function))


def are_many(point: object) -> bool:
    """Tell whether an argument is many points, rather than one."""
    if isinstance(point, np.ndarray):
        return point.ndim > 1
    if not isinstance(point, list | tuple) or not len(point):
        return False
    return isinstance(point[0], list | tuple | np.ndarray)
