"""Answers from what a file holds of a level as it was baked: next hops in runs, and labels.

A *location* is a place whether or not anybody can stand there: a cell, counted in reading order, or
a node of a graph. A *row* is a location on which one profile can stand, numbered among those.
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

#: What stands for an arc: there is none, or the greedy one.
NO_ARC, GREEDY = -1, -2

#: Cells whose steps are priced at once.
_PORTION = 2**16


def view_of(array: AnyArray, *shape: int) -> memoryview[int]:
    """Return a view with Python ints, several times faster to index than an array.

    Args:
        shape: its dimensions; none = it is flat.
    """
    buffer: Any = np.ascontiguousarray(array).reshape(shape or -1)
    return memoryview(buffer)


class LevelGround(NamedTuple):
    """What a level is made of at one moment."""

    terrain: AnyArray  # (locations)
    obstacle: BoolArray  # (locations), where nobody can stand, whatever the terrain
    prices: dict[Pair, float]  # units of arcs that do not cost what terrain says; inf = closed


class Arcs:
    """The arcs of a level by location: steps in every direction, then links; or those of a graph.

    The *move* of an arc is its place among those of its location, so that all of them are in the
    order in which the next hop is chosen (decision 74).
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
        """Return the links that were baked."""
        return tuple(self.things.links.values())

    @cached_property
    def linked(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Return the tail, the head and the link of each arc that is a link, ascending by tail."""
        if not self.file.has("/link_from"):
            none = np.empty(0, dtype=np.int32)
            return none, none, none
        tail, head, link = (self.file.read(f"/link_{name}") for name in ("from", "to", "number"))
        return tail, head, link

    @cached_property
    def first(self) -> Int32Array:
        """Return (locations + 1) int32, where the arcs of each location begin."""
        if self.lattice is None:
            return self.file.read("/first_out")
        links = np.bincount(self.linked[0], minlength=self.count)
        return np.append(0, np.cumsum(links + self.steps)).astype(np.int32)

    @cached_property
    def link_arcs(self) -> Int64Array:
        """Return (k) int64, the arcs that are links, in the order of the file."""
        tail = self.linked[0]
        among = np.arange(len(tail)) - np.searchsorted(tail, tail)
        return self.first[tail] + np.int64(self.steps) + among

    @cached_property
    def head(self) -> Int32Array:
        """Return (m) int32, the location each arc leads to; -1 where there is no such step."""
        if self.lattice is None:
            return self.file.read("/head")
        every = map(self.lattice.steps_from, self.portions(np.arange(self.count)))
        heads = [np.where(each.inside, each.head, -1).reshape(-1) for each in every]
        found = np.full(int(self.first[-1]), -2, dtype=np.int32)
        found[self.link_arcs] = self.linked[1]
        found[found == -2] = np.concatenate(heads)
        return found

    def portions(self, cells: Int64Array) -> list[Int64Array]:
        """Return some cells in parts that are small enough to look at all steps of at once."""
        return np.split(cells, range(_PORTION, len(cells), _PORTION))

    def out_of(self, cells: Int64Array) -> Int64Array:
        """Return (k, steps) int64, the steps out of some cells of a grid."""
        return self.first[cells, None] + np.arange(self.steps)

    @cached_property
    def tail(self) -> Int32Array:
        """Return (m) int32, the location each arc leaves."""
        return np.repeat(np.arange(self.count, dtype=np.int32), np.diff(self.first))

    @cached_property
    def into(self) -> tuple[Int64Array, Int64Array]:
        """Return where the arcs into each location begin, (locations + 1), and all of them."""
        there = np.flatnonzero(self.head >= 0)
        count = np.bincount(self.head[there], minlength=self.count)
        order = there[np.argsort(self.head[there], kind="stable")]
        return np.append(0, np.cumsum(count)), order

    def between(self, tail: int, head: int) -> list[int]:
        """Return the arcs that lead from one location to another, whatever is there."""
        first, end = self.first[tail], self.first[tail + 1]
        found: list[int] = (first + np.flatnonzero(self.head[first:end] == head)).tolist()
        return found

    @cached_property
    def length(self) -> Float64Array:
        """Return (m) float64 units, the length of each arc of a graph."""
        return self.file.read("/length")

    @cached_property
    def own_prices(self) -> dict[Pair, float]:
        """Return the units of baked arcs with a price of their own, by tail and head."""
        if not self.file.has("/price_from"):
            return {}
        ends = (self.file.read(f"/price_{name}").tolist() for name in ("from", "to"))
        units = self.file.read("/price_units").tolist()
        return dict(zip(zip(*ends, strict=True), units, strict=True))

    @cached_property
    def baked(self) -> LevelGround:
        """Return the level as it was baked."""
        return LevelGround(self.terrain, np.zeros(self.count, dtype=np.bool_), self.own_prices)


def places_of_numbers(number_at: Int32Array) -> Int32Array | None:
    """Return where the numbers from 0 on lie; None where one is missing, or there twice."""
    found = np.flatnonzero(number_at >= 0).astype(np.int32)
    found = found[np.argsort(number_at[found], kind="stable")]
    return found if np.array_equal(number_at[found], np.arange(len(found))) else None


def mover_of(file: File, profile: str, lattice: steps.Lattice | None) -> steps.Mover:
    """Return what terrain means to a profile.

    Args:
        lattice: the cells of a grid; None on graphs.

    Raises:
        CorruptAssetError: its size does not fit the level, or no step that rises or falls has a
            price.
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
    """Return (links) bool, True where one is for a profile; None stands for an arc that is none."""
    every = [not link or link.profiles is None or profile in link.profiles for link in links]
    return np.array(every, dtype=np.bool_)


def vias_of(links: Iterable[Link | None], places: Places) -> steps.Vias | None:
    """Return the cells that links pass through, nothing of None; None where no link does."""
    ways = [(link.via, link.over) if link else ((), ()) for link in links]
    told = [([*map(places.location, a)], [*map(places.terrains.index, b)]) for a, b in ways]
    return steps.Vias.of(told, len(places.terrains))


def touched(lattice: steps.Lattice | None, changed: Int64Array, size: int) -> Int64Array:
    """Return the locations whose arcs may cost another price once some changed, ascending.

    Args:
        lattice: the cells of a grid; None on graphs.
        changed: (k) int64, ascending.
        size: of the profile, in cells.
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
    """What arcs cost one profile, by the rules of the bake.

    Attributes:
        mover: what terrain means to the profile.
    """

    def __init__(self, arcs: Arcs, profile: str) -> None:
        self.arcs, self.profile = arcs, profile
        self.mover = mover_of(arcs.file, profile, arcs.lattice)

    @cached_property
    def _vias(self) -> steps.Vias | None:
        """Return the cells that links pass through; None where none does."""
        return vias_of(self.arcs.links, self.arcs.places)

    def _footprints(self, ground: LevelGround) -> steps.Footprints:
        arcs = self.arcs
        made_of = ground.terrain, arcs.lattice, ground.obstacle, arcs.elevation
        return steps.Footprints(self.mover, *made_of)

    def standing(self, ground: LevelGround, locations: AnyArray) -> BoolArray:
        """Return (k) bool, True where the profile can stand on the location."""
        cost = self._footprints(ground).cost_at(locations.astype(np.int64))
        return np.asarray(~np.isnan(cost))

    def price(self, ground: LevelGround, ticks: Int32Array, near: AnyArray) -> None:
        """Write what arcs cost; BLOCKED = not to be taken.

        Args:
            ground: what the level is made of.
            ticks: (m) int32, what every arc costs; prices of the game's own are left out.
            near: (k) integers, the places whose arcs are priced: on grids the steps out of them,
                and all links; on graphs the arcs that leave or enter them.

        Raises:
            QueryError: an arc would cost less than 1 tick, or more than MAX_WEIGHT.
        """
        arcs, footprints = self.arcs, self._footprints(ground)
        if arcs.lattice is None:
            at = np.flatnonzero(np.isin(arcs.tail, near) | np.isin(arcs.head, near))
            tail, head = (ends[at].astype(np.int64) for ends in (arcs.tail, arcs.head))
            prices = steps.price_arcs(footprints, arcs.rules, tail, head, arcs.length[at], None)
            ticks[at] = self._in_ticks(prices)
            return
        for some in arcs.portions(near):
            at = arcs.out_of(some)
            inside = arcs.head[at] >= 0
            leaving = steps.Steps(some, np.where(inside, arcs.head[at], some[:, None]), inside)
            ticks[at] = self._in_ticks(steps.price_steps(footprints, arcs.rules, leaving))
        if len(arcs.link_arcs):
            takes = links_for(self.profile, arcs.links)
            if self._vias is not None:
                takes &= self._vias.clear(self.mover.cost, ground.terrain, ground.obstacle)
            tail, head, number = (each.astype(np.int64) for each in arcs.linked)
            cost: Float64Array = np.array([link.cost for link in arcs.links])[number]
            prices = steps.price_arcs(footprints, arcs.rules, tail, head, cost, takes[number])
            ticks[arcs.link_arcs] = self._in_ticks(prices)

    def _in_ticks(self, prices: steps.Prices) -> Int32Array:
        return steps.to_ticks(prices, self.arcs.rules.ticks_per_unit, self._off_the_scale)

    def _off_the_scale(self, _arc: int, ticks: float) -> QueryError:
        found, expected = f"a step would weigh {ticks:.4g} ticks", f"1 to {steps.MAX_WEIGHT} ticks"
        return QueryError(found, place=f"profile {self.profile!r}", expected=expected)

    @cached_property
    def weight(self) -> Int32Array:
        """Return (m) int32, the baked ticks of each arc of a graph."""
        return self.arcs.file.read(profile_path(self.profile, "weight"))

    @cached_property
    def plain(self) -> Int32Array:
        """Return (m) int32, what every arc cost when baked, if none had a price of its own."""
        arcs = self.arcs
        near, found = np.arange(arcs.count), np.full(len(arcs.head), BLOCKED, dtype=np.int32)
        if arcs.lattice is None:
            near, found = np.array([*arcs.own_prices]).reshape(-1), self.weight.copy()
        self.price(arcs.baked, found, near)
        return found

    def with_own(self, plain: Int32Array, prices: dict[Pair, float]) -> Int32Array:
        """Return (m) int32 ticks, with their own prices for the arcs that have some."""
        found = plain
        for pair, units in prices.items():
            which = np.array(self.arcs.between(*pair), dtype=np.int64)
            which = which[plain[which] != BLOCKED]
            if len(which):
                found = plain.copy() if found is plain else found
                ticks = units * self.arcs.rules.ticks_per_unit
                found[which] = np.rint(ticks) if units < np.inf else BLOCKED
        return found


_NONE = np.empty(0, dtype=np.int64)


class Labels:
    """Distances by labels over an elimination tree: a few sums for any two rows, no search.

    D. Ouyang, L. Qin, L. Chang, X. Lin, Y. Zhang, Q. Zhu, "When Hierarchy Meets 2-Hop-Labeling",
    SIGMOD 2018. A row's label has a distance for each row on the way from the root to itself. A
    file keeps what each differs by from that of the next row on the way.

    Attributes:
        parent: (r) int32, the next row on the way to the root; -1 at a root.
        depth: (r) int32, how many rows lie on that way.
        chain: (r) int32, the highest row of the chain that each lies in.
        first: (r + 1) int64, where each label begins, with the entry of the root.
        away, toward: (k) int32 ticks from the row, and to it; INFINITY where there is no way. They
            are one array where the two are always equal.
    """

    def __init__(self, file: File, profile: str) -> None:
        """Read the columns, and add up what HDF5 holds differences of.

        Raises:
            CorruptAssetError: they make no labels.
        """
        path = f"/profiles/{profile}/label_"
        self.parent: Int32Array = file.read(path + "parent")
        self.depth = _depths(self.parent, file)
        order, sizes = np.argsort(self.depth, kind="stable"), np.bincount(self.depth)
        levels = np.split(order, np.cumsum(sizes)[:-1])
        self.first = np.append(0, np.cumsum(self.depth + np.int64(1)))
        self.chain = _chains(self.parent, levels)
        found, difference = [], file.get(path + "difference")
        for name in ("away", "toward") if file.has(path + "toward") else ("away",):
            codes = file.read(path + name)
            if len(codes) != self.first[-1] - (0 if difference is None else len(self.depth)):
                raise file.damaged("label entries do not fit label_parent")
            if difference is not None:
                codes = self._summed(levels, difference, codes, file)
            found.append(codes)
        self.away, self.toward = found[0], found[-1]
        self._views = view_of(self.parent), view_of(self.depth), view_of(self.chain)
        self._first = view_of(self.first)

    def _summed(
        self, levels: list[Int64Array], difference: Int32Array, codes: AnyArray, file: File
    ) -> Int32Array:
        """Return (k) int32 ticks; INFINITY where there is no way, which code 0 stands for."""
        first, ticks = self.first, np.zeros(int(self.first[-1]), dtype=np.int32)
        for deep, rows in enumerate(levels[1:], 1):
            at = np.arange(deep)
            base = ticks[first[self.parent[rows], None] + at].astype(np.int64)
            code = codes[(first[rows] - rows)[:, None] + at]
            told = difference[code] + np.where(base < steps.INFINITY, base, 0)
            known = code != 0
            if ((told < 1) | (told >= steps.INFINITY))[known].any():
                raise file.damaged("a label entry is no distance")
            ticks[first[rows, None] + at] = np.where(known, told, steps.INFINITY)
        return ticks

    def ticks(self, row: int, goal: int) -> float:
        """Return the ticks of a shortest path; inf where there is none."""
        parent, depth, chain = self._views
        one, other = row, goal
        while chain[one] != chain[other]:
            if depth[chain[one]] < depth[chain[other]]:
                one, other = other, one
            one = parent[chain[one]]
            if one < 0:
                return np.inf
        shared = min(depth[one], depth[other]) + 1
        a, b = self._first[row], self._first[goal]
        sums = np.add(self.away[a : a + shared], self.toward[b : b + shared], dtype=np.int64)
        least = int(sums.min())
        return least if least < steps.INFINITY else np.inf


def _depths(parent: Int32Array, file: File) -> Int32Array:
    """Return (r) int32, how many rows lie on the way to a root.

    All ways are followed at once, twice as far each round, as in :meth:`Hops.tree`.

    Raises:
        CorruptAssetError: a way has no end.
    """
    end = np.where(parent < 0, np.arange(len(parent)), parent)
    depth = (parent >= 0).astype(np.int32)
    for _ in range(len(parent).bit_length()):
        depth += depth[end]
        end = end[end]
    if (parent[end] >= 0).any():
        raise file.damaged("label_parent makes no trees")
    return depth


def _chains(parent: Int32Array, levels: list[Int64Array]) -> Int32Array:
    """Return (r) int32, the highest row of the chain each lies in.

    A chain follows the child with most rows below it, so a way to the root passes few of them.
    """
    below = np.ones(len(parent), dtype=np.int64)
    for rows in reversed(levels[1:]):
        np.add.at(below, parent[rows], below[rows])
    inner = np.flatnonzero(parent >= 0)
    inner = inner[np.argsort(below[inner], kind="stable")].astype(np.int32)
    heaviest = np.full(len(parent), -1, dtype=np.int32)
    heaviest[parent[inner]] = inner  # Of several children the last stays, which has most below it.
    chain = np.arange(len(parent), dtype=np.int32)
    for rows in levels[1:]:
        going_on = rows[heaviest[parent[rows]] == rows]
        chain[going_on] = chain[parent[going_on]]
    return chain


class Hops:
    """What a file holds of one profile. Threads may share it.

    Every answer may raise a CorruptAssetError, as columns are checked when they are first read.
    """

    def __init__(self, arcs: Arcs, profile: str) -> None:
        """Read nothing yet."""
        self.arcs, self.profile, self._file = arcs, profile, arcs.file
        self.has_hops = arcs.file.has(profile_path(profile, "run_move"))

    def _read(self, name: str) -> AnyArray | None:
        """Return one of the profile's columns; None where there is none."""
        return self._file.get(profile_path(self.profile, name))

    @cached_property
    def pricing(self) -> ArcPrices:
        """Return what arcs cost the profile."""
        return ArcPrices(self.arcs, self.profile)

    # -- rows -------------------------------------------------------------------------------------

    @cached_property
    def location(self) -> Int32Array:
        """Return (r) int32, the location of each row."""
        arcs, file = self.arcs, self._file
        if (row_at := self._read("row_at")) is not None:
            found = places_of_numbers(row_at)
        else:
            is_grid, every = arcs.lattice is not None, np.arange(arcs.count, dtype=np.int32)
            node = file.read("/node_location") if is_grid else every
            found = node[self.pricing.standing(arcs.baked, node)]
        if found is None or file.rows(self.profile) not in (None, len(found)):
            raise file.damaged(f"tables of profile {self.profile!r} have other rows than places")
        return found

    @cached_property
    def row_at(self) -> Int32Array:
        """Return (locations) int32, the row at each; -1 where the profile cannot stand."""
        found = np.full(self.arcs.count, -1, dtype=np.int32)
        found[self.location] = np.arange(len(self.location))
        return found

    @cached_property
    def ticks(self) -> Int32Array:
        """Return (m) int32, what every arc costs as it was baked; BLOCKED = not to be taken."""
        arcs, pricing = self.arcs, self.pricing
        if arcs.lattice is None:
            found = pricing.weight
        else:
            found = pricing.with_own(pricing.plain, arcs.own_prices)
        taken = np.flatnonzero(found != BLOCKED)
        if (self.row_at[arcs.tail[taken]] < 0).any() or (self.row_at[arcs.head[taken]] < 0).any():
            raise self._file.damaged("an arc can be taken from or to where nobody can stand")
        return found

    @cached_property
    def component(self) -> Int32Array:
        """Return (r) int32, the component of each row; rows of one reach each other."""
        found = self._read("component")
        return np.zeros(len(self.location), dtype=np.int32) if found is None else found

    @cached_property
    def reach(self) -> AnyArray | None:
        """Return (components, bytes) uint8, bits of those that each reaches; None = not known."""
        return self._read("reach")

    @cached_property
    def one_way(self) -> bool:
        """Tell whether a path may lead from one component into another."""
        said = self._file.number("one_way", f"/profiles/{self.profile}") == 1
        arcs, taken = self.arcs, np.flatnonzero(self.ticks != BLOCKED)
        tail, head = (self.component[self.row_at[ends[taken]]] for ends in (arcs.tail, arcs.head))
        if said != bool((tail != head).any()):
            raise self._file.damaged(f"one_way is {int(said)}, and arcs say otherwise")
        return said

    def joined(self, rows: AnyArray, goals: AnyArray) -> BoolArray:
        """Return (k) bool, where components say that there is a path."""
        a, b = self.component[rows], self.component[goals]
        same = np.asarray(a == b)
        if self.reach is not None:
            same |= (self.reach[a, b >> 3] & (128 >> (b & 7))) != 0
        return same

    # -- next hops --------------------------------------------------------------------------------

    @cached_property
    def _parted(self) -> bool:
        """Tell whether components say where there is no path; otherwise runs do, or none is."""
        return not (self.one_way and self.reach is None) and bool(self.component.any())

    @cached_property
    def _runs(self) -> tuple[Int64Array, AnyArray, Int32Array]:
        """Return where the runs of each row begin, (r + 1), the first goal and the arc of each."""
        file, arcs, rows = self._file, self.arcs, len(self.location)
        symbol = file.read(profile_path(self.profile, "run_move"))
        count, start = run_starts(file, self.profile, rows, len(symbol))
        first, none = np.append(0, np.cumsum(count)), int(np.iinfo(symbol.dtype).max)
        if not rows:
            return first, start, np.empty(0, dtype=np.int32)
        if arcs.lattice is None and (symbol == none - 1).any():
            raise file.damaged("run_move says greedy on a graph")
        move = np.where(symbol < none - 1, symbol, 0).astype(np.int32)
        beyond = move >= np.repeat(np.diff(arcs.first)[self.location], count)
        move[beyond] = 0
        arc = np.repeat(arcs.first[self.location], count) + move
        arc[symbol == none] = NO_ARC
        arc[symbol == none - 1] = GREEDY
        # NO_ARC and GREEDY, which are negative, look up the two elements at the end.
        closed = np.append(self.ticks == BLOCKED, [False, False])[arc] | beyond
        # A run may say anything if it covers only the row itself and rows out of reach.
        leaves = np.zeros(arcs.count, dtype=np.bool_)
        leaves[arcs.tail[self.ticks != BLOCKED]] = True
        if (np.logical_or.reduceat(closed, first[:-1]) & leaves[self.location]).any():
            raise file.damaged("run_move takes an arc the profile may not")
        arc[closed] = NO_ARC
        return first, start, arc

    @cached_property
    def _chart(self) -> Int32Array:
        """Return (r, 2) int32, coordinates of the rows in which neighbours differ by one."""
        places = self.arcs.places
        return steps.chart(places.cells_of(self.location), places.hex_layout)

    @cached_property
    def _near(self) -> AnyArray:
        """Return (r, 9) integers, the move from each row to each place around it, else NO_ARC.

        A place that is x and y further in the chart stands at 4 + 3 * x + y.
        """
        arcs, rows = self.arcs, len(self.location)
        most = np.diff(arcs.first).max(initial=0)
        found = np.full((rows, 9), NO_ARC, dtype=np.int8 if most < 128 else np.int32)
        # Backwards, so that of several arcs the first one stays.
        taken = np.flatnonzero(self.ticks != BLOCKED)[::-1]
        tail, head = self.row_at[arcs.tail[taken]], self.row_at[arcs.head[taken]]
        x, y = (self._chart[head] - self._chart[tail]).T
        near = np.flatnonzero((np.abs(x) < 2) & (np.abs(y) < 2))
        tail, side = tail[near], (4 + 3 * x + y)[near]
        found[tail, side] = taken[near] - arcs.first[self.location[tail]]
        found[:, 4] = NO_ARC
        return found

    @cached_property
    def arc_of(self) -> Callable[[int, int], int]:
        """Return a function (row, goal) -> arc to take; NO_ARC at the goal or without a path.

        A closure's variables cost a fraction of attributes, and views a fraction of arrays.
        """
        first_run, start, arc = map(view_of, self._runs)
        component, reach, parted = view_of(self.component), self.reach, self._parted
        at, near = view_of(self._chart), view_of(self._near)
        first, location = view_of(self.arcs.first), view_of(self.location)
        damaged = self.astray

        def arc_of(row: int, goal: int) -> int:
            if row == goal:
                return NO_ARC
            if parted:
                a, b = component[row], component[goal]
                if a != b and (reach is None or not reach[a, b >> 3] & (128 >> (b & 7))):
                    return NO_ARC
            found = arc[bisect_right(start, goal, first_run[row], first_run[row + 1]) - 1]
            if found != GREEDY:
                return found
            dx = at[2 * goal] - at[2 * row]
            dy = at[2 * goal + 1] - at[2 * row + 1]
            x, y, here = 3 * ((dx > 0) - (dx < 0)), (dy > 0) - (dy < 0), 9 * row + 4
            move = near[here + x + y]
            if move < 0:  # Then along the longer difference, or else along the shorter one.
                longer, shorter = (y, x) if abs(dy) > abs(dx) else (x, y)
                move = near[here + longer]
                if move < 0 and (move := near[here + shorter]) < 0:
                    raise damaged()
            return first[location[row]] + move

        return arc_of

    def astray(self) -> CorruptAssetError:
        return self._file.damaged("next hops do not lead to the goal")

    @cached_property
    def _keys(self) -> Int64Array:
        """Return (k) int64, row * r + start, which ascends over all runs."""
        first, start, _ = self._runs
        rows = len(self.location)
        return np.repeat(np.arange(rows, dtype=np.int64) * rows, np.diff(first)) + start

    def arcs_of(self, rows: AnyArray, goals: AnyArray) -> Int64Array:
        """Return (k) int64, the arc of each pair of rows, as :attr:`arc_of` does of one."""
        if not len(self.location):
            return np.empty(0, dtype=np.int64)
        wanted = rows * np.int64(len(self.location)) + goals
        run = np.searchsorted(self._keys, wanted, side="right") - 1
        found = self._runs[2][run].astype(np.int64)
        found[rows == goals] = NO_ARC
        if self._parted:
            found[~self.joined(rows, goals)] = NO_ARC
        greedy = np.flatnonzero(found == GREEDY)
        if len(greedy):
            a, away = rows[greedy], (self._chart[goals[greedy]] - self._chart[rows[greedy]]).T
            (x, y), steep = np.sign(away), np.abs(away[1]) > np.abs(away[0])
            sides = 3 * x + y, np.where(steep, y, 3 * x), np.where(steep, 3 * x, y)
            move, *others = (self._near[a, 4 + side] for side in sides)
            for other in others:
                move = np.where(move < 0, other, move)
            if move.min() < 0:
                raise self.astray()
            found[greedy] = self.arcs.first[self.location[a]] + move
        return found

    # -- paths ------------------------------------------------------------------------------------

    def walk(self, row: int, goal: int) -> list[int] | None:
        """Return the arcs of the path between two rows; None where there is none."""
        arc_of, rows, (row_at, head) = self.arc_of, len(self.location), self.views
        found: list[int] = []
        while row != goal:
            arc = arc_of(row, goal)
            if arc < 0 and not found:
                return None
            if arc < 0 or len(found) > rows:
                raise self.astray()
            found.append(arc)
            row = row_at[head[arc]]
        return found

    @cached_property
    def views(self) -> tuple[memoryview[int], memoryview[int]]:
        """Return the row at each location and the head of each arc, for plain Python to read."""
        return view_of(self.row_at), view_of(self.arcs.head)

    @cached_property
    def ticks_view(self) -> memoryview[int]:
        """Return the baked ticks of each arc, for plain Python to read."""
        return view_of(self.ticks)

    def walks(self, rows: AnyArray, goals: AnyArray) -> tuple[Int64Array, Int64Array]:
        """Return the arcs of many paths, walked in step.

        Returns:
            (k) int64, which of the pairs each arc is of, ascending; and (k) int64 arcs in the order
            of their paths. Pairs without a path, or at their goal, have none.
        """
        at, who = rows.astype(np.int64), np.flatnonzero(rows != goals)
        pairs, taken = [_NONE], [_NONE]
        for step in range(len(self.location) + 1):
            arc = self.arcs_of(at[who], goals[who])
            if step:
                if (arc < 0).any():
                    raise self.astray()
            else:
                who, arc = who[arc >= 0], arc[arc >= 0]
            if not len(who):
                break
            pairs.append(who)
            taken.append(arc)
            at[who] = self.row_at[self.arcs.head[arc]]
            who = who[at[who] != goals[who]]
        else:
            raise self.astray()
        pair = np.concatenate(pairs)
        order = np.argsort(pair, kind="stable")
        return pair[order], np.concatenate(taken)[order]

    @cached_property
    def labels(self) -> Labels | None:
        """Return the distances by labels; None where none were baked."""
        if not self._file.has(profile_path(self.profile, "label_away")):
            return None
        labels = Labels(self._file, self.profile)
        if labels.toward is labels.away and not self._leads_back:
            raise self._file.damaged("label_toward is missing, and some arc does not lead back")
        return labels

    @property
    def _leads_back(self) -> bool:
        """Tell whether every arc leads back at the same price."""
        at = np.flatnonzero(self.ticks != BLOCKED)
        there = np.stack([self.arcs.tail[at], self.arcs.head[at], self.ticks[at]])
        back = there[[1, 0, 2]]
        return np.array_equal(there[:, np.lexsort(there)], back[:, np.lexsort(back)])

    def between(self, row: int, goal: int) -> float:
        """Return the ticks of a shortest path between two rows; inf where there is none."""
        if self.labels is not None:
            return self.labels.ticks(row, goal)
        arcs = self.walk(row, goal)
        return np.inf if arcs is None else float(self.ticks[arcs].sum(dtype=np.int64))

    def all_between(self, rows: AnyArray, goals: AnyArray) -> Float64Array:
        """Return (k) float64 ticks of shortest paths; inf where there is none."""
        if self.labels is not None:
            each = map(self.labels.ticks, rows.tolist(), goals.tolist())
            return np.array([*each], dtype=np.float64)
        pair, arcs = self.walks(rows, goals)
        found = np.bincount(pair, self.ticks[arcs], minlength=len(rows)).astype(np.float64)
        apart = np.ones(len(rows), dtype=np.bool_)
        apart[pair] = False
        return np.where(apart & (rows != goals), np.inf, found)

    def tree(self, goal: int) -> tuple[Int64Array, Int64Array, Float64Array]:
        """Return the baked paths from everywhere to the location of a row.

        Returns:
            (locations) int64, the arc that a path takes, NO_ARC at the goal and where there is no
            path; where that leads, the location itself where there is no arc; and (locations)
            float64 ticks to the goal, inf where there is no path.

        All paths are followed at once, twice as far each round: J. JáJá, "An Introduction to
        Parallel Algorithms", section 2.2 (pointer jumping).
        """
        rows = np.arange(len(self.location), dtype=np.int64)
        arc = np.full(self.arcs.count, NO_ARC, dtype=np.int64)
        arc[self.location] = self.arcs_of(rows, np.full_like(rows, self.row_at[goal]))
        goes = np.flatnonzero(arc >= 0)
        ahead = np.arange(self.arcs.count, dtype=np.int64)
        ahead[goes] = self.arcs.head[arc[goes]]
        ticks = np.zeros(self.arcs.count, dtype=np.float64)
        ticks[goes] = self.ticks[arc[goes]]
        end = ahead
        for _ in range(max(1, len(rows)).bit_length()):
            ticks += ticks[end]
            end = end[end]
        if (end[goes] != goal).any():
            raise self.astray()
        ticks[end != goal] = np.inf
        return arc, ahead, ticks
