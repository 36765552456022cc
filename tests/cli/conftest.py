"""A small project of four levels, baked once and copied for each test."""

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from tests.support.command import bake

YARD = """\
type octile
height 5
width 8
map
....@...
.@@.@.WW
.@..@.WW
....@...
@@@@@@.@
"""

COLOURS = {".": (0x3A, 0x7D, 0x44), "~": (0x2B, 0x6C, 0xB0), "#": (0x22, 0x22, 0x22)}
FEN = ["..~~..", ".#~~#.", "..~~..", "......"]

RECIPE = """\
[legend]
"#3a7d44" = "grass"
"#2b6cb0" = "mere"
"#222222" = "rock"

[terrain]
grass = 1
mere = 3
rock = "blocked"

[levels.fen.profiles.walker]

[levels.fen.profiles.boat]
terrain = { grass = "blocked", mere = 1 }
"""

FIVE = {
    "directed": False,
    "multigraph": False,
    "graph": {},
    "nodes": [{"id": name} for name in "ABCDE"],
    "edges": [
        {"source": a, "target": b, "weight": weight}
        for a, b, weight in [
            ("A", "B", 1),
            ("A", "E", 1),
            ("B", "C", 1),
            ("B", "E", 1),
            ("C", "D", 1),
            ("D", "E", 2.5),
        ]
    ],
}

#: 10 -> 20 <-> 30 -> 40, and 50 by itself.
WAYS = {
    "directed": True,
    "multigraph": False,
    "graph": {},
    "nodes": [{"id": 10 * name, "x": name, "y": 0} for name in range(1, 6)],
    "edges": [
        {"source": a, "target": b, "weight": 2} for a, b in [(10, 20), (20, 30), (30, 20), (30, 40)]
    ],
}


@pytest.fixture(scope="session")
def _baked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    sources = folder / "levels_src"
    sources.mkdir()
    (sources / "yard.map").write_text(YARD)
    (sources / "five.json").write_text(json.dumps(FIVE))
    (sources / "ways.json").write_text(json.dumps(WAYS))
    fen = Image.new("RGB", (len(FEN[0]), len(FEN)))
    fen.putdata([COLOURS[letter] for row in FEN for letter in row])
    fen.save(sources / "fen.png")
    (folder / "bake.toml").write_text(RECIPE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = bake("build", "--jobs", "1")
    assert (done.code, done.errors) == (0, [])
    return folder


@pytest.fixture
def project(_baked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A baked project of four levels; the working directory."""
    folder = tmp_path / "project"
    shutil.copytree(_baked, folder)
    monkeypatch.chdir(folder)
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return folder
