"""Queries of pattern databases."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bake.core.arrays import AnyArray
from bake.extras.school.pattern_asset import PatternAsset
from bake.extras.school.patterns.planning import strides
from bake.extras.school.puzzle import Planning, Puzzle, Tiles
from bake.extras.school.spaces.puzzles import PlanSpace, SlidingTiles, checked_board, numbers_of
from levelbake.errors import QueryError


class Patterns:
    """A pattern database: lower bounds of the cost to solve a puzzle.

    Attributes:
        puzzle: the puzzle it was baked of.
        tables: the table of each pattern, by rank; all ones where nothing leads to the goal.
    """

    def __init__(self, puzzle: Puzzle, distance: AnyArray) -> None:
        """Wrap tables.

        Args:
            puzzle: the puzzle.
            distance: (entries,) the tables of its patterns, one after another.
        """
        self.puzzle = puzzle
        self.distance = distance
        self.none = int(np.iinfo(distance.dtype).max)
        cuts = np.cumsum([0, *puzzle.sizes])
        self.tables = [distance[a:b] for a, b in pairwise(cuts)]
        # Memory views give single elements faster than arrays do.
        self._views = [table.data for table in self.tables]
        self._combine: Callable[[list[float]], float] = sum if puzzle.combine == "sum" else max
        self._strides = [
            strides(puzzle.moves, pattern) if isinstance(puzzle.moves, Planning) else ()
            for pattern in puzzle.patterns
        ]

    def h(self, state: Sequence[Any]) -> float:
        """Return a lower bound of the cost from a state to the goal; infinite if it is unreachable.

        Args:
            state: as in the states of :meth:`space`: the tile on each cell row by row with 0 for
                the gap, or the name of each variable's value.

        Raises:
            QueryError: it is no state of the puzzle.
        """
        moves = self.puzzle.moves
        ranks = (
            self._ranks_of_tiles(moves, state)
            if isinstance(moves, Tiles)
            else self._ranks_of_plan(moves, state)
        )
        found: list[float] = []
        for view, rank in zip(self._views, ranks, strict=True):
            value = view[rank]
            if value == self.none:
                return math.inf
            found.append(value)
        return self._combine(found)

    def space(self, start: Sequence[Any] | Mapping[str, str] | None = None) -> Any:
        """Return the puzzle as a problem for :func:`bake.extras.school.search`.

        It is a `SlidingTiles` or a `PlanSpace`, which depends on the file.

        Args:
            start: a state; None = that of the puzzle's file.

        Raises:
            QueryError: it is no state of the puzzle, or the file has none.
        """
        moves, own = self.puzzle.moves, self.puzzle.start
        if start is None and own is None:
            raise QueryError("the puzzle has no start", remedy="give one to `space`")
        if isinstance(moves, Tiles):
            if isinstance(start, Mapping):
                raise QueryError("the start is given by name", expected="the tile on each cell")
            return SlidingTiles(moves, own or () if start is None else start)
        if start is None:
            named = zip(moves.values, own or (), strict=True)
            return PlanSpace(moves, [values[number] for values, number in named])
        return PlanSpace(moves, start)

    def _ranks_of_tiles(self, tiles: Tiles, state: Sequence[int]) -> list[int]:
        where = [0] * tiles.cells
        for cell, tile in enumerate(checked_board(tiles, state)):
            where[tile] = cell
        ranks = []
        for pattern in self.puzzle.patterns:
            rank, left = 0, tiles.cells
            seen: list[int] = []
            for tile in pattern:
                cell = where[tile]
                rank = rank * left + cell - sum(other < cell for other in seen)
                seen.append(cell)
                left -= 1
            ranks.append(rank)
        return ranks

    def _ranks_of_plan(self, planning: Planning, state: Sequence[str]) -> list[int]:
        numbers = numbers_of(planning, state)
        return [
            sum(numbers[variable] * step for variable, step in zip(pattern, steps, strict=True))
            for pattern, steps in zip(self.puzzle.patterns, self._strides, strict=True)
        ]


def open_patterns(path: str | Path) -> Patterns:
    """Open the pattern database of a puzzle, and read all of it.

    Args:
        path: an asset that ``bake build`` made of a puzzle.

    Raises:
        AssetError: the file is no pattern database, or is damaged.
    """
    with PatternAsset(path) as asset:
        return Patterns(asset.puzzle(), asset.read("/patterns_distance"))
