"""Limits hold at every small value; the sources name no other ones, and the page has them all."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bake.asset.document import section_of
from tests.support.limits import sources
from tests.support.limits.every_value import check_every_value
from tests.support.limits.sources import constants_of, is_no_limit, is_whole, modules, qualified
from tests.support.limits.table import LEFT_OUT, LIMITS, MAKER, NO_LIMITS, PAGE, names_in, section

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


def test_every_number_that_has_a_name_is_known() -> None:
    """A new one goes to LIMITS, with what crosses it, or to NO_LIMITS, with the reason."""
    limits = {(each.module, name) for each in LIMITS for name in each.names}
    others = names_in(entry for entries in NO_LIMITS.values() for entry in entries)
    going = names_in(LEFT_OUT)
    unknown = []
    for module in modules():
        constants, short = constants_of(module), module.removeprefix("bake.")
        for name, constant in constants.items():
            if not is_whole(constant.value) or is_no_limit(name, constants):
                continue
            if not {(short, name), (short, "")} & (limits | others | going):
                unknown.append(f"{short}:{constant.line}: {name} = {constant.text}")
    assert not unknown, "neither in LIMITS nor in NO_LIMITS:\n" + "\n".join(unknown)


def test_every_name_is_that_of_a_number() -> None:
    limits = {(each.module, name) for each in LIMITS for name in each.names}
    others = names_in(entry for entries in NO_LIMITS.values() for entry in entries)
    assert not limits & others
    gone = {
        f"{module} {name}"
        for module, name in limits | others
        if name not in constants_of(qualified(module))
    }
    assert not gone, "named, but no longer there"


def test_no_rule_knows_what_is_listed() -> None:
    for module, name in names_in(entry for entries in NO_LIMITS.values() for entry in entries):
        assert not is_no_limit(name, constants_of(qualified(module))), f"{module} {name}"


def test_what_crosses_a_limit_elsewhere_is_there() -> None:
    missing = []
    for limit in LIMITS:
        assert (limit.exercise is None) == bool(limit.test), limit.told
        if limit.test:
            file, _, name = limit.test.partition("::")
            path = ROOT / file
            tree = ast.parse(path.read_text("utf-8")) if path.exists() else ast.Module([], [])
            names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            if name not in names:
                missing.append(f"{limit.told}: {limit.test}")
    assert not missing


def test_refusals_are_tried_on_both_sides() -> None:
    for limit in LIMITS:
        if limit.least:
            tried = [value for value in limit.values if isinstance(value, int)]
            assert {limit.least - 1, limit.least} <= set(tried), limit.told


def test_rules_know_kinds_and_nothing_else() -> None:
    """Columns in a row and marks are no limits; what is called one is, whatever it comes to."""
    bundles = constants_of("bake.search.hierarchy.bundles")
    assert all(is_no_limit(name, bundles) for name in ("CLUSTER", "END", "TO_GOAL", "ASTRAY"))
    assert not is_no_limit("STATE_COLUMNS", bundles)
    near = constants_of("bake.search.hierarchy.near")
    assert not is_no_limit("MOST_LABELS", near)
    assert not is_no_limit("_LAST_TURN", near)
    assert is_no_limit("_LARGEST_G", near)
    assert constants_of("bake.no_such_module") == {}
    assert len(modules()) > 150
    assert sources.BAKE == ROOT / "bake"


def test_the_page_is_up_to_date() -> None:
    assert section_of(PAGE.read_text("utf-8"), MAKER) == section(), (
        "python -m tests.support.limits.table"
    )
