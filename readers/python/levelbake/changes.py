"""Changes of a level while a game runs: checked, applied, reported, and written to patches.

A patch is two lines of text for a savegame. The first says what the file is and which level it
belongs to, the second holds as JSON how the level differs from the bake. It says what the level is,
not what was done to it, so it does not grow with the number of batches.
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

#: The price of an arc that is closed.
CLOSED = math.inf

KIND = "levelbake-patch"

#: The versions of patches. Those with links, or with arcs that a game added, are of the second,
#: and those with nodes that it added of the third.
PLAIN, WITH_LINKS, WITH_NODES = 1, 2, 3

NOT_A_FILE = "this is a folder, a device or a pipe"

#: The errors that reading a record raises when it does not fit its level.
WRONG = (TypeError, ValueError, KeyError, IndexError, OverflowError, RecursionError)

#: The most characters of a patch's first line, and of what it says of a location or an arc.
# limit: a one-line error; tests/play/live/test_files.py
_FIRST_LINE, _LOCATION, _ARC = 1024, 1024, 128


# -- what a game asks for -------------------------------------------------------------------------


class Batch(NamedTuple):
    """One batch of changes, by locations."""

    blocked: tuple[int, ...]
    opened: tuple[int, ...]
    terrain: Mapping[int, int]  # codes of terrains
    prices: Mapping[Pair, float | None]  # units; None = the usual price


class Asked:
    """What a game may ask of one level, checked once when it comes in.

    Attributes:
        places: the places of the level.
    """

    def __init__(self, places: Places) -> None:
        self.places = places

    def batch(
        self,
        blocked: Iterable[Place],
        opened: Iterable[Place],
        terrain: Mapping[Any, str] | None,
        arcs: Mapping[Any, float | None] | None,
    ) -> Batch:
        """Return the batch that the arguments of :meth:`levelbake.Level.update` ask for.

        Raises:
            QueryError: an argument is wrong; see there. Whether arcs exist is not looked at.
        """
        shut, open_ = self._locations(blocked, "blocked"), self._locations(opened, "opened")
        if both := set(shut) & set(open_):
            raise QueryError(f"{self.places.place_at(min(both))!r} is both blocked and opened")
        code_of = {name: code for code, name in enumerate(self.places.terrains)}
        codes = {}
        for place, name in items_of(terrain, "terrain"):
            if not isinstance(name, str) or name not in code_of:
                raise self._unknown(f"no terrain {quoted(name)}", code_of)
            for each in self.places.every(place):
                codes[self.places.location(each)] = code_of[name]
        prices = {}
        for arc, units in items_of(arcs, "arcs"):
            if not isinstance(arc, tuple) or len(arc) != 2:
                raise QueryError(f"{quoted(arc)} is no arc", expected="a pair of places")
            pair = self.places.location(arc[0]), self.places.location(arc[1])
            prices[pair] = None if units is None else self._price(units)
        return Batch(shut, open_, codes, prices)

    def _locations(self, places: object, what: str) -> tuple[int, ...]:
        if isinstance(places, np.ndarray) and places.ndim == 0:
            places = places.item()
        if isinstance(places, str | bytes | Mapping) or not isinstance(places, Iterable):
            raise QueryError(f"{what} is {quoted(places)}", expected="a list of places")
        each = (one for place in places for one in self.places.every(place))
        return tuple(dict.fromkeys(map(self.places.location, each)))

    def _unknown(self, found: str, known: Iterable[str]) -> QueryError:
        expected = " or ".join(map(repr, known)) or None
        return QueryError(found, place=self.places.where, expected=expected)

    def _price(self, said: object) -> float:
        units = number_of(said)
        if not units > 0:
            expected = "a positive number of units, infinity to close it, None for its usual cost"
            raise QueryError(f"an arc's cost is {quoted(said)}", expected=expected)
        check_scale(self.places, units)
        return units

    def door(self, things: ThingTables, door: object, state: object) -> Batch:
        """Return the batch that puts a door into one of its states.

        Raises:
            QueryError: there is no such door, or it has no such state.
        """
        found = things.doors.get(door) if isinstance(door, str) else None
        if found is None:
            said = f"no door is named {quoted(door)}" if things.doors else "the level has no doors"
            raise self._unknown(said, things.doors)
        if not isinstance(state, str) or state not in found.states:
            raise self._unknown(f"door {door!r} has no state {quoted(state)}", found.states)
        cells = [tuple(cell) for cell in found.cells.tolist()]
        return self.batch((), (), dict(zip(cells, found.states[state], strict=True)), None)


def items_of(mapping: object, what: str) -> list[tuple[object, object]]:
    """Return what a mapping holds; nothing of None.

    Raises:
        QueryError: it is no mapping.
    """
    if not isinstance(mapping, Mapping | None):
        raise QueryError(f"{what} is {type(mapping).__name__}", expected="a mapping")
    return list((mapping or {}).items())


def check_scale(places: Places, units: float) -> None:
    """Refuse what an arc is to cost if that does not fit the integer scale; infinity closes it.

    Raises:
        QueryError: it does not fit.
    """
    ticks = units * places.ticks_per_unit
    if units != CLOSED and not 1 <= np.rint(ticks) <= MAX_WEIGHT:
        found, expected = f"an arc would weigh {ticks:.4g} ticks", f"1 to {MAX_WEIGHT} ticks"
        raise QueryError(found, place=places.where, expected=expected)


# -- what a game is told --------------------------------------------------------------------------


class UpdateReport(NamedTuple):
    """What an update did for one profile."""

    profile: str  #: its name
    arcs: int  #: how many arcs opened, closed or changed their price
    #: whether every arc costs again what it did when baked, so that the tables answer
    as_baked: bool
    opened: tuple[Place, ...]  #: places the profile can stand on from now on
    closed: tuple[Place, ...]  #: places it no longer can stand on

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
    """What has changed on a level since a token was given out; true if anything has."""

    token: int  #: what to give to the next :meth:`Level.changes_since`
    #: (k, 2) int32 cells, or (k,) object names on graphs, in the order of the level: those whose
    #: terrain or obstacle changed, and both ends of arcs whose own price did, and of links that
    #: came, went or became others. A place that changed and changed back is among them.
    places: AnyArray
    #: names of links that touch one of these places; then, where links can change (bake.play),
    #: those that are gone
    links: tuple[str, ...]
    rerouted: tuple[str, ...]  #: names of profiles that may reach other places now

    def __bool__(self) -> bool:
        return len(self.places) > 0


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

    def since(self, token: int, places: Places, links: Mapping[str, Link]) -> Changes:
        """Return what has changed after a batch.

        Args:
            token: the batch, 0 for the level as it was baked.
            places: the places of the level.
            links: its links by name, as they are now.

        Raises:
            QueryError: there was no such batch.
        """
        if not 0 <= (batch := whole_of(token)) <= self.batch:
            known = "one that changes_since() gave out"
            raise QueryError(f"the token is {quoted(token)}", expected=known)
        token = batch
        at = np.flatnonzero(self._changed > token).astype(np.int32)
        touched = set(at.tolist())
        near = tuple(
            name
            for name, link in links.items()
            if touched.intersection(map(places.location, (link.start, link.goal, *link.via)))
        )
        rerouted = sorted(name for name, last in self._rerouted.items() if last > token)
        return Changes(self.batch, places.places_of(at), near, tuple(rerouted))


# -- what becomes of the level --------------------------------------------------------------------


class Changer:
    """What is needed to change a level: its arcs, and how each profile moves over them."""

    def __init__(self, arcs: Arcs, baked: Mapping[str, ProfileVersion]) -> None:
        self.arcs, self.places = arcs, arcs.places
        self.asked = Asked(arcs.places)
        costs = np.array([version.hops.pricing.mover.cost for version in baked.values()])
        #: (terrains) bool, where some profile can stand on the terrain
        self._passable: BoolArray = np.asarray(~np.isnan(costs).all(axis=0))
        count = np.bincount(arcs.terrain, minlength=len(self._passable))
        #: what opened walls become: the commonest terrain that some profile can stand on
        self._usual = int(np.where(self._passable, count, -1).argmax())

    def edited(self, ground: LevelGround, edit: Batch) -> LevelGround:
        """Return what the level is made of after a batch.

        Raises:
            QueryError: an arc does not exist, or nobody could stand on what is opened.
        """
        if edit.opened and not self._passable.any():
            raise QueryError("no profile can stand on any terrain")
        for pair in edit.prices:
            if not self.arcs.between(*pair):
                a, b = (quoted(self.places.place_at(at)) for at in pair)
                remedy = "open the level with bake.play to add arcs and links"
                found = f"no arc leads from {a} to {b}"
                raise QueryError(found, place=self.places.where, remedy=remedy)
        terrain, obstacle = ground.terrain.copy(), ground.obstacle.copy()
        obstacle[list(edit.blocked)] = True
        opened = np.array(edit.opened, dtype=np.int64)
        obstacle[opened] = False
        terrain[opened[~self._passable[terrain[opened]]]] = self._usual
        terrain[list(edit.terrain)] = list(edit.terrain.values())
        prices = {**ground.prices, **edit.prices}
        own = {pair: units for pair, units in prices.items() if units is not None}
        return LevelGround(terrain, obstacle, own)

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
        near = touched(arcs.lattice, changed, pricing.mover.size)
        standing, plain = version.standing.copy(), version.plain.copy()
        standing[near] = pricing.standing(ground, near)
        pricing.price(ground, plain, near)
        ticks = pricing.with_own(plain, ground.prices)
        found = ProfileVersion(version.hops, standing=standing, plain=plain, ticks=ticks)
        opened, closed = (
            tuple(map(self.places.place_at, np.flatnonzero(one & ~other).tolist()))
            for one, other in ((standing, version.standing), (version.standing, standing))
        )
        shut = ((ticks == BLOCKED) != (version.ticks == BLOCKED)).any()
        count = int(np.count_nonzero(ticks != version.ticks))
        report = UpdateReport(version.hops.profile, count, found.as_baked, opened, closed)
        return found, report, bool(opened or closed or shut)

    # -- patches ----------------------------------------------------------------------------------

    def save_patch(self, path: FilePath, ground: LevelGround) -> None:
        """Write a patch, whole or not at all.

        Raises:
            OutputError: the file cannot be written.
        """
        says = self.changes_of(ground)
        partial = f"{os.fspath(path)}.{os.getpid()}.part"
        try:
            if os.path.exists(path) and not os.path.isfile(path):
                raise OSError(0, NOT_A_FILE)
            try:
                with suppress(FileNotFoundError):
                    os.remove(partial)
                # Where a link has the name, this raises; to write would follow the link.
                with open(partial, "x", encoding="utf-8", newline="\n") as file:
                    file.write(patch_text(self.arcs.file, says))
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(partial, path)
            finally:
                with suppress(FileNotFoundError):
                    os.remove(partial)
        except OSError as error:
            raise OutputError(f"cannot be written: {error.strerror or error}", file=path) from None

    def read_patch(self, path: FilePath) -> LevelGround:
        """Return what a level is made of that a patch describes.

        Raises:
            PatchError: the file is no patch, belongs to another level, holds links, or is damaged.
        """
        arcs = self.arcs
        _, text = read_patch(path, arcs.file, arcs.count, len(arcs.head))
        try:
            return self.ground_of(json.loads(text))
        except WRONG:
            raise PatchError(SAYS_NOTHING, file=path) from None

    def changes_of(self, ground: LevelGround) -> dict[str, Any]:
        """Return how a level differs from the baked one, ready for JSON."""
        changed = np.flatnonzero(ground.terrain != self.arcs.terrain)
        obstacles = np.flatnonzero(ground.obstacle)
        return stored_ground(changed, ground.terrain[changed], obstacles, ground.prices)

    def ground_of(self, says: Mapping[str, Any]) -> LevelGround:
        """Return the level that such changes make.

        Raises:
            One of WRONG: the changes do not fit this level.
        """
        arcs = self.arcs
        codes, blocked, prices = ground_from(says, self.asked, arcs.count)
        if len(says) != 3 or not all(arcs.between(*pair) for pair in prices):
            raise ValueError(says)
        terrain, obstacle = arcs.terrain.copy(), np.zeros(arcs.count, dtype=np.bool_)
        terrain[list(codes)] = list(codes.values())
        obstacle[blocked] = True
        return LevelGround(terrain, obstacle, prices)


# -- patches --------------------------------------------------------------------------------------

#: What an error says of a patch, or a line of a journal, that fits no such level.
SAYS_NOTHING = "damaged: it says nothing of this level"


def patch_text(file: File, says: Mapping[str, Any], version: int = PLAIN) -> str:
    """Return the text of a patch of the level that a file holds."""
    text = json.dumps(says, separators=(",", ":"), allow_nan=False) + "\n"
    return f"{head_line(KIND, version, file)} {digest(text)}\n{text}"


def read_patch(
    path: FilePath, file: File, locations: int, arcs: int, links: int = 0
) -> tuple[int, str]:
    """Return the version of a patch of the level that a file holds, and its changes as JSON.

    Args:
        locations, arcs: how many the level has; a patch is no longer than they allow.
        links: how many more characters links and nodes may take; 0 = versions with any are refused.

    Raises:
        PatchError: the file is no patch, belongs to another level, is of another version or longer
            than any patch of this level, or is damaged.
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
        raise PatchError("this is no patch", file=path) from None
    if len(whole) > most:
        raise PatchError("longer than any patch of this level", file=path)
    first, _, text = whole.partition("\n")
    words = first.split(" ")
    check_head(path, KIND, words[:3], file, WITH_NODES if links else PLAIN)
    if len(words) != 4 or words[3] != digest(text):
        raise PatchError("damaged: its digest does not fit", file=path, remedy="save it again")
    return int(words[1]), text


def head_line(kind: str, version: int, file: File) -> str:
    """Return the words that say what a file is, and which level it belongs to."""
    return f"{kind} {version} {file.header.fingerprint()}"


def check_head(path: FilePath, kind: str, words: list[str], file: File, newest: int) -> None:
    """Refuse a file of another kind or a newer version, and one that belongs to another level.

    Raises:
        PatchError: the file is refused.
    """
    what = kind.removeprefix("levelbake-")
    if is_lfs_pointer(" ".join(words).encode()):
        raise PatchError(LFS_POINTER, file=path)
    if len(words) != 3 or words[0] != kind or not re.fullmatch("[0-9]{1,9}", words[1]):
        raise PatchError(f"this is no {what}", file=path, expected=f"a {what} of this level")
    if not PLAIN <= int(words[1]) <= newest:
        expected = f"version {PLAIN}" + f" to {newest}" * (newest > PLAIN)
        remedy = "save it anew, or apply it with bake.play, which knows added links and nodes"
        raise PatchError(f"version {words[1]}", file=path, expected=expected, remedy=remedy)
    if words[2] != file.header.fingerprint():
        expected = f"one saved with {os.path.basename(file.path)} as it is now"
        raise PatchError(f"this {what} belongs to another asset", file=path, expected=expected)


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def stored_ground(
    changed: AnyArray, codes: AnyArray, obstacles: AnyArray, prices: Mapping[Pair, float]
) -> dict[str, Any]:
    """Return how a level differs from the bake, ready for JSON.

    Args:
        changed, codes: (k) integers, the locations of other terrain, and which.
        obstacles: (n) integers, the locations of obstacles.
        prices: units of arcs that do not cost what terrain says.
    """
    return {
        "terrain": [list(pair) for pair in zip(changed.tolist(), codes.tolist(), strict=True)],
        "obstacles": obstacles.tolist(),
        "arcs": [[*arc, stored_price(units)] for arc, units in sorted(prices.items())],
    }


def ground_from(
    says: Mapping[str, Any], asked: Asked, count: int
) -> tuple[dict[int, int], list[int], dict[Pair, float]]:
    """Return the codes of other terrain, the obstacles and the prices that a record says.

    Raises:
        One of WRONG: the record does not fit this level.
    """
    codes = {
        within(at, count): within(code, len(asked.places.terrains)) for at, code in says["terrain"]
    }
    blocked = [within(location, count) for location in says["obstacles"]]
    prices = {
        (within(tail, count), within(head, count)): price_from(units, asked.places)
        for tail, head, units in says["arcs"]
    }
    return codes, blocked, prices


def stored_price(units: float) -> float | str:
    """Return a price for JSON, which cannot express infinity."""
    return "closed" if units == CLOSED else units


def price_from(units: object, places: Places) -> float:
    """Return the units that JSON holds; one of WRONG where it is no price."""
    if units == "closed":
        return CLOSED
    if isinstance(units, bool) or not isinstance(units, int | float) or not 0 < units < math.inf:
        raise ValueError(units)
    check_scale(places, float(units))
    return float(units)


def within(number: object, limit: int) -> int:
    """Return a whole number from 0 below a limit; one of WRONG where it is none."""
    if type(number) is not int or not 0 <= number < limit:
        raise ValueError(number)
    return number
