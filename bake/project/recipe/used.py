"""Reduce a recipe to the entries that a level uses, for comparisons of recipes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from bake.core.level import MAX_TERRAINS
from bake.levels.reading.terrains import BUILT_IN_COLORS
from bake.levels.reading.text import ALWAYS_USED, TextReading
from bake.project.recipe.rules import LevelRecipe

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class UsedNames:
    """The names that a level uses in its recipe."""

    colours: frozenset[str]  #: keys of the legend that the level has a pixel or shape of
    terrains: frozenset[str]  #: all its terrains, with or without rules in the recipe
    #: keys of the tables for text that the level has a character or value of
    symbols: frozenset[str] = frozenset()


def write_used(recipe: LevelRecipe, used: UsedNames) -> str:
    """Return the canonical text of a recipe without entries that a level does not use.

    Two recipes with the same text bake the level to the same bytes. A level has only colors of its
    legend, built-in colors and clear pixels. Therefore entries for built-in and clear colors always
    count, even if the level was read without them. The same applies to the built-in characters of
    text and to blanks.
    """
    legend = {
        color: terrain
        for color, terrain in recipe.legend.items()
        if color in used.colours or color in BUILT_IN_COLORS or _is_clear(color)
    }
    # A legend with too many terrains is an error, independent of the used entries.
    terrains_of_legend = {*recipe.legend.values(), *BUILT_IN_COLORS.values()}
    if len(terrains_of_legend) >= MAX_TERRAINS:
        legend = dict(recipe.legend)
    symbols = used.symbols | ALWAYS_USED
    text = TextReading(_select(recipe.text.legend, symbols), _select(recipe.text.spots, symbols))
    narrowed = replace(
        recipe,
        legend=legend,
        text=text,
        terrain=_select(recipe.terrain, used.terrains),
        profiles=tuple(
            replace(profile, terrain=_select(profile.terrain, used.terrains))
            for profile in recipe.profiles
        ),
    )
    return narrowed.canonical(used.terrains)


def read_used(stated: str) -> UsedNames | None:
    """Return the names in a text of :func:`write_used`, or None for any other text."""
    try:
        document = json.loads(stated)
        colors, terrains = frozenset(document["legend"]), frozenset(document["terrain"])
        text = document.get("text", {"legend": {}, "spots": {}})
        return UsedNames(colors, terrains, frozenset({*text["legend"], *text["spots"]}))
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


def _select(table: Mapping[str, _Value], names: frozenset[str]) -> dict[str, _Value]:
    return {name: value for name, value in table.items() if name in names}


def _is_clear(color: str) -> bool:
    """Return whether a legend key, "#rrggbb" or "#rrggbbaa", is fully transparent."""
    return len(color) == len("#rrggbbaa") and color.endswith("00")
