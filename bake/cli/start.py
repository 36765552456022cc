"""The command that starts a project: init."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bake.cli import mistakes
from bake.cli.options import Jobs, Json, print_json, progress_for, say

if TYPE_CHECKING:
    from bake.project.init.entries import Line
    from bake.project.init.first_recipe import Started, Tried
    from bake.project.lint.findings import Finding

#: The most lines printed about one subject; the recipe contains all of them.
_MOST_LINES = 20


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder of the levels and the recipe.")
    ] = Path(),
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing recipe and existing pictures.")
    ] = False,
    pictures: Annotated[bool, typer.Option(help="Draw each level into the output folder.")] = True,
    reduce: Annotated[
        bool,
        typer.Option("--reduce", help="Reduce images to their main colors."),
    ] = False,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Write a first bake.toml for the levels in a folder.

    It guesses what the terrain means, lists what you have to decide, and draws each level.
    """
    from bake.project.init.first_recipe import reduce_paintings, try_recipe, write_first_recipe
    from bake.project.lint.levels import surprises
    from bake.project.recipe import RECIPE_NAME

    if reduce and not force and (folder / RECIPE_NAME).is_file():
        reduced = reduce_paintings(folder)
        if reduced:
            _report_reduced(folder / RECIPE_NAME, reduced, as_json=as_json)
            return
    started = write_first_recipe(folder, force=force, reduce=reduce)
    tried: list[Tried] = []
    with progress_for(silent=as_json) as progress:
        for attempt in try_recipe(
            started.recipe, jobs=jobs, force=force, draw=pictures, report=progress
        ):
            progress.finished(attempt.outcome.task.name, _describe(attempt))
            tried.append(attempt)
    tried.sort(key=lambda attempt: attempt.outcome.task.name)
    findings = surprises(
        [attempt.outcome.task for attempt in tried if attempt.outcome.baked is not None]
    )
    if as_json:
        print_json(_as_data(started, tried, findings))
    else:
        _print(started, tried, findings)
    errors = [error for attempt in tried if (error := attempt.outcome.error) is not None]
    if errors:
        raise mistakes.BakeErrors(errors)


def _report_reduced(recipe: Path, reduced: tuple[Path, ...], *, as_json: bool) -> None:
    from bake.show.console import shown

    if as_json:
        print_json({"recipe": recipe, "reduced": reduced})
        return
    for picture in reduced:
        say(f"{shown(str(picture))}: written")
    say(f"{shown(str(recipe))} is unchanged; add the colors to its [legend], and run `bake build`")


def _describe(tried: Tried) -> str:
    """Return the number of walkable places of a level as text."""
    baked = tried.outcome.baked
    return "cannot be baked yet" if baked is None else mistakes.counted(baked.nodes, "place")


def _open_lines(started: Started) -> list[Line]:
    return [line for line in started.lines if not line.entry.sure]


def _print(started: Started, tried: list[Tried], findings: list[Finding]) -> None:
    from bake.project.lint.findings import as_text, summed_up
    from bake.show.console import console, print_table, shown

    rows = []
    for each in tried:
        picture = "" if each.picture is None else "was there already" if each.kept else "drawn"
        rows.append([shown(each.outcome.task.name), _describe(each), picture])
    print_table(console(), ["level", "to stand on", "picture"], ["to stand on"], rows)
    _print_some("left out:", [f"{file}: {why}" for file, why in started.found.left_out])
    _print_some(
        "for you to decide, in the lines with a question mark:",
        [_decision(line) for line in _open_lines(started)],
    )
    _print_some("worth knowing:", [as_text(each, others) for each, others in summed_up(findings)])
    pictures = {each.picture.parent for each in tried if each.picture is not None}
    look = f"look at the pictures in {min(pictures)}, " if pictures else ""
    quoted = shlex.quote(str(started.recipe))
    elsewhere = "" if started.recipe.parent == Path() else f" --recipe {quoted}"
    say(
        f"{started.recipe}: {mistakes.counted(len(started.lines), 'guessed line')} for "
        f"{mistakes.counted(len(tried), 'level')}; {look}mend it, and run `bake build{elsewhere}`"
    )


def _print_some(heading: str, lines: list[str]) -> None:
    from bake.project.init.entries import comment

    if not lines:
        return
    say(heading)
    for line in lines[:_MOST_LINES]:
        say(f"  {comment(line)}")
    if len(lines) > _MOST_LINES:
        say(f"  and {len(lines) - _MOST_LINES:,} more, which stand in the recipe")


def _decision(line: Line) -> str:
    from bake.core.toml import toml_key, toml_line

    table, entry = ".".join(map(toml_key, line.table)), line.entry
    assert entry.value is not None, "else there would be no line"
    return f"[{table}] {toml_line(entry.key, entry.value)}: {entry.why}"


def _as_data(started: Started, tried: list[Tried], findings: list[Finding]) -> dict[str, Any]:
    return {
        "recipe": started.recipe,
        "levels": [
            {
                "level": each.outcome.task.name,
                "source": each.outcome.task.source,
                "places": None if each.outcome.baked is None else each.outcome.baked.nodes,
                "picture": each.picture,
                "error": each.outcome.error,
            }
            for each in tried
        ],
        "decide": [
            {
                "table": line.table,
                "key": line.entry.key,
                "value": line.entry.value,
                "why": line.entry.why,
                "levels": line.levels,
            }
            for line in _open_lines(started)
        ],
        "findings": findings,
        "left_out": [{"file": file, "why": why} for file, why in started.found.left_out],
    }
