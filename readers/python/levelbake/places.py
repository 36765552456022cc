"""Places as a game says them, the numbers that tables call them by, and points of the plane.

The middle of cell (x, y) is ``centre + x * east + y * south``. On hexagonal grids the odd rows (or
columns) lie half a step further on in the layouts "odd-r" and "odd-q", and half a step back in
"even-r" and "even-q". A point has one meaning in every method: it is in the units of the
level's source, pixels where an editor drew it; x runs to the east and y to the south. Where the
source states no units, a cell is one unit wide and the level's top left corner is (0, 0).

A square cell is the parallelogram around its middle that both steps span, without its southern and
eastern borders: floor(x / width) on orthogonal maps, and the formula of Tiled's
IsometricRenderer::screenToTileCoords on isometric ones. Among hexagons a point belongs to the
nearest middle, as in HexagonalRenderer::screenToTileCoords: only the hexagons around the side that
it lies beside are looked at, and the first of several equally near ones counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from numbers import Integral, Real
from operator import index
from typing import Any, NamedTuple, NoReturn, SupportsIndex, TypeGuard, TypeVar, cast

import numpy as np

from levelbake import steps
from levelbake.errors import BlockedCellError, OutsideMapError, QueryError, UnknownNodeError, cut
from levelbake.file import File
from levelbake.steps import AnyArray, BoolArray, Float64Array, Int32Array

# -- numbers --------------------------------------------------------------------------------------


def number_of(given: object) -> float:
    """Return a number as a float; NaN where it is none, or too large for one."""
    if type(given) is float:  # Nearly all are, and the question below takes ten times as long.
        return given
    if isinstance(given, bool) or not isinstance(given, Real):
        return math.nan
    try:
        number = float(given)
    except OverflowError:
        return math.nan
    # Long doubles beyond all floats become infinite, which is another number.
    return math.nan if math.isinf(number) and number != given else number


def whole_of(given: object) -> int:
    """Return a whole number from 0 on; -1 where it is none."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        return -1
    return max(-1, int(given))


def floor_of(given: object) -> int:
    """Return the number of a floor, which arrays of points hold as a float.

    Raises:
        TypeError: it is no whole number.
    """
    if isinstance(given, Integral):
        return _integer(given)
    number = number_of(given)
    if not number.is_integer():
        raise TypeError(given)
    return int(number)


def numbers_in(given: object, kinds: str) -> AnyArray | None:
    """Return the numbers of an array, or of sequences in a sequence; None where they are none.

    Objects are converted one by one, as are whole numbers of types that numpy joins to floats.

    Args:
        given: what a game passes.
        kinds: "iu" for whole numbers, "iuf" for any.
    """
    try:
        values = np.asarray(given)
        joined = values.dtype.kind == "f" and "f" not in kinds and values is not given
        if values.dtype.kind == "O" or joined:
            values = _converted(np.asarray(given, dtype=object), kinds)
    except (TypeError, ValueError, OverflowError):
        return None
    return values if values.dtype.kind in kinds else None


def _converted(values: AnyArray, kinds: str) -> AnyArray:
    """Return numbers of any type as int64 or float64; raise a TypeError where one is none."""
    numbers = values.reshape(-1).tolist()
    if "f" not in kinds:
        return np.array([*map(_integer, numbers)], dtype=np.int64).reshape(values.shape)
    if any(isinstance(each, bool) or not isinstance(each, Real) for each in numbers):
        raise TypeError(values)
    return np.array([*map(number_of, numbers)], dtype=np.float64).reshape(values.shape)


def _integer(given: object) -> int:
    if isinstance(given, bool | np.bool_):
        raise TypeError(given)
    return index(cast("SupportsIndex", given))


# -- places ---------------------------------------------------------------------------------------

#: (x, y), or (x, y, floor) on levels of several floors.
Cell = tuple[int, ...]
Name = str | int
Place = Cell | Name

#: A place of the kind that the caller passes, so that `x, y = nav.next_hop(a, b)` type-checks.
PlaceT = TypeVar("PlaceT", tuple[int, int], tuple[int, int, int], Cell, str, int, Cell | Name)
NameT = TypeVar("NameT", str, int, Name)

#: A place whose kind depends on the level alone, which a type checker does not know.
AnyPlace = Any

#: Added to a result that may be None where most callers know that it is not. A type checker then
#: does not insist on a test, and still checks everything else.
MaybeNone = Any


#: How many wrong places of an argument an error names.
# limit: the error counts the rest; tests/play/reader/test_around.py
NAMED = 5

#: Points farther out than this are moved in to it, as squares of larger numbers would overflow.
FARTHEST = 1e15


def form_of(file: File) -> steps.Lattice | None:
    """Return which cells of a grid are neighbours, ledges left out; None on graphs.

    Raises:
        CorruptAssetError: attributes contradict each other.
    """
    kind, layout = file.text("kind"), file.text("hex_layout")
    width, height, around = (file.number(name) or 0 for name in ("width", "height", "connectivity"))
    floor_height, headings = file.number("floor_height"), file.number("headings")
    floors = height / (floor_height or max(1, height))
    fits = (kind == "hex") == (around == 6) == (layout is not None)
    fits &= (kind != "graph") == (around > 0) and headings in (None, around)
    fits &= floor_height is None or (floors > 1 and floors == int(floors))
    fits &= headings is None or headings == floors
    if not fits:
        raise file.damaged(
            "kind, connectivity, hex_layout, floor_height and headings contradict each other"
        )
    if kind == "graph":
        return None
    form = (width, height, around, layout, floor_height, None, headings)
    return steps.Lattice(*cast("tuple[Any, ...]", form))


def lattice_of(file: File) -> steps.Lattice | None:
    """Return which cells of a grid are neighbours, and which ledges bar; None on graphs."""
    lattice = form_of(file)
    if lattice is not None:
        lattice.barred = file.get("/barred")
    return lattice


def rules_of(file: File) -> steps.MovementRules:
    """Return the rules of movement that a file states."""
    corners, costs = cast("Any", file.text("corner_cutting")), cast("Any", file.text("cost_rule"))
    return steps.MovementRules(corners, costs, file.number("ticks_per_unit") or 0)


class Places:
    """The places of a level; its profiles share them.

    A *location* is the number of a place whether or not anybody can stand there: on grid levels a
    cell, counted in reading order (y * width + x), on graph levels a node. Several floors lie below
    one another in one grid, the lowest floor first; tables do not know floors.

    Attributes:
        name: the level's name.
        where: how errors name the level.
        width, height: how many cells the whole grid has in each direction; 0 for graph levels.
        floor_height: how many cells high each of several floors is; None = one floor.
        rows: how many cells high each floor is.
        floors: how many floors there are.
        dimensions: how many numbers make a cell: 2, or 3 on levels of several floors.
        headings: how many ways an agent can face, each of them a floor; None = nobody faces any.
        is_grid: whether places are cells (x, y); otherwise they are node names.
        hex_layout: odd-r, even-r, odd-q, even-q; None on other levels.
        ticks_per_unit: ticks in one unit of cost.
    """

    def __init__(self, file: File) -> None:
        """Read what kind of level it is.

        Raises:
            CorruptAssetError: attributes contradict each other.
        """
        self.file = file
        self.name, self.where = file.name, f"level {file.name!r}"
        found = form_of(file)
        self.is_grid, form = found is not None, found or steps.Lattice(0, 0)
        self.width, self.height, self.hex_layout = form.width, form.height, form.hex_layout
        self.floor_height, self.headings = form.floor_height, form.headings
        if self.is_grid:
            # The file compares the grid with its width and height.
            file.shape("/ground" if file.has("/ground") else "/terrain")
        self.rows = self.floor_height or self.height
        self.floors = 1 if self.floor_height is None else self.height // self.floor_height
        self.dimensions = 2 if self.floor_height is None else 3
        self.ticks_per_unit = file.number("ticks_per_unit") or 0

    # -- names ------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Return the node names of a graph level, as its source wrote them."""
        numbers = self.file.get("/node_number")
        return tuple(self.file.texts("/node_name") if numbers is None else numbers.tolist())

    @cached_property
    def terrains(self) -> tuple[str, ...]:
        """Return the names of the terrains by code."""
        return tuple(self.file.texts("/terrain_name"))

    @cached_property
    def _node_of_name(self) -> Mapping[Name, int]:
        return {name: node for node, name in enumerate(self.names)}

    @cached_property
    def position(self) -> Float64Array | None:
        """Return (n, 2) float64, positions of a graph's nodes; None where the source gave none."""
        found = self.file.get("/position")
        return None if found is None else found.astype(np.float64)  # as memoryviews know it

    def known_position(self) -> Float64Array:
        """Return :attr:`position`, or raise a QueryError where the source gave none."""
        if self.position is None:
            found, remedy = "the nodes of this graph have no positions", "give its nodes x and y"
            raise QueryError(found, place=self.where, remedy=remedy)
        return self.position

    @cached_property
    def plane(self) -> Points:
        """Return the points of the level."""
        return Points(self)

    def node_named(self, name: object) -> int | None:
        """Return the node of a name, None where there is none. True and 1.0 are not the name 1."""
        if isinstance(name, str):
            return self._node_of_name.get(name)
        with suppress(TypeError):
            if not isinstance(name, bool):
                return self._node_of_name.get(index(cast("SupportsIndex", name)))
        return None

    def name_from(self, text: str) -> Name:
        """Return a node's name from text; it is a number where the source has numbers."""
        name: Name = text
        if self.file.has("/node_number") and text.lstrip("-").isdecimal():
            with suppress(ValueError):
                name = int(text)
        if self.node_named(name) is None:
            raise UnknownNodeError(f"no node is named {quoted(text)}", place=self.where)
        return name

    # -- places as a game says them ---------------------------------------------------------------

    def place_at(self, location: int) -> Place:
        """Return the cell or name at a location."""
        if not self.is_grid:
            return self.names[location]
        y, x = divmod(location, self.width)
        if self.floor_height is None:
            return (x, y)
        return (x, y % self.floor_height, y // self.floor_height)

    def cells_of(self, location: Int32Array) -> Int32Array:
        """Return (k, 2) int32 cells (x, y) of the whole grid at some locations."""
        y, x = np.divmod(location, np.int32(max(1, self.width)))
        return np.stack([x, y], axis=1)

    def with_floor(self, cell: Int32Array) -> Int32Array:
        """Return cells of the whole grid as games know them.

        Args:
            cell: (k, 2) int32 (x, y).

        Returns:
            The same cells, or (k, 3) int32 (x, y, floor) on levels of several floors.
        """
        if self.floor_height is None:
            return cell
        floor, y = np.divmod(cell[:, 1], np.int32(self.floor_height))
        return np.stack([cell[:, 0], y, floor], axis=1)

    def places_of(self, location: Int32Array) -> AnyArray:
        """Return the places at some locations as games know them.

        Returns:
            (k, 2) int32 cells, (k, 3) on levels of several floors; (k,) object names on graphs.
        """
        if self.is_grid:
            return self.with_floor(self.cells_of(location))
        names = np.empty(len(location), dtype=object)
        names[:] = [self.names[node] for node in location.tolist()]
        return names

    def location(self, place: Place) -> int:
        """Return the location of a place that a game says.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            QueryError: the cell is made of another number of integers.
        """
        if not self.is_grid:
            node = self.node_named(place)
            if node is None:
                raise UnknownNodeError(f"no node is named {quoted(place)}", place=self.where)
            return node
        several, rows = self.floor_height is not None, self.rows
        try:
            if several:
                x, y, floor = map(index, place)  # type: ignore[arg-type]
            else:
                (x, y), floor = map(index, place), 0  # type: ignore[arg-type]
        except (TypeError, ValueError):
            expected = "(x, y, floor), three integers" if several else "(x, y), two integers"
            raise QueryError(f"{quoted(place)} is no cell", expected=expected) from None
        if not (0 <= x < self.width and 0 <= y < rows and 0 <= floor < self.floors):
            found = f"cell {quoted((x, y, floor)[: self.dimensions])} lies outside the level"
            expected = f"x from 0 to {self.width - 1}, y from 0 to {rows - 1}"
            expected += f", floor from 0 to {self.floors - 1}" * several
            raise OutsideMapError(found, place=self.where, expected=expected)
        return (y + floor * rows) * self.width + x

    def locations(self, places: object, what: str) -> Int32Array:
        """Return (m) int32, the locations of many places that a game says; -1 for no such place.

        Args:
            places: (m, 2) or (m, 3) integers on grid levels, (m,) names on graph levels.
            what: how errors name the places.

        Raises:
            QueryError: the array is of another kind.
        """
        if not self.is_grid:
            names = np.asarray(places, dtype=object)
            if names.ndim != 1:
                raise QueryError(f"{what} has {names.ndim} dimensions", expected="names [m]")
            nodes = [self.node_named(name) for name in names]
            return np.array([-1 if node is None else node for node in nodes], dtype=np.int32)
        cells = numbers_in(places, "iu")
        if cells is None or cells.ndim != 2 or cells.shape[1] != self.dimensions:
            return self._no_cells(places, what)
        outside = np.zeros(len(cells), dtype=np.bool_)
        for number, limit in zip(cells.T, (self.width, self.rows, self.floors), strict=False):
            outside |= (number < 0) | (number >= limit)
        x, y, *floor = (number.astype(np.int32, copy=False) for number in cells.T)
        for below in floor:
            y = y + below * np.int32(self.rows)
        found: Int32Array = y * np.int32(self.width) + x
        found[outside] = -1
        return found

    def _no_cells(self, places: object, what: str) -> Int32Array:
        """Return no locations where there are no places; raise an error for anything else."""
        expected = f"integers [m, {self.dimensions}]"
        try:
            cells = np.asarray(places)
        except (TypeError, ValueError, OverflowError):
            raise QueryError(f"{what} is no array", expected=expected) from None
        if cells.size == 0:
            return np.empty(0, dtype=np.int32)
        raise QueryError(f"{what} is {cells.dtype}{list(cells.shape)}", expected=expected)

    def listed(self, places: object) -> list[Any]:
        """Return places given as an array as a game says them one by one."""
        if not self.is_grid:
            return list(np.asarray(places, dtype=object))
        return [tuple(cell) for cell in np.asarray(places).tolist()]

    def as_many(self, places: object) -> tuple[bool, Any]:
        """Return whether an argument is a single place, and the argument as a list of places."""
        if isinstance(places, np.ndarray) and places.ndim == 0:
            places = places.item()
        if isinstance(places, np.ndarray) and not self.is_grid:
            one = False  # Arrays have __index__, whatever they hold.
        elif self.is_grid:
            one = isinstance(places, Sequence | np.ndarray) and len(places) > 0
            one = one and not isinstance(cast("Any", places)[0], Sequence | np.ndarray)
        else:
            one = isinstance(places, str | SupportsIndex)
        return one, [places] if one else places

    def is_bare(self, place: object) -> bool:
        """Tell whether a place is a cell without a heading, on a level whose agents face some."""
        if self.headings is None or not isinstance(place, tuple | list | np.ndarray):
            return False
        return np.shape(place) == (2,) if isinstance(place, np.ndarray) else len(place) == 2

    def every(self, place: object) -> list[Place]:
        """Return the places that one means: a cell alone is the cell in every heading."""
        if not self.is_bare(place):
            return [cast("Place", place)]
        return [(*cast("Cell", place), heading) for heading in range(self.headings or 0)]

    def blocked(self, profile: str, place: object, how: str = "stand on") -> BlockedCellError:
        """Return the error for a place on which a profile cannot stand, or for a point."""
        remedy = "nearest() gives a place it can stand on"
        found = f"profile {profile!r} cannot {how} {place!r}"
        return BlockedCellError(found, place=self.where, remedy=remedy)

    def point(self, given: Sequence[float]) -> tuple[float, float, int]:
        """Return x and y of a point, and its floor.

        Points farther out than FARTHEST are moved in to it: from there all places are as near.

        Args:
            given: (x, y), on levels of several floors (x, y, floor).

        Raises:
            QueryError: it is no point, or there is no such floor.
        """
        several = self.floor_height is not None
        try:
            x, y, number = given if several else (*given, 0)
            x, y, floor = number_of(x), number_of(y), floor_of(number)
        except (TypeError, ValueError):
            x = y = math.nan
        if isinstance(given, bytes) or not (math.isfinite(x) and math.isfinite(y)):
            expected = "(x, y, floor), two finite numbers and an integer"
            expected = expected if several else "(x, y), two finite numbers"
            raise QueryError(f"{quoted(given)} is no point", expected=expected)
        if floor and not 0 <= floor < self.floors:
            raise self.no_floor(floor)
        if max(x, -x, y, -y) < FARTHEST:
            return x, y, floor
        return min(max(x, -FARTHEST), FARTHEST), min(max(y, -FARTHEST), FARTHEST), floor

    def split_height(self, given: Sequence[float]) -> tuple[Sequence[float], float | None]:
        """Return (x, y) and z of a point in space; a point of the plane has no z.

        Raises:
            QueryError: z is no finite number.
        """
        if isinstance(given, str | bytes) or not hasattr(given, "__len__") or len(given) != 3:
            return given, None
        x, y, height = given
        z = number_of(height)
        if not math.isfinite(z):
            expected = "(x, y) or (x, y, z), finite numbers"
            raise QueryError(f"{quoted(given)} is no point", expected=expected)
        return (x, y), min(max(z, -FARTHEST), FARTHEST)

    def no_floor(self, floor: object) -> OutsideMapError:
        """Return the error for a floor that the level does not have."""
        found, expected = f"there is no floor {quoted(floor)}", f"floor from 0 to {self.floors - 1}"
        return OutsideMapError(found, place=self.where, expected=expected)


def drawn_at(file: File, points: Float64Array) -> tuple[Int32Array, BoolArray]:
    """Look in which domains drawn by hand points lie, (m, 2) units.

    Returns:
        (k) int32, the nodes with such domains, and (m, k) bool, whether the points lie in them.
    """
    node = file.read("/domain_node")
    ax, ay = np.moveaxis(file.read("/domain_corner") - np.rint(points * 1024)[:, None], -1, 0)
    bx, by = np.roll(ax, -1, axis=1), np.roll(ay, -1, axis=1)
    crossed = ((ay > 0) != (by > 0)) & ((ax * by - ay * bx > 0) == (by > 0))
    ring = np.flatnonzero(np.diff(node, prepend=-1))
    inside = np.logical_xor.reduceat(crossed & (node == np.roll(node, -1)), ring, axis=1)
    return node[ring], inside


def numbered(what: str, wrong: list[int]) -> str:
    """Return the first few wrong places of an argument by their numbers."""
    more = f" and {len(wrong) - NAMED:,} more" if len(wrong) > NAMED else ""
    return f"{what}[{', '.join(map(str, wrong[:NAMED]))}]{more}"


def quoted(what: object) -> str:
    """Return a wrong argument as one short line."""
    try:
        return cut(" ".join(repr(what).split()), 60)
    except ValueError:  # Python writes no number of more than 4,300 digits.
        return "a number of very many digits"


# -- where cells lie in the plane -----------------------------------------------------------------

Point = tuple[float, float]
N = TypeVar("N", float, Float64Array)

#: The largest number that says where a level lies, and the largest size of a cell.
MAX_PLACE = 2.0**42
MAX_CELL = 2.0**21
#: How many times the size of a cell the farthest point of a level may lie from the origin: beyond
#: this, neighbouring cells could no longer be told apart.
_FARTHEST = 2.0**48


class Coordinates(NamedTuple):
    """Where the cells of a grid lie.

    Attributes:
        centres: middle of cell (0, 0): one point for all floors, or one for each.
        east, south: from the middle of a cell to that of the next column, and of the next row.
        side: of a hexagon, the length of the two sides that run across the lines; else 0.
    """

    centres: tuple[Point, ...]
    east: Point
    south: Point
    side: float = 0.0

    def points(
        self, cells: AnyArray, floor: AnyArray, layout: steps.HexLayout | None
    ) -> Float64Array:
        """Return the middles of cells.

        Args:
            cells: (n, 2) integers x, y on their floor; they may lie outside the level.
            floor: (n) integers from 0.
            layout: of a hexagonal grid.

        Returns:
            (n, 2) float64.
        """
        x, y = cells.T.astype(np.float64)
        if layout is not None and steps.in_rows(layout):
            x += _shift(y, layout)
        elif layout is not None:
            y += _shift(x, layout)
        left, top = self._centre(floor).T
        return np.stack(self.middle(left, top, x, y), axis=1)

    def cells(
        self, points: Float64Array, floor: AnyArray, layout: steps.HexLayout | None
    ) -> Float64Array:
        """Return the cells that points lie in, whether or not the level has them.

        Args:
            points: (n, 2) float64, finite.
            floor: (n) integers from 0.
            layout: of a hexagonal grid.

        Returns:
            (n, 2) float64 whole numbers x, y.
        """
        centre = self._centre(floor)
        if layout is not None:
            return self._hexagons(points - centre, layout)
        (left, top), (x, y) = centre.T, points.T
        found: Float64Array = np.floor(np.stack(self.square(left, top, x, y), axis=1))
        return found

    def middle(self, left: N, top: N, x: N, y: N) -> tuple[N, N]:
        """Return the middle of the cell that is x and y steps from that with middle (left, top)."""
        (ax, ay), (bx, by) = self.east, self.south
        return left + x * ax + y * bx, top + x * ay + y * by

    def square(self, left: N, top: N, x: N, y: N) -> tuple[N, N]:
        """Return the square cell that x and y lie in, not rounded down: see :meth:`middle`."""
        (ax, ay), (bx, by) = self.east, self.south
        x, y = x - (left - (ax + bx) / 2), y - (top - (ay + by) / 2)
        if ay == bx == 0:
            return x / ax, y / by
        area = ax * by - ay * bx
        return (x * by - y * bx) / area, (y * ax - x * ay) / area

    def problem(self, width: int, height: int, layout: steps.HexLayout | None) -> str | None:
        """Say why these cannot be the coordinates of a grid of this size; None where they can."""
        if not np.isfinite([*self.east, *self.south, self.side, *np.ravel(self.centres)]).all():
            return "the coordinates are not finite"
        (ax, ay), (bx, by) = self.east, self.south
        area = ax * by - ay * bx
        if min(ax, by, area) <= 0 or (layout is not None and not (ay == bx == 0)):
            return "the cells have no area, or do not run to the east and south"
        apart = 0.0 if layout is None else by if steps.in_rows(layout) else ax
        if not 0 <= self.side <= apart:
            return "the sides of cells are longer than the cells"
        across, down = math.hypot(ax, ay), math.hypot(bx, by)
        far = float(np.abs(self.centres).max())
        if max(across, down) > MAX_CELL or far > MAX_PLACE:
            return "the cells are too large, or too far from the origin"
        if far + width * across + height * down > _FARTHEST * area / max(across, down):
            return "the cells are too small to be told apart so far from the origin"
        return None

    def _centre(self, floor: AnyArray) -> Float64Array:
        """Return (n, 2) float64, the middle of cell (0, 0) of each floor."""
        centres = np.array(self.centres, dtype=np.float64)
        return centres[floor if len(centres) > 1 else np.zeros_like(floor)]

    def _hexagons(self, offsets: Float64Array, layout: steps.HexLayout) -> Float64Array:
        """Return the hexagons of points, from offsets to the middle of cell (0, 0)."""
        line = 1 if steps.in_rows(layout) else 0
        pitch, step = (self.south[1], self.east[0]) if line else (self.east[0], self.south[1])
        across, along = offsets[:, line], offsets[:, 1 - line]
        # The lines that are not shifted: the even ones, or the odd ones.
        plain = 1 - steps.shoved_parity(layout)
        first = 2 * np.floor((across - plain * pitch + self.side / 2) / (2 * pitch)) + plain
        place = np.floor(along / step + 0.5 * plain + 0.5)
        around = [(first, place), (first + 1, place - 1), (first + 1, place), (first + 2, place)]
        far = [
            (across - own * pitch) ** 2 + (along - (each + _shift(own, layout)) * step) ** 2
            for own, each in around
        ]
        nearest = np.argmin(far, axis=0)
        found = np.empty_like(offsets)
        found[:, line] = np.choose(nearest, [own for own, _ in around])
        found[:, 1 - line] = np.choose(nearest, [each for _, each in around])
        return found


def _shift(line: Float64Array, layout: steps.HexLayout) -> Float64Array:
    """Return by how many steps the cells of a line are shifted against those of line 0."""
    half = 0.5 if steps.shoved_parity(layout) else -0.5
    shift: Float64Array = half * (line % 2)
    return shift


def _one_unit(layout: steps.HexLayout | None) -> Coordinates:
    """Return coordinates of cells one unit wide; the top left corner of the grid is (0, 0)."""
    if layout is None:
        return Coordinates(((0.5, 0.5),), (1.0, 0.0), (0.0, 1.0))
    # The corners of a hexagon reach a quarter of its length into the lines beside its own.
    side, shifted = 1 / math.sqrt(3), 0.5 if steps.shoved_parity(layout) else 1.0
    if steps.in_rows(layout):
        return Coordinates(((shifted, side),), (1.0, 0.0), (0.0, 1.5 * side), side)
    return Coordinates(((side, shifted),), (1.5 * side, 0.0), (0.0, 1.0), side)


# -- points ---------------------------------------------------------------------------------------

#: Cells are counted in 32 bits.
_MOST = 2.0**31
#: Whole numbers up to this one are floats, too.
_PLAIN = 2.0**53


class Points:
    """The points of one level.

    Each method takes one place, as a tuple or list of numbers, or many as an array with a row for
    each, and answers in kind.
    """

    def __init__(self, places: Places) -> None:
        self._places = places

    @cached_property
    def are_stated(self) -> bool:
        """Tell whether the level's source says where its cells lie.

        Otherwise a cell is one unit wide, and the top left corner of the level is (0, 0).
        """
        return self._places.file.has("/centre")

    @cached_property
    def coordinates(self) -> Coordinates:
        """Return where the level's cells lie.

        Raises:
            QueryError: the level is a graph.
        """
        places = self._places
        if not places.is_grid:
            remedy = "to_point() gives where a node lies, and nearest() the node near a point"
            raise QueryError("a graph has no cells", place=places.where, remedy=remedy)
        if not self.are_stated:
            return _one_unit(places.hex_layout)
        centre, step = places.file.read("/centre"), places.file.read("/step")
        if len(centre) not in (1, places.floors):
            raise places.file.damaged(f"centre has {len(centre)} floors of {places.floors}")
        if len(step) != (2 if places.hex_layout is None else 3):
            raise places.file.damaged(f"step has {len(step)} rows")
        centres = tuple((x, y) for x, y in centre.tolist())
        east, south = ((x, y) for x, y in step[:2].tolist())
        found = Coordinates(centres, east, south, float(step[2:].sum()))
        rows = places.rows
        if problem := found.problem(places.width, rows, places.hex_layout):
            raise places.file.damaged(problem)
        return found

    def cells(self, points: object) -> Cell | Int32Array:
        """Return the cells that points lie in: (n, 2) or (n, 3) int32, for one point a tuple.

        Raises:
            QueryError: the level is a graph, there is no such floor, or something is no point.
        """
        coordinates, layout = self.coordinates, self._places.hex_layout
        if self._are_plain(points, (int, float)):
            (left, top), (at_x, at_y) = coordinates.centres[0], points
            x, y = coordinates.square(left, top, at_x, at_y)
            if abs(x) < _MOST - 1 and abs(y) < _MOST - 1:
                return math.floor(x), math.floor(y)
        given, is_one = self._rows(points, "point", "iuf")
        floor = self._floors(given)
        with np.errstate(invalid="ignore", over="ignore"):
            found = coordinates.cells(given[:, :2].astype(np.float64), floor, layout)
            near = (np.abs(found) < _MOST).all(axis=1)
        if not near.all():
            self._refuse(given[int(near.argmin())], "point", "finite numbers near the level")
        cells = np.column_stack([found, floor])[:, : given.shape[1]].astype(np.int32)
        return tuple(cells[0].tolist()) if is_one else cells

    def points(self, cells: object) -> tuple[float, ...] | Float64Array:
        """Return the middles of cells: (n, 2) or (n, 3) float64, for one cell a tuple.

        On graphs it returns the positions of nodes, for names instead of cells.

        Raises:
            QueryError: there is no such floor or node, something is no cell, or the graph has no
                positions.
        """
        if not self._places.is_grid:
            return self._positions(cells)
        if self._are_plain(cells, (int,)):
            (left, top), (x, y) = self.coordinates.centres[0], cells
            return self.coordinates.middle(left, top, x, y)
        given, is_one = self._rows(cells, "cell", "iu")
        floor = self._floors(given)
        found = self.coordinates.points(given[:, :2], floor, self._places.hex_layout)
        if is_one:
            return (*found[0].tolist(), *given[0, 2:].tolist())
        return np.column_stack([found, floor])[:, : given.shape[1]]

    def location_at(self, x: float, y: float, floor: int) -> int:
        """Return the location of the cell that a point of a grid lies in; -1 outside the level."""
        places, coordinates = self._places, self.coordinates
        if places.hex_layout is not None:
            point = np.array([(x, y)])
            return int(self.locations_at(point, np.array([floor]))[0])
        left, top = coordinates.centres[floor if len(coordinates.centres) > 1 else 0]
        column, line = coordinates.square(left, top, x, y)
        if not (0 <= column < places.width and 0 <= line < places.rows):
            return -1
        return (math.floor(line) + floor * places.rows) * places.width + math.floor(column)

    def locations_at(self, points: Float64Array, floor: AnyArray) -> Int32Array:
        """Return (k) int32, the location of the cell that each point of a grid lies in; else -1.

        Args:
            points: (k, 2) finite numbers.
            floor: (k) integers from 0.
        """
        places = self._places
        with np.errstate(invalid="ignore", over="ignore"):
            column, line = self.coordinates.cells(points, floor, places.hex_layout).T
        there = (column >= 0) & (column < places.width) & (line >= 0) & (line < places.rows)
        found = np.full(len(points), -1, dtype=np.int32)
        row = line[there].astype(np.int32) + floor[there].astype(np.int32) * np.int32(places.rows)
        found[there] = row * np.int32(places.width) + column[there].astype(np.int32)
        return found

    @cached_property
    def scale(self) -> tuple[float, float]:
        """Return the lengths that a column and a line count for in distances between cells.

        Squares count 1, so that an isometric map is measured as the level and not as the picture of
        it. Hexagons count as they lie in the plane.
        """
        if self._places.hex_layout is None:
            return 1.0, 1.0
        return self.coordinates.east[0], self.coordinates.south[1]

    def columns_and_lines(self, points: Float64Array, floor: AnyArray) -> Float64Array:
        """Return how many columns and lines points are from the middle of cell (0, 0).

        Args:
            points: (k, 2) finite numbers.
            floor: (k) integers from 0.

        Returns:
            (k, 2) float64, no farther out than FARTHEST.
        """
        coordinates = self.coordinates
        (left, top), (x, y) = coordinates._centre(floor).T, points.T
        with np.errstate(invalid="ignore", over="ignore"):
            if self._places.hex_layout is None:
                found = np.stack(coordinates.square(left, top, x, y), axis=1) - 0.5
            else:
                found = np.stack([x - left, y - top], axis=1) / self.scale
        return np.clip(found, -FARTHEST, FARTHEST)

    def middles(self, location: AnyArray) -> Float64Array:
        """Return (k, 2) float64, the columns and lines of cells on their floor, with shifts."""
        places = self._places
        row, column = np.divmod(location, places.width)
        found = np.stack([column, row % places.rows], axis=1).astype(np.float64)
        if (layout := places.hex_layout) is not None:
            line = 1 if steps.in_rows(layout) else 0
            found[:, 1 - line] += _shift(found[:, line], layout)
        return found

    def inside(self, cells: object) -> bool | BoolArray:
        """Tell which cells the level has: (n) bool, for one cell a bool.

        Raises:
            QueryError: the level is a graph, or something is no cell.
        """
        places = self._places
        if not places.is_grid:
            raise QueryError("a graph has no cells", place=places.where)
        given, is_one = self._rows(cells, "cell", "iu")
        sizes = [places.width, places.rows, places.floors]
        found = np.all((given >= 0) & (given < sizes[: given.shape[1]]), axis=1)
        return bool(found[0]) if is_one else found

    def _are_plain(self, what: object, kinds: tuple[type, ...]) -> TypeGuard[tuple[int, int]]:
        """Tell whether two numbers on a plain grid need no arrays, which take far longer."""
        return (
            type(what) is tuple
            and len(what) == 2
            and type(what[0]) in kinds
            and type(what[1]) in kinds
            and max(abs(what[0]), abs(what[1])) < _PLAIN
            and self._places.hex_layout is None
            and self._places.dimensions == 2
        )

    def _positions(self, names: object) -> tuple[float, ...] | Float64Array:
        places, position = self._places, self._places.known_position()
        if isinstance(names, list | tuple | np.ndarray):
            return position[np.array([*map(places.location, names)], dtype=np.int64)]
        x, y = position[places.location(cast("Place", names))].tolist()
        return x, y

    def _rows(self, what: object, noun: str, kinds: str) -> tuple[AnyArray, bool]:
        """Return (n, 2) or (n, 3) numbers, and whether they came as one place."""
        given = numbers_in(what, kinds)
        rows = given[np.newaxis] if given is not None and given.ndim == 1 else given
        if rows is None or rows.ndim != 2 or rows.shape[1] != self._places.dimensions:
            self._refuse(what, noun, "two integers" if noun == "cell" else "two numbers")
        return rows, rows is not given

    def _floors(self, given: AnyArray) -> AnyArray:
        """Return (n) int64, the floor of each row; 0 where the level has one floor."""
        if given.shape[1] == 2:
            return np.zeros(len(given), dtype=np.int64)
        floors = self._places.floors
        last = given[:, 2]
        known = (last >= 0) & (last < floors) & (last == np.floor(last))
        if not known.all():
            raise self._places.no_floor(last[int(known.argmin())].item())
        return last.astype(np.int64)

    def _refuse(self, what: object, noun: str, expected: str) -> NoReturn:
        one = tuple(what.tolist()) if isinstance(what, np.ndarray) and what.ndim == 1 else what
        form = "(x, y, floor)" if self._places.dimensions == 3 else "(x, y)"
        expected = f"{form}, {expected}, or an array of them"
        raise QueryError(f"{quoted(one)} is no {noun}", place=self._places.where, expected=expected)
