"""This module has the commands about levels: build, plan, check, lint and schema."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bake.cli.options import (
    Json,
    Output,
    Profile,
    Quiet,
    RecipeFile,
    Sources,
    among,
    print_json,
    recipe_file,
    say,
    tasks_of,
)
from bake.errors import BakeErrors, counted, printable


class LintFormat(StrEnum):
    """How findings of lint are written."""

    text = "text"
    json = "json"
    github = "github"


class SchemaName(StrEnum):
    """A file format with a JSON Schema."""

    recipe = "recipe"
    tiles = "tiles"
    graph = "graph"


def build(
    sources: Sources = None,
    output: Output = None,
    recipe: RecipeFile = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="How many levels at once; else one for each processor."),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Bake what is up to date too, and overwrite foreign files."),
    ] = False,
    depfile: Annotated[
        Path | None,
        typer.Option(
            "--depfile", help="Write what assets depend on into a file, for Make or Ninja."
        ),
    ] = None,
    profile: Profile = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Bake every level that is not up to date."""
    from bake import pipeline
    from bake.lint.findings import as_text, listed, summed_up
    from bake.lint.ignored import ignored_by_build
    from bake.pipeline.staleness import write_depfile
    from bake.recipe import load_recipe
    from bake.view.console import BuildProgress, style_for
    from bake.view.report import as_data, line_of, print_summary

    begun = time.perf_counter()
    tasks = tasks_of(sources, output, recipe, profile)
    outcomes = []
    with BuildProgress(style_for(silent=as_json or quiet)) as progress:
        for outcome in pipeline.build(tasks, jobs=jobs, force=force, report=progress):
            progress.finished(outcome.task.name, line_of(outcome))
            outcomes.append(outcome)
    outcomes.sort(key=lambda outcome: outcome.task.name)
    seconds = time.perf_counter() - begun
    findings = ignored_by_build(
        load_recipe(recipe_file(recipe)), outcomes, whole=not sources and profile is None
    )
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    with among(errors):
        if as_json:
            print_json(as_data(outcomes, seconds) | {"findings": listed(findings)})
        elif not quiet:
            print_summary(outcomes, seconds)
            for found, others in summed_up(findings):
                typer.echo(printable(as_text(found, others)), err=True)
    if depfile is not None:
        with among(errors):
            write_depfile(depfile, tasks, recipe_file(recipe))
    if errors:
        raise BakeErrors(errors)


def plan(
    sources: Sources = None,
    recipe: RecipeFile = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="How many levels at once, as for build; they share processors."),
    ] = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Say what baking would cost.

    Bytes, seconds and peak memory of each level and table are predicted, and nothing is baked.
    """
    from bake.pipeline.plan import plan_level
    from bake.pipeline.run import threads_for
    from bake.view.report import print_plans

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
    """Say which assets are missing or stale.

    Each is named with the reasons, and the exit code is 1 if there are any.
    """
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
            say(f"{task.asset}: {'; '.join(reasons)}")
        say(f"{len(judged) - len(stale)} of {len(judged)} assets are up to date")
    if stale:
        raise typer.Exit(1)


def lint(
    sources: Sources = None,
    recipe: RecipeFile = None,
    style: Annotated[
        LintFormat, typer.Option("--format", help="How the findings are written.")
    ] = LintFormat.text,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Find what is likely wrong with levels.

    The exit code is 1 if there is an error among the findings.
    """
    from bake.lint.findings import as_annotation, as_data, as_text, summed_up
    from bake.lint.levels import lint as run
    from bake.recipe import load_recipe

    tasks = tasks_of(sources, None, recipe, profile)
    found = run(
        tasks,
        load_recipe(recipe_file(recipe)),
        every_profile=profile is None,
        whole=not sources,
    )
    if as_json or style is LintFormat.json:
        print_json(as_data(found))
    else:
        write = as_annotation if style is LintFormat.github else as_text
        for each, others in summed_up(found):
            say(write(each, others))
        if style is LintFormat.text:
            say(f"{counted(len(found), 'finding')} in {counted(len(tasks), 'level')}")
    if any(each.severity == "error" for each in found):
        raise typer.Exit(1)


def schema(
    name: Annotated[SchemaName, typer.Argument(help="Which file format.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file to write; else standard output.")
    ] = None,
) -> None:
    """Print the JSON Schema of a file format.

    Editors and other tools check and complete files by it.
    """
    from bake.asset.partial import written_whole
    from bake.levels.graph_json import graph_schema
    from bake.levels.tiles_json import tile_schema
    from bake.recipe import recipe_schema

    made = {"recipe": recipe_schema, "tiles": tile_schema, "graph": graph_schema}[name.value]()
    text = json.dumps(made, indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    with written_whole(output) as partial:
        partial.write_text(text, encoding="utf-8")
