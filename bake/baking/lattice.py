"""Bake a large grid without listing or storing its arcs, which follow from the cells.

A level of at least a million cells is baked this way if its recipe requests no other tables than
components, clusters and a hierarchy, because next hops and heuristics need an entry for every arc
or pair anyway. Every arc must be a step, as links have their own costs.
"""

from __future__ import annotations

import numpy as np

from bake.baking.contents import (
    Columns,
    as_another,
    hierarchy_contents,
    level_contents,
    narrow,
    of_profile,
    profile_contents,
    things_contents,
    update_contents,
)
from bake.baking.profile import wants_clusters, wants_hierarchy
from bake.core.arrays import Int32Array
from bake.core.errors import in_units, over_budget
from bake.core.level import GridLevel, Level
from bake.project.recipe import LevelRecipe
from bake.search.hierarchy.lattice import lattice_arcs
from bake.store.lattice import block_order
from bake.store.write import Contents
from bake.tables.lattice import (
    LatticeRows,
    lattice_clusters,
    lattice_components,
    lattice_hierarchy,
)
from bake.worlds import LatticeWorld

#: Levels with fewer walkable cells list their arcs, which all tables and searches support and which
#: take at most a gigabyte then.
LEAST_NODES = 2**20

#: The tables that can be computed without a list of arcs.
TABLES = frozenset({"components", "clusters", "hierarchy"})

#: Peak memory of such a bake, for each node and for each cell; measured on 10 million nodes.
NODE_BYTES = 100
CELL_BYTES = 16

#: The highest terrain code; the number after it marks steps that lead nowhere.
# limit: the arcs are listed; tests/tables/test_lattice.py
MOST_TERRAINS = 255


def follows_from_cells(level: Level, recipe: LevelRecipe, nodes: int) -> bool:
    """Return whether a level with this number of nodes is baked without a list of its arcs."""
    if not isinstance(level, GridLevel) or recipe.tables is None or nodes < LEAST_NODES:
        return False
    regions = recipe.cluster_regions and level.things.regions and wants_clusters(recipe)
    # With elevation, steps between the same two terrains differ in cost; turns are not steps to
    # neighbors.
    if level.elevation is not None or level.headings is not None:
        return False
    plain = not level.things.links and not regions and len(level.terrains) < MOST_TERRAINS
    return plain and TABLES.issuperset(recipe.tables)


def check_lattice_fits(level: GridLevel, nodes: int, budget: int) -> None:
    """Raise if baking a level without a list of arcs would exceed the memory budget.

    Raises:
        BudgetError: the bake would exceed it; the error states both sizes.
    """
    needed = NODE_BYTES * nodes + CELL_BYTES * level.terrain.size
    if needed > budget:
        found = f"this level of {nodes:,} nodes needs about {in_units(needed)}"
        raise over_budget(found, budget, "raise memory_budget, or split the level")


def lattice_world_contents(world: LatticeWorld, recipe: LevelRecipe, stated: str) -> list[Contents]:
    """Return the contents of a large grid's asset, without its header.

    Args:
        world: the level.
        recipe: the tables to compute and their settings.
        stated: the rules in effect, as the asset stores them.

    Raises:
        CostError, BudgetError.
    """
    block = recipe.cluster_size
    shared = level_contents(world, stated)
    node = block_order(world.is_node, block)
    bits = Contents(
        {**shared.attributes, ("/", "block"): block},
        {
            **{path: array for path, array in shared.columns.items() if path != "/terrain"},
            "/ground": world.level.terrain,
            "/is_node": np.packbits(world.is_node, axis=1),
        },
    )
    parts = [bits, things_contents(world), update_contents(world)]
    first_of_kind: dict[bytes, tuple[str, list[Contents]]] = {}
    for name, metric in world.metrics.items():
        key = metric.steps.tobytes() + metric.ticks.tobytes() + metric.stands.tobytes()
        key += b"" if metric.dearest is None else metric.dearest.tobytes()
        if key in first_of_kind:
            twin, tables = first_of_kind[key]
            parts += as_another(tables, twin, name, world)
            continue
        tables = _profile_tables(name, world, node, recipe)
        if len(world.metrics) > 1:
            first_of_kind[key] = name, tables
        parts += tables
    return parts


def _profile_tables(
    name: str, world: LatticeWorld, node: Int32Array, recipe: LevelRecipe
) -> list[Contents]:
    """Compute the tables of one profile.

    Args:
        node: (n) int32, the cell of each node.
    """
    level, metric = world.level, world.metrics[name]
    stands = metric.stands.reshape(-1)[node]
    row_node = np.flatnonzero(stands).astype(np.int32)
    cell = node[row_node]
    row_at = np.full(level.terrain.size, -1, dtype=np.int32)
    row_at[cell] = np.arange(1, len(cell) + 1, dtype=np.int32)
    price = level.terrain if metric.dearest is None else metric.dearest
    arcs = lattice_arcs(
        world.lattice,
        cell,
        row_at,
        metric.steps.reshape(-1),
        price.reshape(-1),
        metric.ticks,
    )
    rows = LatticeRows.of(arcs, row_node)
    columns: Columns = {"steps": metric.steps, "step_ticks": metric.ticks}
    if metric.dearest is not None:
        columns["dearest"] = metric.dearest
    parts = [profile_contents(name, world, lattice_components(rows, len(node)), columns)]
    if not wants_clusters(recipe):
        return parts
    base, tile = lattice_clusters(rows, recipe.cluster_size)
    parts.append(of_profile(name, {"cluster": narrow(base.label)}))
    if wants_hierarchy(recipe):
        layers = lattice_hierarchy(
            rows,
            base,
            tile,
            level.hex_layout,
            spacing=recipe.spacing,
            levels=recipe.levels,
            keep_paths=recipe.keep_paths,
            budget=recipe.memory_budget,
        )
        parts.append(hierarchy_contents(name, layers))
        across = -(-world.lattice.width // recipe.cluster_size)
        down = -(-world.lattice.height // recipe.cluster_size)
        square = tile[:, 1].astype(np.int64) * across + tile[:, 0]
        # With these columns, readers can load the lattice square by square.
        counts: Columns = {
            "square_clusters": np.bincount(square, minlength=across * down).astype(np.int32),
            "cluster_rows": narrow(np.diff(base.members.first)),
            "cluster_transitions": narrow(np.diff(layers.layers[0].first_transition)),
            "step_range": rows.step_range,
        }
        parts.append(of_profile(name, counts))
    return parts
