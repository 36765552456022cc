"""Prove distance labels, in time that grows with their size and not with the number of pairs.

A row's label holds its distances to the rows on its way to the root of a tree. Two things make all
distances right that are read off labels. If both ends of every arc lie on one way to a root, the
row of a path that is nearest to the root lies on the ways of both its ends, so one of the sums that
a lookup compares is that path's length. And if every entry is the least, over the arcs at the lower
row, of the arc's weight and the entry that is left (R. Bellman, "On a routing problem", 1958), it
is a distance: it is attained, as weights are positive, and no path is shorter, since taking the
first arc off a path that leads up, and the last one off a path that leads down, leaves a shorter
path between two rows on one way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels.jit import allocating, kernel
from bake.verify.next_hops import Finding
from bake.verify.profile import FileProfile, Incoming, RowGraph

#: Stands for the least of no numbers.
NO_WAY = 2**62

#: What can be wrong with labels.
APART, AWAY, TOWARD = 1, 2, 3


class Ways(NamedTuple):
    """The ways of rows to their roots, and their labels."""

    parent: Int64Array  #: (r) int64, the next row on the way; -1 at a root
    depth: Int64Array  #: (r) int64, how many rows lie on it
    #: (r + 1) int64, where each label begins: a distance for each depth below the row's
    first: Int64Array
    away: Int32Array  #: (k) int32 ticks from the row; INFINITY where there is no way
    toward: Int32Array  #: (k) int32 ticks to the row


def prove_labels(profile: FileProfile) -> None:
    """Prove the distance labels of a profile.

    Raises:
        CorruptAssetError: something is wrong; the first thing found is named.
    """
    ways = _read(profile)
    incoming = profile.arcs.incoming()
    row, deep, what = first_wrong(ways, profile.graph, incoming)
    if not what:
        return
    if what == APART:
        raise profile.wrong(f"an arc at {profile.place(row)} leads off its way to the root")
    other = row
    while ways.depth[other] > deep:
        other = int(ways.parent[other])
    ends = (row, other) if what == AWAY else (other, row)
    start, goal = (profile.place(end) for end in ends)
    raise profile.wrong(f"from {start} to {goal}: a label is not the distance")


def _read(profile: FileProfile) -> Ways:
    """Read the labels of a profile."""
    rows = profile.rows
    parent, sums = profile.whole("label_parent"), not profile.has("label_difference")
    difference = np.zeros(1, np.int64) if sums else profile.whole("label_difference")
    depth = np.full(rows, -1)
    profile.require(
        find_depths(parent, depth, np.empty(rows, np.int64)), "label_parent leads round in a circle"
    )
    first = np.concatenate([[0], np.cumsum(depth)])
    order = np.argsort(depth, kind="stable")
    found: list[Int32Array] = []
    for name in ("label_away", "label_toward"):
        if name == "label_toward" and not profile.has(name):
            found.append(found[0])
            continue
        codes = profile.column(name)
        if sums:
            found.append(_summed(profile, name, codes, depth))
            continue
        profile.require(len(codes) == first[-1], f"{name} does not fit label_parent")
        ticks = np.empty(len(codes), dtype=np.int32)
        sound = sum_up(parent, depth, first, order, difference, codes, ticks)
        profile.require(sound, f"{name} holds what is no distance")
        found.append(ticks)
    return Ways(parent, depth, first, found[0], found[1])


def _summed(profile: FileProfile, name: str, ticks: AnyArray, depth: Int64Array) -> Int32Array:
    """Return distances that are added up already, without those of the rows to themselves."""
    ends = np.cumsum(depth + 1)
    fits = np.array_equal(profile.column("first_label")[1:], ends)
    profile.require(fits, "first_label does not fit label_parent")
    top, parent = profile.column("label_top"), profile.column("label_parent")
    chained = (top == np.arange(len(top))) | ((parent >= 0) & (top == top[parent]))
    profile.require(chained.all(), "label_top is not the top of a chain")
    own = np.zeros(len(ticks), dtype=np.bool_)
    own[ends - 1] = True
    profile.require(((ticks == 0) == own).all(), f"{name} holds what is no distance")
    return ticks[~own].astype(np.int32)


@kernel
def find_depths(parent: Int64Array, depth: Int64Array, stack: Int64Array) -> bool:
    """Fill in how many rows lie on each way; return False where a way goes round in a circle.

    Args:
        parent: (r) rows, or -1.
        depth: (r) -1 everywhere.
        stack: (r) scratch.
    """
    for start in range(len(parent)):
        row, waiting = start, 0
        while row >= 0 and depth[row] == -1:
            depth[row] = -2
            stack[waiting] = row
            waiting += 1
            row = parent[row]
        if row >= 0 and depth[row] == -2:
            return False
        above = depth[row] if row >= 0 else -1
        while waiting > 0:
            waiting -= 1
            above += 1
            depth[stack[waiting]] = above
    return True


@kernel
def sum_up(
    parent: Int64Array,
    depth: Int64Array,
    first: Int64Array,
    order: Int64Array,
    difference: Int64Array,
    codes: AnyArray,
    ticks: Int32Array,
) -> bool:
    """Fill in the ticks of all entries; return False where one is no distance."""
    for row in order:
        for k in range(depth[row]):
            code = codes[first[row] + k]
            if code == 0:
                ticks[first[row] + k] = INFINITY
                continue
            # The last entry is that of the parent itself, which is not in its own label.
            known = ticks[first[parent[row]] + k] if k + 1 < depth[row] else 0
            told = difference[code] + (known if known < INFINITY else 0)
            if not 0 < told < INFINITY:
                return False
            ticks[first[row] + k] = told
    return True


@kernel
def _stated(ticks: int) -> int:
    return int(ticks) if ticks < INFINITY else NO_WAY


@kernel
def _lower(
    ways: Ways,
    path: Int64Array,
    deep: int,
    other: int,
    weight: int,
    same: Int32Array,
    back: Int32Array,
    least: Int64Array,
) -> None:
    """Lower what is left of each entry of a row to what one of its arcs offers.

    Args:
        path: rows on the way from the root to the row, by depth.
        deep: depth of the row.
        other, weight: the other end of the arc, which lies on the row's way or below the row, and
            what the arc costs.
        same: ``ways.away`` for arcs out of the row, ``ways.toward`` for those into it.
        back: the other one of these.
        least: by depth, lowered.
    """
    depth, first = ways.depth[other], ways.first
    for k in range(min(deep, depth)):
        known = same[first[other] + k]
        if known < INFINITY:
            least[k] = min(least[k], np.int64(weight) + known)
    if depth < deep:
        least[depth] = min(least[depth], np.int64(weight))
    for k in range(depth + 1, deep):
        known = back[first[path[k]] + depth]
        if known < INFINITY:
            least[k] = min(least[k], np.int64(weight) + known)


@allocating
def first_wrong(ways: Ways, graph: RowGraph, incoming: Incoming) -> Finding:
    """Find an arc whose ends are not on one way, or an entry that is no distance.

    Returns:
        The row at fault, the depth of the entry, and what is wrong.
    """
    parent, depth, first, away, toward = ways
    path = np.empty(len(parent) + 1, np.int64)
    least = np.empty(len(parent) + 1, np.int64)
    for row in range(len(parent)):
        deep = depth[row]
        above = row
        for k in range(deep, -1, -1):
            path[k] = above
            above = parent[above]
        least[:deep] = NO_WAY
        for arc in range(graph.first[row], graph.first[row + 1]):
            other = graph.head[arc]
            if other >= 0 and other != row:
                if depth[other] <= deep and path[depth[other]] != other:
                    return int(row), 0, APART
                _lower(ways, path, deep, other, graph.weight[arc], away, toward, least)
        for k in range(deep):
            if least[k] != _stated(away[first[row] + k]):
                return int(row), int(k), AWAY
        least[:deep] = NO_WAY
        for arc in range(incoming.first[row], incoming.first[row + 1]):
            other = incoming.tail[arc]
            if other != row:
                if depth[other] <= deep and path[depth[other]] != other:
                    return int(row), 0, APART
                _lower(ways, path, deep, other, incoming.weight[arc], toward, away, least)
        for k in range(deep):
            if least[k] != _stated(toward[first[row] + k]):
                return int(row), int(k), TOWARD
    return 0, 0, 0
