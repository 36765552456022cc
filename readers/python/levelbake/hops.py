"""Queries of the baked tables: run-length encoded next hops, distance labels and arc costs.

A *location* is the number of a place, walkable or not: a cell in reading order, or a node of a
graph. A *row* is the number of a location among those on which one profile can stand.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from levelbake import steps
from levelbake.columns import profile_path
from levelbake.errors import CorruptAssetError, QueryError
from levelbake.file import File, run_starts
from levelbake.places import Places, lattice_of, rules_of
from levelbake.steps import BLOCKED, AnyArray, BoolArray, Float64Array, Int32Array, Int64Array
from levelbake.things import Link, ThingTables

#: An arc by the locations of its tail and its head.
Pair = tuple[int, int]

#: Special arcs: no arc, and the compass move, which goes straight toward the goal.
NO_ARC, GREEDY = -1, -2

#: The number of cells whose steps are priced at once.
_PORTION = 2**16


def view_of(array: AnyArray, *shape: int) -> memoryview[int]:
    """Return a view of an array that plain Python indexes several times as fast.

    Args:
        array: the array, of any shape.
        shape: the dimensions of the view; none = flat.
    """
    buffer: Any = np.ascontiguousarray(array).reshape(shape or -1)
    return memoryview(buffer)


class LevelGround(NamedTuple):
    """The state of a level at one moment: terrain, obstacles and costs of single arcs."""

    terrain: AnyArray  #: (locations) terrain codes
    obstacle: BoolArray  #: (locations), True = blocked for every profile
    prices: dict[Pair, float]  #: costs that override those of terrain, in units; inf = closed


class Arcs:
    """The arcs of a level, ordered by tail: on grids the steps in slot order, then the links.

    The *move* of an arc is its index among the arcs of its tail. Ties between shortest paths go to
    the smallest move (decision 74).
    """

    def __init__(self, things: ThingTables) -> None:
        self.things, self.places = things, things.places
        self.file = file = self.places.file
        self.rules, self.lattice = rules_of(file), lattice_of(file)
        self.terrain: AnyArray = file.read("/terrain")
        self.count = len(self.terrain)
        self.elevation = file.get("/elevation")
        self.steps = 0 if self.lattice is None else self.lattice.slots

    # -- layout -----------------------------------------------------------------------------------

    @property
    def links(self) -> tuple[Link, ...]:
        """Return the baked links."""
        return tuple(self.things.links.values())

    @cached_property
    def linked(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Return tail, head and link number of each arc of a link, each (k) int32, by tail."""
        if not self.file.has("/link_from"):
            empty = np.empty(0, dtype=np.int32)
            return empty, empty, empty
        tail, head, link = (self.file.read(f"/link_{name}") for name in ("from", "to", "number"))
        return tail, head, link

    @cached_property
    def first(self) -> Int32Array:
        """Return (locations + 1) int32, the first arc of each location."""
        if self.lattice is None:
            return self.file.read("/first_out")
        links = np.bincount(self.linked[0], minlength=self.count)
        return np.append(0, np.cumsum(links + self.steps)).astype(np.int32)

    @cached_property
    def link_arcs(self) -> Int64Array:
        """Return (k) int64, the arcs of links, in the order of :attr:`linked`."""
        tail = self.linked[0]
        rank = np.arange(len(tail)) - np.searchsorted(tail, tail)
        return self.first[tail] + np.int64(self.steps) + rank

    @cached_property
    def head(self) -> Int32Array:
        """Return (m) int32, the head of each arc; -1 for a step out of the level."""
        if self.lattice is None:
            return self.file.read("/head")
        batches = map(self.lattice.steps_from, self.portions(np.arange(self.count)))
        heads = [np.where(batch.inside, batch.head, -1).reshape(-1) for batch in batches]
        head = np.full(int(self.first[-1]), -2, dtype=np.int32)
        head[self.link_arcs] = self.linked[1]
        head[head == -2] = np.concatenate(heads)
        return head

    def portions(self, cells: Int64Array) -> list[Int64Array]:
        """Split cells into batches of at most _PORTION, to bound memory."""
        return np.split(cells, range(_PORTION, len(cells), _PORTION))

    def out_of(self, cells: Int64Array) -> Int64Array:
        """Return (k, steps) int64, the step arcs out of k cells of a grid, without links."""
        return self.first[cells, None] + np.arange(self.steps)

    @cached_property
    def tail(self) -> Int32Array:
        """Return (m) int32, the tail of each arc."""
        return np.repeat(np.arange(self.count, dtype=np.int32), np.diff(self.first))

    @cached_property
    def into(self) -> tuple[Int64Array, Int64Array]:
        """Return the arcs by head in CSR form: (locations + 1) offsets, and (k) arcs."""
        inside = np.flatnonzero(self.head >= 0)
        count = np.bincount(self.head[inside], minlength=self.count)
        order = inside[np.argsort(self.head[inside], kind="stable")]
        return np.append(0, np.cumsum(count)), order

    def between(self, tail: int, head: int) -> list[int]:
        """Return the arcs from one location to another, open or closed."""
        first, end = self.first[tail], self.first[tail + 1]
        arcs: list[int] = (first + np.flatnonzero(self.head[first:end] == head)).tolist()
        return arcs

    @cached_property
    def length(self) -> Float64Array:
        """Return (m) float64 units, the length of each arc of a graph."""
        return self.file.read("/length")

    @cached_property
    def own_prices(self) -> dict[Pair, float]:
        """Return the baked costs of single arcs in units, by (tail, head)."""
        if not self.file.has("/price_from"):
            return {}
        ends = (self.file.read(f"/price_{name}").tolist() for name in ("from", "to"))
        units = self.file.read("/price_units").tolist()
        return dict(zip(zip(*ends, strict=True), units, strict=True))

    @cached_property
    def baked(self) -> LevelGround:
        """Return the baked level state."""
        return LevelGround(self.terrain, np.zeros(self.count, dtype=np.bool_), self.own_prices)


def places_of_numbers(number_at: Int32Array) -> Int32Array | None:
    """Invert a numbering: return (r) int32, the location of each number from 0 to r - 1.

    Args:
        number_at: (locations) int32, the number of each location; negative = none.

    Returns:
        None if a number is missing or occurs twice.
    """
    locations = np.flatnonzero(number_at >= 0).astype(np.int32)
    locations = locations[np.argsort(number_at[locations], kind="stable")]
    is_complete = np.array_equal(number_at[locations], np.arange(len(locations)))
    return locations if is_complete else None


def mover_of(file: File, profile: str, lattice: steps.Lattice | None) -> steps.Mover:
    """Read the movement rules of a profile.

    Args:
        file: the file of the level.
        profile: the name of the profile.
        lattice: the cells of a grid; None on graphs.

    Raises:
        CorruptAssetError: the profile's size does not fit the level, or its cost of slopes is
            infinite.
    """
    cost = file.read(profile_path(profile, "cost"))
    allowed = file.get(profile_path(profile, "may_enter"))
    allowed = np.ones((len(cost), len(cost)), dtype=np.bool_) if allowed is None else allowed != 0
    size = file.number("size", f"/profiles/{profile}") or 1
    if size > 1 and (lattice is None or lattice.hex_layout is not None):
        raise file.damaged(f"the size of profile {profile!r} is {size}")
    slope, turn = file.get(profile_path(profile, "slope")), 1.0
    rule = steps.LEVEL_GROUND if slope is None else steps.SlopeRule(*slope.tolist())
    if math.inf in (rule.up, rule.down):
        raise file.damaged(f"profile {profile!r} pays infinitely much for slopes")
    if lattice is not None and lattice.headings is not None:
        turn = float(file.read(profile_path(profile, "turn"))[0])
    return steps.Mover(cost, allowed, size, rule, turn)


def links_for(profile: str, links: Iterable[Link | None]) -> BoolArray:
    """Return (links) bool, whether a profile can take each link; True for None."""
    usable = [not link or link.profiles is None or profile in link.profiles for link in links]
    return np.array(usable, dtype=np.bool_)


def vias_of(links: Iterable[Link | None], places: Places) -> steps.Vias | None:
    """Return the cells that links pass through; None if there are none."""
    named = [(link.via, link.over) if link else ((), ()) for link in links]
    vias = [
        ([*map(places.location, via)], [*map(places.terrains.index, over)]) for via, over in named
    ]
    return steps.Vias.of(vias, len(places.terrains))


def touched(lattice: steps.Lattice | None, changed: Int64Array, size: int) -> Int64Array:
    """Return the locations whose arcs may change their cost after a change, ascending.

    Args:
        lattice: the cells of a grid; None on graphs.
        changed: (k) int64 ascending, the changed locations.
        size: side length of the profile's footprint, in cells.
    """
    if lattice is None:
        return changed
    # The price of a step depends on the footprints at both ends and at both flanks.
    y, x = np.divmod(changed, lattice.width)
    reach = np.arange(-size, 2)
    ys, xs = y[:, None, None] + reach[:, None], x[:, None, None] + reach
    inside = (ys >= 0) & (ys < lattice.height) & (xs >= 0) & (xs < lattice.width)
    near = (ys * lattice.width + xs)[inside]
    if lattice.headings is not None:
        near = np.concatenate([lattice.turned(near, by) for by in (-1, 0, 1)])
    return np.unique(near)


class ArcPrices:
    """The costs of arcs for one profile, by the same rules as the bake."""

    def __init__(self, arcs: Arcs, profile: str) -> None:
        self.arcs, self.profile = arcs, profile
        #: movement rules of the profile
        self.mover = mover_of(arcs.file, profile, arcs.lattice)

    @cached_property
    def _vias(self) -> steps.Vias | None:
        """Return the cells that links pass through; None if there are none."""
        return vias_of(self.arcs.links, self.arcs.places)

    def _footprints(self, ground: LevelGround) -> steps.Footprints:
        arcs = self.arcs
        cells = ground.terrain, arcs.lattice, ground.obstacle, arcs.elevation
        return steps.Footprints(self.mover, *cells)

    def standing(self, ground: LevelGround, locations: AnyArray) -> BoolArray:
        """Return (k) bool, whether the profile can stand on each of k locations."""
        cost = self._footprints(ground).cost_at(locations.astype(np.int64))
        return np.asarray(~np.isnan(cost))

    def price(self, ground: LevelGround, ticks: Int32Array, near: AnyArray) -> None:
        """Update the costs of arcs in place, without costs of single arcs; BLOCKED = closed.

        Args:
            ground: the level state.
            ticks: (m) int32, the costs to update.
            near: (k) integers, the locations whose arcs to price: on grids the steps out of them,
                and all links; on graphs the arcs that leave or enter them.

        Raises:
            QueryError: an arc would cost less than 1 tick, or more than MAX_WEIGHT.
        """
        arcs, footprints = self.arcs, self._footprints(ground)
        if arcs.lattice is None:
            arc = np.flatnonzero(np.isin(arcs.tail, near) | np.isin(arcs.head, near))
            tail, head = (ends[arc].astype(np.int64) for ends in (arcs.tail, arcs.head))
            prices = steps.price_arcs(footprints, arcs.rules, tail, head, arcs.length[arc], None)
            ticks[arc] = self._in_ticks(prices)
            return
        for cells in arcs.portions(near):
            arc = arcs.out_of(cells)
            inside = arcs.head[arc] >= 0
            leaving = steps.Steps(cells, np.where(inside, arcs.head[arc], cells[:, None]), inside)
            ticks[arc] = self._in_ticks(steps.price_steps(footprints, arcs.rules, leaving))
        if len(arcs.link_arcs):
            usable = links_for(self.profile, arcs.links)
            if self._vias is not None:
                usable &= self._vias.clear(self.mover.cost, ground.terrain, ground.obstacle)
            tail, head, number = (column.astype(np.int64) for column in arcs.linked)
            cost: Float64Array = np.array([link.cost for link in arcs.links])[number]
            prices = steps.price_arcs(footprints, arcs.rules, tail, head, cost, usable[number])
            ticks[arcs.link_arcs] = self._in_ticks(prices)

    def _in_ticks(self, prices: steps.Prices) -> Int32Array:
        return steps.to_ticks(prices, self.arcs.rules.ticks_per_unit, self._off_the_scale)

    def _off_the_scale(self, _arc: int, ticks: float) -> QueryError:
        found, expected = f"a step would weigh {ticks:.4g} ticks", f"1 to {steps.MAX_WEIGHT} ticks"
        return QueryError(found, place=f"profile {self.profile!r}", expected=expected)

    @cached_property
    def weight(self) -> Int32Array:
        """Return (m) int32, the baked costs of a graph's arcs in ticks."""
        return self.arcs.file.read(profile_path(self.profile, "weight"))

    @cached_property
    def plain(self) -> Int32Array:
        """Return (m) int32, the baked costs of arcs in ticks, without costs of single arcs."""
        arcs = self.arcs
        near, ticks = np.arange(arcs.count), np.full(len(arcs.head), BLOCKED, dtype=np.int32)
        if arcs.lattice is None:
            near, ticks = np.array([*arcs.own_prices]).reshape(-1), self.weight.copy()
        self.price(arcs.baked, ticks, near)
        return ticks

    def override(self, plain: Int32Array, prices: dict[Pair, float]) -> Int32Array:
        """Return (m) int32 ticks, with costs of single arcs applied; closed arcs stay closed."""
        ticks = plain
        for pair, units in prices.items():
            arcs = np.array(self.arcs.between(*pair), dtype=np.int64)
            arcs = arcs[plain[arcs] != BLOCKED]
            if len(arcs):
                ticks = plain.copy() if ticks is plain else ticks
                cost = units * self.arcs.rules.ticks_per_unit
                ticks[arcs] = np.rint(cost) if units < np.inf else BLOCKED
        return ticks


_NONE = np.empty(0, dtype=np.int64)


class Labels:
    """Distance labels over an elimination tree: a few sums for any two rows, without a search.

    D. Ouyang, L. Qin, L. Chang, X. Lin, Y. Zhang, Q. Zhu, "When Hierarchy Meets 2-Hop-Labeling",
    SIGMOD 2018. A row's label contains a distance for each of its ancestors, from the root to the
    row itself. An asset stores the difference of each entry from the label of the parent.
    """

    def __init__(self, file: File, profile: str) -> None:
        """Read the columns of the labels, and sum the differences of an HDF5 asset.

        Raises:
            CorruptAssetError: the columns are not valid labels.
        """
        path = f"/profiles/{profile}/label_"
        #: (r) int32, the parent of each row; -1 for a root
        self.parent: Int32Array = file.read(path + "parent")
        #: (r) int32, the number of ancestors of each row
        self.depth = _depths(self.parent, file)
        order, sizes = np.argsort(self.depth, kind="stable"), np.bincount(self.depth)
        levels = np.split(order, np.cumsum(sizes)[:-1])
        #: (r + 1) int64, the first entry of each label: the distance to the root
        self.first = np.append(0, np.cumsum(self.depth + np.int64(1)))
        #: (r) int32, the top row of the chain that contains each row
        self.chain = _chains(self.parent, levels)
        entries, difference = [], file.get(path + "difference")
        for name in ("away", "toward") if file.has(path + "toward") else ("away",):
            codes = file.read(path + name)
            if len(codes) != self.first[-1] - (0 if difference is None else len(self.depth)):
                raise file.damaged("label entries do not fit label_parent")
            if difference is not None:
                codes = self._summed(levels, difference, codes, file)
            entries.append(codes)
        #: (k) int32 ticks from the row to each ancestor, and from the ancestor to the row;
        #: INFINITY = no path. One array if both are always equal.
        self.away, self.toward = entries[0], entries[-1]
        self._views = view_of(self.parent), view_of(self.depth), view_of(self.chain)
        self._first = view_of(self.first)

    def _summed(
        self, levels: list[Int64Array], difference: Int32Array, codes: AnyArray, file: File
    ) -> Int32Array:
        """Decode label entries from the root down: (k) int32 ticks; code 0 = INFINITY."""
        first, ticks = self.first, np.zeros(int(self.first[-1]), dtype=np.int32)
        for depth, rows in enumerate(levels[1:], 1):
            entry = np.arange(depth)
            base = ticks[first[self.parent[rows], None] + entry].astype(np.int64)
            code = codes[(first[rows] - rows)[:, None] + entry]
            sums = difference[code] + np.where(base < steps.INFINITY, base, 0)
            has_path = code != 0
            if ((sums < 1) | (sums >= steps.INFINITY))[has_path].any():
                raise file.damaged("a label entry is no distance")
            ticks[first[rows, None] + entry] = np.where(has_path, sums, steps.INFINITY)
        return ticks

    def ticks(self, row: int, goal: int) -> float:
        """Return the distance between two rows in ticks; inf without a path."""
        parent, depth, chain = self._views
        lower, upper = row, goal
        while chain[lower] != chain[upper]:
            if depth[chain[lower]] < depth[chain[upper]]:
                lower, upper = upper, lower
            lower = parent[chain[lower]]
            if lower < 0:
                return np.inf
        shared = min(depth[lower], depth[upper]) + 1
        a, b = self._first[row], self._first[goal]
        sums = np.add(self.away[a : a + shared], self.toward[b : b + shared], dtype=np.int64)
        least = int(sums.min())
        return least if least < steps.INFINITY else np.inf


def _depths(parent: Int32Array, file: File) -> Int32Array:
    """Return (r) int32, the depth of each row, by pointer jumping; see :meth:`Hops.tree`.

    Raises:
        CorruptAssetError: the parents contain a cycle.
    """
    end = np.where(parent < 0, np.arange(len(parent)), parent)
    depth = (parent >= 0).astype(np.int32)
    for _ in range(len(parent).bit_length()):
        depth += depth[end]
        end = end[end]
    if (parent[end] >= 0).any():
        raise file.damaged("label_parent contains a cycle")
    return depth


def _chains(parent: Int32Array, levels: list[Int64Array]) -> Int32Array:
    """Return (r) int32, the top row of the chain that contains each row.

    A chain follows the child with the largest subtree (heavy-path decomposition), so that a path to
    the root crosses few chains.
    """
    size = np.ones(len(parent), dtype=np.int64)
    for rows in reversed(levels[1:]):
        np.add.at(size, parent[rows], size[rows])
    children = np.flatnonzero(parent >= 0)
    children = children[np.argsort(size[children], kind="stable")].astype(np.int32)
    heaviest = np.full(len(parent), -1, dtype=np.int32)
    heaviest[parent[children]] = children  # The last assignment wins: the largest subtree.
    chain = np.arange(len(parent), dtype=np.int32)
    for rows in levels[1:]:
        heavy = rows[heaviest[parent[rows]] == rows]
        chain[heavy] = chain[parent[heavy]]
    return chain


class Hops:
    """The baked tables of one profile. Threads may share them.

    Every member may raise a CorruptAssetError, because columns are verified on first use.
    """

    def __init__(self, arcs: Arcs, profile: str) -> None:
        self.arcs, self.profile, self._file = arcs, profile, arcs.file
        self.has_hops = arcs.file.has(profile_path(profile, "run_move"))

    def _read(self, name: str) -> AnyArray | None:
        """Read one of the profile's columns; None if it does not exist."""
        return self._file.get(profile_path(self.profile, name))

    @cached_property
    def pricing(self) -> ArcPrices:
        """Return the computation of arc costs for the profile."""
        return ArcPrices(self.arcs, self.profile)

    # -- rows -------------------------------------------------------------------------------------

    @cached_property
    def location(self) -> Int32Array:
        """Return (r) int32, the location of each row."""
        arcs, file = self.arcs, self._file
        if (row_at := self._read("row_at")) is not None:
            location = places_of_numbers(row_at)
        elif arcs.lattice is None:
            node = np.arange(arcs.count, dtype=np.int32)
            location = node[self.pricing.standing(arcs.baked, node)]
        else:
            node = file.read("/node_location")
            location = node[self.pricing.standing(arcs.baked, node)]
        if location is None or file.rows(self.profile) not in (None, len(location)):
            raise file.damaged(f"tables of profile {self.profile!r} have other rows than places")
        return location

    @cached_property
    def row_at(self) -> Int32Array:
        """Return (locations) int32, the row at each location; -1 where the profile cannot stand."""
        row_at = np.full(self.arcs.count, -1, dtype=np.int32)
        row_at[self.location] = np.arange(len(self.location))
        return row_at

    @cached_property
    def ticks(self) -> Int32Array:
        """Return (m) int32, the baked costs of all arcs in ticks; BLOCKED = closed."""
        arcs, pricing = self.arcs, self.pricing
        if arcs.lattice is None:
            ticks = pricing.weight
        else:
            ticks = pricing.override(pricing.plain, arcs.own_prices)
        usable = np.flatnonzero(ticks != BLOCKED)
        if (self.row_at[arcs.tail[usable]] < 0).any() or (self.row_at[arcs.head[usable]] < 0).any():
            raise self._file.damaged("an arc can be taken from or to where nobody can stand")
        return ticks

    @cached_property
    def component(self) -> Int32Array:
        """Return (r) int32, the strongly connected component of each row."""
        component = self._read("component")
        return np.zeros(len(self.location), dtype=np.int32) if component is None else component

    @cached_property
    def reach(self) -> AnyArray | None:
        """Return (components, bytes) uint8, reachability of components as bits, or None."""
        return self._read("reach")

    @cached_property
    def one_way(self) -> bool:
        """Return whether any path leads from one component to another."""
        one_way = self._file.number("one_way", f"/profiles/{self.profile}") == 1
        arcs, usable = self.arcs, np.flatnonzero(self.ticks != BLOCKED)
        tail, head = (self.component[self.row_at[ends[usable]]] for ends in (arcs.tail, arcs.head))
        if one_way != bool((tail != head).any()):
            raise self._file.damaged(f"one_way is {int(one_way)}, and arcs say otherwise")
        return one_way

    def joined(self, rows: AnyArray, goals: AnyArray) -> BoolArray:
        """Return (k) bool, whether the components of each pair are connected by a path."""
        a, b = self.component[rows], self.component[goals]
        same = np.asarray(a == b)
        if self.reach is not None:
            same |= (self.reach[a, b >> 3] & (128 >> (b & 7))) != 0
        return same

    # -- next hops --------------------------------------------------------------------------------

    @cached_property
    def _has_parts(self) -> bool:
        """Return whether to check components for a path before reading the runs."""
        return not (self.one_way and self.reach is None) and bool(self.component.any())

    @cached_property
    def _runs(self) -> tuple[Int64Array, AnyArray, Int32Array]:
        """Return the runs: (r + 1) the first run of each row, (k) first goals, and (k) arcs."""
        file, arcs, rows = self._file, self.arcs, len(self.location)
        symbol = file.read(profile_path(self.profile, "run_move"))
        count, start = run_starts(file, self.profile, rows, len(symbol))
        first, none = np.append(0, np.cumsum(count)), int(np.iinfo(symbol.dtype).max)
        if not rows:
            return first, start, np.empty(0, dtype=np.int32)
        if arcs.lattice is None and (symbol == none - 1).any():
            raise file.damaged("run_move says greedy on a graph")
        move = np.where(symbol < none - 1, symbol, 0).astype(np.int32)
        is_excess = move >= np.repeat(np.diff(arcs.first)[self.location], count)
        move[is_excess] = 0
        arc = np.repeat(arcs.first[self.location], count) + move
        arc[symbol == none] = NO_ARC
        arc[symbol == none - 1] = GREEDY
        # NO_ARC and GREEDY are negative and index the two appended elements.
        closed = np.append(self.ticks == BLOCKED, [False, False])[arc] | is_excess
        # A run that only covers the row itself and unreachable goals may have any move.
        leaves = np.zeros(arcs.count, dtype=np.bool_)
        leaves[arcs.tail[self.ticks != BLOCKED]] = True
        if (np.logical_or.reduceat(closed, first[:-1]) & leaves[self.location]).any():
            raise file.damaged("run_move takes an arc the profile may not")
        arc[closed] = NO_ARC
        return first, start, arc

    @cached_property
    def _chart(self) -> Int32Array:
        """Return (r, 2) int32, coordinates in which adjacent rows differ by at most one."""
        places = self.arcs.places
        return steps.chart(places.cells_of(self.location), places.hex_layout)

    @cached_property
    def _near(self) -> AnyArray:
        """Return (r, 9) integers, the move from each row to each adjacent row, or NO_ARC.

        The column of the row at offset (x, y) in the chart is 4 + 3 * x + y.
        """
        arcs, rows = self.arcs, len(self.location)
        most = np.diff(arcs.first).max(initial=0)
        moves = np.full((rows, 9), NO_ARC, dtype=np.int8 if most < 128 else np.int32)
        # In reverse, so that the first of parallel arcs overwrites the others.
        usable = np.flatnonzero(self.ticks != BLOCKED)[::-1]
        tail, head = self.row_at[arcs.tail[usable]], self.row_at[arcs.head[usable]]
        x, y = (self._chart[head] - self._chart[tail]).T
        near = np.flatnonzero((np.abs(x) < 2) & (np.abs(y) < 2))
        tail, side = tail[near], (4 + 3 * x + y)[near]
        moves[tail, side] = usable[near] - arcs.first[self.location[tail]]
        moves[:, 4] = NO_ARC
        return moves

    @cached_property
    def arc_of(self) -> Callable[[int, int], int]:
        """Return a function (row, goal) -> next arc; NO_ARC at the goal or without a path.

        It is a closure over views, because attributes and arrays are several times slower.
        """
        first_run, start, arc = map(view_of, self._runs)
        component, reach, has_parts = view_of(self.component), self.reach, self._has_parts
        chart, near = view_of(self._chart), view_of(self._near)
        first, location = view_of(self.arcs.first), view_of(self.location)
        damaged = self.astray

        def arc_of(row: int, goal: int) -> int:
            if row == goal:
                return NO_ARC
            if has_parts:
                a, b = component[row], component[goal]
                if a != b and (reach is None or not reach[a, b >> 3] & (128 >> (b & 7))):
                    return NO_ARC
            next_arc = arc[bisect_right(start, goal, first_run[row], first_run[row + 1]) - 1]
            if next_arc != GREEDY:
                return next_arc
            dx = chart[2 * goal] - chart[2 * row]
            dy = chart[2 * goal + 1] - chart[2 * row + 1]
            x, y, middle = 3 * ((dx > 0) - (dx < 0)), (dy > 0) - (dy < 0), 9 * row + 4
            move = near[middle + x + y]
            if move < 0:  # Fall back to the axis of the longer difference, then to the other.
                longer, shorter = (y, x) if abs(dy) > abs(dx) else (x, y)
                move = near[middle + longer]
                if move < 0 and (move := near[middle + shorter]) < 0:
                    raise damaged()
            return first[location[row]] + move

        return arc_of

    def astray(self) -> CorruptAssetError:
        """Return the error for next hops that never reach the goal."""
        return self._file.damaged("next hops do not lead to the goal")

    @cached_property
    def _keys(self) -> Int64Array:
        """Return (k) int64, the search key row * r + start of each run, ascending."""
        first, start, _ = self._runs
        rows = len(self.location)
        return np.repeat(np.arange(rows, dtype=np.int64) * rows, np.diff(first)) + start

    def arcs_of(self, rows: AnyArray, goals: AnyArray) -> Int64Array:
        """Return (k) int64, the next arcs of k pairs of rows; see :attr:`arc_of`."""
        if not len(self.location):
            return np.empty(0, dtype=np.int64)
        keys = rows * np.int64(len(self.location)) + goals
        run = np.searchsorted(self._keys, keys, side="right") - 1
        arcs = self._runs[2][run].astype(np.int64)
        arcs[rows == goals] = NO_ARC
        if self._has_parts:
            arcs[~self.joined(rows, goals)] = NO_ARC
        greedy = np.flatnonzero(arcs == GREEDY)
        if len(greedy):
            row, offset = rows[greedy], (self._chart[goals[greedy]] - self._chart[rows[greedy]]).T
            (x, y), is_steep = np.sign(offset), np.abs(offset[1]) > np.abs(offset[0])
            sides = 3 * x + y, np.where(is_steep, y, 3 * x), np.where(is_steep, 3 * x, y)
            move, *fallbacks = (self._near[row, 4 + side] for side in sides)
            for fallback in fallbacks:
                move = np.where(move < 0, fallback, move)
            if move.min() < 0:
                raise self.astray()
            arcs[greedy] = self.arcs.first[self.location[row]] + move
        return arcs

    # -- paths ------------------------------------------------------------------------------------

    def walk(self, row: int, goal: int) -> list[int] | None:
        """Return the arcs of the path between two rows; None without a path."""
        arc_of, rows, (row_at, head) = self.arc_of, len(self.location), self.views
        path: list[int] = []
        while row != goal:
            arc = arc_of(row, goal)
            if arc < 0 and not path:
                return None
            if arc < 0 or len(path) > rows:
                raise self.astray()
            path.append(arc)
            row = row_at[head[arc]]
        return path

    @cached_property
    def views(self) -> tuple[memoryview[int], memoryview[int]]:
        """Return views of the row at each location and of the head of each arc."""
        return view_of(self.row_at), view_of(self.arcs.head)

    @cached_property
    def ticks_view(self) -> memoryview[int]:
        """Return a view of the baked costs of arcs in ticks."""
        return view_of(self.ticks)

    def walks(self, rows: AnyArray, goals: AnyArray) -> tuple[Int64Array, Int64Array]:
        """Return the arcs of many paths, following all paths in lockstep.

        Returns:
            (k) int64 ascending, the index of each arc's pair; and (k) int64, the arcs in path
            order. Pairs without a path, or at their goal, have no arcs.
        """
        row, active = rows.astype(np.int64), np.flatnonzero(rows != goals)
        pairs, arcs = [_NONE], [_NONE]
        for step in range(len(self.location) + 1):
            arc = self.arcs_of(row[active], goals[active])
            if step:
                if (arc < 0).any():
                    raise self.astray()
            else:
                active, arc = active[arc >= 0], arc[arc >= 0]
            if not len(active):
                break
            pairs.append(active)
            arcs.append(arc)
            row[active] = self.row_at[self.arcs.head[arc]]
            active = active[row[active] != goals[active]]
        else:
            raise self.astray()
        pair = np.concatenate(pairs)
        order = np.argsort(pair, kind="stable")
        return pair[order], np.concatenate(arcs)[order]

    @cached_property
    def labels(self) -> Labels | None:
        """Return the distance labels; None if none were baked."""
        if not self._file.has(profile_path(self.profile, "label_away")):
            return None
        labels = Labels(self._file, self.profile)
        if labels.toward is labels.away and not self._is_symmetric():
            raise self._file.damaged("label_toward is missing, and some arc does not lead back")
        return labels

    def _is_symmetric(self) -> bool:
        """Return whether every arc has a reverse arc of equal cost."""
        usable = np.flatnonzero(self.ticks != BLOCKED)
        arcs = np.stack([self.arcs.tail[usable], self.arcs.head[usable], self.ticks[usable]])
        reverse = arcs[[1, 0, 2]]
        return np.array_equal(arcs[:, np.lexsort(arcs)], reverse[:, np.lexsort(reverse)])

    def between(self, row: int, goal: int) -> float:
        """Return the distance between two rows in ticks; inf without a path."""
        if self.labels is not None:
            return self.labels.ticks(row, goal)
        arcs = self.walk(row, goal)
        return np.inf if arcs is None else float(self.ticks[arcs].sum(dtype=np.int64))

    def all_between(self, rows: AnyArray, goals: AnyArray) -> Float64Array:
        """Return (k) float64, the distances between pairs of rows in ticks; inf without a path."""
        if self.labels is not None:
            distances = map(self.labels.ticks, rows.tolist(), goals.tolist())
            return np.array([*distances], dtype=np.float64)
        pair, arcs = self.walks(rows, goals)
        ticks = np.bincount(pair, self.ticks[arcs], minlength=len(rows)).astype(np.float64)
        has_no_arc = np.ones(len(rows), dtype=np.bool_)
        has_no_arc[pair] = False
        return np.where(has_no_arc & (rows != goals), np.inf, ticks)

    def tree(self, goal: int) -> tuple[Int64Array, Int64Array, Float64Array]:
        """Return the baked paths from all locations to a goal, by pointer jumping.

        J. JáJá, "An Introduction to Parallel Algorithms", section 2.2.

        Args:
            goal: a location on which the profile can stand.

        Returns:
            (locations) int64, the next arcs, NO_ARC at the goal and without a path; (locations)
            int64, the next locations, the location itself without an arc; and (locations) float64,
            the distances to the goal in ticks, inf without a path.
        """
        rows = np.arange(len(self.location), dtype=np.int64)
        arc = np.full(self.arcs.count, NO_ARC, dtype=np.int64)
        arc[self.location] = self.arcs_of(rows, np.full_like(rows, self.row_at[goal]))
        moving = np.flatnonzero(arc >= 0)
        ahead = np.arange(self.arcs.count, dtype=np.int64)
        ahead[moving] = self.arcs.head[arc[moving]]
        ticks = np.zeros(self.arcs.count, dtype=np.float64)
        ticks[moving] = self.ticks[arc[moving]]
        end = ahead
        for _ in range(max(1, len(rows)).bit_length()):
            ticks += ticks[end]
            end = end[end]
        if (end[moving] != goal).any():
            raise self.astray()
        ticks[end != goal] = np.inf
        return arc, ahead, ticks
