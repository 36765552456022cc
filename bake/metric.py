"""From terrain to integer arc weights: what a step costs one agent profile.

Every rule about movement that depends on the profile lives here: terrain that blocks, terrain that
may only be entered from some others, corner cutting, and how the costs of two cells make one step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.errors import CostError
from bake.graph import BLOCKED, MAX_WEIGHT, Graph, Metric
from bake.level import CornerCutting, CostRule, Link, TerrainRule

#: Flank of an arc that has none (a straight step, or an arc of an explicit graph).
NO_FLANK = np.int32(-2)
#: Flank that lies outside the graph: a wall for everyone.
WALL_FLANK = np.int32(-1)
#: Link of an arc that is none.
NO_LINK = np.int32(-1)


@dataclass(frozen=True)
class AgentProfile:
    """Who moves: a name, what every terrain of the level means to it, and how large it is.

    Attributes:
        name: unique within an asset.
        rules: by terrain.
        size: cells along one side of its square footprint, whose north-west cell is where it is.
    """

    name: str
    rules: Mapping[str, TerrainRule]
    size: int = 1


@dataclass(frozen=True)
class Topology:
    """A graph with what a metric needs to know about its nodes and arcs.

    Attributes:
        graph: n nodes, m arcs.
        node_terrain: (n) uint8, index into ``terrains``.
        terrains: names.
        length: (m) float64, step length in units (1, sqrt 2, or the length of a road); of a link
            its whole cost.
        flank: (m, 2) int32, the two nodes a diagonal step passes between, or NO_FLANK, WALL_FLANK.
        link: (m) int32, place in ``links`` of an arc that is one, else NO_LINK; None = no links.
        links: the level's.
    """

    graph: Graph
    node_terrain: UInt8Array
    terrains: tuple[str, ...]
    length: Float64Array
    flank: Int32Array
    link: Int32Array | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Ground:
    """What lies under a footprint of more than one cell, node by node.

    Attributes:
        cost: (n) float64 units, the dearest cell under it; NaN where it does not fit.
        hindered: called with two arrays of neighbouring nodes: (k) bool, whether some cell of the
            footprint may not make the step from one to the other. None = never.
    """

    cost: Float64Array
    hindered: Callable[[Int32Array, Int32Array], BoolArray] | None


@dataclass(frozen=True)
class MovementRules:
    """How cells and corners make steps."""

    corner_cutting: CornerCutting
    cost_rule: CostRule
    ticks_per_unit: int


def terrain_cost(terrains: tuple[str, ...], profile: AgentProfile) -> Float64Array:
    """(terrain) float64, cost of one cell in units; NaN where the profile cannot go."""
    costs = [profile.rules[name].cost for name in terrains]
    return np.array([np.nan if cost is None else cost for cost in costs], dtype=np.float64)


def may_enter(terrains: tuple[str, ...], profile: AgentProfile) -> BoolArray:
    """(terrain, terrain) bool, whether a step from the first to the second is allowed."""
    allowed = np.ones((len(terrains), len(terrains)), dtype=np.bool_)
    for to, name in enumerate(terrains):
        sources = profile.rules[name].enter_from
        if sources is not None:
            allowed[:, to] = [source in sources for source in terrains]
    return allowed


def build_metric(
    topology: Topology, profile: AgentProfile, rules: MovementRules, ground: Ground | None = None
) -> Metric:
    """Price every arc for one profile.

    A straight step costs the mean of both cells' costs (or the cost of the cell entered) times its
    length. A diagonal step also needs its flanks free, where free means that the profile could walk
    round the corner through that flank. A link costs what it says, for whom it is, if both ends can
    be stood on; corners and ``enter_from`` do not matter to it.

    Args:
        topology: nodes and arcs.
        profile: who moves.
        rules: corners, costs, scale.
        ground: what its footprint covers; None = one cell.

    Raises:
        CostError: a weight below one tick or above MAX_WEIGHT.
    """
    graph = topology.graph
    tail, head = graph.tail(), graph.head
    terrain = topology.node_terrain
    if ground is None:
        node_cost = terrain_cost(topology.terrains, profile)[terrain]
        allowed = may_enter(topology.terrains, profile)
    else:
        node_cost, hindered = ground.cost, ground.hindered
    passable = ~np.isnan(node_cost)

    def step_free(a: Int32Array, b: Int32Array) -> BoolArray:
        free: BoolArray = passable[a] & passable[b]
        if ground is None:
            free &= allowed[terrain[a], terrain[b]]
        elif hindered is not None:
            free &= ~hindered(a, b)
        return free

    is_link = np.zeros(0, dtype=np.int64) if topology.link is None else _links_of(topology)
    usable = step_free(tail, head)
    if rules.corner_cutting != "always":
        diagonal = np.flatnonzero(topology.flank[:, 0] != NO_FLANK)
        free = np.zeros((len(diagonal), 2), dtype=np.bool_)
        for side in range(2):
            flank = topology.flank[diagonal, side]
            inside = np.flatnonzero(flank >= 0)
            arc = diagonal[inside]
            free[inside, side] = step_free(tail[arc], flank[inside]) & step_free(
                flank[inside], head[arc]
            )
        usable[diagonal] &= (
            free.all(axis=1) if rules.corner_cutting == "never" else free.any(axis=1)
        )

    if rules.cost_rule == "mean":
        unit = (node_cost[tail] + node_cost[head]) / 2
    else:
        unit = node_cost[head]
    unit[is_link] = 1.0
    usable[is_link] = _may_take(topology, profile, is_link) & (
        passable[tail[is_link]] & passable[head[is_link]]
    )
    ticks = np.rint(unit * topology.length * rules.ticks_per_unit)
    _check_range(ticks, usable, topology, profile, rules.ticks_per_unit)
    weight = np.full(graph.arc_count, BLOCKED, dtype=np.int32)
    weight[usable] = ticks[usable].astype(np.int32)
    return Metric(weight, passable, rules.ticks_per_unit)


def _links_of(topology: Topology) -> Int64Array:
    """Arcs that are links."""
    assert topology.link is not None
    return np.flatnonzero(topology.link != NO_LINK)


def _may_take(topology: Topology, profile: AgentProfile, arcs: Int64Array) -> BoolArray:
    """Whether these arcs, all of them links, are for the profile."""
    open_to = [link.profiles is None or profile.name in link.profiles for link in topology.links]
    taken = np.zeros(0, np.int32) if topology.link is None else topology.link[arcs]
    return np.array(open_to, dtype=np.bool_)[taken]


def _check_range(
    ticks: Float64Array,
    usable: BoolArray,
    topology: Topology,
    profile: AgentProfile,
    ticks_per_unit: int,
) -> None:
    bad = np.flatnonzero(usable & ~((ticks >= 1) & (ticks <= MAX_WEIGHT)))
    if not len(bad):
        return
    arc = int(bad[0])
    terrain = topology.terrains[topology.node_terrain[topology.graph.head[arc]]]
    small = ticks[arc] < 1
    step = f"a step onto {terrain!r}"
    if topology.link is not None and topology.link[arc] != NO_LINK:
        step = f"the link {topology.links[topology.link[arc]].name!r}"
    raise CostError(
        f"{step} weighs {ticks[arc]:.4g} ticks at {ticks_per_unit} ticks a unit",
        place=f"profile {profile.name!r}",
        expected=f"1 to {MAX_WEIGHT} ticks",
        remedy=f"{'raise' if small else 'lower'} ticks_per_unit, or the cost or weight itself",
    )
