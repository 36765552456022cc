"""What distances between clusters and the heuristic will cost: made, or made in part."""

from __future__ import annotations

import time

import numpy as np

from bake.graph import Subgraph
from bake.pipeline.deflated import deflated_bytes
from bake.pipeline.heuristics import (
    cluster_distances_contents,
    coordinates,
    heuristic_contents,
    kind_within_budget,
    wants_between,
    wants_heuristic,
)
from bake.pipeline.layers import cluster_rows, wants
from bake.pipeline.table_plan import TablePlan
from bake.recipe import LevelRecipe
from bake.search.graph.connectivity import is_two_way
from bake.tables.cluster_distances import cluster_distances, working_bytes
from bake.tables.field_table import MOST_FIELDS, table_memory
from bake.tables.heuristic import heuristic, heuristic_size
from bake.worlds import World

#: A heuristic that searches for more distances than this is planned from a part of it.
SAMPLED_DISTANCES = 2**27


def plan_bounds(
    profile: str, world: World, sub: Subgraph, recipe: LevelRecipe, threads: int
) -> list[TablePlan]:
    """Predict one profile's lower bounds of distances.

    Raises:
        BudgetError, CostError: as the bake itself would.
    """
    plans = []
    found = cluster_rows(world, sub, recipe) if wants(recipe, "clusters") else None
    if found is not None and wants_between(recipe, found):
        begun = time.perf_counter()
        between = cluster_distances(found, budget=recipe.memory_budget)
        seconds = time.perf_counter() - begun
        size = deflated_bytes(cluster_distances_contents(profile, between))
        memory = working_bytes(found)
        plans.append(TablePlan(profile, "cluster_distances", "dense", size, seconds, memory))
    if wants_heuristic(recipe):
        plans.append(_plan_heuristic(profile, world, sub, recipe, threads))
    return plans


def _plan_heuristic(
    profile: str, world: World, sub: Subgraph, recipe: LevelRecipe, threads: int
) -> TablePlan:
    graph, rows = sub.graph, sub.graph.node_count
    two_way = bool(is_two_way(graph.first_out, graph.head, sub.weight))
    kind = kind_within_budget(sub, recipe)
    planned = heuristic_size(rows, recipe.heuristic_bytes, kind=kind, two_way=two_way)
    share = -(-rows * planned.basins * MOST_FIELDS // SAMPLED_DISTANCES) or 1
    begun = time.perf_counter()
    made = heuristic(
        sub,
        *coordinates(world, sub),
        kind=kind,
        bytes_per_node=recipe.heuristic_bytes,
        budget=recipe.memory_budget,
        threads=threads,
        share=share,
    )
    seconds = (time.perf_counter() - begun) * share
    contents = heuristic_contents(profile, made)
    size = deflated_bytes(contents)
    if made.table is not None:
        # Of the parts of a table, those that have an entry a pair of basins grow.
        pairs = sum(
            array.nbytes
            for path, array in contents.columns.items()
            if path.endswith(("/basin_distance", "/basin_fields"))
        )
        whole = sum(np.asarray(array).nbytes for array in contents.columns.values())
        grown = (share * share - 1) * pairs
        size = int(size * (whole + grown) / max(1, whole))
    memory = 64 * rows
    if planned.basins:
        memory += table_memory(rows, planned.basins, threads, two_way=two_way)
    return TablePlan(profile, "heuristic", kind, size, seconds, memory)
