"""Every limit, lowered to every small value: answers stay. Run by ``test_limits.py``, uncompiled.

Compiled kernels have their constants built in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from bake.errors import BakeError
from tests.support.limits.lowering import lowered
from tests.support.limits.table import LIMITS, Limit, Value

CASES = [
    pytest.param(limit, value, id=f"{limit.told}={value}")
    for limit in LIMITS
    if limit.exercise is not None
    for value in limit.values
]


@cache
def unlowered(exercise: Callable[[], object]) -> object:
    return exercise()


@pytest.mark.parametrize(("limit", "value"), CASES)
def test_lowered(limit: Limit, value: Value) -> None:
    assert limit.exercise is not None
    values = value if isinstance(value, tuple) else (value,)
    wanted = unlowered(limit.exercise)
    with lowered(limit.module, limit.names, values):
        if limit.least and values[0] < limit.least:
            with pytest.raises(BakeError):
                limit.exercise()
        else:
            assert limit.exercise() == wanted
