"""What a search finds, and how it found it."""

from __future__ import annotations

from dataclasses import dataclass

from bake.runtime.reader.places import Place


@dataclass(frozen=True)
class TraceStep:
    """One place taken from the open list.

    Attributes:
        place: which.
        g: cost of the way to it, in units.
        h: the heuristic's estimate from there to the goal, in units.
        f: what the open list is ordered by: g + h in A*.
        open: the open list after its neighbours were added: place and f, best first.
        closed: the closed list after it was added, in order.
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
        path: places, both ends included; None where unreachable.
        cost: of the path in units; ``math.inf`` where unreachable.
        expanded: places taken from the open list, the goal included; 0 where none was needed.
        method: how it was searched.
        heuristic: by which heuristic; None where the method uses none, "given" for one's own.
        admissible: whether the heuristic never says too much; None = not known.
        consistent: whether it falls along no step by more than the step costs; None = not known.
        bound: the path costs at most this many times a shortest one; ``math.inf`` where nothing is
            promised.
        trace: step by step, where asked for.
        looked_at: places it put on its open list and the cost at which it knew them, in units,
            where asked for; none for a method that needs no search of places.
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
