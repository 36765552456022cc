"""Work out the arcs of a large lattice, which its asset does not hold, from what it does hold.

The nodes of such a lattice are numbered square by square, and every node has an arc for each step
in the order of :mod:`bake.movement`; a step that leads nowhere leads back to its node, and nobody
can take it. So all columns by node and arc follow from which cells are nodes, from a byte of steps
a cell, and from a table of prices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bake.arrays import AnyArray, BoolArray, Int32Array, UInt8Array
from bake.asset.column import PROFILE, pattern_of, profile_path
from bake.errors import CorruptAssetError
from bake.graph import BLOCKED

if TYPE_CHECKING:
    from bake.movement.lattice import Lattice

#: Arcs of every node. Hexagonal lattices have two that nobody can take.
SLOTS = 8

#: Cells along one side of a sheet, unless squares are larger.
_SHEET = 128

#: In column ``dearest``: a cell at which the profile cannot stand.
NOWHERE = 255

#: The columns that follow from others where the attribute ``block`` is there.
IMPLIED = frozenset(
    {
        *(f"/{name}" for name in ("first_out", "head", "length", "node_terrain", "cell")),
        profile_path(PROFILE, "weight"),
    }
)


def sheet_side(block: int) -> int:
    """Return how many cells a side the sheets have in which a large lattice is stored and read.

    Args:
        block: cells along one side of a square; a sheet is made of whole squares.
    """
    return block * max(1, _SHEET // block)


def block_order(stands: BoolArray, block: int) -> Int32Array:
    """Number cells square by square, and row by row in each.

    Args:
        stands: (height, width) bool, the cells to be numbered.
        block: cells along one side of a square.

    Returns:
        (n) int32, y * width + x of each cell in that order.
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
        found = number[taken]
        found += np.int32(top * width)
        cell[filled : filled + len(found)] = found
        filled += len(found)
    return cell


class Stored(Protocol):
    """What an asset holds: see :class:`bake.asset.read.Asset`."""

    def read(self, path: str) -> AnyArray: ...
    def has(self, path: str) -> bool: ...
    def shape(self, path: str) -> tuple[int, ...]: ...
    def text(self, name: str, group: str = "/") -> str | None: ...
    def number(self, name: str, group: str = "/") -> int | None: ...
    def damaged(self, found: str) -> CorruptAssetError: ...


class ImpliedArcs:
    """The columns by node and arc of a large lattice.

    Attributes:
        block: cells along one side of the squares in whose order nodes are numbered.
    """

    def __init__(self, asset: Stored, block: int) -> None:
        self._asset = asset
        self.block = block
        if not 1 <= block <= 2**15 or asset.text("kind") == "graph":
            raise asset.damaged(f"block is {block}")
        if not asset.has("/is_node"):
            raise asset.damaged(f"block is {block}, but there is no column is_node")

    def stands(self, profile: str) -> BoolArray:
        """Return (height, width) bool, True where a profile can stand.

        Raises:
            CorruptAssetError: columns contradict each other.
        """
        asset = self._asset
        if self._sized(profile):
            return np.asarray(asset.read(profile_path(profile, "dearest")) != NOWHERE)
        passable = ~np.isnan(asset.read(profile_path(profile, "cost")))
        return np.asarray(passable[asset.read("/terrain")])

    def rows(self, profile: str) -> Int32Array:
        """Return (r) int32, y * width + x of the cell of each row; no column by node is read."""
        return block_order(self.stands(profile), self.block)

    def nodes(self, profile: str) -> Int32Array:
        """Return (r) int32, the node of each row.

        Raises:
            CorruptAssetError: components are not those of the cells where the profile can stand.
        """
        component = self._asset.read(profile_path(profile, "component"))
        everywhere = self.stands(profile)
        stands = everywhere.reshape(-1)[self.node_cells()]
        elsewhere = np.count_nonzero(everywhere) != np.count_nonzero(stands)
        if elsewhere or not np.array_equal(component >= 0, stands):
            raise self._asset.damaged("components do not fit terrain and costs")
        return np.flatnonzero(stands).astype(np.int32)

    def _sized(self, profile: str) -> bool:
        return self._asset.has(profile_path(profile, "dearest"))

    def prices(self, profile: str) -> UInt8Array:
        """Return (height, width) uint8, the terrain whose price a profile pays on each cell."""
        asset = self._asset
        if not self._sized(profile):
            return asset.read("/terrain")
        price = asset.read(profile_path(profile, "dearest"))
        return np.where(price == NOWHERE, 0, price).astype(np.uint8)

    def steps(self, profile: str) -> UInt8Array:
        """Return (height, width) uint8, the steps a profile may take from each cell, as bits.

        Some may lead to cells at which it cannot stand; no step leads out of the grid.

        Raises:
            CorruptAssetError: a step leads out of the grid, or there is no such step.
        """
        asset, lattice = self._asset, replace(self.lattice, floor_height=None)
        steps: UInt8Array = asset.read(profile_path(profile, "steps"))
        slots = len(lattice.heading)
        if slots < SLOTS and steps.max(initial=0) >= 1 << slots:
            raise asset.damaged("column steps has a step that there is not")
        height, width = steps.shape
        line, column = np.arange(width), np.arange(height) * width
        edges = (line, line + column[-1], column, column + width - 1)
        border = np.unique(np.concatenate(edges))
        takes = (steps.reshape(-1)[border][:, None] >> np.arange(slots, dtype=np.uint8)) & 1
        if (takes > lattice.steps_from(border).inside).any():
            raise asset.damaged("column steps leads out of the grid")
        return steps

    def ticks(self, profile: str) -> Int32Array:
        """Return (terrains, terrains, 2) int32 ticks of straight and diagonal steps between two.

        Raises:
            CorruptAssetError: the table is damaged.
        """
        asset = self._asset
        path = profile_path(profile, "step_ticks")
        return asset.read(path).astype(np.int32, copy=False)

    # -- columns by node and arc ------------------------------------------------------------------

    @property
    def lattice(self) -> Lattice:
        """Return the cells, and which of them are neighbours; ledges are left out.

        Raises:
            CorruptAssetError: attributes contradict each other, or the grid.
        """
        from bake.hexagons import HEX_LAYOUTS
        from bake.movement.lattice import Lattice
        from bake.movement.rules import CONNECTIVITIES

        asset = self._asset
        height, width = asset.shape("/terrain")
        layout = next((each for each in HEX_LAYOUTS if each == asset.text("hex_layout")), None)
        stated = asset.number("connectivity")
        connectivity = next((each for each in CONNECTIVITIES if each == stated), None)
        if connectivity is None or (connectivity == 6) != (layout is not None):
            raise asset.damaged(f"connectivity is {stated}")
        floor_height = asset.number("floor_height")
        if floor_height is not None and (floor_height < 1 or height % floor_height):
            raise asset.damaged(f"floor_height is {floor_height}")
        return Lattice(width, height, connectivity, layout, floor_height)

    def node_cells(self) -> Int32Array:
        """Return (n) int32, y * width + x of the cell of each node."""
        return block_order(self._is_node(), self.block)

    def _is_node(self) -> BoolArray:
        bits: UInt8Array = self._asset.read("/is_node")
        width = self._asset.shape("/terrain")[1]
        return np.unpackbits(bits, axis=1, count=width).view(np.bool_)

    def shape(self, path: str) -> tuple[int, ...]:
        """Return the shape of an implied column."""
        nodes = int(np.count_nonzero(self._is_node()))
        name = path.rsplit("/", 1)[1]
        if name == "cell":
            return (nodes, 2)
        return ({"first_out": nodes + 1, "node_terrain": nodes}.get(name, SLOTS * nodes),)

    def read(self, path: str) -> AnyArray:
        """Work out a whole implied column.

        Raises:
            CorruptAssetError: the columns it follows from contradict each other.
        """
        asset, name = self._asset, path.rsplit("/", 1)[1]
        cells = self.node_cells()
        nodes = len(cells)
        if nodes > (2**31 - 1) // SLOTS:
            raise asset.damaged(f"{nodes:,} nodes are more than arcs can be numbered for")
        if name == "first_out":
            return np.arange(0, SLOTS * nodes + 1, SLOTS, dtype=np.int32)
        lattice = self.lattice
        if name == "cell":
            y, x = np.divmod(cells, np.int32(lattice.width))
            return np.stack([x, y], axis=1)
        if name == "node_terrain":
            terrain: AnyArray = asset.read("/terrain").reshape(-1)[cells]
            return terrain
        if name == "length":
            one = np.ones(SLOTS)
            one[: len(lattice.length)] = lattice.length
            return np.tile(one, nodes)
        if name == "head":
            return self._heads(lattice, cells)
        return self._weights(lattice, cells, path.split("/")[2])

    def _heads(self, lattice: Lattice, cells: Int32Array) -> Int32Array:
        node_at = np.full(lattice.width * lattice.height, -1, dtype=np.int32)
        node_at[cells] = np.arange(len(cells), dtype=np.int32)
        head = np.repeat(np.arange(len(cells), dtype=np.int32), SLOTS).reshape(-1, SLOTS)
        for first in range(0, len(cells), 2**16):
            piece = slice(first, first + 2**16)
            steps = lattice.steps_from(cells[piece].astype(np.int64))
            there = np.where(steps.inside, node_at[steps.head], -1)
            own = head[piece, : there.shape[1]]
            head[piece, : there.shape[1]] = np.where(there < 0, own, there)
        return head.reshape(-1)

    def _weights(self, lattice: Lattice, cells: Int32Array, profile: str) -> Int32Array:
        steps, price = self.steps(profile).reshape(-1), self.prices(profile).reshape(-1)
        ticks = self.ticks(profile)
        if steps[~self.stands(profile).reshape(-1)].any():
            raise self._asset.damaged("column steps begins where the profile cannot stand")
        weight = np.full((len(cells), SLOTS), BLOCKED, dtype=np.int32)
        slanted = (lattice.length > 1).astype(np.intp)
        for first in range(0, len(cells), 2**16):
            piece = slice(first, first + 2**16)
            tail = cells[piece].astype(np.int64)
            head = lattice.steps_from(tail).head
            slots = head.shape[1]
            takes = (steps[tail][:, None] >> np.arange(slots, dtype=np.uint8)) & 1
            paid = ticks[price[tail][:, None], price[head], slanted]
            if (paid[takes == 1] == BLOCKED).any():
                raise self._asset.damaged("column steps leads where the profile cannot stand")
            weight[piece, :slots] = np.where(takes == 1, paid, BLOCKED)
        return weight.reshape(-1)


def is_implied(path: str) -> bool:
    """Tell whether a column is one that follows from others where nodes are numbered by squares."""
    return pattern_of(path) in IMPLIED
