"""Search levels by the methods of state spaces: bfs, dfs, iddfs, ida, beam and sma.

Rows are the states. A beam and SMA* give up what they have no memory for, and report the least f of
it, which bounds the cost of the path found. A path of the fewest steps is bounded by the cheapest
step of the level. IDA* and IDDFS expand a place once for every path that leads to it, so on levels
of cells they take long even where walls are few.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bake.extras.school.spaces.methods import METHODS, search
from bake.play.searching.context import SearchContext
from bake.play.searching.heuristics import heuristic_for
from bake.play.searching.methods import (
    Outcome,
    Request,
    RowSpace,
    own_heuristic,
    refuse_options,
    without_heuristic,
)
from bake.search.point.estimates import Estimate
from bake.search.problem import Status
from levelbake.errors import QueryError

#: A search gives up after this many expansions: some seconds.
# limit: a one-line error; tests/extras/school/test_on_levels.py
MOST_EXPANDED = 1_000_000

#: Methods whose path has the fewest steps.
_FEWEST_STEPS = ("bfs", "iddfs")

#: Methods whose open and closed lists hold the g of every place generated.
_BY_COST = ("bfs", "dfs")


def search_level(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    """Search from one row to another.

    Raises:
        QueryError: the method needs an option that is missing, or takes none of those given; it
            gave up before it found a path, or knew that there is none.
    """
    refuse_options(request, "width", "memory")
    given, method = request.heuristic, request.method
    estimate: Estimate | None = None
    h: Callable[[int], int] | None = None
    if not METHODS[method].heuristic:
        without_heuristic(request, f"the method {method!r}")
    elif given is None or isinstance(given, str):
        estimate = heuristic_for(context, given, goal)
        h = context.space.estimates(estimate, goal).tolist().__getitem__
    else:
        estimate = Estimate("given", admissible=None, consistent=None)
        h = own_heuristic(context, given)
    found = search(RowSpace(context, row, goal), method, h=h, **request.options)
    if context.unreachable(row, goal):
        return Outcome(None, 0, 0, 0, estimate)
    status = found.run(steps=MOST_EXPANDED)
    if status not in (Status.FOUND, Status.NO_PATH):
        raise QueryError(
            f"the method {method!r} gave up after {found.expanded:,} expansions, and found no path",
            remedy="use 'astar', or give 'beam' more width and 'sma' more memory",
        )
    if found.path is None:
        return Outcome(None, 0, found.expanded, found.generated, estimate)
    rows = np.array(found.path, dtype=np.int32)
    bound = math.inf
    if method in _FEWEST_STEPS:
        # Every path has at least as many steps, and none of them costs less than the lightest.
        bound = max(1.0, found.cost / max(1, (len(rows) - 1) * context.space.lightest))
    elif estimate is not None and estimate.admissible:
        bound = max(1.0, found.cost / found.least_lost)
    return Outcome(
        *(rows, int(found.cost), found.expanded + 1, found.generated, estimate, bound),
        reached={**found.open, **found.closed} if method in _BY_COST else None,
    )
