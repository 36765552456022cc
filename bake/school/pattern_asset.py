"""Declare what the asset of a puzzle holds, its pattern database, and open one.

It is written as the assets of levels are, with the same header, and differs in what is in it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bake.arrays import AnyArray
from bake.asset.read import Asset
from bake.asset.schema import FORMAT_NAME, PATTERNS_KIND, Attribute, Column, Schema
from bake.errors import NotAnAssetError
from bake.school.puzzle import Action, Combine, Moves, Planning, Puzzle, Tiles


def _column(
    path: str, dtypes: str, dims: str, unit: str, said: str, optional: bool = True
) -> Column:
    return Column(path, tuple(dtypes.split()), tuple(dims.split(", ")), unit, said, optional)


# fmt: off
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("/", "format", "text", f"always {FORMAT_NAME!r}", values=(FORMAT_NAME,)),
    Attribute("/", "format_version", "integer", "version of this layout"),
    Attribute("/", "bake_revision", "integer", "revision of the code that baked it"),
    Attribute("/", "name", "text", "name of the puzzle: its file name without extension"),
    Attribute("/", "kind", "text", f"always {PATTERNS_KIND!r}", values=(PATTERNS_KIND,)),
    Attribute("/", "puzzle", "text", "tiles or planning", values=("tiles", "planning")),
    Attribute("/", "combine", "text", "how the values of several patterns become one: sum or max",
        values=("sum", "max")),
    Attribute("/", "width", "integer", "of sliding tiles: cells a row", optional=True),
    Attribute("/", "height", "integer", "of sliding tiles: rows", optional=True),
)

COLUMNS: tuple[Column, ...] = (
    _column("/tiles/goal", "int32", "cell", "tile", "tile on each cell, row by row, 0 the gap"),
    _column("/tiles/start", "int32", "cell", "tile", "the same as the puzzle's file begins"),
    _column("/variables/name", "S", "variable", "text", "names of the variables"),
    _column("/variables/first_value", "int32", "variable + 1", "value",
        "values of variable i are first_value[i] to first_value[i + 1] - 1; a value's number is "
        "its place among them"),
    _column("/variables/value", "S", "value", "text", "names of the values"),
    _column("/variables/goal", "int32", "variable", "value number", "what is wanted; -1: anything"),
    _column("/variables/start", "int32", "variable", "value number",
        "what the puzzle's file begins with"),
    _column("/actions/name", "S", "action", "text", "names of the actions"),
    _column("/actions/cost", "int32", "action", "cost", "what each costs"),
    _column("/actions/needs", "int32", "action, variable", "value number",
        "what must hold before; -1: anything"),
    _column("/actions/sets", "int32", "action, variable", "value number",
        "what holds afterwards; -1: what held before"),
    _column("/patterns/first_member", "int32", "pattern + 1", "member",
        "members of pattern i are first_member[i] to first_member[i + 1] - 1", optional=False),
    _column("/patterns/member", "int32", "member", "tile or variable",
        "tiles of the pattern, or numbers of its variables, in the order they are ranked in",
        optional=False),
    _column("/patterns/distance", "uint8 uint16 uint32", "entry", "moves or cost",
        "pattern after pattern, by rank: the least that it takes to bring the pattern's tiles or "
        "variables to the goal, steps of others not counted; all ones: nothing does",
        optional=False),
)
# fmt: on

#: What a pattern database holds.
PATTERNS = Schema(ATTRIBUTES, COLUMNS)


class PatternAsset(Asset):
    """An open pattern database."""

    schema = PATTERNS

    def _find_profiles(self) -> None:
        """Refuse the asset of a level; a pattern database has no profiles."""
        if not self._states("kind", PATTERNS_KIND):
            raise NotAnAssetError(
                "this is no pattern database",
                file=self.path,
                expected="the asset of a puzzle",
                remedy="open levels with `bake.runtime.open_asset`",
            )
        self.profiles = ()

    def _find_implied(self) -> None:
        """Do nothing: no column follows from others."""

    def puzzle(self) -> Puzzle:
        """Read what the puzzle is.

        Raises:
            CorruptAssetError: what the asset says is no puzzle.
        """
        kind, name = self.text("puzzle"), self.text("name")
        moves = self._tiles() if kind == "tiles" else self._planning()
        first, member = self.read("/patterns/first_member"), self.read("/patterns/member")
        cuts = self._cuts(first, len(member), "/patterns/first_member")
        patterns = tuple(tuple(member[a:b].tolist()) for a, b in cuts)
        limit = moves.cells if isinstance(moves, Tiles) else len(moves.variables)
        lowest = int(isinstance(moves, Tiles))
        for pattern in patterns:
            if len(set(pattern)) < len(pattern) or not all(
                lowest <= one < limit for one in pattern
            ):
                raise self.damaged("column /patterns/member names no pattern")
        column = "/tiles/start" if kind == "tiles" else "/variables/start"
        start = tuple(self.read(column).tolist()) if self.has(column) else None
        combine: Combine = "sum" if self.text("combine") == "sum" else "max"
        found = Puzzle(name or "", self.path, moves, patterns, combine, start)
        if start is not None and not _may_be(moves, start):
            raise self.damaged(f"column {column} is no state of the puzzle")
        if sum(found.sizes) != self.shape("/patterns/distance")[0]:
            raise self.damaged(
                f"the patterns have {sum(found.sizes):,} entries, column /patterns/distance has "
                f"{self.shape('/patterns/distance')[0]:,}"
            )
        return found

    def _tiles(self) -> Tiles:
        width, height = self.number("width") or 0, self.number("height") or 0
        goal = tuple(self.read("/tiles/goal").tolist())
        if min(width, height) < 1 or sorted(goal) != list(range(width * height)):
            raise self.damaged("column /tiles/goal is no board")
        return Tiles(width, height, goal)

    def _planning(self) -> Planning:
        names, values = self._texts("/variables/name"), self._texts("/variables/value")
        first = self.read("/variables/first_value")
        cuts = self._cuts(first, len(values), "/variables/first_value")
        own = tuple(values[a:b] for a, b in cuts)
        sizes = np.array([len(each) for each in own])
        needs, sets = self.read("/actions/needs"), self.read("/actions/sets")
        goal, costs = self.read("/variables/goal"), self.read("/actions/cost")
        for path, array in (
            ("actions/needs", needs),
            ("actions/sets", sets),
            ("variables/goal", goal),
        ):
            if ((array < -1) | (array >= sizes)).any():
                raise self.damaged(f"column /{path} names no value")
        if (costs < 0).any():
            raise self.damaged("column /actions/cost has a cost below 0")
        actions = tuple(
            Action(name, _stated(needs[at]), _stated(sets[at]), int(costs[at]))
            for at, name in enumerate(self._texts("/actions/name"))
        )
        return Planning(names, own, actions, _stated(goal))

    def _texts(self, path: str) -> tuple[str, ...]:
        return tuple(bytes(each).decode() for each in self.read(path))

    def _cuts(self, first: AnyArray, length: int, path: str) -> list[tuple[int, int]]:
        if len(first) < 2 or first[0] != 0 or first[-1] != length or (np.diff(first) < 1).any():
            raise self.damaged(f"column {path} does not cut what it should into parts")
        return [(int(a), int(b)) for a, b in pairwise(first)]


def _stated(row: AnyArray) -> dict[int, int]:
    """Return value by variable, of a row in which -1 stands for none."""
    return {int(at): int(row[at]) for at in np.flatnonzero(row >= 0)}


def _may_be(moves: Moves, state: tuple[int, ...]) -> bool:
    if isinstance(moves, Tiles):
        return sorted(state) == list(range(moves.cells))
    sizes = map(len, moves.values)
    return all(0 <= value < size for value, size in zip(state, sizes, strict=True))
