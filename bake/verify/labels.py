"""Verify distance labels, in time that grows with their size and not with the number of pairs.

A row's label holds its distances to its ancestors in a tree. Two conditions make all distances from
labels exact. First, one end of every arc is an ancestor of the other. Then the highest row of a
path is an ancestor of both its ends, so one of the sums that a lookup compares is that path's
length. Second, every entry is the minimum, over the arcs of the lower row, of the arc's weight plus
the remaining entry (R. Bellman, "On a routing problem", 1958). Then every entry is a distance: a
path attains it, as weights are positive. No path is shorter, since removing the first arc of a path
that leads up, or the last arc of a path that leads down, leaves a shorter path between a row and
its ancestor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array
from bake.core.graph import INFINITY
from bake.core.kernels.jit import allocating, kernel
from bake.verify.next_hops import Finding
from bake.verify.profile import FileProfile, Incoming, RowGraph

#: The minimum of no numbers.
NO_SUM = 2**62

#: Errors in labels.
UNRELATED, AWAY, TOWARD = 1, 2, 3


class TreeLabels(NamedTuple):
    """The ancestors of rows in a tree, and the rows' labels."""

    parent: Int64Array  #: (r) int64, the parent of each row; -1 at a root
    depth: Int64Array  #: (r) int64, the number of ancestors
    #: (r + 1) int64, the offset of each label: one distance for each depth below the row's
    first: Int64Array
    away: Int32Array  #: (k) int32 ticks from the row; INFINITY where there is no path
    toward: Int32Array  #: (k) int32 ticks to the row


def verify_labels(profile: FileProfile) -> None:
    """Verify the distance labels of a profile.

    Raises:
        CorruptAssetError: a label is wrong; the first mistake is named.
    """
    labels = _read(profile)
    incoming = profile.arcs.incoming()
    row, deep, what = first_wrong(labels, profile.graph, incoming)
    if not what:
        return
    if what == UNRELATED:
        raise profile.wrong(
            f"an arc at {profile.place(row)} joins rows that are not ancestor and descendant"
        )
    other = row
    while labels.depth[other] > deep:
        other = int(labels.parent[other])
    ends = (row, other) if what == AWAY else (other, row)
    start, goal = (profile.place(end) for end in ends)
    raise profile.wrong(f"from {start} to {goal}: a label is not the distance")


def _read(profile: FileProfile) -> TreeLabels:
    """Read the labels of a profile."""
    rows = profile.rows
    parent, sums = profile.int_column("label_parent"), not profile.has("label_difference")
    difference = np.zeros(1, np.int64) if sums else profile.int_column("label_difference")
    depth = np.full(rows, -1)
    profile.require(
        find_depths(parent, depth, np.empty(rows, np.int64)), "label_parent contains a cycle"
    )
    first = np.concatenate([[0], np.cumsum(depth)])
    order = np.argsort(depth, kind="stable")
    distances: list[Int32Array] = []
    for name in ("label_away", "label_toward"):
        if name == "label_toward" and not profile.has(name):
            distances.append(distances[0])
            continue
        codes = profile.column(name)
        if sums:
            distances.append(_read_sums(profile, name, codes, depth))
            continue
        profile.require(len(codes) == first[-1], f"{name} does not fit label_parent")
        ticks = np.empty(len(codes), dtype=np.int32)
        sound = sum_differences(parent, depth, first, order, difference, codes, ticks)
        profile.require(sound, f"{name} contains a value that is not a distance")
        distances.append(ticks)
    return TreeLabels(parent, depth, first, distances[0], distances[1])


def _read_sums(profile: FileProfile, name: str, ticks: AnyArray, depth: Int64Array) -> Int32Array:
    """Return distances from a flat file, without the distances of rows to themselves."""
    ends = np.cumsum(depth + 1)
    fits = np.array_equal(profile.column("first_label")[1:], ends)
    profile.require(fits, "first_label does not fit label_parent")
    top, parent = profile.column("label_top"), profile.column("label_parent")
    chained = (top == np.arange(len(top))) | ((parent >= 0) & (top == top[parent]))
    profile.require(chained.all(), "label_top is not the top of a chain")
    is_own = np.zeros(len(ticks), dtype=np.bool_)
    is_own[ends - 1] = True
    profile.require(
        ((ticks == 0) == is_own).all(), f"{name} contains a value that is not a distance"
    )
    return ticks[~is_own].astype(np.int32)


@kernel
def find_depths(parent: Int64Array, depth: Int64Array, stack: Int64Array) -> bool:
    """Write the number of ancestors of each row; return False if the tree contains a cycle.

    Args:
        parent: (r) rows, or -1.
        depth: (r) -1 everywhere.
        stack: (r) scratch.
    """
    for start in range(len(parent)):
        row, stacked = start, 0
        while row >= 0 and depth[row] == -1:
            depth[row] = -2
            stack[stacked] = row
            stacked += 1
            row = parent[row]
        if row >= 0 and depth[row] == -2:
            return False
        above = depth[row] if row >= 0 else -1
        while stacked > 0:
            stacked -= 1
            above += 1
            depth[stack[stacked]] = above
    return True


@kernel
def sum_differences(
    parent: Int64Array,
    depth: Int64Array,
    first: Int64Array,
    order: Int64Array,
    difference: Int64Array,
    codes: AnyArray,
    ticks: Int32Array,
) -> bool:
    """Write the ticks of all entries; return False if one is not a distance."""
    for row in order:
        for k in range(depth[row]):
            code = codes[first[row] + k]
            if code == 0:
                ticks[first[row] + k] = INFINITY
                continue
            # The last entry is for the parent itself, which is not in its own label.
            known = ticks[first[parent[row]] + k] if k + 1 < depth[row] else 0
            total = difference[code] + (known if known < INFINITY else 0)
            if not 0 < total < INFINITY:
                return False
            ticks[first[row] + k] = total
    return True


@kernel
def _label_ticks(ticks: int) -> int:
    return int(ticks) if ticks < INFINITY else NO_SUM


@kernel
def _lower(
    labels: TreeLabels,
    path: Int64Array,
    deep: int,
    other: int,
    weight: int,
    same: Int32Array,
    back: Int32Array,
    least: Int64Array,
) -> None:
    """Lower the remaining minimum of each entry of a row by one of its arcs.

    Args:
        path: the row's ancestors and the row, by depth.
        deep: depth of the row.
        other, weight: the other end of the arc, which is an ancestor or a descendant of the row,
            and the weight of the arc.
        same: ``labels.away`` for arcs out of the row, ``labels.toward`` for those into it.
        back: the other one of these.
        least: by depth, lowered.
    """
    depth, first = labels.depth[other], labels.first
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
def first_wrong(labels: TreeLabels, graph: RowGraph, incoming: Incoming) -> Finding:
    """Find an arc whose ends are not ancestor and descendant, or an entry that is not a distance.

    Returns:
        The row with the mistake, the depth of the entry, and the kind of mistake.
    """
    parent, depth, first, away, toward = labels
    path = np.empty(len(parent) + 1, np.int64)
    least = np.empty(len(parent) + 1, np.int64)
    for row in range(len(parent)):
        deep = depth[row]
        above = row
        for k in range(deep, -1, -1):
            path[k] = above
            above = parent[above]
        least[:deep] = NO_SUM
        for arc in range(graph.first[row], graph.first[row + 1]):
            other = graph.head[arc]
            if other >= 0 and other != row:
                if depth[other] <= deep and path[depth[other]] != other:
                    return int(row), 0, UNRELATED
                _lower(labels, path, deep, other, graph.weight[arc], away, toward, least)
        for k in range(deep):
            if least[k] != _label_ticks(away[first[row] + k]):
                return int(row), int(k), AWAY
        least[:deep] = NO_SUM
        for arc in range(incoming.first[row], incoming.first[row + 1]):
            other = incoming.tail[arc]
            if other != row:
                if depth[other] <= deep and path[depth[other]] != other:
                    return int(row), 0, UNRELATED
                _lower(labels, path, deep, other, incoming.weight[arc], toward, away, least)
        for k in range(deep):
            if least[k] != _label_ticks(toward[first[row] + k]):
                return int(row), int(k), TOWARD
    return 0, 0, 0
