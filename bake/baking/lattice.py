"""Bake a large level of cells, whose arcs follow from them and are neither listed nor stored.

A level of a million cells and more gets this form where its recipe asks for components, clusters
and a hierarchy alone, as next hops and heuristics have an entry for every arc or pair anyway, and
where every arc is a step: links have costs of their own.
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

#: Levels with fewer cells to stand on list their arcs: all tables and searches are made for that,
#: and take at most a gigabyte then.
LEAST_NODES = 2**20

#: The tables that are made without a list of arcs.
TABLES = frozenset({"components", "clusters", "hierarchy"})

#: Peak memory of such a bake, for each node and for each cell; measured on 10 million nodes.
NODE_BYTES = 100
CELL_BYTES = 16

#: The largest terrain there may be; the number after it says "nowhere".
# limit: the arcs are listed; tests/tables/test_lattice.py
MOST_TERRAINS = 255


def follows_from_cells(level: Level, recipe: LevelRecipe, nodes: int) -> bool:
    """Tell whether a level of so many nodes is baked without a list of its arcs."""
    if not isinstance(level, GridLevel) or recipe.tables is None or nodes < LEAST_NODES:
        return False
    regions = recipe.cluster_regions and level.things.regions and wants_clusters(recipe)
    # Steps between two terrains cost different prices where the ground rises and falls, and turns
    # are no steps to neighbours.
    if level.elevation is not None or level.headings is not None:
        return False
    plain = not level.things.links and not regions and len(level.terrains) < MOST_TERRAINS
    return plain and TABLES.issuperset(recipe.tables)


def check_lattice_fits(level: GridLevel, nodes: int, budget: int) -> None:
    """Refuse a level that would exceed the budget, before anything is made of it.

    Raises:
        BudgetError: it would; the error states both sizes.
    """
    needed = NODE_BYTES * nodes + CELL_BYTES * level.terrain.size
    if needed > budget:
        found = f"this level of {nodes:,} nodes needs about {in_units(needed)}"
        raise over_budget(found, budget, "raise memory_budget, or split the level")


def lattice_world_contents(world: LatticeWorld, recipe: LevelRecipe, stated: str) -> list[Contents]:
    """Make everything an asset holds of such a level, but for what says by which code it was baked.

    Args:
        world: the level.
        recipe: what to make.
        stated: the recipe as the asset is to state it.

    Raises:
        CostError, BudgetError.
    """
    block = recipe.cluster_size
    said = level_contents(world, stated)
    node = block_order(world.is_node, block)
    bits = Contents(
        {**said.attributes, ("/", "block"): block},
        {
            **{path: array for path, array in said.columns.items() if path != "/terrain"},
            "/ground": world.level.terrain,
            "/is_node": np.packbits(world.is_node, axis=1),
        },
    )
    parts = [bits, things_contents(world), update_contents(world)]
    baked: dict[bytes, tuple[str, list[Contents]]] = {}
    for name, metric in world.metrics.items():
        key = metric.steps.tobytes() + metric.ticks.tobytes() + metric.stands.tobytes()
        key += b"" if metric.dearest is None else metric.dearest.tobytes()
        if key in baked:
            twin, made = baked[key]
            parts += as_another(made, twin, name, world)
            continue
        made = _profile_tables(name, world, node, recipe)
        if len(world.metrics) > 1:
            baked[key] = name, made
        parts += made
    return parts


def _profile_tables(
    name: str, world: LatticeWorld, node: Int32Array, recipe: LevelRecipe
) -> list[Contents]:
    """Make the tables of one profile.

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
    found = [profile_contents(name, world, lattice_components(rows, len(node)), columns)]
    if not wants_clusters(recipe):
        return found
    base, tile = lattice_clusters(rows, recipe.cluster_size)
    found.append(of_profile(name, {"cluster": narrow(base.label)}))
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
        found.append(hierarchy_contents(name, layers))
        across = -(-world.lattice.width // recipe.cluster_size)
        down = -(-world.lattice.height // recipe.cluster_size)
        square = tile[:, 1].astype(np.int64) * across + tile[:, 0]
        # They let readers take the lattice square by square.
        counts: Columns = {
            "square_clusters": np.bincount(square, minlength=across * down).astype(np.int32),
            "cluster_rows": narrow(np.diff(base.members.first)),
            "cluster_transitions": narrow(np.diff(layers.layers[0].first_transition)),
            "step_range": rows.step_range,
        }
        found.append(of_profile(name, counts))
    return found
