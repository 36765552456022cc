"""What straight lines are asked for, whatever the level is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from bake.play.reader.version import Version
from levelbake.errors import QueryError
from levelbake.places import Place, quoted, whole_of


class Waypoints(NamedTuple):
    """What remains of a path that was pulled tight."""

    places: list[Place]  #: an agent goes straight from each to the next, both ends included
    #: for each the index in the path at which it comes; a broken number lies between two
    at: Sequence[float]


class Sight(ABC):
    """Straight lines for one profile at one moment. Paths are those of the navigator."""

    @abstractmethod
    def smooth(self, path: Sequence[Place]) -> Waypoints:
        """Pull a path tight, so that no line costs more than what it replaces."""

    @abstractmethod
    def furthest(self, path: Sequence[Place], at: int) -> int:
        """Return the last place of a path that a line from one of its places reaches for no more.

        Raises:
            QueryError: the path has no place ``at``.
        """

    @abstractmethod
    def cost(self, waypoints: Sequence[Place]) -> float:
        """Return what going straight from each waypoint to the next costs, in units.

        Raises:
            QueryError: there is no straight way between two of them.
        """


def checked_index(path: Sequence[Place], at: int) -> int:
    """Return the index of a place in a path; raise a QueryError for anything else."""
    if not 0 <= whole_of(at) < len(path):
        raise QueryError(f"no place {quoted(at)} in the path", expected=f"0 to {len(path) - 1}")
    return whole_of(at)


def no_way(version: Version, a: object, b: object) -> QueryError:
    return QueryError(
        f"no straight way leads from {a!r} to {b!r} for profile {version.profile!r}",
        expected="waypoints, as smooth() returns them",
    )
