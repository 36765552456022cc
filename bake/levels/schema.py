"""JSON Schemas (draft 2020-12) of the two JSON formats, for editors and generators."""

from __future__ import annotations

from typing import Any

from bake.levels.graph_json import DEFAULT_TERRAIN, VERSION
from bake.levels.json_level import GRAPH_FORMAT
from bake.levels.limits import MAX_COST
from bake.levels.terrain_json import TERRAINS
from bake.levels.tiles_json import TileFile

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def tile_schema() -> dict[str, Any]:
    """Schema of tile levels.

    That rows are of equal length, and use the legend's characters only, is beyond a schema.
    """
    return {
        "$schema": _DRAFT,
        **_tidy(TileFile.model_json_schema()),
        "title": "bake tile level, version 1",
    }


def graph_schema() -> dict[str, Any]:
    """Schema of explicit graphs.

    That ids are unique and edges join known nodes is beyond a schema.
    """
    terrains = _tidy(TERRAINS.json_schema())
    definitions = terrains.pop("$defs")
    edges = {
        "type": "array",
        "description": "the edges; of parallel ones the cheapest counts, self-loops never do",
        "items": {"$ref": "#/$defs/Edge"},
    }
    return {
        "$schema": _DRAFT,
        "title": "bake graph level, version 1",
        "description": "An explicit graph in networkx node-link form.",
        "type": "object",
        "additionalProperties": False,
        "required": ["nodes"],
        "oneOf": [{"required": ["edges"]}, {"required": ["links"]}],
        "properties": {
            "format": {"const": GRAPH_FORMAT, "description": "names the format; optional"},
            "version": {"const": VERSION, "description": "version of the format; optional"},
            "directed": {
                "type": "boolean",
                "default": False,
                "description": "whether edges lead one way, from source to target",
            },
            "multigraph": {
                "type": "boolean",
                "default": True,
                "description": "whether several edges may join the same nodes",
            },
            "graph": {
                "type": "object",
                "description": "attributes of the graph; others than these are ignored",
                "properties": {
                    "terrains": {
                        **terrains,
                        "description": "costs by terrain; names every terrain of the nodes",
                    }
                },
            },
            "nodes": {
                "type": "array",
                "minItems": 1,
                "description": "the nodes; their ids are all strings or all whole numbers",
                "items": {"$ref": "#/$defs/Node"},
            },
            "edges": edges,
            "links": edges,
        },
        "$defs": {
            "Node": {
                "type": "object",
                "description": "attributes other than these are ignored",
                "required": ["id"],
                "dependentRequired": {"x": ["y"], "y": ["x"]},
                "properties": {
                    "id": {"$ref": "#/$defs/Id"},
                    "x": {"type": "number", "description": "position to the right"},
                    "y": {"type": "number", "description": "position downwards"},
                    "pos": {
                        "type": "array",
                        "items": {"type": "number"},
                        "minItems": 2,
                        "maxItems": 2,
                        "description": "position as [x, y], instead of x and y",
                    },
                    "terrain": {
                        "type": "string",
                        "minLength": 1,
                        "default": DEFAULT_TERRAIN,
                        "description": "name of the node's terrain",
                    },
                },
            },
            "Edge": {
                "type": "object",
                "description": "attributes other than these are ignored",
                "required": ["source", "target"],
                "properties": {
                    "source": {"$ref": "#/$defs/Id"},
                    "target": {"$ref": "#/$defs/Id"},
                    "weight": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "maximum": MAX_COST,
                        "default": 1,
                        "description": "length of the edge in units",
                    },
                },
            },
            "Id": {
                "anyOf": [
                    {"type": "string", "minLength": 1},
                    {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
                ],
                "description": "id of a node",
            },
            **definitions,
        },
    }


def _tidy(schema: Any) -> Any:
    """Less pydantic's titles, and its defaults, which stand for "the file does not say"."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tidy = {}
    for key, value in schema.items():
        if key == "properties":
            tidy[key] = {name: _tidy(described) for name, described in value.items()}
        elif key not in ("title", "default"):
            tidy[key] = _tidy(value)
    return tidy
