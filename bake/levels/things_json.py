"""Links, regions, spots, doors and ledges as tile levels write them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bake.arrays import Int32Array, UInt8Array
from bake.errors import LevelError
from bake.level import Cell, Door, Link, Region, Spot, Things
from bake.levels.allowance import spend_area
from bake.levels.json_text import json_place, shown
from bake.levels.limits import MAX_COST
from bake.levels.terrain_json import FIRST_ONLY, DistinctNames, StrictModel, TerrainName, refuse
from bake.movement import EAST, NORTH, SOUTH, WEST

Side = Literal["north", "east", "south", "west"]
_BITS: dict[str, int] = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}

#: Rectangles larger than this are no level's, and would only use up memory.
_MAX_AREA = 2**26


def _whole_numbers(numbers: list[int]) -> list[int]:
    if any(abs(number) >= 2**31 for number in numbers):
        refuse(f"found {shown(max(numbers, key=abs))}", "a place inside the level")
    return numbers


def _positive(cost: float) -> float:
    if not 0 < cost <= MAX_COST:
        refuse(f"the cost is {shown(cost)}", f"a number above 0, at most {MAX_COST:g}")
    return cost


Place = Annotated[list[int], AfterValidator(_whole_numbers), Field(min_length=2, max_length=3)]
Rect = Annotated[list[int], AfterValidator(_whole_numbers), Field(min_length=4, max_length=5)]
LinkCost = Annotated[
    float,
    AfterValidator(_positive),
    Field(json_schema_extra={"exclusiveMinimum": 0, "maximum": MAX_COST}),
]


class LinkTable(StrictModel):
    """A way between two cells that need not be neighbours."""

    model_config = ConfigDict(validate_by_name=False)

    name: TerrainName = Field(description="unique among the links")
    kind: TerrainName = Field(
        default="link", description='what it is, for people and games: "stairs", "teleporter"'
    )
    start: Place = Field(alias="from", description="[x, y], on levels of several floors [x, y, f]")
    goal: Place = Field(alias="to", description="where it leads")
    cost: LinkCost = Field(
        default=1.0,
        description="of taking it, in units; without it the straight distance, at least 1",
    )
    both_ways: bool = Field(default=False, description="whether it leads back, too")
    profiles: DistinctNames = Field(
        default=[], description="agent profiles that may take it; without it, all"
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


class SpotTable(StrictModel):
    """A named cell that matters to the game."""

    name: TerrainName = Field(description="unique among the spots")
    kind: TerrainName = Field(description='"spawn", "exit", or anything else')
    at: Place = Field(description="[x, y], on levels of several floors [x, y, f]")
    profiles: DistinctNames = Field(
        default=[], description="agent profiles whose it is; without it, all"
    )


class DoorTable(_Area):
    """Cells that change terrain together."""

    name: TerrainName = Field(description="unique among the doors")
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


#: Keys of the tables above by the key of a tile file they stand under.
TABLES: dict[str, type[BaseModel]] = {
    "links": LinkTable,
    "regions": RegionTable,
    "spots": SpotTable,
    "doors": DoorTable,
    "ledges": LedgeTable,
}
NESTED_KEYS: dict[str, tuple[str, ...]] = {
    key: tuple(field.alias or name for name, field in table.model_fields.items())
    for key, table in TABLES.items()
}


class ThingReader:
    """From what a file says to cells of the terrain grid.

    Attributes:
        path: the file.
        shape: (height, width) of the whole grid.
        floor_height: rows of one floor; None = one floor.
    """

    def __init__(self, path: Path, shape: tuple[int, ...], floor_height: int | None) -> None:
        self.path = path
        self.height, self.width = shape[0], shape[1]
        self.floor_height = floor_height

    def things(
        self,
        links: Sequence[LinkTable],
        regions: Sequence[RegionTable],
        spots: Sequence[SpotTable],
        doors: Sequence[DoorTable],
    ) -> Things:
        """All of a file's things.

        Raises:
            LevelError: a place of the wrong length, or outside the level.
        """
        return Things(
            tuple(self._link(link, place) for place, link in enumerate(links)),
            tuple(
                Region(region.name, self._cells(region, "regions", place), _at("regions", place))
                for place, region in enumerate(regions)
            ),
            tuple(
                Spot(
                    spot.name,
                    spot.kind,
                    self._cell(spot.at, ["spots", place, "at"]),
                    _profiles(spot),
                    _at("spots", place),
                )
                for place, spot in enumerate(spots)
            ),
            tuple(
                Door(
                    door.name,
                    self._cells(door, "doors", place),
                    tuple(door.states.items()),
                    door.state,
                    _at("doors", place),
                )
                for place, door in enumerate(doors)
            ),
        )

    def barred(self, ledges: Sequence[LedgeTable]) -> UInt8Array | None:
        """(height, width) uint8 headings barred, as bits; None without ledges.

        Raises:
            LevelError: as :meth:`things`.
        """
        if not ledges:
            return None
        grid = np.zeros((self.height, self.width), dtype=np.uint8)
        for place, ledge in enumerate(ledges):
            cells = self._cells(ledge, "ledges", place)
            for side in ledge.bars:
                grid[cells[:, 1], cells[:, 0]] |= _BITS[side]
        return grid

    def _link(self, link: LinkTable, place: int) -> Link:
        return Link(
            link.name,
            link.kind,
            self._cell(link.start, ["links", place, "from"]),
            self._cell(link.goal, ["links", place, "to"]),
            link.cost if "cost" in link.model_fields_set else None,
            link.both_ways,
            _profiles(link),
            _at("links", place),
        )

    def _cell(self, numbers: Sequence[int], steps: list[str | int]) -> Cell:
        x, y, *floor = numbers
        self._require_floor(floor, numbers, steps, "[x, y]", "[x, y, floor]")
        return self._inside(x, y, floor[0] if floor else 0, steps)

    def _inside(self, x: int, y: int, floor: int, steps: list[str | int]) -> Cell:
        rows = self.floor_height or self.height
        floors = self.height // rows
        if not (0 <= x < self.width and 0 <= y < rows and 0 <= floor < floors):
            several = self.floor_height is not None
            raise LevelError(
                f"{[x, y, floor] if several else [x, y]} lies outside the level",
                file=self.path,
                place=json_place(steps),
                expected=f"x from 0 to {self.width - 1}, y from 0 to {rows - 1}"
                + (f", floor from 0 to {floors - 1}" if several else ""),
            )
        return x, y + floor * rows

    def _cells(self, area: _Area, key: str, place: int) -> Int32Array:
        given = area.model_fields_set & {"cells", "rect"}
        if len(given) != 1:
            raise LevelError(
                "found both cells and rect" if given else "found neither cells nor rect",
                file=self.path,
                place=_at(key, place),
                expected="one of the two",
            )
        if "cells" in given:
            steps: list[str | int] = [key, place, "cells"]
            cells = [self._cell(cell, [*steps, at]) for at, cell in enumerate(area.cells)]
            return np.array(cells, dtype=np.int32).reshape(-1, 2)
        steps = [key, place, "rect"]
        x, y, width, height, *floor = area.rect
        self._require_floor(
            floor, area.rect, steps, "[x, y, width, height]", "[x, y, width, height, floor]"
        )
        if width < 1 or height < 1 or width * height > _MAX_AREA:
            raise LevelError(
                f"{width} x {height} cells",
                file=self.path,
                place=json_place(steps),
                expected="at least one cell, inside the level",
            )
        left, top = self._inside(x, y, floor[0] if floor else 0, steps)
        self._inside(x + width - 1, y + height - 1, floor[0] if floor else 0, steps)
        spend_area(self.path, width * height, json_place(steps))
        ys, xs = np.mgrid[top : top + height, left : left + width]
        return np.stack([xs.ravel(), ys.ravel()], axis=1).astype(np.int32)

    def _require_floor(
        self,
        floor: Sequence[int],
        numbers: Sequence[int],
        steps: list[str | int],
        plain: str,
        floored: str,
    ) -> None:
        if bool(floor) != (self.floor_height is not None):
            raise LevelError(
                f"found {list(numbers)}",
                file=self.path,
                place=json_place(steps),
                expected=plain if floor else floored,
                remedy="floors are for levels with floor_height" if floor else "say which floor",
            )


def _at(key: str, place: int) -> str:
    return json_place([key, place])


def _profiles(table: LinkTable | SpotTable) -> tuple[str, ...] | None:
    return tuple(table.profiles) if "profiles" in table.model_fields_set else None
