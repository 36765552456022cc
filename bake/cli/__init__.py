"""The command line: parse, call, print.

Exit codes: 0 success, 1 something the user can mend, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, NoReturn

import typer

from bake import __version__
from bake.cli import assets, levels, paths, schemas
from bake.cli.interrupt import leaving_when_interrupted
from bake.errors import BakeError

_INTERRUPTED = 130
_SAID = "interrupted; what was finished is kept"

#: In the order `bake --help` tells of them.
COMMANDS: dict[str, Callable[..., None]] = {
    "build": levels.build,
    "plan": levels.plan,
    "check": levels.check,
    "lint": levels.lint,
    "info": assets.info,
    "path": paths.path,
    "eval": paths.evaluate,
    "render": paths.render,
    "apply": assets.apply,
    "verify": assets.verify,
    "diff": assets.diff,
    "schema": schemas.schema,
}

app = typer.Typer(
    help="Bake levels into pathfinding assets at build time; look next hops up at runtime.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _name, _command in COMMANDS.items():
    app.command(name=_name)(_command)


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


def _fail(error: BakeError) -> NoReturn:
    for line in str(error).splitlines():
        typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
        typer.echo(line, err=True)
    sys.exit(1)
