"""Profiles that move alike: searched once, and written for each."""

from __future__ import annotations

from collections.abc import Sequence

from bake.asset.schema import profile_path
from bake.asset.write import Contents
from bake.worlds import AgentProfile, World


def first_alike(world: World) -> dict[str, str]:
    """For each profile the first one that pays the same for every arc and stands where it does."""
    first: dict[tuple[bytes, bytes], str] = {}
    return {
        name: first.setdefault((metric.weight.tobytes(), metric.passable.tobytes()), name)
        for name, metric in world.metrics.items()
    }


def as_another(
    parts: Sequence[Contents], twin: str, profile: AgentProfile, world: World
) -> list[Contents]:
    """What was found for one profile, as that of another that moves alike; costs are its own."""
    old, new = f"/profiles/{twin}", f"/profiles/{profile.name}"

    def renamed(path: str) -> str:
        mine = path == old or path.startswith(f"{old}/")
        return new + path.removeprefix(old) if mine else path

    cost = profile_path(profile.name, "cost")
    found = []
    for part in parts:
        columns = {renamed(path): array for path, array in part.columns.items()}
        if cost in columns:
            columns[cost] = profile.mover(world.level.terrains).cost
        attributes = {
            (renamed(group), name): value for (group, name), value in part.attributes.items()
        }
        found.append(Contents(attributes, columns))
    return found
