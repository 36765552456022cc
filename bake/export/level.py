"""Make the columns of a flat file that all profiles share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from bake.arrays import AnyArray, BoolArray, Int32Array
from bake.asset import Asset
from bake.asset.records import as_names
from bake.export.cells import cell_columns
from bake.flat.schema import COLUMNS, LEVEL_NUMBERS, texts
from bake.hexagons import HEX_LAYOUTS
from bake.movement.moves import LinkMoves, moves_of_arcs
from bake.movement.prices import ticks_of
from bake.movement.rules import CORNER_CUTTING, COST_RULES, LEVEL_GROUND
from bake.runtime.live.rules import LevelRules, ProfileRules
from bake.runtime.reader.places import Places

Columns = dict[str, AnyArray]


class LevelColumns:
    """What the columns of the level are made of, and what those of profiles need of it.

    Attributes:
        asset, places, rules: the asset.
        profiles: names of the profiles to write, sorted.
    """

    def __init__(self, asset: Asset, profiles: Sequence[str]) -> None:
        self.asset = asset
        self.places = Places(asset)
        self.rules = LevelRules(self.places)
        self.profiles = tuple(profiles)

    @cached_property
    def movers(self) -> dict[str, ProfileRules]:
        """Return what terrain means to each profile."""
        return {name: ProfileRules(self.rules, name) for name in self.profiles}

    @cached_property
    def is_grid(self) -> bool:
        """Tell whether the file holds a grid, whose steps and prices follow from terrain.

        Where they follow from more, cells are the nodes of a graph: see :mod:`bake.export.cells`.
        """
        if not self.places.is_grid or self.places.headings is not None:
            return False
        slopes = any(rules.mover.slope != LEVEL_GROUND for rules in self.movers.values())
        return not (slopes and self.rules.elevation is not None)

    @property
    def cells_are_nodes(self) -> bool:
        """Tell whether the cells of a grid become the nodes of a graph."""
        return self.places.is_grid and not self.is_grid

    @property
    def directions(self) -> int:
        """Return how many directions steps have; 0 on graphs."""
        if not self.is_grid or self.rules.lattice is None:
            return 0
        return len(self.rules.lattice.heading)

    @cached_property
    def at_locations(self) -> Int32Array:
        """Return (n) int32, the location in the file of each node of the asset."""
        if self.is_grid:
            return self.places.flat
        return np.arange(self.places.node_count, dtype=np.int32)

    @property
    def location_count(self) -> int:
        """Return how many locations the file has."""
        return self.rules.location_count if self.is_grid else self.places.node_count

    def by_location(self, values: AnyArray) -> AnyArray:
        """Return what the asset says of its locations, for those of the file."""
        return values[self.places.flat] if self.cells_are_nodes else values

    @cached_property
    def links(self) -> LinkMoves:
        """Return the arcs of links."""
        rules, location = self.rules, self.rules.location_of_node
        arcs = rules.link_arcs
        number = {name: place for place, name in enumerate(rules.links)}
        return LinkMoves.of(
            location[rules.tail[arcs]],
            location[rules.places.head[arcs]],
            rules.link[arcs],
            [(a, b, number[name]) for name, (a, b) in rules.left_out],
        )

    @cached_property
    def move_of_arc(self) -> Int32Array:
        """Return (m) int32, the move that each arc of the asset is; on graphs its slot."""
        rules, places = self.rules, self.places
        if rules.lattice is None or self.cells_are_nodes:
            return (np.arange(len(rules.tail)) - places.first_out[rules.tail]).astype(np.int32)
        return moves_of_arcs(rules.lattice, places.flat, rules.tail, places.head, rules.link >= 0)

    @cached_property
    def most_moves(self) -> int:
        """Return one more than the largest move there is."""
        if self.is_grid:
            return self.directions + self.links.most
        return int(np.diff(self.places.first_out).max(initial=0))

    # -- columns ----------------------------------------------------------------------------------

    def columns(self) -> Columns:
        """Return all columns of the level, by name."""
        asset = self.asset
        found: Columns = {
            "numbers": self._numbers(),
            "name": texts([self.places.name]),
            "recipe": texts([asset.text("recipe") or ""]),
            "profile_name": texts(list(self.profiles)),
            "terrain_name": texts(list(self.rules.terrains)),
            "terrain_colour": asset.read("/terrain_colour"),
            "terrain": self.by_location(self.rules.terrain),
        }
        if self.rules.elevation is not None:
            found["elevation"] = self.by_location(self.rules.elevation)
        found |= self._grid() if self.is_grid else self._graph()
        found |= self._prices()
        return found

    def _numbers(self) -> Int32Array:
        rules, places = self.rules, self.places
        hex_layout = places.hex_layout if self.is_grid else None
        kinds = {"graph": 0, "square": 1, "hex": 2}
        said = {
            "kind": kinds[self.asset.text("kind") or ""] if self.is_grid else 0,
            "width": places.width if self.is_grid else 0,
            "height": places.height if self.is_grid else 0,
            "floors": places.floors if self.is_grid else 1,
            "directions": self.directions,
            "hex_layout": 0 if hex_layout is None else 1 + HEX_LAYOUTS.index(hex_layout),
            "corner_cutting": CORNER_CUTTING.index(rules.movement.corner_cutting),
            "cost_rule": COST_RULES.index(rules.movement.cost_rule),
            "ticks_per_unit": places.ticks_per_unit,
            "locations": self.location_count,
            "nodes": places.node_count,
            "terrains": len(rules.terrains),
            "profiles": len(self.profiles),
            "usual_terrain": self._usual_terrain(),
        }
        return np.array([said[number.name] for number in LEVEL_NUMBERS], dtype=np.int32)

    def _usual_terrain(self) -> int:
        terrain = self.by_location(self.rules.terrain)
        count = np.bincount(terrain, minlength=len(self.rules.terrains))
        count[~self._passable] = -1
        return int(count.argmax())

    @property
    def _passable(self) -> BoolArray:
        """Return (terrain) bool, True where some profile can stand on the terrain."""
        costs = [rules.mover.cost for rules in self.movers.values()]
        return np.asarray(~np.isnan(costs).all(axis=0))

    def _graph(self) -> Columns:
        places, asset = self.places, self.asset
        found: Columns = {
            "first_out": places.first_out,
            "head": places.head,
            "length": self.rules.length,
        }
        if self.cells_are_nodes:
            return found | cell_columns(places)
        if places.position is not None:
            found["position"] = places.position
        if asset.text("node_name_type") == "int":
            found["node_number"] = asset.read("/node_name")
        else:
            found["node_name"] = texts([str(name) for name in places.names])
        return found | self._things()

    def _grid(self) -> Columns:
        asset, places = self.asset, self.places
        node_at = np.full(self.rules.location_count, -1, dtype=np.int32)
        node_at[places.flat] = np.arange(places.node_count, dtype=np.int32)
        found: Columns = {"node_at": node_at}
        if self.rules.lattice is not None and self.rules.lattice.barred is not None:
            found["barred"] = self.rules.lattice.barred
        for name in ("centre", "step"):
            if asset.has(f"/{name}"):
                found[name] = asset.read(f"/{name}").astype(np.float64)
        found |= self._things()
        if "link_name" in found:
            found |= self._link_arcs()
        return found

    def _things(self) -> Columns:
        """Return the columns of things as they lie in the asset."""
        found: Columns = {}
        for declared in COLUMNS:
            if declared.name.startswith(_THINGS) and self.asset.has(declared.path):
                stored = self.asset.read(declared.path)
                is_text = stored.dtype.kind == "S"
                found[declared.name] = texts(as_names(stored)) if is_text else stored
        return found

    def _link_arcs(self) -> Columns:
        begins, leads, number = self.links
        cost = self.asset.read("/link_cost").astype(np.float64)[number]
        return {
            "link_from": begins,
            "link_to": leads,
            "link_number": number,
            "link_ticks": ticks_of(cost, self.places.ticks_per_unit),
        }

    def _prices(self) -> Columns:
        prices = self.rules.own_prices
        if not prices:
            return {}
        if self.cells_are_nodes:
            node = dict(zip(self.places.flat.tolist(), range(self.places.node_count), strict=True))
            prices = {(node[a], node[b]): units for (a, b), units in prices.items()}
        ends = np.array(sorted(prices), dtype=np.int32)
        units = np.array([prices[a, b] for a, b in ends.tolist()])
        return {
            "price_from": ends[:, 0].copy(),
            "price_to": ends[:, 1].copy(),
            "price_units": units,
            "price_ticks": ticks_of(units, self.places.ticks_per_unit),
        }


#: How columns of things begin.
_THINGS = ("link_", "region_", "spot_", "door_")
