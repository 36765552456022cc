"""The rules that hold for every profile of a level, and the level as it was baked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.core.graph import Graph
from bake.core.movement import slots_between
from bake.play.mesh.cut import Cut, Cutter, Obstacle, lengths
from bake.play.mesh.polygons import MeshPolygons
from bake.play.reader.places import NodePlaces
from levelbake.changes import Asked
from levelbake.hops import Pair, vias_of
from levelbake.steps import Lattice, Vias
from levelbake.things import Link, ThingTables

#: The label of a step in the first direction; those of the others follow, and all are below 0.
STEPS = -8

#: The most nodes that a game may add to a graph at a time.
# limit: a one-line error; tests/play/live/test_nodes.py
MOST_NODES = 2**16


class LevelRules:
    """Rules that hold for every profile, and the level as it was baked.

    A *location* is a cell, counted in reading order, or a node of a graph level.
    """

    def __init__(self, places: NodePlaces) -> None:
        self.places = places
        self.obstacles: Mapping[str, Obstacle] = {}
        self.asset = places.asset
        self.movement = self.asset.graph.rules

    @property
    def lattice(self) -> Lattice | None:
        """Return the lattice of a grid level; None on a graph level."""
        return self.asset.graph.lattice

    @property
    def terrains(self) -> tuple[str, ...]:
        return self.places.terrains

    @cached_property
    def asked(self) -> Asked:
        """Return what checks what a game asks for."""
        return Asked(self.places)

    @property
    def terrain(self) -> UInt8Array:
        """Return (locations) uint8, the terrain that was baked."""
        return self.asset.graph.terrain

    @cached_property
    def elevation(self) -> Float64Array | None:
        """Return (locations) float64, how high each lies; None where the source did not say."""
        return self.asset.graph.elevation

    @property
    def arc_count(self) -> int:
        """Return how many arcs were baked, without listing any."""
        return self.asset.graph.arc_count

    @property
    def length(self) -> Float64Array:
        """Return (m) float64, the length of each baked arc; for a link, its whole cost."""
        return self.asset.graph.length

    @cached_property
    def graph(self) -> Graph:
        return Graph(self.places.first_out, self.places.head)

    @cached_property
    def tail(self) -> Int32Array:
        return self.graph.tail()

    @property
    def link(self) -> Int32Array:
        """Return (m) int32, the link that each baked arc is; -1 for a step."""
        return self.asset.graph.link

    @cached_property
    def link_arcs(self) -> Int32Array:
        """Return the baked arcs that are links."""
        if not self.asset.has("/link_name"):
            return np.zeros(0, dtype=np.int32)
        return np.flatnonzero(self.link >= 0).astype(np.int32)

    @cached_property
    def label(self) -> Int32Array:
        """Return (m) int32, the label of each baked arc, which tells it from parallel ones.

        Labels give the arcs out of a place an order that depends on the asset and on the level
        alone: first steps by direction, then other arcs by their number in the asset, and then arcs
        that it does not hold by the location they lead to.
        """
        label = np.arange(self.arc_count, dtype=np.int32)
        if self.lattice is not None:
            at, steps = self.location_of_node.astype(np.int64), np.flatnonzero(self.link < 0)
            ends = at[self.tail[steps]], at[self.places.head[steps]]
            label[steps] = STEPS + slots_between(self.lattice, *ends)
        return label

    def label_of_new(self, head: Int64Array) -> Int32Array:
        """Return (k) int32, the labels of arcs that the asset does not hold."""
        return (self.arc_count + head).astype(np.int32)

    @cached_property
    def own_prices(self) -> dict[Pair, float]:
        """Return units by (tail, head) location, of baked arcs whose price a patch had set."""
        if not self.asset.has("/price_from"):
            return {}
        price = self.asset.graph.own_price
        mine = np.flatnonzero(~np.isnan(price))
        location = self.location_of_node
        tail, head = location[self.tail[mine]], location[self.places.head[mine]]
        ends = zip(tail.tolist(), head.tolist(), strict=True)
        return dict(zip(ends, price[mine].tolist(), strict=True))

    def steps_from(self, cell: int) -> list[int]:
        """Return the cells that a step may lead to, whatever the terrain."""
        assert self.lattice is not None
        _, head, inside = self.lattice.steps_from(np.array([cell]))
        heads: list[int] = head[inside].tolist()
        return heads

    def joins(self, tail: int, head: int) -> bool:
        """Tell whether a step, or an arc of a graph, leads or may lead between two locations."""
        if self.places.is_grid:
            return head in self.steps_from(tail)
        return (tail, head) in self._arcs_between

    @cached_property
    def _arcs_between(self) -> frozenset[Pair]:
        """Return the (tail, head) locations of every arc of a graph level."""
        return frozenset(zip(self.tail.tolist(), self.places.head.tolist(), strict=True))

    @cached_property
    def links(self) -> Mapping[str, Link]:
        """Return the links that were baked, by name."""
        return ThingTables(self.places).links

    @cached_property
    def baked_vias(self) -> Vias | None:
        """Return the cells that baked links pass through; None where none does."""
        return self.vias(self.links.values())

    def vias(self, links: Iterable[Link | None]) -> Vias | None:
        """Return the cells that some links pass through; None where none does."""
        return vias_of(links, self.places)

    def ends(self, link: Link) -> tuple[Pair, ...]:
        """Return the (tail, head) locations of a link, for each direction that it leads in."""
        there = self.places.location(link.start), self.places.location(link.goal)
        return (there, there[::-1]) if link.both_ways else (there,)

    @cached_property
    def left_out(self) -> tuple[tuple[str, Pair], ...]:
        """Return the name and the ends of each baked link that the asset has no arc for, for each
        direction: nobody could take it then.
        """
        if not self.links:
            return ()
        arcs, location = self.link_arcs, self.location_of_node
        tail, head = location[self.tail[arcs]], location[self.places.head[arcs]]
        there = zip(self.link[arcs].tolist(), tail.tolist(), head.tolist(), strict=True)
        known = {(number, (a, b)) for number, a, b in there}
        return tuple(
            (name, pair)
            for number, (name, link) in enumerate(self.links.items())
            for pair in self.ends(link)
            if (number, pair) not in known
        )

    @property
    def location_of_node(self) -> Int32Array:
        """Return (n) int32, the location of each node."""
        return self.places.flat

    @cached_property
    def baked_count(self) -> int:
        """Return how many locations were baked; those of nodes that came follow them."""
        return len(self.terrain)

    @cached_property
    def location_count(self) -> int:
        return self.baked_count

    @cached_property
    def mesh(self) -> MeshPolygons:
        """Return the polygons of the level.

        Raises:
            QueryError: the level has no mesh.
        """
        return MeshPolygons(self.places)

    @cached_property
    def _cutter(self) -> Cutter:
        return Cutter(self.mesh)

    @cached_property
    def cut(self) -> Cut:
        """Return what the obstacles make of the polygons."""
        return self._cutter.cut(self.obstacles.values())

    def name_of_piece(self, polygon: int, number: int) -> str:
        """Return the name of the node in a piece of a polygon."""
        return f"{self.places.names[self.mesh.nodes(polygon)[0]]}/{number}"

    @property
    def piece_names(self) -> frozenset[str]:
        """Return the names of the nodes in all pieces."""
        pieces = self.cut.pieces.items() if self.obstacles else ()
        return frozenset(
            self.name_of_piece(polygon, number)
            for polygon, ring in pieces
            for number in range(len(ring))
        )

    @property
    def node_of_piece(self) -> dict[int, int]:
        """Return the location of each piece that has a node."""
        found = {}
        for polygon, pieces in self.cut.pieces.items():
            for number, piece in enumerate(pieces):
                node = self.places.node_named(self.name_of_piece(polygon, number))
                if node is not None:
                    found[piece] = node
        return found

    @cached_property
    def lengths(self) -> Mapping[Pair, float]:
        """Return the units of length of the arcs from and to pieces, by location."""
        if not self.obstacles:
            return {}
        position = self.places.position
        assert position is not None, "nodes of a mesh have positions"
        return lengths(self.mesh, self.cut, self.node_of_piece, position)

    def named_otherwise(self, other: LevelRules, locations: Int64Array) -> BoolArray:
        """Return (k) bool, True where a location has another added node than by other rules."""
        if self.places is other.places:
            return np.zeros(len(locations), dtype=np.bool_)
        was, now = (
            {node.location: name for name, node in each.places.added.items()}
            for each in (other, self)
        )
        differ = [at for at, name in was.items() if now.get(at, name) != name]
        return np.isin(locations, np.array(differ, dtype=np.int64))

    @cached_property
    def span(self) -> int:
        """Return a number above all locations there may ever be, by which pairs are numbered."""
        return self.baked_count + (0 if self.places.is_grid else MOST_NODES)
