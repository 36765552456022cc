"""Make what is known of a profile on a level that has changed since it was baked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from bake.arrays import AnyArray, Float64Array, Int32Array
from bake.graph import BLOCKED, Graph, Subgraph
from bake.play.live.ground import LevelState
from bake.play.live.pricing import Pricing
from bake.play.live.state import ProfileState
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.version import Make, Priced, Version
from bake.search.graph.connectivity import reachable_components, strong_components

#: The largest closure between one-way components that is worth making, in bytes.
_MAX_CLOSURE = 2**20


def fields_of(
    state: Callable[[], ProfileState],
    columns: ProfileColumns,
    pricing: Pricing,
    level: LevelState,
    cells_of: Callable[[Int32Array], Int32Array],
) -> dict[str, Make]:
    """Return what makes the fields of a version.

    Args:
        state: gives the version of the profile.
        columns: the profile as it was baked.
        level: what the level is made of.
        cells_of: gives the cells (x, y) of locations.
    """
    return {
        "row_count": lambda _: state().row_count,
        "location": lambda _: state().location,
        "known_row": lambda _: state().known_row,
        "standing": lambda _: state().standing,
        "cell_of_row": lambda version: cells_of(version.location),
        "usable": lambda _: _usable(state()),
        "priced": partial(_priced, pricing, level),
        "row_cost": lambda version: pricing.cost_at(level, version.location.astype(np.int64)),
        "component_of_row": _component_of_row,
        "component_count": lambda version: len(
            np.unique(version.component_of_row[version.standing])
        ),
        "one_way": _one_way,
        "reach": _reach,
        "has_hops": lambda _: columns.has_hops,
        "has_distances": lambda _: columns.has_distances,
        "step_costs": lambda version: partial(_step_costs, pricing, level, version),
    }


def _usable(state: ProfileState) -> Subgraph:
    graph, weight = state.graph.out.compact()
    return Subgraph(graph, weight, state.location, np.zeros(graph.arc_count, dtype=np.int32))


def _component_of_row(version: Version) -> Int32Array:
    return strong_components(version.usable.graph)[0]


def _one_way(version: Version) -> bool:
    label, graph = version.component_of_row, version.usable.graph
    return bool((label[graph.tail()] != label[graph.head]).any())


def _reach(version: Version) -> AnyArray | None:
    label = version.component_of_row
    count = int(label.max(initial=-1)) + 1
    if not version.one_way or count * ((count + 7) // 8) > _MAX_CLOSURE:
        return None
    return reachable_components(version.usable.graph, label, count)


def _priced(pricing: Pricing, level: LevelState, version: Version) -> Priced:
    """Price the arcs that may be taken."""
    assert version.standing is not None
    rows = np.flatnonzero(version.standing)
    arcs = pricing.arcs_out_of(level, version.location[rows].astype(np.int64))
    usable = np.isfinite(arcs.units)
    row = version.known_row
    graph, order = Graph.from_arcs(
        version.row_count, row[arcs.tail[usable]], row[arcs.head[usable]]
    )
    return Priced(graph.first_out[:-1], graph.first_out[1:], graph.head, arcs.units[usable][order])


def _step_costs(
    pricing: Pricing, level: LevelState, version: Version, rows: Int32Array
) -> Float64Array:
    """Return (k - 1) float64 units of each step between k rows; inf where no arc leads."""
    if len(rows) < 2:
        return np.empty(0)
    along = version.locations_of(rows)
    arcs = pricing.arcs_out_of(level, np.unique(along).astype(np.int64))
    usable = arcs.weight != BLOCKED
    ends = zip(arcs.tail[usable].tolist(), arcs.head[usable].tolist(), strict=True)
    costs = zip(arcs.weight[usable].tolist(), arcs.units[usable].tolist(), strict=True)
    cheapest: dict[tuple[int, int], tuple[int, float]] = {}
    for key, cost in zip(ends, costs, strict=True):
        cheapest[key] = min(cheapest.get(key, cost), cost)
    none = BLOCKED, np.inf
    return np.array([cheapest.get(step, none)[1] for step in pairwise(along.tolist())])
