"""The published schemas: valid JSON, always the same, and about the same keys as the readers."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from bake.levels.graph_json import graph_schema
from bake.levels.reading.models import list_keys
from bake.levels.tiles_json import TileFile, tile_schema

SCHEMAS = [tile_schema, graph_schema]


def objects(schema: object) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


@pytest.mark.parametrize("make", SCHEMAS)
def test_self_contained_2020_12(make: Any) -> None:
    schema = make()
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    for each in objects(schema):
        reference = each.get("$ref")
        if isinstance(reference, str):
            assert reference.removeprefix("#/$defs/") in schema["$defs"]


@pytest.mark.parametrize("make", SCHEMAS)
def test_every_key_is_described(make: Any) -> None:
    for key, described in make()["properties"].items():
        assert described.get("description"), key


def test_the_readers_know_the_same_keys() -> None:
    assert set(tile_schema()["properties"]) == set(list_keys(TileFile))
    assert tile_schema()["required"] == ["format", "version"]
    assert set(graph_schema()["properties"]) == {
        *("format", "version", "directed", "multigraph", "graph", "nodes", "edges", "links")
    }


def test_the_same_in_every_process() -> None:
    code = (
        "import json; from bake.levels.graph_json import graph_schema;"
        "from bake.levels.tiles_json import tile_schema;"
        "print(json.dumps([tile_schema(), graph_schema()]))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert printed == {json.dumps([tile_schema(), graph_schema()]) + "\n"}
