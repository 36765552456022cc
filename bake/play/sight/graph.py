"""Leave out the nodes of a graph at which a path goes straight on."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array
from bake.play.reader.rows import Rows
from bake.play.reader.version import Version
from bake.play.sight.lines import Sight, Waypoints, checked_index, no_way
from levelbake.errors import QueryError
from levelbake.places import Place
from levelbake.things import ThingTables

#: Sines of angles below this are straight on.
_STRAIGHT = 1e-9


class GraphSight(Sight):
    """Lines along the arcs of a graph, which an agent may not leave.

    Raises:
        QueryError: the nodes have no positions.
    """

    def __init__(self, version: Version, rows: Rows) -> None:
        self._version, self._rows = version, rows
        position = version.places.position
        if position is None:
            raise QueryError(
                "the nodes of this graph have no positions, and no lines between them",
                place=f"level {version.places.name!r}",
                remedy="give its nodes x and y, or follow the path as it is",
            )
        self._position: Float64Array = position

    @cached_property
    def _links(self) -> set[tuple[int, int]]:
        """Return the ends of all links, as locations, in both directions."""
        places, level = self._version.places, self._version.level
        links = ThingTables(places).links if level is None else level.links.now
        found = set()
        for link in links.values():
            start, goal = places.location(link.start), places.location(link.goal)
            found |= {(start, goal), (goal, start)}
        return found

    def _turns(self, rows: Int32Array) -> BoolArray:
        """Return (k) bool, where a path does not go straight on; both ends count."""
        location = self._version.locations_of(rows)
        step = np.diff(self._position[location], axis=0)
        length = np.hypot(*step.T)
        across = step[:-1, 0] * step[1:, 1] - step[:-1, 1] * step[1:, 0]
        onward = (step[:-1] * step[1:]).sum(axis=1)
        turns = np.ones(len(rows), dtype=np.bool_)
        turns[1:-1] = (np.abs(across) > _STRAIGHT * length[:-1] * length[1:]) | (onward <= 0)
        by_link = np.array([pair in self._links for pair in pairwise(location.tolist())], bool)
        turns[:-1] |= by_link
        turns[1:] |= by_link
        return turns

    def smooth(self, path: Sequence[Place]) -> Waypoints:
        at = np.flatnonzero(self._turns(self._rows.priced(path)[0]))
        return Waypoints([path[each] for each in at.tolist()], at.tolist())

    def furthest(self, path: Sequence[Place], at: int) -> int:
        at = checked_index(path, at)
        turns = np.flatnonzero(self._turns(self._rows.priced(path)[0]))
        return int(turns[turns > at].min(initial=len(path) - 1))

    def cost(self, waypoints: Sequence[Place]) -> float:
        rows = self._rows.along(waypoints).tolist()
        total = 0.0
        for ends in pairwise(rows):
            line = self._line(*ends)
            if math.isinf(line):
                raise no_way(self._version, *self._rows.places(np.array(ends, dtype=np.int32)))
            total += line
        return total

    def _line(self, row: int, goal: int) -> float:
        """Return the units of the cheapest arcs in a row that all lie on one line."""
        priced, position = self._version.priced, self._position[self._version.location]
        start, way = position[row], position[goal] - position[row]
        length = float(np.hypot(*way))
        best = {row: 0.0}
        queue = [(0.0, row)]
        while queue:
            along, here = heapq.heappop(queue)
            if here == goal:
                return best[here]
            for arc in range(priced.first[here], priced.end[here]):
                to, cost = int(priced.head[arc]), best[here] + float(priced.units[arc])
                if to < 0 or math.isinf(cost):
                    continue
                dx, dy = (position[to] - start).tolist()
                further = (dx * way[0] + dy * way[1]) / length if length else 0.0
                off = abs(dx * way[1] - dy * way[0])
                if to != goal and (
                    off > _STRAIGHT * length * math.hypot(dx, dy) or not along < further < length
                ):
                    continue
                if to not in best:
                    heapq.heappush(queue, (math.inf if to == goal else further, to))
                best[to] = min(best.get(to, math.inf), cost)
        return math.inf
