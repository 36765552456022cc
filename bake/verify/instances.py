"""Prove next hops and distances by instances, which hold each interior once.

Every instance is compared with the first one of the same interior, arc by arc, so that what is
proved of one holds for all of them. The folded graph is built anew from the profile's arcs, with
ways through instances by scipy's searches, and its distance labels are proved as those of a level.
Distances of the level are sums of these, as a path enters and leaves an interior by exits alone.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, Int64Array
from bake.asset import Asset
from bake.asset.schema import profile_path
from bake.errors import CorruptAssetError
from bake.verify.labels import prove_labels
from bake.verify.profile import Arcs, Profile, RowGraph


class Stand(NamedTuple):
    """What an instance covers.

    Attributes:
        location: (h, w) y * width + x of its cells in the whole grid.
        drawn: (h, w) y * width + x of the same cells in the prototype as it is drawn.
        width: of the prototype.
    """

    location: Int64Array
    drawn: Int64Array
    width: int


def read_stands(asset: Asset) -> list[Stand]:
    """Return what the instances of a level cover.

    Raises:
        CorruptAssetError: they leave the level or a floor, or two of them share a cell.
    """

    def require(holds: bool | np.bool_, otherwise: str) -> None:
        if not holds:
            raise asset.damaged(otherwise, verdict="wrong")

    height, width = asset.shape("/terrain/grid")
    rows = asset.number("floor_height") or height
    names = asset.read("/prototypes/name").tolist()
    size, kind, at, turn = (
        asset.read(path).astype(np.int64)
        for path in ("/prototypes/size", "/instances/prototype", "/instances/at", "/instances/turn")
    )
    require(len(set(names)) == len(names) == len(size), "two prototypes have one name")
    require(len(kind) == len(at) == len(turn), "instances contradict each other")
    require((size > 0).all(), "a prototype has no cells")
    require(((kind >= 0) & (kind < len(names))).all(), "an instance is of no prototype")
    require(((turn >= 0) & (turn < 8)).all(), "an instance is turned in no known way")
    taken = np.zeros(height * width, dtype=np.bool_)
    found = []
    for each, (x, y), turned in zip(kind.tolist(), at.tolist(), turn.tolist(), strict=True):
        wide, high = size[each].tolist()
        require(wide <= max(width, height) and high <= max(width, height), "a prototype is larger")
        drawn = np.arange(wide * high).reshape(high, wide)
        if turned >= 4:
            drawn = np.fliplr(drawn)
        drawn = np.rot90(drawn, -(turned % 4))
        bottom, right = y + drawn.shape[0], x + drawn.shape[1]
        inside = x >= 0 and y >= 0 and right <= width and bottom <= height
        require(inside, "an instance leaves the level")
        require(y // rows == (bottom - 1) // rows, "an instance lies on two floors")
        location = np.arange(y, bottom)[:, None] * width + np.arange(x, right)
        require(not taken[location].any(), "two instances share a cell")
        taken[location] = True
        found.append(Stand(location, drawn, wide))
    return found


def prove_folded(profile: Profile) -> None:
    """Prove the next hops and distances by instances of one profile.

    Raises:
        CorruptAssetError: something is wrong; the first thing found is named.
    """
    prove_labels(_Folded(profile))


class _Folded:
    """The folded graph of a profile, with the face of a profile whose labels are to be proved.

    Attributes:
        rows: nodes of the folded graph.
        arcs: of the folded graph.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile, self.asset = profile, profile.asset
        interior, first = profile.whole("instance_interior"), profile.whole("interior_first")
        cell = profile.whole("interior_cell")
        ordered = bool(len(first)) and first[0] == 0 and first[-1] == len(cell)
        profile.require(ordered and (np.diff(first) > 0).all(), "interiors contradict each other")
        interiors = np.arange(len(first) - 1)
        used = np.array_equal(np.unique(interior[interior >= 0]), interiors)
        profile.require(used and (interior >= -1).all(), "an interior is that of no instance")
        stands = read_stands(self.asset)
        profile.require(len(stands) == len(interior), "instance_interior does not fit instances")

        instance, inside = np.full((2, profile.rows), -1)
        self._fill(interior, first, cell, stands, instance, inside)
        tail, head, weight = profile.arcs.tail, profile.arcs.head, profile.arcs.weight
        crosses = instance[tail] != instance[head]
        is_exit = np.zeros(profile.rows, dtype=np.bool_)
        is_exit[tail[crosses]] = True
        is_exit[head[crosses]] = True
        outer = np.flatnonzero((instance < 0) | is_exit)
        node = np.full(profile.rows, -1)
        node[outer] = len(cell) + np.arange(len(outer))
        self.rows = len(cell) + len(outer)
        self._row = np.concatenate([np.zeros(len(cell), dtype=np.int64), outer])

        parts = []
        inner = ~crosses & (instance[tail] >= 0)
        of, own = instance[tail[inner]], inside[np.stack([tail[inner], head[inner]])]
        own = np.stack([of, *own, weight[inner]], axis=1)
        own = own[np.lexsort(own.T[::-1])]
        begin = np.searchsorted(own[:, 0], np.arange(len(interior) + 1))
        leader: dict[int, Int64Array] = {}
        for number, each in enumerate(interior.tolist()):
            if each < 0:
                continue
            arcs = own[begin[number] : begin[number + 1], 1:]
            if each not in leader:
                leader[each] = arcs
                parts.append(arcs)
                self._row[inside[instance == number]] = np.flatnonzero(instance == number)
            same = np.array_equal(leader[each], arcs)
            profile.require(same, "instances of one interior are not alike")
            exits = np.flatnonzero((instance == number) & is_exit)
            ways = _ways_through(arcs, first[each : each + 2], inside[exits])
            parts.append(np.stack([*node[exits[ways[:, :2]]].T, ways[:, 2]], axis=1))
        kept = (node[tail] >= 0) & (node[head] >= 0)
        parts.append(np.stack([node[tail], node[head], weight], axis=1)[kept])
        every = np.concatenate(parts)
        every = every[np.argsort(every[:, 0], kind="stable")]
        degree = np.bincount(every[:, 0], minlength=self.rows)
        self.arcs = Arcs.of_slots(degree, every[:, 1], every[:, 2])

    def _fill(
        self,
        interior: Int64Array,
        first: Int64Array,
        cell: Int64Array,
        stands: list[Stand],
        instance: Int64Array,
        inside: Int64Array,
    ) -> None:
        """Fill in the instance of each row that is folded, and its node inside."""
        profile = self.profile
        height, width = self.asset.shape("/terrain/grid")
        row_at = np.full(height * width, -1)
        x, y = profile.world("cell")[profile.node].astype(np.int64).T
        row_at[y * width + x] = np.arange(profile.rows)
        for number, (each, stand) in enumerate(zip(interior.tolist(), stands, strict=True)):
            if each < 0:
                continue
            order = np.argsort(stand.drawn, axis=None)
            rows = row_at[stand.location.reshape(-1)[order]]
            standing = rows >= 0
            drawn, line = cell[first[each] : first[each + 1]], stand.width
            within = ((drawn >= 0) & (drawn < [line, len(order) // line])).all()
            same = np.array_equal(np.flatnonzero(standing), drawn[:, 1] * line + drawn[:, 0])
            profile.require(within and same, "interior_cell is not where one can stand")
            instance[rows[standing]] = number
            inside[rows[standing]] = np.arange(first[each], first[each + 1])

    @cached_property
    def graph(self) -> RowGraph:
        arcs = self.arcs
        return RowGraph(arcs.first, arcs.head.astype(np.int32), arcs.weight.astype(np.int32))

    def has(self, name: str) -> bool:
        return self.asset.has(profile_path(self.profile.name, _own(name)))

    def column(self, name: str) -> AnyArray:
        return self.profile.column(_own(name))

    def whole(self, name: str) -> Int64Array:
        return self.profile.whole(_own(name))

    def require(self, holds: bool | np.bool_, otherwise: str) -> None:
        self.profile.require(holds, _own(otherwise))

    def wrong(self, found: str) -> CorruptAssetError:
        return self.profile.wrong(found)

    def place(self, row: int) -> str:
        return self.profile.place(int(self._row[row]))


def _own(name: str) -> str:
    """Return the column of the folded graph that stands for one of a level's labels."""
    return name.replace("label_", "folded_")


def _ways_through(arcs: Int64Array, span: Int64Array, exits: Int64Array) -> Int64Array:
    """Return (k, 3) arcs between exits of an instance, as their numbers among these, and ticks.

    Args:
        arcs: (a, 3) tail, head and ticks inside, by the nodes from span[0] to span[1] - 1.
        exits: (e) nodes.
    """
    from scipy.sparse.csgraph import dijkstra

    begin, end = span.tolist()
    degree = np.bincount(arcs[:, 0] - begin, minlength=end - begin)
    inside = Arcs.of_slots(degree, arcs[:, 1] - begin, arcs[:, 2]).cheapest()
    ticks = dijkstra(inside, indices=exits - begin)[:, exits - begin]
    np.fill_diagonal(ticks, np.inf)
    start, goal = np.nonzero(np.isfinite(ticks))
    return np.stack([start, goal, ticks[start, goal].astype(np.int64)], axis=1)
