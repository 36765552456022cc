"""Read one profile of an asset for verification: its columns, its graph, and its errors.

Rows are the nodes the profile can stand on, numbered in their order. This module shares nothing
with the code that bakes: it is written from docs/format.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Float64Array, Int32Array, Int64Array
from bake.core.graph import BLOCKED
from bake.store import Asset
from bake.verify.stated import Proven
from levelbake.columns import profile_path
from levelbake.file import run_starts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Called with the fraction of the verification that is done.
Progress = Callable[[float], None]


class RowGraph(NamedTuple):
    """Arcs by row and slot: the arc of a row's slot s is ``first[row] + s``."""

    first: Int64Array  #: (r + 1) int64
    head: Int32Array  #: (m) int32, the row an arc leads to; -1 where the profile may not take it
    weight: Int32Array  #: (m) int32 ticks


class Incoming(NamedTuple):
    """Arcs by the node they lead to."""

    first: Int64Array  #: (n + 1) int64, first arc into each node
    tail: Int32Array  #: (m) int32, the node an arc comes from
    weight: Int32Array  #: (m) int32 ticks


@dataclass(frozen=True)
class Arcs:
    """The arcs of a profile's graph, or of a layer of its hierarchy, by tail and slot."""

    #: (m) int64 of every arc, weights in ticks
    tail: Int64Array
    head: Int64Array
    weight: Int64Array
    slot: Int64Array
    count: int  #: how many nodes there are

    @staticmethod
    def of_slots(degree: Int64Array, head: AnyArray, weight: AnyArray) -> Arcs:
        """Number the arcs of each node in their order.

        Args:
            degree: (n) number of arcs of each node.
            head, weight: (m) of each arc.

        >>> arcs = Arcs.of_slots(np.array([2, 0, 1]), np.array([1, 2, 0]), np.array([5, 6, 7]))
        >>> arcs.tail.tolist(), arcs.slot.tolist()
        ([0, 0, 2], [0, 1, 0])
        """
        tail = np.repeat(np.arange(len(degree)), degree)
        slot = np.arange(len(tail)) - np.repeat(np.cumsum(degree) - degree, degree)
        return Arcs(tail, head.astype(np.int64), weight.astype(np.int64), slot, len(degree))

    def where(self, keep: AnyArray) -> Arcs:
        """Return some of the arcs, by a mask or by their numbers, with their slots unchanged."""
        tail, head, weight, slot = self.tail, self.head, self.weight, self.slot
        return Arcs(tail[keep], head[keep], weight[keep], slot[keep], self.count)

    @cached_property
    def first(self) -> Int64Array:
        """(n + 1), the first arc of each node."""
        return np.searchsorted(self.tail, np.arange(self.count + 1)).astype(np.int64)

    def incoming(self) -> Incoming:
        """Return the same arcs by the node they lead to."""
        into = np.argsort(self.head, kind="stable")
        first = np.searchsorted(self.head[into], np.arange(self.count + 1))
        tail, weight = self.tail[into].astype(np.int32), self.weight[into].astype(np.int32)
        return Incoming(first.astype(np.int64), tail, weight)

    def cheapest(self) -> csr_array:
        """Return (n, n) float64 ticks of the cheapest of parallel arcs."""
        from scipy.sparse import csr_array

        order = np.lexsort((self.weight, self.head, self.tail))
        tail, head = self.tail[order], self.head[order]
        once = np.ones(len(order), dtype=np.bool_)
        once[1:] = (np.diff(tail) != 0) | (np.diff(head) != 0)
        arcs = self.where(order[once])
        values = arcs.weight.astype(np.float64)
        return csr_array((values, arcs.head, arcs.first), shape=(self.count, self.count))

    def components(self, connection: Literal["strong", "weak"]) -> tuple[int, AnyArray]:
        """Return the number of components, and the component of each node."""
        from scipy.sparse.csgraph import connected_components

        if not self.count:
            return 0, np.empty(0, dtype=np.int32)
        count, label = connected_components(self.cheapest(), connection=connection)
        return int(count), label


def search_distances(graph: csr_array, **options: Any) -> Float64Array:
    """Return shortest distances in a sparse graph, computed by scipy.

    Args:
        graph: (n, n) float64 ticks.
        options: those of :func:`scipy.sparse.csgraph.dijkstra`.

    Returns:
        float64 ticks, inf where there is no path.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    # Slices have 64-bit indices, which scipy 1.14 does not search.
    indices, first = (part.astype(np.int32, copy=False) for part in (graph.indices, graph.indptr))
    narrow = csr_array((graph.data, indices, first), shape=graph.shape)
    distances: Float64Array = dijkstra(narrow, **options)
    return distances


class FileProfile(Proven):
    """The columns of one profile and their graph, verified on construction.

    Attributes:
        name: the profile's.
        rows: the number of rows.
        node: (r) int64, the node of each row.
        component: (r) int64, the component of each row.
        graph: the arcs of the rows, including blocked ones.
    """

    def __init__(self, asset: Asset, name: str) -> None:
        """Read the graph.

        Raises:
            CorruptAssetError: the columns do not form a graph.
        """
        self.asset, self.name = asset, name
        graph = asset.graph
        first_out, head = graph.first_out.astype(np.int64), graph.head.astype(np.int64)
        weight, component = (
            read_column(name).astype(np.int64) for read_column in (graph.weight, graph.component)
        )
        nodes = len(component)
        degree = np.diff(first_out)
        usable = weight != BLOCKED
        self.node = np.flatnonzero(component >= 0)
        self.component = component[self.node]
        self.rows = len(self.node)
        row = np.full(nodes, -1)
        row[self.node] = np.arange(self.rows)
        tail_row, head_row = np.repeat(row, degree), row[head]
        self.require(
            ((tail_row >= 0) & (head_row >= 0))[usable].all(),
            "an arc is open at a node where the profile cannot stand",
        )
        in_row = tail_row >= 0
        self.graph = RowGraph(
            np.append(0, np.cumsum(degree[self.node])).astype(np.int64),
            np.where(usable, head_row, -1)[in_row].astype(np.int32),
            weight[in_row].astype(np.int32),
        )

    @cached_property
    def arcs(self) -> Arcs:
        """The arcs the profile may take."""
        first, head, weight = self.graph
        return Arcs.of_slots(np.diff(first), head, weight).where(head >= 0)

    def has(self, name: str) -> bool:
        """Return whether the profile has a column."""
        return self.asset.has(profile_path(self.name, name))

    def column(self, name: str) -> AnyArray:
        """Return one of the profile's columns as it is stored."""
        return self.asset.read(profile_path(self.name, name))

    def int_column(self, name: str) -> Int64Array:
        """Return one of the profile's integer columns as int64."""
        return self.column(name).astype(np.int64)

    def run_starts(self, runs: int) -> tuple[Int64Array, AnyArray]:
        """Return the number of runs of each row, and their starts: see :func:`run_starts`."""
        return run_starts(self.asset, self.name, self.rows, runs)

    def number(self, name: str) -> int | None:
        """Return a number among the profile's attributes."""
        return self.asset.number(name, f"/profiles/{self.name}")

    def text(self, name: str) -> str | None:
        """Return a text among the profile's attributes."""
        return self.asset.text(name, f"/profiles/{self.name}")

    @property
    def cell(self) -> Int64Array:
        """(n, 2), x and y of each node's cell."""
        at = np.divmod(self.asset.graph.place.astype(np.int64), self.asset.number("width") or 1)
        return np.stack(at[::-1], axis=1)

    @cached_property
    def chart(self) -> Int64Array | None:
        """(r, 2), the coordinates of each row on the chart; None on graph levels."""
        if self.asset.text("kind") == "graph":
            return None
        x, y = self.cell[self.node].T
        layout = self.asset.text("hex_layout")
        if layout in ("odd-r", "even-r"):
            x = x - (y + (layout == "even-r")) // 2
        elif layout in ("odd-q", "even-q"):
            y = y - (x + (layout == "even-q")) // 2
        return np.stack([x, y], axis=1)

    def place(self, row: int) -> str:
        """Return the name of a row in messages: its cell, or its node's name."""
        node = int(self.node[row])
        if self.asset.text("kind") != "graph":
            x, y = self.cell[node]
            return f"({x}, {y})"
        kind = "number" if self.asset.has("/node_number") else "name"
        name = self.asset.read(f"/node_{kind}")[node]
        return name.decode() if isinstance(name, bytes) else str(name)


def verify_components(profile: FileProfile) -> int:
    """Compare the components with scipy's, and return their number."""
    count, label = profile.arcs.components("strong")
    stored = profile.component
    both = np.unique(np.stack([label, stored]), axis=1).shape[1] if profile.rows else 0
    distinct = len(np.unique(stored))
    same = both == count == distinct == profile.number("component_count")
    profile.require(same, "components are not the connected ones, or component_count is wrong")
    tail, head = stored[profile.arcs.tail], stored[profile.arcs.head]
    flags = {"one_way": bool((tail != head).any())}
    if profile.number("two_way") is not None:
        both = profile.arcs.cheapest()
        flags["two_way"] = abs(both - both.T).nnz == 0
    if profile.has("numbers"):
        flags["says_none"] = flags["one_way"] and not profile.has("reach")
    for name, right in flags.items():
        profile.require(profile.number(name) == right, f"{name} is wrong")
    return count


def verify_reach(profile: FileProfile, count: int) -> None:
    """Verify reachability between components, by a search from each."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    stored = profile.column("reach")
    tail, head = (profile.component[ends] for ends in (profile.arcs.tail, profile.arcs.head))
    onward = csr_array((np.ones(len(tail)), (tail, head)), shape=(count, count))
    for start in range(count):
        reached = breadth_first_order(onward, start, return_predecessors=False)
        row = np.zeros(8 * stored.shape[1], dtype=np.uint8)
        row[reached] = 1
        right = (np.packbits(row) == stored[start]).all()
        profile.require(right, "reach is wrong")
