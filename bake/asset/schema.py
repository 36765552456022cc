"""What an asset holds, declared once: code and docs/format-columns.md follow from it."""

from __future__ import annotations

from bake.asset import (
    columns_cluster_distances,
    columns_clusters,
    columns_heuristic,
    columns_hierarchy,
    columns_updates,
)
from bake.asset.columns import PROFILE, Attribute, Column
from bake.asset.columns_things import THING_ATTRIBUTES, THING_COLUMNS

FORMAT_NAME = "levelbake asset"

#: Version of the layout described here. Readers refuse other versions, each with its own error.
FORMAT_VERSION = 2
OLDEST_READABLE = 2

#: Revision of the baking code: raised whenever the same source and recipe give other bytes, which
#: makes every asset stale. CHANGELOG.md names each.
BAKE_REVISION = 2

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("/", "format", "text", f"always {FORMAT_NAME!r}"),
    Attribute("/", "format_version", "integer", "version of this layout"),
    Attribute("/", "bake_revision", "integer", "revision of the code that baked it"),
    Attribute("/", "name", "text", "name of the level: its file name without extension"),
    Attribute("/", "kind", "text", "square, hex or graph"),
    Attribute("/", "width", "integer", "cells from west to east", optional=True),
    Attribute("/", "height", "integer", "cells from north to south", optional=True),
    Attribute("/", "hex_layout", "text", "odd-r, even-r, odd-q or even-q", optional=True),
    Attribute("/", "connectivity", "integer", "neighbours of a cell: 4, 6 or 8", optional=True),
    Attribute("/", "corner_cutting", "text", "never, one_free or always"),
    Attribute("/", "cost_rule", "text", "mean or entered"),
    Attribute("/", "ticks_per_unit", "integer", "ticks in one unit of cost"),
    Attribute("/", "recipe", "text", "the recipe that took effect, as canonical JSON"),
    Attribute("/", "node_name_type", "text", "str or int", optional=True),
    Attribute(
        f"/profiles/{PROFILE}",
        "component_count",
        "integer",
        "strongly connected components",
    ),
    Attribute(
        f"/profiles/{PROFILE}",
        "one_way",
        "flag",
        "1 where some arc leads from one component to another, else 0",
    ),
    *columns_hierarchy.ATTRIBUTES,
    *THING_ATTRIBUTES,
    *columns_heuristic.ATTRIBUTES,
)

COLUMNS: tuple[Column, ...] = (
    Column(
        "/terrain/name",
        ("S",),
        ("terrain",),
        "text",
        "names of the terrains",
    ),
    Column(
        "/terrain/colour",
        ("uint8",),
        ("terrain", "channel"),
        "sRGB, 0 to 255",
        "colour to draw a terrain in",
    ),
    Column(
        "/terrain/grid",
        ("uint8",),
        ("y", "x"),
        "terrain",
        "terrain of every cell, blocked ones too",
        optional=True,
    ),
    Column(
        "/world/first_out",
        ("int32",),
        ("node + 1",),
        "arc",
        "arcs of node v are first_out[v] to first_out[v + 1] - 1; an arc's place among them is "
        "its slot",
    ),
    Column("/world/head", ("int32",), ("arc",), "node", "node the arc leads to"),
    Column(
        "/world/length",
        ("float64",),
        ("arc",),
        "units",
        "length of the step: 1, the square root of 2, or the length given by a graph",
    ),
    Column(
        "/world/node_terrain",
        ("uint8",),
        ("node",),
        "terrain",
        "terrain of the node",
    ),
    Column(
        "/world/cell",
        ("int32",),
        ("node", "xy"),
        "cells",
        "x from the west and y from the north of the node's cell",
        optional=True,
    ),
    Column(
        "/world/position",
        ("float64",),
        ("node", "xy"),
        "units of the source",
        "where a graph's node lies",
        optional=True,
    ),
    Column(
        "/world/node_name",
        ("S", "int64"),
        ("node",),
        "text or number",
        "name of a graph's node",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/cost",
        ("float64",),
        ("terrain",),
        "units",
        "cost of crossing one cell; NaN where the profile cannot go",
    ),
    Column(
        f"/profiles/{PROFILE}/weight",
        ("int32",),
        ("arc",),
        "ticks",
        "cost of taking the arc; 2147483647 where the profile may not",
    ),
    Column(
        f"/profiles/{PROFILE}/component",
        ("int32",),
        ("node",),
        "component",
        "strongly connected component; -1 where the profile cannot stand. The profile's rows are "
        "the other nodes, in order",
    ),
    Column(
        f"/profiles/{PROFILE}/reach",
        ("uint8",),
        ("component", "byte"),
        "bits",
        "bit 7 - j % 8 of byte j // 8 in row i: component j can be reached from component i",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/hop",
        ("uint8", "uint16", "uint32"),
        ("row", "row"),
        "slot",
        "[from, to]: slot of the arc to take; all ones where there is none: no path, or there",
        optional=True,
        layout="contiguous",
    ),
    Column(
        f"/profiles/{PROFILE}/run_count",
        ("uint16", "int32"),
        ("row",),
        "runs",
        "runs of the row, at least one; the next three columns are next hops in compressed form",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/run_start",
        ("uint16", "int32"),
        ("run",),
        "row",
        "first target of the run, row after row; a run ends where the next one of its row begins",
        optional=True,
        shuffle=False,
    ),
    Column(
        f"/profiles/{PROFILE}/run_slot",
        ("uint8", "uint16", "uint32"),
        ("run",),
        "slot",
        "slot of the arc to take toward every target of the run; all ones: no path; all ones less "
        "one: the greedy move. Means nothing for the row itself and for targets that component and "
        "reach say cannot be reached",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/distance",
        ("int32",),
        ("row", "row"),
        "ticks",
        "[from, to]: length of a shortest path; 2147483647 where there is none",
        optional=True,
        layout="contiguous",
    ),
    *columns_clusters.COLUMNS,
    *columns_hierarchy.COLUMNS,
    *columns_updates.COLUMNS,
    *THING_COLUMNS,
    *columns_cluster_distances.COLUMNS,
    *columns_heuristic.COLUMNS,
)

#: Products: name in a recipe (or of its part), what it is, and the columns it is made of.
TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("components", "connected components", ("component",)),
    ("reach", "reachability between components", ("reach",)),
    ("next_hops", "all-pairs next hops, dense", ("hop",)),
    ("next_hops", "all-pairs next hops, compressed", ("run_count", "run_start", "run_slot")),
    ("distances", "all-pairs distances, dense", ("distance",)),
    *columns_clusters.TABLES,
    *columns_hierarchy.TABLES,
    *columns_cluster_distances.TABLES,
    *columns_heuristic.TABLES,
)


def column(path: str) -> Column:
    """The declaration of a column by its path pattern."""
    for declared in COLUMNS:
        if declared.path == path:
            return declared
    raise KeyError(path)


def profile_path(profile: str, name: str) -> str:
    """Path of one of a profile's columns."""
    return f"/profiles/{profile}/{name}"


def pattern_of(path: str) -> str:
    """The path pattern behind a concrete path."""
    parts = path.split("/")
    if len(parts) == 4 and parts[1] == "profiles":
        parts[2] = PROFILE
    return "/".join(parts)
