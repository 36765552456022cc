"""Distances over a contracted graph: the goal climbs, and askers are reached from the root down.

All arcs up from a node lead to nodes on its way to the root (J. Dibbelt, B. Strasser, D. Wagner,
"Customizable Contraction Hierarchies", JEA 21, 2016, section 8). So a goal climbs its way once, and
the distances to it of all nodes on the way of whoever asks follow from the root down, each from
nodes above it (M. Holzer, F. Schulz, D. Wagner, "Engineering multilevel overlay graphs", JEA 13,
2008; lazy RPHAST of B. Strasser, T. Zeitz, "A Fast and Tight Heuristic for A* in Road Networks",
SEA 2021). They are kept by depth, a few kilobytes for each goal. The next asker mostly shares most
of its way with the last one. Arcs up from a node mostly lead to nodes of consecutive depths, and
such a run of arcs is one vectorised loop.

Nodes go by rank. Kernels that Python calls take the arrays of a bundle one by one: to unpack a
NamedTuple at each call takes longer than most queries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels.jit import accessor, inlined, kernel, separate
from bake.search.contraction.metric import Weights
from bake.search.contraction.tree import Tree

#: Ticks where there is no way. One less than INFINITY, so that no sum with a weight overflows.
FAR = INFINITY - 1

#: Chains are kept for so many goals, and take so many bytes at most; but one is always kept.
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
    """A customized tree as queries read it.

    A place is a node's index in the memory of a query: places fall with depth, and the roots have
    the last one. What belongs to one node lies in one cache line.

    Attributes:
        node: (n + 1, 4) int32, of each rank its parent (-1: none), its place, its first run of
            arcs, and its first arc.
        run: (r + 1, 2) int32, of each run its first arc and the place of that arc's head; that of
            the next arc's is one more.
        up, down: (a) int32, see :class:`Weights`.
    """

    node: Int32Array
    run: Int32Array
    up: Int32Array
    down: Int32Array


class Chains(NamedTuple):
    """What is known of the distances to some goals. All is to be forgotten when weights change.

    Attributes:
        state: (c, 5) int64, of each chain the goal's rank, -1 for none; the lowest valid place; and
            three numbers that belong to whoever follows distances, -1 for a fresh chain but for
            ``UNTIL``.
        lines: (c, 4, d) int32, of each chain by place: the ticks from the goal's ancestor down to
            the goal, and its rank; the ticks from a node by any way to the goal, and its rank.
        chain_of: (n + 1) int32, the chain of each rank as a goal, -1 for none; and last the chain
            that a new goal gets next.
    """

    state: Int64Array
    lines: Int32Array
    chain_of: Int32Array


class Chain(NamedTuple):
    """The distances to one goal along one way to a root.

    Only :func:`reach` writes distances. What it writes at a place replaces what lay there, and with
    it all that lies deeper is forgotten, since that was worked out from what was replaced. So from
    ``state[VALID]`` on, and only from there on, nodes and distances belong together.
    """

    state: Int64Array
    climb: Int32Array
    climbed_by: Int32Array
    ticks: Int32Array
    at: Int32Array


class DistancesTo(NamedTuple):
    """The distances of all nodes to one goal, as searches ask for them, by the number of a node.

    It holds as long as the weights stay and nobody asks the chains about another goal.
    """

    tree: QueryTree
    chain: Chain
    rank_of: Int32Array


_NONE = np.empty(0, dtype=np.int32)

#: What searches are handed that ask for no distances, so that they are compiled only once.
NO_DISTANCES = DistancesTo(
    QueryTree(_NONE.reshape(0, 4), _NONE.reshape(0, 2), _NONE, _NONE),
    Chain(np.empty(0, dtype=np.int64), _NONE, _NONE, _NONE, _NONE),
    _NONE,
)


def query_tree(tree: Tree, weights: Weights) -> QueryTree:
    """Lay out a customized tree for queries; ``weights`` are taken as they are, not copied."""
    n = len(tree.order)
    node = np.zeros((n + 1, 4), dtype=np.int32)
    node[:n, PARENT] = tree.parent
    node[:n, PLACE] = tree.depth.max(initial=0) - tree.depth
    node[:, FIRST_ARC] = tree.first_up
    runs = _find_runs(tree, node, np.empty((0, 2), dtype=np.int32))
    run = np.zeros((runs + 1, 2), dtype=np.int32)
    _find_runs(tree, node, run)
    return QueryTree(node, run, weights.up, weights.down)


def chains_for(tree: QueryTree) -> Chains:
    """Return memory for queries, which serve one thread at a time."""
    deep = int(tree.node[:, PLACE].max(initial=0)) + 1
    count = max(1, min(CHAINS, ROOM // (16 * deep)))
    return Chains(
        np.full((count, 5), -1, dtype=np.int64),
        np.empty((count, 4, deep), dtype=np.int32),
        np.append(np.full(len(tree.node) - 1, -1, dtype=np.int32), np.int32(0)),
    )


def forget(chains: Chains) -> None:
    """Forget all distances."""
    goals = chains.state[:, GOAL]
    chains.chain_of[goals[goals >= 0]] = -1
    chains.state[:, GOAL] = -1


@kernel
def _find_runs(tree: Tree, node: Int32Array, run: Int32Array) -> int:
    """Write where runs begin, and the arc and the place of each where there is room for them."""
    runs = 0
    for rank in range(len(tree.order)):
        node[rank, FIRST_RUN] = runs
        expected = -1
        for arc in range(tree.first_up[rank], tree.first_up[rank + 1]):
            here = node[tree.up[arc], PLACE]
            if here != expected:
                if runs < len(run):
                    run[runs, RUN_ARC] = arc
                    run[runs, RUN_PLACE] = here
                runs += 1
            expected = here + 1
    node[len(tree.order), FIRST_RUN] = runs
    if runs < len(run):
        run[runs, RUN_ARC] = len(tree.up)
    return runs


@accessor
def chain_of_goal(chains: Chains, goal: int) -> int:
    """Return which chain is of a goal, or becomes it: the one that was given away longest ago."""
    state, chain_of = chains.state, chains.chain_of
    found, last = int(chain_of[goal]), len(chain_of) - 1
    if found < 0:
        found = int(chain_of[last])
        chain_of[last] = found + 1 if found + 1 < len(state) else 0
        if state[found, GOAL] >= 0:
            chain_of[state[found, GOAL]] = -1
        chain_of[goal] = found
    return found


@inlined
def chain_at(chains: Chains, which: int) -> Chain:
    """Return one of the chains."""
    line = chains.lines[which]
    return Chain(chains.state[which], line[CLIMB], line[CLIMBED_BY], line[TICKS], line[AT])


@accessor
def aim(tree: QueryTree, chain: Chain, goal: int) -> None:
    """Climb from a goal to its root, unless the chain is of this goal already."""
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
        here = climb[p]
        if here < FAR:
            for each in range(
                np.uint64(node[rank, FIRST_RUN]), np.uint64(node[rank + 1, FIRST_RUN])
            ):
                begin, onto = np.uint64(run[each, RUN_ARC]), np.uint64(run[each, RUN_PLACE])
                for i in range(np.uint64(run[each + np.uint64(1), RUN_ARC]) - begin):
                    new = np.int32(here + down[begin + i])
                    old = climb[onto + i]
                    climb[onto + i] = new if new < old else old
        rank = int(node[rank, PARENT])


@accessor
def reach(tree: QueryTree, chain: Chain, rank: int) -> int:
    """Return the ticks from a rank to the chain's goal; FAR where there is no way."""
    node, run, up, _ = tree
    state, climb, climbed_by, ticks, at = chain
    low = int(node[rank, PLACE])
    here, top, valid = int(rank), low, state[VALID]
    while here >= 0 and (top < valid or at[top] != here):
        at[top] = here
        here = int(node[here, PARENT])
        top += 1
    if top > low:
        of_goal = int(node[state[GOAL], PLACE])
        for p in range(top - 1, low - 1, -1):
            here = int(at[p])
            best = np.int32(FAR)
            # Deeper than the goal lies what an earlier goal climbed by.
            if p >= of_goal and climbed_by[p] == here:
                best = climb[p]
            for each in range(
                np.uint64(node[here, FIRST_RUN]), np.uint64(node[here + 1, FIRST_RUN])
            ):
                begin, onto = np.uint64(run[each, RUN_ARC]), np.uint64(run[each, RUN_PLACE])
                for i in range(np.uint64(run[each + np.uint64(1), RUN_ARC]) - begin):
                    new = np.int32(ticks[onto + i] + up[begin + i])
                    best = new if new < best else best
            ticks[p] = best
        state[VALID] = low
    return int(ticks[low])


@separate
def ticks_toward(toward: DistancesTo, node: int) -> int:
    """Return the ticks from a node to the goal; FAR where there is no way."""
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
    """Write the ticks between as many starts as goals, which are ranks; INFINITY for no way.

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
