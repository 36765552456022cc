"""The step of a level's bake that groups places into clusters and builds layers over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array
from bake.asset.write import Contents
from bake.graph import Subgraph
from bake.greedy import chart
from bake.level import GridLevel
from bake.pipeline.contents_hierarchy import clusters_contents, hierarchy_contents
from bake.recipe import LevelRecipe
from bake.search.graph.partition import region_of_rows
from bake.tables.clusters import Clusters, clusters
from bake.tables.hierarchy import Hierarchy, hierarchy
from bake.worlds import World


@dataclass(frozen=True)
class Layered:
    """One profile's clusters and hierarchy; None where the recipe wants none."""

    clusters: Clusters | None
    hierarchy: Hierarchy | None

    def contents(self, profile: str) -> list[Contents]:
        """What an asset says of them."""
        parts = []
        if self.clusters is not None:
            parts.append(clusters_contents(profile, self.clusters))
        if self.hierarchy is not None:
            parts.append(hierarchy_contents(profile, self.hierarchy))
        return parts


def wants(recipe: LevelRecipe, table: str) -> bool:
    """Whether a recipe asks for clusters, or for a hierarchy; one of those needs clusters."""
    layered = recipe.hierarchy != "none" and (recipe.tables is None or "hierarchy" in recipe.tables)
    if table == "hierarchy":
        return layered
    if layered or recipe.tables is None:
        return True
    return "clusters" in recipe.tables or "cluster_distances" in recipe.tables


def cluster_rows(world: World, sub: Subgraph, recipe: LevelRecipe) -> Clusters:
    """Partition a profile's rows as the recipe says."""
    cell = None if world.cell is None else world.cell[sub.node]
    region = None
    level = world.level
    if recipe.cluster_regions and isinstance(level, GridLevel) and cell is not None:
        drawn = tuple(one.cells for one in level.things.regions)
        if drawn:
            region = region_of_rows(drawn, cell, level.width, level.height)
    return clusters(
        sub,
        size=recipe.cluster_size,
        cell=cell,
        position=None if world.position is None else world.position[sub.node],
        region=region,
    )


def layered(world: World, sub: Subgraph, recipe: LevelRecipe) -> Layered:
    """Cluster one profile's rows and build layers over them.

    Raises:
        BudgetError: they would not fit the recipe's budget.
        CostError: distances are too long for the scale.
    """
    if not wants(recipe, "clusters"):
        return Layered(None, None)
    partition = cluster_rows(world, sub, recipe)
    if not wants(recipe, "hierarchy") or recipe.hierarchy == "none":
        return Layered(partition, None)
    at: Int32Array | None = None
    if world.cell is not None:
        at = np.ascontiguousarray(chart(world.cell[sub.node], world.hex_layout))
    found = hierarchy(
        partition,
        at,
        square=world.hex_layout is None,
        mode=recipe.hierarchy,
        spacing=recipe.spacing,
        levels=recipe.levels,
        keep_paths=recipe.keep_paths,
        budget=recipe.memory_budget,
    )
    return Layered(partition, found)
