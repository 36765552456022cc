"""What updates need to know of a level, as the columns an asset has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bake.asset.schema import profile_path
from bake.asset.write import Contents
from bake.level import GridLevel
from bake.worlds import AgentProfile, World


def update_contents(world: World, profiles: Sequence[AgentProfile]) -> Contents:
    """Rules of movement that weights alone do not tell."""
    columns: dict[str, npt.NDArray[np.generic]] = {}
    if isinstance(world.level, GridLevel) and world.level.barred is not None:
        columns["/terrain/barred"] = world.level.barred
    for profile in profiles:
        allowed = profile.mover(world.level.terrains).allowed
        if not allowed.all():
            columns[profile_path(profile.name, "may_enter")] = allowed.astype(np.uint8)
    return Contents({}, columns)
