"""The questions that are recorded, and changes of levels, from a generator of this module's own."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar

from bake.play import LevelAsset
from levelbake.errors import BakeError

T = TypeVar("T")

#: Pairs in one block, which has a digest, and blocks as baked: 2,000 pairs.
BLOCK, BAKED_BLOCKS = 50, 40
#: Batches of changes that every reader follows, and blocks after each of them: 2,000 pairs again.
BATCHES, BLOCKS_AFTER = 20, 2
#: Goals of a block on a changed level, where each costs the reader in Python a search.
GOALS_AFTER = 4
#: Pairs of a search in ``bake.play``.
SEARCHED = 10
SEARCHES = ("astar", "hpa")

#: One change of a level, ready for JSON: blocked, opened, terrain, arcs, door, reset; and of
#: ``bake.play`` alone links, nodes and obstacles. Places are numbers.
Batch = dict[str, Any]


class Draw:
    """SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every version of Python."""

    def __init__(self, seed: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")

    def below(self, limit: int) -> int:
        """Return a number from 0 below a limit."""
        mask = 2**64 - 1
        self._state = (self._state + 0x9E3779B97F4A7C15) & mask
        value = self._state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
        return (value ^ (value >> 31)) % limit

    def choice(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]

    def choices(self, values: Sequence[T], count: int) -> list[T]:
        return [self.choice(values) for _ in range(count)]


@dataclass(frozen=True)
class Block:
    """Some pairs that one profile is asked about."""

    profile: str
    pairs: tuple[tuple[int, int], ...]  #: numbers of places
    is_batch: bool = False  #: whether a reader in Python answers all of them by one call
    method: str = "table"  #: or a method of searches


@dataclass
class Script:
    """Changes and blocks of questions, in the order in which a level meets them."""

    steps: list[Block | Batch] = field(default_factory=list)

    @property
    def blocks(self) -> list[Block]:
        return [step for step in self.steps if isinstance(step, Block)]


def baked_script(name: str, places: dict[str, list[int]], *, has_hops: bool) -> Script:
    """Return the questions about a level as baked.

    Args:
        name: of the recording; seeds the questions.
        places: by profile, the places that it can stand on.
        has_hops: whether the level has next hops; without them each block has one goal.
    """
    draw, profiles = Draw(f"{name} baked"), list(places)
    blocks = [
        _block(profiles, places, number, BLOCK if has_hops else 1, draw)
        for number in range(BAKED_BLOCKS)
    ]
    return Script(list(blocks))


def changed_script(name: str, places: dict[str, list[int]], batches: list[Batch]) -> Script:
    """Return batches of changes, and questions after each of them; see :func:`baked_script`."""
    draw, profiles, script = Draw(f"{name} changed"), list(places), Script()
    for number, batch in enumerate(batches):
        script.steps.append(batch)
        for k in range(BLOCKS_AFTER):
            script.steps.append(
                _block(profiles, places, BLOCKS_AFTER * number + k, GOALS_AFTER, draw)
            )
    return script


def played_script(name: str, places: dict[str, list[int]], batches: list[Batch]) -> Script:
    """Return the questions for ``bake.play`` alone: searches, and changes of links and nodes."""
    draw, profiles = Draw(f"{name} played"), list(places)

    def searches() -> list[Block]:
        return [
            Block(profile, tuple(_pairs(places[profile], SEARCHED, SEARCHED, draw)), method=method)
            for method in SEARCHES
            for profile in profiles
        ]

    script = Script([*searches()])
    for number, batch in enumerate(batches):
        script.steps += [batch, _block(profiles, places, number, BLOCK, draw)]
    return Script([*script.steps, *searches()])


def _block(
    profiles: list[str], places: dict[str, list[int]], number: int, goals: int, draw: Draw
) -> Block:
    """Return a block of pairs; profiles take turns, and so do single questions and batches."""
    profile = profiles[number % len(profiles)]
    pairs = _pairs(places[profile], BLOCK, goals, draw)
    return Block(profile, tuple(pairs), number // len(profiles) % 2 == 1)


def _pairs(places: list[int], count: int, goals: int, draw: Draw) -> list[tuple[int, int]]:
    ends = draw.choices(places, goals)
    return [(draw.choice(places), ends[i * goals // count]) for i in range(count)]


# -- changes ---------------------------------------------------------------------------------------

#: What the batches are, in turns.
_KINDS = ("block", "price", "terrain", "close", "open", "door", "block", "price", "open", "usual")
_PRICES = (0.25, 1.5, 7.0, 40.0)


def draw_batches(name: str, level: LevelAsset, numbering: Any) -> list[Batch]:
    """Draw the changes that every reader follows, and apply them to a level.

    Args:
        name: of the recording; seeds the changes.
        level: the level as it was baked; it is changed.
        numbering: turns places into numbers and back.
    """
    draw, batches = Draw(f"{name} batches"), list[Batch]()
    while len(batches) < BATCHES:
        batch = _draw(_KINDS[len(batches) % len(_KINDS)], level, numbering, batches, draw)
        try:
            numbering.apply(level, batch)
        except BakeError:
            continue
        batches.append(batch)
    return batches


def _draw(kind: str, level: LevelAsset, numbering: Any, before: list[Batch], draw: Draw) -> Batch:
    navigator = level.profile(draw.choice(list(level.profiles)))
    if kind == "door" and level.doors:
        door = level.doors[draw.choice(list(level.doors))]
        return {"door": [door.name, draw.choice(list(door.states))]}
    path = _path(navigator, draw)
    if kind == "block":
        some = {numbering.number(draw.choice(path)), numbering.number(draw.choice(path))}
        return {"blocked": sorted(some | {numbering.number(draw.choice(navigator.places()))})}
    if kind == "open":
        blocked = sorted({at for batch in before for at in batch.get("blocked", ())})
        return {"opened": sorted({draw.choice(blocked), *draw.choices(range(numbering.count), 3)})}
    if kind in ("terrain", "door"):
        terrains = list(numbering.terrains)
        some = {numbering.number(place) for place in draw.choices(path, 3)}
        return {"terrain": [[at, draw.choice(terrains)] for at in sorted(some)]}
    if kind == "usual":
        priced = sorted({(a, b) for batch in before for a, b, _ in batch.get("arcs", ())})
        return {"arcs": [[*draw.choice(priced), None]]}
    steps = list(pairwise(path)) or [(path[0], path[0])]
    ends = sorted({tuple(map(numbering.number, step)) for step in draw.choices(steps, 3)})
    return {
        "arcs": [[a, b, "closed" if kind == "close" else draw.choice(_PRICES)] for a, b in ends]
    }


def _path(navigator: Any, draw: Draw) -> list[Any]:
    """Return a path between two places that has a step, where one of 100 drawn has any."""
    places = navigator.places()
    for _ in range(100):
        path = navigator.path(draw.choice(places), draw.choice(places))
        if path is not None and len(path) > 1:
            return path
    return [places[0]]


def draw_played(name: str, level: LevelAsset, numbering: Any) -> list[Batch]:
    """Draw changes that only ``bake.play`` follows, and apply them; see :func:`draw_batches`.

    Links come, change and go. On graphs a node comes, is joined, moves and goes, and on meshes an
    obstacle comes, moves and goes.
    """
    draw, profile = Draw(f"{name} more"), level.profile(level.profiles[0])
    numbers = list(map(numbering.number, profile.places()))

    def link() -> list[Any]:
        return [*draw.choices(numbers, 2), draw.choice(_PRICES), draw.below(2) == 1]

    one, two = link(), link()
    wanted: list[list[Batch]] = [
        [{"links": {"one": one, "two": two}}, {"links": {"one": [*one[:2], 9.5, True]}}],
        [{"links": {draw.choice(list(level.links)): None}}] if level.links else [],
        [{"links": {"one": None, "two": None}}],
    ]
    if not level.is_grid:
        near = draw.choices(numbers, 3)
        try:
            points = [level.to_point(numbering.place(at)) for at in near]
        except BakeError:
            points = []
        arcs = [[near[0], "new", 0.5], ["new", near[1], 0.5]]
        ends = [list(point) for point in points] or [None, None]
        wanted.append([{"nodes": {"new": ends[0]}, "arcs": arcs}, {"nodes": {"new": ends[-1]}}])
        wanted.append([{"nodes": {"new": None}}])
        for at, half in zip(points[:2], (4.0, 2.5), strict=False):
            x, y, *floor = at
            corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
            square = [[x + dx, y + dy, *floor] for dx, dy in corners]
            wanted.append([{"obstacles": {"crate": square}}])
        wanted.append([{"obstacles": {"crate": None}}])
    batches: list[Batch] = []
    for group in wanted:
        for batch in group:
            try:
                numbering.apply(level, batch)
            except BakeError:
                continue
            batches.append(batch)
    return batches


def units_of(price: Any) -> float | None:
    """Return the units of a recorded price; None = the usual one."""
    return math.inf if price == "closed" else price
