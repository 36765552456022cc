"""The graph of a large lattice, whose file contains one byte of steps for each cell.

The nodes of such a lattice are numbered square by square, and every node has an arc for each step
in the order of :mod:`bake.core.movement`; an impossible step is a blocked loop at its node.
Everything follows from the cells that are nodes, one byte of steps per cell, and a table of prices.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array, UInt8Array
from bake.core.graph import BLOCKED
from bake.store.graph import LevelGraph
from levelbake.columns import profile_path
from levelbake.file import File
from levelbake.steps import Lattice

#: Arcs of every node. Hexagonal lattices have two that are always blocked.
SLOTS = 8

#: Cells along one side of a storage tile, unless squares are larger.
_SHEET = 128

#: Columns that a large lattice must not have, as they follow from others.
_IMPLIED = ("/terrain", "/node_location", "/first_out", "/head", "/length")

#: In column ``dearest``: a cell at which the profile cannot stand.
NOWHERE = 255


def sheet_side(block: int) -> int:
    """Return the side in cells of the tiles in which a large lattice is stored and read.

    Args:
        block: cells along one side of a square; a tile consists of whole squares.

    >>> sheet_side(16), sheet_side(200)
    (128, 200)
    """
    return block * max(1, _SHEET // block)


def block_order(stands: BoolArray, block: int) -> Int32Array:
    """Number cells square by square, and row by row in each.

    Args:
        stands: (height, width) bool, the cells to be numbered.
        block: cells along one side of a square.

    Returns:
        (n) int32, y * width + x of each cell in that order.

    >>> block_order(np.ones((2, 4), dtype=np.bool_), 2).tolist()
    [0, 1, 4, 5, 2, 3, 6, 7]
    """
    height, width = stands.shape
    cell = np.empty(int(np.count_nonzero(stands)), dtype=np.int32)
    across = -(-width // block)
    strip = np.zeros((block, across * block), dtype=np.bool_)
    place = np.arange(block * width, dtype=np.int32).reshape(block, width)
    number = np.zeros(strip.shape, dtype=np.int32)
    number[:, :width] = place
    number = np.ascontiguousarray(number.reshape(block, across, block).transpose(1, 0, 2)).ravel()
    filled = 0
    for top in range(0, height, block):
        rows = min(block, height - top)
        strip[:rows, :width] = stands[top : top + rows]
        strip[rows:] = False
        taken = strip.reshape(block, across, block).transpose(1, 0, 2).ravel()
        cells = number[taken]
        cells += np.int32(top * width)
        cell[filled : filled + len(cells)] = cells
        filled += len(cells)
    return cell


class LatticeGraph(LevelGraph):
    """The graph of a large lattice.

    Attributes:
        block: cells along one side of the squares in whose order nodes are numbered.
    """

    def __init__(self, asset: File, block: int) -> None:
        super().__init__(asset)
        self.block = block
        wrong = [path for path in _IMPLIED if asset.has(path)]
        if wrong or not self.is_grid or not asset.has("/is_node"):
            reason = (
                f"there is a column {wrong[0]}" if wrong else "its columns are of another level"
            )
            raise asset.damaged(f"block is {block}, but {reason}")

    def stands(self, profile: str) -> BoolArray:
        """Return (height, width) bool, True where a profile can stand.

        Raises:
            CorruptAssetError: columns contradict each other.
        """
        asset = self.asset
        if self._is_large(profile):
            return np.asarray(asset.read(profile_path(profile, "dearest")) != NOWHERE)
        passable = ~np.isnan(asset.read(profile_path(profile, "cost")))
        return np.asarray(passable[asset.read("/ground")])

    def cells(self, profile: str) -> Int32Array:
        """Return (r) int32, y * width + x of each row's cell, without reading columns by node."""
        cells = block_order(self.stands(profile), self.block)
        self.check_rows(profile, len(cells))
        return cells

    def _number_rows(self, profile: str) -> Int32Array:
        standable = self.stands(profile)
        stands = standable.reshape(-1)[self.place]
        if np.count_nonzero(standable) != np.count_nonzero(stands):
            raise self.asset.damaged("column is_node does not fit terrain and costs")
        return self._numbered(profile, stands)

    def _is_large(self, profile: str) -> bool:
        return self.asset.has(profile_path(profile, "dearest"))

    def prices(self, profile: str) -> UInt8Array:
        """Return (height, width) uint8, the terrain whose price a profile pays on each cell."""
        asset = self.asset
        if not self._is_large(profile):
            return asset.read("/ground")
        price = asset.read(profile_path(profile, "dearest"))
        return np.where(price == NOWHERE, 0, price).astype(np.uint8)

    def steps(self, profile: str) -> UInt8Array:
        """Return (height, width) uint8, the steps a profile may take from each cell, as bits.

        Some may lead to cells at which it cannot stand, but none out of the grid.

        Raises:
            CorruptAssetError: a step leads out of the grid, or its slot is invalid.
        """
        asset, lattice = self.asset, self.plain
        steps: UInt8Array = asset.read(profile_path(profile, "steps"))
        slots = len(lattice.heading)
        if slots < SLOTS and steps.max(initial=0) >= 1 << slots:
            raise asset.damaged("column steps has an invalid step")
        height, width = steps.shape
        line, column = np.arange(width), np.arange(height) * width
        edges = (line, line + column[-1], column, column + width - 1)
        border = np.unique(np.concatenate(edges))
        step_bits = (steps.reshape(-1)[border][:, None] >> np.arange(slots, dtype=np.uint8)) & 1
        if (step_bits > lattice.steps_from(border).inside).any():
            raise asset.damaged("column steps leads out of the grid")
        return steps

    def ticks(self, profile: str) -> Int32Array:
        """Return (terrains, terrains, 2) int32, the ticks of straight and diagonal steps.

        Raises:
            CorruptAssetError: the table is damaged.
        """
        asset = self.asset
        path = profile_path(profile, "step_ticks")
        return asset.read(path).astype(np.int32, copy=False)

    # -- nodes and arcs ---------------------------------------------------------------------------

    @cached_property
    def terrain(self) -> UInt8Array:
        return self.asset.read("/ground").reshape(-1)

    @cached_property
    def place(self) -> Int32Array:
        cells = block_order(self._is_node(), self.block)
        if len(cells) > (2**31 - 1) // SLOTS:
            raise self.asset.damaged(f"{len(cells):,} nodes have more arcs than can be numbered")
        return cells

    @property
    def grid(self) -> Lattice:
        """The cells and their neighbors."""
        assert self.lattice is not None
        return self.lattice

    @cached_property
    def plain(self) -> Lattice:
        """The cells and their neighbors, without ledges and floors."""
        grid = self.grid
        return Lattice(grid.width, grid.height, grid.connectivity, grid.hex_layout)

    def _is_node(self) -> BoolArray:
        bits: UInt8Array = self.asset.read("/is_node")
        width = self.asset.shape("/ground")[1]
        return np.unpackbits(bits, axis=1, count=width).view(np.bool_)

    @cached_property
    def slots(self) -> int:
        return SLOTS

    @property
    def arc_count(self) -> int:
        return SLOTS * len(self.place)

    @cached_property
    def head(self) -> Int32Array:
        return self._heads(self.grid, self.place)

    @cached_property
    def length(self) -> Float64Array:
        one = np.ones(SLOTS)
        one[: len(self.grid.length)] = self.grid.length
        return np.tile(one, len(self.place))

    def _heads(self, lattice: Lattice, cells: Int32Array) -> Int32Array:
        node_at = self.node_at
        head = np.repeat(np.arange(len(cells), dtype=np.int32), SLOTS).reshape(-1, SLOTS)
        for first in range(0, len(cells), 2**16):
            portion = slice(first, first + 2**16)
            steps = lattice.steps_from(cells[portion].astype(np.int64))
            target = np.where(steps.inside, node_at[steps.head], -1)
            node = head[portion, : target.shape[1]]
            head[portion, : target.shape[1]] = np.where(target < 0, node, target)
        return head.reshape(-1)

    def opened(self, profile: str) -> BoolArray:
        return np.asarray(self.weight(profile) != BLOCKED)

    def weight(self, profile: str) -> Int32Array:
        cells, lattice = self.place, self.grid
        steps, price = self.steps(profile).reshape(-1), self.prices(profile).reshape(-1)
        ticks = self.ticks(profile)
        if steps[~self.stands(profile).reshape(-1)].any():
            raise self.asset.damaged("column steps begins where the profile cannot stand")
        weight = np.full((len(cells), SLOTS), BLOCKED, dtype=np.int32)
        slanted = (lattice.length > 1).astype(np.intp)
        for first in range(0, len(cells), 2**16):
            portion = slice(first, first + 2**16)
            tail = cells[portion].astype(np.int64)
            head = lattice.steps_from(tail).head
            slots = head.shape[1]
            step_bits = (steps[tail][:, None] >> np.arange(slots, dtype=np.uint8)) & 1
            paid = ticks[price[tail][:, None], price[head], slanted]
            if (paid[step_bits == 1] == BLOCKED).any():
                raise self.asset.damaged("column steps leads where the profile cannot stand")
            weight[portion, :slots] = np.where(step_bits == 1, paid, BLOCKED)
        return weight.reshape(-1)
