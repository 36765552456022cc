"""What a level holds besides terrain: links, regions, spots, doors. Every reader gives the same."""

from __future__ import annotations

from dataclasses import dataclass

from bake.arrays import Int32Array

Cell = tuple[int, int]

#: Headings of a step, as bits; a diagonal step has two.
NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8


@dataclass(frozen=True)
class Link:
    """A way between two cells that need not be neighbours: a teleporter, ladder, stair, jump.

    Attributes:
        name: unique within the level.
        kind: what the file calls it ("teleporter", "stairs"); "link" where it says nothing.
        start, goal: cells.
        cost: of taking it in units, positive; None = what the straight way would be, at least 1.
        both_ways: whether it also leads back, at the same cost.
        profiles: who may take it, by name; None = every profile.
        place: where the file says so, for messages.
    """

    name: str
    kind: str
    start: Cell
    goal: Cell
    cost: float | None
    both_ways: bool
    profiles: tuple[str, ...] | None
    place: str


@dataclass(frozen=True)
class Region:
    """Named cells; regions of a level may become its clusters.

    Attributes:
        name: unique among the level's regions.
        cells: (k, 2) int32 (x, y), unique, k >= 1.
        place: where the file says so.
    """

    name: str
    cells: Int32Array
    place: str


@dataclass(frozen=True)
class Spot:
    """A named cell that matters to the game.

    Attributes:
        name: unique among the level's spots.
        kind: "spawn", "exit", or whatever else the file calls it.
        cell: where.
        profiles: whose it is; None = every profile's.
        place: where the file says so.
    """

    name: str
    kind: str
    cell: Cell
    profiles: tuple[str, ...] | None
    place: str


@dataclass(frozen=True)
class Door:
    """Cells that change terrain together, between states with names.

    Attributes:
        name: unique among the level's doors.
        cells: (k, 2) int32 (x, y), unique, k >= 1.
        states: name of a state and the terrain its cells have in it, at least two; a terrain of
            None leaves what the map has there.
        state: the one the level is baked in.
        place: where the file says so.
    """

    name: str
    cells: Int32Array
    states: tuple[tuple[str, str | None], ...]
    state: str
    place: str


@dataclass(frozen=True)
class Things:
    """All of a level's things, each in the order of the file."""

    links: tuple[Link, ...] = ()
    regions: tuple[Region, ...] = ()
    spots: tuple[Spot, ...] = ()
    doors: tuple[Door, ...] = ()
