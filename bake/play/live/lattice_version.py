"""Know a large lattice that has changed from its cells, without a list of its arcs.

Places, clusters, paths by the hierarchy and whether there is a path need none. Fields of a version
that do need one come from the listed version of the same level, with the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.play.hierarchy.lattice import SheetHierarchy
from bake.play.hierarchy.sheets import LatticeSheets, WornSheets
from bake.play.reader.version import Make, Version
from bake.search.hierarchy.arcs import SLOTS
from bake.search.hierarchy.bundles import NO_GRAPH, SIZE, LayerStack
from bake.search.live.lattice import LatticeLayer


def sheet_fields(
    baked: Version, fresh: Int32Array, layer: Callable[[], LatticeLayer]
) -> dict[str, Make]:
    """Return what makes those fields of a version that its cells tell.

    Args:
        baked: the profile as it was baked.
        fresh: (e) int32, the location of each row that was not baked.
        layer: gives the first layer of the version.
    """
    sheets: LatticeSheets = baked.worn.sheets
    squares, rows = sheets.squares, baked.row_count

    def location(_: Version) -> Int32Array:
        return np.concatenate([baked.location, fresh]) if len(fresh) else baked.location

    def known_row(_: Version) -> Int32Array:
        if not len(fresh):
            return baked.row_at
        row = baked.row_at.copy()
        row[fresh] = np.arange(rows, rows + len(fresh), dtype=np.int32)
        return row

    def standing(version: Version) -> BoolArray:
        stands = np.arange(version.row_count) < rows
        for square, cells in layer().dress.squares.items():
            stands[slice(*squares.first_row[square : square + 2].tolist())] = False
            stands[cells.rows] = True
        return stands

    return {
        "row_count": lambda _: rows + len(fresh),
        "location": location,
        "known_row": known_row,
        "standing": standing,
        "component_count": lambda _: layer().component_count(squares),
        "one_way": lambda _: False,
        "reach": lambda _: None,
        "worn": lambda _: WornSheets(sheets, layer().dress),
        "group": lambda _: layer().group,
    }


class LiveLattice(SheetHierarchy):
    """The first layer of one version of a large lattice."""

    #: There is one layer, and it is kept in another form.
    layers = ()

    def __init__(self, version: Version, layer: Callable[[], LatticeLayer]) -> None:
        self.version = version
        self._make_layer = layer

    @cached_property
    def _layer(self) -> LatticeLayer:
        return self._make_layer()

    def apart(self, row: int, goal: int) -> bool | None:
        return not self.version.joined(row, goal)

    def cluster_of(self, row: int) -> int:
        """Return the cluster of a row, as a bake would number it."""
        rows, squares = np.array([row], dtype=np.int32), self.sheets.sheets.squares
        y, x = divmod(int(self.version.locations_of(rows)[0]), self.version.places.width)
        square = y // squares.side * squares.across + x // squares.side
        return self._layer.baked_number(square, int(self.sheets.clusters_of(rows)[0]), squares)

    @property
    def cluster_count(self) -> int:
        """Return how many clusters there are."""
        return self._layer.cluster_count(self.sheets.sheets.squares)

    @cached_property
    def _fixed(self) -> LayerStack:
        """Lay the layer out, but for rows and flow fields."""
        layer = self._layer
        count = layer.transition_count
        none = np.zeros(0, dtype=np.int32)
        return LayerStack(
            NO_GRAPH,
            NO_GRAPH,
            layer.cluster,
            layer.end_transition,
            layer.row[:count],
            layer.first_out,
            layer.end_out,
            layer.arcs,
            np.zeros(0, dtype=np.uint8),
            layer.bits,
            layer.landmark[:count],
            two_way=True,
            layers=1,
            parent=none,
            joined=NO_GRAPH,
            joined_back=NO_GRAPH,
        )

    @cached_property
    def most_arcs(self) -> int:
        return SLOTS * int(self._layer.cluster[:, SIZE].max(initial=0))

    def transitions(self, hops: Int32Array) -> tuple[Int32Array, Int32Array]:
        return self._layer.row[hops], self._layer.own[hops]
