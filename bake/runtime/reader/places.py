"""Between what a game says, cells or node names, and the numbers tables use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from operator import index
from typing import SupportsIndex, cast

import numpy as np

from bake.arrays import Float64Array, Int32Array
from bake.asset import Asset
from bake.errors import CorruptAssetError, UnknownNodeError

#: (x, y), or (x, y, floor) on levels of several floors.
Cell = tuple[int, ...]
Name = str | int
Place = Cell | Name

HEX_LAYOUTS = ("odd-r", "even-r", "odd-q", "even-q")


class Places:
    """Where the nodes of a level are; shared by its profiles.

    Attributes:
        name: the level's name.
        width, height: cells of the whole grid; 0 for graph levels.
        floor_height: rows of one floor, of several that lie below one another; None = one floor.
        is_grid: whether places are cells (x, y); otherwise they are node names.
        hex_layout: odd-r, even-r, odd-q, even-q; None on other levels.
        ticks_per_unit: ticks in one unit of cost.
    """

    def __init__(self, asset: Asset) -> None:
        self.asset = asset
        self.name = asset.text("name") or ""
        kind = asset.text("kind")
        self.is_grid = kind != "graph"
        self.hex_layout = asset.text("hex_layout")
        if kind not in ("graph", "square", "hex") or (
            kind == "hex" and self.hex_layout not in HEX_LAYOUTS
        ):
            raise asset.damaged(f"kind is {kind!r}, hex_layout {self.hex_layout!r}")
        # The grid's own shape, which the asset compares with its width and height.
        self.height, self.width = asset.shape("/terrain/grid") if self.is_grid else (0, 0)
        self.floor_height = asset.number("floor_height") if self.is_grid else None
        if self.floor_height is not None and not (
            0 < self.floor_height < self.height and self.height % self.floor_height == 0
        ):
            raise asset.damaged(f"floor_height is {self.floor_height}")
        self.ticks_per_unit = asset.number("ticks_per_unit") or 0
        if self.ticks_per_unit < 1:
            raise asset.damaged(f"ticks_per_unit is {self.ticks_per_unit}")

    @cached_property
    def first_out(self) -> Int32Array:
        first_out = self._column("first_out")
        if (
            not len(first_out)
            or first_out[0] != 0
            or (np.diff(first_out) < 0).any()
            or first_out[-1] != len(self.head)
        ):
            raise self._damaged("first_out")
        return first_out

    @cached_property
    def head(self) -> Int32Array:
        head = self._column("head")
        nodes = self.asset.shape("/world/first_out")[0] - 1
        if len(head) and not (head.min() >= 0 and head.max() < nodes):
            raise self._damaged("head")
        return head

    @cached_property
    def node_count(self) -> int:
        return len(self.first_out) - 1

    @cached_property
    def cell(self) -> Int32Array | None:
        """(n, 2) int32 (x, y) of each node; None on graph levels."""
        if not self.is_grid:
            return None
        y, x = np.divmod(self.flat, np.int32(self.width))
        return np.stack([x, y], axis=1)

    @cached_property
    def flat(self) -> Int32Array:
        """(n) int32, y * width + x of each node's cell."""
        cell = self._column("cell")
        limit = np.array([self.width, self.height])
        if len(cell) != self.node_count or (cell < 0).any() or (cell >= limit).any():
            raise self._damaged("cell")
        return cell[:, 1] * np.int32(self.width) + cell[:, 0]

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Node names of a graph level, as its source wrote them."""
        stored = self.asset.read("/world/node_name")
        if len(stored) != self.node_count:
            raise self._damaged("node_name")
        whole = self.asset.text("node_name_type") == "int"
        if whole != (stored.dtype.kind == "i"):
            raise self._damaged("node_name")
        if whole:
            return tuple(stored.tolist())
        return tuple(name.decode() for name in stored.tolist())

    @cached_property
    def _node_of_name(self) -> Mapping[Name, int]:
        return {name: node for node, name in enumerate(self.names)}

    @cached_property
    def position(self) -> Float64Array | None:
        """(n, 2) float64 of a graph level; None where its source gave none."""
        if not self.asset.has("/world/position"):
            return None
        position = self.asset.read("/world/position").astype(np.float64)
        if position.shape != (self.node_count, 2) or not np.isfinite(position).all():
            raise self._damaged("position")
        return position

    def node_named(self, name: object) -> int | None:
        """The node of a name; None where there is none. Neither True nor 1.0 is the name 1."""
        if isinstance(name, bool):
            return None
        if isinstance(name, str):
            return self._node_of_name.get(name)
        try:
            return self._node_of_name.get(index(cast("SupportsIndex", name)))
        except TypeError:
            return None

    def name_from(self, text: str) -> Name:
        """A node's name from text; numbers where the source has numbers."""
        name: Name = text
        if self.asset.text("node_name_type") == "int" and text.lstrip("-").isdecimal():
            name = int(text)
        if self.node_named(name) is None:
            raise UnknownNodeError(f"no node is named {text!r}", place=f"level {self.name!r}")
        return name

    def place(self, node: int) -> Place:
        """The cell or name of a node."""
        if self.is_grid:
            y, x = divmod(int(self.flat[node]), self.width)
            if self.floor_height is not None:
                floor, y = divmod(y, self.floor_height)
                return (x, y, floor)
            return (x, y)
        return self.names[node]

    @property
    def floors(self) -> int:
        """How many floors the level has."""
        return 1 if self.floor_height is None else self.height // self.floor_height

    @property
    def dimensions(self) -> int:
        """Numbers that make a cell: 2, or 3 on levels of several floors."""
        return 2 if self.floor_height is None else 3

    def spoken(self, cell: Int32Array) -> Int32Array:
        """Cells of the whole grid as a game says them.

        Args:
            cell: (k, 2) int32 (x, y).

        Returns:
            The same, or (k, 3) int32 (x, y, floor) on levels of several floors.
        """
        if self.floor_height is None:
            return cell
        floor, y = np.divmod(cell[:, 1], np.int32(self.floor_height))
        return np.stack([cell[:, 0], y, floor], axis=1)

    def _column(self, name: str) -> Int32Array:
        return self.asset.read(f"/world/{name}").astype(np.int32, copy=False)

    def _damaged(self, name: str) -> CorruptAssetError:
        return self.asset.damaged(f"column /world/{name} contradicts the rest")
