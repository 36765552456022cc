"""Read the recipe that is stated in an asset."""

from __future__ import annotations

import json
from typing import Any

from bake.levels.reading.mistakes import Mistake
from bake.project.recipe.rules import TABLE_NAMES, LevelRecipe, ProfileRecipe
from bake.project.recipe.tables import list_declarations
from bake.project.recipe.values import Scalar

#: The first parts of keys that decide which tables are baked.
_DECIDING = ("ticks_per_unit", "distances", "clusters", "hierarchy", "heuristic")


def read_stated(text: str) -> LevelRecipe:
    """Parse the keys of :meth:`LevelRecipe.canonical` that decide which tables are baked.

    Raises:
        ValueError: the text is not from that method; the message begins with the key.
    """
    try:
        stated = json.loads(text)
    except RecursionError:
        raise ValueError("the brackets are nested too deeply") from None
    fields: dict[str, Any] = {}
    for name, declaration in list_declarations(LevelRecipe).items():
        first = declaration.path.partition(".")[0]
        if first not in _DECIDING or (declaration.stated == "changed" and first not in stated):
            continue
        assert isinstance(declaration.key.kind, Scalar), "keys that decide are single values"
        try:
            fields[name] = declaration.key.kind.check(_look_up(stated, declaration.path))
        except Mistake as mistake:
            raise ValueError(f"{declaration.path}: expected {mistake.expected}") from None
    tables = _look_up(stated, "tables")
    if tables is not None:
        if not isinstance(tables, list) or not all(name in TABLE_NAMES for name in tables):
            raise ValueError(f"tables: expected a list of {', '.join(TABLE_NAMES)}")
        tables = tuple(name for name in TABLE_NAMES if name in tables)
    profiles = _look_up(stated, "profiles")
    if not isinstance(profiles, dict) or not profiles:
        raise ValueError("profiles: expected an object with at least one profile")
    named = tuple(ProfileRecipe(name) for name in sorted(profiles))
    return LevelRecipe(tables=tables, profiles=named, **fields)


def _look_up(document: object, place: str) -> Any:
    """Return the value of a dotted key in a stated recipe."""
    for key in place.split("."):
        if not isinstance(document, dict) or key not in document:
            raise ValueError(f"{place}: this key is missing")
        document = document[key]
    return document
