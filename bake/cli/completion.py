"""Shell completion of names of assets, profiles, methods and other values.

A shell waits for the answer on each press of Tab. Therefore this module does not import numpy and
opens no asset: names come from file names and from the recipe.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer
import typer.completion

from bake.core.extras import registered_names

#: The environment variable by which the shell's function requests completions.
VARIABLE = "_BAKE_COMPLETE"
#: The names of the command.
_PROGRAMS = ("bake", "levelbake")
_SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")

#: Copies of names from modules that are slow to import; a test compares them.
OUTPUT = "baked"
METHODS = (
    *("astar", "bidirectional", "bidirectional_astar", "dijkstra", "greedy", "hpa", "table"),
    "weighted",
)
HEURISTICS = (
    *("chebyshev", "cluster", "euclidean", "exact", "hex", "landmark", "manhattan", "maximum"),
    *("null", "octile"),
)
PARTS = ("distances", "hierarchy")
LIMITS = ("cells", "reachability", "distances", "size")


#: Functions of typer for completion that its public interface lacks.
_shells: Any = typer.completion


def prepare() -> None:
    """Register the completion classes of the supported shells."""
    _shells.completion_init()


def complete_asset(incomplete: str) -> list[str]:
    """Return the names of the levels whose assets are in the recipe's output folder."""
    folder, recipe = _read_recipe(None)
    output = recipe.get("output", OUTPUT)
    if not isinstance(output, str):
        return []
    with suppress(OSError, ValueError):
        return _matching((file.stem for file in (folder / output).glob("*.h5")), incomplete)
    return []


def complete_profile(ctx: Any, incomplete: str) -> list[str]:
    """Return the names of the recipe's profiles."""
    _, recipe = _read_recipe(ctx.params.get("recipe"))
    levels = _table(recipe, "levels").values()
    tables = [recipe, *(level for level in levels if isinstance(level, dict))]
    names = {name for table in tables for name in _table(table, "profiles")}
    return _matching(names or {"default"}, incomplete)


def complete_method(incomplete: str) -> list[str]:
    """Return the names of the search methods."""
    return _matching([*METHODS, *registered_names("method")], incomplete)


def complete_path_method(incomplete: str) -> list[str]:
    """Return the names of the methods of `bake path`, including methods for planes."""
    return sorted([*complete_method(incomplete), *_matching(("funnel", "polyanya"), incomplete)])


def complete_heuristic(incomplete: str) -> list[str]:
    """Return the names of the heuristics."""
    return _matching(HEURISTICS, incomplete)


def complete_parts(incomplete: str) -> list[str]:
    """Return the values of `bake export --with`."""
    return _matching([*PARTS, ",".join(PARTS)], incomplete)


def complete_limit(incomplete: str) -> list[str]:
    """Return the values of `bake diff --fail-on`."""
    return _matching(LIMITS, incomplete)


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the names with this prefix, except names that a shell would split or expand."""
    return sorted(
        name for name in names if name.startswith(incomplete) and shlex.quote(name) == name
    )


def _read_recipe(named: object) -> tuple[Path, dict[str, Any]]:
    """Return the folder of the recipe in use and its tables; no tables if it is invalid."""
    file = Path(str(named)) if named is not None else Path("bake.toml")
    if named is None:
        for folder in (Path(), *(Path(*[".."] * up) for up in range(1, len(Path.cwd().parts)))):
            if (folder / file.name).is_file():
                file = folder / file.name
                break
    with suppress(OSError, ValueError, RecursionError):
        return file.parent, tomllib.loads(file.read_text("utf-8-sig"))
    return file.parent, {}


def _table(tables: dict[str, Any], name: str) -> dict[str, Any]:
    table = tables.get(name)
    return table if isinstance(table, dict) else {}


def install_completion(wanted: bool) -> None:
    """Install completion for the shell that runs the command, and end the command."""
    if not wanted:
        return
    shell = _detect_shell()
    paths = [
        _shells.install(shell=shell, prog_name=program, complete_var=VARIABLE)[1]
        for program in _PROGRAMS
    ]
    typer.echo(f"completion for {shell} is installed in {' and '.join(map(str, paths))}")
    typer.echo("open a new terminal to use it")
    raise typer.Exit


def show_completion(wanted: bool) -> None:
    """Print the completion script for the shell that runs the command, and end the command."""
    if not wanted:
        return
    shell = _detect_shell()
    for program in _PROGRAMS:
        typer.echo(
            _shells.get_completion_script(prog_name=program, complete_var=VARIABLE, shell=shell)
        )
    raise typer.Exit


def _detect_shell() -> str:
    """Return the name of the shell that runs the command.

    Raises:
        BakeError: no shell was detected, or it is not supported.
    """
    from bake.cli import mistakes

    shell: str | None = _shells._get_shell_name()
    if shell is None or shell not in _SHELLS:
        raise mistakes.BakeError(
            "the command was not started by a shell with completion"
            if shell is None
            else f"the shell {shell!r} is not supported",
            expected=f"{', '.join(_SHELLS[:-1])} or {_SHELLS[-1]}",
            remedy="run the command in such a shell",
        )
    return shell
