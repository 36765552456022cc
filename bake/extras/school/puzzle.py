"""Puzzles, planning spaces, and the patterns of their databases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

#: How the values of several patterns become one.
Combine = Literal["sum", "max"]


@dataclass(frozen=True)
class Tiles:
    """A board of sliding tiles."""

    #: width, height: cells a row, and rows
    width: int
    height: int
    goal: tuple[int, ...]  #: tile on each cell, row by row; 0 is the gap

    @property
    def cells(self) -> int:
        return self.width * self.height

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Cells beside each cell: above, to the left, to the right, below."""
        found = []
        for cell in range(self.cells):
            y, x = divmod(cell, self.width)
            around = ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1))
            inside = (at for at in around if 0 <= at[0] < self.width and 0 <= at[1] < self.height)
            found.append(tuple(row * self.width + column for column, row in inside))
        return tuple(found)


@dataclass(frozen=True)
class Action:
    """A step of a plan; variables and values are numbers."""

    name: str
    needs: Mapping[int, int]  #: value by variable that must hold before
    sets: Mapping[int, int]  #: value by variable that holds afterwards
    cost: int  #: a whole number from 0 on


@dataclass(frozen=True)
class Planning:
    """A planning space of variables with finitely many values, as SAS+ has them."""

    variables: tuple[str, ...]  #: the names of the variables
    values: tuple[tuple[str, ...], ...]  #: the names of each variable's values
    actions: tuple[Action, ...]
    goal: Mapping[int, int]  #: wanted value by variable


Moves = Tiles | Planning


@dataclass(frozen=True)
class Puzzle:
    """The contents of a puzzle file."""

    name: str  #: the file name without its suffix
    source: Path  #: the file
    moves: Moves  #: what can be done, and what is wanted
    patterns: tuple[tuple[int, ...], ...]  #: tiles, or numbers of variables, of each pattern
    combine: Combine  #: how the values of the patterns become one
    #: tile on each cell, or value of each variable; None = the file gives none
    start: tuple[int, ...] | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of entries of each pattern's table."""
        return tuple(entries(self.moves, pattern) for pattern in self.patterns)


def entries(moves: Moves, pattern: tuple[int, ...]) -> int:
    """Return the number of entries of a pattern's table.

    Of tiles these are the ways to place them on the board; of variables, to give them values.
    """
    size = 1
    for place, member in enumerate(pattern):
        size *= moves.cells - place if isinstance(moves, Tiles) else len(moves.values[member])
    return size


def is_additive(moves: Moves, patterns: tuple[tuple[int, ...], ...]) -> bool:
    """Return True if the sum of the patterns' values is a lower bound.

    They may where no step counts in two patterns: a move of a tile that is in both (R. Korf,
    A. Felner, "Disjoint Pattern Database Heuristics", 2002), or an action that sets variables of
    both (S. Edelkamp, "Planning with Pattern Databases", 2001).
    """
    if isinstance(moves, Tiles):
        members = [tile for pattern in patterns for tile in pattern]
        return len(members) == len(set(members))
    return all(
        sum(not action.sets.keys().isdisjoint(pattern) for pattern in patterns) <= 1
        for action in moves.actions
    )


def can_be_solved(tiles: Tiles, start: tuple[int, ...]) -> bool:
    """Return True if a board can be solved, as half of all boards can.

    Each move swaps two tiles, the gap being one, and takes the gap across one side; so the parity
    of the permutation and of the gap's way are the same (W. Johnson, W. Story, "Notes on the '15'
    Puzzle", 1879). On a board of one row tiles keep their order.
    """
    if min(tiles.width, tiles.height) == 1:
        return [each for each in start if each] == [each for each in tiles.goal if each]
    place = {tile: cell for cell, tile in enumerate(tiles.goal)}
    wanted = [place[tile] for tile in start]
    swaps = 0
    for cell in range(len(wanted)):
        while wanted[cell] != cell:
            other = wanted[cell]
            wanted[cell], wanted[other] = wanted[other], other
            swaps += 1
    here, there = divmod(start.index(0), tiles.width), divmod(place[0], tiles.width)
    return (swaps + abs(here[0] - there[0]) + abs(here[1] - there[1])) % 2 == 0
