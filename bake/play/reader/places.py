"""The nodes of a level, and the places they are."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from bake.core.arrays import Int32Array
from bake.store import Asset
from levelbake.places import Place, Places


def is_point(place: object) -> bool:
    """Tell whether a place on a graph is said as a point of the plane, not as a node's name."""
    return isinstance(place, tuple | list | np.ndarray)


class NodePlaces(Places):
    """The places of a level, and where its nodes are; its profiles share them.

    Attributes:
        asset: the file, with the graph of its level.
        added: the nodes that a game added, by name; see :mod:`bake.play.live.nodes`.
        here: which locations there are, in their order; others are those of nodes that went.
    """

    def __init__(self, asset: Asset) -> None:
        super().__init__(asset)
        self.asset = asset
        self.added: Any = {}
        self.here: slice | Int32Array = slice(None)

    @property
    def first_out(self) -> Int32Array:
        """Return (n + 1) int32, where the arcs of each node begin."""
        return self.asset.graph.first_out

    @property
    def head(self) -> Int32Array:
        """Return (m) int32, the node each arc leads to."""
        return self.asset.graph.head

    @property
    def node_count(self) -> int:
        return len(self.flat)

    @cached_property
    def cell(self) -> Int32Array | None:
        """Return (n, 2) int32, the cell (x, y) of each node; None on graph levels."""
        return self.cells_of(self.flat) if self.is_grid else None

    @property
    def flat(self) -> Int32Array:
        """Return (n) int32, the location of each node: y * width + x of its cell."""
        return self.asset.graph.place

    def place(self, node: int) -> Place:
        """Return the cell or name of a node."""
        return self.place_at(int(self.flat[node])) if self.is_grid else self.names[node]
