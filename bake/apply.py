"""Apply a patch to an asset by baking the changed level.

The asset contains everything that a bake needs, so the level's own files are not read: its terrain
with the patch's changes becomes a world, and all tables are baked again from that world.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from bake.baking.contents import together
from bake.baking.level import world_contents
from bake.core.arrays import AnyArray, UInt8Array
from bake.core.errors import counted
from bake.core.graph import BLOCKED, Metric
from bake.core.level import (
    Door,
    GraphLevel,
    GridLevel,
    Instance,
    Level,
    Link,
    Mesh,
    Prototype,
    Region,
    Spot,
    TerrainRule,
    Things,
    Walls,
)
from bake.core.placement import Placement
from bake.play.live.cells import whole
from bake.play.live.ground import LevelState, level_of_patch
from bake.play.live.rules import LevelRules
from bake.play.reader.places import NodePlaces
from bake.project.recipe import LevelRecipe, read_stated
from bake.store import Asset, header_for, source_digest
from bake.store.columns.things import DOORS, INSTANCES, LINKS, PROTOTYPES, REGIONS, SPOTS
from bake.store.header import PATCH_PREFIX, read_header
from bake.store.partial import check_writable
from bake.store.records import Frame, Packed, Records, Source, grid_frame, pack, unpack
from bake.store.write import write_asset
from bake.worlds import AgentProfile, World, build_world
from levelbake.changes import CLOSED
from levelbake.errors import PatchError
from levelbake.hops import Pair
from levelbake.places import Cell as RuntimeCell
from levelbake.places import Points
from levelbake.steps import Mover
from levelbake.things import Door as BakedDoor
from levelbake.things import Link as BakedLink
from levelbake.things import ThingTables

#: The terrain below obstacles, in a level without a terrain that is blocked for every profile.
OBSTACLE = "obstacle"

T = TypeVar("T")

Report = Callable[[str, float], None]


def apply_patch(
    asset: Path,
    patch: Path,
    output: Path,
    threads: int,
    report: Report,
    warn: Callable[[str], None] = lambda line: None,
) -> int:
    """Bake an asset again with the changes of a patch.

    Args:
        asset: the asset the patch was saved from.
        patch: the patch.
        output: the new asset.
        threads: the number of threads.
        report: called with each stage and the fraction done.
        warn: called with a line about each loss in the new asset.

    Returns:
        The number of bytes of the new asset.

    Raises:
        BakeError: a file is damaged or belongs to another asset, or the level cannot be baked.
    """
    check_writable(output.parent)
    header = read_header(asset)  # Raises on a flat file, which does not list its sources.
    with Asset(asset) as old:
        rules = LevelRules(NodePlaces(old))
        patched = level_of_patch(patch, rules)
        rules = patched.rules
        report("graph", 0)
        movers = {name: old.graph.mover(name) for name in old.profiles}
        level = _build_level(rules, movers, patched, patch)
        agents = [_build_agent(*mover, level.terrains) for mover in movers.items()]
        connectivity = 8 if rules.lattice is None else rules.lattice.connectivity
        world = build_world(level, agents, rules.movement, connectivity, strict_links=False)
        world, lost = _set_prices(world, rules, patched)
        stated = old.text("recipe") or "{}"
        recipe = _read_recipe(stated, rules)
        name = rules.places.name
        if lost:
            a, b = map(rules.places.place_at, lost[0])
            warn(
                f"{patch}: {counted(len(lost), 'arc')} with an own price cannot be stored, "
                f"because no profile can use them; the first leads from {a!r} to {b!r}"
            )
    parts = world_contents(world, recipe, stated, threads, report)
    report("write", 0)
    sources = (*header.sources, (PATCH_PREFIX + patch.name, source_digest(patch)))
    new = header_for(name, sources, header.recipe)
    return write_asset(output, new, together(parts))


def _build_level(
    rules: LevelRules, movers: Mapping[str, Mover], patched: LevelState, patch: Path
) -> Level:
    """Return the level with the changes of the patch.

    Raises:
        PatchError: the patch contains something that this kind of level cannot.
    """
    names = list(rules.terrains)
    codes, obstacle = whole(patched.terrain), whole(patched.obstacle)
    if obstacle.any():
        blocked = np.all([np.isnan(mover.cost) for mover in movers.values()], axis=0)
        # A link passes over some blocked terrains, but over no obstacle.
        over = {name for link in patched.links.now.values() for name in link.over}
        blocked &= [name not in over for name in names]
        if blocked.any():
            codes[obstacle] = int(blocked.argmax())
        else:
            names.append(_unique_name(names, OBSTACLE))
            codes[obstacle] = len(names) - 1
    asset, places = rules.asset, rules.places
    added = [pair for pair, _ in _added_arcs(patched)]
    colour = asset.read("/terrain_colour").tolist()
    colours = {
        name: cast("tuple[int, int, int]", tuple(rgb))
        for name, rgb in zip(rules.terrains, colour, strict=True)
    }
    source = asset.path
    if not places.is_grid:
        if patched.links.changed:
            raise PatchError(
                f"a graph cannot hold the link {next(iter(patched.links.changed))!r}",
                file=patch,
                expected="arcs that were added with arcs={...}",
                remedy="add them instead of links, or write them into the level file",
            )
        if rules.obstacles:
            raise PatchError(
                f"a mesh cannot hold the obstacle {next(iter(rules.obstacles))!r}",
                file=patch,
                remedy="draw it into the level's file",
            )
        kind = type(places.names[0])
        if other := [name for name in places.added if type(name) is not kind]:
            raise PatchError(
                f"a graph cannot hold the node {other[0]!r} beside {places.names[0]!r}",
                file=patch,
                expected="names that are all numbers, or all texts",
            )
        # Nodes removed before the patch was saved leave gaps among the added ones.
        present = np.arange(len(places.names))[places.here]
        ends = np.searchsorted(present, np.array(added, dtype=np.int64)).reshape(-1, 2)
        things = ThingTables(places)
        region = things.region_of_node
        position, elevation = places.position, rules.elevation
        # The cost of these arcs is their own price, whatever their length.
        return GraphLevel(
            places.name,
            source,
            cast("Any", tuple(places.names[node] for node in present.tolist())),
            None if position is None else position[present],
            np.concatenate([rules.tail, ends[:, 0]]).astype(np.int32),
            np.concatenate([places.head, ends[:, 1]]).astype(np.int32),
            np.concatenate([rules.length, np.ones(len(ends))]),
            codes[present],
            tuple(names),
            True,
            tuple(things.regions),
            np.zeros(0, dtype=np.int32) if region is None else region[present],
            None if elevation is None else elevation[present],
            colours=colours,
            mesh=_read_mesh(asset, codes),
            walls=_read_walls(asset),
        )
    lattice, points = rules.lattice, Points(places)
    assert lattice is not None
    terrain = codes.reshape(places.height, places.width)
    prototypes, instances = _read_instances(places)
    return GridLevel(
        places.name,
        source,
        terrain,
        tuple(names),
        colours=colours,
        hex_layout=lattice.hex_layout,
        barred=None if lattice.barred is None else lattice.barred.reshape(terrain.shape),
        elevation=None if rules.elevation is None else rules.elevation.reshape(terrain.shape),
        floor_height=lattice.floor_height,
        headings=lattice.headings,
        things=_build_things(rules, terrain, names, patched),
        prototypes=prototypes,
        instances=instances,
        coordinates=points.coordinates if points.are_stated else None,
    )


def _read_mesh(asset: Asset, codes: UInt8Array) -> Mesh | None:
    """Return the polygons of a divided plane, which a patch does not move.

    Args:
        codes: (n) terrain of each node. A polygon with a node of its own takes the node's terrain.
    """
    if not asset.has("/mesh_vertex"):
        return None
    vertex, first_corner, corner, neighbour, terrain, first_node, node = (
        asset.read(f"/mesh_{name}")
        for name in (
            "vertex",
            "first_corner",
            "corner",
            "neighbour",
            "terrain",
            "first_node",
            "node",
        )
    )
    alone = np.diff(first_node) == 1
    own_node = node[first_node[:-1][alone]]
    has_own_node = np.bincount(node, minlength=len(codes))[own_node] == 1
    terrain = terrain.copy()
    terrain[np.flatnonzero(alone)[has_own_node]] = codes[own_node[has_own_node]]
    floor = _read_floors(asset, "/mesh_floor", len(terrain))
    return Mesh(vertex, first_corner, corner, neighbour, terrain, floor, first_node, node)


def _read_walls(asset: Asset) -> Walls | None:
    """Return the walls around points of the plane, which a patch does not move."""
    if not asset.has("/wall_corner"):
        return None
    corner, after, first_corner, area = (
        asset.read(f"/wall_{name}") for name in ("corner", "after", "first_corner", "area")
    )
    optional = ("wall_node", "domain_weight", "domain_corner", "domain_node")
    optional_columns = (
        asset.read(f"/{name}") if asset.has(f"/{name}") else None for name in optional
    )
    floor = _read_floors(asset, "/wall_floor", len(first_corner) - 1)
    return Walls(corner, after, first_corner, floor, area, *optional_columns)


def _read_floors(asset: Asset, name: str, count: int) -> UInt8Array:
    return asset.read(name) if asset.has(name) else np.zeros(count, dtype=np.uint8)


def _build_frame(places: NodePlaces) -> Frame:
    """Return the frame of a level's records, with cells numbered as in games."""
    return Frame(places.terrains, lambda cells: places.locations(cells, "cells"), places.places_of)


def _read_instances(places: NodePlaces) -> tuple[tuple[Prototype, ...], tuple[Instance, ...]]:
    """Return prototypes and instances, which a patch does not change."""
    tables = ThingTables(places)
    drawn = unpack(PROTOTYPES, places.asset, _build_frame(places), Prototype)

    def instance(prototype: int, at: tuple[int, int], turn: int) -> Instance:
        return Instance(prototype, Placement.from_turn(at, turn), drawn[prototype].name)

    _ = tables.instances  # raises on instances that leave the level
    frame = grid_frame(places.terrains, places.width)
    return drawn, unpack(INSTANCES, places.asset, frame, instance)


def _added_arcs(patched: LevelState) -> list[tuple[Pair, float]]:
    """Return the ends and prices of the added arcs that are not closed, sorted."""
    prices = ((pair, patched.prices[pair]) for pair in sorted(patched.links.added))
    return [(pair, cost) for pair, cost in prices if cost != CLOSED]


def _unique_name(names: Collection[str], name: str) -> str:
    """Return a variation of a name that is not in use."""
    while name in names:
        name += "_"
    return name


def _build_agent(profile: str, mover: Mover, terrains: tuple[str, ...]) -> AgentProfile:
    """Return the agent profile of a mover; the terrain of obstacles is blocked for it."""
    rules = dict.fromkeys(terrains, TerrainRule(None))
    for name, cost, sources in zip(terrains, mover.cost.tolist(), mover.allowed.T, strict=False):
        if not np.isnan(cost):
            entered = tuple(terrains[source] for source in np.flatnonzero(sources).tolist())
            rules[name] = TerrainRule(cost, None if sources.all() else entered)
    return AgentProfile(profile, rules, mover.size, mover.slope, turn=mover.turn)


def _build_things(
    rules: LevelRules, terrain: AnyArray, names: list[str], patched: LevelState
) -> Things:
    """Return the current links, regions, spots and doors; added arcs become links."""
    tables, links = ThingTables(rules.places), dict(patched.links.now)
    for pair, cost in _added_arcs(patched):
        start, goal = (cast("RuntimeCell", rules.places.place_at(end)) for end in pair)
        name = _unique_name(links, f"arc {start} {goal}")
        links[name] = BakedLink(name, "arc", start, goal, cost, both_ways=False, profiles=None)

    frame = grid_frame(rules.terrains, rules.places.width)

    def read(records: Records, source: Source, make: Callable[..., T]) -> tuple[T, ...]:
        def make_named(**attributes: Any) -> T:
            return make(place=attributes["name"], **attributes)

        return unpack(records, source, frame, make_named)

    def door(cells: AnyArray, **attributes: Any) -> Door:
        return _build_door(tables.doors[attributes["name"]], cells, terrain, names)

    current_links = Packed(pack(LINKS, list(links.values()), _build_frame(rules.places)))
    return Things(
        read(LINKS, current_links, Link),
        read(REGIONS, rules.asset, Region),
        read(SPOTS, rules.asset, Spot),
        read(DOORS, rules.asset, door),
    )


def _build_door(
    door: BakedDoor,
    cells: AnyArray,
    terrain: AnyArray,
    names: list[str],
) -> Door:
    """Return a door in the state that matches the terrain of its cells, or without a state.

    If a state has several terrains, the terrains of the first such state are written to
    ``terrain``.
    """
    x, y = cells[:, 0], cells[:, 1]
    current = tuple(names[code] for code in terrain[y, x].tolist())
    state = door.on(current).state
    mixed = [
        names_of_state for names_of_state in door.states.values() if len(set(names_of_state)) > 1
    ]
    if mixed:
        terrain[y, x] = [names.index(name) for name in mixed[0]]
    states = tuple(
        (name, names_of_state[0] if len(set(names_of_state)) == 1 else None)
        for name, names_of_state in door.states.items()
    )
    return Door(door.name, cells, states, state, door.name, door.id, () if state else current)


def _set_prices(world: World, rules: LevelRules, patched: LevelState) -> tuple[World, list[Pair]]:
    """Set the patch's prices on the arcs that each profile may take.

    Returns:
        The world with these prices, and the ends of priced arcs that the world lacks, sorted.
    """
    if not patched.prices:
        return world, []
    graph = world.graph
    if world.cell is None:
        assert world.node_names is not None
        location = np.array([rules.places.node_named(name) for name in world.node_names])
    else:
        location = world.cell[:, 1].astype(np.int64) * rules.places.width + world.cell[:, 0]
    tail, head = location[graph.tail()].tolist(), location[graph.head].tolist()
    ends = list(zip(tail, head, strict=True))
    price = np.array([patched.prices.get(pair, np.nan) for pair in ends], dtype=np.float64)
    lost = sorted(patched.prices.keys() - set(ends))
    if np.isnan(price).all():
        return world, lost
    metrics = {}
    for name, metric in world.metrics.items():
        is_priced = ~np.isnan(price) & (metric.weight != BLOCKED)
        ticks = np.where(price == CLOSED, BLOCKED, np.rint(price * metric.ticks_per_unit))
        weight = np.where(is_priced, ticks, metric.weight).astype(np.int32)
        metrics[name] = Metric(weight, metric.passable, metric.ticks_per_unit)
    return replace(world, metrics=metrics, own_price=price), lost


def _read_recipe(stated: str, rules: LevelRules) -> LevelRecipe:
    """Read the recipe stored in the asset."""
    try:
        return read_stated(stated)
    except ValueError as error:
        raise rules.asset.damaged(f"its recipe cannot be read: {error}") from None
