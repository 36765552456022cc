"""The action and the hooks for pre-commit have the right form, and do what they say."""

from __future__ import annotations

import re
from pathlib import Path
from subprocess import CalledProcessError, CompletedProcess
from typing import Any

import pytest

from bake.baking.flat import FLAT_SUFFIX
from bake.baking.sources import ASSET_SUFFIX
from bake.levels import SUFFIXES
from bake.levels.companions import PART_SUFFIXES, PICTURE_SUFFIXES
from bake.levels.tiled.custom_types import PROJECT_SUFFIX
from tests.support.command import bake
from tests.support.pages import blocks, page, section
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


def compare(pull_request: PullRequest, *first: str, **inputs: str) -> CompletedProcess[str]:
    """Run the steps of the action up to the last; the ones before it pass."""
    for name in first or ("Lint", "Bake"):
        done = pull_request.step(name)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    return pull_request.step("Compare", **{"FAIL_ON": "reachability", **inputs})


def rewrite(file: Path, old: str, new: str) -> None:
    """Replace a text that is in a file."""
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def wall_in(pull_request: PullRequest) -> None:
    """Block the plank bridge of the cellar, so that the guard's rooms fall apart."""
    old = 'sewer = "blocked"       # not in these boots'
    rewrite(pull_request.folder / "bake.toml", old, old + '\nplanks = "blocked"')


def test_a_pull_request_without_changes(pull_request: PullRequest) -> None:
    done = compare(pull_request)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("0 levels changed")
    assert "3 unchanged" in done.stdout
    assert pull_request.summary.read_text("utf-8") == done.stdout


def test_a_change_that_loses_no_path(pull_request: PullRequest) -> None:
    rewrite(pull_request.folder / "bake.toml", "rubble = 2", "rubble = 4")
    done = compare(pull_request)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("reachability the same") == 2  # of the cellar's profiles
    assert pull_request.summary.read_text("utf-8") == done.stdout
    done = compare(pull_request, FAIL_ON="reachability  distances=10%")
    assert done.returncode == 1
    assert "failed on level cellar: distances" in done.stdout
    assert pull_request.step("Compare", FAIL_ON="luck").returncode == 2


@pytest.mark.parametrize("output", ["baked", "nav", "../nav"])
def test_a_level_that_is_walled_in(pull_request: PullRequest, output: str) -> None:
    recipe = pull_request.folder / "bake.toml"
    rewrite(recipe, 'output = "baked"', f'output = "{output}"')
    (pull_request.folder / "baked").rename(pull_request.folder / output)
    pull_request.merge_all()
    assert pull_request.step("Check").returncode == 0
    wall_in(pull_request)
    assert pull_request.step("Check").returncode == 1  # where assets are committed, they are stale
    done = compare(pull_request, "Bake")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"reachability [\d,]+ pairs? lost", done.stdout)
    assert pull_request.summary.read_text("utf-8") == done.stdout


def test_assets_are_found_by_the_recipe(pull_request: PullRequest, tmp_path: Path) -> None:
    rewrite(pull_request.folder / "bake.toml", 'output = "baked"', 'output = "a folder/nav"')
    (pull_request.folder / "a folder").mkdir()
    (pull_request.folder / "baked").rename(pull_request.folder / "a folder" / "nav")
    outputs = tmp_path / "outputs"
    assert pull_request.step("Find the assets", GITHUB_OUTPUT=str(outputs)).returncode == 0
    key, _, folder = outputs.read_text("utf-8").rstrip("\n").partition("=")
    assert key == "folder"
    assert Path(folder).samefile(pull_request.folder / "a folder" / "nav")
    done = pull_request.step("Prove", FOLDER=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("proved") == 3


def test_a_shallow_clone(pull_request: PullRequest) -> None:
    """The service checks out one commit; the base is fetched."""
    base = pull_request.base
    wall_in(pull_request)
    pull_request.merge_all()
    clone = pull_request.folder.parent / "clone"
    pull_request.git("clone", "--quiet", "--depth=1", pull_request.folder.as_uri(), str(clone))
    pull_request.folder = clone
    assert pull_request.step("Bake").returncode == 0
    with pytest.raises(CalledProcessError):
        pull_request.git("cat-file", "-e", base)
    done = pull_request.step("Compare", BASE=base, FAIL_ON="reachability")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "failed on level cellar: reachability" in done.stdout
    assert "2 unchanged" in done.stdout


def test_a_drawing_is_gated(pull_request: PullRequest) -> None:
    """Levels of any format count, as the action names none. Lint gates meshes."""
    recipe = pull_request.folder / "bake.toml"
    rewrite(recipe, '"levels/*.json"]', '"levels/*.json", "levels/*.svg"]')
    yard = pull_request.folder / "levels" / "yard.svg"
    shape = '<rect fill="#b8ab98" width="90" height="90"/>'
    yard.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90">{shape}</svg>', "utf-8"
    )
    text = recipe.read_text("utf-8")
    recipe.write_text(
        f'{text}\n[levels.yard]\ndivision = "mesh"\n[levels.yard.legend]\n'
        '"#b8ab98" = "flags"\n"#2e2a2e" = "wall"\n[levels.yard.terrain]\nflags = 1\n',
        "utf-8",
    )
    pull_request.merge_all()
    done = compare(pull_request)
    assert done.returncode == 0, done.stdout + done.stderr
    wall = '<rect fill="#2e2a2e" x="40" width="10" height="90"/>'
    rewrite(yard, shape, shape + wall)
    done = pull_request.step("Lint")
    assert done.returncode == 1
    assert "islands in yard" in done.stdout
    done = compare(pull_request, "Bake")
    assert "1 level changed" in done.stdout
    assert "yard.svg -> baked/yard.h5" in done.stdout


def test_the_pull_request_that_introduces_the_recipe(pull_request: PullRequest) -> None:
    recipe = pull_request.folder / "bake.toml"
    text = recipe.read_text("utf-8")
    recipe.unlink()
    pull_request.merge_all()
    recipe.write_text(text, "utf-8")
    done = compare(pull_request)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bake.toml does not exist" in done.stderr
    for level in ("cellar", "coast", "harbour"):
        assert f"{level}: new" in done.stdout


def test_a_level_that_is_renamed(pull_request: PullRequest) -> None:
    """A new name hides no lost path."""
    pull_request.git("mv", "levels/cellar.png", "levels/vault.png")
    recipe = pull_request.folder / "bake.toml"
    rewrite(recipe, "[levels.cellar.", "[levels.vault.")
    done = compare(pull_request)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "vault: renamed from cellar" in done.stdout
    wall_in(pull_request)
    done = compare(pull_request)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "failed on level vault: reachability" in done.stdout


def test_hooks_run_commands_that_exist() -> None:
    assert {hook["id"] for hook in hooks()} == {"bake-lint", "bake-check"}
    for hook in hooks():
        program, command = hook["entry"].split()
        assert program == "bake"
        assert bake(command, "--help").code == 0
        assert hook["language"] == "python"
        assert not hook["pass_filenames"]


@pytest.mark.parametrize(
    "name",
    [
        "bake.toml",
        "game/bake.toml",
        *(f"levels/a{suffix}" for suffix in sorted(SUFFIXES | PART_SUFFIXES | PICTURE_SUFFIXES)),
        f"levels/a{PROJECT_SUFFIX}",
        "levels/A.TMX",
    ],
)
def test_hooks_run_on_all_files_of_levels(name: str) -> None:
    for hook in hooks():
        assert re.search(hook["files"], name)
        assert not re.search(hook["files"], name + ".part")


@pytest.mark.parametrize("suffix", [ASSET_SUFFIX, FLAT_SUFFIX])
def test_hooks_run_on_assets(suffix: str) -> None:
    found = {hook["id"] for hook in hooks() if re.search(hook["files"], f"baked/a{suffix}")}
    assert found == {"bake-check"}


def test_the_page_names_inputs_and_hooks() -> None:
    text = page("ci.md")
    workflow, config = (yaml.safe_load(block) for block in blocks(text, "yaml"))
    (step,) = (
        step for step in workflow["jobs"]["levels"]["steps"] if "/levelbake@" in step["uses"]
    )
    inputs = action()["inputs"]
    assert step["with"].keys() <= inputs.keys()
    table = section(text, "Use the GitHub action")
    assert re.findall(r"^\| `([\w-]+)`", table, re.MULTILINE) == list(inputs)
    assert [hook["id"] for hook in config["repos"][0]["hooks"]] == [hook["id"] for hook in hooks()]
