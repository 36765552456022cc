"""Convert a level's world and tables to the columns of an asset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bake.baking.colours import terrain_colours
from bake.baking.graph_contents import graph_columns, weight_columns
from bake.core.arrays import Int32Array
from bake.core.level import (
    GraphLevel,
    GridLevel,
    Level,
    Mesh,
    Walls,
)
from bake.store.columns.things import (
    DOOR_STATES,
    DOORS,
    INSTANCES,
    LINKS,
    PROTOTYPES,
    REGIONS,
    SPOTS,
    DoorState,
)
from bake.store.records import as_texts, grid_frame, pack
from bake.store.write import Contents, Scalar
from bake.tables.components import Components
from bake.tables.hierarchy import Hierarchy
from bake.tables.labels import StoredLabels
from bake.worlds import DoorStates, LatticeWorld, World, link_cost
from levelbake.columns import profile_path
from levelbake.places import Coordinates
from levelbake.steps import LEVEL_GROUND, HexLayout, in_rows

Columns = dict[str, npt.NDArray[np.generic]]


def together(parts: Sequence[Contents]) -> Contents:
    """Merge several contents into one."""
    attributes: dict[tuple[str, str], Scalar] = {}
    columns: Columns = {}
    for part in parts:
        attributes.update(part.attributes)
        columns.update(part.columns)
    return Contents(attributes, columns)


# -- the level -------------------------------------------------------------------------------------


#: A world with or without a list of arcs.
Setting = World | LatticeWorld


def level_contents(world: Setting, recipe: str) -> Contents:
    """Return the contents that describe the level, without its graph."""
    level, rules = world.level, world.rules
    attributes: dict[tuple[str, str], Scalar] = {
        ("/", "kind"): _kind(level),
        ("/", "corner_cutting"): rules.corner_cutting,
        ("/", "cost_rule"): rules.cost_rule,
        ("/", "ticks_per_unit"): rules.ticks_per_unit,
        ("/", "recipe"): recipe,
    }
    columns: Columns = {
        "/terrain_name": as_texts(level.terrains),
        "/terrain_colour": terrain_colours(
            level.terrains, level.colours, level.areas if isinstance(level, GraphLevel) else None
        ),
    }
    if isinstance(level, GridLevel):
        attributes["/", "width"] = level.width
        attributes["/", "height"] = level.height
        attributes["/", "connectivity"] = world.connectivity or 0
        if level.hex_layout:
            attributes["/", "hex_layout"] = level.hex_layout
        if level.coordinates is not None:
            columns |= _coordinates(level.coordinates, level.hex_layout)
        columns["/terrain"] = level.terrain.reshape(-1)
    return Contents(attributes, columns)


def shared_contents(world: World, recipe: str) -> Contents:
    """Return the contents that describe the level and its graph."""
    of_level = level_contents(world, recipe)
    attributes, columns = dict(of_level.attributes), dict(of_level.columns)
    columns |= graph_columns(world)
    if world.mesh is not None:
        columns |= _by_field(world.mesh, "mesh")
    if world.walls is not None:
        columns |= _by_field(world.walls, "wall")
        for name in ("weight", "domain_corner", "domain_node"):
            if getattr(world.walls, name) is not None:
                column = "/domain_" + name.removeprefix("domain_")
                columns[column] = columns.pop(f"/wall_{name}")
    return Contents(attributes, columns)


def _by_field(fields: Mesh | Walls, name: str) -> Columns:
    """Return a column for each field of a mesh or of walls; floors only if there are several."""
    columns = {f"/{name}_{key}": array for key, array in vars(fields).items() if array is not None}
    if not fields.floor.any():
        del columns[f"/{name}_floor"]
    return columns


def _coordinates(where: Coordinates, layout: HexLayout | None) -> Columns:
    steps = [where.east, where.south]
    if layout is not None:
        steps.append((0.0, where.side) if in_rows(layout) else (where.side, 0.0))
    return {"/centre": np.array(where.centres), "/step": np.array(steps)}


def _kind(level: Level) -> str:
    if isinstance(level, GridLevel):
        return "hex" if level.hex_layout else "square"
    return "graph"


def things_contents(world: Setting) -> Contents:
    """Return the contents for a level's things and floors, and the sizes of its profiles."""
    attributes: dict[tuple[str, str], Scalar] = {
        (f"/profiles/{name}", "size"): mover.size
        for name, mover in world.movers.items()
        if mover.size != 1
    }
    columns: Columns = {}
    level = world.level
    if isinstance(level, GridLevel):
        if level.floor_height is not None and level.floor_height < level.height:
            attributes["/", "floor_height"] = level.floor_height
        if level.headings is not None:
            attributes["/", "headings"] = level.headings
        columns |= _things(level, world.doors)
    return Contents(attributes, columns)


def _things(level: GridLevel, doors: Sequence[DoorStates]) -> Columns:
    """Return the columns of links, regions, spots, doors and instances."""
    frame = grid_frame(level.terrains, level.width)
    links = [replace(link, cost=link_cost(link, level.floor_height)) for link in level.things.links]
    columns = pack(LINKS, links, frame) | pack(REGIONS, level.things.regions, frame)
    columns |= pack(SPOTS, level.things.spots, frame)
    first = np.cumsum([0, *(len(door.states) for door in doors)]).tolist()
    numbered = [
        replace(door, state=before + door.state) if door.state >= 0 else door
        for door, before in zip(doors, first, strict=False)
    ]
    states = [
        DoorState(name, tuple(level.terrains[code] for code in codes))
        for door in doors
        for name, codes in zip(door.states, door.terrain.tolist(), strict=True)
    ]
    columns |= pack(DOORS, numbered, frame) | pack(DOOR_STATES, states, frame)
    if level.instances:
        columns |= pack(PROTOTYPES, level.prototypes, frame)
        columns |= pack(INSTANCES, level.instances, frame)
    return columns


def update_contents(world: Setting) -> Contents:
    """Return the movement columns of each profile, which updates of a level need."""
    columns: dict[str, npt.NDArray[np.generic]] = {}
    if isinstance(world.level, GridLevel) and world.level.barred is not None:
        columns["/barred"] = world.level.barred.reshape(-1)
    if isinstance(world.level, GridLevel) and world.level.elevation is not None:
        columns["/elevation"] = world.level.elevation.reshape(-1)
    for name, mover in world.movers.items():
        if isinstance(world, World):
            columns |= weight_columns(world, name)
        if not mover.allowed.all():
            columns[profile_path(name, "may_enter")] = mover.allowed.astype(np.uint8)
        if isinstance(world.level, GridLevel) and world.level.headings is not None:
            columns[profile_path(name, "turn")] = np.array([mover.turn])
        if mover.slope != LEVEL_GROUND:
            columns[profile_path(name, "slope")] = np.array(mover.slope)
    return Contents({}, columns)


# -- one profile -----------------------------------------------------------------------------------


def profile_contents(profile: str, world: Setting, parts: Components, columns: Columns) -> Contents:
    """Return the contents of one profile: its costs, its components, and the given columns."""
    columns = {"cost": world.movers[profile].cost, **columns}
    if parts.count > 1:
        columns["component"] = parts.component[parts.component >= 0]
    if parts.reach is not None:
        columns["reach"] = parts.reach
    one_way = int(parts.one_way)
    return of_profile(profile, columns, component_count=parts.count, one_way=one_way)


def labels_contents(profile: str, labels: StoredLabels) -> Contents:
    """Return the contents for the distance labels of one profile."""
    columns: Columns = {
        "label_parent": labels.parent,
        "label_difference": labels.difference,
        "label_away": labels.away,
    }
    if labels.toward is not None:
        columns["label_toward"] = labels.toward
    return of_profile(profile, columns)


def hierarchy_contents(profile: str, hierarchy: Hierarchy) -> Contents:
    """Return the contents for the HPA* layers of one profile."""
    layers = hierarchy.layers
    columns: Columns = {
        "layer_nodes": np.array([len(layer.node) for layer in layers], dtype=np.int32),
        "layer_clusters": np.array(hierarchy.clusters, dtype=np.int32),
        "layer_bits": np.array([layer.bits for layer in layers], dtype=np.uint8),
        "layer_parent": narrow(_joined(hierarchy.parents)),
        "layer_node": narrow(_joined([layer.node for layer in layers])),
        "layer_degree": narrow(_joined([np.diff(layer.first_out) for layer in layers])),
        "layer_head": narrow(_joined([layer.arcs[:, 0] for layer in layers])),
        "layer_weight": _joined([layer.arcs[:, 1] for layer in layers]),
        "layer_field": layers[0].flow,
        "layer_landmark": hierarchy.landmark,
    }
    return of_profile(profile, columns, hierarchy_mode="hpa", two_way=int(hierarchy.two_way))


def of_profile(profile: str, columns: Columns, **attributes: Scalar) -> Contents:
    """Return contents with columns and attributes in the group of one profile."""
    group = f"/profiles/{profile}"
    return Contents(
        {(group, name): value for name, value in attributes.items()},
        {profile_path(profile, name): array for name, array in columns.items()},
    )


def first_alike(world: World) -> dict[str, str]:
    """Return, for each profile, the first one with the same weights and the same nodes."""
    first: dict[tuple[bytes, bytes], str] = {}
    return {
        name: first.setdefault((metric.weight.tobytes(), metric.passable.tobytes()), name)
        for name, metric in world.metrics.items()
    }


def as_another(
    parts: Sequence[Contents], twin: str, profile: str, world: Setting
) -> list[Contents]:
    """Copy the contents of one profile for a profile with equal weights but its own costs."""
    old, new = f"/profiles/{twin}", f"/profiles/{profile}"

    def renamed(path: str) -> str:
        is_twin = path == old or path.startswith(f"{old}/")
        return new + path.removeprefix(old) if is_twin else path

    cost = profile_path(profile, "cost")
    copies = []
    for part in parts:
        columns = {renamed(path): array for path, array in part.columns.items()}
        if cost in columns:
            columns[cost] = world.movers[profile].cost
        attributes = {
            (renamed(group), name): value for (group, name), value in part.attributes.items()
        }
        copies.append(Contents(attributes, columns))
    return copies


# -- arrays as they are stored ---------------------------------------------------------------------


def _joined(parts: Sequence[Int32Array]) -> Int32Array:
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def narrow(numbers: Int32Array) -> npt.NDArray[np.generic]:
    """Convert nonnegative numbers to uint16 if they all fit."""
    return numbers.astype(np.uint16) if numbers.max(initial=0) < 2**16 else numbers
