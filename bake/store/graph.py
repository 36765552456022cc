"""Build the graph of a level from the columns of its file.

A grid is priced by the rules of movement: its file contains terrain and costs, and no arcs. Each
node has an arc for every direction, whether or not there is such a step, and then those of links,
so that a move is a slot. An impossible step is a blocked loop at its node. Graphs have their arcs
listed.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.core.graph import BLOCKED, positions
from bake.core.movement import NO_LINK, ahead, footprints, lengths_of_steps
from levelbake.columns import profile_path
from levelbake.errors import BakeError
from levelbake.file import File
from levelbake.hops import mover_of, places_of_numbers
from levelbake.places import form_of, lattice_of, rules_of
from levelbake.steps import (
    LEVEL_GROUND,
    Footprints,
    Lattice,
    Mover,
    Prices,
    Steps,
    open_steps,
    price_arcs,
    price_steps,
    to_ticks,
)

#: Nodes whose steps are priced at a time.
_PORTION = 2**16


class _Links(NamedTuple):
    """The arcs of links that join two nodes."""

    which: Int64Array  # (k) which of the file's each is
    tail: Int32Array  # (k) nodes
    head: Int32Array
    number: Int32Array  # (k) the link it is of
    among: Int64Array  # (k) its place among those that leave its node


class LevelGraph:
    """The nodes and arcs of a level, and the cost of each arc for each profile.

    A *location* is a cell, counted in reading order, or a node of a graph.
    """

    def __init__(self, asset: File) -> None:
        """Read the kind of the level.

        Raises:
            CorruptAssetError: attributes contradict each other.
        """
        self.asset = asset
        self._movers: dict[str, Mover] = {}
        self._rows: dict[str, Int32Array] = {}
        self._weights: dict[str, Int32Array] = {}
        self.rules = rules_of(asset)
        form = form_of(asset)
        self.is_grid, self.headings = form is not None, None if form is None else form.headings

    @cached_property
    def pays_for_more(self) -> bool:
        """Whether prices of a grid depend on more than terrain: on slopes or turns.

        A flat file of such a grid stores cells as nodes.
        """
        slopes = (self.mover(name).slope != LEVEL_GROUND for name in self.asset.profiles)
        uneven = self.is_grid and self.asset.has("/elevation") and any(slopes)
        return uneven or self.headings is not None

    # -- places -----------------------------------------------------------------------------------

    @cached_property
    def terrain(self) -> UInt8Array:
        """(locations) uint8, the terrain of each location."""
        return self.asset.read("/terrain").astype(np.uint8, copy=False)

    @cached_property
    def elevation(self) -> Float64Array | None:
        """(locations) float64 units, the elevation of each; None if the source has none."""
        return self.asset.get("/elevation")

    @cached_property
    def place(self) -> Int32Array:
        """(n) int32, the location of each node."""
        if not self.is_grid:
            return np.arange(len(self.terrain), dtype=np.int32)
        location = self.asset.get("/node_location")
        if (
            location is None
            and (location := places_of_numbers(self.asset.read("/node_at"))) is None
        ):
            raise self.asset.damaged("node_at does not number the nodes")
        return location

    @cached_property
    def node_at(self) -> Int32Array:
        """(locations) int32, the node at each; -1 where there is no node."""
        return positions(self.place, len(self.terrain))

    @cached_property
    def lattice(self) -> Lattice | None:
        """The cells of a grid and their neighbors; None on graphs."""
        return lattice_of(self.asset)

    # -- arcs -------------------------------------------------------------------------------------

    @cached_property
    def slots(self) -> int:
        """The number of arcs that each node has for steps; 0 if arcs are listed."""
        return 0 if self.lattice is None else self.lattice.slots

    @cached_property
    def first_out(self) -> Int32Array:
        """(n + 1) int32, the offset of each node's arcs."""
        count = len(self.place)
        if not self.slots:
            return self.asset.read("/first_out")
        links = np.append(0, np.cumsum(np.bincount(self._links.tail, minlength=count)))
        first: Int32Array = (np.arange(count + 1) * self.slots + links).astype(np.int32)
        return first

    @property
    def arc_count(self) -> int:
        """The number of arcs, computed without listing them."""
        return self.asset.shape("/head")[0] if not self.slots else int(self.first_out[-1])

    def taken(self, profiles: Collection[str]) -> int:
        """Return the number of arcs that any of some profiles may take."""
        usable = np.zeros(len(self.head), dtype=np.bool_)
        for profile in profiles:
            usable |= self.weight(profile) != BLOCKED
        return int(np.count_nonzero(usable))

    @cached_property
    def head(self) -> Int32Array:
        """(m) int32, the head of each arc."""
        if not self.slots:
            return self.asset.read("/head")
        return self._by_arc(self._step_head, self._links.head)

    @cached_property
    def _step_head(self) -> Int32Array:
        """(n, slots) int32, the head of each step, the node itself for impossible steps."""
        assert self.lattice is not None
        place, node = self.place.astype(np.int64), np.arange(len(self.place), dtype=np.int32)
        head = ahead(self.lattice, place, self.node_at)
        if self.lattice.barred is not None and self.headings is None:
            barred = self.lattice.barred.reshape(-1).astype(np.int32)
            ledges = barred[place][:, None] | ahead(self.lattice, place, barred)
            head[(ledges & self.lattice.heading) != 0] = -1
        return np.where(head < 0, node[:, None], head)

    @cached_property
    def length(self) -> Float64Array:
        """(m) float64 units, the length of each arc; for a link its cost."""
        if not self.slots:
            return self.asset.read("/length")
        assert self.lattice is not None
        slot = np.broadcast_to(np.arange(self.slots), (len(self.place), self.slots))
        every = lengths_of_steps(self.lattice, self.place[:, None].astype(np.int64), slot)
        links = self.asset.read("/link_cost")[self._links.number] if self._links.number.size else 0
        return self._by_arc(every, links)

    @cached_property
    def link(self) -> Int32Array:
        """(m) int32, the link of each arc, NO_LINK for steps."""
        if not self.slots:
            return np.full(len(self.head), NO_LINK, dtype=np.int32)
        every = np.broadcast_to(NO_LINK, (len(self.place), self.slots))
        return self._by_arc(every, self._links.number)

    def _by_arc(self, steps: AnyArray, links: AnyArray | int) -> AnyArray:
        """Merge (n, slots) values of steps and the values of links into (m) values by arc."""
        if not len(self._links.which):
            return steps.reshape(-1)
        by_arc = np.empty(int(self.first_out[-1]), dtype=steps.dtype)
        by_arc[self.first_out[:-1, None] + np.arange(self.slots)] = steps
        by_arc[self._arc_of_link] = links
        return by_arc

    @cached_property
    def _arc_of_link(self) -> Int64Array:
        """(k) int64, the arcs that are links, in the order of the file."""
        first = self.first_out[self._links.tail]
        return np.asarray(first + self.slots + self._links.among, dtype=np.int64)

    @cached_property
    def _links(self) -> _Links:
        asset, node_at = self.asset, self.node_at
        if not asset.has("/link_from"):
            empty, none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
            return _Links(empty, none, none, none, empty)
        begins, leads = asset.read("/link_from"), asset.read("/link_to")
        which = np.flatnonzero((node_at[begins] >= 0) & (node_at[leads] >= 0))
        among = (np.arange(len(begins)) - np.searchsorted(begins, begins))[which]
        tail = node_at[begins[which]]
        # Arcs without a valid head come after all others of their cell, so that indices have no
        # gaps.
        if (among >= np.bincount(tail, minlength=len(self.place))[tail]).any():
            raise asset.damaged("an arc of a link has no valid head, and others come after it")
        number = asset.read("/link_number")[which]
        return _Links(which, tail, node_at[leads[which]], number, among)

    @cached_property
    def own_price(self) -> Float64Array:
        """(m) float64, units of arcs with a price of their own; NaN for all others."""
        asset, count = self.asset, len(self.terrain)
        price = np.full(len(self.head), np.nan)
        if not asset.has("/price_from"):
            return price
        tail = np.repeat(np.arange(len(self.place)), np.diff(self.first_out))
        begins, leads = asset.read("/price_from"), asset.read("/price_to")
        keys = begins.astype(np.int64) * count + leads
        if (np.diff(keys) <= 0).any():
            raise asset.damaged("prices are not in order")
        if len(keys):
            arc_keys = self.place[tail].astype(np.int64) * count + self.place[self.head]
            at = np.minimum(np.searchsorted(keys, arc_keys), len(keys) - 1)
            is_priced = (keys[at] == arc_keys) & (self.head != tail)
            price[is_priced] = asset.read("/price_units")[at[is_priced]]
        return price

    # -- profiles ---------------------------------------------------------------------------------

    def mover(self, profile: str) -> Mover:
        """Return the costs, limits and size of a profile."""
        if profile not in self._movers:
            self._movers[profile] = mover_of(self.asset, profile, self.lattice)
        return self._movers[profile]

    def footprints(self, profile: str) -> Footprints:
        """Return the footprints of a profile."""
        return footprints(self.mover(profile), self.terrain, self.lattice, self.elevation)

    def rows(self, profile: str) -> Int32Array:
        """Return (n) int32, the row of each node; -1 where the profile cannot stand."""
        if profile not in self._rows:
            self._rows[profile] = self._number_rows(profile)
        return self._rows[profile]

    def _number_rows(self, profile: str) -> Int32Array:
        if self.asset.has(path := profile_path(profile, "row_at")):
            stored = self.asset.read(path)
            row, right = stored[self.place], self._numbered(profile, stored[self.place] >= 0)
            if (row != right).any() or np.count_nonzero(stored >= 0) > right.max(initial=-1) + 1:
                raise self.asset.damaged(f"column {path} does not number rows like nodes")
            return right
        stands = ~np.isnan(self.footprints(profile).cost_at(self.place.astype(np.int64)))
        return self._numbered(profile, stands)

    def _numbered(self, profile: str, stands: BoolArray) -> Int32Array:
        """Return (n) int32, the row of each node on which a profile can stand, else -1."""
        row = np.where(stands, np.cumsum(stands) - 1, -1).astype(np.int32)
        self.check_rows(profile, int(np.count_nonzero(stands)))
        return row

    def check_rows(self, profile: str, count: int) -> None:
        """Raise if a column has another number of rows.

        Raises:
            CorruptAssetError: there is such a column.
        """
        if (rows := self.asset.rows(profile)) not in (None, count):
            raise self.asset.damaged(
                f"tables of profile {profile!r} have {rows:,} rows, and there are {count:,} "
                "nodes where it can stand"
            )

    def component(self, profile: str) -> Int32Array:
        """Return (n) int32, the component of each node; -1 where the profile cannot stand."""
        row, path = self.rows(profile), profile_path(profile, "component")
        if not self.asset.has(path):
            return np.minimum(row, 0)
        label = row.copy()
        label[row >= 0] = self.asset.read(path)
        return label

    def opened(self, profile: str) -> BoolArray:
        """Return (m) bool, True for arcs that the profile may take; few arcs are priced for it."""
        if not self.slots or self.headings is not None:
            return np.asarray(self.weight(profile) != BLOCKED)
        footprints, place = self.footprints(profile), self.place.astype(np.int64)
        stands, head = self.rows(profile) >= 0, self._step_head
        fits = (head != np.arange(len(place))[:, None]) & stands[:, None] & stands[head]
        # If every step between standable cells is allowed, the cells themselves are not read.
        cells: AnyArray = head if footprints.makes_every_step else place[head]
        opened = self._by_arc(
            open_steps(footprints, self.rules, Steps(place, cells, fits), fits),
            self._link_prices(footprints, profile).usable,
        )
        if self.asset.has("/price_from"):
            opened &= ~np.isposinf(self.own_price)
        return opened

    def weight(self, profile: str) -> Int32Array:
        """Return (m) int32 ticks, the weight of each arc."""
        if profile not in self._weights:
            self._weights[profile] = self._weigh(profile)
        return self._weights[profile]

    def _weigh(self, profile: str) -> Int32Array:
        if not self.slots:
            return self.asset.read(profile_path(profile, "weight"))
        footprints = self.footprints(profile)
        steps = np.empty((len(self.place), self.slots), dtype=np.int32)
        for first in range(0, len(steps), _PORTION):
            portion = slice(first, first + _PORTION)
            assert self.lattice is not None
            leaving = self.lattice.steps_from(self.place[portion].astype(np.int64))
            prices = price_steps(footprints, self.rules, leaving)
            usable = prices.usable & (self.node_at[leaving.head] >= 0)
            steps[portion] = self._ticks(Prices(usable, prices.units))
        links = self._ticks(self._link_prices(footprints, profile))
        weight = self._by_arc(steps, links)
        if self.asset.has("/price_from"):
            own_price = self.own_price
            is_priced = ~np.isnan(own_price) & (weight != BLOCKED)
            weight = np.where(
                is_priced,
                self._ticks(Prices(is_priced & np.isfinite(own_price), own_price)),
                weight,
            )
        return weight

    def _link_prices(self, footprints: Footprints, profile: str) -> Prices:
        """Return the (k) prices of the arcs of links that join two nodes."""
        links = self._links
        if not len(links.which):
            return Prices(np.empty(0, dtype=np.bool_), np.empty(0))
        tail, head = (self.place[ends].astype(np.int64) for ends in (links.tail, links.head))
        taken: BoolArray = self.asset.read(profile_path(profile, "link_open"))[links.which] != 0
        cost = self.asset.read("/link_cost")[links.number]
        return price_arcs(footprints, self.rules, tail, head, cost, taken)

    def paid_for_slopes(self, profile: str, weight: Int32Array) -> Float64Array | float:
        """Return (m) float64 units, the part of each usable arc's price that slopes add.

        Args:
            weight: (m) int32 ticks, BLOCKED for arcs that the profile may not take.
        """
        footprints = self.footprints(profile)
        if not footprints.pays_for_slopes:
            return 0.0
        usable = np.flatnonzero(weight != BLOCKED)
        tail = np.repeat(self.place, np.diff(self.first_out))[usable].astype(np.int64)
        paid = np.zeros(len(weight))
        head = self.place[self.head[usable]].astype(np.int64)
        paid[usable] = footprints.slope_units(tail, head)
        return paid

    def _ticks(self, prices: Prices) -> Int32Array:
        return to_ticks(prices, self.rules.ticks_per_unit, self._scale_error)

    def _scale_error(self, arc: int, ticks: float) -> BakeError:
        return self.asset.damaged(f"an arc would weigh {ticks:.4g} ticks")
