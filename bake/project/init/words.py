"""Guess from a name what a designer means by it: a terrain and its cost, or the role of a layer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeVar

from bake.levels.reading.editors import BELOW
from bake.levels.reading.mistakes import shown

#: What a layer is there for, where it is not terrain: to be seen above agents, to adorn the terrain
#: below it, or to say where nobody can go.
Role = Literal["above", "adornment", "collision"]
K = TypeVar("K", bound=str)

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: Words at least this long count as a part of a longer one, as in "brickwall".
_SHORTEST_PART = 4


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: The cost of a cell, in units, by the words that name it, in singular. Of a name with words of
#: several groups, the first group counts: a bridge over water carries.
_CARRIES: Mapping[str, float] = {
    **dict.fromkeys(("bridge", "door", "gate", "doorway", "entrance", "stair", "stairs"), 1.0),
    **dict.fromkeys(("stairway", "staircase", "ladder", "ramp", "floor", "flooring"), 1.0),
    **dict.fromkeys(("path", "pathway", "road", "street", "trail", "walkway", "sidewalk"), 1.0),
    **dict.fromkeys(("pavement", "paving", "crosswalk", "corridor", "walkable", "passable"), 1.0),
    **dict.fromkeys(("carpet", "rug", "plank", "pier", "dock"), 1.0),
    **dict.fromkeys(("shallow", "shallows", "ford"), 3.0),
}
_BLOCKS = _words(
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
_CROSSED: Mapping[str, float] = {
    **dict.fromkeys(("ground", "grass", "land", "terrain", "lawn", "meadow", "field"), 1.0),
    **dict.fromkeys(("plain", "plains", "prairie", "garden", "courtyard", "yard", "farm"), 1.0),
    **dict.fromkeys(("brick", "cobble", "cobblestone", "stone", "concrete", "asphalt"), 1.0),
    **dict.fromkeys(("wood", "wooden", "ice", "room", "walk", "base", "interior", "free"), 1.0),
    **dict.fromkeys(("dirt", "earth", "soil", "clay", "gravel", "sand", "beach", "desert"), 1.5),
    **dict.fromkeys(("farmland", "crop", "rubble", "debris", "hill", "snow", "forest"), 2.0),
    **dict.fromkeys(("woods", "jungle", "savanna", "tundra", "steppe", "dune", "reed"), 2.0),
    **dict.fromkeys(("mud", "swamp", "marsh", "bog", "fen", "mire", "quicksand"), 3.0),
}
#: Words that end like others and mean something else.
_WHOLE = _words("outdoor outdoors indoor indoors pathfinding")
_FORBIDS = _words("no non not un im")
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
#: What layers that hold nothing but walls are called, in singular.
_LAYERS_OF_WALLS = _words("wall obstacle obstruction barrier boundary bound")
#: Kinds of things that objects and entities are, by words in the names of their classes.
_KINDS: Mapping[str, frozenset[str]] = {
    "spawn": _words("spawn spawnpoint spawner start player hero playerstart"),
    "exit": _words("exit goal finish end"),
}


@dataclass(frozen=True)
class Meaning:
    """What a name says about terrain."""

    word: str  #: the word that says it, in lower case and in singular
    cost: float | None  #: units to cross a cell; None = blocked

    @property
    def price(self) -> str | float:
        """Return the cost as a recipe has it."""
        return "blocked" if self.cost is None else self.cost


WALL = Meaning("wall", None)
FLOOR = Meaning("floor", 1.0)


def meaning(name: str) -> Meaning | None:
    """Return what a name says about terrain, or None where it has no word that is known."""
    tokens = [token.lower() for token in _TOKEN.findall(name)]
    for first, second in pairwise(tokens):
        if first in _FORBIDS and second in _ALLOWED:
            return WALL
    groups = (_CARRIES, dict.fromkeys(_BLOCKS), _CROSSED)
    for known in (_whole_word, _part_of_word):
        for costs in groups:
            # The last word is what it is, those before say which: dark water, stone wall.
            for token in reversed(tokens):
                word = known(token, costs)
                if word is not None:
                    return Meaning(word, costs[word])
    return None


def is_one_word(name: str) -> bool:
    """Tell whether a name is one word, perhaps with a number."""
    return len(_TOKEN.findall(name)) == 1


def usual(means: Meaning) -> str:
    """Say that the cost is the usual one, for a terrain whose name was guessed above."""
    if means.cost is None:
        return f"nobody can usually stand on {means.word}"
    return f"a usual cost of {means.word}"


def role(name: str) -> tuple[Role, str] | None:
    """Return what a layer of this name is there for, and the word that says so, or None."""
    return _first_of(_ROLES, name)


def says_blocked(name: str) -> str | None:
    """Return the word of a layer's name that says nobody can go where it has something, or None."""
    said, means = role(name), meaning(name)
    if said is not None:
        return said[1] if said[0] == "collision" else None
    return means.word if means is not None and means.word in _LAYERS_OF_WALLS else None


def property_says(name: str) -> Meaning | None:
    """Return what a property of this name says, where it is true."""
    said = role(name)
    if said is None or said[0] == "above":
        return meaning(name)
    return WALL if said[0] == "collision" else Meaning(BELOW, 1.0)


def layer_says(name: str) -> tuple[Meaning, str] | None:
    """Return what a layer's name says its tiles are, and why; None where it says nothing."""
    said, means = role(name), property_says(name)
    if means is None:
        return None
    word = means.word if said is None or said[0] == "above" else said[1]
    return means, f"the layer's name says {shown(word)}"


def thing(name: str) -> tuple[str, str] | None:
    """Return which kind of thing a class of this name is, and the word that says so, or None."""
    return _first_of(_KINDS, name)


def _first_of(kinds: Mapping[K, frozenset[str]], name: str) -> tuple[K, str] | None:
    """Return the first kind that a word of a name stands for, and the word."""
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
        found = [
            word
            for word in words
            if len(word) >= _SHORTEST_PART and (form.endswith(word) or form.startswith(word))
        ]
        if found:
            return max(found, key=lambda word: (len(word), word))
    return None


def _singulars(token: str) -> Iterator[str]:
    yield token
    if token.endswith("es"):
        yield token[:-2]
    if token.endswith("s"):
        yield token[:-1]
