"""Hold what a search found, and how it found it."""

from __future__ import annotations

from dataclasses import dataclass

from bake.runtime.reader.places import Place


@dataclass(frozen=True)
class TraceStep:
    """One place taken from the open list.

    Attributes:
        place: the place.
        g: the cost of the way to the place, in units.
        h: the heuristic's estimate from the place to the goal, in units.
        f: the number the open list is ordered by: g + h in A*.
        open: the open list after the place's neighbours were added: place and f, best first.
        closed: the closed list after the place was added, in order.
    """

    place: Place
    g: float
    h: float
    f: float
    open: tuple[tuple[Place, float], ...]
    closed: tuple[Place, ...]


@dataclass(frozen=True)
class SearchResult:
    """A path, and how it was found.

    Attributes:
        path: its places, both ends included; None where the goal is unreachable.
        cost: what the path costs in units; ``math.inf`` where the goal is unreachable.
        expanded: how many places were taken from the open list, the goal included; 0 where none
            was needed.
        method: the method of the search.
        heuristic: the name of the heuristic; None where the method uses none, "given" for the
            caller's own.
        admissible: whether the heuristic never says more than the distance; None = not known.
        consistent: whether the heuristic falls along no step by more than the step costs; None =
            not known.
        bound: the path costs at most this many times a shortest one; ``math.inf`` where nothing is
            promised.
        trace: the steps of the search, where asked for.
        looked_at: the places the search put on its open list, and the cost at which it knew them,
            in units, where asked for; empty for a method that needs no search of places.
    """

    path: list[Place] | None
    cost: float
    expanded: int
    method: str
    heuristic: str | None = None
    admissible: bool | None = True
    consistent: bool | None = True
    bound: float = 1.0
    trace: tuple[TraceStep, ...] | None = None
    looked_at: tuple[tuple[Place, float], ...] | None = None
