"""Conversion between places, the locations that index tables, and points of the plane.

The center of cell (x, y) is ``centre + x * east + y * south``. On hexagonal grids, the odd rows (or
columns) are shifted half a step forward in the layouts "odd-r" and "odd-q", and half a step back in
"even-r" and "even-q". Points are in the units of the level's source, such as pixels of an editor;
x runs to the east and y to the south. If the source has no units, a cell is one unit wide and the
top left corner of the level is (0, 0).

A square cell is the parallelogram spanned by both steps around its center, without its southern and
eastern borders: floor(x / width) on orthogonal maps, and the formula of Tiled's
IsometricRenderer::screenToTileCoords on isometric ones. On hexagonal grids a point belongs to the
nearest center, as in HexagonalRenderer::screenToTileCoords: only the hexagons next to the point's
side are compared, and ties go to the first.
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
    """Return an argument as a float; NaN if the argument is not a number or overflows a float."""
    if type(given) is float:  # The common case; the check below takes ten times as long.
        return given
    if isinstance(given, bool) or not isinstance(given, Real):
        return math.nan
    try:
        number = float(given)
    except OverflowError:
        return math.nan
    # A long double beyond the range of floats becomes infinite, which is a different number.
    return math.nan if math.isinf(number) and number != given else number


def whole_of(given: object) -> int:
    """Return an argument as a nonnegative int; -1 if the argument is not one."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        return -1
    return max(-1, int(given))


def floor_of(given: object) -> int:
    """Return a floor number as an int; arrays of points store floors as floats.

    Raises:
        TypeError: the argument is not a whole number.
    """
    if isinstance(given, Integral):
        return _integer(given)
    number = number_of(given)
    if not number.is_integer():
        raise TypeError(given)
    return int(number)


def numbers_in(given: object, kinds: str) -> AnyArray | None:
    """Return an argument as a numeric array; None if an element is not a number.

    Elements of an object array are converted one by one, as are mixed integer types that numpy
    would promote to floats.

    Args:
        given: an array, or nested sequences.
        kinds: allowed kinds of dtype: "iu" for integers, "iuf" for any number.
    """
    try:
        values = np.asarray(given)
        is_promoted = values.dtype.kind == "f" and "f" not in kinds and values is not given
        if values.dtype.kind == "O" or is_promoted:
            values = _convert_objects(np.asarray(given, dtype=object), kinds)
    except (TypeError, ValueError, OverflowError):
        return None
    return values if values.dtype.kind in kinds else None


def _convert_objects(values: AnyArray, kinds: str) -> AnyArray:
    """Convert an object array to int64 or float64; raise a TypeError on any other element."""
    numbers = values.reshape(-1).tolist()
    if "f" not in kinds:
        return np.array([*map(_integer, numbers)], dtype=np.int64).reshape(values.shape)
    if any(isinstance(number, bool) or not isinstance(number, Real) for number in numbers):
        raise TypeError(values)
    return np.array([*map(number_of, numbers)], dtype=np.float64).reshape(values.shape)


def _integer(given: object) -> int:
    if isinstance(given, bool | np.bool_):
        raise TypeError(given)
    return index(cast("SupportsIndex", given))


# -- places ---------------------------------------------------------------------------------------

#: (x, y), or (x, y, floor) on levels with two or more floors.
Cell = tuple[int, ...]
Name = str | int
Place = Cell | Name

#: A place of the same type as the argument, so that `x, y = nav.next_hop(a, b)` type-checks.
PlaceT = TypeVar("PlaceT", tuple[int, int], tuple[int, int, int], Cell, str, int, Cell | Name)
NameT = TypeVar("NameT", str, int, Name)

#: A place whose type depends on the level, which a type checker cannot know.
AnyPlace = Any

#: Part of the type of a result that may be None, although most callers know that it is not. Type
#: checkers then accept the result without a test for None.
MaybeNone = Any


#: The number of wrong places that an error lists.
# limit: the error counts the rest; tests/play/reader/test_around.py
NAMED = 5

#: Coordinates are clamped to this, because squares of larger numbers could overflow.
FARTHEST = 1e15


def form_of(file: File) -> steps.Lattice | None:
    """Build the lattice of a grid from a file's attributes, without ledges; None on graphs.

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
    """Build the lattice of a grid, with the ledges stored in the file; None on graphs."""
    lattice = form_of(file)
    if lattice is not None:
        lattice.barred = file.get("/barred")
    return lattice


def rules_of(file: File) -> steps.MovementRules:
    """Return the movement rules stored in a file."""
    corners, costs = cast("Any", file.text("corner_cutting")), cast("Any", file.text("cost_rule"))
    return steps.MovementRules(corners, costs, file.number("ticks_per_unit") or 0)


class Places:
    """The places of a level, shared by its profiles.

    A *location* is the number of a place, walkable or not: on grid levels a cell in reading order
    (y * width + x), on graph levels a node. Floors are stacked in one grid from north to south, the
    lowest floor first; tables do not distinguish floors.
    """

    def __init__(self, file: File) -> None:
        """Read the kind and size of a level from an open file.

        Raises:
            CorruptAssetError: attributes contradict each other.
        """
        self.file = file
        #: name of the level
        self.name = file.name
        #: name of the level in errors
        self.where = f"level {file.name!r}"
        lattice = form_of(file)
        #: whether places are cells; otherwise they are node names
        self.is_grid = lattice is not None
        lattice = lattice or steps.Lattice(0, 0)
        #: columns and rows of the whole grid, in cells; 0 for graph levels
        self.width, self.height = lattice.width, lattice.height
        #: odd-r, even-r, odd-q, even-q; None on other levels
        self.hex_layout = lattice.hex_layout
        #: rows of each floor; None = one floor
        self.floor_height = lattice.floor_height
        #: number of directions that an agent can face, each stored as a floor; None = no headings
        self.headings = lattice.headings
        if self.is_grid:
            # The file compares the grid with its width and height.
            file.shape("/ground" if file.has("/ground") else "/terrain")
        #: rows of each floor
        self.rows = self.floor_height or self.height
        #: number of floors
        self.floors = 1 if self.floor_height is None else self.height // self.floor_height
        #: length of a cell tuple: 2, or 3 with two or more floors
        self.dimensions = 2 if self.floor_height is None else 3
        #: ticks in one unit of cost
        self.ticks_per_unit = file.number("ticks_per_unit") or 0

    # -- names ------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Return the node names of a graph level: int or str, as in the level's source."""
        numbers = self.file.get("/node_number")
        return tuple(self.file.texts("/node_name") if numbers is None else numbers.tolist())

    @cached_property
    def terrains(self) -> tuple[str, ...]:
        """Return the terrain names, indexed by terrain code."""
        return tuple(self.file.texts("/terrain_name"))

    @cached_property
    def _node_of_name(self) -> Mapping[Name, int]:
        return {name: node for node, name in enumerate(self.names)}

    @cached_property
    def position(self) -> Float64Array | None:
        """Return (n, 2) float64, the positions of a graph's nodes; None if the graph has none."""
        position = self.file.get("/position")
        # Memoryviews need the native byte order.
        return None if position is None else position.astype(np.float64)

    def known_position(self) -> Float64Array:
        """Return :attr:`position`; raise a QueryError if the graph has none."""
        if self.position is None:
            found, remedy = "the nodes of this graph have no positions", "give its nodes x and y"
            raise QueryError(found, place=self.where, remedy=remedy)
        return self.position

    @cached_property
    def plane(self) -> Points:
        """Return the converter between cells and points."""
        return Points(self)

    def node_named(self, name: object) -> int | None:
        """Return the node with a name; None if no node has it. True and 1.0 are not the name 1."""
        if isinstance(name, str):
            return self._node_of_name.get(name)
        with suppress(TypeError):
            if not isinstance(name, bool):
                return self._node_of_name.get(index(cast("SupportsIndex", name)))
        return None

    def name_from(self, text: str) -> Name:
        """Parse a node name; the name is an int if the level's source numbers its nodes."""
        name: Name = text
        if self.file.has("/node_number") and text.lstrip("-").isdecimal():
            with suppress(ValueError):
                name = int(text)
        if self.node_named(name) is None:
            raise UnknownNodeError(f"no node is named {quoted(text)}", place=self.where)
        return name

    # -- places as games write them ---------------------------------------------------------------

    def place_at(self, location: int) -> Place:
        """Return the cell or name at a location."""
        if not self.is_grid:
            return self.names[location]
        y, x = divmod(location, self.width)
        if self.floor_height is None:
            return (x, y)
        return (x, y % self.floor_height, y // self.floor_height)

    def cells_of(self, location: Int32Array) -> Int32Array:
        """Return (k, 2) int32, the cells (x, y) of the whole grid at k locations."""
        y, x = np.divmod(location, np.int32(max(1, self.width)))
        return np.stack([x, y], axis=1)

    def with_floor(self, cell: Int32Array) -> Int32Array:
        """Convert cells of the whole grid to cells of their floors.

        Args:
            cell: (k, 2) int32 (x, y).

        Returns:
            The same cells, or (k, 3) int32 (x, y, floor) with two or more floors.
        """
        if self.floor_height is None:
            return cell
        floor, y = np.divmod(cell[:, 1], np.int32(self.floor_height))
        return np.stack([cell[:, 0], y, floor], axis=1)

    def places_of(self, location: Int32Array) -> AnyArray:
        """Return the places at k locations.

        Returns:
            (k, 2) int32 cells, (k, 3) with two or more floors; (k,) object names on graphs.
        """
        if self.is_grid:
            return self.with_floor(self.cells_of(location))
        names = np.empty(len(location), dtype=object)
        names[:] = [self.names[node] for node in location.tolist()]
        return names

    def location(self, place: Place) -> int:
        """Return the location of a place.

        Raises:
            OutsideMapError, UnknownNodeError: the place does not exist.
            QueryError: the place is not a cell of two (or three) integers.
        """
        if not self.is_grid:
            node = self.node_named(place)
            if node is None:
                raise UnknownNodeError(f"no node is named {quoted(place)}", place=self.where)
            return node
        has_floors, rows = self.floor_height is not None, self.rows
        try:
            if has_floors:
                x, y, floor = map(index, place)  # type: ignore[arg-type]
            else:
                (x, y), floor = map(index, place), 0  # type: ignore[arg-type]
        except (TypeError, ValueError):
            expected = "(x, y, floor), three integers" if has_floors else "(x, y), two integers"
            raise QueryError(f"{quoted(place)} is not a cell", expected=expected) from None
        if not (0 <= x < self.width and 0 <= y < rows and 0 <= floor < self.floors):
            found = f"cell {quoted((x, y, floor)[: self.dimensions])} lies outside the level"
            expected = f"x from 0 to {self.width - 1}, y from 0 to {rows - 1}"
            expected += f", floor from 0 to {self.floors - 1}" * has_floors
            raise OutsideMapError(found, place=self.where, expected=expected)
        return (y + floor * rows) * self.width + x

    def locations(self, places: object, what: str) -> Int32Array:
        """Return (m) int32, the locations of m places; -1 for a place that does not exist.

        Args:
            places: (m, 2) or (m, 3) integers on grid levels, (m,) names on graph levels.
            what: name of the argument in errors.

        Raises:
            QueryError: the array has the wrong dtype or shape.
        """
        if not self.is_grid:
            names = np.asarray(places, dtype=object)
            if names.ndim != 1:
                raise QueryError(f"{what} has {names.ndim} dimensions", expected="names [m]")
            nodes = [self.node_named(name) for name in names]
            return np.array([-1 if node is None else node for node in nodes], dtype=np.int32)
        cells = numbers_in(places, "iu")
        if cells is None or cells.ndim != 2 or cells.shape[1] != self.dimensions:
            return self._check_empty(places, what)
        outside = np.zeros(len(cells), dtype=np.bool_)
        for number, limit in zip(cells.T, (self.width, self.rows, self.floors), strict=False):
            outside |= (number < 0) | (number >= limit)
        x, y, *floors = (number.astype(np.int32, copy=False) for number in cells.T)
        for floor in floors:
            y = y + floor * np.int32(self.rows)
        locations: Int32Array = y * np.int32(self.width) + x
        locations[outside] = -1
        return locations

    def _check_empty(self, places: object, what: str) -> Int32Array:
        """Return an empty array of locations for an empty argument; raise on any other argument."""
        expected = f"integers [m, {self.dimensions}]"
        try:
            cells = np.asarray(places)
        except (TypeError, ValueError, OverflowError):
            raise QueryError(f"{what} is not an array", expected=expected) from None
        if cells.size == 0:
            return np.empty(0, dtype=np.int32)
        raise QueryError(f"{what} is {cells.dtype}{list(cells.shape)}", expected=expected)

    def listed(self, places: object) -> list[Any]:
        """Return the rows of an array of places, each as a single place."""
        if not self.is_grid:
            return list(np.asarray(places, dtype=object))
        return [tuple(cell) for cell in np.asarray(places).tolist()]

    def as_many(self, places: object) -> tuple[bool, Any]:
        """Return whether an argument is a single place, and the argument as a list of places."""
        if isinstance(places, np.ndarray) and places.ndim == 0:
            places = places.item()
        if isinstance(places, np.ndarray) and not self.is_grid:
            is_one = False  # Every array has __index__.
        elif self.is_grid:
            is_one = isinstance(places, Sequence | np.ndarray) and len(places) > 0
            is_one = is_one and not isinstance(cast("Any", places)[0], Sequence | np.ndarray)
        else:
            is_one = isinstance(places, str | SupportsIndex)
        return is_one, [places] if is_one else places

    def is_bare(self, place: object) -> bool:
        """Return whether a place is a cell without a heading on a level with headings."""
        if self.headings is None or not isinstance(place, tuple | list | np.ndarray):
            return False
        return np.shape(place) == (2,) if isinstance(place, np.ndarray) else len(place) == 2

    def every(self, place: object) -> list[Place]:
        """Expand a cell without a heading to all its headings; other places stay single."""
        if not self.is_bare(place):
            return [cast("Place", place)]
        return [(*cast("Cell", place), heading) for heading in range(self.headings or 0)]

    def blocked(self, profile: str, place: object, how: str = "stand on") -> BlockedCellError:
        """Return the error for a place or a point where a profile cannot stand."""
        remedy = "nearest() returns a place it can stand on"
        found = f"profile {profile!r} cannot {how} {place!r}"
        return BlockedCellError(found, place=self.where, remedy=remedy)

    def point(self, given: Sequence[float]) -> tuple[float, float, int]:
        """Return x, y and floor of a point; x and y are clamped to FARTHEST.

        Args:
            given: (x, y), or (x, y, floor) with two or more floors.

        Raises:
            QueryError: the argument is not a point, or the floor does not exist.
        """
        has_floors = self.floor_height is not None
        try:
            x, y, number = given if has_floors else (*given, 0)
            x, y, floor = number_of(x), number_of(y), floor_of(number)
        except (TypeError, ValueError):
            x = y = math.nan
        if isinstance(given, bytes) or not (math.isfinite(x) and math.isfinite(y)):
            expected = "(x, y, floor), two finite numbers and an integer"
            expected = expected if has_floors else "(x, y), two finite numbers"
            raise QueryError(f"{quoted(given)} is not a point", expected=expected)
        if floor and not 0 <= floor < self.floors:
            raise self.no_floor(floor)
        if max(x, -x, y, -y) < FARTHEST:
            return x, y, floor
        return min(max(x, -FARTHEST), FARTHEST), min(max(y, -FARTHEST), FARTHEST), floor

    def split_height(self, given: Sequence[float]) -> tuple[Sequence[float], float | None]:
        """Split a point into (x, y) and z; z is None for a point of the plane.

        Raises:
            QueryError: z is not a finite number.
        """
        if isinstance(given, str | bytes) or not hasattr(given, "__len__") or len(given) != 3:
            return given, None
        x, y, height = given
        z = number_of(height)
        if not math.isfinite(z):
            expected = "(x, y) or (x, y, z), finite numbers"
            raise QueryError(f"{quoted(given)} is not a point", expected=expected)
        return (x, y), min(max(z, -FARTHEST), FARTHEST)

    def no_floor(self, floor: object) -> OutsideMapError:
        """Return the error for a floor that does not exist."""
        found, expected = f"there is no floor {quoted(floor)}", f"floor from 0 to {self.floors - 1}"
        return OutsideMapError(found, place=self.where, expected=expected)


def drawn_at(file: File, points: Float64Array) -> tuple[Int32Array, BoolArray]:
    """Test m points against the polygons that the level's source draws around nodes.

    Args:
        file: the file that contains the polygons.
        points: (m, 2) float64 units.

    Returns:
        (k) int32, the nodes with polygons, and (m, k) bool, whether each point lies inside.
    """
    node = file.read("/domain_node")
    ax, ay = np.moveaxis(file.read("/domain_corner") - np.rint(points * 1024)[:, None], -1, 0)
    bx, by = np.roll(ax, -1, axis=1), np.roll(ay, -1, axis=1)
    crossed = ((ay > 0) != (by > 0)) & ((ax * by - ay * bx > 0) == (by > 0))
    ring = np.flatnonzero(np.diff(node, prepend=-1))
    inside = np.logical_xor.reduceat(crossed & (node == np.roll(node, -1)), ring, axis=1)
    return node[ring], inside


def numbered(what: str, wrong: list[int]) -> str:
    """Format the indices of wrong places, such as ``starts[0, 3] and 12 more``."""
    more = f" and {len(wrong) - NAMED:,} more" if len(wrong) > NAMED else ""
    return f"{what}[{', '.join(map(str, wrong[:NAMED]))}]{more}"


def quoted(what: object) -> str:
    """Format an invalid argument as one line of at most 60 characters."""
    try:
        return cut(" ".join(repr(what).split()), 60)
    except ValueError:  # Python does not print integers of more than 4,300 digits.
        return "a number of very many digits"


# -- coordinates of cells -------------------------------------------------------------------------

Point = tuple[float, float]
N = TypeVar("N", float, Float64Array)

#: The largest coordinate of a level's origin, and the largest size of a cell.
MAX_PLACE = 2.0**42
MAX_CELL = 2.0**21
#: The largest distance of a level from the origin, in cell sizes. Farther out, floats could not
#: distinguish adjacent cells.
_FARTHEST = 2.0**48


class Coordinates(NamedTuple):
    """The affine transform from the cells of a grid to points, in the units of its source."""

    #: center of cell (0, 0): one point for all floors, or one point per floor
    centres: tuple[Point, ...]
    #: offset from the center of a cell to the center of the next column
    east: Point
    #: offset from the center of a cell to the center of the next row
    south: Point
    #: on hexagonal grids, the length of the two sides perpendicular to the lines; otherwise 0
    side: float = 0.0

    def points(
        self, cells: AnyArray, floor: AnyArray, layout: steps.HexLayout | None
    ) -> Float64Array:
        """Return the centers of n cells.

        Args:
            cells: (n, 2) integers (x, y) on their floors, inside or outside the level.
            floor: (n) integers from 0.
            layout: the layout of a hexagonal grid; None = square.

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
        """Return the cells that contain n points, inside or outside the level.

        Args:
            points: (n, 2) float64, finite.
            floor: (n) integers from 0.
            layout: the layout of a hexagonal grid; None = square.

        Returns:
            (n, 2) float64, whole numbers (x, y).
        """
        centre = self._centre(floor)
        if layout is not None:
            return self._hexagons(points - centre, layout)
        (left, top), (x, y) = centre.T, points.T
        cells: Float64Array = np.floor(np.stack(self.square(left, top, x, y), axis=1))
        return cells

    def middle(self, left: N, top: N, x: N, y: N) -> tuple[N, N]:
        """Return the center of the cell x columns and y rows away from the center (left, top)."""
        (ax, ay), (bx, by) = self.east, self.south
        return left + x * ax + y * bx, top + x * ay + y * by

    def square(self, left: N, top: N, x: N, y: N) -> tuple[N, N]:
        """Return the column and row of a point as fractions; the inverse of :meth:`middle`."""
        (ax, ay), (bx, by) = self.east, self.south
        x, y = x - (left - (ax + bx) / 2), y - (top - (ay + by) / 2)
        if ay == bx == 0:
            return x / ax, y / by
        area = ax * by - ay * bx
        return (x * by - y * bx) / area, (y * ax - x * ay) / area

    def problem(self, width: int, height: int, layout: steps.HexLayout | None) -> str | None:
        """Check the coordinates of a grid, and return a message if they are invalid."""
        if not np.isfinite([*self.east, *self.south, self.side, *np.ravel(self.centres)]).all():
            return "the coordinates are not finite"
        (ax, ay), (bx, by) = self.east, self.south
        area = ax * by - ay * bx
        if min(ax, by, area) <= 0 or (layout is not None and not (ay == bx == 0)):
            return "the cells have no area, or do not run to the east and south"
        pitch = 0.0 if layout is None else by if steps.in_rows(layout) else ax
        if not 0 <= self.side <= pitch:
            return "the sides of cells are longer than the cells"
        across, down = math.hypot(ax, ay), math.hypot(bx, by)
        far = float(np.abs(self.centres).max())
        if max(across, down) > MAX_CELL or far > MAX_PLACE:
            return "the cells are too large, or too far from the origin"
        if far + width * across + height * down > _FARTHEST * area / max(across, down):
            return "the cells are too small to be told apart so far from the origin"
        return None

    def _centre(self, floor: AnyArray) -> Float64Array:
        """Return (n, 2) float64, the center of cell (0, 0) of each given floor."""
        centres = np.array(self.centres, dtype=np.float64)
        return centres[floor if len(centres) > 1 else np.zeros_like(floor)]

    def _hexagons(self, offsets: Float64Array, layout: steps.HexLayout) -> Float64Array:
        """Return the hexagons that contain points, given as offsets from the center of (0, 0)."""
        axis = 1 if steps.in_rows(layout) else 0
        pitch, step = (self.south[1], self.east[0]) if axis else (self.east[0], self.south[1])
        across, along = offsets[:, axis], offsets[:, 1 - axis]
        # The parity of the lines that are not shifted.
        plain = 1 - steps.shoved_parity(layout)
        first = 2 * np.floor((across - plain * pitch + self.side / 2) / (2 * pitch)) + plain
        slot = np.floor(along / step + 0.5 * plain + 0.5)
        candidates = [(first, slot), (first + 1, slot - 1), (first + 1, slot), (first + 2, slot)]
        distances = [
            (across - line * pitch) ** 2 + (along - (slot + _shift(line, layout)) * step) ** 2
            for line, slot in candidates
        ]
        nearest = np.argmin(distances, axis=0)
        cells = np.empty_like(offsets)
        cells[:, axis] = np.choose(nearest, [line for line, _ in candidates])
        cells[:, 1 - axis] = np.choose(nearest, [slot for _, slot in candidates])
        return cells


def _shift(line: Float64Array, layout: steps.HexLayout) -> Float64Array:
    """Return the shift of hexagonal lines relative to line 0, in steps: 0 or half a step."""
    half = 0.5 if steps.shoved_parity(layout) else -0.5
    shift: Float64Array = half * (line % 2)
    return shift


def _one_unit(layout: steps.HexLayout | None) -> Coordinates:
    """Return coordinates for cells one unit wide; the top left corner of the grid is (0, 0)."""
    if layout is None:
        return Coordinates(((0.5, 0.5),), (1.0, 0.0), (0.0, 1.0))
    # The corners of a hexagon extend a quarter of its length into the adjacent lines.
    side, shifted = 1 / math.sqrt(3), 0.5 if steps.shoved_parity(layout) else 1.0
    if steps.in_rows(layout):
        return Coordinates(((shifted, side),), (1.0, 0.0), (0.0, 1.5 * side), side)
    return Coordinates(((side, shifted),), (1.5 * side, 0.0), (0.0, 1.0), side)


# -- points ---------------------------------------------------------------------------------------

#: Cell coordinates fit into 32 bits.
_MOST = 2.0**31
#: Floats represent all integers up to this one exactly.
_PLAIN = 2.0**53


class Points:
    """Conversion between the cells and points of one level.

    Methods accept one place, as a tuple or list of numbers, or an array with one place per row, and
    return one result or an array accordingly.
    """

    def __init__(self, places: Places) -> None:
        self._places = places

    @cached_property
    def are_stated(self) -> bool:
        """Return whether the level's source specifies the coordinates of its cells.

        Otherwise a cell is one unit wide, and the top left corner of the level is (0, 0).
        """
        return self._places.file.has("/centre")

    @cached_property
    def coordinates(self) -> Coordinates:
        """Return the affine transform from cells to points.

        Raises:
            QueryError: the level is a graph.
        """
        places = self._places
        if not places.is_grid:
            remedy = "to_point() returns the position of a node, nearest() the node near a point"
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
        coordinates = Coordinates(centres, east, south, float(step[2:].sum()))
        rows = places.rows
        if problem := coordinates.problem(places.width, rows, places.hex_layout):
            raise places.file.damaged(problem)
        return coordinates

    def cells(self, points: object) -> Cell | Int32Array:
        """Return the cells that contain points: (n, 2) or (n, 3) int32, a tuple for one point.

        Raises:
            QueryError: the level is a graph, the floor does not exist, or the argument is not a
                point.
        """
        coordinates, layout = self.coordinates, self._places.hex_layout
        if self._are_plain(points, (int, float)):
            (left, top), (x, y) = coordinates.centres[0], points
            column, line = coordinates.square(left, top, x, y)
            if abs(column) < _MOST - 1 and abs(line) < _MOST - 1:
                return math.floor(column), math.floor(line)
        given, is_one = self._rows(points, "point", "iuf")
        floor = self._floors(given)
        with np.errstate(invalid="ignore", over="ignore"):
            xy = coordinates.cells(given[:, :2].astype(np.float64), floor, layout)
            fits = (np.abs(xy) < _MOST).all(axis=1)
        if not fits.all():
            self._reject(given[int(fits.argmin())], "point", "finite numbers near the level")
        cells = np.column_stack([xy, floor])[:, : given.shape[1]].astype(np.int32)
        return tuple(cells[0].tolist()) if is_one else cells

    def points(self, cells: object) -> tuple[float, ...] | Float64Array:
        """Return the centers of cells: (n, 2) or (n, 3) float64, a tuple for one cell.

        On graphs, the arguments are node names and the results are node positions.

        Raises:
            QueryError: the floor or node does not exist, the argument is not a cell, or the graph
                has no positions.
        """
        if not self._places.is_grid:
            return self._positions(cells)
        if self._are_plain(cells, (int,)):
            (left, top), (x, y) = self.coordinates.centres[0], cells
            return self.coordinates.middle(left, top, x, y)
        given, is_one = self._rows(cells, "cell", "iu")
        floor = self._floors(given)
        points = self.coordinates.points(given[:, :2], floor, self._places.hex_layout)
        if is_one:
            return (*points[0].tolist(), *given[0, 2:].tolist())
        return np.column_stack([points, floor])[:, : given.shape[1]]

    def location_at(self, x: float, y: float, floor: int) -> int:
        """Return the location of the cell that contains a point; -1 outside the level."""
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
        """Return (k) int32, the locations of the cells that contain points; -1 outside the level.

        Args:
            points: (k, 2) finite numbers.
            floor: (k) integers from 0.
        """
        places = self._places
        with np.errstate(invalid="ignore", over="ignore"):
            column, line = self.coordinates.cells(points, floor, places.hex_layout).T
        inside = (column >= 0) & (column < places.width) & (line >= 0) & (line < places.rows)
        locations = np.full(len(points), -1, dtype=np.int32)
        row = line[inside].astype(np.int32) + floor[inside].astype(np.int32) * np.int32(places.rows)
        locations[inside] = row * np.int32(places.width) + column[inside].astype(np.int32)
        return locations

    @cached_property
    def scale(self) -> tuple[float, float]:
        """Return the lengths of one column and one line in distances between cells.

        Both are 1 on square grids, so that isometric maps are measured in cells and not in pixels
        of the drawing. On hexagonal grids they are distances in the plane.
        """
        if self._places.hex_layout is None:
            return 1.0, 1.0
        return self.coordinates.east[0], self.coordinates.south[1]

    def columns_and_lines(self, points: Float64Array, floor: AnyArray) -> Float64Array:
        """Convert points to columns and lines, as fractions from the center of cell (0, 0).

        Args:
            points: (k, 2) finite numbers.
            floor: (k) integers from 0.

        Returns:
            (k, 2) float64, clamped to FARTHEST.
        """
        coordinates = self.coordinates
        (left, top), (x, y) = coordinates._centre(floor).T, points.T
        with np.errstate(invalid="ignore", over="ignore"):
            if self._places.hex_layout is None:
                offsets = np.stack(coordinates.square(left, top, x, y), axis=1) - 0.5
            else:
                offsets = np.stack([x - left, y - top], axis=1) / self.scale
        return np.clip(offsets, -FARTHEST, FARTHEST)

    def middles(self, location: AnyArray) -> Float64Array:
        """Return (k, 2) float64, the column and line of each cell, with hexagonal shifts."""
        places = self._places
        row, column = np.divmod(location, places.width)
        centers = np.stack([column, row % places.rows], axis=1).astype(np.float64)
        if (layout := places.hex_layout) is not None:
            line = 1 if steps.in_rows(layout) else 0
            centers[:, 1 - line] += _shift(centers[:, line], layout)
        return centers

    def inside(self, cells: object) -> bool | BoolArray:
        """Return whether cells lie inside the level: (n) bool, a bool for one cell.

        Raises:
            QueryError: the level is a graph, or the argument is not a cell.
        """
        places = self._places
        if not places.is_grid:
            raise QueryError("a graph has no cells", place=places.where)
        given, is_one = self._rows(cells, "cell", "iu")
        sizes = [places.width, places.rows, places.floors]
        inside = np.all((given >= 0) & (given < sizes[: given.shape[1]]), axis=1)
        return bool(inside[0]) if is_one else inside

    def _are_plain(self, what: object, kinds: tuple[type, ...]) -> TypeGuard[tuple[int, int]]:
        """Return whether the fast path for one pair of Python numbers on a square grid applies."""
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
        """Return (n, 2) or (n, 3) numbers, and whether the argument is a single place."""
        given = numbers_in(what, kinds)
        rows = given[np.newaxis] if given is not None and given.ndim == 1 else given
        if rows is None or rows.ndim != 2 or rows.shape[1] != self._places.dimensions:
            self._reject(what, noun, "two integers" if noun == "cell" else "two numbers")
        return rows, rows is not given

    def _floors(self, given: AnyArray) -> AnyArray:
        """Return (n) int64, the floor of each row; 0 on levels with one floor."""
        if given.shape[1] == 2:
            return np.zeros(len(given), dtype=np.int64)
        floors = self._places.floors
        floor = given[:, 2]
        exists = (floor >= 0) & (floor < floors) & (floor == np.floor(floor))
        if not exists.all():
            raise self._places.no_floor(floor[int(exists.argmin())].item())
        return floor.astype(np.int64)

    def _reject(self, what: object, noun: str, expected: str) -> NoReturn:
        if isinstance(what, np.ndarray) and what.ndim == 1:
            what = tuple(what.tolist())
        form = "(x, y, floor)" if self._places.dimensions == 3 else "(x, y)"
        found, expected = f"{quoted(what)} is not a {noun}", f"{form}, {expected}, or an array"
        raise QueryError(found, place=self._places.where, expected=expected)
