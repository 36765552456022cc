"""Areas between walls, and domains, lie below nodes: colours at points, by where the points lie."""

import json
from pathlib import Path

import numpy as np

from bake.core.level import Division
from bake.play import open_asset
from bake.project.recipe.rules import LevelRecipe, ProfileRecipe
from bake.show.canvas import Canvas
from bake.show.colours import PAPER
from bake.show.plane_map import draw_areas
from bake.show.scene import read_scene
from bake.store import Asset
from tests.support.baked import bake

SHAPES = [
    {"terrain": "floor", "rect": [0, 0, 30, 20]},
    {"terrain": "wall", "rect": [10, 5, 12, 10]},
    # An island in the wall, and a hole in the island.
    {"terrain": "floor", "rect": [12, 7, 8, 6]},
    {"terrain": "wall", "rect": [14, 9, 4, 2]},
]
POINTS = [{"at": [5, 10], "weight": 3}, {"at": [25, 3]}, {"at": [26, 17]}, {"at": [13, 8]}]
SCALE, BORDER = 16, 8


def drawn(folder: Path, division: Division, profile: str = "cat", **more: object) -> np.ndarray:
    """The areas of a level, with point (0, 0) at pixel (BORDER, BORDER)."""
    source = folder / f"{division}.json"
    document = {"format": "bake-geometry", "version": 1, "shapes": SHAPES, **more}
    source.write_text(json.dumps(document))
    profiles = (ProfileRecipe("cat"), ProfileRecipe("ox", radius=1))
    asset = bake(source, LevelRecipe(division=division, profiles=profiles))
    canvas = Canvas(30 * SCALE + 2 * BORDER, 20 * SCALE + 2 * BORDER)
    with Asset(asset) as stored:
        draw_areas(canvas, read_scene(stored, profile), np.zeros(2), SCALE, BORDER)
    return np.asarray(canvas.picture())


def at(picture: np.ndarray, x: float, y: float) -> tuple[int, ...]:
    return tuple(picture[BORDER + round(y * SCALE), BORDER + round(x * SCALE)].tolist())


def test_walls_holes_and_islands(tmp_path: Path) -> None:
    picture = drawn(tmp_path, "visibility")
    floor = at(picture, 3, 12)
    assert floor != PAPER
    assert at(picture, 12.6, 12.4) == floor, "the island in the wall"
    assert at(picture, 11, 14) == PAPER, "the wall around it"
    assert at(picture, 16, 10) == PAPER, "the hole in the island"


def test_domains_have_colours_that_differ(tmp_path: Path) -> None:
    picture = drawn(tmp_path, "dirichlet", points=POINTS)
    with open_asset(tmp_path / "dirichlet.h5") as level:
        nav = level.profile("cat")
        shown: dict[object, set[tuple[int, ...]]] = {}
        for x, y in ((2, 4), (4, 16), (24, 6), (28, 4), (28, 14), (24, 18), (18.5, 12.2)):
            colour = at(picture, x, y)
            assert colour != PAPER
            shown.setdefault(nav.nearest((x, y)), set()).add(colour)
    assert len(shown) == 4
    assert all(len(colours) == 1 for colours in shown.values())
    outer = [shown[key] for key in list(shown)[:3]]
    assert len(set.union(*outer)) > 1
    assert at(picture, 11, 14) == PAPER


def test_what_a_radius_adds_is_no_floor(tmp_path: Path) -> None:
    cat, ox = drawn(tmp_path, "visibility"), drawn(tmp_path, "visibility", "ox")
    assert cat.shape == ox.shape
    assert at(cat, 9.5, 10) != PAPER
    assert at(ox, 9.5, 10) == PAPER
    assert at(ox, 8.5, 10) == at(cat, 8.5, 10)
