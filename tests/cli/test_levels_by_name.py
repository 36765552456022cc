"""Levels that were baked by name are checked, linted and baked again without naming them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import bake, mistake

ROWS = ["...#.", "..#..", "....#"]


def write_level(file: str, rows: list[str] = ROWS) -> None:
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    level = {
        **{"format": "bake-tiles", "version": 1, "terrains": {"floor": 1, "wall": "blocked"}},
        **{"legend": {".": "floor", "#": "wall"}, "rows": rows},
    }
    Path(file).write_text(json.dumps(level))


@pytest.fixture
def cave(bare: Path) -> Path:
    """A level that was baked by name where there is no recipe; the folder is the current one."""
    write_level("cave.json")
    assert bake("build", "cave.json", "--jobs", "1").code == 0
    return bare


@pytest.mark.usefixtures("cave")
def test_check_and_build_follow_the_level() -> None:
    done = bake("check")
    assert (done.code, done.out, done.err) == (0, "1 of 1 assets are up to date\n", "")
    write_level("cave.json", ["....."])
    done = bake("check")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("baked/cave.h5: cave.json changed\n")
    assert bake("build", "--jobs", "1", "--json").data["levels"][0]["status"] == "baked"
    assert bake("check").code == 0


@pytest.mark.usefixtures("cave")
def test_lint_and_plan_find_the_level() -> None:
    write_level("cave.json", ["..#.."])
    assert bake("lint").out.splitlines()[-1].endswith("in 1 level")
    assert [level["level"] for level in bake("plan", "--json").data["levels"]] == ["cave"]


@pytest.mark.usefixtures("cave")
def test_a_moved_level_is_found() -> None:
    Path("maps/old").mkdir(parents=True)
    Path("cave.json").rename("maps/old/cave.json")
    assert bake("check").code == 0
    write_level("maps/old/cave.json", ["....."])
    assert bake("check").code == 1


@pytest.mark.usefixtures("cave")
def test_a_deleted_level_is_reported() -> None:
    Path("cave.json").unlink()
    done = bake("check")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("baked/cave.h5: its level file cave.json is not in this project")
    (level,) = bake("check", "--json").data["levels"]
    assert (level["level"], level["fresh"]) == ("cave", False)
    for command in ("lint", "build", "plan"):
        mistake(bake(command), "baked/cave.h5", "cave.json")
    write_level("den.json")
    assert bake("build", "den.json", "--jobs", "1").code == 0
    for command in ("lint", "build", "plan"):
        done = bake(command)
        assert (done.code, done.err.splitlines()[0][:22]) == (0, "warning: baked/cave.h5")
        assert bake(command, "--json").err == ""


@pytest.mark.usefixtures("cave")
def test_of_several_files_of_one_name_none_is_chosen() -> None:
    write_level("a/cave.json")
    done = bake("check")
    assert done.code == 1
    assert "a/cave.json, cave.json" in done.out


@pytest.mark.usefixtures("cave")
@pytest.mark.parametrize("folder", [".trash", "node_modules/x", "baked/old", "other"])
def test_folders_that_are_not_searched(folder: str) -> None:
    write_level(f"{folder}/cave.json")
    Path("other").mkdir(exist_ok=True)
    Path("other/bake.toml").write_text("")
    assert bake("check").code == 0


@pytest.mark.usefixtures("cave")
def test_copies_and_damaged_assets_are_ignored() -> None:
    asset = Path("baked/cave.h5").read_bytes()
    Path("baked/copy.h5").write_bytes(asset)
    Path("baked/cut.h5").write_bytes(asset[:100])
    done = bake("check")
    assert (done.code, done.out) == (0, "1 of 1 assets are up to date\n")


def test_with_a_recipe(project: Path) -> None:
    write_level("drafts/den.json")
    assert bake("build", "drafts/den.json", "--jobs", "1").code == 0
    assert bake("check").out == "5 of 5 assets are up to date\n"
    write_level("drafts/den.json", ["..."])
    assert "baked/den.h5: den.json changed" in bake("check").out
    shards = bake("build", "--shard", "1/1", "--jobs", "1", "--json").data["levels"]
    assert "den" not in [level["level"] for level in shards]
    assert bake("build", "--jobs", "1").code == 0
    Path("drafts/den.json").unlink()
    done = bake("check")
    assert (done.code, done.out) == (0, "4 of 4 assets are up to date\n")
    assert done.err.startswith("warning: baked/den.h5 is not checked")
    assert bake("build").err == ""


@pytest.mark.usefixtures("bare")
def test_without_assets_init_is_recommended() -> None:
    Path("baked").mkdir()
    for command in ("check", "lint", "build", "plan"):
        mistake(bake(command), "no bake.toml here", "`bake init`")


@pytest.mark.usefixtures("cave")
@pytest.mark.parametrize(("most", "code"), [(1, 1), (2, 0)])
def test_the_search_ends_at_a_number_of_folders(
    most: int, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bake.baking.sources.MOST_FOLDERS", most)
    Path("maps").mkdir()
    Path("cave.json").rename("maps/cave.json")
    assert bake("check").code == code
