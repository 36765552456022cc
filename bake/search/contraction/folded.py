"""Distances and paths on a level whose instances were folded: each interior is kept once.

Whoever stands in the interior of an instance leaves it by one of its exits, and comes into another
one by an exit of that. So a distance is the least of few sums: from the row to an exit, on to an
exit of the goal's instance between outer nodes, and from there to the goal; or else the way inside,
where both lie in one instance. All parts are distance labels of one graph.
"""

from __future__ import annotations

from typing import NamedTuple

from bake.arrays import Int32Array, Int64Array
from bake.graph import INFINITY, Arcs
from bake.kernels.jit import kernel
from bake.search.contraction.labels import Labels, label_distance

#: What :func:`follow_folded` returns where next hops do not lead to the goal.
ASTRAY = -1


class Folded(NamedTuple):
    """The rows of a profile, and the nodes of the folded graph they stand for.

    Attributes:
        labels: of the folded graph.
        node: (r) int32, the outer node of each row; of an interior row the node inside.
        inner: (r) int32, the node inside; -1 of a row in no instance that is folded.
        instance: (r) int32, that instance, or -1.
        first_exit: (instances + 1) int64, where the exits of each begin.
        exit_node, exit_inner: (x) int32 outer node, and node inside, of each exit.
    """

    labels: Labels
    node: Int32Array
    inner: Int32Array
    instance: Int32Array
    first_exit: Int64Array
    exit_node: Int32Array
    exit_inner: Int32Array


class Gates(NamedTuple):
    """Scratch: the exits that lead to a goal, and how far an instance's own exits are from it.

    Attributes:
        node: (e) int32 outer nodes; e is at least 1, and at least the exits of any instance.
        ticks: (e) int64 from each of them to the goal.
        ahead: (e) int64 from each exit of the instance at hand to the goal.
    """

    node: Int32Array
    ticks: Int64Array
    ahead: Int64Array


@kernel
def _is_interior(folded: Folded, row: int) -> bool:
    return bool(folded.instance[row] >= 0 and folded.node[row] == folded.inner[row])


@kernel
def _find_gates(folded: Folded, goal: int, gates: Gates) -> int:
    """Write the outer nodes from which a goal is reached, and return how many there are."""
    if not _is_interior(folded, goal):
        gates.node[0] = folded.node[goal]
        gates.ticks[0] = 0
        return 1
    count = 0
    instance = folded.instance[goal]
    for place in range(folded.first_exit[instance], folded.first_exit[instance + 1]):
        ticks = label_distance(folded.labels, folded.exit_inner[place], folded.inner[goal])
        if ticks < INFINITY:
            gates.node[count] = folded.exit_node[place]
            gates.ticks[count] = ticks
            count += 1
    return count


@kernel
def _outer_ticks(folded: Folded, node: int, gates: Gates, count: int) -> int:
    """Return the ticks from an outer node to the goal; INFINITY and more where there is no way."""
    best = INFINITY
    for gate in range(count):
        ticks = label_distance(folded.labels, node, gates.node[gate])
        best = min(best, int(ticks) + int(gates.ticks[gate]))
    return best


@kernel
def _look_ahead(folded: Folded, instance: int, gates: Gates, count: int) -> None:
    first = folded.first_exit[instance]
    for place in range(first, folded.first_exit[instance + 1]):
        gates.ahead[place - first] = _outer_ticks(folded, folded.exit_node[place], gates, count)


@kernel
def _ticks_left(folded: Folded, row: int, goal: int, gates: Gates, count: int) -> int:
    """Return the ticks from a row to the goal, where ``gates.ahead`` is that of its instance."""
    if not _is_interior(folded, row):
        return int(_outer_ticks(folded, folded.node[row], gates, count))
    best, own, instance = INFINITY, folded.inner[row], folded.instance[row]
    if folded.instance[goal] == instance:
        best = int(label_distance(folded.labels, own, folded.inner[goal]))
    first = folded.first_exit[instance]
    for place in range(first, folded.first_exit[instance + 1]):
        ticks = label_distance(folded.labels, own, folded.exit_inner[place])
        best = min(best, int(ticks) + int(gates.ahead[place - first]))
    return best


@kernel
def folded_distances(
    folded: Folded, rows: Int32Array, goals: Int32Array, gates: Gates, ticks: Int64Array
) -> None:
    """Write the ticks of each pair of rows; INFINITY or more where there is no way.

    Args:
        gates: scratch.
        ticks: (k) int64, filled.
    """
    known, held, count = -1, -1, 0
    for pair in range(len(rows)):
        row, goal = rows[pair], goals[pair]
        if goal != known:
            count = _find_gates(folded, goal, gates)
            known, held = goal, -1
        if _is_interior(folded, row) and folded.instance[row] != held:
            held = folded.instance[row]
            _look_ahead(folded, held, gates, count)
        ticks[pair] = _ticks_left(folded, row, goal, gates, count)


@kernel
def follow_folded(
    folded: Folded,
    arcs: Arcs,
    rows: Int32Array,
    goals: Int32Array,
    pair: int,
    most: int,
    gates: Gates,
    first: Int64Array,
    path: Int32Array,
) -> int:
    """Walk from rows to their goals, each time by the first arc on a shortest path.

    Args:
        arcs: those the profile may take, by row.
        pair: the first pair to walk.
        most: steps of a walk; no more than so many are taken.
        gates: scratch.
        first: (k + 1) int64, where each path begins; known up to ``pair``, filled.
        path: rows along the paths, both ends included, none where there is no path.

    Returns:
        The first pair that was not walked, as ``path`` has no room for it; or ASTRAY.
    """
    while pair < len(rows):
        row, goal, end = rows[pair], goals[pair], first[pair]
        count, held, steps = _find_gates(folded, goal, gates), -1, 0
        if end == len(path):
            return pair
        path[end] = row
        end += 1
        while row != goal and steps < most:
            if folded.instance[row] >= 0 and folded.instance[row] != held:
                # Where an arc leads into an interior, it is that of the row's own instance.
                held = folded.instance[row]
                _look_ahead(folded, held, gates, count)
            best, ahead = INFINITY, -1
            for arc in range(arcs.first_out[row], arcs.first_out[row + 1]):
                head = arcs.head[arc]
                ticks = int(arcs.weight[arc]) + _ticks_left(folded, head, goal, gates, count)
                if ticks < best:
                    best, ahead = ticks, head
            if ahead < 0:
                break
            row = ahead
            steps += 1
            if steps > len(folded.node):
                return ASTRAY
            if end == len(path):
                return pair
            path[end] = row
            end += 1
        if row != goal and steps < most:
            if steps > 0:
                return ASTRAY
            end = first[pair]
        pair += 1
        first[pair] = end
    return pair
