"""Small arrows along next hops."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.arrays import Float64Array, Int32Array
from bake.view.cell_paint import Cells
from bake.view.ink import Ink
from bake.view.palette import ARROW
from bake.view.scene import Scene
from bake.view.toward import Toward

#: Pixels there must be for an arrow; smaller cells share one.
_ROOM = 12
_LONGEST = 48.0

#: Outline of an arrow that points east and is one long: (along, aside).
_OUTLINE = np.array(
    [
        (-0.5, -0.07),
        (0.06, -0.07),
        (0.06, -0.3),
        (0.5, 0.0),
        (0.06, 0.3),
        (0.06, 0.07),
        (-0.5, 0.07),
    ]
)


_HEAD = np.array([(-0.5, -0.42), (0.5, 0.0), (-0.5, 0.42), (-0.3, 0.0)])


def arrows(centre: Float64Array, direction: Float64Array, length: float) -> Float64Array:
    """(k, 7, 2) float64 outlines of arrows.

    Args:
        centre: (k, 2) x, y in pixels.
        direction: (k, 2) of any length but zero.
        length: pixels.
    """
    return _turned(_OUTLINE, centre, direction, length)


def arrow_heads(centre: Float64Array, direction: Float64Array, length: float) -> Float64Array:
    """(k, 4, 2) float64 outlines of arrow heads, otherwise as :func:`arrows`."""
    return _turned(_HEAD, centre, direction, length)


def _turned(
    outline: Float64Array, centre: Float64Array, direction: Float64Array, length: float
) -> Float64Array:
    ahead = direction / np.linalg.norm(direction, axis=1, keepdims=True) * length
    aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    along_part, aside_part = outline[:, 0, None], outline[:, 1, None]
    turned: Float64Array = (
        centre[:, None] + ahead[:, None] * along_part + aside[:, None] * aside_part
    )
    return turned


def cells_per_arrow(cells: Cells) -> int:
    """Along each side of the block of cells that share an arrow."""
    return -(-_ROOM // cells.scale)


def draw_flow(ink: Ink, scene: Scene, cells: Cells, toward: Toward) -> None:
    """One arrow a cell, or one for a block of cells where they are small."""
    assert toward.next_row is not None
    row = np.flatnonzero(toward.next_row != np.arange(len(toward.next_row)))
    flat = scene.places.flat[scene.tables.node]
    block = cells_per_arrow(cells)
    if block > 1:
        row = row[_one_a_block(flat[row], scene.places.width, block)]
    centre = cells.centre(flat[row])
    direction = cells.centre(flat[toward.next_row[row]]) - centre
    ink.polygons(
        arrows(
            centre, direction, min(_LONGEST, (0.74 if block == 1 else 0.7) * block * cells.scale)
        ),
        ARROW,
    )


def _one_a_block(flat: Int32Array, width: int, block: int) -> npt.NDArray[np.intp]:
    """Of the cells in each block of block x block, which one is nearest to its middle."""
    y, x = np.divmod(flat.astype(np.int64), width)
    away = (y % block - block // 2) ** 2 + (x % block - block // 2) ** 2
    number = (y // block) * (width // block + 1) + x // block
    order = np.lexsort((flat, away, number))
    _, first = np.unique(number[order], return_index=True)
    return order[first]
