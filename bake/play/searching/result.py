"""Hold what a search found, and how it found it."""

from __future__ import annotations

from dataclasses import dataclass

from levelbake.places import AnyPlace, MaybeNone


@dataclass(frozen=True)
class SearchResult:
    """A path, and how it was found."""

    #: its places, both ends included; None where the goal is unreachable
    path: list[AnyPlace] | MaybeNone
    cost: float  #: what the path costs in units; ``math.inf`` where the goal is unreachable
    #: how many places were taken from the open list, the goal included; 0 where none was needed
    expanded: int
    method: str  #: the method of the search
    #: the name of the heuristic; None where the method uses none, "given" for the caller's own
    heuristic: str | None = None
    #: whether the heuristic never says more than the distance; None = not known
    admissible: bool | None = True
    #: whether the heuristic falls along no step by more than the step costs; None = not known
    consistent: bool | None = True
    #: the path costs at most this many times a shortest one; ``math.inf`` where nothing is promised
    bound: float = 1.0
    #: the places the search put on its open list, and the cost at which it knew them, in units,
    #: where asked for; empty for a method that needs no search of places
    looked_at: tuple[tuple[AnyPlace, float], ...] | None = None
    #: how many steps lead out of these places, the goal not counted, whatever the queue and
    #: whatever is compiled; 0 where a method counts none, as "hpa"
    generated: int = 0
