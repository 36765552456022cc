"""`bake schema`: valid JSON that the project's own files satisfy."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bake.store.columns import COLUMNS
from tests.support.command import bake, mistake

ROOT = Path(__file__).parents[2]

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}

#: Keywords that say nothing about validity.
SILENT = {"$schema", "$id", "$defs", "$comment", "title", "description", "default", "examples"}


def validate(value: Any, schema: Any, root: Any, place: str = "$") -> list[str]:
    """What is wrong with a value by a JSON Schema; refuses keywords it does not know."""
    if isinstance(schema, bool):
        return [] if schema else [f"{place}: not allowed"]
    wrong: list[str] = []
    for keyword, rule in schema.items():
        wrong += _check(keyword, rule, value, schema, root, place)
    return wrong


def _check(keyword: str, rule: Any, value: Any, schema: Any, root: Any, place: str) -> list[str]:
    is_object, is_list = isinstance(value, dict), isinstance(value, list)
    is_text, is_number = isinstance(value, str), TYPES["number"](value)
    ways = [validate(value, way, root, place) for way in rule] if keyword.endswith("Of") else []
    if keyword in SILENT:
        return []
    match keyword:
        case "$ref":
            return validate(value, root["$defs"][rule.removeprefix("#/$defs/")], root, place)
        case "type":
            kinds = rule if isinstance(rule, list) else [rule]
            holds = any(TYPES[kind](value) for kind in kinds)
        case "enum":
            holds = value in rule
        case "const":
            holds = value == rule
        case "anyOf":
            holds = not all(ways)
        case "oneOf":
            holds = sum(not way for way in ways) == 1
        case "allOf":
            return [each for way in ways for each in way]
        case "not":
            holds = bool(validate(value, rule, root, place))
        case "properties":
            return [
                each
                for key, inner in rule.items()
                if is_object and key in value
                for each in validate(value[key], inner, root, f"{place}.{key}")
            ]
        case "patternProperties":
            return [
                each
                for pattern, inner in rule.items()
                for key in (value if is_object else ())
                if re.search(pattern, key)
                for each in validate(value[key], inner, root, f"{place}.{key}")
            ]
        case "additionalProperties":
            known = schema.get("properties", {})
            patterns = schema.get("patternProperties", {})
            return [
                each
                for key in (value if is_object else ())
                if key not in known and not any(re.search(one, key) for one in patterns)
                for each in validate(value[key], rule, root, f"{place}.{key}")
            ]
        case "propertyNames":
            return [
                each
                for key in (value if is_object else ())
                for each in validate(key, rule, root, f"{place} name {key}")
            ]
        case "required":
            holds = not is_object or set(rule) <= set(value)
        case "dependentRequired":
            holds = not is_object or all(
                set(others) <= set(value) for key, others in rule.items() if key in value
            )
        case "minProperties":
            holds = not is_object or len(value) >= rule
        case "maxProperties":
            holds = not is_object or len(value) <= rule
        case "items":
            return [
                each
                for index, item in enumerate(value if is_list else ())
                for each in validate(item, rule, root, f"{place}[{index}]")
            ]
        case "prefixItems":
            return [
                each
                for index, (item, of_item) in enumerate(
                    zip(value if is_list else (), rule, strict=False)
                )
                for each in validate(item, of_item, root, f"{place}[{index}]")
            ]
        case "minItems":
            holds = not is_list or len(value) >= rule
        case "maxItems":
            holds = not is_list or len(value) <= rule
        case "uniqueItems":
            holds = not is_list or len({json.dumps(item) for item in value}) == len(value)
        case "minLength":
            holds = not is_text or len(value) >= rule
        case "maxLength":
            holds = not is_text or len(value) <= rule
        case "pattern":
            holds = not is_text or re.search(rule, value) is not None
        case "minimum":
            holds = not is_number or value >= rule
        case "maximum":
            holds = not is_number or value <= rule
        case "exclusiveMinimum":
            holds = not is_number or value > rule
        case "exclusiveMaximum":
            holds = not is_number or value < rule
        case "multipleOf":
            holds = not is_number or math.remainder(value, rule) == 0
        case "if" | "then" | "else":
            return [] if keyword != "if" else _if(value, schema, root, place)
        case _:
            raise AssertionError(f"unknown keyword {keyword}")
    return [] if holds else [f"{place}: {keyword} {json.dumps(rule)[:60]}"]


def _if(value: Any, schema: Any, root: Any, place: str) -> list[str]:
    branch = "else" if validate(value, schema["if"], root, place) else "then"
    return validate(value, schema.get(branch, True), root, place)


def published(name: str) -> Any:
    done = bake("schema", name)
    assert (done.code, done.err) == (0, "")
    return done.data


def kind(level: Any) -> str:
    kinds = {"bake-geometry": "shapes", "bake-mesh": "mesh", "bake-puzzle": "puzzle"}
    kinds["bake-tiles"] = "tiles"
    return kinds.get(level.get("format"), "graph")


@pytest.mark.parametrize("name", ["recipe", "tiles", "graph", "shapes", "mesh", "puzzle"])
def test_a_schema_to_a_file_is_the_same(name: str, bare: Path) -> None:
    done = bake("schema", name, "-o", "schema.json")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert json.loads((bare / "schema.json").read_text("utf-8")) == published(name)


def test_an_unwritable_file(bare: Path) -> None:
    mistake(bake("schema", "tiles", "-o", "none/schema.json"), "schema.json", "cannot be written")


@pytest.mark.parametrize(
    "file", sorted((ROOT / "levels_src").glob("*.json")), ids=lambda file: file.name
)
def test_our_levels_satisfy_theirs(file: Path) -> None:
    level = json.loads(file.read_text("utf-8"))
    schema = published(kind(level))
    assert validate(level, schema, schema) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"format": "bake-tiles", "version": 1, "extra": 0},
        {"format": "bake-tiles"},
        {"format": "bake-tiles", "version": 1, "connectivity": 5},
        {"format": "bake-tiles", "version": 1, "terrains": {"grass": -1}},
        {"format": "bake-tiles", "version": 1, "rows": [1, 2]},
        [],
    ],
)
def test_wrong_levels_do_not(wrong: Any) -> None:
    schema = published("tiles")
    assert validate(wrong, schema, schema)


def test_our_recipe_satisfies_its_schema() -> None:
    schema = published("recipe")
    recipe = tomllib.loads((ROOT / "bake.toml").read_text("utf-8"))
    assert validate(recipe, schema, schema) == []


@pytest.mark.parametrize(
    "text",
    [
        "connectivity = 6",
        "connectivty = 8",
        'tables = ["next hops"]',
        "[terrain]\ngrass = -1",
        "[levels.keep]\nsources = []",
    ],
)
def test_wrong_recipes_do_not(text: str) -> None:
    schema = published("recipe")
    assert validate(tomllib.loads(text), schema, schema)


def test_the_table_of_columns() -> None:
    done = bake("schema", "columns")
    table = json.loads(done.out)
    assert [each["name"] for each in table] == [each.name for each in COLUMNS]
    terrain = next(each for each in table if each["name"] == "terrain")
    assert terrain["refers"] == "terrain"
    none = {each["name"]: each["none"] for each in table if isinstance(each.get("none"), str)}
    assert none == {"cost": "NaN", "price_units": "Infinity", "slope": "Infinity"}
    assert all(each["description"] and each["dims"] for each in table)
