"""Define pydantic models that formats share, such as terrain costs, and word their errors."""

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
from bake.levels.reading.terrains import pack_colour, rgb
from levelbake.errors import BakeError
from levelbake.places import Point

SCHEMA_DRAFT = "https://json-schema.org/draft/2020-12/schema"

M = TypeVar("M", bound=BaseModel)


def _name(text: str) -> str:
    if not is_plain_text(text):
        raise Mistake(f"{shown(text)} is not a name", "some text without control characters")
    return text


def _cost(value: Any) -> float | None:
    expected = f'a number above 0, at most {MAX_COST:g}, or "blocked"'
    if value == "blocked":
        return None
    if type(value) not in (int, float) or not 0 < value <= MAX_COST:
        raise Mistake(f"the cost is {shown(value)}", expected)
    return float(value)


def _colour(text: str) -> str:
    if len(text) != 7 or pack_colour(text) is None:
        raise Mistake(f"the colour is {shown(text)}", '"#rrggbb"')
    return text


def _cell_size(value: object) -> float | Point:
    found = read_cell_size(value)
    if found is None:
        raise Mistake(f"the size is {shown(value)}", CELL_SIZE_EXPECTED)
    return found


def _origin(value: object) -> Point:
    found = read_origin(value)
    if found is None:
        raise Mistake(f"the origin is {shown(value)}", ORIGIN_EXPECTED)
    return found


def _distinct(names: list[str]) -> list[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Mistake(f"{shown(name)} is given twice", "each name once")
        seen.add(name)
    return names


class _FirstOnly(FailFast):
    __hash__ = object.__hash__  # Unions of annotated types ask for it.


#: The first wrong item ends a list. For a message about each of millions pydantic takes gigabytes.
FIRST_ONLY = _FirstOnly()

TerrainName = Annotated[str, AfterValidator(_name), Field(min_length=1)]
DistinctNames = Annotated[
    list[TerrainName],
    FIRST_ONLY,
    AfterValidator(_distinct),
    Field(json_schema_extra={"uniqueItems": True}),
]
Cost = Annotated[
    float | None,
    PlainValidator(_cost),
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
    float | tuple[float, float], PlainValidator(_cell_size), WithJsonSchema(CELL_SIZE_SCHEMA)
]
Origin = Annotated[tuple[float, float], PlainValidator(_origin), WithJsonSchema(ORIGIN_SCHEMA)]
HexColour = Annotated[
    str, AfterValidator(_colour), Field(json_schema_extra={"pattern": "^#[0-9A-Fa-f]{6}$"})
]


class StrictModel(BaseModel):
    """A model that converts nothing and ignores nothing."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TerrainTable(StrictModel):
    """One terrain in full."""

    cost: Cost = Field(default=1.0, description='cost of crossing one cell, or "blocked"')
    enter_from: DistinctNames = Field(
        default=[],
        description="terrains it may be entered from; without it, from any. Needs a cost",
    )
    colour: HexColour = Field(default="#000000", description="colour to draw it in")


def _shape(value: object) -> str:
    return "<table>" if isinstance(value, dict | TerrainTable) else "<cost>"


#: A cost alone, or a table. The tags end up in pydantic's paths, and are taken out again.
TerrainValue = Annotated[
    Annotated[Cost, Tag("<cost>")] | Annotated[TerrainTable, Tag("<table>")],
    Discriminator(_shape),
]
Terrains = dict[TerrainName, TerrainValue]


def terrain_rules(
    terrains: Mapping[str, float | TerrainTable | None], where: Where
) -> tuple[dict[str, TerrainRule], dict[str, Colour]]:
    """Return a rule for each terrain whose cost the file states, and each colour it names.

    Args:
        terrains: validated costs.
        where: they stand in the file.

    Raises:
        LevelError: a table restricts entry but states no cost.
    """
    rules: dict[str, TerrainRule] = {}
    colours: dict[str, Colour] = {}
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
                "the terrain says where it may be entered from, but has no cost",
                '"cost" beside "enter_from"',
            )
        packed = pack_colour(value.colour)
        if "colour" in given and packed is not None:
            colours[name] = rgb(packed)
    return rules, colours


def validated(model: type[M], value: object, where: Where) -> M:
    """Let pydantic validate a value of a file.

    Args:
        model: what it has to be.
        value: what the file has.
        where: the value's place in the file.

    Raises:
        LevelError: the value has one mistake.
        BakeErrors: it has several mistakes, each with its own line; at most MOST_TOLD are listed.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        details = error.errors(include_url=False)
        # Beyond the first few mistakes only their number is given.
        first = [_level_error(each, where, model) for each in details[:MOST_TOLD]]
        raise one_error(first, more=len(details) - len(first)) from None


def keys_of(model: type[BaseModel]) -> list[str]:
    """Return the keys of a table, as files have them."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _table_at(model: type[BaseModel], steps: Sequence[str | int]) -> type[BaseModel]:
    """Return the model of the table that a path of pydantic leads to."""
    for step in steps:
        fields = dict(zip(keys_of(model), model.model_fields.values(), strict=True))
        if step in fields:
            model = next(_models_in(fields[str(step)].annotation), model)
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


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


def _level_error(detail: ErrorDetails, where: Where, model: type[BaseModel]) -> BakeError:
    raw = [step for step in detail["loc"] if step not in ("<table>", "<cost>")]
    of_a_key = raw[-1:] == ["[key]"]
    place = json_place([*where.steps, *(raw[:-1] if of_a_key else raw)])
    context: dict[str, Any] = detail.get("ctx", {})
    remedy = None
    kind = detail["type"]
    if kind == "value_error":
        mistake = context["error"]
        found, expected, remedy = mistake.found, mistake.expected, mistake.remedy
    elif kind == "missing":
        found, expected = "this key is missing", "a value for it"
    elif kind == "extra_forbidden":
        found, expected = "unknown key", f"one of {', '.join(keys_of(_table_at(model, raw[:-1])))}"
    elif kind in ("too_long", "too_short"):
        found = f"found {context['actual_length']:,} items"
        bound = context.get("max_length", context.get("min_length"))
        expected = f"at {'most' if kind == 'too_long' else 'least'} {bound:,}"
    else:
        found = f"found {shown(detail['input'])}"
        expected = _KINDS.get(kind) or context.get("expected") or detail["msg"].lower()
    if of_a_key:
        found = f"the key: {found}"
    place = place or "top level"
    return LevelError(found, file=where.file, place=place, expected=expected, remedy=remedy)


def tidied(schema: Any) -> Any:
    """Drop titles from a schema, and defaults, which stand for "the file does not say"."""
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


def schema_of(model: type[BaseModel], title: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a file, for editors and generators."""
    return {"$schema": SCHEMA_DRAFT, **tidied(model.model_json_schema()), "title": title}
