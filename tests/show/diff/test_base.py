"""All levels of a project, compared with a git revision or with a folder of older assets."""

import json
import shutil
import subprocess
import tempfile
from contextlib import chdir
from pathlib import Path

import pytest

from tests.support.command import bake, mistake, misuse
from tests.support.puzzles import PORTER, write_puzzle
from tests.support.readers import tool

RECIPE = 'sources = ["levels/*"]\noutput = "nav"\n'
TERRAIN = '[terrain]\nfloor = 1\nwall = "blocked"\n'
OPEN = ("....", "....")
PARTED = ("..#.", "..#.")
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
    '<rect width="9" height="9" fill="#d2c8b4"/></svg>'
)


def write_level(name: str, *rows: str) -> None:
    """Write a level of floor and wall into the folder of levels."""
    document = {
        "format": "bake-tiles",
        "version": 1,
        "legend": {".": "floor", "#": "wall"},
        "terrains": {"floor": {"cost": 1}, "wall": {"cost": "blocked"}},
        "rows": rows,
    }
    Path("levels").mkdir(exist_ok=True)
    Path("levels", f"{name}.json").write_text(json.dumps(document), "utf-8")


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def commit() -> None:
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", "levels")


def build(*arguments: str) -> None:
    done = bake("build", "--jobs", "1", *arguments)
    assert done.code == 0, done


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of two committed levels, whose assets are ignored; to be copied."""
    tool("git")
    folder = tmp_path_factory.mktemp("template")
    with chdir(folder):
        Path("bake.toml").write_text(RECIPE, "utf-8")
        Path(".gitignore").write_text("nav\n", "utf-8")
        write_level("cave", *OPEN)
        write_level("yard", *OPEN)
        git("init", "--quiet")
        commit()
        build()
    return folder


@pytest.fixture
def project(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, a copy of the template."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    folder = tmp_path / "game"
    shutil.copytree(template, folder)
    monkeypatch.chdir(folder)
    return folder


def test_all_levels_are_gated(project: Path) -> None:
    assert bake("diff", "--base", "HEAD", "--fail-on", "cells").code == 0
    write_level("yard", *PARTED)
    build()
    before = {file: file.read_bytes() for file in Path("nav").iterdir()}
    done = bake("diff", "--base", "HEAD", "--fail-on", "reachability")
    assert done.code == 1
    assert "HEAD:levels/yard.json -> nav/yard.h5" in done.out
    assert "reachability 16 pairs lost" in done.out
    assert done.out.splitlines()[-1].startswith("failed on level yard: reachability")
    assert "1 level changed since HEAD, 1 unchanged" in done.out
    assert bake("diff", "--base", "HEAD").code == 0
    assert {file: file.read_bytes() for file in Path("nav").iterdir()} == before
    assert list((project.parent / "scratch").iterdir()) == []


def test_levels_that_come_and_go(project: Path) -> None:
    Path("levels/yard.json").unlink()
    write_level("attic", *PARTED)
    build()
    Path("nav/yard.h5").unlink()
    done = bake("diff", "--base", "HEAD", "--fail-on", "reachability", "--json")
    assert done.code == 0
    document = done.data
    assert document["added"] == ["attic"]
    assert document["removed"] == ["yard"]
    assert document["unchanged"] == ["cave"]
    assert document["changed"] == document["skipped"] == document["broken"] == []


def test_levels_that_are_gone_are_not_baked(project: Path) -> None:
    write_level("yard", *PARTED)
    commit()
    Path("levels/yard.json").unlink()
    write_level("cave", *PARTED)
    build()
    done = bake("diff", "--base", "HEAD")
    assert "yard: gone" in done.out
    assert "cave: baked from HEAD" in done.err
    assert "yard: baked" not in done.err


def test_a_renamed_level_in_json(project: Path) -> None:
    git("mv", "levels/yard.json", "levels/court.json")
    build()
    document = bake("diff", "--base", "HEAD", "--json").data
    assert document["renamed"] == {"court": "yard"}
    assert document["changed"][0]["profiles"]["default"]["closed"] == []
    assert document["added"] == document["removed"] == []


def test_a_name_that_another_level_takes(project: Path) -> None:
    """A level of the same name goes before a renamed file."""
    git("mv", "levels/yard.json", "levels/court.json")
    write_level("yard", "......", "......", "......")
    build()
    document = bake("diff", "--base", "HEAD", "--json").data
    assert document["added"] == ["court"]
    assert document["renamed"] == {}
    assert [level["new"] for level in document["changed"]] == ["nav/yard.h5"]


@pytest.mark.parametrize("kind", ["recipe", "levels", "both"])
def test_a_revision_with_nothing_to_compare(project: Path, kind: str) -> None:
    if kind in ("recipe", "both"):
        git("rm", "--quiet", "--cached", "bake.toml")
    if kind in ("levels", "both"):
        git("rm", "--quiet", "--cached", "-r", "levels")
    git("commit", "--quiet", "--message", "less")
    done = bake("diff", "--base", "HEAD", "--fail-on", "reachability")
    assert done.code == 0, done
    assert "cave: new" in done.out
    assert "yard: new" in done.out
    assert done.err.startswith("warning: ")
    assert str(project.parent / "scratch") not in done.err


def test_a_level_that_did_not_bake(project: Path) -> None:
    """A change that mends a level passes; other levels are compared all the same."""
    Path("levels/yard.json").write_text("{", "utf-8")
    commit()
    write_level("yard", *OPEN)
    write_level("cave", *PARTED)
    build()
    done = bake("diff", "--base", "HEAD", "--fail-on", "reachability")
    assert done.code == 1
    assert "yard: cannot be compared with HEAD" in done.out
    assert "warning: HEAD:levels/yard.json" in done.err
    assert "failed on level cave" in done.out
    assert "level yard" not in done.out


def test_a_level_of_another_kind(project: Path) -> None:
    """Squares that became hexagons have no cells in common; other levels are compared."""
    level = Path("levels/yard.json")
    document = json.loads(level.read_text("utf-8")) | {"grid": "hex", "hex_layout": "odd-r"}
    level.write_text(json.dumps(document), "utf-8")
    write_level("cave", *PARTED)
    build()
    done = bake("diff", "--base", "HEAD", "--fail-on", "reachability")
    assert done.code == 1
    assert "yard: cannot be compared with HEAD" in done.out
    assert "hexagonal" in done.err
    assert "failed on level cave" in done.out
    document = bake("diff", "--base", "HEAD", "--json").data
    assert document["skipped"] == ["yard"]
    assert len(document["changed"]) == 1


def test_a_recipe_that_had_a_mistake(project: Path) -> None:
    Path("bake.toml").write_text("sources = 3\n", "utf-8")
    commit()
    Path("bake.toml").write_text(RECIPE, "utf-8")
    done = bake("diff", "--base", "HEAD")
    assert done.code == 0
    assert "warning: HEAD:bake.toml" in done.err
    assert "cave: new" in done.out


def test_committed_assets_are_not_baked_again(project: Path) -> None:
    Path(".gitignore").unlink()
    commit()
    write_level("yard", *PARTED)
    build()
    done = bake("diff", "--base", "HEAD", "--fail-on", "reachability")
    assert done.code == 1
    assert "baked" not in done.err
    write_level("yard", *OPEN)
    commit()  # The asset is that of the parted yard.
    write_level("yard", "....", "...#")
    build()
    done = bake("diff", "--base", "HEAD", "--fail-on", "reachability")
    assert done.code == 0
    assert "yard: baked" in done.err


def test_an_absolute_output_folder_is_only_read(project: Path) -> None:
    folder = project.parent / "elsewhere"
    Path("bake.toml").write_text(f'sources = ["levels/*"]\noutput = "{folder.as_posix()}"\n')
    commit()
    write_level("yard", *PARTED)
    build()
    before = {file: file.read_bytes() for file in folder.iterdir()}
    assert bake("diff", "--base", "HEAD", "--fail-on", "reachability").code == 1
    assert {file: file.read_bytes() for file in folder.iterdir()} == before


def test_a_recipe_in_a_folder_of_the_repository(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recipe's folder is compared, wherever the command runs."""
    write_level("yard", *PARTED)
    commit()
    Path("game").mkdir()
    for name in ("bake.toml", "levels"):
        git("mv", name, f"game/{name}")
    commit()
    monkeypatch.chdir("game")
    write_level("yard", "..##", "..##")
    monkeypatch.chdir(project)
    build("--recipe", "game/bake.toml")
    # Git sets these for hooks, relative to the root of the repository.
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    done = bake("diff", "--base", "HEAD", "--recipe", "game/bake.toml")
    assert done.code == 0, done
    assert "HEAD:game/levels/yard.json -> game/nav/yard.h5" in done.out
    assert "1 level changed since HEAD, 1 unchanged" in done.out


def test_files_outside_the_folder_of_the_recipe(project: Path) -> None:
    """A map refers to a tileset beside the recipe's folder, where the recipe allows it."""
    Path("game/levels").mkdir(parents=True)
    Path("game/bake.toml").write_text(
        f"{RECIPE}\n[tiled]\nallow_outside = true\n{TERRAIN}", "utf-8"
    )
    tileset = (
        '<tileset name="t" tilewidth="1" tileheight="1" tilecount="2" columns="2">'
        '<tile id="0" class="floor"/><tile id="1" class="wall"/></tileset>'
    )
    Path("shared.tsx").write_text(tileset, "utf-8")
    cells = "1,1,1,1"
    level = Path("game/levels/hall.tmx")
    level.write_text(
        '<map orientation="orthogonal" width="4" height="1" tilewidth="1" tileheight="1">'
        '<tileset firstgid="1" source="../../shared.tsx"/>'
        '<layer name="a" width="4" height="1"><data encoding="csv">'
        f"{cells}</data></layer></map>",
        "utf-8",
    )
    commit()
    level.write_text(level.read_text("utf-8").replace(cells, "1,2,1,1"), "utf-8")
    build("--recipe", "game/bake.toml")
    done = bake("diff", "--base", "HEAD", "--recipe", "game/bake.toml", "--fail-on", "reachability")
    assert done.code == 1
    assert "failed on level hall" in done.out


def test_files_that_archives_leave_out(project: Path) -> None:
    Path(".gitattributes").write_text("levels export-ignore\n", "utf-8")
    commit()
    write_level("yard", *PARTED)
    build()
    assert bake("diff", "--base", "HEAD", "--fail-on", "reachability").code == 1


def test_without_a_recipe(project: Path) -> None:
    """Levels in the usual folder need no recipe, in either state."""
    Path("bake.toml").unlink()
    Path("levels").rename("levels_src")
    Path(".gitignore").write_text("baked\n", "utf-8")
    commit()
    Path("levels_src").rename("levels")
    write_level("yard", *PARTED)
    Path("levels").rename("levels_src")
    build()
    done = bake("diff", "--base", "HEAD", "--fail-on", "reachability")
    assert done.code == 1, done
    assert "HEAD:levels_src/yard.json -> baked/yard.h5" in done.out
    assert "1 level changed since HEAD, 1 unchanged" in done.out


def test_drawings_are_levels_and_puzzles_are_not(project: Path) -> None:
    Path("levels/pond.svg").write_text(SVG, "utf-8")
    write_puzzle(Path("levels/porter.json"), PORTER)
    Path("bake.toml").write_text(
        RECIPE + '[legend]\n"#d2c8b4" = "floor"\n[terrain]\nfloor = 1\n', "utf-8"
    )
    build()
    document = bake("diff", "--base", "HEAD", "--json").data
    assert document["added"] == ["pond"]
    commit()
    write_puzzle(Path("levels/porter.json"), PORTER, version=1, patterns=PORTER["patterns"][:1])
    build()
    document = bake("diff", "--base", "HEAD", "--json").data
    assert document["unchanged"] == ["cave", "pond", "yard"]
    assert document["changed"] == []


def test_one_profile(project: Path) -> None:
    recipe = RECIPE + "[levels.yard.profiles.guard]\n[levels.yard.profiles.cat]\n"
    Path("bake.toml").write_text(recipe, "utf-8")
    commit()
    Path("bake.toml").write_text(recipe.replace("[levels.yard.profiles.cat]\n", ""), "utf-8")
    write_level("cave", *PARTED)
    build()
    limited = ("diff", "--base", "HEAD", "--fail-on", "reachability", "--profile")
    assert bake(*limited, "guard").code == 0  # The cave has no guard.
    assert bake(*limited, "default").code == 1
    done = bake(*limited, "cat")
    assert done.code == 1
    assert "profile cat is gone" in done.out
    mistake(bake(*limited, "dog"), "'dog'", "'guard'")


@pytest.mark.parametrize("state", ["missing", "stale"])
def test_assets_that_are_not_up_to_date(project: Path, state: str) -> None:
    """A gate that compared old assets would pass whatever the levels are."""
    if state == "missing":
        Path("nav/yard.h5").unlink()
    else:
        write_level("yard", *PARTED)
    mistake(bake("diff", "--base", "HEAD"), "nav/yard.h5", "bake build")


@pytest.mark.parametrize("revision", ["nowhere", "-x", "", "0" * 40, "HEAD:bake.toml"])
def test_revisions_that_are_none(project: Path, revision: str) -> None:
    mistake(bake("diff", f"--base={revision}"), "commit", "fetch")


def test_a_folder_without_a_repository(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    Path(".git").rename("not-git")
    mistake(bake("diff", "--base", "HEAD"), "repository")


def test_without_git(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))
    mistake(bake("diff", "--base", "HEAD"), "git", "install")


def test_no_temporary_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(project / "nowhere"))
    mistake(bake("diff", "--base", "HEAD"), "temporary")


def test_folders_of_assets(project: Path) -> None:
    Path("nav").rename("old")
    write_level("attic", *OPEN)
    write_level("yard", *PARTED)
    write_puzzle(Path("levels/porter.json"), PORTER)
    build()
    done = bake("diff", "old", "nav", "--fail-on", "reachability")
    assert done.code == 1
    assert "old/yard.h5 -> nav/yard.h5" in done.out
    assert "attic: new" in done.out
    assert "1 level changed since old, 1 unchanged" in done.out
    done = bake("diff", "nav", "old", "--fail-on", "reachability")
    assert done.code == 0
    assert "attic: gone" in done.out
    assert "porter" not in done.out


def test_folders_without_assets(project: Path) -> None:
    Path("empty").mkdir()
    done = bake("diff", "empty", "nav", "--fail-on", "reachability")
    assert done.code == 0
    assert "cave: new" in done.out
    mistake(bake("diff", "nav", "empty"), "empty", "bake build")
    mistake(bake("diff", "nowhere", "nav"), "nowhere")
    mistake(bake("diff", "nav", "nowhere"), "nowhere")
    misuse(bake("diff", "nav/cave.h5", "nav"), "OLD and NEW")
    Path("empty/cave.h5").write_bytes(b"no asset")
    mistake(bake("diff", "empty", "nav"), "cave.h5")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nav",),
        ("nav", "nav", "--base", "HEAD"),
        ("nav", "--base", "HEAD"),
        ("nav", "--base", ""),
        ("nav", "nav", "--recipe", "bake.toml"),
        ("nav", "nav", "-o", "a.png"),
        ("--base", "HEAD", "-o", "a.png"),
        ("--base", "HEAD", "--scale", "3"),
    ],
    ids=" ".join,
)
def test_arguments_that_do_not_go_together(project: Path, arguments: tuple[str, ...]) -> None:
    assert bake("diff", *arguments).code == 2
