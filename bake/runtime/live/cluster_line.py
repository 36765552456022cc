"""What all versions of a profile's clusters share: how they were baked, and where rows lie."""

from __future__ import annotations

import json
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bake.arrays import Int32Array
from bake.greedy import chart
from bake.runtime.hierarchy.layers import ClusterTables, HierarchyTables, LayerTable
from bake.runtime.live.live_runs import LiveRuns
from bake.runtime.reader.tables import Tables
from bake.runtime.reader.things import ThingTables

if TYPE_CHECKING:
    from bake.search.hierarchy.layer_rebuild import RebuiltLayer
    from bake.search.live.graph import LiveGraph
    from bake.search.live.hierarchy import Layout, LiveHierarchy

#: What recipes say where the asset does not.
_SIZE, _SPACING = 32, 8


class ClusterLine:
    """What all versions of a profile's clusters share.

    Attributes:
        tables: as baked.
        lock: one version is made at a time.
    """

    def __init__(self, tables: Tables, graph: LiveGraph) -> None:
        self.tables = tables
        self.lock = threading.RLock()
        self._graph = graph
        self._layout: Layout | None = None

    @cached_property
    def has_hierarchy(self) -> bool:
        return self.tables.has("layer_nodes")

    @cached_property
    def mode(self) -> str:
        """ "hpa" or "exact"."""
        group = f"/profiles/{self.tables.profile}"
        return self.tables.places.asset.text("hierarchy_mode", group) or ""

    @cached_property
    def _recipe(self) -> dict[str, Any]:
        try:
            told = json.loads(self.tables.places.asset.text("recipe") or "{}")
        except ValueError:
            told = {}
        return told if isinstance(told, dict) else {}

    def _setting(self, table: str, name: str) -> object:
        part = self._recipe.get(table)
        return part.get(name) if isinstance(part, dict) else None

    def _number(self, table: str, name: str, usual: int) -> int:
        value = self._setting(table, name)
        return value if type(value) is int and value > 0 else usual

    @cached_property
    def baked(self) -> LiveHierarchy:
        """The version the asset holds."""
        from bake.search.hierarchy.layer_ground import Ground
        from bake.search.hierarchy.repartition import Partition
        from bake.search.live.crossings import crossings_of
        from bake.search.live.hierarchy import LiveHierarchy
        from bake.search.live.rows import LiveRows

        tables = self.tables
        clusters = ClusterTables(tables)
        layout = self.layout(np.zeros(0, dtype=np.int32))
        partition = Partition.of(clusters.cluster, layout.key)
        square = tables.places.hex_layout is None
        pairs = np.zeros((0, 2), dtype=np.int32)
        if not self.has_hierarchy:
            rows = LiveRows.of(clusters.row_data, clusters.arc_data, two_way=True)
            ground = Ground.of(clusters.row_data.copy(), clusters.arc_data, clusters.count)
            return LiveHierarchy(square, None, 0, rows, partition, ground, pairs, (), pairs, ())
        found = HierarchyTables(tables)
        rows = LiveRows.of(found.row_data, found.arc_data, two_way=found.two_way)
        every = found.mode == "exact" or layout.at is None
        spacing = None if every else self._number("hierarchy", "spacing", _SPACING)
        chosen = crossings_of(
            np.arange(tables.row_count, dtype=np.int32),
            clusters.cluster,
            rows.span,
            rows.arcs,
            self._graph.into,
            layout.at,
            square=square,
            spacing=spacing,
        )
        layers: list[RebuiltLayer] = []
        for layer in found.layers:
            layers.append(_as_rebuilt(layer, layers[-1] if layers else None, found))
        return LiveHierarchy(
            square,
            spacing,
            len(layers),
            rows,
            partition,
            layers[0].ground,
            chosen,
            tuple(layers),
            found.landmark,
            (),
        )

    @cached_property
    def baked_runs(self) -> LiveRuns | None:
        """Straight runs of the level as it was baked; None on graphs."""
        if not self.tables.places.is_grid:
            return None
        layout = self.layout(np.zeros(0, dtype=np.int32))
        return LiveRuns.of(self.tables.places, self.baked, layout)

    def layout(self, spots: Int32Array) -> Layout:
        """Where rows lie.

        Args:
            spots: of the rows that came after those baked; later versions only append to them.
        """
        from bake.search.live.hierarchy import Layout

        rows = self.tables.row_count + len(spots)
        if self._layout is None or len(self._layout.key) < rows:
            self._layout = self._laid(spots)
        whole = self._layout
        if len(whole.key) == rows:
            return whole
        at = None if whole.at is None else whole.at[:rows]
        return Layout(whole.key[:rows], whole.tile[:rows], at)

    def _laid(self, spots: Int32Array) -> Layout:
        from bake.search.graph.partition import classes, region_of_rows, squares
        from bake.search.live.hierarchy import Layout

        tables = self.tables
        places, baked = tables.places, tables.row_count
        size, rows = self._number("clusters", "size", _SIZE), baked + len(spots)
        if not places.is_grid:
            node = np.concatenate([tables.node, spots])
            position = None if places.position is None else places.position[node]
            tile = squares(size, rows, position=position, laid_by=baked)
            return Layout(classes(tile, None), tile, None)
        y, x = np.divmod(spots, np.int32(max(1, places.width)))
        cell = np.concatenate([tables.cell_of_row, np.stack([x, y], axis=1).astype(np.int32)])
        tile = squares(size, rows, cell=cell)
        region = None
        if self._setting("clusters", "regions") is True and self._regions:
            region = region_of_rows(self._regions, cell, places.width, places.height)
        at = np.ascontiguousarray(chart(cell, places.hex_layout))
        return Layout(classes(tile, region), tile, at)

    @cached_property
    def _regions(self) -> tuple[Int32Array, ...]:
        """Cells (x, y) of each drawn region."""
        places = self.tables.places
        drawn = []
        for region in ThingTables(places).regions.values():
            cells = region.cells
            if cells.shape[1] == 3:
                floor = cells[:, 2] * np.int32(places.floor_height or 0)
                cells = np.stack([cells[:, 0], cells[:, 1] + floor], axis=1)
            drawn.append(cells)
        return tuple(drawn)


def _as_rebuilt(
    layer: LayerTable, below: RebuiltLayer | None, found: HierarchyTables
) -> RebuiltLayer:
    """A baked layer as versions of it are."""
    from bake.search.hierarchy.layer_ground import Ground
    from bake.search.hierarchy.layer_rebuild import RebuiltLayer
    from bake.search.live.hierarchy import graph_of

    if below is None:
        data, arcs = found.row_data.copy(), found.arc_data
    else:
        data, arcs = graph_of(below), below.arcs
        data[:, 0] = layer.below_cluster
    ground = Ground.of(data, arcs, layer.cluster_count)
    index = np.full(len(data), -1, dtype=np.int32)
    index[layer.node] = np.arange(len(layer.node), dtype=np.int32)
    return RebuiltLayer(
        ground,
        index,
        layer.node,
        layer.row,
        layer.first_transition,
        layer.first_out,
        layer.arcs,
        layer.bits,
        layer.field,
        layer.cluster_data,
    )
