"""From what a command was given to levels and assets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bake.errors import AssetError, UnknownProfileError

if TYPE_CHECKING:
    from bake.pipeline import Task


def recipe_file(recipe: Path | None) -> Path | None:
    """The recipe that was named, else the one in this folder, if any."""
    from bake.recipe import find_recipe

    return recipe or find_recipe(Path())


def tasks_of(
    sources: list[Path] | None, output: Path | None, recipe: Path | None, profile: str | None
) -> list[Task]:
    """The levels to bake, of one profile if one is named.

    Raises:
        BakeError: mistakes in the recipe, no such files, or no such profile.
    """
    from bake.pipeline import find_tasks
    from bake.recipe import load_recipe

    rules = load_recipe(recipe_file(recipe))
    tasks = find_tasks(rules, sources or [], output)
    if profile is None:
        return tasks
    narrowed = [each for task in tasks if (each := _narrowed(task, profile)) is not None]
    if not narrowed:
        known = sorted({one.name for task in tasks for one in task.recipe.profiles})
        raise UnknownProfileError(
            f"no level has a profile {profile!r}", file=rules.file, expected=" or ".join(known)
        )
    return narrowed


def assets_in(paths: list[Path]) -> list[Path]:
    """Assets, and those inside of folders.

    Raises:
        AssetError: a folder holds none.
    """
    found: list[Path] = []
    for one in paths:
        inside = sorted(one.glob("*.h5")) if one.is_dir() else [one]
        if not inside:
            raise AssetError("no asset in this folder", file=one, remedy="run `bake build` first")
        found += inside
    return found


def _narrowed(task: Task, profile: str) -> Task | None:
    mine = tuple(one for one in task.recipe.profiles if one.name == profile)
    if not mine:
        return None
    fewer = len(mine) < len(task.recipe.profiles)
    return replace(task, recipe=replace(task.recipe, profiles=mine, narrowed=fewer))
