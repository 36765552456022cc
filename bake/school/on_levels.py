"""Search a level by a beam, by IDA* or by SMA*; where they come from says bake.school.spaces.

Rows are the states. A beam and SMA* give up what they have no room for, and tell the least f of it,
by which the path found is bounded. IDA* looks again and again at places that several ways lead to,
so on levels of cells it takes long even where walls are few.
"""

from __future__ import annotations

import math

import numpy as np

from bake.play.searching.context import SearchContext
from bake.play.searching.heuristics import heuristic_for
from bake.play.searching.methods import Outcome, Request, RowSpace, own_heuristic, refuse_options
from bake.school.spaces.methods import search
from bake.search.point.estimates import Estimate
from bake.search.problem import Status
from levelbake.errors import QueryError

#: A search gives up after so many expansions: some seconds.
MOST_EXPANDED = 1_000_000


def search_level(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    """Search from one row to another.

    Raises:
        QueryError: the method needs a width or a memory, or takes none; it gave up before it found
            a path, or knew that there is none.
    """
    refuse_options(request, "width", "memory")
    given, method = request.heuristic, request.method
    if given is None or isinstance(given, str):
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
        why = f"after {MOST_EXPANDED:,} places" if status is Status.RUNNING else "for want of room"
        raise QueryError(
            f"the method {method!r} gave up {why}, and knows of no path",
            remedy="use 'astar', or give 'beam' more width and 'sma' more memory",
        )
    if found.path is None:
        return Outcome(None, 0, found.expanded, found.generated, estimate)
    bound = max(1.0, found.cost / found.least_lost) if estimate.admissible else math.inf
    rows = np.array(found.path, dtype=np.int32)
    return Outcome(rows, int(found.cost), found.expanded + 1, found.generated, estimate, bound)
