"""`bake build --depfile`: what Make and Ninja are told, and what Make makes of it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from bake.baking import Task, find_tasks
from bake.baking.staleness import write_depfile
from bake.project.recipe import load_recipe
from levelbake.errors import OutputError
from tests.support.baked import rows, write_grid
from tests.support.command import bake
from tests.support.ldtk_projects import int_grid, level, project, write
from tests.support.projects import run
from tests.support.readers import tool

ROOT = Path(__file__).resolve().parents[2]

#: Names of files that Make and every Ninja can be told.
NAMES = ["keep", "the keep", "$HOME #1", "a$(shell echo b)", "x  y", "é-ü_(1)", "!@+,{}-._", "界"]

#: The Ninjas of this machine; more can be named in the variable, with the system's separator.
NINJAS = os.environ.get("BAKE_NINJAS", "ninja").split(os.pathsep)


def a_project(folder: Path, name: str = "keep") -> list[Task]:
    """A tile level and an LDtk level with a file of its own, both baked."""
    sources = folder / "levels_src"
    sources.mkdir()
    write_grid(sources / f"{name}.json", rows("..#.", "...."))
    whole = level("A", int_grid("..#"))
    write(sources / "isle" / "A.ldtkl", whole)
    told = whole | {"layerInstances": None, "externalRelPath": "isle/A.ldtkl"}
    write(sources / "isle.ldtk", project(told))
    (folder / "bake.toml").write_text('[terrain]\nwall = "blocked"\n', encoding="utf-8")
    tasks = find_tasks(load_recipe(folder / "bake.toml"), [], None)
    assert all(outcome.status == "baked" for outcome in run(tasks).values())
    return tasks


def test_every_file_an_asset_was_read_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = a_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    write_depfile(Path("nav.d"), tasks, Path("bake.toml"))
    rules, *alone = Path("nav.d").read_text().split("\n\n")
    assert rules.split("\n") == [
        "baked/isle.h5: levels_src/isle.ldtk levels_src/isle/A.ldtkl bake.toml",
        "baked/keep.h5: levels_src/keep.json bake.toml",
    ]
    assert [line.strip() for line in alone] == [
        "levels_src/isle.ldtk:",
        "levels_src/isle/A.ldtkl:",
        "bake.toml:",
        "levels_src/keep.json:",
    ]
    assert {each.name for each in tmp_path.iterdir()} == {
        "bake.toml",
        "baked",
        "levels_src",
        "nav.d",
    }


def test_a_level_that_never_baked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = a_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    tasks[1].asset.write_bytes(b"")
    write_depfile(Path("nav.d"), tasks[1:], None)
    assert Path("nav.d").read_text().startswith("baked/keep.h5: levels_src/keep.json\n")


@pytest.mark.parametrize(
    "name",
    NAMES,
)
def test_make_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Make finds every file under its own name, and bakes again when one is touched or gone."""
    make, tasks = tool("make"), a_project(tmp_path, name)
    monkeypatch.chdir(tmp_path)
    write_depfile(Path("nav.d"), tasks, Path("bake.toml"))
    assets = {task.source.suffix: task.asset for task in tasks}

    def stale() -> bool:
        target = str(assets[".json"].relative_to(tmp_path))
        done = subprocess.run(
            [make, "-q", "-f", "-", target],
            input="baked/%.h5:\n\t@true\n-include nav.d\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        assert "No rule" not in done.stderr
        return done.returncode == 1

    os.utime(assets[".json"], (2**31, 2**31))
    assert not stale()
    source = tmp_path / "levels_src" / f"{name}.json"
    os.utime(source, (2**31 + 9, 2**31 + 9))
    assert stale()
    os.utime(source, (9, 9))
    os.utime("levels_src/isle.ldtk", (2**31 + 9, 2**31 + 9))
    assert not stale()
    os.utime("bake.toml", (2**31 + 9, 2**31 + 9))
    assert stale()
    os.utime("bake.toml", (9, 9))
    assert not stale()
    source.unlink()
    assert stale()


@pytest.mark.parametrize("ninja", NINJAS)
@pytest.mark.parametrize("name", NAMES)
def test_ninja_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, ninja: str
) -> None:
    """Assets of one edge, in any order: stale when a file is touched or gone, and only then."""
    program, tasks = tool(ninja), a_project(tmp_path, name)
    monkeypatch.chdir(tmp_path)
    write_depfile(Path("written.d"), tasks, Path("bake.toml"))
    assets = [str(task.asset.relative_to(tmp_path)) for task in tasks]
    outputs = " ".join(asset.replace("$", "$$").replace(" ", "$ ") for asset in reversed(assets))
    Path("build.ninja").write_text(
        "rule nav\n  command = cp written.d nav.d && touch baked/*\n"
        f"  depfile = nav.d\n  deps = gcc\nbuild {outputs}: nav\n",
        encoding="utf-8",
    )

    def stale() -> bool:
        done = subprocess.run(
            [program, "-n"], capture_output=True, text=True, check=False, encoding="utf-8"
        )
        assert done.returncode == 0, done
        assert not done.stderr, done
        return "no work to do" not in done.stdout

    subprocess.run([program], check=True, capture_output=True)
    assert not stale()
    source = Path("levels_src", f"{name}.json")
    for file in (source, Path("levels_src/isle/A.ldtkl"), Path("bake.toml")):
        before = file.stat().st_mtime
        os.utime(file, (2**31, 2**31))
        assert stale()
        os.utime(file, (before, before))
        assert not stale()
    source.unlink()
    assert stale()


@pytest.mark.parametrize("sign", "%*?[]:;=|~\\'\"&`<>^\n\t")
def test_names_that_no_depfile_can_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    monkeypatch.chdir(tmp_path)
    task = Task(Path(f"a{sign}b.json"), Path("baked/x.h5"), load_recipe(None).defaults)
    with pytest.raises(OutputError, match=r"nav\.d: .*depfile") as caught:
        write_depfile(Path("nav.d"), [task], None)
    assert "\n" not in str(caught.value)
    assert not Path("nav.d").exists()


def rule_of_the_page() -> str:
    """The rule for Make on the page of the command line, the one with a depfile."""
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    (rule,) = [text for text in re.findall(r"```make\n(.*?)```", page, re.S) if "--depfile" in text]
    return rule


def test_the_rule_of_the_page_runs_one_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two assets, whichever is stale, also where Make runs several recipes at once."""
    make = tool("make")
    version = subprocess.run([make, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"GNU Make (\d+)\.(\d+)", version)
    if found is None or tuple(map(int, found.groups())) < (4, 3):
        pytest.skip("grouped targets came with GNU Make 4.3")
    tasks = a_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    write_depfile(Path("nav.d"), tasks, Path("bake.toml"))
    rule = rule_of_the_page().replace("baked/marsh.h5", "baked/isle.h5")
    assert "baked/keep.h5 baked/isle.h5" in rule
    Path("Makefile").write_text(
        "all: baked/keep.h5 baked/isle.h5\n" + rule.replace("bake build", "@echo build #")
    )

    def builds() -> int:
        done = subprocess.run([make, "-j4", "all"], capture_output=True, text=True, check=True)
        return done.stdout.count("build")

    for file in tmp_path.rglob("*"):
        os.utime(file, (10**9, 10**9))
    assert builds() == 0
    for name in ("bake.toml", "levels_src/keep.json", "levels_src/isle/A.ldtkl"):
        os.utime(name)
        os.utime("baked/keep.h5", (10**9, 10**9))
        os.utime("baked/isle.h5", (10**9, 10**9))
        assert builds() == 1
        assert builds() == 0
        os.utime(name, (10**9, 10**9))
    Path("baked/isle.h5").unlink()
    assert builds() == 1


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write_depfile(tmp_path / "absent" / "nav.d", [], None)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        write_depfile(tmp_path / "folder", [], None)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # baked, then fresh
        assert bake("build", "--depfile", "nav.d").code == 0
        assert Path("nav.d").read_text().count(".h5: ") == 2
        Path("nav.d").unlink()
    assert bake("build", "--depfile", "absent/nav.d", "--json").code == 1
