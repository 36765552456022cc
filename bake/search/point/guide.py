"""Search by A*, guided by distances between basins and by fields.

Fields are those of :mod:`bake.search.all_pairs.fields`, and the search is that of
:mod:`bake.search.point.astar_buckets`; what differs is a row's estimate: the largest of a norm,
differences of distances to pivots (N. Sturtevant, A. Felner, M. Barrer, J. Schaeffer, N. Burch,
"Memory-based heuristics for explicit state spaces", IJCAI 2009), and the table's entry for the
row's basin plus a field. All that depends on the goal alone is worked out before the search, so an
estimate takes a record of the row and one of its basin.

The estimate is admissible, not consistent. Where every arc can be taken back at the same cost,
estimates are passed on between neighbours, in both directions (A. Felner, U. Zahavi, R. Holte,
J. Schaeffer, N. Sturtevant, Z. Zhang, "Inconsistent heuristics in theory and practice", Artificial
Intelligence 175, 2011: bidirectional pathmax); elsewhere along arcs only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import UNREACHABLE
from bake.kernels.jit import kernel
from bake.search.all_pairs.fields import CorrectedDistances, FieldSet, fields_toward
from bake.search.point.astar_buckets import (
    FOUND,
    FULL,
    NO_PATH,
    BucketQueue,
    Labels,
    PackedArcs,
    clear,
    spread,
)
from bake.search.point.estimates import ROWS, Estimate, GuideTerms, guided_estimate
from bake.search.point.space import Found, SearchSpace


@kernel
def search_by_fields(
    graph: PackedArcs,
    guide: GuideTerms,
    labels: Labels,
    queue: BucketQueue,
    start: int,
    goal: int,
    answer: Int64Array,
) -> int:
    """Search from start to another row by A*, guided.

    Args:
        guide: the heuristic, for this goal.
        graph, labels, queue, start, goal, answer: as for
            :func:`bake.search.point.astar_buckets.search_buckets`.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    piece, arcs = graph
    label, seen, stamp = labels
    entry, bucket, width = queue
    two_way = guide.two_way
    far = len(bucket) - 1
    h = guided_estimate(guide, start, goal)
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    label[start] = mark
    seen[start, 0] = -1
    seen[start, 1] = h
    base = h
    entry[0, 0] = start
    entry[0, 1] = 0
    entry[0, 2] = -1
    bucket[0] = 0
    used = 1
    free = -1
    held = 1
    cursor = 0
    top = 0
    best = int(UNREACHABLE)
    expanded = 0
    status = NO_PATH
    while held > 0:
        while bucket[cursor] < 0:
            cursor += 1
        if cursor == far:
            # Only the far ones are left: begin again at the nearest of them.
            if base + (far << width) >= best:
                break
            base = spread(queue, seen)
            cursor = 0
            top = far
            continue
        if base + (cursor << width) >= best:
            break
        one = int(bucket[cursor])
        bucket[cursor] = entry[one, 2]
        row = int(entry[one, 0])
        g = int(entry[one, 1])
        entry[one, 2] = free
        free = one
        held -= 1
        ahead = int(seen[row, 1])
        if mark + g != label[row] or g + ahead >= best:
            continue
        expanded += 1
        for arc in range(piece[row, 0], piece[row, 1]):
            head = int(np.int64(arcs[arc, 0]))
            if label[head] >= older:
                h = guided_estimate(guide, head, goal)
                # This row is looked at, but not reached.
                label[head] = mark + int(UNREACHABLE)
                seen[head, 1] = h
            if two_way:
                ahead = max(ahead, int(seen[head, 1]) - int(np.int64(arcs[arc, 1])))
        if g + ahead >= best:
            continue
        seen[row, 1] = ahead
        for arc in range(piece[row, 0], piece[row, 1]):
            head = int(np.int64(arcs[arc, 0]))
            step = int(np.int64(arcs[arc, 1]))
            reached = g + step
            if label[head] <= mark + reached:
                continue
            h = max(int(seen[head, 1]), ahead - step)
            f = reached + h
            if f >= best:
                continue
            label[head] = mark + reached
            seen[head, 0] = row
            seen[head, 1] = h
            if head == goal:
                best = reached
                status = FOUND
                continue
            if free >= 0:
                one = free
                free = int(entry[one, 2])
            else:
                one = used
                if used == len(entry):
                    status = FULL
                    break
                used += 1
            at = min(max((f - base) >> width, cursor), far)
            entry[one, 0] = head
            entry[one, 1] = reached
            entry[one, 2] = bucket[at]
            bucket[at] = one
            top = max(top, at)
            held += 1
        if status == FULL:
            break
    clear(bucket, cursor, top)
    answer[0] = best
    answer[1] = expanded
    return status


@kernel
def fill_by_fields(guide: GuideTerms, goal: int, begin: int, h: Int32Array) -> None:
    """Write the estimates of rows from ``begin`` on toward one goal into ``h`` (k, 1)."""
    for row in range(len(h)):
        h[row, 0] = guided_estimate(guide, begin + row, goal)


@dataclass(frozen=True)
class Guide:
    """The largest of a norm, distances to pivots, and a table between basins.

    Attributes:
        norm: geometric part, over the coordinates of the fields where it has any.
        over: the fields.
        table: distances between basins; symmetric if every arc can be taken back at the same cost.
        label: (r) int32, basin of every row.
        anchor: (c) int32, row of each basin at which its fields are zero.
    """

    norm: Estimate
    over: FieldSet
    table: CorrectedDistances
    label: Int32Array
    anchor: Int32Array

    @cached_property
    def record(self) -> Int32Array:
        """Return (r, 3 + p) int32: coordinates, basin and distances to pivots of each row."""
        columns = [self.over.at, self.label[:, None], self.over.pivot]
        return np.ascontiguousarray(np.concatenate(columns, axis=1).astype(np.int32))

    def with_norm(self, norm: Estimate) -> Guide:
        """Return the same heuristic with another norm; both share what is laid out for kernels."""
        guide = replace(self, norm=norm)
        object.__setattr__(guide, "record", self.record)
        return guide

    @cached_property
    def summary(self) -> Estimate:
        """Return what results say of the heuristic."""
        return Estimate("maximum", ROWS, admissible=True, consistent=False)

    def terms(self, goal: int) -> GuideTerms:
        """Pack the part that kernels take, and work out all that depends on the goal alone."""
        toward = np.empty((len(self.anchor), 2), dtype=np.int64)
        fields_toward(self.table, self.over, self.anchor, self.label, goal, toward)
        fields, shift, _, _ = self.over
        return GuideTerms(
            self.norm.terms(), self.record, fields, shift, toward, self.table.symmetric
        )

    def estimate(self, name: str, goal: int) -> Estimate:
        """Return every row's estimate toward one goal, for searches that take no guide."""
        table = np.empty((len(self.label), 1), dtype=np.int32)
        fill_by_fields(self.terms(goal), goal, 0, table)
        return Estimate(name, ROWS, table=table, admissible=True, consistent=False)

    def between(self, row: int, goal: int) -> int:
        """Return a lower bound of the ticks from one row to another."""
        h = np.empty((1, 1), dtype=np.int32)
        fill_by_fields(self.terms(goal), goal, row, h)
        return int(h[0, 0])

    def astar(self, space: SearchSpace, start: int, goal: int, *, weight: float = 1.0) -> Found:
        """Search by A* with a bucket queue; rows are expanded again where that is needed.

        Args:
            weight: above 1, for weighted A*: see :meth:`SearchSpace.astar`.
        """
        if weight > 1:
            return space.astar(self.estimate("maximum", goal), start, goal, weight=weight)
        return space.guided(search_by_fields, self.terms(goal), start, goal)
