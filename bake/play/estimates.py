"""Answer questions about clusters and lower bounds: what a way costs at least, or may cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NoReturn

from bake.graph import UNREACHABLE
from bake.play.current import Questions
from bake.play.headings import ends
from levelbake.errors import QueryError
from levelbake.places import Place, quoted, whole_of

if TYPE_CHECKING:
    from bake.play.searching.bounds import Bounds
    from bake.play.searching.heuristics import Given


class ClusterQuestions(Questions):
    """The part of :class:`bake.play.Navigator` that answers by clusters and lower bounds."""

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
        a, b = cluster_number(bounds, start), cluster_number(bounds, goal)
        return self._in_units(int(bounds.toward_cluster(b)[a]))

    def cluster_cost(self, *_: object, **__: object) -> NoReturn:
        """Refuse: prices of clusters have moved to the school.

        Raises:
            QueryError: always.
        """
        raise _moved("cluster_cost")

    def plan_clusters(self, *_: object, **__: object) -> NoReturn:
        """Refuse: plans by prices of clusters have moved to the school.

        Raises:
            QueryError: always.
        """
        raise _moved("plan_clusters")

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
        from bake.play.searching.heuristics import estimated_ticks

        now = self._now
        row, goal_row = ends(now.engine, now.rows, start, goal)
        return self._in_units(estimated_ticks(now.searches, heuristic, row, goal_row))

    def overestimate(self, goal: Place, heuristic: str | None = None) -> tuple[float, Place, int]:
        """Return the most by which a heuristic says more than the distance to a goal.

        A path to the goal that A* finds by it, without a weight and with ``reopen``, costs at most
        that much more than a shortest one.

        Args:
            heuristic: a name, as for :meth:`search`.

        Returns:
            Units, 0 where the heuristic is admissible; the place from which it says most above the
            distance; and from how many places a path leads to the goal.

        Raises:
            QueryError: as for :meth:`search`.
            MissingTableError: the asset was baked without the heuristic.
        """
        from bake.play.searching.heuristics import overestimate

        now = self._now
        ticks, row, count = overestimate(now.searches, heuristic, now.rows.row(goal))
        return ticks / self._units, now.rows.place(row), count

    def _in_units(self, ticks: int) -> float:
        return math.inf if ticks >= int(UNREACHABLE) else ticks / self._units


def _moved(name: str) -> QueryError:
    return QueryError(f"{name} has moved", remedy=f"call `bake.school.{name}(nav, ...)`")


def cluster_number(bounds: Bounds, cluster: int) -> int:
    """Return the number of a cluster.

    Raises:
        QueryError: there is no such cluster.
    """
    count = bounds.cluster_count
    number = whole_of(cluster)
    if not 0 <= number < count:
        raise QueryError(
            f"no cluster {quoted(cluster)}",
            expected=f"0 to {count - 1}" if count else "none: the profile can stand nowhere",
        )
    return number
