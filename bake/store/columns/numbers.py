"""The numbers that describe a level and its profiles in flat files, in their order."""

from __future__ import annotations

from typing import NamedTuple

from levelbake.columns import PROFILE, Attribute


class Number(NamedTuple):
    """One of the numbers: an element of column ``numbers``."""

    name: str
    description: str  #: its meaning, and all its values
    attribute: str = ""  #: the name of the attribute, if it differs


# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
#: Elements of the level's column ``numbers``.
LEVEL_NUMBERS: tuple[Number, ...] = (
    Number("kind", "0 graph, 1 squares, 2 hexagons"),
    Number("width", "cells from west to east; 0 on graphs"),
    Number("height", "cells from north to south on all floors together; 0 on graphs"),
    Number("floors", "floors, which lie below one another in the grid, the lowest first; 1 on "
        "graphs"),
    Number("directions", "directions of steps: 4, 6 or 8; 0 on graphs",
        attribute="connectivity"),
    Number("hex_layout", "0 no hexagons, 1 odd-r, 2 even-r, 3 odd-q, 4 even-q"),
    Number("corner_cutting", "0 never, 1 one_free, 2 always"),
    Number("cost_rule", "0 mean, 1 entered"),
    Number("ticks_per_unit", "ticks in one unit of cost"),
    Number("locations", "places of the level: width times height, or the nodes of a graph"),
    Number("nodes", "places on which some profile can stand, in some state of the doors"),
    Number("terrains", "terrains, 1 to 256"),
    Number("profiles", "profiles in this file, at least 1"),
    Number("usual_terrain", "terrain that a cell becomes if it is opened and no profile of this "
        "file can stand on what is there: the commonest on which one can"),
)

#: Elements of a profile's column ``numbers``.
PROFILE_NUMBERS: tuple[Number, ...] = (
    Number("rows", "locations on which the profile can stand"),
    Number("components", "strongly connected components", attribute="component_count"),
    Number("one_way", "1 where some arc leads from one component to another, else 0"),
    Number("says_none", "1 where next hops hold the value for \"no path\" between components, "
        "else 0: then components and reach say it, and next hops mean nothing there"),
    Number("size", "cells along one side of the footprint, 1 to 16; its north-west cell is the "
        "agent's location"),
    Number("classes", "different costs of terrain that the profile can stand on"),
    Number("two_way", "1 where every arc leads back at the same price, else 0"),
    Number("hierarchy_mode", "0 no hierarchy, 1 hpa"),
)

#: The attributes that exist only as numbers; the others are attributes of assets as well.
COUNTS: tuple[Attribute, ...] = (
    Attribute("/", "floors", "integer", least=1),
    Attribute("/", "locations", "integer", least=0, counts="location"),
    Attribute("/", "nodes", "integer", least=0, counts="node"),
    Attribute("/", "terrains", "integer", least=1, most=256, counts="terrain"),
    Attribute("/", "profiles", "integer", least=1, counts="profile"),
    Attribute("/", "usual_terrain", "integer", least=0),
    Attribute(f"/profiles/{PROFILE}", "rows", "integer", least=0, counts="row"),
    Attribute(f"/profiles/{PROFILE}", "says_none", "flag", values=(0, 1)),
    Attribute(f"/profiles/{PROFILE}", "classes", "integer", least=0, counts="class"),
)
# fmt: on

#: The attributes behind the numbers of the level, in their order, and of a profile.
NUMBERS = tuple(
    tuple(number.attribute or number.name for number in numbers)
    for numbers in (LEVEL_NUMBERS, PROFILE_NUMBERS)
)
