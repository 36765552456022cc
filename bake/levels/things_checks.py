"""What every reader's links, regions, spots, doors, ledges and floors have to hold to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from bake.arrays import Int32Array
from bake.errors import BakeError, BakeErrors, LevelError
from bake.level import Cell, Door, GridLevel, Link, Region, Spot, Things
from bake.levels.json_text import shown
from bake.levels.limits import MAX_COST, check_terrain_count
from bake.levels.terrain_json import is_plain_text

_MAX_PROBLEMS = 8

Thing = Link | Region | Spot | Door


def checked(level: GridLevel) -> GridLevel:
    """The level, once its things are known to make sense.

    Cells of regions and doors come out sorted in reading order, each once; terrains that only a
    door's states name are added to the level's.

    Raises:
        LevelError: one mistake, with the place of the thing it is about.
        BakeErrors: several.
    """
    _check_shape(level)
    things = level.things
    if things == Things():
        return level
    problems = [*_problems(level, things)]
    if problems:
        if len(problems) > _MAX_PROBLEMS:
            more = f"and {len(problems) - _MAX_PROBLEMS:,} more mistakes"
            problems = [*problems[:_MAX_PROBLEMS], LevelError(more, file=level.source)]
        raise problems[0] if len(problems) == 1 else BakeErrors(problems)
    doors = tuple(replace(door, cells=_in_order(door.cells)) for door in things.doors)
    regions = tuple(replace(region, cells=_in_order(region.cells)) for region in things.regions)
    if problem := _shared_door_cell(level, doors):
        raise problem
    named = [terrain for door in doors for _, terrain in door.states if terrain is not None]
    terrains = tuple(dict.fromkeys([*level.terrains, *named]))
    check_terrain_count(level.source, len(terrains), "terrains")
    return replace(level, terrains=terrains, things=replace(things, doors=doors, regions=regions))


def cell_text(cell: Cell, floor_height: int | None) -> str:
    """A cell of the terrain grid as the level's designer counts it: (x, y) or (x, y, floor)."""
    x, y = cell
    if floor_height is None:
        return f"({x}, {y})"
    return f"({x}, {y % floor_height}, {y // floor_height})"


def _check_shape(level: GridLevel) -> None:
    rows = level.floor_height
    if rows is not None and (rows < 1 or level.height % rows):
        raise LevelError(
            f"{level.height} rows do not make floors of {rows}",
            file=level.source,
            expected="floors of equal height",
        )
    shoved_rows = level.hex_layout is not None and level.hex_layout.endswith("r")
    if rows is not None and rows < level.height and rows % 2 and shoved_rows:
        raise LevelError(
            f"floors of {rows} rows in layout {level.hex_layout}",
            file=level.source,
            expected="an even number of rows, so that every floor begins with a row of one kind",
            remedy="add a row of blocked cells to every floor",
        )
    if level.barred is not None and level.barred.shape != level.terrain.shape:
        raise LevelError(
            f"ledges of {level.barred.shape} for cells of {level.terrain.shape}",
            file=level.source,
            expected="the same shape",
        )


def _problems(level: GridLevel, things: Things) -> Iterator[BakeError]:
    for kind, each in (
        ("link", things.links),
        ("region", things.regions),
        ("spot", things.spots),
        ("door", things.doors),
    ):
        yield from _names(level, kind, each)
    for link in things.links:
        yield from _link(level, link)
    for spot in things.spots:
        yield from _text(level, f"spot {shown(spot.name)}", spot.kind, spot.place)
        yield from _cells(level, f"spot {shown(spot.name)} lies", [spot.cell], spot.place)
        yield from _profiles(level, f"spot {shown(spot.name)}", spot.profiles, spot.place)
    for region in things.regions:
        yield from _area(level, f"region {shown(region.name)}", region.cells, region.place)
    for door in things.doors:
        yield from _door(level, door)


def _names(level: GridLevel, kind: str, things: Sequence[Thing]) -> Iterator[BakeError]:
    first: dict[str, Thing] = {}
    for thing in things:
        if not is_plain_text(thing.name):
            yield LevelError(
                f"{shown(thing.name)} is no name for a {kind}",
                file=level.source,
                place=thing.place,
                expected="some text without control characters",
            )
        other = first.setdefault(thing.name, thing)
        if other is not thing:
            yield LevelError(
                f"a second {kind} named {shown(thing.name)}",
                file=level.source,
                place=thing.place,
                expected=f"each name once; {other.place} has it",
                remedy="rename one of them",
            )


def _link(level: GridLevel, link: Link) -> Iterator[BakeError]:
    said = f"link {shown(link.name)}"
    yield from _text(level, said, link.kind, link.place)
    yield from _profiles(level, said, link.profiles, link.place)
    outside = [
        *_cells(level, f"{said} starts", [link.start], link.place),
        *_cells(level, f"{said} ends", [link.goal], link.place),
    ]
    yield from outside
    if not outside and link.start == link.goal:
        yield LevelError(
            f"{said} starts and ends at {cell_text(link.start, level.floor_height)}",
            file=level.source,
            place=link.place,
            expected="two cells",
        )
    if link.cost is not None and not (0 < link.cost <= MAX_COST and math.isfinite(link.cost)):
        yield LevelError(
            f"{said} costs {link.cost:g}",
            file=level.source,
            place=link.place,
            expected=f"a cost above 0, at most {MAX_COST:g}",
        )


def _door(level: GridLevel, door: Door) -> Iterator[BakeError]:
    said = f"door {shown(door.name)}"
    yield from _area(level, said, door.cells, door.place)
    names = [name for name, _ in door.states]
    if len(names) < 2 or len(set(names)) != len(names):
        yield LevelError(
            f"{said} has the states {', '.join(map(shown, names)) or 'none'}",
            file=level.source,
            place=door.place,
            expected="at least two, each name once",
        )
    for text in [*names, *(terrain for _, terrain in door.states if terrain is not None)]:
        yield from _text(level, said, text, door.place)
    if door.state not in names:
        yield LevelError(
            f"{said} is to be in state {shown(door.state)}",
            file=level.source,
            place=door.place,
            expected=f"one of its states, {', '.join(map(shown, names))}",
        )


def _text(level: GridLevel, said: str, text: str, place: str) -> Iterator[BakeError]:
    if not is_plain_text(text):
        yield LevelError(
            f"{said}: {shown(text)} is no name",
            file=level.source,
            place=place,
            expected="some text without control characters",
        )


def _profiles(
    level: GridLevel, said: str, profiles: tuple[str, ...] | None, place: str
) -> Iterator[BakeError]:
    if profiles is not None and (not profiles or len(set(profiles)) != len(profiles)):
        yield LevelError(
            f"{said} is for the profiles {', '.join(map(shown, profiles)) or 'none'}",
            file=level.source,
            place=place,
            expected="at least one, each once; none named means all",
        )


def _area(level: GridLevel, said: str, cells: Int32Array, place: str) -> Iterator[BakeError]:
    if not len(cells):
        yield LevelError(
            f"{said} has no cells", file=level.source, place=place, expected="at least one"
        )
    yield from _cells(level, f"{said} has a cell", cells, place)


def _cells(
    level: GridLevel, said: str, cells: Sequence[Cell] | Int32Array, place: str
) -> Iterator[BakeError]:
    at = np.asarray(cells, dtype=np.int64).reshape(-1, 2)
    outside = ((at < 0) | (at >= [level.width, level.height])).any(axis=1)
    if outside.any():
        x, y = at[int(outside.argmax())].tolist()
        rows = level.floor_height
        rest = f"y from 0 to {(rows or level.height) - 1}"
        if rows is not None:
            rest += f", floor from 0 to {level.height // rows - 1}"
        yield LevelError(
            f"{said} at {cell_text((x, y), rows)}, outside the level",
            file=level.source,
            place=place,
            expected=f"x from 0 to {level.width - 1}, {rest}",
        )


def _in_order(cells: Int32Array) -> Int32Array:
    """The cells in reading order, each once."""
    unique = np.unique(np.asarray(cells, dtype=np.int32)[:, ::-1], axis=0)
    return np.ascontiguousarray(unique[:, ::-1])


def _shared_door_cell(level: GridLevel, doors: Sequence[Door]) -> LevelError | None:
    if not doors:
        return None
    cells = np.concatenate([door.cells for door in doors]).astype(np.int64)
    door_of = np.repeat(np.arange(len(doors)), [len(door.cells) for door in doors])
    place = cells[:, 1] * level.width + cells[:, 0]
    # Stable, so that of the cells of one place those of the earlier doors come first.
    order = np.argsort(place, kind="stable")
    shared = np.flatnonzero(place[order][1:] == place[order][:-1])
    if not len(shared):
        return None
    at = int(order[shared + 1].min())
    door, first = doors[door_of[at]], doors[door_of[np.flatnonzero(place == place[at])[0]]]
    x, y = cells[at].tolist()
    return LevelError(
        f"door {shown(door.name)} has the cell {cell_text((x, y), level.floor_height)}, "
        f"which door {shown(first.name)} has",
        file=level.source,
        place=door.place,
        expected="doors without common cells",
    )
