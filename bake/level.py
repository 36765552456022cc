"""Define levels of all file formats: of cells, of nodes and arcs, or of shapes in the plane.

A level says what is where: terrains, and the links, regions, spots and doors drawn over them. The
recipe says what moving there costs. A level only carries the costs and rules that its own file
format states, and the recipe overrides them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Literal

import numpy as np

from bake.arrays import Float64Array, Int32Array, UInt8Array
from bake.placement import Placement
from levelbake.places import Coordinates, Point
from levelbake.steps import (
    Connectivity,
    CornerCutting,
    CostRule,
    Headings,
    HexLayout,
    in_rows,
    shoved_parity,
)

Cell = tuple[int, int]
Colour = tuple[int, int, int]

#: The largest number of cells a grid may have; 16,384 x 16,384 would be 268 million nodes.
MAX_CELLS = 2**26
MAX_TERRAINS = 255


@dataclass(frozen=True)
class Link:
    """A way between two cells that need not be neighbours: a teleporter, ladder, stair, jump."""

    name: str  #: unique within the level
    kind: str  #: what the file calls it ("teleporter", "stairs"); "link" where it says nothing
    #: start, goal: cells
    start: Cell
    goal: Cell
    #: cost of taking it in units, positive; None = that of the straight way, at least 1
    cost: float | None
    both_ways: bool  #: whether it also leads back, at the same cost
    #: names of the profiles that may take it; None = every profile
    profiles: tuple[str, ...] | None
    place: str  #: where in the file it is, for messages
    #: what the editor calls it by: the id of an object or entity; None where it has none
    id: str | None = None
    #: the cells it passes through, from start to goal and without these. They need not be walkable.
    via: tuple[Cell, ...] = ()
    #: names of the terrains that it passes over though nobody can stand there; on any other such
    #: terrain in ``via`` the link is closed. None = those that ``via`` has as drawn.
    over: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Region:
    """Named cells; regions of a level may become its clusters."""

    name: str  #: unique among the level's regions
    cells: Int32Array  #: (k, 2) int32 (x, y), unique, k >= 1
    place: str  #: where in the file it is, for messages
    id: str | None = None


@dataclass(frozen=True)
class Spot:
    """A named cell that matters to the game."""

    name: str  #: unique among the level's spots
    kind: str  #: "spawn", "exit", or whatever else the file calls it
    cell: Cell
    profiles: tuple[str, ...] | None  #: names of the profiles it is for; None = every profile
    place: str  #: where in the file it is, for messages
    id: str | None = None


@dataclass(frozen=True)
class Door:
    """Cells that change terrain together, between states with names."""

    name: str  #: unique among the level's doors
    cells: Int32Array  #: (k, 2) int32 (x, y), unique, k >= 1
    #: at least two pairs of a state's name and the terrain the cells have in it; None as the
    #: terrain leaves what the map has there
    states: tuple[tuple[str, str | None], ...]
    state: str | None  #: the state the level is baked in; None = none of them
    place: str  #: where in the file it is, for messages
    id: str | None = None
    now: tuple[str, ...] = ()  #: the terrain of the cells where they are in none of the states


@dataclass(frozen=True)
class Prototype:
    """A room or house that a level is built of, drawn once."""

    name: str  #: unique among the level's prototypes
    #: width, height: its cells, as it is drawn
    width: int
    height: int


@dataclass(frozen=True)
class Instance:
    """A place at which a prototype stands in a level."""

    prototype: int  #: its number among the level's prototypes
    placement: Placement  #: where its cells lie
    place: str  #: where in the file it is, for messages

    @property
    def at(self) -> tuple[int, int]:
        return self.placement.at

    @property
    def turn(self) -> int:
        return self.placement.turn


@dataclass(frozen=True)
class Things:
    """All of a level's things, each kind in the order of the file.

    Each thing has the ``id`` of the object or entity it was drawn as, as for :class:`Link`.
    """

    links: tuple[Link, ...] = ()
    regions: tuple[Region, ...] = ()
    spots: tuple[Spot, ...] = ()
    doors: tuple[Door, ...] = ()


@dataclass(frozen=True)
class TerrainRule:
    """What one terrain means for movement."""

    #: cost of crossing one cell in units, positive and finite; None = blocked
    cost: float | None = 1.0
    #: terrains it may be entered from; None = any terrain
    enter_from: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Rules:
    """Movement rules that a file format states; None where it says nothing."""

    connectivity: Connectivity | None = None
    corner_cutting: CornerCutting | None = None
    cost_rule: CostRule | None = None


@dataclass(frozen=True)
class Remark:
    """Something in a file that somebody drew or said, but that does not count."""

    place: str | None  #: where in the file it is; None = no single place
    message: str  #: what does not count, and what to do
    rule: Literal["ignored", "classes"] = "ignored"  #: the rule of `bake lint` that it belongs to


#: Which points lie inside rings that cross: those that a ray leaves an odd number of times, or
#: those that the rings wind around at all.
FillRule = Literal["evenodd", "nonzero"]


@dataclass(frozen=True)
class Shape:
    """An area of one terrain in the plane that a level is drawn in."""

    terrain: str  #: what lies there
    #: (k, 2) float64 corners each, the last one joined to the first; holes are rings, too
    rings: tuple[Float64Array, ...]
    fill: FillRule = "evenodd"  #: which points lie inside where rings overlap or cross
    closed: bool = True  #: False = lines, which only block the way
    floor: int = 0  #: place of its floor among those of the level, from 0
    place: str = ""  #: where in the file it is, for messages


@dataclass(frozen=True)
class OffMeshLink:
    """A way between points of the plane that walking does not join: a jump, a ladder, a portal."""

    name: str  #: for messages, unique within the level
    #: start, goal: points
    start: Point
    goal: Point
    #: start_floor, goal_floor: places of their floors, from 0
    start_floor: int = 0
    goal_floor: int = 0
    #: length of taking it, positive; None = the straight way's, at least 1
    cost: float | None = None
    both_ways: bool = False  #: whether it also leads back, at the same cost
    #: names of the profiles that may take it; None = every profile
    profiles: tuple[str, ...] | None = None
    place: str = ""  #: where in the file it is, for messages


@dataclass(frozen=True)
class CharacteristicPoint:
    """A point of the plane that stands for the places nearest to it: its Dirichlet domain."""

    name: str  #: what its node is called
    point: Point  #: where it is
    #: how much higher its cone is than that of a point without weight, 0 or more
    weight: float = 0.0
    floor: int = 0  #: place of its floor among those of the level, from 0
    place: str = ""  #: where in the file it is, for messages
    joins: tuple[int, ...] = ()  #: which of the level's points it is joined to by hand
    apart: tuple[int, ...] = ()  #: and to which it is not, though their domains may border
    #: corners of a part of the plane that is its domain, whatever is nearest; empty = none is drawn
    domain: tuple[Point, ...] = ()
    named: bool = True  #: whether the level gives the name; False = it is for messages alone


@dataclass(frozen=True)
class Polygons:
    """Convex polygons that a file gives in place of shapes."""

    vertex: Float64Array  #: (v, 2) float64 points
    #: (p + 1) int32; corners of polygon i are first_corner[i] to first_corner[i + 1] - 1
    first_corner: Int32Array
    corner: Int32Array  #: (c) int32 vertices, around each polygon in either direction
    terrain: UInt8Array  #: (p) uint8 index into the level's terrains
    floor: Int32Array  #: (p) int32 places of their floors, from 0
    places: tuple[str, ...]  #: (p) where in the file each is, for messages


@dataclass(frozen=True)
class GeometryLevel:
    """A level of shapes in the plane, which has to be divided before there is a graph of it."""

    name: str  #: the file's name without its extension
    source: Path  #: the file it was read from
    #: in the order in which they are painted, a later one over those before; what no shape covers
    #: is void
    shapes: tuple[Shape, ...]
    terrains: tuple[str, ...]  #: unique names
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    links: tuple[OffMeshLink, ...] = ()  #: ways that walking does not join
    polygons: Polygons | None = None  #: a mesh that the file gives; then there are no shapes
    points: tuple[CharacteristicPoint, ...] = ()  #: characteristic points, for Dirichlet domains
    depends_on: tuple[Path, ...] = ()
    remarks: tuple[Remark, ...] = ()  #: what was drawn in the file, but does not count
    #: entries of the recipe's legend for its format that it has nothing for
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True)
class GridLevel:
    """A level of cells."""

    name: str  #: the file's name without its extension
    source: Path  #: the file it was read from
    terrain: UInt8Array  #: (height, width) uint8, index into ``terrains``
    terrains: tuple[str, ...]  #: unique names, each used or declared by the file
    #: costs stated by the file itself, by terrain name (may be empty)
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    #: display colours by terrain name, where the file states one
    colours: Mapping[str, Colour] = field(default_factory=dict)
    hex_layout: HexLayout | None = None  #: offset layout of a hexagonal grid; None = square
    rules: Rules = Rules()  #: movement rules the format states
    #: (height, width) uint8 headings of :mod:`bake.movement`, or None: one-way ledges. A step onto
    #: or off the cell is not made if it has one of these headings, as a diagonal step has two.
    barred: UInt8Array | None = None
    #: (height, width) float64 units, finite: how high the ground of each cell lies; None = nothing
    #: is said
    elevation: Float64Array | None = None
    #: rows of one floor where several floors lie below one another in ``terrain``, the lowest
    #: number first; None = one floor. No step leads from one floor to the next, only links do.
    floor_height: int | None = None
    #: how many ways an agent can face, where each floor is the level as faced one of these ways
    #: (see :func:`bake.worlds.headings.headed`); None = nobody faces any way
    headings: Headings | None = None
    #: links, regions, spots and doors, in cells of ``terrain``
    things: Things = field(default_factory=Things)
    #: prototypes, instances: what some of the cells are built of; instances share no cell. Who
    #: takes no notice of them still has the whole level in ``terrain``.
    prototypes: tuple[Prototype, ...] = ()
    instances: tuple[Instance, ...] = ()
    #: where its cells lie in the plane it is drawn in; None = the file says nothing
    coordinates: Coordinates | None = None
    depends_on: tuple[Path, ...] = ()  #: every other file the level was read from
    #: by terrain, keys of a legend that would say more than the terrain's name does
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()  #: what was drawn in the file, but does not count
    #: entries of the recipe's legend for its format that it has nothing for
    unmatched: tuple[str, ...] = ()
    #: areas drawn over the cells, in the plane; only where reading was asked to keep them as they
    #: are, and ``terrain`` is without them then
    shapes: tuple[Shape, ...] = ()

    @property
    def width(self) -> int:
        return int(self.terrain.shape[1])

    @property
    def height(self) -> int:
        return int(self.terrain.shape[0])


@dataclass(frozen=True)
class Mesh:
    """A navigation mesh: convex polygons, on a grid of 1/1024 of a unit of the plane.

    Polygons of one floor and one kind of agent do not overlap. Two of them are neighbours where
    they share a whole edge.
    """

    vertex: Int32Array  #: (v, 2) int32 steps of the grid
    #: (p + 1) int32; corners of polygon i are first_corner[i] to first_corner[i + 1] - 1, so that
    #: its area lies to the left as y grows upward
    first_corner: Int32Array
    corner: Int32Array  #: (c) int32 vertices
    #: (c) int32, the polygon behind the edge that begins at the corner; -1 = a wall
    neighbour: Int32Array
    terrain: UInt8Array  #: (p) uint8 index into the level's terrains
    floor: UInt8Array  #: (p) uint8 places of their floors, from 0
    first_node: Int32Array  #: (p + 1) int32, likewise of ``node``
    #: (k) int32, nodes of the level that lie in each polygon or on its border, at least one
    node: Int32Array


@dataclass(frozen=True)
class Walls:
    """The walls around the areas that agents' middles may be in, on a grid of 1/1024 of a unit.

    There is one area for each floor and kind of agent; it lies to the left of its walls as y grows
    upward. Where walls meet in a point, each part of the area that begins there has a corner of its
    own.
    """

    corner: Int32Array  #: (w, 2) int32 steps of the grid
    after: Int32Array  #: (w) int32, the corner that the wall which begins at each corner leads to
    #: (a + 1) int32; corners of area i are first_corner[i] to first_corner[i + 1] - 1
    first_corner: Int32Array
    floor: UInt8Array  #: (a) uint8 places of their floors, from 0
    area: Int32Array  #: (n) int32, the area that each node of the level lies in
    #: (w) int32, the node that is the corner, -1 = none; None where nodes are no corners
    node: Int32Array | None = None
    #: (n) float64 units, how high the cone of each node stands; None where nodes are no
    #: characteristic points
    weight: Float64Array | None = None
    #: (d, 2) int32 steps of the grid, corners of domains drawn by hand, closed ring after ring, or
    #: None
    domain_corner: Int32Array | None = None
    domain_node: Int32Array | None = None  #: (d) int32, the node of each; one ring a node


@dataclass(frozen=True)
class GraphLevel:
    """A level given as an explicit graph, or as one that the plane was divided into."""

    name: str  #: the file's name without its extension
    source: Path  #: the file it was read from
    node_names: tuple[str, ...] | tuple[int, ...]  #: n unique names, all str or all int
    position: Float64Array | None  #: (n, 2) float64, or None where the file gives none
    #: tail, head: (m) int32 arcs; an undirected edge is two arcs
    tail: Int32Array
    head: Int32Array
    length: Float64Array  #: (m) float64, from 0, finite; 0 counts as one tick
    node_terrain: UInt8Array  #: (n) uint8 index into ``terrains``
    terrains: tuple[str, ...]  #: unique names; ("ground",) where the file names none
    directed: bool  #: whether the file says that the graph is directed
    #: unique names of regions, in the order in which the nodes name them
    region_names: tuple[str, ...] = ()
    #: (n) int32 index into ``region_names``, -1 = in none
    node_region: Int32Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    #: (n) float64 units, finite: the third coordinate; None where the file gives none
    elevation: Float64Array | None = None
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    depends_on: tuple[Path, ...] = ()
    #: for each terrain of a divided plane, what it is called in the file, and the profiles that may
    #: stand there; empty where the graph was given
    areas: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    mesh: Mesh | None = None  #: the polygons that the plane was divided into
    walls: Walls | None = None  #: those around points of visibility and Dirichlet domains
    remarks: tuple[Remark, ...] = ()  #: of a divided plane: as of GridLevel, and on the mesh
    unmatched: tuple[str, ...] = ()  #: of a divided plane: as of GridLevel


Level = GridLevel | GraphLevel

#: What a file holds: levels, or shapes that are divided into a level of a graph.
Drawn = GridLevel | GraphLevel | GeometryLevel

#: How a level is divided into nodes: cells of a grid, polygons of a navigation mesh, points of
#: visibility, or Dirichlet domains.
Division = Literal["cells", "mesh", "visibility", "dirichlet", "waypoints"]

#: Where the nodes of a navigation mesh lie: in the centre of each polygon, in the middle of each
#: shared edge, or at both ends of it, too.
MeshNodes = Literal["centre", "edge", "portal"]


def upright(
    cell_size: float | Point, origin: Point = (0.0, 0.0), layout: HexLayout | None = None
) -> Coordinates:
    """Return coordinates of cells that are not turned.

    Args:
        cell_size: width and height; those of a hexagon are those of the box around it. Of one
            number come squares, or regular hexagons with this distance between opposite sides.
        origin: the top left corner of the grid, which cells that are not shifted touch.
        layout: of a hexagonal grid.
    """
    if isinstance(cell_size, tuple):
        width, height = cell_size
    else:
        long = cell_size * 2 / sqrt(3)
        width = long if layout is not None and not in_rows(layout) else cell_size
        height = long if layout is not None and in_rows(layout) else cell_size
    x, y = origin[0] + width / 2, origin[1] + height / 2
    if layout is None:
        return Coordinates(((x, y),), (width, 0.0), (0.0, height))
    shifted = 0.0 if shoved_parity(layout) else 0.5
    # The corners of a hexagon reach a quarter of its length into the lines beside its own.
    if in_rows(layout):
        centre, east, south = (x + shifted * width, y), (width, 0.0), (0.0, 0.75 * height)
        return Coordinates((centre,), east, south, height / 2)
    centre, east, south = (x, y + shifted * height), (0.75 * width, 0.0), (0.0, height)
    return Coordinates((centre,), east, south, width / 2)
