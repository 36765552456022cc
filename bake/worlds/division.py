"""Divide the plane of a level into nodes: from shapes and cells to an explicit graph.

Each division is a builder that computes nodes and arcs of :class:`~bake.geometry.Geometry`; all
later code, from metrics to exports, sees a graph like any other. Agents of one radius share nodes.
Agents of another radius have nodes of their own, since their obstacles are larger. Each such *kind*
of agent has terrains of its own, so that terrain alone decides who may stand where, for tables,
updates, verification and flat files alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from bake.core.errors import LevelError
from bake.core.level import (
    Division,
    GeometryLevel,
    GraphLevel,
    GridLevel,
    MeshNodes,
    TerrainRule,
)
from bake.geometry import Geometry, geometry_of, grown
from bake.worlds.doors import settled
from bake.worlds.pieces import GrownGeometry, Kind, PlaneDivision
from bake.worlds.world import AgentProfile, check_terrains

#: The largest number of terrains of all kinds: a terrain is one byte.
# limit: a one-line error; lowered by shapes
MAX_TERRAINS = 255


#: Builds nodes and arcs of a level's geometry, given the geometry grown for each kind of agent.
Builder = Callable[[Geometry, Sequence[GrownGeometry]], PlaneDivision]


def divided(
    level: GridLevel | GeometryLevel,
    profiles: Sequence[AgentProfile],
    division: Division,
    *,
    nodes: MeshNodes = "centre",
) -> GraphLevel:
    """Divide a level into nodes.

    Args:
        level: of cells or shapes.
        profiles: at least one; each has a rule for every terrain of the level.
        division: any but "cells".
        nodes: the position of the nodes of a navigation mesh.

    Raises:
        LevelError: nothing is walkable, shapes cannot be divided, or a link begins in a wall.
    """
    check_terrains(level, profiles)
    if isinstance(level, GridLevel):
        level, _ = settled(level)
    geometry = geometry_of(level)
    kinds = kinds_of(geometry, profiles, apart=division != "mesh")
    if division == "visibility":
        _check_costs(geometry, profiles)
    areas = _areas(geometry, kinds)
    if len(areas) > MAX_TERRAINS:
        raise LevelError(
            f"{len(geometry.terrains)} terrains for {len(kinds)} kinds of agents are too many",
            file=geometry.source,
            expected=f"at most {MAX_TERRAINS} in all",
            remedy="give profiles the same radius, or several terrains one name",
        )
    number = {name: code for code, name in enumerate(areas)}
    parts = [
        GrownGeometry(
            kind,
            grown(geometry, kind.terrains, kind.radius),
            {name: number[_terrain_name(name, kind, kinds)] for name in geometry.terrains},
        )
        for kind in kinds
    ]
    pieces = _builder(division, nodes)(geometry, parts)
    count = len(pieces.position)
    return GraphLevel(
        name=level.name,
        source=level.source,
        node_names=tuple(range(count)) if pieces.names is None else pieces.names,
        position=pieces.position,
        tail=pieces.tail,
        head=pieces.head,
        length=pieces.length,
        node_terrain=pieces.terrain,
        terrains=tuple(areas),
        directed=True,
        terrain_rules=level.terrain_rules,
        colours={
            name: level.colours[area] for name, (area, _) in areas.items() if area in level.colours
        },
        depends_on=level.depends_on,
        areas=areas,
        mesh=pieces.mesh,
        walls=pieces.walls,
        remarks=(*level.remarks, *pieces.remarks),
        unmatched=level.unmatched,
    )


def _builder(division: Division, nodes: MeshNodes) -> Builder:
    if division == "mesh":
        from bake.worlds.mesh import divide_into_mesh

        return lambda geometry, parts: divide_into_mesh(geometry, parts, nodes)
    if division == "visibility":
        from bake.worlds.visibility import divide_by_visibility

        return divide_by_visibility
    if division == "dirichlet":
        from bake.worlds.dirichlet import divide_into_domains

        return divide_into_domains
    if division == "waypoints":
        from bake.worlds.waypoints import divide_into_waypoints

        return divide_into_waypoints
    raise AssertionError(f"no builder divides by {division}")


def _check_costs(geometry: Geometry, profiles: Sequence[AgentProfile]) -> None:
    """Raise LevelError on different terrain costs: straight paths would not be shortest."""
    present = {area.terrain for floor in geometry.floors for area in floor.areas}
    for profile in profiles:
        rules = {name: profile.rules[name] for name in geometry.terrains if name in present}
        costs = {rule.cost: name for name, rule in rules.items() if rule.cost is not None}
        if len(costs) > 1:
            (low, one), (high, other), *_ = sorted(costs.items())
            raise LevelError(
                f"profile {profile.name!r} pays {low:g} for {one} and {high:g} for {other}, and "
                "straight paths between points of visibility are shortest only if all costs are "
                "equal",
                file=geometry.source,
                expected="one cost for all that the profile can walk on",
                remedy='give its terrains one cost, or use division = "mesh"',
            )


def kinds_of(
    geometry: Geometry, profiles: Sequence[AgentProfile], *, apart: bool = False
) -> tuple[Kind, ...]:
    """Group profiles with the same walkable area, in the order of the profiles.

    Agents that are points share all nodes, as costs alone decide who may stand where, unless arcs
    cross terrains that their ends are not on (``apart``). Agents with a radius share nodes with
    those of the same radius who may stand on the same terrains, since all other terrains are
    obstacles that
    grow.
    """
    kinds: dict[tuple[float, frozenset[str]], list[str]] = {}
    standing: dict[tuple[float, frozenset[str]], frozenset[str]] = {}
    for profile in profiles:
        walkable = frozenset(
            name
            for name in geometry.terrains
            if name in profile.rules and profile.rules[name].cost is not None
        )
        key = (profile.radius, walkable if profile.radius or apart else frozenset())
        kinds.setdefault(key, []).append(profile.name)
        standing[key] = standing.get(key, frozenset()) | walkable
    return tuple(Kind(key[0], standing[key], tuple(names)) for key, names in kinds.items())


def _areas(geometry: Geometry, kinds: Sequence[Kind]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the terrains of all kinds: each one's name in the level, and its profiles."""
    return {
        _terrain_name(name, kind, kinds): (name, kind.profiles)
        for kind in kinds
        for name in geometry.terrains
    }


def _terrain_name(terrain: str, kind: Kind, kinds: Sequence[Kind]) -> str:
    """Return the name of a kind's terrain: as in the level, if there is only one kind."""
    return terrain if len(kinds) == 1 else f"{terrain} ({kind.profiles[0]})"


def for_areas(
    profile: AgentProfile, areas: Mapping[str, tuple[str, tuple[str, ...]]]
) -> AgentProfile:
    """Return a profile with rules for the terrains of a divided level.

    Args:
        profile: with rules for the terrains as the level's file names them.
        areas: of the :class:`GraphLevel`.
    """
    names_of: dict[str, list[str]] = {}
    for name, (area, _) in areas.items():
        names_of.setdefault(area, []).append(name)
    rules: dict[str, TerrainRule] = {}
    for name, (area, profiles) in areas.items():
        if area not in profile.rules:
            continue
        rule = profile.rules[area]
        if profile.name not in profiles:
            rule = TerrainRule(None)
        elif rule.enter_from is not None:
            sources = [name for area in rule.enter_from for name in names_of.get(area, ())]
            rule = replace(rule, enter_from=tuple(sources))
        rules[name] = rule
    return replace(profile, rules=rules)
