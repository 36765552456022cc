"""Search methods for state spaces. A new method is a line in METHODS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bake.extras.school.spaces.bounded import MemoryBounded
from bake.extras.school.spaces.iterative import IterativeDeepening
from bake.extras.school.spaces.uninformed import BreadthFirst, DepthFirst
from bake.search.best_first import BestFirst, OpenList
from bake.search.problem import Heuristic, S, Search, StateSpace
from levelbake.errors import QueryError
from levelbake.places import number_of, whole_of


@dataclass(frozen=True)
class _Method:
    """Whether a method uses a heuristic, and its options."""

    heuristic: bool = True
    needs: str | None = None  #: the option that must be given
    takes: tuple[str, ...] = ()  #: options that may be given


#: Options of the methods that order an open list, and hold all of it.
_OPEN_LIST = ("early_goal_test", "open_list")

METHODS = {
    "astar": _Method(takes=("weight", *_OPEN_LIST)),
    "dijkstra": _Method(heuristic=False, takes=_OPEN_LIST),
    "greedy": _Method(takes=_OPEN_LIST),
    "weighted": _Method(needs="weight", takes=_OPEN_LIST),
    "bfs": _Method(heuristic=False),
    "dfs": _Method(heuristic=False),
    "iddfs": _Method(heuristic=False),
    "ida": _Method(),
    "beam": _Method(needs="width"),
    "sma": _Method(needs="memory"),
}

#: The smallest value of each option that is a number.
_SMALLEST = {"weight": 0, "width": 1, "memory": 2}


def search(
    space: StateSpace[S],
    method: str = "astar",
    *,
    h: Heuristic[S] | None = None,
    weight: float | None = None,
    width: int | None = None,
    memory: int | None = None,
    early_goal_test: bool | None = None,
    open_list: OpenList[S] | None = None,
) -> Search[S]:
    """Begin a search for a path from the start of a space to a goal; nothing is expanded yet.

    ``run`` on the result finds the path; ``step``, and budgets of ``run``, do part of it.

    Args:
        space: the problem; see :class:`bake.search.problem.StateSpace`.
        method: "astar", "dijkstra" and "ida" find a cheapest path where the heuristic is
            admissible, "sma" where the path fits its memory besides; "weighted" finds one that
            costs ``weight`` times as much at most, and a cheapest one for weights up to 1; "greedy"
            and "beam" find one sooner, of any cost. "bfs" and "iddfs" find a path of the fewest
            steps, and "dfs" any.
        h: the heuristic, in place of the space's own method ``h``; without both it is 0.
        weight: what "weighted" multiplies the heuristic with, at least 0; "astar" may have one.
        width: how many states the open list of "beam" holds, at least 1.
        memory: how many states "sma" holds, at least 2.
        early_goal_test: whether "astar", "dijkstra", "weighted" or "greedy" ends as soon as it
            generates a goal, which may not be the end of a cheapest path.
        open_list: an empty open list for these methods, such as those of
            :mod:`bake.extras.school.spaces.open_lists`; otherwise it is a binary heap.

    Raises:
        QueryError: there is no such method, or an option is missing, wrong or of another method.
    """
    known = METHODS.get(method)
    if known is None:
        raise QueryError(f"no method {method!r}", expected=" or ".join(METHODS))
    given: dict[str, Any] = {
        "weight": weight,
        "width": width,
        "memory": memory,
        "early_goal_test": early_goal_test,
        "open_list": open_list,
    }
    given = {name: _checked(method, known, name, value) for name, value in given.items()}
    own: Heuristic[S] | None = h if h is not None else getattr(space, "h", None)
    if not known.heuristic:
        if h is not None:
            raise QueryError(
                f"the method {method!r} takes no heuristic",
                remedy='leave h out, or choose "astar"',
            )
        own = None
    made: Search[S]
    if method == "bfs":
        made = BreadthFirst(space)
    elif method == "dfs":
        made = DepthFirst(space)
    elif method in ("ida", "iddfs"):
        made = IterativeDeepening(space, own, by_steps=method == "iddfs")
    elif memory is not None:
        made = MemoryBounded(space, own, given["memory"])
    else:
        made = BestFirst(
            space,
            own,
            g_share=0 if method == "greedy" else 1,
            h_share=1 if weight is None else given["weight"],
            width=given["width"],
            early_goal_test=bool(early_goal_test),
            open_list=open_list,
        )
    made.method = method
    return made


def _checked(method: str, known: _Method, name: str, value: Any) -> Any:
    """Return a checked option as a number of Python."""
    if value is None and name != known.needs:
        return None
    if name != known.needs and name not in known.takes:
        takers = [each for each, about in METHODS.items() if name in (about.needs, *about.takes)]
        raise QueryError(
            f"the method {method!r} takes no {name}",
            remedy=f"leave {name} out, or choose {' or '.join(takers)}",
        )
    if name == "early_goal_test":
        if not isinstance(value, bool):
            raise QueryError(f"{name} is {value!r}", expected="True or False")
        return value
    if name == "open_list":
        parts = ("push", "pop", "discard", "__len__")
        if not all(callable(getattr(value, part, None)) for part in parts):
            raise QueryError(f"{name} is {value!r}", expected="an OpenList")
        if len(value):
            raise QueryError("the open list holds entries already", expected="an empty one")
        return value
    smallest = _SMALLEST[name]
    wanted = f"{'a number' if name == 'weight' else 'a whole number'} from {smallest} on"
    if value is None:
        raise QueryError(f"the method {method!r} needs a {name}", expected=wanted)
    number = number_of(value) if name == "weight" else whole_of(value)
    if not smallest <= number < 1e18:
        raise QueryError(f"{name} is {value!r}", expected=wanted)
    return number
