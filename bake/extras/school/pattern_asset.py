"""Columns of pattern databases, the assets of puzzles, and their reader.

It is written as the assets of levels are, with the same header, and differs in what is in it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bake.core.arrays import AnyArray
from bake.extras.school.puzzle import Action, Combine, Moves, Planning, Puzzle, Tiles
from bake.store.columns.declared import column
from bake.store.read import PATTERNS_KIND, Asset, is_of_patterns
from levelbake.columns import Attribute, Column, Schema
from levelbake.errors import NotAnAssetError

# fmt: off
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("/", "kind", "text", f"always {PATTERNS_KIND!r}", values=(PATTERNS_KIND,)),
    Attribute("/", "puzzle", "text", "tiles or planning", values=("tiles", "planning")),
    Attribute("/", "combine", "text", "how the values of several patterns become one: sum or max",
        values=("sum", "max")),
    Attribute("/", "width", "integer", "of sliding tiles: cells a row", optional=True),
    Attribute("/", "height", "integer", "of sliding tiles: rows", optional=True),
)

COLUMNS: tuple[Column, ...] = (
    column("tiles_goal", "int32", "cell", "tile", "tile on each cell, row by row, 0 the gap",
        optional=True),
    column("tiles_start", "int32", "cell", "tile", "the same as the puzzle's file begins",
        optional=True),
    column("variables_name", "text", "variable", "text", "names of the variables", optional=True),
    column("variables_first_value", "int32", "variable + 1", "value",
        "values of variable i are first_value[i] to first_value[i + 1] - 1; a value's number is "
        "its place among them", optional=True, offsets="value", least=1),
    column("variables_value", "text", "value", "text", "names of the values", optional=True),
    column("variables_goal", "int32", "variable", "value number", "what is wanted; -1: anything",
        optional=True),
    column("variables_start", "int32", "variable", "value number",
        "what the puzzle's file begins with", optional=True),
    column("actions_name", "text", "action", "text", "names of the actions", optional=True),
    column("actions_cost", "int32", "action", "cost", "what each costs", optional=True,
        least=0),
    column("actions_needs", "int32", "action, variable", "value number",
        "what must hold before; -1: anything", optional=True),
    column("actions_sets", "int32", "action, variable", "value number",
        "what holds afterwards; -1: what held before", optional=True),
    column("patterns_first_member", "int32", "pattern + 1", "member",
        "members of pattern i are first_member[i] to first_member[i + 1] - 1",
        offsets="member", least=1),
    column("patterns_member", "int32", "member", "tile or variable",
        "tiles of the pattern, or numbers of its variables, in the order they are ranked in"),
    column("patterns_distance", "uint8 uint16 uint32", "entry", "moves or cost",
        "pattern after pattern, by rank: the least that it takes to bring the pattern's tiles or "
        "variables to the goal, steps of others not counted; all ones: nothing does"),
)
# fmt: on

#: What a pattern database holds.
PATTERNS = Schema(ATTRIBUTES, COLUMNS)


class PatternAsset(Asset):
    """An open pattern database."""

    in_assets = PATTERNS

    def _find_profiles(self) -> tuple[str, ...]:
        """Raise for the asset of a level; a pattern database has no profiles."""
        if not is_of_patterns(self._file):
            raise NotAnAssetError(
                "this is no pattern database",
                file=self.path,
                expected="the asset of a puzzle",
                remedy="open levels with `bake.play.open_asset`",
            )
        return ()

    def puzzle(self) -> Puzzle:
        """Return the puzzle.

        Raises:
            CorruptAssetError: what the asset says is no puzzle.
        """
        kind = self.text("puzzle")
        moves = self._tiles() if kind == "tiles" else self._planning()
        first, member = self.read("/patterns_first_member"), self.read("/patterns_member")
        patterns = tuple(tuple(member[a:b].tolist()) for a, b in pairwise(first.tolist()))
        limit = moves.cells if isinstance(moves, Tiles) else len(moves.variables)
        lowest = int(isinstance(moves, Tiles))
        for pattern in patterns:
            if len(set(pattern)) < len(pattern) or not all(
                lowest <= one < limit for one in pattern
            ):
                raise self.damaged("column /patterns_member names no pattern")
        column = "/tiles_start" if kind == "tiles" else "/variables_start"
        start = tuple(self.read(column).tolist()) if self.has(column) else None
        combine: Combine = "sum" if self.text("combine") == "sum" else "max"
        found = Puzzle(self.name, self.path, moves, patterns, combine, start)
        if start is not None and not _may_be(moves, start):
            raise self.damaged(f"column {column} is no state of the puzzle")
        if sum(found.sizes) != self.shape("/patterns_distance")[0]:
            raise self.damaged(
                f"the patterns have {sum(found.sizes):,} entries, column /patterns_distance has "
                f"{self.shape('/patterns_distance')[0]:,}"
            )
        return found

    def _tiles(self) -> Tiles:
        width, height = self.number("width") or 0, self.number("height") or 0
        goal = tuple(self.read("/tiles_goal").tolist())
        if min(width, height) < 1 or sorted(goal) != list(range(width * height)):
            raise self.damaged("column /tiles_goal is no board")
        return Tiles(width, height, goal)

    def _planning(self) -> Planning:
        names, values = self._texts("/variables_name"), self._texts("/variables_value")
        first = self.read("/variables_first_value")
        own = tuple(values[a:b] for a, b in pairwise(first.tolist()))
        sizes = np.array([len(each) for each in own])
        needs, sets = self.read("/actions_needs"), self.read("/actions_sets")
        goal, costs = self.read("/variables_goal"), self.read("/actions_cost")
        for path, array in (
            ("actions_needs", needs),
            ("actions_sets", sets),
            ("variables_goal", goal),
        ):
            if ((array < -1) | (array >= sizes)).any():
                raise self.damaged(f"column /{path} names no value")
        actions = tuple(
            Action(
                name, _values_by_variable(needs[at]), _values_by_variable(sets[at]), int(costs[at])
            )
            for at, name in enumerate(self._texts("/actions_name"))
        )
        return Planning(names, own, actions, _values_by_variable(goal))

    def _texts(self, path: str) -> tuple[str, ...]:
        return tuple(bytes(each).decode() for each in self.read(path))


def _values_by_variable(row: AnyArray) -> dict[int, int]:
    """Return the values of a row by variable; -1 stands for none."""
    return {int(at): int(row[at]) for at in np.flatnonzero(row >= 0)}


def _may_be(moves: Moves, state: tuple[int, ...]) -> bool:
    if isinstance(moves, Tiles):
        return sorted(state) == list(range(moves.cells))
    sizes = map(len, moves.values)
    return all(0 <= value < size for value, size in zip(state, sizes, strict=True))
