"""Lines of sight from a place, past walls.

On grids lines lead from the center of one cell to the center of another, in coordinates in which
hexagons form a lattice as well. All arithmetic is exact, in integers. A line that only touches
cells counts as shifted slightly to the left or to the right, whichever is free.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.play.reader.version import Version
from bake.play.snapshot import Snapshot
from levelbake.errors import QueryError
from levelbake.steps import SQUARE_8, chart

#: The corners of a cell around its center, in sixths; axial for hexagons.
_SQUARE = np.array([(3, 3), (3, -3), (-3, -3), (-3, 3)])
_HEXAGON = np.array([(2, 2), (-2, 4), (-4, 2), (-2, -2), (2, -4), (4, -2)])

#: The steps between hexagons, axial.
_HEX_STEPS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


class _Lines(NamedTuple):
    """Lines from the center of a square field of cells."""

    to: Int64Array  # (k, 2) the target cell of each line, relative to the center
    #: for lines shifted to the left, and for lines shifted to the right: (p, 2) the cells passed by
    #: all lines, line by line, and (k) the offset of each line
    ways: tuple[tuple[Int64Array, Int64Array], tuple[Int64Array, Int64Array]]


def cells_in_sight(
    version: Version, size: int, here: int, near: Int32Array, radius: int
) -> Int32Array:
    """Return (k) int32, the locations of a grid visible from one.

    Args:
        version: of the level.
        size: the side of the profile's footprint in cells; cells it can never cover are walls.
        here: the location of the observer.
        near: (n) int32, a superset of the locations within the radius.
        radius: the range of sight in a straight line, in steps between neighbors.
    """
    places = version.places
    at = chart(places.cells_of(np.append(near, np.int32(here))), places.hex_layout)
    x, y = (at[:-1] - at[-1] + radius).T
    inside = (x >= 0) & (x <= 2 * radius) & (y >= 0) & (y <= 2 * radius)
    near, x, y = near[inside], x[inside], y[inside]
    wall = np.ones((2 * radius + 1, 2 * radius + 1), dtype=np.bool_)
    wall[y, x] = ~_covered(version, size, near)
    seen = seen_from_middle(wall, radius, hexagons=places.hex_layout is not None)
    found: Int32Array = near[seen[y, x]]
    return found


def _covered(version: Version, size: int, location: Int32Array) -> BoolArray:
    """Return (k) bool, True on cells that an agent covers from any row it can stand on."""
    places = version.places
    x, y = places.cells_of(location).T
    covered = np.zeros(len(location), dtype=np.bool_)
    for up, left in np.ndindex(size, size):
        inside = (x >= left) & (y >= up)
        north_west = location[inside] - np.int32(up * places.width + left)
        covered[inside] |= version.rows_of(north_west) >= 0
    return covered


def nodes_in_sight(snapshot: Snapshot, here: int, radius: float) -> Int32Array:
    """Return (k) int32, the nodes visible from one within a radius.

    Raises:
        QueryError: the nodes have no positions.
    """
    places, sight = snapshot.version.places, snapshot.sight
    assert places.position is not None, "nothing else has sight"
    far = np.linalg.norm(places.position - places.position[here], axis=1)
    found = [here]
    for node in np.flatnonzero(far <= radius).tolist():
        try:
            sight.cost([places.place_at(here), places.place_at(node)])
        except QueryError:
            continue
        found.append(node)
    return np.unique(np.array(found, dtype=np.int32))


def seen_from_middle(wall: BoolArray, radius: int, *, hexagons: bool) -> BoolArray:
    """Return a mask of the cells of a field that are visible from its center.

    Args:
        wall: (2 radius + 1, 2 radius + 1) bool, by the second and the first coordinate.
        radius: the range of sight in a straight line, in steps between neighbors.
        hexagons: whether coordinates are axial.

    Returns:
        The same shape, bool. Walls are visible with the open cells that they touch.
    """
    lines = _lines(radius, hexagons)
    free = np.zeros(len(lines.to), dtype=np.bool_)
    for cells, first in lines.ways:
        x, y = (cells + radius).T
        free |= ~np.logical_or.reduceat(wall[y, x], first)
    seen = np.zeros((2 * radius + 3, 2 * radius + 3), dtype=np.bool_)
    x, y = (lines.to + radius + 1).T
    seen[y, x] = free
    seen[radius + 1, radius + 1] = True
    inner = seen[1:-1, 1:-1]
    inner &= ~wall
    beside = np.zeros(wall.shape, dtype=np.bool_)
    for dx, dy in _HEX_STEPS if hexagons else SQUARE_8:
        beside |= seen[1 + dy : 2 * radius + 2 + dy, 1 + dx : 2 * radius + 2 + dx]
    found: BoolArray = inner | (beside & wall)
    found[radius, radius] = True
    return found


@lru_cache(maxsize=16)
def _lines(radius: int, hexagons: bool) -> _Lines:
    reach = np.arange(-radius, radius + 1)
    to = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
    square = (to**2).sum(axis=1) + (to.prod(axis=1) if hexagons else 0)
    to = to[(square <= radius**2) & (square > 0)]
    corner = _HEXAGON if hexagons else _SQUARE
    return _Lines(to, (_ways(to, corner, 1), _ways(to, corner, -1)))


def _ways(to: Int64Array, corner: Int64Array, side: int) -> tuple[Int64Array, Int64Array]:
    """Return the cells that lines cross when shifted to a side, the first of each among them."""
    crossed = []
    for dx, dy in to.tolist():
        x, y = (np.arange(min(d, 0), max(d, 0) + 1) for d in (dx, dy))
        cells = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        at = 6 * cells[:, None] + corner
        off = side * (dx * at[..., 1] - dy * at[..., 0])
        on = (off.max(axis=1) > 0) & (off.min(axis=1) <= 0)
        crossed.append(cells[on & (cells != (dx, dy)).any(axis=1)])
    first = np.cumsum([0, *map(len, crossed)])[:-1]
    return np.concatenate([np.empty((0, 2), dtype=np.int64), *crossed]), first
