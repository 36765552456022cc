"""Lay a level out once for each heading, so that a place is a cell and the way an agent faces.

A heading is a floor of the lattice: a step leads on along it, and a turn leads to the same cell of
the next heading or the one before. Everything else about a level is the same whichever way an
agent faces.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from bake.arrays import AnyArray, Int32Array
from bake.errors import LevelError
from bake.level import MAX_CELLS, GraphLevel, GridLevel, Level, Things
from levelbake.steps import Headings, in_rows


def headed(level: Level, headings: Headings) -> GridLevel:
    """Return a level whose floors are the headings of one of a single floor.

    Regions and doors lie in all headings of their cells. Spots stay where they are, in heading 0.

    Raises:
        LevelError: the level is a graph, or has several floors, links, or an odd number of rows of
            hexagons; it has another number of headings than its cells have neighbours; or it is
            too large.
    """

    def refuse(found: str, expected: str, remedy: str | None = None) -> LevelError:
        return LevelError(found, file=level.source, expected=expected, remedy=remedy)

    if isinstance(level, GraphLevel):
        remedy = "write a node for each way to face into the graph itself"
        raise refuse("the recipe gives headings, and this is a graph", "a level of cells", remedy)
    allowed = (6,) if level.hex_layout else (4, 8)
    if headings not in allowed:
        kind = "hexagons" if level.hex_layout else "squares"
        expected = f"{' or '.join(map(str, allowed))} on {kind}"
        raise refuse(f"the recipe gives {headings} headings", expected)
    if level.floor_height is not None and level.floor_height < level.height:
        floors = level.height // level.floor_height
        raise refuse(f"the recipe gives headings, and the level has {floors} floors", "one floor")
    if level.things.links:
        name = level.things.links[0].name
        remedy = "bake it without headings"
        found = f"the recipe gives headings, and the level has links, such as {name!r}"
        raise refuse(found, "a level without links", remedy)
    if level.hex_layout is not None and in_rows(level.hex_layout) and level.height % 2:
        # Every other row is shoved, and the headings lie below one another.
        found = f"the recipe gives headings, and the level has {level.height:,} rows of hexagons"
        raise refuse(found, "an even number of rows", "add a row")
    if headings * level.terrain.size > MAX_CELLS:
        found = f"{headings} headings of {level.terrain.size:,} cells"
        raise refuse(found, f"at most {MAX_CELLS:,} places", "split the level")

    def in_all(cells: Int32Array) -> Int32Array:
        down = np.arange(headings, dtype=np.int32) * np.int32(level.height)
        every = np.tile(cells, (headings, 1))
        every[:, 1] += np.repeat(down, len(cells))
        return every

    def stacked(grid: AnyArray | None) -> AnyArray | None:
        return None if grid is None else np.tile(grid, (headings, 1))

    things = level.things
    return replace(
        level,
        terrain=cast("AnyArray", stacked(level.terrain)),
        barred=stacked(level.barred),
        elevation=stacked(level.elevation),
        floor_height=level.height,
        headings=headings,
        rules=replace(level.rules, connectivity=headings),
        # An agent may turn on any cell, so each would be an exit.
        prototypes=(),
        instances=(),
        things=Things(
            (),
            tuple(replace(each, cells=in_all(each.cells)) for each in things.regions),
            things.spots,
            tuple(
                replace(each, cells=in_all(each.cells), now=each.now * headings)
                for each in things.doors
            ),
        ),
    )
