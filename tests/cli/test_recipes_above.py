"""Commands below the folder of `bake.toml`: which recipe, paths and assets they use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command import bake, mistake
from tests.support.projects import LEVELS


@pytest.fixture
def below(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder two levels below that of the recipe; the working directory."""
    folder = project / "art" / "drafts"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def test_a_build_below_bakes_the_same_bytes(project: Path, below: Path) -> None:
    before = {file.name: file.read_bytes() for file in (project / "baked").iterdir()}
    shutil.rmtree(project / "baked")
    done = bake("build", "--jobs", "1")
    assert (done.code, done.errors) == (0, [])
    assert "recipe: ../../bake.toml" in done.err.splitlines()
    after = {file.name: file.read_bytes() for file in (project / "baked").iterdir()}
    assert after == before
    assert list(below.iterdir()) == []


@pytest.mark.usefixtures("below")
@pytest.mark.parametrize("command", ["check", "lint", "plan"])
def test_the_recipe_in_use_is_named(command: str) -> None:
    done = bake(command)
    assert (done.code, done.err) == (0, "recipe: ../../bake.toml\n")
    done = bake(command, "--json")
    assert (done.code, done.err) == (0, "")
    done = bake(command, "--recipe", "../../bake.toml")
    assert (done.code, done.err) == (0, "")


def test_the_recipe_of_this_folder_is_not_named(project: Path) -> None:
    assert bake("check").err == ""


@pytest.mark.usefixtures("below")
def test_quiet_prints_no_recipe() -> None:
    done = bake("build", "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_paths_of_the_command_line_start_here(project: Path, below: Path) -> None:
    (below / "den.map").write_text("type octile\nheight 1\nwidth 2\nmap\n..\n")
    assert bake("build", "den.map", "-o", "trial").code == 0
    assert (below / "trial" / "den.h5").is_file()
    assert bake("build", "den.map").code == 0
    assert (project / "baked" / "den.h5").is_file()
    assert bake("check", "../../levels_src/five.json").code == 0


def test_a_nearer_recipe_comes_first(project: Path, below: Path) -> None:
    (below.parent / "bake.toml").write_text("sources = ['*.map']\n")
    mistake(bake("check"), "../bake.toml", "no level file")


@pytest.mark.usefixtures("below")
def test_mistakes_name_the_recipe_above(project: Path) -> None:
    (project / "bake.toml").write_text("nonsense = 1\n")
    mistake(bake("check"), "../../bake.toml: line 1", "unknown key")
    mistake(bake("info"), "../../bake.toml: line 1", "unknown key")


@pytest.mark.usefixtures("below")
@pytest.mark.parametrize(
    "command",
    [
        ("info", "five"),
        ("path", "five", "A", "C"),
        ("eval", "five", "--pairs", "2"),
        ("verify", "five"),
        ("export", "five", "-o", "five.bake"),
        ("render", "yard", "-o", "yard.png"),
        ("view", "fen", "--html", "fen.html"),
    ],
)
def test_assets_are_named_by_their_levels(command: tuple[str, ...]) -> None:
    done = bake(*command)
    assert (done.code, done.errors) == (0, [])
    assert "recipe: ../../bake.toml" in done.err.splitlines()


def test_a_path_comes_before_the_name_of_a_level(project: Path, below: Path) -> None:
    shutil.copy(project / "baked" / "ways.h5", below / "five")
    done = bake("info", "five", "--json")
    assert (done.data["level"], done.err) == ("ways", "")


@pytest.mark.usefixtures("below")
def test_names_of_no_level() -> None:
    mistake(bake("info", "six"), "six: no such asset")
    mistake(bake("info", "x/five"), "x/five: no such asset")


@pytest.mark.usefixtures("below")
def test_without_an_asset_the_output_folder_is_used(project: Path) -> None:
    done = bake("verify")
    assert (done.code, len(done.out.splitlines())) == (0, len(LEVELS))
    assert done.err.splitlines().count("recipe: ../../bake.toml") == 1
    done = bake("view", "--html", "page.html", "--json")
    assert sorted(done.data["levels"]) == sorted(LEVELS)


@pytest.mark.parametrize("command", [("info",), ("render", "-o", "picture.png")])
def test_without_an_asset_the_only_one_is_used(project: Path, command: tuple[str, ...]) -> None:
    mistake(bake(*command), "baked: ", "fen, five")
    for name in set(LEVELS) - {"fen"}:
        (project / "baked" / f"{name}.h5").unlink()
    assert (
        bake(*command, *(["--show", "terrain", "--profile", "boat"] * ("-o" in command))).code == 0
    )
    (project / "baked" / "fen.h5").unlink()
    mistake(bake(*command), "baked: ", "`bake build`")
    (project / "baked").rmdir()
    mistake(bake(*command), "baked: ", "`bake build`")
