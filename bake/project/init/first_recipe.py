"""Write the first recipe of a project: find levels, guess terrain, and draw the results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bake.baking import build, find_tasks
from bake.baking.run import Outcome, Report
from bake.core.errors import LevelError, RecipeError
from bake.project.init.entries import Entry, Line, format_recipe, merge_guesses
from bake.project.init.find import Found, find_levels
from bake.project.init.propose import propose
from bake.project.recipe import RECIPE_NAME, load_recipe
from bake.project.recipe.file import MAX_RECIPE_BYTES
from bake.project.recipe.rules import DEFAULT_OUTPUT
from bake.show.render import render_asset
from bake.store.partial import created_folder, remove_leftovers, written_whole
from levelbake.errors import BakeError, QueryError


@dataclass(frozen=True)
class Started:
    """A new recipe."""

    recipe: Path  #: path of the recipe
    found: Found  #: its level files, and the excluded files
    lines: tuple[Line, ...]  #: the guessed lines


@dataclass(frozen=True)
class Tried:
    """The result of baking one level with the guesses."""

    outcome: Outcome  #: outcome of baking its components
    picture: Path | None  #: path of its picture, or None without one
    kept: bool  #: whether an existing picture was not replaced


def write_first_recipe(folder: Path, *, force: bool, reduce: bool = False) -> Started:
    """Guess the terrain of the levels in a folder, and write a recipe with the guesses.

    Args:
        folder: the folder of the levels, searched with all subfolders; the recipe goes there.
        force: whether to replace an existing recipe.
        reduce: whether to reduce paintings with too many colors to levels.

    Raises:
        RecipeError: there is a recipe already, or it would be too large.
        LevelError: the folder is missing or has no levels.
        OutputError: the folder is not writable.
    """
    if not folder.exists():
        raise LevelError("there is no such folder", file=folder, expected="that of your levels")
    recipe = folder / RECIPE_NAME
    if os.path.lexists(recipe) and not force:
        raise _existing_recipe_error(recipe)
    found = find_levels(folder, reduce=reduce)
    remove_leftovers(folder, f".{recipe.name}.*.tmp")
    # Create the file before any work, so that a read-only folder fails early.
    with written_whole(recipe, partial(_publish, recipe=recipe, force=force)) as unfinished:
        guesses: dict[str, list[Entry]] = {}
        for file in found.levels:
            # Errors of levels are reported when they are baked.
            with suppress(BakeError):
                guesses[file.stem] = propose(file, folder)
        lines = merge_guesses(guesses)
        left_out = [f"{file.relative_to(folder)}: {why}" for file, why in found.left_out]
        text = format_recipe(found.sources, DEFAULT_OUTPUT, left_out, lines)
        if len(text.encode(errors="replace")) > MAX_RECIPE_BYTES:
            raise RecipeError(
                f"the recipe of these {len(found.levels):,} levels would be larger than 1 MiB",
                file=recipe,
                remedy="run `bake init` in their folders one by one",
            )
        unfinished.write_text(text, encoding="utf-8")
        load_recipe(unfinished)
    return Started(recipe, found, tuple(lines))


def reduce_paintings(folder: Path) -> tuple[Path, ...]:
    """Write reduced pictures beside the paintings in a folder that already has a recipe.

    Returns:
        The new pictures.

    Raises:
        LevelError: the folder is missing or has no levels.
        OutputError: a picture cannot be written.
    """
    return find_levels(folder, reduce=True).reduced


def _existing_recipe_error(recipe: Path) -> RecipeError:
    return RecipeError(
        "there is a recipe already",
        file=recipe,
        remedy="replace it with `bake init --force`, which discards its contents",
    )


def _publish(unfinished: Path, *, recipe: Path, force: bool) -> None:
    """Rename the finished file; without ``force``, raise if a recipe exists by now."""
    if not force:
        try:
            os.link(unfinished, recipe)
        except FileExistsError:
            raise _existing_recipe_error(recipe) from None
        except OSError:  # The file system has no hard links.
            pass
        else:
            return
    unfinished.replace(recipe)


def try_recipe(
    recipe: Path, *, jobs: int | None, force: bool, draw: bool, report: Report
) -> Iterator[Tried]:
    """Bake only the components of all levels, which is fast, and draw each level.

    Args:
        recipe: the recipe; pictures go to its output folder, named after the assets.
        jobs: the number of levels to bake at once; None = the number of processors.
        force: whether to replace existing pictures.
        draw: whether to draw pictures.
        report: called with the progress.

    Yields:
        The result for each level.

    Raises:
        BakeError: two levels have the same name, or a picture cannot be written.
    """
    rules = load_recipe(recipe)
    output = rules.folder / rules.output
    with tempfile.TemporaryDirectory(prefix="bake-init-") as made, ExitStack() as stack:
        tasks = [
            replace(task, recipe=replace(task.recipe, tables=("components",)))
            for task in find_tasks(rules, (), Path(made))
        ]
        if draw:
            stack.enter_context(created_folder(output, "the folder of the pictures"))
        for outcome in build(tasks, jobs=jobs, force=True, report=report):
            picture = output / f"{outcome.task.name}.png"
            if outcome.error is not None or not draw:
                yield Tried(outcome, None, kept=False)
            elif os.path.lexists(picture) and not force:
                yield Tried(outcome, picture, kept=True)
            else:
                try:
                    render_asset(outcome.task.asset, picture)
                except QueryError:  # A graph without positions cannot be drawn.
                    yield Tried(outcome, None, kept=False)
                else:
                    yield Tried(outcome, picture, kept=False)
