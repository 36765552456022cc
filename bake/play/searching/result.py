"""Hold what a search found, and how it found it."""

from __future__ import annotations

from dataclasses import dataclass

from bake.play.reader.places import Place


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
    looked_at: tuple[tuple[Place, float], ...] | None = None
