"""The tile format "bake-tiles": rows of characters or numbers, and what they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from bake.arrays import UInt8Array, UInt32Array
from bake.errors import LevelError
from bake.level import GridLevel, Rules
from bake.levels.json_text import json_place, one_of, shown
from bake.levels.limits import check_size, check_terrain_count
from bake.levels.terrain_json import (
    FIRST_ONLY,
    DistinctNames,
    StrictModel,
    TerrainName,
    Terrains,
    is_plain_text,
    refuse,
    terrain_rules,
    told,
)
from bake.levels.things_checks import checked
from bake.levels.things_json import (
    NESTED_KEYS,
    DoorTable,
    LedgeTable,
    LinkTable,
    RegionTable,
    SpotTable,
    ThingReader,
)
from bake.levels.unknown import UNKNOWN, describe_unknown
from bake.movement import Connectivity, CornerCutting, CostRule, HexLayout

#: The one version there is.
VERSION = 1

_CODE_POINTS = 0x110000


def _symbol(text: str) -> str:
    if len(text) != 1 or not is_plain_text(text):
        refuse(f"{shown(text)} is no legend character", "a single character")
    return text


Symbol = Annotated[str, AfterValidator(_symbol), Field(min_length=1, max_length=1)]


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
        default=8, description="neighbours of a cell: 4 or 8 on square grids, 6 on hex grids"
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
    cells: Annotated[
        list[Any],
        WithJsonSchema(
            {
                "type": "array",
                "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                "description": "the cells, top to bottom: lists of equal length of palette numbers",
            }
        ),
    ] = Field(default=[])
    floor_height: Annotated[int, Field(ge=1)] = Field(
        default=1,
        description="rows of one floor, where several lie below one another in the cells, the "
        "lowest first; steps never lead from one floor to another, links do",
    )
    links: Annotated[list[LinkTable], FIRST_ONLY] = Field(
        default=[], description="ways between two cells: stairs, ladders, teleporters, jumps"
    )
    regions: Annotated[list[RegionTable], FIRST_ONLY] = Field(default=[], description="named cells")
    spots: Annotated[list[SpotTable], FIRST_ONLY] = Field(
        default=[], description="spawns, exits and other named cells"
    )
    doors: Annotated[list[DoorTable], FIRST_ONLY] = Field(
        default=[], description="cells that change terrain together, between named states"
    )
    ledges: Annotated[list[LedgeTable], FIRST_ONLY] = Field(
        default=[], description="cells that bar some headings"
    )


KEYS = tuple(field.alias or name for name, field in TileFile.model_fields.items())


def read_tiles(path: Path, document: dict[str, object]) -> GridLevel:
    """Read a tile level from a parsed file.

    Args:
        path: the file, for names and errors.
        document: its value, an object with ``"format": "bake-tiles"``.

    Raises:
        LevelError: one mistake in it.
        BakeErrors: several.
    """
    check_version(path, document.get("version"), VERSION)
    try:
        tiles = TileFile.model_validate(document)
    except ValidationError as error:
        raise told(error, path, KEYS, nested=NESTED_KEYS) from None
    rules = _rules(path, tiles)
    costs, colours = terrain_rules(tiles.terrains, path, prefix=("terrains",))

    if _uses_rows(path, tiles):
        names = _declared(path, tiles, tuple(tiles.legend.items()), "legend")
        terrain = _from_rows(path, tiles, names)
    else:
        names = _declared(path, tiles, tuple(enumerate(tiles.palette)), "palette")
        terrain = _from_cells(path, tiles, names)
    if not tiles.terrains:
        names, terrain = _drop_unused(names, terrain)
    floor_height = _floor_height(path, tiles, len(terrain))
    reader = ThingReader(path, terrain.shape, floor_height)
    return checked(
        GridLevel(
            name=path.stem,
            source=path,
            terrain=terrain,
            terrains=names,
            terrain_rules=costs,
            colours=colours,
            hex_layout=tiles.hex_layout if tiles.grid == "hex" else None,
            rules=rules,
            barred=reader.barred(tiles.ledges),
            floor_height=floor_height,
            things=reader.things(tiles.links, tiles.regions, tiles.spots, tiles.doors),
        )
    )


def _floor_height(path: Path, tiles: TileFile, height: int) -> int | None:
    if "floor_height" not in tiles.model_fields_set:
        return None
    if height % tiles.floor_height:
        raise LevelError(
            f"floors of {tiles.floor_height:,} rows in a level of {height:,}",
            file=path,
            place="floor_height",
            expected="floors of equal height",
        )
    return tiles.floor_height


def check_version(path: Path, version: object, newest: int) -> None:
    """Refuse a file of another version than this one, before anything else is said of it.

    Raises:
        LevelError: missing, no whole number, too old or too new.
    """
    if type(version) is not int:
        raise LevelError(
            "the version is missing" if version is None else f"the version is {shown(version)}",
            file=path,
            place="version",
            expected=str(newest),
        )
    if version > newest:
        raise LevelError(
            f"version {shown(version)} of the format is too new for this bake",
            file=path,
            place="version",
            expected=f"at most {newest}",
            remedy="update bake",
        )
    if version < 1:
        raise LevelError(
            f"version {shown(version)} of the format is too old, there never was one",
            file=path,
            place="version",
            expected=str(newest),
        )


def _rules(path: Path, tiles: TileFile) -> Rules:
    given = tiles.model_fields_set
    if tiles.grid == "hex":
        if "hex_layout" not in given:
            raise LevelError(
                "a hex grid without a layout",
                file=path,
                place="hex_layout",
                expected='"odd-r", "even-r", "odd-q" or "even-q"',
            )
        if "corner_cutting" in given:
            raise LevelError(
                "hexagons meet at their sides alone, so there are no corners to cut",
                file=path,
                place="corner_cutting",
                remedy="leave it out",
            )
    elif "hex_layout" in given:
        raise LevelError(
            "a square grid with a hex layout",
            file=path,
            place="hex_layout",
            expected='"grid": "hex"',
            remedy="leave one of them out",
        )
    allowed = (6,) if tiles.grid == "hex" else (4, 8)
    if "connectivity" in given and tiles.connectivity not in allowed:
        raise LevelError(
            f"found {tiles.connectivity}",
            file=path,
            place="connectivity",
            expected=f"{' or '.join(map(str, allowed))} on a {tiles.grid} grid",
        )
    connectivity: Connectivity | None = tiles.connectivity if "connectivity" in given else None
    return Rules(
        connectivity=6 if tiles.grid == "hex" else connectivity,
        corner_cutting=tiles.corner_cutting if "corner_cutting" in given else None,
        cost_rule=tiles.cost_rule if "cost_rule" in given else None,
    )


def _uses_rows(path: Path, tiles: TileFile) -> bool:
    """Whether the cells are characters; if so, nothing of the other way may be there."""
    given = tiles.model_fields_set & {"legend", "rows", "palette", "cells"}
    if given == {"legend", "rows"}:
        return True
    if given == {"palette", "cells"}:
        return False
    raise LevelError(
        f"found {', '.join(sorted(given))}" if given else "the level has no cells",
        file=path,
        place="top level",
        expected='"legend" and "rows", or "palette" and "cells"',
    )


def _declared(
    path: Path, tiles: TileFile, entries: Sequence[tuple[str | int, str]], key: str
) -> tuple[str, ...]:
    """All terrains, in the order of ``terrains`` if the file has it, else of the legend."""
    if tiles.terrains:
        for entry, terrain in entries:
            if terrain not in tiles.terrains:
                raise LevelError(
                    f"the terrain {shown(terrain)} is not among the level's terrains",
                    file=path,
                    place=json_place([key, entry]),
                    expected=one_of(tiles.terrains),
                    remedy="add it to terrains, or leave terrains out",
                )
        names = tuple(tiles.terrains)
    else:
        names = tuple(dict.fromkeys(terrain for _, terrain in entries))
    check_terrain_count(path, len(names), "terrains" if tiles.terrains else key)
    return names


def _from_rows(path: Path, tiles: TileFile, names: tuple[str, ...]) -> UInt8Array:
    rows = tiles.rows
    check_size(path, len(rows[0]) if rows else 0, len(rows), place="rows")
    _check_widths(path, "rows", [len(row) for row in rows], "characters")
    number = {name: code for code, name in enumerate(names)}
    look_up = np.full(_CODE_POINTS, UNKNOWN, dtype=np.uint8)
    for symbol, terrain_name in tiles.legend.items():
        look_up[ord(symbol)] = number[terrain_name]
    terrain = np.empty((len(rows), len(rows[0])), dtype=np.uint8)
    for y, row in enumerate(rows):
        terrain[y] = look_up[_code_points(row)]
    if (terrain == UNKNOWN).any():
        listed, (x, y), first = describe_unknown(
            terrain,
            lambda top, bottom: np.stack([_code_points(row) for row in rows[top:bottom]]),
            lambda point: shown(chr(point)),
            "cells",
        )
        raise LevelError(
            f"no legend entry for {listed}",
            file=path,
            place=json_place(["rows", y, x]),
            expected=one_of(tiles.legend) if tiles.legend else None,
            remedy=f"add {first} to legend",
        )
    return terrain


def _code_points(row: str) -> UInt32Array:
    return np.frombuffer(row.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _from_cells(path: Path, tiles: TileFile, names: tuple[str, ...]) -> UInt8Array:
    cells = tiles.cells
    for y, row in enumerate(cells):
        if not isinstance(row, list):
            raise LevelError(
                f"found {shown(row)}",
                file=path,
                place=json_place(["cells", y]),
                expected="a list of palette numbers",
            )
    check_size(path, len(cells[0]) if cells else 0, len(cells), place="cells")
    _check_widths(path, "cells", [len(row) for row in cells], "cells")
    count = len(tiles.palette)
    terrain = np.empty((len(cells), len(cells[0])), dtype=np.uint8)
    for y, row in enumerate(cells):
        if set(map(type, row)) != {int} or min(row) < 0 or max(row) >= count:
            x = next(
                x for x, cell in enumerate(row) if type(cell) is not int or not 0 <= cell < count
            )
            raise LevelError(
                f"found {shown(row[x])} at x {x}, y {y}",
                file=path,
                place=json_place(["cells", y, x]),
                expected=f"a whole number from 0 to {count - 1}, a place in palette"
                if count
                else "no cells, as palette is empty",
            )
        terrain[y] = row
    number = {name: code for code, name in enumerate(names)}
    codes = np.array([number[name] for name in tiles.palette], dtype=np.uint8)
    for y in range(len(cells)):
        terrain[y] = codes[terrain[y]]
    return terrain


def _check_widths(path: Path, key: str, widths: Sequence[int], unit: str) -> None:
    for y, width in enumerate(widths):
        if width != widths[0]:
            raise LevelError(
                f"this row has {width:,} {unit}",
                file=path,
                place=json_place([key, y]),
                expected=f"{widths[0]:,} as in {key}[0]",
            )


def _drop_unused(names: tuple[str, ...], terrain: UInt8Array) -> tuple[tuple[str, ...], UInt8Array]:
    used = np.zeros(256, dtype=np.bool_)
    used[terrain] = True
    present = np.flatnonzero(used)
    renumber = np.zeros(256, dtype=np.uint8)
    renumber[present] = np.arange(len(present))
    return tuple(names[code] for code in present), renumber[terrain]
