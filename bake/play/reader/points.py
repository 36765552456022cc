"""Translate between the cells of a level and points of the plane that it is drawn in."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NoReturn, TypeGuard, cast

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array
from bake.coordinates import Coordinates, upright
from bake.play.reader.places import Cell, Place, Places, quoted
from levelbake.errors import OutsideMapError, QueryError

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
        return self._places.asset.has("/centre")

    @cached_property
    def coordinates(self) -> Coordinates:
        """Return where the level's cells lie.

        Raises:
            QueryError: the level is a graph.
        """
        places = self._places
        if not places.is_grid:
            raise QueryError(
                "a graph has no cells",
                place=f"level {places.name!r}",
                remedy="to_point() gives where a node lies, and nearest() the node near a point",
            )
        if not self.are_stated:
            return upright(1.0, layout=places.hex_layout)
        centre = places.asset.read("/centre").astype(np.float64)
        step = places.asset.read("/step").astype(np.float64)
        if len(centre) not in (1, places.floors):
            raise places.asset.damaged(f"centre has {len(centre)} floors of {places.floors}")
        if len(step) != (2 if places.hex_layout is None else 3):
            raise places.asset.damaged(f"step has {len(step)} rows")
        centres = tuple((x, y) for x, y in centre.tolist())
        east, south = ((x, y) for x, y in step[:2].tolist())
        found = Coordinates(centres, east, south, float(step[2:].sum()))
        rows = places.height // places.floors
        if problem := found.problem(places.width, rows, places.hex_layout):
            raise places.asset.damaged(problem)
        return found

    def cells(self, points: object) -> Cell | Int32Array:
        """Return the cells that points lie in: (n, 2) or (n, 3) int32, for one point a tuple.

        Raises:
            QueryError: the level is a graph, there is no such floor, or something is no point.
        """
        coordinates, layout = self.coordinates, self._places.hex_layout
        if self._are_plain(points, (int, float)):
            x, y = coordinates.square_cell(*points)
            if abs(x) < _MOST - 1 and abs(y) < _MOST - 1:
                return math.floor(x), math.floor(y)
        given, is_one = self._rows(points, "point", "iuf")
        floor = self._floors(given, "point")
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
            return self.coordinates.square_point(*cells)
        given, is_one = self._rows(cells, "cell", "iu")
        floor = self._floors(given, "cell")
        found = self.coordinates.points(given[:, :2], floor, self._places.hex_layout)
        if is_one:
            return (*found[0].tolist(), *given[0, 2:].tolist())
        return np.column_stack([found, floor])[:, : given.shape[1]]

    def inside(self, cells: object) -> bool | BoolArray:
        """Tell which cells the level has: (n) bool, for one cell a bool.

        Raises:
            QueryError: the level is a graph, or something is no cell.
        """
        places = self._places
        if not places.is_grid:
            raise QueryError("a graph has no cells", place=f"level {places.name!r}")
        given, is_one = self._rows(cells, "cell", "iu")
        sizes = [places.width, places.height // places.floors, places.floors]
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
            and self._is_plain
        )

    @cached_property
    def _is_plain(self) -> bool:
        return self._places.hex_layout is None and self._places.dimensions == 2

    def _positions(self, names: object) -> tuple[float, ...] | Float64Array:
        places = self._places
        position = places.position
        if position is None:
            raise QueryError(
                "the nodes of this graph have no positions",
                place=f"level {places.name!r}",
                remedy="give its nodes x and y",
            )
        if isinstance(names, list | tuple | np.ndarray):
            nodes = [places.location(name) for name in names]
            return position[np.array(nodes, dtype=np.int64)]
        x, y = position[places.location(cast("Place", names))].tolist()
        return x, y

    def _rows(self, what: object, noun: str, kinds: str) -> tuple[AnyArray, bool]:
        """Return (n, 2) or (n, 3) numbers, and whether they came as one place."""
        try:
            given = np.asarray(what)
        except (ValueError, OverflowError):
            given = np.empty(0, dtype=object)
        wide = self._places.dimensions
        rows = given[np.newaxis] if given.ndim == 1 else given
        if rows.ndim != 2 or rows.shape[1] != wide or rows.dtype.kind not in kinds:
            self._refuse(what, noun, "two integers" if noun == "cell" else "two numbers")
        return rows, given.ndim == 1

    def _floors(self, given: AnyArray, noun: str) -> Int64Array:
        """Return (n) int64, the floor of each row; 0 where the level has one floor."""
        if given.shape[1] == 2:
            return np.zeros(len(given), dtype=np.int64)
        floors = self._places.floors
        last = given[:, 2]
        known = (last >= 0) & (last < floors) & (last == np.floor(last))
        if not known.all():
            raise OutsideMapError(
                f"there is no floor {last[int(known.argmin())].item()!r}",
                place=f"level {self._places.name!r}",
                expected=f"floor from 0 to {floors - 1}",
            )
        return last.astype(np.int64)

    def _refuse(self, what: object, noun: str, expected: str) -> NoReturn:
        one = tuple(what.tolist()) if isinstance(what, np.ndarray) and what.ndim == 1 else what
        several = self._places.dimensions == 3
        raise QueryError(
            f"{quoted(one)} is no {noun}",
            place=f"level {self._places.name!r}",
            expected=f"{'(x, y, floor)' if several else '(x, y)'}, {expected}, or an array of them",
        )
