"""Narrow a recipe to the entries that one level looks up, and compare two recipes in these."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from bake.core.level import MAX_TERRAINS
from bake.levels.reading.terrains import BUILT_IN_COLOURS
from bake.levels.reading.text import ALWAYS_USED, TextReading
from bake.project.recipe.rules import LevelRecipe

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class UsedNames:
    """The names that a level looks up in its recipe."""

    colours: frozenset[str]  #: keys of the legend that the level has a pixel or shape of
    terrains: frozenset[str]  #: all its terrains, whether the recipe has rules for them or not
    #: keys of the tables for text that the level has a character or value of
    symbols: frozenset[str] = frozenset()


def write_used(recipe: LevelRecipe, used: UsedNames) -> str:
    """Return the canonical text of a recipe without the entries that a level does not look up.

    Two recipes with the same text bake the level to the same bytes. A level that was read has only
    colors that its legend or the built-in one names, and clear pixels. Entries for built-in and
    clear colors count therefore even where the level was read without them. The same holds for the
    built-in characters of text, and for blanks.
    """
    legend = {
        colour: terrain
        for colour, terrain in recipe.legend.items()
        if colour in used.colours or colour in BUILT_IN_COLOURS or _is_clear(colour)
    }
    # A legend of so many terrains cannot be read, whatever the level looks up in it.
    terrains_of_legend = {*recipe.legend.values(), *BUILT_IN_COLOURS.values()}
    if len(terrains_of_legend) >= MAX_TERRAINS:
        legend = dict(recipe.legend)
    symbols = used.symbols | ALWAYS_USED
    text = TextReading(_keep(recipe.text.legend, symbols), _keep(recipe.text.spots, symbols))
    narrowed = replace(
        recipe,
        legend=legend,
        text=text,
        terrain=_keep(recipe.terrain, used.terrains),
        profiles=tuple(
            replace(profile, terrain=_keep(profile.terrain, used.terrains))
            for profile in recipe.profiles
        ),
    )
    return narrowed.canonical(used.terrains)


def read_used(stated: str) -> UsedNames | None:
    """Return the names that a text of :func:`write_used` is about; None for any other text."""
    try:
        document = json.loads(stated)
        colors, terrains = frozenset(document["legend"]), frozenset(document["terrain"])
        text = document.get("text", {"legend": {}, "spots": {}})
        return UsedNames(colors, terrains, frozenset({*text["legend"], *text["spots"]}))
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


def _keep(table: Mapping[str, _Value], names: frozenset[str]) -> dict[str, _Value]:
    return {name: value for name, value in table.items() if name in names}


def _is_clear(colour: str) -> bool:
    """Return whether a key of a legend, "#rrggbb" or "#rrggbbaa", is wholly transparent."""
    return len(colour) == len("#rrggbbaa") and colour.endswith("00")
