"""Find the cells that an outline covers and the steps between cells that it cuts, exactly.

An outline covers the cells whose centers lie inside it, by the even-odd rule. A wall thinner
than a cell may lie between centers, but must not vanish. Therefore an outline cuts every step
between neighboring cells whose straight line it crosses, on the side of one of the two cells. The
painter adds that cell to the shape if the shape has neither of them. Then no step between two free
cells crosses the outline. (This is the thin 6-separating voxelization of Huang, Yagel, Filippov and
Kurzion, "An accurate method for voxelizing polygon meshes", 1998, in the plane, applied only where
centers alone would leave a gap.)

All computations use the lattice of cell centers, which have integer coordinates on every kind of
map. Corners are rounded to 1/65,536 of a cell; everything after that is integer arithmetic. Centers
on an edge belong to the side right of it or below, so that only one of two shapes with a common
edge covers them. A line covers the cells whose centers it passes through.
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

#: Subdivisions of a cell to which corners are rounded.
ONE = 2**16
#: Products of two coordinates below this fit into 64 bits; larger ones use Python integers.
_SMALL = 2**29
#: The number of crossings of edges and lines per batch.
_AT_ONCE = 2**18
#: The least work of an outline, in visited cells.
_LEAST_WORK = 2**14
#: The work of a crossing, in visited cells.
_CROSSING_WORK = 128

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.object_]


@dataclass(frozen=True)
class Outline:
    """The outline of an area, or a line."""

    #: x, y: (k) float64 corners in the pixels of objects, k >= 1
    x: Floats
    y: Floats
    closed: bool  #: whether it encloses an area; otherwise it is a line


@dataclass(frozen=True)
class Coverage:
    """The cells that an outline covers and the steps that it cuts, on the lattice."""

    #: u, v: (k) cells whose centers lie inside, or on the line if the outline is not closed
    u: Ints
    v: Ints
    #: from_u, from_v, to_u, to_v: (c) cut steps, each between two neighbors
    from_u: Ints
    from_v: Ints
    to_u: Ints
    to_v: Ints
    far: BoolArray  #: (c) whether the cut lies on the side of the second cell

    @property
    def is_empty(self) -> bool:
        return not (len(self.u) or len(self.far))


@dataclass(frozen=True)
class Lattice:
    """The range of a map's lattice that contains cells."""

    geometry: Geometry
    lines: tuple[int, int]  #: first line, and the line after the last
    cells: tuple[int, int]  #: first cell of a line, and the cell after the last

    @staticmethod
    def around(geometry: Geometry, outline: Outline) -> Lattice:
        """Return a range of the lattice around an outline, independent of the size of the map."""
        u, v = geometry.on_lattice(outline.x, outline.y)
        lines = (math.floor(v.min()) - 2, math.ceil(v.max()) + 3)
        low, high = geometry.shift(np.array(lines, dtype=np.int64)).tolist()
        return Lattice(
            geometry, lines, (math.floor(u.min()) + low - 2, math.ceil(u.max()) + high + 3)
        )

    @staticmethod
    def for_box(geometry: Geometry, box: Box) -> Lattice:
        """Return the range of the lattice for the cells in a box of the map."""
        across, down = (box.left, box.left + box.width), (box.top, box.top + box.height)
        if geometry.staggered and geometry.axis == "x":
            return Lattice(geometry, across, down)
        return Lattice(geometry, down, across)

    @property
    def origin(self) -> tuple[int, int]:
        """Return the lattice coordinates (u, v) of the first cell."""
        first = np.array([self.lines[0]], dtype=np.int64)
        return self.cells[0] - int(self.geometry.shift(first)[0]), self.lines[0]

    def has(self, u: Ints, v: Ints) -> BoolArray:
        cell = u + self.geometry.shift(v)
        inside: BoolArray = (v >= self.lines[0]) & (v < self.lines[1])
        return inside & (cell >= self.cells[0]) & (cell < self.cells[1])


def cover(outline: Outline, lattice: Lattice, owner: Fields, *, cuts: bool = True) -> Coverage:
    """Find the cells of a map that an outline covers and the steps that it cuts.

    Args:
        outline: the outline; it may cross itself, and lie partly or fully outside the map.
        lattice: the cells of the map.
        owner: the drawn object, for messages.
        cuts: whether to find cut steps.

    Raises:
        LevelError: the level exceeds its allowance of work or memory.
    """
    spend_work(owner.file, _LEAST_WORK, owner.place)
    u, v = _round_corners(outline, lattice)
    empty = np.zeros(0, dtype=np.int64)
    inside: tuple[Ints, Ints] = empty, empty
    if outline.closed:
        inside = _find_inside(u, v, lattice, owner)
    cut_steps = [
        _find_cuts(u, v, step, lattice, owner, closed=outline.closed)
        for step in (lattice.geometry.neighbor_steps if cuts else ())
    ]
    if not cut_steps:
        return Coverage(*inside, empty, empty, empty, empty, empty > 0)
    from_u, from_v, to_u, to_v, far, on = (
        np.concatenate(arrays) for arrays in zip(*cut_steps, strict=True)
    )
    far = far.astype(np.bool_)
    if not outline.closed:
        on = on.astype(np.bool_) & lattice.has(to_u, to_v)
        inside = to_u[on], to_v[on]
    on_map = lattice.has(from_u, from_v) & lattice.has(to_u, to_v)
    return Coverage(
        *inside, from_u[on_map], from_v[on_map], to_u[on_map], to_v[on_map], far[on_map]
    )


def _round_corners(outline: Outline, lattice: Lattice) -> tuple[Numbers, Numbers]:
    """Return the corners in 1/ONE of a cell, relative to the first cell of the map."""
    axes: list[Numbers] = []
    points = lattice.geometry.on_lattice(outline.x, outline.y)
    for coordinates, first in zip(points, lattice.origin, strict=True):
        parts = np.rint((coordinates - first) * ONE)
        if np.abs(parts).max() < _SMALL:
            axes.append(parts.astype(np.int64))
        else:
            axes.append(np.array([int(part) for part in parts.tolist()], dtype=np.object_))
    if axes[0].dtype != axes[1].dtype:
        axes = [coordinates.astype(np.object_) for coordinates in axes]
    return axes[0], axes[1]


def _find_crossings(
    across: Numbers,
    along: Numbers,
    lines: tuple[int, int],
    owner: Fields,
    *,
    closed: bool,
) -> Iterator[tuple[Int64Array, Int64Array, Int64Array]]:
    """Yield the crossings of edges with lines; a line lies at an integer of ``across``.

    Yields:
        The line, the last integer of ``along`` before the crossing, and the distance from there to
        the crossing in 1/ONE of a cell, rounded down; ONE = on the next integer.
    """
    begins = np.arange(len(across) if closed else len(across) - 1)
    ends = (begins + 1) % len(across)
    a, b, c, d = across[begins], across[ends], along[begins], along[ends]
    back = a > b
    a, b, c, d = (np.where(back, *pair) for pair in ((b, a), (a, b), (d, c), (c, d)))
    # An edge includes the line at its start, but not the line at its end.
    first = np.maximum(-(-a // ONE), lines[0]).astype(np.int64)
    last = np.minimum(-(-b // ONE), lines[1]).astype(np.int64)
    count = np.maximum(last - first, 0)
    total = int(count.sum())
    spend_area(owner.file, total, owner.place)
    spend_work(owner.file, total * _CROSSING_WORK, owner.place)
    until = np.cumsum(count)
    for batch in range(0, total, _AT_ONCE):
        number = np.arange(batch, min(batch + _AT_ONCE, total))
        edge = np.searchsorted(until, number, side="right")
        line = first[edge] + number - (until[edge] - count[edge])
        height = (b - a)[edge]
        numerator = c[edge] * height + (line * ONE - a[edge]) * (d - c)[edge]
        cell = -(-numerator // (height * ONE)) - 1
        part = (numerator - cell * height * ONE) // height
        yield line, cell.astype(np.int64), part.astype(np.int64)


def _sort_crossings(
    across: Numbers, along: Numbers, lines: tuple[int, int], owner: Fields, *, closed: bool
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return all crossings, sorted by line, cell and part."""
    batches = list(_find_crossings(across, along, lines, owner, closed=closed))
    if not batches:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, empty
    line, cell, part = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
    order = np.lexsort((part, cell, line))
    return line[order], cell[order], part[order]


def _find_inside(u: Numbers, v: Numbers, lattice: Lattice, owner: Fields) -> tuple[Ints, Ints]:
    """Return the lattice coordinates (u, v) of the centers inside, line by line."""
    first_u, first_v = lattice.origin
    lines = (0, lattice.lines[1] - lattice.lines[0])
    line, cell, _ = _sort_crossings(v, u, lines, owner, closed=True)
    # A line is crossed an even number of times, and lies inside from each odd crossing to the
    # next.
    line, begin, end = line[::2] + first_v, cell[::2] + first_u + 1, cell[1::2] + first_u + 1
    shift = lattice.geometry.shift(line)
    begin = np.maximum(begin, lattice.cells[0] - shift)
    count = np.maximum(np.minimum(end, lattice.cells[1] - shift) - begin, 0)
    total = int(count.sum())
    spend_area(owner.file, total, owner.place)
    spend_work(owner.file, total, owner.place)
    before = np.repeat(np.cumsum(count) - count, count)
    return np.repeat(begin, count) + np.arange(total) - before, np.repeat(line, count)


def _find_cuts(
    u: Numbers,
    v: Numbers,
    step: tuple[int, int],
    lattice: Lattice,
    owner: Fields,
    *,
    closed: bool,
) -> tuple[Ints, Ints, Ints, Ints, BoolArray, BoolArray]:
    """Return the cut steps in one direction.

    Returns:
        The start (u, v), the end (u, v), whether the cut is on the side of the end, and whether it
        passes through the center of the end.
    """
    first_u, first_v = lattice.origin
    across, along = {(1, 0): (v, u), (0, 1): (u, v), (-1, 1): (u + v, v)}[step]
    low, high = _line_range(step, lattice)
    line, cell, part = _sort_crossings(across, along, (low, high), owner, closed=closed)
    if not len(line):
        no_flags = np.zeros(0, dtype=np.bool_)
        return line, line, line, line, no_flags, no_flags
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
def _line_range(step: tuple[int, int], lattice: Lattice) -> tuple[int, int]:
    """Return the first line along a direction that has cells, and the line after the last."""
    first_u, first_v = lattice.origin
    ends = np.array([lattice.lines[0], lattice.lines[1] - 1], dtype=np.int64)
    v, cell = (axis.ravel() for axis in np.meshgrid(ends, [lattice.cells[0], lattice.cells[1] - 1]))
    u = cell - lattice.geometry.shift(v) - first_u
    v = v - first_v
    line = {(1, 0): v, (0, 1): u, (-1, 1): u + v}[step]
    return int(line.min()), int(line.max()) + 1
