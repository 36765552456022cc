"""Detect levels of platformers, which are seen from the side.

In a platformer agents fall, so terrain alone does not determine where they can go. No single sign
is certain, so signs are added up. If the tops of solid ground are somewhat flatter than its
undersides and walls, the level scores one point, or two if they are far flatter; this sign is
required. Names that are typical of platformers score two. Spawns and exits that all stand directly
on solid ground score one. Three points are enough.
"""

from __future__ import annotations

import re

import numpy as np

from bake.core.arrays import BoolArray, Int64Array
from bake.core.level import GridLevel

_ENOUGH = 3
#: Parts of names of terrains, regions, doors and spots that are typical of platformers.
_WORDS = re.compile(r"platform|spike|ladder|jump_?thr|one_?way_?plat|semi_?solid|gravity", re.I)
#: The fewest tops and undersides, and the fewest cells of tops, for a comparison.
_FEWEST_RUNS = 6
_FEWEST_TOP_CELLS = 24
#: If a larger share of cells lies directly above solid ground, the position of spots is no sign.
_LARGEST_SHARE_ABOVE = 0.4


def looks_like_platformer(level: GridLevel, passable: BoolArray) -> bool:
    """Return whether a level looks like a level of a platformer.

    Args:
        level: a level of square cells.
        passable: (height, width) bool, cells that some agent can enter.
    """
    if level.hex_layout is not None:
        return False
    if level.floor_height is not None and level.floor_height < level.height:
        return False  # Floors are seen from above.
    shape = _score_tops(~passable)
    things = level.things
    names = [*level.terrains, *(spot.kind for spot in things.spots)]
    names += [region.name for region in things.regions] + [door.name for door in things.doors]
    named = 2 if any(_WORDS.search(name) for name in names) else 0
    return shape > 0 and shape + named + _score_spots(level, passable) >= _ENOUGH


def _score_tops(solid: BoolArray) -> int:
    """Return the points for flat tops, 0 to 2, from the lengths of tops, undersides and walls."""
    tops = _run_lengths(~solid[:-1] & solid[1:])
    undersides = _run_lengths(solid[:-1] & ~solid[1:])
    left, right = solid[:, 1:] & ~solid[:, :-1], solid[:, :-1] & ~solid[:, 1:]
    walls = np.concatenate([_run_lengths(left.T), _run_lengths(right.T)])
    if min(len(tops), len(undersides)) < _FEWEST_RUNS or tops.sum() < _FEWEST_TOP_CELLS:
        return 0
    top, under = float(tops.mean()), float(undersides.mean())
    wall = float(walls.mean()) if len(walls) else 0.0
    error = np.sqrt(tops.var() / len(tops) + undersides.var() / len(undersides))
    if top >= max(3.0, 1.3 * under, 1.4 * wall) and top - under >= 2 * error:
        return 2
    return 1 if top >= max(1.15 * under, 1.2 * wall) else 0


def _run_lengths(edge: BoolArray) -> Int64Array:
    """Return the sorted lengths of runs along rows, without the longest, often the map edge."""
    steps = np.diff(np.pad(edge, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    begin, end = np.nonzero(steps == 1)[1], np.nonzero(steps == -1)[1]
    lengths: Int64Array = np.sort(end - begin)[:-1]
    return lengths


def _score_spots(level: GridLevel, passable: BoolArray) -> int:
    """Return 1 if all spawns and exits stand on solid ground, unlike most cells, else 0."""
    above = passable[:-1] & ~passable[1:]
    cells = {spot.cell for spot in level.things.spots if spot.kind in ("spawn", "exit")}
    standing = [y < len(above) and bool(above[y, x]) for x, y in cells]
    usual = above.sum() < _LARGEST_SHARE_ABOVE * passable.sum()
    return int(bool(standing) and all(standing) and bool(usual))
