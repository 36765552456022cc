"""Hold what a search found, and how it found it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bake.runtime.reader.places import Place


@dataclass(frozen=True)
class Opened:
    """A place put on the open list, or to which a shorter way was found while it lay there.

    Attributes:
        place: the place.
        g: the cost of the way to the place, in units.
        f: the number the open list is ordered by.
    """

    place: Place
    g: float
    f: float


@dataclass(frozen=True)
class TraceStep:
    """One place taken from the open list.

    Attributes:
        place: the place.
        parent: the place it was reached from; None at the start.
        g: the cost of the way to the place, in units.
        h: the heuristic's estimate from the place to the goal, in units.
        f: the number the open list is ordered by: g + h in A*.
        opened: what the step put on the open list.
    """

    place: Place
    parent: Place | None
    g: float
    h: float
    f: float
    opened: tuple[Opened, ...]
    _before: Sequence[TraceStep] = field(repr=False, compare=False)
    _number: int = field(repr=False, compare=False)

    @property
    def open(self) -> tuple[tuple[Place, float], ...]:
        """Return the open list after the step: place and f, best first."""
        waiting: dict[Place, Opened] = {}
        for step in self._before[: self._number + 1]:
            waiting.pop(step.place, None)
            waiting.update((one.place, one) for one in step.opened)
        order = sorted(waiting.values(), key=lambda one: (one.f, -one.g))
        return tuple((one.place, one.f) for one in order)

    @property
    def closed(self) -> tuple[Place, ...]:
        """Return the closed list after the step, in order."""
        closed: dict[Place, None] = {}
        for step in self._before[: self._number + 1]:
            closed[step.place] = None
            for one in step.opened:
                closed.pop(one.place, None)
        return tuple(closed)


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
