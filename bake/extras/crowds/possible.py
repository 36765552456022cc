"""The possible arcs of a level, for agents that do not know which of them exist.

On a grid these are the steps between neighboring cells, walls included, and on a graph its arcs.
Nodes are locations, which number all places, walls included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.core.graph import BLOCKED, MAX_WEIGHT
from bake.play.reader.places import NodePlaces
from bake.play.reader.version import Version
from levelbake.errors import QueryError
from levelbake.steps import chart, hex_steps

if TYPE_CHECKING:
    from bake.search.incremental.twins import TwinArcs
    from bake.search.point.estimates import Estimate

#: Columns and rows to a neighbor of a square cell.
_SQUARE = ((1, 0), (0, 1), (1, 1), (-1, 1))


class TrueArcs(NamedTuple):
    """The arcs that a profile may take, between locations."""

    #: tail, head: (m) int32 locations
    tail: Int32Array
    head: Int32Array
    weight: Int32Array  #: (m) int32 ticks

    @staticmethod
    def from_version(version: Version) -> TrueArcs:
        usable, location = version.usable, version.location
        tail, head = usable.graph.tail(), usable.graph.head
        return TrueArcs(location[tail], location[head], usable.weight)


def possible_arcs(places: NodePlaces, true: TrueArcs) -> TwinArcs:
    """Return the possible arcs of a level, all of them blocked.

    They include the current arcs that lead to no neighbor, such as ladders, because agents cannot
    guess these. Stairs may lead from any cell to the same cell of the next floor.

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
        return twin_arcs(len(places.names), tails, np.concatenate([places.head, true.head]))
    tail, head = _neighbours(places)
    apart = ~are_neighbours(places, true.tail, true.head)
    cells, floor = places.width * places.height, _floor_cells(places)
    below = np.arange(cells - floor)
    tails = np.concatenate([tail, true.tail[apart], below])
    heads = np.concatenate([head, true.head[apart], below + floor])
    return twin_arcs(cells, tails, heads)


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
    """Return the steps of cells in rows of each parity; None stands for all rows."""
    if places.hex_layout is not None:
        return [(parity, hex_steps(places.hex_layout, parity)) for parity in (0, 1)]
    return [(None, _SQUARE if has_diagonals(places) else _SQUARE[:2])]


def has_diagonals(places: NodePlaces) -> bool:
    """Return True if a grid has diagonal steps."""
    return places.is_grid and places.asset.number("connectivity") == 8


def are_neighbours(places: NodePlaces, tail: Int32Array, head: Int32Array) -> BoolArray:
    """Return a mask of the arcs to a neighbor on the same floor of a grid."""
    here, there = (places.cells_of(each) for each in (tail, head))
    floor = np.int32(places.floor_height or places.height)
    step = chart(there, places.hex_layout) - chart(here, places.hex_layout)
    far = np.abs(step).max(axis=1, initial=0)
    if not has_diagonals(places):
        # Steps along both axes are diagonal; on hexagons the third axis is the sum of both.
        bent = step.sum(axis=1) if places.hex_layout else np.abs(step).sum(axis=1)
        far = np.maximum(far, np.abs(bent))
    return np.asarray((far == 1) & (here[:, 1] // floor == there[:, 1] // floor))


def diagonals_past(places: NodePlaces, arcs: TwinArcs, location: Int64Array) -> Int64Array:
    """Return (k) int64, the diagonal steps beside given cells of a grid."""
    x = location % places.width
    beside = np.concatenate([location[x > 0] - 1, location[x < places.width - 1] + 1])
    out = arcs.out_of(np.unique(beside))
    diagonal, flank = flanks(places, arcs.tail(out), arcs.head[out])
    return out[diagonal & np.isin(flank, location).any(axis=1)]


def flanks(places: NodePlaces, tail: Int32Array, head: Int32Array) -> tuple[BoolArray, Int32Array]:
    """Return a mask of the diagonal steps of a square grid, and the two cells beside each.

    Returns:
        (k) bool, and (k, 2) int32 locations, which are valid for diagonal steps only.
    """
    (x, y), (to_x, to_y) = (places.cells_of(each).T for each in (tail, head))
    width = np.int32(places.width)
    diagonal = (np.abs(to_x - x) == 1) & (np.abs(to_y - y) == 1)
    flank = np.stack([y * width + to_x, to_y * width + x], axis=1)
    return diagonal & are_neighbours(places, tail, head), flank


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
                # Floors are stacked, so stairs are short.
                cells %= np.array([places.width, places.floor_height], dtype=np.int32)
            found = cell_norm("octile" if has_diagonals(places) else "manhattan", cells, *arcs)
    elif places.position is not None:
        found = euclidean(quantised(places.position), *arcs)
    else:
        return Estimate("null")
    return found if found.consistent else Estimate("null")


def guessed_weights(
    places: NodePlaces, arcs: TwinArcs, true: TrueArcs, unknown: str | float
) -> Int32Array:
    """Return (m) int32, the guessed ticks of unobserved arcs.

    Args:
        unknown: "optimistic" for the lowest cost of such a step in the current level,
            "pessimistic" for blocked, or the units of a straight step (of any arc on a graph
            without positions).

    Returns:
        Ticks. Jumps between cells that are not neighbors are blocked, except for stairs to the same
        cell of the next floor. Stairs cost as much as the cheapest jump between floors, or as the
        guess for a straight step.
    """
    tail, head = arcs.tails().astype(np.int32), arcs.head
    guessed = np.full(len(head), BLOCKED, dtype=np.int32)
    if unknown == "pessimistic":
        return guessed
    length, known_length = (_lengths(places, *ends) for ends in ((tail, head), true[:2]))
    if places.is_grid:
        guessed[np.abs(head - tail) == _floor_cells(places)] = _stairs(places, true, unknown)
    near = np.isfinite(length)
    if not places.is_grid:  # The arcs of a graph are known; their reverse arcs may not exist.
        near[:] = False
        near[arcs.find(_tails(places), places.head)] = True
    if unknown == "optimistic":
        # Straight and diagonal steps of grids are guessed separately.
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


def _floor_cells(places: NodePlaces) -> int:
    """Return the number of cells of a floor of a grid."""
    return places.width * (places.floor_height or places.height)


def _stairs(places: NodePlaces, true: TrueArcs, unknown: str | float) -> int:
    """Return the guessed ticks of stairs."""
    if unknown != "optimistic":
        return max(1, min(round(float(unknown) * places.ticks_per_unit), MAX_WEIGHT))
    floor = _floor_cells(places)
    known = true.weight[true.tail // floor != true.head // floor]
    return max(1, int(known.min(initial=places.ticks_per_unit)))


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
    length[~are_neighbours(places, tail, head)] = np.inf
    return length
