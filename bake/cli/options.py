"""Arguments and options that several commands have, and JSON as all of them print it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

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


def print_json(data: object) -> None:
    """Print data as every command with --json does."""
    typer.echo(json.dumps(data, indent=2))
