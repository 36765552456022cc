"""Lay out every arc that a level may have, for agents who do not know which of them it has.

On a grid these are the steps between neighbouring cells, walls included, and on a graph its arcs.
Nodes are locations, the numbers of places whether or not anybody can stand there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.graph import BLOCKED, MAX_WEIGHT
from bake.play.reader.places import NodePlaces
from bake.play.reader.version import Version
from levelbake.errors import QueryError
from levelbake.steps import chart, hex_steps

if TYPE_CHECKING:
    from bake.search.incremental.twins import TwinArcs
    from bake.search.point.estimates import Estimate

#: Columns and rows to a neighbour of a square cell.
_SQUARE = ((1, 0), (0, 1), (1, 1), (-1, 1))


class TrueArcs(NamedTuple):
    """The arcs that a profile may take, between locations."""

    #: tail, head: (m) int32 locations
    tail: Int32Array
    head: Int32Array
    weight: Int32Array  #: (m) int32 ticks

    @staticmethod
    def of(version: Version) -> TrueArcs:
        usable, location = version.usable, version.location
        tail, head = usable.graph.tail(), usable.graph.head
        return TrueArcs(location[tail], location[head], usable.weight)


def possible_arcs(places: NodePlaces, true: TrueArcs) -> TwinArcs:
    """Lay out the arcs that a level may have, all of them blocked.

    What leads elsewhere than to a neighbour, such as a ladder, is among them, as nobody could guess
    it; so the arcs of the level as it is now are given.

    Raises:
        QueryError: the level has headings.
    """
    from bake.search.incremental.twins import twin_arcs

    if places.headings is not None:
        raise QueryError(
            "beliefs are for agents that do not turn",
            place=f"level {places.name!r}",
            remedy="bake the level without headings for such agents",
        )
    if not places.is_grid:
        tails = np.concatenate([_tails(places), true.tail])
        return twin_arcs(places.node_count, tails, np.concatenate([places.head, true.head]))
    tail, head = _neighbours(places)
    apart = ~_are_neighbours(places, true.tail, true.head)
    tails, heads = (
        np.concatenate([tail, true.tail[apart]]),
        np.concatenate([head, true.head[apart]]),
    )
    return twin_arcs(places.width * places.height, tails, heads)


def _tails(places: NodePlaces) -> Int64Array:
    """Return (m) int64, the nodes that the arcs of a graph leave."""
    return np.repeat(np.arange(places.node_count), np.diff(places.first_out))


def _neighbours(places: NodePlaces) -> tuple[Int64Array, Int64Array]:
    """Return one arc for each pair of neighbouring cells of a grid, walls or not."""
    width, height = places.width, places.height
    floor = places.floor_height or height
    y, x = (each.ravel() for each in np.indices((height, width)))
    tails, heads = [], []
    for parity, steps in _steps(places):
        line = y if places.hex_layout is None or places.hex_layout.endswith("r") else x
        chosen = slice(None) if parity is None else line % floor % 2 == parity
        for dx, dy in steps:
            there_x, there_y = x[chosen] + dx, y[chosen] + dy
            inside = (there_x >= 0) & (there_x < width) & (there_y >= 0) & (there_y < height)
            inside &= there_y // floor == y[chosen] // floor
            tails.append((y[chosen] * width + x[chosen])[inside])
            heads.append((there_y * width + there_x)[inside])
    return np.concatenate(tails), np.concatenate(heads)


def _steps(places: NodePlaces) -> list[tuple[int | None, tuple[tuple[int, int], ...]]]:
    """Return the steps of cells in lines of each parity; None stands for all lines."""
    if places.hex_layout is not None:
        return [(parity, hex_steps(places.hex_layout, parity)) for parity in (0, 1)]
    straight_only = places.asset.number("connectivity") == 4
    return [(None, _SQUARE[:2] if straight_only else _SQUARE)]


def _are_neighbours(places: NodePlaces, tail: Int32Array, head: Int32Array) -> BoolArray:
    """Tell which arcs lead from a cell of a grid to a neighbour on the same floor."""
    here, there = (places.cells_of(each) for each in (tail, head))
    floor = np.int32(places.floor_height or places.height)
    step = np.abs(chart(there, places.hex_layout) - chart(here, places.hex_layout))
    return np.asarray(
        (step.max(axis=1, initial=0) == 1) & (here[:, 1] // floor == there[:, 1] // floor)
    )


def norm_of(places: NodePlaces, tail: Int32Array, head: Int32Array, weight: Int32Array) -> Estimate:
    """Return a heuristic between locations that is consistent for these arcs.

    Args:
        tail, head, weight: (m) int32, arcs between locations, none of them blocked.
    """
    from bake.search.point.estimates import Estimate, cell_norm, euclidean, hex_norm, quantised

    arcs = tail, head, weight
    if places.is_grid:
        cells = places.cells_of(np.arange(places.width * places.height, dtype=np.int32))
        if places.hex_layout is not None:
            found = hex_norm(chart(cells, places.hex_layout), *arcs)
        else:
            if places.floor_height is not None:
                # Floors lie over one another, so that stairs are not jumps.
                cells %= np.array([places.width, places.floor_height], dtype=np.int32)
            diagonal = places.asset.number("connectivity") != 4
            found = cell_norm("octile" if diagonal else "manhattan", cells, *arcs)
    elif places.position is not None:
        found = euclidean(quantised(places.position), *arcs)
    else:
        return Estimate("null")
    return found if found.consistent else Estimate("null")


def guessed_weights(
    places: NodePlaces, arcs: TwinArcs, true: TrueArcs, unknown: str | float
) -> Int32Array:
    """Return (m) int32 ticks, what an agent thinks of arcs it has not seen.

    Args:
        unknown: "optimistic" for the least that any such step costs in the level as it is now,
            "pessimistic" for blocked, or units for a straight step (on a graph without positions
            for any arc).

    Returns:
        Ticks; jumps between cells that are no neighbours are blocked, as nobody would guess them.
    """
    tail, head = arcs.tails().astype(np.int32), arcs.head
    guessed = np.full(len(head), BLOCKED, dtype=np.int32)
    if unknown == "pessimistic":
        return guessed
    length, known_length = (_lengths(places, *ends) for ends in ((tail, head), true[:2]))
    near = np.isfinite(length)
    if not places.is_grid:  # Which arcs a graph has is known; those that lead back may be none.
        near[:] = False
        near[arcs.find(_tails(places), places.head)] = True
    if unknown == "optimistic":
        # Each kind of step by itself: on grids straight ones and diagonal ones.
        if places.is_grid:
            for kind in np.unique(length[near]):
                same = true.weight[known_length == kind]
                least = same.min() if len(same) else round(kind * places.ticks_per_unit)
                guessed[length == kind] = max(1, int(least))
            return guessed
        walked = known_length > 0
        scale = (true.weight[walked] / known_length[walked]).min() if walked.any() else 0.0
        below = 1.0 if places.position is None else 1 - 2.0**-34  # Square roots were rounded.
        ticks = np.floor(length * scale * below)
    else:
        ticks = np.rint(length * float(unknown) * places.ticks_per_unit)
    guessed[near] = np.clip(ticks[near], 1, MAX_WEIGHT).astype(np.int32)
    return guessed


def _lengths(places: NodePlaces, tail: Int32Array, head: Int32Array) -> np.ndarray:
    """Return (k) float64, how long arcs are; on grids inf for what leads to no neighbour."""
    if not places.is_grid:
        if places.position is None:
            return np.ones(len(tail))
        apart: np.ndarray = np.linalg.norm(places.position[head] - places.position[tail], axis=1)
        return apart
    if places.hex_layout is not None:
        length = np.ones(len(tail))
    else:
        step = np.abs(places.cells_of(head) - places.cells_of(tail))
        length = np.sqrt(step.sum(axis=1).astype(np.float64))
    length[~_are_neighbours(places, tail, head)] = np.inf
    return length
