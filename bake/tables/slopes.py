"""Slopes of fields: how fast distances rise along coordinates, in the directions a norm has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array
from bake.graph import Subgraph

#: Bits after the point of slopes over coordinates that are no cells.
FINE = 12

#: Slopes are kept below this, so that they are int32.
_STEEPEST = 2**30

#: sqrt(1/2) in 2**-16.
_HALF_ROOT = 46341


@dataclass(frozen=True)
class Slopes:
    """Directions fields rise in.

    Attributes:
        slope: (s, 2) int32, 2**-shift ticks a step along x and along y.
        shift: bits.
    """

    slope: Int32Array
    shift: int

    @staticmethod
    def none() -> Slopes:
        """Of a graph without coordinates."""
        return Slopes(np.zeros((0, 2), dtype=np.int32), 0)


def square_slopes(sub: Subgraph, cell: Int32Array) -> Slopes:
    """The eight directions a distance over squares can rise in, at what most steps cost.

    Where there are diagonal steps these are the eight of the octile norm, else the four of the
    Manhattan one.
    """
    step = np.abs(cell[sub.graph.head] - cell[sub.graph.tail()])
    larger, smaller = np.maximum(step[:, 0], step[:, 1]), np.minimum(step[:, 0], step[:, 1])
    straight = _median(sub.weight[(larger == 1) & (smaller == 0)])
    diagonal = _median(sub.weight[(larger == 1) & (smaller == 1)])
    if not straight:
        straight = diagonal
    extra = min(max(0, diagonal - straight), straight) if diagonal else straight
    return _signed([(straight, extra), (extra, straight)])


def hex_slopes(sub: Subgraph) -> Slopes:
    """The six directions a distance over hexagons can rise in, along axial coordinates."""
    step = _median(sub.weight)
    slope = [(step, 0), (-step, 0), (0, step), (0, -step), (step, step), (-step, -step)]
    return Slopes(np.array(slope if step else np.zeros((0, 2)), dtype=np.int32), 0)


def plane_slopes(sub: Subgraph, at: Int32Array) -> Slopes:
    """Eight directions of the plane, at what most arcs cost for their length."""
    step = at[sub.graph.head].astype(np.int64) - at[sub.graph.tail()]
    length = np.sqrt((step * step).sum(axis=1).astype(np.float64))
    far = length > 0
    if not far.any():
        return Slopes.none()
    price = np.sort(sub.weight[far] / length[far])[int(far.sum()) // 2]
    steep = int(min(price * 2**FINE, _STEEPEST))
    slanted = steep * _HALF_ROOT >> 16
    found = _signed([(steep, 0), (0, steep), (slanted, slanted)])
    return Slopes(found.slope, FINE)


def _signed(slopes: list[tuple[int, int]]) -> Slopes:
    """Each slope with all signs, none twice, none flat."""
    signed = {(a * x, b * y) for x, y in slopes for a in (1, -1) for b in (1, -1)}
    slope = np.array(sorted(signed - {(0, 0)}), dtype=np.int32).reshape(-1, 2)
    return Slopes(slope, 0)


def _median(weight: Int32Array) -> int:
    return int(np.sort(weight)[len(weight) // 2]) if len(weight) else 0
