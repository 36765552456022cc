"""Level to world: one graph, where its nodes lie, and what it costs each profile to move on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bake.errors import BakeErrors, LevelError
from bake.graph import BLOCKED, Graph, Int32Array, Metric
from bake.level import Connectivity, GridLevel, HexLayout, Level
from bake.metric import AgentProfile, MovementRules, Topology, build_metric, terrain_cost
from bake.search.patch_order import patch_order
from bake.worlds.explicit import explicit_topology
from bake.worlds.lattice import lattice_topology


@dataclass(frozen=True)
class World:
    """A level as a graph.

    Nodes are in patch order, so that neighbours in the level are neighbours in memory. An arc that
    no profile can ever use is not kept.

    Attributes:
        level: what it was built from.
        topology: nodes and arcs.
        cell: (n, 2) int32 (x, y) of each node; None for explicit graphs.
        position: (n, 2) float64 of each node of an explicit graph; None without positions.
        node_names: names of an explicit graph's nodes.
        connectivity: neighbours of a cell; None for explicit graphs.
        metrics: what moving costs each profile, by its name.
    """

    level: Level
    topology: Topology
    cell: Int32Array | None
    position: npt.NDArray[np.float64] | None
    node_names: tuple[str, ...] | tuple[int, ...] | None
    connectivity: Connectivity | None
    metrics: Mapping[str, Metric]

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
) -> World:
    """Build the graph of a level and price it for every profile.

    Args:
        level: from any reader.
        profiles: at least one; each has a rule for every terrain of the level.
        rules: corner cutting, cost rule, scale.
        connectivity: 4 or 8; hexagonal grids always have 6 and explicit graphs what they say.

    Raises:
        LevelError: no cell that any profile can stand on, or a terrain without a rule.
        CostError: a step's cost does not fit the integer scale.
    """
    _check_terrains(level, profiles)
    costs = np.stack([terrain_cost(level.terrains, profile) for profile in profiles])
    open_terrain = np.asarray(~np.isnan(costs).all(axis=0))
    cell = position = names = None
    if isinstance(level, GridLevel):
        connectivity = 6 if level.hex_layout else connectivity
        topology, cell = lattice_topology(level, connectivity, open_terrain[level.terrain])
    else:
        topology, position, names = explicit_topology(level), level.position, level.node_names
    if not open_terrain[topology.node_terrain].any():
        raise LevelError(
            f"no walkable {'cell' if isinstance(level, GridLevel) else 'node'}: "
            f"every terrain ({', '.join(level.terrains)}) is blocked for every profile",
            file=level.source,
            expected="at least one a profile can stand on",
            remedy="give a terrain a cost in [terrain]",
        )
    weights = [build_metric(topology, profile, rules).weight for profile in profiles]
    useful = np.any([weight != BLOCKED for weight in weights], axis=0)
    topology, node = _in_patch_order(_keep_arcs(topology, useful))
    return World(
        level,
        topology,
        None if cell is None else cell[node],
        None if position is None else position[node],
        None if names is None else _pick(names, node),
        connectivity if isinstance(level, GridLevel) else None,
        {profile.name: build_metric(topology, profile, rules) for profile in profiles},
    )


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


def _keep_arcs(topology: Topology, keep: npt.NDArray[np.bool_]) -> Topology:
    graph, order = Graph.from_arcs(
        topology.graph.node_count, topology.graph.tail()[keep], topology.graph.head[keep]
    )
    arc = np.flatnonzero(keep)[order]
    return replace(topology, graph=graph, length=topology.length[arc], flank=topology.flank[arc])


def _in_patch_order(topology: Topology) -> tuple[Topology, Int32Array]:
    """Renumber the nodes; arcs of a node keep their order. Also the old node behind each new."""
    node = patch_order(topology.graph)
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
    )
    return renumbered, node
