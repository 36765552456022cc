"""The entities of a level: links, regions, spots, doors and instances."""

from collections.abc import Mapping
from functools import cached_property
from itertools import compress, pairwise
from typing import Any, NamedTuple

import numpy as np

from levelbake.places import Cell, Name, Places
from levelbake.steps import AnyArray, Int32Array, UInt8Array


class Link(NamedTuple):
    """A connection between two cells that need not be adjacent, such as stairs or a teleporter."""

    name: str  #: unique among the level's links
    kind: str  #: kind that the level's source assigns, such as "stairs"
    start: Cell
    goal: Cell
    cost: float  #: cost of taking the link, in units
    both_ways: bool  #: whether agents can also take the link from goal to start
    profiles: tuple[str, ...] | None  #: profiles that can take the link; None = all
    #: id of the Tiled object or iid of the LDtk entity; None if the source has none. Links made
    #: from one entity share its id.
    id: str | None = None
    via: tuple[Cell, ...] = ()  #: cells between start and goal that the link passes through
    #: unwalkable terrains that do not block the link; any other in ``via`` closes the link
    over: tuple[str, ...] = ()


class Region(NamedTuple):
    """A named set of cells, or of nodes on graphs."""

    name: str  #: unique among the level's regions
    cells: Int32Array  #: (k, 2) (x, y) or (k, 3) (x, y, floor), in reading order; empty on graphs
    id: str | None = None  #: id of the source's object or entity; see :attr:`Link.id`
    nodes: tuple[Name, ...] = ()  #: node names on graphs, in node order

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)


class Spot(NamedTuple):
    """A named single place, such as a spawn point."""

    name: str  #: unique among the level's spots
    kind: str  #: kind that the level's source assigns, such as "spawn"
    place: Cell
    profiles: tuple[str, ...] | None  #: profiles that the spot is for; None = all
    id: str | None = None  #: id of the source's object or entity; see :attr:`Link.id`


class Instance(NamedTuple):
    """A copy of a prototype, such as a house, placed in the level."""

    prototype: str  #: name of the prototype
    place: Cell  #: north-west corner of the covered cells
    width: int  #: columns covered
    height: int  #: rows covered
    turned: int  #: rotation in degrees clockwise: 0, 90, 180 or 270
    mirrored: bool  #: whether east and west were swapped before the rotation


class Door(NamedTuple):
    """A named set of cells that change terrain together."""

    name: str  #: unique among the level's doors
    cells: Int32Array  #: (k, 2) (x, y) or (k, 3) (x, y, floor), in reading order
    state: str | None  #: name of the current state; None if the cells match no state
    states: Mapping[str, tuple[str, ...]]  #: by state name, the terrain names of the k cells
    id: str | None = None  #: id of the source's object or entity; see :attr:`Link.id`

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    def on(self, terrains: tuple[str, ...]) -> "Door":
        """Return the door with the state that matches the given terrains of its cells.

        If several states match, the current state has priority, then the first.
        """
        matches = [name for name, names in self.states.items() if names == terrains]
        if self.state in matches:
            return self
        return self._replace(state=matches[0] if matches else None)


class ThingTables:
    """The entities stored in one file. Each kind is read and checked on first use."""

    def __init__(self, places: Places) -> None:
        self.places, self._file = places, places.file

    @cached_property
    def links(self) -> Mapping[str, Link]:
        """Return the links by name, in the order of the level."""
        if not self._has("link"):
            return {}
        via: list[Any] = self._spans("link", "via")
        over: list[tuple[str, ...]] = [()] * len(via)
        if self._file.has("/link_over"):
            flags = self._read("link_over").tolist()
            over = [tuple(compress(self.places.terrains, row)) for row in flags]
        plain = self._columns("link", "name kind start goal cost both_ways")
        columns = (*plain, self._profiles("link"), self._ids("link"), via, over)
        return {fields[0]: Link(*fields) for fields in zip(*columns, strict=True)}

    @cached_property
    def regions(self) -> Mapping[str, Region]:
        """Return the regions by name, in the order of the level."""
        if not self._has("region"):
            return {}
        _ = self.region_of_node  # raises if a node belongs to two regions
        regions, no_cells = {}, np.zeros((0, 2), dtype=np.int32)
        columns = self._values("region_name"), self._ids("region"), self._region_locations
        for name, entity_id, locations in zip(*columns, strict=True):
            places = self.places.places_of(locations)
            if self.places.is_grid:
                regions[name] = Region(name, places, entity_id)
            else:
                regions[name] = Region(name, no_cells, entity_id, tuple(places.tolist()))
        return regions

    @cached_property
    def _region_locations(self) -> list[Int32Array]:
        return self._spans("region", "cell", raw=True) if self._has("region") else []

    @cached_property
    def region_of_node(self) -> Int32Array | None:
        """Return (n) int32, the region of each node of a graph, -1 = none; None without regions."""
        members = self._region_locations
        if self.places.is_grid or not members:
            return None
        region_of = np.full(len(self.places.names), -1, dtype=np.int32)
        for region, nodes in enumerate(members):
            region_of[nodes] = region
        if (region_of >= 0).sum() != sum(map(len, members)):
            raise self._file.damaged("a node is part of two regions, or twice of one")
        return region_of

    @cached_property
    def spots(self) -> Mapping[str, Spot]:
        """Return the spots by name, in the order of the level."""
        if not self._has("spot"):
            return {}
        name, kind, place = self._columns("spot", "name kind at")
        columns = name, kind, place, self._profiles("spot"), self._ids("spot")
        return {fields[0]: Spot(*fields) for fields in zip(*columns, strict=True)}

    @cached_property
    def doors(self) -> Mapping[str, Door]:
        """Return the doors by name, in the order of the level.

        Raises:
            CorruptAssetError: a door has a state twice or a state of another door, or a state does
                not have one terrain for each cell.
        """
        if not self._has("door"):
            return {}
        names, terrains = self._values("door_state_name"), self._spans("door", "terrain", raw=True)
        first = self._read("door_first_state").tolist()
        columns = (
            *(self._values("door_name"), self._ids("door"), self._values("door_state")),
            *(pairwise(first), self._spans("door", "cell", raw=True)),
        )
        doors = {}
        for name, entity_id, current, (begin, end), cells in zip(*columns, strict=True):
            numbers = range(begin, end)
            states = {names[number]: self._terrains_of(terrains[number]) for number in numbers}
            sizes = {len(codes) for codes in states.values()} | {len(cells)}
            if current not in (-1, *numbers) or len(states) < len(numbers) or len(sizes) > 1:
                raise self._file.damaged(f"door {name!r} does not fit its states")
            state = None if current < 0 else names[current]
            doors[name] = Door(name, self.places.places_of(cells), state, states, entity_id)
        return doors

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """Return the instances, in the order of the level.

        Raises:
            CorruptAssetError: an instance extends beyond the level.
        """
        if not self._file.has("/instance_prototype"):
            return ()
        kind, corner = self._read("instance_prototype"), self._read("instance_at")
        turn = self._read("instance_turn").astype(np.int64)
        drawn = np.stack([self._read(f"prototype_{name}")[kind] for name in ("width", "height")], 1)
        # The number of quarter turns; 4 is added if east and west are swapped first.
        size = np.where(turn[:, None] % 2 == 1, drawn[:, ::-1], drawn)
        if (self.places.cells_of(corner) + size > [self.places.width, self.places.height]).any():
            raise self._file.damaged("an instance leaves the level")
        names, places = self._values("prototype_name"), self._values("instance_at")
        shapes = (column.tolist() for column in (*size.T, turn % 4 * 90, turn >= 4))
        columns = zip([names[number] for number in kind.tolist()], places, *shapes, strict=True)
        return tuple(Instance(*fields) for fields in columns)

    def doors_on(self, terrain: UInt8Array) -> Mapping[str, Door]:
        """Return the doors by name, in their states on the given terrain.

        Args:
            terrain: (locations) uint8 terrain codes.
        """
        doors = {}
        for name, door in self.doors.items():
            codes = terrain[self.places.locations(door.cells, "a door")]
            doors[name] = door.on(self._terrains_of(codes))
        return doors

    # -- columns ----------------------------------------------------------------------------------

    def _terrains_of(self, codes: AnyArray) -> tuple[str, ...]:
        return tuple(self.places.terrains[code] for code in codes.tolist())

    def _has(self, kind: str) -> bool:
        return self._file.has(f"/{kind}_name")

    def _read(self, column: str) -> AnyArray:
        return self._file.read(f"/{column}")

    def _columns(self, kind: str, names: str) -> list[list[Any]]:
        return [self._values(f"{kind}_{name}") for name in names.split()]

    def _values(self, column: str) -> list[Any]:
        """Return the decoded elements of a column: texts, cells, flags or numbers."""
        if (array := self._read(column)).dtype.kind == "S":
            return self._file.texts(f"/{column}")
        declared = self._file.schema.column(f"/{column}")
        if declared.refers == "location":
            return [tuple(cell) for cell in self.places.places_of(array).tolist()]
        values: list[Any] = (array != 0 if declared.one_of else array).tolist()
        return values

    def _ids(self, kind: str) -> list[str | None]:
        """Return the id of each entity of a kind; None for an entity without id."""
        if not self._file.has(f"/{kind}_id"):
            return [None] * len(self._read(f"{kind}_name"))
        return [text or None for text in self._values(f"{kind}_id")]

    def _profiles(self, kind: str) -> list[tuple[str, ...] | None]:
        """Return the profiles of each entity of a kind; None = all profiles."""
        return [names or None for names in self._spans(kind, "profile")]

    def _spans(self, kind: str, column: str, *, raw: bool = False) -> list[Any]:
        """Return the segment of a column for each entity of a kind, raw or decoded."""
        if not self._file.has(f"/{kind}_first_{column}"):
            return [()] * len(self._read(f"{kind}_name"))
        first, name = self._read(f"{kind}_first_{column}").tolist(), f"{kind}_{column}"
        values: Any = self._read(name) if raw else tuple(self._values(name))
        return [values[a:b] for a, b in pairwise(first)]
