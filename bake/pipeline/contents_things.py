"""Links, regions, spots and doors as the columns an asset has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array
from bake.asset.write import Contents, Scalar
from bake.level import GridLevel, Link, Region, Spot
from bake.pipeline.text_columns import texts
from bake.worlds import AgentProfile, DoorStates, World, link_cost

Columns = dict[str, npt.NDArray[np.generic]]


def things_contents(world: World, profiles: Sequence[AgentProfile]) -> Contents:
    """What an asset says of a level's things, its floors and its agents' sizes."""
    attributes: dict[tuple[str, str], Scalar] = {
        (f"/profiles/{profile.name}", "size"): profile.size
        for profile in profiles
        if profile.size != 1
    }
    columns: Columns = {}
    level = world.level
    if isinstance(level, GridLevel):
        if level.floor_height is not None and level.floor_height < level.height:
            attributes["/", "floor_height"] = level.floor_height
        things = level.things
        if things.links:
            columns |= _links(things.links, level.floor_height)
        if things.regions:
            columns |= _regions(things.regions)
        if things.spots:
            columns |= _spots(things.spots)
        if world.doors:
            columns |= _doors(world.doors)
    if world.link is not None:
        columns["/world/link"] = world.link
    return Contents(attributes, columns)


def _links(links: Sequence[Link], floor_height: int | None) -> Columns:
    return {
        "/links/name": texts([link.name for link in links]),
        "/links/kind": texts([link.kind for link in links]),
        "/links/start": np.array([link.start for link in links], dtype=np.int32),
        "/links/goal": np.array([link.goal for link in links], dtype=np.int32),
        "/links/cost": np.array([link_cost(link, floor_height) for link in links]),
        "/links/both_ways": np.array([link.both_ways for link in links], dtype=np.uint8),
        **_for_profiles("links", [link.profiles for link in links]),
    }


def _regions(regions: Sequence[Region]) -> Columns:
    return {
        "/regions/name": texts([region.name for region in regions]),
        "/regions/first_cell": _first([len(region.cells) for region in regions]),
        "/regions/cell": np.concatenate([region.cells for region in regions]),
    }


def _spots(spots: Sequence[Spot]) -> Columns:
    return {
        "/spots/name": texts([spot.name for spot in spots]),
        "/spots/kind": texts([spot.kind for spot in spots]),
        "/spots/cell": np.array([spot.cell for spot in spots], dtype=np.int32),
        **_for_profiles("spots", [spot.profiles for spot in spots]),
    }


def _doors(doors: Sequence[DoorStates]) -> Columns:
    first_state = _first([len(door.states) for door in doors])
    baked = np.array([door.state for door in doors], dtype=np.int32)
    return {
        "/doors/name": texts([door.name for door in doors]),
        "/doors/first_cell": _first([len(door.cells) for door in doors]),
        "/doors/cell": np.concatenate([door.cells for door in doors]),
        "/doors/first_state": first_state,
        "/doors/state_name": texts([state for door in doors for state in door.states]),
        "/doors/state": first_state[:-1] + baked,
        "/doors/terrain": np.concatenate([door.terrain.ravel() for door in doors]),
    }


def _for_profiles(group: str, profiles: Sequence[tuple[str, ...] | None]) -> Columns:
    named = [each or () for each in profiles]
    return {
        f"/{group}/first_profile": _first([len(names) for names in named]),
        f"/{group}/profile": texts([name for names in named for name in names]),
    }


def _first(counts: Sequence[int]) -> Int32Array:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
