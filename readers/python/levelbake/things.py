"""What a level has beside its terrain: links, regions, spots, doors and instances."""

from collections.abc import Mapping
from functools import cached_property
from itertools import compress, pairwise
from typing import Any, NamedTuple

import numpy as np

from levelbake.places import Cell, Name, Places
from levelbake.steps import AnyArray, Int32Array, UInt8Array


class Link(NamedTuple):
    """A way between two cells that need not be neighbours.

    Attributes:
        name: unique among the level's links.
        kind: what the level calls it, such as "stairs".
        start, goal: the places it joins.
        cost: the cost of taking the link, in units.
        both_ways: whether the link leads back, too.
        profiles: the profiles that may take the link; None = all.
        id: what the editor calls it by: the id of a Tiled object, or the iid of an LDtk entity;
            None where the source gives none. Several links of one entity share its id.
        via: the places it passes through, from start to goal and without these.
        over: the terrains that it passes over though nobody can stand on them; any other such
            terrain in ``via`` closes the link.
    """

    name: str
    kind: str
    start: Cell
    goal: Cell
    cost: float
    both_ways: bool
    profiles: tuple[str, ...] | None
    id: str | None = None
    via: tuple[Cell, ...] = ()
    over: tuple[str, ...] = ()


class Region(NamedTuple):
    """Named cells, or nodes of a graph.

    Attributes:
        name: unique among the level's regions.
        cells: (k, 2) int32 (x, y), or (k, 3) (x, y, floor), in reading order; none on graphs.
        id: that of its object or entity, as for links.
        nodes: names of its nodes on graphs, in the order of the asset.
    """

    name: str
    cells: Int32Array
    id: str | None = None
    nodes: tuple[Name, ...] = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)


class Spot(NamedTuple):
    """A named place that matters to the game.

    Attributes:
        name: unique among the level's spots.
        kind: what the level calls it, such as "spawn".
        place: the place of the spot.
        profiles: the profiles it is for; None = all.
        id: that of its object or entity, as for links.
    """

    name: str
    kind: str
    place: Cell
    profiles: tuple[str, ...] | None
    id: str | None = None


class Instance(NamedTuple):
    """A room or house that the level is built of, where it stands.

    Attributes:
        prototype: the name of what it is an instance of.
        place: the place of the north-west corner of what it covers.
        width, height: how many cells it covers.
        turned: degrees clockwise.
        mirrored: whether east and west were swapped before it was turned.
    """

    prototype: str
    place: Cell
    width: int
    height: int
    turned: int
    mirrored: bool


class Door(NamedTuple):
    """Cells that change terrain together.

    Attributes:
        name: unique among the level's doors.
        cells: (k, 2) int32 (x, y), or (k, 3) (x, y, floor), in reading order.
        state: the name of the state the door is in; None where its cells are as in none of them.
        states: for each state, in the order of the level, the names of the k cells' terrains.
        id: that of its object or entity, as for links.
    """

    name: str
    cells: Int32Array
    state: str | None
    states: Mapping[str, tuple[str, ...]]
    id: str | None = None

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    def on(self, terrains: tuple[str, ...]) -> "Door":
        """Return the door with these terrains in its cells.

        Where several states have them, it is in the one it was in, else in the first of them.
        """
        fitting = [name for name, each in self.states.items() if each == terrains]
        if self.state in fitting:
            return self
        return self._replace(state=fitting[0] if fitting else None)


class ThingTables:
    """The things of one file; each kind is read and checked when first asked for."""

    def __init__(self, places: Places) -> None:
        self.places, self._file = places, places.file

    @cached_property
    def links(self) -> Mapping[str, Link]:
        """Return links by name, in the order of the level."""
        if not self._has("link"):
            return {}
        via: list[Any] = self._spans("link", "via")
        over: list[tuple[str, ...]] = [()] * len(via)
        if self._file.has("/link_over"):
            flags = self._read("link_over").tolist()
            over = [tuple(compress(self.places.terrains, row)) for row in flags]
        said = self._columns("link", "name kind start goal cost both_ways")
        columns = (*said, self._profiles("link"), self._ids("link"), via, over)
        return {each[0]: Link(*each) for each in zip(*columns, strict=True)}

    @cached_property
    def regions(self) -> Mapping[str, Region]:
        """Return regions by name, in the order of the level."""
        if not self._has("region"):
            return {}
        _ = self.region_of_node  # refuses a node of two regions
        found, none = {}, np.zeros((0, 2), dtype=np.int32)
        columns = self._values("region_name"), self._ids("region"), self._region_locations
        for name, own, at in zip(*columns, strict=True):
            places = self.places.places_of(at)
            nodes = () if self.places.is_grid else tuple(places.tolist())
            found[name] = Region(name, places if self.places.is_grid else none, own, nodes)
        return found

    @cached_property
    def _region_locations(self) -> list[Int32Array]:
        return self._spans("region", "cell", raw=True) if self._has("region") else []

    @cached_property
    def region_of_node(self) -> Int32Array | None:
        """Return (n) int32, the region of each node of a graph, -1 = none; None without regions."""
        parts = self._region_locations
        if self.places.is_grid or not parts:
            return None
        found = np.full(len(self.places.names), -1, dtype=np.int32)
        for region, node in enumerate(parts):
            found[node] = region
        if (found >= 0).sum() != sum(map(len, parts)):
            raise self._file.damaged("a node is part of two regions, or twice of one")
        return found

    @cached_property
    def spots(self) -> Mapping[str, Spot]:
        """Return spots by name, in the order of the level."""
        if not self._has("spot"):
            return {}
        name, kind, at = self._columns("spot", "name kind at")
        columns = name, kind, at, self._profiles("spot"), self._ids("spot")
        return {each[0]: Spot(*each) for each in zip(*columns, strict=True)}

    @cached_property
    def doors(self) -> Mapping[str, Door]:
        """Return doors by name, in the order of the level.

        Raises:
            CorruptAssetError: a door has a state twice, or one of another door, or its cells have
                other terrain than each a piece.
        """
        if not self._has("door"):
            return {}
        names, terrains = self._values("door_state_name"), self._spans("door", "terrain", raw=True)
        first = self._read("door_first_state").tolist()
        columns = (
            *(self._values("door_name"), self._ids("door"), self._values("door_state")),
            *(pairwise(first), self._spans("door", "cell", raw=True)),
        )
        found = {}
        for name, own, now, (begin, end), cells in zip(*columns, strict=True):
            states = {names[at]: self._terrains_of(terrains[at]) for at in range(begin, end)}
            sizes = {len(each) for each in states.values()} | {len(cells)}
            if now not in (-1, *range(begin, end)) or len(states) < end - begin or len(sizes) > 1:
                raise self._file.damaged(f"door {name!r} does not fit its states")
            state = None if now < 0 else names[now]
            found[name] = Door(name, self.places.places_of(cells), state, states, own)
        return found

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """Return what the level is built of, in the order of the level.

        Raises:
            CorruptAssetError: one of them leaves the level.
        """
        if not self._file.has("/instance_prototype"):
            return ()
        kind, at = self._read("instance_prototype"), self._read("instance_at")
        turn = self._read("instance_turn").astype(np.int64)
        drawn = np.stack([self._read(f"prototype_{name}")[kind] for name in ("width", "height")], 1)
        # East and west are swapped first where 4 is added to the quarter turns.
        size = np.where(turn[:, None] % 2 == 1, drawn[:, ::-1], drawn)
        if (self.places.cells_of(at) + size > [self.places.width, self.places.height]).any():
            raise self._file.damaged("an instance leaves the level")
        names, where = self._values("prototype_name"), self._values("instance_at")
        more = (each.tolist() for each in (*size.T, turn % 4 * 90, turn >= 4))
        columns = zip([names[number] for number in kind.tolist()], where, *more, strict=True)
        return tuple(Instance(*each) for each in columns)

    def doors_on(self, terrain: UInt8Array) -> Mapping[str, Door]:
        """Return doors by name, in the states they are in on other terrain.

        Args:
            terrain: (locations) uint8.
        """
        found = {}
        for name, door in self.doors.items():
            codes = terrain[self.places.locations(door.cells, "a door")]
            found[name] = door.on(self._terrains_of(codes))
        return found

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
        """Return what a column says: text, cells in place of locations, flags, or numbers."""
        if (array := self._read(column)).dtype.kind == "S":
            return self._file.texts(f"/{column}")
        declared = self._file.schema.column(f"/{column}")
        if declared.refers == "location":
            return [tuple(cell) for cell in self.places.places_of(array).tolist()]
        found: list[Any] = (array != 0 if declared.one_of else array).tolist()
        return found

    def _ids(self, kind: str) -> list[str | None]:
        """Return the id of each thing of a kind, None where it has none."""
        if not self._file.has(f"/{kind}_id"):
            return [None] * len(self._read(f"{kind}_name"))
        return [each or None for each in self._values(f"{kind}_id")]

    def _profiles(self, kind: str) -> list[tuple[str, ...] | None]:
        """Return the profiles that each thing of a kind is for, None for all."""
        return [each or None for each in self._spans(kind, "profile")]

    def _spans(self, kind: str, column: str, *, raw: bool = False) -> list[Any]:
        """Return the part of a column that belongs to each thing of a kind, raw or as it says."""
        if not self._file.has(f"/{kind}_first_{column}"):
            return [()] * len(self._read(f"{kind}_name"))
        first, name = self._read(f"{kind}_first_{column}").tolist(), f"{kind}_{column}"
        values: Any = self._read(name) if raw else tuple(self._values(name))
        return [values[a:b] for a, b in pairwise(first)]
