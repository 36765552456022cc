"""Trace the outlines of a grid's cells: one area for each connected set of cells of a terrain.

Cells that only touch at a corner are not connected, as agents cannot walk through a corner.
"""

from __future__ import annotations

import numpy as np
import shapely

from bake.core.arrays import BoolArray, Float64Array, Int64Array, UInt8Array
from bake.core.level import GridLevel, upright
from bake.geometry.area import GRID, Region, areas_of, on_grid
from levelbake.places import Coordinates
from levelbake.steps import HexLayout, in_rows


def cell_regions(level: GridLevel, floor: int) -> dict[int, Region]:
    """Return the region of each terrain on one floor, in steps of the grid.

    The level may state the positions of cells. By default, cell (x, y) is the square from (x, y) to
    (x + 1, y + 1), or a hexagon around (x, y) as :func:`bake.core.level.upright` places it.
    """
    rows = level.floor_height or level.height
    terrain = level.terrain[floor * rows : (floor + 1) * rows]
    coordinates = level.coordinates or upright(1.0, layout=level.hex_layout)
    if level.hex_layout is not None:
        return _hexagons(level, terrain, floor, coordinates, level.hex_layout)
    return _squares(level, terrain, floor, coordinates)


def _squares(
    level: GridLevel, terrain: UInt8Array, floor: int, coordinates: Coordinates
) -> dict[int, Region]:
    def on_plane(corner: Int64Array) -> Float64Array:
        floors = np.full(len(corner), floor)
        # The corner (x, y) of cells is half a cell north-west of the center of cell (x, y).
        middles = coordinates.points(corner, floors, None)
        half = (np.array(coordinates.east) + np.array(coordinates.south)) / 2
        return on_grid(middles - half, level.source, "its cells")

    lines = shapely.linestrings(on_plane(outlines(terrain).reshape(-1, 2)).reshape(-1, 2, 2))
    faces = shapely.get_parts(shapely.polygonize(lines))
    inside = shapely.get_coordinates(shapely.point_on_surface(faces))
    cell = coordinates.cells(inside / GRID, np.full(len(inside), floor), None).astype(np.int64)
    cell = np.clip(cell, 0, [terrain.shape[1] - 1, terrain.shape[0] - 1])
    terrain_of = terrain[cell[:, 1], cell[:, 0]]
    return {
        int(code): shapely.multipolygons(faces[terrain_of == code])
        for code in np.unique(terrain_of)
    }


def outlines(terrain: UInt8Array) -> Int64Array:
    """Return (k, 2, 2) int64, straight lines between corners of cells of different terrain.

    Lines end wherever others begin, and include the border of the grid. Corner (x, y) is the
    north-west one of cell (x, y).

    >>> outlines(np.array([[0]], dtype=np.uint8)).tolist()
    [[[0, 0], [1, 0]], [[0, 1], [1, 1]], [[0, 0], [0, 1]], [[1, 0], [1, 1]]]
    """
    height, width = terrain.shape
    # Above row y, and left of column x.
    across = np.ones((height + 1, width), dtype=np.bool_)
    across[1:-1] = terrain[1:] != terrain[:-1]
    down = np.ones((height, width + 1), dtype=np.bool_)
    down[:, 1:-1] = terrain[:, 1:] != terrain[:, :-1]
    crossed = np.zeros((height + 1, width + 1), dtype=np.bool_)
    crossed[:-1] |= down
    crossed[1:] |= down
    lines = [_runs(across, crossed)]
    crossed = np.zeros((width + 1, height + 1), dtype=np.bool_)
    crossed[:-1] |= across.T
    crossed[1:] |= across.T
    lines.append(_runs(down.T, crossed)[:, :, ::-1])
    return np.concatenate(lines)


def _runs(edge: BoolArray, crossed: BoolArray) -> Int64Array:
    """Return (k, 2, 2) int64 x, y of the ends of straight runs of edges along x.

    Args:
        edge: (lines, n) bool.
        crossed: (lines, n + 1) bool, True where other edges end a run.
    """
    before = np.zeros_like(edge)
    before[:, 1:] = edge[:, :-1]
    after = np.zeros_like(edge)
    after[:, :-1] = edge[:, 1:]
    y, first = np.nonzero(edge & (~before | crossed[:, :-1]))
    _, last = np.nonzero(edge & (~after | crossed[:, 1:]))
    return np.stack([np.stack([first, y], axis=1), np.stack([last + 1, y], axis=1)], axis=1)


def _hexagons(
    level: GridLevel,
    terrain: UInt8Array,
    floor: int,
    coordinates: Coordinates,
    layout: HexLayout,
) -> dict[int, Region]:
    y, x = np.indices(terrain.shape)
    cell = np.stack([x.ravel(), y.ravel()], axis=1)
    middle = coordinates.points(cell, np.full(len(cell), floor), layout)
    side, east, south = coordinates.side / 2, coordinates.east[0], coordinates.south[1]
    if in_rows(layout):
        wide, tall = east / 2, south - side
        around = [(0, -tall), (wide, -side), (wide, side), (0, tall), (-wide, side), (-wide, -side)]
    else:
        wide, tall = east - side, south / 2
        around = [(-wide, 0), (-side, -tall), (side, -tall), (wide, 0), (side, tall), (-side, tall)]
    corners = on_grid(middle[:, None] + np.array(around), level.source, "its cells")
    hexagons, terrain_of = shapely.polygons(corners), terrain.ravel()
    return {
        int(code): areas_of(shapely.union_all(hexagons[terrain_of == code], grid_size=1.0))
        for code in np.unique(terrain_of)
    }
