"""Read the elevation of cells from tile layers with the property ``bake = elevation``.

Tiles in such a layer have no terrain. Their property ``elevation`` is the elevation of the cell.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Float64Array
from bake.levels.reading.limits import MAX_COST
from bake.levels.reading.marks import parse_number
from bake.levels.reading.mistakes import shown
from bake.levels.tiled.geometry import TILE_BITS
from bake.levels.tiled.layers import Box, Layer, decode_layer
from bake.levels.tiled.tilesets import Tilesets


def read_heights(
    layers: list[Layer], whole: Box, floors: tuple[int, ...], tilesets: Tilesets
) -> Float64Array | None:
    """Return the elevation of the cells of a map.

    Args:
        layers: the elevation layers, bottom to top; tiles of upper layers win.
        whole: the cells of the map.
        floors: the numbers of the floors, lowest first; empty = one floor.
        tilesets: the tilesets of the map.

    Returns:
        (floors x height, width) float64 in units, 0 without a tile; None without layers.

    Raises:
        LevelError: a tile has no elevation or is in no tileset, or a layer lies on no floor.
    """
    if not layers:
        return None
    elevation = np.zeros((max(1, len(floors)) * whole.height, whole.width))
    heights: dict[int, float] = {}
    for layer in layers:
        first_row = _find_floor(layer, floors) * whole.height
        for box, gids in decode_layer(layer, whole):
            kinds, first, slot = np.unique(gids & TILE_BITS, return_index=True, return_inverse=True)
            height = np.zeros(len(kinds))
            for i, gid in enumerate(kinds.tolist()):
                if gid and gid not in heights:
                    y, x = divmod(int(first[i]), box.width)
                    heights[gid] = _read_elevation(
                        layer, tilesets, gid, (box.left + x, box.top + y)
                    )
                height[i] = heights.get(gid, 0.0)
            row, column = first_row + box.top - whole.top, box.left - whole.left
            target = elevation[row : row + box.height, column : column + box.width]
            slot = slot.reshape(gids.shape)
            np.copyto(target, height[slot], where=(kinds != 0)[slot])
    return elevation


def _find_floor(layer: Layer, floors: tuple[int, ...]) -> int:
    """Return the index of the floor of a layer among the floors of the map."""
    if layer.floor in floors:
        return floors.index(layer.floor)
    if floors or layer.floor is not None:
        layer.fields.refuse(
            "the layer of elevation lies on no floor that has a terrain",
            "a layer inside the group of a floor",
            "move it into the group of its floor, or ignore it in [tiled]",
        )
    return 0


def _read_elevation(layer: Layer, tilesets: Tilesets, gid: int, cell: tuple[int, int]) -> float:
    """Return the elevation of a tile."""
    tileset, number = tilesets.in_cell(gid, layer.fields, cell)
    properties = tileset.tile(number).properties
    if not properties.has("elevation"):
        layer.fields.refuse(
            f"tile {cell} has no elevation",
            f"a property elevation (type int or float) on tile {number} of {shown(tileset.name)}",
            "give it one in the tileset, or erase the tile",
        )
    height = parse_number(properties.value("elevation"), is_text=True)
    if height is None or abs(height) > MAX_COST:
        properties.refuse("elevation", f"a number from {-MAX_COST:g} to {MAX_COST:g}")
    return height
