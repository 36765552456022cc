"""Price steps and arcs, in units and in ticks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt16Array
from bake.graph import BLOCKED, MAX_WEIGHT
from bake.movement.footprints import Footprints
from bake.movement.lattice import DIAGONAL, FLANKS, Lattice, Steps
from bake.movement.rules import CostRule, MovementRules
from levelbake.errors import BakeError


class Prices(NamedTuple):
    """What steps or arcs cost one profile.

    Attributes:
        usable: bool, True where the profile may take the step or arc.
        units: float64, what each would cost in units; NaN where the profile does not fit.
    """

    usable: BoolArray
    units: Float64Array


def unit_cost(before: Float64Array, after: Float64Array, cost_rule: CostRule) -> Float64Array:
    """Return the cost of each unit of length from the costs of the cells at both ends."""
    return (before + after) / 2 if cost_rule == "mean" else after


def price_steps(footprints: Footprints, rules: MovementRules, steps: Steps) -> Prices:
    """Price the (k, s) steps of a lattice.

    A straight step costs the mean of both cells' costs (or the cost of the cell entered) times its
    length, and what rise or fall of the ground adds. A diagonal step also needs free flanks. A
    flank is free where the profile could walk round the corner through it.
    """
    lattice = footprints.lattice
    assert lattice is not None
    if lattice.headings is not None:
        return _price_along(footprints, rules, lattice, steps)
    tail, head, inside = steps
    before = np.broadcast_to(footprints.cost_at(tail)[:, None], head.shape)
    after = footprints.cost_at(head)
    usable = open_steps(footprints, rules, steps, inside & ~np.isnan(before + after))
    units = unit_cost(before, after, rules.cost_rule) * lattice.length
    if footprints.pays_for_slopes:
        row, slot = np.nonzero(usable)
        units[row, slot] += footprints.slope_units(tail[row], head[row, slot])
    return Prices(usable, units)


def open_steps(
    footprints: Footprints, rules: MovementRules, steps: Steps, fits: BoolArray
) -> BoolArray:
    """Return (k, s) bool, True where the profile may take a step of a lattice without headings.

    Args:
        footprints, rules: the profile, and the rules of corners.
        steps: the steps; their heads are looked at only where terrain or ledges forbid some.
        fits: (k, s) bool, True where the profile fits at both ends; this array is changed.
    """
    lattice = footprints.lattice
    assert lattice is not None
    if not footprints.makes_every_step:
        row, slot = np.nonzero(fits)
        fine = footprints.may_step(steps.tail[row], steps.head[row, slot], lattice.heading[slot])
        fits[row, slot] = fine
    if lattice.has_diagonals and rules.corner_cutting != "always":
        free = [_walks_round(footprints, steps, fits, flank) for flank in FLANKS]
        both = rules.corner_cutting == "never"
        fits[:, DIAGONAL] &= free[0] & free[1] if both else free[0] | free[1]
    return fits


def _price_along(
    footprints: Footprints, rules: MovementRules, lattice: Lattice, steps: Steps
) -> Prices:
    """Price steps along headings as those of the plain lattice, and turns by what they cost."""
    every = price_steps(footprints.on(lattice.plain), rules, lattice.plain.steps_from(steps.tail))
    at, slot = np.arange(len(steps.tail)), lattice.slot_along(steps.tail)
    units = np.full(steps.head.shape, footprints.mover.turn)
    units[:, 0] = every.units[at, slot]
    stands = ~np.isnan(footprints.cost_at(steps.tail))
    usable = stands[:, None] & ~np.isnan(footprints.cost_at(steps.head))
    usable[:, 0] = every.usable[at, slot]
    return Prices(usable, units)


def _walks_round(
    footprints: Footprints, steps: Steps, usable: BoolArray, flank_slot: list[int]
) -> BoolArray:
    """Return (k, 4) bool, True where the profile could walk by one flank of each diagonal step.

    Args:
        usable: (k, 8) bool, steps the profile may take if corners are disregarded.
        flank_slot: for each diagonal step, the slot of the straight step to the flank.
    """
    free = usable[:, flank_slot] & usable[:, DIAGONAL]
    lattice = footprints.lattice
    assert lattice is not None
    if footprints.makes_every_step:
        return free
    row, corner = np.nonzero(free)
    flank, head = steps.head[:, flank_slot][row, corner], steps.head[:, DIAGONAL][row, corner]
    whole = lattice.heading[DIAGONAL][corner]
    fine = footprints.may_step(flank, head, whole & ~lattice.heading[flank_slot][corner])
    if lattice.barred is not None:
        # A ledge of the flank that bars any part of the diagonal step is a wall beside it.
        fine &= (lattice.barred[flank] & whole) == 0
    free[row, corner] = fine
    return free


def price_arcs(
    footprints: Footprints,
    rules: MovementRules,
    tail: Int64Array,
    head: Int64Array,
    length: Float64Array,
    open_link: BoolArray | None,
) -> Prices:
    """Price (k) arcs of a graph level, or links.

    An arc costs the mean of both nodes' costs (or the cost of the node entered) times its length,
    and what rise or fall add. A link costs what it says on any terrain and slope, and leads between
    cells where the profile fits.

    Args:
        tail, head: (k) int64 nodes, or cells.
        length: (k) float64 units; for a link its whole cost.
        open_link: (k) bool, True where a link is for the profile; None = these arcs are not links.
    """
    before, after = footprints.cost_at(tail), footprints.cost_at(head)
    usable = ~np.isnan(before + after)
    if open_link is not None:
        return Prices(usable & open_link, length)
    if not footprints.makes_every_step:
        at = np.flatnonzero(usable)
        usable[at] = footprints.may_step(tail[at], head[at], np.zeros(len(at), dtype=np.uint8))
    units = unit_cost(before, after, rules.cost_rule) * length
    if footprints.pays_for_slopes:
        units += footprints.slope_units(tail, head)
    return Prices(usable, units)


def to_ticks(
    prices: Prices, ticks_per_unit: int, off_the_scale: Callable[[int, float], BakeError]
) -> Int32Array:
    """Return int32 weights in ticks, BLOCKED where an arc may not be used.

    Args:
        prices: the prices of steps or arcs.
        ticks_per_unit: the scale.
        off_the_scale: returns the error for a usable arc, given its flat index and its ticks, which
            are fewer than 1 or more than MAX_WEIGHT.
    """
    ticks = np.rint(prices.units * ticks_per_unit)
    fits = (ticks >= 1) & (ticks <= MAX_WEIGHT)
    wrong = np.flatnonzero(prices.usable & ~fits)
    if len(wrong):
        raise off_the_scale(int(wrong[0]), float(ticks.reshape(-1)[wrong[0]]))
    return np.where(prices.usable, ticks, BLOCKED).astype(np.int32)


#: The class of terrain on which a profile cannot stand.
NO_CLASS = np.iinfo(np.uint16).max


def cost_classes(cost: Float64Array) -> tuple[Float64Array, UInt16Array]:
    """Return a profile's different costs, ascending, and (terrains) uint16 which each one has.

    Args:
        cost: (terrains) float64 units, NaN where the profile cannot stand: NO_CLASS.
    """
    costs = np.unique(cost[~np.isnan(cost)])
    classes = np.searchsorted(costs, cost).astype(np.uint16)
    classes[np.isnan(cost)] = NO_CLASS
    return costs, classes


def step_ticks(costs: Float64Array, rules: MovementRules) -> Int32Array:
    """Return (2, classes, classes) int32, the price of a step by its length and both its ends.

    The products are made in the order in which :func:`price_steps` makes them, so that they are
    rounded alike.
    """
    units = unit_cost(
        np.broadcast_to(costs[:, None], (len(costs), len(costs))),
        np.broadcast_to(costs, (len(costs), len(costs))),
        rules.cost_rule,
    )
    return ticks_of(units * np.array([1.0, np.sqrt(2.0)])[:, None, None], rules.ticks_per_unit)


def ticks_of(units: Float64Array, ticks_per_unit: int) -> Int32Array:
    """Return prices in ticks, BLOCKED where an arc may not cost this."""
    ticks: Int64Array = np.rint(np.minimum(units, 2.0**31) * ticks_per_unit)
    return np.where((ticks >= 1) & (ticks <= MAX_WEIGHT), ticks, BLOCKED).astype(np.int32)
