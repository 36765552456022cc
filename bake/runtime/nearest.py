"""Find the place nearest to a point: by division on grids, otherwise by a k-d tree.

Every way answers as a scan of all places would: the place with the least square of its distance, in
the arithmetic of float64, and of several the one with the lowest location. Where characteristic
points have weights, it is the place whose cone is highest above the point; these are few, and are
scanned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array
from bake.errors import OutsideMapError, QueryError
from bake.runtime.reader.hops import view_of
from bake.runtime.reader.numbers import number_of
from bake.runtime.reader.places import Place, quoted
from bake.runtime.reader.tables import Tables

if TYPE_CHECKING:
    from bake.search.point.kd_tree import Candidate, KdTree, PackedTree

#: Points farther out than this, in cells or a graph's units, are moved in to it.
FARTHEST = 1e15

#: A point no farther than this from the middle of a cell, along both axes, is nearest to that one,
#: however floats round; nearer to a border the tree decides.
_WITHIN = 0.499
#: Less than a quarter: a point is nearest to a place if the square of its distance is less than
#: this part of the square of the distance to the nearest other place.
_OWN = 0.2499
#: Points that are held against all cones in one go.
_AT_ONCE = 64


class NearestPlaces:
    """The places that one profile can stand on at one moment; threads may share it."""

    def __init__(self, tables: Tables, baked: NearestPlaces | None = None) -> None:
        """Make nothing yet.

        Args:
            tables: the rows of the profile.
            baked: the places of the level as it was baked, if it has changed since. Its trees serve
                all later versions, where rows that opened are looked at one by one.
        """
        self._tables = tables
        self._places = tables.places
        self._baked = baked
        self._trees: dict[int, KdTree | None] = {}
        self._packs: dict[int, PackedTree | None] = {}
        self._views: dict[int, Any] = {}
        self._ask: Callable[[float, float], int] | None = None
        #: Answers for a pair of finite floats on a graph, otherwise None; made when first searched.
        self.quick: Callable[[Any], Place | None] | None = None
        self._gaps: dict[int, float] = {}

    # -- one point --------------------------------------------------------------------------------

    def one(self, point: Sequence[float], last: Place | None = None) -> int:
        """Return the row nearest to a point: see :meth:`bake.runtime.Navigator.nearest`."""
        places = self._places
        floor = 0
        if places.floor_height is not None:
            point, floor = places.point_on_floor(point)
        x, y = _point(point)
        if places.is_grid:
            row = self._by_division(x, y, floor)
            if row >= 0:
                return row
        self._check()
        location = None if last is None else places.location(last)
        if self._cones is not None:
            return int(self._under_cones(np.array([(x, y)]))[0])
        if self._ask is not None:  # It takes less time than looking at the last place first.
            return self._ask(x, y)
        if location is None:
            return self._found(x, y, floor, self._none)
        known, is_nearest = self._near_last(x, y, floor, location)
        return known.row if is_nearest else self._found(x, y, floor, known)

    def _by_division(self, x: float, y: float, floor: int) -> int:
        """Return the row of the cell a point of a grid lies in; -1 where that does not tell."""
        places = self._places
        column, line = math.floor(x + 0.5), math.floor(y + 0.5)
        rows = places.floor_height or places.height
        if (
            not (0 <= column < places.width and 0 <= line < rows)
            or max(abs(x - column), abs(y - line)) > _WITHIN
        ):
            return -1
        row = self._known_row[(line + floor * rows) * places.width + column]
        stands = self._stands
        return row if row >= 0 and (stands is None or stands[row]) else -1

    @cached_property
    def _known_row(self) -> memoryview[int]:
        return view_of(self._tables.known_row)

    @cached_property
    def _stands(self) -> memoryview[int] | None:
        standing = self._tables.standing
        return None if standing is None else view_of(standing)

    def _near_last(self, x: float, y: float, floor: int, location: int) -> tuple[Candidate, bool]:
        """Return the place known to be near, and whether no other one can be as near."""
        row, stands = self._known_row[location], self._stands
        if row < 0 or not (stands is None or stands[row]):
            return self._none, False
        if self._places.floor_height is not None and self._floors[row] != floor:
            return self._none, False
        away = self._away(row, x, y)
        known = type(self._none)(away, location, row)
        return known, away < _OWN * self._gap(row) and not len(self._opened(floor))

    def _away(self, row: int, x: float, y: float) -> float:
        """Return the square of the distance from a row's place to a point on its floor."""
        view = self._point_view
        across, down = view[2 * row] - x, view[2 * row + 1] - y
        return across * across + down * down

    def _gap(self, row: int) -> float:
        """Return the square of the distance from a row's place to the nearest other one."""
        if self._baked is not None:
            return self._baked._gap(row) if row < self._baked._tables.row_count else 0.0
        gap = self._gaps.get(row)
        if gap is None:
            floor = int(self._floors[row])
            x, y = self._points[row].tolist()
            other = self._walk(floor, x, y, self._none, row)
            gap = self._away(other, x, y) if other >= 0 else math.inf
            self._gaps[row] = gap
        return gap

    def _found(self, x: float, y: float, floor: int, known: Candidate) -> int:
        for row in self._opened(floor).tolist():
            away = self._away(row, x, y)
            location = int(self._tables.location[row])
            if (away, location) < (known.away, known.location):
                known = known._replace(away=away, location=location, row=row)
        row = self._walk(floor, x, y, known, -1)
        if row < 0:
            raise self._nowhere(floor)
        return row

    def _walk(
        self,
        floor: int,
        x: float,
        y: float,
        known: Candidate,
        but: int,
        counts: BoolArray | None = None,
    ) -> int:
        """Search the tree of a floor, compiled or not, for rows that count or can be stood on."""
        from bake.kernels.jit import ready
        from bake.search.point.kd_tree import nearest_in_packed, nearest_row

        if ready(nearest_in_packed):
            packed = self._packed(floor)
            if packed is None:
                return known.row
            if counts is None and self._is_plain and known.row < 0 and but < 0:
                self._ask = self._straight(packed)
                if not self._places.is_grid:
                    self.quick = self._straight_to_names(self._ask)
            mask = self._mask if counts is None else counts
            return nearest_in_packed(*packed, mask, x, y, *known, but)
        tree = self._tree(floor)
        if tree is None:
            return known.row
        walk = cast("Callable[..., int]", getattr(nearest_row, "plain", nearest_row))
        mask = self._mask if counts is None else counts
        return int(walk(self._view(floor, tree), mask, x, y, known, but))

    def _straight(self, packed: PackedTree) -> Callable[[float, float], int]:
        """Return the search without anything known, for which nothing is left to be checked."""
        from bake.search.point.kd_tree import nearest_in_packed

        (inner, real, whole), mask = packed, self._mask
        away, location, nobody = self._none

        def ask(x: float, y: float) -> int:
            row = nearest_in_packed(inner, real, whole, mask, x, y, away, location, nobody, -1)
            if row < 0:
                raise self._nowhere(0)
            return row

        return ask

    def _straight_to_names(
        self, ask: Callable[[float, float], int]
    ) -> Callable[[Any], Place | None]:
        """Return the search as games ask it most often: from a pair of floats to a node's name."""
        names, location = self._places.names, view_of(self._tables.location)

        def quick(point: Any) -> Place | None:
            x, y = point
            if (
                type(x) is float is type(y)
                and -FARTHEST < x < FARTHEST
                and -FARTHEST < y < FARTHEST
            ):
                return names[location[ask(x, y)]]
            return None

        return quick

    @cached_property
    def _is_plain(self) -> bool:
        """Tell whether there is one floor, on which no row has opened."""
        return self._places.floor_height is None and not len(self._opened(0))

    # -- some places only -------------------------------------------------------------------------

    def equals(self, location: int, counts: BoolArray) -> Int32Array:
        """Return the rows nearest to a location: of those that count all that are equally near.

        Rows on the location's floor come before all others; from floor to floor distances are those
        of x and y.

        Args:
            location: of any place, on a grid or on a graph with positions.
            counts: (r) bool, at least one of them True.

        Returns:
            (k) int32, at least one.
        """
        places, floor = self._places, 0
        if places.is_grid:
            x, y = (float(each) for each in places.cells_of(np.array([location]))[0])
            if places.floor_height is not None:
                floor, y = int(y // places.floor_height), y % places.floor_height
        else:
            assert places.position is not None
            x, y = places.position[location].tolist()
        found = self._equals_on(floor, x, y, counts)
        if not found:
            others = [each for each in range(places.floors) if each != floor]
            found = [row for each in others for row in self._equals_on(each, x, y, counts)]
        away = [self._away(row, x, y) for row in found]
        least = min(away)
        rows = [row for row, far in zip(found, away, strict=True) if far == least]
        return np.array(rows, dtype=np.int32)

    def _equals_on(self, floor: int, x: float, y: float, counts: BoolArray) -> list[int]:
        opened = [row for row in self._opened(floor).tolist() if counts[row]]
        row = self._walk(floor, x, y, self._none, -1, counts)
        if row < 0:
            return opened
        # Most places have one that is nearest, and then nothing has to be copied.
        other = self._walk(floor, x, y, self._none, row, counts)
        away = self._away(row, x, y)
        found = [row]
        if other >= 0 and self._away(other, x, y) == away:
            left = counts.copy()
            left[row] = False
            while other >= 0 and self._away(other, x, y) == away:
                found.append(other)
                left[other] = False
                other = self._walk(floor, x, y, self._none, -1, left)
        return found + opened

    # -- many points ------------------------------------------------------------------------------

    def many(self, given: object) -> Int32Array:
        """Return (k) int32, the row nearest to each of some points.

        Args:
            given: (k, 2) finite numbers, or (k, 3) on levels of several floors.

        Raises:
            QueryError: as for :meth:`one`.
        """
        places = self._places
        points, wide = self._rows_of_numbers(given), places.dimensions
        found = np.full(len(points), -1, dtype=np.int32)
        floor = np.zeros(len(points), dtype=np.int32)
        if wide == 3:
            floor = self._floors_of(points[:, 2])
        points = np.clip(points[:, :2], -FARTHEST, FARTHEST)
        if places.is_grid:
            self._divide(points, floor, found)
        left = np.flatnonzero(found < 0)
        if not len(left):
            return found
        self._check()
        if self._cones is not None:
            return self._under_cones(points)
        for each in np.unique(floor[left]).tolist():
            mine = left[floor[left] == each]
            found[mine] = self._found_many(np.ascontiguousarray(points[mine]), each)
        return found

    def _rows_of_numbers(self, given: object) -> Float64Array:
        wide = self._places.dimensions
        try:
            points = np.asarray(given)
            if points.dtype.kind not in "iuf":
                raise ValueError
            points = points.astype(np.float64)
        except (ValueError, TypeError, OverflowError):
            points = np.empty(0)
        if points.ndim != 2 or points.shape[1] != wide:
            found = f"{quoted(given)} is no array of points"
        elif not np.isfinite(points).all():
            wrong = int(np.isfinite(points).all(axis=1).argmin())
            found = f"points[{wrong}] is {tuple(points[wrong].tolist())}"
        else:
            return points
        expected = "(x, y), two finite numbers each"
        if wide == 3:
            expected = "(x, y, floor), two finite numbers and an integer each"
        raise QueryError(found, place=f"level {self._places.name!r}", expected=expected)

    def _floors_of(self, given: Float64Array) -> Int32Array:
        known = (given >= 0) & (given < self._places.floors) & (given == np.floor(given))
        if not known.all():
            raise OutsideMapError(
                f"there is no floor {given[int(known.argmin())].item():g}",
                place=f"level {self._places.name!r}",
                expected=f"floor from 0 to {self._places.floors - 1}",
            )
        return given.astype(np.int32)

    def _divide(self, points: Float64Array, floor: Int32Array, found: Int32Array) -> None:
        """Write the rows of the cells that points lie in, where that tells the nearest one."""
        places = self._places
        rows = places.floor_height or places.height
        cell = np.floor(points + 0.5)
        clear = (np.abs(points - cell) <= _WITHIN).all(axis=1)
        clear &= ((cell >= 0) & (cell < [places.width, rows])).all(axis=1)
        at = np.flatnonzero(clear)
        column, line = cell[at].astype(np.int32).T
        location = (line + floor[at].astype(np.int32) * np.int32(rows)) * np.int32(places.width)
        found[at] = self._tables.rows_of(location + column)

    def _found_many(self, points: Float64Array, floor: int) -> Int32Array:
        from bake.kernels.jit import ready
        from bake.search.point.kd_tree import nearest_rows

        tree = self._tree(floor)
        if tree is None or len(self._opened(floor)) or not ready(nearest_rows):
            each = (self._found(x, y, floor, self._none) for x, y in points.tolist())
            return np.fromiter(each, dtype=np.int32, count=len(points))
        found = np.empty(len(points), dtype=np.int32)
        nearest_rows(tree, self._mask, points, self._none, found)
        if found.min(initial=0) < 0:
            raise self._nowhere(floor)
        return found

    # -- domains of points with weights -----------------------------------------------------------

    @cached_property
    def _cones(self) -> tuple[Int32Array, Float64Array, Float64Array] | None:
        """Return the rows that can be stood on by location, their points and their weights.

        None where no point has a weight, as then the nearest one is the one whose domain it is.
        """
        tables, places = self._tables, self._places
        if places.is_grid or not places.asset.has("/domains/weight"):
            return None
        weight = places.asset.read("/domains/weight").astype(np.float64)
        if len(weight) != places.node_count or not (np.isfinite(weight) & (weight >= 0)).all():
            raise places.asset.damaged("column /domains/weight does not fit the nodes")
        if not weight.any():
            return None
        row = np.arange(tables.row_count, dtype=np.int32)
        if tables.standing is not None:
            row = row[tables.standing]
        row = row[tables.location[row].argsort(kind="stable")]
        return row, self._points[row], weight[tables.location[row]]

    def _under_cones(self, points: Float64Array) -> Int32Array:
        """Return (k) int32, the rows whose cones are highest above points; of equals the first."""
        assert self._cones is not None
        row, place, weight = self._cones
        if not len(row):
            raise self._nowhere(0)
        found = np.empty(len(points), dtype=np.int32)
        for first in range(0, len(points), _AT_ONCE):
            mine = points[first : first + _AT_ONCE, None]
            height = weight - np.hypot(mine[..., 0] - place[:, 0], mine[..., 1] - place[:, 1])
            found[first : first + _AT_ONCE] = row[height.argmax(axis=1)]
        return found

    # -- trees ------------------------------------------------------------------------------------

    @cached_property
    def _none(self) -> Candidate:
        from bake.search.point.kd_tree import NONE

        return NONE

    @cached_property
    def _points(self) -> Float64Array:
        """Return (r, 2) float64, where the place of each row lies on its floor."""
        tables, places = self._tables, self._places
        if not places.is_grid:
            assert places.position is not None
            return places.position[tables.location]
        points = tables.cell_of_row.astype(np.float64)
        if places.floor_height is not None:
            points[:, 1] %= places.floor_height
        return points

    @cached_property
    def _point_view(self) -> memoryview[float]:
        return cast("memoryview[float]", view_of(np.ascontiguousarray(self._points)))

    @cached_property
    def _floors(self) -> Int32Array:
        """Return (r) int32, the floor of each row."""
        places = self._places
        if places.floor_height is None:
            return np.zeros(self._tables.row_count, dtype=np.int32)
        return self._tables.location // np.int32(places.width * places.floor_height)

    def _tree(self, floor: int) -> KdTree | None:
        """Return the tree of the rows that were baked on a floor; None where there are none."""
        if self._baked is not None:
            return self._baked._tree(floor)
        if floor not in self._trees:
            from bake.search.point.kd_tree import KdTree

            row = np.flatnonzero(self._floors == floor).astype(np.int32)
            self._trees[floor] = (
                KdTree.of(self._points[row], row, self._tables.location[row]) if len(row) else None
            )
        return self._trees[floor]

    def _packed(self, floor: int) -> PackedTree | None:
        """Return a tree in two arrays; None where there is none."""
        if self._baked is not None:
            return self._baked._packed(floor)
        if floor not in self._packs:
            from bake.search.point.kd_tree import PackedTree

            tree = self._tree(floor)
            self._packs[floor] = None if tree is None else PackedTree.of(tree)
        return self._packs[floor]

    def _view(self, floor: int, tree: KdTree) -> Any:
        """Return a tree of memory views, which plain Python reads several times as fast."""
        keeper = self if self._baked is None else self._baked
        if floor not in keeper._views:
            keeper._views[floor] = type(tree)(*(cast("Any", view_of(each)) for each in tree))
        return keeper._views[floor]

    @cached_property
    def _mask(self) -> Any:
        """Return (r) bool, the rows that can be stood on; without any element all of them can."""
        standing = self._tables.standing
        if standing is None or standing.all():
            return np.empty(0, dtype=np.bool_)
        return standing

    def _opened(self, floor: int) -> Int32Array:
        """Return (k) int32, rows of a floor that opened since the level was baked."""
        standing = self._tables.standing
        if self._baked is None or standing is None:
            return _NO_ROWS
        baked = self._baked._tables.row_count
        opened = baked + np.flatnonzero(standing[baked:])
        here: Int32Array = opened[self._floors[opened] == floor].astype(np.int32)
        return here

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
        profile, standing = self._tables.profile, self._tables.standing
        somewhere = self._tables.row_count if standing is None else int(standing.sum())
        where = f"on floor {floor}" if somewhere else "in this level"
        return QueryError(f"profile {profile!r} can stand nowhere {where}")


_NO_ROWS = np.empty(0, dtype=np.int32)


def are_many(point: object) -> bool:
    """Tell whether an argument is many points, rather than one."""
    if isinstance(point, np.ndarray):
        return point.ndim > 1
    if not isinstance(point, list | tuple) or not len(point):
        return False
    return isinstance(point[0], list | tuple | np.ndarray)


def _point(point: Sequence[float]) -> tuple[float, float]:
    try:
        x, y = map(number_of, () if isinstance(point, bytes) else point)
    except (TypeError, ValueError):
        x = y = math.nan
    if -FARTHEST < x < FARTHEST and -FARTHEST < y < FARTHEST:
        return x, y
    if not (math.isfinite(x) and math.isfinite(y)):
        raise QueryError(f"{quoted(point)} is no point", expected="(x, y), two finite numbers")
    # Squares of larger numbers would overflow; from so far out all places are equally near.
    return min(max(x, -FARTHEST), FARTHEST), min(max(y, -FARTHEST), FARTHEST)
