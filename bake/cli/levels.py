"""Commands about levels and what is baked from them: build, plan, check, lint."""

from __future__ import annotations

import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bake.cli.options import Json, Output, Profile, RecipeFile, Sources, print_json
from bake.cli.tasks import recipe_file, tasks_of
from bake.errors import BakeError, BakeErrors

if TYPE_CHECKING:
    from bake.pipeline import Outcome, Task


class LintFormat(StrEnum):
    """How findings of lint are written."""

    text = "text"
    json = "json"
    github = "github"


def build(
    sources: Sources = None,
    output: Output = None,
    recipe: RecipeFile = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Levels at once; else one for each processor.")
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Bake what is up to date, and over foreign files."),
    ] = False,
    depfile: Annotated[
        Path | None, typer.Option("--depfile", help="Write what assets depend on, for Make, Ninja.")
    ] = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Bake every level that is not up to date."""
    from bake.view.summary import as_data, print_summary

    begun = time.perf_counter()
    tasks = tasks_of(sources, output, recipe, profile)
    outcomes = _outcomes(tasks, jobs, force, quiet=as_json)
    seconds = time.perf_counter() - begun
    if as_json:
        print_json(as_data(outcomes, seconds))
    else:
        print_summary(outcomes, seconds)
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    if depfile is not None:
        errors += _depfile_errors(depfile, tasks, recipe)
    if errors:
        raise BakeErrors(errors)


def plan(
    sources: Sources = None,
    recipe: RecipeFile = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Levels at once, as for build; they share processors.")
    ] = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Predict bytes, seconds and peak memory of each level and table, without baking."""
    from bake.pipeline.plan import plan_level
    from bake.pipeline.run import threads_for
    from bake.view.summary import print_plans

    tasks = tasks_of(sources, None, recipe, profile)
    plans = [plan_level(task, threads_for(len(tasks), jobs)) for task in tasks]
    if as_json:
        print_json({"levels": [asdict(plan) for plan in plans]})
    else:
        print_plans(plans)


def check(
    sources: Sources = None,
    output: Output = None,
    recipe: RecipeFile = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Exit 1 if an asset is missing or stale, naming each and why."""
    from bake.pipeline import judge

    judged = list(judge(tasks_of(sources, output, recipe, profile)))
    stale = [(task, reasons) for task, reasons in judged if reasons]
    if as_json:
        levels = [
            {"level": task.name, "asset": str(task.asset), "fresh": not why, "reasons": why}
            for task, why in judged
        ]
        print_json({"fresh": not stale, "levels": levels})
    else:
        for task, reasons in stale:
            typer.echo(f"{task.asset}: {'; '.join(reasons)}")
        typer.echo(f"{len(judged) - len(stale)} of {len(judged)} assets are up to date")
    if stale:
        raise typer.Exit(1)


def lint(
    sources: Sources = None,
    recipe: RecipeFile = None,
    style: Annotated[
        LintFormat, typer.Option("--format", help="How findings are written.")
    ] = LintFormat.text,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Find what is likely wrong with levels that bake; exit 1 where there are errors."""
    from bake.lint.findings import as_annotation, as_data, as_text
    from bake.lint.levels import lint as run
    from bake.recipe import load_recipe

    tasks = tasks_of(sources, None, recipe, profile)
    found = run(tasks, load_recipe(recipe_file(recipe)), every_profile=profile is None)
    if as_json or style is LintFormat.json:
        print_json(as_data(found))
    else:
        for each in found:
            typer.echo(as_annotation(each) if style is LintFormat.github else as_text(each))
        if style is LintFormat.text:
            many = f"{len(found)} finding{'' if len(found) == 1 else 's'}"
            typer.echo(f"{many} in {len(tasks)} level{'' if len(tasks) == 1 else 's'}")
    if any(each.severity == "error" for each in found):
        raise typer.Exit(1)


def _outcomes(tasks: list[Task], jobs: int | None, force: bool, *, quiet: bool) -> list[Outcome]:
    """What became of each level, by name."""
    from bake import pipeline
    from bake.view.progress import BuildProgress, style_for

    outcomes = []
    with BuildProgress(style_for(json=quiet)) as progress:
        for outcome in pipeline.build(tasks, jobs=jobs, force=force, report=progress):
            progress.finished(outcome.task.name)
            outcomes.append(outcome)
    return sorted(outcomes, key=lambda outcome: outcome.task.name)


def _depfile_errors(depfile: Path, tasks: list[Task], recipe: Path | None) -> list[BakeError]:
    """What went wrong with the depfile, told after what went wrong with levels."""
    from bake.pipeline.staleness import write_depfile

    try:
        write_depfile(depfile, tasks, recipe_file(recipe))
    except BakeError as error:
        return [error]
    return []
