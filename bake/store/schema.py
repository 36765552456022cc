"""The schemas of assets and flat files: attributes, columns and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bake.core.movement import MAX_SIZE
from bake.store.columns import COLUMNS as ALL_COLUMNS
from bake.store.columns.numbers import COUNTS, NUMBERS
from levelbake.columns import PROFILE, Attribute, profile_path, schemas

#: Revision of the baking code. It is raised whenever the same source and recipe give other bytes,
#: which makes every asset stale. CHANGELOG.md names each revision.
BAKE_REVISION = 12

_OWN = f"/profiles/{PROFILE}"

# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("/", "kind", "text", "square, hex or graph", values=("graph", "square", "hex")),
    Attribute("/", "width", "integer", "cells from west to east", optional=True, absent=0,
        counts="x"),
    Attribute("/", "height", "integer", "cells from north to south", optional=True,
        absent=0, counts="y"),
    Attribute("/", "hex_layout", "text", "odd-r, even-r, odd-q or even-q", optional=True,
        values=("odd-r", "even-r", "odd-q", "even-q")),
    Attribute("/", "connectivity", "integer", "neighbours of a cell: 4, 6 or 8", optional=True,
        values=(4, 6, 8), absent=0),
    Attribute("/", "corner_cutting", "text", "never, one_free or always",
        values=("never", "one_free", "always")),
    Attribute("/", "cost_rule", "text", "mean or entered", values=("mean", "entered")),
    Attribute("/", "ticks_per_unit", "integer", "ticks in one unit of cost",
        least=1, most=2**31 - 1),
    Attribute("/", "recipe", "text", "the rules that the level "
        "looked up in its recipe, as canonical JSON; a terrain is null where the recipe has no "
        "rule for it"),
    Attribute(_OWN, "component_count", "integer", "strongly connected components",
        counts="component"),
    Attribute(_OWN, "one_way", "flag",
        "1 where some arc leads from one component to another, else 0", values=(0, 1)),
    Attribute(_OWN, "hierarchy_mode", "text",
        "hpa: some crossings of an entrance are transitions, on graphs all", optional=True,
        values=("hpa",)),
    Attribute(_OWN, "two_way", "flag",
        "1 where every arc leads back at the same weight, else 0", optional=True, values=(0, 1)),
    Attribute("/", "floor_height", "integer",
        "rows of one floor, where several lie below one another in the grid, the "
        "lowest first", optional=True, least=1),
    Attribute("/", "headings", "integer",
        "ways an agent can face: 4, 6 or 8; each floor is the level as faced one of these ways, "
        "clockwise from the east (of hexagons in columns, from the south)", optional=True,
        values=(4, 6, 8)),
    Attribute(_OWN, "size", "integer",
        "cells along one side of the square footprint, whose north-west cell is "
        "where the agent is; absent where it is 1", optional=True, least=2, most=MAX_SIZE,
        absent=1),
    Attribute("/", "block", "integer",
        "of a large lattice: cells along one side of a square; nodes are numbered square by "
        "square, row by row in each. Columns is_node, ground, steps and step_ticks stand in the "
        "place of terrain and node_location then", optional=True, least=1, most=2**15),
    Attribute(_OWN, "pivot_two_way", "flag",
        "1 where every arc can be taken back at the same cost: then columns of pivots hold for "
        "both directions", optional=True, values=(0, 1)),
)

#: The tables: name in a recipe (or of a part), description, and the columns of the table.
TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("components", "connected components", ("component",)),
    ("reach", "reachability between components", ("reach",)),
    ("next_hops", "all-pairs next hops, compressed", ("run_length", "run_move")),
    ("next_hops", "all-pairs next hops, in runs", ("first_run", "run_start", "run_move")),
    ("cut_heights", "the order by which updates contract", ("cut_height",)),
    ("distances", "all-pairs distances, by labels each way",
        ("label_parent", "label_difference", "label_toward", "label_away")),
    ("distances", "all-pairs distances, by labels",
        ("label_parent", "label_difference", "label_away")),
    ("clusters", "connected groups of places", ("cluster",)),
    ("hierarchy", "layers of transitions between clusters",
        ("layer_nodes", "layer_clusters", "layer_bits", "layer_parent", "layer_head",
         "layer_weight", "layer_landmark", "layer_degree", "layer_field", "layer_node")),
    ("cluster_distances", "distances between clusters", ("cluster_distance",)),
    ("heuristic", "distances to pivots", ("pivot_distance",)),
)
# fmt: on

#: The schemas of a level's asset and of a flat file.
LEVELS, FLAT = schemas(ATTRIBUTES, COUNTS, ALL_COLUMNS, NUMBERS)

#: The columns of assets, in the order in which they are written into the file.
COLUMNS = LEVELS.columns


def tables_of(profile: str, has: Callable[[str], bool]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each table of a profile, its kind, and the paths of its columns.

    Args:
        profile: its name.
        has: whether there is a column; if a table has several forms, the fullest counts.
    """
    known = set[str]()
    for table, kind, columns in TABLES:
        paths = [profile_path(profile, one) for one in columns]
        if table not in known and all(map(has, paths)):
            known.add(table)
            yield table, kind, paths
