"""Take numbers as a game gives them: Python's and numpy's, but no text, bytes, True or False."""

from __future__ import annotations

import math
from numbers import Integral, Real


def number_of(given: object) -> float:
    """Return a number as a float; NaN where it is none, or too large for one."""
    if type(given) is float:  # Nearly all are, and the question below takes ten times as long.
        return given
    if isinstance(given, bool) or not isinstance(given, Real):
        return math.nan
    try:
        return float(given)
    except OverflowError:
        return math.nan


def whole_of(given: object) -> int:
    """Return a whole number from 0 on; -1 where it is none."""
    if isinstance(given, bool) or not isinstance(given, Integral):
        return -1
    return max(-1, int(given))
