"""Read the links, regions, spots and doors that a level has in addition to terrain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from bake.arrays import AnyArray, Int32Array, UInt8Array
from bake.asset.columns.things import (
    DOORS,
    INSTANCES,
    LINKS,
    PROTOTYPES,
    REGIONS,
    SPOTS,
    DoorState,
)
from bake.asset.doors import unpack_doors
from bake.asset.records import Frame, Records, as_names, unpack
from bake.placement import Placement
from bake.play.reader.places import Cell, Name, Places

T = TypeVar("T")


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
        return {each.name: each for each in self._read(LINKS, Link)}

    @cached_property
    def regions(self) -> Mapping[str, Region]:
        """Return regions by name, in the order of the level."""

        def region(name: str, id: str | None, cells: AnyArray) -> Region:
            if self._places.is_grid:
                return Region(name, cells, id)
            return Region(name, np.zeros((0, 2), dtype=np.int32), id, tuple(cells.tolist()))

        _ = self.region_of_node  # refuses a node of two regions
        return {each.name: each for each in self._read(REGIONS, region)}

    @cached_property
    def region_of_node(self) -> Int32Array | None:
        """Return (n) int32, the region of each node of a graph, -1 = none; None without regions."""
        if self._places.is_grid:
            return None
        parts = self._read(REGIONS, lambda cells, **rest: cells, lambda location: location)
        if not parts:
            return None
        found = np.full(self._places.node_count, -1, dtype=np.int32)
        for region, node in enumerate(parts):
            found[node] = region
        if (found >= 0).sum() != sum(map(len, parts)):
            raise self._asset.damaged("a node is part of two regions, or twice of one")
        return found

    @cached_property
    def spots(self) -> Mapping[str, Spot]:
        """Return spots by name, in the order of the level."""
        spots = self._read(SPOTS, lambda cell, **rest: Spot(place=cell, **rest))
        return {each.name: each for each in spots}

    @cached_property
    def doors(self) -> Mapping[str, Door]:
        """Return doors by name, in the order of the level."""
        if not DOORS.are_in(self._asset):
            return {}

        def door(states: tuple[DoorState, ...], state: DoorState | None, **rest: Any) -> Door:
            return Door(state=state and state.name, states=dict(states), **rest)

        return {each.name: each for each in unpack_doors(self._asset, self.frame, door)}

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """Return what the level is built of, in the order of the level."""
        corner = np.array([each.placement.at for each in self.placed], dtype=np.int32)
        places = self._places.with_floor(corner.reshape(-1, 2)).tolist()
        found = []
        for one, place in zip(self.placed, places, strict=True):
            wide, high = one.placement.size(one.width, one.height)
            turned, mirrored = 90 * one.placement.quarters, one.placement.mirrored
            found.append(Instance(one.prototype, tuple(place), wide, high, turned, mirrored))
        return tuple(found)

    @cached_property
    def placed(self) -> tuple[Placed, ...]:
        """Return the instances by numbers.

        Raises:
            CorruptAssetError: one of them leaves the level.
        """
        drawn = self._read(PROTOTYPES, lambda **own: tuple(own.values()))
        size = self._places.width, self._places.height

        def placed(prototype: int, at: tuple[int, int], turn: int) -> Placed:
            name, width, height = drawn[prototype]
            placement = Placement.of(at, turn)
            covered = placement.size(width, height)
            if any(a + k > most for a, k, most in zip(at, covered, size, strict=True)):
                raise self._asset.damaged("an instance leaves the level")
            return Placed(name, width, height, placement)

        return self._read(INSTANCES, placed, self._places.cells_of)

    def doors_on(self, terrain: UInt8Array) -> Mapping[str, Door]:
        """Return doors by name, in the states they are in on other terrain.

        Args:
            terrain: (locations) uint8.
        """
        found = {}
        for name, door in self.doors.items():
            codes = terrain[self._places.locations(door.cells, "a door")]
            found[name] = door.on(tuple(self.frame.terrains[code] for code in codes.tolist()))
        return found

    @cached_property
    def frame(self) -> Frame:
        """Return what records of this level say by numbers."""
        places = self._places
        terrains = tuple(as_names(self._asset.read("/terrain_name")))
        return Frame(terrains, lambda cells: places.locations(cells, "cells"), places.places_of)

    def _read(
        self,
        records: Records,
        make: Callable[..., T],
        cells: Callable[[Int32Array], AnyArray] | None = None,
    ) -> tuple[T, ...]:
        if not records.are_in(self._asset):
            return ()
        frame = self.frame if cells is None else self.frame._replace(cells=cells)
        return unpack(records, self._asset, frame, make)
