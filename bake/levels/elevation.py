"""Read the elevation of cells from a grayscale image."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bake.core.errors import LevelError
from bake.core.level import GraphLevel, Level
from bake.levels.reading.files import find_project_root, resolve_reference
from bake.levels.reading.limits import allowance
from bake.levels.reading.mistakes import refuse


@dataclass(frozen=True)
class ElevationImage:
    """A grayscale image with the elevation of each cell of a level."""

    image: str  #: path, relative to the folder of the recipe
    unit: float = 1.0  #: units of elevation per gray level, above 0
    zero: float = 0.0  #: elevation of black, in units


def raised(
    level: Level, elevation: ElevationImage, recipe: Path, memory_budget: int | None = None
) -> Level:
    """Return a level with the elevation of its cells read from an image.

    Args:
        level: a level of cells without elevation.
        elevation: the image, with a pixel for each cell and floors below one another.
        recipe: the file that names the image.
        memory_budget: the most bytes of memory for reading; None = 2 GiB.

    Raises:
        LevelError: the level is a graph or has an elevation of its own, or the image is missing,
            outside the folder of the recipe, not grayscale, or of another size.
    """
    # Pillow is costly to import, and few levels have such an image.
    from bake.levels.image import read_gray_values

    if isinstance(level, GraphLevel):
        raise LevelError(
            f"the recipe names the image {elevation.image!r} for the elevation of cells, but this "
            "level is a graph",
            file=level.source,
            expected="a level of cells",
            remedy="set z of each node, or name the image in [levels.NAME.elevation] alone",
        )
    if level.elevation is not None:
        raise LevelError(
            f"the level has an elevation of its own, and the recipe names the image "
            f"{elevation.image!r}",
            file=level.source,
            expected="one of them",
            remedy="remove elevation from one of them",
        )
    path = resolve_reference(
        recipe,
        elevation.image,
        root=find_project_root(recipe, recipe.parent),
        allow_outside=False,
        place=f"elevation of {level.name!r}",
        table="tiled",
    )
    with allowance(memory_budget):
        gray = read_gray_values(path)
    if gray.shape != level.terrain.shape:
        height, width = level.terrain.shape
        refuse(
            path,
            None,
            f"the image has {gray.shape[1]:,} x {gray.shape[0]:,} pixels",
            f"{width:,} x {height:,}, a pixel for each cell of {level.name!r}",
        )
    ground = gray.astype(np.float64) * elevation.unit + elevation.zero
    return replace(level, elevation=ground, depends_on=(*level.depends_on, path))
