"""Links, regions, spots, doors, prototypes and instances as records, and prices of single arcs."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from bake.core.graph import BLOCKED, MAX_WEIGHT
from bake.core.placement import TURNS
from bake.store.columns.declared import MOST_UNITS
from bake.store.columns.declared import column as _column
from bake.store.records import (
    CELL,
    CELLS,
    FLAG,
    TERRAIN,
    TERRAINS,
    TEXT,
    Property,
    Records,
    number,
    span,
)


class DoorState(NamedTuple):
    """A state of a door."""

    name: str
    terrain: tuple[str, ...]  # the terrain of each of the door's cells


_UNITS = number("float64", "units", above=0, most=MOST_UNITS, finite=True)
_SIZE = number("int32", "cells", least=1)
_STATE = number("int32", "door state", refers="door state", none=-1)
_PROTOTYPE = number("int32", "prototype", refers="prototype")
_TURN = number("uint8", "turn", least=0, most=TURNS - 1)

_NAME = Property(TEXT._replace(holds={"order": "unique"}), "name, unique among them")
_ID = Property(
    TEXT,
    "id of the object or entity in the editor; empty where it has none; absent: none has one",
    optional=True,
    or_none=True,
)
_KIND = Property(TEXT, "what the level calls it")
_PROFILES = Property(
    TEXT, "name of a profile that it is for; none: all of them", "profile", many=True, or_none=True
)

LINKS = Records(
    "link",
    name=_NAME,
    id=_ID,
    kind=_KIND,
    start=Property(CELL, "where it begins", given=False),
    goal=Property(CELL, "where it leads", given=False),
    cost=Property(_UNITS, "cost of taking it", given=False),
    both_ways=Property(FLAG, "1 where it leads back, too", given=False),
    profiles=_PROFILES._replace(given=False),
    via=Property(
        CELL,
        "a cell that it passes through, from its start to its goal",
        many=True,
        optional=True,
        box="asset",
    ),
    over=Property(
        TERRAINS,
        "1 where it passes over the terrain though nobody can stand on it; any other such terrain "
        "in a cell of via closes it",
        optional=True,
        box="asset",
    ),
)
REGIONS = Records(
    "region",
    world="both",
    name=_NAME,
    id=_ID,
    cells=Property(
        CELLS, "a cell of it; on graphs a node, which is part of no other region", "cell", many=True
    ),
)
SPOTS = Records(
    "spot",
    name=_NAME,
    id=_ID,
    kind=_KIND,
    cell=Property(CELL, "where it is", "at"),
    profiles=_PROFILES,
)
DOORS = Records(
    "door",
    name=_NAME,
    id=_ID,
    cells=Property(CELLS, "a cell of it", "cell", many=True),
    states=Property(
        span("door state"),
        "states of door i are first_state[i] to first_state[i + 1] - 1",
        "first_state",
    ),
    state=Property(
        _STATE,
        "the state the level is baked in, counted over all doors; -1: none of them, as a "
        "patch was folded in",
        given=False,
    ),
)
#: The states of all doors, one door after another.
DOOR_STATES = Records(
    "door",
    "door state",
    name=Property(TEXT, "name of the state, unique in its door", "state_name"),
    terrain=Property(TERRAIN, "terrain of each cell of its door in the state", many=True),
)
PROTOTYPES = Records(
    "prototype",
    box="asset",
    name=_NAME,
    width=Property(_SIZE, "cells from west to east as it is drawn"),
    height=Property(_SIZE, "cells from north to south as it is drawn"),
)
INSTANCES = Records(
    "instance",
    box="asset",
    prototype=Property(_PROTOTYPE, "the prototype that stands there"),
    at=Property(CELL, "the north-west corner of what it covers"),
    turn=Property(
        _TURN, "quarter turns clockwise; and 4 more where east and west are swapped first"
    ),
)

# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
COLUMNS = (
    *LINKS.columns(),
    _column("link_from", "int32", "link arc", "location",
        "where each arc of a link begins, ascending; a link that leads both ways is two arcs. "
        "All columns of links are absent where there are none",
        world="grid", optional=True, refers="location", order="ascending"),
    _column("link_to", "int32", "link arc", "location",
        "where it leads", world="grid", optional=True, refers="location"),
    _column("link_ticks", "int32", "link arc", "ticks",
        "what it costs", box="flat", world="grid", optional=True, least=1, most=MAX_WEIGHT),
    _column("link_number", "int32", "link arc", "link",
        "the link it is of", world="grid", optional=True, refers="link"),
    _column("price_from", "int32", "price", "location",
        "where an arc with a price of its own begins, ascending, then by price_to; absent: none",
        optional=True, refers="location", order="ascending"),
    _column("price_to", "int32", "price", "location",
        "where it leads", optional=True, refers="location"),
    _column("price_ticks", "int32", "price", "ticks",
        "what it costs; 2147483647: it is closed",
        box="flat", optional=True, least=1, most=MAX_WEIGHT, none=BLOCKED),
    _column("price_units", "float64", "price", "units",
        "cost of the arc; infinite: it is closed",
        optional=True, above=0, most=MOST_UNITS, none=inf),
    *(
        declared
        for records in (REGIONS, SPOTS, DOORS, DOOR_STATES, PROTOTYPES, INSTANCES)
        for declared in records.columns()
    ),
)
# fmt: on
