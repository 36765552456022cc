"""Columns of distances between clusters."""

from __future__ import annotations

from bake.asset.columns import PROFILE, Column

COLUMNS: tuple[Column, ...] = (
    Column(
        f"/profiles/{PROFILE}/cluster_distance",
        ("int32",),
        ("cluster", "cluster"),
        "ticks",
        "[from, to]: the smallest distance from a row of one cluster to a row of the other; "
        "2147483647 where there is no path",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/cluster_pair",
        ("int32",),
        ("cluster pair", "end"),
        "cluster",
        "clusters from one of which an arc leads to the other, in order",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/cluster_cost",
        ("int32",),
        ("cluster pair", "price"),
        "ticks",
        "of each pair: minimum, the cheapest arc; maximin, the longest of the shortest ways into "
        "the second cluster, inside the first, from where arcs enter it from third clusters (if no "
        "way leads on from there, from where any arcs enter it; else from all its rows); their "
        "average, rounded down, each arc counted",
        optional=True,
    ),
)

TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "cluster_distances",
        "distances between clusters",
        ("cluster_distance", "cluster_pair", "cluster_cost"),
    ),
)
