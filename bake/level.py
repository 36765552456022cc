"""What a level is, whatever file it came from: a :class:`GridLevel` or a :class:`GraphLevel`.

A level says what is where. What it costs to move there is the recipe's to say; a level only
carries the costs and rules its own file format states, and the recipe overrides them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bake.arrays import Float64Array, Int32Array, UInt8Array
from bake.things import Things

Colour = tuple[int, int, int]
HexLayout = Literal["odd-r", "even-r", "odd-q", "even-q"]
Connectivity = Literal[4, 6, 8]
CornerCutting = Literal["never", "one_free", "always"]
CostRule = Literal["mean", "entered"]

#: Largest number of cells a grid may have; 16,384 x 16,384 would already be 268 million nodes.
MAX_CELLS = 2**26
MAX_TERRAINS = 255


@dataclass(frozen=True)
class TerrainRule:
    """What one terrain means for movement.

    Attributes:
        cost: cost of crossing one cell in units, positive and finite; None = blocked.
        enter_from: terrains it may be entered from; None = from any.
    """

    cost: float | None = 1.0
    enter_from: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Rules:
    """Movement rules a file format states by itself; None where it says nothing."""

    connectivity: Connectivity | None = None
    corner_cutting: CornerCutting | None = None
    cost_rule: CostRule | None = None


@dataclass(frozen=True)
class GridLevel:
    """A level of cells.

    Attributes:
        name: file name without its extension.
        source: the file it was read from.
        terrain: (height, width) uint8, index into ``terrains``.
        terrains: names, each used or declared by the file, unique.
        terrain_rules: costs stated by the file itself, by terrain name (may be empty).
        colours: display colour by terrain name, where the file knows one.
        hex_layout: offset layout of a hexagonal grid; None = square.
        rules: movement rules the format states.
        barred: (height, width) uint8 or None, bits of :mod:`bake.things`: a step onto or off the
            cell that heads that way (a diagonal one: in part) is not made. One-way ledges.
        floor_height: rows of one floor where several floors lie below one another in ``terrain``,
            the lowest number first; None = one floor. No step leads from one floor to the next,
            only links do.
        things: links, regions, spots and doors, in cells of ``terrain``.
        depends_on: every other file the level was read from.
    """

    name: str
    source: Path
    terrain: UInt8Array
    terrains: tuple[str, ...]
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    hex_layout: HexLayout | None = None
    rules: Rules = Rules()
    barred: UInt8Array | None = None
    floor_height: int | None = None
    things: Things = field(default_factory=Things)
    depends_on: tuple[Path, ...] = ()

    @property
    def width(self) -> int:
        return int(self.terrain.shape[1])

    @property
    def height(self) -> int:
        return int(self.terrain.shape[0])


@dataclass(frozen=True)
class GraphLevel:
    """A level given as an explicit graph.

    Attributes:
        name: file name without its extension.
        source: the file it was read from.
        node_names: n names, all str or all int, unique.
        position: (n, 2) float64, or None where the file gives none.
        tail, head: (m) int32 arcs; an undirected edge is two arcs.
        length: (m) float64, positive and finite.
        node_terrain: (n) uint8 index into ``terrains``.
        terrains: names, unique; ("ground",) where the file names none.
        directed: as the file says.
    """

    name: str
    source: Path
    node_names: tuple[str, ...] | tuple[int, ...]
    position: Float64Array | None
    tail: Int32Array
    head: Int32Array
    length: Float64Array
    node_terrain: UInt8Array
    terrains: tuple[str, ...]
    directed: bool
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    depends_on: tuple[Path, ...] = ()


Level = GridLevel | GraphLevel
