"""Only who has registered puzzles bakes them; everybody else gets one line that says how."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bake.baking import find_tasks
from bake.baking.run import build
from bake.core.kinds import KINDS
from bake.extras.school import register
from bake.project.lint.levels import lint
from bake.project.recipe import load_recipe
from bake.verify import verify_asset
from levelbake.errors import BakeError
from tests.support.puzzles import EIGHT, PORTER, write_puzzle


def told(error: BakeError) -> str:
    text = str(error)
    assert "\n" not in text
    return text


@pytest.fixture
def unregistered(bare: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two puzzles, in a process that knows nothing of puzzles."""
    write_puzzle(bare / "eight.json", EIGHT)
    write_puzzle(bare / "porter.json", PORTER)
    for name in list(KINDS):
        monkeypatch.delitem(KINDS, name)
    return bare


def test_without_registering_nothing_is_baked(unregistered: Path) -> None:
    tasks = find_tasks(load_recipe(None), [Path("eight.json")], None)
    (outcome,) = build(tasks, jobs=1, force=False, report=lambda *news: None)
    assert outcome.error is not None
    assert told(outcome.error).startswith("eight.json: this is a puzzle")
    assert "`bake.extras.school.register()`" in told(outcome.error)
    (found,) = lint(tasks, load_recipe(None))
    assert "call `bake.extras.school.register()` first" in found.message
    register()
    (outcome,) = build(tasks, jobs=1, force=False, report=lambda *news: None)
    assert outcome.status == "baked"
    KINDS.clear()
    with pytest.raises(
        BakeError, match=r"eight.h5: this is a puzzle, .*bake.extras.school.register"
    ):
        verify_asset(outcome.task.asset, None, lambda done: None)


def test_workers_know_what_their_parent_has_registered(unregistered: Path) -> None:
    register()
    tasks = find_tasks(load_recipe(None), [Path("eight.json"), Path("porter.json")], None)
    made = list(build(tasks, jobs=2, force=False, report=lambda *news: None))
    assert [outcome.status for outcome in made] == ["baked", "baked"]


def test_the_command_needs_no_registering(unregistered: Path) -> None:
    """In a process of its own, whose workers are processes as well."""
    command = [sys.executable, "-m", "bake", "build", "eight.json", "porter.json"]
    done = subprocess.run(
        [*command, "--jobs", "2", "--json"], capture_output=True, text=True, check=True
    )
    assert [each["status"] for each in json.loads(done.stdout)["levels"]] == ["baked", "baked"]


def test_other_names_are_not_there() -> None:
    for module in ("bake.search", "bake.play", "bake.extras.school"):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            importlib.import_module(module).nothing  # noqa: B018 - asking is the point


def test_a_game_loads_no_school() -> None:
    asked = "import bake.play, bake.extras.crowds.crowd, bake.baking.run, bake.verify, sys;"
    asked += "print([name for name in sys.modules if name.startswith('bake.extras.school')])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
