"""What decides the price of a step, as the asset tells it: of the level, and of each profile."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.asset.schema import profile_path
from bake.footprint import MAX_SIZE
from bake.graph import Graph
from bake.runtime.reader.places import Places


class LevelRules:
    """Rules that hold for every profile, and the ground as it was baked.

    A *spot* is a cell, counted in reading order, or a node of a graph level.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self.asset = places.asset
        self.corner_cutting = self.asset.text("corner_cutting")
        self.cost_rule = self.asset.text("cost_rule")
        if self.corner_cutting not in ("never", "one_free", "always"):
            raise self.asset.damaged(f"corner_cutting is {self.corner_cutting!r}")
        if self.cost_rule not in ("mean", "entered"):
            raise self.asset.damaged(f"cost_rule is {self.cost_rule!r}")

    @cached_property
    def connectivity(self) -> int:
        return 6 if self.places.hex_layout else self.asset.number("connectivity") or 8

    @cached_property
    def floor_height(self) -> int:
        """Rows of one floor."""
        return self.places.floor_height or max(1, self.places.height)

    @cached_property
    def terrains(self) -> tuple[str, ...]:
        return tuple(bytes(name).decode() for name in self.asset.read("/terrain/name").tolist())

    @cached_property
    def terrain(self) -> UInt8Array:
        """(spots) uint8, the terrain that was baked."""
        path = "/terrain/grid" if self.places.is_grid else "/world/node_terrain"
        return np.ascontiguousarray(self.asset.read(path).astype(np.uint8).reshape(-1))

    @cached_property
    def barred(self) -> UInt8Array | None:
        """(cells) uint8 headings that ledges bar."""
        if not self.asset.has("/terrain/barred"):
            return None
        return self.asset.read("/terrain/barred").astype(np.uint8).reshape(-1)

    @cached_property
    def length(self) -> Float64Array:
        """(m) float64, length of each baked arc; of a link its whole cost."""
        length = self.asset.read("/world/length").astype(np.float64)
        if len(length) != len(self.places.head):
            raise self.asset.damaged("length and head differ in length")
        return length

    @cached_property
    def graph(self) -> Graph:
        return Graph(self.places.first_out, self.places.head)

    @cached_property
    def tail(self) -> Int32Array:
        return self.graph.tail()

    @cached_property
    def link(self) -> Int32Array:
        """(m) int32, the link each baked arc is, -1 for a step."""
        if not self.asset.has("/world/link"):
            return np.full(len(self.places.head), -1, dtype=np.int32)
        link = self.asset.read("/world/link").astype(np.int32, copy=False)
        count = self.asset.shape("/links/name")[0]
        if len(link) != len(self.places.head) or link.max(initial=-1) >= count:
            raise self.asset.damaged("link does not fit arcs and links")
        return link

    @cached_property
    def link_arcs(self) -> Int32Array:
        """Baked arcs that are links."""
        return np.flatnonzero(self.link >= 0).astype(np.int32)

    def steps_from(self, spot: int) -> list[int]:
        """Cells a step may lead to, terrain apart."""
        y, x = divmod(spot, self.places.width)
        by_row = (self.places.hex_layout or "r").endswith("r")
        dx, dy, _ = lattice_steps(self)
        parity = (y if by_row else x) & 1
        ends = zip((x + dx[parity]).tolist(), (y + dy[parity]).tolist(), strict=True)
        width, floor = self.places.width, self.floor_height
        return [
            b * width + a
            for a, b in ends
            if 0 <= a < width and 0 <= b < self.places.height and b // floor == y // floor
        ]

    @cached_property
    def arcs_between(self) -> frozenset[tuple[int, int]]:
        """(tail, head) spots of every arc of a graph level, and of every link."""
        arcs = self.link_arcs if self.places.is_grid else np.arange(len(self.places.head))
        tail, head = self.spot_of_node[self.tail[arcs]], self.spot_of_node[self.places.head[arcs]]
        return frozenset(zip(tail.tolist(), head.tolist(), strict=True))

    @cached_property
    def spot_of_node(self) -> Int32Array:
        """(n) int32."""
        if self.places.is_grid:
            return self.places.flat
        return np.arange(self.places.node_count, dtype=np.int32)

    @cached_property
    def spot_count(self) -> int:
        return len(self.terrain)


def lattice_steps(rules: LevelRules) -> tuple[Int64Array, Int64Array, Int64Array]:
    """dx, dy and heading of every step, each (2, steps): by the row's, or column's, parity."""
    layout = rules.places.hex_layout
    if layout is None:
        steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]
        if rules.connectivity == 8:
            steps += [(1, 1), (-1, 1), (-1, -1), (1, -1)]
        by_parity = [steps, steps]
        headings = [
            (2 if dx > 0 else 8 if dx < 0 else 0) | (4 if dy > 0 else 1 if dy < 0 else 0)
            for dx, dy in steps
        ]
    else:
        by_parity = []
        for parity in (0, 1):
            shift = 1 if parity == (1 if layout.startswith("odd") else 0) else 0
            if layout.endswith("r"):
                right = shift
                by_parity.append(
                    [(1, 0), (right, 1), (right - 1, 1), (-1, 0), (right - 1, -1), (right, -1)]
                )
            else:
                down = shift
                by_parity.append(
                    [(0, 1), (-1, down), (-1, down - 1), (0, -1), (1, down - 1), (1, down)]
                )
        headings = [2, 6, 12, 8, 9, 3] if layout.endswith("r") else [4, 12, 9, 1, 3, 6]
    numbers = np.array(by_parity, dtype=np.int64)
    bits = np.broadcast_to(np.array(headings, dtype=np.int64), numbers.shape[:2])
    return numbers[:, :, 0], numbers[:, :, 1], bits


class ProfileRules:
    """What terrain means to one profile.

    Attributes:
        name: the profile's.
        cost: (terrain) float64 units, NaN where it cannot go.
        allowed: (terrain, terrain) bool, [from, to].
        size: cells along one side of its footprint.
        for_all: whether every step between passable terrains is allowed.
    """

    def __init__(self, level: LevelRules, name: str) -> None:
        asset = level.asset
        self.name = name
        self.cost = asset.read(profile_path(name, "cost")).astype(np.float64)
        count = len(level.terrains)
        if len(self.cost) != count:
            raise asset.damaged("cost does not fit the terrains")
        self.allowed = np.ones((count, count), dtype=np.bool_)
        if asset.has(profile_path(name, "may_enter")):
            self.allowed = asset.read(profile_path(name, "may_enter")).astype(np.bool_)
        if self.allowed.shape != (count, count):
            raise asset.damaged("may_enter does not fit the terrains")
        self.for_all = bool(self.allowed.all())
        self.size = 1
        if level.places.is_grid and level.places.hex_layout is None:
            self.size = asset.number("size", f"/profiles/{name}") or 1
            if not 1 <= self.size <= MAX_SIZE:
                raise asset.damaged(f"the profile's size is {self.size}")
        self._level = level

    @cached_property
    def takes(self) -> BoolArray:
        """(links) bool, whether each link is for this profile."""
        asset = self._level.asset
        if not asset.has("/links/name"):
            return np.empty(0, dtype=np.bool_)
        first = asset.read("/links/first_profile").astype(np.int64)
        names = [bytes(each).decode() for each in asset.read("/links/profile").tolist()]
        if first[0] != 0 or first[-1] != len(names) or (np.diff(first) < 0).any():
            raise asset.damaged("first_profile of links contradicts the rest")
        mine = [
            start == end or self.name in names[start:end]
            for start, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
        ]
        return np.array(mine, dtype=np.bool_)
