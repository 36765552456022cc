"""Next hops and paths by one rule on a graph that has changed, whoever asks, and in what order.

Of the places one arc away that begin a shortest path, the next hop is the one the asset answers as
baked, if it is among them (none where it answered none). Otherwise it is that of the first arc by
order. A path is the next hop repeated. So answers depend on the asset and on what arcs cost now,
and on nothing else.

Distances to a goal come from a chain: see :mod:`bake.search.contraction.query`. Where the baked
path from a row to one whose distance is known costs just the difference, each of its hops begins a
shortest path, and none of the distances between has to be worked out. Every way out of what lies
below a row in the elimination tree passes one above it, all of which are known, so such a leap ends
soon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.core.graph import BLOCKED
from bake.core.kernels.jit import accessor, kernel, ready
from bake.search.contraction.hierarchy import ContractionHierarchy
from bake.search.contraction.query import (
    ASKED,
    FAR,
    PLACE,
    SENT,
    UNTIL,
    VALID,
    Chain,
    Chains,
    QueryTree,
    aim,
    chain_at,
    chain_of_goal,
    distances,
    reach,
)
from bake.search.contraction.sweep import sweep
from bake.search.contraction.update import reprice
from bake.search.live.baked_hops import BakedHops, baked_hop, hop_within
from bake.search.live.graph import Adjacency

#: Arcs of a hierarchy that are looked at in about the time of a baked step.
STEP_ARCS = 16

#: Rows of paths that there is room for at first.
# limit: the buffer grows; lowered by contracted_changes
PATHS_ROOM = 2**14

_CONTRADICTION = "distances and weights contradict each other"


class Out(NamedTuple):
    """The arcs out of each row, in the order of the rule: see :class:`Adjacency`."""

    begin: Int32Array
    end: Int32Array
    to: Int32Array
    weight: Int32Array


@accessor
def arc_to(out: Out, row: int, head: int) -> int:
    """Return what the cheapest arc from a row to another weighs; BLOCKED where there is none."""
    least = int(BLOCKED)
    for arc in range(int(out.begin[row]), int(out.end[row])):
        if out.to[arc] == head:
            least = min(least, int(out.weight[arc]))
    return least


@accessor
def _leap(
    tree: QueryTree,
    chain: Chain,
    rank_of: Int32Array,
    out: Out,
    baked: BakedHops,
    row: int,
    ahead: int,
    goal: int,
    left: int,
    path: Int32Array,
    count: int,
    most: int,
) -> tuple[int, int]:
    """Follow the baked path from a row to the next one whose distance is known.

    Args:
        ahead: the baked hop from the row, -1 for none.
        left: the ticks from the row to the goal.
        path, count: the rows ahead are written from there on, as far as there is room.
        most: what the count may become.

    Returns:
        The count after the row whose distance is known, and the row; 0 as the count where the baked
        path from here to there is no shortest one, or takes more steps.
    """
    while ahead >= 0 and count < most:
        left -= arc_to(out, row, ahead)
        if left < 0:
            break
        row = int(ahead)
        if count < len(path):
            path[count] = row
        count += 1
        rank = int(rank_of[row])
        place = int(tree.node[rank, PLACE])
        if row == goal or (place >= chain.state[VALID] and chain.at[place] == rank):
            known = 0 if row == goal else int(chain.ticks[place])
            return (count if left == known else 0), row
        ahead = baked_hop(baked, row, goal)
    return 0, row


@accessor
def _hop(
    tree: QueryTree, chain: Chain, rank_of: Int32Array, out: Out, row: int, baked: int, here: int
) -> int:
    """Return the row to step to from one that is not the goal.

    Args:
        baked: the baked hop, -1 for none.
        here: the ticks from the row to the goal.
    """
    begin, end = int(out.begin[row]), int(out.end[row])
    # The baked one is looked at first, and then all others in order.
    for turn in range(begin - 1 if baked >= 0 else begin, end):
        head, ticks = int(baked), 0
        if turn >= begin:
            head, ticks = int(out.to[turn]), int(out.weight[turn])
            if head == baked:
                continue
        else:
            ticks = arc_to(out, row, head)
        if ticks <= here and ticks + reach(tree, chain, rank_of[head]) == here:
            return head
    return -1


@accessor
def _row_ahead(
    tree: QueryTree,
    chain: Chain,
    rank_of: Int32Array,
    out: Out,
    baked: BakedHops,
    nothing: Int32Array,
    row: int,
    goal: int,
    farthest: int,
) -> int:
    """Return the row to step to: at the goal the goal, -1 where there is no path.

    Args:
        nothing: an empty array.
        farthest: the most steps of a leap; with more of them distances are soon worked out.
    """
    state = chain.state
    ahead = int(baked_hop(baked, row, goal))
    # Otherwise a leap has proved this part of the baked path.
    if row != state[SENT] or row == state[UNTIL]:
        here = reach(tree, chain, rank_of[row])
        if here == 0 or here >= FAR:
            ahead = until = int(row) if here == 0 else -1
        else:
            steps, until = _leap(
                tree, chain, rank_of, out, baked, row, ahead, goal, here, nothing, 0, farthest
            )
            if steps == 0:
                ahead = until = _hop(tree, chain, rank_of, out, row, ahead, here)
        state[UNTIL] = until
    state[ASKED], state[SENT] = row, ahead
    return ahead


@kernel
def next_rows(
    node: Int32Array,
    run: Int32Array,
    up: Int32Array,
    down: Int32Array,
    state: Int64Array,
    lines: Int32Array,
    chain_of: Int32Array,
    rank_of: Int32Array,
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    row_data: AnyArray,
    runs: Int64Array,
    greedy_row: Int32Array,
    reached: UInt8Array,
    farthest: int,
    rows: Int32Array,
    goals: Int32Array,
    ahead: Int32Array,
) -> None:
    """Write the row to step to for many pairs: at the goal the goal, -1 where there is no path.

    The arguments before the pairs are those of :class:`QueryTree`, of :class:`Chains`, the rank of
    each row, those of :class:`Out` and of :class:`BakedHops`, and the most steps of a leap.
    """
    tree, known = QueryTree(node, run, up, down), Chains(state, lines, chain_of)
    out = Out(begin, end, to, weight)
    baked = BakedHops(row_data, runs, greedy_row, reached)
    for i in range(len(rows)):
        aim_at = int(rank_of[goals[i]])
        chain = chain_at(known, chain_of_goal(known, aim_at))
        aim(tree, chain, aim_at)
        ahead[i] = _row_ahead(
            tree, chain, rank_of, out, baked, ahead[:0], rows[i], goals[i], farthest
        )


@kernel
def paths(
    node: Int32Array,
    run: Int32Array,
    up: Int32Array,
    down: Int32Array,
    state: Int64Array,
    lines: Int32Array,
    chain_of: Int32Array,
    rank_of: Int32Array,
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    row_data: AnyArray,
    runs: Int64Array,
    greedy_row: Int32Array,
    reached: UInt8Array,
    rows: Int32Array,
    goals: Int32Array,
    first: Int64Array,
    path: Int32Array,
) -> int:
    """Write the rows of many paths one after another, both ends of each included.

    Args:
        first: (k + 1) int64, written as far as there is room: where each path begins; one that
            does not exist is empty.

    Returns:
        How many paths were written; the next one does not fit into ``path``. A negative number
        where distances and weights contradict each other.
    """
    tree, known = QueryTree(node, run, up, down), Chains(state, lines, chain_of)
    out = Out(begin, end, to, weight)
    baked = BakedHops(row_data, runs, greedy_row, reached)
    first[0] = 0
    for i in range(len(rows)):
        row, goal, count = int(rows[i]), int(goals[i]), first[i]
        aim_at = int(rank_of[goal])
        chain = chain_at(known, chain_of_goal(known, aim_at))
        aim(tree, chain, aim_at)
        while True:
            left = reach(tree, chain, rank_of[row])
            if left >= FAR:
                break
            if count == first[i]:
                if count < len(path):
                    path[count] = row
                count += 1
            if left == 0:
                break
            ahead = baked_hop(baked, row, goal)
            far = int(BLOCKED)
            after, landed = _leap(
                tree, chain, rank_of, out, baked, row, ahead, goal, left, path, count, far
            )
            if after > 0:
                row, count = landed, after
            else:
                row = _hop(tree, chain, rank_of, out, row, ahead, left)
                if row < 0:
                    return -1
                if count < len(path):
                    path[count] = row
                count += 1
        if count > len(path):
            return i
        first[i + 1] = count
    return len(rows)


@kernel
def _cheapest(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    rows: Int32Array,
    heads: Int32Array,
    ticks: Int32Array,
) -> None:
    """Write what the cheapest arcs between rows weigh; INFINITY where there is none."""
    out = Out(begin, end, to, weight)
    for i in range(len(rows)):
        ticks[i] = min(arc_to(out, rows[i], heads[i]), FAR + 1)


def is_compiled() -> bool:
    """Tell whether answers come from compiled code; in plain Python, fields take less time."""
    return all(ready(each) for each in (next_rows, paths, distances, reprice, sweep))


class NextHops:
    """Shortest paths by the rule on a graph that changes; one thread at a time may ask."""

    def __init__(self, hierarchy: ContractionHierarchy, out: Adjacency, baked: BakedHops) -> None:
        """Follow a graph from now on.

        Args:
            hierarchy: of the graph, whose weights change along.
            out: arcs out of each row as they are now, in the order of the rule.
        """
        self.hierarchy = hierarchy
        self._out, self._baked = replace(out, weight=out.weight.copy()), baked
        self._farthest = max(1, int(hierarchy.climbed) // STEP_ARCS)
        # What single questions are asked with, and answered into, and quick views of it.
        pair = np.empty(3, dtype=np.int32)
        self._pair = pair[:1], pair[1:2], pair[2:]
        self._ends = pair[:2].data, pair[2:].data
        self._path = np.empty(2, dtype=np.int64), np.empty(PATHS_ROOM, dtype=np.int32)
        self._hop_within = hop_within(baked)
        self._lay_out()

    def _lay_out(self) -> None:
        """Take arrays that others may have replaced."""
        one, out = self.hierarchy, self._out
        self._views = one.rank.data, one.chains.chain_of.data, one.chains.state.data
        arcs = out.begin, out.end, out.to, out.weight
        self._arrays = *one.query, *one.chains, one.rank, *arcs, *self._baked

    # -- changes ----------------------------------------------------------------------------------

    def reprice(
        self,
        row_count: int,
        tail: Int32Array,
        head: Int32Array,
        label: Int32Array,
        weight: Int32Array,
    ) -> bool:
        """Give arcs new weights.

        Args:
            row_count: how many rows there are now.
            tail, head, label: (k) int32, see :meth:`Adjacency.edited`.
            weight: (k) int32 ticks, BLOCKED where an arc may not be taken any more.

        Returns:
            False where the hierarchy does not know a row, or that two of them are joined. Then it
            answers no longer.
        """
        if row_count > self.hierarchy.node_count or not len(tail):
            return row_count <= self.hierarchy.node_count
        found = self._out.find(tail, head, label)
        if (found >= 0).all():
            self._out.weight[found] = weight
        else:
            self._out = self._out.edited(row_count, tail, head, label, weight, masked=False)
        if (label >= 0).any():
            # Several arcs may lead from one row to another.
            _, each = np.unique(tail.astype(np.int64) << 32 | head, return_index=True)
            tail, head = tail[each], head[each]
        ticks = np.empty(len(tail), dtype=np.int32)
        out = self._out
        _cheapest(out.begin, out.end, out.to, out.weight, tail, head, ticks)
        known = self.hierarchy.reprice(tail, head, ticks)
        self._lay_out()
        return known

    def warm_up(self) -> None:
        """Compile or load the kernels of changes and questions."""
        out, row = self._out, np.flatnonzero(self._out.end > self._out.begin)[:1].astype(np.int32)
        arc = out.begin[row]
        self.reprice(out.row_count, row, out.to[arc], out.key[arc], out.weight[arc])
        self.hierarchy.warm_up()
        if out.row_count:
            self.next_row(0, 0)
            self.path(0, 0)

    # -- questions --------------------------------------------------------------------------------

    def next_row(self, row: int, goal: int) -> int:
        """Return the row to step to: at the goal the goal, -1 where there is no path."""
        rank_of, chain_of, state = self._views
        chain = chain_of[rank_of[goal]]
        if chain >= 0:
            sent = state[chain, SENT]
            if sent == row != state[chain, UNTIL]:
                # A leap has proved this part of the baked path.
                state[chain, ASKED] = row
                state[chain, SENT] = ahead = self._hop_within(row, goal)
                return ahead
            if state[chain, ASKED] == row:
                # An agent asks again in each frame until it is there.
                return sent
        ends, told = self._ends
        ends[0], ends[1] = row, goal
        next_rows(*self._arrays, self._farthest, *self._pair)
        return told[0]

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32, the rows to step to, as :meth:`next_row` does for one."""
        ahead = np.empty(len(rows), dtype=np.int32)
        next_rows(*self._arrays, self._farthest, rows, goals, ahead)
        return ahead

    def path(self, row: int, goal: int) -> Int32Array:
        """Return the rows of a path, both ends included; none where there is no path."""
        (rows, goals, _), (first, path) = self._pair, self._path
        self._ends[0][0], self._ends[0][1] = row, goal
        while (found := paths(*self._arrays, rows, goals, first, path)) == 0:
            path = np.empty(4 * len(path), dtype=np.int32)
            self._path = first, path
        assert found > 0, _CONTRADICTION
        whole: Int32Array = path[: first[1]].copy()
        return whole

    def paths(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return (k + 1) int64, where each path begins, and the rows of all of them."""
        return in_pieces(partial(paths, *self._arrays), rows, goals)


def in_pieces(write: Callable[..., int], *pairs: Int32Array) -> tuple[Int64Array, Int32Array]:
    """Have paths written into as much room as they turn out to need.

    Args:
        write: a kernel like :func:`paths`, given what comes before ``rows``.
        pairs: (k) int32 each, its arguments from there on up to ``first``.

    Returns:
        (k + 1) int64, where each path begins, and the rows of all of them.
    """
    first, parts, begin, room = np.zeros(len(pairs[0]) + 1, np.int64), [], 0, PATHS_ROOM
    while begin < len(pairs[0]):
        path, so_far = np.empty(room, dtype=np.int32), int(first[begin])
        found = write(*(each[begin:] for each in pairs), first[begin:], path)
        assert found >= 0, _CONTRADICTION
        parts.append(path[: first[begin + found]])
        first[begin : begin + found + 1] += so_far
        begin += found
        room *= 4
    return first, parts[0] if len(parts) == 1 else np.concatenate([*parts, pairs[0][:0]])


#: The kernels that Python calls.
KERNELS = (_cheapest, next_rows, paths)
