"""Bound distances between clusters, corrected by fields.

A field is a simple function on rows: a slope over coordinates, or plus or minus the distance to a
pivot. For clusters A and B and fields u and v,

    C = min over a in A, b in B of d(a, b) - u(a) - v(b)

makes C + u(s) + v(g) a lower bound of d(s, g) for every s in A and g in B, whatever u and v are,
and nearly d(s, g) itself where u and v rise as distances between A and B do. With u = v = 0 it is
the plain distance between two clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.graph import INFINITY, UNREACHABLE
from bake.kernels.jit import inlined, kernel
from bake.search.all_pairs.batch import LANES


class FieldSet(NamedTuple):
    """Fields over the rows of one profile.

    Attributes:
        fields: (f, 2 + p) int32: slope along x and along y in 2**-shift ticks a step, and the sign
            of each pivot's distance.
        shift: bits after the point of slopes.
        at: (r, 2) int32 coordinates.
        pivot: (r, p) int32 ticks.
    """

    fields: Int32Array
    shift: int
    at: Int32Array
    pivot: Int32Array


class FieldsOfClusters(NamedTuple):
    """What is known of each field in each cluster.

    Attributes:
        mean: (c, f) int64 ticks, the field's average over the cluster.
        usable: (c, f) bool, whether the field may be chosen there.
        highest: (c, f) int64 ticks, by how much distances under the field were raised.
    """

    mean: Int64Array
    usable: BoolArray
    highest: Int64Array


class CorrectedDistances(NamedTuple):
    """C for every pair of clusters.

    Attributes:
        distance: (pairs) int32 ticks, UNREACHABLE where there is no path.
        chosen: (pairs) uint8, u * 16 + v.
        symmetric: whether pairs with start <= goal stand for both directions. Then a pair lies at
            goal * (goal + 1) / 2 + start, otherwise at start * c + goal.
    """

    distance: Int32Array
    chosen: UInt8Array
    symmetric: bool


@inlined
def field_value(over: FieldSet, field: int, row: int) -> int:
    """Return the ticks of a field at a row."""
    fields, shift, at, pivot = over
    value = (
        int(fields[field, 0]) * int(at[row, 0]) + int(fields[field, 1]) * int(at[row, 1])
    ) >> shift
    for one in range(pivot.shape[1]):
        value += int(fields[field, 2 + one]) * int(pivot[row, one])
    return value


@kernel
def fill_fields(over: FieldSet, value: Int64Array) -> None:
    """Write every field at every row into ``value`` (r, f) int64."""
    for row in range(value.shape[0]):
        for field in range(value.shape[1]):
            value[row, field] = field_value(over, field, row)


@kernel
def least_beyond_fields(
    dist: Int32Array,
    member: Int32Array,
    first: Int32Array,
    value: Int32Array,
    least: Int32Array,
) -> None:
    """Find the smallest distance less field in every cluster, for every lane.

    Args:
        dist: (r, LANES) int32 ticks, INFINITY = no path.
        member, first: rows by cluster; (r), (c + 1) int32.
        value: (r, f) int32 ticks of each field, by row.
        least: (c, f, LANES) int32, filled; UNREACHABLE where there is no path.
    """
    for cluster in range(len(first) - 1):
        least[cluster, :, :] = UNREACHABLE
        for i in range(first[cluster], first[cluster + 1]):
            row = member[i]
            for field in range(value.shape[1]):
                height = value[row, field]
                for lane in range(LANES):
                    reached = dist[row, lane]
                    beyond = np.int32(reached - height) if reached < INFINITY else UNREACHABLE
                    old = least[cluster, field, lane]
                    least[cluster, field, lane] = beyond if beyond < old else old


@kernel
def keep_best_fields(
    least: Int32Array,
    clusters: FieldsOfClusters,
    begin: int,
    goals: int,
    table: CorrectedDistances,
) -> None:
    """Keep, for every pair of clusters, the fields that give the largest bound on the average.

    Args:
        least: (c, f, LANES) from :func:`least_beyond_fields`; lane g * f + v is field v of goal
            cluster begin + g, raised by ``highest``.
        clusters: what is known of the fields there.
        begin, goals: the first goal cluster that these lanes belong to, and how many there are.
        table: the pairs of these goals are written.
    """
    mean, usable, highest = clusters
    distance, chosen, symmetric = table
    count, fields = mean.shape
    for goal in range(begin, begin + goals):
        for start in range(goal + 1 if symmetric else count):
            best = np.int64(-(2**62))
            kept = int(UNREACHABLE)
            code = 0
            for v in range(fields):
                lane = (goal - begin) * fields + v
                if not usable[goal, v]:
                    continue
                for u in range(fields):
                    found = int(least[start, u, lane])
                    if not usable[start, u] or found == UNREACHABLE:
                        continue
                    corrected = found - highest[goal, v]
                    score = corrected + mean[start, u] + mean[goal, v]
                    if score > best:
                        best = score
                        kept = corrected
                        code = u * 16 + v
            pair = (goal * (goal + 1) >> 1) + start if symmetric else start * count + goal
            distance[pair] = kept
            chosen[pair] = code


@kernel
def fields_toward(
    table: CorrectedDistances,
    over: FieldSet,
    anchor: Int32Array,
    label: Int32Array,
    goal: int,
    toward: Int64Array,
) -> None:
    """Work out what the table says of one goal: for every cluster a number and a field to add.

    Args:
        table: from :func:`keep_best_fields`.
        over: the fields.
        anchor: (c) int32, the row whose field values were subtracted from all of a cluster's.
        label: (r) int32, cluster of every row.
        goal: row.
        toward: (c, 2) int64, filled: ticks, far below zero where there is no path, and the field.
    """
    distance, chosen, symmetric = table
    mine = int(label[goal])
    count = len(anchor)
    for cluster in range(count):
        if not symmetric:
            pair = cluster * count + mine
        elif cluster <= mine:
            pair = (mine * (mine + 1) >> 1) + cluster
        else:
            pair = (cluster * (cluster + 1) >> 1) + mine
        # As int64, since numba makes floats of uint8 beside whole numbers that have a sign.
        code = np.int64(chosen[pair])
        u = int(code >> 4)
        v = int(code & 15)
        if symmetric and cluster > mine:
            u, v = v, u
        toward[cluster, 1] = u
        if distance[pair] == UNREACHABLE:
            toward[cluster, 0] = -(2**40)
            continue
        toward[cluster, 0] = (
            int(distance[pair])
            - field_value(over, u, anchor[cluster])
            + field_value(over, v, goal)
            - field_value(over, v, anchor[mine])
        )
