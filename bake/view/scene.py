"""What there is to draw: one level as one of its profiles sees it, read from an asset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from bake.arrays import Float64Array, Int32Array, Int64Array, UInt8Array
from bake.asset import Asset
from bake.asset.schema import profile_path
from bake.movement import HexLayout
from bake.runtime import LevelAsset, Navigator
from bake.runtime.reader.floors import grid_cell
from bake.runtime.reader.places import Place, Places
from bake.runtime.reader.tables import Tables


@dataclass(frozen=True)
class Scene:
    """A level and one profile.

    Attributes:
        asset: the open asset.
        places: where its nodes are.
        tables: the profile's.
        navigator: lookups for the profile, which say what is wrong with a place.
        hex_layout: of hexagonal levels; None on all others.
        terrains: names.
        colours: (terrain, 3) uint8.
        costs: (terrain) float64 units, NaN where the profile cannot go.
    """

    asset: Asset
    places: Places
    tables: Tables
    navigator: Navigator
    hex_layout: HexLayout | None
    terrains: tuple[str, ...]
    colours: UInt8Array
    costs: Float64Array

    @property
    def name(self) -> str:
        return self.places.name

    @property
    def profile(self) -> str:
        return self.navigator.name

    def row(self, place: Place) -> int:
        """The row of a place.

        Raises:
            QueryError: outside the level, not a node, or nowhere the profile can stand.
        """
        self.navigator.distance(place, place)  # refuses whatever is no place
        if self.places.is_grid:
            x, y = grid_cell(self.places, place, repr(place))
            return int(self.tables.row_at_cell[y * self.places.width + x])
        node = self.places.node_named(place)
        return int(self.tables.row_at_node[node if node is not None else -1])

    def place_of_row(self, row: int) -> Place:
        return self.places.place(int(self.tables.node[row]))

    def terrain_grid(self) -> UInt8Array:
        """(height * width) uint8 terrain of every cell in reading order."""
        grid = self.asset.read("/terrain/grid").astype(np.uint8, copy=False)
        if grid.shape != (self.places.height, self.places.width):
            raise self.asset.damaged("the terrain grid is not as large as the level")
        return self._known_terrain(grid.reshape(-1))

    def node_terrain(self) -> UInt8Array:
        """(n) uint8 terrain of every node."""
        terrain = self.asset.read("/world/node_terrain").astype(np.uint8, copy=False)
        if len(terrain) != self.places.node_count:
            raise self.asset.damaged("not every node has a terrain")
        return self._known_terrain(terrain)

    def _known_terrain(self, terrain: UInt8Array) -> UInt8Array:
        if terrain.max(initial=0) >= len(self.terrains):
            raise self.asset.damaged("a terrain has no name")
        return terrain

    def component_order(self) -> tuple[Int32Array, Int64Array, Int32Array]:
        """Components from the largest to the smallest.

        Returns:
            (components) int32 rank of each component, and by rank (components) int64 places and
            (components) int32 the first row.
        """
        tables = self.tables
        of_row = tables.component[tables.node]
        number, first, count = np.unique(of_row, return_index=True, return_counts=True)
        order = np.lexsort((number, -count))
        rank = np.full(int(of_row.max(initial=-1)) + 1, -1, dtype=np.int32)
        rank[number[order]] = np.arange(len(order), dtype=np.int32)
        return rank, count[order], first[order].astype(np.int32)


def read_scene(asset: Asset, profile: str | None) -> Scene:
    """Read what every view needs.

    Raises:
        UnknownProfileError: no such profile, or several and none named.
        CorruptAssetError: columns contradict each other.
    """
    navigator = LevelAsset(asset).profile(profile)
    places = Places(asset)
    names = tuple(bytes(name).decode() for name in asset.read("/terrain/name"))
    scene = Scene(
        asset,
        places,
        Tables(places, navigator.name),
        navigator,
        _hex_layout(asset),
        names,
        asset.read("/terrain/colour").astype(np.uint8, copy=False),
        asset.read(profile_path(navigator.name, "cost")).astype(np.float64, copy=False),
    )
    if scene.colours.shape != (len(names), 3) or scene.costs.shape != (len(names),):
        raise asset.damaged("not every terrain has a colour and a cost")
    if places.is_grid and (places.width < 1 or places.height < 1):
        raise asset.damaged("the level has no cells")
    return scene


def _hex_layout(asset: Asset) -> HexLayout | None:
    if asset.text("kind") != "hex":
        return None
    layout = asset.text("hex_layout")
    if layout not in ("odd-r", "even-r", "odd-q", "even-q"):
        raise asset.damaged(f"unknown hexagonal layout {layout!r}")
    return cast("HexLayout", layout)
