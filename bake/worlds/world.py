"""Worlds: a level as a graph, with node positions and the cost of every arc for each profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.core.errors import CostError, LevelError, one_error
from bake.core.graph import BLOCKED, MAX_WEIGHT, Graph, Metric, positions
from bake.core.level import Drawn, GraphLevel, GridLevel, Level, Link, Mesh, TerrainRule, Walls
from bake.core.movement import NO_LINK, footprints, lengths_of_steps
from bake.core.toml import toml_line
from bake.search.graph.cut_order import cut_order
from bake.worlds.doors import DoorStates, near_doors, settled, standable, steps_at_doors
from bake.worlds.links import LinkArcs, complete_over, link_arcs, link_vias
from levelbake.steps import (
    LEVEL_GROUND,
    Connectivity,
    Footprints,
    HexLayout,
    Lattice,
    MovementRules,
    Mover,
    Prices,
    SlopeRule,
    price_arcs,
    price_steps,
    to_ticks,
)

#: Number of cells whose steps are priced at a time, so that temporary arrays stay in the cache.
# limit: the work is done in parts; lowered by bakes
_CELLS = 2**14


#: Terrains that have a cost in every format, whatever a recipe states.
_NEED_NO_COST = frozenset({"floor", "wall", "void"})


@dataclass(frozen=True)
class AgentProfile:
    """A kind of agent: its name, its rule for every terrain of the level, and its size."""

    name: str  #: unique within an asset
    rules: Mapping[str, TerrainRule]  #: its rule for each terrain, by the terrain's name
    #: cells along one side of its square footprint, whose north-west cell is its position
    size: int = 1
    slope: SlopeRule = LEVEL_GROUND  #: the cost and limit of slopes for it
    radius: float = 0.0  #: of an agent on a divided plane, in units of the plane
    turn: float = 1.0  #: units of a turn by one heading, on levels with headings

    def mover(self, terrains: tuple[str, ...]) -> Mover:
        """Return the profile in numbers, for a level of these terrains."""
        rules = [self.rules[name] for name in terrains]
        cost = np.array(
            [np.nan if rule.cost is None else rule.cost for rule in rules], dtype=np.float64
        )
        allowed = np.ones((len(terrains), len(terrains)), dtype=np.bool_)
        for to, rule in enumerate(rules):
            if rule.enter_from is not None:
                allowed[:, to] = [name in rule.enter_from for name in terrains]
        return Mover(cost, allowed, self.size, self.slope, self.turn)


@dataclass(frozen=True)
class World:
    """A level as a graph.

    Nodes are ordered by cuts, so that neighbors in the level are close in memory. Steps of a
    lattice that no profile can ever use are omitted. The graph includes nodes and arcs that opening
    a door would add, and all arcs of explicit graphs.
    """

    level: Level  #: the level it was built from, with its doors in the state they are baked in
    graph: Graph  #: the graph, of n nodes and m arcs
    node_terrain: UInt8Array  #: (n) uint8, index into the level's terrains
    #: (m) float64, step length in units (1, sqrt 2, or the length of a road); for a link its whole
    #: cost
    length: Float64Array
    #: (m) int32, index into the level's links if an arc is one, otherwise NO_LINK; None if the
    #: level has no links
    link: Int32Array | None
    cell: Int32Array | None  #: (n, 2) int32 (x, y) of each node; None for explicit graphs
    #: (n, 2) float64 of each node of an explicit graph; None without positions
    position: Float64Array | None
    node_names: tuple[str, ...] | tuple[int, ...] | None  #: names of an explicit graph's nodes
    connectivity: Connectivity | None  #: neighbours of a cell; None for explicit graphs
    rules: MovementRules  #: how cells and corners make steps
    movers: Mapping[str, Mover]  #: each profile in numbers, by its name
    metrics: Mapping[str, Metric]  #: the arc weights of each profile, by its name
    doors: tuple[DoorStates, ...] = ()  #: all states of the level's doors
    #: links omitted because no profile can stand at one of their ends
    dead_links: tuple[Link, ...] = ()
    #: (m) float64 units of arcs whose price a patch set, infinite if closed, NaN for all others;
    #: None without such arcs
    own_price: Float64Array | None = None
    #: (n) int32 region of each node of an explicit graph, -1 = none; None if it has no regions
    node_region: Int32Array | None = None
    #: (n) float64, the elevation of each node of an explicit graph; None if its source has none
    elevation: Float64Array | None = None
    mesh: Mesh | None = None  #: the level's polygons, with their nodes as the graph numbers them
    walls: Walls | None = None  #: the level's walls, with the same node numbers

    @property
    def hex_layout(self) -> HexLayout | None:
        """The offset layout of a hexagonal grid; None on any other level."""
        return self.level.hex_layout if isinstance(self.level, GridLevel) else None


def build_world(
    level: Level,
    profiles: Sequence[AgentProfile],
    rules: MovementRules,
    connectivity: Connectivity,
    *,
    strict_links: bool = True,
) -> World:
    """Build the graph of a level and price it for every profile.

    Args:
        level: a level from any reader.
        profiles: at least one; each has a rule for every terrain of the level.
        rules: corner cutting, cost rule, scale.
        connectivity: 4 or 8; hexagonal grids always have 6, and explicit graphs state their arcs.
        strict_links: True = links into cells where no profile can stand are a mistake; False =
            they are omitted.

    Raises:
        LevelError: no profile can stand on any cell, a terrain has no rule, a link leads into a
            wall, or a footprint has several cells on a level without square cells.
        CostError: a step's cost exceeds the integer scale.
    """
    check_terrains(level, profiles)
    check_sizes(level, profiles)
    movers = {profile.name: profile.mover(level.terrains) for profile in profiles}
    if isinstance(level, GridLevel):
        return _grid_world(level, movers, rules, connectivity, strict_links=strict_links)
    return _graph_world(level, movers, rules)


class _Arcs(NamedTuple):
    """Priced arcs between nodes in the level's own order; arcs of one node are in slot order."""

    #: (m) int32 nodes
    tail: Int32Array
    head: Int32Array
    length: Float64Array  #: (m) float64, see :class:`World`
    link: Int32Array  #: (m) int32, see :class:`World`
    weight: Int32Array  #: (profiles, m) int32 ticks, BLOCKED where a profile may not take an arc

    @staticmethod
    def concatenate(parts: Sequence[_Arcs]) -> _Arcs:
        return _Arcs(*(np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True)))


def _grid_world(
    level: GridLevel,
    movers: Mapping[str, Mover],
    rules: MovementRules,
    connectivity: Connectivity,
    *,
    strict_links: bool,
) -> World:
    level, doors = settled(complete_over(level))
    lattice = cells_of(level, connectivity)
    cell = np.flatnonzero(standable(level, movers.values(), doors))
    if not len(cell):
        raise no_standing_error(level)
    node_at = positions(cell, level.terrain.size)
    terrain = level.terrain.reshape(-1)
    ground = None if level.elevation is None else level.elevation.reshape(-1)
    under = {name: footprints(mover, terrain, lattice, ground) for name, mover in movers.items()}
    links, dead = link_arcs(level, node_at, strict=strict_links)
    near_door = near_doors(level, doors, max(mover.size for mover in movers.values()))
    grid = _Grid(level, lattice, under, rules, node_at, node_at >= 0, near_door)
    parts = [
        _step_arcs(grid, cell[first : first + _CELLS]) for first in range(0, len(cell), _CELLS)
    ]
    if level.things.links:
        parts.append(_price_links(grid, cell, links))
    arcs = _Arcs.concatenate(parts)
    node = _node_order(len(cell), arcs)
    cell = cell[node]
    y, x = np.divmod(cell, level.width)
    passable = {name: ~np.isnan(footprint.cost_at(cell)) for name, footprint in under.items()}
    graph, arcs = _renumber(arcs, node)
    return World(
        level,
        graph,
        terrain[cell],
        arcs.length,
        arcs.link if level.things.links else None,
        np.stack([x, y], axis=1).astype(np.int32),
        None,
        None,
        lattice.connectivity,
        rules,
        movers,
        _metrics(arcs, passable, rules),
        doors,
        dead,
    )


def cells_of(level: GridLevel, connectivity: Connectivity | None) -> Lattice:
    """Return the cells of a level and their neighbors; squares have the given connectivity."""
    return Lattice(
        level.width,
        level.height,
        6 if level.hex_layout else connectivity or 8,
        level.hex_layout,
        level.floor_height,
        None if level.barred is None else level.barred.reshape(-1),
        level.headings,
    )


class _Grid(NamedTuple):
    """A grid level and what is needed to price its arcs."""

    level: GridLevel  #: the level, with its doors settled
    lattice: Lattice  #: its cells
    footprints: Mapping[str, Footprints]  #: the footprints of each profile
    rules: MovementRules  #: the rules of movement
    node_at: Int32Array  #: (cells) int32, -1 where no profile can ever stand
    is_node: BoolArray  #: (cells) bool, True if a cell is a node
    #: (cells) bool, see :func:`near_doors`; None without doors
    near_door: BoolArray | None


def _step_arcs(grid: _Grid, cell: Int64Array) -> _Arcs:
    """Price the steps out of some cells that any profile can take, and those near a door."""
    steps = grid.lattice.steps_from(cell)

    def describe(step: int) -> str:
        terrain = grid.level.terrain.reshape(-1)[steps.head.reshape(-1)[step]]
        return step_onto(grid.level, terrain)

    weight = np.stack(
        [
            in_ticks(price_steps(footprint, grid.rules, steps), grid.rules, name, describe)
            for name, footprint in grid.footprints.items()
        ]
    )
    is_usable = (weight != BLOCKED).any(axis=0)
    if grid.near_door is not None:
        is_usable |= steps_at_doors(grid.lattice, steps, grid.is_node, grid.near_door)
    row, slot = np.nonzero(is_usable)
    return _Arcs(
        grid.node_at[cell[row]],
        grid.node_at[steps.head[row, slot]],
        lengths_of_steps(grid.lattice, cell[row], slot),
        np.full(len(row), NO_LINK, dtype=np.int32),
        weight[:, row, slot],
    )


def _price_links(grid: _Grid, cell: Int64Array, arcs: LinkArcs) -> _Arcs:
    """Price the links that any profile can take, and those that begin or end near a door.

    Links with an obstacle on them are included, as blocked.

    Args:
        cell: (n) int64, the cell of each node.
    """
    tail, head, links = cell[arcs.tail], cell[arcs.head], grid.level.things.links

    def describe(arc: int) -> str:
        return f"the link {links[arcs.link[arc]].name!r}"

    weights = []
    for name, footprint in grid.footprints.items():
        open_to = np.array([link.profiles is None or name in link.profiles for link in links])
        prices = price_arcs(footprint, grid.rules, tail, head, arcs.cost, open_to[arcs.link])
        weights.append(in_ticks(prices, grid.rules, name, describe))
    weight = np.stack(weights)
    is_usable = (weight != BLOCKED).any(axis=0)
    if grid.near_door is not None:
        is_usable |= grid.near_door[tail] | grid.near_door[head]
    vias = link_vias(grid.level)
    if vias is not None:
        terrain = grid.level.terrain.reshape(-1)
        for own_weight, footprint in zip(weight, grid.footprints.values(), strict=True):
            own_weight[~vias.clear(footprint.mover.cost, terrain, None)[arcs.link]] = BLOCKED
    return _Arcs(
        arcs.tail[is_usable],
        arcs.head[is_usable],
        arcs.cost[is_usable],
        arcs.link[is_usable],
        weight[:, is_usable],
    )


def _graph_world(level: GraphLevel, movers: Mapping[str, Mover], rules: MovementRules) -> World:
    under = {
        name: footprints(mover, level.node_terrain, None, level.elevation)
        for name, mover in movers.items()
    }
    nodes = np.arange(len(level.node_names))
    passable = {name: ~np.isnan(footprint.cost_at(nodes)) for name, footprint in under.items()}
    if not np.any(list(passable.values())):
        raise no_standing_error(level)
    tail, head = level.tail.astype(np.int64), level.head.astype(np.int64)

    def describe(arc: int) -> str:
        return step_onto(level, level.node_terrain[head[arc]])

    # Every step of a shortest path needs a positive cost, or next hops could form a cycle.
    length = np.where(level.length > 0, level.length, 1 / rules.ticks_per_unit)
    weight = np.stack(
        [
            in_ticks(price_arcs(footprint, rules, tail, head, length, None), rules, name, describe)
            for name, footprint in under.items()
        ]
    )
    # Blocked arcs are included, since nothing else stores their heads for when their ends open.
    none = np.full(len(tail), NO_LINK, dtype=np.int32)
    arcs = _Arcs(level.tail, level.head, length, none, weight)
    node = _node_order(len(nodes), arcs)
    graph, arcs = _renumber(arcs, node)
    return World(
        level,
        graph,
        level.node_terrain[node],
        arcs.length,
        None,
        None,
        None if level.position is None else level.position[node],
        tuple(level.node_names[place] for place in node.tolist()),
        None,
        rules,
        movers,
        _metrics(arcs, {name: footprint[node] for name, footprint in passable.items()}, rules),
        node_region=level.node_region[node] if level.region_names else None,
        elevation=None if level.elevation is None else level.elevation[node],
        mesh=None if level.mesh is None else _renumber_mesh(level.mesh, node),
        walls=None if level.walls is None else _renumber_walls(level.walls, node),
    )


def _renumber_mesh(mesh: Mesh, node: Int32Array) -> Mesh:
    """Return a mesh with its nodes renumbered; ``node`` is the old number of each."""
    return replace(mesh, node=positions(node, len(node))[mesh.node])


def _renumber_walls(walls: Walls, node: Int32Array) -> Walls:
    """Return walls with nodes renumbered; ``node`` is the old number of each."""
    number = positions(node, len(node) + 1)  # The last entry maps -1, no node.
    return replace(
        walls,
        area=walls.area[node],
        node=None if walls.node is None else number[walls.node],
        weight=None if walls.weight is None else walls.weight[node],
        domain_node=None if walls.domain_node is None else number[walls.domain_node],
    )


def in_ticks(
    prices: Prices, rules: MovementRules, profile: str, describe: Callable[[int], str]
) -> Int32Array:
    """Return weights in ticks; ``describe`` returns the name of an arc for an error."""

    def build_error(arc: int, ticks: float) -> CostError:
        return CostError(
            f"{describe(arc)} weighs {ticks:.4g} ticks at {rules.ticks_per_unit} ticks a unit",
            place=f"profile {profile!r}",
            expected=f"1 to {MAX_WEIGHT} ticks",
            remedy=f"{'raise' if ticks < 1 else 'lower'} ticks_per_unit, or the cost or weight "
            "itself",
        )

    return to_ticks(prices, rules.ticks_per_unit, build_error)


def step_onto(level: Level, terrain: int) -> str:
    return f"a step onto {level.terrains[terrain]!r}"


def _node_order(nodes: int, arcs: _Arcs) -> Int32Array:
    """Return (n) int32, the nodes in the order in which they are numbered."""
    # Close numbers should be close in the level, so the far end of a link is not a neighbor.
    near = arcs.link == NO_LINK
    return cut_order(Graph.from_arcs(nodes, arcs.tail[near], arcs.head[near])[0])


def _renumber(arcs: _Arcs, node: Int32Array) -> tuple[Graph, _Arcs]:
    """Return the graph with its nodes in the new order, and its arcs in order of their tails."""
    number = positions(node, len(node))
    graph, order = Graph.from_arcs(len(node), number[arcs.tail], number[arcs.head])
    return graph, _Arcs(
        arcs.tail[order],
        arcs.head[order],
        arcs.length[order],
        arcs.link[order],
        np.take(arcs.weight, order, axis=1),
    )


def _metrics(
    arcs: _Arcs, passable: Mapping[str, BoolArray], rules: MovementRules
) -> dict[str, Metric]:
    return {
        name: Metric(weight, stands, rules.ticks_per_unit)
        for (name, stands), weight in zip(passable.items(), arcs.weight, strict=True)
    }


def no_standing_error(level: Level) -> LevelError:
    return LevelError(
        f"no walkable {'cell' if isinstance(level, GridLevel) else 'node'}: "
        f"every terrain ({', '.join(level.terrains)}) is blocked for every profile",
        file=level.source,
        expected="at least one a profile can stand on",
        remedy="give a terrain a cost in [terrain]",
    )


def check_terrains(level: Drawn, profiles: Sequence[AgentProfile]) -> None:
    missing = [
        name for name in level.terrains if any(name not in profile.rules for profile in profiles)
    ]
    if missing:
        problems = [_missing_cost_error(level, name) for name in missing]
        raise one_error(problems)


def _missing_cost_error(level: Drawn, name: str) -> LevelError:
    """Build the error for a terrain without a cost, with recipe lines that would add one."""
    hints = level.hints.get(name, ()) if isinstance(level, GridLevel) else ()
    describe = {key: _guess_terrain(key) or name for key in hints}
    remedy = f"add {toml_line(name, 1)} below [terrain] in bake.toml"
    if hints:
        first = toml_line(hints[0], describe[hints[0]])
        remedy = f"name its tiles, as in {first} below [tiled.legend], or {remedy}"
    costs = [
        terrain_name
        for terrain_name in dict.fromkeys(describe.values())
        if terrain_name not in _NEED_NO_COST
    ]
    return LevelError(
        f"terrain {name!r} has no cost",
        file=level.source,
        expected='a cost, or "blocked"',
        remedy=remedy,
        lines=[
            *(("tiled.legend", toml_line(key, terrain)) for key, terrain in describe.items()),
            *(
                ("terrain", toml_line(terrain_name, 1, 'or "blocked"'))
                for terrain_name in (*costs, name)
            ),
        ],
    )


def _guess_terrain(key: str) -> str:
    """Return a terrain name for a key such as "wang:Water" or "property:kind=water"."""
    name, _, value = key.partition(":")[2].partition("=")
    is_specific = value and value.lower() != "true" and not value.isnumeric()
    return (value if is_specific else name).strip().lower()


def check_sizes(level: Level, profiles: Sequence[AgentProfile]) -> None:
    """Raise LevelError on footprints of several cells on levels without square cells."""
    square = isinstance(level, GridLevel) and level.hex_layout is None
    for profile in profiles:
        if profile.size > 1 and not square:
            raise LevelError(
                f"profile {profile.name!r} has size {profile.size}",
                file=level.source,
                expected="size 1, as larger footprints need square cells",
                remedy=f"give the level profiles of its own in [levels.{level.name}.profiles]",
            )
