"""Levels of all file formats: grids of cells, graphs, or shapes in the plane.

A level describes positions: terrains, and the links, regions, spots and doors drawn over them. The
recipe defines the cost of movement. A level contains only the costs and rules that its own file
format states, and the recipe overrides them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Literal

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, UInt8Array
from bake.core.placement import Placement
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
    """A connection between two cells, neighbors or not: a teleporter, ladder, stair, jump."""

    name: str  #: unique within the level
    kind: str  #: the kind in the file ("teleporter", "stairs"); "link" by default
    #: start and goal cells
    start: Cell
    goal: Cell
    #: cost in units, positive; None = the straight distance, at least 1
    cost: float | None
    both_ways: bool  #: whether it is bidirectional, at the same cost
    #: names of the profiles that may take it; None = every profile
    profiles: tuple[str, ...] | None
    place: str  #: where in the file it is, for messages
    #: the editor's id of the object or entity; None without one
    id: str | None = None
    #: the cells it passes through, without start and goal, in order. They need not be walkable.
    via: tuple[Cell, ...] = ()
    #: names of blocked terrains that it passes over; on any other blocked terrain in ``via`` the
    #: link is closed. None = the terrains of ``via`` as drawn.
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
    """Cells that change terrain together, between named states."""

    name: str  #: unique among the level's doors
    cells: Int32Array  #: (k, 2) int32 (x, y), unique, k >= 1
    #: at least two pairs of a state's name and the terrain of the cells in it; None stands for the
    #: terrain of the map
    states: tuple[tuple[str, str | None], ...]
    state: str | None  #: the state the level is baked in; None = none of them
    place: str  #: where in the file it is, for messages
    id: str | None = None
    now: tuple[str, ...] = ()  #: the terrain of the cells where they are in none of the states


@dataclass(frozen=True)
class Prototype:
    """A room or house that is drawn once and placed in a level any number of times."""

    name: str  #: unique among the level's prototypes
    #: its size in cells, as it is drawn
    width: int
    height: int


@dataclass(frozen=True)
class Instance:
    """A copy of a prototype in a level."""

    prototype: int  #: the index of its prototype in the level
    placement: Placement  #: the position of its cells
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

    Each thing has the ``id`` of its object or entity, as for :class:`Link`.
    """

    links: tuple[Link, ...] = ()
    regions: tuple[Region, ...] = ()
    spots: tuple[Spot, ...] = ()
    doors: tuple[Door, ...] = ()


@dataclass(frozen=True)
class TerrainRule:
    """The meaning of one terrain for movement.

    >>> TerrainRule(2.5, enter_from=("road",))
    TerrainRule(cost=2.5, enter_from=('road',))
    """

    #: cost of crossing one cell in units, positive and finite; None = blocked
    cost: float | None = 1.0
    #: terrains from which it may be entered; None = any terrain
    enter_from: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Rules:
    """Movement rules that a file format states; None where it states nothing."""

    connectivity: Connectivity | None = None
    corner_cutting: CornerCutting | None = None
    cost_rule: CostRule | None = None


@dataclass(frozen=True)
class Remark:
    """Something in a file that has no effect, which `bake lint` reports."""

    place: str | None  #: where in the file it is; None = no single place
    message: str  #: what has no effect, and what to do
    rule: Literal["ignored", "classes"] = "ignored"  #: the rule of `bake lint` that it belongs to


#: The points inside rings that cross: those from which a ray crosses the rings an odd number of
#: times, or those that the rings wind around at all.
FillRule = Literal["evenodd", "nonzero"]


@dataclass(frozen=True)
class Shape:
    """An area of one terrain in the plane of a level."""

    terrain: str  #: its terrain
    #: (k, 2) float64 corners each, the last one joined to the first; holes are rings, too
    rings: tuple[Float64Array, ...]
    fill: FillRule = "evenodd"  #: the points inside, where rings overlap or cross
    closed: bool = True  #: False = lines, which only block movement
    floor: int = 0  #: the index of its floor, from 0
    place: str = ""  #: where in the file it is, for messages


@dataclass(frozen=True)
class OffMeshLink:
    """A connection between points of the plane other than walking: a jump, a ladder, a portal."""

    name: str  #: for messages, unique within the level
    #: start and goal points
    start: Point
    goal: Point
    #: the numbers of their floors, from 0
    start_floor: int = 0
    goal_floor: int = 0
    #: its length, positive; None = the straight distance, at least 1
    cost: float | None = None
    both_ways: bool = False  #: whether it is bidirectional, at the same cost
    #: names of the profiles that may take it; None = every profile
    profiles: tuple[str, ...] | None = None
    place: str = ""  #: where in the file it is, for messages


@dataclass(frozen=True)
class CharacteristicPoint:
    """A point of the plane that represents its Dirichlet domain, the points nearest to it."""

    name: str  #: the name of its node
    point: Point  #: where it is
    #: the extra height of its cone over a point without weight, 0 or more
    weight: float = 0.0
    floor: int = 0  #: the index of its floor, from 0
    place: str = ""  #: where in the file it is, for messages
    joins: tuple[int, ...] = ()  #: the points that are joined to it by hand
    apart: tuple[int, ...] = ()  #: and the points that are not, even if their domains border
    #: corners of a polygon that overrides its domain; empty = none is drawn
    domain: tuple[Point, ...] = ()
    named: bool = True  #: whether the name is in the file; False = only for messages


@dataclass(frozen=True)
class Polygons:
    """Convex polygons that a file contains in place of shapes."""

    vertex: Float64Array  #: (v, 2) float64 points
    #: (p + 1) int32; corners of polygon i are first_corner[i] to first_corner[i + 1] - 1
    first_corner: Int32Array
    corner: Int32Array  #: (c) int32 vertices, around each polygon in either direction
    terrain: UInt8Array  #: (p) uint8 index into the level's terrains
    floor: Int32Array  #: (p) int32 places of their floors, from 0
    places: tuple[str, ...]  #: (p) where in the file each is, for messages


@dataclass(frozen=True)
class GeometryLevel:
    """A level of shapes in the plane, which must be divided before it becomes a graph."""

    name: str  #: the file's name without its extension
    source: Path  #: the file it was read from
    #: in the order of painting, later shapes over earlier ones; points outside all shapes are void
    shapes: tuple[Shape, ...]
    terrains: tuple[str, ...]  #: unique names
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    links: tuple[OffMeshLink, ...] = ()  #: connections that walking does not join
    polygons: Polygons | None = None  #: a mesh in the file; then there are no shapes
    points: tuple[CharacteristicPoint, ...] = ()  #: characteristic points, for Dirichlet domains
    depends_on: tuple[Path, ...] = ()
    remarks: tuple[Remark, ...] = ()  #: what was drawn in the file, but does not count
    #: entries of the recipe's legend for its format that match nothing in it
    unmatched: tuple[str, ...] = ()

    def __repr__(self) -> str:
        polygons = self.polygons
        shapes = len(self.shapes) if polygons is None else len(polygons.terrain)
        what = f"{shapes} {'shapes' if polygons is None else 'polygons'}"
        return f"<GeometryLevel {self.name!r}: {what}, {len(self.terrains)} terrains>"


@dataclass(frozen=True)
class GridLevel:
    """A level of cells."""

    name: str  #: the file's name without its extension
    source: Path  #: the file it was read from
    terrain: UInt8Array  #: (height, width) uint8, index into ``terrains``
    terrains: tuple[str, ...]  #: unique names, each used or declared by the file
    #: costs stated by the file itself, by terrain name (may be empty)
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    #: display colors by terrain name, if the file states them
    colours: Mapping[str, Colour] = field(default_factory=dict)
    hex_layout: HexLayout | None = None  #: offset layout of a hexagonal grid; None = square
    rules: Rules = Rules()  #: movement rules the format states
    #: (height, width) uint8 headings of :mod:`bake.core.movement`, or None: one-way ledges. A step
    #: onto or off the cell is blocked if it has one of these headings; a diagonal step has two.
    barred: UInt8Array | None = None
    #: (height, width) float64 units, finite: the elevation of each cell's ground; None = not stated
    elevation: Float64Array | None = None
    #: rows of one floor if several floors are stored below one another in ``terrain``, the lowest
    #: number first; None = one floor. No step leads from one floor to the next, only links do.
    floor_height: int | None = None
    #: the number of directions an agent can face, where each floor is the level in one of them (see
    #: :func:`bake.worlds.headings.headed`); None = agents face no direction
    headings: Headings | None = None
    #: links, regions, spots and doors, in cells of ``terrain``
    things: Things = field(default_factory=Things)
    #: copies of prototypes in the level; instances share no cell. ``terrain`` includes their cells,
    #: so code may ignore both fields.
    prototypes: tuple[Prototype, ...] = ()
    instances: tuple[Instance, ...] = ()
    #: the position of its cells in the plane of the drawing; None = not stated
    coordinates: Coordinates | None = None
    depends_on: tuple[Path, ...] = ()  #: every other file the level was read from
    #: by terrain, keys of a legend that would be more specific than the terrain's name
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()  #: what was drawn in the file, but does not count
    #: entries of the recipe's legend for its format that match nothing in it
    unmatched: tuple[str, ...] = ()
    #: areas drawn over the cells, in the plane; set only if the reader was asked to preserve them,
    #: and then ``terrain`` excludes them
    shapes: tuple[Shape, ...] = ()

    def __repr__(self) -> str:
        kind = "square" if self.hex_layout is None else f"hexagonal ({self.hex_layout})"
        what = f"{self.width} x {self.height} {kind} cells, {len(self.terrains)} terrains"
        return f"<GridLevel {self.name!r}: {what}>"

    @property
    def width(self) -> int:
        return int(self.terrain.shape[1])

    @property
    def height(self) -> int:
        return int(self.terrain.shape[0])


@dataclass(frozen=True)
class Mesh:
    """A navigation mesh: convex polygons, on a grid of 1/1024 of a unit of the plane.

    Polygons of one floor and one kind of agent do not overlap. Two of them are neighbors if they
    share a whole edge.
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
    first_node: Int32Array  #: (p + 1) int32, offsets into ``node``
    #: (k) int32, nodes of the level in each polygon or on its border, at least one
    node: Int32Array


@dataclass(frozen=True)
class Walls:
    """The walls around the areas for agents' centers, on a grid of 1/1024 of a unit.

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
    #: (w) int32, the node at the corner, -1 = none; None if nodes are not corners
    node: Int32Array | None = None
    #: (n) float64 units, the height of each node's cone; None if nodes are not characteristic
    #: points
    weight: Float64Array | None = None
    #: (d, 2) int32 steps of the grid, corners of domains drawn by hand, one closed ring after
    #: another, or None
    domain_corner: Int32Array | None = None
    domain_node: Int32Array | None = None  #: (d) int32, the node of each; one ring a node


@dataclass(frozen=True)
class GraphLevel:
    """A level given as an explicit graph, or derived from a division of the plane."""

    name: str  #: the file's name without its extension
    source: Path  #: the file it was read from
    node_names: tuple[str, ...] | tuple[int, ...]  #: n unique names, all str or all int
    position: Float64Array | None  #: (n, 2) float64, or None where the file gives none
    #: (m) int32 tails and heads of the arcs; an undirected edge is two arcs
    tail: Int32Array
    head: Int32Array
    length: Float64Array  #: (m) float64, from 0, finite; 0 counts as one tick
    node_terrain: UInt8Array  #: (n) uint8 index into ``terrains``
    terrains: tuple[str, ...]  #: unique names; ("ground",) where the file names none
    directed: bool  #: whether the file declares the graph as directed
    #: unique names of regions, in the order in which the nodes name them
    region_names: tuple[str, ...] = ()
    #: (n) int32 index into ``region_names``, -1 = in no region
    node_region: Int32Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    #: (n) float64 units, finite: the third coordinate; None if the file has none
    elevation: Float64Array | None = None
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    depends_on: tuple[Path, ...] = ()
    #: for each terrain of a divided plane, its name in the file, and the profiles that may stand
    #: there; empty if the graph was given
    areas: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    mesh: Mesh | None = None  #: the polygons that the plane was divided into
    walls: Walls | None = None  #: those around points of visibility and Dirichlet domains
    remarks: tuple[Remark, ...] = ()  #: of a divided plane: as of GridLevel, and on the mesh
    unmatched: tuple[str, ...] = ()  #: of a divided plane: as of GridLevel

    def __repr__(self) -> str:
        what = f"{len(self.node_names)} nodes, {len(self.head)} arcs, {len(self.terrains)} terrains"
        return f"<GraphLevel {self.name!r}: {what}>"


Level = GridLevel | GraphLevel

#: The content of a level file: a level, or shapes that are divided into a graph level.
Drawn = GridLevel | GraphLevel | GeometryLevel

#: How a level is divided into nodes: cells of a grid, polygons of a navigation mesh, points of
#: visibility, Dirichlet domains, or waypoints.
Division = Literal["cells", "mesh", "visibility", "dirichlet", "waypoints"]

#: The nodes of a navigation mesh: the center of each polygon, the middle of each shared edge, or
#: the middle and both ends.
MeshNodes = Literal["centre", "edge", "portal"]


def upright(
    cell_size: float | Point, origin: Point = (0.0, 0.0), layout: HexLayout | None = None
) -> Coordinates:
    """Return coordinates of cells that are not rotated.

    Args:
        cell_size: width and height; for a hexagon, of the box around it. A single number means
            squares, or regular hexagons with this distance between opposite sides.
        origin: the top left corner of the grid, which cells that are not shifted touch.
        layout: of a hexagonal grid.

    >>> upright(16, origin=(100, 0))
    Coordinates(centres=((108.0, 8.0),), east=(16, 0.0), south=(0.0, 16), side=0.0)
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
    # A hexagon's corners reach into the adjacent lines by a quarter of its length.
    if in_rows(layout):
        centre, east, south = (x + shifted * width, y), (width, 0.0), (0.0, 0.75 * height)
        return Coordinates((centre,), east, south, height / 2)
    centre, east, south = (x, y + shifted * height), (0.75 * width, 0.0), (0.0, height)
    return Coordinates((centre,), east, south, width / 2)
