"""Keep the links of a level as they are now, and the arcs that the game added to it."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int64Array
from bake.core.movement import MAX_VIA, straight_way
from bake.play.live.rules import LevelRules
from levelbake.changes import CLOSED, check_scale
from levelbake.errors import QueryError
from levelbake.hops import Pair, links_for
from levelbake.places import Name, number_of, quoted
from levelbake.steps import Vias
from levelbake.things import Link

N = TypeVar("N", bound=Name)

#: The most links that are not as baked, with the arcs added; a patch can hold so many.
# limit: a one-line error; lowered by three_links
MOST = 2**16
#: The most names of links that came, went or changed, or of nodes that went, which are remembered.
# limit: the log reports that anything may have changed; tests/play/live/test_links.py
MOST_NAMES = 2**16
#: The most characters of a link's name, its kind and its id.
# limit: a one-line error; lowered by three_links
MOST_TEXT = 256

#: What a link may say, as in tile levels.
KEYS = ("from", "to", "kind", "cost", "both_ways", "profiles", "id", "via", "over")

_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


class NewArcs(NamedTuple):
    """The arcs that the level was not baked with."""

    #: tail, head: (k) int64 locations
    tail: Int64Array
    head: Int64Array
    units: Float64Array  #: (k) float64, what each costs if it has no price of its own
    #: (k) the link that each is; None where the game added the arc by itself
    link: tuple[Link | None, ...]


@dataclass(frozen=True, eq=False)
class LinkState:
    """The links of a level, and the arcs the game added, before a batch or after it."""

    rules: LevelRules  #: those of the level
    #: the links that are not as baked, by name; None = one that was baked is gone
    changed: Mapping[str, Link | None]
    #: arcs between places that nothing else joins, which cost their own price
    added: frozenset[Pair]

    @property
    def as_baked(self) -> bool:
        """Tell whether the links are those of the bake, and no arc was added."""
        return not self.changed and not self.added and not self.rules.lengths

    @cached_property
    def now(self) -> Mapping[str, Link]:
        """Return the links by name, those of the bake first."""
        links = {**self.rules.links, **self.changed}
        return {name: link for name, link in links.items() if link is not None}

    @cached_property
    def gone(self) -> BoolArray:
        """Return (links) bool, True where a baked link is gone, or is another one now."""
        return np.array([name in self.changed for name in self.rules.links], dtype=np.bool_)

    @cached_property
    def pairs(self) -> frozenset[Pair]:
        """Return the ends of every link there is, for each direction that it leads in."""
        return frozenset(pair for link in self.now.values() for pair in self.ends(link))

    def ends(self, link: Link | None) -> tuple[Pair, ...]:
        """Return the ends of a link, for each direction that it leads in."""
        return () if link is None else self.rules.ends(link)

    def joins(self, pair: Pair) -> bool:
        """Tell whether a step, an arc that was baked, or a link leads from a place to another."""
        return pair in self.rules.lengths or pair in self.pairs or self.rules.joins(*pair)

    @cached_property
    def arcs(self) -> NewArcs:
        """Return the arcs that the level was not baked with, and baked links without arcs."""
        links = [(link, self.ends(link)) for link in self.changed.values() if link is not None]
        for name, pair in self.rules.left_out:
            if name not in self.changed:
                links.append((self.rules.links[name], (pair,)))
        new = [(*pair, link.cost, link) for link, pairs in links for pair in pairs]
        # What an arc costs that was added is its own price, which takes the place of this.
        lengths = {**dict.fromkeys(self.added, 1.0), **self.rules.lengths}
        every = [*new, *((*pair, lengths[pair], None) for pair in sorted(lengths))]
        ends = np.array([each[:2] for each in every], dtype=np.int64).reshape(-1, 2)
        units = np.array([each[2] for each in every], dtype=np.float64)
        return NewArcs(ends[:, 0], ends[:, 1], units, tuple(each[3] for each in every))

    @cached_property
    def vias(self) -> Vias | None:
        """Return the cells that the links of :attr:`arcs` pass through; None where none does."""
        return self.rules.vias(self.arcs.link)

    @cached_property
    def keys(self) -> Int64Array:
        """Return tail * span + head of each pair that such an arc joins, ascending."""
        return np.unique(self.arcs.tail * self.rules.span + self.arcs.head)

    def taken_by(self, profile: str) -> BoolArray:
        """Return (k) bool, True where an arc of :attr:`arcs` is for the profile."""
        found = self._taken.get(profile)
        if found is None:
            self._taken[profile] = found = links_for(profile, self.arcs.link)
        return found

    @cached_property
    def _taken(self) -> dict[str, BoolArray]:
        return {}

    # -- changes ----------------------------------------------------------------------------------

    def among(
        self, rules: LevelRules, gone: Container[int], prices: Mapping[Pair, float]
    ) -> tuple[LinkState, Mapping[Pair, float]]:
        """Return the links and the arcs' own prices once the nodes at some locations are gone.

        Args:
            rules: those of the level without them, and with others that came.
            prices: units by pair, before.
        """

        def stays(pair: Pair) -> bool:
            return pair[0] not in gone and pair[1] not in gone

        changed = dict(self.changed)
        for name, link in self.changed.items():
            if not all(map(stays, self.ends(link))):
                del changed[name]
                if name in rules.links:
                    changed[name] = None
        kept = {pair: units for pair, units in prices.items() if stays(pair)}
        return LinkState(rules, changed, frozenset(filter(stays, self.added))), kept

    def edited(
        self,
        links: Mapping[str, Link | None],
        arcs: Mapping[Pair, float | None],
        prices: Mapping[Pair, float],
    ) -> tuple[LinkState, Mapping[Pair, float]]:
        """Return the links and the arcs' own prices after a batch.

        Args:
            links, arcs: those of an :class:`bake.play.live.ground.Edit`.
            prices: units by pair, before the batch.

        Raises:
            QueryError: there is no such link or arc, an arc cannot be added, or there would be too
                many of them.
        """
        if not links and not arcs:
            return self, prices
        after, prices = self._with_links(links, dict(prices)) if links else (self, dict(prices))
        added = set(after.added)
        for pair, units in arcs.items():
            if pair not in added and not after.joins(pair):
                self._check_new(pair, units)
                added.add(pair)
            if units is None:
                prices.pop(pair, None)
                added.discard(pair)
            else:
                prices[pair] = units
        if added != after.added:
            after = replace(after, added=frozenset(added))
        if len(after.changed) + len(after.added) > MOST:
            raise QueryError(
                f"{len(after.changed) + len(after.added)} links and arcs would not be as baked",
                place=f"level {self.rules.places.name!r}",
                expected=f"at most {MOST}",
                remedy="bake them",
            )
        return after, prices

    def _with_links(
        self, links: Mapping[str, Link | None], prices: dict[Pair, float]
    ) -> tuple[LinkState, dict[Pair, float]]:
        changed, baked = dict(self.changed), self.rules.links
        touched: set[Pair] = set()
        for name, link in links.items():
            if link is None and name not in self.now:
                known = " or ".join(quoted(each) for each in list(self.now)[:8])
                raise QueryError(
                    f"no link is named {quoted(name)}",
                    place=f"level {self.rules.places.name!r}",
                    expected=known or None,
                )
            touched.update(self.ends(self.now.get(name)), self.ends(link))
            changed.pop(name, None)
            if link != baked.get(name):
                changed[name] = link
        for pair in touched:
            # A link costs what it says, whatever led there before.
            if not self.rules.joins(*pair):
                prices.pop(pair, None)
        return replace(self, changed=changed, added=self.added - touched), prices

    def _check_new(self, pair: Pair, units: float | None) -> None:
        if units is None or units == CLOSED or pair[0] == pair[1]:
            a, b = map(self.rules.places.place_at, pair)
            raise QueryError(f"no arc leads from {quoted(a)} to {quoted(b)}")

    def unlike(self, other: LinkState) -> list[str]:
        """Return the names of links that are not as in another state."""
        if self.changed is other.changed:
            return []
        names = self.changed.keys() | other.changed.keys()
        return [name for name in sorted(names) if self.now.get(name) != other.now.get(name)]

    def ends_unlike(self, other: LinkState) -> list[Pair]:
        """Return the ends that those links have in either state."""
        names, both = self.unlike(other), (self, other)
        return [pair for name in names for one in both for pair in one.ends(one.now.get(name))]


class NameLog(Generic[N]):
    """When each link changed last, or each node went; it knows the MOST_NAMES that did so last."""

    def __init__(self) -> None:
        self._last: dict[N, int] = {}

    def note(self, batch: int, names: Iterable[N]) -> None:
        """Note the names of a batch."""
        for name in names:
            self._last.pop(name, None)  # The one that changed last goes to the end.
            self._last[name] = batch
        while len(self._last) > MOST_NAMES:
            del self._last[next(iter(self._last))]

    def since(self, batch: int) -> list[N]:
        """Return the names noted after a batch, in the order of their last batches."""
        return [name for name, last in self._last.items() if last > batch]


def links_from(
    rules: LevelRules,
    changed: Mapping[str, Link | None],
    prices: Mapping[Pair, float],
) -> LinkState:
    """Return the state of links that differ from the bake; what nothing joins was added.

    Args:
        changed: see :class:`LinkState`.
        prices: units by pair, of all arcs that have a price of their own.
    """
    kept = {name: link for name, link in changed.items() if link != rules.links.get(name)}
    state = LinkState(rules, kept, frozenset())
    added = frozenset(pair for pair in prices if not state.joins(pair))
    return replace(state, added=added) if added else state


def told(link: Link) -> dict[str, Any]:
    """Return what a tile level says of a link."""
    attribute = {"from": "start", "to": "goal"}
    keys = KEYS if link.via else KEYS[: KEYS.index("via")]
    return {key: getattr(link, attribute.get(key, key)) for key in keys}


def link_of(rules: LevelRules, name: object, said: object) -> Link | None:
    """Return the link that a game asks for; None where it is to be taken away.

    Args:
        name: the name of the link.
        said: what a tile level says of a link, a :class:`Link` as the level's own, or None.

    Raises:
        QueryError: it is no link of this level.
    """
    # What was baked may be longer than what a game may add, and comes back as it was.
    baked = rules.links.get(name) if isinstance(name, str) else None
    own = () if baked is None else (baked.name, baked.kind, baked.id)
    text = _text(name, own, "links: ", "name")
    if said is None:
        return None
    if isinstance(said, Link):
        said = told(said)
    where = f"link {quoted(text)}"
    if not isinstance(said, Mapping):
        raise QueryError(f"{where} is {quoted(said)}", expected="a mapping, a Link, or None")
    if unknown := [key for key in said if key not in KEYS]:
        raise QueryError(f"{where} says {quoted(unknown[0])}", expected=" or ".join(KEYS))
    for key in ("from", "to"):
        if key not in said:
            raise QueryError(f"{where} does not say {key!r}", expected="the places it joins")
    ends = rules.places.location(said["from"]), rules.places.location(said["to"])
    start, goal = rules.places.place_at(ends[0]), rules.places.place_at(ends[1])
    if ends[0] == ends[1]:
        raise QueryError(f"{where} starts and ends at {quoted(start)}", expected="two places")
    both_ways = said.get("both_ways", False)
    if not isinstance(both_ways, bool | np.bool_):
        raise QueryError(f"{where}: both_ways is {quoted(both_ways)}", expected="True or False")
    own_id = said.get("id")
    via, over = _via(rules, where, ends, said.get("via"), said.get("over"))
    through = [rules.places.location(place) for place in via]
    return Link(
        text,
        _text(said.get("kind", "link"), own, f"{where}: ", "kind"),
        cast("Any", start),
        cast("Any", goal),
        _cost(rules, where, ends, through, said.get("cost")),
        bool(both_ways),
        _profiles(rules, text, said.get("profiles")),
        None if own_id is None else _text(own_id, own, f"{where}: ", "id"),
        via,
        over,
    )


def _via(
    rules: LevelRules, where: str, ends: Pair, via: object, over: object
) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """Return the places that a link passes through, and the terrains that it passes over."""
    for key, said in (("via", via), ("over", over)):
        if said is not None and not isinstance(said, list | tuple | np.ndarray):
            raise QueryError(f"{where}: {key} is {quoted(said)}", expected="a list, or None")
    through = [] if via is None else [*map(rules.places.location, cast("list[Any]", via))]
    over = None if over is None else list(cast("list[object]", over))
    if over and not through:
        raise QueryError(f"{where} says 'over' without 'via'", expected="places to pass over")
    if not through:
        return (), ()
    if not rules.places.is_grid:
        raise QueryError(f"{where} says 'via'", expected="no 'via', as the level is a graph")
    if len(through) > MAX_VIA:
        found = f"{where} passes through {len(through)} places"
        raise QueryError(found, expected=f"at most {MAX_VIA}")
    for one, other in pairwise([*through, -1]):
        if one in ends:
            at = quoted(rules.places.place_at(one))
            found = f"{where} passes through {at}, one of its ends"
            raise QueryError(found, expected="places between its ends")
        if one == other:
            at = quoted(rules.places.place_at(one))
            found = f"{where} passes through {at} twice in a row"
            raise QueryError(found, expected="each place once, then another")
    codes = {int(rules.terrain[each]) for each in through}
    if over is not None:
        for name in over:
            if not isinstance(name, str) or name not in rules.terrains:
                known = " or ".join(map(repr, rules.terrains))
                raise QueryError(f"{where} leads over {quoted(name)}", expected=known)
        codes = {rules.terrains.index(cast("str", name)) for name in over}
    places = tuple(rules.places.place_at(each) for each in through)
    return places, tuple(rules.terrains[code] for code in sorted(codes))


def _text(text: object, own: Sequence[str | None], where: str, what: str) -> str:
    if isinstance(text, str) and text in own:
        return text
    if not is_text(text):
        raise QueryError(
            f"{where}{quoted(text)} is no {what}",
            expected=f"some text without control characters, at most {MOST_TEXT}",
        )
    return cast("str", text)


def is_text(text: object) -> bool:
    """Tell whether something may be a name: some text, neither long nor with control characters."""
    return isinstance(text, str) and 0 < len(text) <= MOST_TEXT and not _CONTROL.search(text)


def _cost(rules: LevelRules, where: str, ends: Pair, through: list[int], cost: object) -> float:
    if cost is None:
        if not rules.places.is_grid:
            raise QueryError(f"{where} does not say 'cost'", expected="a positive number of units")
        floor_height, cells = rules.places.floor_height, []
        for location in (ends[0], *through, ends[1]):
            y, x = divmod(location, rules.places.width)
            cells.append((x, y))
        units = math.fsum(straight_way(*way, floor_height) for way in pairwise(cells))
        check_scale(rules.places, units)
        return units
    units = number_of(cost)
    if not 0 < units < math.inf:
        raise QueryError(
            f"{where} costs {quoted(cost)}",
            expected="a positive number of units, or None for the straight way",
        )
    check_scale(rules.places, units)
    return units


def _profiles(rules: LevelRules, name: str, profiles: object) -> tuple[str, ...] | None:
    if profiles is None:
        return None
    where = f"link {quoted(name)}"
    if isinstance(profiles, str) or not isinstance(profiles, list | tuple | set | frozenset):
        found = f"{where}: profiles is {quoted(profiles)}"
        raise QueryError(found, expected="a list of profiles, or None for all of them")
    # A recipe may have left profiles out that the level's own links are for.
    baked = rules.links.get(name)
    known = {*rules.asset.profiles, *((baked and baked.profiles) or ())}
    for each in profiles:
        if not isinstance(each, str) or each not in known:
            found = f"{where} is for the profile {quoted(each)}"
            raise QueryError(found, expected=" or ".join(map(repr, sorted(known))))
    ordered = sorted(profiles) if isinstance(profiles, set | frozenset) else profiles
    return tuple(dict.fromkeys(ordered)) or None
