"""Search a level in plain Python: by a heuristic of the caller's own, or by methods of the school.

Compiled searches cannot call functions of Python. This one asks a heuristic about the places that
it meets, and about no others.
"""

from __future__ import annotations

from collections.abc import Callable

from bake.play.searching.context import SearchContext
from bake.play.searching.heuristics import Given, given_ticks
from bake.search.best_first import BestFirst
from bake.search.point.estimates import Estimate


class RowSpace:
    """The rows of a profile as the states of a problem, and its arcs as the steps, in ticks."""

    def __init__(self, context: SearchContext, start: int, goal: int) -> None:
        self.start, self._goal = start, goal
        self.successors = context.space.arcs_of

    def is_goal(self, row: int) -> bool:
        return row == self._goal


def own_heuristic(context: SearchContext, given: Given) -> Callable[[int], int]:
    """Return what tells the ticks of a row by a heuristic of the caller's own.

    Raises:
        QueryError: a place that is asked about has no value, or its value is no number in range.
    """
    version = context.version
    return lambda row: given_ticks(version, given, int(version.location[row]))


def shown_by(search: BestFirst[int]) -> Estimate:
    """Return what a search that is over shows of a heuristic of the caller's own.

    It shows that one says more than the path found costs from some place on, or nothing.
    """
    says, path = search.estimates, search.path or []
    over = any(says[row] > search.cost - search.reached[row] for row in path)
    return Estimate(
        "given",
        admissible=False if over else None,
        consistent=False if over and not says[path[-1]] else None,
    )
