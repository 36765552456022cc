"""Guess the meaning of a name: a terrain with its cost, the role of a layer, or a kind of spot."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeVar

from bake.levels.reading.editors import BELOW
from bake.levels.reading.mistakes import shown

#: The purpose of a layer that is not terrain: drawn above agents, decoration of the terrain below,
#: or collision, which blocks cells.
Role = Literal["above", "adornment", "collision"]
K = TypeVar("K", bound=str)

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: The shortest words that are recognized within a longer one, as in "brickwall".
_SHORTEST_PART = 4


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: The cost of a cell, in units, by words in the singular. If a name has words of several groups,
#: the first group wins: a bridge over water is walkable.
_WALKABLE: Mapping[str, float] = {
    **dict.fromkeys(("bridge", "door", "gate", "doorway", "entrance", "stair", "stairs"), 1.0),
    **dict.fromkeys(("stairway", "staircase", "ladder", "ramp", "floor", "flooring"), 1.0),
    **dict.fromkeys(("path", "pathway", "road", "street", "trail", "walkway", "sidewalk"), 1.0),
    **dict.fromkeys(("pavement", "paving", "crosswalk", "corridor", "walkable", "passable"), 1.0),
    **dict.fromkeys(("carpet", "rug", "plank", "pier", "dock"), 1.0),
    **dict.fromkeys(("shallow", "shallows", "ford"), 3.0),
}
_BLOCKED = _words(
    """
    wall bound cliff rock boulder mountain mountains fence hedge tree trunk bush shrub cactus
    cacti house building hut cabin roof pillar column statue furniture table shelf bookshelf
    wardrobe bed crate barrel chest box obstacle obstruction barrier boundary blocked block
    blocker blocking solid collision collide collides collider collidable collisions wallpaper
    roadblock impassable unpassable unwalkable nonwalkable inaccessible water waterfall sea
    ocean lake river pond deep moat canal lava magma acid void abyss chasm pit hole gap spike
    thorn tombstone grave railing gravestone stump log well fountain hazard platform bomb trap
    """
)
_GROUND: Mapping[str, float] = {
    **dict.fromkeys(("ground", "grass", "land", "terrain", "lawn", "meadow", "field"), 1.0),
    **dict.fromkeys(("plain", "plains", "prairie", "garden", "courtyard", "yard", "farm"), 1.0),
    **dict.fromkeys(("brick", "cobble", "cobblestone", "stone", "concrete", "asphalt"), 1.0),
    **dict.fromkeys(("wood", "wooden", "ice", "room", "walk", "base", "interior", "free"), 1.0),
    **dict.fromkeys(("dirt", "earth", "soil", "clay", "gravel", "sand", "beach", "desert"), 1.5),
    **dict.fromkeys(("farmland", "crop", "rubble", "debris", "hill", "snow", "forest"), 2.0),
    **dict.fromkeys(("woods", "jungle", "savanna", "tundra", "steppe", "dune", "reed"), 2.0),
    **dict.fromkeys(("mud", "swamp", "marsh", "bog", "fen", "mire", "quicksand"), 3.0),
}
#: Words that end like others but have another meaning.
_WHOLE = _words("outdoor outdoors indoor indoors pathfinding")
_NEGATIONS = _words("no non not un im")
_ALLOWED = _words("walk walkable pass passable passage access accessible entry enter")

_ROLES: Mapping[Role, frozenset[str]] = {
    "collision": _words(
        """
    collision collisions collide collides collider colliders collidable blocked blocking
    blocker blockers solid solids obstacle obstacles unwalkable nonwalkable impassable
    unpassable barrier barriers boundary boundaries
    """
    ),
    "above": _words(
        """
    above over overhead overhang overlay roof roofs rooftop ceiling ceilings top tops treetop
    treetops foreground front sky cloud clouds shadow shadows light lights lighting fog
    weather canopy ui hud fx effect effects parallax particles upper darkness
    """
    ),
    "adornment": _words(
        """
    decor decoration decorations deco detail details ornament ornaments flower flowers plant
    plants doodad doodads accent accents cosmetic decal decals item items pickup pickups
    collectible collectibles coin coins key keys loot marker markers label labels grid
    """
    ),
}
#: Words for layers that consist of walls, in the singular.
_LAYERS_OF_WALLS = _words("wall obstacle obstruction barrier boundary bound")
#: Kinds of spots by words in the names of classes of objects and entities.
_KINDS: Mapping[str, frozenset[str]] = {
    "spawn": _words("spawn spawnpoint spawner start player hero playerstart"),
    "exit": _words("exit goal finish end"),
}


@dataclass(frozen=True)
class Meaning:
    """The terrain that a name suggests."""

    word: str  #: the word for the terrain, in lower case and singular
    cost: float | None  #: units to cross a cell; None = blocked

    @property
    def price(self) -> str | float:
        """The cost in the form of a recipe."""
        return "blocked" if self.cost is None else self.cost


WALL = Meaning("wall", None)
FLOOR = Meaning("floor", 1.0)


def guess_terrain(name: str) -> Meaning | None:
    """Return the terrain that a name suggests, or None if it has no known word.

    Example:
        >>> guess_terrain("StoneWalls_2")
        Meaning(word='wall', cost=None)
    """
    tokens = [token.lower() for token in _TOKEN.findall(name)]
    for first, second in pairwise(tokens):
        if first in _NEGATIONS and second in _ALLOWED:
            return WALL
    groups = (_WALKABLE, dict.fromkeys(_BLOCKED), _GROUND)
    for known in (_whole_word, _part_of_word):
        for costs in groups:
            # The last word is the noun, those before it qualify it: dark water, stone wall.
            for token in reversed(tokens):
                word = known(token, costs)
                if word is not None:
                    return Meaning(word, costs[word])
    return None


def is_one_word(name: str) -> bool:
    """Return whether a name is a single word, possibly with a number."""
    return len(_TOKEN.findall(name)) == 1


def usual_cost(means: Meaning) -> str:
    """Return the reason for the cost of a terrain in words: it is the usual one."""
    if means.cost is None:
        return f"{means.word} is usually blocked"
    return f"a usual cost of {means.word}"


def guess_role(name: str) -> tuple[Role, str] | None:
    """Return the role that the name of a layer suggests, and the word, or None."""
    return _first_of(_ROLES, name)


def find_blocking_word(name: str) -> str | None:
    """Return the word in the name of a layer which suggests that it blocks cells, or None."""
    layer_role, means = guess_role(name), guess_terrain(name)
    if layer_role is not None:
        return layer_role[1] if layer_role[0] == "collision" else None
    return means.word if means is not None and means.word in _LAYERS_OF_WALLS else None


def guess_by_property(name: str) -> Meaning | None:
    """Return the terrain that the name of a true property suggests, or None."""
    name_role = guess_role(name)
    if name_role is None or name_role[0] == "above":
        return guess_terrain(name)
    return WALL if name_role[0] == "collision" else Meaning(BELOW, 1.0)


def guess_by_layer(name: str) -> tuple[Meaning, str] | None:
    """Return the terrain that the name of a tile layer suggests, and the reason, or None."""
    layer_role, means = guess_role(name), guess_by_property(name)
    if means is None:
        return None
    word = means.word if layer_role is None or layer_role[0] == "above" else layer_role[1]
    return means, f"the layer's name says {shown(word)}"


def guess_spot(name: str) -> tuple[str, str] | None:
    """Return the kind of spot that the name of a class suggests, and the word, or None."""
    return _first_of(_KINDS, name)


def _first_of(kinds: Mapping[K, frozenset[str]], name: str) -> tuple[K, str] | None:
    """Return the first kind with a word of a name, and the word, or None."""
    tokens = [token.lower() for token in _TOKEN.findall(name)]
    for kind, words in kinds.items():
        for token in tokens:
            if token in words:
                return kind, token
    return None


def _whole_word(token: str, words: Collection[str]) -> str | None:
    return next((form for form in _singulars(token) if form in words), None)


def _part_of_word(token: str, words: Collection[str]) -> str | None:
    """Return the longest word that a token begins or ends with, or None."""
    if token in _WHOLE:
        return None
    for form in _singulars(token):
        matches = [
            word
            for word in words
            if len(word) >= _SHORTEST_PART and (form.endswith(word) or form.startswith(word))
        ]
        if matches:
            return max(matches, key=lambda word: (len(word), word))
    return None


def _singulars(token: str) -> Iterator[str]:
    yield token
    if token.endswith("es"):
        yield token[:-2]
    if token.endswith("s"):
        yield token[:-1]
