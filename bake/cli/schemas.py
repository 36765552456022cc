"""The command that publishes JSON Schemas."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bake.errors import OutputError


class SchemaName(StrEnum):
    """A file format with a JSON Schema."""

    recipe = "recipe"
    tiles = "tiles"
    graph = "graph"


def schema(
    name: Annotated[SchemaName, typer.Argument(help="Which format.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write; else standard output.")
    ] = None,
) -> None:
    """Publish the JSON Schema of a file format, for editors and other tools."""
    from bake.levels.graph_json import graph_schema
    from bake.levels.tiles_json import tile_schema
    from bake.recipe import recipe_schema

    made = {"recipe": recipe_schema, "tiles": tile_schema, "graph": graph_schema}[name.value]()
    text = json.dumps(made, indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror or error}", file=output) from None
