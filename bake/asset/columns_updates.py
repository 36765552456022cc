"""Columns that only updates need: rules of movement that weights alone do not tell."""

from __future__ import annotations

from bake.asset.columns import PROFILE, Column

COLUMNS: tuple[Column, ...] = (
    Column(
        "/terrain/barred",
        ("uint8",),
        ("y", "x"),
        "bits",
        "headings (1 north, 2 east, 4 south, 8 west) in which no step onto or off the cell is "
        "made; absent where there are none",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/may_enter",
        ("uint8",),
        ("terrain", "terrain"),
        "0 or 1",
        "[from, to]: 1 where a step from one terrain to the other is allowed; absent where all are",
        optional=True,
    ),
)
