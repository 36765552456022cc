"""Heuristics as data for kernels, and norms that produce them.

**Estimates.** Kernels take no functions, so a heuristic is a number for its kind and a few arrays.
A kind combines a geometric part and a stored one; the estimate is the larger of the two, which is a
lower bound if both are.

**Norms** are geometric heuristics, scaled to hold on every arc. A norm N gives h(v) = N(v - goal).
By the triangle inequality it is consistent, and so admissible, exactly if N(head - tail) <= weight
on every arc. One pass over the arcs decides this, so terrain costs, cost rules, one-way arcs and
links that jump need no special cases. The scale is the cost of the cheapest step; a jump that is
cheaper than the norm lowers the scale until the norm holds.

    A. Patel, "Heuristics", Amit's Thoughts on Pathfinding, describes the norms for grids.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.core.graph import INFINITY, UNREACHABLE
from bake.core.kernels.jit import inlined, kernel
from bake.search.contraction.query import NO_DISTANCES, DistancesTo, ticks_toward

#: Geometric parts, the low four bits of a kind. SPATIAL is the larger of EUCLIDEAN and the distance
#: in space.
NULL = 0
#: straight * larger + extra * smaller difference, for Manhattan, octile and Chebyshev.
AXES = 1
HEX = 2
EUCLIDEAN = 3
SPATIAL = 4

#: Stored parts, the bits above.
#: table[row, 0] is the estimate itself, computed for one goal.
ROWS = 1 << 4
#: table[row, j] is the distance between row and landmark j, the same in both directions.
LANDMARKS = 2 << 4
#: table[row, j] is the distance to landmark j, table[row, k + j] the one from it, k = columns / 2.
LANDMARKS_DIRECTED = 3 << 4

#: Estimates are kept below every distance that counts as none.
# no limit: INFINITY bounds distances
LARGEST = INFINITY - 1

#: Weighted A* counts its weight in units of 1 / INFLATION.
INFLATION = 1024


class EstimateTerms(NamedTuple):
    """The part of an estimate that kernels take; see :class:`Estimate`."""

    kind: int
    straight: int
    extra: int
    shift: int
    scale: float
    scale_in_space: float
    at: Int32Array
    table: Int32Array


@dataclass(frozen=True)
class Estimate:
    """A heuristic, ready for kernels."""

    #: The name users know.
    name: str
    #: A geometric part, a stored part, or their sum.
    kind: int = NULL
    #: (r, 2) or (r, 3) int32 coordinates of each row; unused without a geometric part.
    at: Int32Array = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    #: Of AXES and HEX, in 2**-shift ticks per step.
    straight: int = 0
    extra: int = 0
    shift: int = 0
    #: Of EUCLIDEAN and SPATIAL, ticks per unit of distance in the plane.
    scale: float = 0.0
    #: Of SPATIAL, ticks per unit of distance in space.
    scale_in_space: float = 0.0
    #: (r, k) int32 ticks; unused without a stored part.
    table: Int32Array = field(default_factory=lambda: np.zeros((0, 1), dtype=np.int32))
    #: Exact distances to one goal, which replace all other parts; or NO_DISTANCES.
    toward: DistancesTo = NO_DISTANCES
    #: Whether no estimate exceeds the distance; None = unknown.
    admissible: bool | None = True
    #: Whether it falls along no arc by more than the arc's weight; None = unknown.
    consistent: bool | None = True
    #: Whether it may fall along an arc by many times the arc's weight.
    falls: bool = False

    def between(self, row: int, goal: int) -> int:
        """Return the estimated ticks from one row to another."""
        h = np.empty(1, dtype=np.int64)
        fill_estimates(self.terms(), goal, row, h)
        return int(h[0])

    def terms(self) -> EstimateTerms:
        """Return the part of the estimate that kernels take."""
        return EstimateTerms(
            int(self.kind),
            int(self.straight),
            int(self.extra),
            int(self.shift),
            float(self.scale),
            float(self.scale_in_space),
            self.at,
            self.table,
        )


@inlined
def coordinates(at: Int32Array, row: int) -> tuple[int, int]:
    """Return the coordinates of a row, or (0, 0) if rows have none."""
    x = 0
    y = 0
    if len(at) > 0:
        x = int(at[row, 0])
        y = int(at[row, 1])
    return x, y


@kernel
def estimated(terms: EstimateTerms, row: int, goal: int, goal_x: int, goal_y: int) -> int:
    """Return a lower bound of the ticks from row to goal; (goal_x, goal_y) is at[goal]."""
    kind, straight, extra, shift, scale, scale_in_space, at, table = terms
    h = 0
    geometry = kind & 15
    if geometry != NULL:
        dx = int(at[row, 0]) - goal_x
        dy = int(at[row, 1]) - goal_y
        if geometry == AXES:
            dx = abs(dx)
            dy = abs(dy)
            h = (straight * max(dx, dy) + extra * min(dx, dy)) >> shift
        elif geometry == HEX:
            h = straight * max(abs(dx), abs(dy), abs(dx + dy))
        else:
            square = dx * dx + dy * dy
            h = int(scale * np.sqrt(float(square)))
            if geometry == SPATIAL:
                dz = int(at[row, 2]) - int(at[goal, 2])
                h = max(h, int(scale_in_space * np.sqrt(float(square + dz * dz))))
    stored = kind >> 4
    if stored == 1:
        h = max(h, int(table[row, 0]))
    elif stored == 2:
        for lane in range(table.shape[1]):
            here = int(table[row, lane])
            there = int(table[goal, lane])
            if max(here, there) != UNREACHABLE:
                h = max(h, abs(here - there))
    elif stored == 3:
        half = table.shape[1] >> 1
        for lane in range(half):
            here = int(table[row, lane])
            there = int(table[goal, lane])
            if max(here, there) != UNREACHABLE:
                h = max(h, here - there)
            here = int(table[row, half + lane])
            there = int(table[goal, half + lane])
            if max(here, there) != UNREACHABLE:
                h = max(h, there - here)
    return min(h, LARGEST)


@inlined
def estimated_ahead(
    toward: DistancesTo, terms: EstimateTerms, row: int, goal: int, goal_x: int, goal_y: int
) -> int:
    """Return the distance from row to goal if ``toward`` has it, otherwise an estimate."""
    if len(toward.rank_of) == 0:
        h = estimated(terms, row, goal, goal_x, goal_y)
    else:
        h = ticks_toward(toward, row)
    return h


@kernel
def fill_estimates(terms: EstimateTerms, goal: int, begin: int, h: Int64Array) -> None:
    """Write the estimates of rows from ``begin`` on toward one goal to ``h`` (k)."""
    x, y = coordinates(terms.at, goal)
    for row in range(len(h)):
        h[row] = estimated(terms, begin + row, goal, x, y)


#: Fractional bits of the scale for coordinates that are not cells.
FINE = 20

#: Coordinates that are not cells span at most this many steps.
SPAN = 2**20

#: Margin for rounding in square roots; coordinates times scale may be 2**16 times a weight.
_MARGIN = 1 - 2.0**-34


def quantised(position: Float64Array) -> Int32Array:
    """Round (r, d) positions of any size to whole steps of one SPAN-th of their extent."""
    if not len(position):
        return np.zeros(position.shape, dtype=np.int32)
    low = position.min(axis=0)
    with np.errstate(over="ignore"):
        extent = float((position - low).max())
        if not np.isfinite(extent) or extent == 0:
            return np.zeros(position.shape, dtype=np.int32)
        steps = np.rint((position - low) / extent * (SPAN - 1))
    return np.asarray(steps, dtype=np.int32)


def _differences(
    at: Int32Array, tail: Int32Array, head: Int32Array
) -> tuple[Int64Array, Int64Array]:
    step = at[head].astype(np.int64) - at[tail]
    return step[:, 0], step[:, 1]


#: Arcs that are scanned at a time for one that counts.
# limit: the work is done in parts; lowered by norms
_LOOK = 256


class Ranked(NamedTuple):
    """Arcs in classes, the cheapest of each class first, as only that one limits a norm."""

    #: The offset of each class, and the end.
    first: list[int]
    #: (m) int32, the arcs and their tails.
    order: Int32Array
    tail: Int32Array

    def deciding(self, near: BoolArray) -> Int32Array:
        """Return the cheapest arc of each class whose tail is not excluded.

        Args:
            near: (r) bool, the excluded rows.
        """
        cheapest = []
        for first, end in pairwise(self.first):
            for begin in range(first, end, _LOOK):
                left = np.flatnonzero(~near[self.tail[begin : min(begin + _LOOK, end)]])
                if len(left):
                    cheapest.append(self.order[begin + left[0]])
                    break
        return np.array(cheapest, dtype=np.int32)


def ranked_by_step(
    at: Int32Array, tail: Int32Array, head: Int32Array, weight: Int32Array
) -> Ranked:
    """Rank the steps in each direction, and every jump alone, for all norms on a grid."""
    dx, dy = _differences(at, tail, head)
    label = np.where(np.maximum(np.abs(dx), np.abs(dy)) > 1, 9, 3 * dx + dy + 4).astype(np.int8)
    steps = [np.flatnonzero(label == code) for code in (0, 1, 2, 3, 5, 6, 7, 8)]
    classes = [arcs[np.argsort(weight[arcs], kind="stable")] for arcs in steps]
    return _rank([*classes, *np.flatnonzero(label == 9)[:, None]], tail)


def ranked_by_length(
    name: str, at: Int32Array, tail: Int32Array, head: Int32Array, weight: Int32Array
) -> Ranked:
    """Rank arcs between positions by their cost per unit of length in one norm.

    For "euclidean" between positions in space there are two rankings, in the plane and in space.
    """
    lengths = [_length(name, at, tail, head)]
    if name == "euclidean" and at.shape[1] == 3:
        lengths.append(_length_in_space(at, tail, head))
    classes = []
    for length in lengths:
        far = np.flatnonzero(length > 0)
        classes.append(far[np.argsort(weight[far] / length[far], kind="stable")])
    return _rank(classes, tail)


def _rank(classes: list[Int64Array], tail: Int32Array) -> Ranked:
    order = np.concatenate(classes).astype(np.int32)
    return Ranked([0, *accumulate(map(len, classes))], order, tail[order])


def _length(name: str, at: Int32Array, tail: Int32Array, head: Int32Array) -> Float64Array:
    """Return (m) float64, the lengths of arcs between positions in one norm."""
    dx, dy = (np.abs(step) for step in _differences(at, tail, head))
    if name == "euclidean":
        return np.asarray(np.sqrt((dx * dx + dy * dy).astype(np.float64)))
    return np.asarray(np.maximum(dx, dy) + _SIDE[name] * np.minimum(dx, dy))


def _length_in_space(at: Int32Array, tail: Int32Array, head: Int32Array) -> Float64Array:
    """Return (m) float64, the straight lengths of arcs between (r, 3) positions."""
    step = at[head].astype(np.int64) - at[tail]
    return np.asarray(np.sqrt((step * step).sum(axis=1).astype(np.float64)))


#: The factor of the smaller of two differences.
_SIDE = {"manhattan": 1.0, "octile": np.sqrt(2.0) - 1, "chebyshev": 0.0}


def cell_norm(
    name: str, at: Int32Array, tail: Int32Array, head: Int32Array, weight: Int32Array
) -> Estimate:
    """Scale the Manhattan, octile or Chebyshev norm for the cells of a square grid.

    Straight steps to neighbors set the scale of a straight step, diagonal ones that of a diagonal
    step. Jumps lower both. The Manhattan norm ignores diagonal steps; it is inadmissible where a
    diagonal step is cheaper.

    Args:
        name: manhattan, octile or chebyshev.
        at: (r, 2) int32 cells.
        tail, head, weight: (m) int32, the arcs.

    Returns:
        The heuristic; ``consistent`` and ``admissible`` are checked against these arcs.
    """
    dx, dy = (np.abs(step) for step in _differences(at, tail, head))
    larger, smaller = np.maximum(dx, dy), np.minimum(dx, dy)
    ticks = weight.astype(np.int64)
    straight = _least(ticks[(larger == 1) & (smaller == 0)])
    diagonal = _least(ticks[smaller * larger == 1])
    if straight is None:
        straight = (
            diagonal if diagonal is not None else _least((ticks // larger.clip(1))[larger > 0])
        )
    if straight is None:
        return Estimate(name)
    if name == "manhattan":
        extra = straight
    else:
        if diagonal is None:
            diagonal = int(np.floor(np.sqrt(2.0) * straight))
        straight = min(straight, diagonal)
        extra = 0 if name == "chebyshev" else min(diagonal, 2 * straight) - straight
    jumps = larger > 1
    if jumps.any():
        length = straight * larger[jumps] + extra * smaller[jumps]
        is_over = length > ticks[jumps]
        if is_over.any():
            price, length = ticks[jumps][is_over], length[is_over]
            straight, extra = (int((scale * price // length).min()) for scale in (straight, extra))
    holds = bool((straight * larger + extra * smaller <= ticks).all())
    return Estimate(name, AXES, at, straight, extra, admissible=holds, consistent=holds)


def hex_norm(at: Int32Array, tail: Int32Array, head: Int32Array, weight: Int32Array) -> Estimate:
    """Scale the number of steps between hexagons.

    Args:
        at: (r, 2) int32 axial coordinates.
        tail, head, weight: (m) int32, the arcs.
    """
    dx, dy = _differences(at, tail, head)
    steps = np.maximum(np.maximum(np.abs(dx), np.abs(dy)), np.abs(dx + dy))
    straight = _least((weight.astype(np.int64) // steps.clip(1))[steps > 0])
    return Estimate("hex") if straight is None else Estimate("hex", HEX, at, straight)


def euclidean(at: Int32Array, tail: Int32Array, head: Int32Array, weight: Int32Array) -> Estimate:
    """Scale the straight-line distance.

    Between positions in space it is the larger of two: the distance in space, and that in the
    plane. If some arcs cost nothing for their rise, the latter has the larger scale.

    Args:
        at: (r, 2) or (r, 3) int32 coordinates in any unit.
        tail, head, weight: (m) int32, the arcs.
    """
    scale = _fit_scale(weight, _length("euclidean", at, tail, head))
    in_space = at.shape[1] == 3
    scale_in_space = _fit_scale(weight, _length_in_space(at, tail, head)) if in_space else 0.0
    if scale == scale_in_space == 0:
        return Estimate("euclidean")
    kind = SPATIAL if in_space else EUCLIDEAN
    return Estimate("euclidean", kind, at, scale=scale, scale_in_space=scale_in_space)


def _fit_scale(weight: Int32Array, length: Float64Array) -> float:
    """Return the largest scale at which no length exceeds its weight; 0 if all lengths are 0."""
    far = length > 0
    return float((weight[far] / length[far]).min()) * _MARGIN if far.any() else 0.0


def position_norm(
    name: str, at: Int32Array, tail: Int32Array, head: Int32Array, weight: Int32Array
) -> Estimate:
    """Scale a norm for positions that are not cells, like :func:`cell_norm`; every arc counts."""
    dx, dy = (np.abs(step) for step in _differences(at, tail, head))
    larger, smaller = np.maximum(dx, dy), np.minimum(dx, dy)
    length = _length(name, at, tail, head)
    far = length > 0
    if not far.any():
        return Estimate(name)
    scale = float((weight[far] / length[far]).min()) * _MARGIN
    # Small enough that no product overflows int64; a smaller scale stays a lower bound.
    straight = min(int(scale * 2**FINE), 2**40)
    estimate = Estimate(name, AXES, at, straight, int(straight * _SIDE[name]), FINE)
    reach = estimate.straight * larger + estimate.extra * smaller
    holds = bool((reach <= weight.astype(np.int64) << FINE).all())
    return replace(estimate, admissible=holds, consistent=holds)


def _least(values: Int64Array) -> int | None:
    return int(values.min()) if len(values) else None
