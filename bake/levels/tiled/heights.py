"""Read how high cells lie, from tile layers that say so by a property: ``bake = elevation``.

A tile stands for a height there, which its own property ``elevation`` says, and for no terrain.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Float64Array
from bake.levels.reading.limits import MAX_COST
from bake.levels.reading.marks import as_number
from bake.levels.reading.mistakes import shown
from bake.levels.tiled.geometry import TILE_BITS
from bake.levels.tiled.layers import Box, Layer, pieces
from bake.levels.tiled.tilesets import Tilesets


def read_heights(
    layers: list[Layer], whole: Box, floors: tuple[int, ...], tilesets: Tilesets
) -> Float64Array | None:
    """Return how high the cells of a map lie.

    Args:
        layers: those that say it, bottom to top; an upper one counts wherever it has a tile.
        whole: the cells of the map.
        floors: numbers of the floors, lowest first; empty = one floor.
        tilesets: of the map.

    Returns:
        (floors x height, width) float64 units, 0 where no layer has a tile; None without layers.

    Raises:
        LevelError: a tile says no height, or is in no tileset; or a layer lies on no floor.
    """
    if not layers:
        return None
    found = np.zeros((max(1, len(floors)) * whole.height, whole.width))
    heights: dict[int, float] = {}
    for layer in layers:
        below = _floor(layer, floors) * whole.height
        for box, gids in pieces(layer, whole):
            kinds, first, kind_at = np.unique(
                gids & TILE_BITS, return_index=True, return_inverse=True
            )
            height = np.zeros(len(kinds))
            for at, gid in enumerate(kinds.tolist()):
                if gid and gid not in heights:
                    y, x = divmod(int(first[at]), box.width)
                    heights[gid] = _height(layer, tilesets, gid, (box.left + x, box.top + y))
                height[at] = heights.get(gid, 0.0)
            row, column = below + box.top - whole.top, box.left - whole.left
            here = found[row : row + box.height, column : column + box.width]
            kind_at = kind_at.reshape(gids.shape)
            np.copyto(here, height[kind_at], where=(kinds != 0)[kind_at])
    return found


def _floor(layer: Layer, floors: tuple[int, ...]) -> int:
    """Return the place of a layer's floor among the floors of the map."""
    if layer.floor in floors:
        return floors.index(layer.floor)
    if floors or layer.floor is not None:
        layer.fields.refuse(
            "the layer of elevation lies on no floor that has a terrain",
            "a layer inside the group of a floor",
            "move it into the group of its floor, or ignore it in [tiled]",
        )
    return 0


def _height(layer: Layer, tilesets: Tilesets, gid: int, cell: tuple[int, int]) -> float:
    """Return how high a tile says that its cell lies."""
    tileset, number = tilesets.in_cell(gid, layer.fields, cell)
    properties = tileset.tile(number).properties
    if not properties.has("elevation"):
        layer.fields.refuse(
            f"tile {cell} says no elevation",
            f"a property elevation (type int or float) on tile {number} of {shown(tileset.name)}",
            "give it one in the tileset, or erase the tile",
        )
    height = as_number(properties.value("elevation"), is_text=True)
    if height is None or abs(height) > MAX_COST:
        properties.refuse("elevation", f"a number from {-MAX_COST:g} to {MAX_COST:g}")
    return height
