"""A proof that an asset is right, sharing no code with what baked it.

The hops of a table imply distances: follow them and add up. If every hop leads to its goal, those
are lengths of real paths; if no arc offers a shortcut (R. Bellman's condition, "On a routing
problem", 1958: d(u, t) <= w(u, v) + d(v, t) for every arc), no path is shorter. Both together prove
every entry optimal. Components are compared with scipy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import AnyArray, BoolArray, Int32Array, Int64Array
from bake.asset.read import Asset
from bake.asset.schema import profile_path
from bake.errors import CorruptAssetError
from bake.verify.hierarchy import Below, prove_clusters, prove_hierarchy

if TYPE_CHECKING:
    from bake.verify.bounds import BasinDistances, ClusterDistances
    from bake.verify.hops import Observer


_BLOCKED = 2**31 - 1

#: Every distance is below this.
_SCALE = 2**30

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Proof:
    """What was proved.

    Attributes:
        pairs: (source, target) pairs whose hop was shown optimal, over all profiles.
        distances: pairs whose stored distance was shown equal to that of the hops.
        components: components compared, over all profiles.
        bounds: pairs of clusters, and of basins of the heuristic, whose bound was compared with the
            distances of all their rows, or of those that lead to the targets of a sample.
    """

    pairs: int
    distances: int
    components: int
    bounds: int = 0


def verify_asset(
    path: Path, profile: str | None, progress: Progress, *, sample: int | None = None
) -> Proof:
    """Prove every table of an asset right.

    Args:
        path: the asset.
        profile: only this one; None = all.
        progress: called with the fraction done.
        sample: look at this many targets a profile, drawn at random, from everywhere; None = all.
            A table in which a fraction p of the targets is wrong is missed with probability
            (1 - p) ** sample.

    Raises:
        AssetError: it is no asset, or something in it is wrong; the first thing found is named.
    """
    with Asset(path) as asset:
        profiles = [name for name in asset.profiles if profile in (None, name)]
        total = Proof(0, 0, 0)
        for place, name in enumerate(profiles):
            proof = _Profile(asset, name, sample).prove(_part_of(progress, place, len(profiles)))
            total = Proof(
                total.pairs + proof.pairs,
                total.distances + proof.distances,
                total.components + proof.components,
                total.bounds + proof.bounds,
            )
        return total


def _part_of(progress: Progress, place: int, count: int) -> Progress:
    """Tells how far one of several parts is as how far all are."""
    return lambda done: progress((place + done) / count)


class _Profile:
    def __init__(self, asset: Asset, name: str, sample: int | None) -> None:
        self.asset = asset
        self.name = name
        self.sample = sample
        first_out = self._shared("first_out")
        head = self._shared("head")
        weight = self._own("weight")
        self.component = self._own("component")
        nodes = len(self.component)
        self._require(len(first_out) == nodes + 1, "first_out and component differ in length")
        degree = np.diff(first_out)
        self._require(
            bool(first_out[0] == 0 and (degree >= 0).all() and first_out[-1] == len(head)),
            "first_out does not count arcs",
        )
        self._require(bool(((head >= 0) & (head < nodes)).all()), "a head is no node")
        self._require(len(weight) == len(head), "weight and head differ in length")
        self._require(bool((weight > 0).all()), "a weight is not positive")
        usable = weight != _BLOCKED
        self._require(bool((weight[usable] < _SCALE).all()), "a weight is off the scale")
        self.node = np.flatnonzero(self.component >= 0)
        self.rows = len(self.node)
        row = np.full(nodes, -1)
        row[self.node] = np.arange(self.rows)
        # Arcs by row and slot; -1 where the profile may not take the arc.
        self.first = first_out[self.node]
        self.degree = degree[self.node]
        tail_row = row[np.repeat(np.arange(nodes), degree)]
        self._require(
            bool(((tail_row >= 0) & (row[head] >= 0))[usable].all()),
            "an arc can be taken from or to where the profile cannot stand",
        )
        self.arc_row = np.where(usable, row[head], -1)
        self.weight = weight

    def prove(self, progress: Progress) -> Proof:
        count = self._prove_components()
        self._prove_layers()
        bounds = self._bounds()
        self._has_runs = self._has("run_count")
        has_hop, has_distance = self._has("hop") or self._has_runs, self._has("distance")
        stored = self.asset.map(profile_path(self.name, "distance")) if has_distance else None
        square = (self.rows, self.rows)
        self._require(stored is None or stored.shape == square, "distance is not square")
        targets = self._targets()
        if has_hop or has_distance:
            self._prove_pairs(targets, stored, has_hop, bounds, progress)
        elif bounds:
            self._search(targets, bounds, progress)
        for bound in bounds:
            bound.judge(everything=len(targets) == self.rows)
        progress(1.0)
        pairs = self.rows * len(targets)
        return Proof(
            pairs if has_hop else 0,
            pairs if has_distance else 0,
            count,
            sum(bound.pairs for bound in bounds),
        )

    @cached_property
    def _graph(self) -> Below:
        """The arcs the profile may take."""
        tail = np.repeat(np.arange(self.rows), self.degree)
        slot = np.arange(len(tail)) - np.repeat(np.cumsum(self.degree) - self.degree, self.degree)
        arc = self.first[tail] + slot
        usable = self.arc_row[arc] >= 0
        weight = self.weight.astype(np.int64)[arc]
        return Below(
            tail[usable], self.arc_row[arc][usable], weight[usable], slot[usable], self.rows
        )

    def _prove_layers(self) -> None:
        """Clusters and hierarchy, where the asset has them."""
        if not self._has("cluster"):
            return
        label = self._own("cluster")
        prove_clusters(self._graph, label, self._require)
        if not self._has("layer_nodes"):
            return
        group = f"/profiles/{self.name}"
        mode = self.asset.text("hierarchy_mode", group) or ""
        self._require(mode in ("hpa", "exact"), f"hierarchy_mode is {mode!r}")
        two_way = bool(self.asset.number("two_way", group))
        prove_hierarchy(self._graph, label, self._column, mode, two_way, self._require)

    def _bounds(self) -> list[ClusterDistances | BasinDistances]:
        """What is to be proved of lower bounds pair by pair; the rest of them is proved here."""
        from bake.verify import bounds

        found: list[ClusterDistances | BasinDistances] = []
        if self._has("cluster_distance"):
            self._require(self._has("cluster"), "cluster_distance, but no cluster")
            label = self._own("cluster")
            stored = self._column("cluster_distance")
            found.append(bounds.ClusterDistances(stored, label, self._require))
            prices = (self._column("cluster_pair"), self._column("cluster_cost"))
            bounds.prove_prices(self._graph, label, *prices, self._require)
        if self._has("pivot_distance"):
            group = f"/profiles/{self.name}"
            two_way = bool(self.asset.number("pivot_two_way", group))
            pivot = self._column("pivot_distance")
            bounds.prove_pivots(self._graph, pivot, self._require, two_way=two_way)
            if self._has("basin"):
                shift = self.asset.number("field_shift", group)
                at = self._coordinates()
                height = bounds.field_heights(
                    self._column("field"), shift, at, pivot, self._require
                )
                found.append(
                    bounds.BasinDistances(
                        self._own("basin"),
                        self._column("basin_distance"),
                        self._column("basin_fields"),
                        height,
                        self._own("basin_anchor"),
                        self._require,
                        two_way=two_way,
                    )
                )
        return found

    def _coordinates(self) -> Int64Array:
        from bake.verify.bounds import coordinates

        asset, grid = self.asset, self.asset.has("/world/cell")
        height = asset.number("floor_height") if grid else None
        width = asset.number("width") if grid else None
        placed = not grid and asset.has("/world/position")
        return coordinates(
            self._shared("cell")[self.node] if grid else None,
            asset.read("/world/position")[self.node] if placed else None,
            asset.text("hex_layout") if grid else None,
            (width, height) if width and height else None,
            self.rows,
        )

    def _search(
        self,
        targets: Int64Array,
        bounds: list[ClusterDistances | BasinDistances],
        progress: Progress,
    ) -> None:
        """Look at pairs that no table tells the distance of."""
        from bake.verify.search import LANES, Search, Sets

        search = Search(self._graph)
        if len(targets) == self.rows:
            for place, bound in enumerate(bounds):
                bound.search(search, _part_of(progress, place, len(bounds)))
            return

        def look(block: Int64Array, dist: Int32Array) -> None:
            for bound in bounds:
                bound(block.astype(np.int32), dist)

        search.toward(
            [targets[a : a + LANES] for a in range(0, len(targets), LANES)],
            lambda block: Sets(block, np.arange(len(block)), np.zeros_like(block), len(block)),
            look,
            progress,
        )

    def _column(self, name: str) -> AnyArray:
        return self.asset.read(profile_path(self.name, name))

    def _targets(self) -> Int64Array:
        """Rows to look at as targets, ascending."""
        if self.sample is None or self.sample >= self.rows:
            return np.arange(self.rows)
        drawn = np.random.default_rng().choice(self.rows, self.sample, replace=False)
        return np.sort(drawn)

    def _prove_pairs(
        self,
        targets: Int64Array,
        stored: AnyArray | None,
        has_hop: bool,
        observers: Sequence[Observer],
        progress: Progress,
    ) -> None:
        """Prove hops and distances block by block, whichever there are."""
        from bake.verify.hops import Blocks

        blocks = Blocks(
            self.first,
            self.degree,
            self.arc_row,
            self.weight,
            self._graph,
            self.component[self.node],
            self._reach,
            one_way=bool(self.asset.number("one_way", f"/profiles/{self.name}")),
        )
        if self._has_runs:
            symbol = self.asset.read(profile_path(self.name, "run_slot"))
            runs = (self._own("run_count"), self._own("run_start"), symbol)
            cell = self._shared("cell")[self.node] if self.asset.has("/world/cell") else None
            problem = blocks.use_runs(*runs, cell, self.asset.text("hex_layout"))
            self._require(problem is None, str(problem))
        elif has_hop:
            hop = self.asset.map(profile_path(self.name, "hop"))
            self._require(hop.shape == (self.rows, self.rows), "hop is not square")
            blocks.use_table(hop)
        for done, found in blocks.look(targets, stored, observers):
            if found is not None:
                raise self._bad_pair(*found)
            progress(done / len(targets))

    def _prove_components(self) -> int:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        tail = np.repeat(np.arange(self.rows), self.degree)
        arcs = np.concatenate(
            [np.arange(a, a + d) for a, d in zip(self.first, self.degree, strict=True)]
            or [np.empty(0, np.int64)]
        ).astype(np.int64)
        usable = self.arc_row[arcs] >= 0 if len(arcs) else np.empty(0, np.bool_)
        matrix = csr_array(
            (np.ones(int(usable.sum()), np.int8), (tail[usable], self.arc_row[arcs[usable]])),
            shape=(self.rows, self.rows),
        )
        count, label = connected_components(matrix, connection="strong")
        stored = self.component[self.node]
        both = np.unique(np.stack([label, stored]), axis=1).shape[1] if self.rows else 0
        distinct = len(np.unique(stored))
        self._require(both == count == distinct, "components are not the connected ones")
        number = self.asset.number("component_count", f"/profiles/{self.name}")
        self._require(number == count, "component_count is not the number of components")
        return int(count)

    @cached_property
    def _reach(self) -> BoolArray | None:
        if not self._has("reach"):
            return None
        bits = self.asset.read(profile_path(self.name, "reach")).astype(np.uint8)
        count = int(self.component.max(initial=-1)) + 1
        self._require(bits.shape == (count, (count + 7) // 8), "reach does not fit components")
        return np.unpackbits(bits, axis=1, count=count).astype(np.bool_)

    def _require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise self._wrong(otherwise)

    def _bad_pair(self, row: int, target: int, found: str) -> CorruptAssetError:
        return self._wrong(f"from {self._place(row)} to {self._place(target)}: {found}")

    def _wrong(self, found: str) -> CorruptAssetError:
        return self.asset.damaged(f"profile {self.name!r}: {found}", verdict="wrong")

    def _place(self, row: int) -> str:
        node = int(self.node[row])
        if self.asset.has("/world/cell"):
            x, y = self.asset.read("/world/cell")[node]
            return f"({x}, {y})"
        name = self.asset.read("/world/node_name")[node]
        return name.decode() if isinstance(name, bytes) else str(name)

    def _has(self, name: str) -> bool:
        return self.asset.has(profile_path(self.name, name))

    def _shared(self, name: str) -> AnyArray:
        return self.asset.read(f"/world/{name}").astype(np.int64)

    def _own(self, name: str) -> AnyArray:
        return self.asset.read(profile_path(self.name, name)).astype(np.int64)
