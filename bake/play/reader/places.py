"""Translate places as a game says them, cells or node names, to the numbers that tables use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Float64Array, Int32Array
from bake.asset import Asset
from levelbake.errors import OutsideMapError, QueryError, UnknownNodeError, cut
from levelbake.steps import HexLayout

if TYPE_CHECKING:
    pass

#: (x, y), or (x, y, floor) on levels of several floors.
Cell = tuple[int, ...]
Name = str | int
Place = Cell | Name


def is_point(place: object) -> bool:
    """Tell whether a place on a graph is said as a point of the plane, not as a node's name."""
    return isinstance(place, tuple | list | np.ndarray)


def has_point(*ends: object) -> bool:
    """Tell whether one of some places on a graph is said as a point, not as a node's name."""
    return any(map(is_point, ends))


class Places:
    """The places of a level, and where its nodes are; its profiles share them.

    A *location* is the number of a place whether or not anybody can stand there: on grid levels a
    cell, counted in reading order (y * width + x), on graph levels a node. Several floors lie below
    one another in one grid, the lowest floor first; tables do not know floors.

    Attributes:
        name: the level's name.
        width, height: how many cells the whole grid has in each direction; 0 for graph levels.
        floor_height: how many cells high each of several floors is; None = one floor.
        headings: how many ways an agent can face, each of them a floor; None = nobody faces any.
        is_grid: whether places are cells (x, y); otherwise they are node names.
        hex_layout: odd-r, even-r, odd-q, even-q; None on other levels.
        ticks_per_unit: ticks in one unit of cost.
    """

    def __init__(self, asset: Asset) -> None:
        self.asset = asset
        self.name = asset.name
        self.is_grid = asset.graph.is_grid
        self.hex_layout = cast("HexLayout | None", asset.text("hex_layout"))
        stated = (asset.number(name) or 0 for name in ("height", "width"))
        self.height, self.width = stated if self.is_grid else (0, 0)
        if self.is_grid:
            # The file compares the grid with its width and height.
            asset.shape("/terrain" if asset.implied is None else "/ground")
        self.floor_height = asset.number("floor_height") if self.is_grid else None
        # Numbers that contradict each other are refused where the graph is made.
        self.headings = asset.graph.headings
        self.ticks_per_unit = asset.number("ticks_per_unit") or 0

    # -- nodes ------------------------------------------------------------------------------------

    @property
    def first_out(self) -> Int32Array:
        """Return (n + 1) int32, where the arcs of each node begin."""
        return self.asset.graph.first_out

    @property
    def head(self) -> Int32Array:
        """Return (m) int32, the node each arc leads to."""
        return self.asset.graph.head

    @property
    def node_count(self) -> int:
        return len(self.flat)

    @cached_property
    def cell(self) -> Int32Array | None:
        """Return (n, 2) int32, the cell (x, y) of each node; None on graph levels."""
        return self.cells_of(self.flat) if self.is_grid else None

    @property
    def flat(self) -> Int32Array:
        """Return (n) int32, the location of each node: y * width + x of its cell."""
        return self.asset.graph.place

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Return the node names of a graph level, as its source wrote them."""
        whole = self._names_are_numbers
        stored = self.asset.read("/node_number" if whole else "/node_name")
        return tuple(stored.tolist() if whole else [name.decode() for name in stored.tolist()])

    @property
    def _names_are_numbers(self) -> bool:
        return self.asset.has("/node_number")

    @cached_property
    def _node_of_name(self) -> Mapping[Name, int]:
        return {name: node for node, name in enumerate(self.names)}

    @cached_property
    def position(self) -> Float64Array | None:
        """Return (n, 2) float64, positions of a graph's nodes; None where the source gave none."""
        if not self.asset.has("/position"):
            return None
        return self.asset.read("/position").astype(np.float64)

    def node_named(self, name: object) -> int | None:
        """Return the node of a name, None where there is none. True and 1.0 are not the name 1."""
        if isinstance(name, bool):
            return None
        if isinstance(name, str):
            return self._node_of_name.get(name)
        try:
            return self._node_of_name.get(index(cast("SupportsIndex", name)))
        except TypeError:
            return None

    def name_from(self, text: str) -> Name:
        """Return a node's name from text; it is a number where the source has numbers."""
        name: Name = text
        if self._names_are_numbers and text.lstrip("-").isdecimal():
            with suppress(ValueError):
                name = int(text)
        if self.node_named(name) is None:
            raise UnknownNodeError(f"no node is named {quoted(text)}", place=f"level {self.name!r}")
        return name

    # -- places as a game says them ---------------------------------------------------------------

    @property
    def floors(self) -> int:
        """Return how many floors the level has."""
        return 1 if self.floor_height is None else self.height // self.floor_height

    @property
    def dimensions(self) -> int:
        """Return how many numbers make a cell: 2, or 3 on levels of several floors."""
        return 2 if self.floor_height is None else 3

    def place(self, node: int) -> Place:
        """Return the cell or name of a node."""
        return self.place_at(int(self.flat[node])) if self.is_grid else self.names[node]

    def place_at(self, location: int) -> Place:
        """Return the cell or name at a location."""
        if not self.is_grid:
            return self.names[location]
        y, x = divmod(location, self.width)
        if self.floor_height is not None:
            floor, y = divmod(y, self.floor_height)
            return (x, y, floor)
        return (x, y)

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
        if self.is_grid:
            x, y = self.grid_cell(place)
            return y * self.width + x
        node = self.node_named(place)
        if node is None:
            where = f"level {self.name!r}"
            raise UnknownNodeError(f"no node is named {quoted(place)}", place=where)
        return node

    def grid_cell(self, place: object) -> tuple[int, int]:
        """Return the cell of the whole grid for a cell that a game says.

        Args:
            place: (x, y), on levels of several floors (x, y, floor).

        Raises:
            OutsideMapError: there is no such cell.
            QueryError: the cell is made of another number of integers.
        """
        several = self.floor_height is not None
        rows = self.floor_height or self.height
        try:
            if several:
                x, y, floor = (index(number) for number in cast("Cell", place))
            else:
                x, y = (index(number) for number in cast("Cell", place))
                floor = 0
        except (TypeError, ValueError):
            expected = "(x, y, floor), three integers" if several else "(x, y), two integers"
            raise QueryError(f"{quoted(place)} is no cell", expected=expected) from None
        if not (0 <= x < self.width and 0 <= y < rows and 0 <= floor < self.floors):
            raise OutsideMapError(
                f"cell {quoted((x, y, floor) if several else (x, y))} lies outside the level",
                place=f"level {self.name!r}",
                expected=f"x from 0 to {self.width - 1}, y from 0 to {rows - 1}"
                + (f", floor from 0 to {self.floors - 1}" if several else ""),
            )
        return x, y + floor * rows

    def locations(self, places: npt.ArrayLike, what: str) -> Int32Array:
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
        try:
            cells = np.asarray(places)
        except (ValueError, OverflowError):
            raise QueryError(f"{what} is no array", expected="integers [m, 2]") from None
        if cells.size == 0:
            return np.empty(0, dtype=np.int32)
        if cells.ndim != 2 or cells.shape[1] != self.dimensions or cells.dtype.kind not in "iu":
            raise QueryError(
                f"{what} is {cells.dtype}{list(cells.shape)}",
                expected=f"integers [m, {self.dimensions}]",
            )
        rows = self.floor_height or self.height
        limits = (self.width, rows, self.floors)[: self.dimensions]
        outside = np.zeros(len(cells), dtype=np.bool_)
        for number, limit in zip(cells.T, limits, strict=True):
            if number.min() < 0 or number.max() >= limit:
                outside |= (number < 0) | (number >= limit)
        flat = cells[:, 1].astype(np.int32)
        if self.floor_height is not None:
            flat += cells[:, 2].astype(np.int32, copy=False) * np.int32(rows)
        flat *= self.width
        flat += cells[:, 0].astype(np.int32, copy=False)
        flat[outside] = -1
        return flat

    def listed(self, places: npt.ArrayLike) -> list[Any]:
        """Return places given as an array as a game says them one by one."""
        if not self.is_grid:
            return list(np.asarray(places, dtype=object))
        return [tuple(cell) for cell in np.asarray(places).tolist()]

    def as_many(self, places: object) -> tuple[bool, npt.ArrayLike]:
        """Return whether an argument is a single place, and the argument as a list of places."""
        if self.is_grid:
            one = isinstance(places, Sequence | np.ndarray) and len(places) > 0
            one = one and not isinstance(cast("Any", places)[0], Sequence | np.ndarray)
        else:
            one = isinstance(places, str | SupportsIndex)
        return one, cast("npt.ArrayLike", [places] if one else places)

    def point_on_floor(self, point: Sequence[float]) -> tuple[Sequence[float], int]:
        """Split a point (x, y, floor) into the point on its floor, and the floor.

        Raises:
            QueryError: the point is not three numbers, or there is no such floor.
        """
        try:
            x, y, number = point
            floor = index(cast("SupportsIndex", number))
        except (TypeError, ValueError):
            raise QueryError(
                f"{quoted(point)} is no point",
                expected="(x, y, floor), two finite numbers and an integer",
            ) from None
        if not 0 <= floor < self.floors:
            raise OutsideMapError(
                f"there is no floor {quoted(floor)}",
                place=f"level {self.name!r}",
                expected=f"floor from 0 to {self.floors - 1}",
            )
        return (x, y), floor


def quoted(what: object) -> str:
    """Return a wrong argument as one short line."""
    try:
        return cut(" ".join(repr(what).split()), 60)
    except ValueError:  # Python writes no number of more than 4,300 digits.
        return "a number of very many digits"
