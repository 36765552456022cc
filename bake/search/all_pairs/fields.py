"""Distances between clusters, corrected by fields.

A field is a simple function on rows: a slope over coordinates, or plus or minus the distance to a
pivot. For clusters A and B and fields u and v,

    C = min over a in A, b in B of d(a, b) - u(a) - v(b)

makes C + u(s) + v(g) a lower bound of d(s, g) for every s in A and g in B, whatever u and v are,
and nearly d(s, g) itself where u and v rise as distances between A and B do. With u = v = 0 it is
the plain distance between two clusters.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.graph import INFINITY
from bake.kernels.jit import inlined, kernel
from bake.search.all_pairs.batch import LANES

#: Entry of a pair of clusters with no path from one to the other.
NO_PATH = np.int32(2**31 - 1)


@inlined
def field_value(
    fields: Int32Array, shift: int, at: Int32Array, pivot: Int32Array, field: int, row: int
) -> int:
    """Ticks of a field at a row.

    Args:
        fields: (f, 2 + p) int32: slope along x and along y in 2**-shift ticks a step, and the sign
            of each pivot's distance.
        at: (r, 2) int32 coordinates.
        pivot: (r, p) int32 ticks.
    """
    value = (
        int(fields[field, 0]) * int(at[row, 0]) + int(fields[field, 1]) * int(at[row, 1])
    ) >> shift
    for one in range(pivot.shape[1]):
        value += int(fields[field, 2 + one]) * int(pivot[row, one])
    return value


@kernel
def fill_fields(
    fields: Int32Array, shift: int, at: Int32Array, pivot: Int32Array, value: Int64Array
) -> None:
    """Write every field at every row into ``value`` (r, f) int64."""
    for row in range(value.shape[0]):
        for field in range(value.shape[1]):
            value[row, field] = field_value(fields, shift, at, pivot, field, row)


@kernel
def least_beyond_fields(
    dist: Int32Array,
    member: Int32Array,
    first: Int32Array,
    value: Int32Array,
    least: Int32Array,
) -> None:
    """The smallest distance less field in every cluster, for every lane.

    Args:
        dist: (r, LANES) int32 ticks, INFINITY = no path.
        member, first: rows by cluster; (r), (c + 1) int32.
        value: (r, f) int32 ticks of each field, by row.
        least: (c, f, LANES) int32, filled; NO_PATH where there is none.
    """
    for cluster in range(len(first) - 1):
        least[cluster, :, :] = NO_PATH
        for place in range(first[cluster], first[cluster + 1]):
            row = member[place]
            for field in range(value.shape[1]):
                height = value[row, field]
                for lane in range(LANES):
                    reached = dist[row, lane]
                    beyond = np.int32(reached - height) if reached < INFINITY else NO_PATH
                    old = least[cluster, field, lane]
                    least[cluster, field, lane] = beyond if beyond < old else old


@kernel
def keep_best_fields(
    least: Int32Array,
    mean: Int64Array,
    usable: BoolArray,
    highest: Int64Array,
    begin: int,
    count: int,
    goals: int,
    symmetric: bool,
    distance: Int32Array,
    chosen: UInt8Array,
) -> None:
    """Keep, for every pair of clusters, the fields that give the largest bound on the average.

    Args:
        least: (c, f, LANES) from :func:`least_beyond_fields`; lane g * f + v is field v of goal
            cluster begin + g, raised by ``highest``.
        mean: (c, f) int64, average of each field over each cluster.
        usable: (c, f) bool, fields that may be chosen.
        highest: (c, f) int64, what the field's distances were raised by.
        begin, goals: the goal clusters these lanes are of.
        count: clusters.
        symmetric: whether one half of the pairs is enough: start <= goal.
        distance: (pairs) int32, filled with C; chosen: (pairs) uint8, with u * 16 + v.
    """
    fields = least.shape[1]
    for goal in range(begin, begin + goals):
        for start in range(goal + 1 if symmetric else count):
            best = np.int64(-(2**62))
            kept = int(NO_PATH)
            code = 0
            for v in range(fields):
                lane = (goal - begin) * fields + v
                if not usable[goal, v]:
                    continue
                for u in range(fields):
                    found = int(least[start, u, lane])
                    if not usable[start, u] or found == NO_PATH:
                        continue
                    corrected = found - highest[goal, v]
                    score = corrected + mean[start, u] + mean[goal, v]
                    if score > best:
                        best = score
                        kept = corrected
                        code = u * 16 + v
            place = (goal * (goal + 1) >> 1) + start if symmetric else start * count + goal
            distance[place] = kept
            chosen[place] = code


@kernel
def fields_toward(
    distance: Int32Array,
    chosen: UInt8Array,
    symmetric: bool,
    fields: Int32Array,
    shift: int,
    at: Int32Array,
    pivot: Int32Array,
    anchor: Int32Array,
    label: Int32Array,
    goal: int,
    toward: Int64Array,
) -> None:
    """What the table says of one goal: for every cluster a number and the field to add to it.

    Args:
        distance, chosen, symmetric: from :func:`keep_best_fields`.
        fields, shift, at, pivot: from :func:`field_value`.
        anchor: (c) int32, row whose field values were taken off all of a cluster's.
        label: (r) int32, cluster of every row.
        goal: row.
        toward: (c, 2) int64, filled: ticks, far below zero where there is no path; and field.
    """
    mine = int(label[goal])
    count = len(anchor)
    for cluster in range(count):
        if not symmetric:
            place = cluster * count + mine
        elif cluster <= mine:
            place = (mine * (mine + 1) >> 1) + cluster
        else:
            place = (cluster * (cluster + 1) >> 1) + mine
        # As int64: numba makes floats of uint8 beside whole numbers that have a sign.
        code = np.int64(chosen[place])
        u = int(code >> 4)
        v = int(code & 15)
        if symmetric and cluster > mine:
            u, v = v, u
        toward[cluster, 1] = u
        if distance[place] == NO_PATH:
            toward[cluster, 0] = -(2**40)
            continue
        toward[cluster, 0] = (
            int(distance[place])
            - field_value(fields, shift, at, pivot, u, anchor[cluster])
            + field_value(fields, shift, at, pivot, v, goal)
            - field_value(fields, shift, at, pivot, v, anchor[mine])
        )
