"""The action and the hooks for pre-commit have the right form, and do what they say."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.command import bake
from tests.support.pull_request import ROOT, Proposed, PullRequest

yaml = pytest.importorskip("yaml", reason="reading workflows needs pyyaml")


def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return found


def hooks() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(
        (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    )
    return found


@pytest.fixture
def pull_request(proposed: Proposed) -> PullRequest:
    steps = action()["runs"]["steps"]
    return proposed({step["name"]: step["run"] for step in steps if "run" in step})


def test_the_form_of_the_action() -> None:
    found = action()
    assert {"name", "description", "inputs", "runs"} == set(found)
    assert found["runs"]["using"] == "composite"
    for each in found["inputs"].values():
        assert each["description"].endswith(".")
        assert isinstance(each["default"], str)
    for step in found["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step), step
        if "run" in step:
            assert step["shell"] == "bash"
        else:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])


def test_every_input_is_used_and_there() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(action()["inputs"])


def test_values_reach_scripts_through_the_environment() -> None:
    """An input that is pasted into a script could run as one."""
    for step in action()["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_a_change_that_loses_no_way_passes(pull_request: PullRequest) -> None:
    for name in ("Lint", "Bake"):
        done = pull_request.step(name)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    done = pull_request.step("Compare", FAIL_ON="reachability")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("reachability the same") == 7  # of seven profiles
    assert pull_request.summary.read_text("utf-8") in done.stdout


def test_a_way_that_is_lost_fails(pull_request: PullRequest) -> None:
    recipe = pull_request.folder / "bake.toml"
    old = 'sewer = "blocked"       # not in these boots'
    text = recipe.read_text("utf-8")
    assert old in text
    recipe.write_text(text.replace(old, old + '\nplanks = "blocked"'), "utf-8")
    assert pull_request.step("Check").returncode == 1  # where assets are kept, they are stale now
    assert pull_request.step("Bake").returncode == 0
    done = pull_request.step("Compare", FAIL_ON="reachability")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"reachability [\d,]+ pairs? lost", done.stdout)


def test_hooks_run_commands_that_exist() -> None:
    assert {hook["id"] for hook in hooks()} == {"bake-lint", "bake-check"}
    for hook in hooks():
        program, command = hook["entry"].split()
        assert program == "bake"
        assert bake(command, "--help").code == 0
        assert hook["language"] == "python"
        assert not hook["pass_filenames"]


@pytest.mark.parametrize(
    "name", ["levels/harbour.tmx", "bake.toml", "art/cave.png", "world.ldtk", "a/b.map", "x.json"]
)
def test_hooks_look_at_levels(name: str) -> None:
    for hook in hooks():
        assert re.search(hook["files"], name)
        assert not re.search(hook["files"], name + ".txt")
