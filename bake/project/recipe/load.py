"""Find and load a `bake.toml`, and merge its level tables over the project tables."""

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
from bake.project.recipe.tables import resolve_fields

#: The largest product of the number of level tables and of project entries (legends, terrain).
MAX_MERGED = 2**22
#: Tables of a level that replace the project table unless they are empty.
_WHOLE = ("elevation", "profiles")

Tables = Mapping[str, Any]


def find_recipe(start: Path) -> Path | None:
    """Find the `bake.toml` in a folder or its nearest parent that has one, or return None.

    The search ends at the root of the file system, like that of cargo and ruff. A folder, pipe or
    broken link with that name is returned as well; :func:`load_recipe` rejects it.

    Returns:
        The path, with `..` for each parent of a relative ``start``.

    Raises:
        RecipeError: the folder is unreadable, or the nearest recipe is in a parent folder and
            belongs to another user.
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
    except OSError:  # The folder was removed.
        return None
    for depth, parent in enumerate(parents, 1):
        file = parent / RECIPE_NAME
        try:
            about = file.lstat()
        except OSError:  # The parent folder is unreadable.
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
        RecipeError: the file cannot be read, is not TOML, or has one mistake.
        BakeErrors: it has several mistakes, in the order of their lines.

    Example:
        >>> load_recipe(None).output
        'baked'
    """
    if path is None:
        return Recipe()
    # Worker processes receive a resolved recipe and do not need the parser.
    from bake.project.recipe.file import read_tables

    project = read_tables(path)
    level_tables: dict[str, Tables] = dict(sorted(project.get("levels", {}).items()))
    pairs = [
        (file, name)
        for name in level_tables
        for file in _possible_files(name)
        if file in level_tables
    ]
    _check_merged(path, project, len(level_tables) + len(pairs))
    merged = {name: _merge_tables(project, table) for name, table in level_tables.items()}
    return Recipe(
        file=path,
        sources=project.get("sources", DEFAULT_SOURCES),
        output=project.get("output", DEFAULT_OUTPUT),
        defaults=_build_level_recipe(project),
        levels={name: _build_level_recipe(tables) for name, tables in merged.items()},
        inside={
            (file, name): _build_level_recipe(_merge_tables(merged[file], level_tables[name]))
            for file, name in pairs
        },
    )


def _check_merged(path: Path, project: Tables, levels: int) -> None:
    """Raise if merging the project entries into all levels would take too much memory."""
    tables = [project, *(project.get(name, {}) for name in ("tiled", "ldtk", "text"))]
    legends = [table.get(name, {}) for table in tables for name in ("legend", "spots")]
    entries = sum(map(len, [*legends, project.get("terrain", {})]))
    if levels * entries > MAX_MERGED:
        raise RecipeError(
            f"found {entries:,} entries of legends and terrain, and {levels:,} tables of levels",
            file=path,
            expected=f"at most {MAX_MERGED:,} if multiplied",
            remedy="split the recipe into those of several projects",
        )


def _possible_files(name: str) -> Iterator[str]:
    """Yield the names of files that may contain a level with this name, such as FILE-LEVEL."""
    return (name[:i] for i, letter in enumerate(name) if letter == "-")


def _merge_tables(base: Tables, over: Tables) -> Tables:
    """Merge the tables of a level over base tables, key by key."""
    merged = dict(base)
    for key, value in over.items():
        within = isinstance(value, dict) and (key not in _WHOLE or not value)
        merged[key] = _merge_tables(base.get(key, {}), value) if within else value
    return merged


def _build_level_recipe(tables: Tables) -> LevelRecipe:
    recipe = LevelRecipe(**resolve_fields(LevelRecipe, tables))
    named = recipe.tables or ()
    planned = "hierarchy" in named and recipe.hierarchy != "none"
    if "cluster_distances" in named and not planned and "size" not in tables.get("clusters", {}):
        return replace(recipe, cluster_size=LONE_CLUSTER_SIZE)
    return recipe
