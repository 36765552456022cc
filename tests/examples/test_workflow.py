"""The example's workflow: it is YAML, its commands exist, and its steps do what they say."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.examples.conftest import EXAMPLE, Run
from tests.support.command import bake

yaml = pytest.importorskip("yaml", reason="reading workflows needs pyyaml")

WORKFLOW = EXAMPLE / ".github" / "workflows" / "levels.yml"


def jobs() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]
    return found


def script(name: str) -> str:
    """What a step of the job `bake` runs."""
    (found,) = (step["run"] for step in jobs()["bake"]["steps"] if step.get("name") == name)
    return str(found)


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


class PullRequest:
    """A repository with the example in it, an edit, and the steps of the workflow."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder = folder
        self.summary = folder.parent / "summary"
        self._run = run
        self._git("init", "-q")
        self._git("add", ".")
        self._git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "levels")
        self._base = self._git("rev-parse", "HEAD").strip()

    def _git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    def step(self, name: str) -> subprocess.CompletedProcess[str]:
        shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script(name))
        return self._run(
            self.folder, *shell, BASE=self._base, GITHUB_STEP_SUMMARY=str(self.summary)
        )

    def compared(self, *first: str) -> subprocess.CompletedProcess[str]:
        """The last step, after these and what it needs passed."""
        for name in (*first, "Bake", "Bake what it would be merged into"):
            done = self.step(name)
            assert done.returncode == 0, (name, done.stdout, done.stderr)
        return self.step("Compare")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory, cloned: Path, run: Run) -> Path:
    """Assets of the levels as they are, as a run before left them in the workflow's cache."""
    folder = tmp_path_factory.mktemp("cache")
    done = run(cloned, "bake", "build", "--jobs", "1", "-o", str(folder / "baked"))
    assert done.returncode == 0, done.stderr
    return folder / "baked"


@pytest.fixture
def pull_request(tmp_path: Path, cloned: Path, cache: Path, run: Run) -> PullRequest:
    for tool in ("git", "bash", "tar"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} on this machine")
    folder = tmp_path / "game"
    shutil.copytree(cloned, folder)
    pull_request = PullRequest(folder, run)
    for place in ("baked", "base/baked"):
        shutil.copytree(cache, folder / place)
    return pull_request


def test_ways_that_stay_pass(pull_request: PullRequest) -> None:
    recipe = pull_request.folder / "bake.toml"
    recipe.write_text(recipe.read_text("utf-8").replace("rubble = 2", "rubble = 4"), "utf-8")
    done = pull_request.compared("Lint", "Prove")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("reachability the same") == 7  # of seven profiles
    assert pull_request.summary.read_text("utf-8") == done.stdout


def test_a_way_that_is_lost_fails(pull_request: PullRequest) -> None:
    """The plank bridge in the cellar is taken away: the guard's rooms fall apart."""
    recipe = pull_request.folder / "bake.toml"
    old = 'sewer = "blocked"       # not in these boots'
    text = recipe.read_text("utf-8")
    assert old in text
    recipe.write_text(text.replace(old, old + '\nplanks = "blocked"'), "utf-8")
    done = pull_request.compared()
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"reachability [\d,]+ pairs? lost", done.stdout)
    assert "coast.h5 -> baked/coast.h5" in done.stdout  # the others are compared all the same


def test_a_mistake_is_shown_beside_the_file(pull_request: PullRequest) -> None:
    """The cove is moved ashore, where the boat cannot land."""
    coast = pull_request.folder / "levels" / "coast.json"
    text = coast.read_text("utf-8")
    assert '"at": [9, 3]' in text
    coast.write_text(text.replace('"at": [9, 3]', '"at": [1, 9]'), "utf-8")
    done = pull_request.step("Lint")
    assert done.returncode == 1
    assert "::error file=levels/coast.json" in done.stdout
