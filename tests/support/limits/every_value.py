"""Lower each limit to every small value while an exercise crosses it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from levelbake.errors import BakeError
from tests.support.limits.exercises import runs_by_entries
from tests.support.limits.lowering import is_built_in, lowered
from tests.support.limits.values import Trial, Value, trials

#: Exercises that lower limits by themselves that kernels read.
UNCOMPILED = (runs_by_entries,)


def check_every_value(subtests: pytest.Subtests, *, compiled: bool) -> None:
    """Lower every limit that compiled kernels follow, or every other one, to every small value."""
    chosen = [trial for trial in trials() if _may_be_compiled(trial) == compiled]
    assert chosen
    for trial in chosen:
        for value in trial.values:
            with subtests.test(f"{trial}={value}"):
                _check(trial, value)


def _may_be_compiled(trial: Trial) -> bool:
    return trial.exercise not in UNCOMPILED and not is_built_in(trial.module, trial.names)


def _check(trial: Trial, value: Value) -> None:
    """Check that answers stay, or that a value below the least one raises an error."""
    values = value if isinstance(value, tuple) else (value,)
    expected = _answer(trial.exercise)
    with lowered(trial.module, trial.names, values):
        if trial.least and values[0] < trial.least:
            with pytest.raises(BakeError):
                trial.exercise()
        else:
            assert trial.exercise() == expected


@cache
def _answer(exercise: Callable[[], object]) -> object:
    return exercise()
