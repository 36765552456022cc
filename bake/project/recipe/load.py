"""Find a `bake.toml`, and merge the tables of its levels over the project's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bake.core.errors import RecipeError
from bake.project.recipe.rules import (
    DEFAULT_OUTPUT,
    DEFAULT_SOURCES,
    LONE_CLUSTER_SIZE,
    RECIPE_NAME,
    LevelRecipe,
    Recipe,
)
from bake.project.recipe.tables import resolved

#: The most entries of the project's legends and terrain, times the tables of levels.
MAX_MERGED = 2**22
#: Tables that a level's own replaces whole, unless it is empty.
_WHOLE = ("elevation", "profiles")

Tables = Mapping[str, Any]


def find_recipe(start: Path) -> Path | None:
    """Return the `bake.toml` of a folder or of the nearest folder above it, or None.

    The search ends at the root of the file system, as that of cargo and ruff does. A folder, a pipe
    or a broken link of that name counts as one, which :func:`load_recipe` rejects.

    Returns:
        The path, which begins with `..` for each folder up from a relative ``start``.

    Raises:
        RecipeError: the folder may not be searched, or the nearest recipe lies above it and belongs
            to another user.
    """
    file = start / RECIPE_NAME
    try:
        file.lstat()
        return file
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise RecipeError(f"the recipe cannot be read: {error.strerror}", file=file) from error
    try:
        parents = start.resolve(strict=True).parents
    except OSError:  # The folder was removed, and has none above it.
        return None
    for depth, parent in enumerate(parents, 1):
        file = parent / RECIPE_NAME
        try:
            about = file.lstat()
        except OSError:  # This user may not search every folder above its own.
            continue
        path = file if start.is_absolute() else start.joinpath(*[".."] * depth, RECIPE_NAME)
        if sys.platform != "win32" and about.st_uid not in (0, os.getuid()):
            raise RecipeError(
                "this recipe belongs to another user",
                file=path,
                expected="a recipe of your own in a folder above",
                remedy=f"if you trust it, name it: `--recipe {path}`",
            )
        return path
    return None


def load_recipe(path: Path | None) -> Recipe:
    """Read and check a recipe.

    Args:
        path: the file; None = the built-in defaults.

    Raises:
        RecipeError: the file cannot be read, is no TOML, or has one mistake.
        BakeErrors: it has several mistakes; the error holds all of them, in the order of their
            lines.
    """
    if path is None:
        return Recipe()
    # What checks a file is not needed by a process that is handed a resolved recipe.
    from bake.project.recipe.file import read_tables

    project = read_tables(path)
    own: dict[str, Tables] = dict(sorted(project.get("levels", {}).items()))
    pairs = [(file, name) for name in own for file in _files_of(name) if file in own]
    _check_merged(path, project, len(own) + len(pairs))
    merged = {name: _laid(project, table) for name, table in own.items()}
    return Recipe(
        file=path,
        sources=project.get("sources", DEFAULT_SOURCES),
        output=project.get("output", DEFAULT_OUTPUT),
        defaults=_level(project),
        levels={name: _level(tables) for name, tables in merged.items()},
        inside={(file, name): _level(_laid(merged[file], own[name])) for file, name in pairs},
    )


def _check_merged(path: Path, project: Tables, levels: int) -> None:
    """Refuse a recipe whose levels, each with the project's entries, would take too much memory."""
    tables = [project, *(project.get(name, {}) for name in ("tiled", "ldtk", "text"))]
    legends = [each.get(name, {}) for each in tables for name in ("legend", "spots")]
    entries = sum(map(len, [*legends, project.get("terrain", {})]))
    if levels * entries > MAX_MERGED:
        raise RecipeError(
            f"found {entries:,} entries of legends and terrain, and {levels:,} tables of levels",
            file=path,
            expected=f"at most {MAX_MERGED:,} if multiplied",
            remedy="split the recipe into those of several projects",
        )


def _files_of(name: str) -> Iterator[str]:
    """Yield the names of files of several levels that a level of this name may come from."""
    return (name[:at] for at, letter in enumerate(name) if letter == "-")


def _laid(base: Tables, over: Tables) -> Tables:
    """Lay the tables of a level over others, key by key."""
    merged = dict(base)
    for key, value in over.items():
        within = isinstance(value, dict) and (key not in _WHOLE or not value)
        merged[key] = _laid(base.get(key, {}), value) if within else value
    return merged


def _level(tables: Tables) -> LevelRecipe:
    recipe = LevelRecipe(**resolved(LevelRecipe, tables))
    named = recipe.tables or ()
    planned = "hierarchy" in named and recipe.hierarchy != "none"
    if "cluster_distances" in named and not planned and "size" not in tables.get("clusters", {}):
        return replace(recipe, cluster_size=LONE_CLUSTER_SIZE)
    return recipe
