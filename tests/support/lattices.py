"""Small levels baked as large lattices are: no arc is listed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bake.baking import lattice
from bake.play import LevelAsset, Navigator
from bake.project.recipe import LevelRecipe
from levelbake.errors import BlockedCellError
from tests.support.baked import GROUND, bake
from tests.support.oracles import Ground

#: The tables of large lattices, and ground on which every step leads back at its cost.
TABLES = ("components", "clusters", "hierarchy")
FREE = {**GROUND, "water": Ground(1.5), "ledge": Ground(2)}


@contextmanager
def on_cells() -> Iterator[None]:
    """Take every level that may be a large lattice for one, however small it is."""
    with patch.object(lattice, "LEAST_NODES", 0):
        yield


def bake_on_cells(source: Path, recipe: LevelRecipe) -> Path:
    """Bake a level beside its source without listing its arcs, however small it is."""
    with on_cells():
        return bake(source, recipe)


def some_places(level: LevelAsset, nav: Navigator, seed: int, count: int) -> list[tuple[int, int]]:
    """Some places at which somebody can stand, the same on every machine."""
    random = np.random.default_rng(seed)
    found: list[tuple[int, int]] = []
    while len(found) < count:
        x, y = random.integers((level.width, level.height)).tolist()
        try:
            nav._now.rows.row((x, y))
        except BlockedCellError:
            continue
        found.append((x, y))
    return found
