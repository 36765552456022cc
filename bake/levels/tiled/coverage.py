"""Find the cells that an outline covers, and the ways between cells that it cuts, exactly.

An outline covers the cells whose middles lie inside it, by the even-odd rule. What is thinner than
a cell may lie between middles, though, and a wall must not vanish for that. So wherever an outline
crosses the straight way from the middle of one cell to that of a neighbour, it cuts that way, on
the side of one of the two. Whoever paints the outline gives that cell to it, if it holds neither.
Then no step between two cells that stay free crosses what was drawn. (This is the thin
6-separating voxelisation of Huang, Yagel, Filippov and Kurzion, "An accurate method for voxelizing
polygon meshes", 1998, in the plane, and only where middles alone would leave a gap.)

All of it happens on the lattice of the cells' middles, where every kind of map has whole numbers.
Corners are rounded to 1/65,536 of a cell, and everything after that is arithmetic of whole
numbers. Middles on an edge belong to what lies right of it or below, so that of two shapes with a
common edge one has them; a line covers the cells whose middles it leads through.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bake.core.arrays import BoolArray, Int64Array
from bake.levels.reading.limits import spend_area, spend_work
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import Floats, Geometry, Ints
from bake.levels.tiled.layers import Box

#: Parts of a cell that corners are rounded to.
ONE = 2**16
#: Products of two coordinates below this fit into 64 bits; larger ones are whole numbers of Python.
_SMALL = 2**29
#: How many crossings of edges and lines are found at once.
_AT_ONCE = 2**18
#: What an outline costs however small it is, in cells visited.
_LEAST_WORK = 2**14
#: What a crossing costs more than visiting a cell.
_CROSSING_WORK = 128

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.object_]


@dataclass(frozen=True)
class Outline:
    """What was drawn."""

    #: x, y: (k) float64 corners in the pixels of objects, k >= 1
    x: Floats
    y: Floats
    closed: bool  #: whether it has an inside; else it is a line


@dataclass(frozen=True)
class Coverage:
    """What an outline does, in steps of the lattice."""

    #: u, v: (k) cells whose middles lie inside, or on the line where it has no inside
    u: Ints
    v: Ints
    #: from_u, from_v, to_u, to_v: (c) ways that are cut, each between two neighbours
    from_u: Ints
    from_v: Ints
    to_u: Ints
    to_v: Ints
    far: BoolArray  #: (c) whether the cut lies on the side of the second one

    @property
    def is_empty(self) -> bool:
        return not (len(self.u) or len(self.far))


@dataclass(frozen=True)
class Lattice:
    """The part of a map's lattice that has cells."""

    geometry: Geometry
    lines: tuple[int, int]  #: first line, and the one after the last
    cells: tuple[int, int]  #: first cell of a line, and the one after the last

    @staticmethod
    def around(geometry: Geometry, outline: Outline) -> Lattice:
        """Return a part of the lattice with room for an outline, whatever cells the map has."""
        u, v = geometry.on_lattice(outline.x, outline.y)
        lines = (math.floor(v.min()) - 2, math.ceil(v.max()) + 3)
        low, high = geometry.shift(np.array(lines, dtype=np.int64)).tolist()
        return Lattice(
            geometry, lines, (math.floor(u.min()) + low - 2, math.ceil(u.max()) + high + 3)
        )

    @staticmethod
    def of(geometry: Geometry, box: Box) -> Lattice:
        """Return the part of the lattice that has the cells of a map."""
        across, down = (box.left, box.left + box.width), (box.top, box.top + box.height)
        if geometry.staggered and geometry.axis == "x":
            return Lattice(geometry, across, down)
        return Lattice(geometry, down, across)

    @property
    def origin(self) -> tuple[int, int]:
        """Return the lattice's (u, v) of the first cell."""
        first = np.array([self.lines[0]], dtype=np.int64)
        return self.cells[0] - int(self.geometry.shift(first)[0]), self.lines[0]

    def has(self, u: Ints, v: Ints) -> BoolArray:
        at = u + self.geometry.shift(v)
        inside: BoolArray = (v >= self.lines[0]) & (v < self.lines[1])
        return inside & (at >= self.cells[0]) & (at < self.cells[1])


def cover(outline: Outline, lattice: Lattice, owner: Fields, *, cuts: bool = True) -> Coverage:
    """Find the cells of a map that an outline covers, and the ways between them that it cuts.

    Args:
        outline: any; it may cross itself, and lie partly or wholly off the map.
        lattice: the cells that there are.
        owner: what is drawn, for messages.
        cuts: whether ways are asked for.

    Raises:
        LevelError: the level takes more work or memory than it may.
    """
    spend_work(owner.file, _LEAST_WORK, owner.place)
    u, v = _whole_numbers(outline, lattice)
    nothing = np.zeros(0, dtype=np.int64)
    inside: tuple[Ints, Ints] = nothing, nothing
    if outline.closed:
        inside = _inside(u, v, lattice, owner)
    ways = [
        _cut(u, v, step, lattice, owner, closed=outline.closed)
        for step in (lattice.geometry.neighbours if cuts else ())
    ]
    if not ways:
        return Coverage(*inside, nothing, nothing, nothing, nothing, nothing > 0)
    from_u, from_v, to_u, to_v, far, on = (np.concatenate(each) for each in zip(*ways, strict=True))
    far = far.astype(np.bool_)
    if not outline.closed:
        on = on.astype(np.bool_) & lattice.has(to_u, to_v)
        inside = to_u[on], to_v[on]
    there = lattice.has(from_u, from_v) & lattice.has(to_u, to_v)
    return Coverage(*inside, from_u[there], from_v[there], to_u[there], to_v[there], far[there])


def _whole_numbers(outline: Outline, lattice: Lattice) -> tuple[Numbers, Numbers]:
    """Return the corners in parts of a cell, from the first cell of the map."""
    found: list[Numbers] = []
    points = lattice.geometry.on_lattice(outline.x, outline.y)
    for each, first in zip(points, lattice.origin, strict=True):
        parts = np.rint((each - first) * ONE)
        if np.abs(parts).max() < _SMALL:
            found.append(parts.astype(np.int64))
        else:
            found.append(np.array([int(part) for part in parts.tolist()], dtype=np.object_))
    if found[0].dtype != found[1].dtype:
        found = [each.astype(np.object_) for each in found]
    return found[0], found[1]


def _crossings(
    across: Numbers,
    along: Numbers,
    lines: tuple[int, int],
    owner: Fields,
    *,
    closed: bool,
) -> Iterator[tuple[Int64Array, Int64Array, Int64Array]]:
    """Yield where edges cross lines, each line at a whole number of ``across``.

    Yields:
        The line, the last whole number of ``along`` before the crossing, and how many parts of a
        cell after it the crossing lies, rounded down; ONE = on the next whole number itself.
    """
    begins = np.arange(len(across) if closed else len(across) - 1)
    ends = (begins + 1) % len(across)
    a, b, c, d = across[begins], across[ends], along[begins], along[ends]
    back = a > b
    a, b, c, d = (np.where(back, *pair) for pair in ((b, a), (a, b), (d, c), (c, d)))
    # An edge has the line that it begins on, but not the one that it ends on.
    first = np.maximum(-(-a // ONE), lines[0]).astype(np.int64)
    last = np.minimum(-(-b // ONE), lines[1]).astype(np.int64)
    count = np.maximum(last - first, 0)
    total = int(count.sum())
    spend_area(owner.file, total, owner.place)
    spend_work(owner.file, total * _CROSSING_WORK, owner.place)
    until = np.cumsum(count)
    for begin in range(0, total, _AT_ONCE):
        number = np.arange(begin, min(begin + _AT_ONCE, total))
        edge = np.searchsorted(until, number, side="right")
        line = first[edge] + number - (until[edge] - count[edge])
        height = (b - a)[edge]
        place = c[edge] * height + (line * ONE - a[edge]) * (d - c)[edge]
        cell = -(-place // (height * ONE)) - 1
        part = (place - cell * height * ONE) // height
        yield line, cell.astype(np.int64), part.astype(np.int64)


def _all_crossings(
    across: Numbers, along: Numbers, lines: tuple[int, int], owner: Fields, *, closed: bool
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return all crossings in the order of lines, cells and parts."""
    found = list(_crossings(across, along, lines, owner, closed=closed))
    if not found:
        none = np.zeros(0, dtype=np.int64)
        return none, none, none
    line, cell, part = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.lexsort((part, cell, line))
    return line[order], cell[order], part[order]


def _inside(u: Numbers, v: Numbers, lattice: Lattice, owner: Fields) -> tuple[Ints, Ints]:
    """Return the (u, v) of the middles inside, line by line."""
    first_u, first_v = lattice.origin
    lines = (0, lattice.lines[1] - lattice.lines[0])
    line, cell, _ = _all_crossings(v, u, lines, owner, closed=True)
    # Every line is crossed an even number of times, and from each odd crossing to the next it
    # lies inside.
    line, begin, end = line[::2] + first_v, cell[::2] + first_u + 1, cell[1::2] + first_u + 1
    shift = lattice.geometry.shift(line)
    begin = np.maximum(begin, lattice.cells[0] - shift)
    count = np.maximum(np.minimum(end, lattice.cells[1] - shift) - begin, 0)
    total = int(count.sum())
    spend_area(owner.file, total, owner.place)
    spend_work(owner.file, total, owner.place)
    before = np.repeat(np.cumsum(count) - count, count)
    return np.repeat(begin, count) + np.arange(total) - before, np.repeat(line, count)


def _cut(
    u: Numbers,
    v: Numbers,
    step: tuple[int, int],
    lattice: Lattice,
    owner: Fields,
    *,
    closed: bool,
) -> tuple[Ints, Ints, Ints, Ints, BoolArray, BoolArray]:
    """Return the ways along one direction that are cut.

    Returns:
        From, to, whether they are cut at the far side, and whether in the far middle itself.
    """
    first_u, first_v = lattice.origin
    across, along = {(1, 0): (v, u), (0, 1): (u, v), (-1, 1): (u + v, v)}[step]
    low, high = _lines(step, lattice)
    line, cell, part = _all_crossings(across, along, (low, high), owner, closed=closed)
    if not len(line):
        none = np.zeros(0, dtype=np.bool_)
        return line, line, line, line, none, none
    new = np.empty(len(line), dtype=np.bool_)
    new[0] = True
    new[1:] = (np.diff(line) != 0) | (np.diff(cell) != 0)
    begin = np.flatnonzero(new)
    end = np.append(begin[1:], len(line)) - 1
    far, on = part[begin] + part[end] >= ONE, part[end] == ONE
    line, cell = line[begin], cell[begin]
    if step == (1, 0):
        from_u, from_v = cell, line
    elif step == (0, 1):
        from_u, from_v = line, cell
    else:
        from_u, from_v = line - cell, cell
    from_u, from_v = from_u + first_u, from_v + first_v
    to_u, to_v = from_u + step[0], from_v + step[1]
    return from_u, from_v, to_u, to_v, far, on


@lru_cache(maxsize=64)
def _lines(step: tuple[int, int], lattice: Lattice) -> tuple[int, int]:
    """Return the first line along a direction that has cells, and the one after the last."""
    first_u, first_v = lattice.origin
    ends = np.array([lattice.lines[0], lattice.lines[1] - 1], dtype=np.int64)
    v, at = (each.ravel() for each in np.meshgrid(ends, [lattice.cells[0], lattice.cells[1] - 1]))
    u = at - lattice.geometry.shift(v) - first_u
    v = v - first_v
    line = {(1, 0): v, (0, 1): u, (-1, 1): u + v}[step]
    return int(line.min()), int(line.max()) + 1
