"""Limits on the size of a level, and on the memory and work of reading it with all its files.

Level files are untrusted, and a small file can demand much: a layer that inflates a thousandfold, a
tileset referenced a million times, regions that each cover the map. Work that can exceed the size
of the file is therefore charged to an allowance before it starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from bake.core.errors import in_units
from bake.core.level import MAX_CELLS, MAX_TERRAINS
from bake.levels.reading.mistakes import refuse

#: The largest cost or arc length of a level file, in units. Costs are stored as int32 ticks, with
#: at least one tick per unit, so an asset cannot hold a larger cost.
MAX_COST = 1e9
#: The default memory budget in bytes, with or without a recipe.
DEFAULT_MEMORY_BUDGET = 2 * 2**30
#: Bytes of memory per byte of parsed text, at most; a list of empty objects takes 30.
TEXT_FACTOR = 32
#: Bytes of memory per cell of a grid while it is read, and per cell of a region or door.
CELL_BYTES = 8
AREA_BYTES = 64
#: The most cells to visit in layers and under objects; 100 million take about a second.
# limit: a one-line error; tests/levels/test_hostile.py
MAX_WORK = 8 * MAX_CELLS


@dataclass
class _Allowance:
    """The memory and work that reading the current level may still use."""

    budget: int
    cells: int  #: the most cells of a grid; compared, never reduced
    text: int  #: bytes of text left to read
    area: int  #: cells left for regions, doors and ledges
    work: int  #: cells left to visit

    @staticmethod
    def for_budget(budget: int) -> _Allowance:
        return _Allowance(
            budget,
            min(MAX_CELLS, budget // CELL_BYTES),
            budget // TEXT_FACTOR,
            budget // AREA_BYTES,
            MAX_WORK,
        )


_allowance_var: ContextVar[_Allowance | None] = ContextVar("left", default=None)


@contextmanager
def allowance(memory_budget: int | None) -> Iterator[None]:
    """Limit the memory for reading one level, in bytes; None = DEFAULT_MEMORY_BUDGET."""
    token = _allowance_var.set(_Allowance.for_budget(memory_budget or DEFAULT_MEMORY_BUDGET))
    try:
        yield
    finally:
        _allowance_var.reset(token)


def _current_allowance() -> _Allowance:
    # A reader called outside `allowance` has a full allowance for each step.
    return _allowance_var.get() or _Allowance.for_budget(DEFAULT_MEMORY_BUDGET)


def most_cells() -> int:
    """Return the most cells that a grid may have."""
    return _current_allowance().cells


def spend_text(file: Path, size: int) -> None:
    """Charge the allowance for reading ``size`` bytes of text.

    Raises:
        LevelError: the files of the level exceed the memory budget.
    """
    left = _current_allowance()
    if size > left.text:
        refuse(
            file,
            None,
            f"this file has {size:,} bytes, and the level may read {left.text:,} more",
            f"at most {in_units(left.budget // TEXT_FACTOR)} in all its files, for a "
            f"memory_budget of {in_units(left.budget)}",
            "split the level, or raise memory_budget",
        )
    left.text -= size


def spend_area(file: Path, cells: int, place: str | None) -> None:
    """Charge the allowance for the cells of a region, door or ledge.

    Raises:
        LevelError: the regions, doors and ledges of the level exceed the memory budget.
    """
    left = _current_allowance()
    if cells > left.area:
        refuse(
            file,
            place,
            f"it has up to {cells:,} cells, and the level may have {left.area:,} more",
            f"at most {left.budget // AREA_BYTES:,} cells in all regions, doors and ledges, "
            f"for a memory_budget of {in_units(left.budget)}",
            "leave out those that cover whole maps",
        )
    left.area -= cells


def spend_work(file: Path, cells: int, place: str | None) -> None:
    """Charge the allowance for visiting cells of a layer, or cells around polygon corners.

    Raises:
        LevelError: the level visits more than MAX_WORK cells.
    """
    left = _current_allowance()
    if cells > left.work:
        refuse(
            file,
            place,
            f"reading it visits {cells:,} cells, and the level may visit {left.work:,} more",
            f"at most {MAX_WORK:,} cells in all layers and under all objects of a level",
            "split the level, or leave out layers and large polygons",
        )
    left.work -= cells


def check_size(file: Path, width: int, height: int, place: str | None = None) -> None:
    """Raise a LevelError if a grid is empty or has too many cells."""
    if width == 0 or height == 0:
        refuse(
            file,
            place,
            f"the level is empty, {width} x {height} cells",
            "at least one cell",
            "draw some cells, and save the level again",
        )
    if width * height > most_cells():
        refuse(
            file,
            place,
            f"the level is {width:,} x {height:,}, {width * height:,} cells",
            f"at most {most_cells():,}",
            "split it into several levels",
        )


def check_terrain_count(file: Path, count: int, place: str | None) -> None:
    """Raise a LevelError if a level has more than MAX_TERRAINS terrains."""
    if count > MAX_TERRAINS:
        refuse(
            file,
            place,
            f"the level has {count:,} terrains",
            f"at most {MAX_TERRAINS}",
            "give several of them one name",
        )
