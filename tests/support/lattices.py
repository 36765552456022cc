"""Small levels baked as large lattices are: no arc is listed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from bake.pipeline import lattice
from bake.recipe import LevelRecipe
from tests.support.baked import bake


@contextmanager
def on_cells() -> Iterator[None]:
    """Take every level that may be a large lattice for one, however small it is."""
    with patch.object(lattice, "LEAST_NODES", 0):
        yield


def bake_on_cells(source: Path, recipe: LevelRecipe) -> Path:
    """Bake a level beside its source without listing its arcs, however small it is."""
    with on_cells():
        return bake(source, recipe)
