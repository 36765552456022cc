"""The example in other engines: the node script prints what the page says, the scene is whole."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.support.pull_request import EXAMPLE, Run
from tests.support.readers import READERS, tool


def test_node(assets: Path, cloned: Path, run: Run, tmp_path: Path) -> None:
    node = tool("node")
    shutil.copy(cloned / "play.mjs", tmp_path)
    (tmp_path / "node_modules").mkdir()
    shutil.copytree(
        READERS / "js",
        tmp_path / "node_modules" / "levelbake",
        ignore=shutil.ignore_patterns("node_modules"),
    )
    flat = tmp_path / "baked" / "harbour.bake"
    flat.parent.mkdir()
    done = run(tmp_path, "bake", "export", str(assets / "harbour.h5"), "-o", str(flat))
    assert done.returncode == 0, done.stderr
    played = subprocess.run(
        [node, "play.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    page = (EXAMPLE / "README.md").read_text("utf-8")
    told = re.search(r"^\$ node play\.mjs\n(.*?)```", page, re.MULTILINE | re.DOTALL)
    assert told is not None
    # The patch names the asset by its fingerprint, so its length is the same for every asset.
    assert played.stdout == told[1], played.stderr
    flat.write_bytes(flat.read_bytes()[:-64])
    played = subprocess.run(
        [node, "play.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert played.returncode == 1
    assert re.fullmatch(r"error: the file has [0-9]+ bytes, expected [0-9]+\n", played.stderr)


def test_the_scene_of_godot_names_what_is_there() -> None:
    """Godot 4 is not here to open it; test_gdscript holds its script to a linter."""
    home = EXAMPLE / "godot"
    said = "".join((home / name).read_text("utf-8") for name in ("harbour.tscn", "project.godot"))
    for path in re.findall(r'res://([^"]+)"', said):
        there = (home / path).is_file() or (READERS / "godot" / path).is_file()
        assert there or path == "harbour.bake", path
    script = (home / "harbour.gd").read_text("utf-8")
    addon = "".join(path.read_text("utf-8") for path in READERS.glob("godot/addons/*/*.gd"))
    for name in set(re.findall(r"\bLevelBake\w*", script)):
        assert f"class_name {name}\n" in addon
    for name in set(re.findall(r"_(?:level|now|nav)\.(\w+)\(", script)):
        assert f"func {name}(" in addon, name
