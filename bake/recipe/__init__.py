"""Read `bake.toml`, which says what to bake under which rules, and check it before any bake."""

from bake.recipe.load import find_recipe, load_recipe, recipe_schema
from bake.recipe.rules import (
    DEFAULT_SEVERITY,
    RECIPE_NAME,
    SETTING_NAMES,
    SEVERITIES,
    LevelRecipe,
    ProfileRecipe,
    Recipe,
    Severity,
    read_stated,
)

__all__ = [
    "DEFAULT_SEVERITY",
    "RECIPE_NAME",
    "SETTING_NAMES",
    "SEVERITIES",
    "LevelRecipe",
    "ProfileRecipe",
    "Recipe",
    "Severity",
    "find_recipe",
    "load_recipe",
    "read_stated",
    "recipe_schema",
]
