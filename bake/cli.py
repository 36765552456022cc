"""The command line: parse, call, print.

Exit codes: 0 success, 1 something the user can mend, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from bake import __version__
from bake.cli_interrupt import leaving_when_interrupted
from bake.errors import BakeError, BakeErrors

if TYPE_CHECKING:
    from bake.pipeline import Task
    from bake.runtime import LevelAsset
    from bake.runtime.places import Place

_INTERRUPTED = 130
_SAID = "interrupted; what was finished is kept"

app = typer.Typer(
    help="Bake levels into pathfinding assets at build time; look next hops up at runtime.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Sources = Annotated[
    list[Path] | None,
    typer.Argument(metavar="SRC", help="Level files or folders; none = the recipe's sources."),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", help="Folder of the assets; else the recipe's.")
]
RecipeFile = Annotated[
    Path | None, typer.Option("--recipe", help="Recipe; else bake.toml in this folder, if any.")
]
Profile = Annotated[str | None, typer.Option("--profile", help="Only this agent profile.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]
MethodName = Annotated[str, typer.Option("--method", help="How to find paths: table, astar, ...")]
HeuristicName = Annotated[
    str | None, typer.Option("--heuristic", help="Of searches; else the one that fits the level.")
]
AssetFile = Annotated[Path, typer.Argument(metavar="ASSET", help="A baked level.")]
PlaceText = Annotated[
    str,
    typer.Argument(
        metavar="X,Y", help="A cell (X,Y,FLOOR where there are floors), or a node's name."
    ),
]


class Show(StrEnum):
    """What a picture shows."""

    terrain = "terrain"
    components = "components"
    distances = "distances"
    hops = "hops"
    clusters = "clusters"
    search = "search"


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


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"levelbake {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version_: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
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
    from bake import pipeline
    from bake.view.progress import BuildProgress, style_for

    begun = time.perf_counter()
    tasks = _tasks(sources, output, recipe, profile)
    outcomes = []
    with BuildProgress(style_for(json=as_json)) as progress:
        for outcome in pipeline.build(tasks, jobs=jobs, force=force, report=progress):
            progress.finished(outcome.task.name)
            outcomes.append(outcome)
    outcomes.sort(key=lambda outcome: outcome.task.name)
    seconds = time.perf_counter() - begun
    if as_json:
        from bake.view.summary import as_data

        _print_json(as_data(outcomes, seconds))
    else:
        from bake.view.summary import print_summary

        print_summary(outcomes, seconds)
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    if depfile is not None:
        from bake.pipeline.depfile import write_depfile
        from bake.recipe import find_recipe

        try:
            write_depfile(depfile, tasks, recipe or find_recipe(Path()))
        except BakeError as error:
            errors.append(error)
    if errors:
        raise BakeErrors(errors)


@app.command()
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

    tasks = _tasks(sources, None, recipe, profile)
    plans = [plan_level(task, threads_for(len(tasks), jobs)) for task in tasks]
    if as_json:
        _print_json({"levels": [asdict(plan) for plan in plans]})
    else:
        from bake.view.summary import print_plans

        print_plans(plans)


@app.command()
def check(
    sources: Sources = None,
    output: Output = None,
    recipe: RecipeFile = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Exit 1 if an asset is missing or stale, naming each and why."""
    from bake.pipeline import judge

    tasks = _tasks(sources, output, recipe, profile)
    judged = list(judge(tasks))
    stale = [(task, reasons) for task, reasons in judged if reasons]
    if as_json:
        levels = [
            {
                "level": task.name,
                "asset": str(task.asset),
                "fresh": not reasons,
                "reasons": reasons,
            }
            for task, reasons in judged
        ]
        _print_json({"fresh": not stale, "levels": levels})
    else:
        for task, reasons in stale:
            typer.echo(f"{task.asset}: {'; '.join(reasons)}")
        typer.echo(f"{len(tasks) - len(stale)} of {len(tasks)} assets are up to date")
    if stale:
        raise typer.Exit(1)


@app.command()
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
    from bake.lint.report import as_annotation, as_data, as_text
    from bake.lint.run import lint as run
    from bake.recipe import find_recipe, load_recipe

    tasks = _tasks(sources, None, recipe, profile)
    rules = load_recipe(recipe or find_recipe(Path()))
    found = run(tasks, rules, every_profile=profile is None)
    if as_json or style is LintFormat.json:
        _print_json(as_data(found))
    else:
        for each in found:
            typer.echo(as_annotation(each) if style is LintFormat.github else as_text(each))
        if style is LintFormat.text:
            many = f"{len(found)} finding{'' if len(found) == 1 else 's'}"
            typer.echo(f"{many} in {len(tasks)} level{'' if len(tasks) == 1 else 's'}")
    if any(each.severity == "error" for each in found):
        raise typer.Exit(1)


@app.command()
def info(asset: AssetFile, profile: Profile = None, as_json: Json = False) -> None:
    """Say what is in an asset: level, rules, tables and their sizes."""
    from bake.view.inspect import inspect_asset

    found = inspect_asset(asset, profile)
    if as_json:
        _print_json(found)
    else:
        from bake.view.inspect import print_info

        print_info(found)


@app.command()
def path(
    asset: AssetFile,
    start: PlaceText,
    goal: PlaceText,
    method: MethodName = "table",
    heuristic: HeuristicName = None,
    smooth: Annotated[
        bool, typer.Option("--smooth", help="Only the waypoints of straight lines.")
    ] = False,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Print a path, a shortest one unless the method says otherwise."""
    from bake.runtime import open_asset

    with open_asset(asset) as level:
        nav = level.profile(profile)
        a, b = _place(level, start), _place(level, goal)
        searched = nav.search(a, b, method, heuristic)
        found, cost = searched.path, searched.cost
        if smooth and found is not None:
            found = nav.smooth(found)
            cost = nav.any_angle_length(found)
    if as_json:
        reachable = found is not None
        steps = len(found) - 1 if found is not None else None
        _print_json(
            {
                "reachable": reachable,
                "cost": cost if reachable else None,
                "steps": steps,
                "path": found,
            }
        )
    elif found is None:
        typer.echo(f"{goal} cannot be reached from {start}")
    else:
        typer.echo(" ".join(_text(place) for place in found))
        typer.echo(f"{len(found) - 1} steps, cost {cost:.6g}")


@app.command(name="eval")
def evaluate(
    asset: AssetFile,
    scenario: Annotated[Path, typer.Argument(metavar="FILE.scen", help="Moving AI scenario file.")],
    method: MethodName = "table",
    heuristic: HeuristicName = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Solve every problem of a scenario file; exit 1 where a path is missing or wrongly long."""
    from bake.view.evaluate import evaluate as run

    result = run(asset, scenario, profile, method, heuristic)
    if as_json:
        _print_json(asdict(result))
    else:
        typer.echo(
            f"{result.solved} of {result.problems} problems solved at their optimal length, "
            f"largest difference {result.max_error:.2g}, {result.ns_per_step:.1f} ns a step, "
            f"{result.us_per_path:.2f} us a path"
        )
        if method != "table":
            over = result.suboptimality
            typer.echo(
                f"{over.mean:.3%} too long on average, {over.p99:.3%} at the 99th percentile, "
                f"{result.expanded_mean:,.0f} places expanded, {result.median_us:.1f} us a path "
                f"and {result.first_move_us:.1f} us to the first move at the median"
            )
        if result.first_wrong is not None:
            typer.echo(f"first wrong: {result.first_wrong}")
    if result.wrong:
        raise typer.Exit(1)


@app.command()
def render(
    asset: AssetFile,
    output: Annotated[Path, typer.Option("-o", "--output", help="PNG file to write.")],
    show: Annotated[Show, typer.Option(help="What to draw.")] = Show.terrain,
    toward: Annotated[
        str | None, typer.Option(metavar="X,Y", help="Goal of distances and hops.")
    ] = None,
    path: Annotated[
        tuple[str, str] | None,
        typer.Option("--path", metavar="X,Y X,Y", help="Draw a shortest path too."),
    ] = None,
    scale: Annotated[
        int | None, typer.Option(min=1, help="Pixels a cell; else what fits a screen.")
    ] = None,
    layer: Annotated[int, typer.Option(min=1, help="Which clusters; 1 = the lowest.")] = 1,
    method: Annotated[
        str | None, typer.Option(help="How the path is found; else by next hops.")
    ] = None,
    heuristic: Annotated[str | None, typer.Option(help="What guides the search.")] = None,
    lint: Annotated[bool, typer.Option("--lint", help="Mark what lint finds.")] = False,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Draw an asset: terrain, components, clusters, a path, a search, distances or hops."""
    from bake.runtime import open_asset
    from bake.view.render import render_asset

    with open_asset(asset) as level:
        ends = None if path is None else (_place(level, path[0]), _place(level, path[1]))
        goal = None if toward is None else _place(level, toward)
    drawn = render_asset(
        asset,
        output,
        profile=profile,
        show=show.value,
        path=ends,
        toward=goal,
        scale=scale,
        layer=layer,
        method=method,
        heuristic=heuristic,
        lint=lint,
    )
    if as_json:
        _print_json(drawn)
    else:
        typer.echo(f"{output}: {drawn['width']} x {drawn['height']} pixels")


@app.command()
def apply(
    asset: Annotated[Path, typer.Argument(metavar="ASSET", help="The baked level.")],
    patch: Annotated[Path, typer.Argument(metavar="PATCH", help="A patch saved from it.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the new asset goes.")],
) -> None:
    """Fold a patch into an asset: bake the level as it has become."""
    from bake.apply import apply_patch
    from bake.view.progress import BuildProgress, style_for

    with BuildProgress(style_for(json=False)) as progress:
        size = apply_patch(
            asset, patch, output, 1, lambda stage, done: progress(output.name, stage, done)
        )
        progress.finished(output.name)
    typer.echo(f"{output}: {size:,} bytes")


@app.command()
def verify(
    assets: Annotated[
        list[Path], typer.Argument(metavar="ASSET", help="Baked levels, or folders of them.")
    ],
    profile: Profile = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only N targets a profile, drawn at random."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove every hop optimal and every component right, sharing no code with the bake."""
    from bake.asset.verify import verify_asset
    from bake.runtime import open_asset
    from bake.view.progress import BuildProgress, style_for

    results: list[dict[str, Any]] = []
    errors: list[BakeError] = []
    with BuildProgress(style_for(json=as_json)) as progress:
        for asset in _assets(assets):
            try:
                if profile is not None:
                    with open_asset(asset) as level:
                        level.profile(profile)  # no proof of nothing: it must be there
                proof = verify_asset(
                    asset,
                    profile,
                    partial(progress, asset.name, "verify"),
                    sample=sample,
                )
                results.append({"asset": str(asset), "right": True, **asdict(proof)})
            except BakeError as error:
                errors.append(error)
                results.append({"asset": str(asset), "right": False, "error": str(error)})
            progress.finished(asset.name)
    if as_json:
        _print_json({"right": not errors, "sample": sample, "assets": results})
    else:
        for result in results:
            if result["right"]:
                typer.echo(f"{result['asset']}: {result['pairs']:,} pairs proved optimal")
        if sample is not None and not errors:
            typer.echo(
                f"{sample} targets of each profile, drawn at random: a table wrong for one target "
                f"in 100 would have passed with probability {0.99**sample:.2g}"
            )
    if errors:
        raise BakeErrors(errors)


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A baked level.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The same level, baked later.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="PNG file to draw the change into.")
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT[=PERCENT]",
            help="Exit 1 on: cells, reachability, distances, size. May be repeated.",
        ),
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Goals whose distances are compared.")] = 64,
    scale: Annotated[int | None, typer.Option(min=1, help="Pixels a cell.")] = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Say what changed between two bakes: cells, reachability, distances, clusters, size."""
    from bake.asset import Asset
    from bake.diff import broken, compare, read_limit
    from bake.view.diff_picture import draw_difference
    from bake.view.diff_report import as_data, lines_of

    limits = [read_limit(text) for text in fail_on or []]
    with Asset(old) as before, Asset(new) as after:
        found = compare(before, after, profile, sample)
        lines = broken(found, limits)
        if output is not None:
            draw_difference(found, after, output, scale)
        if as_json:
            _print_json(as_data(found, lines))
        else:
            for line in [*lines_of(found), *(f"failed on {line}" for line in lines)]:
                typer.echo(line)
    if lines:
        raise typer.Exit(1)


@app.command()
def schema(
    name: Annotated[SchemaName, typer.Argument(help="Which format.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; else standard output.")
    ] = None,
) -> None:
    """Publish the JSON Schema of a file format, for editors and other tools."""
    from bake.levels.schema import graph_schema, tile_schema
    from bake.recipe import recipe_schema

    made = {"recipe": recipe_schema, "tiles": tile_schema, "graph": graph_schema}[name.value]()
    text = json.dumps(made, indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        from bake.errors import OutputError

        raise OutputError(f"cannot be written: {error.strerror or error}", file=output) from None


def _tasks(
    sources: list[Path] | None, output: Path | None, recipe: Path | None, profile: str | None
) -> list[Task]:
    from bake.errors import UnknownProfileError
    from bake.pipeline import find_tasks
    from bake.recipe import find_recipe, load_recipe

    rules = load_recipe(recipe or find_recipe(Path()))
    tasks = find_tasks(rules, sources or [], output)
    if profile is None:
        return tasks
    narrowed = []
    for task in tasks:
        mine = tuple(one for one in task.recipe.profiles if one.name == profile)
        if mine:
            fewer = len(mine) < len(task.recipe.profiles)
            rules_of = replace(task.recipe, profiles=mine, narrowed=fewer)
            narrowed.append(replace(task, recipe=rules_of))
    if not narrowed:
        known = sorted({one.name for task in tasks for one in task.recipe.profiles})
        raise UnknownProfileError(
            f"no level has a profile {profile!r}", file=rules.file, expected=" or ".join(known)
        )
    return narrowed


def _assets(paths: list[Path]) -> list[Path]:
    from bake.errors import AssetError

    found: list[Path] = []
    for one in paths:
        inside = sorted(one.glob("*.h5")) if one.is_dir() else [one]
        if not inside:
            raise AssetError("no asset in this folder", file=one, remedy="run `bake build` first")
        found += inside
    return found


def _place(level: LevelAsset, text: str) -> Place:
    """A cell from "X,Y", or a node by the name its level gave it."""
    if level.is_grid:
        count, form = (
            (2, "X,Y such as 3,4") if level.floors == 1 else (3, "X,Y,FLOOR such as 3,4,0")
        )
        try:
            cell = tuple(int(part) for part in text.split(","))
        except ValueError:
            cell = ()
        if len(cell) != count:
            raise typer.BadParameter(f"{text!r} is no cell; write {form}")
        return cell
    return level.node_name(text)


def _text(place: Place) -> str:
    return ",".join(map(str, place)) if isinstance(place, tuple) else str(place)


def _print_json(data: object) -> None:
    typer.echo(json.dumps(data, indent=2))


def _fail(error: BakeError) -> NoReturn:
    for line in str(error).splitlines():
        typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
        typer.echo(line, err=True)
    sys.exit(1)


def main() -> None:
    """Run the command line."""
    try:
        with leaving_when_interrupted(_INTERRUPTED, _SAID):
            app(prog_name="bake")
    except BakeError as error:
        _fail(error)
    except SystemExit as end:
        # typer turns an interrupt into this code, and says nothing.
        if end.code == _INTERRUPTED:
            typer.echo(_SAID, err=True)
        raise
