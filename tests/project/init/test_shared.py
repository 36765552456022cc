"""Every real level bakes after `bake init` alone, and right where names allow.

They lie outside the project; where they do not, these tests are skipped.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest

from bake.baking import find_tasks
from bake.baking.level import agent_profiles, read_level, read_world
from bake.core.arrays import BoolArray
from bake.core.level import GridLevel
from bake.project.init.first_recipe import try_recipe, write_first_recipe
from bake.project.recipe import load_recipe
from tests.support.levels import shared_level

FOLDERS = ("tiled", "ldtk", "movingai")
#: Maps that take seconds each; smaller ones of their kind are read instead.
LARGE = {
    *("AcrosstheCape", "TheFrozenSea", "maze512-4-0", "random512-25-0", "ost100d", "orz900d"),
    *("32room_000", "AR0011SR"),
}


def copied(folder: Path, *names: str) -> Path:
    for name in names:
        shutil.copytree(shared_level(name), folder / name)
    for large in LARGE:
        (folder / "movingai" / f"{large}.map").unlink(missing_ok=True)
    return folder


def standable(folder: Path) -> dict[str, BoolArray]:
    """By level, (height, width) bool: True where the default agent can stand, after init alone."""
    started = write_first_recipe(folder, force=False)
    found = {}
    for task in find_tasks(load_recipe(started.recipe), (), folder / "baked"):
        level = read_level(task)
        assert isinstance(level, GridLevel)
        read_world(level, task.recipe)
        (profile,) = agent_profiles(level, task.recipe)
        open_to = [profile.rules[name].cost is not None for name in level.terrains]
        found[task.name] = np.array(open_to)[level.terrain]
    return found


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> dict[str, BoolArray]:
    return standable(copied(tmp_path_factory.mktemp("levels"), *FOLDERS))


@pytest.mark.parametrize("name", FOLDERS)
def test_each_folder_by_itself(tmp_path: Path, name: str, together: dict[str, BoolArray]) -> None:
    """A single recipe that serves all formats means the same as one for each."""
    for level, cells in standable(copied(tmp_path, name)).items():
        assert np.array_equal(cells, together[level]), level


#: Cells (x, y) that must be blocked, and cells that must be open, as pictures of the maps show.
MUST: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {
    # Water in the middle and at the west, grass in the north, and dirt on an island.
    "orthogonal-outside": ([(22, 15), (0, 10), (44, 18)], [(30, 5), (20, 12), (2, 20)]),
    # The block of walls in the east; there is no floor drawn, so what is empty is floor.
    "perspective_walls": ([(21, 14), (20, 15), (6, 11)], [(0, 0), (10, 14), (31, 31)]),
    # Walls, and a secret one that is an entity; the player stands on floor.
    "Typical_TopDown_example": ([(3, 2), (12, 4), (8, 12)], [(26, 10), (0, 0)]),
    "isometric_grass_and_water": ([(0, 0), (13, 12), (20, 14)], [(20, 2), (4, 5)]),
    "desert": ([], [(0, 0), (39, 39)]),
}


@pytest.mark.parametrize("name", sorted(MUST))
def test_cells_by_their_names(name: str, together: dict[str, BoolArray]) -> None:
    blocked, free = MUST[name]
    cells = together[name]
    assert [bool(cells[y, x]) for x, y in blocked] == [False] * len(blocked)
    assert [bool(cells[y, x]) for x, y in free] == [True] * len(free)


#: How many cells one can stand on, where names say all there is to say: of water and grass by Wang
#: colour, and of values called "walls".
PLACES = {
    "isometric_grass_and_water": 465,
    "isometric_staggered_grass_and_water": 861,
    "orthogonal-outside": 937,
    "AutoLayers_1_basic": 478,
    "SeparateLevelFiles-World_Level_0": 207,
    "den312d": 2445,
    "lak110d": 168,
}


@pytest.mark.parametrize("name", sorted(PLACES))
def test_places(name: str, together: dict[str, BoolArray]) -> None:
    assert int(together[name].sum()) == PLACES[name]


def test_files_that_must_be_refused_are_named(tmp_path: Path) -> None:
    copied(tmp_path, "bad", "ldtk")
    started = write_first_recipe(tmp_path, force=False)
    tried = list(
        try_recipe(started.recipe, jobs=1, force=False, draw=False, report=lambda *_: None)
    )
    assert len(tried) == 1 + 6
    (error,) = (each.outcome.error for each in tried if each.outcome.error is not None)
    assert "octile-corner.map" in str(error)
