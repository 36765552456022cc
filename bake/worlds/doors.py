"""Doors: the level in the state it is baked in, and what its cells are in the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bake.arrays import BoolArray, Int32Array, UInt8Array
from bake.level import GridLevel


@dataclass(frozen=True)
class DoorStates:
    """A door with the terrain of every cell in every state.

    Attributes:
        name: unique among the level's doors.
        cells: (k, 2) int32 (x, y).
        states: names, at least two.
        state: place in ``states`` of the one the level is baked in.
        terrain: (states, k) uint8, index into the level's terrains.
    """

    name: str
    cells: Int32Array
    states: tuple[str, ...]
    state: int
    terrain: UInt8Array


def settled(level: GridLevel) -> tuple[GridLevel, tuple[DoorStates, ...]]:
    """The level with every door in its stated state, and all states in full.

    Args:
        level: its doors share no cell, and its terrains name those of every state.
    """
    if not level.things.doors:
        return level, ()
    number = {name: code for code, name in enumerate(level.terrains)}
    terrain = level.terrain.copy()
    doors = []
    for door in level.things.doors:
        x, y = door.cells[:, 0], door.cells[:, 1]
        drawn = level.terrain[y, x]
        each = [
            drawn if name is None else np.full(len(drawn), number[name], dtype=np.uint8)
            for _, name in door.states
        ]
        names = tuple(state for state, _ in door.states)
        state = names.index(door.state)
        doors.append(DoorStates(door.name, door.cells, names, state, np.stack(each)))
        terrain[y, x] = each[state]
    return replace(level, terrain=terrain), tuple(doors)


def door_mask(doors: tuple[DoorStates, ...], shape: tuple[int, ...]) -> BoolArray:
    """(height, width) bool, cells of doors."""
    mask = np.zeros(shape, dtype=np.bool_)
    for door in doors:
        mask[door.cells[:, 1], door.cells[:, 0]] = True
    return mask


def opens_to(
    doors: tuple[DoorStates, ...],
    terrain: UInt8Array,
    open_terrain: BoolArray,
) -> BoolArray:
    """(height, width) bool, cells that are open in some state of their door.

    Args:
        doors: of the level.
        terrain: (height, width) uint8, in the state it is baked in.
        open_terrain: (terrain) bool, what someone can stand on.
    """
    found = np.asarray(open_terrain[terrain])
    for door in doors:
        found[door.cells[:, 1], door.cells[:, 0]] |= open_terrain[door.terrain].any(axis=0)
    return found
