"""Links, spots and floors in pictures."""

from pathlib import Path

import numpy as np
from PIL import Image

from bake.view.palette import CASING, INK
from bake.view.render import render_asset
from tests.runtime.tower import baked_tower, tower_recipe, write_tower


def picture(asset: Path, profile: str, **more: object) -> np.ndarray:
    output = asset.with_suffix(".png")
    render_asset(asset, output, profile=profile, **more)  # type: ignore[arg-type]
    return np.asarray(Image.open(output).convert("RGB")).astype(int)


def test_links_are_those_of_the_profile(tmp_path: Path) -> None:
    asset = baked_tower(tmp_path)
    cat, walker = (picture(asset, name, scale=20) for name in ("cat", "walker"))
    assert cat.shape == walker.shape
    inked = [int((abs(each - np.array(INK)).sum(axis=2) < 12).sum()) for each in (cat, walker)]
    assert inked[0] > inked[1] + 60  # the jump, which only cats take


def test_a_bar_parts_the_floors(tmp_path: Path) -> None:
    from bake.pipeline.level import bake_level
    from bake.pipeline.sources import Task

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
