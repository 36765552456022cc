"""Searches told step by step, in places and units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bake.runtime.searching.result import TraceStep

if TYPE_CHECKING:
    from bake.runtime.searching.methods import Outcome, Searches
    from bake.search.point.estimates import Estimate


def traced(
    searches: Searches,
    row: int,
    goal: int,
    estimate: Estimate,
    told: Estimate | None,
    bound: float,
    *,
    g_share: float,
    h_share: float,
) -> Outcome:
    """Search with f = g_share * g + h_share * h, telling every step.

    Args:
        estimate: what the search goes by.
        told: what the outcome names; None for Dijkstra's algorithm.
        bound: what the outcome promises.
    """
    from bake.runtime.searching.methods import Outcome
    from bake.search.point.trace import trace

    tables = searches.tables
    h = searches.space.estimates(estimate, goal).tolist()
    graph, weight = tables.usable.graph, tables.usable.weight
    steps, path, ticks = trace(graph, weight, h, row, goal, g_share=g_share, h_share=h_share)
    place = [tables.places.place(node) for node in tables.node.tolist()]
    unit = tables.places.ticks_per_unit
    shown = tuple(
        TraceStep(
            place[step.row],
            step.g / unit,
            step.h / unit,
            step.f / unit,
            tuple((place[one], f / unit) for one, f in step.open),
            tuple(place[one] for one in step.closed),
        )
        for step in steps
    )
    rows = None if path is None else np.array(path, dtype=np.int32)
    return Outcome(rows, ticks, len(steps), told, bound, shown)
