"""Read again what an asset states of the recipe that it was baked by."""

from __future__ import annotations

import json
from typing import Any

from bake.levels.reading.mistakes import Mistake
from bake.project.recipe.rules import TABLE_NAMES, LevelRecipe, ProfileRecipe
from bake.project.recipe.tables import declared
from bake.project.recipe.values import Scalar

#: Keys that decide which tables are made, at the top of a stated recipe.
_DECIDING = ("ticks_per_unit", "distances", "clusters", "hierarchy", "heuristic")


def read_stated(text: str) -> LevelRecipe:
    """Read the part of :meth:`LevelRecipe.canonical` that decides which tables are made.

    Raises:
        ValueError: that method writes no such text; the message begins with the key.
    """
    try:
        stated = json.loads(text)
    except RecursionError:
        raise ValueError("the brackets are nested too deeply") from None
    found: dict[str, Any] = {}
    for name, each in declared(LevelRecipe).items():
        first = each.path.partition(".")[0]
        if first not in _DECIDING or (each.stated == "changed" and first not in stated):
            continue
        assert isinstance(each.key.kind, Scalar), "keys that decide are single values"
        try:
            found[name] = each.key.kind.check(_at(stated, each.path))
        except Mistake as mistake:
            raise ValueError(f"{each.path}: expected {mistake.expected}") from None
    tables = _at(stated, "tables")
    if tables is not None:
        if not isinstance(tables, list) or not all(name in TABLE_NAMES for name in tables):
            raise ValueError(f"tables: expected a list of {', '.join(TABLE_NAMES)}")
        tables = tuple(name for name in TABLE_NAMES if name in tables)
    profiles = _at(stated, "profiles")
    if not isinstance(profiles, dict) or not profiles:
        raise ValueError("profiles: expected an object with at least one profile")
    named = tuple(ProfileRecipe(name) for name in sorted(profiles))
    return LevelRecipe(tables=tables, profiles=named, **found)


def _at(document: object, place: str) -> Any:
    """Return a value of a stated recipe by its dotted key."""
    for key in place.split("."):
        if not isinstance(document, dict) or key not in document:
            raise ValueError(f"{place}: this key is missing")
        document = document[key]
    return document
