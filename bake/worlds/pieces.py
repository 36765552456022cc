"""Define what a division is given, and what it makes: nodes and arcs of the plane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bake.arrays import Float64Array, Int32Array, UInt8Array
from bake.geometry import Geometry
from bake.level import Mesh, Walls


class Kind(NamedTuple):
    """Agents that find the same places walkable.

    Attributes:
        radius: of all of them, in units of the plane.
        terrains: what at least one of them may stand on.
        profiles: their names.
    """

    radius: float
    terrains: frozenset[str]
    profiles: tuple[str, ...]


@dataclass(frozen=True)
class Pieces:
    """What a division makes of a level for all kinds of agents.

    Attributes:
        position: (n, 2) float64 units of the plane.
        terrain: (n) uint8, index into the terrains of all kinds.
        tail, head: (m) int32.
        length: (m) float64 units, positive.
        mesh: polygons, if the division has any.
        walls: around points that see each other, likewise.
    """

    position: Float64Array
    terrain: UInt8Array
    tail: Int32Array
    head: Int32Array
    length: Float64Array
    mesh: Mesh | None = None
    walls: Walls | None = None


@dataclass(frozen=True)
class Grown:
    """A level's geometry for one kind of agent, and the numbers of its terrains.

    Attributes:
        kind: the agents.
        geometry: where their middles may be.
        code: number of each of its terrains among those of all kinds.
    """

    kind: Kind
    geometry: Geometry
    code: Mapping[str, int]
