"""Lower each limit to every small value while something is done that crosses it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from levelbake.errors import BakeError
from tests.support.limits.exercises import runs_by_entries
from tests.support.limits.lowering import is_built_in, lowered
from tests.support.limits.table import LIMITS, Limit, Value

#: Exercises that lower limits by themselves that kernels read.
UNCOMPILED = (runs_by_entries,)


def check_every_value(subtests: pytest.Subtests, *, compiled: bool) -> None:
    """Lower every limit that compiled kernels follow, or every other one, to every small value."""
    limits = [
        (each, each.exercise)
        for each in LIMITS
        if each.exercise and _may_be_compiled(each) == compiled
    ]
    assert limits
    for limit, exercise in limits:
        for value in limit.values:
            with subtests.test(f"{limit.told}={value}"):
                _check(limit, exercise, value)


def _may_be_compiled(limit: Limit) -> bool:
    return limit.exercise not in UNCOMPILED and not is_built_in(limit.module, limit.names)


def _check(limit: Limit, exercise: Callable[[], object], value: Value) -> None:
    """Answers stay, or are refused below the least value that will do."""
    values = value if isinstance(value, tuple) else (value,)
    wanted = _unlowered(exercise)
    with lowered(limit.module, limit.names, values):
        if limit.least and values[0] < limit.least:
            with pytest.raises(BakeError):
                exercise()
        else:
            assert exercise() == wanted


@cache
def _unlowered(exercise: Callable[[], object]) -> object:
    return exercise()
