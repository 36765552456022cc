"""What editors run after a save: the extension for Tiled under Node, and LDtk's command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import PYTHON_PATH, bake
from tests.support.ldtk_projects import int_grid, level, project, write
from tests.support.readers import ROOT, tool
from tests.support.tiled_maps import layer, tmx

EXTENSION = ROOT / "examples" / "editors" / "tiled" / "bake.js"
RUNNER = Path(__file__).with_name("tiled_runner.mjs")
ADD_COMMAND = ROOT / "examples" / "editors" / "ldtk" / "add_command.py"

SET = (
    '<tileset firstgid="1" name="pieces" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
    '<tile id="0" type="floor"/><tile id="1" type="wall"/></tileset>'
)
#: The floor at (4, 1) is an island.
YARD = [[1, 1, 1, 2, 2, 2], [1, 1, 1, 2, 1, 2], [1, 1, 1, 2, 2, 2]]


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """A program `bake` that runs the code that is tested."""
    if os.name == "nt":
        pytest.skip("the program is a script of a shell")
    program = tmp_path / "bin" / "bake"
    program.parent.mkdir()
    run = f'PYTHONPATH="{PYTHON_PATH}" exec "{sys.executable}" -m bake "$@"'
    program.write_text(f"#!/bin/sh\n{run}\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def recorded(command: Path) -> Path:
    """A program that prints what bake prints of the island of the yard, or of nothing to bake."""
    finding = {"rule": "islands", "severity": "warning", "message": "an island", "cell": [4, 1]}
    lint = json.dumps({"findings": [finding]})
    build = json.dumps({"levels": [], "findings": []})
    script = f"#!/bin/sh\nif [ $1 = lint ]; then echo '{lint}'; else echo '{build}'; fi\n"
    command.write_text(script)
    return command


class Tiled:
    """The extension, in a Tiled without a window."""

    def __init__(self, command: Path | str, *maps: dict[str, Any]) -> None:
        self.command, self.maps = str(command), maps

    def __call__(self, *steps: tuple[str, object]) -> list[dict[str, Any]]:
        """Return what happens in some steps, after the menu was made."""
        given = json.dumps({"maps": self.maps, "steps": steps})
        file = Path("steps.json").absolute()
        file.write_text(given, "utf-8")
        done = subprocess.run(
            [tool("node"), str(RUNNER), str(EXTENSION), str(file)],
            env={**os.environ, "BAKE": self.command},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        menu, *happened = json.loads(done.stdout)["happened"]
        assert menu["menu"] == "Map"
        assert set(menu["items"]) == {"-", "BakeNow", "BakeAfterSaving", "BakeLint"}
        return list(happened)


@pytest.fixture
def yard(bare: Path) -> Path:
    file = bare / "maps" / "yard.tmx"
    file.parent.mkdir()
    file.write_text(tmx(layer(YARD), width=6, height=3, tileset=SET), "utf-8")
    return file


def test_a_saved_map_is_baked(command: Path, yard: Path, bare: Path) -> None:
    ran, said = Tiled(command, {"fileName": str(yard)})(("save", 0))
    assert ran == {"ran": ["build", str(yard), "--json"], "in": str(yard.parent)}
    assert said["log"].startswith("bake: yard: 10 nodes in ")
    assert (yard.parent / "baked" / "yard.h5").exists()


def test_the_nearest_recipe_says_what_is_baked(command: Path, yard: Path, bare: Path) -> None:
    (bare / "bake.toml").write_text('sources = ["maps/*"]\noutput = "out"\n')
    tileset = {"fileName": str(yard.parent / "tiles" / "set.tsx"), "isTileMap": False}
    happened = Tiled(command, {"fileName": str(yard)}, tileset)(("save", 0), ("save", 1))
    assert happened[0] == {"ran": ["build", "--json"], "in": str(bare)}
    assert (bare / "out" / "yard.h5").exists()
    # A tileset matters to all maps of the project; nothing has changed here.
    assert happened[2:] == [{"ran": ["build", "--json"], "in": str(bare)}]


def test_mistakes_are_issues(command: Path, yard: Path, bare: Path) -> None:
    (bare / "bake.toml").write_text('sources = ["maps/*"]\n[terrain]\nfloor = -1\n')
    _, said = Tiled(command, {"fileName": str(yard)})(("save", 0))
    assert said["error"].startswith("bake: ")
    assert "floor" in said["error"]


def test_a_finding_is_selected_in_the_map(command: Path, yard: Path) -> None:
    steps = ("trigger", "BakeLint"), ("activate", 0)
    happened = Tiled(command, {"fileName": str(yard)})(*steps)
    assert happened[0] == {"ran": ["lint", str(yard), "--json"], "in": str(yard.parent)}
    assert "[islands]" in happened[1]["warning"]
    assert happened[-2:] == [
        {"selected": {"x": 4, "y": 1, "width": 1, "height": 1}},
        {"centred": [72, 24]},
    ]


def test_cells_of_infinite_maps_begin_at_their_first_tiles(recorded: Path, yard: Path) -> None:
    rects = [{"x": -3, "y": 5, "width": 6, "height": 3}, {"x": 0, "y": 0, "width": 0, "height": 0}]
    there = {"fileName": str(yard), "infinite": True, "layers": rects}
    happened = Tiled(recorded, there)(("trigger", "BakeLint"), ("activate", 0))
    assert happened[-2]["selected"] == {"x": 1, "y": 6, "width": 1, "height": 1}
    staggered = Tiled(recorded, {"fileName": str(yard), "orientation": 3})
    happened = staggered(("trigger", "BakeLint"), ("activate", 0))
    assert not any("selected" in each for each in happened)


def test_baking_by_the_menu(recorded: Path, yard: Path) -> None:
    tiled = Tiled(recorded, {"fileName": str(yard)})
    baked = [each for each in tiled(("trigger", "BakeNow")) if "ran" in each]
    assert len(baked) == 1
    baked = [each for each in tiled(("modify", 0), ("trigger", "BakeNow")) if "ran" in each]
    assert len(baked) == 1
    off = ("uncheck", "BakeAfterSaving")
    assert tiled(off, ("save", 0)) == []
    baked = [each for each in tiled(off, ("modify", 0), ("trigger", "BakeNow")) if "ran" in each]
    assert len(baked) == 1


def test_no_command_and_no_map(yard: Path, bare: Path) -> None:
    happened = Tiled(bare / "nothing", {"fileName": str(yard)})(("save", 0))
    assert "cannot be run; install levelbake" in happened[-1]["error"]
    assert "open a map" in Tiled("bake")(("trigger", "BakeNow"))[0]["warning"]
    own = {"fileName": str(yard), "properties": {"bake": str(bare / "own")}}
    assert str(bare / "own") in Tiled("bake", own)(("save", 0))[-1]["error"]


# -- LDtk -----------------------------------------------------------------------------------------


def after_saving(file: Path) -> list[list[str]]:
    """The commands that LDtk would run after a save, split as it does without quotes."""
    commands = json.loads(file.read_text("utf-8"))["customCommands"]
    return [each["command"].split() for each in commands if each["when"] == "AfterSave"]


def test_the_command_bakes_after_saving(bare: Path) -> None:
    file = write(bare / "world.ldtk", project(level("One", int_grid("..#", "..."))))
    subprocess.run([sys.executable, ADD_COMMAND, file], check=True, stdout=subprocess.DEVNULL)
    [(program, *arguments)] = after_saving(file)
    assert program == "bake"
    done = bake(*arguments)
    assert (done.code, done.errors) == (0, [])
    assert bake("path", "baked/world.h5", "0,0", "2,1", "--json").data["reachable"] is True


def test_the_command_is_added_to_a_project(bare: Path) -> None:
    file = write(bare / "world.ldtk", project(level("One", int_grid("#..."))))
    before = json.loads(file.read_text("utf-8"))
    for _ in range(2):  # A second time adds nothing.
        subprocess.run([sys.executable, ADD_COMMAND, file], check=True, stdout=subprocess.DEVNULL)
        assert after_saving(file) == [["bake", "build"]]
    after = json.loads(file.read_text("utf-8"))
    del after["customCommands"]
    before.pop("customCommands", None)
    assert after == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "this is no project"),
        ("{", "this is no JSON"),
        ('{"jsonVersion": "1.1.3", "defs": {}}', "LDtk 1.1.3 saved"),
    ],
)
def test_other_files_are_left_alone(bare: Path, text: str, said: str) -> None:
    file = bare / "other.json"
    file.write_text(text)
    command = [sys.executable, str(ADD_COMMAND), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {file}: {said}")
    assert file.read_text() == text
    assert list(bare.iterdir()) == [file]
