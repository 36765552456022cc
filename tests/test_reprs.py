"""The representations of levels, profiles and reports are short, and never fail."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import levelbake
from bake.levels import load
from bake.play import open_asset
from bake.show.diff import compare
from bake.store import Asset
from bake.verify import Proof
from tests.support.command import bake

ROWS = [".........."] * 2 + ["....##...."]
GRAPH = {
    **{"directed": False, "multigraph": False, "graph": {}},
    **{"nodes": [{"id": "A"}, {"id": "B"}], "edges": [{"source": "A", "target": "B", "weight": 1}]},
}


@pytest.fixture
def folder(bare: Path) -> Path:
    """A folder with two levels and their assets; the working directory."""
    level = {
        **{"format": "bake-tiles", "version": 1, "terrains": {"floor": 1, "wall": "blocked"}},
        **{"legend": {".": "floor", "#": "wall"}, "rows": ROWS},
    }
    Path("levels_src").mkdir()
    Path("levels_src/hall.json").write_text(json.dumps(level))
    Path("levels_src/pair.json").write_text(json.dumps(GRAPH))
    Path("bake.toml").write_text("[profiles.cat]\n[profiles.dog]\n")
    assert bake("build", "--jobs", "1").code == 0
    return bare


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("opened_by", [levelbake.open_level, open_asset])
def test_levels_and_profiles(opened_by) -> None:  # type: ignore[no-untyped-def]
    with opened_by("baked/hall.h5") as level:
        kind = type(level).__name__
        profile = level.profile("cat")
        assert repr(level) == f"<{kind} 'hall': 10 x 3 cells, profiles 'cat', 'dog'>"
        name = f"{type(profile).__name__} 'cat' of level 'hall'>"
        assert repr(profile) == f"<{name}"
        assert repr(profile.frozen()) == f"<frozen {name}"
        report = level.update(blocked=[(0, 0)])["cat"]
        assert repr(report).startswith(f"{type(report).__name__}(profile='cat', arcs=")
        assert repr(report).endswith("opened=(), closed=((0, 0),))")
        report = level.update(blocked=[(x, y) for x in range(10) for y in (0, 1)])["cat"]
        assert repr(report).endswith("opened=(), closed=<19 places>)")
    assert repr(level).startswith(f"<{kind} 'hall'"), "a closed level has one, too"
    assert repr(profile) == f"<{name}"
    with opened_by("baked/pair.h5") as level:
        assert repr(level) == f"<{kind} 'pair': graph, profiles 'cat', 'dog'>"


@pytest.mark.usefixtures("folder")
def test_level_files() -> None:
    grid = load(Path("levels_src/hall.json"), {})
    assert repr(grid) == "<GridLevel 'hall': 10 x 3 square cells, 2 terrains>"
    assert repr(load(Path("levels_src/pair.json"), {})) == (
        "<GraphLevel 'pair': 2 nodes, 2 arcs, 1 terrains>"
    )
    mesh = {
        **{"format": "bake-geometry", "version": 1, "terrains": {"floor": 1}},
        **{"shapes": [{"terrain": "floor", "rings": [[[0, 0], [4, 0], [4, 4]]]}]},
    }
    Path("room.json").write_text(json.dumps(mesh))
    assert repr(load(Path("room.json"), {})) == "<GeometryLevel 'room': 1 shapes, 1 terrains>"


@pytest.mark.usefixtures("folder")
def test_reports() -> None:
    with Asset(Path("baked/hall.h5")) as old, Asset(Path("baked/hall.h5")) as new:
        cat, dog = compare(old, new, None, 4).profiles
        assert repr(cat) == (
            "<ProfileDifference 'cat': places 0 opened, 0 closed, 0 dearer, 0 cheaper>"
        )
        assert "'dog'" in repr(dog)
    assert repr(Proof(pairs=3)).startswith("Proof(pairs=3, ")
