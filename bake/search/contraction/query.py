"""Distances over a contracted graph: climb once from the goal, then descend from the root.

All arcs up from a node lead to its ancestors (J. Dibbelt, B. Strasser, D. Wagner, "Customizable
Contraction Hierarchies", JEA 21, 2016, section 8). So a goal climbs to its root once. The distances
to it from the ancestors of a start follow from the root down, each from higher nodes (M. Holzer,
F. Schulz, D. Wagner, "Engineering multilevel overlay graphs", JEA 13, 2008; lazy RPHAST of
B. Strasser, T. Zeitz, "A Fast and Tight Heuristic for A* in Road Networks", SEA 2021). They are
cached by depth, a few kilobytes for each goal. Successive starts share most of their ancestors.
Arcs up from a node usually lead to nodes of consecutive depths, and such a run of arcs is one
vectorized loop.

Nodes are numbered by rank. Kernels that Python calls take the arrays of a bundle one by one:
unpacking a NamedTuple at each call takes longer than most queries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import INFINITY
from bake.core.kernels.jit import accessor, inlined, kernel, separate
from bake.search.contraction.metric import Weights
from bake.search.contraction.tree import Tree

#: Ticks where there is no path. One less than INFINITY, so that no sum with a weight overflows.
FAR = INFINITY - 1

#: The most goals that are cached, and the most bytes of the cache; one goal is always cached.
# limit: the oldest results are dropped and recomputed; lowered by contracted_changes
CHAINS, ROOM = 512, 8 * 2**20

#: Columns of ``QueryTree.node`` and of ``QueryTree.run``.
PARENT, PLACE, FIRST_RUN, FIRST_ARC = 0, 1, 2, 3
RUN_ARC, RUN_PLACE = 0, 1

#: Columns of ``Chains.state``.
GOAL, VALID, SENT, UNTIL, ASKED = range(5)

#: Rows of ``Chains.lines``.
CLIMB, CLIMBED_BY, TICKS, AT = 0, 1, 2, 3


class QueryTree(NamedTuple):
    """A customized tree in the layout of queries.

    A place is a node's index in the buffers of a query: places fall with depth, and roots have the
    last one. The data of one node share a cache line.
    """

    #: (n + 1, 4) int32, of each rank its parent (-1: none), its place, its first run of arcs, and
    #: its first arc.
    node: Int32Array
    #: (r + 1, 2) int32, of each run its first arc and the place of that arc's head; the place of
    #: each further arc's head is one more.
    run: Int32Array
    #: (a) int32, see :class:`Weights`.
    up: Int32Array
    down: Int32Array


class Chains(NamedTuple):
    """Cached distances to some goals. They become invalid when weights change."""

    #: (c, 5) int64, of each chain the goal's rank, -1 for none; the lowest valid place; and three
    #: numbers for code that follows distances, -1 in a fresh chain except ``UNTIL``.
    state: Int64Array
    #: (c, 4, d) int32, of each chain by place: the ticks from the goal's ancestor down to the goal,
    #: and its rank; the ticks from a node to the goal by any path, and its rank.
    lines: Int32Array
    #: (n + 1) int32, the chain of each rank as a goal, -1 for none; and last the chain that the
    #: next new goal gets.
    chain_of: Int32Array


class Chain(NamedTuple):
    """The distances to one goal along one path to a root.

    Only :func:`reach` writes distances. Writing at a place invalidates everything deeper, which was
    computed from the previous content. Nodes and distances are consistent from ``state[VALID]`` on.
    """

    state: Int64Array
    climb: Int32Array
    climbed_by: Int32Array
    ticks: Int32Array
    at: Int32Array


class DistancesTo(NamedTuple):
    """The distances of all nodes to one goal, by node number, for searches.

    They are valid until weights change or the chains get a query for another goal.
    """

    tree: QueryTree
    chain: Chain
    rank_of: Int32Array


_NONE = np.empty(0, dtype=np.int32)

#: Passed to searches that need no distances, so that they are compiled only once.
NO_DISTANCES = DistancesTo(
    QueryTree(_NONE.reshape(0, 4), _NONE.reshape(0, 2), _NONE, _NONE),
    Chain(np.empty(0, dtype=np.int64), _NONE, _NONE, _NONE, _NONE),
    _NONE,
)


def build_query_tree(tree: Tree, weights: Weights) -> QueryTree:
    """Build the query layout of a customized tree; ``weights`` are shared, not copied."""
    n = len(tree.order)
    node = np.zeros((n + 1, 4), dtype=np.int32)
    node[:n, PARENT] = tree.parent
    node[:n, PLACE] = tree.depth.max(initial=0) - tree.depth
    node[:, FIRST_ARC] = tree.first_up
    runs = _find_runs(tree, node, np.empty((0, 2), dtype=np.int32))
    run = np.zeros((runs + 1, 2), dtype=np.int32)
    _find_runs(tree, node, run)
    return QueryTree(node, run, weights.up, weights.down)


def allocate_chains(tree: QueryTree) -> Chains:
    """Allocate buffers for queries, for one thread at a time."""
    depth_count = int(tree.node[:, PLACE].max(initial=0)) + 1
    count = max(1, min(CHAINS, ROOM // (16 * depth_count)))
    return Chains(
        np.full((count, 5), -1, dtype=np.int64),
        np.empty((count, 4, depth_count), dtype=np.int32),
        np.append(np.full(len(tree.node) - 1, -1, dtype=np.int32), np.int32(0)),
    )


def clear_chains(chains: Chains) -> None:
    """Discard all cached distances."""
    goals = chains.state[:, GOAL]
    chains.chain_of[goals[goals >= 0]] = -1
    chains.state[:, GOAL] = -1


@kernel
def _find_runs(tree: Tree, node: Int32Array, run: Int32Array) -> int:
    """Write the begin of each node's runs; write their arcs and places if they fit into ``run``."""
    runs = 0
    for rank in range(len(tree.order)):
        node[rank, FIRST_RUN] = runs
        expected = -1
        for arc in range(tree.first_up[rank], tree.first_up[rank + 1]):
            current = node[tree.up[arc], PLACE]
            if current != expected:
                if runs < len(run):
                    run[runs, RUN_ARC] = arc
                    run[runs, RUN_PLACE] = current
                runs += 1
            expected = current + 1
    node[len(tree.order), FIRST_RUN] = runs
    if runs < len(run):
        run[runs, RUN_ARC] = len(tree.up)
    return runs


@accessor
def chain_of_goal(chains: Chains, goal: int) -> int:
    """Return the chain of a goal; a new goal gets the chain that was assigned longest ago."""
    state, chain_of = chains.state, chains.chain_of
    chain, last = int(chain_of[goal]), len(chain_of) - 1
    if chain < 0:
        chain = int(chain_of[last])
        chain_of[last] = chain + 1 if chain + 1 < len(state) else 0
        if state[chain, GOAL] >= 0:
            chain_of[state[chain, GOAL]] = -1
        chain_of[goal] = chain
    return chain


@inlined
def chain_at(chains: Chains, which: int) -> Chain:
    """Return one of the chains."""
    line = chains.lines[which]
    return Chain(chains.state[which], line[CLIMB], line[CLIMBED_BY], line[TICKS], line[AT])


@accessor
def aim(tree: QueryTree, chain: Chain, goal: int) -> None:
    """Climb from a goal to its root, unless the chain belongs to this goal already."""
    node, run, _, down = tree
    state, climb, climbed_by, _, _ = chain
    if state[GOAL] == goal:
        return
    state[GOAL], state[VALID], state[SENT], state[ASKED] = goal, len(climb), -1, -1
    low = int(node[goal, PLACE])
    for p in range(low, len(climb)):
        climb[p] = FAR
    climb[low] = 0
    rank = int(goal)
    for p in range(low, len(climb)):
        climbed_by[p] = rank
        current = climb[p]
        if current < FAR:
            for arc_run in range(
                np.uint64(node[rank, FIRST_RUN]), np.uint64(node[rank + 1, FIRST_RUN])
            ):
                begin, first_place = (
                    np.uint64(run[arc_run, RUN_ARC]),
                    np.uint64(run[arc_run, RUN_PLACE]),
                )
                for i in range(np.uint64(run[arc_run + np.uint64(1), RUN_ARC]) - begin):
                    new = np.int32(current + down[begin + i])
                    old = climb[first_place + i]
                    climb[first_place + i] = new if new < old else old
        rank = int(node[rank, PARENT])


@accessor
def reach(tree: QueryTree, chain: Chain, rank: int) -> int:
    """Return the ticks from a rank to the chain's goal; FAR where there is no path."""
    node, run, up, _ = tree
    state, climb, climbed_by, ticks, at = chain
    low = int(node[rank, PLACE])
    current, top, valid = int(rank), low, state[VALID]
    while current >= 0 and (top < valid or at[top] != current):
        at[top] = current
        current = int(node[current, PARENT])
        top += 1
    if top > low:
        of_goal = int(node[state[GOAL], PLACE])
        for p in range(top - 1, low - 1, -1):
            current = int(at[p])
            best = np.int32(FAR)
            # Below the goal's depth, ``climb`` belongs to an earlier goal.
            if p >= of_goal and climbed_by[p] == current:
                best = climb[p]
            for arc_run in range(
                np.uint64(node[current, FIRST_RUN]), np.uint64(node[current + 1, FIRST_RUN])
            ):
                begin, first_place = (
                    np.uint64(run[arc_run, RUN_ARC]),
                    np.uint64(run[arc_run, RUN_PLACE]),
                )
                for i in range(np.uint64(run[arc_run + np.uint64(1), RUN_ARC]) - begin):
                    new = np.int32(ticks[first_place + i] + up[begin + i])
                    best = new if new < best else best
            ticks[p] = best
        state[VALID] = low
    return int(ticks[low])


@separate
def ticks_toward(toward: DistancesTo, node: int) -> int:
    """Return the ticks from a node to the goal; FAR where there is no path."""
    return reach(toward.tree, toward.chain, toward.rank_of[node])


@kernel
def distances(
    node: Int32Array,
    run: Int32Array,
    up: Int32Array,
    down: Int32Array,
    state: Int64Array,
    lines: Int32Array,
    chain_of: Int32Array,
    starts: Int32Array,
    goals: Int32Array,
    ticks: Int64Array,
) -> None:
    """Write the ticks from each start to its goal, given as ranks; INFINITY where there is no path.

    The arguments before these are those of :class:`QueryTree` and :class:`Chains`.
    """
    tree, chains = QueryTree(node, run, up, down), Chains(state, lines, chain_of)
    for i in range(len(starts)):
        chain = chain_at(chains, chain_of_goal(chains, goals[i]))
        aim(tree, chain, goals[i])
        found = reach(tree, chain, starts[i])
        ticks[i] = found if found < FAR else INFINITY


#: The kernels that Python calls.
KERNELS = (_find_runs, distances)
