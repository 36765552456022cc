"""Write the cells of a grid as the nodes of a graph.

A price that follows from more than terrain is in no table of classes: that of a slope, and of a
turn. As a graph such a level states the price of each arc, so readers that know graphs answer from
it, and none of them has to know what the prices are made of.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import AnyArray, Int32Array
from bake.flat.schema import texts
from bake.runtime.reader.places import Places
from bake.runtime.reader.points import Points


def cell_columns(places: Places) -> dict[str, AnyArray]:
    """Return what says where each node of a grid lies, as columns of a graph.

    Args:
        places: of a grid.

    Returns:
        Column ``cell``, ``position``, the middle of its cell, and ``node_name``, the cell as the
        command line writes it.
    """
    floor_rows = places.floor_height or max(1, places.height)
    x, y = places.cells_of(places.flat).T
    cell: Int32Array = np.stack([x, y % floor_rows, y // floor_rows], axis=1).astype(np.int32)
    asked = cell[:, : places.dimensions]
    return {
        "cell": cell,
        "position": np.ascontiguousarray(np.asarray(Points(places).points(asked))[:, :2]),
        "node_name": texts([",".join(map(str, each)) for each in asked.tolist()]),
    }
