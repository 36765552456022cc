"""Limit the size of levels, and what reading one may take, all its files together.

Levels come from strangers, and a small file can ask for much: a layer that inflates a thousandfold,
a tileset named a million times, regions that each cover the map. So whatever can take more than the
file has bytes is paid for from an allowance, before it is done.
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

#: Largest cost or arc length a level file may state, in units. Costs are stored in int32 ticks, at
#: least one for each unit, so an asset cannot hold a larger cost.
MAX_COST = 1e9
#: The budget where no recipe names one; a recipe without the key has the same.
DEFAULT_MEMORY_BUDGET = 2 * 2**30
#: The most memory that a byte of text takes once parsed; lists of empty objects come to 30.
TEXT_FACTOR = 32
#: Memory that each cell of a grid takes while it is read, and each cell of a region or door.
CELL_BYTES = 8
AREA_BYTES = 64
#: How many cells may be visited in layers and under objects; 100 million take about a second.
# limit: a one-line error; tests/levels/test_hostile.py
MAX_WORK = 8 * MAX_CELLS


@dataclass
class _Allowance:
    """What reading a level may still take."""

    budget: int
    cells: int  #: of the grid; compared, never reduced
    text: int  #: bytes of text to read
    area: int  #: cells of regions and doors
    work: int  #: cells to visit

    @staticmethod
    def of(budget: int) -> _Allowance:
        return _Allowance(
            budget,
            min(MAX_CELLS, budget // CELL_BYTES),
            budget // TEXT_FACTOR,
            budget // AREA_BYTES,
            MAX_WORK,
        )


_left: ContextVar[_Allowance | None] = ContextVar("left", default=None)


@contextmanager
def allowance(memory_budget: int | None) -> Iterator[None]:
    """Keep the reading of one level within a budget of memory; None = the default one."""
    token = _left.set(_Allowance.of(memory_budget or DEFAULT_MEMORY_BUDGET))
    try:
        yield
    finally:
        _left.reset(token)


def _now() -> _Allowance:
    # A reader that is called by itself has a whole allowance for each thing it does.
    return _left.get() or _Allowance.of(DEFAULT_MEMORY_BUDGET)


def most_cells() -> int:
    """Return how many cells a grid may have."""
    return _now().cells


def spend_text(file: Path, size: int) -> None:
    """Pay for reading ``size`` bytes of text.

    Raises:
        LevelError: the files of the level have more than the memory budget has room for.
    """
    left = _now()
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
    """Pay for cells of a region, a door or a ledge.

    Raises:
        LevelError: together they have more than the memory budget has room for.
    """
    left = _now()
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
    """Pay for visiting cells: of a layer, or for each corner of a polygon those around it.

    Raises:
        LevelError: the layers and objects of the level visit more than MAX_WORK.
    """
    left = _now()
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
    """Refuse a grid without cells, or with more of them than a level may have.

    Raises:
        LevelError: the grid is empty or too large.
    """
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
    """Refuse more terrains than a level's cells can number.

    Raises:
        LevelError: there are more than MAX_TERRAINS.
    """
    if count > MAX_TERRAINS:
        refuse(
            file,
            place,
            f"the level has {count:,} terrains",
            f"at most {MAX_TERRAINS}",
            "give several of them one name",
        )
