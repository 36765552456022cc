"""Read `bake.toml`, which says what to bake under which rules, and check it before any bake."""

from bake.recipe.load import find_recipe, load_recipe
from bake.recipe.parts import DEFAULT_SEVERITY, Severity
from bake.recipe.rules import RECIPE_NAME, LevelRecipe, ProfileRecipe, Recipe
from bake.recipe.stated import read_stated
from bake.recipe.used import UsedNames, read_used, write_used
from bake.recipe.whole import SETTING_NAMES, recipe_schema

__all__ = [
    "DEFAULT_SEVERITY",
    "RECIPE_NAME",
    "SETTING_NAMES",
    "LevelRecipe",
    "ProfileRecipe",
    "Recipe",
    "Severity",
    "UsedNames",
    "find_recipe",
    "load_recipe",
    "read_stated",
    "read_used",
    "recipe_schema",
    "write_used",
]
