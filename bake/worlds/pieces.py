"""Define what a division is given, and what it makes: nodes and arcs of the plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bake.arrays import Float64Array, Int32Array, UInt8Array
from bake.geometry import Geometry
from bake.level import Mesh, Walls


class Kind(NamedTuple):
    """Agents that find the same places walkable."""

    radius: float  #: of all of them, in units of the plane
    terrains: frozenset[str]  #: what at least one of them may stand on
    profiles: tuple[str, ...]  #: their names


@dataclass(frozen=True)
class Pieces:
    """What a division makes of a level for all kinds of agents."""

    position: Float64Array  #: (n, 2) float64 units of the plane
    terrain: UInt8Array  #: (n) uint8, index into the terrains of all kinds
    #: tail, head: (m) int32
    tail: Int32Array
    head: Int32Array
    length: Float64Array  #: (m) float64 units, positive
    mesh: Mesh | None = None  #: polygons, if the division has any
    walls: Walls | None = None  #: around points that see each other, likewise


@dataclass(frozen=True)
class Grown:
    """A level's geometry for one kind of agent, and the numbers of its terrains."""

    kind: Kind  #: the agents
    geometry: Geometry  #: where their middles may be
    code: Mapping[str, int]  #: number of each of its terrains among those of all kinds
