"""Read links, regions, spots, doors and ledges as tile levels write them."""

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
from bake.levels.reading.things import rectangle

Side = Literal["north", "east", "south", "west"]


def _whole_numbers(numbers: list[int]) -> list[int]:
    if any(abs(number) >= 2**31 for number in numbers):
        raise Mistake(f"found {shown(max(numbers, key=abs))}", "a place inside the level")
    return numbers


def _positive(cost: float) -> float:
    if not 0 < cost <= MAX_COST:
        raise Mistake(f"the cost is {shown(cost)}", f"a number above 0, at most {MAX_COST:g}")
    return cost


Place = Annotated[list[int], AfterValidator(_whole_numbers), Field(min_length=2, max_length=3)]
Rect = Annotated[list[int], AfterValidator(_whole_numbers), Field(min_length=4, max_length=5)]
LinkCost = Annotated[
    float,
    AfterValidator(_positive),
    Field(json_schema_extra={"exclusiveMinimum": 0, "maximum": MAX_COST}),
]


ID_DESCRIPTION = "what the tool that wrote the level calls it by, for games"


class LinkTable(StrictModel):
    """A way between two cells that need not be neighbours."""

    model_config = ConfigDict(validate_by_name=False)

    name: TerrainName = Field(description="unique among the links")
    id: TerrainName | None = Field(default=None, description=ID_DESCRIPTION)
    kind: TerrainName = Field(
        default="link", description='what it is, for people and games: "stairs", "teleporter"'
    )
    start: Place = Field(alias="from", description="[x, y], on levels of several floors [x, y, f]")
    goal: Place = Field(alias="to", description="where it leads")
    cost: LinkCost = Field(
        default=1.0,
        description="of taking it, in units; without it the straight distance, at least 1; with "
        "via the sum of these from cell to cell",
    )
    both_ways: bool = Field(default=False, description="whether it leads back, too")
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
        description="terrains that nobody can stand on and it passes over; without it, those of "
        "the cells of via",
    )


class _Area(StrictModel):
    cells: Annotated[list[Place], FIRST_ONLY] = Field(default=[], description="its cells")
    rect: Rect = Field(
        default=[0, 0, 1, 1],
        description="[x, y, width, height], on levels of several floors [x, y, width, height, f]",
    )


class RegionTable(_Area):
    """Named cells."""

    name: TerrainName = Field(description="unique among the regions")
    id: TerrainName | None = Field(default=None, description=ID_DESCRIPTION)


class SpotTable(StrictModel):
    """A named cell that matters to the game."""

    name: TerrainName = Field(description="unique among the spots")
    id: TerrainName | None = Field(default=None, description=ID_DESCRIPTION)
    kind: TerrainName = Field(description='"spawn", "exit", or anything else')
    at: Place = Field(description="[x, y], on levels of several floors [x, y, f]")
    profiles: DistinctNames = Field(
        default=[], description="agent profiles whose it is; without it, all"
    )


class DoorTable(_Area):
    """Cells that change terrain together."""

    name: TerrainName = Field(description="unique among the doors")
    id: TerrainName | None = Field(default=None, description=ID_DESCRIPTION)
    states: dict[TerrainName, TerrainName | None] = Field(
        description="terrain of its cells by state, at least two; null leaves what the map has",
        min_length=2,
    )
    state: TerrainName = Field(description="the state the level is baked in")


class LedgeTable(_Area):
    """Cells that no step leaves or enters heading some ways."""

    bars: Annotated[list[Side], FIRST_ONLY] = Field(
        description="headings no step onto or off these cells has"
    )


class ThingReader:
    """Turns what a file says into things on the terrain grid.

    Attributes:
        top: the file.
        floor_height: rows of one floor; None = one floor.
    """

    def __init__(self, top: Where, shape: tuple[int, ...], floor_height: int | None) -> None:
        """Make a reader for a grid of (height, width) ``shape``, all floors included."""
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
        """Return all of a file's things.

        Raises:
            LevelError: a place has the wrong length, or lies outside the level.
        """
        return Things(
            tuple(self._link(each, where) for each, where in self._placed("links", links)),
            tuple(
                Region(each.name, self._cells(each, where), str(where), each.id)
                for each, where in self._placed("regions", regions)
            ),
            tuple(
                Spot(
                    each.name,
                    each.kind,
                    self.cell(each.at, where, "at"),
                    _given(each, "profiles"),
                    str(where),
                    each.id,
                )
                for each, where in self._placed("spots", spots)
            ),
            tuple(
                Door(
                    each.name,
                    self._cells(each, where),
                    tuple(each.states.items()),
                    each.state,
                    str(where),
                    each.id,
                )
                for each, where in self._placed("doors", doors)
            ),
        )

    def _placed(self, key: str, tables: Sequence[M]) -> Iterator[tuple[M, Where]]:
        """Yield tables of one key of the file with their places."""
        return ((each, self.top.inside(key, at)) for at, each in enumerate(tables))

    def _link(self, link: LinkTable, where: Where) -> Link:
        start, goal = self.cell(link.start, where, "from"), self.cell(link.goal, where, "to")
        along = where.inside("via")
        via = tuple(self.cell(cell, along, at) for at, cell in enumerate(link.via))
        if "over" in link.model_fields_set and not via:
            where.inside("over").refuse("found over without via", "cells to pass over, in via")
        return Link(
            link.name,
            link.kind,
            start,
            goal,
            link.cost if "cost" in link.model_fields_set else None,
            link.both_ways,
            _given(link, "profiles"),
            str(where),
            link.id,
            via,
            _given(link, "over"),
        )

    def barred(self, ledges: Sequence[LedgeTable]) -> UInt8Array | None:
        """Return the headings each cell bars, (height, width) uint8 bits; None without ledges.

        Raises:
            LevelError: as for :meth:`things`.
        """
        if not ledges:
            return None
        grid = np.zeros((self.height, self.width), dtype=np.uint8)
        for ledge, where in self._placed("ledges", ledges):
            cells = self._cells(ledge, where)
            for side in ledge.bars:
                grid[cells[:, 1], cells[:, 0]] |= HEADINGS[side]
        return grid

    def cell(self, numbers: Sequence[int], where: Where, step: str | int) -> Cell:
        """Return a cell of the whole grid.

        Args:
            numbers: x and y, and on levels of several floors the floor.
            where, step: they stand in the file.

        Raises:
            LevelError: there are more or fewer numbers, or the cell lies outside the level.
        """
        x, y, *floor = numbers
        if bool(floor) != (self.floor_height is not None):
            self._refuse_floor(numbers, where.inside(step), "[x, y]", "[x, y, floor]")
        return self._inside(x, y, floor[0] if floor else 0, where, step)

    def _inside(self, x: int, y: int, floor: int, where: Where, *steps: str | int) -> Cell:
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

    def _cells(self, area: _Area, where: Where) -> Int32Array:
        given = area.model_fields_set & {"cells", "rect"}
        if len(given) != 1:
            found = "found both cells and rect" if given else "found neither cells nor rect"
            where.refuse(found, "one of the two")
        if "cells" in given:
            where = where.inside("cells")
            cells = [self.cell(cell, where, at) for at, cell in enumerate(area.cells)]
            return np.array(cells, dtype=np.int32).reshape(-1, 2)
        where = where.inside("rect")
        x, y, width, height, *floor = area.rect
        plain, floored = "[x, y, width, height]", "[x, y, width, height, floor]"
        if bool(floor) != (self.floor_height is not None):
            self._refuse_floor(area.rect, where, plain, floored)
        if width < 1 or height < 1 or width * height > MAX_CELLS:
            expected = "at least one cell, inside the level"
            where.refuse(f"the rectangle has {width} x {height} cells", expected)
        left, top = self._inside(x, y, floor[0] if floor else 0, where)
        self._inside(x + width - 1, y + height - 1, floor[0] if floor else 0, where)
        spend_area(where.file, width * height, str(where))
        return rectangle(left, top, width, height)

    def _refuse_floor(
        self, numbers: Sequence[int], where: Where, plain: str, floored: str
    ) -> NoReturn:
        several = self.floor_height is not None
        where.refuse(
            f"found {list(numbers)}",
            floored if several else plain,
            "say which floor" if several else "floors are for levels with floor_height",
        )


def _given(table: StrictModel, key: str) -> tuple[str, ...] | None:
    """Return the names under a key of a table; None where it is left out."""
    return tuple(getattr(table, key)) if key in table.model_fields_set else None
