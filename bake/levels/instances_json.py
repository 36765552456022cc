"""Read prototypes and instances of tile levels: rooms drawn once and placed many times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, WithJsonSchema

from bake.core.arrays import UInt8Array
from bake.core.level import Instance, Prototype
from bake.core.placement import Placement, all_cells
from bake.levels.reading.mistakes import Where, one_of, shown
from bake.levels.reading.models import FIRST_ONLY, StrictModel, TerrainName
from bake.levels.things_json import Place, ThingReader

#: The owner of a cell outside all instances.
_NO_OWNER = -1

CELLS_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
    "description": "the cells, top to bottom: lists of equal length of palette numbers",
}


class PrototypeTable(StrictModel):
    """A room or house: its cells, in the same notation as the level."""

    rows: Annotated[list[str], FIRST_ONLY] = Field(
        default=[], description="its cells, top to bottom, where the level has a legend"
    )
    cells: Annotated[list[Any], WithJsonSchema(CELLS_SCHEMA)] = Field(default=[])


class InstanceTable(StrictModel):
    """A placement of a prototype in the level."""

    of: TerrainName = Field(description="the name of the prototype")
    at: Place = Field(
        description="[x, y] of the north-west corner of what it covers; on levels of several "
        "floors [x, y, f]"
    )
    turned: Literal[0, 90, 180, 270] = Field(
        default=0, description="degrees clockwise; without it, 0"
    )
    mirrored: bool = Field(
        default=False, description="whether east and west are swapped before it is turned"
    )


def place_instances(
    top: Where,
    tables: Sequence[InstanceTable],
    drawn: Mapping[str, UInt8Array],
    terrain: UInt8Array,
    things: ThingReader,
) -> tuple[tuple[Prototype, ...], tuple[Instance, ...]]:
    """Draw instances into the terrain of a level.

    Args:
        top: the file.
        tables: the instances in the file.
        drawn: (height, width) uint8 terrain of each prototype, by name.
        terrain: (height, width) uint8 terrain of the level; changed in place.
        things: the reader of cells in the level.

    Returns:
        The prototypes and the instances.

    Raises:
        LevelError: a prototype is unknown, or an instance leaves the level or overlaps another.
    """
    names = list(drawn)
    prototypes = tuple(
        Prototype(name, cells.shape[1], cells.shape[0]) for name, cells in drawn.items()
    )
    owner = np.full(terrain.shape, _NO_OWNER, dtype=np.int32)
    instances = []
    for number, table in enumerate(tables):
        where = top.inside("instances", number)
        if table.of not in drawn:
            remedy = None if drawn else "draw it under prototypes"
            expected = one_of(names) if drawn else "the name of a prototype"
            where.inside("of").refuse(f"there is no prototype {shown(table.of)}", expected, remedy)
        kind = names.index(table.of)
        prototype, cells = prototypes[kind], drawn[table.of]
        corner = things.cell(table.at, where, "at")
        placement = Placement(corner, table.turned // 90, table.mirrored)
        wide, high = placement.size(prototype.width, prototype.height)
        rows = things.floor_height or things.height
        if corner[0] + wide > things.width or corner[1] % rows + high > rows:
            where.inside("at").refuse(
                f"{shown(table.of)} covers {wide} x {high} cells here, which leave the level",
                f"x of at most {things.width - wide}, y of at most {rows - high}"
                if wide <= things.width and high <= rows
                else f"at most {things.width} x {rows} cells, as the level has",
            )
        as_drawn = all_cells(prototype.width, prototype.height)
        x, y = placement.cells(as_drawn, prototype.width, prototype.height).T
        overlaps = np.flatnonzero(owner[y, x] != _NO_OWNER)
        if len(overlaps):
            cell = [int(x[overlaps[0]]), int(y[overlaps[0]]) % rows]
            owner_number = int(owner[y[overlaps[0]], x[overlaps[0]]])
            where.refuse(
                f"it overlaps instances[{owner_number}] at {cell}", "instances that share no cell"
            )
        owner[y, x] = number
        terrain[y, x] = cells[as_drawn[:, 1], as_drawn[:, 0]]
        instances.append(Instance(kind, placement, str(where)))
    return prototypes, tuple(instances)
