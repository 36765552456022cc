"""Check the links, regions, spots, doors, ledges and floors of a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.errors import LevelError, one_error
from bake.core.level import Cell, Door, GridLevel, Link, Region, Spot, Things
from bake.levels.reading.limits import MAX_COST, check_terrain_count
from bake.levels.reading.mistakes import MOST_TOLD, is_plain_text, refuse, shown
from levelbake.errors import BakeError
from levelbake.steps import in_rows

_PLAIN_TEXT = "some text without control characters"

Thing = Link | Region | Spot | Door
T = TypeVar("T", Link, Region, Spot, Door)

#: The most characters of an id; LDtk's have 36.
MAX_ID = 256


def rectangle_cells(left: int, top: int, width: int, height: int) -> Int32Array:
    """Return the cells (x, y) of a rectangle in reading order, (width x height, 2) int32."""
    ys, xs = np.mgrid[top : top + height, left : left + width]
    return np.stack([xs.ravel(), ys.ravel()], axis=1).astype(np.int32)


def move_things(things: Things, prefix: str, x: int, y: int) -> Things:
    """Return the entities of a level, moved by (x, y) cells for use in a larger level.

    Args:
        things: the entities.
        prefix: added in front of their names and ids, and of their places in messages.
        x, y: the cell of the larger level at which the cell (0, 0) lies.
    """

    def move(cell: Cell) -> Cell:
        return (cell[0] + x, cell[1] + y)

    def rename(entity: T) -> T:
        return replace(
            entity,
            name=prefix + entity.name,
            place=prefix + entity.place,
            id=entity.id and prefix + entity.id,
        )

    shift = np.array([x, y], dtype=np.int32)
    return Things(
        tuple(
            replace(
                rename(link),
                start=move(link.start),
                goal=move(link.goal),
                via=tuple(map(move, link.via)),
            )
            for link in things.links
        ),
        tuple(replace(rename(region), cells=region.cells + shift) for region in things.regions),
        tuple(replace(rename(spot), cell=move(spot.cell)) for spot in things.spots),
        tuple(replace(rename(door), cells=door.cells + shift) for door in things.doors),
    )


def merge_things(first: Things, second: Things) -> Things:
    """Concatenate the entities of two levels."""
    return Things(
        first.links + second.links,
        first.regions + second.regions,
        first.spots + second.spots,
        first.doors + second.doors,
    )


def check_things(level: GridLevel) -> GridLevel:
    """Return a level with its entities checked.

    Cells of regions and doors are sorted in reading order, without repeats. Terrains that only the
    states of doors name are added to the level.

    Raises:
        LevelError: there is one mistake.
        BakeErrors: there are several mistakes.
    """
    _check_shape(level)
    things = level.things
    if things == Things():
        return level
    if problems := _Checks(level).problems():
        raise one_error(problems[:MOST_TOLD], more=len(problems) - MOST_TOLD)
    doors = tuple(replace(door, cells=_sort_cells(door.cells)) for door in things.doors)
    regions = tuple(replace(region, cells=_sort_cells(region.cells)) for region in things.regions)
    _check_shared_door_cells(level, doors)
    named = [terrain for door in doors for _, terrain in door.states if terrain is not None]
    terrains = tuple(dict.fromkeys([*level.terrains, *named]))
    check_terrain_count(level.source, len(terrains), "terrains")
    return replace(level, terrains=terrains, things=replace(things, doors=doors, regions=regions))


def _format_cell(cell: Cell, floor_height: int | None) -> str:
    """Format a cell as the designer counts it: (x, y) or (x, y, floor)."""
    x, y = cell
    if floor_height is None:
        return f"({x}, {y})"
    return f"({x}, {y % floor_height}, {y // floor_height})"


def _check_shape(level: GridLevel) -> None:
    rows = level.floor_height
    if rows is not None and (rows < 1 or level.height % rows):
        problem = f"{level.height} rows do not make floors of {rows}"
        refuse(level.source, None, problem, "floors of equal height")
    shifted_rows = level.hex_layout is not None and in_rows(level.hex_layout)
    if rows is not None and rows < level.height and rows % 2 and shifted_rows:
        refuse(
            level.source,
            None,
            f"the floors have {rows} rows each, in layout {level.hex_layout}",
            "an even number of rows, so that every floor begins with a row of one kind",
            "add a row of blocked cells to every floor",
        )
    layout, floor_height = level.hex_layout, rows or level.height
    ambiguity = level.coordinates and level.coordinates.problem(level.width, floor_height, layout)
    if ambiguity:
        refuse(level.source, None, ambiguity, "cells that are distinguishable near the origin")
    if level.barred is not None and level.barred.shape != level.terrain.shape:
        problem = (
            f"there are ledges for {level.barred.shape} cells, and {level.terrain.shape} cells"
        )
        refuse(level.source, None, problem, "the same shape")


class _Checks:
    """Collects the mistakes in the entities of a level."""

    def __init__(self, level: GridLevel) -> None:
        self.level = level
        self.mistakes: list[BakeError] = []

    def add(self, place: str, problem: str, expected: str, remedy: str | None = None) -> None:
        self.mistakes.append(
            LevelError(
                problem, file=self.level.source, place=place, expected=expected, remedy=remedy
            )
        )

    def problems(self) -> list[BakeError]:
        things = self.level.things
        self.check_names("link", things.links)
        self.check_names("region", things.regions)
        self.check_names("spot", things.spots)
        self.check_names("door", things.doors)
        for link in things.links:
            self.check_link(link)
        for spot in things.spots:
            label = f"spot {shown(spot.name)}"
            self.check_text(label, spot.kind, spot.place)
            self.check_cells(f"{label} lies", [spot.cell], spot.place)
            self.check_profiles(label, spot.profiles, spot.place)
        for region in things.regions:
            self.check_area(f"region {shown(region.name)}", region.cells, region.place)
        for door in things.doors:
            self.check_door(door)
        return self.mistakes

    def check_names(self, kind: str, things: Sequence[Thing]) -> None:
        first: dict[str, Thing] = {}
        for thing in things:
            if not is_plain_text(thing.name):
                self.add(thing.place, f"{shown(thing.name)} cannot name a {kind}", _PLAIN_TEXT)
            if thing.id is not None and not (is_plain_text(thing.id) and len(thing.id) <= MAX_ID):
                expected = f"{_PLAIN_TEXT}, at most {MAX_ID}"
                self.add(thing.place, f"{shown(thing.id)} is not an id", expected)
            earlier = first.setdefault(thing.name, thing)
            if earlier is not thing:
                self.add(
                    thing.place,
                    f"there is a second {kind} named {shown(thing.name)}",
                    f"each name once; {earlier.place} has it",
                    "rename one of them",
                )

    def check_link(self, link: Link) -> None:
        label = f"link {shown(link.name)}"
        self.check_text(label, link.kind, link.place)
        self.check_profiles(label, link.profiles, link.place)
        starts = self.check_cells(f"{label} starts", [link.start], link.place)
        ends = self.check_cells(f"{label} ends", [link.goal], link.place)
        if starts and ends and link.start == link.goal:
            cell = _format_cell(link.start, self.level.floor_height)
            self.add(link.place, f"{label} starts and ends at {cell}", "two cells")
        if link.cost is not None and not (0 < link.cost <= MAX_COST and math.isfinite(link.cost)):
            expected = f"a cost above 0, at most {MAX_COST:g}"
            self.add(link.place, f"{label} costs {link.cost:g}", expected)
        if link.via and self.check_cells(f"{label} passes through a cell", link.via, link.place):
            self.check_via(label, link)

    def check_via(self, label: str, link: Link) -> None:
        rows = self.level.floor_height
        for cell, next_cell in pairwise((*link.via, link.goal)):
            if cell in (link.start, link.goal):
                problem = f"{label} passes through {_format_cell(cell, rows)}, one of its ends"
                self.add(link.place, problem, "cells between its ends")
            elif cell == next_cell:
                problem = f"{label} passes through {_format_cell(cell, rows)} twice in a row"
                self.add(link.place, problem, "each cell once, then another")
        doors = self.level.things.doors
        known = {*self.level.terrains, *(name for door in doors for _, name in door.states)}
        for name in link.over or ():
            if name not in known:
                expected = " or ".join(shown(terrain) for terrain in self.level.terrains)
                self.add(link.place, f"{label} leads over {shown(name)}", expected)

    def check_door(self, door: Door) -> None:
        label = f"door {shown(door.name)}"
        self.check_area(label, door.cells, door.place)
        names = [name for name, _ in door.states]
        listed = ", ".join(map(shown, names))
        if len(names) < 2 or len(set(names)) != len(names):
            problem = f"{label} has the states {listed or 'none'}"
            self.add(door.place, problem, "at least two, each name once")
        for text in [*names, *(terrain for _, terrain in door.states if terrain is not None)]:
            self.check_text(label, text, door.place)
        if door.state not in names:
            problem = f"{label} is to be in state {shown(door.state)}"
            self.add(door.place, problem, f"one of its states, {listed}")

    def check_text(self, label: str, text: str, place: str) -> None:
        if not is_plain_text(text):
            self.add(place, f"{label}: {shown(text)} is not a name", _PLAIN_TEXT)

    def check_profiles(self, label: str, profiles: tuple[str, ...] | None, place: str) -> None:
        if profiles is not None and (not profiles or len(set(profiles)) != len(profiles)):
            problem = f"{label} is for the profiles {', '.join(map(shown, profiles)) or 'none'}"
            self.add(place, problem, "at least one, each once; none named means all")

    def check_area(self, label: str, cells: Int32Array, place: str) -> None:
        if not len(cells):
            self.add(place, f"{label} has no cells", "at least one")
        self.check_cells(f"{label} has a cell", cells, place)

    def check_cells(self, label: str, cells: Sequence[Cell] | Int32Array, place: str) -> bool:
        """Check that all cells lie in the level, and return whether they do."""
        level = self.level
        points = np.asarray(cells, dtype=np.int64).reshape(-1, 2)
        outside = ((points < 0) | (points >= [level.width, level.height])).any(axis=1)
        if not outside.any():
            return True
        x, y = points[int(outside.argmax())].tolist()
        rows = level.floor_height
        expected = f"x from 0 to {level.width - 1}, y from 0 to {(rows or level.height) - 1}"
        if rows is not None:
            expected += f", floor from 0 to {level.height // rows - 1}"
        self.add(place, f"{label} at {_format_cell((x, y), rows)}, outside the level", expected)
        return False


def _sort_cells(cells: Int32Array) -> Int32Array:
    """Return the distinct cells in reading order."""
    unique = np.unique(np.asarray(cells, dtype=np.int32)[:, ::-1], axis=0)
    return np.ascontiguousarray(unique[:, ::-1])


def _check_shared_door_cells(level: GridLevel, doors: Sequence[Door]) -> None:
    if not doors:
        return
    cells = np.concatenate([door.cells for door in doors]).astype(np.int64)
    door_of = np.repeat(np.arange(len(doors)), [len(door.cells) for door in doors])
    index = cells[:, 1] * level.width + cells[:, 0]
    # The sort is stable, so equal cells are in the order of their doors.
    order = np.argsort(index, kind="stable")
    shared = np.flatnonzero(index[order][1:] == index[order][:-1])
    if not len(shared):
        return
    repeat = int(order[shared + 1].min())
    door, first = doors[door_of[repeat]], doors[door_of[np.flatnonzero(index == index[repeat])[0]]]
    x, y = cells[repeat].tolist()
    refuse(
        level.source,
        door.place,
        f"door {shown(door.name)} has the cell {_format_cell((x, y), level.floor_height)}, "
        f"which door {shown(first.name)} has",
        "doors without common cells",
        "separate the doors, or merge them",
    )
