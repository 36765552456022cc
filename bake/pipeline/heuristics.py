"""The step of a level's bake that makes distances between clusters, and the heuristic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array
from bake.asset.schema import profile_path
from bake.asset.write import Contents
from bake.graph import Subgraph
from bake.greedy import chart
from bake.level import GridLevel
from bake.recipe import LevelRecipe
from bake.search.graph.connectivity import is_two_way
from bake.search.point.norms import quantised
from bake.tables.cluster_distances import ClusterDistances, cluster_distances, fits_auto
from bake.tables.clusters import Clusters
from bake.tables.field_table import Slopes, hex_slopes, plane_slopes, square_slopes, table_memory
from bake.tables.heuristic import Heuristic, heuristic, heuristic_size
from bake.worlds import World


@dataclass(frozen=True)
class Bounds:
    """One profile's lower bounds of distances; None where the recipe wants none."""

    between: ClusterDistances | None
    heuristic: Heuristic | None

    def contents(self, profile: str) -> list[Contents]:
        """What an asset says of them."""
        parts = []
        if self.between is not None:
            parts.append(cluster_distances_contents(profile, self.between))
        if self.heuristic is not None:
            parts.append(heuristic_contents(profile, self.heuristic))
        return parts


def wants_between(recipe: LevelRecipe, found: Clusters | None) -> bool:
    """Whether distances between clusters are made; "auto" leaves large tables out."""
    if found is None:
        return False
    if recipe.tables is None:
        return fits_auto(found.sub.graph.node_count, found.count)
    return "cluster_distances" in recipe.tables


def wants_heuristic(recipe: LevelRecipe) -> bool:
    """Whether the heuristic is made; "auto" makes next hops, beside which few need one."""
    if recipe.tables is None:
        return recipe.heuristic_kind != "auto"
    return "heuristic" in recipe.tables


def coordinates(world: World, sub: Subgraph) -> tuple[Int32Array, Slopes]:
    """(r, 2) int32, what fields rise along, and how; zeros on a graph without positions."""
    if world.cell is not None:
        at = np.ascontiguousarray(chart(world.cell[sub.node], world.hex_layout))
        level = world.level
        if isinstance(level, GridLevel) and level.floor_height and world.hex_layout is None:
            # Floors lie over one another, as they do for norms.
            at = at % np.array([level.width, level.floor_height], dtype=np.int32)
        return at, square_slopes(sub, at) if world.hex_layout is None else hex_slopes(sub)
    if world.position is not None:
        at = quantised(world.position[sub.node])
        return at, plane_slopes(sub, at)
    return np.zeros((len(sub.node), 2), dtype=np.int32), Slopes.none()


def bounds(
    world: World, sub: Subgraph, found: Clusters | None, recipe: LevelRecipe, threads: int
) -> Bounds:
    """Make what the recipe wants for one profile.

    Args:
        found: the profile's clusters; None = there are none.

    Raises:
        BudgetError: it would not fit the recipe's budget.
        CostError: distances are too long for the scale.
    """
    between = kept = None
    if found is not None and wants_between(recipe, found):
        between = cluster_distances(found, budget=recipe.memory_budget)
    if wants_heuristic(recipe):
        kept = heuristic(
            sub,
            *coordinates(world, sub),
            kind=kind_within_budget(sub, recipe),
            bytes_per_node=recipe.heuristic_bytes,
            budget=recipe.memory_budget,
            threads=threads,
        )
    return Bounds(between, kept)


def kind_within_budget(sub: Subgraph, recipe: LevelRecipe) -> str:
    """The heuristic to make: where nobody asked for it by name it is no reason to refuse a level.

    A table between basins that would exceed the budget is then left out.
    """
    graph, rows = sub.graph, sub.graph.node_count
    if recipe.heuristic_kind == "landmark":
        return "landmark"
    if recipe.tables is not None:
        return "field"
    two_way = bool(is_two_way(graph.first_out, graph.head, sub.weight))
    size = heuristic_size(rows, recipe.heuristic_bytes, kind="field", two_way=two_way)
    needed = table_memory(rows, size.basins, 1, two_way=two_way)
    return "field" if needed <= recipe.memory_budget else "landmark"


def cluster_distances_contents(profile: str, found: ClusterDistances) -> Contents:
    """What an asset says of distances between one profile's clusters."""
    columns: dict[str, npt.NDArray[np.generic]] = {
        "cluster_distance": found.distance,
        "cluster_pair": found.pair,
        "cluster_cost": found.cost,
    }
    return Contents({}, {profile_path(profile, name): array for name, array in columns.items()})


def heuristic_contents(profile: str, found: Heuristic) -> Contents:
    """What an asset says of one profile's heuristic; without a table its columns are empty."""
    columns: dict[str, npt.NDArray[np.generic]] = {"pivot_distance": found.pivot}
    table = found.table
    if table is not None:
        columns |= {
            "basin": _small(table.label, len(table.anchor)),
            "basin_anchor": table.anchor,
            "basin_distance": table.distance,
            "basin_fields": table.chosen,
            "field": table.fields,
        }
    group = f"/profiles/{profile}"
    return Contents(
        {
            (group, "pivot_two_way"): int(found.two_way),
            (group, "field_shift"): 0 if table is None else table.shift,
        },
        {profile_path(profile, name): array for name, array in columns.items()},
    )


def _small(label: Int32Array, count: int) -> npt.NDArray[np.generic]:
    """The same labels in the smallest type that holds them."""
    if count <= 2**8:
        return label.astype(np.uint8)
    return label.astype(np.uint16) if count <= 2**16 else label
