"""Changes of a level while a game runs: validation, application, reports and patches.

A patch is a text file of two lines for saved games. The first line is the header: the kind of file
and the fingerprint of the level. The second line is JSON: the differences from the baked level. A
patch stores the state and not the history, so its size does not grow with the number of batches.
"""

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from levelbake.errors import (
    LFS_POINTER,
    FilePath,
    OutputError,
    PatchError,
    QueryError,
    is_lfs_pointer,
)
from levelbake.file import File
from levelbake.hops import Arcs, LevelGround, Pair, touched
from levelbake.places import Place, Places, number_of, quoted, whole_of
from levelbake.steps import BLOCKED, MAX_WEIGHT, AnyArray, BoolArray, Int64Array
from levelbake.things import Link, ThingTables
from levelbake.toward import ProfileVersion

#: The cost of a closed arc.
CLOSED = math.inf

KIND = "levelbake-patch"

#: The versions of patches: the second adds links and arcs of the game, the third its nodes.
PLAIN, WITH_LINKS, WITH_NODES = 1, 2, 3

NOT_A_FILE = "this is a folder, a device or a pipe"

#: The errors raised while reading a record that does not fit its level.
WRONG = (TypeError, ValueError, KeyError, IndexError, OverflowError, RecursionError)

#: The most characters of a patch's header, and of its entry for one location or one arc.
# limit: a one-line error; tests/play/live/test_files.py
_FIRST_LINE, _LOCATION, _ARC = 1024, 1024, 128


# -- requested changes ----------------------------------------------------------------------------


class Batch(NamedTuple):
    """One batch of validated changes, by location."""

    blocked: tuple[int, ...]
    opened: tuple[int, ...]
    terrain: Mapping[int, int]  #: terrain codes
    prices: Mapping[Pair, float | None]  #: units; None = the usual cost


class Asked:
    """Validates the changes that a game requests of one level."""

    def __init__(self, places: Places) -> None:
        #: the places of the level
        self.places = places

    def batch(
        self,
        blocked: Iterable[Place],
        opened: Iterable[Place],
        terrain: Mapping[Any, str] | None,
        arcs: Mapping[Any, float | None] | None,
    ) -> Batch:
        """Validate the arguments of :meth:`levelbake.Level.update`, but not whether arcs exist.

        Raises:
            QueryError: an argument is invalid.
        """
        closing, opening = self._locations(blocked, "blocked"), self._locations(opened, "opened")
        if conflicts := set(closing) & set(opening):
            raise QueryError(f"{self.places.place_at(min(conflicts))!r} is both blocked and opened")
        code_of = {name: code for code, name in enumerate(self.places.terrains)}
        codes = {}
        for place, name in items_of(terrain, "terrain"):
            if not isinstance(name, str) or name not in code_of:
                raise self._unknown(f"no terrain {quoted(name)}", code_of)
            for single in self.places.every(place):
                codes[self.places.location(single)] = code_of[name]
        prices = {}
        for arc, units in items_of(arcs, "arcs"):
            if not isinstance(arc, tuple) or len(arc) != 2:
                raise QueryError(f"{quoted(arc)} is not an arc", expected="a pair of places")
            pair = self.places.location(arc[0]), self.places.location(arc[1])
            prices[pair] = None if units is None else self._price(units)
        return Batch(closing, opening, codes, prices)

    def _locations(self, places: object, what: str) -> tuple[int, ...]:
        if isinstance(places, np.ndarray) and places.ndim == 0:
            places = places.item()
        if isinstance(places, str | bytes | Mapping) or not isinstance(places, Iterable):
            raise QueryError(f"{what} is {quoted(places)}", expected="a list of places")
        expanded = (single for place in places for single in self.places.every(place))
        return tuple(dict.fromkeys(map(self.places.location, expanded)))

    def _unknown(self, found: str, known: Iterable[str]) -> QueryError:
        expected = " or ".join(map(repr, known)) or None
        return QueryError(found, place=self.places.where, expected=expected)

    def _price(self, given: object) -> float:
        units = number_of(given)
        if not units > 0:
            expected = "a positive number of units, infinity to close it, None for its usual cost"
            raise QueryError(f"an arc's cost is {quoted(given)}", expected=expected)
        check_scale(self.places, units)
        return units

    def door(self, things: ThingTables, name: object, state: object) -> Batch:
        """Return the batch that changes a door to one of its states.

        Raises:
            QueryError: the door does not exist, or has no such state.
        """
        door = things.doors.get(name) if isinstance(name, str) else None
        if door is None:
            found = f"no door is named {quoted(name)}" if things.doors else "the level has no doors"
            raise self._unknown(found, things.doors)
        if not isinstance(state, str) or state not in door.states:
            raise self._unknown(f"door {name!r} has no state {quoted(state)}", door.states)
        cells = [tuple(cell) for cell in door.cells.tolist()]
        return self.batch((), (), dict(zip(cells, door.states[state], strict=True)), None)


def items_of(mapping: object, what: str) -> list[tuple[object, object]]:
    """Return the items of a mapping argument; an empty list for None.

    Raises:
        QueryError: the argument is not a mapping.
    """
    if not isinstance(mapping, Mapping | None):
        raise QueryError(f"{what} is {type(mapping).__name__}", expected="a mapping")
    return list((mapping or {}).items())


def check_scale(places: Places, units: float) -> None:
    """Check that a cost in units fits the integer scale; infinity is valid.

    Raises:
        QueryError: the cost in ticks is less than 1 or more than MAX_WEIGHT.
    """
    ticks = units * places.ticks_per_unit
    if units != CLOSED and not 1 <= np.rint(ticks) <= MAX_WEIGHT:
        found, expected = f"an arc would weigh {ticks:.4g} ticks", f"1 to {MAX_WEIGHT} ticks"
        raise QueryError(found, place=places.where, expected=expected)


# -- reports --------------------------------------------------------------------------------------


class UpdateReport(NamedTuple):
    """The effects of one update on one profile."""

    profile: str  #: name of the profile
    arcs: int  #: number of arcs that opened, closed or changed their cost
    as_baked: bool  #: whether all costs equal the baked ones again, so that queries use the tables
    opened: tuple[Place, ...]  #: places that became walkable for the profile
    closed: tuple[Place, ...]  #: places that stopped being walkable for the profile

    def __repr__(self) -> str:
        lists = ", ".join(
            f"{name}={places!r}" if len(places) <= 8 else f"{name}=<{len(places)} places>"
            for name, places in (("opened", self.opened), ("closed", self.closed))
        )
        return (
            f"{type(self).__name__}(profile={self.profile!r}, arcs={self.arcs}, "
            f"as_baked={self.as_baked}, {lists})"
        )


class Changes(NamedTuple):
    """The changes of a level since a token; truthy if there are any."""

    token: int  #: argument for the next :meth:`Level.changes_since`
    #: (k, 2) or (k, 3) int32 cells, or (k,) object names on graphs, in the order of the level:
    #: places whose terrain or obstacle changed, and both ends of arcs and links that changed,
    #: even if they changed back since
    places: AnyArray
    #: names of links with an end or a cell among these places; then those removed (bake.play)
    links: tuple[str, ...]
    rerouted: tuple[str, ...]  #: names of profiles for which an arc opened or closed

    def __bool__(self) -> bool:
        return len(self.places) > 0


class ChangeLog:
    """The batch of the last change of each location and each profile; eight bytes a location."""

    def __init__(self, locations: int) -> None:
        self.batch = 0
        self._changed = np.zeros(locations, dtype=np.int64)
        self._rerouted: dict[str, int] = {}

    def note(self, locations: Int64Array, rerouted: list[str]) -> None:
        """Record a batch that changed k locations, and opened or closed arcs of some profiles."""
        self.batch += 1
        self._changed[locations] = self.batch
        self._rerouted.update(dict.fromkeys(rerouted, self.batch))

    def since(self, token: int, places: Places, links: Mapping[str, Link]) -> Changes:
        """Return the changes after a batch.

        Args:
            token: the number of the batch; 0 = the baked level.
            places: the places of the level.
            links: the current links by name.

        Raises:
            QueryError: no batch has this number.
        """
        if not 0 <= (batch := whole_of(token)) <= self.batch:
            expected = "one that changes_since() returned"
            raise QueryError(f"the token is {quoted(token)}", expected=expected)
        locations = np.flatnonzero(self._changed > batch).astype(np.int32)
        changed = set(locations.tolist())
        names = tuple(
            name
            for name, link in links.items()
            if changed.intersection(map(places.location, (link.start, link.goal, *link.via)))
        )
        rerouted = sorted(name for name, last in self._rerouted.items() if last > batch)
        return Changes(self.batch, places.places_of(locations), names, tuple(rerouted))


# -- level states ---------------------------------------------------------------------------------


class Changer:
    """Computes changed level states and profile versions, and reads and writes patches."""

    def __init__(self, arcs: Arcs, baked: Mapping[str, ProfileVersion]) -> None:
        self.arcs, self.places = arcs, arcs.places
        self.asked = Asked(arcs.places)
        costs = np.array([version.hops.pricing.mover.cost for version in baked.values()])
        #: (terrains) bool, whether any profile can stand on the terrain
        self._passable: BoolArray = np.asarray(~np.isnan(costs).all(axis=0))
        count = np.bincount(arcs.terrain, minlength=len(self._passable))
        #: the terrain of opened walls: the most common one that any profile can stand on
        self._usual = int(np.where(self._passable, count, -1).argmax())

    def edited(self, ground: LevelGround, edit: Batch) -> LevelGround:
        """Return the level state after a batch.

        Raises:
            QueryError: an arc does not exist, or places are opened on a level without walkable
                terrain.
        """
        if edit.opened and not self._passable.any():
            raise QueryError("no profile can stand on any terrain")
        for pair in edit.prices:
            if not self.arcs.between(*pair):
                a, b = (quoted(self.places.place_at(location)) for location in pair)
                remedy = "open the level with bake.play to add arcs and links"
                found = f"no arc leads from {a} to {b}"
                raise QueryError(found, place=self.places.where, remedy=remedy)
        terrain, obstacle = ground.terrain.copy(), ground.obstacle.copy()
        obstacle[list(edit.blocked)] = True
        opened = np.array(edit.opened, dtype=np.int64)
        obstacle[opened] = False
        terrain[opened[~self._passable[terrain[opened]]]] = self._usual
        terrain[list(edit.terrain)] = list(edit.terrain.values())
        merged = {**ground.prices, **edit.prices}
        prices = {pair: units for pair, units in merged.items() if units is not None}
        return LevelGround(terrain, obstacle, prices)

    def differing(self, before: LevelGround, after: LevelGround) -> Int64Array:
        """Return (k) int64 ascending, the locations that differ and the ends of arcs that do."""
        differs = (before.terrain != after.terrain) | (before.obstacle != after.obstacle)
        prices = set(before.prices.items()) ^ set(after.prices.items())
        ends = np.array([pair for pair, _ in prices], dtype=np.int64).reshape(-1)
        return np.union1d(np.flatnonzero(differs), ends)

    def after(
        self, version: ProfileVersion, ground: LevelGround, changed: Int64Array
    ) -> tuple[ProfileVersion, UpdateReport, bool]:
        """Return the new version of a profile, a report, and whether an arc opened or closed.

        Args:
            version: the version before the change.
            ground: the level state after the change.
            changed: (k) int64 ascending, the locations that changed.

        Raises:
            QueryError: the new cost of an arc does not fit the integer scale.
        """
        arcs, pricing = self.arcs, version.hops.pricing
        near = touched(arcs.lattice, changed, pricing.mover.size)
        standing, plain = version.standing.copy(), version.plain.copy()
        standing[near] = pricing.standing(ground, near)
        pricing.price(ground, plain, near)
        ticks = pricing.override(plain, ground.prices)
        new = ProfileVersion(version.hops, standing=standing, plain=plain, ticks=ticks)
        opened, closed = (
            tuple(map(self.places.place_at, np.flatnonzero(gained).tolist()))
            for gained in (standing & ~version.standing, version.standing & ~standing)
        )
        is_rerouted = ((ticks == BLOCKED) != (version.ticks == BLOCKED)).any()
        count = int(np.count_nonzero(ticks != version.ticks))
        report = UpdateReport(version.hops.profile, count, new.as_baked, opened, closed)
        return new, report, bool(opened or closed or is_rerouted)

    # -- patches ----------------------------------------------------------------------------------

    def save_patch(self, path: FilePath, ground: LevelGround) -> None:
        """Write a patch atomically.

        Raises:
            OutputError: the file cannot be written.
        """
        record = self.changes_of(ground)
        partial = f"{os.fspath(path)}.{os.getpid()}.part"
        try:
            if os.path.exists(path) and not os.path.isfile(path):
                raise OSError(0, NOT_A_FILE)
            try:
                with suppress(FileNotFoundError):
                    os.remove(partial)
                # Mode "x" raises on a symbolic link instead of following it.
                with open(partial, "x", encoding="utf-8", newline="\n") as file:
                    file.write(patch_text(self.arcs.file, record))
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(partial, path)
            finally:
                with suppress(FileNotFoundError):
                    os.remove(partial)
        except OSError as error:
            raise OutputError(f"cannot be written: {error.strerror or error}", file=path) from None

    def read_patch(self, path: FilePath) -> LevelGround:
        """Read the level state from a patch.

        Raises:
            PatchError: the file is not a patch, belongs to another level, contains links, or is
                damaged.
        """
        arcs = self.arcs
        _, text = read_patch(path, arcs.file, arcs.count, len(arcs.head))
        try:
            return self.ground_of(json.loads(text))
        except WRONG:
            raise PatchError(SAYS_NOTHING, file=path) from None

    def changes_of(self, ground: LevelGround) -> dict[str, Any]:
        """Return the differences between a level state and the bake, ready for JSON."""
        changed = np.flatnonzero(ground.terrain != self.arcs.terrain)
        obstacles = np.flatnonzero(ground.obstacle)
        return stored_ground(changed, ground.terrain[changed], obstacles, ground.prices)

    def ground_of(self, record: Mapping[str, Any]) -> LevelGround:
        """Return the level state that a record of differences describes.

        Raises:
            One of WRONG: the record does not fit this level.
        """
        arcs = self.arcs
        codes, blocked, prices = ground_from(record, self.asked, arcs.count)
        if len(record) != 3 or not all(arcs.between(*pair) for pair in prices):
            raise ValueError(record)
        terrain, obstacle = arcs.terrain.copy(), np.zeros(arcs.count, dtype=np.bool_)
        terrain[list(codes)] = list(codes.values())
        obstacle[blocked] = True
        return LevelGround(terrain, obstacle, prices)


# -- patches --------------------------------------------------------------------------------------

#: The message for a patch, or a line of a journal, that does not fit the level.
SAYS_NOTHING = "damaged: it says nothing of this level"


def patch_text(file: File, record: Mapping[str, Any], version: int = PLAIN) -> str:
    """Return the text of a patch for a file's level from a record of differences."""
    text = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
    return f"{head_line(KIND, version, file)} {digest(text)}\n{text}"


def read_patch(
    path: FilePath, file: File, locations: int, arcs: int, links: int = 0
) -> tuple[int, str]:
    """Read a patch for a file's level; return its version and its record as JSON.

    Args:
        path: the patch.
        file: the asset of the level.
        locations, arcs: the numbers of locations and arcs, which bound the length of a patch.
        links: the most characters for added links and nodes; 0 = reject versions with such.

    Raises:
        PatchError: the file is not a patch, belongs to another level, has an unknown version, is
            longer than any patch of the level, or is damaged.
    """
    most = _FIRST_LINE + _LOCATION * locations + _ARC * arcs
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise PatchError(NOT_A_FILE, file=path, expected="a regular file")
        with open(path, encoding="utf-8") as opened:
            whole = opened.read(most + 1)
            if whole.startswith((f"{KIND} {WITH_LINKS} ", f"{KIND} {WITH_NODES} ")):
                whole, most = whole + opened.read(links), most + links
    except OSError as error:
        raise PatchError(f"cannot be read: {error.strerror or error}", file=path) from None
    except UnicodeDecodeError:
        raise PatchError("this is not a patch", file=path) from None
    if len(whole) > most:
        raise PatchError("longer than any patch of this level", file=path)
    first, _, text = whole.partition("\n")
    words = first.split(" ")
    check_head(path, KIND, words[:3], file, WITH_NODES if links else PLAIN)
    if len(words) != 4 or words[3] != digest(text):
        raise PatchError("damaged: its digest does not fit", file=path, remedy="save it again")
    return int(words[1]), text


def head_line(kind: str, version: int, file: File) -> str:
    """Return the header of a patch or journal: kind, version and fingerprint of the level."""
    return f"{kind} {version} {file.header.fingerprint()}"


def check_head(path: FilePath, kind: str, words: list[str], file: File, newest: int) -> None:
    """Check the header of a patch or journal.

    Raises:
        PatchError: the file has another kind or a newer version, or belongs to another level.
    """
    what = kind.removeprefix("levelbake-")
    if is_lfs_pointer(" ".join(words).encode()):
        raise PatchError(LFS_POINTER, file=path)
    if len(words) != 3 or words[0] != kind or not re.fullmatch("[0-9]{1,9}", words[1]):
        raise PatchError(f"this is not a {what}", file=path, expected=f"a {what} of this level")
    if not PLAIN <= int(words[1]) <= newest:
        expected = f"version {PLAIN}" + f" to {newest}" * (newest > PLAIN)
        remedy = "save it again, or apply it with bake.play, which knows added links and nodes"
        raise PatchError(f"version {words[1]}", file=path, expected=expected, remedy=remedy)
    if words[2] != file.header.fingerprint():
        expected = f"one saved with {os.path.basename(file.path)} as it is now"
        raise PatchError(f"this {what} belongs to another asset", file=path, expected=expected)


def digest(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def stored_ground(
    changed: AnyArray, codes: AnyArray, obstacles: AnyArray, prices: Mapping[Pair, float]
) -> dict[str, Any]:
    """Return the differences between a level state and the bake, ready for JSON.

    Args:
        changed, codes: (k) integers, the locations with changed terrain, and its codes.
        obstacles: (n) integers, the locations of obstacles.
        prices: costs of single arcs, in units.
    """
    return {
        "terrain": [list(pair) for pair in zip(changed.tolist(), codes.tolist(), strict=True)],
        "obstacles": obstacles.tolist(),
        "arcs": [[*arc, stored_price(units)] for arc, units in sorted(prices.items())],
    }


def ground_from(
    record: Mapping[str, Any], asked: Asked, count: int
) -> tuple[dict[int, int], list[int], dict[Pair, float]]:
    """Return the changed terrain codes, the obstacles and the arc costs of a record.

    Raises:
        One of WRONG: the record does not fit this level.
    """
    terrains = len(asked.places.terrains)
    codes = {
        within(location, count): within(code, terrains) for location, code in record["terrain"]
    }
    blocked = [within(location, count) for location in record["obstacles"]]
    prices = {
        (within(tail, count), within(head, count)): price_from(units, asked.places)
        for tail, head, units in record["arcs"]
    }
    return codes, blocked, prices


def stored_price(units: float) -> float | str:
    """Return a cost for JSON, which cannot represent infinity."""
    return "closed" if units == CLOSED else units


def price_from(units: object, places: Places) -> float:
    """Return the units of a cost from JSON; raise one of WRONG if the value is not a cost."""
    if units == "closed":
        return CLOSED
    if isinstance(units, bool) or not isinstance(units, int | float) or not 0 < units < math.inf:
        raise ValueError(units)
    check_scale(places, float(units))
    return float(units)


def within(number: object, limit: int) -> int:
    """Return an int from 0 to below a limit; raise one of WRONG for any other value."""
    if type(number) is not int or not 0 <= number < limit:
        raise ValueError(number)
    return number
