"""Answer about a flat file by the reader in C, and about the level as it changes."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.flat.asset import FlatAsset
from bake.flat.schema import LEVEL
from bake.runtime.native.library import library, size_of
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.places import Places

#: About this many places of paths are written at once.
_PORTION = 2**22
#: The most arcs with prices of their own that a changed level may have here.
_MOST_PRICES = 4096


class State(NamedTuple):
    """A version of a level, by location.

    Attributes:
        terrain: (locations) uint8.
        obstacle: (locations) bool.
        prices: units by (from, to), of arcs with a price of their own; infinite = closed.
    """

    terrain: UInt8Array
    obstacle: BoolArray
    prices: Mapping[tuple[int, int], float]


def _baked_state(asset: FlatAsset) -> State:
    """Return the level as it was baked."""
    flat, prices = asset.flat, {}
    if flat.has(LEVEL, "price_from"):
        ends = [flat.read(LEVEL, f"price_{name}").tolist() for name in ("from", "to")]
        units = flat.read(LEVEL, "price_units").tolist()
        prices = dict(zip(zip(*ends, strict=True), units, strict=True))
    terrain = flat.read(LEVEL, "terrain")
    return State(terrain, np.zeros(len(terrain), dtype=np.bool_), prices)


def native_tables(places: Places) -> Callable[[str], BakedTables] | None:
    """Return what makes the tables of a profile, by its name.

    It is None where kernels can be compiled, the level is no flat file, or the reader in C was not
    compiled or refuses the file.
    """
    from bake.kernels.jit import COMPILED

    if COMPILED or not isinstance(places.asset, FlatAsset) or library() is None:
        return None
    level = NativeLevel(places.asset)
    return partial(NativeTables, places, level=level) if level.fine else None


class _Navigator:
    """One profile, asked in locations."""

    def __init__(self, level: NativeLevel, profile: str) -> None:
        self.level = level
        self.memory = ctypes.create_string_buffer(size_of("nav"))
        self.fine = level.c.lb_profile(level.memory, profile.encode(), self.memory) == 0

    def next_hops(self, starts: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32 locations; -1 where there is no path."""
        found = np.empty(len(starts), dtype=np.int32)
        ends = _pointer(starts), _pointer(goals)
        self.level.c.lb_next_hops(self.memory, *ends, _pointer(found), len(found))
        return found

    def ticks_between(self, starts: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks; inf where there is no path."""
        ask, memory = self.level.c.lb_distance, self.memory
        units = [ask(memory, *ends) for ends in zip(starts.tolist(), goals.tolist(), strict=True)]
        found: Float64Array = np.rint(np.array(units) * self.level.ticks_per_unit)
        return found

    def walk(self, starts: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return where each path begins, (k + 1) int64, and the locations along all of them."""
        c, count = self.level.c, np.zeros(len(starts), dtype=np.uintp)
        ends = _pointer(starts), _pointer(goals)
        c.lb_paths(self.memory, *ends, None, 0, _pointer(count), len(starts))
        first = np.zeros(len(starts) + 1, dtype=np.int64)
        np.cumsum(count, out=first[1:])
        path = np.empty(int(first[-1]), dtype=np.int32)
        begin = 0
        while begin < len(starts):
            room = int(count[begin])
            end = begin + 1
            while end < len(starts) and (
                (wider := max(room, int(count[end]))) * (end + 1 - begin) <= _PORTION
            ):
                room, end = wider, end + 1
            if room:
                some = slice(begin, end)
                nodes = np.empty((end - begin, room), dtype=np.int32)
                own = np.ascontiguousarray(starts[some]), np.ascontiguousarray(goals[some])
                lengths = np.empty(end - begin, dtype=np.uintp)
                c.lb_paths(
                    self.memory,
                    *map(_pointer, own),
                    _pointer(nodes),
                    room,
                    _pointer(lengths),
                    end - begin,
                )
                path[first[begin] : first[end]] = nodes[np.arange(room) < count[some, None]]
            begin = end
        return first, path


class NativeLevel:
    """A flat file, opened by the reader in C.

    Attributes:
        c: the reader.
        memory: its structure.
        fine: whether it takes the file.
    """

    def __init__(self, asset: FlatAsset) -> None:
        found = library()
        assert found is not None
        self.c = found
        self.ticks_per_unit = asset.flat.numbers["ticks_per_unit"]
        self._bytes = asset.flat.bytes
        self.memory = ctypes.create_string_buffer(size_of("level"))
        self.fine = found.lb_open(self.memory, self._bytes.ctypes.data, self._bytes.nbytes) == 0
        self.lock = threading.Lock()
        self._held = self._baked = _baked_state(asset)

    def hold(self, state: State) -> bool:
        """Bring the reader to a version of the changed level, and tell whether it is there."""
        if all(one is other for one, other in zip(state, self._held, strict=True)):
            return True
        c, changes, held = self.c, self.changes, self._held
        failed = 0
        differ = (state.terrain != held.terrain) | (state.obstacle != held.obstacle)
        for node in np.flatnonzero(differ).tolist():
            if state.obstacle[node]:
                failed |= c.lb_set_blocked(changes, node)
            elif held.obstacle[node]:
                failed |= c.lb_set_open(changes, node)
            failed |= c.lb_set_terrain(changes, node, int(state.terrain[node]))
        for ends in held.prices.keys() - state.prices.keys():
            failed |= c.lb_set_price(changes, *ends, -1.0)
        for ends, units in state.prices.items():
            if held.prices.get(ends) != units:
                failed |= c.lb_set_price(changes, *ends, units)
        self._held = state
        if failed:
            c.lb_set_baked(changes)
            self._held = self._baked
        return not failed

    @cached_property
    def changes(self) -> ctypes.Array[ctypes.c_char] | None:
        """Return the structure of the changed level; None where memory would not do."""
        size = self.c.lb_changes_size(self.memory, _MOST_PRICES)
        self._room = np.empty(-(-size // 8), dtype=np.int64)
        made = ctypes.create_string_buffer(size_of("changes"))
        room = self._room.ctypes.data
        done = size and self.c.lb_changes_open(made, self.memory, _MOST_PRICES, room, size) == 0
        return made if done else None


class NativeTables(BakedTables):
    """The tables of one profile, asked through the reader in C."""

    def __init__(self, places: Places, profile: str, level: NativeLevel) -> None:
        super().__init__(places, profile)
        self._level = level

    @cached_property
    def _native(self) -> _Navigator:
        made = _Navigator(self._level, self.profile)
        if not made.fine:
            raise self.damaged("the reader in C refuses the profile")
        return made

    def _ends(self, rows: Int32Array, goals: Int32Array) -> tuple[Int32Array, Int32Array]:
        return self.location[rows], self.location[goals]

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        return _rows(self.row_at, self._native.next_hops(*self._ends(rows, goals)))

    def path(self, row: int, goal: int) -> Int32Array | None:
        path = self.walk(np.array([row], dtype=np.int32), np.array([goal], dtype=np.int32))[1]
        return path if len(path) else None

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        first, path = self._native.walk(*self._ends(rows, goals))
        return first, self.row_at[path]

    def walk_cells(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        first, path = self._native.walk(*self._ends(rows, goals))
        return first, self.places.cells_of(path)

    def ticks(self, row: int, goal: int) -> float:
        ends = (np.array([self.location[each]], dtype=np.int32) for each in (row, goal))
        return float(self._native.ticks_between(*ends)[0])

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        return self._native.ticks_between(*self._ends(rows, goals))

    def following(
        self,
        terrain: UInt8Array,
        obstacle: BoolArray,
        prices: Mapping[tuple[int, int], float],
        location: Int32Array,
        row_at: Int32Array,
    ) -> Following | None:
        """Return answers about the level as it has become; None where this reader has none.

        Args:
            terrain: (locations) uint8, the level now.
            obstacle: (locations) bool.
            prices: units by (from, to) location, of arcs with a price of their own.
            location: (r) int32, the location of each row.
            row_at: (locations) int32, the row of each.
        """
        if len(prices) > _MOST_PRICES or self._level.changes is None:
            return None
        state = State(terrain, obstacle, prices)
        found = Following(self._level, self.profile, state, location, row_at)
        return found if found.fine else None


class Following:
    """Answers of one profile on one version of a changed level.

    The reader in C keeps one version. Whoever asks about another one brings it there first, so a
    lock lets one thread ask at a time.

    Attributes:
        fine: whether the reader in C could be brought to this version.
    """

    def __init__(
        self,
        level: NativeLevel,
        profile: str,
        state: State,
        location: Int32Array,
        row_at: Int32Array,
    ) -> None:
        self._level, self._state = level, state
        self._location, self._row_at = location, row_at
        self._nav = _Navigator(level, profile)
        with level.lock:
            followed = level.c.lb_follow(self._nav.memory, level.changes) == 0
            self.fine = self._nav.fine and followed and level.hold(state)

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32, the rows to step to; at its goal the row itself, -1 without a path."""
        with self._level.lock:
            self._level.hold(self._state)
            found = self._nav.next_hops(self._location[rows], self._location[goals])
        return _rows(self._row_at, found)

    def ticks(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks; inf where there is no path."""
        with self._level.lock:
            self._level.hold(self._state)
            return self._nav.ticks_between(self._location[rows], self._location[goals])

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return where each path begins, and the rows along all of them."""
        with self._level.lock:
            self._level.hold(self._state)
            first, path = self._nav.walk(self._location[rows], self._location[goals])
        return first, self._row_at[path]


def _rows(row_at: Int32Array, location: Int32Array) -> Int32Array:
    """Return the rows at some locations; -1 for -1."""
    return np.where(location < 0, np.int32(-1), row_at[np.maximum(location, 0)])


def _pointer(array: AnyArray) -> int:
    return int(array.ctypes.data)
