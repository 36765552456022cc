"""Level to world: one graph, where its nodes lie, and what it costs each profile to move on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array
from bake.errors import BakeErrors, LevelError
from bake.graph import BLOCKED, Graph, Metric
from bake.level import Connectivity, GridLevel, HexLayout, Level, Link
from bake.metric import NO_LINK, AgentProfile, MovementRules, Topology, build_metric, terrain_cost
from bake.search.graph.patch_order import patch_order
from bake.worlds.doors import DoorStates, settled
from bake.worlds.explicit import explicit_topology
from bake.worlds.lattice import lattice_topology
from bake.worlds.links import with_links
from bake.worlds.standing import check_sizes, door_nodes, ground_under, standable


@dataclass(frozen=True)
class World:
    """A level as a graph.

    Nodes are in patch order, so that neighbours in the level are neighbours in memory. A step of a
    lattice that no profile can ever use is not kept; nodes and arcs that opening a door would give
    are, and so are all arcs of explicit graphs.

    Attributes:
        level: what it was built from, its doors in the state they are baked in.
        topology: nodes and arcs.
        cell: (n, 2) int32 (x, y) of each node; None for explicit graphs.
        position: (n, 2) float64 of each node of an explicit graph; None without positions.
        node_names: names of an explicit graph's nodes.
        connectivity: neighbours of a cell; None for explicit graphs.
        metrics: what moving costs each profile, by its name.
        doors: all states of the level's doors.
        dead_links: links left out because no profile can stand at one of their ends.
    """

    level: Level
    topology: Topology
    cell: Int32Array | None
    position: Float64Array | None
    node_names: tuple[str, ...] | tuple[int, ...] | None
    connectivity: Connectivity | None
    metrics: Mapping[str, Metric]
    doors: tuple[DoorStates, ...] = ()
    dead_links: tuple[Link, ...] = ()

    @property
    def hex_layout(self) -> HexLayout | None:
        """Offset layout of a hexagonal grid; None on any other level."""
        return self.level.hex_layout if isinstance(self.level, GridLevel) else None

    @property
    def graph(self) -> Graph:
        return self.topology.graph


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
        level: from any reader.
        profiles: at least one; each has a rule for every terrain of the level.
        rules: corner cutting, cost rule, scale.
        connectivity: 4 or 8; hexagonal grids always have 6 and explicit graphs what they say.
        strict_links: whether links into cells where no profile can stand are a mistake; else they
            are left out.

    Raises:
        LevelError: no cell that any profile can stand on, a terrain without a rule, a link into a
            wall, or a footprint of several cells where there are no squares.
        CostError: a step's cost does not fit the integer scale.
    """
    _check_terrains(level, profiles)
    check_sizes(level, profiles)
    cell = position = names = None
    doors: tuple[DoorStates, ...] = ()
    dead: tuple[Link, ...] = ()
    kept = None
    if isinstance(level, GridLevel):
        level, doors = settled(level)
        connectivity = 6 if level.hex_layout else connectivity
        topology, cell = lattice_topology(level, connectivity, _standable(level, profiles, doors))
        topology, dead = with_links(topology, cell, level, strict=strict_links)
        kept = door_nodes(level, profiles, doors, cell)
    else:
        topology, position, names = explicit_topology(level), level.position, level.node_names
        if not _open_terrain(level, profiles)[topology.node_terrain].any():
            raise _nowhere_to_stand(level)
    grounds = {profile.name: ground_under(level, profile, cell) for profile in profiles}
    weights = [
        build_metric(topology, profile, rules, grounds[profile.name]).weight for profile in profiles
    ]
    useful = np.any([weight != BLOCKED for weight in weights], axis=0)
    if not isinstance(level, GridLevel):
        useful[:] = True  # nothing else tells where they lead, once their ends are opened
    if kept is not None:
        useful |= _touches(topology, kept)
    topology, node = _in_patch_order(_keep_arcs(topology, useful))
    cell = None if cell is None else cell[node]
    return World(
        level,
        topology,
        cell,
        None if position is None else position[node],
        None if names is None else _pick(names, node),
        connectivity if isinstance(level, GridLevel) else None,
        {
            profile.name: build_metric(topology, profile, rules, ground_under(level, profile, cell))
            for profile in profiles
        },
        doors,
        dead,
    )


def _open_terrain(level: Level, profiles: Sequence[AgentProfile]) -> BoolArray:
    """(terrain) bool, what some profile can stand on."""
    costs = np.stack([terrain_cost(level.terrains, profile) for profile in profiles])
    return np.asarray(~np.isnan(costs).all(axis=0))


def _standable(
    level: GridLevel, profiles: Sequence[AgentProfile], doors: tuple[DoorStates, ...]
) -> BoolArray:
    open_terrain = _open_terrain(level, profiles)
    if not doors and all(profile.size == 1 for profile in profiles):
        found = np.asarray(open_terrain[level.terrain])
    else:
        found = standable(level, profiles, doors)
    if not found.any():
        raise _nowhere_to_stand(level)
    return found


def _nowhere_to_stand(level: Level) -> LevelError:
    return LevelError(
        f"no walkable {'cell' if isinstance(level, GridLevel) else 'node'}: "
        f"every terrain ({', '.join(level.terrains)}) is blocked for every profile",
        file=level.source,
        expected="at least one a profile can stand on",
        remedy="give a terrain a cost in [terrain]",
    )


def _touches(topology: Topology, nodes: BoolArray) -> BoolArray:
    """(m) bool, arcs that leave, enter or pass between some of the nodes."""
    near: BoolArray = nodes[topology.graph.tail()] | nodes[topology.graph.head]
    inside = topology.flank >= 0
    near |= (inside & nodes[np.where(inside, topology.flank, 0)]).any(axis=1)
    return near


def _pick(
    names: tuple[str, ...] | tuple[int, ...], node: Int32Array
) -> tuple[str, ...] | tuple[int, ...]:
    return tuple(names[place] for place in node.tolist())


def _check_terrains(level: Level, profiles: Sequence[AgentProfile]) -> None:
    missing = [
        name for name in level.terrains if any(name not in profile.rules for profile in profiles)
    ]
    if missing:
        problems = [
            LevelError(
                f"terrain {name!r} has no cost",
                file=level.source,
                expected="a cost, or 'blocked'",
                remedy=f"add {name} to [terrain] in bake.toml",
            )
            for name in missing
        ]
        raise problems[0] if len(problems) == 1 else BakeErrors(problems)


def _keep_arcs(topology: Topology, keep: BoolArray) -> Topology:
    graph, order = Graph.from_arcs(
        topology.graph.node_count, topology.graph.tail()[keep], topology.graph.head[keep]
    )
    arc = np.flatnonzero(keep)[order]
    return replace(
        topology,
        graph=graph,
        length=topology.length[arc],
        flank=topology.flank[arc],
        link=None if topology.link is None else topology.link[arc],
    )


def _in_patch_order(topology: Topology) -> tuple[Topology, Int32Array]:
    """Renumber the nodes; arcs of a node keep their order. Also the old node behind each new."""
    # Patches lie together in the level: where a link leads is no neighbour.
    steps = topology.graph
    if topology.link is not None:
        near = topology.link == NO_LINK
        steps, _ = Graph.from_arcs(steps.node_count, steps.tail()[near], steps.head[near])
    node = patch_order(steps)
    place = np.empty_like(node)
    place[node] = np.arange(len(node), dtype=np.int32)
    graph, arc = Graph.from_arcs(
        len(node), place[topology.graph.tail()], place[topology.graph.head]
    )
    flank = topology.flank[arc]
    inside = flank >= 0
    flank[inside] = place[flank[inside]]
    renumbered = replace(
        topology,
        graph=graph,
        node_terrain=topology.node_terrain[node],
        length=topology.length[arc],
        flank=flank,
        link=None if topology.link is None else topology.link[arc],
    )
    return renumbered, node
