"""Expand a level into one floor for each heading of an agent.

A heading is a floor of the lattice: a step follows it, and a turn leads to the same cell of the
next heading or the previous one. Everything else about a level is independent of the heading.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from bake.core.arrays import AnyArray, Int32Array
from bake.core.errors import LevelError
from bake.core.level import MAX_CELLS, GraphLevel, GridLevel, Level, Things
from levelbake.steps import Headings, in_rows


def headed(level: Level, headings: Headings) -> GridLevel:
    """Return a level whose floors are the headings of a level of one floor.

    Regions and doors extend to all headings of their cells. Spots stay in heading 0.

    Raises:
        LevelError: the level is a graph, or has several floors, links, or an odd number of rows of
            hexagons; the number of headings is not that of a cell's neighbors; or the level is too
            large.
    """

    def error(found: str, expected: str, remedy: str | None = None) -> LevelError:
        return LevelError(found, file=level.source, expected=expected, remedy=remedy)

    if isinstance(level, GraphLevel):
        remedy = "add a node for each direction to the graph itself"
        raise error("the recipe gives headings, and this is a graph", "a level of cells", remedy)
    allowed = (6,) if level.hex_layout else (4, 8)
    if headings not in allowed:
        kind = "hexagons" if level.hex_layout else "squares"
        expected = f"{' or '.join(map(str, allowed))} on {kind}"
        raise error(f"the recipe gives {headings} headings", expected)
    if level.floor_height is not None and level.floor_height < level.height:
        floors = level.height // level.floor_height
        raise error(f"the recipe gives headings, and the level has {floors} floors", "one floor")
    if level.things.links:
        name = level.things.links[0].name
        remedy = "bake it without headings"
        found = f"the recipe gives headings, and the level has links, such as {name!r}"
        raise error(found, "a level without links", remedy)
    if level.hex_layout is not None and in_rows(level.hex_layout) and level.height % 2:
        # Every other row is shifted, and the floors of the headings are stored below one another.
        found = f"the recipe gives headings, and the level has {level.height:,} rows of hexagons"
        raise error(found, "an even number of rows", "add a row")
    if headings * level.terrain.size > MAX_CELLS:
        found = f"{headings} headings of {level.terrain.size:,} cells"
        raise error(found, f"at most {MAX_CELLS:,} in all", "split the level")

    def copy_to_all(cells: Int32Array) -> Int32Array:
        down = np.arange(headings, dtype=np.int32) * np.int32(level.height)
        every = np.tile(cells, (headings, 1))
        every[:, 1] += np.repeat(down, len(cells))
        return every

    def stack(grid: AnyArray | None) -> AnyArray | None:
        return None if grid is None else np.tile(grid, (headings, 1))

    things = level.things
    return replace(
        level,
        terrain=cast("AnyArray", stack(level.terrain)),
        barred=stack(level.barred),
        elevation=stack(level.elevation),
        floor_height=level.height,
        headings=headings,
        rules=replace(level.rules, connectivity=headings),
        # An agent may turn on any cell, so each cell would be an exit.
        prototypes=(),
        instances=(),
        things=Things(
            (),
            tuple(replace(thing, cells=copy_to_all(thing.cells)) for thing in things.regions),
            things.spots,
            tuple(
                replace(thing, cells=copy_to_all(thing.cells), now=thing.now * headings)
                for thing in things.doors
            ),
        ),
    )
