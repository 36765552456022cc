"""What makes distances of a block of targets right, compiled.

Distances that arcs attain and that no arc shortens are those of shortest paths (R. Bellman, "On a
routing problem", 1958), since weights are positive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array
from bake.kernels.jit import kernel
from bake.verify.kernels import FAR, UNTOLD, path_told

#: What can be wrong with a pair.
SHORTER, DISAGREES, NOT_ATTAINED, DIFFERS = 3, 4, 5, 6

#: Stored where there is no path; here also where there is no arc.
NONE = 2**31 - 1


@dataclass(frozen=True)
class Edges:
    """Pairs of rows that arcs join, each once, whichever way they lead.

    Attributes:
        first: (r + 1) int64, first edge of each row.
        other: (e) int32, the row at the other end, of a smaller number.
        up: (e) int32 ticks of the cheapest arc from the row to the other; 2**31 - 1 if none.
        down: (e) int32 ticks of the cheapest arc back.
    """

    first: Int64Array
    other: Int32Array
    up: Int32Array
    down: Int32Array

    @staticmethod
    def of(tail: Int64Array, head: Int64Array, weight: Int64Array, rows: int) -> Edges:
        """Join arcs; (m) rows, rows and ticks. Those from a row to itself shorten nothing."""
        high, low = np.maximum(tail, head), np.minimum(tail, head)
        kept = high != low
        key = (high * rows + low)[kept]
        key, place = np.unique(key, return_inverse=True)
        up, down = np.full((2, len(key)), NONE)
        upward = (tail > head)[kept]
        np.minimum.at(up, place[upward], weight[kept][upward])
        np.minimum.at(down, place[~upward], weight[kept][~upward])
        count = np.bincount(key // max(1, rows), minlength=rows)
        return Edges(
            np.append(0, np.cumsum(count)).astype(np.int64),
            (key % max(1, rows)).astype(np.int32),
            up.astype(np.int32),
            down.astype(np.int32),
        )


@kernel
def first_shortcut(
    first: Int64Array,
    other: Int32Array,
    up: Int32Array,
    down: Int32Array,
    dist: Int32Array,
    wrong: Int64Array,
) -> None:
    """Bellman's condition for every arc: d(u, t) <= w(u, v) + d(v, t).

    Args:
        first, other, up, down: of :class:`Edges`.
        dist: (r, k) ticks, FAR where there is no path.
        wrong: (3) out: row and lane of a distance that is too long, and SHORTER; or zeros.
    """
    wrong[:] = 0
    for row in range(len(first) - 1):
        mine = dist[row]
        for edge in range(first[row], first[row + 1]):
            ahead = dist[other[edge]]
            low, high = np.int32(FAR), np.int32(-FAR)
            for lane in range(len(mine)):
                step = np.int32(mine[lane] - ahead[lane])
                low, high = min(low, step), max(high, step)
            if high > up[edge] or -low > down[edge]:
                for lane in range(len(mine)):
                    rise = int(mine[lane]) - int(ahead[lane])
                    if rise > up[edge] or -rise > down[edge]:
                        wrong[0] = row if rise > up[edge] else other[edge]
                        wrong[1], wrong[2] = lane, SHORTER
                        return


@kernel
def first_unattained(
    targets: Int32Array,
    first: Int64Array,
    degree: Int64Array,
    arc_row: Int32Array,
    weight: Int32Array,
    dist: Int32Array,
    wrong: Int64Array,
) -> None:
    """Whether each distance is 0 at its target and elsewhere an arc more than another.

    Args:
        targets: (k) rows.
        first, degree: (r) first arc and arcs of each row; arc_row: (m) row an arc leads to, -1;
            weight: (m) ticks.
        dist: (r, k) ticks, FAR where there is no path.
        wrong: (3) out: row and lane of a distance that is that of no path, and NOT_ATTAINED; or
            zeros.
    """
    wrong[:] = 0
    lanes = len(targets)
    fits = np.empty(lanes, np.bool_)
    for row in range(len(first)):
        mine = dist[row]
        for lane in range(lanes):
            fits[lane] = mine[lane] == FAR
        for arc in range(first[row], first[row] + degree[row]):
            if arc_row[arc] < 0:
                continue
            ahead, cost = dist[arc_row[arc]], weight[arc]
            for lane in range(lanes):
                fits[lane] |= (mine[lane] - ahead[lane] == cost) & (ahead[lane] < FAR)
        for lane in range(lanes):
            if targets[lane] == row:
                fits[lane] = mine[lane] == 0
            elif mine[lane] <= 0:
                fits[lane] = False
            if not fits[lane]:
                wrong[0], wrong[1], wrong[2] = row, lane, NOT_ATTAINED
                return


@kernel
def load_distances(stored: Int32Array, dist: Int32Array, wrong: Int64Array) -> None:
    """Write stored (r, k) distances into ``dist``, FAR where there is no path.

    Args:
        wrong: (3) out: row and lane of what is no distance, and NOT_ATTAINED; or zeros.
    """
    wrong[:] = 0
    for row in range(len(dist)):
        mine, told = dist[row], stored[row]
        off = False
        for lane in range(len(mine)):
            none = told[lane] == NONE
            mine[lane] = np.int32(FAR) if none else told[lane]
            off |= (not none) & ((told[lane] < 0) | (told[lane] >= FAR))
        if off:
            for lane in range(len(mine)):
                if told[lane] != NONE and not 0 <= told[lane] < FAR:
                    wrong[0], wrong[1], wrong[2] = row, lane, NOT_ATTAINED
                    return


@kernel
def first_difference(stored: Int32Array, dist: Int32Array, wrong: Int64Array) -> None:
    """Where (r, k) distances differ from stored ones: row, lane and DIFFERS, or zeros."""
    wrong[:] = 0
    for row in range(len(dist)):
        mine, told = dist[row], stored[row]
        differ = False
        for lane in range(len(mine)):
            differ |= told[lane] != (mine[lane] if mine[lane] < FAR else np.int32(NONE))
        if differ:
            for lane in range(len(mine)):
                if told[lane] != (mine[lane] if mine[lane] < FAR else np.int32(NONE)):
                    wrong[0], wrong[1], wrong[2] = row, lane, DIFFERS
                    return


@kernel
def first_disagreement(
    targets: Int32Array,
    label: Int32Array,
    how: int,
    reach: AnyArray,
    dist: Int32Array,
    wrong: Int64Array,
) -> None:
    """Where components and distances differ on whether there is a path.

    Args:
        wrong: (3) out: row, lane and DISAGREES, or zeros.
    """
    wrong[:] = 0
    goal = label[targets[0]]
    uniform = True
    for target in targets:
        uniform &= label[target] == goal
    for row in range(len(label)):
        mine = label[row]
        told = path_told(mine, goal, how, reach)
        differ = 0
        if uniform and (told or how != UNTOLD):
            for lane in range(len(targets)):
                differ |= (dist[row, lane] < FAR) != told
            if not differ:
                continue
        for lane in range(len(targets)):
            found = dist[row, lane] < FAR
            told = path_told(mine, label[targets[lane]], how, reach)
            if found != told and (told or how != UNTOLD):
                wrong[0], wrong[1], wrong[2] = row, lane, DISAGREES
                return
