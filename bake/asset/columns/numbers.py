"""The numbers that describe a level and its profiles in flat files, in their order."""

from __future__ import annotations

from bake.movement import CORNER_CUTTING, COST_RULES, HEX_LAYOUTS, MAX_SIZE
from levelbake.columns import Number

# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
#: Elements of the level's column ``numbers``.
LEVEL_NUMBERS: tuple[Number, ...] = (
    Number("kind", "0 graph, 1 squares, 2 hexagons", most=2, values=("graph", "square", "hex")),
    Number("width", "cells from west to east; 0 on graphs", absent=0),
    Number("height", "cells from north to south on all floors together; 0 on graphs", absent=0),
    Number("floors", "floors, which lie below one another in the grid, the lowest first; 1 on "
        "graphs", least=1),
    Number("directions", "directions of steps: 4, 6 or 8; 0 on graphs",
        attribute="connectivity", absent=0),
    Number("hex_layout", "0 no hexagons, 1 odd-r, 2 even-r, 3 odd-q, 4 even-q", most=4,
        values=(None, *HEX_LAYOUTS)),
    Number("corner_cutting", "0 never, 1 one_free, 2 always", most=2, values=CORNER_CUTTING),
    Number("cost_rule", "0 mean, 1 entered", most=1, values=COST_RULES),
    Number("ticks_per_unit", "ticks in one unit of cost", least=1),
    Number("locations", "places of the level: width times height, or the nodes of a graph"),
    Number("nodes", "places on which some profile can stand, in some state of the doors"),
    Number("terrains", "terrains, 1 to 256", least=1, most=256),
    Number("profiles", "profiles in this file, at least 1", least=1),
    Number("usual_terrain", "terrain that a cell becomes if it is opened and no profile of this "
        "file can stand on what is there: the commonest on which one can"),
)

#: Elements of a profile's column ``numbers``.
PROFILE_NUMBERS: tuple[Number, ...] = (
    Number("rows", "locations on which the profile can stand"),
    Number("components", "strongly connected components", attribute="component_count"),
    Number("one_way", "1 where some arc leads from one component to another, else 0", most=1),
    Number("says_none", "1 where next hops hold the value for \"no path\" between components, "
        "else 0: then components and reach say it, and next hops mean nothing there", most=1),
    Number("size", "cells along one side of the footprint, 1 to 16; its north-west cell is the "
        "agent's location", least=1, most=MAX_SIZE, absent=1),
    Number("classes", "different costs of terrain that the profile can stand on"),
    Number("two_way", "1 where every arc leads back at the same price, else 0", most=1),
    Number("hierarchy_mode", "0 no hierarchy, 1 hpa", most=1, values=(None, "hpa")),
)
# fmt: on
