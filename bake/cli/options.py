"""This module has the arguments and options that commands share.

It also finds the levels and assets that these name.
"""

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

#: The most files that are listed as left out.
_MOST_LEFT_OUT = 8

Sources = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="SRC", help="Level files or folders; without any, the sources of the recipe."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="DIR", help="The folder of the assets; else that of the recipe."
    ),
]
RecipeFile = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        metavar="FILE",
        help="The recipe; else bake.toml in this folder or the nearest one above it.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="How many levels at once; else one for each processor."),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        help="Look at this agent profile alone.",
        autocompletion=completion.complete_profile,
    ),
]
Quiet = Annotated[
    bool, typer.Option("-q", "--quiet", help="Print mistakes alone, on standard error.")
]
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
        help="What guides a search; else what fits the level.",
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
        help="What astar multiplies its heuristic with, 0 to 1000: more finds worse paths sooner, "
        "less than 1 leans toward Dijkstra's algorithm.",
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
        help="A baked level: its file, or its name if the recipe's output has it.",
        autocompletion=completion.complete_asset,
    ),
]
LoneAssetFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="ASSET",
        help="A baked level: its file, or its name if the recipe's output has it. Without any, the "
        "only one there.",
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
        metavar="GOAL", help="Where the path ends, written likewise.", callback=usage.unmask_place
    ),
]


def say(text: str) -> None:
    """Print a line; names in it may hold anything, and are shown with escapes."""
    typer.echo(mistakes.printable(text))


def warn(text: str) -> None:
    """Print a line that is no mistake on standard error."""
    typer.secho("warning: ", fg="yellow", bold=True, nl=False, err=True)
    typer.echo(mistakes.printable(text), err=True)


def slowness() -> list[str]:
    """Return a line for each reason why kernels are slow."""
    from bake.core.kernels.jit import slowness_notes

    return slowness_notes()


def progress_for(*, silent: bool, lines: bool = True) -> BuildProgress:
    """Return the display of a command's progress, with a warning where kernels are slow.

    Args:
        silent: whether nothing is shown, and no warning either.
        lines: whether lines are shown where there is no terminal.
    """
    from bake.show.console import BuildProgress, style_for

    style = style_for(silent=silent)
    shown = "silent" if style == "lines" and not lines else style
    return BuildProgress(shown, tuple if silent else slowness)


def tell(error: mistakes.BakeError) -> None:
    """Print mistakes on standard error, a line each."""
    for line in str(error).splitlines():
        typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
        typer.echo(line, err=True)
    _print_lines(error)


def report_usage_error(error: Any) -> None:
    """Print an error of the parser in one line, or the help that it holds."""
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(error.message, err=True)
        return
    typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
    typer.echo(mistakes.printable(mistakes.cut(usage.describe_usage_error(error))), err=True)


def _print_lines(error: mistakes.BakeError) -> None:
    """Print the lines that may be pasted into a recipe, each below its table."""
    lines = mistakes.recipe_lines(error)
    if not lines:
        return
    typer.echo("\nlines for bake.toml, to change as you like (or let `bake init` guess):", err=True)
    for table in dict.fromkeys(table for table, _ in lines):
        typer.echo(f"\n[{table}]", err=True)
        for line in (line for own, line in lines if own == table):
            typer.echo(line, err=True)


@contextmanager
def option_values() -> Iterator[None]:
    """Turn an error about the value of an option into wrong usage, and suggest a value."""
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
    """Check options of searches as far as no level is needed.

    Args:
        method, heuristic, weight: as of :meth:`bake.play.Navigator.search`.
        options: what the method needs besides.

    Raises:
        BadParameter: there is no such method or heuristic, or they do not go together.
    """
    from bake.play.searching.heuristics import check_heuristic
    from bake.play.searching.methods import Request, checked_method

    with option_values():
        checked_method(Request(method, heuristic, weight, options=options or {}))
        if heuristic is not None:
            check_heuristic(heuristic)


@contextmanager
def among(errors: list[mistakes.BakeError]) -> Iterator[None]:
    """Keep the mistake of this block among others, so that all of them are told."""
    try:
        yield
    except mistakes.BakeError as error:
        errors.append(error)


def print_json(data: object, *, indent: int | None = 2) -> None:
    """Print data as JSON, as every command does with --json.

    Args:
        data: what JSON knows, dataclasses, whose fields become keys, arrays, paths and errors.
        indent: spaces of each level; None = all of it stands in one line.
    """
    typer.echo(json.dumps(data, indent=indent, default=_plain))


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return str(value) if isinstance(value, Path | mistakes.BakeError) else value.tolist()


def recipe_file(recipe: Path | None) -> Path | None:
    """Return the named recipe, else the nearest one, else None."""
    from bake.project.recipe import find_recipe

    return recipe or find_recipe(Path())


def report_recipe(recipe: Path | None, *, silent: bool) -> None:
    """Print on standard error which recipe is in use, if it was found in a folder above.

    Args:
        recipe: the recipe that the command line names.
        silent: whether nothing is printed.
    """
    file = None if silent or recipe is not None else recipe_file(None)
    if file is not None and file.parent != Path():
        typer.echo(mistakes.printable(f"recipe: {file}"), err=True)


def asset_of(asset: Path | None, *, silent: bool) -> Path:
    """Return the path of one asset.

    Args:
        asset: a path, or the name of a level whose asset lies in the recipe's output folder; None =
            the only asset there.
        silent: whether the recipe in use is not reported.

    Raises:
        AssetError: none is named, and there are none or several.
    """
    if asset is not None:
        named = _named_asset(asset, silent=silent)
        if named.is_dir():
            raise mistakes.AssetError(
                "this is a folder", file=named, expected="an asset", remedy="name a file in it"
            )
        refuse_level(named)
        return named
    folder = output_folder(silent=silent)
    assets = assets_in([folder])
    if len(assets) > 1:
        raise mistakes.AssetError(
            f"{len(assets):,} assets are in this folder",
            file=folder,
            expected="the name of one of them: " + ", ".join(each.stem for each in assets),
        )
    return assets[0]


def place_of(asset: Path | None, *, silent: bool) -> Path:
    """Return the path of an asset or of a folder of assets.

    Args:
        asset: as for :func:`asset_of`; None = the recipe's output folder.
        silent: whether the recipe in use is not reported.
    """
    return output_folder(silent=silent) if asset is None else _named_asset(asset, silent=silent)


def output_folder(*, silent: bool) -> Path:
    """Return the output folder of the recipe in use.

    Raises:
        AssetError: there is no such folder.
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
    """Return an asset's path; a path that exists comes before the name of a level."""
    from bake.project.recipe import load_recipe

    if str(asset) != asset.name or os.path.lexists(asset):
        return asset
    rules = load_recipe(recipe_file(None))
    folder = rules.folder / rules.output
    named = folder / f"{asset.name}.h5"
    if not named.exists():
        names = (each.stem for each in folder.glob("*.h5"))
        if not asset.suffix and (near := usage.suggest(asset.name, names)):
            raise mistakes.AssetError("no such asset", file=asset, remedy=near)
        return asset
    report_recipe(None, silent=silent)
    return named


def refuse_level(file: Path, expected: str = "an asset (.h5)") -> None:
    """Raise where a file is a level in place of its asset.

    Raises:
        AssetError: it is one; the error names its asset, or how to bake it.
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
        "this is a level, and not its asset", file=file, expected=expected, remedy=remedy
    )


def tasks_of(
    sources: list[Path] | None,
    output: Path | None,
    recipe: Path | None,
    profile: str | None,
    left_out: list[LeftOut] | None = None,
    lost: list[LostLevel] | None = None,
) -> list[Task]:
    """Find the levels to bake, with only the named profile if one is named.

    Args:
        left_out: takes the files that look like levels but are none.
        lost: see :func:`bake.baking.find_tasks`.

    Raises:
        BakeError: the recipe has mistakes, or there are no such files or profile.
    """
    from bake.baking import find_tasks
    from bake.project.recipe import load_recipe

    rules = load_recipe(recipe_file(recipe))
    tasks = find_tasks(rules, sources or [], output, left_out, lost)
    if profile is None or not tasks:
        return tasks
    narrowed = [each for task in tasks if (each := _narrowed(task, profile)) is not None]
    if not narrowed:
        known = sorted({one.name for task in tasks for one in task.recipe.profiles})
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
    """Find the levels of :func:`tasks_of`, and those of the assets in the output folder.

    Without a recipe, a warning names the assets whose level file is not found.

    Args:
        silent: whether there are no warnings.

    Raises:
        BakeError: as for :func:`tasks_of`, or there are assets and none of their level files.
    """
    lost: list[LostLevel] = []
    tasks = tasks_of(sources, output, recipe, profile, left_out, lost)
    if not tasks:
        raise mistakes.one_error(
            [
                mistakes.LevelError(each.why, file=each.asset, remedy="name the level file")
                for each in lost
            ]
        )
    if recipe_file(recipe) is None and not silent:
        for each in lost:
            warn(f"{each.asset}: {each.why}")
    return tasks


def print_left_out(left_out: list[LeftOut]) -> None:
    """Print to standard error which files are no levels, and why."""
    for each in left_out[:_MOST_LEFT_OUT]:
        typer.echo(mistakes.printable(f"left out: {each.file}: {each.why}"), err=True)
    if len(left_out) > _MOST_LEFT_OUT:
        typer.echo(f"left out: {len(left_out) - _MOST_LEFT_OUT:,} more files", err=True)


def _narrowed(task: Task, profile: str) -> Task | None:
    mine = tuple(one for one in task.recipe.profiles if one.name == profile)
    if not mine:
        return None
    fewer = len(mine) < len(task.recipe.profiles)
    return replace(task, recipe=replace(task.recipe, profiles=mine, narrowed=fewer))


def assets_in(paths: list[Path]) -> list[Path]:
    """Return the named assets, and those in the named folders.

    Raises:
        AssetError: a folder holds no asset.
    """
    found: list[Path] = []
    for one in paths:
        inside = [one]
        if one.is_dir():
            inside = sorted(each for each in one.glob("*.h5") if not each.is_dir())
        if not inside:
            raise mistakes.AssetError(
                "there is no asset in this folder", file=one, remedy="run `bake build` first"
            )
        found += inside
    return found
