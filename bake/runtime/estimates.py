"""Answer questions about clusters and lower bounds: what a way costs at least, or may cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bake.errors import QueryError
from bake.graph import UNREACHABLE
from bake.runtime.current import Questions
from bake.runtime.headings import ends
from bake.runtime.reader.numbers import whole_of
from bake.runtime.reader.places import Place, quoted

if TYPE_CHECKING:
    from bake.runtime.searching.bounds import Bounds
    from bake.runtime.searching.heuristics import Given


class ClusterQuestions(Questions):
    """The part of :class:`bake.runtime.Navigator` that answers by clusters and lower bounds."""

    def cluster(self, place: Place) -> int:
        """Return the number, from 0, of the cluster a place belongs to.

        Raises:
            QueryError: as for :meth:`next_hop`.
            MissingTableError: the asset was baked without clusters.
        """
        now = self._now
        row = now.rows.row(place)
        return now.searches.bounds.cluster_of(row)

    def cluster_distance(self, start: int, goal: int) -> float:
        """Return the smallest distance from any place of one cluster to any of another, in units.

        No way between places of the two costs less. It is ``math.inf`` where there is no way.

        Args:
            start, goal: clusters, from :meth:`cluster`.

        Raises:
            QueryError: there is no such cluster.
            MissingTableError: the asset was baked without distances between clusters.
        """
        bounds = self._now.searches.bounds
        a, b = _cluster_number(bounds, start), _cluster_number(bounds, goal)
        return self._in_units(int(bounds.toward_cluster(b)[a]))

    def cluster_cost(self, start: int, goal: int, price: str = "average") -> float:
        """Return the price to expect for going through one cluster into the next, in units.

        Args:
            start, goal: clusters, from :meth:`cluster`.
            price: "minimum", the cheapest step across, for optimists; "maximin", the longest of
                the shortest ways through the first cluster from where it can be entered, for
                pessimists; or "average", the mean of those ways.

        Returns:
            The price; ``math.inf`` where no step leads from one to the other.

        Raises:
            QueryError: there is no such cluster or price.
            MissingTableError: the asset was baked without distances between clusters.
        """
        bounds = self._now.searches.bounds
        a, b = _cluster_number(bounds, start), _cluster_number(bounds, goal)
        return self._in_units(bounds.cluster_cost(a, b, price))

    def plan_clusters(
        self, start: Place, goal: Place, price: str = "average"
    ) -> tuple[list[int], float] | None:
        """Plan over clusters alone, by Dijkstra's algorithm and one of their prices.

        Args:
            price: as for :meth:`cluster_cost`.

        Returns:
            The clusters from that of the start to that of the goal, and the sum of their prices in
            units, which is no bound of what a path costs; None where no clusters lead there.

        Raises:
            QueryError: as for :meth:`next_hop`, or there is no such price.
            MissingTableError: the asset was baked without distances between clusters.
        """
        from bake.runtime.searching.corridors import links_of, plan

        searches, rows = self._now.searches, self._now.rows
        bounds = searches.bounds
        here, there = (int(bounds.cluster[rows.row(place)]) for place in (start, goal))
        links = searches.kept("links", lambda: links_of(bounds))
        sequence, ticks, _ = plan(links, here, there, price)
        return (sequence, self._in_units(ticks)) if sequence else None

    def heuristic(
        self, start: Place, goal: Place, heuristic: str | Given | None = "maximum"
    ) -> float:
        """Return a heuristic's estimate of the distance, in units.

        An admissible heuristic never says more than the distance.

        Args:
            heuristic: as for :meth:`search`; "maximum" is the baked one.

        Raises:
            QueryError: as for :meth:`search`.
            MissingTableError: the asset was baked without the heuristic.
        """
        from bake.runtime.searching.heuristics import estimated_ticks

        now = self._now
        row, goal_row = ends(now.tables, now.rows, start, goal)
        return self._in_units(estimated_ticks(now.searches, heuristic, row, goal_row))

    def _in_units(self, ticks: int) -> float:
        return math.inf if ticks >= int(UNREACHABLE) else ticks / self._units


def _cluster_number(bounds: Bounds, cluster: int) -> int:
    count = bounds.cluster_count
    number = whole_of(cluster)
    if not 0 <= number < count:
        raise QueryError(
            f"no cluster {quoted(cluster)}",
            expected=f"0 to {count - 1}" if count else "none: the profile can stand nowhere",
        )
    return number
