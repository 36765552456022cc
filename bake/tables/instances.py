"""Bake what lies inside instances of a prototype once: distance labels of the folded graph.

A place of an instance is an *exit* if an arc joins it to somewhere outside, and *interior*
otherwise. So a path enters and leaves the interior through exits alone. The *folded graph* holds
each interior once, with its exits, for all instances that are alike; and, unconnected with these,
the outer places: all that are not interior. There an arc joins two exits of an instance at the cost
of the shortest way through it. Distances between outer places are those of the level, then, and
any other is a sum: out by an exit, between two exits, and in by the last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import AnyArray, BoolArray, Int32Array, Int64Array
from bake.errors import BudgetError, CostError, in_units
from bake.graph import INFINITY, Graph, Subgraph
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.search.graph.connectivity import is_two_way
from bake.tables.labels import StoredLabels, stored_labels

#: Instances with more exits are left as they are: every lookup tries all of them.
MOST_EXITS = 16

#: The interior of an instance that has none.
NONE = -1


@dataclass(frozen=True)
class PlacedRows:
    """The rows of one profile that lie in instances.

    Attributes:
        count: how many instances there are.
        instance: (r) int32, the instance each row lies in; -1 = none.
        drawn: (r, 2) int32 x and y of its cell as the prototype is drawn; any where it is in none.
    """

    count: int
    instance: Int32Array
    drawn: Int32Array


@dataclass(frozen=True)
class FoldedTable:
    """Distances of the folded graph, and what its nodes are.

    Attributes:
        interior: (instances) int32, the interior of each; NONE where it is not folded.
        first_cell: (interiors + 1) int32, where the cells of each begin.
        cell: (k, 2) int32 x and y of cells as prototypes are drawn: nodes 0 to k - 1 of the folded
            graph. Outer rows follow in their order.
        labels: distances between all nodes.
    """

    interior: Int32Array
    first_cell: Int32Array
    cell: Int32Array
    labels: StoredLabels


@dataclass(frozen=True)
class _Inside:
    """What lies inside instances, instance by instance.

    Attributes:
        row: (k) int32 rows, by instance and place as drawn.
        first: (instances + 1) int64, where those of each begin.
        place: (r) int32, each row's number within its instance; -1 outside.
        is_exit: (r) bool.
        arcs: (a, 3) int32 tail and head, as numbers within the instance, and ticks; sorted.
        first_arc: (instances + 1) int64.
    """

    row: Int32Array
    first: Int64Array
    place: Int32Array
    is_exit: BoolArray
    arcs: Int32Array
    first_arc: Int64Array

    @staticmethod
    def of(sub: Subgraph, placed: PlacedRows) -> _Inside:
        instance, drawn = placed.instance, placed.drawn
        tail, head = sub.graph.tail(), sub.graph.head
        crosses = instance[tail] != instance[head]
        is_exit = np.zeros(len(instance), dtype=np.bool_)
        is_exit[tail[crosses]] = True
        is_exit[head[crosses]] = True
        is_exit &= instance >= 0
        row = np.flatnonzero(instance >= 0).astype(np.int32)
        row = row[np.lexsort((drawn[row, 0], drawn[row, 1], instance[row]))]
        first = _firsts(instance[row], placed.count)
        place = np.full(len(instance), -1, dtype=np.int32)
        place[row] = np.arange(len(row)) - first[instance[row]]
        inner = np.flatnonzero(~crosses & (instance[tail] >= 0))
        tail, head, weight = tail[inner], head[inner], sub.weight[inner]
        order = np.lexsort((weight, place[head], place[tail], instance[tail]))
        arcs = np.stack([place[tail], place[head], weight], axis=1)[order].astype(np.int32)
        return _Inside(row, first, place, is_exit, arcs, _firsts(instance[tail], placed.count))

    def arcs_of(self, instance: int) -> Int32Array:
        return self.arcs[self.first_arc[instance] : self.first_arc[instance + 1]]

    def rows_of(self, instance: int) -> Int32Array:
        return self.row[self.first[instance] : self.first[instance + 1]]


def _firsts(part: AnyArray, count: int) -> Int64Array:
    """Return (count + 1) int64, where the members of each part begin once they are sorted."""
    first = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(part, minlength=count), out=first[1:])
    return first


def folded_table(
    sub: Subgraph, placed: PlacedRows, at: Int32Array | None, budget: int
) -> FoldedTable:
    """Make the table of one profile.

    Instances share an interior where their places and arcs are the same as the prototype is drawn,
    to the tick: whatever a footprint, a door or a ledge makes of one of them.

    Args:
        sub: what the profile can use; r rows.
        placed: which rows lie in instances.
        at: (r, 2) int32 coordinates of rows on the lattice.
        budget: bytes that may be used.

    Raises:
        BudgetError: the labels do not fit.
        CostError: distances are too long for the scale.
    """
    inside = _Inside.of(sub, placed)
    interior, members = _interiors(inside, placed)
    sizes = [len(inside.rows_of(first)) for first in members]
    first_cell = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int32)
    cells = [placed.drawn[inside.rows_of(first)] for first in members]
    cell = np.concatenate([np.zeros((0, 2), dtype=np.int32), *cells])
    arcs = [
        inside.arcs_of(first) + np.array([base, base, 0], dtype=np.int32)
        for first, base in zip(members, first_cell.tolist(), strict=False)
    ]
    own = np.concatenate([np.zeros((0, 3), dtype=np.int32), *arcs])

    folded = np.append(interior, NONE)[placed.instance] >= 0
    outer = np.flatnonzero(~folded | inside.is_exit).astype(np.int32)
    node = np.full(len(folded), -1, dtype=np.int32)
    node[outer] = len(cell) + np.arange(len(outer), dtype=np.int32)
    tail, head = node[sub.graph.tail()], node[sub.graph.head]
    kept = (tail >= 0) & (head >= 0)
    through = _ways_through(inside, interior, first_cell, own, len(cell), node)
    every = np.concatenate([own, np.stack([tail, head, sub.weight], axis=1)[kept], through]).astype(
        np.int32
    )
    graph, order = Graph.from_arcs(len(cell) + len(outer), every[:, 0], every[:, 1])
    weight = np.ascontiguousarray(every[order, 2])
    nodes = np.arange(graph.node_count, dtype=np.int32)
    whole = Subgraph(graph, weight, nodes, np.zeros_like(weight))
    spread = None if at is None else np.concatenate([cell, at[outer]])
    labels = stored_labels(whole, spread, two_way=bool(is_two_way(whole.arcs)), budget=budget)
    if labels is None:
        raise BudgetError(
            f"distance labels of {graph.node_count:,} places need more",
            expected=f"at most {in_units(budget)} (memory_budget)",
            remedy='raise memory_budget, or set storage = "auto" in [next_hops]',
        )
    _check_scale(labels, own, max(sizes, default=0), int(sub.weight.max(initial=0)))
    return FoldedTable(interior, first_cell, cell, labels)


def _interiors(inside: _Inside, placed: PlacedRows) -> tuple[Int32Array, list[int]]:
    """Return the interior of each instance, and the first instance of each interior."""
    known: dict[tuple[bytes, bytes], int] = {}
    interior = np.full(placed.count, NONE, dtype=np.int32)
    members: list[int] = []
    for instance in range(placed.count):
        rows = inside.rows_of(instance)
        exits = int(np.count_nonzero(inside.is_exit[rows]))
        if exits == len(rows) or exits > MOST_EXITS:
            continue
        key = placed.drawn[rows].tobytes(), inside.arcs_of(instance).tobytes()
        if key not in known:
            known[key] = len(members)
            members.append(instance)
        interior[instance] = known[key]
    return interior, members


def _ways_through(
    inside: _Inside,
    interior: Int32Array,
    first_cell: Int32Array,
    own: Int32Array,
    cells: int,
    node: Int32Array,
) -> Int32Array:
    """Return (k, 3) int32 arcs between exits of each instance: tail, head and ticks.

    Args:
        own: (a, 3) int32 arcs of all interiors.
        cells: their nodes.
        node: (r) int32, the folded node of each outer row.
    """
    ends = []
    for instance in np.flatnonzero(interior >= 0).tolist():
        rows = inside.rows_of(instance)
        exits = rows[inside.is_exit[rows]]
        start, goal = (each.ravel() for each in np.meshgrid(exits, exits, indexing="ij"))
        base = first_cell[interior[instance]]
        pair = [node[start], node[goal], base + inside.place[start], base + inside.place[goal]]
        ends.append(np.stack(pair, axis=1)[start != goal])
    found = np.concatenate([np.zeros((0, 4), dtype=np.int32), *ends])
    graph, order = Graph.from_arcs(cells, own[:, 0], own[:, 1])
    search = BatchSearch.of(graph, np.ascontiguousarray(own[order, 2]))
    scratch: BatchScratch | None = None
    goals = np.unique(found[:, 3])
    ticks = np.full(len(found), INFINITY, dtype=np.int32)
    for begin in range(0, len(goals), LANES):
        some = goals[begin : begin + LANES].astype(np.int32)
        scratch = scratch or search.scratch()
        dist = search.distances_to(some, scratch)
        mine = np.flatnonzero((found[:, 3] >= some[0]) & (found[:, 3] <= some[-1]))
        ticks[mine] = dist[found[mine, 2], np.searchsorted(some, found[mine, 3])]
    ways = np.stack([found[:, 0], found[:, 1], ticks], axis=1)
    return ways[ticks < INFINITY]


def _check_scale(labels: StoredLabels, own: Int32Array, largest: int, heaviest: int) -> None:
    """Refuse distances that might be too long to be told from none.

    A distance is the sum of two entries, and of a way inside an instance at either end.
    """
    inside = min(2 * labels.longest, max(0, largest - 1) * int(own[:, 2].max(initial=0)))
    most = 2 * (labels.longest + inside)
    if most >= INFINITY - heaviest:
        raise CostError(
            f"distances may reach {most} ticks, and labels alone cannot tell",
            expected=f"fewer than {INFINITY - heaviest} ticks",
            remedy='lower ticks_per_unit, or set storage = "auto" in [next_hops]',
        )
