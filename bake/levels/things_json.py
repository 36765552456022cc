"""Read the links, regions, spots, doors and ledges of tile levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, NoReturn

import numpy as np
from pydantic import AfterValidator, ConfigDict, Field

from bake.core.arrays import Int32Array, UInt8Array
from bake.core.level import MAX_CELLS, Cell, Door, Link, Region, Spot, Things
from bake.core.movement import MAX_VIA
from bake.levels.reading.limits import MAX_COST, spend_area
from bake.levels.reading.marks import HEADINGS
from bake.levels.reading.mistakes import Mistake, Where, shown
from bake.levels.reading.models import (
    FIRST_ONLY,
    DistinctNames,
    M,
    StrictModel,
    TerrainName,
)
from bake.levels.reading.things import rectangle_cells

Side = Literal["north", "east", "south", "west"]


def _check_coordinates(numbers: list[int]) -> list[int]:
    if any(abs(number) >= 2**31 for number in numbers):
        raise Mistake(f"found {shown(max(numbers, key=abs))}", "a place inside the level")
    return numbers


def _check_cost(cost: float) -> float:
    if not 0 < cost <= MAX_COST:
        raise Mistake(f"the cost is {shown(cost)}", f"a number above 0, at most {MAX_COST:g}")
    return cost


Place = Annotated[list[int], AfterValidator(_check_coordinates), Field(min_length=2, max_length=3)]
Rect = Annotated[list[int], AfterValidator(_check_coordinates), Field(min_length=4, max_length=5)]
LinkCost = Annotated[
    float,
    AfterValidator(_check_cost),
    Field(json_schema_extra={"exclusiveMinimum": 0, "maximum": MAX_COST}),
]


ID_DESCRIPTION = "id in the tool that wrote the level, for games"


class LinkTable(StrictModel):
    """A link between two cells, which need not be neighbors."""

    model_config = ConfigDict(validate_by_name=False)

    name: TerrainName = Field(description="unique among the links")
    id: TerrainName | None = Field(default=None, description=ID_DESCRIPTION)
    kind: TerrainName = Field(
        default="link", description='what it is, for people and games: "stairs", "teleporter"'
    )
    start: Place = Field(alias="from", description="[x, y], on levels of several floors [x, y, f]")
    goal: Place = Field(alias="to", description="the cell that it leads to, as in from")
    cost: LinkCost = Field(
        default=1.0,
        description="of taking it, in units; without it the straight distance, at least 1; with "
        "via the sum of these from cell to cell",
    )
    both_ways: bool = Field(default=False, description="whether it is bidirectional")
    profiles: DistinctNames = Field(
        default=[], description="agent profiles that may take it; without it, all"
    )
    via: list[Place] = Field(
        default=[],
        description="the cells it passes through, in order, without its ends; they need not be "
        "walkable",
        min_length=1,
        max_length=MAX_VIA,
    )
    over: DistinctNames = Field(
        default=[],
        description="blocked terrains that the link passes over; without it, those of via",
    )


class _Area(StrictModel):
    cells: Annotated[list[Place], FIRST_ONLY] = Field(default=[], description="its cells")
    rect: Rect = Field(
        default=[0, 0, 1, 1],
        description="[x, y, width, height], on levels of several floors [x, y, width, height, f]",
    )


class RegionTable(_Area):
    """A named set of cells."""

    name: TerrainName = Field(description="unique among the regions")
    id: TerrainName | None = Field(default=None, description=ID_DESCRIPTION)


class SpotTable(StrictModel):
    """A named cell that matters to the game."""

    name: TerrainName = Field(description="unique among the spots")
    id: TerrainName | None = Field(default=None, description=ID_DESCRIPTION)
    kind: TerrainName = Field(description='"spawn", "exit", or anything else')
    at: Place = Field(description="[x, y], on levels of several floors [x, y, f]")
    profiles: DistinctNames = Field(
        default=[], description="agent profiles that it applies to; without it, all"
    )


class DoorTable(_Area):
    """A door: cells that change terrain together."""

    name: TerrainName = Field(description="unique among the doors")
    id: TerrainName | None = Field(default=None, description=ID_DESCRIPTION)
    states: dict[TerrainName, TerrainName | None] = Field(
        description="terrain of its cells by state, at least two; null leaves what the map has",
        min_length=2,
    )
    state: TerrainName = Field(description="the state the level is baked in")


class LedgeTable(_Area):
    """Cells that no step enters or leaves in some directions."""

    bars: Annotated[list[Side], FIRST_ONLY] = Field(
        description="directions in which no step enters or leaves these cells"
    )


class ThingReader:
    """Converts the entities of a file to cells of the terrain grid."""

    def __init__(self, top: Where, shape: tuple[int, ...], floor_height: int | None) -> None:
        """Create a reader for a grid.

        Args:
            top: the file.
            shape: (height, width) of the grid with all floors.
            floor_height: the rows of one floor; None = a single floor.
        """
        self.top = top
        self.height, self.width = shape[0], shape[1]
        self.floor_height = floor_height

    def things(
        self,
        links: Sequence[LinkTable],
        regions: Sequence[RegionTable],
        spots: Sequence[SpotTable],
        doors: Sequence[DoorTable],
    ) -> Things:
        """Return the links, regions, spots and doors of a file.

        Raises:
            LevelError: a cell has the wrong number of coordinates or lies outside the level.
        """
        return Things(
            tuple(
                self._read_link(table, where) for table, where in self._with_places("links", links)
            ),
            tuple(
                Region(table.name, self._read_cells(table, where), str(where), table.id)
                for table, where in self._with_places("regions", regions)
            ),
            tuple(
                Spot(
                    table.name,
                    table.kind,
                    self.cell(table.at, where, "at"),
                    _read_names(table, "profiles"),
                    str(where),
                    table.id,
                )
                for table, where in self._with_places("spots", spots)
            ),
            tuple(
                Door(
                    table.name,
                    self._read_cells(table, where),
                    tuple(table.states.items()),
                    table.state,
                    str(where),
                    table.id,
                )
                for table, where in self._with_places("doors", doors)
            ),
        )

    def _with_places(self, key: str, tables: Sequence[M]) -> Iterator[tuple[M, Where]]:
        """Yield the tables under one key of the file, with their places."""
        return ((table, self.top.inside(key, number)) for number, table in enumerate(tables))

    def _read_link(self, link: LinkTable, where: Where) -> Link:
        start, goal = self.cell(link.start, where, "from"), self.cell(link.goal, where, "to")
        via_place = where.inside("via")
        via = tuple(self.cell(cell, via_place, number) for number, cell in enumerate(link.via))
        if "over" in link.model_fields_set and not via:
            where.inside("over").refuse("found over without via", "cells to pass over, in via")
        return Link(
            link.name,
            link.kind,
            start,
            goal,
            link.cost if "cost" in link.model_fields_set else None,
            link.both_ways,
            _read_names(link, "profiles"),
            str(where),
            link.id,
            via,
            _read_names(link, "over"),
        )

    def barred(self, ledges: Sequence[LedgeTable]) -> UInt8Array | None:
        """Return the barred headings of each cell as (height, width) uint8, or None without ledges.

        Raises:
            LevelError: as for :meth:`things`.
        """
        if not ledges:
            return None
        grid = np.zeros((self.height, self.width), dtype=np.uint8)
        for ledge, where in self._with_places("ledges", ledges):
            cells = self._read_cells(ledge, where)
            for side in ledge.bars:
                grid[cells[:, 1], cells[:, 0]] |= HEADINGS[side]
        return grid

    def cell(self, numbers: Sequence[int], where: Where, step: str | int) -> Cell:
        """Return the cell of the grid at some coordinates.

        Args:
            numbers: x and y, and the floor on levels with several floors.
            where, step: the place in the file.

        Raises:
            LevelError: there are too many or too few coordinates, or the cell lies outside the
                level.
        """
        x, y, *floor = numbers
        if bool(floor) != (self.floor_height is not None):
            self._reject_floor(numbers, where.inside(step), "[x, y]", "[x, y, floor]")
        return self._check_cell(x, y, floor[0] if floor else 0, where, step)

    def _check_cell(self, x: int, y: int, floor: int, where: Where, *steps: str | int) -> Cell:
        rows = self.floor_height or self.height
        floors = self.height // rows
        if not (0 <= x < self.width and 0 <= y < rows and 0 <= floor < floors):
            several = self.floor_height is not None
            where.inside(*steps).refuse(
                f"{[x, y, floor] if several else [x, y]} lies outside the level",
                f"x from 0 to {self.width - 1}, y from 0 to {rows - 1}"
                + (f", floor from 0 to {floors - 1}" if several else ""),
            )
        return x, y + floor * rows

    def _read_cells(self, area: _Area, where: Where) -> Int32Array:
        keys = area.model_fields_set & {"cells", "rect"}
        if len(keys) != 1:
            problem = "found both cells and rect" if keys else "found neither cells nor rect"
            where.refuse(problem, "one of the two")
        if "cells" in keys:
            where = where.inside("cells")
            cells = [self.cell(cell, where, number) for number, cell in enumerate(area.cells)]
            return np.array(cells, dtype=np.int32).reshape(-1, 2)
        where = where.inside("rect")
        x, y, width, height, *floor = area.rect
        plain, floored = "[x, y, width, height]", "[x, y, width, height, floor]"
        if bool(floor) != (self.floor_height is not None):
            self._reject_floor(area.rect, where, plain, floored)
        if width < 1 or height < 1 or width * height > MAX_CELLS:
            expected = "at least one cell, inside the level"
            where.refuse(f"the rectangle has {width} x {height} cells", expected)
        left, top = self._check_cell(x, y, floor[0] if floor else 0, where)
        self._check_cell(x + width - 1, y + height - 1, floor[0] if floor else 0, where)
        spend_area(where.file, width * height, str(where))
        return rectangle_cells(left, top, width, height)

    def _reject_floor(
        self, numbers: Sequence[int], where: Where, plain: str, floored: str
    ) -> NoReturn:
        several = self.floor_height is not None
        where.refuse(
            f"found {list(numbers)}",
            floored if several else plain,
            "add the floor" if several else "floors are for levels with floor_height",
        )


def _read_names(table: StrictModel, key: str) -> tuple[str, ...] | None:
    """Return the names under a key of a table, or None if the key is missing."""
    return tuple(getattr(table, key)) if key in table.model_fields_set else None
