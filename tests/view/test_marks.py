"""Links, spots and floors in pictures."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bake.asset import Asset
from bake.levels import load
from bake.lint.levels import LevelLinter
from bake.pipeline.level import bake_level, read_world
from bake.pipeline.sources import Task
from bake.view.colours import CASING, INK
from bake.view.marks import MARKED, findings_of
from bake.view.render import render_asset
from bake.view.scene import read_scene
from levelbake.errors import QueryError
from tests.support.baked import bake, write_graph
from tests.support.tower import baked_tower, tower_recipe, write_tower


def picture(asset: Path, profile: str, **more: object) -> np.ndarray:
    output = asset.with_suffix(".png")
    render_asset(asset, output, profile=profile, **more)
    return np.asarray(Image.open(output).convert("RGB")).astype(int)


def test_links_are_those_of_the_profile(tmp_path: Path) -> None:
    asset = baked_tower(tmp_path)
    cat, walker = (picture(asset, name, scale=20) for name in ("cat", "walker"))
    assert cat.shape == walker.shape
    inked = [int((abs(each - np.array(INK)).sum(axis=2) < 12).sum()) for each in (cat, walker)]
    assert inked[0] > inked[1] + 60  # the jump, which only cats take


def test_a_bar_parts_the_floors(tmp_path: Path) -> None:
    several = baked_tower(tmp_path)
    parted = picture(several, "cat", scale=20)
    # The same rows as one floor, without anything that needs two.
    empty: dict[str, object] = {}
    for key in ("links", "regions", "spots", "doors", "ledges"):
        empty[key] = []
    source = write_tower(tmp_path, floor_height=10, **empty)
    whole = tmp_path / "whole.h5"
    bake_level(Task(source, whole, tower_recipe()), 1, lambda *_: None)
    plain = picture(whole, "cat", scale=20)
    assert parted.shape == plain.shape

    def bars(pixels: np.ndarray) -> int:
        light = abs(pixels - np.array(CASING)).sum(axis=2) == 0
        return int((light.sum(axis=1) > 7 * 20).sum())

    assert bars(parted) > bars(plain)


def test_facts_and_paths_tell_floors(tmp_path: Path) -> None:
    asset = baked_tower(tmp_path)
    told = render_asset(asset, tmp_path / "way.png", profile="cat", path=((0, 4, 1), (0, 4, 0)))
    assert told["reachable"]
    assert told["path_steps"] == 1


def test_lint_is_marked(tmp_path: Path) -> None:
    """As many places as lint finds from the level itself."""
    world = read_world(load(write_tower(tmp_path), {}), tower_recipe())
    listed = list(LevelLinter(world, {}).findings())
    asset = baked_tower(tmp_path)
    for name in ("cat", "ogre", "walker"):
        with Asset(asset) as opened:
            found = findings_of(read_scene(opened, name))
        for rule in MARKED:
            cells = sum(one.cells for one in listed if (one.rule, one.profile) == (rule, name))
            assert cells == sum(len(one.rows) for one in found if one.rule == rule)
        colour = np.array(MARKED["islands"][0])
        marked = (abs(picture(asset, name, scale=20, lint=True) - colour).sum(axis=2) == 0).sum()
        plain = (abs(picture(asset, name, scale=20) - colour).sum(axis=2) == 0).sum()
        assert (marked > plain) == any(one.rule == "islands" for one in found)


def test_lint_marks_grids_only(tmp_path: Path) -> None:
    graph = bake(write_graph(tmp_path / "g.json", ["a", "b"], [("a", "b", 1.0)]))
    with pytest.raises(QueryError, match="marked on cells"):
        render_asset(graph, tmp_path / "g.png", lint=True)
