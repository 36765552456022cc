"""Check the links, regions, spots, doors, ledges and floors that readers return."""

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


def rectangle(left: int, top: int, width: int, height: int) -> Int32Array:
    """Return the cells (x, y) of a rectangle in reading order, (width x height, 2) int32."""
    ys, xs = np.mgrid[top : top + height, left : left + width]
    return np.stack([xs.ravel(), ys.ravel()], axis=1).astype(np.int32)


def moved(things: Things, prefix: str, x: int, y: int) -> Things:
    """Move the things of a level into a larger one, where its cell (0, 0) is (x, y).

    Args:
        things: any things.
        prefix: put before their names and ids, and before their places in messages.
    """

    def cell(at: Cell) -> Cell:
        return (at[0] + x, at[1] + y)

    def called(each: T) -> T:
        own = each.id and prefix + each.id
        return replace(each, name=prefix + each.name, place=prefix + each.place, id=own)

    shift = np.array([x, y], dtype=np.int32)
    return Things(
        tuple(
            replace(
                called(link),
                start=cell(link.start),
                goal=cell(link.goal),
                via=tuple(map(cell, link.via)),
            )
            for link in things.links
        ),
        tuple(replace(called(region), cells=region.cells + shift) for region in things.regions),
        tuple(replace(called(spot), cell=cell(spot.cell)) for spot in things.spots),
        tuple(replace(called(door), cells=door.cells + shift) for door in things.doors),
    )


def joined(one: Things, other: Things) -> Things:
    """Return the things of both, those of the first one first."""
    return Things(
        one.links + other.links,
        one.regions + other.regions,
        one.spots + other.spots,
        one.doors + other.doors,
    )


def checked(level: GridLevel) -> GridLevel:
    """Check a level's things, and return the level.

    Cells of regions and doors come out sorted in reading order, each once; terrains that only a
    door's states name are added to the level's.

    Raises:
        LevelError: there is one mistake; it says the place of the thing it is about.
        BakeErrors: there are several mistakes.
    """
    _check_shape(level)
    things = level.things
    if things == Things():
        return level
    if problems := _Checks(level).problems():
        raise one_error(problems[:MOST_TOLD], more=len(problems) - MOST_TOLD)
    doors = tuple(replace(door, cells=_in_order(door.cells)) for door in things.doors)
    regions = tuple(replace(region, cells=_in_order(region.cells)) for region in things.regions)
    _check_shared_door_cells(level, doors)
    named = [terrain for door in doors for _, terrain in door.states if terrain is not None]
    terrains = tuple(dict.fromkeys([*level.terrains, *named]))
    check_terrain_count(level.source, len(terrains), "terrains")
    return replace(level, terrains=terrains, things=replace(things, doors=doors, regions=regions))


def _cell_text(cell: Cell, floor_height: int | None) -> str:
    """Write a cell as the level's designer counts it: (x, y) or (x, y, floor)."""
    x, y = cell
    if floor_height is None:
        return f"({x}, {y})"
    return f"({x}, {y % floor_height}, {y // floor_height})"


def _check_shape(level: GridLevel) -> None:
    rows = level.floor_height
    if rows is not None and (rows < 1 or level.height % rows):
        found = f"{level.height} rows do not make floors of {rows}"
        refuse(level.source, None, found, "floors of equal height")
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
    problem = level.coordinates and level.coordinates.problem(level.width, floor_height, layout)
    if problem:
        refuse(level.source, None, problem, "cells that can be told apart near the origin")
    if level.barred is not None and level.barred.shape != level.terrain.shape:
        found = f"there are ledges for {level.barred.shape} cells, and {level.terrain.shape} cells"
        refuse(level.source, None, found, "the same shape")


class _Checks:
    """Collects the mistakes in a level's things."""

    def __init__(self, level: GridLevel) -> None:
        self.level = level
        self.found: list[BakeError] = []

    def wrong(self, place: str, found: str, expected: str, remedy: str | None = None) -> None:
        self.found.append(
            LevelError(found, file=self.level.source, place=place, expected=expected, remedy=remedy)
        )

    def problems(self) -> list[BakeError]:
        things = self.level.things
        self.names("link", things.links)
        self.names("region", things.regions)
        self.names("spot", things.spots)
        self.names("door", things.doors)
        for link in things.links:
            self.link(link)
        for spot in things.spots:
            said = f"spot {shown(spot.name)}"
            self.text(said, spot.kind, spot.place)
            self.cells(f"{said} lies", [spot.cell], spot.place)
            self.profiles(said, spot.profiles, spot.place)
        for region in things.regions:
            self.area(f"region {shown(region.name)}", region.cells, region.place)
        for door in things.doors:
            self.door(door)
        return self.found

    def names(self, kind: str, things: Sequence[Thing]) -> None:
        first: dict[str, Thing] = {}
        for thing in things:
            if not is_plain_text(thing.name):
                self.wrong(thing.place, f"{shown(thing.name)} cannot name a {kind}", _PLAIN_TEXT)
            if thing.id is not None and not (is_plain_text(thing.id) and len(thing.id) <= MAX_ID):
                expected = f"{_PLAIN_TEXT}, at most {MAX_ID}"
                self.wrong(thing.place, f"{shown(thing.id)} is not an id", expected)
            other = first.setdefault(thing.name, thing)
            if other is not thing:
                self.wrong(
                    thing.place,
                    f"there is a second {kind} named {shown(thing.name)}",
                    f"each name once; {other.place} has it",
                    "rename one of them",
                )

    def link(self, link: Link) -> None:
        said = f"link {shown(link.name)}"
        self.text(said, link.kind, link.place)
        self.profiles(said, link.profiles, link.place)
        starts = self.cells(f"{said} starts", [link.start], link.place)
        ends = self.cells(f"{said} ends", [link.goal], link.place)
        if starts and ends and link.start == link.goal:
            at = _cell_text(link.start, self.level.floor_height)
            self.wrong(link.place, f"{said} starts and ends at {at}", "two cells")
        if link.cost is not None and not (0 < link.cost <= MAX_COST and math.isfinite(link.cost)):
            expected = f"a cost above 0, at most {MAX_COST:g}"
            self.wrong(link.place, f"{said} costs {link.cost:g}", expected)
        if link.via and self.cells(f"{said} passes through a cell", link.via, link.place):
            self.via(said, link)

    def via(self, said: str, link: Link) -> None:
        rows = self.level.floor_height
        for at, following in pairwise((*link.via, link.goal)):
            if at in (link.start, link.goal):
                found = f"{said} passes through {_cell_text(at, rows)}, one of its ends"
                self.wrong(link.place, found, "cells between its ends")
            elif at == following:
                found = f"{said} passes through {_cell_text(at, rows)} twice in a row"
                self.wrong(link.place, found, "each cell once, then another")
        doors = self.level.things.doors
        known = {*self.level.terrains, *(name for door in doors for _, name in door.states)}
        for name in link.over or ():
            if name not in known:
                expected = " or ".join(shown(each) for each in self.level.terrains)
                self.wrong(link.place, f"{said} leads over {shown(name)}", expected)

    def door(self, door: Door) -> None:
        said = f"door {shown(door.name)}"
        self.area(said, door.cells, door.place)
        names = [name for name, _ in door.states]
        listed = ", ".join(map(shown, names))
        if len(names) < 2 or len(set(names)) != len(names):
            found = f"{said} has the states {listed or 'none'}"
            self.wrong(door.place, found, "at least two, each name once")
        for text in [*names, *(terrain for _, terrain in door.states if terrain is not None)]:
            self.text(said, text, door.place)
        if door.state not in names:
            found = f"{said} is to be in state {shown(door.state)}"
            self.wrong(door.place, found, f"one of its states, {listed}")

    def text(self, said: str, text: str, place: str) -> None:
        if not is_plain_text(text):
            self.wrong(place, f"{said}: {shown(text)} is not a name", _PLAIN_TEXT)

    def profiles(self, said: str, profiles: tuple[str, ...] | None, place: str) -> None:
        if profiles is not None and (not profiles or len(set(profiles)) != len(profiles)):
            found = f"{said} is for the profiles {', '.join(map(shown, profiles)) or 'none'}"
            self.wrong(place, found, "at least one, each once; none named means all")

    def area(self, said: str, cells: Int32Array, place: str) -> None:
        if not len(cells):
            self.wrong(place, f"{said} has no cells", "at least one")
        self.cells(f"{said} has a cell", cells, place)

    def cells(self, said: str, cells: Sequence[Cell] | Int32Array, place: str) -> bool:
        """Check that all cells lie in the level, and return whether they do."""
        level = self.level
        at = np.asarray(cells, dtype=np.int64).reshape(-1, 2)
        outside = ((at < 0) | (at >= [level.width, level.height])).any(axis=1)
        if not outside.any():
            return True
        x, y = at[int(outside.argmax())].tolist()
        rows = level.floor_height
        expected = f"x from 0 to {level.width - 1}, y from 0 to {(rows or level.height) - 1}"
        if rows is not None:
            expected += f", floor from 0 to {level.height // rows - 1}"
        self.wrong(place, f"{said} at {_cell_text((x, y), rows)}, outside the level", expected)
        return False


def _in_order(cells: Int32Array) -> Int32Array:
    """Sort the cells into reading order, and keep each once."""
    unique = np.unique(np.asarray(cells, dtype=np.int32)[:, ::-1], axis=0)
    return np.ascontiguousarray(unique[:, ::-1])


def _check_shared_door_cells(level: GridLevel, doors: Sequence[Door]) -> None:
    if not doors:
        return
    cells = np.concatenate([door.cells for door in doors]).astype(np.int64)
    door_of = np.repeat(np.arange(len(doors)), [len(door.cells) for door in doors])
    place = cells[:, 1] * level.width + cells[:, 0]
    # The sort is stable, so of equal cells those of the earlier doors come first.
    order = np.argsort(place, kind="stable")
    shared = np.flatnonzero(place[order][1:] == place[order][:-1])
    if not len(shared):
        return
    at = int(order[shared + 1].min())
    door, first = doors[door_of[at]], doors[door_of[np.flatnonzero(place == place[at])[0]]]
    x, y = cells[at].tolist()
    refuse(
        level.source,
        door.place,
        f"door {shown(door.name)} has the cell {_cell_text((x, y), level.floor_height)}, "
        f"which door {shown(first.name)} has",
        "doors without common cells",
        "draw the doors apart, or make them one",
    )
