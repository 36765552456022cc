"""Puzzles are baked where the school is installed; without it, one line says what to install."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bake.baking import find_tasks
from bake.baking.run import build
from bake.core import extras
from bake.project.lint.levels import lint
from bake.project.recipe import load_recipe
from bake.verify import verify_asset
from levelbake.errors import BakeError
from tests.support.projects import silent
from tests.support.puzzles import EIGHT, PORTER, write_puzzle


def check_remedy(error: BakeError, file: str) -> None:
    """Check that an error is one line about a file, and says what to install."""
    text = str(error)
    assert "\n" not in text
    assert text.startswith(f"{file}: ")
    assert "pip install" in text


@pytest.fixture
def puzzles(bare: Path) -> Path:
    """A folder of two puzzles."""
    write_puzzle(bare / "eight.json", EIGHT)
    write_puzzle(bare / "porter.json", PORTER)
    return bare


def test_without_extras_puzzles_are_rejected(
    puzzles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = find_tasks(load_recipe(None), [Path("eight.json")], None)
    with monkeypatch.context() as patch:
        patch.setattr(extras, "registered", dict)
        (outcome,) = build(tasks, jobs=1, force=False, report=silent)
        assert outcome.error is not None
        check_remedy(outcome.error, "eight.json")
        (finding,) = lint(tasks, load_recipe(None))
        assert "pip install" in finding.message
    (outcome,) = build(tasks, jobs=1, force=False, report=silent)
    assert outcome.status == "baked"
    monkeypatch.setattr(extras, "registered", dict)
    with pytest.raises(BakeError) as caught:
        verify_asset(outcome.task.asset, None, lambda done: None)
    check_remedy(caught.value, str(outcome.task.asset))


@pytest.mark.usefixtures("puzzles")
def test_workers_bake_puzzles() -> None:
    tasks = find_tasks(load_recipe(None), [Path("eight.json"), Path("porter.json")], None)
    outcomes = list(build(tasks, jobs=2, force=False, report=silent))
    assert [outcome.status for outcome in outcomes] == ["baked", "baked"]


@pytest.mark.usefixtures("puzzles")
def test_the_command_bakes_puzzles() -> None:
    """In a process of its own, whose workers are processes as well."""
    command = [sys.executable, "-m", "bake", "build", "eight.json", "porter.json"]
    done = subprocess.run(
        [*command, "--jobs", "2", "--json"], capture_output=True, text=True, check=True
    )
    assert [level["status"] for level in json.loads(done.stdout)["levels"]] == ["baked", "baked"]


def test_other_names_are_not_there() -> None:
    for module in ("bake.search", "bake.play", "bake.extras.school"):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            importlib.import_module(module).nothing  # noqa: B018 - asking is the point


def test_a_game_loads_no_school() -> None:
    code = "import bake.play, bake.extras.crowds.crowd, bake.baking.run, bake.verify, sys;"
    code += "print([name for name in sys.modules if name.startswith('bake.extras.school')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
