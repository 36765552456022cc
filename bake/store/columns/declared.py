"""Declare a column in one entry of a table."""

from __future__ import annotations

from typing import Any

from levelbake.columns import Column

#: The largest cost or length in sources, in units, and the largest elevation that an image can
#: state with the largest unit. Sums of larger numbers in a forged file could overflow.
# limit: a one-line error; tests/store/test_forged_numbers.py
MOST_UNITS = 10**9
# limit: a one-line error; tests/store/test_forged_numbers.py
MOST_ELEVATION = 10**14


def column(
    name: str, dtypes: str, dims: str, unit: str = "", description: str = "", **rest: Any
) -> Column:
    """Return the declaration of a column; types and dimensions are words of a line."""
    types, names = tuple(dtypes.split()), tuple(dims.split(", "))
    return Column(name, types, names, unit, description, **rest)
