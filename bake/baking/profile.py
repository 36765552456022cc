"""Choose and compute the tables of one profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from bake.baking.contents import (
    Columns,
    hierarchy_contents,
    labels_contents,
    narrow,
    of_profile,
    profile_contents,
)
from bake.baking.cuts import cut_heights
from bake.baking.graph_contents import run_columns
from bake.core.arrays import Int32Array
from bake.core.errors import CostError, over_budget
from bake.core.graph import INFINITY, Subgraph, leads_back
from bake.core.level import GridLevel
from bake.project.recipe import LevelRecipe
from bake.search.graph.partition import region_of_rows
from bake.store.pairs import pair_differences
from bake.store.write import Contents
from bake.tables.all_pairs import choose_algorithm
from bake.tables.cluster_distances import cluster_distances, fits_auto
from bake.tables.clusters import Clusters, clusters
from bake.tables.components import components
from bake.tables.compressed import compressed_next_hops
from bake.tables.heuristic import heuristic
from bake.tables.hierarchy import Hierarchy, hierarchy
from bake.tables.labels import StoredLabels, stored_labels
from bake.tables.range_search import Executor, KeptRanges, RangeJob
from bake.tables.run_writer import target_ranges
from bake.worlds import World, usable
from levelbake.steps import chart

#: A function that is called with the stage and the fraction of it that is done.
Report = Callable[[str, float], None]


def profile_tables(
    profile: str,
    world: World,
    recipe: LevelRecipe,
    threads: int,
    report: Report,
    kept: KeptRanges | None,
    executor: Executor | None = None,
    *,
    hops: bool = True,
) -> list[Contents]:
    """Compute the tables that a recipe requests, one after the other.

    Args:
        threads: the number of threads, which does not change any table.
        report: called with the stage, which is the current table, and the fraction of it that is
            done.
        kept: the storage of finished ranges of next hops; None = do not store them.
        executor: searches the ranges instead of threads, if there are several.
        hops: False = skip next hops even if the recipe requests them.

    Raises:
        BudgetError: a table would exceed the recipe's memory budget.
        CostError: distances are too long for the scale of ticks.
    """
    budget = recipe.memory_budget
    sub = usable(world, profile)
    parts = components(sub, world.graph.node_count)
    choice = choose(recipe)
    if choice.distances:
        report("distances", 0)
    labels = labels_of(world, sub, choice, budget)
    runs: Columns = {}
    if choice.hops and hops:
        report("next hops", 0)
        table = compressed_next_hops(
            sub,
            rows_on_chart(world, sub),
            unreachable_fits=parts.tells_all,
            algorithm=recipe.algorithm,
            budget=budget,
            threads=threads,
            progress=partial(report, "next hops"),
            kept=kept,
            executor=executor,
        )
        runs = run_columns(table)
    contents = [profile_contents(profile, world, parts, runs)]
    if choice.hops:
        contents.append(of_profile(profile, {"cut_height": cut_heights(world, profile)}))
    if labels is not None:
        contents.append(labels_contents(profile, labels))
    if wants_clusters(recipe):
        report("clusters", 0)
        partition = cluster_rows(world, sub, recipe)
        contents.append(of_profile(profile, {"cluster": narrow(partition.label)}))
        if wants_hierarchy(recipe):
            report("hierarchy", 0)
            layers = hierarchy_over(world, sub, partition, recipe)
            contents.append(hierarchy_contents(profile, layers))
        small = fits_auto(sub.graph.node_count, partition.count)
        if wants(recipe, "cluster_distances", usual=small):
            report("cluster distances", 0)
            between = pair_differences(cluster_distances(partition, budget=budget))
            contents.append(of_profile(profile, {"cluster_distance": between}))
    # Usually next hops are baked, and few levels need both.
    if wants(recipe, "heuristic", usual=recipe.heuristic_kind != "auto"):
        report("heuristic", 0)
        pivots = heuristic(sub, recipe.heuristic_bytes)
        columns: Columns = {"pivot_distance": pivots.pivot}
        contents.append(of_profile(profile, columns, pivot_two_way=int(pivots.two_way)))
    return contents


# -- which tables ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """Whether one profile's next hops and distances are baked."""

    hops: bool
    distances: bool


def wants(recipe: LevelRecipe, table: str, *, usual: bool = True) -> bool:
    """Return whether a table is requested: by name, or by default if the recipe names no tables."""
    return usual if recipe.tables is None else table in recipe.tables


def choose(recipe: LevelRecipe) -> Choice:
    """Return whether next hops and distances are requested."""
    distances = wants(recipe, "distances", usual=recipe.distance_storage != "auto")
    return Choice(wants(recipe, "next_hops"), distances)


def in_ranges(sub: Subgraph, recipe: LevelRecipe) -> bool:
    """Return whether next hops are searched in several ranges, which machines can share."""
    nodes, arcs = sub.graph.node_count, sub.graph.arc_count
    return (
        choose(recipe).hops
        and choose_algorithm(nodes, arcs, recipe.algorithm) == "dijkstra"
        and len(target_ranges(sub.graph.node_count)) > 1
    )


def labels_of(world: World, sub: Subgraph, choice: Choice, budget: int) -> StoredLabels | None:
    """Compute distance labels; return None if no distances are requested.

    Raises:
        BudgetError: the labels exceed the memory budget.
        CostError: distances may be too long for the scale, and there are no next hops to check it.
    """
    if not choice.distances:
        return None
    rows = sub.graph.node_count
    two_way = leads_back(sub.graph, sub.weight)
    labels = stored_labels(sub, rows_on_chart(world, sub), two_way=two_way, budget=budget)
    if labels is None:
        remedy = "raise memory_budget, or leave distances out of tables"
        raise over_budget(f"distance labels of {rows:,} nodes need more", budget, remedy)
    heaviest = int(sub.weight.max(initial=0))
    # A distance is the sum of two labels. The search for next hops checks every distance.
    if not choice.hops and 2 * labels.longest >= INFINITY - heaviest:
        raise CostError(
            f"distances may reach {2 * labels.longest} ticks, and labels alone cannot check it",
            expected=f"fewer than {INFINITY - heaviest} ticks",
            remedy="lower ticks_per_unit, or add next_hops to tables",
        )
    return labels


def wants_hierarchy(recipe: LevelRecipe) -> bool:
    """Return whether layers over clusters are requested."""
    return recipe.hierarchy != "none" and wants(recipe, "hierarchy")


def wants_clusters(recipe: LevelRecipe) -> bool:
    """Return whether clusters are needed, for themselves or for tables that use them."""
    named = any(wants(recipe, table) for table in ("clusters", "cluster_distances"))
    return named or wants_hierarchy(recipe)


# -- making them ----------------------------------------------------------------------------------


def rows_on_chart(world: World, sub: Subgraph) -> Int32Array | None:
    """Return the (r, 2) int32 chart coordinates of a profile's rows; None on graph levels."""
    return None if world.cell is None else chart(world.cell[sub.node], world.hex_layout)


def range_job(world: World, sub: Subgraph) -> RangeJob:
    """Return the job that searches ranges of one profile's targets."""
    parts = components(sub, world.graph.node_count)
    return RangeJob(sub, rows_on_chart(world, sub), parts.tells_all)


def cluster_rows(world: World, sub: Subgraph, recipe: LevelRecipe) -> Clusters:
    """Partition a profile's rows as the recipe says."""
    cell = None if world.cell is None else world.cell[sub.node]
    region = None
    level = world.level
    folded = cell
    if cell is not None and isinstance(level, GridLevel) and level.headings is not None:
        # All headings of a cell share a cluster, so that only steps join clusters.
        folded = cell % np.array([level.width, level.floor_height], dtype=np.int32)
    if recipe.cluster_regions and isinstance(level, GridLevel) and cell is not None:
        region_cells = tuple(level_region.cells for level_region in level.things.regions)
        if region_cells:
            region = region_of_rows(region_cells, cell, level.width, level.height)
    elif recipe.cluster_regions and world.node_region is not None:
        region = world.node_region[sub.node]
    return clusters(
        sub,
        size=recipe.cluster_size,
        cell=folded,
        position=None if world.position is None else world.position[sub.node],
        region=region,
    )


def hierarchy_over(
    world: World, sub: Subgraph, partition: Clusters, recipe: LevelRecipe
) -> Hierarchy:
    """Build layers over one profile's clusters, as the recipe says."""
    assert recipe.hierarchy != "none"
    return hierarchy(
        partition,
        rows_on_chart(world, sub),
        square=world.hex_layout is None,
        spacing=recipe.spacing,
        levels=recipe.levels,
        keep_paths=recipe.keep_paths,
        budget=recipe.memory_budget,
    )
