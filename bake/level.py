"""Define levels of all file formats: of cells, of nodes and arcs, or of shapes in the plane.

A level says what is where: terrains, and the links, regions, spots and doors drawn over them. The
recipe says what moving there costs. A level only carries the costs and rules that its own file
format states, and the recipe overrides them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from bake.arrays import Float64Array, Int32Array, UInt8Array
from bake.coordinates import Coordinates, Point
from bake.hexagons import HexLayout
from bake.movement.rules import Connectivity, CornerCutting, CostRule, Headings
from bake.placement import Placement

Cell = tuple[int, int]
Colour = tuple[int, int, int]

#: The largest number of cells a grid may have; 16,384 x 16,384 would be 268 million nodes.
MAX_CELLS = 2**26
MAX_TERRAINS = 255


@dataclass(frozen=True)
class Link:
    """A way between two cells that need not be neighbours: a teleporter, ladder, stair, jump.

    Attributes:
        name: unique within the level.
        kind: what the file calls it ("teleporter", "stairs"); "link" where it says nothing.
        start, goal: cells.
        cost: cost of taking it in units, positive; None = that of the straight way, at least 1.
        both_ways: whether it also leads back, at the same cost.
        profiles: names of the profiles that may take it; None = every profile.
        place: where in the file it is, for messages.
        id: what the editor calls it by: the id of an object or entity; None where it has none.
        via: the cells it passes through, from start to goal and without these. They need not be
            walkable.
        over: names of the terrains that it passes over though nobody can stand there; on any other
            such terrain in ``via`` the link is closed. None = those that ``via`` has as drawn.
    """

    name: str
    kind: str
    start: Cell
    goal: Cell
    cost: float | None
    both_ways: bool
    profiles: tuple[str, ...] | None
    place: str
    id: str | None = None
    via: tuple[Cell, ...] = ()
    over: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Region:
    """Named cells; regions of a level may become its clusters.

    Attributes:
        name: unique among the level's regions.
        cells: (k, 2) int32 (x, y), unique, k >= 1.
        place: where in the file it is, for messages.
    """

    name: str
    cells: Int32Array
    place: str
    id: str | None = None


@dataclass(frozen=True)
class Spot:
    """A named cell that matters to the game.

    Attributes:
        name: unique among the level's spots.
        kind: "spawn", "exit", or whatever else the file calls it.
        cell: the cell.
        profiles: names of the profiles it is for; None = every profile.
        place: where in the file it is, for messages.
    """

    name: str
    kind: str
    cell: Cell
    profiles: tuple[str, ...] | None
    place: str
    id: str | None = None


@dataclass(frozen=True)
class Door:
    """Cells that change terrain together, between states with names.

    Attributes:
        name: unique among the level's doors.
        cells: (k, 2) int32 (x, y), unique, k >= 1.
        states: at least two pairs of a state's name and the terrain the cells have in it; None as
            the terrain leaves what the map has there.
        state: the state the level is baked in; None = none of them.
        place: where in the file it is, for messages.
        now: the terrain of the cells where they are in none of the states.
    """

    name: str
    cells: Int32Array
    states: tuple[tuple[str, str | None], ...]
    state: str | None
    place: str
    id: str | None = None
    now: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prototype:
    """A room or house that a level is built of, drawn once.

    Attributes:
        name: unique among the level's prototypes.
        width, height: its cells, as it is drawn.
    """

    name: str
    width: int
    height: int


@dataclass(frozen=True)
class Instance:
    """A place at which a prototype stands in a level.

    Attributes:
        prototype: its number among the level's prototypes.
        placement: where its cells lie.
        place: where in the file it is, for messages.
    """

    prototype: int
    placement: Placement
    place: str

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
    """What one terrain means for movement.

    Attributes:
        cost: cost of crossing one cell in units, positive and finite; None = blocked.
        enter_from: terrains it may be entered from; None = any terrain.
    """

    cost: float | None = 1.0
    enter_from: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Rules:
    """Movement rules that a file format states; None where it says nothing."""

    connectivity: Connectivity | None = None
    corner_cutting: CornerCutting | None = None
    cost_rule: CostRule | None = None


@dataclass(frozen=True)
class Remark:
    """Something in a file that somebody drew or said, but that does not count.

    Attributes:
        place: where in the file it is; None = no single place.
        message: what does not count, and what to do.
    """

    place: str | None
    message: str


#: Which points lie inside rings that cross: those that a ray leaves an odd number of times, or
#: those that the rings wind around at all.
FillRule = Literal["evenodd", "nonzero"]


@dataclass(frozen=True)
class Shape:
    """An area of one terrain in the plane that a level is drawn in.

    Attributes:
        terrain: what lies there.
        rings: (k, 2) float64 corners each, the last one joined to the first; holes are rings, too.
        fill: which points lie inside where rings overlap or cross.
        closed: False = lines, which only block the way.
        floor: place of its floor among those of the level, from 0.
        place: where in the file it is, for messages.
    """

    terrain: str
    rings: tuple[Float64Array, ...]
    fill: FillRule = "evenodd"
    closed: bool = True
    floor: int = 0
    place: str = ""


@dataclass(frozen=True)
class OffMeshLink:
    """A way between two points of the plane that walking does not join: a jump, a ladder, a portal.

    Attributes:
        name: for messages, unique within the level.
        start, goal: points.
        start_floor, goal_floor: places of their floors, from 0.
        cost: length of taking it, positive; None = the straight way's, at least 1.
        both_ways: whether it also leads back, at the same cost.
        profiles: names of the profiles that may take it; None = every profile.
        place: where in the file it is, for messages.
    """

    name: str
    start: Point
    goal: Point
    start_floor: int = 0
    goal_floor: int = 0
    cost: float | None = None
    both_ways: bool = False
    profiles: tuple[str, ...] | None = None
    place: str = ""


@dataclass(frozen=True)
class CharacteristicPoint:
    """A point of the plane that stands for the places nearest to it: its Dirichlet domain.

    Attributes:
        name: for messages.
        point: where it is.
        weight: how much higher its cone is than that of a point without weight, 0 or more.
        floor: place of its floor among those of the level, from 0.
        place: where in the file it is, for messages.
    """

    name: str
    point: Point
    weight: float = 0.0
    floor: int = 0
    place: str = ""


@dataclass(frozen=True)
class Polygons:
    """Convex polygons that a file gives in place of shapes.

    Attributes:
        vertex: (v, 2) float64 points.
        first_corner: (p + 1) int32; corners of polygon i are first_corner[i] to
            first_corner[i + 1] - 1.
        corner: (c) int32 vertices, around each polygon in either direction.
        terrain: (p) uint8 index into the level's terrains.
        floor: (p) int32 places of their floors, from 0.
        places: (p) where in the file each is, for messages.
    """

    vertex: Float64Array
    first_corner: Int32Array
    corner: Int32Array
    terrain: UInt8Array
    floor: Int32Array
    places: tuple[str, ...]


@dataclass(frozen=True)
class GeometryLevel:
    """A level of shapes in the plane, which has to be divided before there is a graph of it.

    Attributes:
        name: the file's name without its extension.
        source: the file it was read from.
        shapes: in the order in which they are painted, a later one over those before; what no shape
            covers is void.
        terrains: unique names.
        links: ways that walking does not join.
        polygons: a mesh that the file gives; then there are no shapes.
        points: characteristic points, for Dirichlet domains.
        remarks: what was drawn in the file, but does not count.
    """

    name: str
    source: Path
    shapes: tuple[Shape, ...]
    terrains: tuple[str, ...]
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    links: tuple[OffMeshLink, ...] = ()
    polygons: Polygons | None = None
    points: tuple[CharacteristicPoint, ...] = ()
    depends_on: tuple[Path, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class GridLevel:
    """A level of cells.

    Attributes:
        name: the file's name without its extension.
        source: the file it was read from.
        terrain: (height, width) uint8, index into ``terrains``.
        terrains: unique names, each used or declared by the file.
        terrain_rules: costs stated by the file itself, by terrain name (may be empty).
        colours: display colours by terrain name, where the file states one.
        hex_layout: offset layout of a hexagonal grid; None = square.
        rules: movement rules the format states.
        barred: (height, width) uint8 headings of :mod:`bake.movement`, or None: one-way ledges. A
            step onto or off the cell is not made if it has one of these headings, as a diagonal
            step has two.
        elevation: (height, width) float64 units, finite: how high the ground of each cell lies;
            None = nothing is said.
        floor_height: rows of one floor where several floors lie below one another in ``terrain``,
            the lowest number first; None = one floor. No step leads from one floor to the next,
            only links do.
        headings: how many ways an agent can face, where each floor is the level as faced one of
            these ways (see :func:`bake.worlds.headings.headed`); None = nobody faces any way.
        things: links, regions, spots and doors, in cells of ``terrain``.
        prototypes, instances: what some of the cells are built of; instances share no cell. Who
            takes no notice of them still has the whole level in ``terrain``.
        coordinates: where its cells lie in the plane it is drawn in; None = the file says nothing.
        depends_on: every other file the level was read from.
        hints: by terrain, keys of a legend that would say more than the terrain's name does.
        remarks: what was drawn in the file, but does not count.
        unmatched: entries of the recipe's legend for its format that it has nothing for.
        shapes: areas drawn over the cells, in the plane; only where reading was asked to keep them
            as they are, and ``terrain`` is without them then.
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
    elevation: Float64Array | None = None
    floor_height: int | None = None
    headings: Headings | None = None
    things: Things = field(default_factory=Things)
    prototypes: tuple[Prototype, ...] = ()
    instances: tuple[Instance, ...] = ()
    coordinates: Coordinates | None = None
    depends_on: tuple[Path, ...] = ()
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    remarks: tuple[Remark, ...] = ()
    unmatched: tuple[str, ...] = ()
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

    Attributes:
        vertex: (v, 2) int32 steps of the grid.
        first_corner: (p + 1) int32; corners of polygon i are first_corner[i] to
            first_corner[i + 1] - 1, so that its area lies to the left as y grows upward.
        corner: (c) int32 vertices.
        neighbour: (c) int32, the polygon behind the edge that begins at the corner; -1 = a wall.
        terrain: (p) uint8 index into the level's terrains.
        floor: (p) uint8 places of their floors, from 0.
        first_node: (p + 1) int32, likewise of ``node``.
        node: (k) int32, nodes of the level that lie in each polygon or on its border, at least one.
    """

    vertex: Int32Array
    first_corner: Int32Array
    corner: Int32Array
    neighbour: Int32Array
    terrain: UInt8Array
    floor: UInt8Array
    first_node: Int32Array
    node: Int32Array


@dataclass(frozen=True)
class Walls:
    """The walls around the areas that agents' middles may be in, on a grid of 1/1024 of a unit.

    There is one area for each floor and kind of agent; it lies to the left of its walls as y grows
    upward. Where walls meet in a point, each part of the area that begins there has a corner of its
    own.

    Attributes:
        corner: (w, 2) int32 steps of the grid.
        after: (w) int32, the corner that the wall which begins at each corner leads to.
        first_corner: (a + 1) int32; corners of area i are first_corner[i] to first_corner[i + 1]
            - 1.
        floor: (a) uint8 places of their floors, from 0.
        area: (n) int32, the area that each node of the level lies in.
        node: (w) int32, the node that is the corner, -1 = none; None where nodes are no corners.
        weight: (n) float64 units, how high the cone of each node stands; None where nodes are no
            characteristic points.
    """

    corner: Int32Array
    after: Int32Array
    first_corner: Int32Array
    floor: UInt8Array
    area: Int32Array
    node: Int32Array | None = None
    weight: Float64Array | None = None


@dataclass(frozen=True)
class GraphLevel:
    """A level given as an explicit graph, or as one that the plane was divided into.

    Attributes:
        name: the file's name without its extension.
        source: the file it was read from.
        node_names: n unique names, all str or all int.
        position: (n, 2) float64, or None where the file gives none.
        tail, head: (m) int32 arcs; an undirected edge is two arcs.
        length: (m) float64, positive and finite.
        node_terrain: (n) uint8 index into ``terrains``.
        terrains: unique names; ("ground",) where the file names none.
        directed: whether the file says that the graph is directed.
        region_names: unique names of regions, in the order in which the nodes name them.
        node_region: (n) int32 index into ``region_names``, -1 = in none.
        elevation: (n) float64 units, finite: the third coordinate; None where the file gives none.
        areas: for each terrain of a divided plane, what it is called in the file, and the profiles
            that may stand there; empty where the graph was given.
        mesh: the polygons that the plane was divided into.
        walls: those around points of visibility and Dirichlet domains.
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
    region_names: tuple[str, ...] = ()
    node_region: Int32Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    elevation: Float64Array | None = None
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    depends_on: tuple[Path, ...] = ()
    areas: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    mesh: Mesh | None = None
    walls: Walls | None = None


Level = GridLevel | GraphLevel

#: What a file holds: levels, or shapes that are divided into a level of a graph.
Drawn = GridLevel | GraphLevel | GeometryLevel

#: How a level is divided into nodes: cells of a grid, polygons of a navigation mesh, points of
#: visibility, or Dirichlet domains.
Division = Literal["cells", "mesh", "visibility", "dirichlet"]

#: Where the nodes of a navigation mesh lie: in the centre of each polygon, in the middle of each
#: shared edge, or at both ends of it, too.
MeshNodes = Literal["centre", "edge", "portal"]
