"""Make heuristics by name, for one profile. A new one is a line in HEURISTICS."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import UNREACHABLE
from bake.play.reader.version import Version
from bake.play.searching.context import SearchContext
from bake.search.point.estimates import (
    LARGEST,
    ROWS,
    Estimate,
    cell_norm,
    euclidean,
    hex_norm,
    position_norm,
)
from levelbake.errors import QueryError
from levelbake.places import number_of, quoted
from levelbake.steps import chart

#: A function that makes a heuristic for one profile and the row of a goal. A heuristic that holds
#: for every goal is made once: see :meth:`SearchContext.kept`.
Maker = Callable[[SearchContext, int], "Estimate"]

#: A heuristic that the caller gives: units from each place to the goal, by place or by a function.
Given = Mapping[Any, float] | Callable[[Any], float]

#: How many steps a hexagon's width has; centres are measured in these steps.
_FINE_HEX = 1024


def best_name(context: SearchContext) -> str:
    """Return the name of the heuristic that fits a level's movement best."""
    return context.kept("best name", lambda: _best_name(context))


def _best_name(context: SearchContext) -> str:
    places = context.version.places
    if places.hex_layout is not None:
        return "hex"
    if places.is_grid:
        return "octile" if _diagonal(context) else "manhattan"
    return "null" if places.position is None else "euclidean"


def _diagonal(context: SearchContext) -> bool:
    tail, head, _ = context.deciding_arcs("octile")
    across, down = np.abs(context.at[head] - context.at[tail]).T
    return bool(((across == 1) & (down == 1)).any())


def _norm(name: str) -> Maker:
    return lambda context, goal: context.kept(name, lambda: _scaled(name, context))


def _scaled(name: str, context: SearchContext) -> Estimate:
    places = context.version.places
    if places.hex_layout is not None:
        if name == "hex":
            return hex_norm(context.at, *context.deciding_arcs(name))
        if name == "euclidean":
            return euclidean(_centres(context.version), *context.deciding_arcs(name))
        raise _wrong_kind(name, context, "a square grid, or a graph")
    if not places.is_grid and places.position is None:
        raise QueryError(
            f"heuristic {name!r} needs positions, this graph has none",
            place=f"level {places.name!r}",
            expected="null, or a heuristic without geometry",
            remedy="give its nodes x and y",
        )
    if name == "hex":
        raise _wrong_kind(name, context, "a hexagonal grid")
    at, arcs = context.at, context.deciding_arcs(name)
    if name == "euclidean":
        return euclidean(at, *arcs)
    return (cell_norm if places.is_grid else position_norm)(name, at, *arcs)


def _centres(version: Version) -> Int32Array:
    """Return (r, 2) int32 centres of hexagons; neighbours lie _FINE_HEX apart."""
    axial = chart(version.cell_of_row, version.places.hex_layout).astype(np.float64)
    across, down = axial[:, 0] + axial[:, 1] / 2, axial[:, 1] * (math.sqrt(3) / 2)
    return np.rint(np.stack([across, down], axis=1) * _FINE_HEX).astype(np.int32)


def _wrong_kind(name: str, context: SearchContext, kind: str) -> QueryError:
    return QueryError(
        f"heuristic {name!r} is for {kind}",
        place=f"level {context.version.places.name!r}",
        expected=f"{best_name(context)}, or another that fits its movement",
    )


def _given(version: Version, given: Given, goal: int) -> Estimate:
    """Ask the caller's heuristic for every place, and check its consistency arc by arc.

    A search part by part does so, as it promises shortest paths.

    Raises:
        QueryError: a place has no value, or its value is not a number in range.
    """
    table = np.zeros((version.row_count, 1), dtype=np.int32)
    standing = version.row_at[version.location] >= 0
    for row in np.flatnonzero(standing).tolist():
        table[row, 0] = given_ticks(version, given, int(version.location[row]))
    graph, h = version.usable.graph, table[:, 0].astype(np.int64)
    consistent = bool((h[graph.tail()] - h[graph.head] <= version.usable.weight).all())
    admissible: bool | None = None
    if h[goal] > 0:
        admissible = False
    elif consistent:
        admissible = True
    return Estimate("given", ROWS, table=table, admissible=admissible, consistent=consistent)


def given_ticks(version: Version, given: Given, location: int) -> int:
    """Ask the caller's heuristic for one place.

    Raises:
        QueryError: as for :func:`_given`.
    """
    place = version.places.place_at(location)
    try:
        said = given(place) if callable(given) else given[place]
    except KeyError:
        raise QueryError(
            f"the heuristic says nothing of {place!r}", expected="a value for every place"
        ) from None
    except (TypeError, ValueError):
        said = math.nan
    ticks = number_of(said) * version.places.ticks_per_unit
    if not 0 <= ticks <= LARGEST:
        raise QueryError(
            f"the heuristic says {quoted(said)} of {place!r}",
            expected=f"units from 0 to {LARGEST / version.places.ticks_per_unit:g}",
        )
    return round(ticks)


def fitting_norm(context: SearchContext) -> Estimate:
    """Return the geometric heuristic that fits a level's movement."""
    return HEURISTICS[best_name(context)](context, 0)


def lay_out(context: SearchContext) -> None:
    """Make what the first search part by part would have to make, which takes a while."""
    heuristic = "maximum" if context.bounds.has_heuristic else None
    if context.version.row_count:
        heuristic_for(context, heuristic, 0)
        context.engine.known_apart(0, 0)
    assert context.space.successors is not None


def _exact(context: SearchContext, goal: int) -> Estimate:
    """Return the distance of every row, for searches that stop and go on while the level changes.

    Whole searches work out only those that they need: see :meth:`SearchContext.by_distances`.
    """
    ticks = np.minimum(context.engine.toward(goal), LARGEST)
    return Estimate("exact", ROWS, table=ticks.astype(np.int32)[:, None])


HEURISTICS: dict[str, Maker] = {
    "null": lambda context, goal: Estimate("null"),
    "manhattan": _norm("manhattan"),
    "euclidean": _norm("euclidean"),
    "chebyshev": _norm("chebyshev"),
    "octile": _norm("octile"),
    "hex": _norm("hex"),
    "exact": _exact,
    "cluster": lambda context, goal: context.bounds.between_clusters(goal, fitting_norm(context)),
    "landmark": lambda context, goal: context.bounds.landmark(goal),
    "maximum": lambda context, goal: context.bounds.maximum(goal, fitting_norm(context)),
}


def heuristic_for(context: SearchContext, heuristic: str | Given | None, goal: int) -> Estimate:
    """Return the heuristic that a search names, for one goal; None names the one that fits best.

    Raises:
        QueryError: there is no such heuristic, or it does not fit this level.
    """
    if heuristic is None:
        heuristic = best_name(context)
    if not isinstance(heuristic, str):
        return _given(context.version, heuristic, goal)
    check_heuristic(heuristic)
    return HEURISTICS[heuristic](context, goal)


def check_heuristic(name: str) -> None:
    """Check the name of a heuristic.

    Raises:
        QueryError: there is no such heuristic.
    """
    if name not in HEURISTICS:
        raise QueryError(f"no heuristic {quoted(name)}", expected=" or ".join(sorted(HEURISTICS)))


def overestimate(context: SearchContext, name: str | None, goal: int) -> tuple[int, int, int]:
    """Return how far a heuristic's estimates exceed the distances to a goal.

    Returns:
        The most ticks by which one does, 0 where none does; the row where it does; and how many
        rows there are from which a path leads to the goal.

    Raises:
        QueryError: as for :func:`heuristic_for`.
    """
    ticks = context.engine.toward(goal)
    over = context.space.estimates(heuristic_for(context, name, goal), goal) - ticks
    row = int(over.argmax())
    return max(0, int(over[row])), row, int(np.isfinite(ticks).sum())


def estimated_ticks(
    context: SearchContext, heuristic: str | Given | None, row: int, goal: int
) -> int:
    """Return the ticks that lie between two rows according to a heuristic.

    Raises:
        QueryError: as for :func:`heuristic_for`.
    """
    if heuristic == "exact":
        return int(min(context.engine.ticks(row, goal), int(UNREACHABLE)))
    if heuristic is not None and not isinstance(heuristic, str):
        return given_ticks(context.version, heuristic, int(context.version.location[row]))
    return heuristic_for(context, heuristic, goal).between(row, goal)
