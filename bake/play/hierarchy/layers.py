"""Load the layers of a profile's hierarchy in the form searches need, and check them.

A *transition* is a node of a layer, numbered from 0 in its layer; its row is where it lies.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.places import NodePlaces
from bake.search.graph.partition import members
from bake.search.hierarchy.arcs import SLOTS, diagonal_slots, leads_back, step_range
from bake.search.hierarchy.bundles import (
    SIZE,
    ClusteredGraph,
    LatticeArcs,
    LayerStack,
    StraightRuns,
)
from bake.search.hierarchy.clusters import most_arcs_inside
from bake.search.hierarchy.lattice import lattice_arcs
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.smooth import HEX, SQUARE_4, SQUARE_8
from bake.search.hierarchy.stack import layer_stack
from bake.search.hierarchy.straight_runs import RunsVersion, lattice_runs
from bake.store.layers import stored_layers
from levelbake.columns import profile_path
from levelbake.steps import chart

if TYPE_CHECKING:
    from collections.abc import Callable


class ClusterTables:
    """The clusters of one profile.

    Attributes:
        cluster: (r) int32, the cluster of each row.
        count: c, how many clusters there are.
    """

    def __init__(self, columns: ProfileColumns) -> None:
        self.columns = columns
        if not columns.has("cluster"):
            raise columns.missing("clusters")
        self.cluster = columns.column("cluster", np.int32)
        self.count = int(self.cluster.max(initial=-1)) + 1

    @cached_property
    def members(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Return rows by cluster: first (c + 1), row (r); and (r) the rank of a row in its own."""
        return members(self.cluster, self.count)

    @cached_property
    def graph(self) -> ClusteredGraph:
        """Divide the rows into clusters; arcs that the profile may not take are kept.

        On a large lattice the arcs follow from its cells.
        """
        lattice = self.lattice
        if lattice is None:
            return self.listed
        node = np.empty((len(self.cluster), 2), dtype=np.int32)
        node[:, 0] = self.cluster
        node[:, 1] = members(self.cluster, self.count)[2]
        return ClusteredGraph(node, np.zeros((0, 2), dtype=np.int32), lattice)

    @cached_property
    def lattice(self) -> LatticeArcs | None:
        """Return what the arcs of a large lattice follow from; None where the asset lists them."""
        columns, implied = self.columns, self.columns.places.asset.implied
        if implied is None:
            return None
        return lattice_arcs(
            implied.grid,
            columns.location,
            np.where(columns.row_at < 0, np.int32(-1), columns.row_at + np.int32(1)),
            implied.steps(columns.profile).reshape(-1),
            implied.prices(columns.profile).reshape(-1),
            implied.ticks(columns.profile),
        )

    @cached_property
    def steps(self) -> tuple[bool, Int32Array, bool]:
        """Look at all steps of a large lattice.

        Returns:
            Whether every step leads back at the same weight; (2) int32 ticks that no straight step
            and no diagonal one is below; whether all of a kind weigh the same.
        """
        assert self.lattice is not None
        seen = np.zeros((2, *self.lattice.ticks.shape[:2]), dtype=np.bool_)
        back = bool(leads_back(self.lattice, diagonal_slots(self.lattice), seen))
        least, most = step_range(self.lattice, seen).T
        return back, least.copy(), bool((least == most).all())

    @cached_property
    def listed(self) -> ClusteredGraph:
        """Return :attr:`graph` with its arcs listed, as versions of a changing level need it."""
        columns = self.columns
        arcs = beside(columns.head_row, columns.weight)
        return self._divided(columns.first_arc, columns.end_arc, arcs)

    @cached_property
    def back(self) -> ClusteredGraph:
        """Divide the rows likewise, with only the arcs that the profile may take, turned round."""
        usable = self.columns.usable
        graph, behind = usable.graph.reverse()
        arcs = beside(graph.head, usable.weight[behind])
        return self._divided(graph.first_out[:-1], graph.first_out[1:], arcs)

    def _divided(self, first: Int32Array, end: Int32Array, arcs: Int32Array) -> ClusteredGraph:
        return ClusteredGraph(beside(self.cluster, self.members[2], first, end), arcs)


class HierarchyTables:
    """All layers of one profile, and what is needed to search them.

    Attributes:
        clusters: the clusters of the first layer.
        two_way: whether every arc leads back at the same weight.
        layers: the layers, lowest first.
        landmark: (t, k) int32 ticks from each landmark to the transitions of the first layer.
    """

    def __init__(self, columns: ProfileColumns) -> None:
        self.columns, self.version = columns, columns.version
        if not columns.has("layer_nodes"):
            raise columns.missing("hierarchy")
        self.clusters = ClusterTables(columns)
        group = f"/profiles/{columns.profile}"
        if self.on_cells:
            self.two_way = columns.places.asset.number("two_way", group) == 1
            if self.two_way and not self.clusters.steps[0]:
                raise columns.damaged("two_way is 1, and steps say otherwise")
        else:
            self.two_way = columns.two_way("two_way")
        cluster, count = self.clusters.cluster, self.clusters.count
        size = np.bincount(cluster, minlength=count)
        flow = columns.column("layer_field", np.uint8)
        self.layers = layers_of(
            columns, partial(columns.column, kind=np.int32), cluster, size, None, flow
        )
        self.landmark = columns.column("layer_landmark", np.int32)

    @property
    def on_cells(self) -> bool:
        """Tell whether the level is a large lattice, whose arcs follow from its cells."""
        return self.clusters.lattice is not None

    def apart(self, row: int, goal: int) -> bool | None:
        """Tell whether the layers show that there is no path; None where components tell.

        On a large lattice layers tell before the component of every place is read.
        """
        if not (self.on_cells and self.two_way):
            return None
        cluster = self.clusters.cluster
        return self.layers[0].apart(int(cluster[row]), int(cluster[goal]))

    @cached_property
    def stack(self) -> LayerStack:
        """Put all layers into one numbering."""
        graph = self.clusters.graph
        back = graph if self.two_way else self.clusters.back
        return layer_stack(self.layers, self.landmark, graph, back, two_way=self.two_way)

    @cached_property
    def most_arcs(self) -> int:
        """Return the most arcs inside a cluster of rows, in either direction."""
        if self.on_cells and self.two_way:
            return SLOTS * int(self.layers[0].cluster_data[:, SIZE].max(initial=0))
        return max(most_arcs_inside(self.stack.graph), most_arcs_inside(self.stack.back))

    @cached_property
    def runs(self) -> StraightRuns | None:
        """Find the straight runs of a lattice, for smoothing; None on graphs."""
        places = self.columns.places
        if not places.is_grid:
            return None
        if self.clusters.lattice is not None:
            _, least, even = self.clusters.steps
            return lattice_runs(self.clusters.lattice, form_of(places), least, even=even)
        assert places.cell is not None
        at = np.ascontiguousarray(chart(places.cell[self.columns.node], places.hex_layout))
        return RunsVersion.of(self.clusters.graph, at, at, form_of(places)).runs


def layers_of(
    columns: ProfileColumns,
    take: Callable[[str], Int32Array],
    cluster: Int32Array,
    size: Int64Array,
    held: Int64Array | None,
    flow: UInt8Array,
) -> tuple[Layer, ...]:
    """Check the layers that an asset holds, and return them, lowest first.

    Args:
        take: reads a column of the profile.
        cluster: (r) int32, the cluster of each row; empty where it has not been read.
        size: (c) int64, how many rows each cluster has.
        held: (c) int64, how many transitions each has; None where ``cluster`` tells.
        flow: the flow fields; empty where they have not been read.

    Raises:
        CorruptAssetError: columns contradict each other.
    """
    asset, profile, rows = columns.places.asset, columns.profile, int(size.sum())
    layers: list[Layer] = []
    label = cluster
    for stored in stored_layers(asset, profile, take, rows, len(size)):
        own = stored.node
        if held is not None and int(held.sum()) != len(own):
            raise columns.damaged("cluster_transitions does not count the transitions")
        if held is None:
            if (np.diff(label[own]) < 0).any():
                raise columns.damaged("layer_node is not in the order of clusters")
            held = np.bincount(label[own], minlength=stored.clusters)
        layer = Layer.stored(
            label,
            held,
            size,
            own,
            own if not layers else layers[-1].row[own],
            stored.degree,
            beside(stored.head, stored.weight),
            stored.bits,
            flow if not layers else flow[:0],
        )
        layers.append(layer)
        held = None
        if len(stored.parent):
            label = stored.parent[layer.cluster]
            size = np.bincount(label, minlength=int(stored.parent.max()) + 1)
    if asset.shape(profile_path(profile, "layer_field")) != (layers[0].flow_size,):
        raise columns.damaged("layer_field does not fit the clusters")
    return tuple(layers)


def form_of(places: NodePlaces) -> int:
    """Say how differences of cells are taken apart: see :mod:`bake.search.hierarchy.smooth`."""
    if places.hex_layout:
        return HEX
    return SQUARE_4 if places.asset.number("connectivity") == 4 else SQUARE_8


def beside(*columns: AnyArray) -> Int32Array:
    """Put columns beside each other, (n, k) int32: what a step needs in one piece of memory."""
    together = np.empty((len(columns[0]), len(columns)), dtype=np.int32)
    for number, column in enumerate(columns):
        together[:, number] = column
    return together
