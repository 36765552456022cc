"""What a level is made of, before a batch of changes and after it, and how patches say it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int64Array
from bake.play.live.cells import Cells, Values, all_unlike, edited, unlike, whole
from bake.play.live.links import MOST, LinkState, link_of, links_from, told
from bake.play.live.nodes import Nodes, nodes_from, replaced, stored_nodes, with_nodes
from bake.play.live.obstacles import (
    Obstacles,
    check_pieces,
    obstacles_from,
    stored_obstacles,
    with_obstacles,
)
from bake.play.live.rules import LevelRules
from bake.store.partial import written_whole
from levelbake.changes import (
    PLAIN,
    SAYS_NOTHING,
    WITH_LINKS,
    WITH_NODES,
    WRONG,
    Batch,
    ground_from,
    patch_text,
    price_from,
    read_patch,
    stored_ground,
    stored_price,
    within,
)
from levelbake.errors import PatchError
from levelbake.hops import Pair
from levelbake.things import Link

#: The version of patches since which they may have a key.
_SINCE = {"links": WITH_LINKS, "nodes": WITH_NODES, "cuts": WITH_NODES}

#: The most characters of a link in a patch, and of a node.
# limit: a one-line error; tests/play/live/test_nodes.py
_LINK, _NODE = 2**14, 2**11


class Edit(NamedTuple):
    """One batch of changes, with those of links and nodes."""

    batch: Batch
    links: Mapping[str, Link | None]  # the new links by name; None = one that goes
    nodes: Nodes = MappingProxyType({})
    obstacles: Obstacles = MappingProxyType({})

    @property
    def locations(self) -> Int64Array:
        """Return the locations that it may change, ascending, but for nodes and ends of arcs."""
        each = {*self.batch.blocked, *self.batch.opened, *self.batch.terrain}
        return np.array(sorted(each), dtype=np.int64)


@dataclass(frozen=True)
class LevelState:
    """What a level is made of, before a batch or after it."""

    terrain: Values  #: (locations) uint8; on large lattices what differs from the bake
    obstacle: Values  #: likewise, bool, True where nobody can stand, whatever the terrain
    #: units by (tail, head) location, of arcs that do not cost what the terrain says
    prices: Mapping[Pair, float]
    links: LinkState  #: the links, and the arcs that the game added

    @property
    def rules(self) -> LevelRules:
        """Return the rules of the level, with the nodes that there are."""
        return self.links.rules

    @staticmethod
    def baked(rules: LevelRules) -> LevelState:
        """Return the level as it was baked, but for nodes, on which nobody can stand."""
        nowhere = np.zeros(rules.baked_count, dtype=np.bool_)
        prices, links = rules.own_prices, links_from(rules, {}, rules.own_prices)
        implied, width = rules.asset.implied, rules.places.width
        if implied is None:
            return LevelState(rules.terrain, nowhere, prices, links)._wide(rules.location_count)
        terrain, obstacle = (Cells(each, width, implied.block) for each in (rules.terrain, nowhere))
        return LevelState(terrain, obstacle, prices, links)

    def _wide(self, count: int) -> LevelState:
        """Return the same level with as many locations; nobody can stand on the further ones."""
        more = count - len(self.terrain)
        if not more:
            return self
        terrain = np.append(whole(self.terrain), np.zeros(more, dtype=np.uint8))
        obstacle = np.append(whole(self.obstacle), np.ones(more, dtype=np.bool_))
        return LevelState(terrain, obstacle, self.prices, self.links)

    def edited(self, edit: Edit, passable: BoolArray, usual: int) -> LevelState:
        """Return the level after a batch.

        Args:
            edit: the batch.
            passable: (terrain) bool, True where some profile can stand on the terrain.
            usual: the terrain an opened wall becomes.

        Raises:
            QueryError: see :meth:`LinkState.edited`.
        """
        (blocked, opened, codes, arcs), links, nodes, obstacles = edit
        rules = with_obstacles(with_nodes(self.rules, nodes), obstacles)
        wide = self._wide(rules.location_count)
        terrain, obstacle = wide.terrain, wide.obstacle
        if blocked or opened:
            both = np.array((*blocked, *opened), dtype=np.int64)
            obstacle = edited(obstacle, both, np.arange(len(both)) < len(blocked))
        if opened or codes:
            floor = np.array(opened, dtype=np.int64)
            walls = floor[~passable[terrain[floor]]]
            terrain = edited(terrain, walls, np.full(len(walls), usual, dtype=np.uint8))
            terrain = edited(terrain, *_arrays_of(codes))
        kept, prices = self.links, self.prices
        if rules is not self.rules:
            added = self.rules.places.added
            gone = {added[name].location for name, node in nodes.items() if node is None}
            kept, prices = kept.among(rules, gone, prices)
        return LevelState(terrain, obstacle, *kept.edited(links, arcs, prices)[::-1])

    def changed(self, other: LevelState, near: Int64Array | None = None) -> Int64Array:
        """Find the locations that differ, and both ends of arcs and links that do.

        Args:
            near: (k) int64 ascending, the only locations whose ground may differ; None = any.

        Returns:
            The locations, ascending.
        """
        wide, added = self._wide(len(other.terrain)), self.rules.places.added
        if near is None:
            obstacle = all_unlike(wide.obstacle, other.obstacle)
            locations = np.union1d(obstacle, all_unlike(wide.terrain, other.terrain))
        else:
            differ = wide.obstacle[near] != other.obstacle[near]
            differ |= wide.terrain[near] != other.terrain[near]
            locations = near[differ]
        priced = set(self.links.ends_unlike(other.links))
        if added is not other.rules.places.added:
            nodes = set(added.items()) ^ set(other.rules.places.added.items())
            priced.update((node.location, node.location) for _, node in nodes)
        pairs = (self.prices, other.prices), (self.rules.lengths, other.rules.lengths)
        for mine, theirs in pairs:
            if mine is not theirs:
                priced.update(arc for arc, _ in set(mine.items()) ^ set(theirs.items()))
        if not priced:
            return locations
        return np.union1d(locations, np.array(sorted(priced), dtype=np.int64).reshape(-1))


def _arrays_of(codes: Mapping[int, int]) -> tuple[Int64Array, Any]:
    """Return (k) int64 locations and (k) uint8 codes of their terrain."""
    return np.array(list(codes), dtype=np.int64), np.array(list(codes.values()), dtype=np.uint8)


# -- files ----------------------------------------------------------------------------------------


def write_patch(path: Path, level: LevelState) -> None:
    """Write a patch, whole or not at all.

    Raises:
        OutputError: the patch cannot be written.
    """
    text = patch_text(level.rules.asset, changes_of(level), version_of(level.links))
    with written_whole(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def level_of_patch(path: Path, rules: LevelRules) -> LevelState:
    """Return the level that a patch describes.

    Raises:
        PatchError: the file is no patch, belongs to another asset, is of another version, or is
            damaged.
    """
    more = _LINK * (MOST + len(rules.links)) + _NODE * (rules.span - rules.baked_count)
    version, text = read_patch(path, rules.asset, rules.baked_count, rules.arc_count, more)
    try:
        changes = json.loads(text)
        level = level_from(rules, changes)
        needed = max(version_of(level.links), *(_SINCE.get(key, PLAIN) for key in changes))
        if needed > version:
            raise ValueError(version)
    except WRONG:
        raise PatchError(SAYS_NOTHING, file=path) from None
    return level


def version_of(links: LinkState) -> int:
    """Return the version of a file that holds these links, and the nodes beside them."""
    if links.rules.places.added or links.rules.obstacles:
        return WITH_NODES
    return PLAIN if links.as_baked else WITH_LINKS


def changes_of(level: LevelState) -> dict[str, Any]:
    """Return how a level differs from the baked one, ready for JSON."""
    changed = unlike(level.terrain, whole(LevelState.baked(level.rules).terrain))
    obstacles, here = unlike(level.obstacle, np.zeros(1, dtype=np.bool_)), level.rules.places.here
    if not isinstance(here, slice):
        changed, obstacles = np.intersect1d(changed, here), np.intersect1d(obstacles, here)
    ground = stored_ground(changed, level.terrain[changed], obstacles, level.prices)
    nodes = stored_nodes(level.rules.places.added)
    cuts = stored_obstacles(level.rules.obstacles)
    return ground | _stored_links(level.rules, level.links.changed) | nodes | cuts


def level_from(rules: LevelRules, changes: dict[str, Any]) -> LevelState:
    """Return the level that such changes make.

    Args:
        rules: those of the level as it was baked, or is now.

    Raises:
        One of WRONG: the changes do not fit this level.
    """
    _check_keys(changes, "terrain", "obstacles", "arcs")
    rules = replaced(rules, nodes_from(rules, changes))
    cuts = obstacles_from(rules, changes)
    rules = with_obstacles(rules, {**dict.fromkeys(rules.obstacles), **cuts})
    check_pieces(rules)
    baked = LevelState.baked(rules)
    codes, blocked, prices = ground_from(changes, rules.asked, rules.location_count)
    terrain = edited(baked.terrain, *_arrays_of(codes))
    at = [*(node.location for node in rules.places.added.values()), *blocked]
    shut = np.arange(len(at)) >= len(at) - len(blocked)
    obstacle = edited(baked.obstacle, np.array(at, dtype=np.int64), shut)
    links = links_from(rules, _links_of(rules, changes), prices)
    return LevelState(terrain, obstacle, prices, links)


def edit_record(rules: LevelRules, edit: Edit) -> dict[str, Any]:
    """Return a batch as a record that is ready for JSON.

    Args:
        rules: those of the level after the batch.
    """
    blocked, opened, terrain, prices = edit.batch
    return {
        "blocked": list(blocked),
        "opened": list(opened),
        "terrain": sorted(terrain.items()),
        "arcs": [
            [*pair, None if units is None else stored_price(units)]
            for pair, units in sorted(prices.items(), key=lambda item: item[0])
        ],
        **_stored_links(rules, edit.links),
        **stored_nodes(edit.nodes),
        **stored_obstacles(edit.obstacles),
    }


def edit_from(rules: LevelRules, record: dict[str, Any]) -> Edit:
    """Return the batch of a record.

    Args:
        rules: those of the level before the batch.

    Raises:
        One of WRONG: the record does not fit this level.
    """
    _check_keys(record, "blocked", "opened", "terrain", "arcs")
    nodes = nodes_from(rules, record)
    rules = with_nodes(rules, nodes)
    count, kinds = rules.location_count, len(rules.terrains)
    batch = Batch(
        tuple(within(location, count) for location in record["blocked"]),
        tuple(within(location, count) for location in record["opened"]),
        {within(at, count): within(code, kinds) for at, code in record["terrain"]},
        {
            (within(tail, count), within(head, count)): None
            if units is None
            else price_from(units, rules.places)
            for tail, head, units in record["arcs"]
        },
    )
    links, cuts = _links_of(rules, record), obstacles_from(rules, record)
    check_pieces(with_obstacles(rules, cuts))
    return Edit(batch, links, nodes, cuts)


def _check_keys(record: dict[str, Any], *keys: str) -> None:
    """Raise a ValueError on keys other than these and those of links, nodes and obstacles."""
    for key in record:
        if key not in (*keys, *_SINCE):
            raise ValueError(key)


def _stored_links(rules: LevelRules, links: Mapping[str, Link | None]) -> dict[str, Any]:
    """Return links for JSON, in the order of the level; nothing where there are none."""
    location = rules.places.location
    stored: dict[str, Any] = {name: link and told(link) for name, link in links.items()}
    for said in filter(None, stored.values()):
        said |= {"from": location(said["from"]), "to": location(said["to"])}
        if "via" in said:
            said["via"] = list(map(location, said["via"]))
    return {"links": stored} if stored else {}


def _links_of(rules: LevelRules, record: dict[str, Any]) -> dict[str, Link | None]:
    """Return the links that a record holds."""
    found: dict[str, Link | None] = {}
    place_at, count = rules.places.place_at, rules.location_count
    for name, stored in dict(record.get("links", {})).items():
        said = stored
        if stored is not None:
            ends = {key: place_at(within(stored[key], count)) for key in ("from", "to")}
            via = [place_at(within(each, count)) for each in stored.get("via", ())]
            said = {**stored, **ends, "via": via}
        found[name] = link_of(rules, name, said)
    return found
