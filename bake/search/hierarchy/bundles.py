"""Define the bundles of arrays that the kernels of hierarchies take.

Each is built once, outside all loops, and passed whole. Arrays are columns beside each other where
one step reads several of them, so that they come from one line of the cache; the constants here
number those columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt8Array

#: Columns of ``ClusteredGraph.node``.
CLUSTER, RANK, FIRST, END = 0, 1, 2, 3

#: Columns of arcs, wherever they lie together.
HEAD, TICKS = 0, 1

#: Columns of ``LayerStack.cluster`` and ``Layer.cluster_data``.
TRANSITION, SIZE, FLOW, FLOW_BYTES = 0, 1, 2, 3

#: Columns of ``QueryMemory.local``.
TURN, DISTANCE, FROM = 0, 1, 2

#: Columns of ``QueryMemory.state``; the rest fills a line of the cache.
SEEN, COST, BEFORE, BOUND, NEAR_GOAL, TO_GOAL = 0, 1, 2, 3, 4, 5
STATE_COLUMNS = 8

#: Answers of kernels in place of a distance or a count: there is no way; the tables are damaged; a
#: buffer is full.
NO_WAY = -1
ASTRAY = -2
FULL = -3


class LatticeArcs(NamedTuple):
    """The arcs of a lattice as they follow from its cells: one byte says which steps a cell has.

    Every row has eight slots, one for each step in the order of ``bake.core.movement`` (hexagonal
    lattices use six of them); arc ``8 * row + slot`` is the step of that slot.

    Attributes:
        cell: (r) int32, y * width + x of each row; empty where arcs are listed instead.
        row_at: (cells) int32, one more than the row in each cell, -1 where there is none; 0 where
            the cell has not been read yet. Kernels ask
            :func:`bake.search.hierarchy.arcs.row_on`.
        steps: (cells) uint8, bit s is set where the step of slot s may be taken.
        price: (cells) uint8, which price of ``ticks`` is paid on each cell.
        ticks: (p, p, 2) int32, of a straight step and of a diagonal one from a price to another.
        offset: (2, 8) int32, what the step of a slot adds to the number of a cell, by the parity of
            the cell's row or column on hexagonal lattices.
        slot: (8) int32, the slot of each heading of :mod:`bake.search.hierarchy.straight_runs`,
            -1 where no step has it.
        width: cells of a line of the grid.
        layout: SQUARE, ODD_R, EVEN_R, ODD_Q or EVEN_Q.
        sheet: cells along one side of the sheets that are read at a time; 0 = all has been read.
        missing: (1 + sheets) uint8, set by kernels: whether a cell was asked for that has not been
            read, and for each sheet, in reading order, whether it was one of its cells.
    """

    cell: Int32Array
    row_at: Int32Array
    steps: UInt8Array
    price: UInt8Array
    ticks: Int32Array
    offset: Int32Array
    slot: Int32Array
    width: int
    layout: int
    sheet: int
    missing: UInt8Array


#: Layouts of :class:`LatticeArcs`.
SQUARE, ODD_R, EVEN_R, ODD_Q, EVEN_Q = 0, 1, 2, 3, 4

#: The lattice of a graph whose arcs are listed.
NO_LATTICE = LatticeArcs(
    np.zeros(0, dtype=np.int32),
    np.zeros(0, dtype=np.int32),
    np.zeros(0, dtype=np.uint8),
    np.zeros(0, dtype=np.uint8),
    np.zeros((0, 0, 2), dtype=np.int32),
    np.zeros((2, 8), dtype=np.int32),
    np.zeros(8, dtype=np.int32),
    0,
    SQUARE,
    0,
    np.zeros(1, dtype=np.uint8),
)


class ClusteredGraph(NamedTuple):
    """A graph whose nodes are divided into clusters: the rows of a profile, or a layer of them.

    The *slot* of an arc is its number among the arcs of its tail, those that may not be taken
    included. Kernels reach arcs by :mod:`bake.search.hierarchy.arcs` alone.

    Attributes:
        node: (n, 4) int32: the cluster of each node (-1 = it belongs to none), its rank among the
            nodes of the cluster, its first arc and one past its last. The latter two columns are
            absent where arcs follow from a lattice.
        arc: (m, 2) int32: the node an arc leads to, -1 where it may not be taken, and its ticks;
            empty where arcs follow from a lattice.
        lattice: the cells from which arcs follow.
    """

    node: Int32Array
    arc: Int32Array
    lattice: LatticeArcs = NO_LATTICE


class Members(NamedTuple):
    """The nodes of a graph by cluster.

    Attributes:
        first: (c + 1) int32, where each cluster begins in ``node``.
        node: (n) int32, ascending within a cluster.
    """

    first: Int32Array
    node: Int32Array


class Transitions(NamedTuple):
    """The nodes of a graph that are the nodes of the layer above it, by cluster.

    Attributes:
        first: (c + 1) int32, the first transition of each cluster.
        node: (t) int32, the node that each transition is; ascending within a cluster.
        number: (n) int32, the transition that each node is, -1 where it is none.
    """

    first: Int32Array
    node: Int32Array
    number: Int32Array


#: A graph without nodes.
NO_GRAPH = ClusteredGraph(np.zeros((0, 4), dtype=np.int32), np.zeros((0, 2), dtype=np.int32))


class LayerStack(NamedTuple):
    """All layers of a hierarchy in one numbering of nodes, arcs and clusters, lowest first.

    Attributes:
        graph: the rows of a profile.
        back: the same with every arc turned round; the same arrays where ``two_way``.
        cluster: (c + 1, 4) int64, by cluster: its first transition, how many nodes of the layer
            below it has, the first byte of its flow fields, and the bytes of each.
        end_transition: (c) int64, one past the last transition of each cluster.
        below: (n) int32, the node of the layer below that each node is; on the first, the row.
        first_out, end_out: int32, where the arcs of each node begin and end; arc: (a, 2) int32 head
            and ticks.
        flow: uint8, flow fields of the first layer: see :mod:`bake.search.hierarchy.inside`.
        bits: of a slot in them; 0 = there are none.
        landmark: (n, l) int32 ticks to the nodes from the landmarks of their connected parts,
            UNREACHABLE where there is no way.
        two_way: whether every arc leads back at the same cost.
        layers: how many there are.
        parent: (c) int32, the cluster of the next layer that each cluster is part of; -1 on the
            last layer, and where nothing leads out of the cluster. Not looked at where there is one
            layer.
        joined: the nodes of all layers, in the clusters of the next one; empty where there is one.
        joined_back: the same with every arc turned round; the same arrays where ``two_way``.
    """

    graph: ClusteredGraph
    back: ClusteredGraph
    cluster: Int64Array
    end_transition: Int64Array
    below: Int32Array
    first_out: Int32Array
    end_out: Int32Array
    arc: Int32Array
    flow: UInt8Array
    bits: int
    landmark: Int32Array
    two_way: bool
    layers: int
    parent: Int32Array
    joined: ClusteredGraph
    joined_back: ClusteredGraph


class QueryMemory(NamedTuple):
    """Memory of one query at a time; the turn marks what earlier searches left in it.

    Attributes:
        turn: (2) int64, how many searches there were: each marks what it writes with its number, so
            that nothing has to be cleared. Those between rows close together are counted apart.
        ends: (2, e, 2) int64, transitions connected to the start and to the goal, and ticks.
        local: (k, 3) int64, of a search inside a cluster, by rank: turn, ticks, and the row before.
        heap: room for all arcs of the layers, or of a cluster of rows.
        state: (t, STATE_COLUMNS) int64, of a search of a layer.
        at_goal: (l) int32, ticks from every landmark to the goal.
        expanded: int32, filled with the transitions a search took from its open list, in order.
        plan: (2, t) int32, transitions on the way, and room to take it apart.
        route: (6, k) int32: the rows of a path, and room for smoothing it.
        near, near_heap: (n, 4) and (h, 2) int64, of a search between rows close together: see
            :mod:`bake.search.hierarchy.near`.
        corner: (4, c) int64, of turning at corners: see :mod:`bake.search.hierarchy.corners`.
    """

    turn: Int64Array
    ends: Int64Array
    local: Int64Array
    heap: Int64Array
    state: Int64Array
    at_goal: Int32Array
    expanded: Int32Array
    plan: Int32Array
    route: Int32Array
    near: Int64Array
    near_heap: Int64Array
    corner: Int64Array


class StraightRuns(NamedTuple):
    """How far one can go straight from every cell: see :mod:`bake.search.hierarchy.straight_runs`.

    Attributes:
        form: SQUARE_8, HEX or SQUARE_4: see :mod:`bake.search.hierarchy.smooth`.
        even: whether all straight steps weigh the same, all diagonal steps do, and no arc leads
            farther than to a neighbour.
        at: (r, 2) int32 chart coordinates of rows, counted from the border of the frame.
        row_at: (h * w) int32, the row in each cell of the frame, -1 where there is none.
        width: w; 0 where there is no lattice, or nothing is to be smoothed.
        length: (h * w, 8) uint8, steps of equal weight from each cell in each direction.
        ticks: (r, 8) int32, of the cheapest step from each row in each direction, 0 = there is
            none.
        least: (2) int32, no straight step and no diagonal one costs less; 0 = there is none.
        far: whether an arc may lead farther than to a neighbour.
        lattice: the cells from which steps follow. Where it has any, ``at``, ``row_at``, ``length``
            and ``ticks`` are empty, and cells are numbered as those of the grid.
    """

    form: int
    even: bool
    at: Int32Array
    row_at: Int32Array
    width: int
    length: UInt8Array
    ticks: Int32Array
    least: Int32Array
    far: bool
    lattice: LatticeArcs = NO_LATTICE


#: The runs for paths that are not to be smoothed.
NO_RUNS = StraightRuns(
    0,
    False,
    np.zeros((0, 2), dtype=np.int32),
    np.zeros(0, dtype=np.int32),
    0,
    np.zeros((0, 8), dtype=np.uint8),
    np.zeros((0, 8), dtype=np.int32),
    np.zeros(2, dtype=np.int32),
    False,
)
