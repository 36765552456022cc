"""Limits hold at every small value, and each is marked beside its constant."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.limits.every_value import check_every_value
from tests.support.limits.markers import (
    MARKER,
    Constant,
    all_modules,
    comments_of,
    constants_of,
    limits,
    must_be_marked,
    read_constants,
    room_modules,
)
from tests.support.limits.values import EXERCISES, LEAST, OTHERS, trials

ROOT = Path(__file__).resolve().parents[2]


def test_limits_that_no_kernel_reads_lowered_to_every_small_value(
    subtests: pytest.Subtests,
) -> None:
    check_every_value(subtests, compiled=True)


def test_limits_that_kernels_read_lowered_to_every_small_value() -> None:
    plain = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "tests.support.small_tiles"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plain, "tests/limits/lowered.py"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_every_constant_that_bounds_is_marked() -> None:
    unmarked = [
        str(constant)
        for module in room_modules()
        for constant in constants_of(module).values()
        if not constant.kind and must_be_marked(constant)
    ]
    assert not unmarked, "needs a comment '# limit: EFFECT; TEST' or '# no limit: WHY'"


def test_every_marker_belongs_to_a_constant() -> None:
    """A marker anywhere else, or a second one, would be read by nobody."""
    for module, path in all_modules().items():
        comments = comments_of(path.read_text("utf-8")).values()
        written = sum(MARKER.fullmatch(comment) is not None for comment in comments)
        lines = {constant.line for constant in constants_of(module).values() if constant.kind}
        assert written == len(lines), module


def test_every_marker_names_its_effect_and_a_test() -> None:
    names = {exercise.__name__ for exercise in EXERCISES}
    wrong = [str(limit) for limit in limits() if not _is_tested(limit, names)]
    assert limits()
    assert not wrong, "names no exercise, or no file of tests that mentions the constant"


def _is_tested(limit: Constant, exercises: set[str]) -> bool:
    if not limit.effect:
        return False
    if limit.exercise:
        return limit.exercise in exercises
    path = ROOT / limit.file
    is_test = limit.file.startswith("tests/") and path.name.startswith("test_")
    return is_test and path.exists() and limit.name in re.findall(r"\w+", path.read_text("utf-8"))


def test_every_exercise_and_value_is_used() -> None:
    tried = {str(trial) for trial in trials()}
    assert {trial.exercise for trial in trials()} == EXERCISES.keys()
    assert (OTHERS.keys() | LEAST.keys()) <= tried


def test_errors_are_tried_on_both_sides() -> None:
    for trial in trials():
        if trial.least:
            assert {trial.least - 1, trial.least} <= set(trial.values), trial


def test_markers_are_read() -> None:
    text = """\
#: Entries at first.
# limit: the buffer grows; lowered by searches
ENTRIES = 4096
FEW, SHARE = 64, 100  # limit: all is done again, or a part; tests/test_it.py
# no limit: the largest int32
LAST: int = 2**31 - 1

# limit: too far away

MOST = 3
NAME = "# limit: in a text"
lower = 1
"""
    read = {constant.name: constant for constant in read_constants("bake.it", text)}
    effect = "all is done again, or a part"
    assert read == {
        "ENTRIES": Constant("bake.it", "ENTRIES", 3, "limit", "the buffer grows", "searches"),
        "FEW": Constant("bake.it", "FEW", 4, "limit", effect, "", "tests/test_it.py"),
        "SHARE": Constant("bake.it", "SHARE", 4, "limit", effect, "", "tests/test_it.py"),
        "LAST": Constant("bake.it", "LAST", 6, "no limit", "the largest int32"),
        "MOST": Constant("bake.it", "MOST", 10),
        "NAME": Constant("bake.it", "NAME", 11),
    }


def test_names_tell_which_constants_bound() -> None:
    graph = constants_of("bake.core.graph")
    assert must_be_marked(graph["MAX_WEIGHT"])
    assert not must_be_marked(graph["BLOCKED"])
    assert constants_of("bake.no_such_module") == {}
    assert len(room_modules()) > 150
