"""Declare a column in one entry of a table."""

from __future__ import annotations

from typing import Any

from levelbake.columns import Column


def column(
    name: str, dtypes: str, dims: str, unit: str = "", description: str = "", **rest: Any
) -> Column:
    """Return the declaration of a column; types and dimensions are words of a line."""
    types, names = tuple(dtypes.split()), tuple(dims.split(", "))
    return Column(name, types, names, unit, description, **rest)
