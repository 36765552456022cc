"""Choose a method to search a state space with. A new method is a line in METHODS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bake.school.spaces.bounded import MemoryBounded
from bake.school.spaces.iterative import IterativeDeepening
from bake.search.best_first import BestFirst
from bake.search.problem import Heuristic, S, Search, StateSpace
from levelbake.errors import QueryError
from levelbake.places import number_of, whole_of


@dataclass(frozen=True)
class _Method:
    """Whether a method uses a heuristic, and which of the options it takes and needs."""

    heuristic: bool = True
    option: str | None = None
    least: float = 0


METHODS = {
    "astar": _Method(),
    "dijkstra": _Method(heuristic=False),
    "greedy": _Method(),
    "weighted": _Method(option="weight"),
    "ida": _Method(),
    "beam": _Method(option="width", least=1),
    "sma": _Method(option="memory", least=2),
}


def search(
    space: StateSpace[S],
    method: str = "astar",
    *,
    h: Heuristic[S] | None = None,
    weight: float | None = None,
    width: int | None = None,
    memory: int | None = None,
) -> Search[S]:
    """Begin a search for a way from the start of a space to a goal; nothing is expanded yet.

    ``run`` on what is returned finds the way; ``step``, and budgets of ``run``, do part of it.

    Args:
        space: the problem; see :class:`bake.search.problem.StateSpace`.
        method: "astar", "dijkstra" and "ida" find a cheapest way where the heuristic is admissible,
            "sma" where the way fits its memory besides; "weighted" finds one that costs ``weight``
            times as much at most, and a cheapest one for weights up to 1; "greedy" and "beam" find
            one sooner, of any cost.
        h: the heuristic, in place of the space's own method ``h``; without both it is 0.
        weight: what "weighted" multiplies the heuristic with, at least 0.
        width: how many states the open list of "beam" holds, at least 1.
        memory: how many states "sma" holds, at least 2.

    Raises:
        QueryError: there is no such method, or an option is missing, wrong or of another method.
    """
    known = METHODS.get(method)
    if known is None:
        raise QueryError(f"no method {method!r}", expected=" or ".join(METHODS))
    weight = _checked(method, known, "weight", weight)
    width = _checked(method, known, "width", width)
    memory = _checked(method, known, "memory", memory)
    own: Callable[[S], float] | None = h if h is not None else getattr(space, "h", None)
    if not known.heuristic:
        if h is not None:
            raise QueryError(
                f"the method {method!r} takes no heuristic",
                remedy='leave h out, or choose "astar"',
            )
        own = None
    made: Search[S]
    if method == "ida":
        made = IterativeDeepening(space, own)
    elif memory is not None:
        made = MemoryBounded(space, own, memory)
    elif method == "greedy":
        made = BestFirst(space, own, g_share=0)
    else:
        made = BestFirst(space, own, h_share=1 if weight is None else weight, width=width)
    made.method = method
    return made


def _checked(method: str, known: _Method, name: str, value: float | None) -> Any:
    if name != known.option:
        if value is not None:
            takers = " or ".join(each for each, about in METHODS.items() if about.option == name)
            raise QueryError(
                f"the method {method!r} takes no {name}",
                remedy=f"leave {name} out, or choose {takers}",
            )
        return None
    convert = number_of if name == "weight" else whole_of
    wanted = f"{'a number' if name == 'weight' else 'a whole number'} from {known.least} on"
    if value is None:
        raise QueryError(f"the method {method!r} needs a {name}", expected=wanted)
    number = convert(value)
    if not known.least <= number < 1e18:
        raise QueryError(f"{name} is {value!r}", expected=wanted)
    return number
