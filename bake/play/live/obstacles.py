"""Obstacles on a navigation mesh: polygons that they touch are blocked, and pieces come.

A piece is a node that came, with a name such as ``17/0``, and arcs to its neighbours that cost what
those of a bake cost: the length by the middle of the shared edge, by the terrain on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from bake.play.live.cells import Values
from bake.play.live.links import is_text
from bake.play.live.nodes import AddedNode, Nodes, free_locations
from bake.play.live.rules import LevelRules
from bake.play.mesh.cut import Obstacle, area, centre
from bake.play.mesh.polygons import FARTHEST, GRID, Step, step_of, turn
from levelbake.changes import items_of, within
from levelbake.errors import QueryError
from levelbake.places import Name, quoted

#: The most corners of an obstacle.
# limit: a one-line error; tests/play/mesh/test_obstacles.py
MOST_CORNERS = 64

#: Obstacles by name, as a batch wants them; None = one that goes.
Obstacles = Mapping[str, Obstacle | None]


class AskedObstacles(NamedTuple):
    """The obstacles of a batch, and what becomes of polygons and their pieces."""

    obstacles: Obstacles = MappingProxyType({})
    nodes: Nodes = MappingProxyType({})  #: pieces that come, change or go
    #: blocked, opened: locations
    blocked: tuple[int, ...] = ()
    opened: tuple[int, ...] = ()
    terrain: Mapping[int, int] = MappingProxyType({})  #: codes of the terrain of new pieces


def asked_obstacles(
    rules: LevelRules, terrain: Values, obstacle: Values, said: object
) -> AskedObstacles:
    """Return what becomes of a level with the obstacles that a game asks for.

    Args:
        rules: those of the level before, but with the nodes of the batch.
        terrain, obstacle: (locations) uint8 and bool, of the level before.
        said: see :meth:`bake.play.LevelAsset.update`.

    Raises:
        QueryError: something is no obstacle of this level.
    """
    items = items_of(said, "obstacles")
    found = {cast("str", name): _obstacle(rules, name, each) for name, each in items}
    before, after = rules.cut, with_obstacles(rules, found)
    now, mesh, names = after.cut, rules.mesh, rules.places.names
    for polygon in now.pieces:
        nodes_here = mesh.nodes(polygon)
        if len(nodes_here) != 1 or mesh.of_node[nodes_here[0]] != [polygon]:
            raise QueryError(
                f"an obstacle lies on the polygon around {quoted(names[nodes_here[0]])}",
                place=f"level {rules.places.name!r}",
                expected="polygons with a node in the centre, in which no link ends",
                remedy='bake with nodes = "centre" in [mesh], or block nodes',
            )
    old, new = _named(rules), _named(after)
    nodes: dict[Name, AddedNode | None] = {name: None for name in old if name not in new}
    location, free = {}, free_locations(rules)
    for name, (polygon, piece) in new.items():
        known = rules.places.added.get(name)
        if name not in old and known is not None:
            raise QueryError(f"node {name!r} is there already", expected="another name for it")
        node = _node(after, polygon, piece, next(free) if known is None else known.location)
        location[piece] = node.location
        if node != known:
            nodes[name] = node
    fresh = [each for name, each in new.items() if name not in old]
    pieces = rules.node_of_piece
    shut = {}
    for polygon in {*before.pieces, *now.pieces}:
        nodes_now = [pieces[each] for each in before.pieces.get(polygon, ())]
        if polygon not in before.pieces:
            nodes_now = mesh.nodes(polygon)
        shut[polygon] = bool(nodes_now) and bool(obstacle[np.array(nodes_now)].all())
    blocked = [mesh.nodes(each)[0] for each in now.pieces if each not in before.pieces]
    blocked += [rules.places.added[name].location for name in old if name not in new]
    blocked += [location[piece] for polygon, piece in fresh if shut[polygon]]
    whole = [each for each in before.pieces if each not in now.pieces and not shut[each]]
    opened = [mesh.nodes(each)[0] for each in whole]
    opened += [location[piece] for polygon, piece in fresh if not shut[polygon]]
    own = np.array([mesh.nodes(polygon)[0] for polygon, _ in fresh], dtype=np.int64)
    codes = zip((location[piece] for _, piece in fresh), terrain[own].tolist(), strict=True)
    return AskedObstacles(found, nodes, tuple(blocked), tuple(opened), dict(codes))


def _obstacle(rules: LevelRules, name: object, said: object) -> Obstacle | None:
    where = f"obstacle {quoted(name)}"
    if not is_text(name):
        raise QueryError(f"{where}: this is no name", expected="some short, plain text")
    if said is None:
        if name not in rules.obstacles:
            known = " or ".join(map(quoted, [*rules.obstacles][:8]))
            raise QueryError(f"no {where}", expected=known or None)
        return None
    expected = f"a list of 3 to {MOST_CORNERS} corners, (x, y)"
    if not isinstance(said, list | tuple | np.ndarray) or not 3 <= len(said) <= MOST_CORNERS:
        raise QueryError(f"{where} is {quoted(said)}", expected=expected)
    ends = [step_of(point, rules.mesh.floors) for point in said]
    if len({floor for _, floor in ends}) > 1:
        raise QueryError(f"{where} lies on several floors", expected="corners on one of them")
    for point, (step, _) in zip(said, ends, strict=True):
        if not _is_near(step):
            expected = f"corners at most {FARTHEST // GRID:,} units from the origin"
            raise QueryError(f"{where} has a corner at {quoted(point)}", expected=expected)
    return _convex(where, ends[0][1], tuple(step for step, _ in ends))


def _is_near(step: Step) -> bool:
    """Return whether a corner lies no farther out than the vertices of any mesh."""
    return max(map(abs, step)) <= FARTHEST


def _convex(where: str, floor: int, ring: tuple[Step, ...]) -> Obstacle:
    """Return an obstacle whose corners turn from x toward y; refuse one that is not convex."""
    ring = ring if area([*ring]) > 0 else ring[::-1]
    sides = zip(ring, (*ring[1:], ring[0]), strict=True)
    if area([*ring]) == 0 or len({*ring}) < len(ring):
        found, expected = "has no area, or a corner twice", "corners 1/1024 of a unit apart"
        raise QueryError(f"{where} {found}", expected=expected)
    if any(turn(a, b, each) < 0 for a, b in sides for each in ring):
        raise QueryError(f"{where} is not convex", expected="a convex one, or several")
    return Obstacle(floor, ring)


def with_obstacles(rules: LevelRules, obstacles: Obstacles) -> LevelRules:
    """Return the rules of a level after some obstacles came, changed or went."""
    if not obstacles:
        return rules
    _ = rules.cut  # What it reads and remembers is kept for all rules made of these.
    after, both = copy(rules), {**rules.obstacles, **obstacles}
    after.obstacles = {name: each for name, each in both.items() if each is not None}
    for name in ("cut", "lengths"):
        after.__dict__.pop(name, None)
    return after


def _named(rules: LevelRules) -> dict[str, tuple[int, int]]:
    """Return the polygon and the face of each piece, by the name of its node."""
    return {
        rules.name_of_piece(polygon, number): (polygon, piece)
        for polygon, pieces in rules.cut.pieces.items()
        for number, piece in enumerate(pieces)
    }


def _node(rules: LevelRules, polygon: int, piece: int, location: int) -> AddedNode:
    mesh, own = rules.mesh, rules.mesh.nodes(polygon)[0]
    at: tuple[float, ...] = centre([side.begin for side in rules.cut.border[piece]])
    if mesh.floors > 1:
        at = (*at, float(mesh.floor[polygon]))
    z = None if rules.elevation is None else float(rules.elevation[own])
    return AddedNode(location, at, z)


# -- patches and journals -------------------------------------------------------------------------


def stored_obstacles(obstacles: Obstacles) -> dict[str, Any]:
    """Return obstacles ready for JSON: [name, floor, corners], or [name] of those that go."""
    stored = [[name, *(each or ())] for name, each in obstacles.items()]
    return {"cuts": stored} if stored else {}


def obstacles_from(rules: LevelRules, record: Mapping[str, Any]) -> Obstacles:
    """Return the obstacles of a record; None stands for one that goes.

    Raises:
        One of WRONG, or a QueryError: the record does not fit this level.
    """
    found: dict[str, Obstacle | None] = {}
    for name, *rest in record.get("cuts", ()):
        if not is_text(name) or name in found or not (rest or name in rules.obstacles):
            raise ValueError(name)
        found[name] = None
        if rest:
            floor, said = rest
            ring = tuple((x, y) for x, y in said)
            whole = all(type(axis) is int for step in ring for axis in step)
            if not (3 <= len(ring) <= MOST_CORNERS and whole and all(map(_is_near, ring))):
                raise ValueError(name)
            found[name] = _convex("it", within(floor, rules.mesh.floors), ring)
    return found


def check_pieces(rules: LevelRules) -> None:
    """Raise a ValueError if a piece that obstacles left has no node."""
    if missing := rules.piece_names - rules.places.added.keys():
        raise ValueError(missing)
