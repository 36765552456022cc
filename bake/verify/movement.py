"""Verify the weights of arcs from terrain: the steps of each profile, and their costs.

This is written from docs/recipe.md ("Movement", "costs" and "kinds of agents"), and shares nothing
with the code that prices arcs for a bake. All cells are processed together, one heading at a time:
a step is possible if every cell under the footprint may make it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int64Array
from bake.core.graph import BLOCKED
from bake.verify.lattice import verify_dearest, verify_form
from bake.verify.level import NO_LINK, FileLevel
from bake.verify.stated import Recipe
from levelbake.columns import profile_path

#: Bits of headings, by the sign of a step along x and along y.
_HEADING_X, _HEADING_Y = {1: 2, -1: 8, 0: 0}, {1: 4, -1: 1, 0: 0}


class Mover(NamedTuple):
    """The rules of movement of a profile."""

    cost: Float64Array  #: (terrains) units; NaN where the profile cannot go
    enters: BoolArray  #: (terrains, terrains) bool, [from, to]
    size: int  #: cells along one side of the footprint
    #: units that each unit of rise and of fall adds to a step
    up: float = 0.0
    down: float = 0.0
    #: the most that a step may rise and fall
    climb: float = np.inf
    drop: float = np.inf
    turn: float = 1.0  #: units that turning by one heading costs

    def too_steep(self, rise: Float64Array) -> BoolArray:
        """Return a mask of steps that are too steep, from their rises (NaN without a step)."""
        return (rise > self.climb) | (rise < -self.drop)

    def slope(self, rise: Float64Array) -> Float64Array:
        """Return the price that a rise adds to a step, NaN without a step."""
        return np.maximum(rise, 0) * self.up + np.maximum(-rise, 0) * self.down


def _read_mover(level: FileLevel, profile: str) -> Mover:
    """Read a mover, and verify it against the recipe."""
    asset, recipe = level.asset, Recipe(level.asset)
    cost = asset.read(profile_path(profile, "cost")).astype(np.float64)
    enters = np.ones((level.terrains, level.terrains), dtype=np.bool_)
    if asset.has(profile_path(profile, "may_enter")):
        enters = asset.read(profile_path(profile, "may_enter")).astype(np.bool_)
    slope = usual = (0.0, 0.0, np.inf, np.inf)
    if asset.has(path := profile_path(profile, "slope")):
        slope = tuple(asset.read(path).tolist())
        finite = np.isfinite(slope[:2]).all()
        level.require(finite, f"profile {profile!r}: slope is not a valid rule")
    turn = 1.0
    if level.headings is not None:
        turn = float(asset.read(profile_path(profile, "turn"))[0])
    size = asset.number("size", f"/profiles/{profile}")
    # The stored values, and the recipe's.
    values: dict[str, tuple[object, object]] = {}
    for code, name in enumerate(level.terrain_names):
        if (rule := recipe.rule(profile, name)) is None:
            continue
        values[f"cost of {name!r}"] = (
            None if np.isnan(cost[code]) else cost[code],
            rule.get("cost"),
        )
        if (sources := rule.get("enter_from")) is None:
            sources = level.terrain_names
        if rule.get("cost") is not None:
            passable = [source for source in range(level.terrains) if not np.isnan(cost[source])]
            values[f"what enters {name!r}"] = (
                enters[passable, code].tolist(),
                [level.terrain_names[source] in sources for source in passable],
            )
    if level.headings is not None and (stated := recipe.at("turns", profile)) is not None:
        values["turn"] = (turn, stated)
    if recipe.at("profiles") is not None:
        values["size"] = (size, recipe.at("sizes", profile))
        values["headings"] = (level.headings, recipe.at("headings"))
        for units, name, most in zip(slope, ("up", "down", "climb", "drop"), usual, strict=True):
            own_slope = recipe.at("profile_slopes", profile, name)
            stated = recipe.at("slopes", name) if own_slope is None else own_slope
            values[f"slope.{name}"] = (units, most if stated is None else stated)
    for what, (value, stated) in values.items():
        same = value == stated
        level.require(same, f"profile {profile!r}: {what} is not the one in the recipe")
    return Mover(cost, enters, size or 1, *slope, turn)


def verify_movement(level: FileLevel, profiles: tuple[str, ...]) -> None:
    """Verify the nodes of a level, and the weight of every arc for every profile.

    Raises:
        CorruptAssetError: a node, an arc or a weight does not follow from terrain and rules.
    """
    asset = level.asset
    recipe = Recipe(asset)
    stored = {
        "corner_cutting": asset.text("corner_cutting"),
        "cost_rule": asset.text("cost_rule"),
        "ticks_per_unit": asset.number("ticks_per_unit"),
    }
    if level.kind == "square":
        stored["connectivity"] = asset.number("connectivity")
    for name, value in stored.items():
        fits = recipe.at(name) in (None, value)
        level.require(fits, f"{name} is not the one in the recipe")
    movers = {name: _read_mover(level, name) for name in profiles}
    verify_form(level, {name: mover.size for name, mover in movers.items()})
    stands = {name: _standing_costs(level, mover) for name, mover in movers.items()}
    if level.kind != "graph":
        _verify_nodes(level, movers, stands)
    for name, mover in movers.items():
        weight = asset.graph.weight(name).astype(np.int64)
        component = asset.graph.component(name)
        right = ((component >= 0) == ~np.isnan(_at_nodes(level, stands[name]))).all()
        level.require(right, f"profile {name!r} stands on other nodes than component has")
        _Weights(level, name, mover, stands[name]).verify(weight)
        verify_dearest(level, name, mover.cost, stands[name])
    if level.kind != "graph":
        _verify_links(level)


def verify_cells(level: FileLevel) -> None:
    """Verify the mapping from nodes to cells.

    The costs of their steps depend on slopes and turns, which the file does not contain; only a
    comparison with the original asset verifies these.

    Raises:
        CorruptAssetError: a node is wrong; the first mistake is named.
    """
    asset = level.asset
    cell = asset.read("/cell")
    named = [name.decode().split(",") for name in asset.read("/node_name").tolist()]
    right = [list(map(str, place)) for place in cell.tolist()]
    fits = named == right or (not cell[:, 2].any() and named == [place[:2] for place in right])
    level.require(fits, "a node is not named after its cell")


def _at_nodes(level: FileLevel, values: AnyArray) -> AnyArray:
    """Return the values of nodes, from values of cells or of nodes."""
    if level.kind == "graph":
        return values
    x, y = level.cell.T
    return np.asarray(values[y, x])


def _window(
    level: FileLevel, cells: AnyArray, size: int, outside: object, combine: np.ufunc
) -> AnyArray:
    """Combine all cells under the footprint at each cell of its floor."""
    rows = level.floor_height
    height, width = cells.shape
    padded = np.full((height // rows, rows + size, width + size), outside, dtype=cells.dtype)
    padded[:, :rows, :width] = cells.reshape(-1, rows, width)
    combined = padded[:, :rows, :width].copy()
    for down, right in np.ndindex(size, size):
        combine(combined, padded[:, down : down + rows, right : right + width], out=combined)
    return combined.reshape(height, width)


def _standing_costs(level: FileLevel, mover: Mover) -> Float64Array:
    """Return the highest cost under the footprint at each cell, NaN where the profile cannot stand.

    The shape is (height, width) on grids and (n) on graphs.
    """
    if level.kind == "graph":
        return np.asarray(mover.cost[level.terrain])
    return _window(level, mover.cost[level.grid], mover.size, np.nan, np.maximum)


def _verify_nodes(
    level: FileLevel, movers: dict[str, Mover], stands: dict[str, Float64Array]
) -> None:
    """Verify that the nodes are the cells where any profile stands in some state of the doors."""
    anywhere = np.zeros(level.grid.shape, dtype=np.bool_)
    for name, mover in movers.items():
        passable = ~np.isnan(mover.cost)
        free = passable[level.grid]
        for cells, terrain in level.door_terrain:
            x, y = cells.T
            free[y, x] |= passable[terrain].any(axis=0)
        anywhere |= _window(level, free, mover.size, False, np.logical_and)
        anywhere |= ~np.isnan(stands[name])
    x, y = level.cell.T
    is_node = np.zeros_like(anywhere)
    is_node[y, x] = True
    level.require(
        (is_node == anywhere).all(), "nodes are not the cells where any profile can stand"
    )


class _Weights:
    """The expected weights of the arcs of one profile."""

    def __init__(self, level: FileLevel, name: str, mover: Mover, stands: Float64Array) -> None:
        self.level, self.name, self.mover, self.stands = level, name, mover, stands
        asset = level.asset
        self.scale = asset.number("ticks_per_unit") or 1
        self.mean = asset.text("cost_rule") == "mean"
        self.free_flanks = {"never": 2, "one_free": 1, "always": 0}[
            asset.text("corner_cutting") or ""
        ]
        self.own_price = asset.graph.own_price

    def verify(self, weight: Int64Array) -> None:
        """Verify the weights of all arcs."""
        if self.level.kind == "graph":
            self._verify_graph(weight)
        else:
            self._verify_steps(weight)
            self._verify_link_weights(weight)

    def _ticks(
        self,
        before: AnyArray,
        after: AnyArray,
        length: AnyArray | np.float64,
        more: AnyArray | float,
    ) -> Float64Array:
        unit = (before + after) / 2 if self.mean else after
        return np.asarray(np.rint((unit * length + more) * self.scale))

    def _rise(self, dx: int, dy: int) -> Float64Array | None:
        """Return (height, width), the rise of the ground from each cell to a neighbor."""
        ground = self.level.elevation
        return None if ground is None else _shift_cells(self.level, ground, dx, dy, np.nan) - ground

    def _slope(self, dx: int, dy: int) -> AnyArray | float:
        """Return the cost of slope for every step of one heading, the highest under the footprint.

        Beyond the level's border it is 0, as there is no step.
        """
        rise = self._rise(dx, dy)
        if rise is None:
            return 0.0
        paid = np.nan_to_num(self.mover.slope(rise), nan=0.0)
        return _window(self.level, paid, self.mover.size, 0.0, np.maximum)

    def _compare(self, arcs: Int64Array, weight: AnyArray, ticks: AnyArray, what: str) -> None:
        """Raise on weights that differ from the expected ones.

        Args:
            arcs: (k) the arcs.
            weight: (k) their weights.
            ticks: (k) the weights that follow from terrain, BLOCKED for blocked arcs.
            what: the error message.
        """
        own_price = self.own_price[arcs]
        priced = ~np.isnan(own_price) & (ticks != BLOCKED)
        own_ticks = np.where(np.isinf(own_price), float(BLOCKED), np.rint(own_price * self.scale))
        wrong = weight != np.where(priced, own_ticks, ticks)
        self.level.require(not wrong.any(), f"profile {self.name!r}: {what}")

    def _verify_graph(self, weight: Int64Array) -> None:
        level, cost = self.level, self.stands
        before, after = cost[level.tail], cost[level.head]
        enters = self.mover.enters[level.terrain[level.tail], level.terrain[level.head]]
        usable = ~np.isnan(before + after) & enters
        more: AnyArray | float = 0.0
        if level.elevation is not None:
            rise = level.elevation[level.head] - level.elevation[level.tail]
            usable &= ~self.mover.too_steep(rise)
            more = self.mover.slope(rise)
        ticks = np.where(usable, self._ticks(before, after, level.length, more), float(BLOCKED))
        arcs = np.arange(len(weight))
        self._compare(arcs, weight, ticks, "a weight does not follow from terrain and length")

    # -- steps ------------------------------------------------------------------------------------

    def _verify_steps(self, weight: Int64Array) -> None:
        """Verify the arcs that are steps, heading by heading."""
        level = self.level
        node_at = np.full(level.grid.shape, -1)
        x, y = level.cell.T
        node_at[y, x] = np.arange(level.nodes)
        steps = np.flatnonzero((level.link == NO_LINK) & ~level.nowhere)
        blocked = (weight[level.nowhere] == BLOCKED).all()
        level.require(blocked, f"profile {self.name!r}: a step leads nowhere")
        seen = np.zeros(len(steps), dtype=np.int64)
        tail, head = level.tail[steps], level.head[steps]
        target = np.full(level.nodes, -1)
        for cells, (dx, dy), usable in self._faced_headings():
            # Cells of this parity; on square grids all of them.
            inside = _shift_cells(level, node_at, dx, dy, -1)
            target[:] = np.where(cells, inside, -1)[y, x]
            is_match = (target[tail] == head) & (target[tail] >= 0)
            seen += is_match
            arcs = steps[is_match]
            diagonal = dx != 0 and dy != 0 and level.kind == "square"
            length = np.float64(np.sqrt(2.0) if diagonal else 1.0)
            right = (level.length[arcs] == length).all()
            level.require(right, "a step has a wrong length")
            after = _shift_cells(level, self.stands, dx, dy, np.nan)
            may = usable & cells
            priced = self._ticks(self.stands, after, length, self._slope(dx, dy))
            ticks = np.where(may, priced, float(BLOCKED))[y, x]
            level.require(len(np.unique(tail[is_match])) == len(arcs), "a step is there twice")
            what = "a weight does not follow from terrain"
            self._compare(arcs, weight[arcs], ticks[tail[is_match]], what)
            missing = ticks != BLOCKED
            missing[tail[is_match]] = False
            level.require(not missing.any(), f"profile {self.name!r}: a step is missing")
        if level.headings is not None:
            seen += self._verify_turns(steps, weight, node_at)
        level.require((seen == 1).all(), "an arc joins cells that are not neighbours")

    def _faced_headings(self) -> Iterator[tuple[BoolArray, tuple[int, int], BoolArray]]:
        """Yield, for every heading, the cells it applies to, its step, and where it is allowed."""
        level = self.level
        for cells, step, (east, south), usable in self._headings():
            if level.headings is not None:
                facing = np.repeat(np.arange(level.headings), level.floor_height)[:, None]
                first = 90 if level.layout in ("odd-q", "even-q") else 0
                turned = (np.degrees(np.arctan2(south, east)) - first) % 360
                heading = round(turned / (360 / level.headings)) % level.headings
                yield cells & (facing == heading), step, usable
            else:
                yield cells, step, usable

    def _verify_turns(self, steps: Int64Array, weight: Int64Array, node_at: AnyArray) -> Int64Array:
        """Verify the arcs that are turns, and return (k) how often each of some arcs is a turn."""
        level, rows = self.level, self.level.floor_height
        x, y = level.cell.T
        tail, head = level.tail[steps], level.head[steps]
        seen = np.zeros(len(steps), dtype=np.int64)
        stands = ~np.isnan(self.stands)
        for by in (1, -1):
            to_y = (y + by * rows) % len(level.grid)
            target = node_at[to_y, x]
            is_match = (target[tail] == head) & (target[tail] >= 0)
            seen += is_match
            arcs = steps[is_match]
            level.require((level.length[arcs] == 1.0).all(), "a turn has another length than 1")
            may = stands[y, x] & stands[to_y, x]
            ticks = np.where(may, np.rint(self.mover.turn * self.scale), float(BLOCKED))
            what = "a turn does not weigh what it costs"
            self._compare(arcs, weight[arcs], ticks[tail[is_match]], what)
            missing = may.copy()
            missing[tail[is_match]] = False
            level.require(not missing.any(), f"profile {self.name!r}: a turn is missing")
        return seen

    def _headings(
        self,
    ) -> Iterator[tuple[BoolArray, tuple[int, int], tuple[float, float], BoolArray]]:
        """Yield, for every heading, the cells it applies to, its step, and where it is allowed.

        The third item is the offset of the neighbor to the east and south.
        """
        level = self.level
        every = np.ones(level.grid.shape, dtype=np.bool_)
        if level.layout is None:
            for step in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                yield every, step, step, self._may_step(step, step)
            if level.asset.number("connectivity") == 8:
                for step in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
                    yield every, step, step, self._may_step_diagonally(*step)
            return
        by_row = level.layout.endswith("r")
        # Floors are stored below one another, so parity counts from the first row of the grid.
        parity = np.indices(level.grid.shape)[0 if by_row else 1] & 1
        for odd in (0, 1):
            shifted = odd == (1 if level.layout.startswith("odd") else 0)
            half = 0.5 if shifted else -0.5
            aside = product((0, 1) if shifted else (-1, 0), (1, -1))
            for along, across in ((1, 0), (-1, 0), *aside):
                step = along, across
                toward = along - half * (across != 0), across * np.sqrt(0.75)
                if not by_row:
                    step, toward = step[::-1], toward[::-1]
                yield parity == odd, step, toward, self._may_step(step, toward)

    def _may_step(self, step: tuple[int, int], toward: tuple[float, float]) -> BoolArray:
        """Return (height, width), where the whole footprint may make a step toward a neighbor."""
        level, mover, (east, south) = self.level, self.mover, np.sign(toward).astype(int).tolist()
        is_blocked = ~mover.enters[level.grid, _shift_cells(level, level.grid, *step, 0)]
        barred = level.barred | _shift_cells(level, level.barred, *step, 0)
        is_blocked |= (barred & (_HEADING_X[east] | _HEADING_Y[south])) != 0
        rise = self._rise(*step)
        if rise is not None:
            is_blocked |= mover.too_steep(rise)
        fits = ~np.isnan(self.stands) & ~np.isnan(_shift_cells(level, self.stands, *step, np.nan))
        if mover.size > 1:
            is_blocked = _window(level, is_blocked, mover.size, False, np.logical_or)
        return np.asarray(fits & ~is_blocked)

    def _may_step_diagonally(self, dx: int, dy: int) -> BoolArray:
        """Return a mask of diagonal steps with enough free flanks for the rule."""
        free = np.zeros(self.level.grid.shape, dtype=np.int64)
        for first, second in (((dx, 0), (0, dy)), ((0, dy), (dx, 0))):
            onward = _shift_cells(self.level, self._may_step(second, second), *first, False)
            free += self._may_step(first, first) & onward
        return np.asarray(self._may_step((dx, dy), (dx, dy)) & (free >= self.free_flanks))

    # -- links ------------------------------------------------------------------------------------

    def _verify_link_weights(self, weight: Int64Array) -> None:
        """Verify the weights of links: their costs, if the profile can stand at both ends."""
        level = self.level
        arcs = np.flatnonzero(level.link != NO_LINK)
        taken = np.array([self._may_take(link) for link in level.links], dtype=np.bool_)
        if level.asset.has(path := profile_path(self.name, "link_open")):
            is_right = level.asset.read(path) == taken[level.asset.read("/link_number")]
            level.require(is_right.all(), f"profile {self.name!r}: link_open is wrong")
        if not len(arcs):
            return
        stands = ~np.isnan(_at_nodes(level, self.stands))
        usable = stands[level.tail[arcs]] & stands[level.head[arcs]] & taken[level.link[arcs]]
        ticks = np.where(usable, np.rint(level.length[arcs] * self.scale), float(BLOCKED))
        self._compare(arcs, weight[arcs], ticks, "a link does not weigh what it costs")

    def _may_take(self, link: SimpleNamespace) -> bool:
        """Return whether a link is for the profile, and every cell on it is passable."""
        level = self.level
        passes = [name in link.over for name in level.terrain_names] | ~np.isnan(self.mover.cost)
        clear = all(passes[level.grid[y, x]] for x, y in link.via)
        return clear and (link.profiles is None or self.name in link.profiles)


def _shift_cells(level: FileLevel, cells: AnyArray, dx: int, dy: int, outside: object) -> AnyArray:
    """Return for every cell the value of the cell a step away, on the same floor."""
    rows = level.floor_height
    height, width = cells.shape
    floors = cells.reshape(-1, rows, width)
    shifted = np.full_like(floors, outside)
    x, y = slice(max(0, dx), width + min(0, dx)), slice(max(0, dy), rows + min(0, dy))
    to_x, to_y = slice(max(0, -dx), width + min(0, -dx)), slice(max(0, -dy), rows + min(0, -dy))
    shifted[:, to_y, to_x] = floors[:, y, x]
    return shifted.reshape(height, width)


def _verify_link_arcs(level: FileLevel) -> None:
    """Verify the arcs of links, in the order of their tails."""
    width, wanted = level.grid.shape[1], []
    for number, link in enumerate(level.links):
        a, b = (y * width + x for x, y in (link.start, link.goal))
        wanted += [(a, b, number), (b, a, number)][: 1 + link.both_ways]
    columns = [level.asset.read(f"/link_{name}").tolist() for name in ("from", "to", "number")]
    target = sorted(zip(*columns, strict=True)) == sorted(wanted)
    level.require(target, "arcs of links are not those of the links")


def _verify_links(level: FileLevel) -> None:
    """Verify that every link has its arcs, from its start to its goal, at its cost."""
    if not level.links:
        return
    _verify_link_arcs(level)
    arcs = np.flatnonzero(level.link != NO_LINK)
    node_at = {(x, y): node for node, (x, y) in enumerate(level.cell.tolist())}
    stored = sorted(
        zip(
            level.link[arcs].tolist(),
            level.tail[arcs].tolist(),
            level.head[arcs].tolist(),
            strict=True,
        )
    )
    expected = []
    for number, link in enumerate(level.links):
        ends = [(link.start, link.goal), (link.goal, link.start)][: 1 + link.both_ways]
        for start, goal in ends:
            tail, head = node_at.get(start), node_at.get(goal)
            if tail is not None and head is not None:
                expected.append((number, tail, head))
    level.require(stored == sorted(expected), "links and their arcs do not fit together")
    cost = np.array([link.cost for link in level.links])
    same = (level.length[arcs] == cost[level.link[arcs]]).all()
    level.require(same, "a link's length is not its cost")
