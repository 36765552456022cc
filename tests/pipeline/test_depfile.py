"""`bake build --depfile`: what Make and Ninja are told, and what Make makes of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bake.pipeline import Task, find_tasks
from bake.pipeline.staleness import write_depfile
from bake.recipe import load_recipe
from levelbake.errors import OutputError
from tests.support.baked import rows, write_grid
from tests.support.command import bake
from tests.support.ldtk_projects import int_grid, level, project, write
from tests.support.projects import run
from tests.support.readers import tool


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
    ["keep", "the keep", "$HOME #1", "a$(shell echo b)", "x  y", "é-ü_(1)", "a'b\"c", "&!@+,"],
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


@pytest.mark.parametrize("sign", "%*?[]:;=|~\\\n\t")
def test_names_that_make_cannot_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    monkeypatch.chdir(tmp_path)
    task = Task(Path(f"a{sign}b.json"), Path("baked/x.h5"), load_recipe(None).defaults)
    with pytest.raises(OutputError, match=r"nav\.d: .* cannot be named in a depfile") as caught:
        write_depfile(Path("nav.d"), [task], None)
    assert "\n" not in str(caught.value)
    assert not Path("nav.d").exists()


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
