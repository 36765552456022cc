"""The commands about levels: build, join, plan, check, lint and schema."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bake.cli import mistakes
from bake.cli.options import (
    Jobs,
    Json,
    Output,
    Profile,
    Quiet,
    RecipeFile,
    Sources,
    among,
    print_json,
    print_left_out,
    progress_for,
    project_tasks,
    recipe_file,
    report_recipe,
    say,
    tasks_of,
    warn,
)
from bake.core.extras import load_kind

if TYPE_CHECKING:
    from bake.baking import Outcome
    from bake.baking.run import Report
    from bake.baking.sources import LeftOut, LostLevel


class LintFormat(StrEnum):
    """An output format of lint."""

    text = "text"
    json = "json"
    github = "github"


class SchemaName(StrEnum):
    """A file format with a JSON Schema, or the table of columns of baked levels."""

    recipe = "recipe"
    tiles = "tiles"
    graph = "graph"
    shapes = "shapes"
    mesh = "mesh"
    puzzle = "puzzle"
    columns = "columns"


def build(
    sources: Sources = None,
    output: Output = None,
    recipe: RecipeFile = None,
    jobs: Jobs = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Bake fresh levels too, and overwrite foreign files."),
    ] = False,
    depfile: Annotated[
        Path | None,
        typer.Option(
            "--depfile",
            metavar="FILE",
            help="Write the dependencies of the assets to a file, for Make or Ninja.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Bake on the workers of a Dask scheduler, or `local` to start one.",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Bake share I of N, for `bake join`, into a folder beside the assets.",
        ),
    ] = None,
    export: Annotated[
        bool,
        typer.Option("--export", help="Write a flat file beside each asset, for other engines."),
    ] = False,
    profile: Profile = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Bake all levels that are not up to date."""
    from bake import baking as pipeline
    from bake.baking.staleness import write_depfile

    share = None if shard is None else _parsed(shard)
    for option, value in (("--cluster", cluster), ("--depfile", depfile)):
        if share is not None and value is not None:
            raise typer.BadParameter(f"--shard and {option} cannot be combined")
    left_out: list[LeftOut] = []
    report_recipe(recipe, silent=quiet or as_json)
    if shard is None and depfile is None:
        tasks = project_tasks(sources, output, recipe, profile, left_out, silent=quiet or as_json)
    else:  # The tasks must not depend on the contents of the output folder.
        tasks = tasks_of(sources, output, recipe, profile, left_out)
    if export:
        tasks = [replace(task, recipe=replace(task.recipe, export_flat=True)) for task in tasks]

    def outcomes(report: Report) -> Iterator[Outcome]:
        if share is None:
            return pipeline.build(tasks, jobs=jobs, force=force, report=report, cluster=cluster)
        from bake.baking.shards import Shard, build_shard

        return build_shard(tasks, Shard(*share), jobs=jobs, force=force, report=report)

    whole = not sources and profile is None and share is None
    errors = _show(
        outcomes,
        recipe_file(recipe),
        whole=whole,
        quiet=quiet,
        as_json=as_json,
        left_out=left_out,
    )
    if depfile is not None:
        with among(errors):
            write_depfile(depfile, tasks, recipe_file(recipe))
    if errors:
        raise mistakes.BakeErrors(errors)


def join(
    shards: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FOLDER", help="Shards, or folders of shards; by default the output folder."
        ),
    ] = None,
    source: Annotated[
        list[Path] | None,
        typer.Option(
            "--source",
            metavar="SRC",
            help="The level file or folder that the shards were baked from. May be repeated.",
        ),
    ] = None,
    output: Output = None,
    recipe: RecipeFile = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite foreign files with the name of an asset.")
    ] = False,
    profile: Profile = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Join the shards of a build into assets, byte for byte equal to an ordinary build."""
    from bake.baking import shards as pipeline

    report_recipe(recipe, silent=quiet or as_json)
    tasks = tasks_of(source, output, recipe, profile)
    folders = shards or [tasks[0].asset.parent]
    errors = _show(
        lambda report: pipeline.join(tasks, folders, force=force, report=report),
        recipe_file(recipe),
        whole=False,
        quiet=quiet,
        as_json=as_json,
    )
    if errors:
        raise mistakes.BakeErrors(errors)


def _parsed(shard: str) -> tuple[int, int]:
    """Parse "I/N": return the number of a shard and the number of shards."""
    match = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", shard, re.ASCII)
    number, count = (int(digits) for digits in match.groups()) if match else (0, 0)
    if not 1 <= number <= count:
        raise typer.BadParameter(
            f"--shard: {shard!r} is not a valid value; expected I/N, as 1/4 for the first of four"
        )
    return number, count


def _show(
    made: Callable[[Report], Iterator[Outcome]],
    recipe: Path | None,
    *,
    whole: bool,
    quiet: bool,
    as_json: bool,
    left_out: list[LeftOut] | None = None,
) -> list[mistakes.BakeError]:
    """Report the progress of a build, print its results, and return the errors.

    Args:
        made: runs the build, given a progress callback, and yields outcomes.
        recipe: the recipe.
        whole: whether the build covers all levels and all profiles of the recipe.
        quiet, as_json: what is printed.
        left_out: files that look like levels but are not; None = do not print them.
    """
    from bake.project.lint.findings import as_text, summed_up
    from bake.project.lint.ignored import ignored_by_build
    from bake.project.recipe import load_recipe
    from bake.show.report import as_data, line_of, print_summary

    begun = time.perf_counter()
    outcomes = []
    with progress_for(silent=as_json or quiet) as progress:
        for outcome in made(progress):
            progress.finished(outcome.task.name, line_of(outcome))
            outcomes.append(outcome)
    outcomes.sort(key=lambda outcome: outcome.task.name)
    seconds = time.perf_counter() - begun
    findings = ignored_by_build(load_recipe(recipe), outcomes, whole=whole)
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    with among(errors):
        if as_json:
            data = as_data(outcomes, seconds) | {"findings": findings}
            print_json(data if left_out is None else data | {"left_out": left_out})
        elif not quiet:
            print_summary(outcomes, seconds)
            for finding, others in summed_up(findings):
                typer.echo(mistakes.printable(as_text(finding, others)), err=True)
            print_left_out(left_out or [])
    return errors


def plan(
    sources: Sources = None,
    recipe: RecipeFile = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="How many levels at once, as for build."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Also predict the time and memory of a cluster of N workers."
        ),
    ] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Also print a line for each table of a level.")
    ] = False,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Predict the size, time and peak memory of a bake.

    No asset is written.
    """
    from bake.baking.plan import plan_level, total_of
    from bake.baking.run import threads_for
    from bake.core.processors import processors
    from bake.levels import is_puzzle
    from bake.show.report import print_plans

    report_recipe(recipe, silent=as_json)
    tasks = project_tasks(sources, None, recipe, profile, silent=as_json)
    threads = threads_for(len(tasks), jobs)
    plans = [
        load_kind("puzzle", task.source).plan(task)
        if is_puzzle(task.source)
        else plan_level(task, threads, workers)
        for task in tasks
    ]
    total = total_of(plans, min(len(tasks), jobs or processors()))
    if as_json:
        print_json({"levels": plans, "total": total})
    else:
        print_plans(plans, total, tables=tables)


def check(
    sources: Sources = None,
    output: Output = None,
    recipe: RecipeFile = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Report which assets are missing or stale.

    Prints the reasons for each. The exit code is 1 if there are any.
    """
    from bake.baking import judge, reasons_to_export

    report_recipe(recipe, silent=as_json)
    lost: list[LostLevel] = []
    tasks = tasks_of(sources, output, recipe, profile, lost=lost)
    judged = [(task.name, task.asset, why or reasons_to_export(task)) for task, why in judge(tasks)]
    if recipe_file(recipe) is None:  # The only list of levels is the assets themselves.
        judged += [(level.asset.stem, level.asset, [level.why]) for level in lost]
        judged.sort(key=lambda level: level[0])
    elif not as_json:
        for level in lost:
            warn(f"{level.asset} is not checked: {level.why}")
    stale = [(asset, reasons) for _, asset, reasons in judged if reasons]
    if as_json:
        levels = [
            {"level": name, "asset": asset, "fresh": not why, "reasons": why}
            for name, asset, why in judged
        ]
        print_json({"fresh": not stale, "levels": levels})
    else:
        for asset, reasons in stale:
            say(f"{asset}: {'; '.join(reasons)}")
        say(f"{len(judged) - len(stale)} of {len(judged)} assets are up to date")
    if stale:
        raise typer.Exit(1)


def lint(
    sources: Sources = None,
    recipe: RecipeFile = None,
    style: Annotated[
        LintFormat, typer.Option("--format", help="The output format.")
    ] = LintFormat.text,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Find likely mistakes in levels.

    The exit code is 1 if any finding is an error.
    """
    from bake.project.lint.findings import as_annotation, as_data, as_text, summed_up
    from bake.project.lint.levels import lint as run
    from bake.project.recipe import load_recipe

    left_out: list[LeftOut] = []
    silent = as_json or style is not LintFormat.text
    report_recipe(recipe, silent=silent)
    tasks = project_tasks(sources, None, recipe, profile, left_out, silent=silent)
    findings = run(
        tasks,
        load_recipe(recipe_file(recipe)),
        every_profile=profile is None,
        whole=not sources,
    )
    if as_json or style is LintFormat.json:
        print_json(as_data(findings) | {"left_out": left_out})
    else:
        write = as_annotation if style is LintFormat.github else as_text
        for finding, others in summed_up(findings):
            say(write(finding, others))
        if style is LintFormat.text:
            print_left_out(left_out)
            inside = mistakes.counted(len(tasks), "level")
            say(f"{mistakes.counted(len(findings), 'finding')} in {inside}")
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


def schema(
    name: Annotated[SchemaName, typer.Argument(metavar="NAME", help="The file format.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="The file to write; by default standard output."
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a file format, or the table of columns.

    Editors validate and complete files with a schema. `columns` is for authors of readers.
    """
    from bake.levels.graph_json import graph_schema
    from bake.levels.plane.geometry_json import geometry_schema
    from bake.levels.plane.meshes import mesh_schema
    from bake.levels.tiles_json import tile_schema
    from bake.project.recipe import recipe_schema
    from bake.store.flat.document import table_of_columns
    from bake.store.partial import written_whole

    made = {
        "recipe": recipe_schema,
        "tiles": tile_schema,
        "graph": graph_schema,
        "shapes": geometry_schema,
        "mesh": mesh_schema,
        "puzzle": lambda: load_kind("puzzle").schema(),
        "columns": table_of_columns,
    }[name.value]()
    text = json.dumps(made, indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    with written_whole(output) as partial:
        partial.write_text(text, encoding="utf-8")
