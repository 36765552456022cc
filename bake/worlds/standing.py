"""Where agents of any size can stand, and which steps their footprints make.

A footprint of k x k cells is where its north-west cell is. It fits where every cell is passable,
which is the clearance map of D. Harabor and A. Botea, "Hierarchical Path Planning for Multi-Size
Agents in Heterogeneous Environments" (CIG 2008), cut at k. A straight step sweeps the two
footprints; a diagonal one sweeps all (k + 1) x (k + 1) cells around both, which are those of the
two footprints and of the two it passes between: corner rules hold for anchors as for single cells.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.errors import LevelError
from bake.footprint import under_footprint
from bake.level import GridLevel, Level
from bake.metric import AgentProfile, Ground, may_enter, terrain_cost
from bake.worlds.doors import DoorStates, door_mask, opens_to
from bake.worlds.lattice import SQUARE_8, heading


def check_sizes(level: Level, profiles: Sequence[AgentProfile]) -> None:
    """Refuse footprints of several cells where there are no squares.

    Raises:
        LevelError: on hexagonal and graph levels.
    """
    square = isinstance(level, GridLevel) and level.hex_layout is None
    for profile in profiles:
        if profile.size > 1 and not square:
            raise LevelError(
                f"profile {profile.name!r} has size {profile.size}",
                file=level.source,
                expected="size 1, as larger footprints need square cells",
                remedy=f"give the level profiles of its own in [levels.{level.name}.profiles]",
            )


def standable(
    level: GridLevel, profiles: Sequence[AgentProfile], doors: tuple[DoorStates, ...]
) -> BoolArray:
    """(height, width) bool, cells where some profile can stand in some state of the doors."""
    found = np.zeros(level.terrain.shape, dtype=np.bool_)
    for profile in profiles:
        open_terrain = ~np.isnan(terrain_cost(level.terrains, profile))
        found |= _fits(level, profile.size, opens_to(doors, level.terrain, open_terrain))
    return found


def _fits(level: GridLevel, size: int, passable: BoolArray) -> BoolArray:
    return under_footprint(passable, size, np.logical_and, False, level.floor_height)


def door_nodes(
    level: GridLevel,
    profiles: Sequence[AgentProfile],
    doors: tuple[DoorStates, ...],
    cell: Int32Array,
) -> BoolArray | None:
    """(n) bool, nodes whose footprint covers a cell of a door; None where there are no doors."""
    if not doors:
        return None
    largest = max(profile.size for profile in profiles)
    mask = door_mask(doors, level.terrain.shape)
    near = under_footprint(mask, largest, np.logical_or, False, level.floor_height)
    return np.asarray(near[cell[:, 1], cell[:, 0]])


def ground_under(level: Level, profile: AgentProfile, cell: Int32Array | None) -> Ground | None:
    """What a profile's footprint stands on; None for one of a single cell.

    Args:
        level: with its doors settled.
        profile: whose size.
        cell: (n, 2) int32 (x, y) of each node.
    """
    if profile.size == 1 or cell is None or not isinstance(level, GridLevel):
        return None
    cost = terrain_cost(level.terrains, profile)[level.terrain]
    # The dearest cell slows the whole agent; NaN, where it cannot stand, wins over any number.
    dearest = under_footprint(cost, profile.size, np.maximum, np.nan, level.floor_height)
    x, y = cell[:, 0], cell[:, 1]
    grids = _hindered_steps(level, profile)
    if grids is None:
        return Ground(dearest[y, x], None)

    def hindered(a: Int32Array, b: Int32Array) -> BoolArray:
        step = cell[b] - cell[a]
        # Links lead anywhere; they are judged by themselves.
        near = (np.abs(step) <= 1).all(axis=1)
        found = np.zeros(len(a), dtype=np.bool_)
        at = a[near]
        found[near] = grids[step[near, 1] + 1, step[near, 0] + 1, y[at], x[at]]
        return found

    return Ground(dearest[y, x], hindered)


def _hindered_steps(level: GridLevel, profile: AgentProfile) -> BoolArray | None:
    """(3, 3, height, width) bool by dy + 1, dx + 1: whether some cell of a footprint anchored there
    may not make the step. None where every step is fine.
    """
    allowed = may_enter(level.terrains, profile)
    if allowed.all() and level.barred is None:
        return None
    height, width = level.terrain.shape
    found = np.zeros((3, 3, height, width), dtype=np.bool_)
    for dx, dy in SQUARE_8:
        here = (slice(max(0, -dy), height - max(0, dy)), slice(max(0, -dx), width - max(0, dx)))
        there = (slice(max(0, dy), height + min(0, dy)), slice(max(0, dx), width + min(0, dx)))
        single = np.zeros((height, width), dtype=np.bool_)
        single[here] = ~allowed[level.terrain[here], level.terrain[there]]
        if level.barred is not None:
            bars = (level.barred[here] | level.barred[there]) & heading((dx, dy))
            single[here] |= bars != 0
        found[dy + 1, dx + 1] = under_footprint(
            single, profile.size, np.logical_or, False, level.floor_height
        )
    return found
