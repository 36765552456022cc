"""The nodes that a game adds to a graph level, beside those that it was baked with.

A node that comes gets the lowest location behind the baked ones that no node has. The location of
one that went stays, as a place where nobody can stand, until another node takes it over; so a
location that there was before an update is there after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from numbers import Integral
from typing import Any, NamedTuple, cast

import numpy as np

from bake.core.arrays import Float64Array
from bake.play.live.links import is_text
from bake.play.live.rules import MOST_NODES, LevelRules
from levelbake.changes import items_of
from levelbake.errors import QueryError
from levelbake.places import FARTHEST, Name, number_of, quoted

#: What a game may say of a node.
KEYS = ("at", "z", "terrain")


class AddedNode(NamedTuple):
    """A node that a game added to a graph level."""

    location: int  #: its number
    #: where it lies, (x, y), on planes of several floors (x, y, floor); None on graphs without
    #: positions
    at: tuple[float, ...] | None
    z: float | None  #: how high it lies; None where the level does not say it of nodes


#: Nodes by name, as a batch wants them; None = one that goes.
Nodes = Mapping[Name, AddedNode | None]


class AskedNodes(NamedTuple):
    """The nodes of a batch, and what becomes of their places."""

    nodes: Nodes
    gone: tuple[int, ...]  #: locations of those that go
    new: tuple[int, ...]  #: locations of those that come
    terrain: Mapping[int, int]  #: codes of the terrain of those that say one, and of all new ones


def asked_nodes(rules: LevelRules, nodes: object, usual: int) -> AskedNodes:
    """Return the nodes that a game asks for.

    Args:
        rules: those of the level as it is before.
        nodes: see :meth:`bake.play.LevelAsset.update`.
        usual: the code of the terrain of a new node that says none.

    Raises:
        QueryError: something is no node of this level, or there would be too many.
    """
    said, places = items_of(nodes, "nodes"), rules.places
    level = f"level {places.name!r}"
    if said and places.is_grid:
        raise QueryError("nodes come to graphs and meshes alone", place=level)
    free = free_locations(rules)
    found: dict[Name, AddedNode | None] = {}
    gone, new, terrain = [], [], {}
    pieces = rules.piece_names if said else frozenset()
    for given, each in said:
        where, name = f"node {quoted(given)}", _name(rules, given)
        if name in pieces:
            raise QueryError(
                f"{where} is a piece that an obstacle left of a polygon",
                place=level,
                expected="another name, or a change of the obstacle",
            )
        known = places.added.get(name)
        if known is None and places.node_named(name) is not None:
            raise QueryError(f"{where} was baked", place=level, expected="a name of its own")
        if each is None:
            if known is None:
                raise QueryError(f"no node is named {quoted(name)}", place=level)
            gone.append(known.location)
            found[name] = None
            continue
        if not isinstance(each, Mapping):
            raise QueryError(f"{where} is {quoted(each)}", expected="a mapping, or None")
        if unknown := [key for key in each if key not in KEYS]:
            raise QueryError(f"{where} says {quoted(unknown[0])}", expected=" or ".join(KEYS))
        location = next(free) if known is None else known.location
        found[name] = AddedNode(location, _point(rules, where, each), _height(rules, where, each))
        if known is None:
            new.append(location)
        if known is None or "terrain" in each:
            terrain[location] = _code(rules, where, each.get("terrain"), usual)
    return AskedNodes(found, tuple(gone), tuple(new), terrain)


def free_locations(rules: LevelRules) -> Iterator[int]:
    """Yield the locations behind the baked ones that no node has, ascending.

    Raises:
        QueryError: there are no more.
    """
    taken = {node.location for node in rules.places.added.values()}
    for at in range(rules.baked_count, rules.baked_count + MOST_NODES):
        if at not in taken:
            yield at
    expected = f"at most {MOST_NODES} nodes that came"
    raise QueryError("one node too many", place=f"level {rules.places.name!r}", expected=expected)


def _name(rules: LevelRules, name: object) -> Name:
    numbers = rules.asset.has("/node_number")
    is_whole = numbers and isinstance(name, Integral) and not isinstance(name, bool)
    if is_whole and -(2**63) <= (number := int(cast("int", name))) < 2**63:
        return number
    # On levels of numbers the text of a number stands for the number.
    if isinstance(name, str) and is_text(name) and not (numbers and name.lstrip("-").isdecimal()):
        return name
    expected = "some short, plain text" + (", or a whole number of 64 bits" if numbers else "")
    raise QueryError(f"nodes: {quoted(name)} is no name", expected=expected)


def _point(rules: LevelRules, where: str, said: Mapping[str, object]) -> tuple[float, ...] | None:
    if rules.places.position is None:
        if "at" in said:
            found = f"{where} says 'at'"
            raise QueryError(found, expected="no 'at', as the level's nodes have no positions")
        return None
    if "at" not in said:
        raise QueryError(f"{where} does not say 'at'", expected="where it lies, (x, y)")
    at, floors = said["at"], _floors(rules)
    numbers = [number_of(each) for each in at] if isinstance(at, tuple | list | np.ndarray) else []
    plain = len(numbers) == 2 or (len(numbers) == 3 and numbers[2] in range(floors) and floors > 1)
    if not plain or not all(abs(each) <= FARTHEST for each in numbers):
        expected = "(x, y), two finite numbers"
        if floors > 1:
            expected += f", or (x, y, floor) with a floor from 0 to {floors - 1}"
        raise QueryError(f"{where} lies at {quoted(at)}", expected=expected)
    return tuple(numbers)


def _floors(rules: LevelRules) -> int:
    """Return how many floors the plane has that a level was divided from."""
    names = [name for name in ("/mesh_floor", "/wall_floor") if rules.asset.has(name)]
    return max((int(rules.asset.read(name).max(initial=0)) + 1 for name in names), default=1)


def _height(rules: LevelRules, where: str, said: Mapping[str, object]) -> float | None:
    if rules.elevation is None:
        if "z" in said:
            found = f"{where} says 'z'"
            raise QueryError(found, expected="no 'z', as the level does not say how high nodes lie")
        return None
    z = number_of(said.get("z"))
    if not abs(z) <= FARTHEST:
        found = f"{where}: z is {quoted(said['z'])}" if "z" in said else f"{where} does not say 'z'"
        raise QueryError(found, expected="how high it lies, a finite number")
    return z


def _code(rules: LevelRules, where: str, terrain: object, usual: int) -> int:
    if terrain is None:
        return usual
    if not isinstance(terrain, str) or terrain not in rules.terrains:
        found = f"{where}: no terrain {quoted(terrain)}"
        raise QueryError(found, expected=" or ".join(map(repr, rules.terrains)))
    return rules.terrains.index(terrain)


def with_nodes(rules: LevelRules, nodes: Nodes) -> LevelRules:
    """Return the rules of a level, and its places, after some nodes came, moved or went.

    Raises:
        ValueError: two nodes would have one location.
    """
    if not nodes:
        return rules
    before, places, after = rules.places, copy(rules.places), copy(rules)
    both = {**before.added, **nodes}
    added = {name: node for name, node in both.items() if node is not None}
    locations = [node.location for node in added.values()]
    if len(set(locations)) < len(locations):
        raise ValueError("two nodes at one location")
    more = max([len(before.names), *(at + 1 for at in locations)]) - len(before.names)
    names: list[Any] = [*before.names, *(None for _ in range(more))]
    numbers = {name: at for name, at in before._node_of_name.items() if name not in before.added}
    for name, node in added.items():
        names[node.location] = name
        numbers[name] = node.location
    places.__dict__.pop("plane", None)  # These are the points of the places before.
    places.added, places.names, places._node_of_name = added, tuple(names), numbers
    there = np.array([*range(rules.baked_count), *sorted(locations)], dtype=np.int32)
    places.here = there
    if before.position is not None:
        at = {node.location: node.at[:2] for node in added.values() if node.at is not None}
        places.position = _filled(before.position, more, at)
    after.places, after.location_count = places, len(names)
    if rules.elevation is not None:
        after.elevation = _filled(rules.elevation, more, {n.location: n.z for n in added.values()})
    for name in ("asked", "lengths"):
        after.__dict__.pop(name, None)
    return after


def _filled(values: Float64Array, more: int, new: Mapping[int, Any]) -> Float64Array:
    """Return values of locations with some more, and with others at some."""
    found = np.concatenate([values, np.zeros((more, *values.shape[1:]))])
    for location, value in new.items():
        found[location] = value
    return found


def replaced(rules: LevelRules, nodes: Nodes) -> LevelRules:
    """Return the rules of a level that has these nodes, and no other added ones."""
    return with_nodes(rules, {**dict.fromkeys(rules.places.added), **nodes})


# -- patches and journals -------------------------------------------------------------------------


def stored_nodes(nodes: Nodes) -> dict[str, Any]:
    """Return nodes ready for JSON: [name, location, at, z], or [name] of those that go."""
    stored = [[name] if node is None else [name, *node] for name, node in nodes.items()]
    return {"nodes": stored} if stored else {}


def nodes_from(rules: LevelRules, record: Mapping[str, Any]) -> Nodes:
    """Return the nodes of a record; of one that has none, none.

    Raises:
        One of WRONG, or a QueryError: the record does not fit this level.
    """
    found: dict[Name, AddedNode | None] = {}
    if not isinstance(record, dict):
        raise TypeError(record)
    stored = record.get("nodes", [])
    if not isinstance(stored, list) or not all(isinstance(each, list) for each in stored):
        raise TypeError(stored)
    if stored and rules.places.is_grid:
        raise ValueError("nodes")
    for given, *rest in stored:
        name = _name(rules, given)
        known = name in rules.places.added
        if name in found or not (known or (rest and rules.places.node_named(name) is None)):
            raise ValueError(name)
        found[name] = None
        if rest:
            location, at, z = rest
            said = {key: each for key, each in (("at", at), ("z", z)) if each is not None}
            where = f"node {quoted(name)}"
            point, height = _point(rules, where, said), _height(rules, where, said)
            if type(location) is not int or not 0 <= location - rules.baked_count < MOST_NODES:
                raise ValueError(location)
            found[name] = AddedNode(location, point, height)
    return found
