"""Changes of a level while a game runs: checked, applied, reported, and written to patches.

A patch is two lines of text for a savegame. The first says what the file is and which level it
belongs to, the second holds as JSON how the level differs from the bake.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from levelbake.errors import OutputError, PatchError, QueryError
from levelbake.hops import Arcs, LevelGround, Pair
from levelbake.places import Place, number_of, quoted
from levelbake.steps import MAX_WEIGHT, AnyArray, BoolArray, Int64Array
from levelbake.things import ThingTables
from levelbake.toward import ProfileVersion

#: The price of an arc that is closed.
CLOSED = math.inf

KIND = "levelbake-patch"

#: The most characters of a patch's first line, and of what it says of a location or an arc.
_FIRST_LINE, _LOCATION, _ARC = 1024, 1024, 128

#: The errors that a patch raises that does not fit its level.
_WRONG = (TypeError, ValueError, KeyError, IndexError, OverflowError, RecursionError)


class Batch(NamedTuple):
    """One batch of changes, by locations."""

    blocked: tuple[int, ...]
    opened: tuple[int, ...]
    terrain: dict[int, int]  # codes of terrains
    prices: dict[Pair, float | None]  # units; None = the usual price


@dataclass(frozen=True)
class UpdateReport:
    """What an update did for one profile."""

    profile: str  #: its name
    arcs: int  #: how many arcs opened, closed or changed their price
    #: whether every arc costs again what it did when baked, so that the tables answer
    as_baked: bool
    opened: tuple[Place, ...]  #: places the profile can stand on from now on
    closed: tuple[Place, ...]  #: places it no longer can stand on


@dataclass(frozen=True)
class Changes:
    """What has changed on a level since a token was given out; true if anything has."""

    token: int  #: what to give to the next :meth:`Level.changes_since`
    #: (k, 2) int32 cells, or (k,) object names on graphs, in the order of the level: those whose
    #: terrain or obstacle changed, and both ends of arcs whose own price did
    places: AnyArray
    links: tuple[str, ...]  #: names of links that touch one of these places
    rerouted: tuple[str, ...]  #: names of profiles that may reach other places now

    def __bool__(self) -> bool:
        return len(self.places) > 0


class Changer:
    """What is needed to change a level: its arcs, and how each profile moves over them."""

    def __init__(self, arcs: Arcs, baked: Mapping[str, ProfileVersion]) -> None:
        self.arcs, self.places = arcs, arcs.places
        self._where = f"level {self.places.name!r}"
        costs = np.array([version.hops.pricing.mover.cost for version in baked.values()])
        #: (terrains) bool, where some profile can stand on the terrain
        self._passable: BoolArray = np.asarray(~np.isnan(costs).all(axis=0))
        count = np.bincount(arcs.terrain, minlength=len(self._passable))
        #: what opened walls become: the commonest terrain that some profile can stand on
        self._usual = int(np.where(self._passable, count, -1).argmax())

    # -- what a game asks for ---------------------------------------------------------------------

    def edit_of(
        self,
        blocked: Iterable[Place],
        opened: Iterable[Place],
        terrain: Mapping[Place, str] | None,
        arcs: Mapping[tuple[Place, Place], float | None] | None,
    ) -> Batch:
        """Return the batch that the arguments of :meth:`levelbake.Level.update` ask for.

        Raises:
            QueryError: an argument is wrong; see there.
        """
        shut, open_ = self._locations(blocked, "blocked"), self._locations(opened, "opened")
        if both := set(shut) & set(open_):
            raise QueryError(f"{self.places.place_at(min(both))!r} is both blocked and opened")
        if open_ and not self._passable.any():
            raise QueryError("no profile can stand on any terrain")
        code_of = {name: code for code, name in enumerate(self.arcs.terrain_names)}
        codes = {}
        for place, name in _items(terrain, "terrain"):
            if not isinstance(name, str) or name not in code_of:
                known = " or ".join(map(repr, code_of))
                raise QueryError(f"no terrain {quoted(name)}", place=self._where, expected=known)
            for at in self._every(place):
                codes[at] = code_of[name]
        prices = {}
        for arc, units in _items(arcs, "arcs"):
            if not isinstance(arc, tuple) or len(arc) != 2:
                raise QueryError(f"{quoted(arc)} is no arc", expected="a pair of places")
            pair = self.places.location(arc[0]), self.places.location(arc[1])
            if not self.arcs.between(*pair):
                raise QueryError(
                    f"no arc leads from {quoted(arc[0])} to {quoted(arc[1])}",
                    place=self._where,
                    remedy="open the level with bake.play to add arcs and links",
                )
            prices[pair] = self._price(units)
        return Batch(shut, open_, codes, prices)

    def _locations(self, places: object, what: str) -> tuple[int, ...]:
        if isinstance(places, str | bytes | Mapping) or not isinstance(places, Iterable):
            raise QueryError(f"{what} is {quoted(places)}", expected="a list of places")
        return tuple(dict.fromkeys(at for place in places for at in self._every(place)))

    def _every(self, place: object) -> list[int]:
        """Return the locations that a place means: a cell alone is the cell in every heading."""
        headings = self.places.headings
        if headings is not None and isinstance(place, tuple | list) and len(place) == 2:
            return [self.places.location((*place, heading)) for heading in range(headings)]
        return [self.places.location(cast("Place", place))]

    def _price(self, said: object) -> float | None:
        if said is None:
            return None
        units = number_of(said)
        if not units > 0:
            raise QueryError(
                f"an arc's cost is {quoted(said)}",
                expected="a positive number, infinity to close it, None for its usual cost",
            )
        ticks = np.rint(units * self.arcs.rules.ticks_per_unit)
        if units != CLOSED and not 1 <= ticks <= MAX_WEIGHT:
            raise QueryError(
                f"an arc would weigh {ticks:.4g} ticks", expected=f"1 to {MAX_WEIGHT} ticks"
            )
        return units

    def door_edit(self, things: ThingTables, door: object, state: object) -> Batch:
        """Return the batch that puts a door into one of its states.

        Raises:
            QueryError: there is no such door, or it has no such state.
        """
        found = things.doors.get(door) if isinstance(door, str) else None
        if found is None:
            known = " or ".join(repr(name) for name in things.doors)
            said = f"no door is named {quoted(door)}" if known else "the level has no doors"
            raise QueryError(said, place=self._where, expected=known or None)
        if not isinstance(state, str) or state not in found.states:
            known = " or ".join(repr(name) for name in found.states)
            said = f"door {door!r} has no state {quoted(state)}"
            raise QueryError(said, place=self._where, expected=known)
        cells = [tuple(cell) for cell in found.cells.tolist()]
        terrain = dict(zip(cells, found.states[state], strict=True))
        return self.edit_of((), (), cast("Mapping[Place, str]", terrain), None)

    # -- what becomes of the level ----------------------------------------------------------------

    def edited(self, ground: LevelGround, edit: Batch) -> LevelGround:
        """Return what the level is made of after a batch."""
        terrain, obstacle = ground.terrain.copy(), ground.obstacle.copy()
        obstacle[list(edit.blocked)] = True
        opened = np.array(edit.opened, dtype=np.int64)
        obstacle[opened] = False
        terrain[opened[~self._passable[terrain[opened]]]] = self._usual
        terrain[list(edit.terrain)] = list(edit.terrain.values())
        prices = {**ground.prices, **edit.prices}
        return LevelGround(
            terrain, obstacle, {arc: u for arc, u in prices.items() if u is not None}
        )

    def differing(self, before: LevelGround, after: LevelGround) -> Int64Array:
        """Return the locations that differ, and ends of arcs whose prices do, ascending."""
        unlike = (before.terrain != after.terrain) | (before.obstacle != after.obstacle)
        priced = set(before.prices.items()) ^ set(after.prices.items())
        ends = np.array([pair for pair, _ in priced], dtype=np.int64).reshape(-1)
        return np.union1d(np.flatnonzero(unlike), ends)

    def after(
        self, version: ProfileVersion, ground: LevelGround, changed: Int64Array
    ) -> tuple[ProfileVersion, UpdateReport, bool]:
        """Return one profile after a change, a report, and whether any arc opened or closed.

        Args:
            version: the profile before.
            ground: what the level is made of afterwards.
            changed: (k) int64 ascending, the locations that changed.

        Raises:
            QueryError: an arc would cost what does not fit the integer scale.
        """
        arcs, pricing = self.arcs, version.hops.pricing
        near = self._touched(changed, pricing.mover.size)
        standing, plain = version.standing.copy(), version.plain.copy()
        standing[near] = pricing.standing(ground, near)
        if arcs.lattice is not None:
            others = arcs.others
        else:
            here = np.zeros(arcs.count, dtype=np.bool_)
            here[near] = True
            others = np.flatnonzero(here[arcs.tail] | here[arcs.head])
        pricing.price(ground, plain, near if arcs.lattice is not None else near[:0], others)
        ticks = pricing.with_own(plain, ground.prices)
        found = ProfileVersion(version.hops, standing, plain, ticks)
        opened, closed = (
            np.flatnonzero(one & ~other)
            for one, other in ((standing, version.standing), (version.standing, standing))
        )
        shut = ((ticks == _BLOCKED) != (version.ticks == _BLOCKED)).any()
        report = UpdateReport(
            version.hops.profile,
            int(np.count_nonzero(ticks != version.ticks)),
            found.as_baked,
            tuple(self.places.place_at(at) for at in opened.tolist()),
            tuple(self.places.place_at(at) for at in closed.tolist()),
        )
        return found, report, bool(len(opened) or len(closed) or shut)

    def _touched(self, changed: Int64Array, size: int) -> Int64Array:
        """Return the locations whose steps may cost another price once some locations changed."""
        lattice = self.arcs.lattice
        if lattice is None:
            return changed
        # The price of a step depends on the footprints at both ends and at both flanks.
        y, x = np.divmod(changed, lattice.width)
        reach = np.arange(-size, 2)
        ys, xs = y[:, None, None] + reach[:, None], x[:, None, None] + reach
        inside = (ys >= 0) & (ys < lattice.height) & (xs >= 0) & (xs < lattice.width)
        near = np.unique((ys * lattice.width + xs)[inside])
        if lattice.headings is not None:
            near = np.unique(np.concatenate([lattice.turned(near, by) for by in (-1, 0, 1)]))
        return near

    # -- patches ----------------------------------------------------------------------------------

    def save_patch(self, path: Path, ground: LevelGround) -> None:
        """Write a patch, whole or not at all.

        Raises:
            OutputError: the file cannot be written.
        """
        changed = np.flatnonzero(ground.terrain != self.arcs.terrain)
        says = {
            "terrain": np.stack([changed, ground.terrain[changed]], axis=1).tolist(),
            "obstacles": np.flatnonzero(ground.obstacle).tolist(),
            "arcs": [
                [*arc, "closed" if units == CLOSED else units]
                for arc, units in sorted(ground.prices.items())
            ],
        }
        text = json.dumps(says, separators=(",", ":"), allow_nan=False) + "\n"
        first = f"{KIND} 1 {self._fingerprint} {_digest(text)}\n"
        partial = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            if path.exists() and not path.is_file():
                raise OutputError(
                    "cannot be written: a folder, a device or a pipe has this name",
                    file=path,
                    expected="the name of a file",
                )
            try:
                with partial.open("w", encoding="utf-8", newline="\n") as file:
                    file.write(first + text)
                    file.flush()
                    os.fsync(file.fileno())
                partial.replace(path)
            finally:
                partial.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"cannot be written: {error.strerror or error}", file=path) from None

    @property
    def _fingerprint(self) -> str:
        return self.arcs.file.header.fingerprint()

    def read_patch(self, path: Path) -> LevelGround:
        """Return what a level is made of that a patch describes.

        Raises:
            PatchError: the file is no patch, belongs to another level, holds links, or is damaged.
        """
        first, _, text = self._text_of(path).partition("\n")
        kind, version, asset, digest, *rest = [*first.split(" "), "", "", "", ""]
        if kind != KIND or not (version.isascii() and version.isdecimal()):
            raise PatchError("this is no patch", file=path, expected="one saved by save_patch()")
        if version != "1":
            raise PatchError(
                f"version {version[:9]}, which holds links or arcs that a game added",
                file=path,
                expected="version 1",
                remedy="apply it with bake.play",
            )
        if asset != self._fingerprint:
            raise PatchError(
                "this patch belongs to another asset",
                file=path,
                expected=f"one saved with {Path(self.arcs.file.path).name} as it is now",
            )
        if any(rest) or digest != _digest(text):
            raise PatchError("damaged: its digest does not fit", file=path, remedy="save it again")
        try:
            return self._ground_from(json.loads(text))
        except _WRONG:
            raise PatchError("damaged: it says nothing of this level", file=path) from None

    def _text_of(self, path: Path) -> str:
        """Return the text of a patch; refuse one longer than a patch of this level can be."""
        arcs = self.arcs
        most = _FIRST_LINE + _LOCATION * arcs.count + _ARC * len(arcs.head)
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                found = "this is a folder, a device or a pipe"
                raise PatchError(found, file=path, expected="a regular file")
            with path.open(encoding="utf-8") as file:
                text = file.read(most + 1)
        except OSError as error:
            raise PatchError(f"cannot be read: {error.strerror or error}", file=path) from None
        except UnicodeDecodeError:
            raise PatchError("this is no patch", file=path) from None
        if len(text) > most:
            raise PatchError("longer than any patch of this level", file=path)
        return text

    def _ground_from(self, says: dict[str, Any]) -> LevelGround:
        """Return the level that a patch says; one of _WRONG where it fits no such level."""
        if set(says) != {"terrain", "obstacles", "arcs"}:
            raise ValueError
        count, kinds = self.arcs.count, len(self.arcs.terrain_names)
        terrain, obstacle = self.arcs.terrain.copy(), np.zeros(self.arcs.count, dtype=np.bool_)
        for at, code in says["terrain"]:
            terrain[_within(at, count)] = _within(code, kinds)
        for at in says["obstacles"]:
            obstacle[_within(at, count)] = True
        prices = {}
        for tail, head, units in says["arcs"]:
            pair = _within(tail, count), _within(head, count)
            if not self.arcs.between(*pair):
                raise ValueError
            prices[pair] = cast("float", self._price(CLOSED if units == "closed" else units))
            if prices[pair] is None or (units != "closed" and math.isinf(prices[pair])):
                raise ValueError
        return LevelGround(terrain, obstacle, prices)


_BLOCKED = 2**31 - 1


class ChangeLog:
    """When each location changed last, and the arcs of each profile; eight bytes a location."""

    def __init__(self, locations: int) -> None:
        self.batch = 0
        self._changed = np.zeros(locations, dtype=np.int64)
        self._rerouted: dict[str, int] = {}

    def note(self, locations: Int64Array, rerouted: list[str]) -> None:
        """Note a batch that changed these locations, and arcs of these profiles."""
        self.batch += 1
        self._changed[locations] = self.batch
        self._rerouted.update(dict.fromkeys(rerouted, self.batch))

    def since(self, batch: int) -> tuple[Int64Array, tuple[str, ...]]:
        """Return the locations, and the profiles, that changed after a batch."""
        rerouted = sorted(name for name, last in self._rerouted.items() if last > batch)
        return np.flatnonzero(self._changed > batch), tuple(rerouted)


def _items(mapping: object, what: str) -> list[tuple[object, object]]:
    if mapping is None:
        return []
    if not isinstance(mapping, Mapping):
        raise QueryError(f"{what} is {type(mapping).__name__}", expected="a mapping")
    return list(mapping.items())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _within(number: object, limit: int) -> int:
    if type(number) is not int or not 0 <= number < limit:
        raise ValueError(number)
    return number
