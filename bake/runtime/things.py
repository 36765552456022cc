"""Read the links, regions, spots and doors that a level has in addition to terrain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from bake.arrays import AnyArray, Int32Array, UInt8Array
from bake.placement import TURNS, Placement
from bake.runtime.reader.places import Cell, Name, Places


@dataclass(frozen=True)
class Link:
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


@dataclass(frozen=True, eq=False)
class Region:
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


@dataclass(frozen=True)
class Spot:
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


@dataclass(frozen=True)
class Instance:
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


@dataclass(frozen=True)
class Placed:
    """An instance by numbers.

    Attributes:
        prototype: the name of its prototype.
        width, height: the prototype's cells as it is drawn.
        placement: where these lie in the whole grid.
    """

    prototype: str
    width: int
    height: int
    placement: Placement


@dataclass(frozen=True, eq=False)
class Door:
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

    def on(self, terrains: tuple[str, ...]) -> Door:
        """Return the door with these terrains in its cells.

        Where several states have them, it is in the one it was in, else in the first of them.
        """
        fitting = [name for name, each in self.states.items() if each == terrains]
        if self.state in fitting:
            return self
        return replace(self, state=fitting[0] if fitting else None)


class ThingTables:
    """The things of one asset; each kind is read and checked when first asked for."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._asset = places.asset

    @cached_property
    def links(self) -> Mapping[str, Link]:
        """Return links by name, in the order of the level."""
        if not self._asset.has("/link_name"):
            return {}
        names, kinds = self._texts("link", "name"), self._texts("link", "kind")
        start, goal = self._cells("link", "start"), self._cells("link", "goal")
        cost = self._asset.read("/link_cost").astype(np.float64)
        both = self._asset.read("/link_both_ways").astype(np.bool_)
        if not (np.isfinite(cost).all() and (cost > 0).all()):
            raise self._asset.damaged("a link's cost is not positive")
        profiles, ids = self._profiles("link"), self._ids("link", len(names))
        via, over = self._vias(len(names))
        columns = zip(
            names,
            kinds,
            start,
            goal,
            cost.tolist(),
            both.tolist(),
            profiles,
            ids,
            via,
            over,
            strict=True,
        )
        found = [
            Link(name, kind, _cell(one), _cell(other), *rest)
            for name, kind, one, other, *rest in columns
        ]
        return self._by_name("link", found)

    @cached_property
    def regions(self) -> Mapping[str, Region]:
        """Return regions by name, in the order of the level."""
        if not self._asset.has("/region_name"):
            return {}
        names = self._texts("region", "name")
        if not self._places.is_grid:
            return self._by_name("region", self._regions_of_nodes(names))
        cells = self._parts("region", "first_cell", self._cells("region", "cell"))
        ids = self._ids("region", len(names))
        found = [Region(*each) for each in zip(names, cells, ids, strict=True)]
        return self._by_name("region", found)

    def _regions_of_nodes(self, names: list[str]) -> list[Region]:
        region, node_names = self.region_of_node, self._places.names
        if region is None:
            raise self._asset.damaged("there are regions, but no column /node_region")
        order = np.argsort(region, kind="stable")
        first = np.searchsorted(region[order], np.arange(len(names) + 1))
        nodes = [tuple(node_names[node] for node in order[a:b]) for a, b in pairwise(first)]
        no_cells = np.zeros((0, 2), dtype=np.int32)
        return [Region(name, no_cells, None, own) for name, own in zip(names, nodes, strict=True)]

    @cached_property
    def region_of_node(self) -> Int32Array | None:
        """Return (n) int32, the region of each node of a graph, -1 = none; None without regions."""
        if not self._asset.has("/node_region"):
            return None
        region = self._asset.read("/node_region").astype(np.int32)
        count = len(self._texts("region", "name")) if self._asset.has("/region_name") else 0
        fits = len(region) == self._places.node_count
        if not fits or region.min(initial=0) < -1 or region.max(initial=-1) >= count:
            raise self._asset.damaged("column /node_region contradicts the rest")
        return region

    @cached_property
    def spots(self) -> Mapping[str, Spot]:
        """Return spots by name, in the order of the level."""
        if not self._asset.has("/spot_name"):
            return {}
        names, kinds = self._texts("spot", "name"), self._texts("spot", "kind")
        cells, profiles = self._cells("spot", "at"), self._profiles("spot")
        ids = self._ids("spot", len(names))
        found = [
            Spot(name, kinds[at], _cell(cells[at]), profiles[at], ids[at])
            for at, name in enumerate(names)
        ]
        return self._by_name("spot", found)

    @cached_property
    def doors(self) -> Mapping[str, Door]:
        """Return doors by name, in the order of the level."""
        if not self._asset.has("/door_name"):
            return {}
        names = self._texts("door", "name")
        cells = self._parts("door", "first_cell", self._cells("door", "cell"))
        state_names = self._texts("door", "state_name")
        numbers = np.arange(len(state_names))
        states = self._parts("door", "first_state", numbers)
        baked = self._asset.read("/door_state").astype(np.int64)
        terrain = self._asset.read("/door_terrain").astype(np.int64)
        terrains = [bytes(name).decode() for name in self._asset.read("/terrain_name").tolist()]
        sizes = [len(own) for own, mine in zip(cells, states, strict=True) for _ in mine]
        if sum(sizes) != len(terrain):
            raise self._asset.damaged("terrains of door states do not fit their cells")
        ends = np.cumsum([0, *sizes])
        ids = self._ids("door", len(names))
        found = []
        for at, name in enumerate(names):
            mine = states[at].tolist()
            now = int(baked[at])
            if now not in (-1, *mine):
                raise self._asset.damaged("a door's state is none of its own")
            each = {
                state_names[state]: tuple(
                    terrains[code] for code in terrain[ends[state] : ends[state + 1]].tolist()
                )
                for state in mine
            }
            if len(each) != len(mine):
                raise self._asset.damaged("a door has a state twice")
            state = None if now < 0 else state_names[now]
            found.append(Door(name, cells[at], state, each, ids[at]))
        return self._by_name("door", found)

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """Return what the level is built of, in the order of the level."""
        corner = np.array([each.placement.at for each in self.placed], dtype=np.int32)
        places = self._places.with_floor(corner.reshape(-1, 2))
        found = []
        for one, place in zip(self.placed, places, strict=True):
            wide, high = one.placement.size(one.width, one.height)
            quarters, mirrored = one.placement.quarters, one.placement.mirrored
            found.append(Instance(one.prototype, _cell(place), wide, high, 90 * quarters, mirrored))
        return tuple(found)

    @cached_property
    def placed(self) -> tuple[Placed, ...]:
        """Return the instances by numbers.

        Raises:
            CorruptAssetError: one of them leaves the level, or is of no prototype.
        """
        if not self._asset.has("/instance_at"):
            return ()
        names = self._texts("prototype", "name")
        size = self._asset.read("/prototype_size").astype(np.int64)
        kind = self._asset.read("/instance_prototype").astype(np.int64)
        at = self._asset.read("/instance_at").astype(np.int64)
        turn = self._asset.read("/instance_turn").astype(np.int64)
        if not len(kind) == len(at) == len(turn) or len(size) != len(names):
            raise self._asset.damaged("instances contradict each other")
        limit = np.array([self._places.width, self._places.height])
        if ((kind < 0) | (kind >= len(names)) | (turn < 0) | (turn >= TURNS)).any():
            raise self._asset.damaged("an instance is of no prototype, or turned in no known way")
        covered = np.where((turn % 2 == 1)[:, None], size[kind, ::-1], size[kind])
        if (covered < 1).any() or (at < 0).any() or (at > limit - covered).any():
            raise self._asset.damaged("an instance leaves the level")
        return tuple(
            Placed(
                names[each], int(size[each, 0]), int(size[each, 1]), Placement.of((x, y), turned)
            )
            for each, (x, y), turned in zip(kind.tolist(), at.tolist(), turn.tolist(), strict=True)
        )

    def doors_on(self, terrain: UInt8Array) -> Mapping[str, Door]:
        """Return doors by name, in the states they are in on other terrain.

        Args:
            terrain: (locations) uint8.
        """
        if not self.doors:
            return self.doors
        names = [bytes(name).decode() for name in self._asset.read("/terrain_name").tolist()]
        location = self._places.location
        return {
            door.name: door.on(
                tuple(
                    names[code]
                    for code in terrain[
                        np.array([location(_cell(cell)) for cell in door.cells], dtype=np.int64)
                    ]
                )
            )
            for door in self.doors.values()
        }

    def _vias(self, links: int) -> tuple[list[tuple[Cell, ...]], list[tuple[str, ...]]]:
        """Return what each link passes through, and the terrains that it passes over."""
        if not self._asset.has("/link_via"):
            return [()] * links, [()] * links
        cells = self._parts("link", "first_via", self._cells("link", "via"))
        over = self._asset.read("/link_over")
        terrains = [bytes(name).decode() for name in self._asset.read("/terrain_name").tolist()]
        if len(cells) != links or over.shape != (links, len(terrains)) or over.max(initial=0) > 1:
            raise self._asset.damaged("columns of /links contradict each other")
        return (
            [tuple(_cell(each) for each in mine) for mine in cells],
            [tuple(terrains[code] for code in np.flatnonzero(mine).tolist()) for mine in over],
        )

    def _texts(self, group: str, column: str) -> list[str]:
        stored = self._asset.read(f"/{group}_{column}").tolist()
        return [bytes(text).decode() for text in stored]

    def _ids(self, group: str, count: int) -> list[str | None]:
        if not self._asset.has(f"/{group}_id"):
            return [None] * count
        return [text or None for text in self._texts(group, "id")]

    def _cells(self, group: str, column: str) -> Int32Array:
        cell = self._asset.read(f"/{group}_{column}").astype(np.int32)
        limit = np.array([self._places.width, self._places.height])
        if (cell < 0).any() or (cell >= limit).any():
            raise self._asset.damaged(f"column /{group}_{column} has cells outside the level")
        return self._places.with_floor(cell)

    def _profiles(self, group: str) -> list[tuple[str, ...] | None]:
        names = np.array(self._texts(group, "profile"), dtype=object)
        parts = self._parts(group, "first_profile", names)
        return [tuple(part.tolist()) or None for part in parts]

    def _parts(self, group: str, column: str, items: AnyArray) -> list[AnyArray]:
        """Cut items into the parts that the column states."""
        first = self._asset.read(f"/{group}_{column}").astype(np.int64)
        if first[0] != 0 or first[-1] != len(items) or (np.diff(first) < 0).any():
            raise self._asset.damaged(f"column /{group}_{column} contradicts the rest")
        return np.split(items, first[1:-1])

    def _by_name(self, group: str, things: list[Any]) -> dict[str, Any]:
        found = {thing.name: thing for thing in things}
        if len(found) != len(things):
            raise self._asset.damaged(f"two of {group}_name have one name")
        return found


def _cell(numbers: Int32Array) -> Cell:
    return tuple(numbers.tolist())
