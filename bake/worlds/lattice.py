"""Large levels of cells as step masks and step costs, without listing any arcs.

One byte per cell encodes the steps that each profile may take from it, and a table holds the cost
of a step. Both come from ``bake.core.movement``, which prices the cells of a strip at a time; the
arcs of a strip are then discarded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.core.graph import BLOCKED
from bake.core.level import GridLevel
from bake.core.movement import footprints, step_ticks
from bake.worlds.doors import DoorStates, settled, standable
from bake.worlds.world import (
    AgentProfile,
    cells_of,
    check_sizes,
    check_terrains,
    in_ticks,
    no_standing_error,
    step_onto,
)
from levelbake.steps import (
    Connectivity,
    Footprints,
    Lattice,
    MovementRules,
    Mover,
    price_steps,
)

#: Cells whose steps are priced at a time, so that temporary arrays stay in the cache.
# limit: the work is done in parts; lowered by cell_bakes
_CELLS = 2**13

#: Arcs of every node.
SLOTS = 8

#: More terrains than this leave no number for "nowhere".
# no limit: the number of no terrain
MOST_TERRAINS = 255


@dataclass(frozen=True)
class CellMetric:
    """The cost of moving on a lattice for one profile."""

    stands: BoolArray  #: (height, width) bool, True where it can stand
    steps: UInt8Array  #: (height, width) uint8, bit s is set where it may take the step of slot s
    #: (terrains, terrains, 2) int32, of a straight step and of a diagonal one from one terrain to
    #: another; BLOCKED if it can enter neither
    ticks: Int32Array
    #: (height, width) uint8, the most expensive terrain under its footprint; None if that is the
    #: cell's own
    dearest: UInt8Array | None


@dataclass(frozen=True)
class LatticeWorld:
    """A level of cells with implicit arcs; the counterpart of a World."""

    level: GridLevel  #: the level, with its doors in the state they are baked in
    lattice: Lattice  #: its cells
    #: as in a World
    connectivity: Connectivity
    rules: MovementRules
    movers: Mapping[str, Mover]
    doors: tuple[DoorStates, ...]
    #: (height, width) bool, cells where any profile can stand in some state of the doors
    is_node: BoolArray
    metrics: Mapping[str, CellMetric]  #: what moving costs each profile, by its name
    link: Int32Array | None = None  #: None, as such a level has no links

    @cached_property
    def node_count(self) -> int:
        return int(np.count_nonzero(self.is_node))

    @property
    def arc_count(self) -> int:
        """The number of arcs, including blocked ones."""
        return SLOTS * self.node_count


def build_lattice_world(
    level: GridLevel,
    profiles: Sequence[AgentProfile],
    rules: MovementRules,
    connectivity: Connectivity,
) -> LatticeWorld:
    """Compute the steps of a level without links, and their prices, for every profile.

    Raises:
        LevelError, CostError: as for :func:`bake.worlds.build_world`.
    """
    check_terrains(level, profiles)
    check_sizes(level, profiles)
    movers = {profile.name: profile.mover(level.terrains) for profile in profiles}
    level, doors = settled(level)
    lattice = cells_of(level, connectivity)
    is_node = standable(level, movers.values(), doors).reshape(level.terrain.shape)
    if not is_node.any():
        raise no_standing_error(level)
    metrics = {
        name: _cell_metric(level, lattice, name, mover, rules) for name, mover in movers.items()
    }
    return LatticeWorld(
        level, lattice, lattice.connectivity, rules, movers, doors, is_node, metrics
    )


def _cell_metric(
    level: GridLevel, lattice: Lattice, name: str, mover: Mover, rules: MovementRules
) -> CellMetric:
    terrain = level.terrain.reshape(-1)
    under = footprints(mover, terrain, lattice)
    stands = np.zeros(level.terrain.size, dtype=np.bool_)
    steps = np.zeros(level.terrain.size, dtype=np.uint8)
    dearest = None if mover.size == 1 else np.full(len(steps), MOST_TERRAINS, dtype=np.uint8)
    order = np.argsort(mover.cost)
    for first in range(0, len(steps), _CELLS):
        cells = np.arange(first, min(first + _CELLS, len(steps)))
        cost = under.cost_at(cells)
        stood = ~np.isnan(cost)
        stands[cells] = stood
        cells = cells[stood]
        if not len(cells):
            continue
        if dearest is not None:
            dearest[cells] = order[np.searchsorted(mover.cost, cost[stood], sorter=order)]
        steps[cells] = _steps_of(level, under, rules, name, cells)
    shape = level.terrain.shape
    return CellMetric(
        stands.reshape(shape),
        steps.reshape(shape),
        step_ticks(mover.cost, rules),
        None if dearest is None else dearest.reshape(shape),
    )


def _steps_of(
    level: GridLevel,
    footprints: Footprints,
    rules: MovementRules,
    profile: str,
    cells: Int64Array,
) -> UInt8Array:
    """Return (k) uint8, the steps that a profile may take from some cells on which it can stand."""
    assert footprints.lattice is not None
    steps = footprints.lattice.steps_from(cells)

    def describe_step(step: int) -> str:
        return step_onto(level, level.terrain.reshape(-1)[steps.head.reshape(-1)[step]])

    weight = in_ticks(price_steps(footprints, rules, steps), rules, profile, describe_step)
    step_bits = (weight != BLOCKED).astype(np.uint8) << np.arange(weight.shape[1], dtype=np.uint8)
    return np.asarray(np.bitwise_or.reduce(step_bits, axis=1), dtype=np.uint8)
