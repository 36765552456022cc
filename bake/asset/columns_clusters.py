"""The columns of clusters."""

from __future__ import annotations

from bake.asset.columns import PROFILE, Column

COLUMNS: tuple[Column, ...] = (
    Column(
        f"/profiles/{PROFILE}/cluster",
        ("uint16", "int32"),
        ("row",),
        "cluster",
        "cluster of the row, from 0; rows of one are connected",
        optional=True,
    ),
)

TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("clusters", "connected groups of places", ("cluster",)),
)
