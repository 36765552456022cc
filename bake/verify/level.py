"""Verify the level in an asset: its attributes, its cells and nodes, its links and doors.

Some columns repeat nothing else in the asset, such as names, colors, spots and the terrain of a
door's other states; they only have to be complete. All others follow from something else, and are
compared with it. `Column.given` in the schema distinguishes the two.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from bake.core.arrays import Float64Array, Int64Array
from bake.store import Asset
from bake.store.columns.things import LINKS, REGIONS, SPOTS
from bake.store.doors import unpack_doors
from bake.store.records import Frame, Records, as_names, grid_frame, unpack
from bake.verify.stated import Proven, verify_attributes, verify_columns

#: The link of an arc that is a step.
NO_LINK = -1


class FileLevel(Proven):
    """The columns of a level that all profiles share, verified on construction.

    Attributes:
        asset: the file.
        kind: square, hex or graph.
        terrain_names: names of the terrains.
        terrains: the number of terrains.
        tail, head: (m) int64, the nodes each arc joins.
        degree: (n) int64, arcs of each node.
        length: (m) float64 units.
        nowhere: (m) bool, arcs of impossible steps, which are always blocked.
        link: (m) int64, the link of each arc, or NO_LINK.
        terrain: (n) int64 terrain of each node.
    """

    def __init__(self, asset: Asset) -> None:
        """Read the level.

        Raises:
            CorruptAssetError: the columns contradict each other, or the attributes.
        """
        self.asset = asset
        verify_attributes(asset)
        verify_columns(asset)
        self.kind = asset.text("kind") or ""
        self.terrain_names = tuple(as_names(asset.read("/terrain_name")))
        self.terrains = len(self.terrain_names)
        graph = asset.graph
        first_out, head = graph.first_out.astype(np.int64), graph.head.astype(np.int64)
        self.degree = np.diff(first_out)
        self.head, self.tail = head, np.repeat(np.arange(self.nodes), self.degree)
        # If nodes have an arc for every step, impossible steps are loops.
        self.nowhere = (head == self.tail) & (graph.slots > 0)
        self.length = graph.length.astype(np.float64)
        self.place = graph.place.astype(np.int64)
        self.terrain = graph.terrain[self.place].astype(np.int64)
        self.link = graph.link.astype(np.int64)
        if self.kind == "graph":
            self._verify_names()
        else:
            assert graph.lattice is not None  # It refuses numbers that do not fit.
            self._verify_things()

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.degree)

    # -- cells ------------------------------------------------------------------------------------

    @cached_property
    def layout(self) -> str | None:
        """The shift of rows or columns of hexagons; None on other levels."""
        return self.asset.text("hex_layout") if self.kind == "hex" else None

    @cached_property
    def grid(self) -> Int64Array:
        """(height, width), the terrain of each cell."""
        shape = self.asset.number("height") or 0, self.asset.number("width") or 0
        return self.asset.graph.terrain.astype(np.int64).reshape(shape)

    @cached_property
    def floor_height(self) -> int:
        """The number of rows of one floor."""
        return self.asset.number("floor_height") or len(self.grid)

    @cached_property
    def cell(self) -> Int64Array:
        """(n, 2), x and y of each node."""
        return np.stack(np.divmod(self.place, self.grid.shape[1])[::-1], axis=1)

    @cached_property
    def barred(self) -> Int64Array:
        """(height, width), the headings that ledges block, as bits."""
        if not self.asset.has("/barred"):
            return np.zeros_like(self.grid)
        return self.asset.read("/barred").astype(np.int64).reshape(self.grid.shape)

    @property
    def headings(self) -> int | None:
        """The number of directions an agent can face; None without headings."""
        return self.asset.number("headings") if self.kind != "graph" else None

    @cached_property
    def elevation(self) -> Float64Array | None:
        """The elevation of each cell (height, width) or node (n); None if the level has none."""
        if not self.asset.has("/elevation"):
            return None
        elevation = self.asset.read("/elevation").astype(np.float64)
        return elevation if self.kind == "graph" else elevation.reshape(self.grid.shape)

    def _verify_names(self) -> None:
        asset = self.asset
        has_numbers = asset.has("/node_number")
        self.require(has_numbers != asset.has("/node_name"), "nodes have two names, or none")
        node = np.concatenate([[], *(region.cells for region in self.read(REGIONS))])
        self.require(len(np.unique(node)) == len(node), "a node is part of two regions")

    # -- things -----------------------------------------------------------------------------------

    @cached_property
    def _frame(self) -> Frame:
        if self.kind == "graph":
            return Frame(self.terrain_names, np.asarray, np.asarray)
        return grid_frame(self.terrain_names, self.grid.shape[1])

    def read(self, records: Records) -> tuple[SimpleNamespace, ...]:
        """Return all records of a kind: cells are (x, y) of the whole grid, or nodes."""
        return unpack(records, self.asset, self._frame, SimpleNamespace)

    @cached_property
    def links(self) -> tuple[SimpleNamespace, ...]:
        """All links, see :data:`bake.store.columns.things.LINKS`."""
        return self.read(LINKS)

    def _verify_things(self) -> None:
        """Verify that links, regions, spots and doors are complete, and the states of doors."""
        for records in (REGIONS, SPOTS):
            self.read(records)
        for link in self.links:
            ends = {link.start, link.goal}
            self.require(ends.isdisjoint(link.via), "a link passes through one of its ends")
            twice = any(one == other for one, other in pairwise(link.via))
            self.require(not twice, "a link passes through a cell twice in a row")
        self._verify_doors()

    def _verify_doors(self) -> None:
        for door, (cells, terrain) in zip(self._doors, self.door_terrain, strict=True):
            x, y = cells.T
            fits = (terrain == self.grid[y, x]).all(axis=1)
            right = not fits.any() if door.state is None else fits[door.states.index(door.state)]
            self.require(right, "a door is not in the state that is stored for it")

    @cached_property
    def _doors(self) -> tuple[SimpleNamespace, ...]:
        return unpack_doors(self.asset, self._frame, SimpleNamespace)

    @cached_property
    def door_terrain(self) -> list[tuple[Int64Array, Int64Array]]:
        """(k, 2) cells of each door, and (states, k) their terrain in each state."""
        code = {name: number for number, name in enumerate(self.terrain_names)}
        return [
            (
                door.cells.astype(np.int64),
                np.array([[code[name] for name in state.terrain] for state in door.states]),
            )
            for door in self._doors
        ]
