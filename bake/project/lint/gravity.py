"""This module tells whether a level looks like one of a platformer, seen from the side.

There agents fall, and what a level's terrain says does not suffice to know where they can go. No
single sign proves it, so signs are weighed. The solid ground has tops that are somewhat flatter
than its undersides and its walls, which weighs one, or far flatter, which weighs two; a level
without this sign looks like none. Names that hardly anything but a platformer uses weigh two.
Spawns and exits that all stand right above solid ground weigh one. Three are enough.
"""

from __future__ import annotations

import re

import numpy as np

from bake.core.arrays import BoolArray, Int64Array
from bake.core.level import GridLevel

_ENOUGH = 3
#: Parts of names of terrains, regions, doors and spots. Ladders and jumps are links elsewhere, too.
_WORDS = re.compile(r"platform|spike|ladder|jump_?thr|one_?way_?plat|semi_?solid|gravity", re.I)
#: There have to be this many tops, and undersides, to compare them, and tops over so many cells.
_FEWEST_RUNS = 6
_FEWEST_TOP_CELLS = 24
#: Where more of the places lie right above solid ground, standing there is nothing special.
_LARGEST_SHARE_ABOVE = 0.4


def looks_like_platformer(level: GridLevel, passable: BoolArray) -> bool:
    """Tell whether a level looks as if agents fell in it.

    Args:
        level: of square cells.
        passable: (height, width), whether somebody can be in a cell.
    """
    if level.hex_layout is not None:
        return False
    if level.floor_height is not None and level.floor_height < level.height:
        return False  # Floors are seen from above.
    shape = _shape(~passable)
    things = level.things
    names = [*level.terrains, *(spot.kind for spot in things.spots)]
    names += [region.name for region in things.regions] + [door.name for door in things.doors]
    named = 2 if any(_WORDS.search(name) for name in names) else 0
    return shape > 0 and shape + named + _spots(level, passable) >= _ENOUGH


def _shape(solid: BoolArray) -> int:
    """Return how much the lengths of tops, undersides and walls tell."""
    tops = _runs(~solid[:-1] & solid[1:])
    undersides = _runs(solid[:-1] & ~solid[1:])
    left, right = solid[:, 1:] & ~solid[:, :-1], solid[:, :-1] & ~solid[:, 1:]
    walls = np.concatenate([_runs(left.T), _runs(right.T)])
    if min(len(tops), len(undersides)) < _FEWEST_RUNS or tops.sum() < _FEWEST_TOP_CELLS:
        return 0
    top, under = float(tops.mean()), float(undersides.mean())
    wall = float(walls.mean()) if len(walls) else 0.0
    error = np.sqrt(tops.var() / len(tops) + undersides.var() / len(undersides))
    if top >= max(3.0, 1.3 * under, 1.4 * wall) and top - under >= 2 * error:
        return 2
    return 1 if top >= max(1.15 * under, 1.2 * wall) else 0


def _runs(edge: BoolArray) -> Int64Array:
    """Return how long each run along a row is, without the longest, which may be the map's edge."""
    steps = np.diff(np.pad(edge, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    begin, end = np.nonzero(steps == 1)[1], np.nonzero(steps == -1)[1]
    found: Int64Array = np.sort(end - begin)[:-1]
    return found


def _spots(level: GridLevel, passable: BoolArray) -> int:
    """Return 1 where all spawns and exits stand on solid ground, which few places do."""
    above = passable[:-1] & ~passable[1:]
    cells = {spot.cell for spot in level.things.spots if spot.kind in ("spawn", "exit")}
    standing = [y < len(above) and bool(above[y, x]) for x, y in cells]
    usual = above.sum() < _LARGEST_SHARE_ABOVE * passable.sum()
    return int(bool(standing) and all(standing) and bool(usual))
