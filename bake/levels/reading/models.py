"""Pydantic models that several formats use, and the error messages of their mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    PlainValidator,
    Tag,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import ErrorDetails

from bake.core.errors import LevelError, one_error
from bake.core.level import Colour, TerrainRule
from bake.levels.reading.coordinates import (
    CELL_SIZE_EXPECTED,
    CELL_SIZE_SCHEMA,
    ORIGIN_EXPECTED,
    ORIGIN_SCHEMA,
    read_cell_size,
    read_origin,
)
from bake.levels.reading.limits import MAX_COST
from bake.levels.reading.mistakes import MOST_TOLD, Mistake, Where, is_plain_text, json_place, shown
from bake.levels.reading.terrains import parse_color, rgb
from levelbake.errors import BakeError
from levelbake.places import Point

SCHEMA_DRAFT = "https://json-schema.org/draft/2020-12/schema"

M = TypeVar("M", bound=BaseModel)


def _check_name(text: str) -> str:
    if not is_plain_text(text):
        raise Mistake(f"{shown(text)} is not a name", "some text without control characters")
    return text


def _check_cost(value: Any) -> float | None:
    expected = f'a number above 0, at most {MAX_COST:g}, or "blocked"'
    if value == "blocked":
        return None
    if type(value) not in (int, float) or not 0 < value <= MAX_COST:
        raise Mistake(f"the cost is {shown(value)}", expected)
    return float(value)


def _check_color(text: str) -> str:
    if len(text) != 7 or parse_color(text) is None:
        raise Mistake(f"the color is {shown(text)}", '"#rrggbb"')
    return text


def _check_cell_size(value: object) -> float | Point:
    size = read_cell_size(value)
    if size is None:
        raise Mistake(f"the size is {shown(value)}", CELL_SIZE_EXPECTED)
    return size


def _check_origin(value: object) -> Point:
    origin = read_origin(value)
    if origin is None:
        raise Mistake(f"the origin is {shown(value)}", ORIGIN_EXPECTED)
    return origin


def _check_distinct(names: list[str]) -> list[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Mistake(f"{shown(name)} is given twice", "each name once")
        seen.add(name)
    return names


class _FirstOnly(FailFast):
    __hash__ = object.__hash__  # Unions of annotated types need a hash.


#: Validation of a list stops at the first wrong item; messages about millions take gigabytes.
FIRST_ONLY = _FirstOnly()

TerrainName = Annotated[str, AfterValidator(_check_name), Field(min_length=1)]
DistinctNames = Annotated[
    list[TerrainName],
    FIRST_ONLY,
    AfterValidator(_check_distinct),
    Field(json_schema_extra={"uniqueItems": True}),
]
Cost = Annotated[
    float | None,
    PlainValidator(_check_cost),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_COST},
                {"const": "blocked"},
            ],
            "description": 'cost of crossing one cell in units, or "blocked"',
        }
    ),
]
CellSize = Annotated[
    float | tuple[float, float], PlainValidator(_check_cell_size), WithJsonSchema(CELL_SIZE_SCHEMA)
]
Origin = Annotated[
    tuple[float, float], PlainValidator(_check_origin), WithJsonSchema(ORIGIN_SCHEMA)
]
HexColor = Annotated[
    str, AfterValidator(_check_color), Field(json_schema_extra={"pattern": "^#[0-9A-Fa-f]{6}$"})
]


class StrictModel(BaseModel):
    """A model that rejects unknown keys and converts no types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TerrainTable(StrictModel):
    """The table of one terrain."""

    cost: Cost = Field(default=1.0, description='cost of crossing one cell, or "blocked"')
    enter_from: DistinctNames = Field(
        default=[],
        description="terrains it may be entered from; without it, from any. Needs a cost",
    )
    colour: HexColor = Field(default="#000000", description="color to draw it in")


def _value_tag(value: object) -> str:
    return "<table>" if isinstance(value, dict | TerrainTable) else "<cost>"


#: A cost alone, or a table. `_level_error` removes the tags from pydantic's paths.
TerrainValue = Annotated[
    Annotated[Cost, Tag("<cost>")] | Annotated[TerrainTable, Tag("<table>")],
    Discriminator(_value_tag),
]
Terrains = dict[TerrainName, TerrainValue]


def terrain_rules(
    terrains: Mapping[str, float | TerrainTable | None], where: Where
) -> tuple[dict[str, TerrainRule], dict[str, Colour]]:
    """Return the rule of each terrain that has a cost, and the color of each that has one.

    Args:
        terrains: validated terrains.
        where: their place in the file.

    Raises:
        LevelError: a table restricts entry but states no cost.
    """
    rules: dict[str, TerrainRule] = {}
    colors: dict[str, Colour] = {}
    for name, value in terrains.items():
        if not isinstance(value, TerrainTable):
            rules[name] = TerrainRule(cost=value)
            continue
        given = value.model_fields_set
        if "cost" in given:
            enter_from = tuple(value.enter_from) if "enter_from" in given else None
            rules[name] = TerrainRule(cost=value.cost, enter_from=enter_from)
        elif "enter_from" in given:
            where.inside(name).refuse(
                "the terrain has enter_from but no cost",
                '"cost" beside "enter_from"',
            )
        packed = parse_color(value.colour)
        if "colour" in given and packed is not None:
            colors[name] = rgb(packed)
    return rules, colors


def validated(model: type[M], value: object, where: Where) -> M:
    """Validate a value of a file and return it as a model.

    Args:
        model: the type to validate against.
        value: the parsed JSON.
        where: the place of the value in the file.

    Raises:
        LevelError: the value has one mistake.
        BakeErrors: it has several mistakes, each with its own line; at most MOST_TOLD are listed.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        details = error.errors(include_url=False)
        # Only the first few mistakes are listed; of the others, only the number.
        first = [_build_error(detail, where, model) for detail in details[:MOST_TOLD]]
        raise one_error(first, more=len(details) - len(first)) from None


def list_keys(model: type[BaseModel]) -> list[str]:
    """Return the keys of a table as written in files."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _find_table(model: type[BaseModel], steps: Sequence[str | int]) -> type[BaseModel]:
    """Return the model of the table at the path of a validation error."""
    for step in steps:
        fields = dict(zip(list_keys(model), model.model_fields.values(), strict=True))
        if step in fields:
            model = next(_find_models(fields[str(step)].annotation), model)
    return model


def _find_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _find_models(inner)


_KINDS = {
    "string_type": "a string",
    "string_unicode": "text that is valid Unicode",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_too_short": "at least one character",
    "string_too_long": "a single character",
}


def _build_error(detail: ErrorDetails, where: Where, model: type[BaseModel]) -> BakeError:
    steps = [step for step in detail["loc"] if step not in ("<table>", "<cost>")]
    is_key = steps[-1:] == ["[key]"]
    place = json_place([*where.steps, *(steps[:-1] if is_key else steps)])
    context: dict[str, Any] = detail.get("ctx", {})
    remedy = None
    error_type = detail["type"]
    if error_type == "value_error":
        mistake = context["error"]
        problem, expected, remedy = mistake.found, mistake.expected, mistake.remedy
    elif error_type == "missing":
        problem, expected = "this key is missing", "a value for it"
    elif error_type == "extra_forbidden":
        problem, expected = (
            "unknown key",
            f"one of {', '.join(list_keys(_find_table(model, steps[:-1])))}",
        )
    elif error_type in ("too_long", "too_short"):
        problem = f"found {context['actual_length']:,} items"
        bound = context.get("max_length", context.get("min_length"))
        expected = f"at {'most' if error_type == 'too_long' else 'least'} {bound:,}"
    else:
        problem = f"found {shown(detail['input'])}"
        expected = _KINDS.get(error_type) or context.get("expected") or detail["msg"].lower()
    if is_key:
        problem = f"the key: {problem}"
    place = place or "top level"
    return LevelError(problem, file=where.file, place=place, expected=expected, remedy=remedy)


def tidied(schema: Any) -> Any:
    """Return a schema without titles and defaults; a default stands for a missing key."""
    if isinstance(schema, list):
        return [tidied(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tidy = {}
    for key, value in schema.items():
        if key == "properties":
            tidy[key] = {name: tidied(described) for name, described in value.items()}
        elif key not in ("title", "default"):
            tidy[key] = tidied(value)
    return tidy


def build_schema(model: type[BaseModel], title: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a file format."""
    return {"$schema": SCHEMA_DRAFT, **tidied(model.model_json_schema()), "title": title}
