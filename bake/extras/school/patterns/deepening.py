"""IDA* for sliding tiles in compiled code, with lower bounds from tables.

R. Korf, "Depth-First Iterative-Deepening: An Optimal Admissible Tree Search", 1985. It expands the
same states in the same order as ``IterativeDeepening`` of ``bake.extras.school.spaces``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array, UInt64Array
from bake.core.kernels.jit import kernel, waiting
from bake.extras.school.patterns.database import Patterns
from bake.extras.school.patterns.ranking import rank_of
from bake.extras.school.patterns.tiles import tile_distances
from bake.extras.school.puzzle import Puzzle, Tiles, can_be_solved
from bake.extras.school.spaces.puzzles import Board, SlidingTiles
from bake.search.problem import Search, Status, Step, checked_budget, checked_steps
from levelbake.errors import QueryError

#: Boards of more cells do not fit the 64 bits that tell one from another.
# limit: a one-line error; tests/extras/school/patterns/test_tile_search.py
MOST_CELLS = 16

#: No board of 16 cells needs as many moves.
# limit: never exceeded; lowered by tiles
_DEEPEST = 512

#: States expanded between two looks at the clock, and between two chances to interrupt.
# limit: the work is done in parts; lowered by tiles
_SLICE = 2**12
# limit: the work is done in parts; lowered by tiles
_LONG_SLICE = 2**22

# Places in the numbers of a search.
# no limit: indices
_DEPTH, _LIMIT, _BEYOND, _EXPANDED, _GENERATED, _LIMITS, _H, _DEEPEST_SEEN = range(8)

# What a slice ends with.
_GOES_ON, _IS_FOUND, _NOTHING_LEFT = range(3)


class Rules(NamedTuple):
    """The board and its lower bounds, which do not change."""

    beside: Int32Array  #: (cells, 4) the cells beside each, -1 beyond the last
    goal: UInt64Array  #: the packed board that is wanted: four bits a cell
    pattern_of: Int32Array  #: (cells,) the pattern of each tile, -1 where it is in none
    #: first_member, member: the tiles of each pattern
    first_member: Int32Array
    member: Int32Array
    #: first_entry, distance: the table of each pattern; the largest value means unreachable
    first_entry: Int64Array
    distance: AnyArray
    none: int  #: that value


class Line(NamedTuple):
    """The current path, by depth, and the board at its end."""

    #: board, where: (cells,) tile on each cell, cell of each tile
    board: Int32Array
    where: Int32Array
    gap: Int32Array  #: (depths,) where the gap is
    #: (depths,) how many of the cells beside it were tried; -1 = the state is new
    tried: Int32Array
    packed: UInt64Array  #: (depths,) the boards
    part: Int32Array  #: (depths,) what the pattern of the tile that was moved last came to before
    values: Int32Array  #: (patterns,) what each pattern comes to
    #: depth, limit, least f beyond it, states expanded and generated, limits, h, and the largest
    #: depth
    numbers: Int64Array
    place: Int32Array  #: room for a placement


@kernel
def value_of(rules: Rules, line: Line, pattern: int) -> int:
    """Return the value of a pattern; ``none`` if the goal is unreachable."""
    begin, end = rules.first_member[pattern], rules.first_member[pattern + 1]
    for i in range(begin, end):
        line.place[i - begin] = line.where[rules.member[i]]
    rank = rank_of(line.place, end - begin, len(line.board))
    return int(rules.distance[rules.first_entry[pattern] + rank])


@kernel
def deepen(rules: Rules, line: Line, steps: int) -> int:
    """Expand a number of states, at least one, and return the status."""
    numbers, gap, tried, packed = line.numbers, line.gap, line.tried, line.packed
    while True:
        depth = numbers[_DEPTH]
        here = gap[depth]
        if tried[depth] < 0:
            if packed[depth] == rules.goal[0]:
                return _IS_FOUND
            steps -= 1
            tried[depth] = 0
            numbers[_EXPANDED] += 1
            for i in range(4):
                if rules.beside[here, i] >= 0:
                    numbers[_GENERATED] += 1
            numbers[_DEEPEST_SEEN] = max(numbers[_DEEPEST_SEEN], depth)
            if steps == 0:
                return _GOES_ON
        turn = tried[depth]
        if turn == 4 or rules.beside[here, turn] < 0:
            if depth == 0:
                if numbers[_BEYOND] < 0:
                    return _NOTHING_LEFT
                numbers[_LIMIT], numbers[_BEYOND] = numbers[_BEYOND], -1
                numbers[_LIMITS] += 1
                tried[0] = -1
                continue
            # Take the last move back.
            before = gap[depth - 1]
            tile = line.board[before]
            line.board[here], line.board[before] = tile, 0
            line.where[tile] = here
            pattern = rules.pattern_of[tile]
            if pattern >= 0:
                numbers[_H] += line.part[depth] - line.values[pattern]
                line.values[pattern] = line.part[depth]
            numbers[_DEPTH] = depth - 1
            continue
        tried[depth] = turn + 1
        there = rules.beside[here, turn]
        if depth > 0 and there == gap[depth - 1]:
            continue
        tile = line.board[there]
        bits = np.uint64(tile)
        after = packed[depth] ^ (bits << np.uint64(4 * there)) ^ (bits << np.uint64(4 * here))
        # No board comes back in fewer than twelve moves, nor in an odd number.
        known = False
        for k in range(depth - 11, -1, -2):
            if packed[k] == after:
                known = True
                break
        if known:
            continue
        pattern = rules.pattern_of[tile]
        h, part, value = numbers[_H], 0, 0
        if pattern >= 0:
            part = line.values[pattern]
            line.where[tile] = here
            value = value_of(rules, line, pattern)
            if value == rules.none:
                line.where[tile] = there
                continue
            h += value - part
        f = depth + 1 + h
        if f > numbers[_LIMIT] or depth + 1 == len(gap):
            line.where[tile] = there
            if numbers[_BEYOND] < 0 or f < numbers[_BEYOND]:
                numbers[_BEYOND] = f
            continue
        line.where[tile] = here
        line.board[here], line.board[there] = tile, 0
        if pattern >= 0:
            line.values[pattern] = value
        numbers[_DEPTH], numbers[_H] = depth + 1, h
        gap[depth + 1], tried[depth + 1] = there, -1
        packed[depth + 1], line.part[depth + 1] = after, part


class TileSearch(Search[Board]):
    """IDA* over sliding tiles in compiled code; see :func:`tile_search`.

    Attributes:
        limits: how many limits of f there were.
    """

    def __init__(self, space: SlidingTiles, patterns: Patterns) -> None:
        """Create a search without expansions."""
        self._tiles = space.tiles
        self._rules = _rules(space.tiles, patterns)
        self._line = _line(space.tiles, space.start, len(patterns.puzzle.patterns))
        super().__init__(space, patterns.h)
        h = self._h(space.start)
        if h == math.inf or not can_be_solved(space.tiles, space.start):
            self.status = Status.NO_PATH
            return
        for pattern in range(len(self._line.values)):
            self._line.values[pattern] = value_of(self._rules, self._line, pattern)
        self._line.numbers[_LIMIT] = self._line.numbers[_H] = int(h)

    @property
    def limits(self) -> int:
        return int(self._line.numbers[_LIMITS])

    @property
    def open(self) -> Mapping[Board, float]:
        """None: it holds no open list."""
        return {}

    @property
    def closed(self) -> Mapping[Board, float]:
        """The states of the current path, with their g."""
        return {state: g for g, state in enumerate(self._path()) if self.expanded}

    def run(self, budget_ms: float | None = None, steps: int | None = None) -> Status:
        """Continue like :meth:`Search.run`, with thousands of states between checks of the time."""
        budget, left = checked_budget(budget_ms), checked_steps(steps)
        end = math.inf if budget is None else time.perf_counter() + budget
        size = _LONG_SLICE if budget is None else _SLICE
        while self.status is Status.RUNNING and left > 0:
            before = self.expanded
            self._go_on(min(left, size))
            left -= self.expanded - before
            if budget is not None and time.perf_counter() >= end:
                break
        return self.status

    @waiting()
    def _go_on(self, steps: int) -> None:
        end = deepen(self._rules, self._line, steps)
        numbers = self._line.numbers
        self.expanded, self.generated = int(numbers[_EXPANDED]), int(numbers[_GENERATED])
        self.most_held = int(numbers[_DEEPEST_SEEN]) + 1
        if end == _IS_FOUND:
            self.most_held = max(self.most_held, int(numbers[_DEPTH]) + 1)
            self._found(self._path(), int(numbers[_DEPTH]))
        elif end == _NOTHING_LEFT:
            self.status = Status.NO_PATH

    def _search(self) -> Generator[Step[Board], None, None]:
        while True:
            self._go_on(1)
            if self.status is Status.NO_PATH:
                return
            path, h = self._path(), int(self._line.numbers[_H])
            state, g = path[-1], len(path) - 1
            parent = path[max(0, g - 1)]
            if self.status is Status.FOUND:
                yield Step(state, parent, g, h, g + h, ())
                return
            opened = ((each, g + 1, g + 1) for each, _ in self._space.successors(state))
            yield Step(state, parent, g, h, g + h, tuple(opened))

    def _path(self) -> list[Board]:
        """Return the states of the current path."""
        packed = self._line.packed[: int(self._line.numbers[_DEPTH]) + 1]
        cells = range(self._tiles.cells)
        return [tuple(int(each) >> 4 * cell & 15 for cell in cells) for each in packed]


@waiting()
def tile_search(space: SlidingTiles, patterns: Patterns | None = None) -> TileSearch:
    """Return a search for a shortest solution of sliding tiles, by IDA* in compiled code.

    Args:
        space: the problem, on at most 16 cells.
        patterns: the pattern database of the same goal; None = the Manhattan distance, which is
            what patterns of a single tile each come to.

    Raises:
        QueryError: the board has too many cells, or the patterns are of another goal.
    """
    tiles = space.tiles
    if tiles.cells > MOST_CELLS:
        raise QueryError(
            f"the board has {tiles.cells} cells",
            expected=f"at most {MOST_CELLS}",
            remedy='use bake.extras.school.search(space, "ida")',
        )
    if patterns is None:
        patterns = manhattan(tiles)
    if patterns.puzzle.moves != tiles:
        raise QueryError("the pattern database is of another board or goal")
    return TileSearch(space, patterns)


def manhattan(tiles: Tiles) -> Patterns:
    """Return the Manhattan distance as a pattern database with a pattern for each tile."""
    single = tuple((tile,) for tile in range(1, tiles.cells))
    # Distances fit into 8 bits, in which NONE remains the largest value.
    tables = [tile_distances(tiles, pattern) for pattern in single]
    distance = np.concatenate(tables).astype(np.uint8)
    return Patterns(Puzzle("manhattan", Path(), tiles, single, "sum"), distance)


def _rules(tiles: Tiles, patterns: Patterns) -> Rules:
    beside = np.full((tiles.cells, 4), -1, dtype=np.int32)
    for cell, around in enumerate(tiles.neighbours):
        beside[cell, : len(around)] = around
    groups = patterns.puzzle.patterns
    pattern_of = np.full(tiles.cells, -1, dtype=np.int32)
    for number, pattern in enumerate(groups):
        pattern_of[list(pattern)] = number
    return Rules(
        beside,
        np.array([_packed(tiles.goal)], dtype=np.uint64),
        pattern_of,
        np.cumsum([0, *map(len, groups)]).astype(np.int32),
        np.array([tile for pattern in groups for tile in pattern], dtype=np.int32),
        np.cumsum([0, *patterns.puzzle.sizes]).astype(np.int64),
        patterns.distance,
        patterns.none,
    )


def _line(tiles: Tiles, start: Board, patterns: int) -> Line:
    where = np.empty(tiles.cells, dtype=np.int32)
    where[list(start)] = np.arange(tiles.cells)
    gap, tried, part = (np.zeros(_DEEPEST, dtype=np.int32) for _ in range(3))
    packed = np.zeros(_DEEPEST, dtype=np.uint64)
    gap[0], tried[0], packed[0] = start.index(0), -1, _packed(start)
    numbers = np.zeros(8, dtype=np.int64)
    numbers[_BEYOND], numbers[_LIMITS] = -1, 1
    return Line(
        np.array(start, dtype=np.int32),
        where,
        gap,
        tried,
        packed,
        part,
        np.zeros(patterns, dtype=np.int32),
        numbers,
        np.zeros(tiles.cells, dtype=np.int32),
    )


def _packed(board: Board) -> int:
    return sum(tile << 4 * cell for cell, tile in enumerate(board))
