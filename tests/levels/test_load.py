"""Choosing a reader, and files that are no level at all."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from bake.core.level import GraphLevel, GridLevel
from bake.levels import SUFFIXES, load
from levelbake.errors import BakeError
from tests.support.levels import refusal

TINY_MAP = "type octile\nheight 1\nwidth 1\nmap\n.\n"


def test_the_suffix_chooses_in_any_case(tmp_path: Path) -> None:
    image = tmp_path / "hall.PNG"
    Image.new("L", (2, 1)).save(image)
    octile = tmp_path / "cave.Map"
    octile.write_text(TINY_MAP)
    assert load(image, {}).name == "hall"
    assert load(octile, {}).name == "cave"


def test_json_is_told_apart_by_content(tmp_path: Path) -> None:
    path = tmp_path / "level.json"
    path.write_text('{"format": "bake-tiles", "version": 1, "legend": {".": "a"}, "rows": ["."]}')
    assert isinstance(load(path, {}), GridLevel)
    path.write_text('{"nodes": [{"id": 1}], "links": []}')
    assert isinstance(load(path, {}), GraphLevel)
    path.write_text('{"format": "bake-graph", "version": 1, "nodes": [{"id": 1}], "edges": []}')
    assert isinstance(load(path, {}), GraphLevel)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{}", "it is an empty object"),
        ('{"a": 1, "b": 2}', 'its keys are "a", "b"'),
        ('{"nodes": [{"id": 1}]}', 'its keys are "nodes"'),
        (json.dumps(dict.fromkeys("abcdefgh")), '"e", "f", ...'),
        ("[1, 2]", "top level: the file holds a list"),
        ("NaN", "top level: the file holds NaN"),
        ('{"format": "tiled", "nodes": [], "edges": []}', 'format: the format is "tiled"'),
        ('{"format": null}', "format: the format is null"),
    ],
)
def test_json_of_another_kind_is_told_what_both_kinds_look_like(
    tmp_path: Path, text: str, found: str
) -> None:
    path = tmp_path / "level.json"
    path.write_text(text)
    line = refusal(path)
    assert found in line
    assert '"bake-tiles"' in line
    assert "node-link" in line


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_missing_folder_and_empty(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"level{suffix}"
    assert refusal(path) == "there is no such file"
    path.write_bytes(b"")
    assert refusal(path).startswith("the file is empty")
    path.unlink()
    path.mkdir()
    assert refusal(path).startswith("this is a folder")


@pytest.mark.parametrize("suffix", [".png", ".json", ".map"])
def test_unreadable(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"level{suffix}"
    path.write_text("something")

    def deny(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Not by taking away the permission: tests that run as root could read it all the same.
    monkeypatch.setattr(Path, "open", deny)
    assert refusal(path) == "the file cannot be read: Permission denied"


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")
def test_a_ring_of_links_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "level.json"
    path.symlink_to(path)
    assert refusal(path).startswith("the file cannot be read: ")


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes among files on Windows")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    import os

    path = tmp_path / "level.map"
    os.mkfifo(path)
    assert refusal(path).startswith("this is a device or a pipe")


def test_a_name_no_file_can_have() -> None:
    assert "cannot be read" in refusal(Path("a\0b.map"))


@pytest.mark.parametrize("name", ["level.xyz", "level", "level.", "level.png.bak"])
def test_unknown_suffix_lists_the_known_ones(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("x")
    line = refusal(path)
    assert line.startswith("the kind of level file is unknown")
    for suffix in SUFFIXES:
        assert suffix in line


@pytest.mark.parametrize("name", ["photo.jpg", "photo.JPEG"])
def test_lossy_images_are_refused_by_name(tmp_path: Path, name: str) -> None:
    line = refusal(tmp_path / name)
    assert "blur" in line
    assert "lossless" in line
    assert "photo-reduced.png" in line


def test_levels_have_no_dependencies_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "cave.map"
    path.write_text(TINY_MAP)
    level = load(path, {})
    assert level.source == path
    assert level.depends_on == ()


def test_naming_the_suffixes_loads_no_library() -> None:
    code = (
        "import sys, bake.levels; bake.levels.SUFFIXES;"
        "sys.exit(','.join({'PIL', 'pydantic', 'networkx'} & set(sys.modules)) or None)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


GOOD = [
    {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {"a": 1, "b": {"cost": 2, "enter_from": ["a"], "colour": "#000000"}},
        "legend": {".": "a", "#": "b"},
        "rows": [".#", "#."],
    },
    {"format": "bake-tiles", "version": 1, "palette": ["a", "b"], "cells": [[0, 1], [1, 0]]},
    {
        "directed": True,
        "multigraph": True,
        "graph": {"terrains": {"a": 1}},
        "nodes": [{"id": 1, "x": 0, "y": 0, "terrain": "a"}, {"id": 2, "pos": [1, 1]}],
        "edges": [{"source": 1, "target": 2, "weight": 3}],
    },
]
strange = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=5,
)


@st.composite
def nearly_good(draw: st.DrawFn) -> object:
    """A good file with something else in one place of it."""
    document = json.loads(json.dumps(draw(st.sampled_from(GOOD))))
    around = document
    while True:
        steps = list(around) if isinstance(around, dict) else list(range(len(around)))
        step = draw(st.sampled_from(steps))
        inner = around[step]
        if not isinstance(inner, dict | list) or not inner or draw(st.booleans()):
            around[step] = draw(strange)
            return document
        around = inner


@given(document=nearly_good())
def test_anything_else_in_one_place_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, document: object
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "level.json"
    path.write_text(json.dumps(document))
    try:
        level = load(path, {})
    except BakeError as error:
        assert all(line.startswith(f"{path}: ") for line in str(error).split("\n"))  # noqa: PT017
    else:
        assert isinstance(level, GridLevel | GraphLevel)
