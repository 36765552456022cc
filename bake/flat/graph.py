"""Make the graph of an asset of a flat file's columns: nodes, arcs, weights, rows and moves.

On grids a file says what is where, and the rules of movement say which arcs there are and what they
cost. Each node has an arc for every direction, so that a move is a slot, and next hops are used
where they lie. An arc that does not exist leads to its own node and is blocked for all. A proof
looks at every arc, so it asks for the arcs that exist, and gets its next hops as slots of these.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array
from bake.errors import BakeError
from bake.flat.read import FlatFile
from bake.flat.schema import LEVEL
from bake.graph import BLOCKED
from bake.hexagons import HEX_LAYOUTS
from bake.movement.footprints import Footprints
from bake.movement.lattice import Lattice, Steps
from bake.movement.prices import Prices, price_arcs, price_steps, to_ticks
from bake.movement.rules import (
    CORNER_CUTTING,
    COST_RULES,
    Connectivity,
    MovementRules,
    Mover,
)


class Arcs(NamedTuple):
    """The arcs of a level.

    Attributes:
        first_out: (n + 1) int32, where the arcs of each node begin.
        head: (m) int32, the node each leads to.
        length: (m) float64 units; of links what they cost.
        link: (m) int32, the link each one is, -1 for steps.
    """

    first_out: Int32Array
    head: Int32Array
    length: Float64Array
    link: Int32Array


class _Steps(NamedTuple):
    """The steps of all nodes of a grid.

    Attributes:
        steps: where each leads, as cells.
        node: (n, d) int32, the node there, -1 where there is none.
        there: (n, d) bool, True where the step has an arc.
    """

    steps: Steps
    node: Int32Array
    there: BoolArray


class _Links(NamedTuple):
    """The arcs of links that join two nodes.

    Attributes:
        which: (k) int64, which of the file's arcs of links each is.
        tail, head: (k) int32 nodes.
        among: (k) int64, its place among those that leave its node.
    """

    which: Int64Array
    tail: Int32Array
    head: Int32Array
    among: Int64Array


class FlatGraph:
    """The graph of a flat file.

    Args:
        flat: the file.
        exact: whether there are only arcs that exist.
    """

    def __init__(self, flat: FlatFile, *, exact: bool) -> None:
        self.flat = flat
        self.exact = exact
        self.is_grid = flat.numbers["kind"] != 0
        self.rules = MovementRules(
            CORNER_CUTTING[flat.numbers["corner_cutting"]],
            COST_RULES[flat.numbers["cost_rule"]],
            flat.numbers["ticks_per_unit"],
        )

    @cached_property
    def terrain(self) -> AnyArray:
        """Return (locations) uint8, the terrain of each location."""
        return self.flat.read(LEVEL, "terrain")

    @cached_property
    def place(self) -> Int32Array:
        """Return (n) int32, the location of each node."""
        count = self.flat.numbers["nodes"]
        if not self.is_grid:
            return np.arange(count, dtype=np.int32)
        node_at = self.flat.read(LEVEL, "node_at")
        place = np.flatnonzero(node_at >= 0).astype(np.int32)
        found = np.full(count, -1, dtype=np.int32)
        found[node_at[place]] = place
        if len(place) != count or (found < 0).any():
            raise self.flat.damaged("node_at does not number the nodes")
        return found

    @cached_property
    def lattice(self) -> Lattice:
        """Return which cells of a grid are neighbours."""
        numbers = self.flat.numbers
        layout = numbers["hex_layout"]
        known: dict[int, Connectivity] = {4: 4, 6: 6, 8: 8}
        return Lattice(
            numbers["width"],
            numbers["height"],
            known[numbers["directions"]],
            HEX_LAYOUTS[layout - 1] if layout else None,
            numbers["height"] // numbers["floors"] if numbers["floors"] > 1 else None,
            self.flat.read(LEVEL, "barred") if self.flat.has(LEVEL, "barred") else None,
        )

    # -- arcs -------------------------------------------------------------------------------------

    @cached_property
    def _steps(self) -> _Steps:
        steps = self.lattice.steps_from(self.place.astype(np.int64))
        node = np.where(steps.inside, self.flat.read(LEVEL, "node_at")[steps.head], -1)
        there = node >= 0 if self.exact else np.ones_like(steps.inside)
        return _Steps(steps, node.astype(np.int32), there)

    @cached_property
    def _links(self) -> _Links:
        if not self.flat.has(LEVEL, "link_from"):
            empty, none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
            return _Links(empty, none, none, empty)
        begins, leads = (self.flat.read(LEVEL, f"link_{name}") for name in ("from", "to"))
        node_at = self.flat.read(LEVEL, "node_at")
        which = np.flatnonzero((node_at[begins] >= 0) & (node_at[leads] >= 0))
        among = (np.arange(len(begins)) - np.searchsorted(begins, begins))[which]
        tail = node_at[begins[which]]
        # An arc that leads nowhere comes after all others of its cell, so places have no gaps.
        if (among >= np.bincount(tail, minlength=len(self.place))[tail]).any():
            raise self.flat.damaged("an arc of a link leads nowhere, and others come after it")
        return _Links(which, tail, node_at[leads[which]], among)

    @cached_property
    def arcs(self) -> Arcs:
        """Return all arcs, in the order of their nodes and moves."""
        if not self.is_grid:
            first_out, head = self.flat.read(LEVEL, "first_out"), self.flat.read(LEVEL, "head")
            none = np.full(len(head), -1, dtype=np.int32)
            return Arcs(first_out, head, self.flat.read(LEVEL, "length"), none)
        steps, links = self._steps, self._links
        degree = steps.there.sum(axis=1)
        degree += np.bincount(links.tail, minlength=len(degree))
        first_out = np.concatenate([[0], np.cumsum(degree)]).astype(np.int32)
        head = np.empty(int(first_out[-1]), dtype=np.int32)
        length = np.empty(len(head))
        link = np.full(len(head), -1, dtype=np.int32)
        own = np.arange(len(degree), dtype=np.int32)[:, None]
        at = self._arc_of_step(first_out)
        head[at] = np.where(steps.node < 0, own, steps.node)[steps.there]
        length[at] = np.broadcast_to(self.lattice.length, steps.there.shape)[steps.there]
        if len(links.which):
            at = self._arc_of_link(first_out)
            number = self.flat.read(LEVEL, "link_number")[links.which]
            head[at], link[at] = links.head, number
            length[at] = self.flat.read(LEVEL, "link_cost")[number]
        return Arcs(first_out, head, length, link)

    def _arc_of_step(self, first_out: Int32Array) -> Int64Array:
        """Return (k) int64, the arcs that are steps, in their order."""
        there = self._steps.there
        slot = np.cumsum(there, axis=1) - 1
        return np.asarray((first_out[:-1, None] + slot)[there], dtype=np.int64)

    def _arc_of_link(self, first_out: Int32Array) -> Int64Array:
        """Return (k) int64, the arcs that are links, in the order of the file."""
        links = self._links
        before = self._steps.there.sum(axis=1)[links.tail]
        return np.asarray(first_out[links.tail] + before + links.among, dtype=np.int64)

    def own_price(self) -> Float64Array:
        """Return (m) float64, units of arcs with a price of their own; NaN of all others."""
        arcs = self.arcs
        tail = np.repeat(np.arange(len(self.place)), np.diff(arcs.first_out))
        count = self.flat.numbers["locations"]
        begins, leads = (self.flat.read(LEVEL, f"price_{name}") for name in ("from", "to"))
        keys = begins.astype(np.int64) * count + leads
        if (np.diff(keys) <= 0).any():
            raise self.flat.damaged("prices are not in order")
        found = np.full(len(tail), np.nan)
        if len(keys):
            wanted = self.place[tail].astype(np.int64) * count + self.place[arcs.head]
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            mine = (keys[at] == wanted) & (arcs.head != tail)
            found[mine] = self.flat.read(LEVEL, "price_units")[at[mine]]
        return found

    # -- profiles ---------------------------------------------------------------------------------

    def rows(self, profile: int) -> Int32Array:
        """Return (n) int32, the row of each node; -1 where the profile cannot stand."""
        count = self.flat.profiles[profile]["rows"]
        row_at = self.flat.read(profile, "row_at")
        row = row_at[self.place]
        numbered = np.array_equal(row[row >= 0], np.arange(count))
        if int((row_at >= 0).sum()) != count or not numbered:
            raise self.flat.damaged(f"row_at of profile {profile} does not number rows like nodes")
        return np.asarray(row, dtype=np.int32)

    def component(self, profile: int) -> Int32Array:
        """Return (n) int32, the component of each node; -1 where the profile cannot stand."""
        row = self.rows(profile)
        if not self.flat.has(profile, "component"):
            return np.minimum(row, 0)
        component = self.flat.read(profile, "component")
        found = np.full(len(row), -1, dtype=np.int32)
        found[row >= 0] = component[row[row >= 0]]
        return found

    def weight(self, profile: int) -> Int32Array:
        """Return (m) int32 ticks, the weight of each arc of a grid by the rules of movement."""
        arcs, steps = self.arcs, self._steps
        weight = np.full(len(arcs.head), BLOCKED, dtype=np.int32)
        footprints = Footprints(self._mover(profile), self.terrain, self.lattice)
        prices = price_steps(footprints, self.rules, steps.steps)
        ticks = self._ticks(Prices(prices.usable & (steps.node >= 0), prices.units))
        weight[self._arc_of_step(arcs.first_out)] = ticks[steps.there]
        links = self._links
        if len(links.which):
            at = self._arc_of_link(arcs.first_out)
            begins, leads = (self.place[each].astype(np.int64) for each in (links.tail, links.head))
            taken: BoolArray = self.flat.read(profile, "link_open")[links.which] != 0
            weight[at] = self._ticks(
                price_arcs(footprints, self.rules, begins, leads, arcs.length[at], taken)
            )
        if self.flat.has(LEVEL, "price_from"):
            own = self.own_price()
            mine = ~np.isnan(own) & (weight != BLOCKED)
            weight = np.where(mine, self._ticks(Prices(mine & np.isfinite(own), own)), weight)
        return weight

    def _ticks(self, prices: Prices) -> Int32Array:
        return to_ticks(prices, self.rules.ticks_per_unit, self._off_the_scale)

    def _off_the_scale(self, arc: int, ticks: float) -> BakeError:
        return self.flat.damaged(f"an arc would weigh {ticks:.4g} ticks")

    def _mover(self, profile: int) -> Mover:
        cost = self.flat.read(profile, "cost")
        size = self.flat.profiles[profile]["size"]
        allowed = np.ones((len(cost), len(cost)), dtype=np.bool_)
        if self.flat.has(profile, "may_enter"):
            allowed = self.flat.read(profile, "may_enter") != 0
        if size > 1 and self.flat.numbers["hex_layout"]:
            raise self.flat.damaged(f"the size of profile {profile} is {size}")
        return Mover(cost, allowed, size)

    # -- next hops --------------------------------------------------------------------------------

    def run_count(self, profile: int) -> Int64Array:
        """Return (r) int64, how many runs each row has."""
        first: Int64Array = self.flat.read(profile, "first_run").astype(np.int64)
        return first[1:] - first[:-1]

    def run_slot(self, profile: int) -> AnyArray:
        """Return (k) the slot of each run, greedy and none as they are."""
        move = self.flat.read(profile, "run_move")
        if not (self.exact and self.is_grid):
            return move
        row = np.repeat(np.arange(self.flat.profiles[profile]["rows"]), self.run_count(profile))
        return self._slots(profile, row, move, int(np.iinfo(move.dtype).max) - 1)

    def greedy_slots(self, profile: int) -> Int64Array:
        """Return (r, 18) int64, the slot of each row's greedy move in each sector; -1 = none."""
        table, kind = (self.flat.read(profile, f"greedy_{name}") for name in ("move", "kind"))
        row = np.broadcast_to(np.arange(len(kind))[:, None], (len(kind), table.shape[1]))
        none = int(np.iinfo(table.dtype).max)
        slot = self._slots(profile, row, table[kind], none).astype(np.int64)
        return np.where(slot == none, -1, slot)

    def _slots(self, profile: int, row: AnyArray, move: AnyArray, special: int) -> AnyArray:
        """Return slots of arcs that exist, for moves; all ones for a move that does not."""
        nodes = np.flatnonzero(self.rows(profile) >= 0)
        node, there = nodes[row], self._steps.there
        directions = there.shape[1]
        slot = np.cumsum(there, axis=1) - 1
        slot[~there] = np.iinfo(move.dtype).max
        step = np.minimum(move, directions - 1)
        link = there.sum(axis=1)[node] + move.astype(np.int64) - directions
        found = np.where(move < directions, slot[node, step], link)
        return np.where(move >= special, move, found).astype(move.dtype)
