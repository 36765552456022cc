"""Distances to sets of rows, for proofs where an asset has no hops to read them off.

Rows wait in buckets of the time at which the last lane that came nearer would get there (R. B.
Dial, "Algorithm 360: shortest-path forest with topological ordering", Comm. ACM 12(11), 1969).
Whatever the order, when no row waits no arc offers a shortcut: distances are exact then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.kernels.jit import kernel
from bake.processors import processors
from bake.verify.hierarchy import Below
from bake.verify.kernels import FAR

#: Sets looked at together: more of them lie too far apart to come near rows at one time.
LANES = 32

#: Buckets; what is later than the last one waits there.
RING = 1024


@kernel
def spread(
    first_in: Int64Array,
    tail: Int32Array,
    weight: Int32Array,
    sources: Int32Array,
    shift: int,
    bucket: Int32Array,
    before: Int32Array,
    after: Int32Array,
    dist: Int32Array,
) -> None:
    """Shorten distances until no arc offers a shortcut.

    Args:
        first_in, tail, weight: arcs by the row they lead to; (r + 1), (m), (m) ticks.
        sources: rows from which others may come nearer; each may be named more than once.
        shift: log2 of the ticks a bucket is wide.
        bucket, before, after: (r) scratch: where a row waits, and its neighbours there.
        dist: (r, LANES) ticks; what is known to begin with, else FAR. Read and written.
    """
    head = np.full(RING, -1, np.int32)
    bucket[:] = -1
    waiting = 0
    for row in sources:
        if bucket[row] >= 0:
            continue
        latest = np.int32(0)
        for lane in range(LANES):
            latest = max(latest, dist[row, lane] if dist[row, lane] < FAR else np.int32(0))
        place = min(int(latest) >> shift, RING - 1)
        bucket[row], before[row], after[row] = place, -1, head[place]
        if head[place] >= 0:
            before[head[place]] = row
        head[place] = row
        waiting += 1
    now = 0
    while waiting:
        row = head[now & (RING - 1)]
        if row < 0:
            now += 1
            continue
        head[now & (RING - 1)] = after[row]
        if after[row] >= 0:
            before[after[row]] = -1
        bucket[row] = -1
        waiting -= 1
        for arc in range(first_in[row], first_in[row + 1]):
            other, cost = tail[arc], weight[arc]
            latest = np.int32(-1)
            for lane in range(LANES):
                new = np.int32(dist[row, lane] + cost)
                old = dist[other, lane]
                latest = max(latest, new if new < old else np.int32(-1))
                dist[other, lane] = new if new < old else old
            if latest < 0:
                continue
            place = min(max(int(latest) >> shift, now), now + RING - 1)
            was = bucket[other]
            if was >= 0:
                if was <= place:
                    continue
                if before[other] >= 0:
                    after[before[other]] = after[other]
                else:
                    head[was & (RING - 1)] = after[other]
                if after[other] >= 0:
                    before[after[other]] = before[other]
                waiting -= 1
            slot = place & (RING - 1)
            bucket[other], before[other], after[other] = place, -1, head[slot]
            if head[slot] >= 0:
                before[head[slot]] = other
            head[slot] = other
            waiting += 1


@dataclass(frozen=True)
class Sets:
    """Sets of rows to search toward, one a lane.

    Attributes:
        row: (t) int64.
        lane: (t) int64 below LANES, the set each is in.
        begin: (t) int64 ticks, at least 0: what the way costs on from there.
        count: lanes in use.
    """

    row: Int64Array
    lane: Int64Array
    begin: Int64Array
    count: int


class Search:
    """Searches of one profile's graph."""

    def __init__(self, rows: Below) -> None:
        into = np.argsort(rows.head, kind="stable")
        first = np.searchsorted(rows.head[into], np.arange(rows.count + 1))
        self._first_in = first.astype(np.int64)
        self._tail = rows.tail[into].astype(np.int32)
        self._weight = rows.weight[into].astype(np.int32)
        typical = int(np.median(rows.weight)) if len(rows.weight) else 1
        heaviest = int(rows.weight.max(initial=1))
        self._shift = max(typical // 2, heaviest // (RING // 2), 1).bit_length() - 1
        self._rows = rows.count

    def toward(
        self,
        blocks: Sequence[Any],
        sets_of: Callable[[Any], Sets],
        look: Callable[[Any, Int32Array], None],
        progress: Callable[[float], None],
    ) -> None:
        """Search block by block, some at once.

        Args:
            blocks: what the next two are told.
            sets_of: the sets of a block, at most LANES.
            look: shown a block and its distances, (r, count) ticks, FAR where there is no path.
            progress: called with the fraction done.
        """

        def one(block: Any) -> None:
            sets = sets_of(block)
            dist = np.full((self._rows, LANES), FAR, dtype=np.int32)
            np.minimum.at(dist, (sets.row, sets.lane), sets.begin.astype(np.int32))
            graph = (self._first_in, self._tail, self._weight)
            bucket, before, after = np.empty((3, self._rows), dtype=np.int32)
            sources = sets.row.astype(np.int32)
            spread(*graph, sources, self._shift, bucket, before, after, dist)
            look(block, np.ascontiguousarray(dist[:, : sets.count]))

        with ThreadPoolExecutor(processors()) as pool:
            for done, _ in enumerate(pool.map(one, blocks), start=1):
                progress(done / len(blocks))
