"""Links, spots and floors in pictures."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bake.baking.level import bake_level, read_world
from bake.baking.sources import Task
from bake.levels import load
from bake.project.lint.levels import LevelLinter
from bake.project.recipe import LevelRecipe
from bake.show.colours import CASING, INK, PATH
from bake.show.marks import MARKED, findings_of
from bake.show.page import map_corner
from bake.show.render import render_asset
from bake.show.scene import read_scene
from bake.store import Asset
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


#: Two floors of five lines, and stairs from the left end of the lower one to the upper one's right.
STAIRS = {
    "format": "bake-tiles",
    "version": 1,
    "floor_height": 5,
    "terrains": {"floor": {"cost": 1, "colour": "#d2c8b4"}, "wall": "blocked"},
    "legend": {".": "floor", "#": "wall"},
    "rows": ["...........", *["###########"] * 3, "...........", *["..........."] * 5],
}
SCALE = 20


def stairs(folder: Path, *via: list[int], both_ways: bool = True) -> Path:
    link = {
        "name": "stairs",
        "from": [2, 4, 0],
        "to": [8, 2, 1],
        "cost": 1,
        "both_ways": both_ways,
        **({"via": via} if via else {}),
    }
    (folder / "level.json").write_text(json.dumps({**STAIRS, "links": [link]}))
    return bake(folder / "level.json", LevelRecipe())


def middle(x: float, y: float) -> np.ndarray:
    """Return pixels of a cell of the map, counted over both floors."""
    return np.array([(x + 0.5) * SCALE, (y + 0.5) * SCALE])


def is_path(pixels: np.ndarray, at: np.ndarray) -> bool:
    """Return whether there is a pixel in the color of paths near a point of the map."""
    left, top = map_corner(11 * SCALE, 10 * SCALE)
    x, y = (at + np.array([left, top])).round().astype(int)
    near = pixels[y - 2 : y + 3, x - 2 : x + 3]
    return bool((abs(near - np.array(PATH)).sum(axis=2) < 12).any())


@pytest.mark.parametrize("show", ["terrain", "components", "distances"])
@pytest.mark.parametrize("down", [False, True])
def test_a_path_follows_the_arc_of_its_link(tmp_path: Path, show: str, *, down: bool) -> None:
    asset = stairs(tmp_path)
    ends = ((1, 4, 0), (9, 2, 1))
    more: dict[str, object] = {"toward": ends[1]} if show == "distances" else {}
    pixels = picture(
        asset, "default", scale=SCALE, path=ends[::-1] if down else ends, show=show, **more
    )
    start, goal = middle(2, 4), middle(8, 7)
    straight = (start + goal) / 2
    along = goal - start
    arc = straight + 0.07 * np.array([-along[1], along[0]])  # half of the bend, by its definition
    assert is_path(pixels, arc)
    assert not is_path(pixels, straight)
    assert is_path(pixels, middle(1.5, 4))
    assert is_path(pixels, middle(8.5, 7))


def test_a_path_follows_the_cells_of_its_link(tmp_path: Path) -> None:
    asset = stairs(tmp_path, [8, 4, 0])
    pixels = picture(asset, "default", scale=SCALE, path=((1, 4, 0), (9, 2, 1)))
    assert is_path(pixels, middle(5, 4))
    assert is_path(pixels, middle(8, 6))
    assert not is_path(pixels, (middle(2, 4) + middle(8, 7)) / 2)


def test_a_path_of_single_steps_is_straight(tmp_path: Path) -> None:
    asset = stairs(tmp_path, both_ways=False)
    pixels = picture(asset, "default", scale=SCALE, path=((0, 2, 1), (10, 2, 1)))
    assert all(is_path(pixels, middle(x, 7)) for x in range(2, 9))
