"""Read how high the cells of a level lie from the grey values of an image."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bake.core.errors import LevelError
from bake.core.level import GraphLevel, Level
from bake.levels.reading.files import project_root, referred_file
from bake.levels.reading.limits import allowance
from bake.levels.reading.mistakes import refuse


@dataclass(frozen=True)
class ElevationImage:
    """An image whose grey values say how high the cells of a level lie."""

    image: str  #: its path, relative to the recipe's folder
    unit: float = 1.0  #: units that one step of grey rises, above 0
    zero: float = 0.0  #: how high black lies, in units


def raised(
    level: Level, elevation: ElevationImage, recipe: Path, memory_budget: int | None = None
) -> Level:
    """Return a level whose cells lie as high as an image says.

    Args:
        level: a level of cells whose own file says nothing of it.
        elevation: the image; it has a pixel for each cell, floors below one another.
        recipe: the file that names the image.
        memory_budget: bytes; bounds what reading may take. None = 2 GiB.

    Raises:
        LevelError: the level is a graph or says itself how high its cells lie, or the image is
            missing, outside the recipe's folder, no grey image, or of another size.
    """
    # Pillow is costly to import, and few levels have such an image.
    from bake.levels.image import read_greys

    if isinstance(level, GraphLevel):
        raise LevelError(
            f"the recipe gives the image {elevation.image!r} for how high cells lie, and this is "
            "a graph",
            file=level.source,
            expected="a level of cells",
            remedy="say z of each node, and elevation for single levels ([levels.NAME.elevation])",
        )
    if level.elevation is not None:
        raise LevelError(
            f"the level says itself how high its cells lie, and the recipe gives the image "
            f"{elevation.image!r}, too",
            file=level.source,
            expected="one of them",
            remedy="leave elevation out of one",
        )
    path = referred_file(
        recipe,
        elevation.image,
        root=project_root(recipe, recipe.parent),
        allow_outside=False,
        place=f"elevation of {level.name!r}",
        table="tiled",
    )
    with allowance(memory_budget):
        grey = read_greys(path)
    if grey.shape != level.terrain.shape:
        height, width = level.terrain.shape
        refuse(
            path,
            None,
            f"the image has {grey.shape[1]:,} x {grey.shape[0]:,} pixels",
            f"{width:,} x {height:,}, a pixel for each cell of {level.name!r}",
        )
    ground = grey.astype(np.float64) * elevation.unit + elevation.zero
    return replace(level, elevation=ground, depends_on=(*level.depends_on, path))
