"""Give a flat file the face of an asset, so that one reader answers from both.

Next hops, and whatever else the file has as an asset does, are handed out where they lie. The rest
is made of the file's columns when it is asked for. On grids the graph has an arc for each direction
of every node, so that moves are slots; an arc that does not exist leads to its own node and is
blocked for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array
from bake.asset import Asset, Header
from bake.asset.schema import COLUMNS, PROFILE, column, profile_path
from bake.errors import AssetError, BakeError, CorruptAssetError
from bake.flat.read import FlatFile
from bake.flat.schema import LEVEL
from bake.flat.schema import column as flat_column
from bake.graph import BLOCKED
from bake.hexagons import HEX_LAYOUTS
from bake.movement import (
    CORNER_CUTTING,
    COST_RULES,
    MAX_SIZE,
    Connectivity,
    Footprints,
    Lattice,
    MovementRules,
    Mover,
    Prices,
    price_arcs,
    price_steps,
    to_ticks,
)

_KINDS = ("graph", "square", "hex")
_MODES = (None, "hpa", "exact")
#: Columns of things that hold locations where an asset has cells.
_CELLS = ("region_cell", "spot_cell", "door_cell", "link_start", "link_goal")


@dataclass(frozen=True)
class _Stated(Header):
    """A header of which only the fingerprint is known."""

    stated: str = ""

    def fingerprint(self) -> str:
        return self.stated


@dataclass(frozen=True)
class _Arcs:
    """The arcs of the asset that a flat file stands for; ``step`` says which are steps."""

    first_out: Int32Array
    head: Int32Array
    length: Float64Array
    link: Int32Array


class FlatAsset(Asset):
    """An open flat file, with the attributes and columns of an asset.

    Attributes:
        flat: the file.
    """

    #: Labels hold distances, not what they are to be added up from.
    labels_are_sums = True

    def __init__(self, path: str | Path, *, check: bool = True) -> None:
        """Open a flat file; see :class:`bake.flat.read.FlatFile`."""
        self.path = Path(path)
        self.flat = FlatFile(self.path, check=check)
        self._made: dict[str, AnyArray | None] = {}
        self._is_open = True
        flat = self.flat
        for name, most in (
            ("kind", 2),
            ("hex_layout", 4),
            ("corner_cutting", 2),
            ("cost_rule", 1),
        ):
            if flat.numbers[name] > most:
                raise self.damaged(f"{name} is {flat.numbers[name]}")
        names = flat.texts(LEVEL, "profile_name")
        if names != sorted(set(names), key=str.encode):
            raise self.damaged("profile_name is not in order")
        self.profiles = tuple(names)
        self._level_name = flat.texts(LEVEL, "name")[0]
        head = flat.header
        self.header = _Stated(
            head.format_version,
            head.bake_revision,
            self._level_name,
            (),
            "",
            "",
            0,
            head.size,
            head.fingerprint,
        )
        self._check_shape()

    def _check_shape(self) -> None:
        numbers = self.flat.numbers
        width, height, floors = (numbers[name] for name in ("width", "height", "floors"))
        wanted = {0: (0,), 1: (4, 8), 2: (6,)}[numbers["kind"]]
        fits = numbers["directions"] in wanted and (numbers["hex_layout"] > 0) == (6 in wanted)
        fits = fits and numbers["ticks_per_unit"] > 0 and 0 < numbers["terrains"] <= 256
        if self._is_grid:
            fits = fits and width * height == numbers["locations"] and floors > 0
            fits = fits and height % max(1, floors) == 0
        if not fits:
            raise self.damaged("the numbers of the level contradict each other")

    def damaged(self, found: str, *, verdict: str = "damaged") -> CorruptAssetError:
        """Return the error for what is found in this file."""
        return self.flat.damaged(found, verdict)

    def close(self) -> None:
        """Let nothing more be read; arrays already handed out stay valid."""
        self._is_open = False

    def check_open(self) -> None:
        """Refuse to go on after :meth:`close`."""
        if not self._is_open:
            raise AssetError(
                "the asset is closed", file=self.path, remedy="look things up inside `with`"
            )

    # -- attributes -------------------------------------------------------------------------------

    @property
    def _is_grid(self) -> bool:
        return self.flat.numbers["kind"] != 0

    def _profile(self, path: str) -> int:
        """Return the number of the profile in a path."""
        return self.profiles.index(path.split("/")[2])

    def text(self, name: str, group: str = "/") -> str | None:
        """Return a text attribute; None where it is absent."""
        self.check_open()
        numbers = self.flat.numbers
        if name == "hierarchy_mode":
            mode = self.flat.profiles[self._profile(group)]["hierarchy_mode"]
            if mode >= len(_MODES):
                raise self.damaged(f"hierarchy_mode is {mode}")
            return _MODES[mode]
        if name == "recipe":
            return self.flat.texts(LEVEL, "recipe")[0]
        layout = numbers["hex_layout"]
        names = "str" if self.flat.has(LEVEL, "node_name") else "int"
        return {
            "name": self._level_name,
            "kind": _KINDS[numbers["kind"]],
            "hex_layout": HEX_LAYOUTS[layout - 1] if layout else None,
            "corner_cutting": CORNER_CUTTING[numbers["corner_cutting"]],
            "cost_rule": COST_RULES[numbers["cost_rule"]],
            "node_name_type": None if self._is_grid else names,
        }[name]

    def number(self, name: str, group: str = "/") -> int | None:
        """Return an integer attribute; None where it is absent."""
        self.check_open()
        if group != "/":
            own = self.flat.profiles[self._profile(group)]
            return {
                "component_count": own["components"],
                "one_way": own["one_way"],
                "two_way": own["two_way"],
                "size": own["size"] if own["size"] != 1 else None,
            }.get(name)
        numbers = self.flat.numbers
        floors = numbers["floors"]
        return {
            "format_version": self.header.format_version,
            "bake_revision": self.header.bake_revision,
            "width": numbers["width"] if self._is_grid else None,
            "height": numbers["height"] if self._is_grid else None,
            "connectivity": numbers["directions"] if self._is_grid else None,
            "ticks_per_unit": numbers["ticks_per_unit"],
            "floor_height": numbers["height"] // floors if floors > 1 else None,
        }[name]

    # -- columns ----------------------------------------------------------------------------------

    def has(self, path: str) -> bool:
        """Tell whether there is a column."""
        self.check_open()
        return self._find(path) is not None

    def read(self, path: str) -> AnyArray:
        """Return a column of an asset, where it lies or made of others.

        Raises:
            CorruptAssetError: it is missing, or is made of columns that contradict each other.
        """
        self.check_open()
        if path not in self._made:
            find = self._find(path)
            if find is None:
                raise self.damaged(f"column {path} is missing")
            array = find()
            self._check_values(array, path)
            self._made[path] = array
        found = self._made[path]
        assert found is not None
        return found

    def map(self, path: str) -> AnyArray:
        """Return a column where it lies."""
        return self.read(path)

    def shape(self, path: str) -> tuple[int, ...]:
        """Return the shape of a column."""
        if path == "/terrain/grid":
            return self.flat.numbers["height"], self.flat.numbers["width"]
        return self.read(path).shape

    def dtype(self, path: str) -> str:
        """Return the element type of a column."""
        dtype = self.read(path).dtype
        return "text" if dtype.kind == "S" else str(dtype)

    def stored_bytes(self, path: str) -> int:
        """Return the bytes that a column takes in the file; 0 where it is made of others."""
        key = self._lying(path)
        return 0 if key is None else self.flat.entries[key].size

    def is_same(self, path: str, other: str) -> bool:
        """Tell whether two columns are stored once."""
        one, two = self._lying(path), self._lying(other)
        return one is not None and two is not None and self.flat.is_same(one, two)

    def columns(self) -> list[str]:
        """Return the paths of all columns, in the order of the asset's schema."""
        shared = [c.path for c in COLUMNS if PROFILE not in c.path]
        own = [c.path.rsplit("/", 1)[1] for c in COLUMNS if PROFILE in c.path]
        paths = shared + [profile_path(p, name) for p in self.profiles for name in own]
        return [path for path in paths if self.has(path)]

    def _lying(self, path: str) -> tuple[int, str] | None:
        """Return the key of a column that the file holds as an asset does; None = it does not."""
        parts = path.split("/")
        if parts[1] == "profiles":
            key = self._profile(path), _SAME_OWN.get(parts[3], parts[3])
            taken = parts[3] in _MADE_OWN
        else:
            key = LEVEL, _SAME.get(path, parts[1].removesuffix("s") + "_" + parts[2])
            taken = key[1] in _CELLS
        if taken or flat_column(*key) is None or not self.flat.has(*key):
            return None
        return key

    def _find(self, path: str) -> Callable[[], AnyArray] | None:
        """Return what gives a column; None where the file does not have it."""
        column(path)  # raises a KeyError for a path that no asset has
        key = self._lying(path)
        if key is not None:
            found = key
            if self.flat.entries[found].dtype == "text":
                return lambda: self._text(*found)
            return lambda: self.flat.read(*found)
        parts = path.split("/")
        if parts[1] == "profiles":
            number, name = self._profile(path), parts[3]
            made = {
                "component": lambda: self._component(number),
                "weight": lambda: self._weight(number),
                "run_count": lambda: self._run_count(number),
            }
            needs = {"run_count": "first_run"}.get(name)
            absent = name not in made or (needs and not self.flat.has(number, needs))
            return None if absent else made[name]
        if parts[1] in ("regions", "spots", "doors", "links"):
            name = "spot_at" if path == "/spots/cell" else f"{parts[1][:-1]}_{parts[2]}"
            return (lambda: self._cells(name)) if self.flat.has(LEVEL, name) else None
        shared: dict[str, Callable[[], AnyArray]] = {"/world/node_terrain": self._node_terrain}
        if self.flat.has(LEVEL, "price_from"):
            shared["/world/own_price"] = self._own_price
        if self._is_grid:
            shared |= {
                "/terrain/grid": self._grid,
                "/world/cell": lambda: self._cells_of(self._place),
                "/world/first_out": lambda: self._arcs.first_out,
                "/world/head": lambda: self._arcs.head,
                "/world/length": lambda: self._arcs.length,
            }
            if self.flat.has(LEVEL, "barred"):
                shared["/terrain/barred"] = lambda: self.flat.read(LEVEL, "barred").reshape(
                    self.shape("/terrain/grid")
                )
            if self.flat.has(LEVEL, "link_name"):
                shared["/world/link"] = lambda: self._arcs.link
        elif self.flat.has(LEVEL, "node_number"):
            shared["/world/node_name"] = lambda: self.flat.read(LEVEL, "node_number")
        return shared.get(path)

    def _text(self, profile: int, name: str) -> AnyArray:
        """Return a column of text as (k) bytes."""
        stored = self.flat.read(profile, name)
        if stored.shape[-1] == 0 or stored[:, -1].any():
            raise self.damaged(f"a text in column {name} has no end")
        return np.ascontiguousarray(stored).reshape(-1).view(f"S{stored.shape[1]}")

    # -- what is made of other columns: the level -------------------------------------------------

    def _level(self, name: str, limit: int, least: int = 0) -> AnyArray:
        """Return a column of the level whose elements are ``least`` to ``limit`` - 1."""
        stored = self.flat.read(LEVEL, name)
        if stored.size and not (int(stored.min()) >= least and int(stored.max()) < limit):
            raise self.damaged(f"column {name} has elements outside {least} to {limit - 1}")
        return stored

    def _grid(self) -> AnyArray:
        return self.flat.read(LEVEL, "terrain").reshape(self.shape("/terrain/grid"))

    def _node_terrain(self) -> AnyArray:
        terrain = self._level("terrain", self.flat.numbers["terrains"])
        return terrain[self._place] if self._is_grid else terrain

    @cached_property
    def _place(self) -> Int32Array:
        """Return (n) int32, the location of each node of a grid."""
        count = self.flat.numbers["nodes"]
        node_at = self._level("node_at", count, -1)
        place = np.flatnonzero(node_at >= 0).astype(np.int32)
        found = np.full(count, -1, dtype=np.int32)
        found[node_at[place]] = place
        if len(place) != count or (found < 0).any():
            raise self.damaged("node_at does not number the nodes")
        return found

    def _cells_of(self, location: AnyArray) -> Int32Array:
        """Return (k, 2) int32, the cells (x, y) of the whole grid at some locations."""
        y, x = np.divmod(location, np.int32(max(1, self.flat.numbers["width"])))
        return np.stack([x, y], axis=1).astype(np.int32)

    def _cells(self, name: str) -> Int32Array:
        return self._cells_of(self._level(name, self.flat.numbers["locations"]))

    @cached_property
    def _lattice(self) -> Lattice:
        numbers = self.flat.numbers
        layout = numbers["hex_layout"]
        known: dict[int, Connectivity] = {4: 4, 6: 6, 8: 8}
        barred = self.flat.read(LEVEL, "barred") if self.flat.has(LEVEL, "barred") else None
        return Lattice(
            numbers["width"],
            numbers["height"],
            known[numbers["directions"]],
            HEX_LAYOUTS[layout - 1] if layout else None,
            numbers["height"] // numbers["floors"] if numbers["floors"] > 1 else None,
            barred,
        )

    @cached_property
    def _link_arcs(self) -> tuple[Int64Array, Int32Array]:
        """Return (k) int64 which arcs of links join two nodes, and (k) int32 where each lies."""
        none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
        if not self.flat.has(LEVEL, "link_from"):
            return none
        count = self.flat.numbers["locations"]
        begins, leads = self._level("link_from", count), self._level("link_to", count)
        self._level("link_number", len(self.flat.read(LEVEL, "link_cost")))
        if (np.diff(begins) < 0).any():
            raise self.damaged("link_from is not ascending")
        node_at = self.flat.read(LEVEL, "node_at")
        joins = np.flatnonzero((node_at[begins] >= 0) & (node_at[leads] >= 0))
        among = np.arange(len(begins)) - np.searchsorted(begins, begins)
        tail = node_at[begins[joins]]
        per_node = np.bincount(tail, minlength=len(self._place))
        directions = self.flat.numbers["directions"]
        # An arc that leads nowhere comes after all others of its cell, so places have no gaps.
        if (among[joins] >= per_node[tail]).any():
            raise self.damaged("an arc of a link leads nowhere and is not the last of its cell")
        before = np.cumsum(per_node) - per_node
        place = directions * (tail + 1) + before[tail] + among[joins]
        return joins, place.astype(np.int32)

    @cached_property
    def _arcs(self) -> _Arcs:
        directions, place = self.flat.numbers["directions"], self._place
        joins, at = self._link_arcs
        node_at = self.flat.read(LEVEL, "node_at")
        begins = node_at[self.flat.read(LEVEL, "link_from")[joins]] if len(joins) else joins
        degree = directions + np.bincount(begins, minlength=len(place))
        first_out = np.concatenate([[0], np.cumsum(degree)]).astype(np.int32)
        head = np.empty(int(first_out[-1]), dtype=np.int32)
        length = np.empty(len(head))
        link = np.full(len(head), -1, dtype=np.int32)
        slots = self._step_slots(first_out)
        steps = self._lattice.steps_from(place.astype(np.int64))
        leads = np.where(steps.inside, node_at[steps.head], -1)
        own = np.arange(len(place), dtype=np.int32)[:, None]
        head[slots] = np.where(leads < 0, own, leads)
        length[slots] = self._lattice.length
        if len(joins):
            number = self.flat.read(LEVEL, "link_number")[joins]
            head[at] = node_at[self.flat.read(LEVEL, "link_to")[joins]]
            length[at] = self.flat.read(LEVEL, "link_cost")[number]
            link[at] = number
        return _Arcs(first_out, head, length, link)

    def _step_slots(self, first_out: Int32Array) -> Int64Array:
        """Return (n, directions) int64, the arc of each step of each node."""
        directions = np.arange(self.flat.numbers["directions"])
        return first_out[:-1, None].astype(np.int64) + directions

    def _own_price(self) -> Float64Array:
        """Return (m) float64, units of arcs with a price of their own; NaN of others."""
        arcs = self._graph_arcs
        tail = np.repeat(np.arange(len(arcs[0]) - 1), np.diff(arcs[0]))
        count = self.flat.numbers["locations"]
        begins, leads = self._level("price_from", count), self._level("price_to", count)
        keys = begins.astype(np.int64) * count + leads
        if (np.diff(keys) <= 0).any():
            raise self.damaged("prices are not in order")
        place = self._place if self._is_grid else np.arange(count)
        wanted = place[tail].astype(np.int64) * count + place[arcs[1]]
        at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        units = self.flat.read(LEVEL, "price_units")
        if not len(keys):
            return np.full(len(wanted), np.nan)
        return np.where((keys[at] == wanted) & (arcs[1] != tail), units[at], np.nan)

    @property
    def _graph_arcs(self) -> tuple[AnyArray, AnyArray]:
        return self.read("/world/first_out"), self.read("/world/head")

    # -- what is made of other columns: profiles --------------------------------------------------

    def _rows(self, profile: int) -> Int32Array:
        """Return (n) int32, the row of each node; -1 where the profile cannot stand."""
        count = self.flat.profiles[profile]["rows"]
        row_at = self.flat.read(profile, "row_at")
        row = row_at[self._place] if self._is_grid else row_at
        if int((row_at >= 0).sum()) != count or not np.array_equal(row[row >= 0], np.arange(count)):
            raise self.damaged(f"row_at of profile {profile} does not number rows like nodes")
        return np.asarray(row, dtype=np.int32)

    def _component(self, profile: int) -> Int32Array:
        """Return (n) int32, the component of each node; -1 where the profile cannot stand."""
        row = self._rows(profile)
        if not self.flat.has(profile, "component"):
            return np.minimum(row, 0)
        component = self.flat.read(profile, "component")
        limit = self.flat.profiles[profile]["components"]
        if not (component.min(initial=0) >= 0 and component.max(initial=-1) < limit):
            raise self.damaged(f"component of profile {profile} is not below {limit}")
        return np.where(row < 0, -1, component[np.maximum(row, 0)]).astype(np.int32)

    def _run_count(self, profile: int) -> Int32Array:
        first = self.flat.read(profile, "first_run").astype(np.int64)
        count = np.diff(first)
        if first[0] != 0 or first[-1] != len(self.flat.read(profile, "run_start")):
            raise self.damaged(f"first_run of profile {profile} does not fit its runs")
        if (count < 0).any() or (count >= 2**31).any():
            raise self.damaged(f"first_run of profile {profile} is not ascending")
        return count.astype(np.int32)

    def _weight(self, profile: int) -> Int32Array:
        """Return (m) int32 ticks, the weight of each arc of a grid by the rules of movement."""
        lattice, arcs, place = self._lattice, self._arcs, self._place.astype(np.int64)
        weight = np.full(len(arcs.head), BLOCKED, dtype=np.int32)
        footprints = Footprints(self._mover(profile), self._terrain, lattice)
        steps = lattice.steps_from(place)
        prices = price_steps(footprints, self._rules, steps)
        leads = np.where(steps.inside, self.flat.read(LEVEL, "node_at")[steps.head], -1)
        fine = Prices(prices.usable & (leads >= 0), prices.units)
        slots = self._step_slots(arcs.first_out)
        weight[slots] = to_ticks(fine, self._rules.ticks_per_unit, self._off_the_scale)
        joins, at = self._link_arcs
        if len(joins):
            begins, leads = (
                self.flat.read(LEVEL, name)[joins].astype(np.int64)
                for name in ("link_from", "link_to")
            )
            taken: BoolArray = self.flat.read(profile, "link_open")[joins] != 0
            prices = price_arcs(footprints, self._rules, begins, leads, arcs.length[at], taken)
            weight[at] = to_ticks(prices, self._rules.ticks_per_unit, self._off_the_scale)
        if self.has("/world/own_price"):
            own = self.read("/world/own_price")
            mine = ~np.isnan(own) & (weight != BLOCKED)
            prices = Prices(mine & np.isfinite(own), own)
            ticks = to_ticks(prices, self._rules.ticks_per_unit, self._off_the_scale)
            weight = np.where(mine, ticks, weight)
        return weight

    @cached_property
    def _terrain(self) -> AnyArray:
        return self._level("terrain", self.flat.numbers["terrains"])

    @cached_property
    def _rules(self) -> MovementRules:
        numbers = self.flat.numbers
        return MovementRules(
            CORNER_CUTTING[numbers["corner_cutting"]],
            COST_RULES[numbers["cost_rule"]],
            numbers["ticks_per_unit"],
        )

    def _mover(self, profile: int) -> Mover:
        cost = self.flat.read(profile, "cost")
        size = self.flat.profiles[profile]["size"]
        allowed = np.ones((len(cost), len(cost)), dtype=np.bool_)
        if self.flat.has(profile, "may_enter"):
            allowed = self.flat.read(profile, "may_enter") != 0
        if not 1 <= size <= MAX_SIZE or (size > 1 and self._lattice.hex_layout):
            raise self.damaged(f"the size of profile {profile} is {size}")
        return Mover(cost, allowed, size)

    def _off_the_scale(self, arc: int, ticks: float) -> BakeError:
        return self.damaged(f"an arc would weigh {ticks:.4g} ticks")


#: Names of columns that lie in the file as an asset has them, where the names differ.
_SAME = {
    "/terrain/name": "terrain_name",
    "/terrain/colour": "terrain_colour",
    "/world/first_out": "first_out",
    "/world/head": "head",
    "/world/length": "length",
    "/world/centre": "centre",
    "/world/step": "step",
    "/world/position": "position",
    "/world/node_name": "node_name",
}
_SAME_OWN = {"run_slot": "run_move"}
#: Columns of a profile whose names are in the file, too, where they say something else.
_MADE_OWN = ("component",)
