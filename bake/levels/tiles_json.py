"""Read tile levels ("bake-tiles"): rows of characters or numbers with a legend or palette."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema

from bake.core.arrays import Float64Array, UInt8Array, UInt32Array
from bake.core.level import GridLevel, Rules, upright
from bake.levels.instances_json import (
    CELLS_SCHEMA,
    InstanceTable,
    PrototypeTable,
    place_instances,
)
from bake.levels.reading.files import check_version
from bake.levels.reading.limits import MAX_COST, check_size, check_terrain_count
from bake.levels.reading.mistakes import Mistake, Where, is_plain_text, one_of, shown
from bake.levels.reading.models import (
    FIRST_ONLY,
    CellSize,
    DistinctNames,
    Origin,
    StrictModel,
    TerrainName,
    Terrains,
    build_schema,
    terrain_rules,
    validated,
)
from bake.levels.reading.terrains import (
    UNKNOWN,
    built_in_rules,
    describe_unknown,
    remove_unused,
)
from bake.levels.reading.things import check_things
from bake.levels.things_json import (
    DoorTable,
    LedgeTable,
    LinkTable,
    RegionTable,
    SpotTable,
    ThingReader,
)
from levelbake.places import Coordinates
from levelbake.steps import Connectivity, CornerCutting, CostRule, HexLayout

#: The only version of the format so far.
VERSION = 1

_CODE_POINTS = 0x110000


def _check_symbol(text: str) -> str:
    if len(text) != 1 or not is_plain_text(text):
        raise Mistake(f"{shown(text)} is not a legend character", "a single character")
    return text


Symbol = Annotated[str, AfterValidator(_check_symbol), Field(min_length=1, max_length=1)]


class TileFile(StrictModel):
    """A level of square or hexagonal cells: `legend` and `rows`, or `palette` and `cells`."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["legend", "rows"], "properties": {"palette": False, "cells": False}},
                {"required": ["palette", "cells"], "properties": {"legend": False, "rows": False}},
            ],
            "if": {"properties": {"grid": {"const": "hex"}}, "required": ["grid"]},
            "then": {
                "required": ["hex_layout"],
                "properties": {"connectivity": {"const": 6}, "corner_cutting": False},
            },
            "else": {
                "properties": {"connectivity": {"enum": [4, 8]}, "hex_layout": False},
            },
        }
    )

    schema_reference: str = Field(
        default="", alias="$schema", description="where this schema lies, for editors; not used"
    )
    format: Literal["bake-tiles"] = Field(description="names the format")
    version: Literal[1] = Field(description="version of the format")
    description: str = Field(default="", description="a note for people; not used")
    grid: Literal["square", "hex"] = Field(
        default="square", description="shape of the cells; square where it is left out"
    )
    hex_layout: HexLayout = Field(
        default="odd-r",
        description="which rows (r) or columns (q) of a hex grid are shifted by half a cell",
    )
    connectivity: Connectivity = Field(
        default=8, description="neighbors of a cell: 4 or 8 on square grids, 6 on hex grids"
    )
    corner_cutting: CornerCutting = Field(
        default="never",
        description="whether a diagonal step may pass blocked cells at its side: never, past one "
        "if the other is free, or always",
    )
    cost_rule: CostRule = Field(
        default="mean",
        description="cost of a step: mean of both cells, or of the cell entered, x its length",
    )
    terrains: Terrains = Field(
        default={},
        description="costs by terrain; if given, it names every terrain of the level",
    )
    legend: dict[Symbol, TerrainName] = Field(
        default={}, description="terrain by character, for `rows`"
    )
    rows: Annotated[list[str], FIRST_ONLY] = Field(
        default=[], description="the cells, top to bottom: strings of equal length"
    )
    palette: DistinctNames = Field(
        default=[], description="terrains by number, from 0, for `cells`"
    )
    cells: Annotated[list[Any], WithJsonSchema(CELLS_SCHEMA)] = Field(default=[])
    elevation: Annotated[
        list[Any],
        WithJsonSchema(
            {
                "type": "array",
                "items": {"type": "array", "items": {"type": "number"}},
                "description": "elevation of each cell: lists as long as the rows",
            }
        ),
    ] = Field(default=[])
    floor_height: Annotated[int, Field(ge=1)] = Field(
        default=1,
        description="rows of one floor, where several lie below one another in the cells, the "
        "lowest first; steps never lead from one floor to another, links do",
    )
    cell_size: CellSize = Field(
        default=1.0,
        description="width and height of a cell, such as its pixels in the game's art: one number "
        "or [width, height]; of a hexagon, that of the box around it",
    )
    origin: Origin = Field(
        default=(0.0, 0.0), description="[x, y], where the top left corner of the level lies"
    )
    links: Annotated[list[LinkTable], FIRST_ONLY] = Field(
        default=[], description="links between two cells: stairs, ladders, teleporters, jumps"
    )
    regions: Annotated[list[RegionTable], FIRST_ONLY] = Field(default=[], description="named cells")
    spots: Annotated[list[SpotTable], FIRST_ONLY] = Field(
        default=[], description="spawns, exits and other named cells"
    )
    doors: Annotated[list[DoorTable], FIRST_ONLY] = Field(
        default=[], description="cells that change terrain together, between named states"
    )
    ledges: Annotated[list[LedgeTable], FIRST_ONLY] = Field(
        default=[], description="cells that no step enters or leaves in some directions"
    )
    prototypes: dict[TerrainName, PrototypeTable] = Field(
        default={}, description="rooms and houses that are drawn once, by name"
    )
    instances: Annotated[list[InstanceTable], FIRST_ONLY] = Field(
        default=[], description="placements of prototypes in the level, over its cells"
    )


def read_tiles(path: Path, document: dict[str, object]) -> GridLevel:
    """Read a tile level from a parsed file.

    Args:
        path: the file, for names and errors.
        document: the parsed JSON, an object with ``"format": "bake-tiles"``.

    Raises:
        LevelError: the document has one mistake.
        BakeErrors: it has several mistakes.
    """
    top = Where(path)
    check_version(top, document.get("version"), VERSION)
    tiles = validated(TileFile, document, top)
    rules = _read_rules(top, tiles)
    costs, colors = terrain_rules(tiles.terrains, top.inside("terrains"))

    if by_rows := _uses_rows(top, tiles):
        names = _terrain_names(top, tiles, tuple(tiles.legend.items()), "legend")
        terrain = _read_rows(top, tiles.rows, tiles.legend, names)
    else:
        names = _terrain_names(top, tiles, tuple(enumerate(tiles.palette)), "palette")
        terrain = _read_cells(top, tiles.cells, tiles.palette, names)
    floor_height = _read_floor_height(top, tiles, len(terrain))
    reader = ThingReader(top, terrain.shape, floor_height)
    drawn = _read_prototypes(top, tiles, names, by_rows=by_rows)
    prototypes, instances = place_instances(top, tiles.instances, drawn, terrain, reader)
    if not tiles.terrains:
        names = remove_unused(names, terrain)
    return check_things(
        GridLevel(
            name=path.stem,
            source=path,
            terrain=terrain,
            terrains=names,
            terrain_rules={**built_in_rules(names), **costs},
            colours=colors,
            hex_layout=tiles.hex_layout if tiles.grid == "hex" else None,
            rules=rules,
            barred=reader.barred(tiles.ledges),
            elevation=_read_elevation(top, tiles, terrain.shape),
            floor_height=floor_height,
            things=reader.things(tiles.links, tiles.regions, tiles.spots, tiles.doors),
            prototypes=prototypes,
            instances=instances,
            coordinates=_build_coordinates(tiles),
        )
    )


def tile_schema() -> dict[str, Any]:
    """Return the JSON Schema of tile levels, for editors and generators.

    A schema cannot require rows of equal length, or only characters of the legend.
    """
    return build_schema(TileFile, "bake tile level, version 1")


def _read_floor_height(top: Where, tiles: TileFile, height: int) -> int | None:
    if "floor_height" not in tiles.model_fields_set:
        return None
    if height % tiles.floor_height:
        problem = f"floors of {tiles.floor_height:,} rows do not fit into a level of {height:,}"
        top.inside("floor_height").refuse(problem, "floors of equal height")
    return tiles.floor_height


def _build_coordinates(tiles: TileFile) -> Coordinates | None:
    if not tiles.model_fields_set & {"cell_size", "origin"}:
        return None
    return upright(tiles.cell_size, tiles.origin, tiles.hex_layout if tiles.grid == "hex" else None)


def _read_rules(top: Where, tiles: TileFile) -> Rules:
    given = tiles.model_fields_set
    if tiles.grid == "hex":
        if "hex_layout" not in given:
            expected = '"odd-r", "even-r", "odd-q" or "even-q"'
            top.inside("hex_layout").refuse("the hex grid has no layout", expected)
        if "corner_cutting" in given:
            problem = "hexagons meet at their sides alone, so there are no corners to cut"
            top.inside("corner_cutting").refuse(problem, None, "leave it out")
    elif "hex_layout" in given:
        problem, expected = "the grid is square, but has a hex layout", '"grid": "hex"'
        top.inside("hex_layout").refuse(problem, expected, "leave one of them out")
    allowed = (6,) if tiles.grid == "hex" else (4, 8)
    if "connectivity" in given and tiles.connectivity not in allowed:
        expected = f"{' or '.join(map(str, allowed))} on a {tiles.grid} grid"
        top.inside("connectivity").refuse(f"found {tiles.connectivity}", expected)
    connectivity: Connectivity | None = tiles.connectivity if "connectivity" in given else None
    return Rules(
        connectivity=6 if tiles.grid == "hex" else connectivity,
        corner_cutting=tiles.corner_cutting if "corner_cutting" in given else None,
        cost_rule=tiles.cost_rule if "cost_rule" in given else None,
    )


def _uses_rows(top: Where, tiles: TileFile) -> bool:
    """Return whether the level has rows and a legend; otherwise it needs a palette and cells."""
    given = tiles.model_fields_set & {"legend", "rows", "palette", "cells"}
    if given == {"legend", "rows"}:
        return True
    if given != {"palette", "cells"}:
        problem = f"found {', '.join(sorted(given))}" if given else "the level has no cells"
        top.refuse(problem, '"legend" and "rows", or "palette" and "cells"')
    return False


def _terrain_names(
    top: Where, tiles: TileFile, entries: Sequence[tuple[str | int, str]], key: str
) -> tuple[str, ...]:
    """Return the terrains in the order of ``terrains`` in the file, or else of the legend."""
    if tiles.terrains:
        for entry, terrain in entries:
            if terrain not in tiles.terrains:
                top.inside(key, entry).refuse(
                    f"the terrain {shown(terrain)} is not among the level's terrains",
                    one_of(tiles.terrains),
                    "add it to terrains, or leave terrains out",
                )
        names = tuple(tiles.terrains)
    else:
        names = tuple(dict.fromkeys(terrain for _, terrain in entries))
    check_terrain_count(top.file, len(names), "terrains" if tiles.terrains else key)
    return names


def _read_prototypes(
    top: Where, tiles: TileFile, names: tuple[str, ...], *, by_rows: bool
) -> dict[str, UInt8Array]:
    """Return the (height, width) uint8 terrain of each prototype, by name."""
    if tiles.grid == "hex" and (tiles.prototypes or tiles.instances):
        key = "prototypes" if tiles.prototypes else "instances"
        problem = "the grid is hexagonal, and hexagons have no quarter turns"
        top.inside(key).refuse(problem, "prototypes on square grids")
    drawn = {}
    for name, table in tiles.prototypes.items():
        where = top.inside("prototypes", name)
        wanted = "rows" if by_rows else "cells"
        if table.model_fields_set != {wanted}:
            given = " and ".join(sorted(table.model_fields_set)) or "no cells"
            where.refuse(f"found {given}", f"{wanted}, as the level has")
        drawn[name] = (
            _read_rows(where, table.rows, tiles.legend, names)
            if by_rows
            else _read_cells(where, table.cells, tiles.palette, names)
        )
    return drawn


def _read_rows(
    where: Where, rows: list[str], legend: dict[str, str], names: tuple[str, ...]
) -> UInt8Array:
    place = str(where.inside("rows"))
    check_size(where.file, len(rows[0]) if rows else 0, len(rows), place=place)
    _check_widths(where.inside("rows"), [len(row) for row in rows], "characters")
    number = {name: code for code, name in enumerate(names)}
    look_up = np.full(_CODE_POINTS, UNKNOWN, dtype=np.uint8)
    for symbol, terrain_name in legend.items():
        look_up[ord(symbol)] = number[terrain_name]
    terrain = np.empty((len(rows), len(rows[0])), dtype=np.uint8)
    for y, row in enumerate(rows):
        terrain[y] = look_up[_encode_row(row)]
    if (terrain == UNKNOWN).any():
        listed, (x, y), labels = describe_unknown(
            terrain,
            lambda low, high: np.stack([_encode_row(row) for row in rows[low:high]]),
            lambda point: shown(chr(point)),
            "cells",
        )
        where.inside("rows", y, x).refuse(
            f"the legend has no entry for {listed}",
            one_of(legend) if legend else None,
            f"add {labels[0]} to legend",
        )
    return terrain


def _encode_row(row: str) -> UInt32Array:
    return np.frombuffer(row.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _read_cells(
    where: Where, cells: list[Any], palette: list[str], names: tuple[str, ...]
) -> UInt8Array:
    for y, row in enumerate(cells):
        if not isinstance(row, list):
            where.inside("cells", y).refuse(f"found {shown(row)}", "a list of palette numbers")
    place = str(where.inside("cells"))
    check_size(where.file, len(cells[0]) if cells else 0, len(cells), place=place)
    _check_widths(where.inside("cells"), [len(row) for row in cells], "cells")
    count = len(palette)
    terrain = np.empty((len(cells), len(cells[0])), dtype=np.uint8)
    for y, row in enumerate(cells):
        if set(map(type, row)) != {int} or min(row) < 0 or max(row) >= count:
            x = next(
                x for x, cell in enumerate(row) if type(cell) is not int or not 0 <= cell < count
            )
            where.inside("cells", y, x).refuse(
                f"found {shown(row[x])} at x {x}, y {y}",
                f"a whole number from 0 to {count - 1}, a place in palette"
                if count
                else "no cells, as palette is empty",
            )
        terrain[y] = row
    number = {name: code for code, name in enumerate(names)}
    codes = np.array([number[name] for name in palette], dtype=np.uint8)
    for y in range(len(cells)):
        terrain[y] = codes[terrain[y]]
    return terrain


def _read_elevation(top: Where, tiles: TileFile, shape: tuple[int, ...]) -> Float64Array | None:
    """Return the (height, width) float64 elevation in units, or None if the file has none."""
    if "elevation" not in tiles.model_fields_set:
        return None
    where, rows = top.inside("elevation"), tiles.elevation
    if len(rows) != shape[0]:
        where.refuse(f"found {len(rows):,} rows", f"{shape[0]:,}, as the level has")
    elevation = np.empty(shape, dtype=np.float64)
    for y, row in enumerate(rows):
        if not isinstance(row, list):
            where.inside(y).refuse(f"found {shown(row)}", "a list of numbers")
        if len(row) != shape[1]:
            where.inside(y).refuse(
                f"found {len(row):,} numbers", f"{shape[1]:,}, one for each cell"
            )
        for x, value in enumerate(row):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not abs(value) <= MAX_COST:
                expected = f"a number from {-MAX_COST:g} to {MAX_COST:g}"
                where.inside(y, x).refuse(f"found {shown(value)}", expected)
        elevation[y] = row
    return elevation


def _check_widths(where: Where, widths: Sequence[int], unit: str) -> None:
    for y, width in enumerate(widths):
        if width != widths[0]:
            expected = f"{widths[0]:,} as in {where}[0]"
            where.inside(y).refuse(f"this row has {width:,} {unit}", expected)
