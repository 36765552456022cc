"""The arguments and options that commands share, and the levels and assets they refer to."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bake.cli import completion, mistakes, usage

if TYPE_CHECKING:
    from bake.baking import Task
    from bake.baking.sources import LeftOut, LostLevel
    from bake.show.console import BuildProgress

#: The most files that are listed as skipped.
_MOST_LEFT_OUT = 8

Sources = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="SRC", help="Level files or folders; by default the sources of the recipe."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="DIR", help="The output folder; by default the recipe's."
    ),
]
RecipeFile = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        metavar="FILE",
        help="The recipe; by default bake.toml in this folder or the nearest one above it.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="How many levels at once; by default one for each processor."
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="Use only this agent profile.",
        autocompletion=completion.complete_profile,
    ),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print only errors, on standard error.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="METHOD",
        help="How paths are found: table, astar, hpa and others.",
        autocompletion=completion.complete_method,
    ),
]
HeuristicName = Annotated[
    str | None,
    typer.Option(
        "--heuristic",
        metavar="NAME",
        help="The heuristic of the search; by default one that suits the level.",
        autocompletion=completion.complete_heuristic,
    ),
]
Weight = Annotated[
    float,
    typer.Option(
        "--weight",
        min=0,
        max=1000,
        metavar="X",
        help="The factor of astar's heuristic, 0 to 1000. Above 1, searches are faster and paths "
        "may be longer; below 1, they approach Dijkstra's algorithm.",
    ),
]
Width = Annotated[
    int | None,
    typer.Option("--width", min=1, metavar="N", help="How many open places a beam holds."),
]
Memory = Annotated[
    int | None,
    typer.Option("--memory", min=2, metavar="N", help="How many places sma holds."),
]
#: The method that uses each of these.
_USERS = {"width": "beam", "memory": "sma"}
AssetFile = Annotated[
    Path,
    typer.Argument(
        metavar="ASSET",
        help="A baked level: its file, or its name if it is in the recipe's output folder.",
        autocompletion=completion.complete_asset,
    ),
]
LoneAssetFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="ASSET",
        help="A baked level: its file, or its name if it is in the recipe's output folder. By "
        "default the only asset in that folder.",
        autocompletion=completion.complete_asset,
    ),
]
_PLACE = "a cell (X,Y or X,Y,FLOOR), the name of a node, or a point of a divided plane."
StartText = Annotated[
    str,
    typer.Argument(
        metavar="START", help=f"Where the path begins: {_PLACE}", callback=usage.unmask_place
    ),
]
GoalText = Annotated[
    str,
    typer.Argument(
        metavar="GOAL", help="Where the path ends, in the same form.", callback=usage.unmask_place
    ),
]


def say(text: str) -> None:
    """Print a line; unprintable characters in it are escaped."""
    typer.echo(mistakes.printable(text))


def warn(text: str) -> None:
    """Print a warning on standard error."""
    typer.secho("warning: ", fg="yellow", bold=True, nl=False, err=True)
    typer.echo(mistakes.printable(text), err=True)


def slowness() -> list[str]:
    """Return a line for each reason why compiled kernels are slow or missing."""
    from bake.core.kernels.jit import slowness_notes

    return slowness_notes()


def progress_for(*, silent: bool, lines: bool = True) -> BuildProgress:
    """Return the progress display of a command, which also warns of slow kernels.

    Args:
        silent: whether to show neither progress nor warnings.
        lines: whether to print lines if the output is not a terminal.
    """
    from bake.show.console import BuildProgress, style_for

    style = style_for(silent=silent)
    shown = "silent" if style == "lines" and not lines else style
    return BuildProgress(shown, tuple if silent else slowness)


def tell(error: mistakes.BakeError) -> None:
    """Print errors on standard error, one line each."""
    for line in str(error).splitlines():
        typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
        typer.echo(line, err=True)
    _print_lines(error)


def report_usage_error(error: Any) -> None:
    """Print a parser error in one line, or the help text that it carries."""
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(error.message, err=True)
        return
    typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
    typer.echo(mistakes.printable(mistakes.cut(usage.describe_usage_error(error))), err=True)


def _print_lines(error: mistakes.BakeError) -> None:
    """Print the suggested lines for a recipe, grouped by table."""
    lines = mistakes.recipe_lines(error)
    if not lines:
        return
    typer.echo("\nlines for bake.toml, to change as you like (or let `bake init` guess):", err=True)
    for table in dict.fromkeys(table for table, _ in lines):
        typer.echo(f"\n[{table}]", err=True)
        for line in (line for group, line in lines if group == table):
            typer.echo(line, err=True)


@contextmanager
def option_values() -> Iterator[None]:
    """Convert a query error about an option's value to a usage error that suggests a value."""
    try:
        yield
    except mistakes.QueryError as error:
        word = re.search("'(.*?)'", error.found)
        names = re.split(" or |, ", error.expected or "")
        near = usage.suggest(word[1], names) if word and error.remedy is None else ""
        raise typer.BadParameter(f"{error}; {near}" if near else str(error)) from None


def sizes_of(method: str | None, width: int | None, memory: int | None) -> dict[str, int]:
    """Return the options that a method requires, by name.

    Raises:
        BadParameter: an option is missing, or is given to a method that does not use it.
    """
    sizes = {"width": width, "memory": memory}
    for name, size in sizes.items():
        user = _USERS[name]
        if size is None and method == user:
            raise typer.BadParameter(f"the method {user!r} needs --{name}")
        if size is not None and method != user:
            raise typer.BadParameter(f"--{name} goes with --method {user}")
    return {name: size for name, size in sizes.items() if size is not None}


def check_search(
    method: str,
    heuristic: str | None,
    weight: float = 1.0,
    options: Mapping[str, int] | None = None,
) -> None:
    """Check the options of a search that can be checked without a level.

    Args:
        method, heuristic, weight: as for :meth:`bake.play.Navigator.search`.
        options: further options of the method.

    Raises:
        BadParameter: the method or heuristic is unknown, or they cannot be combined.
    """
    from bake.play.searching.heuristics import check_heuristic
    from bake.play.searching.methods import Request, checked_method

    with option_values():
        checked_method(Request(method, heuristic, weight, options=options or {}))
        if heuristic is not None:
            check_heuristic(heuristic)


@contextmanager
def among(errors: list[mistakes.BakeError]) -> Iterator[None]:
    """Append an error raised in this block to `errors`, so that all can be reported together."""
    try:
        yield
    except mistakes.BakeError as error:
        errors.append(error)


def print_json(data: object, *, indent: int | None = 2) -> None:
    """Print data as JSON, the output of every command with --json.

    Args:
        data: JSON values, dataclasses (fields become keys), arrays, paths and errors.
        indent: spaces per level; None = everything on one line.
    """
    typer.echo(json.dumps(data, indent=indent, default=_plain))


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {member.name: getattr(value, member.name) for member in fields(value)}
    return str(value) if isinstance(value, Path | mistakes.BakeError) else value.tolist()


def recipe_file(recipe: Path | None) -> Path | None:
    """Return the given recipe, or else the nearest one, or None without any."""
    from bake.project.recipe import find_recipe

    return recipe or find_recipe(Path())


def report_recipe(recipe: Path | None, *, silent: bool) -> None:
    """Print on standard error which recipe is in use, if it was found in a folder above.

    Args:
        recipe: the recipe given on the command line.
        silent: whether to print nothing.
    """
    file = None if silent or recipe is not None else recipe_file(None)
    if file is not None and file.parent != Path():
        typer.echo(mistakes.printable(f"recipe: {file}"), err=True)


def asset_of(asset: Path | None, *, silent: bool) -> Path:
    """Return the path of one asset.

    Args:
        asset: a path, or the name of a level whose asset is in the recipe's output folder; None =
            the only asset in that folder.
        silent: whether to print nothing about the recipe in use.

    Raises:
        AssetError: no asset is given, and the folder contains none or several.
    """
    if asset is not None:
        path = _named_asset(asset, silent=silent)
        if path.is_dir():
            raise mistakes.AssetError(
                "this is a folder", file=path, expected="an asset", remedy="name a file in it"
            )
        refuse_level(path)
        return path
    folder = output_folder(silent=silent)
    assets = assets_in([folder])
    if len(assets) > 1:
        raise mistakes.AssetError(
            f"{len(assets):,} assets are in this folder",
            file=folder,
            expected="the name of one of them: " + ", ".join(path.stem for path in assets),
        )
    return assets[0]


def place_of(asset: Path | None, *, silent: bool) -> Path:
    """Return the path of an asset or of a folder of assets.

    Args:
        asset: as for :func:`asset_of`; None = the recipe's output folder.
        silent: whether to print nothing about the recipe in use.
    """
    return output_folder(silent=silent) if asset is None else _named_asset(asset, silent=silent)


def output_folder(*, silent: bool) -> Path:
    """Return the output folder of the recipe in use.

    Raises:
        AssetError: the folder does not exist.
    """
    from bake.project.recipe import load_recipe

    rules = load_recipe(recipe_file(None))
    folder = rules.folder / rules.output
    if not folder.is_dir():
        raise mistakes.AssetError(
            "there is no such folder", file=folder, remedy="run `bake build` first"
        )
    report_recipe(None, silent=silent)
    return folder


def _named_asset(asset: Path, *, silent: bool) -> Path:
    """Return an asset's path; an existing path takes precedence over a level's name."""
    from bake.project.recipe import load_recipe

    if str(asset) != asset.name or os.path.lexists(asset):
        return asset
    rules = load_recipe(recipe_file(None))
    folder = rules.folder / rules.output
    path = folder / f"{asset.name}.h5"
    if not path.exists():
        names = (path.stem for path in folder.glob("*.h5"))
        if not asset.suffix and (near := usage.suggest(asset.name, names)):
            raise mistakes.AssetError("no such asset", file=asset, remedy=near)
        return asset
    report_recipe(None, silent=silent)
    return path


def refuse_level(file: Path, expected: str = "an asset (.h5)") -> None:
    """Raise if a file is a level instead of an asset.

    Raises:
        AssetError: the file is a level. The error names its asset, or says how to bake it.
    """
    if file.suffix.lower() in (".h5", ".bake") or not file.is_file():
        return
    from bake.levels import LOSSY_SUFFIXES, SUFFIXES
    from bake.project.recipe import load_recipe

    if file.suffix.lower() not in SUFFIXES | LOSSY_SUFFIXES:
        return
    remedy = f"bake it with `bake build {file}`, and name what that writes"
    with suppress(mistakes.BakeError):
        rules = load_recipe(recipe_file(None))
        asset = rules.folder / rules.output / f"{file.stem}.h5"
        remedy = f"name {asset}" if asset.exists() else remedy
    raise mistakes.AssetError(
        "this is a level, not an asset", file=file, expected=expected, remedy=remedy
    )


def tasks_of(
    sources: list[Path] | None,
    output: Path | None,
    recipe: Path | None,
    profile: str | None,
    left_out: list[LeftOut] | None = None,
    lost: list[LostLevel] | None = None,
) -> list[Task]:
    """Find the levels to bake, restricted to one profile if one is given.

    Args:
        left_out: receives the files that look like levels but are not.
        lost: see :func:`bake.baking.find_tasks`.

    Raises:
        BakeError: the recipe is invalid, or a file or the profile does not exist.
    """
    from bake.baking import find_tasks
    from bake.project.recipe import load_recipe

    rules = load_recipe(recipe_file(recipe))
    tasks = find_tasks(rules, sources or [], output, left_out, lost)
    if profile is None or not tasks:
        return tasks
    candidates = (_narrowed(task, profile) for task in tasks)
    narrowed = [task for task in candidates if task is not None]
    if not narrowed:
        known = sorted({agent.name for task in tasks for agent in task.recipe.profiles})
        raise mistakes.UnknownProfileError(
            f"no level has a profile {profile!r}",
            file=rules.file,
            expected=" or ".join(map(repr, known)),
        )
    return narrowed


def project_tasks(
    sources: list[Path] | None,
    output: Path | None,
    recipe: Path | None,
    profile: str | None,
    left_out: list[LeftOut] | None = None,
    *,
    silent: bool,
) -> list[Task]:
    """Find the levels of :func:`tasks_of`, and the levels of assets in the output folder.

    Without a recipe, print a warning for each asset whose level file is missing.

    Args:
        silent: whether to print no warnings.

    Raises:
        BakeError: as for :func:`tasks_of`, or the level files of all assets are missing.
    """
    lost: list[LostLevel] = []
    tasks = tasks_of(sources, output, recipe, profile, left_out, lost)
    if not tasks:
        raise mistakes.one_error(
            [
                mistakes.LevelError(level.why, file=level.asset, remedy="name the level file")
                for level in lost
            ]
        )
    if recipe_file(recipe) is None and not silent:
        for level in lost:
            warn(f"{level.asset}: {level.why}")
    return tasks


def print_left_out(left_out: list[LeftOut]) -> None:
    """Print to standard error which files were skipped as not being levels, and why."""
    for skipped in left_out[:_MOST_LEFT_OUT]:
        typer.echo(mistakes.printable(f"left out: {skipped.file}: {skipped.why}"), err=True)
    if len(left_out) > _MOST_LEFT_OUT:
        typer.echo(f"left out: {len(left_out) - _MOST_LEFT_OUT:,} more files", err=True)


def _narrowed(task: Task, profile: str) -> Task | None:
    selected = tuple(agent for agent in task.recipe.profiles if agent.name == profile)
    if not selected:
        return None
    fewer = len(selected) < len(task.recipe.profiles)
    return replace(task, recipe=replace(task.recipe, profiles=selected, narrowed=fewer))


def assets_in(paths: list[Path]) -> list[Path]:
    """Return the given assets and those in the given folders.

    Raises:
        AssetError: a folder contains no asset.
    """
    assets: list[Path] = []
    for path in paths:
        files = [path]
        if path.is_dir():
            files = sorted(file for file in path.glob("*.h5") if not file.is_dir())
        if not files:
            raise mistakes.AssetError(
                "there is no asset in this folder", file=path, remedy="run `bake build` first"
            )
        assets += files
    return assets
