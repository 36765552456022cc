"""Read and check `bake.toml`: the recipe with the levels to bake and their rules."""

from bake.project.recipe.load import find_recipe, load_recipe
from bake.project.recipe.parts import DEFAULT_SEVERITY, Severity
from bake.project.recipe.rules import RECIPE_NAME, LevelRecipe, ProfileRecipe, Recipe
from bake.project.recipe.stated import read_stated
from bake.project.recipe.used import UsedNames, read_used, write_used
from bake.project.recipe.whole import SETTING_NAMES, recipe_schema

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
