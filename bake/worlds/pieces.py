"""The input and output of a division of the plane: geometry, nodes and arcs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, UInt8Array
from bake.core.errors import LevelError, one_error
from bake.core.level import Mesh, OffMeshLink, Remark, Walls
from bake.geometry import Geometry

#: The largest distance from the end of a link to the walkable area, in units of the plane, in
#: addition to an agent's radius: ends of ladders are drawn on walls.
REACH = 1.0


class Kind(NamedTuple):
    """Agents with the same walkable area."""

    radius: float  #: of all of them, in units of the plane
    terrains: frozenset[str]  #: the terrains that any of them may stand on
    profiles: tuple[str, ...]  #: their names


@dataclass(frozen=True)
class PlaneDivision:
    """The nodes and arcs of a divided plane, for all kinds of agents."""

    position: Float64Array  #: (n, 2) float64 units of the plane
    terrain: UInt8Array  #: (n) uint8, index into the terrains of all kinds
    #: (m) int32
    tail: Int32Array
    head: Int32Array
    length: Float64Array  #: (m) float64 units, positive
    mesh: Mesh | None = None  #: polygons, if the division has any
    walls: Walls | None = None  #: walls around the points, if the division has any
    remarks: tuple[Remark, ...] = ()  #: probable mistakes of its author
    names: tuple[str, ...] | None = None  #: names of the nodes; None = they have numbers


@dataclass(frozen=True)
class GrownGeometry:
    """A level's geometry grown for one kind of agent, and the numbers of its terrains."""

    kind: Kind  #: the agents
    geometry: Geometry  #: the area for their centers
    code: Mapping[str, int]  #: number of each of its terrains among the terrains of all kinds


def links_for(geometry: Geometry, kind: Kind) -> Iterator[tuple[int, OffMeshLink]]:
    """Yield the links for any agent of a kind, with their indices in the level."""
    for at, link in enumerate(geometry.links):
        if link.profiles is None or set(link.profiles) & set(kind.profiles):
            yield at, link


def arcs_of_link(link: OffMeshLink, start: int, goal: int) -> list[tuple[int, int, float]]:
    """Return tail, head and length of each arc of a link between two nodes."""
    straight = float(np.hypot(*np.subtract(link.goal, link.start)))
    length = max(1.0, straight) if link.cost is None else link.cost
    return [(start, goal, length), (goal, start, length)][: 1 + link.both_ways]


def check_taken(geometry: Geometry, taken: Collection[int]) -> None:
    """Raise if some links are closed to every agent.

    Raises:
        LevelError, BakeErrors: there are such links.
    """
    problems = [
        LevelError(
            f"the link {link.name!r} from ({link.start[0]:g}, {link.start[1]:g}) to "
            f"({link.goal[0]:g}, {link.goal[1]:g}) begins or ends where none of its profiles "
            "can stand",
            file=geometry.source,
            place=link.place or None,
            expected="both ends at most one unit from where an agent can be",
            remedy="move its ends, or remove it",
        )
        for at, link in enumerate(geometry.links)
        if at not in taken
    ]
    if problems:
        raise one_error(problems)


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Number repeated names.

    >>> unique_names(["hut", "well", "hut"])
    ('hut', 'well', 'hut 2')
    """
    original, unique = set(names), dict[str, None]()
    for name in names:
        number, other = 2, name
        while other in unique or (other != name and other in original):
            number, other = number + 1, f"{name} {number}"
        unique[other] = None
    return tuple(unique)


def no_room(geometry: Geometry, kind: Kind) -> LevelError:
    """Build the error for a level in which agents of a kind can stand nowhere."""
    return LevelError(
        f"nothing is walkable for profile {kind.profiles[0]!r}",
        file=geometry.source,
        expected="an area of a terrain that has a cost, wider than the agent",
        remedy="give a terrain a cost in [terrain], or lower the profile's radius",
    )
