"""Make the clusters and the hierarchy of a profile that changes, version by version.

A version is made when somebody first asks for it, from the last one that was made.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.core.graph import BLOCKED
from bake.play.hierarchy.layers import ClusterTables, HierarchyTables, form_of
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.places import NodePlaces
from bake.search.graph.partition import classes, region_of_rows, squares
from bake.search.hierarchy.bundles import (
    END,
    FIRST,
    HEAD,
    ClusteredGraph,
    LayerStack,
    Members,
    StraightRuns,
)
from bake.search.hierarchy.clusters import Partition, most_arcs_inside
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.stack import layer_stack
from bake.search.hierarchy.straight_runs import RunsVersion
from bake.search.live.graph import LiveGraph
from bake.search.live.hierarchy import Layout, LiveHierarchy, crossings_of
from bake.search.live.rows import LiveRows
from levelbake.steps import chart
from levelbake.things import ThingTables

T = TypeVar("T")

#: Changes that are put together when so many of them came and nobody has asked.
# limit: changes are merged; lowered by changes
_PIECES = 64

#: Settings used where the recipe in the asset does not state them.
_SIZE, SPACING = 32, 8


class OnDemand(Generic[T]):
    """A thing that every version has; it is made from that of the last version that was asked."""

    def __init__(self, before: OnDemand[T] | None, changed: Int32Array) -> None:
        """Begin one more version.

        Args:
            before: the thing of the version before; None = as baked.
            changed: rows that differ from the version before.
        """
        self._made: T | None = None
        # What to make it from, and all rows that differ from that; both are replaced at once.
        self._origin: tuple[T | None, tuple[Int32Array, ...]] = (None, (changed,))
        if before is not None:
            base, since = before._origin
            if len(since) >= _PIECES:
                since = (np.unique(np.concatenate(since)),)
            self._origin = (base, (*since, changed))

    @property
    def is_made(self) -> bool:
        """Tell whether somebody has asked for this version."""
        return self._made is not None

    def get(
        self, lock: threading.RLock, baked: Callable[[], T], edited: Callable[[T, Int32Array], T]
    ) -> T:
        """Return the thing of this version, and make it first if nobody has asked before.

        Args:
            lock: held while it is made.
            baked: gives the baked one.
            edited: makes it from that of another version and the rows that differ.
        """
        if self._made is None:
            with lock:
                if self._made is None:
                    base, pieces = self._origin
                    changed = np.unique(np.concatenate(pieces))
                    made = baked() if base is None else base
                    if len(changed):
                        made = edited(made, changed)
                    self._origin = (made, ())
                    self._made = made
        return self._made


class BakedRecipe:
    """The settings that an asset says it was baked with."""

    def __init__(self, places: NodePlaces) -> None:
        try:
            stated = json.loads(places.asset.text("recipe") or "{}")
        except ValueError:
            stated = {}
        self._stated: dict[str, Any] = stated if isinstance(stated, dict) else {}

    def setting(self, table: str, name: str) -> object:
        """Return what a table says of a name; None where it says nothing."""
        part = self._stated.get(table)
        return part.get(name) if isinstance(part, dict) else None

    def number(self, table: str, name: str, usual: int) -> int:
        """Return a number of at least 1, or the usual one where there is none."""
        value = self.setting(table, name)
        return value if type(value) is int and value > 0 else usual


class ClusterLayout:
    """Where the rows of a profile lie, as clusters are cut by it.

    Attributes:
        columns: the profile as it was baked.
    """

    def __init__(self, columns: ProfileColumns) -> None:
        self.columns = columns
        self._recipe = BakedRecipe(columns.places)
        self._layout: tuple[NodePlaces, Layout] | None = None

    @cached_property
    def has_hierarchy(self) -> bool:
        return self.columns.has("layer_nodes")

    @property
    def levels(self) -> int:
        """Return how many layers of clusters there may be."""
        return self._recipe.number("hierarchy", "levels", 1) if self.has_hierarchy else 1

    def layout(self, locations: Int32Array, places: NodePlaces) -> Layout:
        """Return where rows lie.

        Args:
            locations: locations of the rows that were not baked; later versions only append to
                them.
            places: the places of the level, with the nodes that came.
        """
        rows = self.columns.row_count + len(locations)
        # Another thread may keep the layout of fewer rows meanwhile, so this one looks once.
        kept = self._layout
        if kept is None or kept[0] is not places or len(kept[1].key) < rows:
            kept = self._layout = places, self._laid(locations, places)
        whole = kept[1]
        if len(whole.key) == rows:
            return whole
        at = None if whole.at is None else whole.at[:rows]
        return Layout(whole.key[:rows], whole.tile[:rows], at)

    def _laid(self, locations: Int32Array, places: NodePlaces) -> Layout:
        columns, baked = self.columns, self.columns.row_count
        size, rows = self._recipe.number("clusters", "size", _SIZE), baked + len(locations)
        if not places.is_grid:
            node = np.concatenate([columns.location, locations])
            position = None if places.position is None else places.position[node]
            tile = squares(size, rows, position=position, laid_by=baked)
            region = None
            if self._recipe.setting("clusters", "regions") is True:
                stated = ThingTables(places).region_of_node
                region = None if stated is None else stated[node]
            return Layout(classes(tile, region), tile, None)
        cell = np.concatenate([columns.version.cell_of_row, places.cells_of(locations)])
        folded = cell
        if places.headings is not None:
            folded = cell % np.array([places.width, places.floor_height], dtype=np.int32)
        tile = squares(size, rows, cell=folded)
        region = None
        if self._recipe.setting("clusters", "regions") is True and self._regions:
            region = region_of_rows(self._regions, cell, places.width, places.height)
        at = np.ascontiguousarray(chart(cell, places.hex_layout))
        return Layout(classes(tile, region), tile, at)

    @cached_property
    def _regions(self) -> tuple[Int32Array, ...]:
        """Read the cells (x, y) of each drawn region."""
        places = self.columns.places
        regions = ThingTables(places).regions.values()
        return tuple(places.cells_of(places.locations(each.cells, "a region")) for each in regions)


class ClusterLine(ClusterLayout):
    """What all versions of a profile's clusters share: how they were baked, and where rows lie.

    Attributes:
        lock: held while a version is made, so that one is made at a time.
    """

    def __init__(self, columns: ProfileColumns, graph: LiveGraph) -> None:
        super().__init__(columns)
        self.lock = threading.RLock()
        self._graph = graph

    @cached_property
    def baked(self) -> LiveHierarchy:
        """Read the version that the asset holds."""
        columns = self.columns
        found = HierarchyTables(columns) if self.has_hierarchy else None
        clusters = ClusterTables(columns) if found is None else found.clusters
        layout = self.layout(np.zeros(0, dtype=np.int32), columns.places)
        square = columns.places.hex_layout is None
        two_way = found is None or found.two_way
        rows = LiveRows.of(clusters.listed, two_way=two_way)
        first, member, _ = clusters.members
        chosen = np.zeros((0, 2), dtype=np.int32)
        spacing = None
        if found is not None:
            if layout.at is not None:
                spacing = self._recipe.number("hierarchy", "spacing", SPACING)
            chosen = crossings_of(
                np.arange(columns.row_count, dtype=np.int32),
                clusters.cluster,
                rows.graph,
                self._graph.into,
                layout.at,
                square=square,
                spacing=spacing,
            )
        return LiveHierarchy(
            square,
            spacing,
            rows,
            Partition.of(clusters.cluster, layout.key),
            Members(first, member),
            most_arcs_inside(rows.graph),
            chosen,
            None if found is None else found.layers[0],
            chosen[:0] if found is None else found.landmark,
        )

    @cached_property
    def baked_runs(self) -> RunsVersion | None:
        """Find the straight runs of the level as it was baked; None on graphs."""
        places = self.columns.places
        if not places.is_grid:
            return None
        y, x = np.divmod(np.arange(places.width * places.height, dtype=np.int32), places.width)
        every = chart(np.stack([x, y], axis=1).astype(np.int32), places.hex_layout)
        at = self.layout(np.zeros(0, dtype=np.int32), places).at
        assert at is not None
        return RunsVersion.of(self.baked.rows.graph, at, every, form_of(places))


class ClusterVersion:
    """A profile's clusters at one moment.

    Attributes:
        line: what all versions share.
    """

    def __init__(
        self,
        line: ClusterLine,
        graph: Callable[[], LiveGraph],
        standing: BoolArray,
        locations: Int32Array,
        before: ClusterVersion | None,
        changed: Int32Array,
        places: NodePlaces,
    ) -> None:
        """Begin one more version; nothing is made yet.

        Args:
            graph: gives the arcs of the profile.
            standing: (r) bool, True where the profile can stand on the row.
            locations: locations of the rows that were not baked.
            before: the version before; None = as baked.
            changed: rows that differ from the version before; see
                :meth:`bake.search.live.hierarchy.LiveHierarchy.edited`.
            places: the places of the level.
        """
        self.line = line
        self._places = places
        self._graph = graph
        self._standing = standing
        self._locations = locations
        self._layers: OnDemand[LiveHierarchy] = OnDemand(
            None if before is None else before._layers, changed
        )
        self._runs: OnDemand[RunsVersion] = OnDemand(
            None if before is None else before._runs, changed
        )

    @property
    def graph(self) -> LiveGraph:
        """Return the arcs of the profile."""
        return self._graph()

    @property
    def layout(self) -> Layout:
        """Return where its rows lie."""
        return self.line.layout(self._locations, self._places)

    def made(self) -> LiveHierarchy:
        """Return the clusters of this version, and the first layer."""
        return self._layers.get(self.line.lock, lambda: self.line.baked, self._edited)

    @property
    def is_made(self) -> bool:
        """Tell whether the layers of this version, and its straight runs, are made already."""
        return self._layers.is_made and (self.line.baked_runs is None or self._runs.is_made)

    def runs(self) -> StraightRuns | None:
        """Return the straight runs of this version, for smoothing; None on graphs."""
        made = self._runs_made()
        return None if made is None else made.runs

    def warm_up(self) -> None:
        """Load or compile what making another version takes, by making one that is thrown away."""
        if len(self._standing):
            made, layout = self.made(), self.layout
            made.warm_up(self._standing, self.graph.out, self.graph.into, layout)
            runs = self._runs_made()
            if runs is not None and layout.at is not None:
                runs.edited(np.zeros(1, dtype=np.int32), made.rows.graph, layout.at)

    def _runs_made(self) -> RunsVersion | None:
        if self.line.baked_runs is None:
            return None
        return self._runs.get(self.line.lock, self._baked_runs, self._edited_runs)

    def _edited(self, base: LiveHierarchy, changed: Int32Array) -> LiveHierarchy:
        layout = self.layout
        out, into = self.graph.out, self.graph.into
        return base.edited(changed, self._standing, out, into, layout)

    def _baked_runs(self) -> RunsVersion:
        assert self.line.baked_runs is not None
        return self.line.baked_runs

    def _edited_runs(self, base: RunsVersion, changed: Int32Array) -> RunsVersion:
        at = self.layout.at
        assert at is not None
        return base.edited(changed, self.made().rows.graph, at)


class LiveHierarchyTables:
    """The layers of one version, in the form in which paths are found by them: see
    :class:`bake.play.hierarchy.paths.Hierarchy`.
    """

    def __init__(self, clusters: ClusterVersion) -> None:
        line = clusters.line
        if not line.has_hierarchy:
            raise line.columns.missing("hierarchy")
        self.version = line.columns.version
        self._clusters = clusters
        self._made = clusters.made()

    def apart(self, row: int, goal: int) -> bool | None:
        """Leave it to components to tell whether there is no path."""
        return None

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Return the first layer alone: those above do not follow changes."""
        assert self._made.layer is not None
        return (self._made.layer,)

    @cached_property
    def stack(self) -> LayerStack:
        rows, landmark = self._made.rows, self._made.landmark
        back = rows.graph if rows.two_way else self._back()
        return layer_stack(self.layers, landmark, rows.graph, back, two_way=rows.two_way)

    def _back(self) -> ClusteredGraph:
        """Lay out the rows with every arc turned round."""
        into, node = self._clusters.graph.into, self._made.rows.graph.node.copy()
        node[:, FIRST], node[:, END] = into.begin[: len(node)], into.end[: len(node)]
        arcs = np.stack([into.to, into.weight], axis=1)
        arcs[into.weight == BLOCKED, HEAD] = -1
        return ClusteredGraph(node, arcs)

    @cached_property
    def most_arcs(self) -> int:
        if self._made.rows.two_way:
            return self._made.most_arcs
        return max(self._made.most_arcs, most_arcs_inside(self.stack.back))

    @cached_property
    def runs(self) -> StraightRuns | None:
        return self._clusters.runs()
