"""Set doors to their baked state, and find the nodes and arcs that other states need."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, UInt8Array
from bake.core.level import GridLevel
from bake.core.movement import under_footprint
from levelbake.steps import DIAGONAL, FLANKS, Lattice, Mover, Steps


@dataclass(frozen=True)
class DoorStates:
    """A door with the terrain of every cell in every state."""

    name: str  #: unique among the level's doors
    cells: Int32Array  #: (k, 2) int32 (x, y)
    states: tuple[str, ...]  #: names, at least two
    state: int  #: index into ``states`` of the one the level is baked in; -1 = none of them
    terrain: UInt8Array  #: (states, k) uint8, index into the level's terrains
    id: str | None = None  #: of the object or entity it was drawn as; None where it has none


def settled(level: GridLevel) -> tuple[GridLevel, tuple[DoorStates, ...]]:
    """Return the level with doors in their baked states, and their terrain in every state.

    Args:
        level: a level whose doors share no cell, and whose terrains include those of all states.
    """
    if not level.things.doors:
        return level, ()
    number = {name: code for code, name in enumerate(level.terrains)}
    terrain = level.terrain.copy()
    doors = []
    for door in level.things.doors:
        x, y = door.cells[:, 0], door.cells[:, 1]
        drawn = level.terrain[y, x]
        terrain_by_state = [
            drawn if name is None else np.full(len(drawn), number[name], dtype=np.uint8)
            for _, name in door.states
        ]
        names = tuple(state for state, _ in door.states)
        state = -1 if door.state is None else names.index(door.state)
        doors.append(
            DoorStates(door.name, door.cells, names, state, np.stack(terrain_by_state), door.id)
        )
        terrain[y, x] = (
            [number[name] for name in door.now] if state < 0 else terrain_by_state[state]
        )
    return replace(level, terrain=terrain), tuple(doors)


def standable(
    level: GridLevel, movers: Collection[Mover], doors: tuple[DoorStates, ...]
) -> BoolArray:
    """Return (cells) bool, True where any profile can stand in some state of the doors.

    Args:
        level: a level with its doors in their baked states.
        movers: the profiles.
        doors: all states of the level's doors.
    """
    if not doors and all(mover.size == 1 for mover in movers):
        blocked = np.isnan([mover.cost for mover in movers])
        return np.asarray(~blocked.all(axis=0))[level.terrain].reshape(-1)
    result = np.zeros(level.terrain.shape, dtype=np.bool_)
    for mover in movers:
        passable = ~np.isnan(mover.cost)
        open_cells = passable[level.terrain]
        for door in doors:
            x, y = door.cells[:, 0], door.cells[:, 1]
            open_cells[y, x] |= passable[door.terrain].any(axis=0)
        result |= under_footprint(open_cells, mover.size, np.logical_and, False, level.floor_height)
    return result.reshape(-1)


def near_doors(level: GridLevel, doors: tuple[DoorStates, ...], size: int) -> BoolArray | None:
    """Return (cells) bool, True if a footprint covers a cell of a door; None without doors."""
    if not doors:
        return None
    mask = np.zeros(level.terrain.shape, dtype=np.bool_)
    for door in doors:
        mask[door.cells[:, 1], door.cells[:, 0]] = True
    return under_footprint(mask, size, np.logical_or, False, level.floor_height).reshape(-1)


def steps_at_doors(
    lattice: Lattice, steps: Steps, is_node: BoolArray, near_door: BoolArray
) -> BoolArray:
    """Return (k, s) bool, True for steps of nodes that leave, enter or pass cells near a door.

    Args:
        lattice, steps: the steps out of some nodes.
        is_node: (cells) bool, True if a cell is a node.
        near_door: (cells) bool, from :func:`near_doors`.
    """
    if lattice.headings is not None:
        return _headed_steps_at_doors(lattice, steps, is_node, near_door)
    tail, head, inside = steps
    result = near_door[tail][:, None] | near_door[head]
    barred = lattice.barred
    if lattice.has_diagonals:
        for slots in FLANKS:
            flank = head[:, slots]
            passes = inside[:, slots] & is_node[flank] & near_door[flank]
            if barred is not None:
                passes &= (barred[flank] & lattice.heading[DIAGONAL]) == 0
            result[:, DIAGONAL] |= passes
    if barred is not None:
        result &= ((barred[tail][:, None] | barred[head]) & lattice.heading) == 0
    return np.asarray(result & inside & is_node[head])


def _headed_steps_at_doors(
    lattice: Lattice, steps: Steps, is_node: BoolArray, near_door: BoolArray
) -> BoolArray:
    """Return (k, 3) bool, the same for steps along headings and for turns."""
    every = steps_at_doors(lattice.plain, lattice.plain.steps_from(steps.tail), is_node, near_door)
    result = near_door[steps.tail][:, None] | near_door[steps.head]
    result[:, 0] = every[np.arange(len(steps.tail)), lattice.slot_along(steps.tail)]
    return np.asarray(result & steps.inside & is_node[steps.head])
