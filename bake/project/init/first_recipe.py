"""Write a project's first recipe: find levels, guess, write `bake.toml`, and draw what it makes."""

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
from bake.project.init.entries import Entry, Line, merged, recipe_text
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
    """A recipe that was written."""

    recipe: Path  #: its path
    found: Found  #: the level files it names, and what was left out
    lines: tuple[Line, ...]  #: its guesses


@dataclass(frozen=True)
class Tried:
    """What the guesses make of one level."""

    outcome: Outcome  #: of baking its components
    picture: Path | None  #: the picture of it, or None where there is none
    kept: bool  #: whether the picture was there before, and was left as it was


def write_first_recipe(folder: Path, *, force: bool, reduce: bool = False) -> Started:
    """Guess what the levels of a folder mean, and write the recipe that says so.

    Args:
        folder: of the levels, with all folders in it; the recipe goes there.
        force: whether a recipe that is there may be replaced.
        reduce: whether paintings of too many colours are reduced to levels.

    Raises:
        RecipeError: there is a recipe already, or it would be too large.
        LevelError: there is no such folder, or no level in it.
        OutputError: the folder cannot be written to.
    """
    if not folder.exists():
        raise LevelError("there is no such folder", file=folder, expected="that of your levels")
    recipe = folder / RECIPE_NAME
    if os.path.lexists(recipe) and not force:
        raise _there_already(recipe)
    found = find_levels(folder, reduce=reduce)
    remove_leftovers(folder, f".{recipe.name}.*.tmp")
    # The file is made before any work, so that a read-only folder is noticed.
    with written_whole(recipe, partial(_put_in_place, recipe=recipe, force=force)) as unfinished:
        guesses: dict[str, list[Entry]] = {}
        for file in found.levels:
            # What is wrong with a level is told when it is tried.
            with suppress(BakeError):
                guesses[file.stem] = propose(file, folder)
        lines = merged(guesses)
        left_out = [f"{file.relative_to(folder)}: {why}" for file, why in found.left_out]
        text = recipe_text(found.sources, DEFAULT_OUTPUT, left_out, lines)
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
    """Write reduced pictures beside the paintings in a folder that has a recipe already.

    Returns:
        The pictures; those that were there before are left out.

    Raises:
        LevelError: there is no such folder, or no level in it.
        OutputError: a picture cannot be written.
    """
    return find_levels(folder, reduce=True).reduced


def _there_already(recipe: Path) -> RecipeError:
    return RecipeError(
        "there is a recipe already",
        file=recipe,
        remedy="write it anew, and lose what it says: `bake init --force`",
    )


def _put_in_place(unfinished: Path, *, recipe: Path, force: bool) -> None:
    """Rename the whole file; without ``force``, what came there meanwhile is not replaced."""
    if not force:
        try:
            os.link(unfinished, recipe)
        except FileExistsError:
            raise _there_already(recipe) from None
        except OSError:  # Some file systems have no links.
            pass
        else:
            return
    unfinished.replace(recipe)


def try_recipe(
    recipe: Path, *, jobs: int | None, force: bool, draw: bool, report: Report
) -> Iterator[Tried]:
    """Bake the components of all levels, which takes little time, and draw each level.

    Args:
        recipe: the recipe; pictures go to its output folder, under the names of the assets.
        jobs: how many levels at once; None = as many as there are processors.
        force: whether pictures that are there are replaced.
        draw: whether to draw.
        report: called with the progress.

    Raises:
        BakeError: two levels have one name, or pictures cannot be written.
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
