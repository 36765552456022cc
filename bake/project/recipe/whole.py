"""The tables of a level and of a whole recipe, from the declared keys."""

from __future__ import annotations

from typing import Any

from bake.project.recipe.rules import DEFAULT_OUTPUT, DEFAULT_SOURCES, PROFILE, LevelRecipe
from bake.project.recipe.tables import Key, Named, Table, list_declarations
from bake.project.recipe.values import LEVEL_NAME, OUTPUT, SOURCES, Items, Scalar, show

#: The description and an example of each table.
_TABLES = {
    "next_hops": (
        "How next hops are computed; all choices compute the same tables.",
        '[next_hops] with algorithm = "auto"',
    ),
    "distances": (
        "Whether distances between all pairs are stored unless tables names them.",
        '[distances] with storage = "labels"',
    ),
    "clusters": ("How nodes are grouped into clusters.", "[clusters] with size = 32"),
    "hierarchy": (
        "Layers of transitions between clusters, for paths by HPA*.",
        '[hierarchy] with mode = "hpa"',
    ),
    "heuristic": (
        "Lower bounds of distances that guide searches.",
        "[heuristic] with bytes_per_node = 20",
    ),
    "mesh": ("How a navigation mesh becomes a graph.", '[mesh] with nodes = "edge"'),
    "export": (
        "Flat files for engines that cannot read HDF5, beside the assets.",
        "[export] with flat = true",
    ),
}
#: Remedies for keys that no longer exist, by table.
_GONE = {
    "next_hops": {
        "storage": "leave it out: next hops are kept in runs, and houses are baked like any other "
        "part of the level; `bake export --table` writes a plain matrix"
    }
}


def _level_keys() -> dict[str, Key]:
    """Return the keys of a level table, with nested tables."""
    keys: dict[str, Key] = {}
    inside: dict[str, dict[str, Key]] = {}
    for declaration in list_declarations(LevelRecipe).values():
        name, _, key = declaration.path.rpartition(".")
        if name and name not in inside:
            inside[name] = {}
            about, example = _TABLES[name]
            title = name.title().replace("_", "") + "Table"
            keys[name] = Key(Table(title, about, example, inside[name], gone=_GONE.get(name, {})))
        (inside[name] if name else keys)[key] = declaration.key
    return keys


#: The tables of one level and of a whole recipe.
LEVEL = Table(
    "LevelTable", "The rules of one level.", "[levels.keep] with connectivity = 4", _level_keys()
)
RECIPE = Table(
    "RecipeTable",
    "bake.toml: what levelbake bakes, and under which rules.",
    "",
    {
        **LEVEL.keys,
        "sources": Key(
            SOURCES,
            "Globs of level files relative to the recipe's folder. "
            f"Default: [{show(DEFAULT_SOURCES[0])}].",
        ),
        "output": Key(OUTPUT, f'Folder of the assets. Default: "{DEFAULT_OUTPUT}".'),
        "levels": Key(
            Named(LEVEL_NAME, LEVEL, "[levels.keep]"),
            "Rules of single levels, by file name without extension, over the project's.",
        ),
    },
)


#: Keys that become terrains if they are written below [terrain].
SETTING_NAMES = frozenset(
    name
    for keys in (RECIPE.keys, PROFILE.keys)
    for name, key in keys.items()
    if isinstance(key.kind, Scalar | Items)
)


def recipe_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of `bake.toml`, for editors with TOML support."""
    tables: dict[str, Any] = {}
    schema = RECIPE.schema(tables)
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "title": "bake.toml", **schema, "$defs": tables}
