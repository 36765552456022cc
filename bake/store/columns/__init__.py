"""The table of all columns of assets and flat files, by subject, in the order of the file."""

from __future__ import annotations

from bake.store.columns import layers, level, places, profile, things

COLUMNS = (
    *level.COLUMNS,
    *things.COLUMNS,
    *places.COLUMNS,
    *profile.COLUMNS,
    *layers.COLUMNS,
)
