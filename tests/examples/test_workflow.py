"""The example's workflow: it is YAML, its commands exist, and its steps do what they say."""

from __future__ import annotations

import re
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.support.command import bake
from tests.support.pull_request import EXAMPLE, Proposed, PullRequest

yaml = pytest.importorskip("yaml", reason="reading workflows needs pyyaml")

WORKFLOW = EXAMPLE / ".github" / "workflows" / "levels.yml"


def jobs() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]
    return found


SHARDS = EXAMPLE / ".github" / "workflows" / "shards.yml"


def test_the_matrix_of_shards(tmp_path: Path) -> None:
    """Its numbers are 1 to the count that its commands say, and what is joined is found there."""
    found = yaml.safe_load(SHARDS.read_text("utf-8"))["jobs"]
    numbers = found["bake"]["strategy"]["matrix"]["shard"]
    steps = found["bake"]["steps"]
    (command,) = (step["run"] for step in steps if "--shard" in step.get("run", ""))
    upload = steps[-1]["with"]
    assert found["join"]["needs"] == "bake"
    recipe = EXAMPLE / "bake.toml"
    (tmp_path / "shards").mkdir()
    for number in numbers:
        own = command.replace("${{ matrix.shard }}", str(number)).removeprefix("bake ").split()
        assert own[-1] == f"{number}/{len(numbers)}"
        assert bake(*own, "--recipe", recipe, "-o", tmp_path / "baked").code == 0
        kept = tmp_path / upload["path"].replace("${{ matrix.shard }}", str(number))
        name = upload["name"].replace("${{ matrix.shard }}", str(number))
        kept.rename(tmp_path / "shards" / name)
    done = bake("join", tmp_path / "shards", "--recipe", recipe, "-o", tmp_path / "baked")
    assert done.code == 0, done
    assert bake("check", "--recipe", recipe, "-o", tmp_path / "baked").code == 0


def test_the_form() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    assert set(workflow[True]) == {"pull_request", "push"}  # "on" is a truth value in YAML 1.1
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["defaults"]["run"]["shell"] == "bash"  # which stands for pipefail
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            if "uses" in step:
                assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])
    assert workflow["jobs"]["release"]["needs"] in workflow["jobs"]


@pytest.mark.parametrize("text", [WORKFLOW, EXAMPLE / "Makefile", EXAMPLE / "build.ninja"], ids=str)
def test_every_command_and_option_exists(text: Path) -> None:
    used = re.findall(
        r"(?:\bbake|\$\(BAKE\)|\$bake) (build|check|lint|verify|diff)\b([^|;&\n]*)",
        text.read_text("utf-8"),
    )
    assert {command for command, _ in used} >= {"build", "check", "lint", "verify"}
    for command, rest in used:
        told = bake(command, "--help")
        assert told.code == 0
        for option in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rest):
            assert option in told.out, (command, option)


@pytest.fixture
def pull_request(proposed: Proposed) -> PullRequest:
    return proposed(
        {step["name"]: step["run"] for step in jobs()["bake"]["steps"] if "name" in step}
    )


def compared(pull_request: PullRequest, *first: str) -> CompletedProcess[str]:
    """Run the last step, after these and what it needs passed."""
    for name in (*first, "Bake"):
        done = pull_request.step(name)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    return pull_request.step("Compare")


def test_ways_that_stay_pass(pull_request: PullRequest) -> None:
    recipe = pull_request.folder / "bake.toml"
    recipe.write_text(recipe.read_text("utf-8").replace("rubble = 2", "rubble = 4"), "utf-8")
    done = compared(pull_request, "Lint", "Prove")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("reachability the same") == 2  # of the cellar's profiles
    assert "1 level changed" in done.stdout
    assert pull_request.summary.read_text("utf-8") == done.stdout


def test_a_way_that_is_lost_fails(pull_request: PullRequest) -> None:
    """The plank bridge in the cellar is taken away: the guard's rooms fall apart."""
    recipe = pull_request.folder / "bake.toml"
    old = 'sewer = "blocked"       # not in these boots'
    text = recipe.read_text("utf-8")
    assert old in text
    recipe.write_text(text.replace(old, old + '\nplanks = "blocked"'), "utf-8")
    done = compared(pull_request)
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"reachability [\d,]+ pairs? lost", done.stdout)
    assert "1 level changed" in done.stdout
    assert "2 unchanged" in done.stdout


def test_a_mistake_is_shown_beside_the_file(pull_request: PullRequest) -> None:
    """The cove is moved ashore, where the boat cannot land."""
    coast = pull_request.folder / "levels" / "coast.json"
    text = coast.read_text("utf-8")
    assert '"at": [9, 3]' in text
    coast.write_text(text.replace('"at": [9, 3]', '"at": [1, 9]'), "utf-8")
    done = pull_request.step("Lint")
    assert done.returncode == 1
    assert "::error file=levels/coast.json" in done.stdout
