"""Which kind of level a JSON file is: told by what is in it."""

from __future__ import annotations

from pathlib import Path

from bake.errors import LevelError
from bake.level import Level
from bake.levels.json_text import read_document, shown

TILE_FORMAT = "bake-tiles"
GRAPH_FORMAT = "bake-graph"

_EXPECTED = (
    f'a tile level ("format": "{TILE_FORMAT}", "version": 1, "legend", "rows") '
    'or a networkx node-link graph ("nodes" and "edges" or "links")'
)
_SHOWN_KEYS = 6


def read_json_level(path: Path) -> Level:
    """Read a tile level or an explicit graph.

    Raises:
        LevelError: no JSON, neither of the two, or a mistake in it.
        BakeErrors: several mistakes in it.
    """
    document = read_document(path)
    if not isinstance(document, dict):
        raise LevelError(
            f"the file holds {shown(document)}", file=path, place="top level", expected=_EXPECTED
        )
    kind = document.get("format")
    if "format" in document and kind not in (TILE_FORMAT, GRAPH_FORMAT):
        raise LevelError(
            f"unknown format {shown(kind)}", file=path, place="format", expected=_EXPECTED
        )
    if kind == TILE_FORMAT:
        from bake.levels.tiles_json import read_tiles

        return read_tiles(path, document)
    if kind == GRAPH_FORMAT or ("nodes" in document and document.keys() & {"edges", "links"}):
        from bake.levels.graph_json import read_graph

        return read_graph(path, document)

    keys = [shown(key) for key in document]
    if len(keys) > _SHOWN_KEYS:
        keys = [*keys[:_SHOWN_KEYS], "..."]
    raise LevelError(
        f"the JSON is no level; its keys are {', '.join(keys)}"
        if keys
        else "the JSON is no level; it is an empty object",
        file=path,
        expected=_EXPECTED,
    )
