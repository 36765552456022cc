"""Search for distances to sets of rows, for proofs of assets without hops that imply them.

Rows wait in buckets by time: the largest distance among the lanes that came nearer (R. B. Dial,
"Algorithm 360: shortest-path forest with topological ordering", Comm. ACM 12(11), 1969). In
whatever order rows are taken, no arc offers a shortcut once no row waits, so distances are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels.jit import kernel
from bake.processors import processors
from bake.verify.profile import Arcs, Incoming, Progress

#: Sets searched together: more of them would lie too far apart to reach rows at about one time.
LANES = 32

#: Number of buckets. A row whose time is later than the last bucket waits in that one.
RING = 1024


class Waiting(NamedTuple):
    """The scratch arrays of a search: the rows that wait in each bucket, as doubly linked lists."""

    first: Int32Array  #: (RING) int32, the first row of each bucket, -1 where it has none
    time: Int32Array  #: (r) int32, when it is each row's turn, -1 where it does not wait
    #: before, after: (r) int32, the row's neighbours in its bucket, -1 at the ends
    before: Int32Array
    after: Int32Array


@kernel
def _insert(row: int, time: int, waiting: Waiting) -> None:
    bucket = time & (RING - 1)
    other = waiting.first[bucket]
    waiting.time[row], waiting.before[row], waiting.after[row] = time, -1, other
    if other >= 0:
        waiting.before[other] = row
    waiting.first[bucket] = row


@kernel
def _remove(row: int, waiting: Waiting) -> None:
    before, after = waiting.before[row], waiting.after[row]
    if before >= 0:
        waiting.after[before] = after
    else:
        waiting.first[waiting.time[row] & (RING - 1)] = after
    if after >= 0:
        waiting.before[after] = before
    waiting.time[row] = -1


@kernel
def spread(
    arcs: Incoming, sources: Int32Array, shift: int, waiting: Waiting, dist: Int32Array
) -> None:
    """Shorten distances until no arc offers a shortcut.

    Args:
        arcs: the arcs by the row they lead to.
        sources: rows at distance 0 in some lane; each may be named more than once.
        shift: log2 of the ticks a bucket is wide.
        waiting: scratch.
        dist: (r, LANES) ticks; distances known to begin with, INFINITY elsewhere. Written in place.
    """
    waiting.first[:] = -1
    waiting.time[:] = -1
    count = 0
    for row in sources:
        if waiting.time[row] >= 0:
            continue
        _insert(row, 0, waiting)
        count += 1
    now = 0
    while count:
        row = waiting.first[now & (RING - 1)]
        if row < 0:
            now += 1
            continue
        # _remove would take half as long again here: a bucket's first row has none before it.
        waiting.first[now & (RING - 1)] = waiting.after[row]
        if waiting.after[row] >= 0:
            waiting.before[waiting.after[row]] = -1
        waiting.time[row] = -1
        count -= 1
        for arc in range(arcs.first[row], arcs.first[row + 1]):
            other, cost = arcs.tail[arc], arcs.weight[arc]
            mine, theirs = dist[row], dist[other]
            latest = np.int32(-1)
            for lane in range(LANES):
                new = np.int32(mine[lane] + cost)
                old = theirs[lane]
                latest = max(latest, new if new < old else np.int32(-1))
                theirs[lane] = new if new < old else old
            if latest < 0:
                continue
            time = min(max(int(latest) >> shift, now), now + RING - 1)
            if waiting.time[other] >= 0:
                if waiting.time[other] <= time:
                    continue
                _remove(other, waiting)
                count -= 1
            _insert(other, time, waiting)
            count += 1


class Sets(NamedTuple):
    """Sets of rows to search toward, one set for each lane."""

    row: Int64Array  #: (t) int64, the rows of all sets
    lane: Int64Array  #: (t) int64 below LANES, the set each row is in
    lanes: int  #: how many lanes are in use


class Search:
    """Searches of one profile's graph."""

    def __init__(self, arcs: Arcs) -> None:
        self._arcs, self._rows = arcs.incoming(), arcs.count
        typical = int(np.median(arcs.weight)) if len(arcs.weight) else 1
        heaviest = int(arcs.weight.max(initial=1))
        self._shift = max(typical // 2, heaviest // (RING // 2), 1).bit_length() - 1

    def toward(
        self,
        blocks: Sequence[Any],
        sets_of: Callable[[Any], Sets],
        look: Callable[[Any, Int32Array], None],
        progress: Progress,
    ) -> None:
        """Search block by block, several at once.

        Args:
            blocks: what the next two functions are called with.
            sets_of: returns the sets of a block, at most LANES.
            look: called with a block and its distances, (r, lanes) ticks, INFINITY where there is
                no path.
            progress: called with the fraction done.
        """

        def one(block: Any) -> None:
            sets = sets_of(block)
            dist = np.full((self._rows, LANES), INFINITY, dtype=np.int32)
            dist[sets.row, sets.lane] = 0
            waiting = Waiting(
                np.empty(RING, dtype=np.int32), *np.empty((3, self._rows), dtype=np.int32)
            )
            spread(self._arcs, sets.row.astype(np.int32), self._shift, waiting, dist)
            look(block, np.ascontiguousarray(dist[:, : sets.lanes]))

        with ThreadPoolExecutor(processors()) as pool:
            for done, _ in enumerate(pool.map(one, blocks), start=1):
                progress(done / len(blocks))
