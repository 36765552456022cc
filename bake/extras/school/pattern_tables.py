"""Compute the tables of a pattern database."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bake.core.arrays import AnyArray
from bake.core.errors import BudgetError, in_units
from bake.extras.school.patterns import planning, tiles
from bake.extras.school.patterns.planning import plan_distances
from bake.extras.school.patterns.tiles import tile_distances
from bake.extras.school.puzzle import Puzzle, Tiles

#: Element types of a table, the smallest first; all ones mean that nothing leads to the goal.
_TYPES = (np.uint8, np.uint16, np.uint32)


def pattern_memory(puzzle: Puzzle) -> int:
    """Return the peak bytes of computing the tables: the largest search and all tables."""
    of_tiles = isinstance(puzzle.moves, Tiles)
    of_each = tiles.ENTRY_BYTES if of_tiles else planning.ENTRY_BYTES
    kept = 2 + 1 if of_tiles else 8 + 4
    return of_each * max(puzzle.sizes) + kept * sum(puzzle.sizes)


def pattern_tables(puzzle: Puzzle, budget: int, report: Callable[[float], None]) -> AnyArray:
    """Search backward from the goal for the table of each pattern.

    Args:
        puzzle: the puzzle.
        budget: bytes the search may take.
        report: called with the fraction of all entries that are done.

    Returns:
        (entries of all patterns,) uint8, uint16 or uint32, pattern after pattern by rank, the least
        moves or cost to the goal; all ones where nothing leads there.

    Raises:
        BudgetError: the search would exceed the budget; nothing was allocated.
        CostError: a distance is too large.
    """
    needed = pattern_memory(puzzle)
    if needed > budget:
        raise BudgetError(
            f"the patterns have {sum(puzzle.sizes):,} entries, and baking them needs about "
            f"{in_units(needed)}",
            place="patterns",
            expected=f"at most {in_units(budget)} (memory_budget)",
            remedy="divide the largest pattern, or raise memory_budget",
        )
    found, done = list[AnyArray](), 0
    for pattern, size in zip(puzzle.patterns, puzzle.sizes, strict=True):
        report(done / sum(puzzle.sizes))
        if isinstance(puzzle.moves, Tiles):
            table: AnyArray = tile_distances(puzzle.moves, pattern)
            none = int(tiles.NONE)
        else:
            table, none = plan_distances(puzzle.moves, pattern), int(planning.NONE)
        found.append(table)
        done += size
    largest = max(int(table.max(initial=0, where=table != none)) for table in found)
    dtype = next(each for each in _TYPES if largest < np.iinfo(each).max)
    tables, place = np.empty(sum(puzzle.sizes), dtype=dtype), 0
    for table in found:
        own = tables[place : place + len(table)]
        np.copyto(own, table, where=table != none, casting="unsafe")
        own[table == none] = np.iinfo(dtype).max
        place += len(table)
    return tables
