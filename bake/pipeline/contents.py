"""Step 6 of a level's bake: world and tables as the columns an asset has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array
from bake.asset.schema import profile_path
from bake.asset.write import Contents, Scalar
from bake.level import GridLevel, Level, terrain_colours
from bake.movement import MovementRules
from bake.pipeline.text_columns import texts
from bake.tables.all_pairs import AllPairs
from bake.tables.components import Components
from bake.tables.run_writer import RunTable
from bake.worlds import AgentProfile, World

Columns = dict[str, npt.NDArray[np.generic]]


def shared_contents(world: World, rules: MovementRules, recipe: str) -> Contents:
    """What an asset says of the level itself."""
    level = world.level
    attributes: dict[tuple[str, str], Scalar] = {
        ("/", "name"): level.name,
        ("/", "kind"): _kind(level),
        ("/", "corner_cutting"): rules.corner_cutting,
        ("/", "cost_rule"): rules.cost_rule,
        ("/", "ticks_per_unit"): rules.ticks_per_unit,
        ("/", "recipe"): recipe,
    }
    columns: Columns = {
        "/terrain/name": texts(level.terrains),
        "/terrain/colour": terrain_colours(level.terrains, level.colours),
        "/world/first_out": world.graph.first_out,
        "/world/head": world.graph.head,
        "/world/length": world.length,
        "/world/node_terrain": world.node_terrain,
    }
    if isinstance(level, GridLevel):
        attributes["/", "width"] = level.width
        attributes["/", "height"] = level.height
        attributes["/", "connectivity"] = world.connectivity or 0
        if level.hex_layout:
            attributes["/", "hex_layout"] = level.hex_layout
        columns["/terrain/grid"] = level.terrain
    if world.cell is not None:
        columns["/world/cell"] = world.cell
    if world.position is not None:
        columns["/world/position"] = world.position
    if world.node_names is not None:
        whole = all(isinstance(name, int) for name in world.node_names)
        attributes["/", "node_name_type"] = "int" if whole else "str"
        columns["/world/node_name"] = (
            np.array(world.node_names, dtype=np.int64)
            if whole
            else texts([str(name) for name in world.node_names])
        )
    return Contents(attributes, columns)


def profile_contents(
    profile: AgentProfile,
    world: World,
    parts: Components,
    pairs: AllPairs,
    runs: RunTable | None,
) -> Contents:
    """What an asset says of one profile; its next hops are in ``pairs`` or in ``runs``."""

    def at(name: str) -> str:
        return profile_path(profile.name, name)

    group = f"/profiles/{profile.name}"
    attributes: dict[tuple[str, str], Scalar] = {
        (group, "component_count"): parts.count,
        (group, "one_way"): int(parts.one_way),
    }
    columns: Columns = {
        at("cost"): profile.mover(world.level.terrains).cost,
        at("weight"): world.metrics[profile.name].weight,
        at("component"): parts.component,
    }
    if parts.reach is not None:
        columns[at("reach")] = parts.reach
    if pairs.hop is not None:
        columns[at("hop")] = pairs.hop
    if runs is not None:
        columns[at("run_count")] = _narrow(runs.run_count)
        columns[at("run_start")] = _narrow(runs.run_start)
        columns[at("run_slot")] = runs.run_slot
    if pairs.distance is not None:
        columns[at("distance")] = pairs.distance
    return Contents(attributes, columns)


def _narrow(numbers: Int32Array) -> npt.NDArray[np.generic]:
    """The same numbers in 16 bits where they fit."""
    return numbers.astype(np.uint16) if numbers.max(initial=0) < 2**16 else numbers


def _kind(level: Level) -> str:
    if isinstance(level, GridLevel):
        return "hex" if level.hex_layout else "square"
    return "graph"


def together(parts: Sequence[Contents]) -> Contents:
    """Several contents as one."""
    attributes: dict[tuple[str, str], Scalar] = {}
    columns: Columns = {}
    for part in parts:
        attributes.update(part.attributes)
        columns.update(part.columns)
    return Contents(attributes, columns)
