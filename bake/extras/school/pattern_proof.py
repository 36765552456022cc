"""Verify a pattern database, sharing no code with the bake.

Of a planning space the table holds the distance of every state, so that it proves itself, state by
state: a state that fits the goal has 0, no action offers a shortcut (R. Bellman's condition, "On a
routing problem", 1958), and from every other state that has a distance some action makes it. Of
sliding tiles the table forgets where the gap is; there the moves are searched once more, with the
gap, by whole levels at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Int64Array
from bake.extras.school.pattern_asset import PatternAsset
from bake.extras.school.puzzle import Planning, Puzzle, Tiles
from bake.verify.profile import Progress

#: States taken at once.
# limit: the work is done in parts; tests/extras/school/test_pattern_proof.py
_PIECE = 2**20

#: A distance no table holds; two of them can be added.
_FAR = 2**61


def prove_patterns(path: Path, progress: Progress) -> int:
    """Verify the tables of all patterns and their combination.

    Args:
        path: the asset of a puzzle.
        progress: called with the fraction done.

    Returns:
        How many entries were shown to be right.

    Raises:
        AssetError: the file is no pattern database, or something in it is wrong.
    """
    with PatternAsset(path) as asset:
        puzzle, distance = asset.puzzle(), asset.read("/patterns_distance")
        if puzzle.combine == "sum" and _counts_twice(puzzle):
            raise asset.damaged(
                "values of patterns are added up that count the same step", verdict="wrong"
            )
        at = 0
        for number, pattern in enumerate(puzzle.patterns):
            if isinstance(puzzle.moves, Tiles):
                wrong, size = _wrong_of_tiles(puzzle.moves, pattern, distance[at:])
            else:
                wrong, size = _wrong_of_plans(puzzle.moves, pattern, distance[at:])
            if wrong is not None:
                raise asset.damaged(
                    f"entry {wrong:,} of pattern {number} is {distance[at + wrong]}, which is not "
                    "the least that leads to the goal",
                    verdict="wrong",
                )
            at += size
            progress(at / len(distance))
        return len(distance)


def _counts_twice(puzzle: Puzzle) -> bool:
    """Return True if a step counts in more than one pattern."""
    moves = puzzle.moves
    if isinstance(moves, Tiles):
        steps = [{tile} for tile in range(1, moves.width * moves.height)]
    else:
        steps = [set(action.sets) for action in moves.actions]
    return any(sum(bool(step & set(own)) for own in puzzle.patterns) > 1 for step in steps)


# -- planning spaces ------------------------------------------------------------------------------


def _wrong_of_plans(
    planning: Planning, pattern: tuple[int, ...], rest: AnyArray
) -> tuple[int | None, int]:
    """Return a wrong entry or None, and the number of entries of the pattern."""
    shape = tuple(len(planning.values[variable]) for variable in pattern)
    size = int(np.prod(shape, dtype=np.int64))
    stored = rest[:size]
    told = stored.astype(np.int64)
    told[stored == np.iinfo(rest.dtype).max] = _FAR
    table = told.reshape(shape)
    is_goal = np.ones(shape, dtype=bool)
    for axis, variable in enumerate(pattern):
        if variable in planning.goal:
            fits = np.arange(shape[axis]) == planning.goal[variable]
            is_goal &= fits.reshape([-1 if other == axis else 1 for other in range(len(shape))])
    reached = is_goal & (table == 0)
    wrong = is_goal & (table != 0)
    free = []
    for before, after, cost in _cut_down(planning, pattern):
        offered = np.where(table[after] < _FAR, table[after] + cost, _FAR)
        wrong[before] |= table[before] > offered
        if cost > 0:
            reached[before] |= (table[before] == offered) & (table[before] < _FAR)
        else:
            free.append((before, after))
    # Actions that cost nothing may run in a circle, so they count only from what is reached.
    growing = True
    while growing:
        known = int(reached.sum())
        for before, after in free:
            reached[before] |= reached[after] & (table[before] == table[after])
        growing = int(reached.sum()) > known
    wrong |= (table < _FAR) & ~reached
    found = np.flatnonzero(wrong.ravel())
    return (int(found[0]) if found.size else None), size


def _cut_down(
    planning: Planning, pattern: tuple[int, ...]
) -> Iterator[tuple[tuple[slice, ...], tuple[slice, ...], int]]:
    """Yield, for each action projected to a pattern, the states before and after it, and its cost.

    Both are boxes of the table that fit together: where an action sets a variable whatever it was,
    the box afterwards has one value, and numpy takes it for each of those before.
    """
    for action in planning.actions:
        before, after = [], []
        for variable in pattern:
            needed, made = action.needs.get(variable), action.sets.get(variable)
            one = slice(None) if needed is None else slice(needed, needed + 1)
            before.append(one)
            after.append(one if made is None else slice(made, made + 1))
        if not action.sets.keys().isdisjoint(pattern):
            yield tuple(before), tuple(after), action.cost


# -- sliding tiles --------------------------------------------------------------------------------


def _wrong_of_tiles(
    tiles: Tiles, pattern: tuple[int, ...], rest: AnyArray
) -> tuple[int | None, int]:
    """Return a wrong entry or None, and the number of entries of the pattern."""
    found = _least_moves(tiles, pattern)
    stored = rest[: len(found)].astype(np.int64)
    stored[rest[: len(found)] == np.iinfo(rest.dtype).max] = -1
    wrong = np.flatnonzero(stored != found)
    return (int(wrong[0]) if wrong.size else None), len(found)


def _least_moves(tiles: Tiles, pattern: tuple[int, ...]) -> Int64Array:
    """Return the fewest moves of the pattern's tiles for each placement; -1 if unreachable."""
    cells, count = tiles.width * tiles.height, len(pattern)
    goal = list(tiles.goal)
    placements = int(np.prod([cells - place for place in range(count)], dtype=np.int64))
    least = np.full(placements, -1, dtype=np.int64)
    seen = np.zeros(placements * (cells - count), dtype=bool)
    # A state is a column: the cells of the tiles, and below them the cell of the gap.
    first = np.array([[goal.index(tile)] for tile in (*pattern, 0)], dtype=np.int8)
    wave, level = [first], 0
    while wave:
        beyond = list[AnyArray]()
        while wave:
            free = list[AnyArray]()
            for piece in _pieces(wave):
                new = _not_seen(piece, cells, seen)
                placed = _numbers(new[:count], cells)
                least[placed[least[placed] < 0]] = level
                for slid, moved in _moved(new, tiles):
                    free.append(slid)
                    beyond.append(moved)
            wave = [each for each in free if each.size]
        wave, level = [each for each in beyond if each.size], level + 1
    return least


def _pieces(waves: list[AnyArray]) -> Iterator[AnyArray]:
    together = np.concatenate(waves, axis=1)
    for begin in range(0, together.shape[1], _PIECE):
        yield together[:, begin : begin + _PIECE]


def _not_seen(states: AnyArray, cells: int, seen: BoolArray) -> AnyArray:
    """Return the distinct new states, and mark them as visited."""
    numbers, first = np.unique(_numbers(states, cells), return_index=True)
    new = ~seen[numbers]
    seen[numbers] = True
    return states[:, first[new]]


def _numbers(placed: AnyArray, cells: int) -> Int64Array:
    """Return the lexicographic rank of each column."""
    numbers = np.zeros(placed.shape[1], dtype=np.int64)
    for at, row in enumerate(placed):
        numbers *= cells - at
        numbers += row
        for before in placed[:at]:
            numbers -= before < row
    return numbers


def _moved(states: AnyArray, tiles: Tiles) -> Iterator[tuple[AnyArray, AnyArray]]:
    """Yield, per direction of the gap, successors without and with a move of a pattern's tile."""
    x, y = states[-1] % tiles.width, states[-1] // tiles.width
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        inside = (x + dx >= 0) & (x + dx < tiles.width) & (y + dy >= 0) & (y + dy < tiles.height)
        onward = states[:, inside].copy()
        gap = onward[-1].copy()
        onward[-1] += dx + dy * tiles.width
        there = onward[:-1] == onward[-1]
        moves = there.any(axis=0)
        onward[:-1] = np.where(there, gap, onward[:-1])
        yield onward[:, ~moves], onward[:, moves]
